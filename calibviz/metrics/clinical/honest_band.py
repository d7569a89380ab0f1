"""A simultaneous band of any rising calibration curve (Dimitriadis et al. 2023)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.scalar import ScalarProblem
from ...foundation.clusters import refuse_clusters
from ..masses import clopper_pearson
from .penalised_curve import penalised_curve

Array = NDArray[np.float64]

MOST_CUTS = 60  # of the samples into blocks, of which all pairs are looked at


class HonestCurve:
    """The penalised curve with a band that holds every rising true curve, everywhere at once.

    Parameters
    ----------
    problem : ScalarProblem
        Weights must count repetitions.
    """

    def __init__(self, problem: ScalarProblem) -> None:
        refuse_clusters(problem, 'smoother="honest"')
        if problem.given_weight is not None and not problem.whole_weights:
            raise ValueError('smoother="honest" needs weights that count repetitions: pass smoother="penalised"')
        times = problem.weight
        self._curve = penalised_curve(problem)
        ends = np.append(0, problem.block_ends)  # a cut through equal scores would make their order matter
        upto, hits = (np.append(0.0, np.cumsum(each))[ends] for each in (times, times * problem.given_target))
        n, score = int(upto[-1]), problem.score
        blocks = min(n, MOST_CUTS)
        cuts = np.unique(np.searchsorted(upto, [k * n // blocks for k in range(blocks + 1)]))
        first, last = (cuts[each] for each in np.triu_indices(len(cuts), 1))
        self._size = upto[last] - upto[first]
        self._share = (hits[last] - hits[first]) / self._size
        self._begins, self._ends = score[ends[first]], score[ends[last] - 1]

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
