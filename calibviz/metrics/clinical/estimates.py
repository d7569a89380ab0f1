"""Measures of clinical prediction models: observed by expected, calibration intercept and slope."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, expit, ndtri

from ...context.conditions import Condition
from ...context.induced import Judged
from ...context.lenses import Lens
from ...data.dependence import assumes_independence
from ...data.models import takes_arrays
from ...engine.clustered import FEWEST, Clusters, independent_size
from ...engine.scalar import ScalarProblem
from ...engine.summed import SummedProblem
from ...foundation import validation
from ...foundation.arrays import Array, dot
from ...foundation.written import Brief, counted
from ..asked import measured_each, of_lens, problem_of
from ..masses import clopper_pearson, counts_of, repetitions
from .logistic_fits import fitted_logistic, fitted_shift, information, log_odds, loss_of

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate(Brief):
    """A number and its interval; see `observed_expected`.

    Attributes
    ----------
    estimate, lower, upper : float
    standard_error : float, at least 0
        Of the estimate; of `observed_expected` that of its logarithm. nan where the interval is no multiple of it, and
        of fewer than six clusters.
    note : str, or None
        Of few clusters: why there is no interval, or why no level is claimed for it.

    See Also
    --------
    observed_expected : What makes it.
    calibration_intercept, calibration_slope : Their estimates count what was left out.

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
    standard_error: float = field(default=np.nan, kw_only=True)
    note: str | None = field(default=None, kw_only=True)


class LeavesOut:
    """The samples that an estimate leaves out, and how to write that in words."""

    dropped: int
    impossible: int

    @property
    def without(self) -> str:
        """In words, how many samples of score 0 or 1 were left out; empty where none were."""
        if not self.dropped:
            return ""
        otherwise = f" ({self.impossible:,} of which turned out otherwise)" if self.impossible else ""
        return f"without {counted(self.dropped)} of score 0 or 1{otherwise}"


@dataclass(frozen=True)
class InterceptEstimate(Estimate, LeavesOut):
    """A calibration intercept and its interval; see `calibration_intercept`.

    Attributes
    ----------
    dropped : int
        Samples that were left out, as their score is 0 or 1.
    impossible : int
        How many of them turned out otherwise: of score 0 and not of target 0, or of score 1 and not of target 1. In a
        summary of weights that are no whole numbers it is estimated from their weight.
    without : str
        Both in words, such as "without 3 samples of score 0 or 1 (2 of which turned out otherwise)"; else empty.

    See Also
    --------
    calibration_intercept : What makes it.
    calibration_slope : The slope.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> cv.calibration_intercept(p).dropped
    2
    """

    dropped: int
    impossible: int


@dataclass(frozen=True)
class SlopeEstimate(Estimate, LeavesOut):
    """A calibration slope, its interval, and the test of intercept 0 and slope 1; see `calibration_slope`.

    Attributes
    ----------
    intercept : float
        Fitted together with the slope.
    statistic : float
        Twice the gain in log-likelihood over intercept 0 and slope 1; chi-squared with 2 degrees of freedom if the
        scores are calibrated (Miller et al. 1993). Of clusters it is Wald's.
    p_value : float, in [0, 1]
    dropped, impossible, without
        The samples of score 0 or 1 that were left out, as in `InterceptEstimate`.

    See Also
    --------
    calibration_slope : What makes it.
    calibration_intercept : The intercept.

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
    impossible: int


@assumes_independence
@takes_arrays
def observed_expected(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    level: float = LEVEL,
) -> Estimate:
    """Observed by expected: the mean target divided by the mean score, 1 where they agree (O:E).

    Parameters
    ----------
    predictions : Predictions, a scalar problem, a summary, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name, optional
        By default the positive class of two, and top-1 of more. A family such as
        "classwise" gives a number for each `outcome`.
    selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    level : float, in (0, 1)

    Returns
    -------
    Estimate
        With estimate, lower and upper; infinite where the scores add up to 0, nan where the targets do as well, and
        the interval is nan then. Where no target is above 0, the ratio is 0, and the upper end that of Clopper and
        Pearson for the mean target, divided by the mean score; where all are 1, the lower end is theirs.

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

    Of samples in C clusters the interval is exp(ln(O/E) +- t se), se^2 = C / (C - 1) sum_c (O_c/O - E_c/E)^2, with the
    quantile t of as many degrees of freedom as the clusters are worth, less 1. Of fewer than six there is none.

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
        if not np.isfinite(ratio):
            return Estimate(ratio, np.nan, np.nan)
        clusters, size = Clusters.of(problem), problem.effective_size
        note = None if clusters is None else clusters.note(problem)
        if clusters is not None and clusters.count < FEWEST:
            return Estimate(ratio, np.nan, np.nan, note=note)
        if observed in (0, 1):  # the formula would say that so many equal ones leave no doubt at all
            ends = clopper_pearson(observed, independent_size(problem), level)
            lower, upper = (float(end) / expected for end in ends)
            return Estimate(ratio, min(lower, ratio), max(upper, ratio), note=note)
        if clusters is None:
            reach, error = ndtri((1 + level) / 2), float(np.sqrt((1 - observed) / (size * observed)))
        else:
            relative = problem.given_target / observed - problem.score / expected
            reach, error = clusters.reach(level), clusters.error_of_mean(relative)
        lower, upper = (float(ratio * np.exp(side * reach * error)) for side in (-1, 1))
        return Estimate(ratio, lower, upper, standard_error=error, note=note)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


