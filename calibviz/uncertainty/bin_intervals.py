"""Intervals of the mean target of each bin."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..context.lenses import Problem
from ..engine.binning import Binning, Sweep, bins_of
from ..engine.bins import Bins
from ..engine.scalar import ScalarProblem
from ..engine.vector import VectorProblem
from ..foundation import validation
from ..metrics.binned import effective_counts
from ..metrics.masses import clopper_pearson
from .bootstrap import percentile_interval, resampled
from .consistency import calibrated

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
    """The lower and upper ends of the intervals of all bins, nan in empty ones; `reliability` describes the kinds."""
    validation.choice(kind, "interval", KINDS)
    validation.level(level)
    if kind == "clopper-pearson":
        return target_interval(bins, problem, level)
    validation.whole_number(n, "replicates", 1)
    if isinstance(binning, Sweep):  # every replicate gets the number of bins that was chosen for the samples
        binning = binning.of(len(bins))
    others = resampled(problem, n, seed=seed) if kind == "bootstrap" else calibrated(problem, n, seed)
    targets = _stack((bins_of(other, binning).target for other in others), bins, n)
    lower, upper = percentile_interval(targets, level)
    return lower, upper


def _stack(targets: Iterable[Array], bins: Bins, n: int) -> Array:
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
    validation.level(level)
    trials = effective_counts(bins, problem)
    return clopper_pearson(bins.target, trials[:, None] if bins.target.ndim == 2 else trials, level)


def mean_interval(problem: ScalarProblem, level: float = INTERVAL_LEVEL) -> tuple[float, float]:
    """The Clopper-Pearson interval of the mean target; weights count by their effective size."""
    columns = (problem.total, problem.mean_score, problem.mean_target)
    weight, score, target = (np.array([value]) for value in columns)
    lower, upper = target_interval(Bins(weight, score, target, np.array([len(problem)])), problem, level)
    return float(lower[0]), float(upper[0])
