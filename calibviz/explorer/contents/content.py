"""What a panel shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...figures import Figure, Grid
from ...table_records import Table

Record = Figure | Grid | Table

MOST_POINTS = 600
RUG = 300
SMALL = 2_000_000  # probabilities that are looked through at once

NAMES = {
    "ece": "ECE", "ks": "KS", "kuiper": "Kuiper", "sweep": "ECE (sweep)", "smooth": "smooth ECE",
    "debiased": "debiased", "brier": "Brier", "log_loss": "log loss", "nll": "NLL",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Content:
    """What a panel shows: its records, and a sentence about them where there is something to say."""

    records: tuple[Record, ...]
    note: str = ""


def thinned(n: int, most: int) -> NDArray[np.intp]:
    """At most so many of the places 0..n - 1, evenly spread, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
