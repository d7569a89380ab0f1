"""One line in words about the numbers of a scalar problem, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.written import INFERRED, counted, p_value, percents
from ..metrics.clinical.tilt import TILTED as TILT_SHOWN, tilt_z
from ..metrics.masses import unit_weights, variances
from ..uncertainty.error_intervals import hidden_error

Interval = tuple[float, float]
Array = NDArray[np.float64]

FEWEST = 30
SURE = 0.05
NOTHING_LEFT, LEAVES, MAKES = "leaves no error that these samples could show", "leaves errors", "makes errors"
NOT_SHOWN = "is not shown to help"
ONE_SIDED = 1.6449  # the 95 % quantile of the normal distribution
TILTED = {
    1: ("too extreme", "less is observed at high scores than predicted, more at low ones"),
    -1: ("too cautious", "more is observed at high scores than predicted, less at low ones"),
}
#: What a verdict begins with where `runs_backwards` is true.
BACKWARDS = "The higher the score, the rarer the event: is this the probability of the other outcome?"


@dataclass(frozen=True)
class After:
    """The samples of a `reading` after recalibration.

    Attributes
    ----------
    name : str
        What recalibrated them, such as "spline".
    mean_score, mean_target : float, in [0, 1]
    interval : (float, float)
        The 95 % interval of the mean target.
    ks, ks_limit : float, in [0, 1]
    count : int
        The number of samples, which a selection by output can change.
    p_values : dict of name to float
        How often calibrated predictions show errors in bins as large, such as {"ECE": 0.3}, as far as that is known.
    brier_change : (float, float), optional
        Between which the change of the Brier score lies, by `brier_change`. That it is better or worse is stated only
        where this leaves out 0. Without it, sizes alone decide.

    Raises
    ------
    ValueError
        Where a number is not finite.
    """

    name: str
    mean_score: float
    mean_target: float
    interval: Interval
    ks: float
    ks_limit: float
    count: int = FEWEST
    p_values: Mapping[str, float] = field(default_factory=dict)
    brier_change: Interval | None = None

    def __post_init__(self) -> None:
        low, high = map(float, self.interval)
        _refuse_infinite(low=low, high=high)
        object.__setattr__(self, "interval", (low, high))
        for name in ("mean_score", "mean_target", "ks", "ks_limit"):
            _refuse_infinite(**{name: getattr(self, name)})
            # Sums of probabilities may leave [0, 1] a little.
            object.__setattr__(self, name, min(1.0, max(0.0, float(getattr(self, name)))))

    @property
    def gap(self) -> float:
        return abs(self.mean_score - self.mean_target)

    @property
    def direction(self) -> int:
        """1 where the scores are too high on average, -1 where too low, 0 where neither is shown."""
        if not _differ(self.mean_score, self.mean_target):
            return 0
        low, high = min(self.interval[0], self.mean_target), max(self.interval[1], self.mean_target)
        return (self.mean_score > high) - (self.mean_score < low)

    @property
    def uneven(self) -> bool:
        """Whether the cumulative curves are apart beyond noise."""
        return self.ks > self.ks_limit and _differ(self.ks, self.ks_limit)

    @property
    def is_better(self) -> bool:
        """Whether the samples show that it is no worse than before."""
        return self.brier_change is None or self.brier_change[1] < 0

    @property
    def is_worse(self) -> bool:
        return self.brier_change is None or self.brier_change[0] > 0

    @property
    def seen(self) -> bool:
        return self.uneven or self.direction != 0

    @property
    def beyond(self) -> dict[str, float]:
        """The errors in bins that noise does not explain, at 5 % for all of them together."""
        return {name: p for name, p in self.p_values.items() if p * len(self.p_values) <= SURE}


def brier_change(before: ScalarProblem, after: ScalarProblem) -> Interval | None:
    """Between which a map of the scores changes the Brier score, each end at 5 %; None where the samples differ.

    A mean of one number a sample, m^2 - s^2 - 2 t (m - s), so its standard error is known. A map that keeps scores
    apart changes the Brier score by what it changes of the miscalibration, and by nothing else.

    `answers.situation.paired_change` has an interval of the same difference for two views of any kind, which is shown
    as numbers. This one decides a verdict: each end is a test by itself, and the noise of the labels is never taken to
    be less than by the scores of one side. It knows that both sides have the same targets, so it also takes weights
    and targets that are means.
    """
    if before.squared_weights is not None:  # weights that depend on the targets
        return None
    moved = np.full(1 + max(before.order.max(), after.order.max()), np.nan)
    moved[after.order] = after.score
    moved = moved[before.order]
    if len(before) != len(after) or np.isnan(moved).any():
        return None
    weight, target, times = unit_weights(before), before.given_target, variances(before)
    step = moved - before.score
    change = step * (moved + before.score - 2.0 * target)
    mean = float(np.average(change, weights=weight))
    # A target that is the mean of several samples hides how far these are apart.
    spread = times * ((change - mean) ** 2 + 4.0 * step**2 * target * (1.0 - target))
    # Where few targets are 1, or few are 0, these few show too little of the noise of labels: if the scores that the
    # map gives up are the true ones, or those that it makes, their noise is known.
    low, high = (
        ONE_SIDED * math.sqrt(max(0.0, float(spread.sum()), _label_noise(times, step, scores))) / float(weight.sum())
        for scores in (moved, before.score)
    )
    return mean - low, mean + high


def tilt(problem: ScalarProblem) -> int:
    """1 where the scores are too extreme, -1 where they are too cautious, 0 where neither is shown at 5 %."""
    if problem.squared_weights is not None:  # weights of the targets
        return 0
    z = tilt_z(problem)
    return 0 if not abs(z) > TILT_SHOWN else -1 if z > 0 else 1


def _label_noise(times: Array, step: Array, scores: Array) -> float:
    """The variance of the sum of changes by the labels alone, if these have the scores as probabilities."""
    share = np.clip(scores, 0.0, 1.0)
    return float((times * 4.0 * step**2 * share * (1.0 - share)).sum())


def reading(
    mean_score: float,
    mean_target: float,
    interval: Interval,
    count: int,
    *,
    about_predicted: bool = True,
    ks: float,
    ks_limit: float,
    after: After | None = None,
    p_values: Mapping[str, float] | None = None,
    largest: float | None = None,
    tilted: Callable[[], int] = lambda: 0,
    backwards: bool = False,
) -> str:
    """Return one line in words: "Over-confident: predicted 94 %, observed 89 %; the spline removes most of it."

    Parameters
    ----------
    mean_score, mean_target : float, in [0, 1]
    interval : (float, float)
        The 95 % interval of the mean target: see `mean_interval`.
    count : int
        The number of samples.
    about_predicted : bool
        Whether the lens asks if the predicted class is right: see `is_about_predicted`.
    ks, ks_limit : float, in [0, 1]
        The KS error, and what it would exceed with 5 % probability if the model were calibrated: see `ks_limit`.
    after : After, optional
        The same after recalibration.
    p_values : dict of name to float, optional
        Of errors in bins: see `After`. The line rests on means and the KS error, and names these where they disagree.
    largest : float, in [0, 1], optional
        The upper end of the interval of the true KS error, where it is known: the samples could hide no less.
    tilted : callable
        Returns whether the scores are too cautious or too extreme, by `tilt`. It is asked where an error is shown.
    backwards : bool
        Whether the higher the score, the rarer the event, by `runs_backwards`: the line begins with it.

    Raises
    ------
    ValueError
        Where a number is not finite, or there is no sample.
    """
    validation.whole_number(count, "count", 1)
    before = After("none", mean_score, mean_target, interval, ks, ks_limit, p_values=p_values or {})
    means = _means_of(before, resolution=interval[1] - interval[0])
    first = f"{BACKWARDS} " if backwards else ""
    if count < FEWEST:
        return f"{first}Only {counted(count)}: too few to tell ({means})."
    if before.direction:
        claim = _claim(about_predicted, before.direction)
        if not before.uneven:  # the mean alone shows a shift a little sooner than the KS error does
            claim = f"Perhaps {claim[0].lower()}{claim[1:]}, if it is not noise"
        elif not about_predicted and (tilt := tilted()):
            claim += f" and {TILTED[tilt][0]}"
        verdict = f"{claim}: {_means_of(before, before.gap)}"
    elif before.uneven:
        apart = "up to {} apart, where noise reaches {}".format(*percents(before.ks, before.ks_limit))
        # The interval of the targets may be too wide: it knows nothing of the scores.
        if before.gap > before.ks_limit and _differ(before.mean_score, before.mean_target):
            claim = _claim(about_predicted, before.mean_score - before.mean_target)
            apart_by = _means_of(before, before.gap)
            verdict = f"Perhaps {claim[0].lower()}{claim[1:]} ({apart_by}): the cumulative curves are {apart}"
        elif tilt := tilted():
            how, what = TILTED[tilt]
            verdict = f"{how.capitalize()}: {what} ({means}); the cumulative curves are {apart}"
        else:
            verdict = f"No error is shown overall ({means}), but in parts: the cumulative curves are {apart}"
    elif before.beyond:
        verdict = f"No error is shown overall ({means}), but in bins: {_listed(before.beyond)} beyond noise"
    else:
        hidden = max(largest or 0.0, hidden_error(mean_score, before.interval, before.ks, ks_limit))
        (most,) = percents(hidden, resolution=INFERRED * hidden)
        verdict = f"No miscalibration is shown ({means}): {counted(count)} could hide a KS error up to about {most}"
    if before.seen and before.p_values and all(p > SURE for p in before.p_values.values()):
        verdict += f", which bins do not show: {_listed(before.p_values)}"
    change = "" if after is None else _change(before, after)
    if after is not None and not after.seen and after.beyond and change in ("", NOTHING_LEFT):
        change = f"{LEAVES if before.seen or before.beyond else MAKES} in bins: {_listed(after.beyond)} beyond noise"
    if after is not None and after.count < FEWEST:
        change = f"leaves {counted(after.count)}, too few to tell"
    end = f"; the {' '.join(after.name.split())} {change}" if after and change else ""
    return f"{first}{verdict}{end}."


def _listed(p_values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} ({p_value(p, 'p')})" for name, p in p_values.items())


def _claim(about_predicted: bool, direction: float) -> str:
    if about_predicted:
        return "Over-confident" if direction > 0 else "Under-confident"
    return "Too high" if direction > 0 else "Too low"


def _change(before: After, after: After) -> str:
    """Return what recalibration changes of the error before, in words; empty where it changes nothing that is shown."""
    worse = after.seen and after.ks > 1.1 * before.ks and after.is_worse
    if not before.seen:
        return "makes calibration worse" if worse else ""
    if worse:
        return "makes it worse"
    if after.seen and not (after.is_better or after.is_worse):
        return NOT_SHOWN
    size = before.gap if before.direction else before.ks
    if after.ks >= 0.9 * before.ks or (after.seen and after.gap >= 0.9 * size):
        if after.brier_change is None or not after.is_better:
            return NOT_SHOWN
        return "removes little of it" if after.ks < before.ks else "lowers the Brier score, but not the KS error"
    if not after.seen:
        return NOTHING_LEFT
    if not after.is_better:
        return NOT_SHOWN
    return "removes most of it" if after.ks <= before.ks / 2 and after.gap <= size / 2 else "removes some of it"


def _means_of(side: After, resolution: float) -> str:
    score, target = percents(side.mean_score, side.mean_target, resolution=resolution)
    return f"predicted and observed {score}" if score == target else f"predicted {score}, observed {target}"


def _differ(share: float, other: float) -> bool:
    """Whether two shares differ in the digits that a sentence can show."""
    return len(set(percents(share, other))) == 2


def _refuse_infinite(**numbers: float) -> None:
    for name, value in numbers.items():
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}: only a finite number can be put into words")
