"""A simultaneous band of any rising calibration curve (Dimitriadis et al. 2023)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...foundation.clusters import refuse_clusters
from ..masses import clopper_pearson
from .penalised_curve import penalised_curve

MOST_CUTS = 60  # of the samples into blocks, of which all pairs are looked at
RUNS_OF_CHANCE = 4.0  # standard deviations: rows in any order lack so many runs once in 30,000 files


class HonestCurve:
    """The penalised curve with a band that holds every rising true curve, everywhere at once."""

    def __init__(self, problem: ScalarProblem) -> None:
        refuse_clusters(problem, 'smoother="honest"')
        if problem.given_weight is not None and not problem.whole_weights:
            raise ValueError('smoother="honest" needs weights that count repetitions: pass smoother="penalised"')
        times = problem.weight
        self._curve = penalised_curve(problem)
        upto = np.append(0.0, np.cumsum(times))
        n = int(upto[-1])
        blocks = min(n, MOST_CUTS)
        cuts = np.array([k * n // blocks for k in range(blocks + 1)], dtype=np.float64)
        if _arranged(problem):
            ends = np.append(0.0, upto[problem.block_ends])
            cuts = np.unique(ends[np.searchsorted(ends, cuts)])
        first, last = np.triu_indices(len(cuts), 1)
        hits = np.interp(cuts, upto, np.append(0.0, np.cumsum(times * problem.given_target)))
        self._size = cuts[last] - cuts[first]
        self._share = np.clip((hits[last] - hits[first]) / self._size, 0.0, 1.0)
        row_of = np.searchsorted(upto[1:], cuts, "right").clip(0, len(times) - 1)  # the sample that follows a cut
        row_before = np.searchsorted(upto[1:], cuts)
        self._begins, self._ends = problem.score[row_of[first]], problem.score[row_before[last]]

    @property
    def about(self) -> dict[str, Any]:
        """The penalty of the curve."""
        return self._curve.about

    def __call__(self, score: Array) -> Array:
        """The probability that the penalised curve gives to scores."""
        return self._curve(score)

    def band(self, score: Array, level: float) -> tuple[Array, Array]:
        """The least and the largest value of a rising curve that no block of neighbours refutes."""
        each = 1 - (1 - level) / len(self._size)
        lower, upper = clopper_pearson(self._share, self._size, each)
        score = np.asarray(score)[:, None]
        return (
            np.where(self._ends <= score, lower, 0.0).max(axis=1, initial=0.0),
            np.where(self._begins >= score, upper, 1.0).min(axis=1, initial=1.0),
        )


def _arranged(problem: ScalarProblem) -> bool:
    """Whether the rows of equal scores stand in an order that depends on their targets, by the number of runs.

    A cut through equal scores takes their order for an accident. In a file that is sorted by its outcome it is none.
    """
    ends = problem.block_ends
    begins, size = np.append(0, ends[:-1]), np.diff(ends, prepend=0)
    hits = np.add.reduceat(problem.given_target, begins)
    pairs = 2 * hits * (size - hits)
    changes = np.abs(np.diff(problem.given_target, append=0.0))
    changes[ends - 1] = 0.0
    expected = (pairs / size).sum()
    variance = (pairs * (pairs - size) / (size**2 * np.maximum(size - 1, 1))).sum()
    return bool(expected - changes.sum() > RUNS_OF_CHANCE * np.sqrt(max(variance, 0.0)))
