"""NaN and infinity are errors that name their place, before they poison a scale."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule
from torch.utils._pytree import tree_leaves

from cortorch.errors import QuantizationError
from cortorch.quantization.annotation_step import Step
from cortorch.quantization.captured import constant_data
from cortorch.quantization.quantization_report import describe


def check_finite(value: Any, place: str = "the inputs") -> None:
    """Checks the parameters of a module, or the tensors of a sample (any structure).

    Raises:
        QuantizationError: with the name of the parameter, or ``place`` and the number of the input.
    """
    if isinstance(value, torch.nn.Module):
        for name, parameter in value.named_parameters():
            if problem := _problem(parameter):
                raise QuantizationError(
                    f"parameter {name!r} has {problem}: training diverged, or the file is damaged."
                )
        return
    for number, leaf in enumerate(tree_leaves(value)):
        if problem := _problem(leaf):
            raise QuantizationError(f"{place}, input {number}, has {problem}. Leave it out.")


def require_finite(module: GraphModule, step: Step) -> None:
    """Checks the constants of one step."""
    parameters = [p for p in (step.weight, step.bias) if p is not None]
    for node in [*parameters, *step.activations]:
        data = constant_data(module, node)
        if problem := _problem(data):
            raise QuantizationError(
                f"constant {str(node.target)!r} of {describe(step.node)} has {problem}. Repair it, "
                "or leave this call in float."
            )


def _problem(value: Any) -> str | None:
    """``3 NaN and 1 infinite values``, or None."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return None
    value = value.detach()
    counts = {"NaN": int(value.isnan().sum()), "infinite": int(value.isinf().sum())}
    found = [f"{count} {kind}" for kind, count in counts.items() if count]
    return f"{' and '.join(found)} values" if found else None
