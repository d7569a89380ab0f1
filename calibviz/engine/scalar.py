"""Scalar problems: what a lens makes of predictions, in the form that every binning and estimator reads.

A scalar problem sorts its scores once and keeps cumulative sums with a leading 0, so that any bin of any binning
is a difference of two entries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..foundation import arrays
from ..foundation.arrays import Array
from ..foundation.cache import lazy_property
from ..foundation.clusters import cluster_numbers
from ..foundation.validation import WayOutError
from ..foundation.written import counted, number
from .by_truth import SOME_OF_THEM, ByTruth
from .sorted_scores import (
    ascending,
    block_means,
    block_starts,
    cumulative,
    cuts_at,
    entries,
    places,
    segment_sums,
    tied_runs,
    with_hits,
)

T = TypeVar("T")

FOLLOWING = "at a chosen prevalence weights follow the labels, so that noise cannot be simulated"
#: What shows noise all the same.
AS_THEY_WERE = ": look at the noise of the predictions before at_prevalence, or at cv.bootstrap"
TESTED = ": cv.ks_test is a test that knows them, and cv.bootstrap shows the spread"
SHARED = ("ties", "cumulative_score", "of_scores")  # attributes of problems of the same scores, weights and clusters
MOST_REPEATED = 100_000_000  # rows, where weights that count repetitions have to be written out


class EmptyProblemError(ValueError):
    """No sample is left to judge."""

    def __init__(self, what: str = "no sample is left: the selection keeps none, or all kept weights are 0") -> None:
        super().__init__(what)


class MapOfSamples(ABC):
    """A map of scores for which it matters whose they are, such as that of samples in folds."""

    @abstractmethod
    def of_samples(self, problem: ScalarProblem) -> Array:
        """The mapped scores of a problem, in its order."""

    def __call__(self, score: Array) -> Array:
        raise TypeError(f"{self!r} maps samples, not scores: pass it as calibrator=, or use its `whole`")


class Weighted:
    """The weights of a problem, and what is made of them and kept; both kinds of problem share it."""

    score: NDArray[Any]
    given_weight: Array | None
    total: float
    order: Any  # the sample that each row belongs to
    squared_weights: Array | None = None  # by sample: see Predictions; empty where it is not known which is which
    clusters: NDArray[np.intp] | None = None  # by sample: the number of the cluster that each belongs to
    times: Array | None = None  # by sample: how many samples of a cluster each row stands for; 1 each where it is None
    horizon: object = None  # that of predictions whose outcomes are censored: see Predictions.at_horizon
    #: The problem of all rows, those censored before the horizon among them, and their follow-up.
    followed: Callable[[], tuple[Any, Any]] | None = None
    by_truth: ByTruth | None = None  # how the samples were selected, if that depends on what is true of them

    @lazy_property
    def kept(self) -> dict[Hashable, Any]:
        """Results that others have made of the problem, such as its k-d trees, and keep with it."""
        return {}

    @lazy_property
    def of_scores(self) -> dict[Hashable, Any]:
        """Such results that scores, weights and clusters decide: problems of other targets share them."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for name in ("kept", "of_scores", "followed"):  # what can be made again is not pickled
            state.pop(name, None)
        return state

    def refuse_to_draw(self) -> None:
        """Raise where labels that are drawn anew would need other weights."""
        if self.squared_weights is not None:
            raise WayOutError(FOLLOWING, TESTED)

    @property
    def cluster_codes(self) -> NDArray[np.intp] | None:
        """The number of the cluster of each row, shape (n,), in the order of `score`; None without clusters."""
        return None if self.clusters is None else self.clusters[self.order]

    @property
    def weight(self) -> Array:
        """The weights, 1 unless given, shape (n,)."""
        return np.ones(len(self.score)) if self.given_weight is None else self.given_weight

    @lazy_property
    def whole_weights(self) -> bool:
        """Whether every weight is a whole number, so that weights count repetitions.

        Those of clusters never do, but for rows of a summary that stand for as many samples of weight 1.
        """
        if self.given_weight is None:
            return True
        if self.clusters is not None:
            return self.times is not None and np.array_equal(self.times[self.order], self.given_weight)
        return arrays.are_counts(self.given_weight)

    @property
    def samples(self) -> int:
        """How many samples there are; whole-number weights count repetitions."""
        if self.times is not None:
            return round(self.times[self.order].sum())
        return int(self.total) if self.whole_weights else len(self.score)

    @property
    def effective_size(self) -> float:
        """How many equal samples the weights are worth.

        Whole-number weights count repetitions; of others it is (sum w)^2 / sum w^2 (Kish 1965), whatever their unit.
        """
        if self.given_weight is None or self.whole_weights:
            return self.total
        return float((self.given_weight / self.given_weight.max()).sum() ** 2 / self.unit_squares.sum())

    @property
    def unit_squares(self) -> Array:
        """The squared weights, shape (n,), in units of the largest, so that none is too large or too small."""
        squares: Array = (self.weight / self.weight.max()) ** 2
        return squares if self.times is None else squares / self.times[self.order]


