"""The closed test of updates: does a model need a new intercept, a new slope as well, or neither?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast

import numpy as np
from scipy.special import chdtrc, fdtrc

from ..context.conditions import Condition
from ..context.induced import Judged
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import takes_arrays
from ..engine.clustered import Clusters
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.written import ShownAsPrinted, difference, number, p_value
from ..metrics.asked import measured_each, problem_of, refuse_by_truth, refuse_pooled, refuse_soft
from ..metrics.clinical.estimates import (
    LEVEL,
    LeavesOut,
    SlopeEstimate,
    calibration_intercept,
    calibration_slope,
    kept_of,
)
from ..metrics.clinical.logistic_fits import loss_of
from ..metrics.masses import repetitions
from .platt_beta import Platt

Update = Literal["none", "intercept", "logistic", "undecided"]


@dataclass(frozen=True)
class ChosenUpdate(ShownAsPrinted, LeavesOut):
    """The update that the closed test chooses, with its two tests; see `choose_update`.

    Attributes
    ----------
    chosen : {"none", "intercept", "logistic", "undecided"}
        The model as it is; its log-odds moved (recalibration in the large); moved and stretched (logistic
        recalibration); or there is no test, and `why_not` says why.
    intercept, slope : float
        Of the chosen update, logistic(intercept + slope logit s): 0 and 1 of "none", nan of "undecided".
    statistic, p_value : float
        Of the first test: the logistic update against none. That of `calibration_slope`.
    slope_statistic, slope_p_value : float
        Of the second test, which counts only where the first rejects: the logistic update against the intercept alone.
    dropped, impossible, without
        The samples of score 0 or 1 that were left out, as in `InterceptEstimate`.
    why_not : str
        Why there is no test, a clause; empty where there is one.
    note : str, or None
        Of few clusters: why no level is claimed.

    See Also
    --------
    choose_update : Makes it.

    Examples
    --------
    >>> found = cv.choose_update(cv.load_dataset("heart")["random forest"])
    >>> found.chosen, round(found.slope, 2), round(found.slope_p_value, 3)
    ('logistic', 0.83, 0.007)
    >>> print(cv.choose_update(cv.load_dataset("heart")["logistic regression"]))
    The closed test of updates (Vergouwe et al. 2017) chooses no update; p = 0.15.
    """

    chosen: Update
    intercept: float
    slope: float
    statistic: float
    p_value: float
    slope_statistic: float
    slope_p_value: float
    dropped: int
    impossible: int
    why_not: str = ""
    note: str | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        if self.chosen == "undecided":
            return f"No closed test of updates: {self.why_not}."
        moved = f"log-odds {difference(self.intercept)}"
        what = {
            "none": "no update",
            "intercept": f"a new intercept, {moved}",
            "logistic": f"a new intercept and slope, {number(self.slope)} · {moved}",
        }[self.chosen]
        return f"The closed test of updates (Vergouwe et al. 2017) chooses {what}; {p_value(self.p_value, 'p')}."

    @property
    def calibrator(self) -> Platt | None:
        """The chosen update as a fitted calibrator of scores; None where there is none.

        Raises
        ------
        ValueError
            Where there is no test.

        See Also
        --------
        OneVsRest : Applies it to whole predictions.
        """
        if self.chosen == "undecided":
            raise ValueError(f"no update is chosen: {self.why_not}")
        if self.chosen == "none":
            return None
        fitted = {"slope_": self.slope, "intercept_": self.intercept}
        return Platt.from_dict({"calibrator": "Platt", "parameters": {}, "fitted": fitted})


@assumes_independence
@takes_arrays
def choose_update(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    clip: float | None = None,
    level: float = LEVEL,
) -> ChosenUpdate:
    """Choose the update that a model needs, by the closed test: none, a new intercept, or a new slope as well.

    The candidates are the model as it is, a new intercept (recalibration in the large), and a new intercept and slope
    (logistic recalibration). The largest is first tested against none; if it is better, against the intercept alone.
    The next step of the paper, to estimate all coefficients anew (revision), needs the covariates. From predictions the
    most that is possible beyond these is a map of any shape, as `Spline`, which is no candidate here.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    clip : float, in (0, 0.5), optional
        As in `calibration_slope`.
    level : float, in (0, 1)
        Calibrated scores are left as they are with this probability.

    Returns
    -------
    ChosenUpdate
        With chosen, intercept, slope, statistic, p_value, slope_statistic, slope_p_value, calibrator, dropped,
        impossible, without, why_not and note. "undecided" of one outcome alone or one distinct score, where the scores
        separate the outcomes, and of fewer than six clusters.

    Raises
    ------
    ValueError
        For soft labels without clusters, a selection that looks at the truth, the pooled lens, and as
        `observed_expected`.

    See Also
    --------
    calibration_slope, calibration_intercept : The estimates with their intervals.
    Platt, Spline : Calibrators to fit without a choice.
    cross_fitted : Judges a calibrator on samples that it has not seen.

    Notes
    -----
    The statistics are twice the gain in log-likelihood, chi-squared with 2 and with 1 degrees of freedom under their
    hypotheses. An update that is needed is missed if samples are few: no update is then not shown to be needed.

    Of samples in clusters both tests are Wald's: the first as in `calibration_slope`, the second (b - 1)^2 / se^2 with
    the standard error of the slope, compared with F of 1 and as many degrees of freedom.

    References
    ----------
    Vergouwe et al. 2017, A closed testing procedure to select an appropriate method for updating prediction models.

    Examples
    --------
    >>> cv.choose_update(cv.load_dataset("tumours")["logistic regression"]).chosen
    'none'
    >>> p = cv.load_dataset("heart")["logistic regression"]
    >>> found = cv.choose_update(p, selection="site == 'Zurich and Basel'")
    >>> found.chosen, found.calibrator([0.2, 0.5]).round(2)
    ('intercept', array([0.74, 0.92]))
    """
    level = validation.level(level)
    refuse_pooled(lens, "a test")

    def choose(problem: ScalarProblem) -> ChosenUpdate:
        refuse_by_truth(problem, "the closed test")
        if problem.clusters is None:
            refuse_soft(problem)
        both = calibration_slope(problem, clip=clip)
        left_out = both.dropped, both.impossible
        if np.isnan(both.p_value):
            nothing = np.nan, np.nan, np.nan, np.nan, np.nan, np.nan
            return ChosenUpdate("undecided", *nothing, *left_out, _why_not(both))
        moved = calibration_intercept(problem, clip=clip).estimate
        of_slope = _test_of_slope(problem, both, moved, clip)
        update: tuple[Update, float, float] = "none", 0.0, 1.0
        if both.p_value <= 1 - level:
            moved_alone = of_slope[1] > 1 - level
            update = ("intercept", moved, 1.0) if moved_alone else ("logistic", both.intercept, both.estimate)
        return ChosenUpdate(*update, both.statistic, both.p_value, *of_slope, *left_out, note=both.note)

    return cast(ChosenUpdate, measured_each(problem_of(predictions, lens, selection, outcome), choose))


def _test_of_slope(
    problem: ScalarProblem, both: SlopeEstimate, moved: float, clip: float | None
) -> tuple[float, float]:
    """The statistic and the p-value of a new slope beside the intercept `moved`."""
    kept, odds, *_ = kept_of(problem, clip)
    assert kept is not None
    if (clusters := Clusters.of(kept)) is not None:
        statistic = ((both.estimate - 1) / both.standard_error) ** 2
        return statistic, float(fdtrc(1, clusters.freedom, statistic))
    times = repetitions(kept)
    gained = 2 * (loss_of(odds, kept.target, times) - loss_of(odds + moved, kept.target, times))
    statistic = max(0.0, both.statistic - gained)
    return statistic, float(chdtrc(1, statistic))


def _why_not(both: SlopeEstimate) -> str:
    """Why a slope has no test, a clause."""
    if np.isinf(both.estimate):
        return "the scores separate the outcomes, so no slope is the most likely one"
    if np.isnan(both.estimate):
        return "one outcome alone, or one score alone between 0 and 1, has no slope"
    return both.note or ""  # few clusters
