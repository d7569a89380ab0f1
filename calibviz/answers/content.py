"""The content of a panel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..figures import Figure, Grid
from ..figures.markup import Markup
from ..figures.svg import NO_PICTURE
from ..figures.tables import Table
from ..uncertainty.bin_intervals import INTERVAL_LEVEL
from .situation.situation import Situation

Record = Figure | Grid | Table

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


def at_once(look: Situation, probabilities: int) -> str:
    """The `now` of a job that reads so many probabilities: "all" if it takes only a moment, else ""."""
    return "all" if probabilities <= SMALL and look.kind != "k-d tree" else ""  # a tree takes longer than bins


def thinned(n: int, most: int) -> NDArray[np.intp]:
    """At most `most` of the places 0..n - 1, evenly spread, with the first and the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
