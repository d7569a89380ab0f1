"""Clusters of a problem: sums over them, and how far means and counts of clusters vary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from ..foundation.arrays import Array, dot, kish_size
from ..foundation.cache import lazy_property
from ..foundation.written import counted
from .scalar import ScalarProblem, Weighted, once
from .sorted_scores import places

FEWEST = 6  # clusters: of fewer no pattern of signs is rarer than 1 in 16, and no spread of clusters is known
EQUAL = 1e-9  # of the weight, up to which an edge lies at the end of tied scores
FEWEST_EVENTS = 3.0  # clusters that hold an event, or that hold none, below which signs alone reject too often
FEWEST_OUTCOMES = 10.0  # those of one outcome each, below which intervals by their spread do not keep their level


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each row of a problem, and the weights of the rows.

    With clusters weights are no repetitions, and their unit means nothing: the largest is 1 here.
    """

    code: NDArray[np.intp]  # shape (n,): from 0 to `count` - 1, in the order of the rows
    weight: Array  # shape (n,)
    times: Array | None = None  # shape (n,): how many samples each row stands for; None where each is one

    @classmethod
    def of(cls, problem: Weighted) -> Clusters | None:
        """The clusters of a problem, which keeps them; None where it has none."""
        codes = problem.cluster_codes
        if codes is None:
            return None

        def make() -> Clusters:
            times = None if problem.times is None else problem.times[problem.order]
            return cls.of_rows(codes, problem.given_weight, times)

        return once(problem, "clusters", make, of_scores=True)

    @classmethod
    def of_rows(cls, codes: NDArray[np.intp], weight: Array | None, times: Array | None = None) -> Clusters:
        """The clusters of rows of these codes and weights; of weight 0 they are left out."""
        weight = np.ones(len(codes)) if weight is None else weight
        code = np.unique(codes[weight > 0], return_inverse=True)[1].astype(np.intp)
        return cls(code, weight[weight > 0] / weight.max(), None if times is None else times[weight > 0])

    @lazy_property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.code.max()) + 1

    @lazy_property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weight.sum())

    @lazy_property
    def worth(self) -> float:
        """How many clusters of equal weight they are worth (Kish 1965)."""
        return kish_size(self.sums(np.ones(len(self.code))))

    def sums(self, values: Array) -> Array:
        """The weighted sum of values (n,) or (n, m) over each cluster."""
        if values.ndim == 2:
            return np.stack([self.sums(column) for column in values.T], axis=1)
        return np.bincount(self.code, self.weight * values, self.count).astype(np.float64)

    @property
    def correction(self) -> float:
        """The factor C / (C - 1) by which squares of sums over clusters are too small; nan of too few clusters."""
        return self.count / (self.count - 1) if self.count >= FEWEST else np.nan

    def outer(self, values: Array) -> Array:
        """The sum over clusters of the products of all pairs of their sums, of values (n, m): shape (m, m)."""
        sums = self.sums(values)
        return sums.T @ sums

    def error_of_mean(self, values: Array) -> float:
        """The standard error of the weighted mean of values (n,); nan of too few clusters."""
        mean = dot(self.weight, values) / self.total
        return float(np.sqrt(self.correction * np.square(self.sums(values - mean)).sum()) / self.total)

    def spreads_up_to(self, values: Array) -> Array:
        """The root of the sum of squares of the weighted sums over clusters of the first rows, (n + 1,), from 0."""
        return np.sqrt(np.maximum(np.append(0.0, self.products_up_to(values, values)), 0.0))

    def products_up_to(self, values: Array, others: Array) -> Array:
        """The sum over clusters of the product of two weighted sums of the first 1, 2, ..., n rows, (n,)."""
        one, two = self.weight * values, self.weight * others
        first, second = self._own_up_to(one), self._own_up_to(two)
        products: Array = np.cumsum(first * two + one * second - one * two)  # each less what it was before
        return products

    def _own_up_to(self, values: Array) -> Array:
        """The sum of values over the rows of the same cluster up to each, (n,)."""
        order = np.argsort(self.code, kind="stable")
        upto = np.cumsum(values[order])
        size = np.bincount(self.code, minlength=self.count)
        own = np.empty(len(values))
        own[order] = upto - np.repeat(np.append(0.0, upto[np.cumsum(size)[:-1] - 1]), size)
        return own

    @property
    def many_up_to(self) -> NDArray[np.intp]:
        """How many clusters have one of the first 1, 2, ..., n rows."""
        is_first = np.zeros(len(self.code), dtype=np.intp)
        is_first[np.unique(self.code, return_index=True)[1]] = 1
        return np.cumsum(is_first)

    @property
    def worth_up_to(self) -> Array:
        """How many clusters of equal weight those of the first 1, 2, ..., n rows are worth, as `worth` of all."""
        ones = np.ones(len(self.code))
        return np.cumsum(self.weight) ** 2 / self.products_up_to(ones, ones)

    def reversed(self) -> Clusters:
        """The clusters of the rows from the last to the first."""
        return Clusters(self.code[::-1], self.weight[::-1], None if self.times is None else self.times[::-1])

    @property
    def freedom(self) -> float:
        """The degrees of freedom of a standard error: with clusters of unequal weight fewer than C - 1."""
        return max(self.worth - 1, 1.0)

    def reach(self, level: float) -> float:
        """How many standard errors an interval reaches to each side; nan of too few clusters."""
        return float(stdtrit(self.freedom, (1 + level) / 2)) if self.count >= FEWEST else np.nan

    def level_of_percentiles(self, level: float) -> float:
        """The level of percentiles of means of drawn clusters that hold the true mean at a level; nan of too few.

        Such percentiles are as narrow as if the spread were known, and by a factor of sqrt((C - 1) / C) besides.
        """
        return float(2 * ndtr(self.reach(level) * np.sqrt(self.correction)) - 1)

    def holding(self, chance: Array) -> float:
        """How many equal clusters are expected to hold an event, from the chance of one of each row."""
        held = self.sums(np.clip(chance, 0.0, 1.0))
        squares = float(held @ self.sums(np.ones(len(chance))))
        return float(held.sum()) ** 2 / squares if squares > 0 else 0.0

    def hold_few(self, chance: Array, fewest: float = FEWEST_EVENTS) -> bool:
        """Whether few clusters are expected to hold an event, or few to hold none."""
        return min(self.holding(chance), self.holding(1 - chance)) < fewest

    def share_outcomes(self, target: Array) -> bool:
        """Whether all rows of each cluster have one outcome, though some cluster has several rows."""
        least, most = np.full(self.count, np.inf), np.full(self.count, -np.inf)
        np.minimum.at(least, self.code, target)
        np.maximum.at(most, self.code, target)
        return not self.are_rows and bool((least == most).all())

    @property
    def are_rows(self) -> bool:
        """Whether each sample is a cluster of its own, as at a horizon where nobody names clusters."""
        return self.count == (len(self.code) if self.times is None else round(self.times.sum()))

    @property
    def many(self) -> str:
        """The word for them, in the plural."""
        return "rows" if self.are_rows else "clusters"

    @property
    def too_few(self) -> str:
        """Why there are no test and no interval of so few, a clause; empty where there are enough."""
        return too_few(self.count, self.are_rows)

    def worth_less(self, fewest: int) -> str:
        """Why they are too few, a clause, where they are worth fewer of equal weight than that; else empty."""
        if self.worth >= fewest or self.count < fewest:
            return too_few(self.count, self.are_rows, fewest)
        of = "weight" if self.are_rows else "size"
        return f"{self.count:,} {self.many} are worth {int(self.worth):,} of equal {of}, fewer than {fewest}"

    def note(self, problem: ScalarProblem) -> str | None:
        """The words beside an interval of their problem: why there is none, or why no level is claimed; else None."""
        if self.too_few:
            return self.too_few
        fewest = FEWEST_OUTCOMES if self.share_outcomes(problem.given_target) else FEWEST_EVENTS
        few = self.hold_few(problem.score, fewest)
        return f"few {self.many} hold an event, or few hold none: no level is claimed" if few else None


