"""Measures of clinical prediction models: observed by expected, calibration intercept and slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, expit, ndtri

from ...context.conditions import Condition
from ...context.induced import Judged
from ...context.lenses import Lens
from ...data.models import takes_arrays
from ...engine.scalar import ScalarProblem
from ...foundation import validation
from ...foundation.arrays import dot
from ...foundation.logistic import information, loss_of
from ..asked import measured_each, problem_of
from ..masses import clopper_pearson, counts_of, repetitions
from .logistic_fits import CLIP, fitted_logistic, fitted_shift, log_odds

Array = NDArray[np.float64]

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number and its interval; see `observed_expected`.

    Attributes
    ----------
    estimate, lower, upper : float

    See Also
    --------
    observed_expected : What makes it.
    InterceptEstimate, SlopeEstimate : Those that count what was left out.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> found = cv.observed_expected(p)
    >>> found.lower < found.estimate < found.upper
    True
    """

    estimate: float
    lower: float
    upper: float


@dataclass(frozen=True)
class InterceptEstimate(Estimate):
    """A calibration intercept and its interval; see `calibration_intercept`.

    Attributes
    ----------
    dropped : int
        Samples that were left out, as their score is 0 or 1.

    See Also
    --------
    calibration_intercept : What makes it.
    SlopeEstimate : That of the slope.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> cv.calibration_intercept(p).dropped
    0
    """

    dropped: int


@dataclass(frozen=True)
class SlopeEstimate(Estimate):
    """A calibration slope, its interval, and the test of intercept 0 and slope 1; see `calibration_slope`.

    Attributes
    ----------
    intercept : float
        Fitted together with the slope.
    statistic : float
        Twice the gain in log-likelihood over intercept 0 and slope 1; chi-squared with 2 degrees of freedom if the
        scores are calibrated (Miller et al. 1993).
    p_value : float, in [0, 1]
    dropped : int
        Samples that were left out, as their score is 0 or 1.

    See Also
    --------
    calibration_slope : What makes it.
    InterceptEstimate : That of the intercept.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> round(cv.calibration_slope(p).p_value, 2)
    0.54
    """

    intercept: float
    statistic: float
    p_value: float
    dropped: int


@takes_arrays
def observed_expected(
    predictions: Judged,
    lens: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    *,
    level: float = LEVEL,
) -> Estimate:
    """Observed by expected: the mean target divided by the mean score, 1 where they agree (O:E).

    Parameters
    ----------
    predictions : Predictions, a scalar problem, a summary, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name, optional
        By default the positive class (class 1) of binary predictions, and "top-1" of others. A family such as
        "classwise" gives a number for each `outcome`.
    selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    level : float, in (0, 1)

    Returns
    -------
    Estimate
        With estimate, lower and upper; infinite where the scores add up to 0, nan where the targets do as well. The
        interval is nan where no target came true, and that of Clopper and Pearson where all did.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or the lens has several outcomes and none is chosen.

    See Also
    --------
    calibration_in_the_large : Their difference.
    calibration_intercept : Their distance in log-odds.

    Notes
    -----
    A summary knows both sums: its value is exact.

    References
    ----------
    Debray et al. 2017, A guide to systematic review and meta-analysis of prediction model performance: the interval is
    exp(ln(O/E) +- z sqrt((1 - tbar) / (m tbar))), with m the number of samples.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.observed_expected(p).estimate, 3)
    1.058
    """
    level = validation.level(level)

    def measure(problem: ScalarProblem) -> Estimate:
        expected, observed = problem.mean_score, min(problem.mean_target, 1.0)
        ratio = observed / expected if expected else np.inf if observed else np.nan
        if observed == 0 or not np.isfinite(ratio):
            return Estimate(ratio, np.nan, np.nan)
        if observed == 1:  # the formula would say that so many true ones leave no doubt at all
            lower, _ = clopper_pearson(np.array(observed), np.array(problem.effective_size), level)
            return Estimate(ratio, float(lower) / expected, ratio)
        half = ndtri((1 + level) / 2) * np.sqrt((1 - observed) / (problem.effective_size * observed))
        return Estimate(ratio, float(ratio * np.exp(-half)), float(ratio * np.exp(half)))

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


