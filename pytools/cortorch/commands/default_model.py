"""The model that is built when none is named: the digits example of the checkout."""

from __future__ import annotations

import subprocess
import sys

from cortorch.errors import BuildError
from cortorch.paths import repo_root


def default_model() -> str:
    """Path of the trained and exported example; it is made on first use."""
    script = repo_root() / "examples" / "digits" / "train.py"
    model = repo_root() / "build" / "digits" / "digits.pte"
    if model.exists():
        return str(model)
    if not script.exists():
        raise BuildError(
            "no model is chosen: -m FILE.pte (the digits example is only in a checkout)"
        )
    print(f"No model is chosen: training the digits example first ({script.parent})", flush=True)
    if subprocess.run([sys.executable, str(script)], check=False).returncode:
        raise BuildError(f"{script} failed; its own message is above")
    if not model.exists():
        raise BuildError(f"{script} ended without writing {model}")
    return str(model)
