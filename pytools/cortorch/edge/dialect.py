"""Registers every operator of ``cmsis_nn_ops`` with PyTorch as ``cortex_m::<op>``.

Importing this module is enough. Each operator gets its functional and its ``.out`` overload
(ExecuTorch calls the latter), the reference as implementation, and a fake for tracing.
"""

from __future__ import annotations

from typing import Any

import torch
from executorch.exir.dialects._ops import ops as exir_ops

from cmsis_nn_ops import OpDef, operators
from cmsis_nn_ops.op_def import NAMESPACE
from cortorch.upstream import refuse_upstream

refuse_upstream()

_library = torch.library.Library(NAMESPACE, "DEF")


def _register(op: OpDef) -> None:
    def implementation(*values: Any) -> torch.Tensor:
        return op.reference(op.bind(values)).contiguous()

    def out_implementation(*values: Any, out: torch.Tensor) -> torch.Tensor:
        return out.copy_(implementation(*values))

    def fake(*values: Any) -> torch.Tensor:
        return op.fake(op.bind(values))

    _library.define(op.name + op.schema)
    _library.define(f"{op.name}.out{op.out_schema}")
    _library.impl(op.name, implementation, "CompositeExplicitAutograd")
    _library.impl(f"{op.name}.out", out_implementation, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{op.name}", fake, lib=_library)


for _op in operators().values():
    _register(_op)


def overload(name: str) -> torch._ops.OpOverload:
    """``torch.ops.cortex_m.<name>.default``."""
    return getattr(getattr(torch.ops, NAMESPACE), name).default


def edge_overload(name: str) -> Any:
    """The same operator in ExecuTorch's edge dialect."""
    return getattr(getattr(exir_ops.edge, NAMESPACE), name).default


def edge_aten(name: str) -> Any:
    """Edge-dialect overload of an ATen operator, from ``permute_copy.default``."""
    packet, overload_name = name.split(".")
    return getattr(getattr(exir_ops.edge.aten, packet), overload_name)


def operator_of(target: Any) -> OpDef | None:
    """The operator behind a node's target, or None for anything outside the dialect."""
    schema = getattr(target, "_schema", None)
    if schema is None or not schema.name.startswith(f"{NAMESPACE}::"):
        return None
    return operators().get(schema.name.split("::")[1])
