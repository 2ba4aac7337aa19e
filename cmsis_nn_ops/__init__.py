"""The operators of the ``cortex_m::`` dialect, one folder each, and their C sources."""

from cmsis_nn_ops.op_def import Declaration, Foreign, OpDef
from cmsis_nn_ops.registry import foreign, operators

__all__ = ["Declaration", "Foreign", "OpDef", "foreign", "operators"]
