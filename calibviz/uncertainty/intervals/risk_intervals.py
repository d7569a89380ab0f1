"""Intervals of the share of wrong ones among the surest samples, and of its mean over all such shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, stdtrit

from ...engine.clustered import FEWEST as FEWEST_CLUSTERS, Clusters
from ...engine.scalar import ScalarProblem
from ...engine.summed import SummedProblem
from ...foundation.arrays import Array
from ...metrics.masses import clopper_pearson, repetitions
from ...metrics.risks import TieBlocks
from .bin_intervals import trials_of_clusters

FEWEST = 10  # wrong samples, and right ones, of which the spread of the mean risk can be told


def risk_interval(problem: ScalarProblem, blocks: NDArray[np.intp], level: float) -> tuple[Array, Array]:
    """The Clopper-Pearson intervals of the risk of accepting the surest samples down to some blocks of tied scores.

    `blocks` are places in `TieBlocks.of(problem)`, the surest first. Weights count by their effective size among the
    accepted (Kish 1965); ends are nan where they depend on the targets, as those of another prevalence do. Samples in
    clusters count as in the interval of a bin.
    """
    if problem.squared_weights is not None:
        return np.full(len(blocks), np.nan), np.full(len(blocks), np.nan)
    of = TieBlocks.of(problem, problem.weight)
    accepted, lost = np.cumsum(of.weight)[blocks], np.cumsum(of.loss)[blocks]
    size = accepted
    if (clusters := Clusters.of(problem)) is not None:
        last = len(problem) - np.append(0, problem.block_ends[:-1])[::-1][blocks] - 1  # from the surest on
        return clopper_pearson(lost / accepted, _trials_from_surest(problem, clusters, level)[last], level)
    if not problem.whole_weights:
        first = np.concatenate(([0], problem.block_ends))[:-1]
        squares = np.cumsum(np.add.reduceat(problem.unit_squares, first)[::-1])[blocks]
        size = (accepted / problem.weight.max()) ** 2 / squares
    return clopper_pearson(lost / accepted, size, level)


def _trials_from_surest(problem: ScalarProblem, clusters: Clusters, level: float) -> Array:
    """How many independent samples the surest 1, 2, ..., n are worth, nan of fewer than six clusters in all, (n,)."""
    if clusters.count < FEWEST_CLUSTERS:
        return np.full(len(problem), np.nan)
    clusters, target = clusters.reversed(), problem.given_target[::-1]
    total = np.cumsum(clusters.weight)
    mean = np.clip(np.cumsum(clusters.weight * target) / total, 0.0, 1.0)
    ones = np.ones(len(target))
    squares = clusters.products_up_to(target, target) - 2 * mean * clusters.products_up_to(target, ones)
    squares = (squares + mean**2 * clusters.products_up_to(ones, ones)) / total**2
    worth = total**2 / np.cumsum(problem.unit_squares[::-1])
    return trials_of_clusters(mean, worth, clusters.many_up_to, squares, level)


def mean_risk_interval(problem: ScalarProblem, level: float) -> tuple[float, float]:
    """An interval of the area under the risk-coverage curve; nan where few samples are wrong, or few right.

    One more sample of the loss e, among those tied at a score, changes the area by IF(e) / n, where IF is its influence
    function. The interval is that of the logarithm by the delta method, with as many degrees of freedom as the squares
    of IF are worth (Kish 1965): at least 95 of 100 intervals of that level hold the area in simulations. Of samples in
    clusters the error is that of their sums, with the quantile of `observed_expected`.
    """
    times = repetitions(problem)
    ties = TieBlocks.of(problem, times)
    total, wrong = ties.weight.sum(), ties.loss.sum()
    if isinstance(problem, SummedProblem) or not FEWEST <= wrong <= total - FEWEST:
        return np.nan, np.nan
    area = ties.mean_risk()
    before, rate = np.cumsum(ties.weight) - ties.weight, ties.loss / ties.weight
    step = digamma(before + ties.weight + 1) - digamma(before + 1)
    own = 1 - before * step / ties.weight
    slope = own + _after(step)  # of IF over e
    start = -rate * own - _after(rate * step) + wrong / total - area
    sizes = np.diff(problem.block_ends, prepend=0)
    loss = 1 - problem.given_target
    influence = np.repeat(slope[::-1], sizes) * loss + np.repeat(start[::-1], sizes)
    if (clusters := Clusters.of(problem)) is not None:
        reach = clusters.reach(level) * clusters.error_of_mean(influence) / area
        return float(area * np.exp(-reach)), float(np.minimum(area * np.exp(reach), 1.0))
    squares = np.square(influence)
    each = squares if problem.whole_weights else squares * np.square(times)
    many = times if problem.whole_weights else np.ones(len(times))
    variance = float((many * each).sum())
    freedom = variance**2 / float((many * np.square(each)).sum()) - 1
    reach = float(stdtrit(max(freedom, 1.0), (1 + level) / 2)) * np.sqrt(variance) / total / area
    return float(area * np.exp(-reach)), float(min(area * np.exp(reach), 1.0))


def _after(values: Array) -> Array:
    """For each, the sum of those after it."""
    return np.cumsum(values[::-1])[::-1] - values
