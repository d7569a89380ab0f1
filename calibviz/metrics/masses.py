"""Weights as repetitions, in variances, and in quantiles of repeated rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from ..engine.scalar import AS_THEY_WERE, FOLLOWING, ScalarProblem
from ..engine.summed import SummedProblem
from ..foundation.arrays import Array
from ..foundation.clusters import refuse_clusters
from ..foundation.validation import WayOutError


def repetitions(problem: ScalarProblem) -> Array:
    """The number of equal samples that each row is worth, shape (n,); their sum is `effective_size` (Kish 1965)."""
    if problem.given_weight is None or problem.whole_weights:
        return problem.weight
    return problem.weight * (problem.effective_size / problem.total)


def unit_weights(problem: ScalarProblem) -> Array:
    """The weights, divided by their largest unless they count repetitions: no square is then too large or too small.

    Those of clusters are in the unit of `Clusters`.
    """
    counts = problem.whole_weights and problem.clusters is None
    return problem.weight if counts else problem.weight / problem.weight.max()


def variances(problem: ScalarProblem) -> Array:
    """u with Var(sum w t) = sum u s (1 - s) for `unit_weights` w, shape (n,): w of whole numbers, else its square."""
    refuse_clusters(problem, "this measure of noise")
    if problem.squared_weights is not None:
        if not len(problem.squared_weights):
            raise WayOutError(f"one problem of a family cannot be tested: {FOLLOWING}", AS_THEY_WERE)
        scale = 1.0 if problem.whole_weights else float(problem.weight.max())
        return problem.squared_weights[problem.order] / scale**2
    return problem.weight if problem.whole_weights else problem.unit_squares


def label_variances(problem: ScalarProblem) -> Array:
    """The variance u s (1 - s) that each label adds to the sum if the scores are calibrated, shape (n,).

    The sum of some probabilities of a row may exceed 1 by rounding, and the rest be below 0: both then add nothing.
    """
    score = np.clip(problem.score, 0.0, 1.0)
    return variances(problem) * score * (1 - score)


def counts_of(problem: ScalarProblem) -> Array:
    """How many samples each row counts, shape (n,): repetitions where weights are whole numbers."""
    if problem.times is not None:
        return problem.times[problem.order]
    if problem.whole_weights:
        return problem.weight
    return problem.counts if isinstance(problem, SummedProblem) else np.ones(len(problem))


def quantiles_of(values: Array, times: Array, at: Sequence[float]) -> Array:
    """Quantiles, interpolated as R's type 7, of values (n,) that are repeated `times` (n,)."""
    values, place = np.unique(values, return_inverse=True)  # so that the order of equal values does not matter
    times = np.bincount(place, times, len(values)).astype(np.float64)
    upto = np.cumsum(times)
    before = upto - times
    places = np.stack([before, np.maximum(upto - 1, before)], axis=1).ravel()
    return np.interp((upto[-1] - 1) * np.asarray(at), places, np.repeat(values, 2))


def clopper_pearson(mean: ArrayLike, size: ArrayLike, level: float) -> tuple[Array, Array]:
    """The Clopper-Pearson interval of shares `mean` of `size` samples, which need not be whole; nan of no samples."""
    mean, size = np.asarray(mean, dtype=np.float64), np.asarray(size, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        size = np.where(size > 0, size, np.nan)
        hits = np.clip(mean, 0.0, 1.0) * size
        misses, tail = size - hits, (1.0 - level) / 2
        lower = np.where(hits <= 0, 0.0, betaincinv(np.maximum(hits, 1e-300), misses + 1, tail))
        upper = np.where(misses <= 0, 1.0, betaincinv(hits + 1, np.maximum(misses, 1e-300), 1 - tail))
    nothing = np.isnan(hits)
    return np.where(nothing, np.nan, lower), np.where(nothing, np.nan, upper)
