"""What stands beside the errors of a report: noise floors, and intervals that hold the true error."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..binning import Binning, EqualMass, Sweep, Uniform
from ..class_lenses import Pooled
from ..consistency_resampling import null_problems
from ..estimators import calibration_error, debiased_error, ks_error
from ..lenses import Problem
from ..noise_floors import (
    LOOKS_AT_TRUTH,
    MOST_SCORES,
    OF_ENTRIES,
    OF_MAPPED_ENTRIES,
    TOO_MANY,
    Beside,
    interval_or_why,
    looks_at_truth,
    noise_floors,
    nulls_for,
)
from ..predictions import Predictions
from ..problems import ScalarProblem
from .choices import Choices
from .numbers import BINS, SEED

Besides = Mapping[str, Beside]

#: The errors of `numbers.METRICS`: the function, and the bins where it has some.
ERRORS: Mapping[str, tuple[Callable[..., float], Binning | None]] = {
    "ece": (calibration_error, Uniform(BINS)),
    "sweep": (calibration_error, Sweep()),
    "debiased": (debiased_error, EqualMass(BINS)),
    "ks": (ks_error, None),
}


def floors_beside(predictions: Predictions, problem: ScalarProblem, choices: Choices, mapped: bool = False) -> Besides:
    """The noise floor of every error of a problem, whose scores a calibrator may have `mapped`."""
    if looks_at_truth(choices.selection):
        return dict.fromkeys(ERRORS, Beside(no_floor=LOOKS_AT_TRUTH))
    if len(problem) > MOST_SCORES:
        return dict.fromkeys(ERRORS, Beside(no_floor=TOO_MANY.format(len(problem))))
    if mapped and isinstance(choices.lens, Pooled):
        return dict.fromkeys(ERRORS, Beside(no_floor=OF_MAPPED_ENTRIES))
    n = nulls_for(len(problem))
    try:
        nulls = null_problems(predictions, problem, choices.lens, choices.selection, n, SEED)
        floors = noise_floors(nulls, _measured, _measured(problem), n)
    except ValueError as why:
        return dict.fromkeys(ERRORS, Beside(no_floor=str(why)))
    return {name: Beside(floor) for name, floor in floors.items()}


def intervals_beside(predictions: Predictions, problem: ScalarProblem, choices: Choices) -> Besides:
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


def _measured(problem: Problem) -> dict[str, float]:
    return {
        name: error(problem) if binning is None else error(problem, binning=binning)
        for name, (error, binning) in ERRORS.items()
    }
