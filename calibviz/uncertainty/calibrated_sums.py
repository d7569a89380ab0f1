"""Sums of observed less predicted events over equal scores, of data and of labels that calibrated scores draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.scalar import ScalarProblem
from ..engine.summed import SummedProblem
from ..foundation.progress import with_progress
from ..metrics.clinical.penalised_curve import bounded_log_odds, build_features, held_by
from ..metrics.masses import label_variances, repetitions, unit_weights

Array = NDArray[np.float64]

MOST_DRAWN = 200_000_000  # labels of all draws; more are drawn in cells of neighbouring scores
CELLS = 2000
NORMAL = 25.0  # variance of the events of a cell, from which on their sum is drawn from the normal distribution
AT_ONCE = 2_000_000  # sums of several draws
ROUGHNESS = 1.0  # of the curve that the smooth statistic looks for


class Statistics(NamedTuple):
    """How far several data sets are off, each shape (m,): see `calibration_test`.

    Attributes
    ----------
    kuiper : ndarray
        The range of the cumulated gaps, in standard deviations of their sum.
    smooth : ndarray
        The score statistic of a smooth curve.
    gap : ndarray
        The sum of all gaps, in the same unit as the range, or by itself where that is 0.
    """

    kuiper: Array
    smooth: Array
    gap: Array


@dataclass(frozen=True)
class _Labels:
    """Labels that are to be drawn, in ascending order of the score: `times` of `unit` weight at each score."""

    score: Array
    times: NDArray[np.int64]
    unit: Array

    @classmethod
    def of(cls, problem: ScalarProblem, starts: NDArray[np.intp]) -> _Labels:
        """The labels of a problem, as few and as long as those of equal scores and weights allow.

        So that no draw depends on the order of the samples, those of equal scores are ordered by their weights.
        """
        score, weight = np.clip(problem.score, 0.0, 1.0), unit_weights(problem)
        if problem.whole_weights:
            times = np.add.reduceat(weight, starts).astype(np.int64)
            return cls(score[starts], times, np.ones(len(starts)))
        order = np.lexsort((weight, score))
        if isinstance(problem, SummedProblem):
            times = np.maximum(np.rint(problem.worth[order]), 1.0)
            return cls(score, times.astype(np.int64), weight[order] / times)
        return cls(score, np.ones(len(score), np.int64), weight[order])

    def of_cells(
        self, rows: NDArray[np.intp], kept: NDArray[np.bool_], together: bool
    ) -> tuple[_Labels, NDArray[np.intp]]:
        """The labels of some of the cells that begin at these rows, and where these cells begin then.

        With `together` all labels of a cell, which have one unit, are drawn at once at their mean score.
        """
        if together:
            times = np.add.reduceat(self.times, rows)
            score = np.add.reduceat(self.times * self.score, rows) / times
            return _Labels(score[kept], times[kept], np.ones(int(kept.sum()))), np.arange(kept.sum())
        size = np.diff(np.append(rows, len(self.score)))
        inside = np.repeat(kept, size)
        first = np.append(0, np.cumsum(size[kept]))[:-1]
        return _Labels(self.score[inside], self.times[inside], self.unit[inside]), first

    def gaps(self, m: int, rng: np.random.Generator) -> Array:
        """The weight of m draws of the labels, less what is expected, shape (m, rows)."""
        single = self.times == 1
        drawn = np.empty((m, len(self.score)))
        drawn[:, single] = rng.random((m, int(single.sum()))) < self.score[single]
        if not single.all():
            drawn[:, ~single] = rng.binomial(self.times[~single], self.score[~single], (m, int((~single).sum())))
        gaps: Array = (drawn - self.times * self.score) * self.unit
        return gaps


class CalibratedSums:
    """The sums of w (t - s) over equal scores, of a problem and of labels drawn from its scores.

    Parameters
    ----------
    problem : ScalarProblem
        With labels that are 0 or 1.
    replicates : int
        How many draws are to be made: for very many labels, neighbouring scores share one of 2,000 cells.

    Attributes
    ----------
    observed : ndarray, shape (cells,)
    spread : float
        The standard deviation of the sum of all gaps if the scores are calibrated.
    """

    def __init__(self, problem: ScalarProblem, replicates: int) -> None:
        starts = np.append(0, problem.block_ends[:-1])
        labels = _Labels.of(problem, starts)
        rows = np.arange(len(starts)) if problem.whole_weights else starts  # of labels, where cells begin
        weight, worth, score = unit_weights(problem), repetitions(problem), np.clip(problem.score, 0.0, 1.0)
        upto = np.append(0.0, np.cumsum(np.add.reduceat(worth, starts)))
        shared = len(labels.score) * replicates > MOST_DRAWN
        if shared:
            kept = np.unique(np.searchsorted(upto[:-1], upto[-1] * np.arange(CELLS) / CELLS, "right") - 1)
            starts, rows, upto = starts[kept], rows[kept], upto[np.append(kept, -1)]
        variance = np.add.reduceat(label_variances(problem), starts)
        self.observed = np.add.reduceat(weight * problem.given_target, starts) - np.add.reduceat(weight * score, starts)
        self.spread = float(np.sqrt(variance.sum()))
        z = np.add.reduceat(worth * bounded_log_odds(score), starts) / np.add.reduceat(worth, starts)
        features = build_features(z, (upto[:-1] + upto[1:]) / (2 * upto[-1]))
        known = np.add.reduceat(worth * score * (1 - score), starts)
        precision = features.T @ (features * known[:, None]) + np.diag(held_by(ROUGHNESS))
        slope = features.T * (worth.sum() / weight.sum())
        self._whitened = np.linalg.solve(np.linalg.cholesky(precision), slope).T
        events = labels.times * labels.score * (1 - labels.score)
        self._is_normal = np.add.reduceat(events, rows) >= NORMAL if shared else np.zeros(len(rows), np.bool_)
        self._normal_spread = np.sqrt(variance[self._is_normal])
        self._labels, self._rows = labels.of_cells(rows, ~self._is_normal, problem.whole_weights)

    def statistics(self, gaps: Array) -> Statistics:
        """How far data sets are off whose gaps add up to these sums in each cell, shape (m, cells)."""
        walk = np.cumsum(gaps, axis=1)
        kuiper = walk.max(axis=1, initial=0.0) - walk.min(axis=1, initial=0.0)
        unit = self.spread or 1.0
        return Statistics(kuiper / unit, ((gaps @ self._whitened) ** 2).sum(axis=1), walk[:, -1] / unit)

    def drawn(self, replicates: int, seed: int, progress: bool) -> Statistics:
        """How far data sets are off whose labels the scores have drawn."""
        rng = np.random.default_rng(seed)
        step = max(1, AT_ONCE // max(len(self._labels.score), len(self.observed)))
        firsts = range(0, replicates, step)
        parts = [
            self.statistics(self._draw(min(step, replicates - first), rng))
            for first in with_progress(firsts, "calibrated labels", len(firsts), progress)
        ]
        return Statistics(*map(np.concatenate, zip(*parts, strict=True)))

    def _draw(self, m: int, rng: np.random.Generator) -> Array:
        gaps = np.empty((m, len(self.observed)))
        gaps[:, self._is_normal] = rng.standard_normal((m, len(self._normal_spread))) * self._normal_spread
        if len(self._rows):
            gaps[:, ~self._is_normal] = np.add.reduceat(self._labels.gaps(m, rng), self._rows, axis=1)
        return gaps
