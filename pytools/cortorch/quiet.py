"""Keeps the terminal free of what others say of themselves."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

# They warn of GPU parts and of names that they have renamed, at every start and to everybody.
_TALKATIVE = ("torchao", "torch.utils._pytree")


@contextmanager
def quiet_imports() -> Iterator[None]:
    """Lets only errors through; afterwards the loggers are as they were."""
    loggers = [logging.getLogger(name) for name in _TALKATIVE]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def quiet_copies() -> Iterator[None]:
    """While graphs are copied: torch warns of a deprecated class that its own pickling uses."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"`isinstance\(treespec, LeafSpec\)`", FutureWarning)
        yield
