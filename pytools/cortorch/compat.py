"""Makes the import paths of ExecuTorch's Cortex-M backend lead to cortorch.

    import cortorch.compat
    from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer  # ours

A script that was written for that backend then runs unchanged. Both define the ``cortex_m::``
operators, so a process has one of them: the import fails if the other one is loaded, and paths
without a counterpart do not load it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import cortorch.edge.dialect  # noqa: F401  # first: it refuses what the finder below then serves
from cortorch.errors import CompatError
from cortorch.upstream import UPSTREAM

TESTS = f"{UPSTREAM}.test"
# What ExecuTorch's other backends use of this one; it defines no operators.
SHARED = [
    f"{UPSTREAM}.{name}"
    for name in ("quantizer.node_finders", "quantizer.pattern_matcher", "quantizer_reporter")
]

# Upstream's module -> its names -> ours, as "module:name".
COUNTERPARTS: dict[str, dict[str, str]] = {
    "edge_compile_config": {
        "cortex_m_edge_compile_config": "cortorch.edge.compile_config:cortex_m_edge_compile_config"
    },
    "library": {},
    "library.cmsis_nn": {
        "Backend": "cortorch.target:Isa",
        "CortexM": "cortorch.target:CortexM",
    },
    "ops": {},
    "ops.operators": {},
    "passes": {
        "CortexMPass": "cortorch.edge.pass_manager:CortexMPass",
        "CortexMPassManager": "cortorch.edge.pass_manager:CortexMPassManager",
    },
    "passes.cortex_m_pass": {"CortexMPass": "cortorch.edge.pass_manager:CortexMPass"},
    "passes.cortex_m_pass_manager": {
        "CortexMPassManager": "cortorch.edge.pass_manager:CortexMPassManager"
    },
    "quantizer": {
        "INT8_PER_CHANNEL_CONFIG": "cortorch.quantization.quantization_config:INT8_PER_CHANNEL",
        "INT8_PER_TENSOR_CONFIG": "cortorch.quantization.quantization_config:INT8_PER_TENSOR",
    },
    "quantizer.quantization_configs": {
        "INT8_PER_CHANNEL_CONFIG": "cortorch.quantization.quantization_config:INT8_PER_CHANNEL",
        "INT8_PER_TENSOR_CONFIG": "cortorch.quantization.quantization_config:INT8_PER_TENSOR",
    },
    "quantizer.quantizer": {"CortexMQuantizer": "cortorch.quantization.quantizer:CortexMQuantizer"},
    "target_config": {
        "CortexM": "cortorch.target:CortexM",
        "CortexMTargetConfig": "cortorch.target:CortexMTargetConfig",
    },
    "test.tester": {
        name: f"cortorch.testing:{name}"
        for name in (
            "CortexMQuantize",
            "CortexMRunPasses",
            "CortexMSerialize",
            "CortexMTester",
            "CortexMToEdge",
            "CortexMToEdgeTransformAndLower",
            "McuTestCase",
            "cortex_m_stage_classes",
            "ramp_tensor",
        )
    },
}


class _Counterpart(Loader):
    """Makes a module whose names lead to ours, each loaded when it is first asked for."""

    def __init__(self, names: Mapping[str, Any], is_module: Callable[[str], bool]) -> None:
        self._names = names
        self._is_module = is_module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name, f"cortorch's counterpart of {spec.name}")
        vars(module)["__all__"] = sorted(self._names)
        return module

    def exec_module(self, module: ModuleType) -> None:
        def find(name: str) -> object:
            if name.startswith("__"):
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            if self._is_module(f"{module.__name__}.{name}"):
                return importlib.import_module(f"{module.__name__}.{name}")
            if name not in self._names:
                raise CompatError(_missing(f"{module.__name__}.{name}"))
            given = self._names[name]
            if isinstance(given, str):
                where, ours = given.split(":")
                given = getattr(importlib.import_module(where), ours)
            vars(module)[name] = given
            return given

        vars(module)["__getattr__"] = find


class _Finder(MetaPathFinder):
    """Answers for all of upstream: a counterpart, the module itself if neutral, or an error."""

    def __init__(self, counterparts: Mapping[str, Mapping[str, Any]]) -> None:
        self.counterparts = {f"{UPSTREAM}.{name}": names for name, names in counterparts.items()}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(f"{UPSTREAM}.") or _is_neutral(name):
            return None
        if name not in self.counterparts:
            raise CompatError(_missing(name))
        loader = _Counterpart(self.counterparts[name], self.counterparts.__contains__)
        spec = ModuleSpec(
            name, loader, is_package=any(n.startswith(f"{name}.") for n in self.counterparts)
        )
        if spec.submodule_search_locations is not None:  # neutral modules are found there
            last = name.rpartition(".")[2]
            spec.submodule_search_locations.extend(f"{folder}/{last}" for folder in path or ())
        return spec


def _missing(name: str) -> str:
    return (
        f"cortorch has no counterpart of {name}, a part of how ExecuTorch's Cortex-M backend "
        f"works inside. What has one: {', '.join(sorted(COUNTERPARTS))}."
    )


def install(counterparts: Mapping[str, Mapping[str, Any]] = COUNTERPARTS) -> None:
    """What the import of this module does; again, with other tables, it replaces the first one.

    Args:
        counterparts: upstream's module (below ``executorch.backends.cortex_m``) -> its names ->
            ``module:name`` of ours, or any object but a string.

    Raises:
        CompatError: ExecuTorch's Cortex-M backend is loaded in this process.
    """
    loaded = sorted(n for n in sys.modules if n.startswith(f"{UPSTREAM}.") and not _is_ours(n))
    if loaded:
        raise CompatError(
            f"{loaded[0]} is loaded, and a process can have only one definition of the "
            "cortex_m:: operators.\nImport cortorch.compat before anything of that backend."
        )
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, _Finder)]
    sys.meta_path.insert(0, _Finder(counterparts))


def _is_neutral(name: str) -> bool:
    """Upstream's own modules that serve as they are."""
    is_test = name == TESTS or (name.startswith(f"{TESTS}.") and name != f"{TESTS}.tester")
    return is_test or name in SHARED


def _is_ours(name: str) -> bool:
    spec = getattr(sys.modules[name], "__spec__", None)
    return _is_neutral(name) or (spec is not None and isinstance(spec.loader, _Counterpart))


install()