@of_lens()
def calibration_in_the_large(problem: ScalarProblem) -> float:
    """Calibration in the large: the mean target less the mean score.

    Many papers give this name to the `calibration_intercept`.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.

    Returns
    -------
    float, in [-1, 1]
        Above 0 where more is observed than predicted.

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
    return problem.mean_target - problem.mean_score


@assumes_independence
@takes_arrays
def calibration_intercept(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    clip: float | None = None,
    level: float = LEVEL,
) -> InterceptEstimate:
    """Calibration intercept: by how much the log-odds of all scores have to be moved, 0 for calibrated ones.

    The a of logit P(t = 1) = a + logit s: logistic regression of the target with the log-odds of the score as an
    offset (the slope stays 1).

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    clip : float, in (0, 0.5), optional
        Scores are kept so far away from 0 and 1. By default those that are 0 or 1 are left out, as R does.
    level : float, in (0, 1)
        Of the Wald interval.

    Returns
    -------
    InterceptEstimate
        With estimate, lower, upper, dropped, impossible and, in words, without; -inf or inf where all targets are 0 or
        all are 1, nan where every sample is left out.

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

    Of samples in C clusters the standard error is sqrt(C / (C - 1) sum_c (sum w (t - p))^2) / sum w p (1 - p), with the
    quantile of `observed_expected`.

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
    level, clip = validation.level(level), clip_of(clip)

    def measure(problem: ScalarProblem) -> InterceptEstimate:
        kept, odds, *left_out = kept_of(problem, clip)
        if kept is None:
            return InterceptEstimate(np.nan, np.nan, np.nan, *left_out)
        target, times = kept.target, repetitions(kept)
        wanted = dot(times, target)
        if not target.any() or target.min() >= 1:
            return InterceptEstimate(np.inf if target.any() else -np.inf, np.nan, np.nan, *left_out)
        moved = fitted_shift(odds, times, wanted)
        chance = expit(moved + odds)
        known, clusters = dot(times, chance * (1 - chance)), Clusters.of(kept)
        if clusters is None:
            reach, error, note = ndtri((1 + level) / 2), float(1 / np.sqrt(known)), None
        else:  # the mean of these is 0: they are how far each sample moves the intercept
            moves = (kept.given_target - chance) * (times.sum() / known)
            reach, error, note = clusters.reach(level), clusters.error_of_mean(moves), clusters.note(kept)
        lower, upper = (float(moved + side * reach * error) for side in (-1, 1))
        return InterceptEstimate(moved, lower, upper, *left_out, standard_error=error, note=note)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


