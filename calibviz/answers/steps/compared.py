"""The errors of the comparison: its rows are lenses with selections, or metrics, its columns calibrators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ...context.lenses import Problem
from ...data.predictions import Predictions
from ...engine.binnings.binning_kinds import TREE, BinningKind
from ...engine.family import ProblemFamily
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...foundation.cancellation import Cancelled
from ...metrics.binned import error_series
from ...metrics.records.record import Measurement, Settings
from ..asked.spec import IN_BINS, Error, Spec, Subject
from ..situation.engine import Engine, NothingKept, Side
from ..situation.job import Job, Steps
from ..situation.situation import Situation

T = TypeVar("T")
Place = TypeVar("Place")
Cell = tuple[int, int]  # its row and its column

MOST_ENTRIES = 5_000_000  # with more probabilities, lenses on all classes are compared only if chosen


def as_they_come(asked: Mapping[Place, Callable[[], T | Job]]) -> Iterator[tuple[Place, T] | tuple[Job, ...]]:
    """The values of some places, those that need no fit first; or the jobs that have to be waited for.

    A place whose fit is cancelled is left out.
    """
    left = dict(asked)
    while left:
        waiting: dict[Job, None] = {}
        for place, ask in list(left.items()):
            held = ask()
            if isinstance(held, Job):
                if held.failed:
                    raise ValueError(held.failed)
                if not held.cancelled:
                    waiting[held] = None
                    continue
            del left[place]
            if not isinstance(held, Job):
                yield place, held
        if waiting:
            yield tuple(waiting)


def cell_steps(
    steps: Iterable[tuple[Any, Any] | tuple[Job, ...]],
    cells_of: Callable[[Any, Any], Iterable[tuple[Cell, Any]]],
    total: int,
) -> Steps:
    """The cells of a table by row and column, made of what comes: see `as_they_come`."""
    cells: dict[Cell, Any] = {}
    for step in steps:
        if isinstance(step[0], Job):
            yield step
            continue
        for cell, value in cells_of(*step):
            cells[cell] = value
            yield len(cells) / total, dict(cells)
    if len(cells) < total:
        raise Cancelled


def side_steps(
    engine: Engine,
    spec: Spec,
    rows: Sequence[Subject],
    columns: Sequence[str],
    make: Callable[[Situation, Side | None, str], Any],
) -> Steps:
    """The steps of a table whose every cell is made of its situation, its side and its metric."""
    metrics = metrics_of(spec)

    def cells_of(place: Cell, judged: Judgements) -> Iterator[tuple[Cell, Any]]:
        for i, metric in enumerate(metrics):
            yield (place[0] * len(metrics) + i, place[1]), make(judged.situation, judged.side, metric)

    total = len(columns) * len(rows) * len(metrics)
    yield from cell_steps(sides_of(engine, spec, rows, columns), cells_of, total)


def comparison_steps(engine: Engine, spec: Spec, rows: Sequence[Subject], columns: Sequence[str]) -> Steps:
    """The cells of the comparison, by row and column: see `_cell`.

    What needs no fit comes first; a calibrator that takes a while is waited for, and left out where it is cancelled.
    """
    return side_steps(engine, spec, rows, columns, _cell)


def metrics_of(spec: Spec) -> tuple[str, ...]:
    """The errors of the comparison under each of its lenses."""
    return spec.metrics if spec.rows == "metric" else ("ece",)


@dataclass(frozen=True)
class Judgements:
    """A model after one of the calibrators, as one of the rows that are compared looks at it."""

    situation: Situation
    side: Side | None


def sides_of(
    engine: Engine, spec: Spec, rows: Sequence[Subject], columns: Sequence[str]
) -> Iterator[tuple[Cell, Judgements] | tuple[Job, ...]]:
    """Every calibrator in every row, by row and column: see `as_they_come`."""
    places = [(r, c) for c in range(len(columns)) for r in range(len(rows))]
    return as_they_come({(r, c): partial(_judgements, engine, spec, rows[r], columns[c]) for r, c in places})


def compared_lenses(situation: Situation) -> tuple[str, ...]:
    """The lenses of the comparison: the usual ones for so many classes, and the chosen one."""
    classes = situation.predictions.n_classes
    if situation.of_summary:
        return (situation.spec.lens,)
    lenses = ["top-1"]
    if classes > 2:
        lenses += ["rank 2", "within-top 2"]
    elif not situation.predictions.of_confidence:
        lenses += [f"class {situation.predictions.class_names[1]}"]
    lenses += ["grouping"] if situation.groups else []
    lenses += ["classwise", "full"] if classes > 2 and situation.predictions.probs.size <= MOST_ENTRIES else []
    return tuple(lenses if situation.spec.lens in lenses else [situation.spec.lens, *lenses])


def compared_rows(situation: Situation) -> tuple[Subject, ...]:
    """The subjects of the rows of the comparison: those chosen, else the usual lenses of what is on screen."""
    spec = situation.spec
    return spec.compared or tuple((spec.model, lens, spec.selection) for lens in compared_lenses(situation))


def looked_at(engine: Engine, spec: Spec, row: Subject) -> Situation:
    """The situation that a row of the comparison is of."""
    model, lens, selection = row
    outcome = spec.outcome if lens == spec.lens else None
    return Situation(engine, spec.but(model=model, lens=lens, selection=selection, outcome=outcome))


def _judgements(engine: Engine, spec: Spec, row: Subject, calibrator: str) -> Judgements | Job:
    """A model after a calibrator, or the job that fits it; no side where the selection keeps nothing."""
    situation = looked_at(engine, spec, row)
    try:
        side = engine.side(situation.spec, situation.spec.model, calibrator, situation.lens)
    except NothingKept:
        return Judgements(situation, None)
    return side if isinstance(side, Job) else Judgements(situation, side)


def _cell(situation: Situation, side: Side | None, metric: str) -> tuple[BinningKind | None, Array]:
    """A kind of bins and the errors at every setting of it; None and one value where there are no bins to choose."""
    spec = situation.spec
    if side is None:
        return None, np.array([np.nan])
    if metric == "accuracy":
        judged = zip(side.predictions, side.problems, strict=True)
        right = [np.nan if (share := situation.accuracy(*each)) is None else share for each in judged]
        return None, np.array([np.mean(right)])
    if metric not in IN_BINS:
        return None, np.array([np.mean([value_of(metric, problem, spec) for problem in side.problems])])
    if not situation.outcomes:
        series, error = spec.settings(situation.kind), error_in_bins(metric, spec.error)
        return situation.kind, np.mean([error_series(problem, series, *error) for problem in side.problems], axis=0)
    kept = spec.chosen_selection
    if situation.no_whole_error or (kept is not None and kept.uses("output")):
        return None, np.array([np.nan])
    errors, kind = [], situation.kind
    for predictions in side.predictions:
        whole, kind = whole_of(situation, side, predictions)
        errors.append(error_series(whole, spec.settings(kind), *error_in_bins(metric, situation.whole_error)))
    return kind, np.mean(errors, axis=0)


def error_in_bins(metric: str, error: Error) -> Error:
    """The distance, the power and how bins are put together, for the maximum calibration error their largest."""
    return (*error[:2], "max") if metric == "mce" else error


def whole_of(situation: Situation, side: Side, predictions: Predictions) -> tuple[Problem, BinningKind]:
    """All outcomes of a vector lens at once, and the kind of bins that they are put into."""
    # Not kept: one of many outcomes takes as much memory as the predictions.
    kept = predictions if side.selection is None else predictions.select(side.selection.mask(predictions))
    whole = situation.spec.make_lens()(kept)
    is_cut = not situation.kind.cuts_rows and not isinstance(whole, ProblemFamily)
    return whole, TREE if is_cut else situation.kind


def value_of(metric: str, problem: ScalarProblem, spec: Spec) -> float:
    """A metric that does not depend on the number of bins."""
    distance, p, _ = spec.error
    return float(spec.metric(metric).value(Measurement(problem, Settings(distance=distance, p=p))))
