"""The panel Compare: errors by calibrator, of lenses and selections, of metrics, or of the GCE family."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ... import figures
from ...engine.binnings.binning_kinds import TREE
from ...figures import Grid
from ...figures.bars import MOST_HUES, grid_bars
from ...figures.tables import Cell, Column, Place, Strip, Table
from ...foundation.arrays import Array
from ...foundation.written import number, with_minus
from ...metrics.gce import GCE
from ...recalibration.registry import AS_IT_IS
from ..asked.choices import word_of
from ..asked.selection_edits import classes_of_lens
from ..asked.spec import (
    IN_BINS,
    NORMS,
    OF_AFTER,
    OF_BINS,
    OF_ERROR,
    OF_SAMPLES,
    SWITCHES,
    Spec,
    Subject,
    Switch,
    gamma_text,
)
from ..situation.content import Content
from ..situation.reading import reads
from ..situation.situation import Situation
from ..steps.compared import compared_rows, comparison_steps, metrics_of
from ..steps.family import family, family_steps
from ..steps.rankings import TIED, Judged, family_judging_steps, interval_steps, judging_steps, marks_of

_GREY = "Grey: no more than calibrated predictions reach by noise in 95 of 100 cases."
_STRIP = (
    "Small pictures: the error with its 95 % interval, where there is one; the mark is what calibrated predictions "
    "reach, or else the model as it is."
)
_DIFFERENCES = (
    "differ in five switches: the largest probability of a sample (max prob) or all of them, classes together or "
    "class-conditional, all scores or those > 0.01, uniform or equal-mass bins, and the norm."
)
#: What being within noise of the best rests on, by the kind of the table's rows; of the GCE family nothing is tested.
_TIED_BY = {
    "lens": "within noise of the best by the debiased error, at level 5 %; ranks come after these.",
    "metric": "within noise of the best, at level 5 %; ranks come after these. Brier score, log loss and "
    "debiased error have such a test, the others none.",
}
_BARS = (
    "A bar is an error, the line on it the 95 % interval, where there is one. A diamond is the noise limit, where "
    "there is one: perfectly calibrated predictions stay below it in 95 of 100 cases, so a bar that ends below "
    "its diamond shows no error beyond noise."
)
#: What is drawn in the bars, by the kind of their groups.
DRAWN = {"lens": _BARS, "metric": _BARS, "gce": f"{_BARS} The groups {_DIFFERENCES}"}
REMOVE = "✕"


#: What the errors that are compared depend on, apart from the bins.
OF_COMPARISON = (*OF_SAMPLES, *OF_ERROR, *OF_AFTER, "rows", "metrics", "compared", "switches")


@dataclass(frozen=True)
class Rows:
    """The rows of the comparison: their names and units, the one that is on screen, and the classes that they are of.

    Long names have others on an axis.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    current: int | None
    classes: tuple[tuple[int, ...], ...] = ()
    on_axis: tuple[str, ...] = ()


@dataclass(frozen=True)
class KnownCells:
    """The cells known by now, by row and column; `missing` says what is to come, or why it does not come."""

    errors: Array
    judged: Mapping[tuple[int, int], Judged]
    intervals: Mapping[tuple[int, int], tuple[float, float]]
    has_fine_rows: bool
    missing: str


@reads(*OF_COMPARISON, *OF_BINS, "calibrators", "comparison")
def comparison(situation: Situation) -> Content:
    """Errors by calibrator: of the compared lenses, or under the current lens by metric or by switch of the GCE."""
    spec = situation.spec
    columns = (AS_IT_IS, *spec.calibrators)
    rows = _rows_of(situation)
    if not rows.names:
        return Content((), "No metric is chosen.")
    subjects = compared_rows(situation) if spec.rows == "lens" else ((spec.model, spec.lens, spec.selection),)
    known = _measured(situation, len(rows.names), columns, subjects)
    grid = _grid(situation, rows, columns, known)
    is_drawn = spec.comparison == "bars" and len(columns) <= MOST_HUES
    is_of_lenses = spec.rows != "gce"
    notes = [
        f"A picture tells {MOST_HUES} bars apart: compare fewer calibrators to see them."
        if spec.comparison == "bars" and not is_drawn
        else "",
        known.missing or (DRAWN[spec.rows] if is_drawn else _read_so(spec.rows, grid)),
        f"In {spec.bins} {situation.kind.name} bins." if not spec.kind.takes and is_of_lenses else "",
        f"Lenses of several outcomes: on the cells of a k-d tree, γ = {gamma_text(spec.gamma)}."
        if known.has_fine_rows and spec.kind.takes != "gamma"
        else "",
        _fitted_how(situation, subjects),
        _left_out(situation),
    ]
    return Content(grid_bars(grid) if is_drawn else (grid,), " ".join(note for note in notes if note))


