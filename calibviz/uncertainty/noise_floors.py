"""Noise floors and intervals that are shown beside an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..context.class_lenses import Pooled
from ..context.conditions import Condition
from ..context.induced import Judged
from ..context.lenses import Lens, Problem
from ..context.truth_selections import OF_MAPPED_ENTRIES, looks_at_truth
from ..engine.binnings.binning import Binning
from ..engine.scalar import ScalarProblem
from ..foundation.chance import noise_floor, p_values
from ..foundation.progress import with_progress
from ..foundation.validation import clause_of
from ..foundation.written import p_value
from ..metrics.binned import ks_error
from .intervals.error_intervals import LEVEL, MOST_INVERTED, NO_INTERVAL, ErrorInterval, interval
from .resampling.consistency import kinds_of_draws, null_problems

LIKELY = "probably"  # the name of the estimate of an interval on all pages
VAGUE_WIDTH = 0.25  # the estimate of a wider interval is not shown, since it would look precise
TOO_FEW = "too few samples to say"


@dataclass(frozen=True)
class NoiseFloor:
    """The noise floor of an error."""

    reaches: float  # the 95 % quantile of the error of calibrated predictions with these scores
    p_value: float | None  # the probability that they show at least the measured error; None over several trials
    # The error that they show on average, where a selection looks at the truth, so that it is not near 0.
    shows: float | None = None
    draws: int = 0  # how often they were drawn

    @property
    def p(self) -> str:
        """The p-value as text; empty where there is none."""
        return "" if self.p_value is None else p_value(self.p_value, "p", self.draws)


@dataclass(frozen=True)
class Beside:
    """The noise floor and the interval of an error; `no_floor` and `no_interval` give the reason why one is missing."""

    floor: NoiseFloor | None = None
    interval: ErrorInterval | None = None
    no_floor: str = ""
    no_interval: str = ""

    def is_noise(self, error: float) -> bool:
        """Whether an error is not above the noise floor."""
        return self.floor is not None and error <= self.floor.reaches

    @property
    def is_vague(self) -> bool:
        """Whether the interval is too wide for its estimate to be shown."""
        return self.interval is not None and self.interval.upper - self.interval.lower > VAGUE_WIDTH


def floors_under(
    predictions: Judged,
    problem: Problem,
    lens: Lens,
    selection: Condition | None,
    measure: Callable[[Any], Mapping[str, float]],
    n: int,
    *,
    mapped: bool = False,
    seed: int = 0,
) -> dict[str, NoiseFloor]:
    """The noise floor of each error that `measure` computes of the problem that a lens made of selected predictions.

    As many as `n` data sets are drawn. `mapped` says that a calibrator has changed the scores. Where no labels can be
    drawn, the message of the `ValueError` is a clause.
    """
    refuse_mapped_entries(lens, mapped)
    observed, by_truth = measure(problem), looks_at_truth(selection)
    several = [
        noise_floors(
            null_problems(predictions, problem, lens, selection, n, seed, kind), measure, observed, n, by_truth
        )
        for kind in kinds_of_draws(problem)
    ]
    return {name: _larger([of[name] for of in several]) for name in several[0]}


def _larger(floors: Sequence[NoiseFloor]) -> NoiseFloor:
    """The larger noise floor, and the larger p-value, of several kinds of draws."""
    reaches, p_value = max(floor.reaches for floor in floors), max(floor.p_value or 0.0 for floor in floors)
    return replace(floors[0], reaches=reaches, p_value=p_value)


def refuse_mapped_entries(lens: Lens, mapped: bool) -> None:
    """Raise where a calibrator has `mapped` the scores of a lens that pools all classes."""
    if mapped and isinstance(lens, Pooled):
        raise ValueError(OF_MAPPED_ENTRIES)


def noise_floors(
    nulls: Iterable[Problem],
    measure: Callable[[Problem], Mapping[str, float]],
    observed: Mapping[str, float],
    n: int,
    by_truth: bool = False,
) -> dict[str, NoiseFloor]:
    """The noise floor of each observed error, by its name, that every draw has.

    A draw, one of the n `nulls` that `null_problems` makes, may leave a category without samples where a selection
    looks at what is drawn; with such a selection, `by_truth`, the mean is of interest too.
    """
    shown: dict[str, list[float]] = {name: [] for name in observed}
    for null in with_progress(nulls, "noise floor", n, show=False):
        errors = measure(null)
        shown = {name: values for name, values in shown.items() if name in errors}
        for name, values in shown.items():
            values.append(errors[name])
    return {
        name: NoiseFloor(
            float(noise_floor(values)),
            float(p_values(values, observed[name])),
            float(np.mean(values)) if by_truth else None,
            len(values),
        )
        for name, values in shown.items()
    }


def interval_or_why(
    problem: Problem,
    error: Callable[..., float],
    binning: Binning | None,
    most: int,
    level: float = LEVEL,
    rng: Any = 0,
) -> tuple[ErrorInterval | None, str]:
    """The interval of an error, and ""; where there is none for a page, None and a clause with the reason.

    Of more samples than `most` a page computes none.
    """
    if not isinstance(problem, ScalarProblem):
        return None, "a lens of several outcomes has none"
    if problem.by_truth is not None:
        return None, NO_INTERVAL
    if problem.samples > most and not (error is ks_error and problem.samples > MOST_INVERTED):
        return None, f"{problem.samples:,} samples are more than the {most:,} of which a page computes one"
    try:
        return interval(problem, error=error, binning=binning, level=level, rng=rng, progress=False), ""
    except ValueError as why:
        return None, clause_of(why)
