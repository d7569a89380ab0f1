"""What stands beside the errors of a report: noise floors, and intervals that hold the true error."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from ...context.class_lenses import Pooled
from ...context.lenses import Problem
from ...data.predictions import Predictions
from ...engine.binning import Binning, EqualMass, Sweep, Uniform
from ...engine.scalar import ScalarProblem
from ...metrics.binned import binned_error
from ...metrics.likert import problem_likert
from ...metrics.records.registry import METRICS
from ...uncertainty.noise_floors import (
    OF_ENTRIES,
    Beside,
    NoiseFloor,
    floors_under,
    interval_or_why,
    nulls_for,
)
from .choices import Scope
from .many import CellRows
from .numbers import BINS, SEED

CATEGORY_ERRORS = {"error": "error bin by bin", "one_bin_error": "error as one bin"}
Besides = Mapping[str, Beside]

#: The errors among `numbers.READINGS`, with their bins; None for an error without bins.
BINNINGS: Mapping[str, Binning | None] = {
    "ece": Uniform(BINS),
    "sweep": Sweep(),
    "debiased": EqualMass(BINS),
    "ks": None,
}
#: The same with the function that computes each error.
ERRORS: Mapping[str, tuple[Callable[..., float], Binning | None]] = {
    name: (cast(Callable[..., float], METRICS[name].interval_of), binning) for name, binning in BINNINGS.items()
}


def floors_beside(predictions: Predictions, problem: ScalarProblem, choices: Scope, mapped: bool = False) -> Besides:
    """The noise floor of every error of a problem; `mapped` says that its scores are those of a calibrator."""
    lens, selection = choices.lens, choices.selection
    try:
        # Rows that stand for cells are judged by as many data sets as their samples would be.
        n = nulls_for(problem.samples) if isinstance(predictions, CellRows) else None
        floors = floors_under(predictions, problem, lens, selection, _measured, mapped=mapped, n=n, seed=SEED)
    except ValueError as why:
        return dict.fromkeys(ERRORS, Beside(no_floor=str(why)))
    return {name: Beside(floor) for name, floor in floors.items()}


def intervals_beside(predictions: Predictions, problem: ScalarProblem, choices: Scope) -> Besides:
    """The noise floor of every error of a problem, and the interval that holds the true error."""
    besides = {}
    for name, beside in floors_beside(predictions, problem, choices).items():
        if beside.floor is None:
            besides[name] = beside
        elif isinstance(choices.lens, Pooled):
            besides[name] = Beside(beside.floor, no_interval=OF_ENTRIES)
        else:
            interval, why = interval_or_why(problem, *ERRORS[name])
            besides[name] = Beside(beside.floor, interval, no_interval=why)
    return besides


def p_values_in(besides: Besides) -> dict[str, float]:
    """How often calibrated predictions show such large errors in bins: the p-values that `reading` wants, by name."""
    floors = {METRICS[name].title: besides[name].floor for name in ("ece", "sweep")}
    return {label: floor.p_value for label, floor in floors.items() if floor is not None and floor.p_value is not None}


def largest_in(besides: Besides) -> float | None:
    """The upper end of the interval of the true KS error; None where it is not known."""
    beside = besides["ks"]
    return None if beside.interval is None or beside.is_vague else beside.interval.upper


def category_floors(part: ScalarProblem, ends: tuple[float, float], choices: Scope) -> Mapping[str, NoiseFloor]:
    """The noise floors of the errors of a Likert category, given its samples; empty if they cannot be simulated.

    The simulation draws a label for each score. Under the pooled lens the scores of a sample share one label, so there
    are no floors.
    """
    if isinstance(choices.lens, Pooled):
        return {}

    def measure(problem: Any) -> dict[str, float]:
        row = problem_likert(problem, *ends, Uniform(BINS))
        return {name: row[name] for name in CATEGORY_ERRORS}

    try:
        return floors_under(part, part, choices.lens, choices.selection, measure, seed=SEED)
    except ValueError:  # beside the errors of all samples, the page says why
        return {}


def class_noise(part: ScalarProblem, choices: Scope, of_many: int) -> float:
    """What the error of one of so many classes reaches by chance, given its scores; nan if that cannot be simulated."""

    def measure(problem: Any) -> dict[str, float]:
        return {"error": binned_error(Uniform(BINS)(problem))}

    # Rows that stand for cells are judged by as many data sets as their samples would be.
    n = nulls_for(of_many * part.samples) if len(part) < part.samples else None
    try:
        floors = floors_under(part, part, choices.lens, choices.selection, measure, of_many=of_many, n=n, seed=SEED)
    except ValueError:  # beside the errors of all samples, the page says why
        return math.nan
    return floors["error"].reaches


def _measured(problem: Problem) -> dict[str, float]:
    return {
        name: error(problem) if binning is None else error(problem, binning=binning)
        for name, (error, binning) in ERRORS.items()
    }