@assumes_independence
@takes_arrays
def calibration_slope(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    clip: float | None = None,
    level: float = LEVEL,
) -> SlopeEstimate:
    """Calibration slope: what the log-odds of the scores have to be multiplied by, 1 for calibrated ones.

    The b of logit P(t = 1) = a + b logit s: logistic regression of the target on the log-odds of the score. Below 1 the
    scores are too extreme, as those of an overfitted model are. With `clip=1e-12`, `Platt` differs by its smoothed
    targets alone.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    clip : float, in (0, 0.5), optional
        Scores are kept so far away from 0 and 1. By default those that are 0 or 1 are left out, as R does: where many
        are, as those of forests, the slope would follow them and the clip alone.
    level : float, in (0, 1)
        Of the Wald interval.

    Returns
    -------
    SlopeEstimate
        With estimate, lower, upper, intercept, statistic, p_value, dropped, impossible and, in words, without. Where
        the scores separate the targets, inf or -inf, and nan for the rest; nan of one class alone, of one distinct
        score, and where every sample is left out.

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

    Of samples in C clusters, with U_c the sum of the scores of a cluster and A the information, the covariance of both
    coefficients is V = C / (C - 1) A^-1 (sum_c U_c U_c') A^-1, and the statistic (a, b - 1) V^-1 (a, b - 1)'. With f
    the degrees of freedom in `observed_expected`, that times (f - 1) / (2 f) is compared with F of 2 and f - 1 degrees
    of freedom (Hotelling 1931): p is (1 + statistic / f)^(-(f - 1) / 2).

    References
    ----------
    Cox 1958; Miller et al. 1993, Validation of probabilistic predictions (the test); Hotelling 1931, The generalization
    of Student's ratio (that of clusters).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> slope = cv.calibration_slope(p)
    >>> round(slope.estimate, 2), slope.without
    (0.13, 'without 141 samples of score 0 or 1')
    """
    level, clip = validation.level(level), clip_of(clip)

    def measure(problem: ScalarProblem) -> SlopeEstimate:
        kept, odds, *left_out = kept_of(problem, clip)
        target, times = (np.empty(0), np.empty(0)) if kept is None else (kept.target, repetitions(kept))
        limit = slope_limit(odds, target)
        if kept is None or not np.isfinite(limit):
            return SlopeEstimate(limit, np.nan, np.nan, np.nan, np.nan, np.nan, *left_out)
        centre, width = odds.mean(), odds.std()
        features = np.column_stack([np.ones_like(odds), (odds - centre) / width])
        start = np.array([centre, width])  # intercept 0 and slope 1
        coefficients = fitted_logistic(features, target, times, start)
        eta = features @ coefficients
        chance, clusters = expit(eta), Clusters.of(kept)
        covariance = np.linalg.inv(information(features, chance, times))
        slope = float(coefficients[1] / width)
        intercept = float(coefficients[0] - slope * centre)
        if clusters is None:
            reach, note = float(ndtri((1 + level) / 2)), None
            statistic = max(0.0, 2 * (loss_of(odds, target, times) - loss_of(eta, target, times)))
            p_value = float(chdtrc(2, statistic))
        else:
            reach, note = clusters.reach(level), clusters.note(kept)
            away, moves = coefficients - start, features * (kept.given_target - chance)[:, None]
            covariance = clusters.correction * covariance @ clusters.outer(moves) @ covariance
            covariance *= (times.sum() / clusters.total) ** 2
            statistic = float(away @ np.linalg.solve(covariance, away)) if clusters.count >= FEWEST else np.nan
            f = clusters.freedom  # of F with 2 and f - 1, the tail of statistic (f - 1) / (2 f) is a power
            p_value = float((1 + statistic / f) ** (-(f - 1) / 2))
        error = float(np.sqrt(covariance[1, 1]) / width)
        lower, upper = (slope + side * reach * error for side in (-1, 1))
        of_both = intercept, statistic, p_value
        return SlopeEstimate(slope, lower, upper, *of_both, *left_out, standard_error=error, note=note)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def slope_limit(odds: Array, target: Array) -> float:
    """inf or -inf where the odds separate the targets, nan where no slope exists, else 1."""
    comes_true, does_not = odds[target > 0], odds[target < 1]
    if not len(comes_true) or not len(does_not) or odds.min() == odds.max():
        return np.nan
    if comes_true.min() >= does_not.max():
        return np.inf
    return -np.inf if comes_true.max() <= does_not.min() else 1.0


def clip_of(clip: float | None) -> float | None:
    """The distance from 0 and 1 that scores are moved to, or None."""
    return None if clip is None else validation.real_number(clip, "clip", 0.0, 0.5, open_ends=True)


def kept_of(problem: ScalarProblem, clip: float | None) -> tuple[ScalarProblem | None, Array, int, int]:
    """The samples that are kept, None if none is, and their log-odds; of the others `dropped` and `impossible`."""
    if clip is not None:
        return problem, log_odds(problem.score, clip), 0, 0
    at_end = (problem.score <= 0) | (problem.score >= 1)
    left_out = round(counts_of(problem)[at_end].sum()), impossible_of(problem)
    if at_end.all():
        return None, np.empty(0), *left_out
    kept = problem.subset(~at_end) if at_end.any() else problem
    kept.whole_weights = problem.whole_weights  # all of them say whether they count repetitions
    return kept, np.log(kept.score) - np.log1p(-kept.score), *left_out


def impossible_of(problem: ScalarProblem) -> int:
    """How many samples of score 0 hold an event, or of score 1 none; see `_counted`."""
    counts, target = counts_of(problem), problem.given_target
    ends = ((problem.score <= 0, target > 0), (problem.score >= 1, target < 1))
    return round(sum(_counted(problem, counts, end, end & otherwise) for end, otherwise in ends))


def _counted(problem: ScalarProblem, counts: Array, cell: NDArray[np.bool_], part: NDArray[np.bool_]) -> float:
    """How many samples the rows `part` of a `cell` hold; estimated by weight where a summary counts cells alone."""
    if not isinstance(problem, SummedProblem) or not part.any():
        return float(counts[part].sum())
    return max(1.0, float(counts[cell].sum() * (problem.weight[part].sum() / problem.weight[cell].sum())))
