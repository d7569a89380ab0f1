"""A gate: is a model shown to be within a limit, shown to be beyond it, or can so many samples not tell?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from ..context.class_lenses import Pooled
from ..context.conditions import Condition
from ..context.induced import lens_of, scalar_problem
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import checked, same_samples, takes_arrays
from ..data.predictions import Predictions
from ..engine.clustered import Clusters
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.written import (
    ShownAsPrinted,
    chosen_percent,
    counted,
    interval as written_interval,
    p_value,
    percents,
    whole_points,
)
from ..metrics.binned import calibration_error, ks_error, kuiper_error
from ..metrics.records.registry import METRICS
from ..uncertainty.intervals.bin_intervals import gap_interval
from ..uncertainty.intervals.error_intervals import FEWEST_CLUSTERS, approximate, interval
from ..uncertainty.joint_test import calibration_test
from .situation.paired_change import paired_brier_change

Status = Literal["pass", "fail", "cannot tell"]
Ends = tuple[float, float, float]  # estimate, lower, upper

LEVEL, TOLERANCE = 0.95, 0.005
ERRORS: Mapping[str, Callable[..., float]] = {"ks": ks_error, "kuiper": kuiper_error, "ece": calibration_error}
GAP, ICI = "gap", "ici"
MEASURES = (*ERRORS, GAP)
BASELINE, TEST = "brier", "calibration_test"
LET_IT_PASS = "no miscalibration is shown, which shows no calibration: with a limit it can pass"
MOST_NEEDED = 10_000_000  # samples that are still named


@dataclass(frozen=True)
class Checked:
    """The outcome of one hypothesis; see `check`.

    Attributes
    ----------
    measure : str
        "ks", "kuiper", "ece", "gap", "brier" (new less old), or "calibration_test".
    limit : float or None
        What is allowed; None of a test without a limit.
    estimate, lower, upper : float or None
        The number and its interval, of which each end holds at the level; None of a test, and where clusters are too
        few for an interval.
    p_value : float or None
        Of a test.
    status : "pass", "fail" or "cannot tell"
    sentence : str
    """

    measure: str
    limit: float | None
    estimate: float | None
    lower: float | None
    upper: float | None
    p_value: float | None
    status: Status
    sentence: str


@dataclass(frozen=True)
class Check(ShownAsPrinted):
    """The outcome of a gate; see `check`.

    Attributes
    ----------
    status : "pass", "fail" or "cannot tell"
    checks : tuple of Checked
    samples : int
    clusters : int or None
        None of samples that are taken to be independent.

    See Also
    --------
    check : Makes it.

    Examples
    --------
    >>> print(cv.check(cv.simulated("resnet110_c10", 2000), within=0.1))
    pass
    KS error 5.15 %, 4.33 to 5.99 % (90 %): shown to be within 10 points.
    """

    status: Status
    checks: tuple[Checked, ...]
    samples: int
    clusters: int | None

    def __str__(self) -> str:
        return "\n".join([self.status, *(each.sentence for each in self.checks)])


@assumes_independence
@takes_arrays
def check(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    within: float | Mapping[str, float] | None = None,
    measure: str = "ks",
    baseline: Predictions | None = None,
    tolerance: float = TOLERANCE,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> Check:
    """A gate for a model: pass, fail, or cannot tell.

    It passes what is shown to be within a limit, and fails what is shown to be beyond it. Where the samples are too few
    for either, it says so, and how many would do.

    Parameters
    ----------
    predictions : Predictions, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens, selection, outcome
        As in `calibration_error`.
    within : float in (0, 1), or dict of measure to such floats, optional
        The largest error that is allowed, as a share: 0.02 is 2 points. Without it, and without a baseline,
        `calibration_test` decides, which can fail a model but never pass it.
    measure : {"ks", "kuiper", "ece", "gap"}
        What `within` limits: an error, or the distance of the mean target from the mean score.
    baseline : Predictions, optional
        Other predictions of the same samples in the same order, such as those of the model in use: the Brier score may
        be worse than theirs by `tolerance`.
    tolerance : float, at least 0
    level : float, in (0.5, 1)
        Of each end of an interval, so that a gate errs in at most 1 - level of the cases to each side.
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Check
        With status, checks, samples and clusters; as text the status, and a sentence for each check.

    Raises
    ------
    TypeError, ValueError
        Where a measure has no interval, or the baseline has other samples.

    See Also
    --------
    verdict : All that may be said of a model.
    interval, calibration_test : What decides.

    Notes
    -----
    An interval that reaches with each end at the level lies beyond the limit (fail), within it (pass), or holds it. Of
    m checks one that fails fails all, each at 1 - (1 - level) / m; all have to pass, each at the level
    (intersection-union). In simulations of 500 and 2,000 samples with a KS error of exactly the limit, 0 and 5 %
    passed, and 7 and 5 % failed.

    Examples
    --------
    >>> cv.check(cv.load_dataset("tumours")["naive Bayes"], within=0.01).status
    'fail'
    """
    validation.truth(progress, "progress")
    level = validation.real_number(level, "level", 0.5, 1.0, open_ends=True)
    tolerance, seed = validation.real_number(tolerance, "tolerance", 0.0), validation.rng(rng)
    problem = scalar_problem(checked(predictions), lens, selection, outcome)
    if isinstance(lens_of(predictions, lens), Pooled):
        raise ValueError("lens: 'pooled' has several scores of each sample: choose a class, or 'top-1'")
    limits = _limits(within, measure)
    several = len(limits) + (baseline is not None)
    strict = 1 - (1 - level) / max(1, several)
    held = chosen_percent(round(strict + level - 1, 12))

    def ends(of: Callable[[float], Ends]) -> Ends:
        """The estimate, the lower end that fails, and the upper end that passes."""
        estimate, lower, upper = of(round(2 * level - 1, 12))
        return estimate, lower if several == 1 else of(round(2 * strict - 1, 12))[1], upper

    def each() -> Iterator[Checked]:
        for name, limit in limits.items():
            of = partial(_ends, problem, name, seed=seed, progress=progress)
            yield _no_interval(problem, name, limit) or _within(problem, name, limit, ends(of), held)
        if baseline is not None:
            other = scalar_problem(same_samples(checked(baseline, "baseline"), predictions), lens, selection, outcome)
            yield _beside(ends(lambda at: _worse(other, problem, at)), tolerance, held)
        if not several:
            yield _tested(problem, level, seed, progress)

    checks = tuple(each())
    statuses = {one.status for one in checks}
    status: Status = "fail" if "fail" in statuses else "pass" if statuses == {"pass"} else "cannot tell"
    codes = problem.cluster_codes
    return Check(status, checks, problem.samples, None if codes is None else len(np.unique(codes)))


def _limits(within: float | Mapping[str, float] | None, measure: str) -> dict[str, float]:
    given = within if isinstance(within, Mapping) else {validation.text(measure, "measure"): within}
    for name in given:
        if name == ICI:
            raise ValueError("measure 'ici' has no interval that holds its level: use 'ks', which has one")
        validation.choice(name, "measure", MEASURES)
    if within is None:
        return {}
    named = {name: f"within[{name!r}]" if isinstance(within, Mapping) else "within" for name in given}
    return {name: validation.real_number(limit, named[name], 0.0, 1.0, open_ends=True) for name, limit in given.items()}


def _ends(problem: ScalarProblem, measure: str, level: float, seed: int | None, progress: bool) -> Ends:
    if measure != GAP:
        found = interval(problem, error=ERRORS[measure], level=level, rng=seed, progress=progress)
        return found.estimate, found.lower, found.upper
    gap, (low, high) = problem.mean_target - problem.mean_score, gap_interval(problem, level)
    return abs(gap), 0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high))


def _status(lower: float, upper: float, limit: float) -> Status:
    return "fail" if lower > limit else "pass" if upper <= limit else "cannot tell"


def _named(measure: str) -> str:
    """A measure at the start of a sentence."""
    name = "distance of the means" if measure == GAP else METRICS[measure].term
    return f"{name[:1].upper()}{name[1:]}"


def _no_interval(problem: ScalarProblem, measure: str, limit: float) -> Checked | None:
    """The outcome where clusters are too few for an interval; None where they are enough."""
    clusters = Clusters.of(problem)
    few = "" if clusters is None else clusters.too_few if measure == GAP else clusters.worth_less(FEWEST_CLUSTERS)
    sentence = f"{_named(measure)}: no interval, since {few}."
    return Checked(measure, limit, None, None, None, None, "cannot tell", sentence) if few else None


def _within(problem: ScalarProblem, measure: str, limit: float, ends: Ends, held: str) -> Checked:
    estimate, lower, upper = ends
    about = f", {note}" if measure != GAP and (note := approximate(Clusters.of(problem))) else ""
    status, allowed = _status(lower, upper, limit), whole_points(limit, digits=4)
    said = {
        "pass": f"shown to be within {allowed}",
        "fail": f"shown to be beyond {allowed}",
        "cannot tell": _cannot_tell(problem.samples, estimate, lower, upper, limit),
    }
    found, low, high = percents(estimate, lower, upper, resolution=(upper - lower) / 10)
    sentence = f"{_named(measure)} {found}, {low.removesuffix(' %')} to {high} ({held}{about}): {said[status]}."
    return Checked(measure, limit, estimate, lower, upper, None, status, sentence)


def _cannot_tell(n: int, estimate: float, lower: float, upper: float, limit: float) -> str:
    """How far so many samples leave an error open, and how many would settle it."""
    said = f"{counted(n)} cannot tell whether it is within {whole_points(limit, digits=4)}"
    distance = abs(limit - estimate)
    needed = n * ((upper - lower) / (2 * distance)) ** 2 if distance > 0 else np.inf
    if needed > MOST_NEEDED:
        return f"{said}, and no number of them soon will: it lies so near"
    return f"{said}; about {float(f'{needed:.2g}'):,.0f} would settle it" if needed > n else said


def _worse(old: ScalarProblem, new: ScalarProblem, level: float) -> Ends:
    """How far the Brier score of the new scores lies above that of the old, with its interval."""
    change = paired_brier_change(old, new, level=level)
    if change is None:
        raise ValueError(
            "baseline: no interval of the difference of Brier scores: it takes samples of one weight, in at least six "
            "clusters where they have some"
        )
    return change.mean, change.low, change.high


def _beside(ends: Ends, tolerance: float, held: str) -> Checked:
    mean, lower, upper = ends
    status: Status = "fail" if lower > 0 else "pass" if upper <= tolerance else "cannot tell"
    said = {
        "pass": f"shown to be no more than {tolerance:g} worse than the baseline",
        "fail": "shown to be worse than the baseline",
        "cannot tell": f"so many samples cannot tell whether it is more than {tolerance:g} worse than the baseline",
    }
    ends_said = written_interval(lower, upper, "", signed=True)
    sentence = f"Change of the Brier score {mean:+.4f}, {ends_said} ({held}): {said[status]}.".replace("-", "−")
    return Checked(BASELINE, tolerance, mean, lower, upper, None, status, sentence)


def _tested(problem: ScalarProblem, level: float, seed: int | None, progress: bool) -> Checked:
    test = calibration_test(problem, rng=seed, progress=progress)
    p = float(test.p_value)
    if test.why_not:
        sentence = f"There is no test, since {test.why_not}."
        return Checked(TEST, None, None, None, None, None, "cannot tell", sentence)
    status: Status = "fail" if p <= 1 - level else "cannot tell"
    said = f"miscalibration is shown, at {chosen_percent(1 - level)}" if status == "fail" else LET_IT_PASS
    return Checked(TEST, None, None, None, None, p, status, f"{p_value(p, 'p')}: {said}.")
