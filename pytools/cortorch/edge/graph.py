"""Editing an ExportedProgram: constants, new nodes with their meta, and sweeping what nobody
uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from executorch.backends.transforms.utils import (
    create_constant_placeholder,
    delete_constant_placeholder,
    get_param_tensor,
    is_param_node,
)
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from cortorch.edge import names
from cortorch.edge.dialect import edge_aten


def calls(ep: ExportedProgram, name: str | None = None) -> Iterator[Node]:
    """The call nodes of the graph (of one overload, such as ``permute_copy.default``), as a list
    that edits may change."""
    for node in list(ep.graph.nodes):
        if node.op == "call_function" and (name is None or overload_name(node) == name):
            yield node


def overload_name(node: Node) -> str:
    """``aten.convolution.default`` for a node of either dialect; the function's name for other
    targets."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return getattr(node.target, "__name__", str(node.target))
    return f"{schema.name.replace('::', '.')}.{schema.overload_name or 'default'}"


def shape_of(node: Node) -> tuple[int, ...]:
    """Shape of a node's (first) tensor."""
    value = node.meta["val"]
    return tuple(int(s) for s in (value[0] if isinstance(value, (tuple, list)) else value).shape)


_ADDED = "ct_constant"
"""Key that marks what ``add_constant`` made."""
_DATA = "ct_data"
"""Key of a placeholder's data (None for inputs), looked up once: the signature is a list."""


def is_constant(ep: ExportedProgram, node: Node) -> bool:
    """A parameter, a buffer that nothing mutates, or a lifted constant."""
    return constant_data(ep, node) is not None


def constant_data(ep: ExportedProgram, node: Node) -> torch.Tensor | None:
    """The data behind a constant; None for anything computed."""
    if node.op != "placeholder":
        return None
    if _DATA not in node.meta:
        node.meta[_DATA] = _look_up(ep, node)
    data: torch.Tensor | None = node.meta[_DATA]
    return data


def _look_up(ep: ExportedProgram, node: Node) -> torch.Tensor | None:
    mutated = ep.graph_signature.buffers_to_mutate.values()
    is_state = ep.graph_signature.inputs_to_buffers.get(node.name) in mutated
    if is_state or not is_param_node(ep, node):
        return None
    data = get_param_tensor(ep, node)
    return None if data is None else data.detach()


def add_constant(ep: ExportedProgram, hint: str, data: torch.Tensor) -> Node:
    """A placeholder for ``data``; equal data gets one placeholder."""
    # Not contiguous(): it keeps odd strides of dimensions of size 1, which ExecuTorch refuses.
    data = data.detach().clone(memory_format=torch.contiguous_format)
    placeholders = [n for n in ep.graph.nodes if n.op == "placeholder"]
    for node in placeholders:
        known = node.meta[_DATA] if node.meta.get(_ADDED) else None
        if known is not None and known.dtype == data.dtype and torch.equal(known, data):
            return node
    name, number = f"c_{hint}", 0
    taken = {n.name for n in ep.graph.nodes}
    while (unique := name if number == 0 else f"{name}_{number}") in taken:
        number += 1
    with ep.graph.inserting_before(placeholders[0] if placeholders else next(iter(ep.graph.nodes))):
        node = create_constant_placeholder(
            ep, ep.graph, name=unique, kind=InputKind.BUFFER, data=data, persistent_buffer=True
        )
    node.meta.update({_DATA: data, _ADDED: True})
    return node


def fake_like(node: Node, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """A contiguous fake tensor in the mode of the graph that ``node`` belongs to."""
    for other in node.graph.nodes:
        value = other.meta.get("val")
        if isinstance(value, torch.Tensor) and hasattr(value, "fake_mode"):
            with value.fake_mode:
                return torch.empty(tuple(shape), dtype=dtype)
    return torch.empty(tuple(shape), dtype=dtype, device="meta")


def insert(
    before: Node, target: Any, args: tuple[Any, ...], value: torch.Tensor, origin: Node
) -> Node:
    """A call in front of ``before``, with ``value`` as meta and the source trace of ``origin``."""
    with before.graph.inserting_before(before):
        node = before.graph.call_function(target, args)
    node.meta = {k: origin.meta[k] for k in ("stack_trace", "nn_module_stack") if k in origin.meta}
    node.meta["val"] = value
    node.meta[names.ORIGIN] = names.origin_of(origin)
    return node


def permute(before: Node, source: Node, perm: Sequence[int], origin: Node | None = None) -> Node:
    """``aten.permute_copy(source, perm)``; the source itself if nothing moves."""
    if list(perm) == list(range(len(perm))):
        return source
    shape = shape_of(source)
    value = fake_like(source, [shape[p] for p in perm], source.meta["val"].dtype)
    return insert(
        before, edge_aten("permute_copy.default"), (source, list(perm)), value, origin or before
    )


def view(before: Node, source: Node, shape: Sequence[int], origin: Node | None = None) -> Node:
    """``aten.view_copy(source, shape)``; the source itself if it has that shape."""
    if tuple(shape) == shape_of(source):
        return source
    value = fake_like(source, shape, source.meta["val"].dtype)
    return insert(
        before, edge_aten("view_copy.default"), (source, list(shape)), value, origin or before
    )


def replace(node: Node, new: Node) -> None:
    """All users of ``node`` use ``new``; ``node`` goes if nothing else holds it."""
    node.replace_all_uses_with(new)
    if not node.users:
        node.graph.erase_node(node)


def drop_unused_calls(ep: ExportedProgram) -> None:
    """The cheap part of ``sweep``, for between two edits."""
    ep.graph.eliminate_dead_code(is_impure_node=lambda n: n.op in ("placeholder", "output"))


def sweep(ep: ExportedProgram) -> None:
    """Removes calls and constants that nobody uses."""
    drop_unused_calls(ep)
    for node in [n for n in ep.graph.nodes if n.op == "placeholder"]:
        if not node.users and is_constant(ep, node):
            delete_constant_placeholder(ep, node)
    _name_outputs(ep)
    ep.graph_module.recompile()


def _name_outputs(ep: ExportedProgram) -> None:
    """The signature follows the nodes that the output node returns."""
    results = next(n for n in ep.graph.nodes if n.op == "output").args[0]
    specs = ep.graph_signature.output_specs
    for result, spec in zip(results, specs, strict=True):
        if isinstance(result, Node):
            spec.arg.name = result.name


Pass = Callable[[ExportedProgram], None]
"""A pass edits the program in place."""
