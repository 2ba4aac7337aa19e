"""The library that registers the dialect's operators with the ExecuTorch runtime of the wheel.

Built at first use with CMake, in C++; its table of operators is generated from their schemas.
"""

from __future__ import annotations

import ctypes
import hashlib
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from cmsis_nn_ops import Declaration, foreign, operators
from cmsis_nn_ops.op_def import NAMESPACE
from cortorch.errors import BuildError, ToolError
from cortorch.files import write_if_changed
from cortorch.forms.signature import Kind
from cortorch.images import generated, toolchain
from cortorch.paths import cache_dir, firmware_dir, ops_dir

SOURCES = "executorch"
_NAME = "libct_executorch.so"


@cache
def library() -> ctypes.CDLL:
    """The library, with its operators registered: once in a process.

    Raises:
        ToolError: CMake or a C++ compiler is missing.
        BuildError: the library does not compile, or the runtime refuses its operators.
    """
    from executorch.runtime import Runtime

    Runtime.get()  # loads the runtime, so that the library finds that one
    loaded = ctypes.CDLL(str(built()))
    loaded.ct_executorch_register.restype = ctypes.c_int32
    loaded.ct_executorch_use.restype = None
    loaded.ct_executorch_last_failure.restype = None
    error = loaded.ct_executorch_register()
    if error != 0:
        raise BuildError(
            f"the ExecuTorch runtime refuses the {NAMESPACE}:: operators (error 0x{error:x}): "
            "another library of this process has registered them. Use a process of its own."
        )
    return loaded


@cache
def served() -> list[Declaration]:
    """The operators in the order of the library's table: ours, and those of others."""
    return [*operators().values(), *(other for other, _ in foreign().values())]


def operator_table() -> str:
    """``ct_operators.h``."""
    rows = [
        {
            "name": f"{NAMESPACE}::{op.name}.out",
            "arguments": len(op.argument_names),
            "ignored": sum(1 << op.argument_names.index(name) for name in op.ignored),
            "schema": op.schema,
        }
        for op in served()
    ]
    return generated.render(f"{SOURCES}/ct_operators.h.j2", kinds=list(Kind), operators=rows)


def built() -> Path:
    """The shared object in the cache; its name has the digest of all that goes into it."""
    table = operator_table()
    digest = hashlib.sha256(table.encode())
    for path in _inputs():
        digest.update(path.read_bytes())
    output = cache_dir() / f"executorch-{digest.hexdigest()[:16]}" / _NAME
    if not output.is_file():
        output.parent.mkdir(parents=True, exist_ok=True)
        _build(table, output)
    return output


def _inputs() -> Iterator[Path]:
    yield from sorted((firmware_dir() / SOURCES).iterdir())
    yield firmware_dir() / "runtime" / "ct.h"
    yield ops_dir() / "support" / "ct_status.h"
    yield _package() / "executorch-config-version.cmake"


def _build(table: str, output: Path) -> None:
    """Builds in a folder of its own; the result appears whole or not at all."""
    with tempfile.TemporaryDirectory(dir=output.parent) as name:
        folder = Path(name)
        write_if_changed(folder / "generated" / "ct_operators.h", table)
        tree = toolchain.Tree(firmware_dir() / SOURCES, folder / "cmake")
        tree.configure(
            {
                "CMAKE_CXX_COMPILER": toolchain.host_cxx_compiler(),
                "CT_GENERATED": folder / "generated",
                "CT_OPS_DIR": ops_dir(),
                "executorch_DIR": _package(),
            }
        )
        tree.build("ct_executorch")
        (folder / "cmake" / _NAME).replace(output)


def _package() -> Path:
    """Folder of the CMake package inside the wheel."""
    spec = find_spec("executorch")
    for root in (spec and spec.submodule_search_locations) or ():
        folder = Path(root) / "share" / "cmake"
        if (folder / "executorch-config.cmake").is_file():
            return folder
    raise ToolError(
        "the installed executorch has no CMake package (share/cmake/executorch-config.cmake); "
        "try: pip install -U executorch, or run on the host instead"
    )
