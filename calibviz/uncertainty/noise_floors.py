"""What stands beside an error that a person sees: what calibrated predictions show, and where the true one lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..context.class_lenses import Pooled
from ..context.conditions import Condition
from ..context.induced import Judged
from ..context.lenses import Lens, Problem
from ..engine.binning import Binning
from ..engine.scalar import ScalarProblem
from ..foundation.chance import NULLS, noise_floor, p_values
from ..foundation.progress import with_progress
from .consistency import null_problems
from .error_intervals import ErrorInterval, interval

LIKELY = "likely true"  # how the estimate of an interval is called wherever a person reads it
VAGUE = 0.25  # width of an interval beside which an estimate would only look precise
TOO_FEW = "too few samples to say"
FEWEST_NULLS = 99  # data sets of which each holds many scores
MOST_DRAWN = 20_000_000  # scores in all of them together, unless so many need more than the fewest
MOST_SCORES = 2_000_000  # of one data set: beyond, no noise floor is computed for a page
MOST_JUDGED = 20_000  # samples of an interval, which takes some seconds of them
TOO_MANY = "{:,} scores are too many to draw again and again while a page waits"
LOOKS_AT_TRUTH = "the selection looks at what is true, which cannot be drawn again"
OF_MAPPED_ENTRIES = "a calibrator of scores moves the entries of a row one by one, so no label can be drawn from it"
OF_ENTRIES = "the scores of a sample share its label"


@dataclass(frozen=True)
class NoiseFloor:
    """What calibrated predictions show of an error.

    Attributes
    ----------
    reaches : float
        The 95 % quantile of the error that calibrated predictions with these scores show.
    p_value : float in (0, 1], or None
        How often they show at least as much as was measured; None for the mean over several trials.
    """

    reaches: float
    p_value: float | None


@dataclass(frozen=True)
class Beside:
    """What stands beside an error; `no_floor` and `no_interval` say in a clause why something is missing for good."""

    floor: NoiseFloor | None = None
    interval: ErrorInterval | None = None
    no_floor: str = ""
    no_interval: str = ""

    def is_noise(self, error: float) -> bool:
        """Whether calibrated predictions would show as much."""
        return self.floor is not None and error <= self.floor.reaches

    @property
    def is_vague(self) -> bool:
        """Whether the interval is so wide that its estimate says next to nothing."""
        return self.interval is not None and self.interval.upper - self.interval.lower > VAGUE


def nulls_for(scores: int) -> int:
    """How many data sets make a noise floor: fewer of many scores, of which each takes long."""
    return min(NULLS, max(FEWEST_NULLS, MOST_DRAWN // scores))


def floors_under(
    predictions: Judged,
    problem: Problem,
    lens: Lens,
    selection: Condition | None,
    measure: Callable[[Any], Mapping[str, float]],
    *,
    mapped: bool = False,
    of_many: int = 1,
    n: int | None = None,
    seed: int = 0,
) -> dict[str, NoiseFloor]:
    """The noise floor of each error that `measure` finds in the problem that a lens made of selected predictions.

    Parameters
    ----------
    mapped : bool
        Whether a calibrator has moved the scores of the problem.
    of_many : int
        How many problems of this size need a noise floor; the more, the fewer data sets are drawn for each.
    n : int, optional
        How many data sets to draw; by default as many as a page waits for.

    Raises
    ------
    ValueError
        If no labels can be drawn, or by default if a page would wait too long; the message is a clause.
    """
    if looks_at_truth(selection):
        raise ValueError(LOOKS_AT_TRUTH)
    if n is None and len(problem) > MOST_SCORES:
        raise ValueError(TOO_MANY.format(len(problem)))
    refuse_mapped_entries(lens, mapped)
    if n is None:
        n = nulls_for(of_many * len(problem))
    return noise_floors(null_problems(predictions, problem, lens, selection, n, seed), measure, measure(problem), n)


def refuse_mapped_entries(lens: Lens, mapped: bool) -> None:
    """Raise where a calibrator has `mapped` scores that a lens has pooled from all classes."""
    if mapped and isinstance(lens, Pooled):
        raise ValueError(OF_MAPPED_ENTRIES)


def noise_floors(
    nulls: Iterable[Problem], measure: Callable[[Problem], Mapping[str, float]], observed: Mapping[str, float], n: int
) -> dict[str, NoiseFloor]:
    """The noise floor of each error that was observed.

    Parameters
    ----------
    nulls : iterable of n problems
        Drawn as if the predictions were calibrated: see `null_problems`.
    measure : function of a problem
        Its errors by name.
    observed : dict of name to float
        The same errors of the predictions themselves.
    """
    shown: dict[str, list[float]] = {name: [] for name in observed}
    for null in with_progress(nulls, "noise floor", n, show=False):
        errors = measure(null)
        for name, values in shown.items():
            values.append(errors[name])
    return {
        name: NoiseFloor(float(noise_floor(values)), float(p_values(values, observed[name])))
        for name, values in shown.items()
    }


def looks_at_truth(selection: Condition | None) -> bool:
    """Whether a selection depends on labels, so that no others can be drawn for what it keeps."""
    return selection is not None and (selection.uses("correct") or selection.uses("label"))


def interval_or_why(
    problem: Problem, error: Callable[..., float], binning: Binning | None
) -> tuple[ErrorInterval | None, str]:
    """The interval of an error of a problem that is not too large; else None and a clause that says why."""
    if not isinstance(problem, ScalarProblem):
        return None, "a lens of several outcomes has none"
    if problem.samples > MOST_JUDGED:
        return None, f"{problem.samples:,} samples are more than the {MOST_JUDGED:,} of which a page computes one"
    try:
        return interval(problem, error, binning=binning, progress=False), ""
    except ValueError as why:
        return None, str(why)
