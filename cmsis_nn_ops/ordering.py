"""Dtypes whose numbers the C support layer can put in order; the twin of ``support/ct_key.h``."""

from __future__ import annotations

import torch

KINDS = {
    torch.int8: 0,
    torch.uint8: 1,
    torch.bool: 1,
    torch.int32: 2,
    torch.int64: 3,
    torch.float32: 4,
}
"""``ct_key_kind`` by dtype."""
