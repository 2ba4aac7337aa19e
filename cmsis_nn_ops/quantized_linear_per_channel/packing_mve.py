"""The Helium kernels of the fully connected layer: what they accept, parameters, constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F

from cmsis_nn_ops import matmul_mve as matmul
from cmsis_nn_ops.op_def import Args, Kernel
from cortorch.target import Isa

TOGETHER = 4
"""Outputs that the kernel for one row computes at the same time."""


def _rows(a: Args) -> int:
    return int(a.input.numel() // a.weight.shape[1])


def _params(a: Args) -> Mapping[str, Any]:
    return {
        "rows": _rows(a),
        "input_features": a.weight.shape[1],
        "output_features": a.weight.shape[0],
        "input_offset": a.input_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
        "rows_per_pass": matmul.rows_per_pass(_rows(a)),
        "copied_rows": matmul.copied_rows(_rows(a), a.weight.shape[1]),
    }


def _accepts(a: Args) -> bool:
    return matmul.accepts_step(a.weight.shape[0])


def _pack(a: Args) -> Mapping[str, torch.Tensor]:
    return {
        "packed_weight": matmul.pack_weights(a.weight),
        "channels": matmul.pack_channels(
            a.weight, a.bias, a.input_offset, a.requantize_multipliers, a.requantize_shifts
        ),
    }


def _scratch_bytes(a: Args) -> int:
    features = a.weight.shape[1]
    copied_rows = matmul.copied_rows(_rows(a), features)
    return matmul.sums_bytes(_rows(a)) + matmul.copied_bytes(copied_rows, features)


def _shifts(a: Args) -> torch.Tensor:
    return matmul.shifts(a.requantize_multipliers, a.requantize_shifts)


def _accepts_row(a: Args) -> bool:
    small = int(_shifts(a).max()) < 0
    return _rows(a) == 1 and a.weight.shape[0] >= TOGETHER and small


def _pack_row(a: Args) -> Mapping[str, torch.Tensor]:
    """Fours of outputs, the first two of which may overlap."""
    outputs, features = a.weight.shape
    first = (torch.arange(0, outputs, TOGETHER) - -outputs % TOGETHER).clamp(min=0)
    fours = first.unsqueeze(1) + torch.arange(TOGETHER)
    chunks = matmul.chunks(features)
    weight = F.pad(a.weight, (0, chunks * matmul.CHUNK_BYTES - features))[fours]
    weight = weight.reshape(-1, TOGETHER, chunks, matmul.CHUNK_BYTES).transpose(1, 2)
    bias = matmul.fold_offset(a.weight, a.bias, a.input_offset)
    shift = _shifts(a).to(torch.int8)[fours].view(torch.int32)
    return {
        "packed_weight": weight.contiguous(),
        "channels": torch.cat([bias[fours], a.requantize_multipliers[fours], shift], dim=1),
    }


def _row_scratch_bytes(a: Args) -> int:
    features = int(a.weight.shape[1])
    whole = matmul.chunks(features) * matmul.CHUNK_BYTES
    return whole if whole != features else 0


_OPERANDS = ("input", "packed_weight", "channels", "out", "scratch")

MVE = (
    Kernel(
        "ct_quantized_linear_per_channel_row_mve",
        operands=_OPERANDS,
        isa=Isa.MVE,
        accepts=_accepts_row,
        params=_params,
        pack=_pack_row,
        scratch_bytes=_row_scratch_bytes,
    ),
    Kernel(
        "ct_quantized_linear_per_channel_mve",
        operands=_OPERANDS,
        isa=Isa.MVE,
        accepts=_accepts,
        params=_params,
        pack=_pack,
        scratch_bytes=_scratch_bytes,
    ),
)
