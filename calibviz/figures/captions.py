"""Captions of pictures that leave the page: the verdict above them, and the facts about them below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..foundation.marked import Run

BETWEEN, UNSEEN = " · ", "�"


@dataclass(frozen=True)
class Caption:
    """The title of a picture, and the facts below it."""

    # Lines of the title, such as those of the verdict, in parts: a text and its kind (`foundation.marked`).
    marked: tuple[tuple[Run, ...], ...]
    # Of what the picture is, by what that is: the data, the samples, ..., the date and the version.
    facts: Mapping[str, str] = field(default_factory=dict)
    said: tuple[tuple[Run, ...], ...] = ()  # lines of an answer below the title, in parts as well

    def __post_init__(self) -> None:
        for name in ("marked", "said"):
            lines = tuple(tuple((_seen(text), kind) for text, kind in line) for line in getattr(self, name))
            object.__setattr__(self, name, lines)
        object.__setattr__(self, "facts", {name: _seen(text) for name, text in self.facts.items()})

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the title as plain texts."""
        return _texts(self.marked)

    @property
    def texts(self) -> tuple[str, ...]:
        """All of it as plain texts: the title, the answer and the facts."""
        return (*self.lines, *_texts(self.said), self.below)

    @property
    def below(self) -> str:
        """The facts in a line."""
        return BETWEEN.join(filter(None, self.facts.values()))

    @property
    def comment(self) -> str:
        """All of it as lines of comment in Python."""
        return "".join(f"# {line}\n" for line in (*self.lines, self.below) if line)


def _texts(marked: tuple[tuple[Run, ...], ...]) -> tuple[str, ...]:
    return tuple("".join(text for text, _ in line) for line in marked)


def _seen(text: str) -> str:
    """A text of any source in one line, in which what is not seen, or could end a line, has a sign."""
    return "".join(sign if sign.isprintable() else " " if sign.isspace() else UNSEEN for sign in text)
