"""Outcomes at a horizon within bins, by the follow-up of all rows there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..engine.binnings.bins import Bins
from ..engine.scalar import ScalarProblem
from ..engine.sorted_scores import cuts_at

Array = NDArray[np.float64]


def observed_km(problem: ScalarProblem, bins: Bins) -> Array | None:
    """The share with the event by the horizon in each bin, of all rows with such scores, shape (B,).

    Each is the estimate of Aalen and Johansen, without competing events that of Kaplan and Meier, of the rows of that
    bin alone, those that were censored before the horizon among them; nan where none is followed to it, and where the
    scores are not those of one class. None where not all rows are known: other problems than those of
    `Predictions.at_horizon`, and those of some of its rows.
    """
    if problem.followed is None:
        return None
    rows, followed = problem.followed()
    of_class = followed.predictions.probs.astype(np.float64)[rows.order]
    is_event, is_none = (np.array_equal(rows.score, of_class[:, k]) for k in (1, 0))
    edges = bins.edges(problem)
    observed = np.full(len(bins), np.nan)
    if edges is None or not (is_event or is_none):
        return observed
    cuts = cuts_at(rows.score, *edges)
    for k, (start, stop) in enumerate(pairwise(cuts)):
        observed[k] = followed.observed(rows.order[start:stop], rows.weight[start:stop])
    return observed if is_event else 1 - observed