def _read_so(rows: str, grid: Grid) -> str:
    """How the marks of a table are read: of those within noise of the best only where there are any."""
    marks = " and ".join(mark for mark in TIED if any(mark in row for row in grid.below))
    tied = f"{marks}: {_TIED_BY[rows]}" if marks else ""
    return " ".join(filter(None, (_GREY, tied, f"The rows {_DIFFERENCES}" if rows == "gce" else "", _STRIP)))


def _measured(situation: Situation, rows: int, columns: Sequence[str], subjects: Sequence[Subject]) -> KnownCells:
    """The cells measured by now: first the errors, and once these are there their noise and their intervals."""
    spec, jobs = situation.spec, situation.engine.jobs
    fits = situation.before.key[0][2:], tuple(map(spec.calibrator_key, columns))
    settings = situation.kind, spec.measure, _asked_of_rows(situation, subjects)
    key = ("comparison", fits, subjects, spec.groups, spec.rows, *settings)
    bins = None if set(IN_BINS).isdisjoint(metrics_of(spec)) else spec.chosen_binning
    aside = (*key, bins, spec.gamma)
    by_switch = spec.rows == "gce"
    if by_switch:
        measure = partial(family_steps, situation.engine, spec, columns)
        judge = partial(family_judging_steps, situation.engine, spec, columns)
    else:
        measure = partial(comparison_steps, situation.engine, spec, subjects, columns)
        judge = partial(judging_steps, situation.engine, spec, subjects, columns)

    job = jobs.get(key, "comparison", measure)
    values = np.full((len(family()) if by_switch else rows, len(columns)), np.nan)
    found = job.value or {}
    for cell, (kind, errors) in found.items():
        values[cell] = errors[spec.setting(kind) if kind is not None else 0]
    known: Mapping[tuple[int, int], Judged] = {}
    intervals: Mapping[tuple[int, int], tuple[float, float]] = {}
    missing = job.ended_early or ("" if job.done else f"{job.fraction:.0%} done.")
    if not missing:
        noise = jobs.get(("comparison noise", *aside), "noise of the comparison", judge)
        known = noise.value or {}
        missing = noise.ended_early or ("" if noise.done else f"Noise: {noise.fraction:.0%} done.")
        if not by_switch:
            find = partial(interval_steps, situation.engine, spec, subjects, columns)
            within = jobs.get(("comparison intervals", *aside), "intervals of the comparison", find)
            intervals = within.value or {}
    if by_switch:  # all are measured, so that a switch has nothing to wait for
        at = [place for place, metric in enumerate(family()) if _is_asked(metric, spec)]
        values = values[at]
        known = {(at.index(row), column): judged for (row, column), judged in known.items() if row in at}
    return KnownCells(values, known, intervals, any(kind is TREE for kind, _ in found.values()), missing)


def _asked_of_rows(situation: Situation, subjects: Sequence[Subject]) -> Hashable:
    """The choices that the errors of the rows depend on beside the subjects: metrics, bins, or the outcome."""
    spec = situation.spec
    if spec.rows == "metric":
        return spec.metrics, situation.outcome
    if spec.rows == "gce":
        return spec.bins
    return situation.outcome if situation.outcomes and spec.lens in [lens for _, lens, _ in subjects] else None


def _grid(situation: Situation, rows: Rows, columns: tuple[str, ...], known: KnownCells) -> Grid:
    """The table of what is known, in percent where errors are shares."""
    below, is_noise = marks_of(known.errors, known.judged)
    factors = np.array([100.0 if unit == "%" else 1.0 for unit in rows.units])[:, None]
    floors, lower, upper = _beside(known.errors.shape, known.judged, known.intervals)
    calibrator = situation.spec.calibrator
    column = columns.index(calibrator) if calibrator in columns else None  # no cell is what is looked at
    grid = figures.grid_figure(
        "comparison",
        "Errors by calibrator",
        rows.names,
        columns,
        factors * known.errors,
        _label(situation, rows),
        None if rows.current is None or column is None else (rows.current, column),
    )
    return replace(
        grid,
        below=below,
        noise=is_noise,
        units=rows.units,
        floors=factors * floors,
        lower=factors * lower,
        upper=factors * upper,
        classes=rows.classes,
        on_axis=rows.on_axis,
    )


