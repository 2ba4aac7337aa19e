"""`build`: models and an app for a board, as one firmware image."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cortorch.commands import remembered
from cortorch.commands.default_model import default_model
from cortorch.commands.remembered import Remembered
from cortorch.errors import BuildError

if TYPE_CHECKING:
    from cortorch.images.image import Image

HELP = "build a firmware image of one or more models"
DESCRIPTION = """Build a firmware image. Options given once are remembered in the build folder:
`build` alone then rebuilds what changed. Without a model, the digits example is trained first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-b", "--board", metavar="NAME", help="see the command `boards`")
    parser.add_argument(
        "-m",
        "--model",
        dest="models",
        action="append",
        type=Path,
        metavar="FILE.pte",
        help="model to bake into the image (repeatable)",
    )
    parser.add_argument("--app", metavar="NAME|DIR", help="demo (default), validate, or your own")
    parser.add_argument("--compiler", choices=("clang", "gcc"), help="default: clang if installed")
    parser.add_argument(
        "--place",
        metavar="ROLE=MEMORY,...",
        help="memory for weights, arena, stack, data or code, such as weights=dtcm,arena=sram",
    )
    add_build_dir(parser)
    parser.add_argument(
        "-t",
        "--target",
        choices=("size", "menu", "run"),
        help="size: show each part's bytes; menu: ask for the options; run: flash afterwards",
    )
    parser.add_argument("-p", "--pristine", action="store_true", help="build everything anew")


def add_build_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-d",
        "--build-dir",
        type=Path,
        metavar="DIR",
        help=f"default: {remembered.DEFAULT_BUILD_NAME} in the checkout, or in the current folder",
    )


def chosen_build_dir(arguments: argparse.Namespace) -> Path:
    chosen: Path = arguments.build_dir or remembered.default_build_dir()
    return chosen.resolve()


def run(arguments: argparse.Namespace) -> None:
    from cortorch.commands import flash, menu, size_table

    build_dir = chosen_build_dir(arguments)
    wanted = remembered.load(build_dir).updated(
        board=arguments.board,
        models=tuple(str(path.resolve()) for path in arguments.models or ()),
        app=app_name(arguments.app),
        compiler=arguments.compiler,
        place=arguments.place,
    )
    if arguments.target == "menu":
        wanted = menu.ask(wanted)
    built = build(wanted, build_dir, arguments.pristine)
    size_table.show(built)
    if arguments.target == "size":
        size_table.show_parts(built)
    elif arguments.target == "run":
        flash.show_console(built, flash.TIMEOUT_S)


def app_name(app: str | None) -> str | None:
    """A folder as an absolute path, the name of a built-in app as it is."""
    return str(Path(app).resolve()) if app and Path(app).is_dir() else app


def build(wanted: Remembered, build_dir: Path, pristine: bool = False) -> Image:
    """Builds, and remembers what was built."""
    from cortorch.forms.bake import BakeOptions
    from cortorch.images import board, image
    from cortorch.on_device import samples

    target = board.load_board(wanted.board or board.default_board()).placed(places(wanted.place))
    models = named_models(wanted.models or (default_model(),))
    built = image.build(
        target,
        models,
        app=wanted.app,
        build_dir=build_dir,
        pristine=pristine,
        compiler=wanted.compiler,
        bake_options=BakeOptions(
            samples={name: samples.load(path) for name, path in models.items()}
        ),
    )
    wanted.updated(board=target.name).save(build_dir)
    return built


def places(text: str) -> dict[str, str]:
    """Memory by role."""
    pairs = [pair.split("=") for pair in text.split(",") if pair]
    if any(len(pair) != 2 for pair in pairs):
        raise BuildError(f"--place {text}: write ROLE=MEMORY, or several with commas between them")
    return dict(pairs)


def named_models(paths: tuple[str, ...]) -> dict[str, Path]:
    """By file name, which names a model in the image and in its C header."""
    from cortorch.forms.bake import model_name

    models = {model_name(Path(path).stem): Path(path) for path in paths}
    if len(models) < len(paths):
        raise BuildError(f"two of these models have the same name; rename one: {', '.join(paths)}")
    for path in models.values():
        if not path.is_file():
            raise BuildError(f"there is no model {path}")
    return models
