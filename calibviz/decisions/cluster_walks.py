"""How far the cumulated gaps of segments go, compared with draws for whole clusters of samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..engine.cluster_draws import need_whole_clusters
from ..engine.clustered import Clusters, too_few
from ..engine.scalar import ScalarProblem
from .segment_tests import AT_ONCE, Refits, SegmentWalks, gaps_of

Array = NDArray[np.float64]


class ClusterWalks:
    """The walks of all segments under draws: by one sign for each cluster and, where these do not do, whole clusters.

    Parameters
    ----------
    problem : ScalarProblem
    tests : sequence of SegmentWalks
        Of each division.
    chance : ndarray, shape (n,)
        The probabilities that are tested.
    refits : Refits, optional
        The curve that is fitted anew to each draw, where the probabilities are those of a curve.
    """

    def __init__(
        self, problem: ScalarProblem, tests: Sequence[SegmentWalks], chance: Array, refits: Refits | None
    ) -> None:
        clusters = Clusters.of(problem)
        assert clusters is not None
        self._problem, self._tests, self._chance, self._refits = problem, tests, chance, refits
        self._clusters = clusters
        whole = need_whole_clusters(clusters, problem.score, problem.given_target)
        self._kinds = [self._signed, self._whole] if whole else [self._signed]
        self._own = self._reached(gaps_of(problem, problem.given_target[None], chance))[0]
        self._drawn: list[Array] = []

    def steps(self, draws: int) -> int:
        """How many parts `drawn` makes the draws in."""
        return len(self._kinds) * -(-draws // AT_ONCE)

    def drawn(self, draws: int, seed: int | None) -> Iterator[float]:
        """Make the draws, and yield the share that is done."""
        rng = np.random.default_rng(seed)
        for k, kind in enumerate(self._kinds):
            found = []
            for first in range(0, draws, AT_ONCE):
                targets = kind(min(AT_ONCE, draws - first), rng)
                fitted = np.broadcast_to(self._chance, targets.shape)
                if self._refits is not None:
                    fitted = self._refits.fitted(targets)
                found.append(self._reached(gaps_of(self._problem, targets, fitted)))
                yield (k + (first + len(targets)) / draws) / len(self._kinds)
            self._drawn.append(np.concatenate(found))

    def ratios(self) -> Array:
        """How far the gaps of each segment go, in units of what draws by signs reach: their root mean square."""
        return self._in_units(self._own, self._drawn[0])

    def p_values(self) -> tuple[Array, Array]:
        """The p-value of each segment alone, and adjusted for all: the larger one of all kinds of draws.

        Both are nan of too few clusters.
        """
        if too_few(self._clusters.count):
            unknown = np.full(len(self._own), np.nan)
            return unknown, unknown
        alone, adjusted = [], []
        for drawn in self._drawn:
            own, others = self._in_units(self._own, drawn), self._in_units(drawn, drawn)
            alone.append((1 + (others >= own).sum(axis=0)) / (1 + len(drawn)))
            adjusted.append((1 + (others.max(axis=1)[:, None] >= own).sum(axis=0)) / (1 + len(drawn)))
        return np.max(alone, axis=0), np.max(adjusted, axis=0)

    @staticmethod
    def _in_units(values: Array, drawn: Array) -> Array:
        unit = np.sqrt(np.square(drawn).mean(axis=0))
        return np.divide(values, unit, out=np.zeros_like(values), where=unit > 0)

    def _reached(self, gaps: Array) -> Array:
        return np.concatenate([test.reached(gaps)[0] for test in self._tests], axis=1)

    def _signed(self, m: int, rng: np.random.Generator) -> Array:
        sign = 1.0 - 2.0 * rng.integers(0, 2, (m, self._clusters.count))
        gaps: Array = sign[:, self._clusters.code] * (self._problem.given_target - self._chance)
        return self._chance + gaps

    def _whole(self, m: int, rng: np.random.Generator) -> Array:
        return (rng.random((m, self._clusters.count))[:, self._clusters.code] < self._chance).astype(np.float64)
