"""Vector problems: several outcomes of each sample, judged together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation import arrays
from ..foundation.arrays import Array
from ..foundation.validation import listed, listing
from ..foundation.written import counted
from .scalar import EmptyProblemError, ScalarProblem, Weighted, hand_on


class VectorProblem(Weighted):
    """Points on a simplex and the targets they predict.

    Parameters
    ----------
    score : array, shape (n, m)
    target : array, shape (n, m) of float, or (n,) of int
        The second form names the outcome that was observed, in place of one-hot rows.
    weight : array, shape (n,), optional
    outcomes : tuple of m names

    Attributes
    ----------
    given_weight : ndarray, shape (n,), or None where no weights were given
    order : ndarray of int
        Which of the given samples these are: all but those of weight 0.
    total : float
        The sum of the weights.

    Raises
    ------
    ValueError
        Where shapes do not fit, an entry is not finite, a target names no outcome, or a weight is negative.
    EmptyProblemError
        Where no sample is left.

    See Also
    --------
    lens, Grouping : Lenses that make one, such as "full" and "top-5".
    ScalarProblem : One score a sample.
    KDTree : The binning for it.

    Examples
    --------
    >>> cv.VectorProblem([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 2]).observed_score
    array([0.7, 0.3])
    """

    is_scalar = False
    order: NDArray[np.integer]

    def __init__(
        self,
        score: NDArray[np.floating],
        target: NDArray[np.floating] | NDArray[np.integer],
        weight: Array | None = None,
        outcomes: tuple[str, ...] = (),
    ) -> None:
        score, target = arrays.number_array(score, "score"), arrays.number_array(target, "target")
        weight = None if weight is None else arrays.float_array(weight, "weight").astype(np.float64, copy=False)
        outcomes = tuple(str(name) for name in listing(outcomes, "outcomes", "names"))
        _refuse_bad(score, target, weight)
        self._set(score, target, weight, outcomes)

    @classmethod
    def known(
        cls,
        score: NDArray[np.floating],
        target: NDArray[Any],
        weight: Array | None = None,
        outcomes: tuple[str, ...] = (),
    ) -> VectorProblem:
        """The problem of arrays that are known to be valid."""
        problem = object.__new__(cls)
        problem._set(score, target, weight, outcomes)
        return problem

    def _set(
        self, score: NDArray[np.floating], target: NDArray[Any], weight: Array | None, outcomes: tuple[str, ...]
    ) -> None:
        self.order = np.arange(len(score)) if weight is None else np.flatnonzero(weight)
        if not len(self.order):
            raise EmptyProblemError
        if len(self.order) < len(score):
            assert weight is not None
            score, target, weight = score[self.order], target[self.order], weight[self.order]
        self.score = score
        self.target: NDArray[Any] = target
        self.given_weight = weight
        self.outcomes = outcomes or tuple(str(i) for i in range(score.shape[1]))
        self.total = float(len(score)) if weight is None else float(weight.sum())

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        return f"<VectorProblem {counted(len(self))}, outcomes {listed(self.outcomes, 6)}>"

    @property
    def nbytes(self) -> int:
        """Bytes of the scores and the targets."""
        return self.score.nbytes + self.target.nbytes

    @property
    def is_binary(self) -> bool:
        """Whether every target is 0 or 1, as hard labels make them."""
        return self.target.ndim == 1 or bool(((self.target == 0) | (self.target == 1)).all())

    def with_target(self, target: NDArray[Any]) -> VectorProblem:
        """Return the scores with other targets."""
        other = VectorProblem.known(self.score, target, self.given_weight, self.outcomes)
        other.order, other.of_scores = self.order, self.of_scores
        hand_on(self, other)
        return other

    @property
    def observed_score(self) -> Array:
        """The score of the outcome that was observed, shape (n,), where the targets name it."""
        return self.score[np.arange(len(self)), self.target].astype(np.float64)

    def target_rows(self, rows: slice = slice(None)) -> Array:
        """The targets of some samples as rows, shape (rows, m)."""
        part: NDArray[Any] = self.target[rows]
        return part if part.ndim == 2 else (part[:, None] == np.arange(self.score.shape[1])).astype(np.float64)

    def outcome(self, index: int) -> ScalarProblem:
        """The scalar problem of one coordinate.

        See Also
        --------
        reliability, ks_error : Take the name of an outcome.
        ScalarProblem : What it returns.
        """
        target = self.target[:, index] if self.target.ndim == 2 else self.target == index
        problem = ScalarProblem(self.score[:, index].astype(np.float64), target.astype(np.float64), self.given_weight)
        problem.order = self.order[problem.order]
        hand_on(self, problem)
        return problem

    def repeated(self) -> VectorProblem:
        """Every sample as often as its weight, a whole number, says."""
        times = self.weight.astype(np.intp)
        return VectorProblem.known(
            np.repeat(self.score, times, axis=0), np.repeat(self.target, times, axis=0), None, self.outcomes
        )

    def subset(self, keep: NDArray[np.bool_]) -> VectorProblem:
        """The problem of the samples where `keep`, in the order of `score`, is True."""
        weight = None if self.given_weight is None else self.given_weight[keep]
        other = VectorProblem.known(self.score[keep], self.target[keep], weight, self.outcomes)
        other.order = self.order[keep]
        hand_on(self, other)
        return other

    def reweighted(self, weight: NDArray[Any]) -> VectorProblem:
        """The problem under other weights, given in the order of `score`.

        See Also
        --------
        repeated : Rows in place of weights.
        bootstrap : Draws such weights.
        """
        other = VectorProblem.known(self.score, self.target, weight, self.outcomes)
        other.order = self.order[other.order]
        hand_on(self, other)
        return other


def _refuse_bad(score: NDArray[Any], target: NDArray[Any], weight: Array | None) -> None:
    if score.ndim != 2 or target.shape not in (score.shape, score.shape[:1]):
        raise ValueError(
            f"score must have shape (n, m) and target (n, m) or (n,), but their shapes are {score.shape} and "
            f"{target.shape}"
        )
    if weight is not None and weight.shape != score.shape[:1]:
        raise ValueError(f"weight must have shape {score.shape[:1]}, one for each sample, not {weight.shape}")
    for name, array in (("score", score), ("target", target), ("weight", weight)):
        if array is not None:
            arrays.refuse_where(~np.isfinite(array), array, name, 0, "every entry must be finite")
    if weight is not None:
        arrays.refuse_where(weight < 0, weight, "weight", 0, "a weight cannot be negative")
        arrays.refuse_extreme_weights(weight, "weight")
    if target.ndim == 1:
        if target.dtype.kind not in "iu":
            raise TypeError(f"target of shape (n,) must hold the numbers of outcomes, not {target.dtype}")
        unknown = (target < 0) | (target >= score.shape[1])
        arrays.refuse_where(unknown, target, "target", 0, f"there are {score.shape[1]} outcomes")
