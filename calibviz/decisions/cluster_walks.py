"""How far the cumulated gaps of segments go, compared with draws for whole clusters of samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..engine.chances import Chances
from ..engine.cluster_draws import drawn_gaps, need_whole_clusters
from ..engine.clustered import Clusters, too_few
from ..metrics.masses import unit_weights
from .divisions import Division
from .segment_tests import AT_ONCE, Refits, SegmentWalks

Array = NDArray[np.float64]

CATALAN = 0.9159655941772190
#: Root mean square of the range, and of the largest distance from 0, of a Brownian motion up to time 1.
WALKS_REACH = {"kuiper": 2 * np.sqrt(np.log(2)), "ks": np.sqrt(2 * CATALAN)}


class ClusterWalks:
    """The walks of all segments under draws: by one sign for each cluster and, where these do not do, whole clusters.

    Parameters
    ----------
    chances : Chances
        Of a problem with clusters.
    divisions : sequence of Division
        Of its rows.
    statistic : {"kuiper", "ks"}
    chance : ndarray, shape (n,)
        The probabilities that are tested; under a selection that looks at the truth those of `chances` are.
    refits : Refits, optional
        The curve that is fitted anew to each draw, where the probabilities are those of a curve.
    """

    def __init__(
        self, chances: Chances, divisions: Sequence[Division], statistic: str, chance: Array, refits: Refits | None
    ) -> None:
        self._odds, self._rows, self._chance, self._refits = chances, chances.rows, chance, refits
        clusters = Clusters.of(self._rows)
        assert clusters is not None
        self._clusters = clusters
        self._tests = [SegmentWalks(self._rows, division, statistic, chance) for division in divisions]
        whole = need_whole_clusters(clusters, self._rows.score, self._rows.given_target)
        self._kinds = [self._signed, self._whole] if whole else [self._signed]
        self._gaps = chances.residuals
        if chances.are_selected:
            self._gaps = self._rows.given_target - chance
        self._own = self._reached(self._gaps[None])[0]
        self._least = WALKS_REACH[statistic] * self._spreads()
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
                gaps = kind(min(AT_ONCE, draws - first), rng)
                if self._refits is not None:
                    targets = self._chance + gaps
                    gaps = targets - self._refits.fitted(targets)
                found.append(self._reached(gaps))
                yield (k + (first + len(gaps)) / draws) / len(self._kinds)
            self._drawn.append(np.concatenate(found))

    def ratios(self) -> Array:
        """How far the gaps of each segment go, in units of their noise under draws by signs."""
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

    def _spreads(self) -> Array:
        """The standard deviation of the sum of the gaps of each segment, if rows were independent.

        At a horizon 0, since weights depend on the outcomes there.
        """
        if self._rows.horizon is not None:
            return np.zeros(len(self._own))
        likely = self._chance * (1 - self._chance) if self._odds.are_selected else self._odds.variance
        times = 1.0 if self._clusters.times is None else self._clusters.times
        each = unit_weights(self._rows) ** 2 / times * likely
        sums = [np.add.reduceat(each[test.rows], test.starts) for test in self._tests]
        return np.sqrt(np.maximum(np.concatenate(sums), 0.0))

    def _in_units(self, values: Array, drawn: Array) -> Array:
        # Signs of few events reach too little: the unit is no less than that of independent rows.
        unit = np.maximum(np.sqrt(np.square(drawn).mean(axis=0)), self._least)
        return np.divide(values, unit, out=np.zeros_like(values), where=unit > 0)

    def _reached(self, gaps: Array) -> Array:
        weighted = gaps * unit_weights(self._rows)
        return np.concatenate([test.reached(weighted)[0] for test in self._tests], axis=1)

    def _signed(self, m: int, rng: np.random.Generator) -> Array:
        return (1.0 - 2.0 * rng.integers(0, 2, (m, self._clusters.count)))[:, self._clusters.code] * self._gaps

    def _whole(self, m: int, rng: np.random.Generator) -> Array:
        uniform = rng.random((m, self._clusters.count))[:, self._clusters.code]
        return (uniform < self._chance) - self._chance if self._odds.are_selected else drawn_gaps(self._odds, uniform)
