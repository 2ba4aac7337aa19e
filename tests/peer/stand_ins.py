"""Names that upstream's tests import and that ``cortorch.compat`` does not have.

Parts of how upstream works inside have no counterpart. A file that imports one at its top would be
lost with all its tests, so a stand-in is imported, which fails the tests that use it.
"""

from __future__ import annotations

from typing import Any

from cortorch.compat import COUNTERPARTS
from cortorch.testing import CortexMQuantize

__all__ = ["CortexMQuantize", "counterparts"]

_INTERNALS = {
    "passes.decompose_mean_pass": ("DecomposeMeanPass",),
    "passes.scratch_buffer_sizes": ("required_cmsis_nn_buffer_sizes",),
    "quantizer.quantization_configs": ("INT16_PER_TENSOR_CONFIG",),
    "quantizer.quantizer_support": ("BINARY_OP_PATTERNS",),
}
# Names that upstream's modules only pass on from ExecuTorch's Arm backend.
_ARM = "executorch.backends.arm.quantizer.arm_quantizer_utils"
_PASSED_ON = {
    "quantizer.pattern_checkers": {"PatternCheck": f"{_ARM}:PatternCheck"},
    "quantizer.quantizer": {"mark_node_as_annotated": f"{_ARM}:_mark_node_as_quantized"},
}


class NoCounterpartError(Exception):
    """A test uses a part of upstream's backend that cortorch does not have."""


def _stand_in(name: str) -> type:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NoCounterpartError(f"tests {name}, a part of how upstream works inside")

    return type(name, (), {"__init__": refuse})


def counterparts() -> dict[str, dict[str, Any]]:
    """Those of ``cortorch.compat``, and the stand-ins."""
    table: dict[str, dict[str, Any]] = {name: dict(names) for name, names in COUNTERPARTS.items()}
    for module, names in _INTERNALS.items():
        table.setdefault(module, {}).update({name: _stand_in(name) for name in names})
    for module, passed_on in _PASSED_ON.items():
        table.setdefault(module, {}).update(passed_on)
    table["test.tester"]["CortexMTester"] = "peer.recorder:RecordingTester"
    return table
