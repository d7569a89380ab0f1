"""The fixed fine grid of scores that summaries add up on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..foundation import validation

Array = NDArray[np.float64]

END_LOGIT = 52 * np.log(2)  # float64 holds no score between 1 - 2^-53 and 1
MOST_CELLS, MOST_BINS = 2**24, 1000


@dataclass(frozen=True)
class ScoreGrid:
    """Cells of scores: one half of them equally wide, one half as wide in logits, so finer towards 0 and 1.

    The edges of all uniform binnings of up to `bins` bins are among the edges, and what lies exactly on one of them has
    a cell of its own (0 and 1 do): sums between such edges are exact, on whichever side bins are closed, and
    scores rounded to two digits are kept apart.

    Parameters
    ----------
    cells : int, from 16 to 2^24
        About so many, and twice as many more as there are such edges.
    bins : int, from 1 to 1000

    See Also
    --------
    summarize : Makes summaries on a grid.

    Examples
    --------
    >>> len(cv.ScoreGrid())
    69547
    """

    cells: int = 2**16
    bins: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", validation.whole_number(self.cells, "cells", 16, MOST_CELLS))
        object.__setattr__(self, "bins", validation.whole_number(self.bins, "bins", 1, MOST_BINS))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def left(self) -> Array:
        """Where each cell begins. It ends where the next one begins; the last cell holds 1 alone."""
        return _left(self.cells, self.bins)

    def cells_of(self, score: Array) -> NDArray[np.intp]:
        """How many of the ascending scores lie below each cell and below the end, shape (cells + 1,)."""
        inner = np.searchsorted(score, self.left[1:], "left")
        return np.concatenate(([0], inner, [len(score)]))


@lru_cache(maxsize=4)  # so that a grid takes no room where summaries travel
def _left(cells: int, most_bins: int) -> Array:
    half = cells // 2
    even = np.arange(half + 1) / half
    logits = np.linspace(-END_LOGIT, END_LOGIT, half)
    low = 1 / (1 + np.exp(-logits[: half // 2]))
    kept = np.concatenate([np.arange(bins + 1) / bins for bins in range(1, most_bins + 1)])
    left = np.unique(np.concatenate([even, low, 1 - low, kept, np.nextafter(kept, 1.0)]))
    left.flags.writeable = False
    return left
