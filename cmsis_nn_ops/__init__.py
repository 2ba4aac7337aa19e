"""The operators of the ``cortex_m::`` dialect, one folder each, and their C sources."""

from cmsis_nn_ops.op_def import OpDef
from cmsis_nn_ops.registry import operators

__all__ = ["OpDef", "operators"]
