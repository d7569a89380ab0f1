"""Proper scores: what of them is miscalibration, what discrimination, and the loss of acting at every threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import xarray as xr

from ...context.class_lenses import Pooled
from ...decisions.acting_draws import LEVEL
from ...decisions.murphy import murphy_table
from ...decisions.thresholds import MODEL, RECALIBRATED, THRESHOLDS
from ...engine.scalar import ScalarProblem
from ...figures import murphy_figure
from ...figures.tables import Cell, Column, Table
from ...foundation.marked import strong
from ...foundation.validation import clause_of
from ...foundation.written import interval, number, whole_percent
from ...metrics.binless.corp import NAMES, Corp
from ...metrics.clinical.estimates import Estimate
from ...uncertainty.intervals.corp_intervals import corp
from ..asked.spec import OF_AFTER, OF_SAMPLES, OF_SCORES
from ..situation.as_code import selected
from ..situation.content import Code, Content
from ..situation.engine import Side
from ..situation.job import Steps
from ..situation.reading import reads, slow
from ..situation.situation import Situation
from .decision import paired_problems, with_both

SEED = 0
TITLE = "Proper scores, and the loss at every threshold"
PARTS = {
    "miscalibration": "what the best rising curve of the score would take away from it",
    "discrimination": "what that curve gains over one prediction for all",
    "uncertainty": "the score of whoever predicts the share of events of each sample",
}
COLUMNS = (
    Column("", ""),
    Column("score", "miscalibration − discrimination + uncertainty"),
    *(Column(name, why) for name, why in PARTS.items()),
    Column("skill", "by how much the score is below the uncertainty"),
)
NOTE = (
    "The parts are those of isotonic recalibration (Dimitriadis, Gneiting and Jordan 2021), without the bias of its "
    "fit, with 95 % intervals. The curves show the loss of acting from each threshold on (Ehm et al. 2016): the area "
    "below is the Brier score, and a model whose curve is lower everywhere is better by every proper score."
)


@dataclass(frozen=True)
class _Measured:
    """The parts of each score of each side, as far as they are known, and the Murphy curves of both."""

    curves: xr.Dataset
    parts: Mapping[tuple[str, str], Corp] = field(default_factory=dict)
    why_not: str = ""


@reads(*OF_SAMPLES, *OF_AFTER)
def scores(situation: Situation) -> Content:
    """The parts of Brier score and log loss with intervals, and Murphy curves, before and after recalibration."""
    if isinstance(situation.lens, Pooled):
        return Content((), "All classes of a sample at once are no one outcome: choose a class.")
    problems = paired_problems(situation)
    job = _measured(situation, situation.after, label="parts of the scores", now="first")
    measured: _Measured | None = job.value
    if measured is None:
        return Content((), job.ended_early or "Computing the loss at every threshold …")
    sides = {MODEL: "", RECALIBRATED: f" after {situation.calibrator_name}"}
    wanted = ((side, name) for side in problems for name in NAMES.values())
    rows = [_row(f"{name}{sides[side]}", measured.parts.get((side, name))) for side, name in wanted]
    table = Table("scores", "", COLUMNS, tuple(rows), "Brier score and log loss, and the parts of each.", NOTE)
    figure = replace(murphy_figure({situation.spec.model: with_both(measured.curves)}), title=TITLE)
    note = " ".join(filter(None, [situation.no_after, measured.why_not, job.ended_early, situation.of_first_trial]))
    return Content((figure, table), note, marked=_said(measured.parts.get((MODEL, "Brier score")), problems[MODEL]))


@slow(*OF_SCORES, *OF_AFTER)
def _measured(situation: Situation, _after: Side | None) -> Steps:
    """The Murphy curves, then the parts of each score, before recalibration and after it."""
    problems = paired_problems(situation)
    n = situation.spec.effort.scores
    measured = _Measured(murphy_table(problems, np.array(THRESHOLDS), n, LEVEL, SEED))
    yield 0.2, measured
    wanted = [(side, error) for side in problems for error in NAMES]
    for done, (side, error) in enumerate(wanted, 1):
        parts, why_not = _parts(problems[side], error, n)
        measured = _Measured(measured.curves, {**measured.parts, (side, NAMES[error]): parts}, why_not)
        yield 0.2 + 0.8 * done / len(wanted), measured


def _parts(problem: ScalarProblem, error: Any, n: int) -> tuple[Corp, str]:
    """The parts of a score with their intervals, or without, and a sentence that says why."""
    try:
        return corp(problem, error=error, replicates=n, level=LEVEL, rng=SEED, progress=False), ""
    except ValueError as why:
        return corp(problem, error=error), f"No intervals: {clause_of(why)}."


def _row(name: str, parts: Corp | None) -> tuple[Cell, ...]:
    if parts is None:
        return (Cell(name), *[Cell("…")] * (len(COLUMNS) - 1))
    skill = 1 - parts.whole / parts.uncertainty if parts.uncertainty > 0 else np.nan
    return (
        Cell(name),
        _number("score", parts.whole),
        *(_estimate(part, getattr(parts, part), parts.intervals.get(part)) for part in PARTS),
        _number("skill", skill),
    )


def _number(name: str, value: float) -> Cell:
    return Cell(number(value), numbers=((name, value),))


def _estimate(name: str, value: float, found: Estimate | None) -> Cell:
    if found is None:
        return _number(name, value)
    shown = interval(found.lower, found.upper, "") if np.isfinite([found.lower, found.upper]).all() else ""
    numbers = ((name, found.estimate), ("lower", found.lower), ("upper", found.upper))
    return Cell(number(found.estimate), below="\n".join(filter(None, [shown, found.note])), numbers=numbers)


def _said(parts: Corp | None, problem: ScalarProblem) -> str:
    """A sentence on the Brier score and its miscalibration; empty while they are not known."""
    if parts is None:
        return ""
    said, found = f"The Brier score is {strong(number(parts.whole))}", parts.intervals.get("miscalibration")
    if found is not None and found.lower > 0:  # never of nan
        ends = interval(found.lower, found.upper, "")
        said += f", of which about {strong(number(found.estimate))} is miscalibration (95 % interval {ends})"
    elif found is not None and found.upper == 0:  # the bias of the fit is more than all that it shows
        said += ", none of which shows as miscalibration"
    elif found is not None and found.lower == 0:
        said += f", of which up to {number(found.upper)} may be miscalibration (upper end of a 95 % interval)"
    return f"{said}. Predicting {whole_percent(problem.mean_target)} for all would score {number(parts.uncertainty)}."


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the parts of both scores and the Murphy curves of the model."""
    if isinstance(situation.lens, Pooled):
        return Code()
    of = f"predictions, {selected(situation)}"
    n = situation.spec.effort.scores
    parts = (f"print(cv.corp({of}, error=cv.{error.__name__}, replicates={n}).intervals)" for error in NAMES)
    after = ", calibrator=fitted" if situation.spec.is_recalibrated else ""
    curves = f"print(cv.murphy_curve({of}{after}, replicates={n}).to_dataframe())"
    return Code(("", *parts, curves), bool(after))
