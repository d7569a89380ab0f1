"""The CORP decomposition of the Brier score, by isotonic recalibration (Dimitriadis et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.scalar import ScalarProblem
from ...engine.sorted_scores import block_starts
from ...foundation.arrays import dot
from ...foundation.written import counted, number

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Corp:
    """The isotonic curve of a scalar problem, with the three parts of its Brier score.

    Attributes
    ----------
    score : ndarray, shape (m,)
        The distinct scores, ascending.
    recalibrated : ndarray, shape (m,)
        The isotonic fit of the targets at these scores, non-decreasing.
    weight : ndarray, shape (m,)
        Of the samples of each score.
    miscalibration : float
        S(score) - S(recalibrated) with S the Brier score; at least 0, and 0 where the fit is the score itself.
    discrimination : float
        S(mean target) - S(recalibrated); at least 0, and 0 where the fit is constant.
    uncertainty : float
        S(mean target): the variance of the targets.

    See Also
    --------
    corp : What makes it.
    brier_split : A split over bins.
    Isotonic : The same fit as a calibrator.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> parts = cv.corp(p)
    >>> round(parts.miscalibration, 4), round(parts.discrimination, 4), round(parts.uncertainty, 4)
    (0.0193, 0.1959, 0.2338)
    """

    score: Array
    recalibrated: Array
    weight: Array
    miscalibration: float
    discrimination: float
    uncertainty: float

    def __repr__(self) -> str:
        return (
            f"<Corp of {counted(len(self.score), 'distinct score')}: Brier score {number(self.brier)} = "
            f"miscalibration {number(self.miscalibration)} - discrimination {number(self.discrimination)} "
            f"+ uncertainty {number(self.uncertainty)}>"
        )

    @property
    def brier(self) -> float:
        """The Brier score of the problem: miscalibration - discrimination + uncertainty.

        See Also
        --------
        brier_score : The same number, straight from the samples.
        """
        return self.miscalibration - self.discrimination + self.uncertainty


def corp_of(problem: ScalarProblem) -> Corp:
    """Isotonic fit of the targets and the decomposition of the Brier score that it makes.

    Parameters
    ----------
    problem : ScalarProblem

    Returns
    -------
    Corp

    References
    ----------
    Dimitriadis, Gneiting & Jordan 2021, "Stable reliability diagrams for probabilistic classifiers".
    """
    from scipy.optimize import isotonic_regression

    first = block_starts(problem.score)
    score, target = problem.score[first], problem.target[first]  # tied samples share their mean target already
    weight = np.add.reduceat(problem.weight, first)
    recalibrated = isotonic_regression(target, weights=weight).x
    mean = problem.mean_target

    # Brier scores are not subtracted, for their differences may be tiny. In (s - t)^2 - (r - t)^2 the terms in t^2
    # drop out, so that t may be the mean over ties. The fit is the mean target of each of its level sets, hence
    # (mean - t)^2 - (r - t)^2 sums to (mean - r)^2.
    gap = score - recalibrated
    miscalibration = dot(weight, gap * (gap + 2.0 * (recalibrated - target))) / problem.total
    return Corp(
        score=score,
        recalibrated=recalibrated,
        weight=weight,
        miscalibration=max(0.0, float(miscalibration)),
        discrimination=dot(weight, (recalibrated - mean) ** 2) / problem.total,
        uncertainty=dot(problem.weight, (problem.given_target - mean) ** 2) / problem.total,
    )
