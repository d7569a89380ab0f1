"""What takes a while to measure, as generators for `Jobs`: each yields (fraction done, what there is so far)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ... import figures
from ...context.induced import induced_problem
from ...context.lenses import Grouping, Outcome, Problem
from ...cube.metrics import Plan
from ...data.predictions import Predictions
from ...engine.binning import Binning
from ...engine.deferred import reweighted
from ...engine.family import ProblemFamily
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...engine.vector import VectorProblem
from ...foundation.cancellation import Cancelled
from ...metrics.binned import error_series
from ...metrics.gce import GCE, gce_values, gce_variants
from ...metrics.records.record import Measurement
from ...uncertainty.bootstrap import LEVEL, drawn_weights
from ...uncertainty.sensitivity import BIN_COUNTS, ErrorCurve, spread_of
from ..state.spec import GAMMAS, Error, Spec, Subject, every_setting
from .engine import Engine, NothingKept, Side
from .job import Job, Steps
from .situation import Situation

Array = NDArray[np.float64]

REPLICATES = 100
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)  # of the samples, to see how the error spreads on fewer
FEWEST = 10  # replicates whose deviation says anything


def sensitivity_steps(problems: Sequence[Problem], error: Error, kind: str, name: str) -> Steps:
    """Functions that return the table of `sensitivity` and its pictures, which are drawn only when they are called.

    The bootstrap columns are nan at first and rest on more replicates with every step. With several trials there is no
    bootstrap: the columns are over the trials.
    """
    fine = kind == "k-d tree"
    gammas = [gamma for gamma in GAMMAS if gamma * len(problems[0]) >= 2] or [GAMMAS[0]]
    every, settings = every_setting(kind), gammas if fine else BIN_COUNTS
    binnings = every[: len(gammas)] if fine else [every[bins - 1] for bins in BIN_COUNTS]
    curve = ErrorCurve("gamma" if fine else "bins", tuple(settings), tuple(binnings), error)
    errors = np.array([curve.errors(problem) for problem in problems])
    means, trials = errors.mean(axis=0), len(problems) > 1

    def drawn(replicates: Array) -> tuple[xr.Dataset, tuple[figures.Figure, ...]]:
        spread = dict.fromkeys(("mean", "std", "lower", "upper"), np.full(len(settings), np.nan))
        attrs: dict[str, Any] = {"lens": name}
        if len(replicates) > 1:
            spread = spread_of(replicates, LEVEL)
            if trials:
                spread |= {"lower": spread["mean"] - spread["std"], "upper": spread["mean"] + spread["std"]}
                attrs |= curve.flatness(means, spread["std"], "deviation over the trials")
            elif len(replicates) >= FEWEST:
                attrs |= curve.flatness(means, spread["std"])
            if not trials and len(replicates) < REPLICATES:
                attrs |= {"replicates": len(replicates), "of_replicates": REPLICATES}
        elif isinstance(problems[0], ProblemFamily):
            attrs["note"] = "where it is flat is not looked for: the mean over the classes is not resampled here"
        table = curve.table(problems[0], means, spread, attrs)
        pictures = (figures.sensitivity_figure(table),)
        return table, (*pictures, figures.points_per_bin_figure(table)) if "filled" in table else pictures

    if trials:
        yield 1.0, cache(partial(drawn, errors))
        return
    yield 0.0, cache(partial(drawn, errors[:0]))
    if isinstance(problems[0], ProblemFamily):
        return
    replicates: list[Array] = []
    for i, other in enumerate(resamples(problems[0])):
        replicates.append(curve.errors(other))
        yield (i + 1) / REPLICATES, cache(partial(drawn, np.array(replicates)))


def size_steps(problem: ScalarProblem | VectorProblem, binning: Binning, error: Error) -> Steps:
    """The error on fewer samples, drawn from those there are: a table like that of `sample_sizes`.

    Its columns are nan for the sizes to come.
    """
    table = xr.Dataset(
        {name: ("fraction", np.full(len(SHARES), np.nan)) for name in ("mean", "std", "lower", "upper")},
        {"fraction": list(SHARES)},
    )
    table["size"] = "fraction", [max(1, round(share * problem.samples)) for share in SHARES]
    yield 0.0, table
    for i, size in enumerate(table["size"].values.tolist()):
        errors = []
        for k, other in enumerate(resamples(problem, size)):
            errors.append(error_series(other, [binning], *error))
            yield (i + k / REPLICATES) / len(SHARES), table
        table = table.copy(deep=True)
        for name, column in spread_of(np.array(errors), LEVEL).items():
            table[name][i] = column[0]
        yield (i + 1) / len(SHARES), table


def resamples(
    problem: ScalarProblem | VectorProblem, size: int | None = None
) -> Iterator[ScalarProblem | VectorProblem]:
    """Bootstrap replicates: of samples, of which the pooled lens has a score for every class."""
    rows, first, place = np.unique(problem.order, return_index=True, return_inverse=True)
    given = None if problem.given_weight is None else problem.given_weight[first]
    for weights in drawn_weights(len(rows), given, REPLICATES, size):
        yield reweighted(problem, weights[place])


def class_steps(trials: Sequence[ProblemFamily], spec: Spec, kind: str) -> Steps:
    """The error of every class at every setting: mean and spread over the trials, shape (2, K, settings).

    nan for those to come, and for classes without samples.
    """
    binnings = spec.settings(kind)
    spread = np.full((2, len(trials[0].outcomes), len(binnings)), np.nan)
    for c in range(spread.shape[1]):
        try:
            errors = [error_series(trial.outcome(c), binnings, *spec.error) for trial in trials]
        except EmptyProblemError:
            continue
        spread[:, c] = np.mean(errors, axis=0), np.std(errors, axis=0)
        yield (c + 1) / spread.shape[1], spread.copy()
    yield 1.0, spread


def group_steps(look: Situation, names: Sequence[str]) -> Steps:
    """The same of every group against the rest."""
    spec = look.spec
    whole, binnings = replace(spec, lens="grouping").make_lens(), spec.settings(look.kind)
    spread = np.full((2, len(names), len(binnings)), np.nan)
    for i, name in enumerate(names):
        problems = [induced_problem(trial, Outcome(whole, name), look.before.selection) for trial in look.trials]
        errors = [error_series(problem, binnings, *spec.error) for problem in problems]
        spread[:, i] = np.mean(errors, axis=0), np.std(errors, axis=0)
        yield (i + 1) / len(names), spread.copy()


def level_steps(look: Situation, levels: Mapping[str, Any]) -> Steps:
    """The same of the groups of every level of a hierarchy, jointly on k-d trees of every gamma (gece figure 12)."""
    binnings = look.spec.settings("k-d tree")
    spread = np.full((2, len(levels), len(binnings)), np.nan)
    for i, groups in enumerate(levels.values()):
        named = tuple((name, tuple(members)) for name, members in groups.items())
        problems = [induced_problem(trial, Grouping(named), look.before.selection) for trial in look.trials]
        errors = [error_series(problem, binnings, *look.spec.error) for problem in problems]
        spread[:, i] = np.mean(errors, axis=0), np.std(errors, axis=0)
        yield (i + 1) / len(levels), spread.copy()


def comparison_steps(engine: Engine, spec: Spec, rows: Sequence[Subject], columns: Sequence[str]) -> Steps:
    """What is in every cell of the comparison, by row and column: see `_cell`.

    What needs no fit comes first; a calibrator that takes a while is waited for, and left out where it is cancelled.
    """
    cells: dict[tuple[int, int], tuple[str, Array]] = {}
    metrics = metrics_of(spec)
    total = len(columns) * len(rows) * len(metrics)
    for step in sides_of(engine, spec, rows, columns):
        if isinstance(step, tuple):
            yield step
            continue
        for i, metric in enumerate(metrics):
            cells[step.row * len(metrics) + i, step.column] = _cell(step.look, step.side, metric)
            yield len(cells) / total, dict(cells)
    if len(cells) < total:
        raise Cancelled


def metrics_of(spec: Spec) -> tuple[str, ...]:
    """The errors of the comparison under each of its lenses."""
    return spec.metrics if spec.rows == "metric" else ("ece",)


@dataclass(frozen=True)
class Judgements:
    """A model after one of the calibrators, as one of the rows that are compared looks at it."""

    row: int
    column: int
    look: Situation
    side: Side | None


def sides_of(
    engine: Engine, spec: Spec, rows: Sequence[Subject], columns: Sequence[str]
) -> Iterator[Judgements | tuple[Job, ...]]:
    """Every calibrator in every row, what needs no fit first; or the jobs that have to be waited for."""
    left = [(c, r, row) for c in range(len(columns)) for r, row in enumerate(rows)]
    fits: dict[tuple[int, int], Job] = {}  # of the cells that wait for one
    while left:
        for c, r, row in list(left):
            if (c, r) in fits and (fits[c, r].cancelled or not fits[c, r].done):
                continue
            look = looked_at(engine, spec, row)
            side = _side(look, columns[c])
            if isinstance(side, Job):
                fits[c, r] = side
                continue
            left.remove((c, r, row))
            yield Judgements(r, c, look, side)
        left = [(c, r, row) for c, r, row in left if not fits[c, r].cancelled]
        if waiting := tuple({fits[c, r] for c, r, _ in left if not fits[c, r].done}):
            yield waiting


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


def compared_rows(look: Situation) -> tuple[Subject, ...]:
    """What the rows of the comparison look at: what was chosen, else the usual lenses of what is on screen."""
    spec = look.spec
    return spec.compared or tuple((spec.model, lens, spec.selection) for lens in compared_lenses(look))


def looked_at(engine: Engine, spec: Spec, row: Subject) -> Situation:
    """The situation that a row of the comparison is of."""
    model, lens, selection = row
    outcome = spec.outcome if lens == spec.lens else None
    return Situation(engine, replace(spec, model=model, lens=lens, selection=selection, outcome=outcome))


def family_steps(engine: Engine, spec: Spec, columns: Sequence[str]) -> Steps:
    """The 32 errors of the GCE family by row and column, after every calibrator; rows as `family` orders them."""
    cells: dict[tuple[int, int], tuple[str, Array]] = {}
    for step in moved_by(engine, spec, columns):
        if isinstance(step[0], Job):
            yield step
            continue
        column, trials = step
        errors = np.mean([family_errors(trial, spec) for trial in trials], axis=0)
        cells |= {(row, column): ("", np.array([error])) for row, error in enumerate(errors)}
        yield len(cells) / (len(columns) * len(errors)), dict(cells)
    if len(cells) < len(columns) * len(family()):
        raise Cancelled


@cache
def family() -> tuple[GCE, ...]:
    """The 32 errors, by group of switches: those that look at the same scores stand together."""
    return tuple(sorted(gce_variants(), key=_switches))


def _switches(metric: GCE) -> tuple[Any, ...]:
    return not metric.max_prob, metric.class_conditional, metric.threshold, metric.binning, metric.norm


def family_errors(predictions: Predictions, spec: Spec, selected: bool = False) -> Array:
    """Their values, shape (32,), in the chosen number of bins; nan where the selection keeps nothing."""
    try:
        values = gce_values(predictions, [spec.bins], selection=None if selected else spec.make_selection()).ravel()
    except EmptyProblemError:
        return np.full(len(family()), np.nan)
    places = {metric: i for i, metric in enumerate(gce_variants())}
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


def _side(look: Situation, calibrator: str) -> Side | Job | None:
    """A model after a calibrator, or the job that fits it; None where the selection keeps nothing."""
    try:
        side = look.engine.side(look.spec, look.spec.model, calibrator, look.lens)
    except NothingKept:
        return None
    if isinstance(side, Job) and side.failed:
        raise ValueError(side.failed)
    return side


def _cell(look: Situation, side: Side | None, metric: str) -> tuple[str, Array]:
    """A kind of bins and the errors at every setting of it; "" and one value where there are no bins to choose."""
    spec = look.spec
    if side is None:
        return "", np.array([np.nan])
    if metric != "ece":
        return "", np.array([np.mean([value_of(metric, problem, spec) for problem in side.problems])])
    if not look.outcomes:
        series = spec.settings(look.kind)
        return look.kind, np.mean([error_series(problem, series, *spec.error) for problem in side.problems], axis=0)
    kept = spec.make_selection()
    if look.no_whole_error or (kept is not None and kept.uses("output")):
        return "", np.array([np.nan])
    errors, kind = [], look.kind
    for predictions in side.predictions:
        whole, kind = whole_of(look, side, predictions)
        errors.append(error_series(whole, spec.settings(kind), *look.whole_error))
    return kind, np.mean(errors, axis=0)


def whole_of(look: Situation, side: Side, predictions: Predictions) -> tuple[Problem, str]:
    """All outcomes of a vector lens at once, and the kind of bins that they are put into."""
    # Not kept: one of many outcomes takes as much memory as the predictions.
    kept = predictions if side.selection is None else predictions.select(side.selection.mask(predictions))
    whole = look.spec.make_lens()(kept)
    is_cut = look.kind == "equal-mass" and not isinstance(whole, ProblemFamily)
    return whole, "k-d tree" if is_cut else look.kind


def value_of(metric: str, problem: ScalarProblem, spec: Spec) -> float:
    """A metric that does not depend on the number of bins."""
    distance, p, _ = spec.error
    return float(spec.metric(metric).value(Measurement(problem, Plan({}, distance=distance, p=p))))
