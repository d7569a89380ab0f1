"""What chance alone shows of an error: how often as much, and what it reaches in 95 of 100 cases."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NULLS, FLOOR = 499, 0.95  # data sets of a noise floor, and the quantile of their errors that it is
EQUAL = 1e-12  # errors that differ by less are equal but for rounding


def p_values(nulls: ArrayLike, observed: ArrayLike) -> Array:
    """How often chance alone shows at least as much: (1 + #{nulls >= observed}) / (1 + n), over the first axis.

    nan among the nulls is left out.
    """
    drawn = np.asarray(nulls, dtype=np.float64)
    known = (~np.isnan(drawn)).sum(axis=0)
    chances: Array = (1 + (drawn >= np.asarray(observed) - EQUAL).sum(axis=0)) / (1 + known)
    return chances


def noise_floor(nulls: ArrayLike, share: float = FLOOR) -> Array:
    """What chance alone reaches, over the first axis: an error lies above it just where its p-value is at most 5 %.

    The k-th largest of n nulls, k = (1 - share)(n + 1) rounded down, but at least 1; nan where there are none.
    """
    drawn = np.asarray(nulls, dtype=np.float64)
    known = (~np.isnan(drawn)).sum(axis=0)
    place = np.maximum(((1 - share) * (known + 1) + EQUAL).astype(int), 1)
    ascending = np.sort(np.where(np.isnan(drawn), -np.inf, drawn), axis=0)
    floor = np.take_along_axis(ascending, len(drawn) - np.expand_dims(place, 0), axis=0)[0]
    return np.where(known > 0, floor, np.nan)
