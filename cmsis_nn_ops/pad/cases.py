"""Test inputs of padding."""

from __future__ import annotations

from typing import Any

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _pad(
    shape: tuple[int, ...],
    pre: tuple[int, ...] = (0, 0, 0, 0),
    post: tuple[int, ...] = (0, 0, 0, 0),
    pad_value: int = -11,
    **overrides: Any,
) -> Any:
    return lambda g: {
        "input": int8(g, shape),
        "pre_pad": list(pre),
        "post_pad": list(post),
        "pad_value": pad_value,
        **overrides,
    }


CASES = [
    Case("image_nhwc", _pad((1, 7, 5, 3), (0, 1, 2, 0), (0, 3, 1, 0))),
    Case("image_nchw", _pad((2, 3, 7, 5), (0, 0, 1, 2), (0, 0, 3, 1), 127)),
    Case("channels", _pad((2, 3, 4, 5), (0, 0, 0, 1), (0, 0, 0, 2), -128)),
    Case("every_axis", _pad((2, 3, 4, 5), (1, 2, 3, 4), (4, 3, 2, 1), 0)),
    Case("batch", _pad((2, 3, 4, 5), (1, 0, 0, 0), (2, 0, 0, 0))),
    Case("nothing", _pad((2, 3, 4, 5))),
    Case("rank_3", _pad((4, 5, 6), (0, 0, 2, 1), (0, 1, 0, 3))),
    Case("rank_2", _pad((5, 6), (0, 0, 0, 1), (0, 0, 2, 0))),
    Case("rank_1", _pad((6,), (0, 0, 0, 3), (0, 0, 0, 2))),
    Case("crop", _pad((2, 6, 7, 3), (0, -1, -2, 0), (0, -3, -4, -2))),
    Case("crop_and_pad", _pad((2, 6, 7, 3), (0, -1, 2, 0), (-1, 3, -4, 1))),
    Case("C1", _pad((1, 2, 3, 4, 5)), rejects="C1"),
    Case("C2", _pad((4, 5, 6), (1, 0, 0, 0)), rejects="C2"),
    Case("C3", _pad((4, 5, 6), (0, -2, 0, 0), (0, -2, 0, 0)), rejects="C3"),
    Case("C4", _pad((4, 5, 6), pad_value=128), rejects="C4"),
]

BENCHMARKS = [
    Case("image_by_1", _pad((1, 48, 48, 16), (0, 1, 1, 0), (0, 1, 1, 0))),
]
