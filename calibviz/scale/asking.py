"""What a pass is asked to add up for a cube, and the cells that come of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import validation
from ..class_lenses import Pooled
from ..families import ProblemFamily
from ..kdtree import Partition
from ..lenses import Lens, Outcome, Top1
from ..looking import induced_problem
from ..measures import Plan
from ..predictions import Predictions
from ..problems import EmptyProblemError
from ..recalibration import ScalarCalibrator
from ..selections import Condition
from ..summary import Summary
from ..vector_problems import VectorProblem
from .lazy import LazyPredictions, predictions_of
from .leaf_sums import TreeLook
from .passes import Part, passed
from .randomness import resolved
from .sum_cells import ROWS, TOP_1, Asked, Method, SumCells
from .summarizing import Look, looked_through

FIRST_ROWS = 5
GROWN_ON = 50_000  # samples
MOST_BYTES = 2.5e8  # of the leaf sums of a part
MOST_CLASSES = 100  # whose summaries a part fills at a time
MISSING = (
    "calibration is missing: calibrators are fitted to other samples than those judged, for example "
    "evaluate(predictions, calibration=0.5)"
)


def lazy_models(value: Any, argument: str) -> dict[str, LazyPredictions] | None:
    """Predictions that are read in parts, by model name; None where others are passed."""
    models = {str(name): one for name, one in value.items()} if isinstance(value, Mapping) else {"model": value}
    lazy = [isinstance(one, LazyPredictions) for one in models.values()]
    if not any(lazy):
        return None
    if not all(lazy):
        name = list(models)[lazy.index(False)]
        raise TypeError(f"{argument}[{name!r}] is not from cv.open_predictions like others: open or read all of them")
    return models


def lazy_cells(
    models: Mapping[str, LazyPredictions],
    lenses: Sequence[Lens],
    conditions: Mapping[str, Condition | None],
    methods: Sequence[Method],
    plan: Plan,
    calibration: Any,
    progress: bool,
) -> SumCells:
    """The cells of models that are read in parts, all in one pass.

    Parameters
    ----------
    models : dict of name to LazyPredictions
    lenses, conditions, methods, plan
        Of the cube.
    calibration : float, LazyPredictions or dict of name to them, optional
        The share of the samples that calibrators are fitted to, or other samples, which take a pass of their own.
    progress : bool
    """
    share, others = _share(calibration, methods), None
    if calibration is not None and not share:
        others = _calibration_of(models, calibration)
    seed = resolved(plan.seed)
    fits = any(isinstance(method, ScalarCalibrator) for _, method in methods)
    asked = {name: _asked(one, lenses, conditions, plan, share, seed, progress) for name, one in models.items()}
    judged = {name: list(one.judged.values()) for name, one in asked.items()}
    fit = {name: list(one.fit.values()) if fits else [] for name, one in asked.items()}
    if others is None:
        found = looked_through(models, {name: [*judged[name], *fit[name]] for name in models}, seed, progress)
        fitted = {name: several[len(judged[name]) :] for name, several in found.items()}
    else:
        found = looked_through(models, judged, seed, progress)
        fitted = looked_through({name: others[name] for name in models}, fit, seed, progress)
    sums = {name: dict(zip(one.judged, found[name], strict=False)) for name, one in asked.items()}
    fitted_to = {name: dict(zip(one.fit, fitted[name], strict=False)) for name, one in asked.items()}
    return SumCells(conditions, plan, asked, sums, fitted_to)


def _share(calibration: Any, methods: Sequence[Method]) -> float:
    """The share of the samples that calibrators are fitted to; 0 where it is no share."""
    if isinstance(calibration, float | np.floating):
        return validation.real_number(calibration, "calibration", 0.0, 1.0, open_ends=True)
    if calibration is None and any(method is not None for _, method in methods):
        raise ValueError(MISSING)
    return 0.0


def summaries_of(value: Any, argument: str) -> dict[str, Summary] | None:
    """Summaries by model name; None where others are passed."""
    models = {str(name): one for name, one in value.items()} if isinstance(value, Mapping) else {"model": value}
    if not any(isinstance(one, Summary) for one in models.values()):
        return None
    first = next(iter(models.values()))
    for name, one in models.items():
        if not isinstance(one, Summary):
            raise TypeError(f"{argument}[{name!r}] must be a cv.Summary like others, not {type(one).__name__}")
        if (one.name, one.selection) != (first.name, first.selection):
            raise ValueError(f"{argument}[{name!r}] has another lens or selection: {one.name!r}, not {first.name!r}")
    return models


def summary_cells(
    models: Mapping[str, Summary],
    selection: str,
    methods: Sequence[Method],
    plan: Plan,
    calibration: Any,
) -> SumCells:
    """The cells of models of which there are summaries: of one lens, under one selection.

    Parameters
    ----------
    models : dict of name to Summary
    selection : str
        How the cube names theirs.
    methods, plan
        Of the cube.
    calibration : float, Summary or dict of name to them, optional
        The share of the samples that calibrators are fitted to, drawn at random in every cell, or other samples.
    """
    share = _share(calibration, methods)
    judged, fit = dict(models), {}
    if share:
        parts = {name: one.split(share, resolved(plan.seed)) for name, one in models.items()}
        fit, judged = ({name: part[i] for name, part in parts.items()} for i in range(2))
    elif calibration is not None:
        fit = summaries_of(calibration, "calibration") or {}
        for name, one in models.items():
            if name not in fit or fit[name].name != one.name:
                raise ValueError(f"calibration must be a share such as 0.5, or a summary of {one.name!r} for {name!r}")
    return SumCells(
        {selection: None},
        plan,
        {name: Asked() for name in models},
        {name: {(lens_of(one).name, selection, None): one} for name, one in judged.items()},
        {name: {lens_of(one).name: one} for name, one in fit.items()},
    )


def lens_of(summary: Summary) -> Lens:
    """What a summary was looked at through."""
    return summary.lens if summary.outcome is None else Outcome(summary.lens, summary.outcome)


def _calibration_of(models: Mapping[str, LazyPredictions], value: Any) -> dict[str, LazyPredictions]:
    others = lazy_models(value, "calibration")
    if others is None:
        raise TypeError(
            f"calibration must be a share such as 0.5, or from cv.open_predictions, not {type(value).__name__}"
        )
    for name in models:
        if name not in others:
            raise ValueError(f"calibration is missing for the model {name!r}: pass a set for each model, in a dict")
        if others[name].class_names != models[name].class_names:
            raise ValueError(
                f"calibration[{name!r}] has the classes {others[name].class_names}, "
                f"but predictions[{name!r}] has {models[name].class_names}"
            )
    return others


@dataclass(frozen=True)
class _FirstRows:
    """The first rows of a part; without their weights, which may be 0."""

    normalize: bool

    def __call__(self, part: Part, arguments: dict[str, Any]) -> Predictions:
        arguments = {name: value for name, value in arguments.items() if name != "weights"}
        found = predictions_of(part, arguments, self.normalize)
        return found.select(np.arange(min(len(found), FIRST_ROWS)))


def _first_rows(model: LazyPredictions) -> Predictions:
    first = model.parts[:1]  # one part is not joined
    return passed([(first, _FirstRows(model.normalize))], lambda several: several[0], progress=False)[0]


def _asked(
    model: LazyPredictions,
    lenses: Sequence[Lens],
    conditions: Mapping[str, Condition | None],
    plan: Plan,
    share: float,
    seed: int,
    progress: bool,
) -> Asked:
    """The looks at one model that can be added up, found out on its first rows; trees are grown on random ones."""
    asked = Asked()
    trees: dict[tuple[str, str], tuple[Lens, Condition | None, int]] = {}
    few = _first_rows(model)
    for one in lenses:
        for selection, condition in conditions.items():
            try:
                problem = induced_problem(few, one)
                if few.soft_labels is not None:
                    raise ValueError(f"sums count what came true and what did not, but the labels are soft{ROWS}")
                if isinstance(one, Pooled):
                    raise ValueError(f"the scores that are pooled are no independent samples{ROWS}")
                with suppress(EmptyProblemError):  # the first rows may all be left out
                    induced_problem(few, one, condition)
            except ValueError as error:
                asked.why_not[one.name, selection] = str(error)
                continue
            if isinstance(problem, VectorProblem):
                trees[one.name, selection] = one, condition, len(problem.outcomes)
                continue
            outcomes: tuple[str | None, ...] = (None,)
            if isinstance(problem, ProblemFamily):
                if len(problem.outcomes) > MOST_CLASSES:
                    asked.why_not[one.name, selection] = f"more than {MOST_CLASSES} problems are not summed{ROWS}"
                    continue
                outcomes = asked.outcomes[one.name] = problem.outcomes
            else:
                asked.fit[one.name] = Look(one, high=share or 1.0)
            for outcome in outcomes:
                asked.judged[one.name, selection, outcome] = Look(one, condition, outcome, low=share)
            if "accuracy" in plan.metrics and (condition is None or not condition.uses("output")):
                asked.judged.setdefault((TOP_1, selection, None), Look(Top1(), condition, low=share))
    if trees:
        grows = "kdtree_ece" in plan.metrics
        rows = model.sample(GROWN_ON, seed=seed, progress=progress) if grows else few
        for place, (one, condition, m) in trees.items():
            try:
                asked.judged[*place, None] = _tree_look(rows, one, condition, m, plan, share, seed)
            except ValueError as error:
                asked.why_not[place] = str(error)
    return asked


def _tree_look(
    rows: Predictions, one: Lens, condition: Condition | None, outcomes: int, plan: Plan, share: float, seed: int
) -> TreeLook:
    partition = Partition(np.array([-1]), np.array([0]), np.array([np.nan]), np.array([False]))  # a single leaf
    if "kdtree_ece" in plan.metrics:
        with suppress(EmptyProblemError):  # others may be selected
            problem = induced_problem(rows, one, condition)
            assert isinstance(problem, VectorProblem)
            # Of all samples some nodes will weigh a little more than of these: they may be split once more.
            partition = Partition.of(problem, min(plan.gammas) / 2)
    look = TreeLook(one, condition, partition, outcomes, plan.bootstrap, seed, share)
    if look.nbytes > MOST_BYTES:
        raise ValueError(f"the lens {one.name!r} has too many outcomes for so many leaves and replicates{ROWS}")
    return look
