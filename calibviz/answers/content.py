"""What an answer is, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..engine.binning_kinds import BinningKind
from ..figures import Figure, Grid
from ..figures.markup import Markup
from ..figures.svg.small import NO_PICTURE
from ..figures.tables import Table
from ..uncertainty.bin_intervals import INTERVAL_LEVEL
from .situation.reading import Remembered
from .situation.situation import Situation

Record = Figure | Grid | Table
T = TypeVar("T")

#: What the heading of a share adds in its tooltip.
INTERVAL_BELOW = f"; below, its {100 * INTERVAL_LEVEL:g} % interval (Clopper-Pearson)"
SMALL = 2_000_000  # probabilities that are read in a moment


@dataclass(frozen=True, eq=False)
class Content:
    """What a panel shows.

    Attributes
    ----------
    records : tuple of Figure, Grid or Table
        The pictures and tables, from top to bottom.
    note : str
        Sentences below them.
    names : tuple of str
        The names behind dots and rows, such as classes, which a click chooses.
    of_many : int
        How many such names there are, of which these are some; 0 where that does not matter.
    answer : str
        Sentences above them.
    drawn : tuple of Figure
        Pictures of what the tables show, for files, which then hold no table.
    """

    records: tuple[Record, ...]
    note: str = ""
    names: tuple[str, ...] = ()
    answer: str = ""
    drawn: tuple[Figure, ...] = ()
    of_many: int = 0


@dataclass(frozen=True)
class ShortAnswer:
    """What the card of a question says and shows while its panel is closed; the picture tells what the text says."""

    text: str = ""
    picture: Markup = NO_PICTURE


@dataclass(frozen=True)
class Answer:
    """One of the questions that can be asked, and what answers it.

    Attributes
    ----------
    name : str
        Its name among `ANSWERS`, such as "reliability".
    title : str
    content : Remembered
        Returns the pictures, tables and sentences of a situation; slow work is asked of `Engine.jobs`.
    question : str
        What it answers, in words, where somebody would ask it first.
    short : Remembered, optional
        Returns the answer in a sentence and a small picture.
    term : str
        What papers call it, where that is another word than the title.
    has_answer : callable
        Whether there is something to ask it of: of samples without fields nobody asks for segments.
    """

    name: str
    title: str
    content: Remembered[Situation, [], Content]
    question: str = ""
    short: Remembered[Situation, [], ShortAnswer] | None = None
    term: str = ""
    has_answer: Callable[[Situation], bool] = lambda look: True

    @property
    def reads(self) -> frozenset[str]:
        """The choices that it depends on; no other one changes it."""
        return self.content.reads | (self.short.reads if self.short is not None else frozenset())

    @property
    def button(self) -> str:
        """What the button says that opens it."""
        return self.question or self.title


def completed(look: Situation, answer: Remembered[Situation, [], T]) -> T:
    """Return what an answer says once all work that it asks for is done; it begins here and now."""
    while True:
        value = answer(look)
        if not look.engine.jobs.finish():
            return value


def at_once(probabilities: int, kind: BinningKind | None = None) -> str:
    """The `now` of a job that reads so many probabilities: "all" if it takes only a moment, else ""."""
    takes_longer = kind is not None and kind.takes == "gamma"
    return "all" if probabilities <= SMALL and not takes_longer else ""


def thinned(n: int, most: int) -> NDArray[np.intp]:
    """At most `most` of the places 0..n - 1, evenly spread, with the first and the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
