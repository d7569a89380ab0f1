"""Draws of calibrated data sets where samples belong together: one sign, or one uniform number, for each cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import Array
from .chances import Chances, Odds
from .clustered import Clusters, too_few

ENUMERATED = 12  # clusters, up to which all patterns of signs are used
DRAWS = 999
EQUAL = 1e-9  # relative, up to which two statistics are equal but for rounding
MOST_DRAWN = 200_000_000  # rows of all draws; more are drawn in cells of neighbouring scores
CELLS = 2000
AT_ONCE = 2_000_000  # rows of several draws
SIGNS, BOTH = "signs", "signs and whole clusters"  # what is drawn


def sign_patterns(clusters: int, draws: int, rng: np.random.Generator, even: bool = False) -> NDArray[np.float64]:
    """Signs of the clusters, shape (1 + m, clusters), the first those of the data: all ones.

    All patterns of few clusters, else `draws` random ones; these too where a floor has to do with fewer draws than
    there are patterns. Where a statistic is `even`, so that it is the same for a pattern and its opposite, half of all
    patterns are enough.
    """
    if clusters > ENUMERATED or draws < min(DRAWS, 2**clusters - 1):
        return np.vstack([np.ones((1, clusters)), 1.0 - 2.0 * rng.integers(0, 2, (draws, clusters))])
    free = clusters - 1 if even else clusters
    flipped = np.arange(2**free)[:, None] >> np.arange(free) & 1
    return np.hstack([np.ones((2**free, clusters - free)), 1.0 - 2.0 * flipped])


def need_whole_clusters(clusters: Clusters, score: Array, target: Array) -> bool:
    """Whether signs alone would reject too often, so that the strongest dependence has to be drawn too.

    Signs need residuals that are roughly symmetric over clusters: those of clusters of one outcome, and those of
    clusters of which few hold an event, are not.
    """
    return clusters.share_outcomes(target) or clusters.hold_few(score)


def neighbours(worth: Array, starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where the cells of neighbouring scores begin among ties that begin at `starts`, of rows of some worth (n,)."""
    upto = np.append(0.0, np.cumsum(np.add.reduceat(worth, starts)))
    return np.unique(np.searchsorted(upto[:-1], upto[-1] * np.arange(CELLS) / CELLS, "right") - 1)


class ClusterDraws:
    """Sums of w (t - s) over cells of equal scores: those of the data, and of draws for each cluster.

    Drawn by signs, the targets are s + xi (t - s), with xi = +1 or -1 for all rows of a cluster. Where these do not
    suffice, the targets 1[U < s] are drawn besides, with one uniform U for all rows of a cluster: no dependence that
    the scores allow is stronger. These need labels that are 0 or 1.

    Cells begin at the rows `starts`; by default at each distinct score, or there are 2,000 of very many rows.
    """

    def __init__(self, chances: Chances, draws: int = DRAWS, starts: NDArray[np.intp] | None = None) -> None:
        rows = chances.rows
        clusters = Clusters.of(rows)
        assert clusters is not None
        self.clusters, self._odds = clusters, chances
        self._residuals = clusters.weight * chances.residuals
        if starts is None:
            starts = np.append(0, rows.block_ends[:-1])
            if len(rows) * draws > MOST_DRAWN:
                starts = starts[neighbours(clusters.weight, starts)]
        self.starts, self._draws = starts, draws
        self.count = clusters.count
        self.kind = BOTH if need_whole_clusters(clusters, chances.score, rows.given_target) else SIGNS
        if self.kind == BOTH and not rows.is_binary:
            raise ValueError(
                "labels that are 0 or 1 are needed where all samples of a cluster have one outcome, or few clusters "
                "hold an event: these labels are soft"
            )

    @property
    def about(self) -> dict[str, Any]:
        """The kind of draws, the number of clusters, and whether each is one row."""
        return {"draws": self.kind, "clusters": self.count, "are_rows": self.clusters.are_rows}

    def p_value(self, measure: Callable[[Array], Array]) -> float:
        """How often a statistic of the sums over cells, (m, cells) to (m,), is as large; nan of too few clusters."""
        return np.nan if too_few(self.count) else largest_share(self.statistics(measure))

    def statistics(self, measure: Callable[[Array], Array], seed: int | None = 0) -> list[Array]:
        """A measure of the sums over cells, (m, cells) to (..., m): of the data, then of each draw.

        One array for each kind of draws.
        """
        rng = np.random.default_rng(seed)
        kinds = [self._signed(rng)] if self.kind == SIGNS else [self._signed(rng), self._whole(rng)]
        return [np.concatenate([measure(gaps) for gaps in kind], axis=-1) for kind in kinds]

    def _signed(self, rng: np.random.Generator) -> Iterator[Array]:
        from scipy.sparse import csr_array

        cells = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self._residuals)))
        size = len(self.starts), self.count
        sums = csr_array((self._residuals, (cells, self.clusters.code)), size)  # those of equal places are added up
        signs = sign_patterns(self.count, self._draws, rng, even=True)
        for block in _blocks(len(signs), max(size)):
            yield np.ascontiguousarray((sums @ np.ascontiguousarray(signs[block].T)).T)

    def _whole(self, rng: np.random.Generator) -> Iterator[Array]:
        yield np.add.reduceat(self._residuals, self.starts)[None]
        for block in _blocks(self._draws, len(self._residuals)):
            drawn = rng.random((len(range(*block.indices(self._draws))), self.count))[:, self.clusters.code]
            yield np.add.reduceat(drawn_gaps(self._odds, drawn) * self.clusters.weight, self.starts, axis=1)


def drawn_gaps(odds: Odds, uniform: Array) -> Array:
    """The residuals of labels that uniform numbers draw, shape (..., n)."""
    chosen = 1.0 if odds.are_selected else uniform < odds.share
    return (uniform < odds.hit) - chosen * odds.score - odds.expected


def _blocks(rows: int, size: int) -> Iterator[slice]:
    step = max(1, AT_ONCE // max(size, 1))
    return (slice(first, min(first + step, rows)) for first in range(0, rows, step))


def largest_share(several: Sequence[Array]) -> float:
    """The p-value of the first of several values, those of the data, by the kind of draws under which it is largest."""
    return max(float((values >= values[0] - EQUAL * max(abs(float(values[0])), 1e-300)).mean()) for values in several)
