"""Tests of the comparison: which of its errors are within noise, and who is within noise of the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...context.lenses import Problem
from ...cube.ranks import tied_ranks
from ...data.predictions import Predictions
from ...decisions.acting_draws import is_of_one_outcome
from ...engine.binnings.binning_kinds import OF_METRICS, BinningKind
from ...foundation.arrays import Array
from ...metrics.binned import error_series
from ...metrics.distances import TotalVariation
from ...metrics.records.registry import METRICS
from ...uncertainty.best_set import LEVEL, is_within, tested
from ...uncertainty.noise_floors import interval_or_why, noise_floors
from ...uncertainty.resampling.consistency import relabelled
from ...uncertainty.resampling.contenders import CRITERIA, Contender, contender_of
from ..asked.spec import IN_BINS, Error, Spec, Subject
from ..situation.engine import Engine, Side
from ..situation.job import Job, Steps
from ..situation.noise import floors_of, mean_ends
from ..situation.situation import INSTANT_SIZE, Situation
from .compared import error_in_bins, side_steps, value_of, whole_of
from .family import family, family_cells, family_errors

UNKNOWN = (np.nan, np.nan)
TIED = ("\u2248 best", "not told apart")  # marks of those within noise of the best; the second where it is noise itself


@dataclass(frozen=True)
class Judged:
    """The noise floor, the test and the interval of a cell, as far as known."""

    floor: float  # what calibrated predictions reach; nan where that is unknown
    within: bool | None = None  # whether it is within noise of the best of its row; None where that is not tested
    interval: tuple[float, float] = UNKNOWN  # of 95 %; nan where that is unknown


def judging_steps(engine: Engine, spec: Spec, rows: Sequence[Subject], columns: Sequence[str]) -> Steps:
    """Yield what is known of every cell of the comparison, by row and column: see `Judged`."""
    within: dict[tuple[int, int], bool] = {}
    for step in side_steps(engine, spec, rows, columns, _untested):
        if isinstance(step[0], Job):
            yield step
            continue
        share, known = step
        row, _ = next(reversed(known))  # the cell that came last
        own = {c: contender for (r, c), (_, contender) in known.items() if r == row}
        if len(own) == len(columns):
            within |= {(row, c): is_within for c, is_within in _within(own).items()}
        yield share, {at: replace(judged, within=within.get(at)) for at, (judged, _) in known.items()}


def _untested(situation: Situation, side: Side | None, metric: str) -> tuple[Judged, Contender | None]:
    """The noise floor and the interval of a cell, and the cell as it takes part in the test of its row."""
    # Under several lenses, errors in bins are tested by the debiased error of each.
    criterion = "debiased" if situation.spec.rows == "lens" else metric if metric in CRITERIA else ""
    contender = _contender(situation, side, criterion)
    return Judged(_floor(situation, side, metric), interval=_ends_of_score(side, metric, contender)), contender


def _ends_of_score(side: Side | None, metric: str, contender: Contender | None) -> tuple[float, float]:
    """The 95 % interval of a score; nan of an error of calibration, of which the bootstrap would be biased."""
    if side is None or contender is None or metric not in contender.of or METRICS[metric].calibration:
        return UNKNOWN
    (problem,) = side.problems
    return UNKNOWN if is_of_one_outcome(problem) else mean_ends(contender.of[metric].replicates, problem)


def interval_steps(engine: Engine, spec: Spec, rows: Sequence[Subject], columns: Sequence[str]) -> Steps:
    """Yield the interval of the true error of every cell of the comparison that has one, by row and column."""
    return side_steps(engine, spec, rows, columns, _interval)


def _interval(situation: Situation, side: Side | None, metric: str) -> tuple[float, float]:
    """The 95 % interval of a true error; nan where there is none."""
    record = situation.spec.metric(metric)
    if side is None or record.interval_of is None or len(side.problems) > 1 or situation.scores_per_sample > 1:
        return UNKNOWN
    distance, p, aggregate = situation.spec.error
    if record.by_distance and (distance != TotalVariation() or p != 1 or (metric == "ece" and aggregate != "mean")):
        return UNKNOWN
    if metric in IN_BINS and situation.outcomes:
        return UNKNOWN
    spec, kind = situation.spec, situation.kind
    binning = OF_METRICS.get(metric, spec.settings(kind)[spec.setting(kind)] if metric in IN_BINS else None)
    interval, _ = interval_or_why(side.problems[0], record.interval_of, binning, spec.effort.most_judged)
    return UNKNOWN if interval is None else (interval.lower, interval.upper)


def family_judging_steps(engine: Engine, spec: Spec, columns: Sequence[str]) -> Steps:
    """Yield what calibrated predictions reach of the 32 errors of the GCE family, by row and column."""
    names = [str(i) for i in range(len(family()))]

    def errors_of(drawn: Any) -> dict[str, float]:  # of samples that are selected already
        return dict(zip(names, family_errors(drawn, spec, selected=True).tolist(), strict=True))

    def judged(trials: Sequence[Predictions]) -> list[Judged]:
        predictions, *others = trials
        reached = dict.fromkeys(names, np.nan)
        if not others and predictions.probs.size <= INSTANT_SIZE:
            try:
                observed = dict(zip(names, family_errors(predictions, spec).tolist(), strict=True))
                n = spec.effort.floors_of_cells
                nulls: Any = relabelled(predictions, spec.chosen_selection, n)
                reaching = noise_floors(nulls, errors_of, observed, n)
                reached = {name: floor.reaches for name, floor in reaching.items()}
            except ValueError:  # soft labels, and what else cannot be drawn
                pass
        return [Judged(reached[name]) for name in names]

    return family_cells(engine, spec, columns, judged)


def _floor(situation: Situation, side: Side | None, metric: str) -> float:
    """The error that calibrated predictions reach; of several trials the mean."""
    spec = situation.spec
    if side is None or not spec.metric(metric).calibration:
        return np.nan
    joint = bool(situation.outcomes) and metric in IN_BINS
    if joint and situation.no_whole_error:
        return np.nan
    if joint and len(side.predictions[0]) * len(situation.outcomes) > INSTANT_SIZE:
        return np.nan
    problems: Sequence[Problem] = side.problems
    error = error_in_bins(metric, situation.whole_error if joint else spec.error)
    kind, lens = situation.kind, situation.lens
    try:
        if joint:
            wholes = [whole_of(situation, side, predictions) for predictions in side.predictions]
            problems, kind, lens = [problem for problem, _ in wholes], wholes[0][1], spec.make_lens()
        n, measure = spec.effort.floors_of_cells, partial(_measured, metric, kind, spec, error)
        return floors_of(situation, side, lens, problems, measure, n=n)[""].reaches
    except ValueError:  # soft labels, and what else cannot be drawn
        return np.nan


def _measured(metric: str, kind: BinningKind, spec: Spec, error: Error, problem: Any) -> dict[str, float]:
    if metric not in IN_BINS:
        return {"": value_of(metric, problem, spec)}
    return {"": float(error_series(problem, [spec.settings(kind)[spec.setting(kind)]], *error)[0])}


def _contender(situation: Situation, side: Side | None, criterion: str) -> Contender | None:
    """A cell as it takes part in the test of its row; several trials do not, nor do several outcomes at once."""
    is_of_several = situation.spec.rows == "lens" and situation.outcomes
    if side is None or not criterion or len(side.problems) > 1 or is_of_several:
        return None
    (problem,) = side.problems
    try:
        effort = situation.spec.effort
        n, floors = effort.means_for(len(problem)), effort.floors_of_contests
        contender = contender_of(None, problem, situation.lens, None, [criterion], n, floors=floors)
    except ValueError:
        return None
    rows = np.unique(problem.order)
    return replace(contender, samples=rows.astype(np.int64).tobytes())


def _within(row: Mapping[int, Contender | None]) -> dict[int, bool]:
    """Which columns are within noise of the best; empty where that cannot be tested."""
    known = {c: contender for c, contender in row.items() if contender is not None}
    if len(known) < max(2, len(row)) or len({contender.samples for contender in known.values()}) > 1:
        return {}
    numbers = {str(c): number for c, contender in known.items() for number in contender.of.values()}
    if len(numbers) < len(row):
        return {}
    return {int(c): is_within(p_value, LEVEL) for c, p_value in tested(numbers)[1].items()}


def marks_of(
    values: Array, judged: Mapping[tuple[int, int], Judged]
) -> tuple[tuple[tuple[str, ...], ...], NDArray[np.bool_]]:
    """The marks below the errors of a table, and which of these are within noise, each of its shape."""
    floors = np.full(values.shape, np.nan)
    within, is_tested = np.zeros(values.shape, dtype=bool), np.zeros(values.shape, dtype=bool)
    for at, verdict in judged.items():
        floors[at] = verdict.floor
        is_tested[at], within[at] = verdict.within is not None, bool(verdict.within)
    noise = values <= floors
    ranks = tied_ranks(values, within)
    marks = []
    for r in range(len(values)):
        best = "best" if within[r].sum() == 1 else TIED[0]
        if noise[r].any():  # "best" would be read as a praise of errors beyond the noise
            best = TIED[1]
        marks.append(
            tuple(
                "noise"
                if noise[r, c]
                else ""
                if np.isnan(values[r, c]) or not is_tested[r, c]
                else best
                if within[r, c]
                else f"rank {ranks[r, c]:g}"
                for c in range(values.shape[1])
            )
        )
    return tuple(marks), noise
