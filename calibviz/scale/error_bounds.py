"""Bounds of a number that a summary knows only nearly.

Of the samples in a cell a summary knows the sums, the least and the greatest score. Where a cell holds one score, it
knows all that there is to know; else a cut through the cell takes an unknown part of it, between bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.binnings.binning import FALL_TOLERANCE, EqualMass, Sweep, Uniform, equal_mass_cuts
from ..engine.binnings.bins import Bins
from ..engine.scalar import EmptyProblemError
from ..foundation import validation
from ..foundation.arrays import Array
from ..metrics.binless.smooth import smooth_ends
from .summary import Summary

Ends = tuple[Array, Array]

ROUNDING = 1e-13  # error of sums, times the root of the number of samples
SIZE_TOLERANCE = 1e-9  # in the number of samples that the weights of a bin are worth
MOST_SWEPT = 1000


@dataclass(frozen=True, eq=False)
class GridCells:
    """The filled cells: sums of w, w s and w t, the least and greatest score, and the sums of the cells before."""

    weight: Array
    score: Array
    target: Array
    low: Array
    high: Array
    before: Array
    gap_before: Array

    @classmethod
    def of(cls, summary: Summary) -> GridCells:
        if not isinstance(summary, Summary):
            raise TypeError(f"summary must be a cv.Summary, not {type(summary).__name__}")
        filled = np.flatnonzero(summary.weight > 0)
        if not len(filled):
            raise EmptyProblemError
        weight, target = summary.weight[filled], summary.right[filled]
        low, high = summary.lowest[filled], summary.highest[filled]
        score = np.clip(summary.grid.left[filled] * weight + summary.offset[filled], low * weight, high * weight)
        before, gap = (np.concatenate(([0.0], np.cumsum(sums))) for sums in (weight, target - score))
        return cls(weight, score, target, low, high, before, gap)

    @property
    def total(self) -> float:
        return float(self.before[-1])

    @property
    def mean_move(self) -> float:
        """The greatest possible mean distance of the scores from the means of their cells: all lie at the ends."""
        mean, width = self.score / self.weight, self.high - self.low
        most = 2 * (mean - self.low) * (self.high - mean) / np.where(width > 0, width, 1.0)
        return float(self.weight @ np.maximum(most, 0.0)) / self.total

    @property
    def inside(self) -> Ends:
        """The least and the greatest sum of w (t - s) over the first samples of each cell, however many."""
        weight, target, low, high = self.weight, self.target, self.low, self.high
        greatest = np.maximum(np.maximum(0.0, target * (1 - low)), target - weight * low)
        least = np.minimum(np.minimum(0.0, -(weight - target) * high), target - weight * high)
        is_single = low == high  # equal scores share their mean target
        whole = target - self.score
        return np.where(is_single, np.minimum(0.0, whole), least), np.where(is_single, np.maximum(0.0, whole), greatest)

    @property
    def disorder(self) -> Array:
        """How far a sum of w t or w (t - s) over the first samples of a cell can be from its share of the whole."""
        weight, score, target, width = self.weight, self.score, self.target, self.high - self.low
        # Divided first, as products of large weights overflow.
        above = np.maximum(score / weight - self.low, 0.0) / np.where(width > 0, width, 1.0)
        rising = above * np.maximum(weight * self.high - score, 0.0)
        return np.where(width > 0, target * ((weight - target) / weight) + rising, 0.0)

    def between(self, cuts: NDArray[Any]) -> tuple[Ends, Ends, Ends]:
        """The ends of the sums of w t, of w s and of w (t - s) in the bins between cumulative weights."""
        weight, last = np.diff(cuts), len(self.weight) - 1
        begins = np.clip(np.searchsorted(self.before, cuts[:-1], "right") - 1, 0, last)
        stops = np.clip(np.searchsorted(self.before, cuts[1:], "left") - 1, 0, last)
        targets, scores, gaps = ((low[1:] - high[:-1], high[1:] - low[:-1]) for low, high in self.up_to(cuts))
        targets = np.maximum(targets[0], 0.0), np.minimum(targets[1], weight)
        scores = np.maximum(scores[0], weight * self.low[begins]), np.minimum(scores[1], weight * self.high[stops])
        # The differences above treat cuts as independent. Cuts in the same cell are not, which narrows the ends.
        gaps = np.maximum(gaps[0], targets[0] - scores[1]), np.minimum(gaps[1], targets[1] - scores[0])
        return targets, scores, gaps

    def up_to(self, cuts: NDArray[Any]) -> tuple[Ends, Ends, Ends]:
        """The ends of the sums of w t, of w s and of w (t - s) over the samples up to cumulative weights."""
        cell = np.clip(np.searchsorted(self.before, cuts, "right") - 1, 0, len(self.weight) - 1)
        part = cuts - self.before[cell]
        weight, score, target = self.weight[cell], self.score[cell], self.target[cell]
        low, high, rest = self.low[cell], self.high[cell], weight - part
        share = np.clip(part / weight, 0.0, 1.0)
        known = (low == high) | (part <= 0) | (rest <= 0)
        targets = np.maximum(0.0, target - rest), np.minimum(part, target)
        scores = np.maximum(part * low, score - rest * high), np.minimum(score - rest * low, share * score)
        gaps = targets[0] - scores[1], targets[1] - scores[0]
        before = (np.concatenate(([0.0], np.cumsum(sums)))[cell] for sums in (self.target, self.score))
        return tuple(  # type: ignore[return-value]
            tuple(so_far + np.where(known, share * whole, end) for end in ends)
            for so_far, whole, ends in zip(
                (*before, self.gap_before[cell]), (target, score, target - score), (targets, scores, gaps), strict=True
            )
        )


def error_bounds(summary: Summary, *, error: Any, p: float = 1.0, aggregate: str = "mean") -> tuple[float, float]:
    """Bounds of an error of the samples, of which only a summary is left.

    Parameters
    ----------
    summary : Summary
    error : binning, "ks", "kuiper", "smooth" or "debiased"
        Of `calibration_error` in these bins (total variation), of `ks_error`, `kuiper_error`, `smooth_error`, or of
        `debiased_error` in its 15 bins of equal mass.
    p, aggregate
        As in `calibration_error`.

    Returns
    -------
    low, high : float
        Equal up to rounding (1e-12, and 1e-13 times the root of the number of samples) where the summary knows the
        number: in uniform bins of edges that its grid has, and where every cell holds samples of one score.

    Raises
    ------
    EmptyProblemError
        Where no sample was kept.
    TypeError, ValueError
        For other measures, and for uniform bins of other edges.

    See Also
    --------
    curve_bounds : The same for curves.
    Summary : What the samples have become.

    Examples
    --------
    >>> summary = cv.summarize(cv.simulated("resnet110_c10", 1000), "class right")
    >>> low, high = cv.error_bounds(summary, error="ks")
    >>> low <= cv.ks_error(cv.simulated("resnet110_c10", 1000), "class right") <= high, high - low < 1e-3
    (True, True)
    """
    cells = GridCells.of(summary)
    p = validation.real_number(p, "p", 1.0)
    validation.choice(aggregate, "aggregate", ("mean", "max"))
    if isinstance(error, str) and error == "smooth":
        low, high = smooth_ends(summary.problem, cells.mean_move)
        return low, min(high, 1.0)
    if isinstance(error, str) and error in ("ks", "kuiper"):
        ends = _cumulative_ends(cells, error)
    elif isinstance(error, str) and error == "debiased":
        ends = _debiased_ends(cells, summary)
    elif isinstance(error, Uniform):
        bins = uniform_bins(summary, error)
        gap = np.nan_to_num((bins.target - bins.score) * bins.weight)
        ends = _errors(bins.weight, gap, gap, p, aggregate)
    elif isinstance(error, EqualMass):
        ends = _equal_mass_ends(cells, cuts_of(summary, error.bins), p, aggregate)
    elif isinstance(error, Sweep) and error.is_by_mass:
        ends = _swept_ends(cells, summary, p, aggregate)
    else:
        raise ValueError(
            f'error must be "ks", "kuiper", "smooth", "debiased", or a binning such as cv.Uniform(15), '
            f"cv.EqualMass(15) or cv.Sweep(), not {error!r}"
        )
    rounding = _rounding(summary)
    return min(max(0.0, ends[0] - rounding), 1.0), min(ends[1] + rounding, 1.0)


def _rounding(summary: Summary) -> float:
    return ROUNDING * (10 + math.sqrt(summary.count.sum()))


def _debiased_ends(cells: GridCells, summary: Summary) -> tuple[float, float]:
    """The ends of the debiased error, from those of the squared gap and of the variance in each bin."""
    problem, cuts = summary.problem, cuts_of(summary, EqualMass().bins)
    weight = np.diff(cuts)
    size = weight if problem.whole_weights else weight / problem.total * problem.effective_size
    # Whole weights are counts. Sums of others round, so a bin worth about 2 samples may take part or not.
    unsure = (np.abs(size - 2) < SIZE_TOLERANCE) & (not problem.whole_weights)
    kept = (size >= 2) | unsure
    weight, size, unsure = weight[kept], size[kept], unsure[kept]
    targets, _, gaps = cells.between(cuts)
    low, high = (np.abs(end[kept]) / weight for end in gaps)
    straddles = (gaps[0][kept] <= 0) & (gaps[1][kept] >= 0)
    least, most = np.where(straddles, 0.0, np.minimum(low, high)), np.maximum(low, high)
    first, last = (np.clip(end[kept] / weight, 0.0, 1.0) for end in targets)
    widest = np.where((first <= 0.5) & (last >= 0.5), 0.25, np.maximum(first * (1 - first), last * (1 - last)))
    narrowest = np.minimum(first * (1 - first), last * (1 - last))
    low, high = least**2 - widest / (size - 1), most**2 - narrowest / (size - 1)
    low, high = np.where(unsure, np.minimum(low, 0.0), low), np.where(unsure, np.maximum(high, 0.0), high)
    rounding = _rounding(summary)
    square = float(weight @ low) / cells.total - rounding, float(weight @ high) / cells.total + rounding
    return math.sqrt(max(0.0, square[0])), math.sqrt(max(0.0, square[1]))


def _cumulative_ends(cells: GridCells, measure: str) -> tuple[float, float]:
    """The ends of the KS or Kuiper error: the curves are known at the ends of each cell, which limit them inside."""
    least, greatest = cells.inside
    start, end = cells.gap_before[:-1], cells.gap_before[1:]
    unsettled = cells.low < cells.high
    up = np.minimum(start + greatest, end - least)[unsettled].max(initial=-np.inf)
    down = np.maximum(start + least, end - greatest)[unsettled].min(initial=np.inf)
    if measure == "ks":
        low = np.abs(end).max()
        high = max(low, up, -down)
    else:
        low = max(0.0, end.max()) - min(0.0, end.min())
        high = max(0.0, end.max(), up) - min(0.0, end.min(), down)
    return float(low) / cells.total, float(high) / cells.total


def cuts_of(summary: Summary, bins: int) -> NDArray[Any]:
    """The cumulative weights between which bins of equal mass lie, shape (bins + 1,)."""
    return np.asarray(equal_mass_cuts(summary.problem, bins, np.arange(bins + 1)), dtype=np.float64)


def _equal_mass_ends(cells: GridCells, cuts: NDArray[Any], p: float, aggregate: str) -> tuple[float, float]:
    _, _, (low, high) = cells.between(cuts)
    return _errors(np.diff(cuts), low, high, p, aggregate)


def _errors(weight: Array, low: Array, high: Array, p: float, aggregate: str) -> tuple[float, float]:
    """The ends of the error, given those of the sums of w (t - s) in bins of known weight."""
    kept = weight > 0
    weight, low, high = weight[kept], low[kept], high[kept]
    least = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high))) / weight
    most = np.maximum(np.abs(low), np.abs(high)) / weight
    if aggregate == "max":
        return float(least.max()), float(most.max())
    scale = float(most.max()) or 1.0  # so that no power of a small distance vanishes
    least_error, most_error = (
        scale * float(weight @ (gap / scale) ** p / weight.sum()) ** (1 / p) for gap in (least, most)
    )
    return least_error, most_error


def uniform_bins(summary: Summary, binning: Uniform) -> Bins:
    """The uniform bins of a summary, which are exact. A ValueError where its grid lacks their edges."""
    edges = binning.edges
    if binning.closed == "right":  # what lies on an edge must have a cell of its own
        edges = np.concatenate([edges, np.nextafter(edges, 1.0)])
    if not np.isin(edges, summary.grid.left).all():
        raise ValueError(
            f"the summary does not have the edges of {binning.bins} uniform bins: choose at most "
            f"{summary.grid.bins} of them, or make it with cv.ScoreGrid(bins={binning.bins})"
        )
    return binning(summary.problem)


def _swept_ends(cells: GridCells, summary: Summary, p: float, aggregate: str) -> tuple[float, float]:
    """The ends over all numbers of bins at which the sweep may end; where these are many, over any bins at all."""
    ends = []
    fewer = cuts_of(summary, 1)
    most = Sweep().most(summary.problem)
    for bins in range(2, min(most, MOST_SWEPT) + 1):
        cuts = cuts_of(summary, bins)
        (low, high), _, _ = cells.between(cuts)
        lowest, highest = low / np.diff(cuts), high / np.diff(cuts)
        if not (lowest[1:] >= highest[:-1] - FALL_TOLERANCE).all():  # it may end here
            ends.append(_equal_mass_ends(cells, fewer, p, aggregate))
        if (highest[1:] < lowest[:-1] - FALL_TOLERANCE).any():  # it does
            break
        fewer = cuts
    else:
        if most <= MOST_SWEPT:
            ends.append(_equal_mass_ends(cells, fewer, p, aggregate))
        else:  # no bins show less than the mean gap, or more than what every sample by itself would
            mean_gap = abs(float(cells.gap_before[-1])) / cells.total
            low, high = np.abs([cells.low, cells.high]), np.abs([1 - cells.low, 1 - cells.high])
            apart = cells.target @ high.max(axis=0) + (cells.weight - cells.target) @ low.max(axis=0)
            largest = max(low.max(), high.max())
            ends.append((mean_gap, float(apart / cells.total if p == 1 and aggregate == "mean" else largest)))
    return min(low for low, _ in ends), max(high for _, high in ends)
