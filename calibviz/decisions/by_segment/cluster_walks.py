"""How far the cumulated gaps of segments go, compared with draws for whole clusters of samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...engine.chances import Chances
from ...engine.cluster_draws import EQUAL, drawn_gaps, need_whole_clusters, sign_patterns
from ...engine.clustered import Clusters, too_few
from ...foundation.arrays import Array
from ...metrics.masses import unit_weights
from .divisions import Division
from .segment_tests import AT_ONCE, Refits, SegmentWalks

CATALAN = 0.9159655941772190
#: Root mean square of the range, and of the largest distance from 0, of a Brownian motion up to time 1.
WALKS_REACH = {"kuiper": 2 * np.sqrt(np.log(2)), "ks": np.sqrt(2 * CATALAN)}


class ClusterWalks:
    """The walks of all segments under draws: by one sign for each cluster and, where these do not do, whole clusters.

    Of few clusters all patterns of signs are drawn, once each, but where a curve is fitted to every draw, by `refits`:
    there the probabilities `chance` that are tested are those of a curve. Under a selection that looks at the truth,
    those of `chances` are tested.
    """

    def __init__(
        self,
        chances: Chances,
        divisions: Sequence[Division],
        statistic: str,
        chance: Array,
        refits: Refits | None,
        draws: int,
        seed: int | None,
    ) -> None:
        self._odds, self._rows, self._chance, self._refits = chances, chances.rows, chance, refits
        clusters = Clusters.of(self._rows)
        assert clusters is not None
        self._clusters = clusters
        self._tests = [SegmentWalks(self._rows, division, statistic, chance) for division in divisions]
        rng, count = np.random.default_rng(seed), clusters.count
        if refits is None:  # one cluster has the opposite of its own pattern alone
            signs = sign_patterns(count, draws, rng, even=count > 1)[1:]
        else:  # which take long
            signs = np.where(rng.integers(0, 2, (draws, count)), -1.0, 1.0)
        self._numbers = [signs]
        if need_whole_clusters(clusters, self._rows.score, self._rows.given_target):
            self._numbers.append(rng.random((draws, count)))
        self._gaps = chances.residuals
        if chances.are_selected:
            self._gaps = self._rows.given_target - chance
        self._own = self._reached(self._gaps[None])[0]
        self._least = WALKS_REACH[statistic] * self._spreads()
        self._drawn: list[Array] = []

    @property
    def steps(self) -> int:
        """How many parts `drawn` makes the draws in."""
        return sum(-(-len(numbers) // AT_ONCE) for numbers in self._numbers)

    def drawn(self) -> Iterator[float]:
        """Make the draws, and yield the share that is done."""
        done, total = 0, sum(map(len, self._numbers))
        for numbers, gaps_of in zip(self._numbers, (self._signed, self._whole), strict=False):
            found = []
            for first in range(0, len(numbers), AT_ONCE):
                gaps = gaps_of(numbers[first : first + AT_ONCE, self._clusters.code])
                if self._refits is not None:
                    targets = self._chance + gaps
                    gaps = targets - self._refits.fitted(targets)
                found.append(self._reached(gaps))
                done += len(gaps)
                yield done / total
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
            own, others = self._in_units(self._own, drawn) * (1 - EQUAL), self._in_units(drawn, drawn)
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

    def _signed(self, signs: Array) -> Array:
        return signs * self._gaps

    def _whole(self, uniform: Array) -> Array:
        return (uniform < self._chance) - self._chance if self._odds.are_selected else drawn_gaps(self._odds, uniform)
