"""Where the C sources and the boards are: in the checkout, or in the installed package."""

import os
from importlib.util import find_spec
from pathlib import Path

from cortorch.errors import ToolError

_PACKAGE = Path(__file__).resolve().parent


def repo_root() -> Path:
    """Folder that holds CMakeLists.txt, firmware/ and boards/."""
    checkout = _PACKAGE.parent.parent
    if _PACKAGE.parent.name == "pytools" and (checkout / "CMakeLists.txt").is_file():
        return checkout
    return _PACKAGE / "_data"


def cache_dir() -> Path:
    """Where what serves all programs is built: in the checkout, or in the user's cache."""
    root = repo_root()
    if root.name != "_data":
        return root / "build" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cortorch"


def cmake_dir() -> Path:
    return repo_root()


def firmware_dir() -> Path:
    return repo_root() / "firmware"


def boards_dir() -> Path:
    return repo_root() / "boards"


def ops_dir() -> Path:
    """Folder of the package cmsis_nn_ops, C sources included; it need not be next to firmware/."""
    spec = find_spec("cmsis_nn_ops")  # does not import it: that would load torch
    if spec is None or spec.origin is None:
        raise ToolError("the package cmsis_nn_ops is not installed; try: pip install cortorch")
    return Path(spec.origin).parent
