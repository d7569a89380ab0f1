"""Scalar problems with the same scores and many drawn labels, which share all that depends on the scores alone."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...foundation.cache import lazy_property

MOST_KEPT = 100_000  # cuts of one problem whose places are cached


class Labelling:
    """Makes problems with the scores of a problem and other labels, 0 or 1, shape (n,), in the order of the scores."""

    def __init__(self, problem: ScalarProblem) -> None:
        self.problem = problem
        self.kept: dict[bytes, _Places] = {}

    def __call__(self, label: NDArray[np.bool_]) -> ScalarProblem:
        plain = self.problem.given_weight is None
        return RelabelledProblem(self, label) if plain else self.problem.with_target(label)

    @lazy_property
    def block_ends(self) -> NDArray[np.intp]:
        return self.problem.block_ends

    def places(self, cuts: NDArray[np.integer]) -> _Places:
        """The places of cuts among the scores, which give the sums of labels up to the cuts."""
        key = cuts.tobytes()
        places = self.kept.get(key)
        if places is None:
            places = _Places(self.problem.score, cuts)
            if len(cuts) + sum(len(kept_places.share) for kept_places in self.kept.values()) <= MOST_KEPT:
                self.kept[key] = places
        return places


class _Places:
    """The places of cuts among sorted scores, and of the ends of the tied scores that they cut apart."""

    def __init__(self, score: Array, cuts: NDArray[np.integer]) -> None:
        n = len(score)
        above = score.take(cuts, mode="clip")
        tied = (score.take(cuts - 1, mode="clip") == above) & (cuts > 0) & (cuts < n)
        start, stop = cuts.copy(), cuts.copy()
        start[tied] = np.searchsorted(score, above[tied], "left")
        stop[tied] = np.searchsorted(score, above[tied], "right")
        self.share = (cuts - start) / np.maximum(stop - start, 1)
        ends = np.concatenate([[0], start, stop])
        ends.sort()
        ends = ends[np.concatenate([[True], ends[1:] > ends[:-1]])]
        self.starts = ends[ends < n]
        self.start, self.stop = np.searchsorted(ends, start), np.searchsorted(ends, stop)

    def sums(self, label: NDArray[np.bool_]) -> Array:
        """The sum of the labels up to each cut, linear over tied scores."""
        running = np.zeros(len(self.starts) + 1)
        np.cumsum(np.add.reduceat(label.view(np.int8), self.starts, dtype=np.intp), out=running[1:])
        below = running[self.start]
        return below + self.share * (running[self.stop] - below)


class RelabelledProblem(ScalarProblem):
    """The samples of an unweighted problem with other labels; see `Labelling`."""

    given_weight = None
    is_binary = True

    def __init__(self, labelling: Labelling, label: NDArray[np.bool_]) -> None:
        self._labelling = labelling
        self._given = label
        self.score = labelling.problem.score
        self.total = float(len(label))

    @property
    def order(self) -> NDArray[np.integer]:
        return self._labelling.problem.order

    @property
    def of_scores(self) -> dict[Hashable, Any]:
        return self._labelling.problem.of_scores

    @property
    def ties(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return self._labelling.problem.ties

    @property
    def cumulative_score(self) -> Array:
        return self._labelling.problem.cumulative_score

    @property
    def block_ends(self) -> NDArray[np.intp]:
        return self._labelling.block_ends

    def target_up_to(self, cuts: NDArray[Any]) -> Array:
        if cuts is self.block_ends:  # a shortcut, since these cuts never separate tied scores
            return np.cumsum(self._given)[cuts - 1].astype(np.float64)
        return self._labelling.places(cuts).sums(self._given)
