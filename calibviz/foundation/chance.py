"""p-values and noise floors of errors, from data sets drawn from calibrated predictions, and the order of scores."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array

NULLS, FLOOR = 499, 0.95  # data sets drawn for a noise floor, and the quantile of their errors that it takes
EQUAL = 1e-12  # errors that differ by less are equal but for rounding

BACKWARDS = -3.0  # standard errors
CHANCE_OF_BACKWARDS = math.erfc(-BACKWARDS / math.sqrt(2)) / 2  # once in 741 times
FEW = 10  # samples of a class; with fewer, the sum of their ranks is not normal yet
MOST_OTHERS = 1_000  # beside few samples: more of them change the chance of an order by less than 0.1 % of it


def p_values(nulls: ArrayLike, observed: ArrayLike) -> Array:
    """p-values (1 + #{nulls >= observed}) / (1 + n), over the first axis; nan among the nulls is left out."""
    drawn = np.asarray(nulls, dtype=np.float64)
    known = (~np.isnan(drawn)).sum(axis=0)
    return (1 + (drawn >= np.asarray(observed) - EQUAL).sum(axis=0)) / (1 + known)


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


def mann_whitney(area: float, events: float, others: float) -> float:
    """How many standard errors an area under the ROC curve is above 1/2 if scores order nothing; nan without a pair.

    z = (AUC - 1/2) / sqrt((n1 + n0 + 1) / (12 n1 n0)) (Mann and Whitney 1947, equation 6).
    """
    if not events or not others:
        return math.nan
    return float((area - 0.5) / math.sqrt((events + others + 1) / (12 * events * others)))


def orders_backwards(area: float, events: float, others: float, times: int = 1) -> bool:
    """Whether events have so much lower scores than others as scores that order nothing give once in 741 times.

    That is the chance of a z below -3. The z of a class of few samples does not come so far: three events below two
    thousand others have -2.997, by a chance of 1 in 1,337,337,001. With fewer than ten, the orders of all samples that
    put events as low are counted instead (Mann and Whitney 1947, section 4). Five below five are one of 252, which is
    too usual to count; six below six are one of 924.

    Asked several `times`, of one class after the other, each answer is so rarer, and any of them once in 741 times.
    """
    few, many = sorted((math.floor(events + EQUAL), math.floor(others + EQUAL)))
    if not few:
        return False
    if few >= FEW:
        least = BACKWARDS if times == 1 else NormalDist().inv_cdf(CHANCE_OF_BACKWARDS / times)
        return mann_whitney(area, events, others) < least
    many = min(many, MOST_OTHERS)
    if area > 0.5:
        return False
    most = math.ceil(area * few * many - EQUAL)  # pairs in which the event has the higher score
    # The coefficients of the Gaussian binomial of few + many over few: how many orders have so many such pairs.
    ways = np.zeros(most + 1)
    ways[0] = 1
    for k in range(1, few + 1):
        ways[many + k :] -= ways[: max(0, most + 1 - many - k)].copy()
        padded = np.append(ways, np.zeros(-len(ways) % k))
        ways = padded.reshape(-1, k).cumsum(axis=0).ravel()[: most + 1]
    return bool(times * ways.sum() < CHANCE_OF_BACKWARDS * math.comb(few + many, few))
