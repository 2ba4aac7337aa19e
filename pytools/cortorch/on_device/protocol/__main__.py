"""python -m cortorch.on_device.protocol OUT.h      writes the C header
python -m cortorch.on_device.protocol --spec     renews the tables of docs/SPEC.md
"""

from __future__ import annotations

import sys
from pathlib import Path

from cortorch.on_device.protocol import c_header, spec
from cortorch.paths import repo_root


def main(arguments: list[str]) -> int:
    """Exit status."""
    match arguments:
        case ["--spec"]:
            spec.rewrite(repo_root() / "docs" / "SPEC.md")
        case [out]:
            Path(out).write_text(c_header(), encoding="utf-8")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
