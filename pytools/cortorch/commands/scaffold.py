"""`scaffold`: a folder to begin a new operator from."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

HELP = "begin a new operator"
DESCRIPTION = """Write the five files of a new operator into the checkout. It copies its int8 input,
and passes all tests; make it yours from there. docs/adding-an-operator.md leads through it."""

TEMPLATES = {
    "__init__.py": "init.py.j2",
    "op.py": "op.py.j2",
    "cases.py": "cases.py.j2",
    "{name}.h": "operator.h.j2",
    "{name}.c": "operator.c.j2",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", type=operator_name, help="in lower case, with underscores")


def operator_name(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a name in lower case with underscores")
    return text


def run(arguments: argparse.Namespace) -> None:
    for path in write(arguments.name):
        print(path)


def write(name: str) -> list[Path]:
    """The files, all new.

    Raises:
        ToolError: no checkout to write to, or an operator of that name.
    """
    from cortorch.errors import ToolError
    from cortorch.files import write_if_changed
    from cortorch.paths import ops_dir, repo_root

    folder = ops_dir() / name
    if ops_dir().parent != repo_root():
        raise ToolError(f"{ops_dir()} is an installed package: work in a checkout of CorTorch")
    if folder.exists():
        raise ToolError(f"{folder} exists: choose another name, or remove it")
    texts = {file.format(name=name): render(t, name) for file, t in TEMPLATES.items()}
    for file, text in texts.items():
        write_if_changed(folder / file, text)
    return [folder / file for file in texts]


def render(template: str, name: str) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cortorch", "templates/operator"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(name=name)
