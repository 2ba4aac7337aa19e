"""Makes torchvision and torchaudio importable next to a PyTorch that they were not built for.

Their wheels are linked with CUDA or with an older PyTorch. The suites need none of their compiled
parts, but their imports fail without.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import torch

_vision = torch.library.Library("torchvision", "FRAGMENT")


def prepare() -> None:
    if find_spec("torchvision") is not None:
        _prepare_torchvision()
    if find_spec("torchaudio") is not None:
        _prepare_torchaudio()


def _prepare_torchvision() -> None:
    try:
        from torchvision.models import _api
    except RuntimeError:  # it describes two operators that only its compiled part defines
        for name in ("nms", "qnms"):
            _vision.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        from torchvision.models import _api
    _api.WeightsEnum.get_state_dict = _weights


def _weights(kind: Any, *args: Any, **kwargs: Any) -> Any:
    """Trained weights come from the net; out of its reach, those of a new model serve."""
    from torchvision import models

    try:
        return torch.hub.load_state_dict_from_url(kind.url, *args, **kwargs)
    except OSError:
        names = [n for n in models.list_models() if models.get_model_weights(n) is type(kind)]
        torch.manual_seed(0)
        return models.get_model(names[0], weights=None).state_dict()


def _prepare_torchaudio() -> None:
    """Without its ``__init__``, which loads the compiled part; ``torchaudio.models`` is Python."""
    try:
        import torchaudio  # noqa: F401
    except OSError:
        spec = find_spec("torchaudio")
        assert spec is not None
        package = ModuleType("torchaudio")
        package.__path__ = list(spec.submodule_search_locations or ())
        sys.modules["torchaudio"] = package
