"""Firmware images: boards, builds, and where the bytes are."""
