"""The protocol between a host and the validate firmware (docs/SPEC.md)."""

from cortorch.on_device.protocol.c_header import c_header

__all__ = ["c_header"]
