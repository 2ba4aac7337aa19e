"""ATen operators that rearrange or rename values and compute nothing.

Input and output share scale and zero point, whatever those are. What needs a kernel to move data
(slice, pad, cat, ...) is an operator with a ``Pattern`` instead; a ``Pattern`` has precedence.
"""

from __future__ import annotations

from torch.fx import Node

from cortorch.edge.graph import overload_name

_CAPTURED = """
alias.default clone.default contiguous.default detach.default dropout.default expand.default
expand_as.default flatten.using_ints lift_fresh_copy.default mT.default movedim.int movedim.intlist
numpy_T.default permute.default reshape.default reshape_as.default squeeze.default squeeze.dim
squeeze.dims swapaxes.default swapdims.default t.default transpose.int unflatten.int
unsqueeze.default view.default view_as.default _unsafe_view.default
"""
_EDGE = """
alias_copy.default expand_copy.default permute_copy.default squeeze_copy.default squeeze_copy.dim
squeeze_copy.dims t_copy.default transpose_copy.int unsqueeze_copy.default view_copy.default
"""
_NAMES = {f"aten.{name}" for name in (_CAPTURED + _EDGE).split()} | {
    "dim_order_ops._clone_dim_order.default",
    "dim_order_ops._to_dim_order_copy.default",
}


def is_layout(node: Node) -> bool:
    """True for a call that only rearranges its first argument, and keeps its dtype."""
    if node.op != "call_function" or overload_name(node) not in _NAMES:
        return False
    source = node.args[0]
    return isinstance(source, Node) and _dtype(source) == _dtype(node) is not None


def _dtype(node: Node) -> object:
    return getattr(node.meta.get("val"), "dtype", None)
