"""The CORP decomposition of a proper score, by isotonic recalibration (Dimitriadis et al. 2021)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import entr, rel_entr, xlogy

from ...engine.scalar import ScalarProblem
from ...engine.sorted_scores import block_starts
from ...foundation.arrays import Array, dot
from ...foundation.written import counted, number
from ..clinical.estimates import Estimate
from ..scores import brier_score, log_loss

NAMES: dict[Callable[..., float], str] = {brier_score: "Brier score", log_loss: "log loss"}


@dataclass(frozen=True, eq=False)
class Corp:
    """The isotonic curve of a scalar problem, with the three parts of its Brier score or log loss S.

    Attributes
    ----------
    score : ndarray, shape (m,)
        The distinct scores, ascending.
    recalibrated : ndarray, shape (m,)
        The isotonic fit of the targets at these scores, non-decreasing.
    weight : ndarray, shape (m,)
        Of the samples of each score.
    miscalibration : float
        S(score) - S(recalibrated); at least 0, and 0 where the fit is the score itself. That of the log loss is
        infinite where something of probability 0 was observed.
    discrimination : float
        S(mean target) - S(recalibrated); at least 0, and 0 where the fit is constant.
    uncertainty : float
        S(mean target): the variance of the targets, or the entropy of their mean.
    kind : {"Brier score", "log loss"}
        The score S that is split.
    intervals : dict of the name of a part to Estimate
        With `replicates`, each part without the bias of the fit, and its interval; else empty.

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
    kind: str = "Brier score"
    intervals: Mapping[str, Estimate] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<Corp of {counted(len(self.score), 'distinct score')}: {self.kind} {number(self.whole)} = "
            f"miscalibration {number(self.miscalibration)} - discrimination {number(self.discrimination)} "
            f"+ uncertainty {number(self.uncertainty)}>"
        )

    @property
    def whole(self) -> float:
        """The score that is split: miscalibration - discrimination + uncertainty.

        See Also
        --------
        brier_score, log_loss : The same number, straight from the samples.
        """
        return self.miscalibration - self.discrimination + self.uncertainty


def corp_of(problem: ScalarProblem, error: Callable[..., float] = brier_score) -> Corp:
    """Isotonic fit of the targets and the split of `brier_score` or `log_loss` that it makes; see `corp`."""
    from scipy.optimize import isotonic_regression

    first = block_starts(problem.score)
    score, target = problem.score[first], problem.target[first]  # tied samples share their mean target already
    weight = np.add.reduceat(problem.weight, first)
    recalibrated = isotonic_regression(target, weights=weight).x
    mean = min(problem.mean_target, 1.0)

    # Scores are not subtracted, for their differences may be tiny. The fit is the mean target of each of its level
    # sets, hence S(mean) - S(r) is the sum of the divergences of r from the mean.
    if error is brier_score:
        # In (s - t)^2 - (r - t)^2 the terms in t^2 drop out, so that t may be the mean over ties.
        gap = score - recalibrated
        miscalibration = dot(weight, gap * (gap + 2.0 * (recalibrated - target)))
        apart = (recalibrated - mean) ** 2
        uncertainty = dot(problem.weight, (problem.given_target - mean) ** 2) / problem.total
    else:
        # Targets as they were given: the mean over tied ones may miss 1 by rounding, which a score of 1 makes infinite.
        s, t, known = np.clip(problem.score, 0.0, 1.0), problem.given_target, np.clip(recalibrated, 0.0, 1.0)
        r = np.repeat(known, np.diff(first, append=len(s)))
        miscalibration = dot(problem.weight, xlogy(t, r) - xlogy(t, s) + xlogy(1 - t, 1 - r) - xlogy(1 - t, 1 - s))
        apart = rel_entr(known, mean) + rel_entr(1 - known, 1 - mean) if 0 < mean < 1 else np.zeros(len(known))
        uncertainty = entropy(mean)
    return Corp(
        score=score,
        recalibrated=recalibrated,
        weight=weight,
        miscalibration=max(0.0, miscalibration / problem.total),
        # The mean of all may miss that of a constant fit by rounding.
        discrimination=0.0 if recalibrated[0] == recalibrated[-1] else dot(weight, apart) / problem.total,
        uncertainty=float(uncertainty),
        kind=NAMES[error],
    )


def entropy(mean: float) -> float:
    """Return the log loss of a share that is predicted for all samples."""
    return float(entr(mean) + entr(1 - mean))
