"""Where the C sources and the boards are: in the checkout, or in the installed package."""

from importlib import resources
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def repo_root() -> Path:
    """Folder that holds CMakeLists.txt, firmware/ and boards/."""
    checkout = _PACKAGE.parent.parent
    if _PACKAGE.parent.name == "pytools" and (checkout / "CMakeLists.txt").is_file():
        return checkout
    return _PACKAGE / "_data"


def cmake_dir() -> Path:
    return repo_root()


def firmware_dir() -> Path:
    return repo_root() / "firmware"


def boards_dir() -> Path:
    return repo_root() / "boards"


def ops_dir() -> Path:
    """Folder of the package cmsis_nn_ops, C sources included; it need not be next to firmware/."""
    return Path(str(resources.files("cmsis_nn_ops")))
