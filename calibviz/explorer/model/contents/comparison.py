"""The panel Comparison: errors by lens and calibrator, or by metric and calibrator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .... import figures
from ....figures import Grid
from ....figures.tables import Cell, Column, Table
from ...state.spec import NORMS, Spec
from ..rankings import Judged, judging_steps, marks_of
from ..situation import Situation
from ..slow_steps import comparison_steps, metrics_of
from .content import Content

_GREY = "Grey: no more than calibrated predictions reach by noise in 95 of 100 cases."
#: What the marks of the table mean, by the kind of its rows.
CONCLUDED = {
    "lens": f"{_GREY} ≈ best: within noise of the best by the debiased error, at level 5 %; ranks come after these.",
    "metric": f"{_GREY} ≈ best: within noise of the best, at level 5 %; ranks come after these. Brier score, log loss "
    "and debiased error have such a test, the others none.",
}


def comparison(look: Situation) -> Content:
    """Errors in percent by lens and calibrator, or under the current lens by metric and calibrator."""
    spec = look.spec
    columns = ("none", *spec.calibrators)
    by_metric = spec.rows == "metric"
    lenses = (spec.lens,) if by_metric else compared_lenses(look)
    rows = tuple(spec.metric(metric).title for metric in spec.metrics) if by_metric else lenses
    if not rows:
        return Content((), "No metric is chosen.")
    of_rows = (
        (spec.metrics, look.outcome) if by_metric else look.outcome if spec.lens in lenses and look.outcomes else None
    )
    knots = spec.knots if "spline" in columns else None
    shown = lenses, columns, spec.groups, spec.rows, of_rows, look.kind, spec.error
    key = ("comparison", look.before.key[0], look.before.selection, knots, *shown)
    job = look.engine.jobs.get(key, "comparison", lambda: comparison_steps(look.engine, spec, lenses, columns))
    values = np.full((len(rows), len(columns)), np.nan)
    fine_rows = False
    for (row, column), (kind, errors) in (job.value or {}).items():
        fine_rows |= kind == "k-d tree"
        values[row, column] = errors[spec.setting(kind) if kind else 0]
    column = columns.index(spec.calibrator) if spec.calibrator in columns else 0
    row = 0 if by_metric else lenses.index(spec.lens)
    unit = (
        "error in %, log loss in nat/100" if by_metric and "log_loss" in spec.metrics else f"error in %{_of_rows(spec)}"
    )
    grid = figures.grid_figure("comparison", "Errors by calibrator", rows, columns, 100 * values, unit, (row, column))
    known: Mapping[tuple[int, int], Judged] = {}
    progress = ""
    if job.done and not job.ended_early:
        bins = spec.make_binning() if "ece" in metrics_of(spec) else None
        noise = look.engine.jobs.get(
            ("comparison noise", *key, bins, spec.gamma),
            "noise of the comparison",
            lambda: judging_steps(look.engine, spec, lenses, columns),
        )
        known = noise.value or {}
        progress = noise.ended_early or (CONCLUDED[spec.rows] if noise.done else f"Noise: {noise.fraction:.0%} done.")
    below, is_noise = marks_of(values, known)
    grid = replace(grid, below=below, noise=is_noise)
    gamma = f"Lenses of several outcomes: on the cells of a k-d tree, γ = 1/{2 ** (spec.setting('k-d tree') + 1)}."
    notes = (
        job.ended_early,
        progress if job.done else f"{job.fraction:.0%} done.",
        f"In {spec.bins} equal-mass bins." if spec.binning == "sweep" else "",
        gamma if fine_rows and spec.binning != "k-d tree" else "",
    )
    return Content((grid,), " ".join(note for note in notes if note))


def _of_rows(spec: Spec) -> str:
    """The name of the error, in brackets, if the rows are lenses."""
    return f" ({NORMS[spec.norm][0]})" if spec.rows == "lens" else ""


MOST_ENTRIES = 5_000_000  # with more probabilities, lenses on all classes are compared only if chosen


def compared_lenses(look: Situation) -> tuple[str, ...]:
    """The lenses of the comparison: the usual ones for so many classes, and the chosen one."""
    classes = look.predictions.n_classes
    if look.of_summary:
        return (look.spec.lens,)
    lenses = (
        ["top-1", "rank 2", "within-top 2"] if classes > 2 else ["top-1", f"class {look.predictions.class_names[1]}"]
    )
    lenses += ["grouping"] if look.groups else []
    lenses += ["classwise", "full"] if classes > 2 and look.predictions.probs.size <= MOST_ENTRIES else []
    return tuple(lenses if look.spec.lens in lenses else [look.spec.lens, *lenses])


def grid_table(grid: Grid) -> Table:
    """A grid as a table of clickable cells, each with its rank below; cells within noise are grey."""
    rows = []
    finite = grid.values[np.isfinite(grid.values)]  # a log loss may be infinite
    low, high = finite.min(initial=np.inf), finite.max(initial=-np.inf)
    below = grid.below or (("",) * len(grid.columns),) * len(grid.rows)
    for i, (name, values) in enumerate(zip(grid.rows, grid.values, strict=True)):
        cells = []
        for j, value in enumerate(values):
            if np.isnan(value):
                cells.append(Cell("–"))
            elif grid.noise is not None and grid.noise[i, j]:
                cells.append(Cell(f"{value:.2f}", below=below[i][j], faint=True))
            else:
                shade = float((min(value, high) - low) / (high - low)) if high > low else 0.5
                cells.append(Cell(f"{value:.2f}", shade=shade, below=below[i][j]))
        rows.append((Cell(name), *cells))
    current = None if grid.current is None else (grid.current[0], grid.current[1] + 1)
    columns = (Column(""), *(Column(name) for name in grid.columns))
    return Table(grid.name, "", columns, tuple(rows), grid.alt, grid.value_label, current, "cells")
