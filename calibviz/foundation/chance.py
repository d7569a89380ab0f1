"""p-values and noise floors of errors, from data sets that were drawn from calibrated predictions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NULLS, FLOOR = 499, 0.95  # data sets drawn for a noise floor, and the quantile of their errors that it takes
EQUAL = 1e-12  # errors that differ by less are equal but for rounding


def p_values(nulls: ArrayLike, observed: ArrayLike) -> Array:
    """p-values (1 + #{nulls >= observed}) / (1 + n), over the first axis; nan among the nulls is left out."""
    drawn = np.asarray(nulls, dtype=np.float64)
    known = (~np.isnan(drawn)).sum(axis=0)
    chances: Array = (1 + (drawn >= np.asarray(observed) - EQUAL).sum(axis=0)) / (1 + known)
    return chances


def noise_floor(nulls: ArrayLike, share: float = FLOOR) -> Array:
    """Noise floors over the first axis: an error exceeds its floor exactly where its p-value is at most 1 - share.

    The floor is the k-th largest of n nulls, k = (1 - share)(n + 1) rounded down, but at least 1; nan without nulls.
    """
    drawn = np.asarray(nulls, dtype=np.float64)
    known = (~np.isnan(drawn)).sum(axis=0)
    place = np.maximum(((1 - share) * (known + 1) + EQUAL).astype(int), 1)
    ascending = np.sort(np.where(np.isnan(drawn), -np.inf, drawn), axis=0)
    floor = np.take_along_axis(ascending, len(drawn) - np.expand_dims(place, 0), axis=0)[0]
    return np.where(known > 0, floor, np.nan)
