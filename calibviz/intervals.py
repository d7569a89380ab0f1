"""Intervals of the mean target of each bin."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from . import validation
from .binning import Binning, EqualMass, Sweep, Uniform, bins_of
from .bins import Bins
from .consistency_resampling import calibrated
from .estimators import effective_counts
from .lenses import Problem
from .problems import ScalarProblem
from .resampling import quantiles, resampled
from .vector_problems import VectorProblem

Array = NDArray[np.float64]

INTERVAL_LEVEL = 0.95
KINDS = ("clopper-pearson", "bootstrap", "consistency")


def interval_of(
    kind: str,
    problem: ScalarProblem | VectorProblem,
    binning: Binning,
    bins: Bins,
    level: float = INTERVAL_LEVEL,
    n: int = 1000,
    seed: int | None = 0,
) -> tuple[Array, Array]:
    """The lower and the upper ends, nan in empty bins, of one of the intervals that `reliability` describes."""
    validation.choice(kind, "interval", KINDS)
    validation.real_number(level, "level", 0.0, 1.0, open_ends=True)
    if kind == "clopper-pearson":
        return target_interval(bins, problem, level)
    validation.whole_number(n, "n", 1)
    if isinstance(binning, Sweep):  # as many bins in every replicate as it chose for the samples themselves
        binning = EqualMass(len(bins)) if binning.scheme == "equal-mass" else Uniform(len(bins))
    others = resampled(problem, n, seed=seed) if kind == "bootstrap" else calibrated(problem, n, seed)
    targets = _stacked((bins_of(other, binning).target for other in others), bins, n)
    lower, upper = quantiles(targets, [(1 - level) / 2, (1 + level) / 2])
    return lower, upper


def _stacked(targets: Iterable[Array], bins: Bins, n: int) -> Array:
    stacked = np.empty((n, *bins.target.shape))
    for i, target in enumerate(targets):
        if len(target) != len(bins):
            raise ValueError(
                "interval='bootstrap' needs as many bins in every replicate, but here they differ: look at a scalar "
                "lens, or one outcome, in cv.Uniform or cv.EqualMass bins, or pass interval='clopper-pearson'"
            )
        stacked[i] = target
    return stacked


def target_interval(bins: Bins, problem: Problem, level: float = INTERVAL_LEVEL) -> tuple[Array, Array]:
    """Clopper-Pearson interval of the mean target of each bin, nan in an empty one."""
    validation.real_number(level, "level", 0.0, 1.0, open_ends=True)
    trials = effective_counts(bins, problem)
    with np.errstate(invalid="ignore"):
        trials = np.where(trials > 0, trials, np.nan)
    if bins.target.ndim == 2:
        trials = trials[:, None]
    hits = np.clip(bins.target, 0.0, 1.0) * trials
    tail = (1.0 - level) / 2
    with np.errstate(invalid="ignore"):
        lower = np.where(hits <= 0, 0.0, betaincinv(np.maximum(hits, 1e-300), trials - hits + 1, tail))
        misses = trials - hits
        upper = np.where(misses <= 0, 1.0, betaincinv(hits + 1, np.maximum(misses, 1e-300), 1 - tail))
    empty = np.isnan(hits)
    return np.where(empty, np.nan, lower), np.where(empty, np.nan, upper)
