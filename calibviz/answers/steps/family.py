"""The 32 errors of the GCE family in the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.predictions import Predictions
from ...engine.scalar import EmptyProblemError
from ...foundation.cancellation import Cancelled
from ...metrics.gce import GCE, gce_values
from ..asked.spec import Spec
from ..situation.engine import Engine
from ..situation.job import Job, Steps

Array = NDArray[np.float64]


def family_steps(engine: Engine, spec: Spec, columns: Sequence[str]) -> Steps:
    """The 32 errors of the GCE family by row and column, after every calibrator; rows as `family` orders them."""
    cells: dict[tuple[int, int], tuple[None, Array]] = {}
    for step in moved_by(engine, spec, columns):
        if isinstance(step[0], Job):
            yield step
            continue
        column, trials = step
        errors = np.mean([family_errors(trial, spec) for trial in trials], axis=0)
        cells |= {(row, column): (None, np.array([error])) for row, error in enumerate(errors)}
        yield len(cells) / (len(columns) * len(errors)), dict(cells)
    if len(cells) < len(columns) * len(family()):
        raise Cancelled


@cache
def family() -> tuple[GCE, ...]:
    """The 32 errors, by group of switches: those that look at the same scores stand together."""
    return tuple(sorted(GCE.variants(), key=_switches))


def _switches(metric: GCE) -> tuple[Any, ...]:
    return not metric.max_prob, metric.class_conditional, metric.threshold, metric.binning, metric.norm


def family_errors(predictions: Predictions, spec: Spec, selected: bool = False) -> Array:
    """The values of the 32 errors, shape (32,), in the chosen number of bins; nan where the selection keeps nothing."""
    try:
        values = gce_values(predictions, [spec.bins], selection=None if selected else spec.make_selection()).ravel()
    except EmptyProblemError:
        return np.full(len(family()), np.nan)
    places = {metric: i for i, metric in enumerate(GCE.variants())}
    ordered: Array = values[[places[metric] for metric in family()]]
    return ordered


def moved_by(
    engine: Engine, spec: Spec, columns: Sequence[str]
) -> Iterator[tuple[int, tuple[Predictions, ...]] | tuple[Job, ...]]:
    """The recalibrated rows of every column with its place; or the jobs that have to be waited for."""
    left = dict(enumerate(columns))
    while left:
        waiting = []
        for column, name in list(left.items()):
            moved = engine.moved(spec, spec.model, name)
            if isinstance(moved, Job) and moved.failed:
                raise ValueError(moved.failed)
            if isinstance(moved, Job) and not moved.cancelled:
                waiting.append(moved)
                continue
            del left[column]
            if not isinstance(moved, Job):
                yield column, moved
        if waiting:
            yield tuple(waiting)
