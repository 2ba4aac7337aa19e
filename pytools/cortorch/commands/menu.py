"""`build -t menu`: the options of a build, asked one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cortorch.commands.remembered import Remembered

BY_ITSELF = "default"


@dataclass(frozen=True)
class Question:
    option: str
    """Field of Remembered."""
    choices: Sequence[str]
    is_open: bool = False
    """Other answers are taken, too."""


def ask(before: Remembered) -> Remembered:
    """An empty answer, or the end of the input, keeps what is chosen."""
    changes: dict[str, object] = {}
    for question in _questions():
        now = getattr(before, question.option) or BY_ITSELF
        answer = _answer(question, str(now))
        if answer != now:
            changes[question.option] = answer
    defaults = Remembered()
    return before.changed(
        **{k: getattr(defaults, k) if v == BY_ITSELF else v for k, v in changes.items()}
    )


def _questions() -> list[Question]:
    from cortorch.images.board import list_boards
    from cortorch.images.image import apps

    return [
        Question("board", list_boards()),
        Question("app", apps(), is_open=True),
        Question("compiler", (BY_ITSELF, "clang", "gcc")),
        Question("place", (BY_ITSELF, "weights=MEMORY,arena=MEMORY"), is_open=True),
    ]


def _answer(question: Question, now: str) -> str:
    print(f"{question.option}: {', '.join(question.choices)}")
    while True:
        try:
            answer = input(f"{question.option} [{now}]: ").strip() or now
        except EOFError:
            print()
            return now
        if question.is_open or answer in (now, *question.choices):
            return answer
        print(f"'{answer}' is none of them")
