"""The fully connected layer's kernel for the DSP extension."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from cmsis_nn_ops import matmul_dsp
from cmsis_nn_ops.op_def import Args, Kernel
from cortorch.target import Isa


def _rows(a: Args) -> int:
    return int(a.input.numel() // a.weight.shape[1])


def _channels(a: Args) -> matmul_dsp.Channels:
    return matmul_dsp.channels(
        a.weight,
        a.bias,
        a.input_offset,
        a.requantize_multipliers,
        a.requantize_shifts,
        a.output_offset,
    )


def _params(a: Args) -> Mapping[str, Any]:
    return {
        "rows": _rows(a),
        "input_features": a.weight.shape[1],
        "output_features": a.weight.shape[0],
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


def _scratch_bytes(a: Args) -> int:
    together = matmul_dsp.ROWS if _rows(a) >= matmul_dsp.ROWS else 1
    return together * matmul_dsp.wide_bytes(a.weight.shape[1])


def _pack_plain(a: Args) -> Mapping[str, torch.Tensor]:
    return matmul_dsp.pack_plain(a.weight, a.bias, a.input_offset)


DSP = (
    Kernel(
        "ct_quantized_linear_per_channel_dsp",
        operands=("input", "filters", "out", "scratch"),
        isa=Isa.DSP,
        accepts=lambda a: matmul_dsp.accepts(_channels(a)),
        params=_params,
        pack=lambda a: {"filters": matmul_dsp.pack(_channels(a))},
        scratch_bytes=_scratch_bytes,
    ),
    Kernel(
        "ct_quantized_linear_per_channel_plain_dsp",
        operands=("input", *matmul_dsp.PLAIN_OPERANDS, "out", "scratch"),
        isa=Isa.DSP,
        params=_params,
        pack=_pack_plain,
        scratch_bytes=_scratch_bytes,
    ),
)
