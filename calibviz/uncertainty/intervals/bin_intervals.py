"""Intervals of the mean target of each bin."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ...context.lenses import Problem
from ...engine.binnings.binning import Binning, Sweep, bins_of
from ...engine.binnings.bins import Bins
from ...engine.clustered import FEWEST, ClusterBins, Clusters
from ...engine.scalar import ScalarProblem
from ...engine.vector import VectorProblem
from ...foundation import validation
from ...foundation.arrays import Array, dot
from ...foundation.clusters import refuse_clusters
from ...metrics.binned import effective_counts
from ...metrics.masses import clopper_pearson, repetitions
from ..resampling.bootstrap import level_of_clusters, percentile_interval, resampled
from ..resampling.consistency import calibrated

INTERVAL_LEVEL = 0.95
VARIES = 1e-20  # a variance of a mean target that is no less by rounding alone
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
    if kind == "bootstrap":
        level = level_of_clusters(problem, level)
    targets = _stack((bins_of(other, binning).target for other in others), bins)
    lower, upper = np.clip(percentile_interval(targets, level), 0.0, 1.0)  # signs of clusters make targets beyond
    return lower, upper


def _stack(targets: Iterable[Array], bins: Bins) -> Array:
    stacked = []
    for target in targets:
        if len(target) != len(bins):
            raise ValueError(
                "interval='bootstrap' needs as many bins in every replicate, but here they differ: look at a scalar "
                "lens, or one outcome, in cv.Uniform or cv.EqualMass bins, or pass interval='clopper-pearson'"
            )
        stacked.append(target)
    return np.array(stacked)


def target_interval(
    bins: Bins, problem: Problem, level: float = INTERVAL_LEVEL, fewest: int = FEWEST
) -> tuple[Array, Array]:
    """Clopper-Pearson interval of the mean target of each bin, nan in an empty one.

    Of samples in clusters it is that of as many trials as these are worth (Korn and Graubard 1998), nan of fewer than
    `fewest` clusters in all bins together.
    """
    validation.level(level)
    if isinstance(problem, VectorProblem):
        refuse_clusters(problem, "an interval of cells of several outcomes")
    if isinstance(problem, ScalarProblem) and (clusters := Clusters.of(problem)) is not None:
        trials = np.full(len(bins), np.nan)
        if clusters.count >= fewest:
            trials = _trials_of_clusters(bins, problem, clusters, level)
        return clopper_pearson(bins.target, trials, level)
    trials = effective_counts(bins, problem)
    return clopper_pearson(bins.target, trials[:, None] if bins.target.ndim == 2 else trials, level)


def _trials_of_clusters(bins: Bins, problem: ScalarProblem, clusters: Clusters, level: float) -> Array:
    """How many independent samples give an interval as wide as the clusters of each bin do, shape (B,)."""
    parts = ClusterBins(problem, clusters, bins.weight)
    target = np.clip(bins.target, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = parts.moments(problem.given_target, target)[1] / parts.weight**2
    return trials_of_clusters(target, parts.worth, parts.many, squares, level)


def trials_of_clusters(target: Array, worth: Array, many: NDArray[np.intp], squares: Array, level: float) -> Array:
    """How many independent samples are worth as much as those of clusters (Korn and Graubard 1998), nan of none.

    Of each bin: the mean target, how many equal rows it is worth (Kish 1965), how many clusters lie in it, and the sum
    of the squares of how far each cluster moves the mean.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = many / (many - 1) * squares
        effective = np.minimum(worth, target * (1 - target) / variance)
        lost = stdtrit(worth - 1, (1 + level) / 2) / stdtrit(many - 1, (1 + level) / 2)
        trials = np.minimum(worth, effective * lost**2)
    vague = (target <= 0) | (target >= 1) | ~(variance > VARIES) | (many == 1)
    return np.where(many > 0, np.where(vague, np.minimum(many, worth), trials), np.nan)


def mean_interval(problem: ScalarProblem, level: float = INTERVAL_LEVEL, fewest: int = FEWEST) -> tuple[float, float]:
    """The interval of the mean target, as of a bin; weights count by their effective size."""
    columns = (problem.total, problem.mean_score, problem.mean_target)
    weight, score, target = (np.array([value]) for value in columns)
    lower, upper = target_interval(Bins(weight, score, target, np.array([len(problem)])), problem, level, fewest)
    return float(lower[0]), float(upper[0])


def gap_interval(problem: ScalarProblem, level: float = INTERVAL_LEVEL) -> tuple[float, float]:
    """The interval of the mean target less the mean score, nan of fewer than six clusters.

    That of the mean target alone is too wide where scores tell much of it, and too narrow where they tell nothing. So
    it is Clopper and Pearson's of as many samples as have a mean target that varies as the mean gap does, but of no
    more than calibrated scores would have. Equal scores have as many as there are.
    """
    score, target, clusters = problem.mean_score, problem.mean_target, Clusters.of(problem)
    certain = not 0 < target < 1  # no outcome differs, which leaves nothing to see of how the gap varies
    if clusters is not None and certain:
        low, high = mean_interval(problem, level)
    elif clusters is not None:
        half = clusters.reach(level) * clusters.error_of_mean(problem.given_target - problem.score)
        low, high = target - half, target + half
    else:
        share, s = problem.weight / problem.total, np.clip(problem.score, 0.0, 1.0)
        varies = (dot(share, (problem.given_target - problem.score - target + score) ** 2), dot(share, s * (1 - s)))
        worth = [p * (1 - p) / v for p, v in zip((target, score), varies, strict=True) if v > VARIES and not certain]
        ends = clopper_pearson(target, problem.effective_size * min(worth, default=1.0), level)
        low, high = map(float, ends)
    return low - score, high - score


def intervals_within(problem: ScalarProblem, kept: NDArray[np.bool_], level: float) -> tuple[Array, Array]:
    """The intervals of the mean target of some samples each, `kept` (m, n) of them, as of bins: nan of none."""
    clusters = Clusters.of(problem)
    if clusters is None:
        times = repetitions(problem)
        with np.errstate(divide="ignore", invalid="ignore"):
            target = kept @ (problem.weight * problem.given_target) / (kept @ problem.weight)
        return clopper_pearson(target, kept @ times, level)
    if clusters.count < FEWEST:
        return np.full(len(kept), np.nan), np.full(len(kept), np.nan)
    ends = [mean_interval(problem.subset(one), level, 1) if one.any() else (np.nan, np.nan) for one in kept]
    lower, upper = np.array(ends).T
    return lower, upper
