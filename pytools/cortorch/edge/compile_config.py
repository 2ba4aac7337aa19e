"""The ``to_edge`` configuration that the passes expect."""

from __future__ import annotations

from functools import cache

import torch
from executorch.exir import EdgeCompileConfig

from cmsis_nn_ops import operators


@cache
def _preserved() -> tuple[torch._ops.OpOverload, ...]:
    """Every ATen operator that a lowering rewrites and that ``to_edge`` would otherwise take
    apart."""
    found = []
    for op in operators().values():
        for target in op.preserve:
            namespace, packet, overload = target.split(".")
            found.append(getattr(getattr(getattr(torch.ops, namespace), packet), overload))
    return tuple(found)


def cortex_m_edge_compile_config() -> EdgeCompileConfig:
    """For ``to_edge`` and ``to_edge_transform_and_lower``.

    ATen operators that the dialect has whole stay whole. The edge verifier is off: it knows no int8
    ATen graph, which is what the program is between two of our passes; the passes have a checker of
    their own.
    """
    return EdgeCompileConfig(preserve_ops=list(_preserved()), _check_ir_validity=False)
