"""CorTorch: from a PyTorch model to a verified firmware image for Arm Cortex-M.

Names are loaded when they are first used: the command line and the pytest plugin must not wait
for torch.
"""

from __future__ import annotations

from importlib import import_module

from cortorch.quiet import quiet_imports

# Public name -> the module that defines it.
_PUBLIC = {
    "CorTorchError": "cortorch.errors",
    "CortexM": "cortorch.target",
    "CortexMPassManager": "cortorch.edge.pass_manager",
    "CortexMQuantizer": "cortorch.quantization.quantizer",
    "CortexMTargetConfig": "cortorch.target",
    "Program": "cortorch.program",
    "cortex_m_edge_compile_config": "cortorch.edge.compile_config",
    "export": "cortorch.exporter",
}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'cortorch' has no attribute '{name}'")
    with quiet_imports():
        return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
