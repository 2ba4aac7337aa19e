"""ExecuTorch's own Cortex-M backend: same operators, so the two never share a process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from cortorch.errors import CompatError

UPSTREAM = "executorch.backends.cortex_m"
_DIALECT = f"{UPSTREAM}.ops.operators"


class _Refusal(MetaPathFinder):
    """Stops the import of upstream's dialect. ``cortorch.compat`` is asked before."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == _DIALECT:
            raise _error("cannot be imported: cortorch is loaded in this process")
        return None


def refuse_upstream() -> None:
    """From now on upstream's dialect cannot be loaded.

    Raises:
        CompatError: it is loaded already.
    """
    if _DIALECT in sys.modules:
        raise _error("is loaded in this process")
    sys.meta_path.insert(0, _Refusal())


def _error(what: str) -> CompatError:
    return CompatError(
        f"{_DIALECT} {what}, and both define the cortex_m:: operators.\n"
        "Import cortorch.compat before anything else, which serves those import paths itself."
    )
