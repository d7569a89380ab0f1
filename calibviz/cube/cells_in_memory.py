"""One cell of a cube: everything measured on one model under one calibrator, lens and selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..context.class_lenses import Pooled
from ..context.conditions import Condition
from ..context.induced import induced_problem, replicate, scalar_problem
from ..context.lenses import Lens, Problem
from ..data.predictions import Predictions
from ..engine.binnings.binning import Binning
from ..engine.binnings.binning_kinds import OF_METRICS
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation.arrays import Array
from ..foundation.chance import NULLS, noise_floor, p_values
from ..metrics.distances import TotalVariation
from ..metrics.gce import gce_values
from ..metrics.scores import right_share
from ..recalibration import ScalarCalibrator
from ..uncertainty.intervals.error_intervals import several_ends
from ..uncertainty.noise_floors import refuse_mapped_entries
from ..uncertainty.resampling.bootstrap import draws_of, quantiles
from ..uncertainty.resampling.consistency import null_problems, relabelled
from .fitting import Fitted
from .metrics import Measured, Plan, Reasons, measured

ENDS = ("lower", "estimate", "upper")
ONLY_MEAN_DISTANCE = "the interval is of the mean distance |s - T|: leave p and distance as they are"


@dataclass(frozen=True, eq=False)
class CellsInMemory:
    """Measures every cell of predictions in memory."""

    fitted: Fitted  # the predictions, and what recalibrates them
    conditions: Mapping[str, Condition | None]
    plan: Plan

    def cell(self, model: str, method: tuple[str, object], lens: Lens | None, selection: str) -> Measured:
        """Everything that is measured in one cell; under no lens, the GCE family."""
        judge = _judged_gce if lens is None else partial(_judged_cell, lens)
        return judge(self.fitted, model, method, self.conditions[selection], self.plan)


def _judged_cell(
    lens: Lens, fitted: Fitted, model: str, method: tuple[str, object], condition: Condition | None, plan: Plan
) -> Measured:
    """Every metric of a problem, and its quantiles over bootstrap replicates where they are asked for."""
    try:
        source, problem = fitted.problem(model, *method, lens, condition)
        values, reasons = _measured(source, problem, lens, condition, plan)
    except ValueError as error:
        return unavailable(plan, error)

    def again(weights: Array) -> dict[str, Array]:
        reweighted = source.with_weights(weights)
        if isinstance(problem, ProblemFamily):
            other: Problem = induced_problem(reweighted, lens, condition)
        else:
            other = replicate(problem, weights)
        return _measured(reweighted, other, lens, condition, plan)[0]

    def nulls() -> Iterator[Measured]:
        refuse_mapped_entries(lens, isinstance(method[1], ScalarCalibrator))
        for null in null_problems(source, problem, lens, condition, NULLS, plan.seed):
            yield measured(null, plan.of_nulls)

    noise, why_not = noise_of(values, nulls, plan)
    ends, unknown = ends_of(values, problem, lens, plan)
    return values | quantiles_of(source, values, again, plan) | noise | ends, reasons | why_not | unknown


def unavailable(plan: Plan, error: ValueError) -> Measured:
    """The values of a cell that cannot exist, all nan but a count of 0 samples, and the reason."""
    values = {metric: np.full(plan.shape(metric), np.nan) for metric in plan.of_lenses}
    if "count" in values and isinstance(error, EmptyProblemError):
        values["count"] = np.zeros(())
    return values, {metric: [("", str(error))] for metric in values}


def _judged_gce(
    fitted: Fitted, model: str, method: tuple[str, object], condition: Condition | None, plan: Plan
) -> Measured:
    """The GCE family, which brings its own lenses, and its quantiles."""
    try:
        source = fitted.predictions(model, *method)
        values = {"gce": gce_values(source, plan.bins, plan.binnings, selection=condition)}
    except ValueError as error:
        return {"gce": np.full(plan.shape("gce"), np.nan)}, {"gce": [("", str(error))]}

    def again(weights: Array) -> dict[str, Array]:
        return {"gce": gce_values(source.with_weights(weights), plan.bins, plan.binnings, selection=condition)}

    def nulls() -> Iterator[Measured]:
        for null in relabelled(source, condition, NULLS, plan.seed):
            yield {"gce": gce_values(null, plan.bins, plan.binnings)}, {}

    noise, why_not = noise_of(values, nulls, plan)
    return values | quantiles_of(source, values, again, plan) | noise, why_not


def _measured(source: Predictions, problem: Problem, lens: Lens, condition: Condition | None, plan: Plan) -> Measured:
    return measured(problem, plan, lambda k: right_share(_samples(source, problem, lens, condition), source, k))


def _samples(source: Predictions, problem: Problem, lens: Lens, condition: Condition | None) -> ScalarProblem:
    """The samples of a problem as a scalar problem; its scores are those that the selection looks at."""
    if isinstance(problem, ScalarProblem) and not isinstance(lens, Pooled):
        return problem
    if condition is not None and condition.uses("output"):
        return scalar_problem(source, lens, condition, outcome=0)
    return scalar_problem(source, "top-1", condition)


def quantiles_of(
    drawn_from: Predictions | Problem, values: dict[str, Array], again: Callable[[Array], dict[str, Array]], plan: Plan
) -> dict[str, Array]:
    """The quantiles of values over bootstrap replicates, which `again` makes of the weights that are drawn."""
    if not plan.replicates:
        return {}
    replicates = {
        metric: np.full((plan.replicates, *value.shape), np.nan)
        for metric, value in values.items()
        if plan.metrics[metric].has_quantiles
    }
    for i, drawn in enumerate(draws_of(drawn_from, plan.replicates, None, plan.seed)):
        try:
            redrawn = again(drawn)
        except EmptyProblemError:  # the selection kept nothing of this replicate
            continue
        for metric, column in replicates.items():
            column[i] = redrawn[metric]
    return {
        f"{metric}_quantile": np.moveaxis(quantiles(column, plan.quantiles), 0, -1)
        for metric, column in replicates.items()
    }


def noise_of(values: Mapping[str, Array], nulls: Callable[[], Iterator[Measured]], plan: Plan) -> Measured:
    """The noise floors and p-values of errors: all metrics are measured on the same data sets, which `nulls` makes."""
    shown = {
        metric: np.full((NULLS, *value.shape), np.nan)
        for metric, value in values.items()
        if plan.noise and metric in plan.of_nulls.metrics
    }
    why_not: Reasons = {}
    try:
        for i, (shown_by_chance, why) in enumerate(nulls() if shown else ()):
            why_not |= why
            for metric, column in shown.items():
                column[i] = shown_by_chance[metric]
    except ValueError as error:
        why_not = {metric: [("", str(error))] for metric in shown}
    made: dict[str, Array] = {}
    reasons: Reasons = {}
    for metric, column in shown.items():
        known = np.where(np.isnan(values[metric]), 0, (~np.isnan(column)).sum(axis=0))
        made[f"{metric}_noise"] = np.where(known, noise_floor(column), np.nan)
        made[f"{metric}_p_value"] = np.where(known, p_values(column, values[metric]), np.nan)
        made[f"{metric}_expected"] = np.where(known, _mean_of_known(column), np.nan)
        if (np.isnan(values[metric]) < (known == 0)).any():
            reasons |= {f"{metric}_{name}": why_not[metric] for name in ("noise", "p_value", "expected")}
    return made, reasons


def _mean_of_known(column: Array) -> Array:
    known = ~np.isnan(column)
    return np.where(known, column, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)


def ends_of(values: Mapping[str, Array], problem: Problem, lens: Lens, plan: Plan) -> Measured:
    """The intervals of the true errors: all of one problem share the curves and the data sets that are drawn."""
    errors_of = {name: record.interval_of for name, record in plan.metrics.items() if record.interval_of is not None}
    known = {} if plan.intervals is None else {name: values[name] for name in errors_of}
    made = {f"{name}_{end}": np.full(value.shape, np.nan) for name, value in known.items() for end in ENDS}
    reasons: Reasons = {}
    asked: list[tuple[str, tuple[int, ...], Binning | None]] = []
    for name, value in known.items():
        if (name == "ece" or name in OF_METRICS) and not (plan.p == 1 and plan.distance in (None, TotalVariation())):
            reasons |= {f"{name}_{end}": [("", ONLY_MEAN_DISTANCE)] for end in ENDS}
            continue
        for at in np.argwhere(~np.isnan(value)).tolist():
            binning = list(plan.binnings.values())[at[0]](plan.bins[at[1]]) if name == "ece" else None
            asked.append((name, tuple(at), OF_METRICS.get(name, binning)))
    if not asked or plan.intervals is None:
        return made, reasons
    try:
        errors = [(errors_of[name], binning) for name, _, binning in asked]
        intervals = several_ends(problem, lens, errors, plan.intervals, plan.seed)
    except ValueError as error:
        return made, reasons | {f"{name}_{end}": [("", str(error))] for name, _, _ in asked for end in ENDS}
    for (name, place, _), three in zip(asked, intervals, strict=True):
        for end, number in zip(ENDS, three, strict=True):
            made[f"{name}_{end}"][place] = number
    return made, reasons
