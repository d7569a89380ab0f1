"""The 32 errors of the GCE family in the comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ...data.predictions import Predictions
from ...engine.scalar import EmptyProblemError
from ...foundation.arrays import Array
from ...metrics.gce import GCE, gce_values
from ..asked.spec import Spec
from ..situation.engine import Engine
from ..situation.job import Steps
from .compared import Cell, as_they_come, cell_steps


def family_steps(engine: Engine, spec: Spec, columns: Sequence[str]) -> Steps:
    """The 32 errors of the GCE family by row and column, after every calibrator; rows as `family` orders them."""

    def errors_of(trials: Sequence[Predictions]) -> list[tuple[None, Array]]:
        errors = np.mean([family_errors(trial, spec) for trial in trials], axis=0)
        return [(None, np.array([error])) for error in errors]

    return family_cells(engine, spec, columns, errors_of)


def family_cells(
    engine: Engine, spec: Spec, columns: Sequence[str], make: Callable[[Sequence[Predictions]], Sequence[Any]]
) -> Steps:
    """The cells of the 32 rows of each column, which `make` makes of its recalibrated rows."""

    def cells_of(column: int, trials: Sequence[Predictions]) -> Iterable[tuple[Cell, Any]]:
        return (((row, column), value) for row, value in enumerate(make(trials)))

    moved = as_they_come({c: partial(engine.moved, spec, spec.model, name) for c, name in enumerate(columns)})
    return cell_steps(moved, cells_of, len(columns) * len(family()))


@cache
def family() -> tuple[GCE, ...]:
    """The 32 errors, by group of switches: those that look at the same scores stand together."""
    return tuple(sorted(GCE.variants(), key=_switches))


def _switches(metric: GCE) -> tuple[Any, ...]:
    return not metric.max_prob, metric.class_conditional, metric.threshold, metric.binning, metric.norm


def family_errors(predictions: Predictions, spec: Spec, selected: bool = False) -> Array:
    """The values of the 32 errors, shape (32,), in the chosen number of bins; nan where the selection keeps nothing."""
    try:
        values = gce_values(predictions, [spec.bins], selection=None if selected else spec.chosen_selection).ravel()
    except EmptyProblemError:
        return np.full(len(family()), np.nan)
    places = {metric: i for i, metric in enumerate(GCE.variants())}
    return values[[places[metric] for metric in family()]]
