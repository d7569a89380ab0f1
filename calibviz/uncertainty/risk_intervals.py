"""Intervals of the share of wrong ones among the surest samples, and of its mean over all such shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, stdtrit

from ..engine.scalar import ScalarProblem
from ..engine.summed import SummedProblem
from ..metrics.masses import clopper_pearson, repetitions
from ..metrics.risks import TieBlocks

Array = NDArray[np.float64]

FEWEST = 10  # wrong samples, and right ones, of which the spread of the mean risk can be told


def risk_interval(problem: ScalarProblem, blocks: NDArray[np.intp], level: float) -> tuple[Array, Array]:
    """The Clopper-Pearson intervals of the risk of accepting the surest samples down to some blocks of tied scores.

    Parameters
    ----------
    problem : ScalarProblem
    blocks : ndarray of int, shape (m,)
        Places in `TieBlocks.of(problem)`, the surest first.
    level : float, in (0, 1)

    Returns
    -------
    lower, upper : ndarray, shape (m,)
        Weights count by their effective size among the accepted (Kish 1965); nan where they depend on the targets, as
        those of another prevalence do.
    """
    if problem.squared_weights is not None:
        return np.full(len(blocks), np.nan), np.full(len(blocks), np.nan)
    of = TieBlocks.of(problem, problem.weight)
    accepted, lost = np.cumsum(of.weight)[blocks], np.cumsum(of.loss)[blocks]
    size = accepted
    if not problem.whole_weights:
        first = np.concatenate(([0], problem.block_ends))[:-1]
        squares = np.cumsum(np.add.reduceat(problem.unit_squares, first)[::-1])[blocks]
        size = (accepted / problem.weight.max()) ** 2 / squares
    return clopper_pearson(lost / accepted, size, level)


def mean_risk_interval(problem: ScalarProblem, level: float) -> tuple[float, float]:
    """An interval of the area under the risk-coverage curve; nan where few samples are wrong, or few right.

    One more sample of the loss e, among those tied at a score, changes the area by IF(e) / n, where IF is its influence
    function. The interval is that of the logarithm by the delta method, with as many degrees of freedom as the squares
    of IF are worth (Kish 1965): at least 95 of 100 intervals of that level hold the area in simulations.
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