@takes_arrays
def calibration_in_the_large(
    predictions: Judged,
    lens: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> float:
    """Calibration in the large: the mean target less the mean score.

    Many papers give this name to the `calibration_intercept`.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.

    Returns
    -------
    float, in [-1, 1]
        Above 0 where more comes true than the scores say.

    See Also
    --------
    observed_expected : Their ratio.

    Notes
    -----
    A summary knows both means: its value is exact.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.calibration_in_the_large(p), 3)
    0.02
    """
    return measured_each(
        problem_of(predictions, lens, selection, outcome), lambda problem: problem.mean_target - problem.mean_score
    )


@takes_arrays
def calibration_intercept(
    predictions: Judged,
    lens: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    *,
    clip: float | None = CLIP,
    level: float = LEVEL,
) -> InterceptEstimate:
    """Calibration intercept: by how much the log-odds of all scores have to be moved, 0 for calibrated ones.

    The a of logit P(t = 1) = a + logit s: logistic regression of the target with the log-odds of the score as an
    offset (the slope stays 1).

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    clip : float, in (0, 0.5), or None
        Scores are kept so far away from 0 and 1; None leaves those out that are 0 or 1, as R does.
    level : float, in (0, 1)
        Of the Wald interval.

    Returns
    -------
    InterceptEstimate
        With estimate, lower, upper, dropped; -inf or inf where all targets are 0 or all are 1.

    Raises
    ------
    ValueError
        As `observed_expected`.

    See Also
    --------
    calibration_slope : The slope, and the intercept that goes with it.

    Notes
    -----
    In a summary all samples of a cell have their mean score. The intercept is off by no more than the greatest
    distance, over all cells, between the log-odds of the least and the greatest score of a cell.

    References
    ----------
    Cox 1958, Two further applications of a model for binary regression; Van Calster et al. 2019, Calibration: the
    Achilles heel of predictive analytics.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> round(cv.calibration_intercept(p).estimate, 2)
    0.09
    """
    level, clip = validation.level(level), _clip_of(clip)

    def measure(problem: ScalarProblem) -> InterceptEstimate:
        odds, target, times, dropped = _kept(problem, clip)
        if not len(odds):
            return InterceptEstimate(np.nan, np.nan, np.nan, dropped)
        wanted = dot(times, target)
        if not target.any() or target.min() >= 1:
            return InterceptEstimate(np.inf if target.any() else -np.inf, np.nan, np.nan, dropped)
        moved = fitted_shift(odds, times, wanted)
        chance = expit(moved + odds)
        half = ndtri((1 + level) / 2) / np.sqrt(dot(times, chance * (1 - chance)))
        return InterceptEstimate(moved, float(moved - half), float(moved + half), dropped)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


@takes_arrays
def calibration_slope(
    predictions: Judged,
    lens: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    *,
    clip: float | None = CLIP,
    level: float = LEVEL,
) -> SlopeEstimate:
    """Calibration slope: what the log-odds of the scores have to be multiplied by, 1 for calibrated ones.

    The b of logit P(t = 1) = a + b logit s: logistic regression of the target on the log-odds of the score. Below 1 the
    scores are too extreme, as those of an overfitted model are. `Platt` differs by its smoothed targets alone.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    clip : float, in (0, 0.5), or None
        Scores are kept so far away from 0 and 1; None leaves those out that are 0 or 1, as R does. It matters where
        many are, as those of forests.
    level : float, in (0, 1)
        Of the Wald interval.

    Returns
    -------
    SlopeEstimate
        With estimate, lower, upper, intercept, statistic, p_value, dropped. Where the scores separate the targets, inf
        or -inf, and nan for the rest; nan of one class alone or of one distinct score.

    Raises
    ------
    ValueError
        As `observed_expected`.

    See Also
    --------
    calibration_intercept : The intercept where the slope is held at 1.
    calibration_curve : A curve in place of the straight line.

    Notes
    -----
    In a summary all samples of a cell have their mean score. The slope is exact where the scores of each cell are
    equal. On the default grid its error is far smaller than the width of its interval.

    References
    ----------
    Cox 1958; Miller et al. 1993, Validation of probabilistic predictions (the test).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.calibration_slope(p).estimate, 2)
    0.16
    """
    level, clip = validation.level(level), _clip_of(clip)

    def measure(problem: ScalarProblem) -> SlopeEstimate:
        odds, target, times, dropped = _kept(problem, clip)
        limit = slope_limit(odds, target)
        if not np.isfinite(limit):
            return SlopeEstimate(limit, np.nan, np.nan, np.nan, np.nan, np.nan, dropped)
        centre, width = odds.mean(), odds.std()
        features = np.column_stack([np.ones_like(odds), (odds - centre) / width])
        start = np.array([centre, width])  # intercept 0 and slope 1
        coefficients = fitted_logistic(features, target, times, start)
        eta = features @ coefficients
        variance = np.linalg.inv(information(features, expit(eta), times))[1, 1] / width**2
        slope, half = float(coefficients[1] / width), float(ndtri((1 + level) / 2) * np.sqrt(variance))
        gain = max(0.0, 2 * (loss_of(odds, target, times) - loss_of(eta, target, times)))
        intercept = float(coefficients[0] - slope * centre)
        return SlopeEstimate(slope, slope - half, slope + half, intercept, gain, float(chdtrc(2, gain)), dropped)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def slope_limit(odds: Array, target: Array) -> float:
    """inf or -inf where the odds separate the targets, nan where no slope exists, else 1."""
    comes_true, does_not = odds[target > 0], odds[target < 1]
    if not len(comes_true) or not len(does_not) or odds.min() == odds.max():
        return np.nan
    if comes_true.min() >= does_not.max():
        return np.inf
    return -np.inf if comes_true.max() <= does_not.min() else 1.0


def _clip_of(clip: float | None) -> float | None:
    return None if clip is None else validation.real_number(clip, "clip", 0.0, 0.5, open_ends=True)


def _kept(problem: ScalarProblem, clip: float | None) -> tuple[Array, Array, Array, int]:
    """Log-odds, targets and repetitions of the scores that are kept, and the number of samples left out."""
    score, target, times = problem.score, problem.target, repetitions(problem)
    if clip is not None:
        return log_odds(score, clip), target, times, 0
    kept = (score > 0) & (score < 1)
    dropped = int(counts_of(problem)[~kept].sum())
    return np.log(score[kept]) - np.log1p(-score[kept]), target[kept], times[kept], dropped