def once(problem: Weighted, key: Hashable, make: Callable[[], T], of_scores: bool = False) -> T:
    """Return what a problem keeps under a key, with its scores or for itself; it is made now if it was not yet."""
    kept = problem.of_scores if of_scores else problem.kept
    if key not in kept:  # of two threads that get here both take what was kept first
        kept.setdefault(key, make())
    return kept[key]


def hand_on(problem: Weighted, other: Weighted) -> None:
    """Tell a problem that is made of another one how its weights and its samples came about."""
    other.squared_weights = problem.squared_weights
    other.clusters, other.times, other.horizon = problem.clusters, problem.times, problem.horizon
    other.by_truth = None if problem.by_truth is None else SOME_OF_THEM


class ScalarProblem(Weighted):
    """Scores in [0, 1] and the targets they predict, sorted by score.

    Parameters
    ----------
    score, target : array, shape (n,), values in [0, 1]
    weight : array, shape (n,), optional
        At least 0. Samples of weight 0 are left out, as zero repetitions of a row are.
    cluster : array, shape (n,), optional
        Names of the clusters that samples belong to, text or whole numbers; see `Predictions`.

    Attributes
    ----------
    score : ndarray, shape (n,)
        Ascending.
    target : ndarray, shape (n,)
        The mean target of all samples of the same score, so that no result depends on the order of the samples.
    weight : ndarray, shape (n,)
    given_weight : ndarray, shape (n,), or None where no weights were given
    order : ndarray of int, shape (n,)
        The sample that each score belongs to: `score` is the given scores taken in this order.
    total : float
        The sum of the weights.
    cumulative_score, cumulative_target : ndarray, shape (n + 1,)
        Weighted sums of the first 0, 1, ..., n samples.

    Raises
    ------
    EmptyProblemError
        Where no sample is left (a `ValueError`).

    See Also
    --------
    lens : Names the lenses that make it of predictions.
    VectorProblem : Several scores a sample.
    reliability, calibration_error : Take it in place of predictions.

    Examples
    --------
    >>> cv.ScalarProblem([0.9, 0.1, 0.6], [1, 0, 1]).score
    array([0.1, 0.6, 0.9])
    """

    is_scalar = True
    _find_order: Callable[[], NDArray[np.integer]]
    _find_given: Callable[[], NDArray[Any]]

    def __init__(
        self,
        score: NDArray[np.floating],
        target: NDArray[Any],
        weight: Array | None = None,
        cluster: NDArray[Any] | None = None,
    ) -> None:
        score, target = arrays.number_array(score, "score"), arrays.number_array(target, "target")
        if score.dtype != np.float32:  # which sorts faster, and is converted then
            score = score.astype(np.float64, copy=False)
        weight = None if weight is None else arrays.float_array(weight, "weight").astype(np.float64, copy=False)
        for name, array in (("target", target), ("weight", weight)):
            if array is not None and (score.ndim != 1 or array.shape != score.shape):
                raise ValueError(f"score and {name} must have one shape (n,), not {score.shape} and {array.shape}")
            if array is not None:
                arrays.refuse_where(~np.isfinite(array), array, name, 0, "every entry must be finite")
        # Sums of probabilities may leave [0, 1] as far as rows may sum to something else than 1.
        slack = 2 * arrays.ROW_SUM_TOLERANCE
        for name, array in (("score", score), ("target", target)):
            outside = ~((array >= -slack) & (array <= 1 + slack))
            arrays.refuse_where(outside, array, name, 0, f"a {name} lies between 0 and 1")
        if weight is not None:
            arrays.refuse_where(weight < 0, weight, "weight", 0, "a weight cannot be negative")
            arrays.refuse_extreme_weights(weight, "weight")
        if cluster is not None:
            cluster = arrays.plain_array(cluster, "cluster")
            if cluster.shape != score.shape:
                raise ValueError(f"cluster must have shape {score.shape}, one for each sample, not {cluster.shape}")
            self.clusters = cluster_numbers(cluster)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            self._sort(score[kept], target[kept], weight[kept], kept)
        else:
            self._sort(score, target, weight, None)

    @classmethod
    def known(cls, score: NDArray[np.floating], target: NDArray[Any]) -> ScalarProblem:
        """The problem of scores and targets that are known to be valid, without weights."""
        problem = object.__new__(ScalarProblem)
        problem._sort(score, target, None, None)
        return problem

    def _sort(
        self, score: NDArray[np.floating], target: NDArray[Any], weight: Array | None, kept: NDArray[np.intp] | None
    ) -> None:
        pairs = with_hits(score, target) if weight is None else None
        if pairs is not None:
            self._set_pairs(*pairs, score.copy(), target.astype(np.bool_))
            return
        order, ordered = ascending(score)
        weight = None if weight is None else weight[order]
        self._set_sorted(ordered, target[order], weight, lambda: order if kept is None else kept[order])

    def _set_pairs(
        self, score: Array, hits: NDArray[np.bool_], unsorted: NDArray[np.floating], given: NDArray[np.bool_]
    ) -> None:
        """Take what `with_hits` returns, and what the order is found from once it is asked for."""
        if not len(score):
            raise EmptyProblemError
        self.score, self._target_of_ties = score, hits
        self.given_weight, self.total = None, float(len(score))
        found = cache(lambda: ascending(unsorted)[0])  # `order` may be set to another one, which samples are called by
        self._find_order, self._find_given = found, lambda: given[found()]

    def _set_sorted(self, score: Array, given: Array, weight: Array | None, order: Callable[[], NDArray[Any]]) -> None:
        if not len(score):
            raise EmptyProblemError
        self.score = score
        self.given_weight = weight
        self._find_order = order
        self._given = as_targets(given)
        self.total = float(len(self)) if weight is None else float(self.cumulative_weight[-1])

    def __len__(self) -> int:
        return self.score.shape[-1]

    def __getstate__(self) -> dict[str, Any]:
        _ = self.order, self._given  # found now: how to find them later cannot be pickled
        state = super().__getstate__()
        state.pop("_find_order", None)
        state.pop("_find_given", None)
        return state

    def __repr__(self) -> str:
        return (
            f"<ScalarProblem {counted(len(self))}, mean score {number(self.mean_score)}, "
            f"mean target {number(self.mean_target)}>"
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that it keeps."""
        columns = 4 if self.given_weight is None else 6  # score, target and their sums; the weights and theirs
        return (columns + 1) * self.score.nbytes + self._target_of_ties.nbytes  # and the order

    @property
    def mean_score(self) -> float:
        """The weighted mean of the scores."""
        return float(self.cumulative_score[-1]) / self.total

    @property
    def mean_target(self) -> float:
        """The weighted mean of the targets."""
        return float(self.cumulative_target[-1]) / self.total

    @lazy_property
    def order(self) -> NDArray[np.integer]:
        order = self._find_order()
        self._find_order = lambda: order  # lets go of what it was found from; another thread may still ask
        return order

    @lazy_property
    def _given(self) -> NDArray[Any]:
        """The targets as given, in the order of `score`."""
        given = self._find_given()
        self._find_given = lambda: given
        return given

    @lazy_property
    def _target_of_ties(self) -> NDArray[Any]:
        """Targets in the order of the scores, in any order where these are equal."""
        return self._given

    @lazy_property
    def ties(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where runs of more than one equal score begin, and how long they are."""
        return tied_runs(self.score)

    @lazy_property
    def target(self) -> Array:
        given = self._target_of_ties.astype(np.float64, copy=False)
        return block_means(given, self.given_weight, *self.ties)

    @property
    def is_binary(self) -> bool:
        """Whether every target is 0 or 1, as hard labels make them."""
        return self._target_of_ties.dtype == bool

    @property
    def rows(self) -> tuple[NDArray[np.floating], NDArray[Any]]:
        """The scores and the targets as given, in any order, for sums that do not depend on it."""
        return self.score, self._target_of_ties

    @property
    def given_target(self) -> Array:
        """The targets as given, in the order of `score`: not averaged over ties."""
        return self._given.astype(np.float64, copy=False)

    @lazy_property
    def cumulative_score(self) -> Array:
        return cumulative(self.score if self.given_weight is None else self.score * self.given_weight)

    @lazy_property
    def cumulative_target(self) -> Array:
        target = self._target_of_ties.astype(np.float64, copy=False)  # sums of booleans take longer
        sums = cumulative(target if self.given_weight is None else target * self.given_weight)
        first, size = self.ties
        if len(first):  # inside a run of tied samples the sum rises evenly, as they share their mean target
            flat = sums.ravel()
            first = first + first // len(self)  # each row of sums has one entry more than there are samples
            inside = places(first + 1, size - 1)
            start, stop = np.repeat(first, size - 1), np.repeat(first + size, size - 1)
            weight = np.arange(len(flat)) if self.given_weight is None else self.cumulative_weight
            width = weight[stop] - weight[start]  # 0 where the weights before are too large to tell
            share = (weight[inside] - weight[start]) / np.where(width > 0, width, 1.0)
            flat[inside] = flat[start] + share * (flat[stop] - flat[start])
        return sums

    @lazy_property
    def _cumulative_weight(self) -> Array:
        return cumulative(self.weight)

    @property
    def cumulative_weight(self) -> Array:
        """Sums of the weights of the first 0, 1, ..., n samples, shape (n + 1,)."""
        # Counting again is as quick as looking it up, and holds no memory.
        return np.arange(len(self) + 1, dtype=np.float64) if self.given_weight is None else self._cumulative_weight

    @property
    def block_ends(self) -> NDArray[np.intp]:
        """Number of samples up to and including each distinct score, ascending."""
        return np.append(block_starts(self.score)[1:], len(self))

    def target_up_to(self, cuts: NDArray[Any]) -> Array:
        """The targets of the first samples added up, without weights; over tied samples the sum rises evenly."""
        return entries(self.cumulative_target, cuts)

    def between(self, edges: Array, side: Literal["left", "right"]) -> tuple[Array, Array, Array, NDArray[np.intp]]:
        """Weight, score and target added up between edges, and the number of samples there, each shape (B,).

        A score on an inner edge belongs above it with side "left", below it with "right"; the ends take all.
        """
        cuts = cuts_at(self.score, edges, side)
        summed = self.given_weight is not None or "cumulative_target" in self.__dict__
        if summed or not self.is_binary or self._target_of_ties.ndim > 1:
            return self.sums(cuts)
        # Edges divide no tied samples, so hits can be counted, which takes less time than their cumulative sums.
        count = self.numbers(cuts)
        hits = segment_sums(self._target_of_ties.view(np.int8), cuts, np.intp).astype(np.float64)
        return count.astype(np.float64), np.diff(entries(self.cumulative_score, cuts)), hits, count

    def sums(self, cuts: NDArray[np.intp]) -> tuple[Array, Array, Array, NDArray[np.intp]]:
        """Weight, score and target added up between the sorted samples cuts[0], cuts[1], ..., and their number."""
        count = self.numbers(cuts)
        if self.given_weight is None:
            sums = np.diff(entries(self.cumulative_score, cuts)), np.diff(self.target_up_to(cuts))
            return count.astype(np.float64), *sums, count
        weight = self.given_weight
        sums = segment_sums(weight * self.score, cuts), segment_sums(weight * self.target, cuts)
        return self.weights(cuts), *sums, count

    def weights(self, cuts: NDArray[np.intp]) -> Array:
        """The weight between the sorted samples cuts[0], cuts[1], ...

        Sums of weighted samples are the one thing that is added up anew for every bin: a small weight between large
        ones would be lost in the difference of two cumulative sums.
        """
        if self.given_weight is None:
            return self.numbers(cuts).astype(np.float64)
        return segment_sums(self.given_weight, cuts)

    def numbers(self, cuts: NDArray[np.intp]) -> NDArray[np.intp]:
        """How many samples there are between the sorted samples cuts[0], cuts[1], ..."""
        return np.diff(cuts) if self.times is None else np.rint(segment_sums(self.times[self.order], cuts)).astype(int)

    def subset(self, keep: NDArray[np.bool_]) -> ScalarProblem:
        """The problem of the samples where `keep`, in the order of `score`, is True; nothing is sorted again."""
        return self.taken(np.flatnonzero(keep))

    def with_target(self, target: NDArray[Any]) -> ScalarProblem:
        """Return the scores with other targets, given in their order.

        See Also
        --------
        mapped : Other scores in place of other targets.
        consistency : Draws such targets from the scores.
        """
        other = object.__new__(ScalarProblem)
        other.__dict__.update({name: getattr(self, name) for name in SHARED})
        other._set_sorted(self.score, target, self.given_weight, lambda: self.order)
        hand_on(self, other)
        return other

    def above(self, threshold: float) -> ScalarProblem:
        """The problem of the scores that exceed a threshold.

        See Also
        --------
        subset : Any samples.
        selection : Conditions on predictions, such as "output > 0.5".
        """
        first = int(np.searchsorted(self.score, threshold, "right"))
        return self if first == 0 else self.taken(np.arange(first, len(self)))

    def taken(self, chosen: NDArray[np.integer]) -> ScalarProblem:
        """The problem of the samples at these ascending places in `score`; nothing is sorted again."""
        other = object.__new__(ScalarProblem)
        weight = None if self.given_weight is None else self.given_weight[chosen]
        other._set_sorted(self.score[chosen], self._given[chosen], weight, lambda: self.order[chosen])
        hand_on(self, other)
        return other

    def repeated(self) -> ScalarProblem:
        """Every sample as often as its weight, a whole number, says."""
        times = self.weight.astype(np.intp)
        return ScalarProblem(np.repeat(self.score, times), np.repeat(self.given_target, times))

    def mapped(self, function: Callable[[Array], Array]) -> ScalarProblem:
        """Return the samples under the scores `function(score)`, which need not keep the order.

        See Also
        --------
        with_target : Other targets in place of other scores.
        Spline, Isotonic : Calibrators, which are such functions once they are fitted.
        """
        mapped = function.of_samples(self) if isinstance(function, MapOfSamples) else function(self.score.copy())
        other = ScalarProblem(np.clip(mapped, 0.0, 1.0), self._given, self.given_weight)
        hand_on(self, other)
        other.order = self.order[other.order]
        return other


def distinct(problem: ScalarProblem) -> tuple[Array, Array, Array]:
    """The distinct scores of a problem, their mean targets and their weights."""
    cuts = np.concatenate(([0], problem.block_ends))
    return problem.score[cuts[:-1]], problem.target[cuts[:-1]], problem.weights(cuts)


def as_targets(given: NDArray[Any]) -> NDArray[Any]:
    """Targets as bool where all are 0 or 1, which nearly always they are: one byte a sample is then enough."""
    binary = given.dtype == bool or ((given == 0) | (given == 1)).all()
    return given.astype(bool if binary else np.float64, copy=False)
