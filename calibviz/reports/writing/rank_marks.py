"""Ranks and differences on the page, marked where a test tells two models apart."""

from __future__ import annotations

import numpy as np

from ...figures.markup import Markup, joined, tag
from ..measuring.apart import Difference
from ..measuring.numbers import READINGS
from ..measuring.ranks import Ranks
from .parts import datum, notes, strong, table, what

RANKS_NOTE = (
    "Ranked is what a test on the same samples tells apart, at level 5 %: by the Brier score, the log loss and the "
    "debiased error. Those that it cannot tell from the best are marked “≈ best”. The other errors have no such test."
)
NO_VERDICT = (
    "Differences of ECE, sweep and KS have no verdict: noise makes these errors larger, and more so those of one model "
    "than of another. The debiased error has one."
)


def difference(key: str, apart: Difference, of: str) -> Markup:
    """The difference between two models, in bold if a test tells them apart."""
    return strong(datum(READINGS[key], apart.value, what(key, "value", of), signed=True), apart.differs)


def ranks_table(ranks: Ranks, columns: str, identity: str) -> Markup:
    """The table of errors with their ranks; the best error of a row is in bold if no other is within noise of it."""
    rows = []
    for i, (metric, reading) in enumerate(ranks.metrics.items()):
        row: list[str] = [reading.name]
        for j, column in enumerate(ranks.columns):
            cell = datum(reading, float(ranks.values[i, j]), f"{metric} {column}")
            rank, several = ranks.ranks[i, j], ranks.within[i].sum() > 1
            if np.isnan(rank):
                row.append(cell)
                continue
            text = "≈ best" if ranks.within[i, j] and several else f"rank {rank:g}"
            place = tag("data", text, value=repr(float(rank)), data_what=f"{metric} {column} rank")
            row.append(tag("strong" if rank == 1 else "span", cell, tag("small", place)))
        rows.append(row)
    return joined(
        [table(["", *ranks.columns], rows, f"Errors and ranks of {columns}", identity=identity), notes([RANKS_NOTE])]
    )
