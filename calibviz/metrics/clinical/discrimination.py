"""How well scores tell events from the rest: the area under the ROC curve, and whether scores run backwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri, stdtrit

from ...context.conditions import Condition
from ...context.induced import Judged
from ...context.lenses import Lens
from ...data.dependence import assumes_independence
from ...data.models import takes_arrays
from ...engine.clustered import Clusters
from ...engine.scalar import ScalarProblem
from ...engine.sorted_scores import segment_sums
from ...foundation import validation
from ...foundation.arrays import Array, dot
from ...foundation.chance import BACKWARDS, mann_whitney, orders_backwards
from ...foundation.clusters import of_clusters
from ..asked import is_pooled, measured_each, problem_of
from ..masses import clopper_pearson
from .estimates import LEVEL, Estimate, calibration_slope
from .logistic_fits import log_odds

UNKNOWN: dict[str, Any] = {"lower": np.nan, "upper": np.nan, "standard_error": np.nan}
MOST_BLOCKS = 1_000  # of scores, which show that most are ordered well
FLAT = 1e-9  # what a standard error, or a size above 1, is no more than by rounding


@dataclass(frozen=True)
class AUCEstimate(Estimate):
    """An area under the ROC curve and its interval; see `auc`.

    Attributes
    ----------
    standard_error : float
        By DeLong's method; nan where a class has a single sample, or labels are soft.
    events, others : float
        How many samples are events and how many are not, by their effective sizes.

    See Also
    --------
    auc : What makes it.
    observed_expected : Another number with an interval.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.auc(p).events
    212.0
    """

    events: float
    others: float

    @property
    def why_not(self) -> str:
        """Why there is no estimate, in a sentence; empty where there is one."""
        lacking = "event" if not self.events else "sample without the event"
        return "" if self.events and self.others else f"there is no {lacking}: the AUC compares both"

    @property
    def z(self) -> float:
        """How many standard errors the AUC lies above 1/2, if the scores ordered nothing (Mann and Whitney 1947).

        It is nan of samples in clusters.
        """
        return np.nan if self.note else mann_whitney(self.estimate, self.events, self.others)


@assumes_independence
@takes_arrays
def auc(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    level: float = LEVEL,
) -> AUCEstimate:
    """Area under the ROC curve, the c statistic: how often an event has a higher score than a sample without it.

    It says how well scores order samples, and nothing of whether they are calibrated: any rising map of the scores
    leaves it as it is. Pairs of equal scores count half.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    level : float, in (0, 1)
        Of DeLong's interval.

    Returns
    -------
    AUCEstimate
        With estimate, lower, upper, standard_error, events and others. All are nan where all samples are events or
        none is, which `why_not` says; the interval is nan of soft labels, of samples in clusters (which `note` says),
        and under the lens "pooled", whose entries are not independent.

    Raises
    ------
    ValueError
        As `observed_expected`.

    See Also
    --------
    calibration_slope : Below 0 too where scores run backwards.
    corp : Its discrimination part is what the order of the scores is worth in the Brier score.

    Notes
    -----
    The interval is that of DeLong's variance for the log-odds of the AUC, with the quantile of Student's t for as many
    degrees of freedom as both classes leave (Satterthwaite 1946). Where the variance is 0, such as at an AUC of 1, or
    a class has one sample, it is that of Clopper and Pearson for min(events, others) pairs: so many pairs have no
    sample in common, and are independent. Of 95 % it held 94 to 98 % from fifty of each class on, 91 to 96 % where one
    class has five to twenty and the AUC is .9 or above, and 87 % with three events and an AUC of .95.

    Whole-number weights repeat rows. With other weights a class has the size (sum w)^2 / sum w^2 (Kish 1965), and every
    sample the squared weight in the variance.

    In a summary, samples of a cell are taken to have equal scores: the AUC is off by at most half of the share of the
    pairs that are in one cell.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson 1988, Comparing the areas under two or more correlated receiver operating
    characteristic curves; Sun and Xu 2014 (its computation from sorted scores); Pepe 2003, section 5.2.5 (log-odds).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> found = cv.auc(p)
    >>> round(found.estimate, 3), round(found.lower, 3), round(found.upper, 3)
    (0.988, 0.98, 0.993)
    """
    level = validation.level(level)

    def measure(problem: ScalarProblem) -> AUCEstimate:
        found = auc_of(problem, level)
        return replace(found, **UNKNOWN) if is_pooled(lens) else found

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def auc_of(problem: ScalarProblem, level: float = LEVEL) -> AUCEstimate:
    """The AUC of one problem; see `auc`."""
    found = _of_independent(problem, level)
    if problem.clusters is None:
        return found
    return replace(found, **UNKNOWN, note=of_clusters(problem, "DeLong's interval of an AUC").clause)


def _of_independent(problem: ScalarProblem, level: float) -> AUCEstimate:
    is_counted = problem.whole_weights and problem.squared_weights is None
    weight = problem.weight if is_counted else problem.weight / problem.weight.max()
    cuts = np.concatenate([[0], problem.block_ends])
    # In each block of equal scores: the weights of events and of others, and what they are worth in a variance.
    events, others = _in_blocks(problem.given_target, weight, cuts)
    if is_counted:
        event_squares, other_squares = events, others
    else:
        event_squares, other_squares = _in_blocks(problem.given_target, problem.unit_squares, cuts)
    total, rest = float(events.sum()), float(others.sum())
    if not (total > 0 and rest > 0):
        none = np.nan
        return AUCEstimate(none, none, none, _size(total, event_squares), _size(rest, other_squares))
    # Sun and Xu's structural components: the share of others below an event, and of events above another.
    below = (np.cumsum(others) - others / 2) / rest
    above = 1.0 - (np.cumsum(events) - events / 2) / total
    area = float(np.clip(events @ below / total, 0.0, 1.0))
    sizes = _size(total, event_squares), _size(rest, other_squares)
    parts = event_squares @ (below - area) ** 2 / total**2, other_squares @ (above - area) ** 2 / rest**2
    if not problem.is_binary:
        return AUCEstimate(area, np.nan, np.nan, *sizes)
    if min(sizes) <= 1 + FLAT:
        return AUCEstimate(area, *_of_pairs(area, sizes, level), *sizes)
    variances = [part * size / (size - 1) for part, size in zip(parts, sizes, strict=True)]
    error = float(np.sqrt(sum(variances)))
    if error < FLAT or not 0 < area < 1:
        return AUCEstimate(area, *_of_pairs(area, sizes, level), *sizes, standard_error=error)
    freedom = error**4 / sum(part**2 / (size - 1) for part, size in zip(variances, sizes, strict=True))
    half = stdtrit(freedom, (1 + level) / 2) * error / (area * (1 - area))
    lower, upper = expit(logit(area) + np.array([-half, half]))
    return AUCEstimate(area, float(lower), float(upper), *sizes, standard_error=error)


def runs_backwards(problem: ScalarProblem) -> bool:
    """Whether the higher the score, the rarer the event: the scores may be probabilities of the other outcome.

    So it is where scores that order nothing would have so low an AUC once in 741 times, as `orders_backwards` says, or
    where the calibration slope's 95 % interval lies below 0 and its estimate more than three standard errors below 1.
    Scores that hardly differ show no slope: without the last condition, one in forty calibrated ones would be called
    backwards.
    """
    clusters = Clusters.of(problem)  # of which the slope alone decides, since no chance of an order is known
    # What is ordered well need not be measured exactly.
    if clusters is None and not least_area(problem) >= 0.5 + FLAT:
        area = auc_of(problem)
        if orders_backwards(area.estimate, area.events, area.others):
            return True
    weight, target, odds = problem.weight / problem.total, problem.target, log_odds(problem.score)
    if dot(weight, (odds - dot(weight, odds)) * target) >= 0:  # the likelihood is largest at a slope of 0 or more
        return False
    slope = calibration_slope(problem)
    reach = float(ndtri((1 + LEVEL) / 2)) if clusters is None else clusters.reach(LEVEL)
    error = (slope.upper - slope.lower) / (2 * reach)
    return bool(slope.upper < 0 and (slope.estimate - 1) / error < BACKWARDS)


def least_area(problem: ScalarProblem) -> float:
    """A share of pairs that the AUC is not below: events above others in a lower block of scores; nan without pairs."""
    ends = problem.block_ends
    ends = ends[np.linspace(0, len(ends) - 1, min(len(ends), MOST_BLOCKS)).astype(np.intp)]
    target, weight = (of / problem.total for of in (problem.target_up_to(ends), problem.cumulative_weight[ends]))
    events, others = np.diff(target, prepend=0.0), np.diff(weight - target, prepend=0.0)
    pairs = float(target[-1] * (weight[-1] - target[-1]))
    return float(events @ (np.cumsum(others) - others)) / pairs if pairs > 0 else np.nan


def _in_blocks(target: Array, weight: Array, cuts: NDArray[np.intp]) -> tuple[Array, Array]:
    """The weights of events and of others in each block of equal scores."""
    return segment_sums(weight * target, cuts), segment_sums(weight * (1 - target), cuts)


def _size(total: float, squares: Array) -> float:
    """How many equal samples weights of this total are worth (Kish 1965)."""
    return total**2 / float(squares.sum()) if total > 0 else 0.0


def _of_pairs(area: float, sizes: tuple[float, float], level: float) -> tuple[float, float]:
    """The interval of a share of so many independent pairs."""
    lower, upper = clopper_pearson(area, min(sizes), level)
    return float(lower), float(upper)