def _left_out(situation: Situation) -> str:
    """A note that the chosen calibrator has no column, and how it gets one; empty where it has one."""
    spec = situation.spec
    if spec.calibrator in (AS_IT_IS, *spec.calibrators):
        return ""
    return f"The chosen calibrator, {spec.calibrator}, is not compared: add it under “{word_of('calibrators')}”."


def _fitted_how(situation: Situation, subjects: Sequence[Subject]) -> str:
    """A note on the scores that calibrators of single scores are fitted to in these rows; empty without such ones."""
    spec = situation.spec
    names = [name for name in spec.calibrators if situation.engine.is_of_scores(spec, name)]
    if not names or situation.of_summary:
        return ""
    fitted = f"Calibrators of single scores ({', '.join(names)}) are fitted"
    elsewhere = "a lens of one score fits them to that score, so its numbers differ."
    if spec.rows == "gce":
        why = "these errors look at the probabilities of all classes"
        return f"{fitted} class by class here, since {why}; {elsewhere}"
    lenses = list(dict.fromkeys(lens for _, lens, _ in subjects))
    of_several = [lens for lens in lenses if situation.engine.is_vector(spec.but(lens=lens))]
    if of_several == lenses:
        has = "the lens has" if len(lenses) == 1 else "these lenses have"
        return f"{fitted} class by class here, since {has} several outcomes; {elsewhere}"
    but = f", and class by class under {', '.join(of_several)}" if of_several else ""
    return (
        f"{fitted} to the score of the lens here{but}; the GCE family fits them class by class, so its numbers differ."
    )


@reads(*OF_COMPARISON)
def _rows_of(situation: Situation) -> Rows:
    spec = situation.spec
    if spec.rows == "metric":
        records = [spec.metric(metric) for metric in spec.metrics]
        return Rows(tuple(record.title for record in records), tuple(record.unit for record in records), 0)
    if spec.rows == "gce":
        shown = [metric for metric in family() if _is_asked(metric, spec)]
        return Rows(tuple(map(_row_name, shown)), ("%",) * len(shown), None, on_axis=_axis_names(shown))
    subjects, current = compared_rows(situation), (spec.model, spec.lens, spec.selection)
    models = {model for model, _, _ in subjects}
    names = tuple(
        (f"{model}: " if len(models) > 1 else "") + lens + (f" | {selection}" if selection and spec.compared else "")
        for model, lens, selection in subjects
    )
    classes = tuple(
        classes_of_lens(spec.but(lens=lens).make_lens(), situation.predictions.class_names) for _, lens, _ in subjects
    )
    return Rows(names, ("%",) * len(names), subjects.index(current) if current in subjects else None, classes)


def _is_asked(metric: GCE, spec: Spec) -> bool:
    """Whether an error of the GCE family has the chosen settings of its switches."""
    return all(getattr(metric, field) == value for field, value in spec.asked_of_family().items())


def _row_name(metric: GCE) -> str:
    """The switches as they are chosen, those at what is usual left out, and the metric's own name where it has one."""
    own = f" ({metric.name})" if metric.own_name else ""
    return ", ".join(name for name, switch in _settings(metric).items() if switch.short) + own


def _settings(metric: GCE) -> dict[str, Switch]:
    """The setting of each of the five switches by its name."""
    return {name: switch for name, switch in SWITCHES.items() if getattr(metric, switch.field) == switch.value}


def _axis_names(metrics: Sequence[GCE]) -> tuple[str, ...]:
    """Names for an axis: a metric's own where it has one, else what tells it from the others."""
    common = set.intersection(*(set(_settings(metric)) for metric in metrics))
    names = []
    for metric in metrics:
        differing = {name: switch for name, switch in _settings(metric).items() if name not in common}
        said = [switch.short for switch in differing.values() if switch.short] or list(differing)
        names.append(metric.name if metric.own_name else ", ".join(said) or _row_name(metric))
    return tuple(names)


def _label(situation: Situation, rows: Rows) -> str:
    """The units of the rows, and the name of the error if the rows are lenses."""
    texts = {"%": "error in %", "nat": "log loss in nats", "": "scores as numbers"}
    label = ", ".join(texts.get(unit, unit) for unit in dict.fromkeys(rows.units))
    return f"{label} ({NORMS[situation.spec.norm][0]})" if situation.spec.rows == "lens" else label


def _beside(
    shape: tuple[int, ...],
    known: Mapping[tuple[int, int], Judged],
    intervals: Mapping[tuple[int, int], tuple[float, float]],
) -> tuple[Array, Array, Array]:
    """Noise floors, and lower and upper ends of the intervals, nan where they are unknown."""
    floors, lower, upper = (np.full(shape, np.nan) for _ in range(3))
    for at, judged in known.items():
        floors[at], (lower[at], upper[at]) = judged.floor, judged.interval
    for at, ends in intervals.items():
        if np.isfinite(ends[0]):
            lower[at], upper[at] = ends
    return floors, lower, upper


