"""From weights and calibrated ranges to the integers of the kernel."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Lowering, Pattern
from cmsis_nn_ops.quantized_recurrent_layer.arithmetic import (
    ACTIVATION_BITS,
    CELL_BITS,
    GATE_BITS,
    OUTPUT_BITS,
    RELU,
    sigmoid_table,
)

NAME = "quantized_recurrent_layer"
LAYER = "cortorch.recurrent_layer.default"
CELL = "cortorch.recurrent_cell_state.default"
"""Where a rewrite of captured graphs has found recurrent layers, one direction at a time."""

PARAMETERS = ("input_weight", "state_weight", "input_bias", "state_bias")
LARGEST_FACTOR = 2.0**15 - 1


def largest_part(weight: Tensor, constants: Tensor) -> float:
    """Greatest part of a gate, and greatest sum on the way, of any int8 input."""
    bias, multiplier, shift = constants.double().unbind(1)
    sums = 128 * weight.double().abs().sum(1) + bias.abs()
    shifted = sums * 2.0 ** shift.clamp(min=0)
    if float(shifted.max()) >= 2.0**31:
        return float(shifted.max())
    return float((sums * multiplier * 2.0 ** (shift - 31)).max())


def _constants(
    weight: Tensor, bias: Tensor | None, zero_point: int, scale: float, gate_step: float
) -> tuple[Tensor, Tensor]:
    """int8 weights of one scale a row, and (bias, multiplier, shift) of each.

    ``scale`` is that of what the weights multiply. Rows of a large bias have coarser weights, so
    that it fits 30 bits.
    """
    weight = weight.double()
    real = torch.zeros(len(weight)).double() if bias is None else bias.double()
    unit = torch.maximum(weight.abs().amax(1) / 127, real.abs() / scale / 2.0**29)
    unit = unit.clamp(min=2.0**-60)
    rows = (weight / unit.unsqueeze(1)).round().to(torch.int8)
    sums = (real / (unit * scale)).round() - zero_point * rows.double().sum(1)
    pairs = [fp.quantize_multiplier(float(u) * scale / gate_step) for u in unit]
    columns = [sums.to(torch.int64), *map(torch.tensor, zip(*pairs, strict=True))]
    return rows, torch.stack(columns, 1).to(torch.int32)


def _quantization(name: str, params: Any, factor: float) -> dict[str, int]:
    """``factor`` takes the int8 value to its new steps, or from its old ones."""
    multiplier, shift = fp.quantize_multiplier(min(factor, LARGEST_FACTOR))
    return {
        f"{name}_zero_point": params.zero_point,
        f"{name}_multiplier": multiplier,
        f"{name}_shift": shift,
    }


def _given(ctx: Any, name: str, step: float) -> dict[str, Any]:
    """An initial state and how it becomes one in such steps."""
    node = getattr(ctx.args, name)
    if node is None:
        return {name: None, **dict.fromkeys((f"{name}_{p}" for p in _PARTS), 0)}
    params = ctx.quant(name)
    return {name: node, **_quantization(name, params, float(params.scale) / step)}


_PARTS = ("zero_point", "multiplier", "shift")


def _lower(ctx: Any, hidden: Any, values: Any, output_step: float) -> torch.fx.Node:
    """``hidden``: parameters of the hidden states; ``output_step``: of what becomes the output."""
    a = ctx.args
    gate_step = 2.0**-GATE_BITS if a.kind != RELU else output_step
    source = ctx.quant("input")
    weights = {}
    for name, params in (("input", source), ("state", hidden)):
        weight, bias = (_data(ctx, f"{name}_{part}") for part in ("weight", "bias"))
        if weight is None:
            ctx.reject(f"{name}_weight is computed at run time")
        rows, constants = _constants(
            weight, bias, params.zero_point, float(params.scale), gate_step
        )
        weights[f"{name}_weight"] = ctx.constant(f"{name}_weight", rows)
        weights[f"{name}_constants"] = ctx.constant(f"{name}_constants", constants)
    result: torch.fx.Node = ctx.call(
        NAME,
        input=a.input,
        hidden=values,
        kind=a.kind,
        is_backward=a.is_backward,
        sigmoid=ctx.constant("sigmoid", sigmoid_table()),
        **weights,
        **_given(ctx, "state", float(hidden.scale)),
        **_given(ctx, "cell", 2.0**-CELL_BITS),
        **_quantization("hidden", hidden, float(hidden.scale) * 2.0**ACTIVATION_BITS),
        **_quantization("output", ctx.out, output_step / float(ctx.out.scale)),
    )
    return result


def _data(ctx: Any, name: str) -> Tensor | None:
    node = getattr(ctx.args, name)
    return None if node is None else ctx.constant_data(node)


def _lower_layer(ctx: Any) -> torch.fx.Node:
    bits = OUTPUT_BITS.get(ctx.args.kind)
    step = float(ctx.out.scale) * 2.0**-8 if bits is None else 2.0**-bits
    return _lower(ctx, ctx.out, None, step)


def _lower_cell(ctx: Any) -> torch.fx.Node:
    return _lower(ctx, ctx.quant("hidden"), ctx.args.hidden, 2.0**-CELL_BITS)


PATTERNS = (
    Pattern(targets=(LAYER,), activations=("input", "state", "cell"), parameters=PARAMETERS),
    Pattern(
        targets=(CELL,), activations=("input", "state", "cell", "hidden"), parameters=PARAMETERS
    ),
)
LOWERINGS = (
    Lowering(targets=(LAYER,), rewrite=_lower_layer),
    Lowering(targets=(CELL,), rewrite=_lower_cell),
)
