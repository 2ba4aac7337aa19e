"""Numbers as operands (``x + 1.5``) become constants, which quantize like any tensor.

They stay numbers where an operator takes them as such, into a table for example.
"""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import add_constant, calls, name_of, tensor_of
from cortorch.quantization.patterns import accepting, patterns_for


def run(module: GraphModule) -> None:
    inputs = module.graph.find_nodes(op="placeholder")
    # ExecuTorch cannot make the constants itself if an input of the program is a number.
    all_constant = any(tensor_of(node) is None for node in inputs)
    for node in calls(module):
        value = tensor_of(node)
        if value is None or value.dtype != torch.float32:
            continue
        _make_float(node)
        if all_constant or accepting(module, node)[0] is None:
            for name in _number_operands(node):
                _lift(module, node, name)


def _make_float(node: Node) -> None:
    """``x / 2`` is ``x / 2.0``, without a conversion of the 2 at run time."""
    arguments = getattr(getattr(node.target, "_schema", None), "arguments", ())
    for i, (given, argument) in enumerate(zip(node.args, arguments, strict=False)):
        if type(given) is int and str(argument.type) == "Tensor":
            node.update_arg(i, float(given))


def _number_operands(node: Node) -> set[str]:
    a = bound(node)
    names = {name for _, p in patterns_for(name_of(node)) for name in p.activations}
    return {n for n in names if isinstance(a.get(n), (int, float)) and not isinstance(a[n], bool)}


def _lift(module: GraphModule, node: Node, name: str) -> None:
    arguments = node.target._schema.arguments
    index = next(i for i, argument in enumerate(arguments) if argument.name == name)
    number = float(node.args[index])
    constant = add_constant(module, f"{node.name}_{name}", torch.tensor(number), node)
    node.update_arg(index, constant)
