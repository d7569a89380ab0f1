"""Captions of pictures that leave the page: the verdict above them, and the facts about them below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..foundation.marked import Run

BETWEEN = " · "


@dataclass(frozen=True)
class Caption:
    """The title of a picture, and the facts below it.

    Attributes
    ----------
    marked : tuple of tuples of (str, str)
        The lines of the title, such as those of the verdict, in parts: each a text and its kind (`foundation.marked`).
    facts : dict of str to str
        Of what the picture is, by what that is: the data, the samples, ..., the date and the version.
    """

    marked: tuple[tuple[Run, ...], ...]
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the title as plain texts."""
        return tuple("".join(text for text, _ in line) for line in self.marked)

    @property
    def below(self) -> str:
        """The facts in a line."""
        return BETWEEN.join(filter(None, self.facts.values()))

    @property
    def comment(self) -> str:
        """All of it as lines of comment in Python, which no name in it ends."""
        return "".join(f"# {' '.join(line.split())}\n" for line in (*self.lines, self.below) if line)