def too_few(clusters: int | None, are_rows: bool = False, fewest: int = FEWEST) -> str:
    """Why so few clusters have no test and no interval, a clause; empty where there are enough, or no clusters."""
    if clusters is None or clusters >= fewest:
        return ""
    count = counted(clusters, "row" if are_rows else "cluster")
    return f"{count} {'is' if clusters == 1 else 'are'} fewer than {fewest}"


def independent_size(problem: Weighted) -> float:
    """How many equal samples a problem is worth, at most as many as its clusters."""
    clusters = Clusters.of(problem)
    return problem.effective_size if clusters is None else min(problem.effective_size, clusters.count)


class ClusterBins:
    """Sums over the samples of each cluster that lie in each bin; the bins, ascending, have the weights `weight`.

    Tied scores that an edge parts lie in both bins, each row by the same share, so no order of the rows matters.
    """

    def __init__(self, problem: ScalarProblem, clusters: Clusters, weight: Array) -> None:
        ends = problem.block_ends
        blocks = problem.cumulative_weight[np.append(0, ends)]
        edges = np.append(0.0, np.cumsum(weight))
        after = np.searchsorted(blocks, edges).clip(1, len(blocks) - 1)
        near = np.where(edges - blocks[after - 1] < blocks[after] - edges, blocks[after - 1], blocks[after])
        edges = np.where(np.abs(near - edges) <= EQUAL * problem.total, near, edges)
        cuts = np.union1d(blocks, edges)
        middles = (cuts[1:] + cuts[:-1]) / 2
        block = np.searchsorted(blocks, middles, "right") - 1
        size = np.diff(ends, prepend=0)[block]
        self._row = places(ends[block] - size, size)
        self._weight = clusters.weight[self._row] * np.repeat(np.diff(cuts) / np.diff(blocks)[block], size)
        self._times = None if clusters.times is None else clusters.times[self._row]
        bin_of_row = np.repeat(np.searchsorted(edges, middles, "right") - 1, size)
        # Sums of clusters in bins by one sort: a sparse matrix of each takes several times as long to build.
        cells, self._cell = np.unique(bin_of_row * clusters.count + clusters.code[self._row], return_inverse=True)
        self._bin_of_cell, self._bins = cells // clusters.count, len(weight)
        held = self._sums(np.ones(len(self._row)))
        #: How many clusters lie in each bin, and how much weight of them.
        self.many, self.weight = np.bincount(self._bin_of_cell, minlength=len(weight)), self._in_bins(held)

    def _sums(self, values: Array) -> Array:
        """The weighted sums of rows of the same cluster in the same bin, by bins and then clusters."""
        return np.bincount(self._cell, self._weight * values, len(self._bin_of_cell)).astype(np.float64, copy=False)

    def _in_bins(self, sums: Array) -> Array:
        return np.bincount(self._bin_of_cell, sums, self._bins).astype(np.float64, copy=False)

    def moments(self, value: Array, mean: Array) -> tuple[Array, Array]:
        """The sums of values (n,) less means (B,) of bins, and those of the squares of clusters' sums, shape (B,)."""
        gaps = self._sums(value[self._row] - mean[self._bin_of_cell][self._cell])
        return self._in_bins(gaps), self._in_bins(np.square(gaps))

    @property
    def worth(self) -> Array:
        """How many rows of equal weight those of each bin are worth (Kish 1965), nan of an empty one, shape (B,)."""
        squares = np.square(self._weight)
        if self._times is not None:
            squares /= self._times
        with np.errstate(invalid="ignore"):
            worth: Array = self.weight**2 / np.bincount(self._bin_of_cell[self._cell], squares, self._bins)
        return worth
