"""What stands beside the errors on screen: noise floors, and intervals that hold the true error, as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...context.induced import induced_problem
from ...context.lenses import Lens, Problem
from ...engine.binning import Binning, Sweep
from ...engine.scalar import ScalarProblem
from ...figures.tables import Cell
from ...foundation.written import fine_percent, percent
from ...metrics.binned import binned_error, calibration_error, ks_error
from ...metrics.calibration_tests import ks_limit
from ...metrics.distances import TotalVariation
from ...metrics.records.registry import METRICS
from ...uncertainty.bin_intervals import mean_interval
from ...uncertainty.noise_floors import (
    LIKELY,
    LOOKS_AT_TRUTH,
    OF_ENTRIES,
    TOO_FEW,
    TOO_MANY,
    Beside,
    NoiseFloor,
    floors_under,
    interval_or_why,
    looks_at_truth,
)
from ..asked.spec import NORMS, OF_BINS, OF_ERROR, OF_SAMPLES
from .engine import Side
from .job import Steps
from .reading import Slow, slow
from .situation import INSTANT_SIZE, Situation

TO_COME = "…"
BELOW = (
    "Below each error: what calibrated predictions with these scores reach by noise in 95 of 100 cases, and how often "
    "they show as much (p); then the likely true error with its 95 % interval. Grey: no more than noise."
)
OF_NOISE = "Below each error: what calibrated predictions reach by noise in 95 of 100 cases. Grey: no more than that."
OF_TRIALS = (
    "Below each error: what calibrated predictions reach by noise in 95 of 100 cases, on average over the trials."
)

NOT_HERE = "it stands beside the headline numbers alone"

Measure = Callable[[Any], float]
Floors = Mapping[str, NoiseFloor]


def beside_error(look: Situation, side: Side, name: str) -> Beside:
    """What is known by now of what stands beside one of the errors of the headline: "ece", "sweep" or "ks"."""
    if name == "ece" and look.outcomes:
        return _beside_joint(look, side)
    return _beside(look, side, METRICS[name].title, *_measured(look, name))


def limits_of(look: Situation, problem: ScalarProblem) -> tuple[float, float, float]:
    """The interval of the mean target, and the largest KS error that noise explains."""
    return look.engine.of(problem, _limits)


def _limits(problem: ScalarProblem) -> tuple[float, float, float]:
    return (*mean_interval(problem), ks_limit(problem))


def known_p_values(look: Situation, side: Side) -> dict[str, float]:
    """The p-values of the errors in bins of the pictures, as far as somebody has asked for them."""
    names = {"sweep": METRICS["sweep"].title}
    if not look.outcomes:
        names = {"ece": NORMS[look.spec.norm][0], **names}
    known = {label: _floor.known(look, side, *_measured(look, name)) for name, label in names.items()}
    floors = {label: beside.floor for label, beside in known.items() if beside is not None and beside.floor is not None}
    return {label: floor.p_value for label, floor in floors.items() if floor.p_value is not None}


def _measured(look: Situation, name: str) -> tuple[Binning | None, tuple[Any, ...] | None]:
    """The bins of an error of the scalar problems, and how their distances make it."""
    if name == "ks":
        return None, None
    error = look.spec.error
    return (Sweep(), (*error[:2], "mean")) if name == "sweep" else (look.spec.make_binning(), error)


def _beside(look: Situation, side: Side, label: str, binning: Binning | None, error: tuple[Any, ...] | None) -> Beside:
    """Of an error of the scalar problems, in bins or without."""
    beside = _with_floor(look, _floor, side, binning, error, label=f"noise of {label}")
    beside = replace(beside, no_interval=_no_interval(look, error))
    if beside.floor is None or beside.no_interval:
        return beside
    job = _interval(look, side, binning, error, label=f"interval of {label}", is_aside=True)
    interval, why = job.value or (None, job.ended_early.rstrip("."))
    return replace(beside, interval=interval, no_interval=why)


@slow(*OF_SAMPLES)
def _floor(look: Situation, side: Side, binning: Binning | None, error: tuple[Any, ...] | None) -> Steps:
    def measure(problem: Any) -> float:
        return ks_error(problem) if binning is None or error is None else binned_error(binning(problem), *error)

    return _floors(side, look.lens, side.problems, measure)


@slow("model")
def _interval(_look: Situation, side: Side, binning: Binning | None, _error: tuple[Any, ...] | None) -> Steps:
    interval, why = interval_or_why(side.problems[0], ks_error if binning is None else calibration_error, binning)
    yield 1.0, (interval, why)


def _no_interval(look: Situation, error: tuple[Any, ...] | None) -> str:
    """Why there is no interval of such an error, whatever the samples."""
    if len(look.trials) > 1:
        return "several trials show a spread"
    if look.scores_per_sample > 1:
        return OF_ENTRIES
    is_plain = error in (None, (TotalVariation(), 1.0, "mean"))
    return "" if is_plain else "there is one of the mean absolute distance alone"


def _beside_joint(look: Situation, side: Side) -> Beside:
    """Of the error of all outcomes of a vector lens at once."""
    if len(side.predictions[0]) * len(look.outcomes) > INSTANT_SIZE:
        return Beside(no_floor=TOO_MANY.format(len(side.predictions[0]) * len(look.outcomes)))
    beside = _with_floor(look, _floor_of_joint, side, label="noise of joint error")
    return replace(beside, no_interval="a lens of several outcomes has none")


@slow(*OF_SAMPLES, *OF_BINS, *OF_ERROR)
def _floor_of_joint(look: Situation, side: Side) -> Steps:
    lens, binning = look.spec.make_lens(), look.spec.make_binning()
    distance, p, aggregate = look.whole_error

    def measure(problem: Any) -> float:
        return calibration_error(problem, binning=binning, distance=distance, p=p, aggregate=aggregate)

    problems = tuple(induced_problem(predictions, lens, side.selection) for predictions in side.predictions)
    yield from _floors(side, lens, problems, measure)


def _with_floor(look: Situation, floor: Slow, *of: Any, label: str) -> Beside:
    if looks_at_truth(look.spec.make_selection()):
        return Beside(no_floor=LOOKS_AT_TRUTH)
    job = floor(look, *of, label=label)
    beside: Beside = job.value or Beside(no_floor=job.ended_early.rstrip("."))
    return beside


def _floors(side: Side, lens: Lens, problems: Sequence[Problem], measure: Measure) -> Steps:
    try:
        floor = floors_of(side, lens, problems, lambda problem: {"": measure(problem)})[""]
    except ValueError as why:
        yield 1.0, Beside(no_floor=str(why))
        return
    yield 1.0, Beside(floor)


def floors_of(
    side: Side,
    lens: Lens,
    problems: Sequence[Problem],
    measure: Callable[[Any], Mapping[str, float]],
    of_many: int = 1,
    n: int | None = None,
) -> dict[str, NoiseFloor]:
    """The noise floors of the errors of a problem that a lens made of each trial: see `floors_under`.

    Of several trials the mean of their floors: what they reach together if they share their noise, as trials on the
    same samples do, and more than they reach if not; an error that a trial does not have has none. A `ValueError` says
    why there are none.
    """
    mapped = side.maps is not None
    trials = [
        floors_under(predictions, problem, lens, side.selection, measure, mapped=mapped, of_many=of_many, n=n)
        for predictions, problem in zip(side.predictions, problems, strict=True)
    ]
    if len(trials) == 1:
        return trials[0]
    in_all = [name for name in trials[0] if all(name in floors for floors in trials)]
    return {name: NoiseFloor(float(np.mean([floors[name].reaches for floors in trials])), None) for name in in_all}


def several_beside(look: Situation, floors: Slow, *of: Any, label: str) -> tuple[Floors, str]:
    """The noise floors of a table by name, as far as they are known, and why the rest is missing for good.

    `floors` yields (fraction done, dict of name to NoiseFloor).
    """
    if looks_at_truth(look.spec.make_selection()):
        return {}, LOOKS_AT_TRUTH
    job = floors(look, *of, label=f"noise of {label}")
    return job.value or {}, job.ended_early.rstrip(".")


def error_cell(text: str, error: float, beside: Beside) -> Cell:
    """An error in a table, with what stands beside it below."""
    return Cell(text, below=lines_of(error, beside), faint=beside.is_noise(error), why=sentence_of(error, beside))


def lines_of(error: float, beside: Beside) -> str:
    """What stands below an error in a table: its noise, and the true error where it is looked for."""
    if beside.no_floor:
        return "no noise floor"
    floor, interval = beside.floor, beside.interval
    if floor is None:
        return f"noise: {TO_COME}" + ("" if beside.no_interval else f"\n{LIKELY}: {TO_COME}")
    first = f"{'within noise' if beside.is_noise(error) else 'noise'}: {fine_percent(floor.reaches)}"
    if floor.p_value is not None:
        first += f", p = {floor.p_value:.2g}"
    if error == floor.reaches == 0:
        first = "no error beyond noise"
    if interval is None:
        return first if beside.no_interval else f"{first}\n{LIKELY}: {TO_COME}"
    estimate = TOO_FEW if beside.is_vague else percent(interval.estimate)
    return f"{first}\n{LIKELY}: {estimate} ({100 * interval.lower:.2f} to {100 * interval.upper:.2f})"


def sentence_of(error: float, beside: Beside) -> str:
    """The same in a sentence, or why it is not there."""
    if beside.no_floor:
        return f"No noise floor: {beside.no_floor}."
    floor, interval = beside.floor, beside.interval
    if floor is None:
        return "What calibrated predictions with these scores would show is being computed."
    said = (
        f"Measured {fine_percent(error)}; calibrated predictions with these scores reach {fine_percent(floor.reaches)}"
    )
    if floor.p_value is not None:
        said += f", and show as much in a share p = {floor.p_value:.2g} of the cases"
    if interval is not None:
        estimate = TOO_FEW if beside.is_vague else percent(interval.estimate)
        ends = f"{100 * interval.lower:.2f} to {percent(interval.upper)}"
        said += f"; {LIKELY}: {estimate}, {100 * interval.level:g} % interval {ends}"
    elif not beside.no_interval:
        said += "; where the true error lies is being computed"
    return f"{said}."


def missing(several: Iterable[tuple[str, Beside]]) -> str:
    """Why noise floors or intervals of some errors are missing, each reason once, in sentences."""
    whose: dict[tuple[str, str], list[str]] = {}
    for name, beside in several:
        what = "noise floor" if beside.no_floor else "interval"
        if why := beside.no_floor or beside.no_interval:
            names = whose.setdefault((what, why), [])
            names += [] if name in names else [name]
    return " ".join(f"No {what} of {', '.join(names)}: {why}." for (what, why), names in whose.items())
