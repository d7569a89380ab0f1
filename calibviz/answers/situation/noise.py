"""Noise floors of the errors on screen, and intervals of the true errors, as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...context.induced import induced_problem
from ...context.lenses import Lens, Problem
from ...context.truth_selections import OF_ENTRIES
from ...engine.binnings.binning import Binning, EqualMass
from ...engine.binnings.binning_kinds import OF_METRICS
from ...engine.scalar import ScalarProblem
from ...figures.tables import Cell
from ...foundation import written
from ...foundation.arrays import Array
from ...foundation.validation import clause_of
from ...foundation.written import percent
from ...metrics.binned import binned_error, calibration_error, debiased_error, ks_error
from ...metrics.distances import TotalVariation
from ...metrics.masses import clopper_pearson
from ...metrics.records.registry import METRICS
from ...uncertainty.best_set import LEVEL
from ...uncertainty.intervals.bin_intervals import INTERVAL_LEVEL, mean_interval
from ...uncertainty.noise_floors import (
    LIKELY,
    TOO_FEW,
    Beside,
    NoiseFloor,
    floors_under,
    interval_or_why,
)
from ...uncertainty.resampling.bootstrap import level_of_percentiles, percentile_interval
from ..asked.effort import TOO_MANY
from ..asked.spec import OF_BINS, OF_ERROR, OF_SCORES
from .engine import Side
from .job import Job, Steps
from .reading import Slow, slow
from .situation import INSTANT_SIZE, Situation

TO_COME = "…"
BELOW = (
    "Below each error: what calibrated predictions with these scores reach by noise in 95 of 100 cases, and how often "
    "they show as much (p); then what it probably is, with its 95 % interval. Grey: no more than noise."
)
OF_NOISE = "Below each error: what calibrated predictions reach by noise in 95 of 100 cases. Grey: no more than that."
OF_TRIALS = (
    "Below each error: what calibrated predictions reach by noise in 95 of 100 cases, on average over the trials."
)

NOT_HERE = "it stands beside the headline numbers alone"

#: The errors that no distance makes: the function, and its bins where it has some.
OF_ITS_OWN: Mapping[str, tuple[Callable[..., float], Binning | None]] = {
    "ks": (ks_error, None),
    "debiased": (debiased_error, EqualMass()),
}
Measure = Callable[[Any], float]
Floors = Mapping[str, NoiseFloor]


def beside_error(situation: Situation, side: Side, name: str, has_interval: bool = True) -> Beside:
    """The noise floor and the interval of an error, as far as known: "ece", "sweep", "debiased" or "ks".

    Where no interval is wanted, which takes a while, its place is empty.
    """
    if name == "ece" and situation.outcomes:
        return _beside_joint(situation, side)
    binning, error = _measured(situation, name)
    beside = _with_floor(situation, _floor, side, binning, error, label=f"noise of {METRICS[name].title}")
    beside = replace(beside, no_interval=_no_interval(situation, error))
    if beside.floor is None or beside.no_interval or not has_interval:
        return beside
    job = interval_of(situation, side, name)
    interval, why = job.value or (None, job.ended_early.rstrip("."))
    return replace(beside, interval=interval, no_interval=why)


def share_ends(situation: Situation, problem: ScalarProblem, share: float) -> tuple[float, float]:
    """The interval of a share of the samples of a problem (Clopper and Pearson 1934).

    Of samples in clusters the share has to be the mean target, whose spread over clusters is known.
    """
    if problem.clusters is not None:
        return mean_interval(problem, INTERVAL_LEVEL) if np.isclose(share, problem.mean_target) else (np.nan, np.nan)
    samples = np.array([problem.effective_size / situation.scores_per_sample])
    low, high = clopper_pearson(np.array([share]), samples, INTERVAL_LEVEL)
    return float(low[0]), float(high[0])


def _measured(situation: Situation, name: str) -> tuple[Binning | None, tuple[Any, ...] | None]:
    """The bins of an error of the scalar problems, and how their distances make it; None of an error of its own."""
    if name in OF_ITS_OWN:
        return OF_ITS_OWN[name][1], None
    error = situation.spec.error
    return (OF_METRICS[name], (*error[:2], "mean")) if name in OF_METRICS else (situation.spec.chosen_binning, error)


@slow(*OF_SCORES)
def _floor(situation: Situation, side: Side, binning: Binning | None, error: tuple[Any, ...] | None) -> Steps:
    def measure(problem: Any) -> float:
        if binning is not None and error is not None:
            return binned_error(binning(problem), *error)
        return _function(binning, error)(problem)

    return _floors(situation, side, situation.lens, side.problems, measure)


def interval_of(
    situation: Situation, side: Side, name: str, is_aside: bool = True, level: float = INTERVAL_LEVEL, rng: Any = 0
) -> Job:
    """The interval of an error of the first trial, and why there is none: one of the two."""
    label = f"interval of {METRICS[name].title}"
    return _interval(situation, side, *_measured(situation, name), level, rng, label=label, is_aside=is_aside)


@slow("model")
def _interval(
    situation: Situation, side: Side, binning: Binning | None, error: tuple[Any, ...] | None, level: float, rng: Any
) -> Steps:
    most = situation.spec.effort.most_judged
    yield 1.0, interval_or_why(side.problems[0], _function(binning, error), binning, most, level, rng)


def interval_of_error(situation: Situation, name: str) -> tuple[Callable[..., float], Binning | None] | None:
    """The function and the bins of an error that has an interval before recalibration; None of one that has none."""
    beside = beside_error(situation, situation.before, name)
    binning, error = _measured(situation, name)
    return None if beside.interval is None else (_function(binning, error), binning)


def _function(binning: Binning | None, error: tuple[Any, ...] | None) -> Callable[..., float]:
    """The function that finds an error."""
    return calibration_error if error is not None else ks_error if binning is None else debiased_error


def _no_interval(situation: Situation, error: tuple[Any, ...] | None) -> str:
    """Why there is no interval of such an error, whatever the samples."""
    if len(situation.trials) > 1:
        return "several trials show a spread"
    if situation.scores_per_sample > 1:
        return OF_ENTRIES
    is_plain = error in (None, (TotalVariation(), 1.0, "mean"))
    return "" if is_plain else "there is one of the mean absolute distance alone"


def _beside_joint(situation: Situation, side: Side) -> Beside:
    """The noise floor of the error of all outcomes of a vector lens at once."""
    if len(side.predictions[0]) * len(situation.outcomes) > INSTANT_SIZE:
        return Beside(no_floor=TOO_MANY.format(len(side.predictions[0]) * len(situation.outcomes)))
    beside = _with_floor(situation, _floor_of_joint, side, label="noise of joint error")
    return replace(beside, no_interval="a lens of several outcomes has none")


@slow(*OF_SCORES, *OF_BINS, *OF_ERROR)
def _floor_of_joint(situation: Situation, side: Side) -> Steps:
    lens, binning = situation.spec.make_lens(), situation.spec.chosen_binning
    distance, p, aggregate = situation.whole_error

    def measure(problem: Any) -> float:
        return calibration_error(problem, binning=binning, distance=distance, p=p, aggregate=aggregate)

    problems = tuple(induced_problem(predictions, lens, side.selection) for predictions in side.predictions)
    yield from _floors(situation, side, lens, problems, measure)


def _with_floor(situation: Situation, floor: Slow, *of: Any, label: str) -> Beside:
    job = floor(situation, *of, label=label)
    return job.value or Beside(no_floor=job.ended_early.rstrip("."))


def _floors(situation: Situation, side: Side, lens: Lens, problems: Sequence[Problem], measure: Measure) -> Steps:
    try:
        floor = floors_of(situation, side, lens, problems, lambda problem: {"": measure(problem)})[""]
    except ValueError as why:
        yield 1.0, Beside(no_floor=clause_of(why))
        return
    yield 1.0, Beside(floor)


def floors_of(
    situation: Situation,
    side: Side,
    lens: Lens,
    problems: Sequence[Problem],
    measure: Callable[[Any], Mapping[str, float]],
    of_many: int = 1,
    n: int | None = None,
) -> dict[str, NoiseFloor]:
    """The noise floors of the errors of a problem that a lens made of each trial: see `floors_under`.

    Of several trials the mean of their floors: what they reach together if they share their noise, as trials on the
    same samples do, and more than they reach if not; an error that a trial does not have has none. With `of_many` such
    problems on a page, fewer data sets are drawn for each, or else `n`. A `ValueError` says why there are none.
    """
    mapped = side.maps is not None
    trials = [
        floors_under(
            predictions,
            problem,
            lens,
            side.selection,
            measure,
            n or situation.spec.effort.floors_for(len(problem), of_many),
            mapped=mapped,
        )
        for predictions, problem in zip(side.predictions, problems, strict=True)
    ]
    if len(trials) == 1:
        return trials[0]
    in_all = [name for name in trials[0] if all(name in floors for floors in trials)]
    return {name: _mean_floor([floors[name] for floors in trials]) for name in in_all}


def _mean_floor(floors: Sequence[NoiseFloor]) -> NoiseFloor:
    shows = [floor.shows for floor in floors if floor.shows is not None]
    return NoiseFloor(
        float(np.mean([floor.reaches for floor in floors])), None, float(np.mean(shows)) if shows else None
    )


def several_beside(situation: Situation, floors: Slow, *of: Any, label: str) -> tuple[Floors, str]:
    """The noise floors of a table by name, as far as they are known, and why the rest is missing for good.

    `floors` yields (fraction done, dict of name to NoiseFloor).
    """
    job = floors(situation, *of, label=f"noise of {label}")
    return job.value or {}, job.ended_early.rstrip(".")


def error_cell(text: str, error: float, beside: Beside) -> Cell:
    """An error in a table, with what stands beside it below."""
    numbers: list[tuple[str, float]] = [("value", error)]
    if beside.floor is not None:
        numbers.append(("noise", beside.floor.reaches))
    return Cell(
        text,
        below=lines_of(error, beside),
        faint=beside.is_noise(error),
        why=sentence_of(error, beside),
        numbers=tuple(numbers),
    )


def lines_of(error: float, beside: Beside) -> str:
    """The lines below an error in a table: its noise, and the true error where it is looked for."""
    if beside.no_floor:
        return "no noise floor"
    floor, interval = beside.floor, beside.interval
    if floor is None:
        return f"noise: {TO_COME}" + ("" if beside.no_interval else f"\n{LIKELY}: {TO_COME}")
    first = f"{'within noise' if beside.is_noise(error) else 'noise'}: {percent(floor.reaches)}"
    if floor.shows is not None:
        first = f"calibrated: {percent(floor.shows)}, up to {percent(floor.reaches)}"
    if floor.p:
        first += f", {floor.p}"
    if error == floor.reaches == 0:
        first = "no error beyond noise"
    if interval is None:
        return first if beside.no_interval else f"{first}\n{LIKELY}: {TO_COME}"
    return f"{first}\n{LIKELY}: {_likely(beside)}"


def sentence_of(error: float, beside: Beside) -> str:
    """The noise of an error, and the true error, in a sentence; or why they are not there."""
    if beside.no_floor:
        return f"No noise floor: {beside.no_floor}."
    floor, interval = beside.floor, beside.interval
    if floor is None:
        return "What calibrated predictions with these scores would show is being computed."
    said = f"Measured {percent(error)}; calibrated predictions with these scores show "
    if floor.shows is not None:
        said += f"{percent(floor.shows)} under a selection by what is true, and "
    said += f"up to {percent(floor.reaches)}{floor.p and f' ({floor.p})'}"
    if interval is not None:
        said += f"; {LIKELY}: {_likely(beside)}" + (interval.note and f", {interval.note}")
    elif not beside.no_interval:
        said += "; where the true error lies is being computed"
    return f"{said}."


def _likely(beside: Beside) -> str:
    """The error that is probably true, with its interval."""
    found = beside.interval
    assert found is not None
    ends = found.lower, found.upper
    return f"{TOO_FEW} ({written.interval(*ends)})" if beside.is_vague else written.estimated(found.estimate, *ends)


def missing(several: Iterable[tuple[str, Beside]]) -> str:
    """Why noise floors or intervals of some errors are missing, each reason once, in sentences."""
    whose: dict[tuple[str, str], list[str]] = {}
    for name, beside in several:
        what = "noise floor" if beside.no_floor else "interval"
        if why := beside.no_floor or beside.no_interval:
            names = whose.setdefault((what, why), [])
            names += [] if name in names else [name]
    return " ".join(f"No {what} of {', '.join(names)}: {why}." for (what, why), names in whose.items())


def mean_ends(replicates: Array, problem: ScalarProblem) -> tuple[float, float]:
    """The 95 % interval of a mean or score of a problem, from its bootstrap replicates; nan of too few clusters."""
    low, high = percentile_interval(replicates, level_of_percentiles(problem, LEVEL)).tolist()
    return low, high
