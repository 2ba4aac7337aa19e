"""Constants of ``support/ct_matmul_mve.h``: weights and channels, packed for pairs of channels."""

from __future__ import annotations

import torch
import torch.nn.functional as F

CHUNK_BYTES = 16
"""Bytes of a vector."""
MOST_ROWS = 132
"""Of a pass; a matter of scratch."""
WHOLE_ROWS = 12
"""Rows are multiplied by threes, and requantized by fours."""


def chunks(features: int) -> int:
    """Vectors that a row of so many int8 fills; the last one may be filled up with zero weights."""
    return -(-features // CHUNK_BYTES)


def accepts_step(output_step: int) -> bool:
    """Whether outputs that many bytes apart are in reach."""
    return 3 * output_step < 65535


def rows_per_pass(rows: int) -> int:
    """How many rows are computed together; all passes have about the same number."""
    passes = -(-rows // MOST_ROWS)
    whole = -(-rows // (passes * WHOLE_ROWS)) * WHOLE_ROWS
    return min(rows, whole)


def sums_bytes(rows: int) -> int:
    """``CT_MATMUL_SUMS_BYTES`` of one pass."""
    return -(-8 * (rows_per_pass(rows) + 3) // CHUNK_BYTES) * CHUNK_BYTES


def copied_rows(rows: int, features: int) -> int:
    """Last rows of a dense array [rows, features] that whole vectors would reach beyond."""
    beyond = -features % CHUNK_BYTES
    return min(-(-beyond // features), rows)


def copied_bytes(rows: int, row_bytes: int) -> int:
    """Scratch for so many rows that are copied, to be read in whole vectors."""
    return rows * row_bytes + CHUNK_BYTES if rows else 0


def pack_weights(weight: torch.Tensor) -> torch.Tensor:
    """int8 [channels, features] -> [pairs, chunks, 2, 16]."""
    count = chunks(weight.shape[1])
    padded = F.pad(weight, (0, count * CHUNK_BYTES - weight.shape[1]))
    pairs = padded[_pairs(weight.shape[0])]
    return pairs.reshape(-1, 2, count, CHUNK_BYTES).transpose(1, 2).contiguous()


def pack_channels(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    input_offset: int,
    multiplier: torch.Tensor,
    shift: torch.Tensor,
) -> torch.Tensor:
    """``ct_matmul_pair`` of every pair, as int32 words; bias includes the input offset."""
    folded = fold_offset(weight, bias, input_offset)
    shift = shifts(multiplier, shift)
    pairs = _pairs(weight.shape[0])
    last = torch.zeros((len(pairs), 4), dtype=torch.int8)
    last[:, :2] = shift[pairs]
    last[:, 2] = shift[pairs].amax(dim=1) >= 0
    return torch.cat([folded[pairs], multiplier[pairs], last.view(torch.int32)], dim=1)


def fold_offset(weight: torch.Tensor, bias: torch.Tensor | None, input_offset: int) -> torch.Tensor:
    """int32 ``bias + input_offset * sum(weight)`` of each row of a weight [channels, features].

    It may wrap where the whole sum does not; the kernels' adders wrap as well.
    """
    folded = weight.to(torch.int64).sum(dim=1) * input_offset
    if bias is not None:
        folded = folded + bias
    return folded.to(torch.int32)


def shifts(multiplier: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    """Shifts of the factors; negative, the fast way, where a factor is 0 and any will do."""
    return torch.where(multiplier == 0, torch.full_like(shift, -1), shift)


def _pairs(channels: int) -> torch.Tensor:
    """Indices [pairs, 2]. The last pair of an odd number overlaps the one before."""
    first = torch.arange(0, channels, 2).clamp(max=max(channels - 2, 0))
    return torch.stack([first, (first + 1).clamp(max=channels - 1)], dim=1)
