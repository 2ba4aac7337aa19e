"""Test inputs of transposition."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case


def _transpose(
    shape: tuple[int, ...], perm: tuple[int, ...], dtype: torch.dtype = torch.int8
) -> Any:
    def make(g: torch.Generator) -> dict[str, Any]:
        if dtype.is_floating_point:
            data = torch.randn(shape, generator=g, dtype=dtype)
        else:  # every byte of an element matters
            octets = torch.randint(0, 256, (*shape, dtype.itemsize), generator=g, dtype=torch.uint8)
            data = octets.view(dtype).squeeze(-1)
        return {"input": data, "perm": list(perm)}

    return make


CASES = [
    Case("nchw_to_nhwc", _transpose((1, 3, 9, 7), (0, 2, 3, 1))),
    Case("nhwc_to_nchw", _transpose((1, 9, 7, 3), (0, 3, 1, 2))),
    Case("nchw_to_nhwc_batch", _transpose((3, 17, 4, 5), (0, 2, 3, 1))),
    Case("matrix", _transpose((11, 6), (1, 0))),
    Case("long_runs", _transpose((4, 5, 33), (1, 0, 2))),
    Case("short_runs", _transpose((4, 5, 3), (1, 0, 2))),
    Case("swap_ends", _transpose((4, 5, 6), (2, 1, 0))),
    Case("identity", _transpose((4, 5, 6), (0, 1, 2))),
    Case("ones", _transpose((1, 1, 1), (2, 0, 1))),
    Case("moved_ones", _transpose((5, 1, 6, 1), (3, 0, 1, 2))),
    Case("rank_1", _transpose((9,), (0,))),
    Case("rank_6_reversed", _transpose((2, 3, 4, 2, 3, 5), (5, 4, 3, 2, 1, 0))),
    Case("rank_6_mixed", _transpose((2, 3, 4, 2, 3, 5), (3, 0, 4, 1, 5, 2))),
    Case("int16", _transpose((3, 5, 7), (2, 0, 1), torch.int16)),
    Case("float32", _transpose((2, 3, 5, 7), (0, 2, 3, 1), torch.float32)),
    Case("float32_runs", _transpose((6, 5, 4), (1, 0, 2), torch.float32)),
    Case("int64", _transpose((3, 5, 7), (0, 2, 1), torch.int64)),
    Case("C1", _transpose((1, 2, 3, 1, 2, 3, 1), (0, 1, 2, 3, 4, 6, 5)), rejects="C1"),
    Case("C2", _transpose((4, 5), (1, 1)), rejects="C2"),
    Case("C3", _transpose((4, 5), (1, 0), torch.complex128), rejects="C3"),
]

BENCHMARKS = [
    Case("rgb_to_nhwc", _transpose((1, 3, 96, 96), (0, 2, 3, 1))),
    Case("heads", _transpose((1, 32, 4, 16), (0, 2, 1, 3))),
    Case("float_rgb_to_nhwc", _transpose((1, 3, 32, 32), (0, 2, 3, 1), torch.float32)),
]
