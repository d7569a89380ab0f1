"""What stands beside the errors of a report: noise floors, and intervals that hold the true error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from ...context.class_lenses import Pooled
from ...context.lenses import Problem
from ...data.predictions import Predictions
from ...engine.binning import Binning, EqualMass, Sweep, Uniform
from ...engine.scalar import ScalarProblem
from ...metrics.likert import problem_likert
from ...metrics.registry import METRICS
from ...uncertainty.noise_floors import (
    OF_ENTRIES,
    Beside,
    NoiseFloor,
    floors_under,
    interval_or_why,
)
from .choices import Scope
from .numbers import BINS, SEED

CATEGORY_ERRORS = {"error": "error bin by bin", "one_bin_error": "error as one bin"}
Besides = Mapping[str, Beside]

#: The errors of `numbers.READINGS`: the function, and the bins where it has some.
BINNINGS: Mapping[str, Binning | None] = {
    "ece": Uniform(BINS),
    "sweep": Sweep(),
    "debiased": EqualMass(BINS),
    "ks": None,
}
ERRORS: Mapping[str, tuple[Callable[..., float], Binning | None]] = {
    name: (cast(Callable[..., float], METRICS[name].interval_of), binning) for name, binning in BINNINGS.items()
}


def floors_beside(predictions: Predictions, problem: ScalarProblem, choices: Scope, mapped: bool = False) -> Besides:
    """The noise floor of every error of a problem, whose scores a calibrator may have `mapped`."""
    lens, selection = choices.lens, choices.selection
    try:
        floors = floors_under(predictions, problem, lens, selection, _measured, mapped=mapped, seed=SEED)
    except ValueError as why:
        return dict.fromkeys(ERRORS, Beside(no_floor=str(why)))
    return {name: Beside(floor) for name, floor in floors.items()}


def intervals_beside(predictions: Predictions, problem: ScalarProblem, choices: Scope) -> Besides:
    """The same with the interval of every error."""
    found = {}
    for name, one in floors_beside(predictions, problem, choices).items():
        if one.floor is None:
            found[name] = one
        elif isinstance(choices.lens, Pooled):
            found[name] = Beside(one.floor, no_interval=OF_ENTRIES)
        else:
            interval, why = interval_or_why(problem, *ERRORS[name])
            found[name] = Beside(one.floor, interval, no_interval=why)
    return found


def p_values_in(besides: Besides) -> dict[str, float]:
    """How often calibrated predictions show errors in bins as large, for `reading`."""
    floors = {METRICS[name].title: besides[name].floor for name in ("ece", "sweep")}
    return {label: one.p_value for label, one in floors.items() if one is not None and one.p_value is not None}


def category_floors(part: ScalarProblem, ends: tuple[float, float], choices: Scope) -> Mapping[str, NoiseFloor]:
    """The noise floors of the errors of a Likert category, of which these are the samples; none where there are none.

    Labels are drawn for scores one by one, so not for the pooled ones, which share the labels of their samples.
    """
    if isinstance(choices.lens, Pooled):
        return {}

    def measure(problem: Any) -> dict[str, float]:
        row = problem_likert(problem, *ends, Uniform(BINS))
        return {name: row[name] for name in CATEGORY_ERRORS}

    try:
        return floors_under(part, part, choices.lens, choices.selection, measure, seed=SEED)
    except ValueError:  # the errors of the whole say why
        return {}


def _measured(problem: Problem) -> dict[str, float]:
    return {
        name: error(problem) if binning is None else error(problem, binning=binning)
        for name, (error, binning) in ERRORS.items()
    }
