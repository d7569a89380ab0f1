"""Distances between the mean score and the mean target of a bin.

A distance is called with the means of all bins at once: shape (B,) for a scalar problem, (B, m) for a vector
one, and returns shape (B,). Any callable of that signature with a `name` serves as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..engine.vector import VectorProblem
from ..foundation import validation
from ..foundation.arrays import Array

ROUNDING = 1e-10  # relative to the largest entry of a matrix
MOST_ROUNDINGS = 16  # of a score


class Distance(Protocol):
    """A distance between mean scores and mean targets."""

    @property
    def name(self) -> str: ...

    def __call__(self, score: Array, target: Array) -> Array: ...


@dataclass(frozen=True)
class TotalVariation:
    """Half the L1 distance, ``sum_k |g_k - t_k| / 2`` (gece 4.3).

    On a scalar problem, which stands for (s, 1 - s), it is ``|s - t|``.

    See Also
    --------
    Lp : Other powers.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.calibration_error(p, "full", distance=cv.TotalVariation()), 3)
    0.163
    """

    name = "total variation"

    def __call__(self, score: Array, target: Array) -> Array:
        gap = np.abs(score - target)
        return gap if gap.ndim == 1 else np.minimum(0.5 * gap.sum(axis=1), 1.0)


@dataclass(frozen=True)
class Lp:
    """``(sum_k |g_k - t_k|^p)^(1/p)`` over the outcomes (gece A.2); ``|s - t|`` on a scalar problem.

    Parameters
    ----------
    p : float, at least 1

    See Also
    --------
    TotalVariation : Half of Lp(1).
    ClassWeighted : Lp(2) with a weight for each outcome.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.calibration_error(p, "full", distance=cv.Lp(2)), 3)
    0.173
    """

    p: float = 2.0

    def __post_init__(self) -> None:
        if isinstance(self.p, float) and self.p == np.inf:
            raise ValueError("p must be finite, not inf: Lp(p=1e9) is the largest |g_k - t_k| to eight digits")
        object.__setattr__(self, "p", validation.real_number(self.p, "p", 1.0))

    @property
    def name(self) -> str:
        return f"L{self.p:g}"

    def __call__(self, score: Array, target: Array) -> Array:
        gap = np.abs(score - target)
        if gap.ndim == 1:
            return gap
        largest = gap.max(axis=1)
        scale = np.where(largest > 0, largest, 1.0)  # so that no power of a small gap vanishes
        return largest * ((gap / scale[:, None]) ** self.p).sum(axis=1) ** (1.0 / self.p)


@dataclass(frozen=True)
class InterInterval:
    """How far the mean target t of a bin lies outside a Likert category: max(low - t, t - high, 0) (gece equation 7).

    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.calibration_error(p, selection="output >= 0.9", distance=InterInterval(0.9, 1))
    0.0
    """

    low: float  # in [0, 1], as is `high`
    high: float

    def __post_init__(self) -> None:
        validation.interval((self.low, self.high), "InterInterval(low, high)")

    @property
    def name(self) -> str:
        return f"inter-interval [{self.low:g}, {self.high:g}]"

    def __call__(self, score: Array, target: Array) -> Array:
        if target.ndim == 2:
            raise ValueError(
                "the inter-interval distance needs a scalar problem: choose one outcome of the lens with outcome=..."
            )
        return np.maximum(0.0, np.maximum(self.low - target, target - self.high))


@dataclass(frozen=True)
class ClassWeighted:
    """sqrt(sum_k v_k (g_k - t_k)^2): an L2 distance in which some outcomes weigh more (gece equation 9).

    A scalar problem stands for the pair (s, 1 - s), so under the lens of one class there are two weights: of the class,
    and of all others. Under "classwise" and "top-1 by class" there is one for each class, and the error is the weighted
    mean of theirs, sum_k v_k e_k / sum_k v_k: with equal weights the error of that lens.

    Parameters
    ----------
    weights : list of m floats, at least 0
        One for each outcome of a vector lens, or for each class, in their order; two under a scalar lens.

    See Also
    --------
    Mahalanobis : Weights for pairs of outcomes, too.
    Lp : All outcomes alike.

    Examples
    --------
    >>> p = cv.Predictions([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2]], [0, 0])
    >>> round(cv.calibration_error(p, "full", binning=cv.Uniform(1), distance=cv.ClassWeighted([1, 1, 4])), 3)
    0.743
    """

    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        values = validation.float_values(self.weights, "weights", 1)
        for i, value in enumerate(values):
            if value < 0:
                raise ValueError(f"weights[{i}] is {value:g}: the weight of an outcome cannot be negative")
        object.__setattr__(self, "weights", tuple(values.tolist()))

    name = "class-weighted L2"

    def __call__(self, score: Array, target: Array) -> Array:
        if score.ndim == 1:
            if len(self.weights) != 2:
                raise ValueError(
                    f"weights is for {len(self.weights)} outcomes, but a score s of a scalar lens stands for two, "
                    "s and 1 - s: pass two weights, or one for each class under 'classwise' or 'full'"
                )
            return np.sqrt(sum(self.weights)) * np.abs(score - target)
        _refuse_other_size(self.name, "weights", len(self.weights), score)
        return np.sqrt((score - target) ** 2 @ np.array(self.weights))


def shares_of(distance: Distance | None, outcomes: int) -> tuple[Distance | None, Array | None]:
    """The distance in each problem of a family, and how much each counts in the mean; None where all count the same."""
    if not isinstance(distance, ClassWeighted) or len(distance.weights) != outcomes:
        return distance, None
    weights = np.array(distance.weights)
    largest = weights.max()
    return TotalVariation(), weights / largest / (weights / largest).sum() if largest > 0 else weights


@dataclass(frozen=True)
class Mahalanobis:
    """Generalised Mahalanobis distance sqrt((g - t) M (g - t)') (gece A.2).

    Parameters
    ----------
    matrix : array-like of float, shape (m, m)
        M, symmetric and positive semi-definite: one row for each outcome of a vector lens, in their order.

    See Also
    --------
    ClassWeighted : A weight for each outcome.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.calibration_error(p, "full", distance=cv.Mahalanobis([[2, 0], [0, 1]])), 3)
    0.097
    """

    matrix: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        values = validation.float_values(self.matrix, "matrix", 2)
        if values.shape[0] != values.shape[1]:
            raise ValueError(f"matrix must be square, but its shape is {values.shape}")
        largest = np.abs(values).max()
        uneven = np.abs(values - values.T) > ROUNDING * largest
        if uneven.any():
            i, j = map(int, np.argwhere(uneven)[0])
            raise ValueError(
                f"matrix must be symmetric, but matrix[{i}, {j}] is {values[i, j]:g} "
                f"and matrix[{j}, {i}] is {values[j, i]:g}"
            )
        least = np.linalg.eigvalsh(values).min()
        if least < -ROUNDING * largest:
            raise ValueError(
                f"matrix must be positive semi-definite, but its least eigenvalue is {least:.3g}: "
                "some differences would have a negative squared length"
            )
        object.__setattr__(self, "matrix", tuple(map(tuple, values.tolist())))

    @classmethod
    def inverse_covariance(cls, problem: VectorProblem) -> Mahalanobis:
        """The distance whose matrix is the inverse covariance of the scores of a problem.

        Scores add up to 1 and do not vary in all directions, so it is the pseudo-inverse. A difference counts by
        how many standard deviations of the scores it is, in its direction.

        Parameters
        ----------
        problem : VectorProblem
            What a lens such as `Full` makes of predictions.

        Examples
        --------
        >>> p = cv.load_dataset("tumours")["naive Bayes"]
        >>> distance = cv.Mahalanobis.inverse_covariance(cv.lens("full")(p))
        >>> round(cv.calibration_error(p, "full", distance=distance), 3)
        0.119
        """
        if not isinstance(problem, VectorProblem):
            raise TypeError(f"problem must be a VectorProblem, such as cv.lens('full')(predictions), not {problem!r}")
        # Where sums of rows are off by rounding, their own small variance would weigh more than all the rest.
        score = problem.score.astype(np.float64)
        score -= score.mean(axis=1, keepdims=True)
        covariance = np.atleast_2d(np.cov(score, rowvar=False, ddof=0, aweights=problem.given_weight))
        # Where scores do not vary, what is left is the rounding of each of them.
        rounding = (MOST_ROUNDINGS * np.finfo(problem.score.dtype).eps * np.abs(problem.score).max()) ** 2
        least = max(ROUNDING, rounding / (max(float(np.abs(covariance).max()), rounding) or 1.0))
        inverse = np.linalg.pinv(covariance, rcond=least, hermitian=True)
        return cls(((inverse + inverse.T) / 2).tolist())

    name = "Mahalanobis"

    def __call__(self, score: Array, target: Array) -> Array:
        _refuse_other_size(self.name, "matrix", len(self.matrix), score)
        gap = score - target
        return np.sqrt(np.maximum(0.0, np.einsum("bi,ij,bj->b", gap, np.array(self.matrix), gap)))


def _refuse_other_size(name: str, argument: str, size: int, score: Array) -> None:
    if score.ndim == 1:
        raise ValueError(f"the {name} distance needs a vector lens, such as 'full' or 'grouping': this one is scalar")
    if score.shape[1] != size:
        raise ValueError(f"{argument} is for {size} outcomes, but the lens has {score.shape[1]}")
