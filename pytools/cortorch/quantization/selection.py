"""Which configuration applies to which node."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from torch.fx import Node

from cortorch.edge.graph import overload_name
from cortorch.quantization.quantization_config import INT8_PER_CHANNEL, QuantizationConfig

Choice = QuantizationConfig | None
"""None: leave in float."""


@dataclass
class Selection:
    """The most specific choice wins: module name, operator, module type, then the global one.

    Of several module names the longest applies, of nested module types the innermost.
    """

    default: Choice = INT8_PER_CHANNEL
    modules: dict[str, Choice] = field(default_factory=dict)
    operators: dict[str, Choice] = field(default_factory=dict)
    types: dict[str, Choice] = field(default_factory=dict)
    io: Choice = INT8_PER_CHANNEL
    io_is_set: bool = False

    def choices(self) -> list[Choice]:
        named = (self.modules, self.operators, self.types)
        return [self.default, self.io, *(c for d in named for c in d.values())]

    def choice(self, node: Node) -> tuple[Choice, str]:
        """The configuration and the rule that gave it."""
        if self.io_is_set and self.io is None and _touches_boundary(node):
            return None, "set_io(None)"
        path = module_path(node)
        for name in sorted(self.modules, key=len, reverse=True):
            if path == name or path.startswith(f"{name}."):
                return self.modules[name], f"set_module_name({name!r})"
        overload = overload_name(node)
        for name in (overload, overload.rsplit(".", 1)[0]):
            if name in self.operators:
                return self.operators[name], f"set_operator_type({name!r})"
        for kind in reversed(module_types(node)):
            if kind in self.types:
                return self.types[kind], f"set_module_type({kind})"
        return self.default, "set_global"

    def is_qat(self) -> bool:
        return any(c is not None and c.qat for c in self.choices())


def module_path(node: Node) -> str:
    """Name of the innermost module that made the call, as in ``named_modules()``."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    # A module that is called again gets the suffix @1, @2, ...
    return re.sub(r"@\d+", "", stack[-1][0]) if stack else ""


def module_types(node: Node) -> list[str]:
    """Qualified class names of the modules around the call, the outermost first."""
    stack = (node.meta.get("nn_module_stack") or {}).values()
    return [type_name(kind) for _, kind in stack]


def type_name(kind: Any) -> str:
    return kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"


def operator_name(operator: Any) -> str:
    """``aten.add`` or ``aten.add.Tensor`` from a name, an overload or an overload packet."""
    if isinstance(operator, str):
        return operator.replace("::", ".")
    return str(operator)


def _touches_boundary(node: Node) -> bool:
    return any(n.op == "placeholder" for n in node.all_input_nodes) or any(
        n.op == "output" for n in node.users
    )
