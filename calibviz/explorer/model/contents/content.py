"""What a panel shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....figures import Figure, Grid
from ....figures.tables import Table
from ..situation import Situation

Record = Figure | Grid | Table

SMALL = 2_000_000  # probabilities that are looked through at once


@dataclass(frozen=True, eq=False)
class Content:
    """What a panel shows: its records, a sentence about them, names of what is listed, and its answer in a sentence."""

    records: tuple[Record, ...]
    note: str = ""
    names: tuple[str, ...] = ()
    answer: str = ""


def at_once(look: Situation, looked_through: int) -> str:
    """The `now` of a job that looks through so many probabilities: all of it where that takes but a moment."""
    return "all" if looked_through <= SMALL and look.kind != "k-d tree" else ""  # a tree takes longer than bins


def thinned(n: int, most: int) -> NDArray[np.intp]:
    """At most so many of the places 0..n - 1, evenly spread, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