def with_current(situation: Situation) -> tuple[Subject, ...]:
    """The rows, and what is on screen as one more; the usual rows are kept as they are."""
    spec = situation.spec
    return tuple(dict.fromkeys((*compared_rows(situation), (spec.model, spec.lens, spec.selection))))


def grid_table(grid: Grid, removable: bool = False) -> Table:
    """A grid as a table of clickable cells, each with its rank below; cells within noise are grey.

    Where rows can be removed, the last cell of each is a cross.
    """
    rows = []
    below = grid.below or (("",) * len(grid.columns),) * len(grid.rows)
    units = grid.units or ("%",) * len(grid.rows)
    for i, (name, values) in enumerate(zip(grid.rows, grid.values, strict=True)):
        strips = _strips(grid, i)
        cells = [Cell(name, below={"nat": "in nats", "": "no unit"}.get(units[i], ""))]
        for j, value in enumerate(values):
            if np.isnan(value):
                cells.append(Cell("–"))
                continue
            is_noise = grid.noise is not None and bool(grid.noise[i, j])
            ends = (
                "" if grid.lower is None or grid.upper is None else _ends(units[i], grid.lower[i, j], grid.upper[i, j])
            )
            lines = "\n".join(filter(None, (below[i][j], ends)))
            text, numbers = _in_percent(units[i], value), (("value", float(value)),)
            cells.append(Cell(text, strip=strips[j], below=lines, faint=is_noise, numbers=numbers))
        rows.append((*cells, *([Cell(REMOVE, why=f"Take away the row {name}")] if removable else [])))
    current = None if grid.current is None else (grid.current[0], grid.current[1] + 1)
    columns = (Column(""), *(Column(name) for name in grid.columns), *([Column("")] if removable else []))
    places = tuple(Place(classes=classes) for classes in grid.classes)
    return Table(grid.name, "", columns, tuple(rows), grid.alt, grid.value_label, current, "cells", places)


def _in_percent(unit: str, value: float) -> str:
    """A value of a grid, whose shares are in per cent; its label says so."""
    return with_minus(f"{value:.2f}") if unit == "%" else number(value)


def _ends(unit: str, low: float, high: float) -> str:
    return f"{_in_percent(unit, low)} to {_in_percent(unit, high)}" if np.isfinite(low) else ""


def _strips(grid: Grid, row: int) -> list[Strip | None]:
    """Each error of a row with its interval and its noise floor, all on one scale; None before these are known."""
    if grid.floors is None or grid.lower is None or grid.upper is None:
        return [None] * len(grid.columns)
    values, floors, lower, upper = (table[row] for table in (grid.values, grid.floors, grid.lower, grid.upper))
    is_floored = bool(np.isfinite(floors).any())
    marks = floors if is_floored else np.full(len(values), values[0])
    all_known = np.concatenate([column[np.isfinite(column)] for column in (values, floors, lower, upper)])
    least = min(0.0, all_known.min(initial=0.0)) if is_floored else all_known.min(initial=np.inf)
    room = all_known.max(initial=-np.inf) - least
    if not 0 < room < np.inf or not (is_floored or np.isfinite(lower).any()):
        return [None] * len(values)

    def place(value: float) -> float:
        return min(1.0, max(0.0, float(value - least) / float(room)))

    return [
        None
        if not np.isfinite([value, mark]).all()
        else Strip(
            place(min(low, value)) if np.isfinite(low) else place(value),
            place(value),
            place(max(high, value)) if np.isfinite(high) else place(value),
            place(mark),
            grid.noise is not None and bool(grid.noise[row, j]),
            place(0.0) if is_floored else None,
            "after" if j else "before",  # the first column is the model as it is
        )
        for j, (value, mark, low, high) in enumerate(zip(values, marks, lower, upper, strict=True))
    ]


def compared_by(spec: Spec) -> tuple[str, ...]:
    """The choices by which the comparison differs, whatever lens and binning are looked at."""
    if spec.rows == "gce":
        return "bins", "switches"
    of_rows = ("distance", "weights", "matrix") if spec.rows == "lens" else ("metrics",)
    is_binned = spec.rows == "lens" or not set(IN_BINS).isdisjoint(spec.metrics)
    return (*of_rows, "bins") if is_binned and not spec.kind.takes else of_rows
