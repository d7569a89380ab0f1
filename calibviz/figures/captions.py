"""Captions of pictures that leave the page: the verdict above them, and the facts about them below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

BETWEEN = " · "


@dataclass(frozen=True)
class Caption:
    """The title of a picture, and the facts below it.

    Attributes
    ----------
    lines : tuple of str
        The lines of the title, such as those of the verdict.
    facts : dict of str to str
        Of what the picture is, by what that is: the data, the samples, ..., the date and the version.
    """

    lines: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def below(self) -> str:
        """The facts in a line."""
        return BETWEEN.join(filter(None, self.facts.values()))

    @property
    def comment(self) -> str:
        """All of it as lines of comment in Python, which no name in it ends."""
        return "".join(f"# {' '.join(line.split())}\n" for line in (*self.lines, self.below) if line)
