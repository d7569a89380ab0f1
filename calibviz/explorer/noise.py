"""What stands beside the errors on screen: noise floors, and intervals that hold the true error, as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..binning import Binning, Sweep
from ..class_lenses import Pooled
from ..consistency_resampling import null_problems
from ..distances import TotalVariation
from ..error_intervals import ErrorInterval
from ..estimators import binned_error, calibration_error, ks_error
from ..figures import percent
from ..lenses import Lens, Problem
from ..looking import induced_problem
from ..noise_floors import (
    LOOKS_AT_TRUTH,
    MOST_SCORES,
    OF_ENTRIES,
    OF_MAPPED_ENTRIES,
    TOO_MANY,
    Beside,
    NoiseFloor,
    interval_or_why,
    looks_at_truth,
    noise_floors,
    nulls_for,
)
from ..table_records import Cell
from .engine import Side
from .job import Job, Steps
from .look import INSTANT_SIZE, Look

TO_COME = "…"
BELOW = (
    "Below each error: what calibrated predictions with these scores reach by noise in 95 of 100 cases, and how often "
    "they show as much (p); then the true error, without noise, with its 95 % interval. Grey: no more than noise."
)
OF_NOISE = "Below each error: what calibrated predictions reach by noise in 95 of 100 cases. Grey: no more than that."
OF_TRIALS = (
    "Below each error: what calibrated predictions reach by noise in 95 of 100 cases, on average over the trials."
)

NOT_HERE = "it stands beside the headline numbers alone"

Measure = Callable[[Any], float]
Floors = Mapping[str, NoiseFloor]


def beside_error(look: Look, side: Side, name: str) -> Beside:
    """What is known by now of what stands beside one of the errors of the headline: "ece", "sweep" or "ks"."""
    spec = look.spec
    if name == "ks":
        return _beside(look, side, "KS", None, None)
    if name == "sweep":
        return _beside(look, side, "ECE (sweep)", Sweep(), (*spec.error[:2], "mean"))
    if look.outcomes:
        return _beside_joint(look, side)
    return _beside(look, side, "ECE", spec.make_binning(), spec.error)


def _beside(look: Look, side: Side, label: str, binning: Binning | None, error: tuple[Any, ...] | None) -> Beside:
    """Of an error of the scalar problems, in bins or without."""
    plain = error in (None, (TotalVariation(), 1.0, "mean"))

    def measure(problem: Any) -> float:
        return ks_error(problem) if binning is None or error is None else binned_error(binning(problem), *error)

    def interval_of(problem: Problem) -> tuple[ErrorInterval | None, str]:
        if not plain:
            return None, "there is one of the mean absolute distance alone"
        return interval_or_why(problem, ks_error if binning is None else calibration_error, binning)

    steps = partial(_steps, look, side, look.lens, side.problems, measure, interval_of)
    return _so_far(look, ("beside", side.key, binning, error), label, steps)


def _beside_joint(look: Look, side: Side) -> Beside:
    """Of the error of all outcomes of a vector lens at once."""
    spec = look.spec
    lens, binning = spec.make_lens(), spec.make_binning()
    distance, p, aggregate = spec.error
    if len(side.predictions[0]) * len(look.outcomes) > INSTANT_SIZE:
        return Beside(no_floor=TOO_MANY.format(len(side.predictions[0]) * len(look.outcomes)))

    def measure(problem: Any) -> float:
        return calibration_error(problem, binning=binning, distance=distance, p=p, aggregate=aggregate)

    def steps() -> Steps:
        problems = tuple(induced_problem(one, lens, side.selection) for one in side.predictions)
        yield from _steps(look, side, lens, problems, measure, lambda _: (None, "a lens of several outcomes has none"))

    return _so_far(look, ("beside joint", side.key, lens, binning, spec.error), "joint error", steps)


def _so_far(look: Look, key: tuple[Any, ...], label: str, steps: Callable[[], Steps]) -> Beside:
    if looks_at_truth(look.spec.make_selection()):
        return Beside(no_floor=LOOKS_AT_TRUTH)
    job = look.engine.jobs.get(key, f"noise of {label}", steps)
    found: Beside = Beside() if job.value is None else job.value
    return _ended(found, job)


def _ended(found: Beside, job: Job) -> Beside:
    """With why the rest is missing, where a job ended early."""
    if not job.ended_early:
        return found
    why = job.ended_early.rstrip(".")
    return replace(found, no_floor=why) if found.floor is None else replace(found, no_interval=why)


def _steps(
    look: Look,
    side: Side,
    lens: Lens,
    problems: tuple[Problem, ...],
    measure: Measure,
    interval_of: Callable[[Problem], tuple[ErrorInterval | None, str]],
) -> Iterator[tuple[float, Beside]]:
    """The noise floor, then with the interval."""
    try:
        floor = floors_of(side, lens, problems, lambda problem: {"": measure(problem)})[""]
    except ValueError as why:
        yield 1.0, Beside(no_floor=str(why))
        return
    if floor.p_value is None or look.scores_per_sample > 1:
        yield 1.0, Beside(floor, no_interval="several trials show a spread" if floor.p_value is None else OF_ENTRIES)
        return
    yield 0.2, Beside(floor)
    found, none = interval_of(problems[0])
    yield 1.0, Beside(floor, found, no_interval=none)


def floors_of(
    side: Side, lens: Lens, problems: Sequence[Problem], measure: Callable[[Any], Mapping[str, float]], of_many: int = 1
) -> dict[str, NoiseFloor]:
    """The noise floors of the errors of a problem that a lens made of each trial, one of so many problems.

    Of several trials the mean of their floors: what they reach together if they share their noise, as trials on the
    same samples do, and more than they reach if not. A `ValueError` says why there are none.
    """
    trials = []
    for predictions, problem in zip(side.predictions, problems, strict=True):
        if len(problem) > MOST_SCORES:
            raise ValueError(TOO_MANY.format(len(problem)))
        if isinstance(lens, Pooled) and side.maps is not None:
            raise ValueError(OF_MAPPED_ENTRIES)
        n = nulls_for(of_many * len(problem))
        nulls = null_problems(predictions, problem, lens, side.selection, n, 0)
        trials.append(noise_floors(nulls, measure, measure(problem), n))
    if len(trials) == 1:
        return trials[0]
    return {name: NoiseFloor(float(np.mean([one[name].reaches for one in trials])), None) for name in trials[0]}


def several_beside(look: Look, key: tuple[Any, ...], label: str, steps: Callable[[], Steps]) -> tuple[Floors, str]:
    """The noise floors of a table by name, as far as they are known, and why the rest is missing for good.

    `steps` yields (fraction done, dict of name to NoiseFloor).
    """
    if looks_at_truth(look.spec.make_selection()):
        return {}, LOOKS_AT_TRUTH
    job = look.engine.jobs.get(key, f"noise of {label}", steps)
    return job.value or {}, job.ended_early.rstrip(".")


def error_cell(text: str, error: float, beside: Beside) -> Cell:
    """An error in a table, with what stands beside it below."""
    return Cell(text, below=lines_of(error, beside), faint=beside.is_noise(error), why=sentence_of(error, beside))


def lines_of(error: float, beside: Beside) -> str:
    """What stands below an error in a table: its noise, and the true error where it is looked for."""
    if beside.no_floor:
        return "no noise floor"
    floor, found = beside.floor, beside.interval
    if floor is None:
        return f"noise: {TO_COME}" + ("" if beside.no_interval else f"\ntrue: {TO_COME}")
    first = f"{'within noise' if beside.is_noise(error) else 'noise'}: {percent(floor.reaches)}"
    if floor.p_value is not None:
        first += f", p = {floor.p_value:.2g}"
    if found is None:
        return first if beside.no_interval else f"{first}\ntrue: {TO_COME}"
    return f"{first}\ntrue: {percent(found.estimate)} ({100 * found.lower:.2f} to {100 * found.upper:.2f})"


def sentence_of(error: float, beside: Beside) -> str:
    """The same in a sentence, or why it is not there."""
    if beside.no_floor:
        return f"No noise floor: {beside.no_floor}."
    floor, found = beside.floor, beside.interval
    if floor is None:
        return "What calibrated predictions with these scores would show is being computed."
    said = f"Measured {percent(error)}; calibrated predictions with these scores reach {percent(floor.reaches)}"
    if floor.p_value is not None:
        said += f", and show as much in a share p = {floor.p_value:.2g} of the cases"
    if found is not None:
        said += (
            f"; without the noise {percent(found.estimate)}, {100 * found.level:g} % interval "
            f"{100 * found.lower:.2f} to {percent(found.upper)}"
        )
    return f"{said}."


def missing(several: Iterable[tuple[str, Beside]]) -> str:
    """Why noise floors or intervals of some errors are missing, each reason once, in sentences."""
    whose: dict[tuple[str, str], list[str]] = {}
    for name, one in several:
        what = "noise floor" if one.no_floor else "interval"
        if why := one.no_floor or one.no_interval:
            names = whose.setdefault((what, why), [])
            names += [] if name in names else [name]
    return " ".join(f"No {what} of {', '.join(names)}: {why}." for (what, why), names in whose.items())
