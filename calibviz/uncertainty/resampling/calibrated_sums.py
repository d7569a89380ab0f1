"""Sums of observed less predicted events over equal scores, of data and of labels that calibrated scores draw."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.chances import Chances, Odds
from ...engine.cluster_draws import MOST_DRAWN, ClusterDraws, neighbours
from ...engine.summed import SummedProblem
from ...foundation.arrays import Array
from ...foundation.progress import with_progress
from ...metrics.calibration_tests import gap_variance
from ...metrics.clinical.penalised_curve import bounded_log_odds, build_features, held_by
from ...metrics.masses import repetitions, unit_weights, variances

NORMAL = 25.0  # variance of the events of a cell, from which on their sum is drawn from the normal distribution
AT_ONCE = 2_000_000  # sums of several draws
ROUGHNESS = 1.0  # of the curve that the smooth statistic looks for


class Statistics(NamedTuple):
    """How far several data sets are off, each shape (m,): see `calibration_test`."""

    kuiper: Array  # the range of the cumulated gaps, in standard deviations of their sum
    smooth: Array  # the score statistic of a smooth curve
    gap: Array  # the sum of all gaps, in the same unit as the range, or by itself where that is 0


@dataclass(frozen=True, eq=False)
class LabelDraws(Odds):
    """Labels that are to be drawn, in ascending order of the score: `times` of `unit` weight of each kind."""

    times: NDArray[np.intp]
    unit: Array

    @classmethod
    def by_row(cls, chances: Chances) -> LabelDraws:
        """The labels of rows, in their order."""
        rows, weight = chances.rows, unit_weights(chances.rows)
        times = weight if rows.whole_weights else np.ones(len(rows))
        odds = chances.score, chances.hit, chances.miss, chances.rest
        return cls(*odds, times.astype(np.intp), np.ones(len(rows)) if rows.whole_weights else weight)

    @classmethod
    def of(cls, chances: Chances, starts: NDArray[np.intp]) -> tuple[LabelDraws, NDArray[np.intp]]:
        """The labels of rows, as few and as long as equal ones allow, and where those of each score begin.

        So that no draw depends on the order of the samples, those of equal scores are ordered by what tells them apart.
        """
        problem, weight = chances.rows, unit_weights(chances.rows)
        odds = chances.score, chances.hit, chances.miss, chances.rest
        if not problem.whole_weights:
            order = np.lexsort((*odds[:0:-1], weight, problem.score))
            score, hit, miss, rest = (each[order] for each in odds)
            times: Array = np.ones(len(order))
            if isinstance(problem, SummedProblem):
                times = np.maximum(np.rint(problem.worth[order]), 1.0)
            return cls(score, hit, miss, rest, times.astype(np.intp), weight[order] / times), starts
        order = np.lexsort((*odds[:0:-1], problem.score))
        score, hit, miss, rest = (each[order] for each in odds)
        begins = np.append(True, np.any([np.diff(each) != 0 for each in (hit, miss, rest)], axis=0))
        begins[starts] = True
        kinds = np.flatnonzero(begins)
        counted = np.add.reduceat(weight[order], kinds).astype(np.intp)
        score, hit, miss, rest = (each[kinds] for each in (score, hit, miss, rest))
        return cls(score, hit, miss, rest, counted, np.ones(len(kinds))), np.searchsorted(kinds, starts)

    def of_cells(
        self, rows: NDArray[np.intp], kept: NDArray[np.bool_], together: bool
    ) -> tuple[LabelDraws, NDArray[np.intp]]:
        """The labels of some of the cells that begin at these rows, and where these cells begin then.

        With `together` all labels of a cell, which have one unit and are selected, are drawn at once at their mean
        score.
        """
        if together:
            times = np.add.reduceat(self.times, rows)
            score = (np.add.reduceat(self.times * self.score, rows) / times)[kept]
            none, one = np.zeros(len(score)), np.ones(len(score))
            return LabelDraws(score, score, 1 - score, none, times[kept], one), np.arange(len(score))
        size = np.diff(np.append(rows, len(self.score)))
        inside = np.repeat(kept, size)
        first = np.append(0, np.cumsum(size[kept]))[:-1]
        return LabelDraws(*(getattr(self, part.name)[inside] for part in fields(self))), first

    def gaps(self, m: int, rng: np.random.Generator) -> Array:
        """The weight of m draws of the labels, less what is expected, shape (m, rows)."""
        single, size = self.times == 1, (m, len(self.score))
        one: NDArray[np.bool_] | slice = slice(None) if single.all() else single  # a mask takes three times as long
        gaps = np.empty(size)
        u = rng.random((m, int(single.sum())))
        gaps[:, one] = u < self.hit[one]
        if not self.are_selected:
            chosen = np.empty(size)
            chosen[:, one] = u < self.share[one]
        if not single.all():
            times, hit = self.times[~single], self.hit[~single]
            gaps[:, ~single] = hits = rng.binomial(times, hit, (m, len(times)))
            if not self.are_selected:
                left = self.miss[~single] / np.where(hit < 1, 1 - hit, 1.0)  # of those that are no hits
                chosen[:, ~single] = hits + rng.binomial(times - hits, np.minimum(left, 1.0))
        gaps -= (self.times if self.are_selected else chosen) * self.score
        gaps -= self.times * self.expected
        gaps *= self.unit
        return gaps


class CalibratedSums:
    """The sums of w (t - s) over equal scores, of a problem of labels 0 or 1 and of labels drawn from its scores.

    Under a selection that looks at the truth they are the sums of its residuals, and the labels of all rows are drawn.
    Where very many labels are to be drawn, neighbouring scores share one of 2,000 cells.
    """

    def __init__(self, chances: Chances, replicates: int) -> None:
        problem = chances.rows
        starts = np.append(0, problem.block_ends[:-1])
        labels, rows = LabelDraws.of(chances, starts)
        weight, worth, score = unit_weights(problem), repetitions(problem), chances.score
        upto = np.append(0.0, np.cumsum(np.add.reduceat(worth, starts)))
        shared = len(labels.score) * replicates > MOST_DRAWN
        if shared:
            kept = neighbours(worth, starts)
            starts, rows, upto = starts[kept], rows[kept], upto[np.append(kept, -1)]
        target, predicted, expected = (np.add.reduceat(each, starts) for each in chances.terms(weight))
        self.observed = target - predicted - expected  # shape (cells,)
        z = np.add.reduceat(worth * bounded_log_odds(score), starts) / np.add.reduceat(worth, starts)
        features = build_features(z, (upto[:-1] + upto[1:]) / (2 * upto[-1]))
        known = np.add.reduceat(worth * chances.variance, starts)
        precision = features.T @ (features * known[:, None]) + np.diag(held_by(ROUGHNESS))
        slope = features.T * (worth.sum() / weight.sum())
        self._whitened = np.linalg.solve(np.linalg.cholesky(precision), slope).T
        self._clusters = None if problem.clusters is None else ClusterDraws(chances, replicates, starts)
        self.spread = float(np.sqrt(gap_variance(chances)))  # of the sum of all gaps if the scores are calibrated
        if self._clusters is not None:
            return
        variance = np.add.reduceat(variances(problem) * chances.variance, starts)
        events = labels.times * labels.variance
        self._is_normal = np.add.reduceat(events, rows) >= NORMAL if shared else np.zeros(len(rows), np.bool_)
        self._normal_spread = np.sqrt(variance[self._is_normal])
        together = problem.whole_weights and labels.are_selected
        self._labels, self._rows = labels.of_cells(rows, ~self._is_normal, together)

    def statistics(self, gaps: Array) -> Statistics:
        """How far data sets are off whose gaps add up to these sums in each cell, shape (m, cells)."""
        walk = np.cumsum(gaps, axis=1)
        kuiper = walk.max(axis=1, initial=0.0) - walk.min(axis=1, initial=0.0)
        unit = self.spread or 1.0
        return Statistics(kuiper / unit, ((gaps @ self._whitened) ** 2).sum(axis=1), walk[:, -1] / unit)

    def drawn(self, replicates: int, seed: int, progress: bool) -> list[Statistics]:
        """How far data sets are off whose labels the scores have drawn, for each kind of draws."""
        if self._clusters is not None:

            def measure(gaps: Array) -> Array:
                return np.stack(self.statistics(gaps))

            return [Statistics(*each[:, 1:]) for each in self._clusters.statistics(measure, seed)]
        rng = np.random.default_rng(seed)
        step = max(1, AT_ONCE // max(len(self._labels.score), len(self.observed)))
        firsts = range(0, replicates, step)
        parts = [
            self.statistics(self._draw(min(step, replicates - first), rng))
            for first in with_progress(firsts, "calibrated labels", len(firsts), progress)
        ]
        return [Statistics(*map(np.concatenate, zip(*parts, strict=True)))]

    def _draw(self, m: int, rng: np.random.Generator) -> Array:
        gaps = np.empty((m, len(self.observed)))
        gaps[:, self._is_normal] = rng.standard_normal((m, len(self._normal_spread))) * self._normal_spread
        if len(self._rows):
            gaps[:, ~self._is_normal] = np.add.reduceat(self._labels.gaps(m, rng), self._rows, axis=1)
        return gaps
