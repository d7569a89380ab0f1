"""The plan of one pass for a cube. The first rows show what to add up; random rows make trees and calibrators."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..context.class_lenses import Pooled
from ..context.conditions import Condition
from ..context.induced import induced_problem
from ..context.lenses import Lens
from ..data.predictions import Predictions
from ..engine.binnings.kdtree import Partition
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..engine.vector import VectorProblem
from ..recalibration import ScalarCalibrator
from ..recalibration.registry import AS_IT_IS, moved_by, of_rows
from ..scale.lazy import LazyPredictions, drawn, predictions_of
from ..scale.passes import Part, passed
from ..scale.summarize import SummaryRequest
from .cells_of_sums import PassPlan, is_of_rows, likeliest, of_likeliest
from .fitting import named_notices
from .leaf_sums import ROWS, TreeLook
from .metrics import Plan
from .request import Method, Request

FIRST_ROWS = 5
CALIBRATION_ROWS = 50_000  # that calibrators of rows are fitted to
TREE_ROWS = 50_000  # that trees are grown on
MOST_BYTES = 2.5e8  # of the leaf sums of a part
MOST_CLASSES = 100  # of a family; a part fills a summary of each of them at a time


def _first_rows(normalize: bool, part: Part, arguments: dict[str, Any]) -> Predictions:
    """The first rows of a part; without their weights, which may be 0."""
    arguments = {name: value for name, value in arguments.items() if name != "weights"}
    predictions = predictions_of(part, arguments, normalize)
    return predictions.select(np.arange(min(len(predictions), FIRST_ROWS)))


@dataclass(frozen=True, eq=False)
class _Place:
    """A lens under a selection, with the outcomes of a family of problems, or the number of those of a vector lens."""

    lens: Lens
    selection: str
    condition: Condition | None
    outcomes: tuple[str, ...] = ()
    dimensions: int = 0

    @property
    def is_scalar(self) -> bool:
        return not self.outcomes and not self.dimensions


def pass_plan_of(
    name: str, model: LazyPredictions, request: Request, fit_on: LazyPredictions, share: float
) -> PassPlan:
    """The looks at one model that can be added up.

    Calibrators are fitted to `fit_on`; where it is the model, to its `share`, which is 0 where all samples are judged.
    """
    asked, places, plan, methods = PassPlan(), [], request.plan, request.methods
    first = model.parts[:1], partial(_first_rows, model.normalize)  # one part is not joined
    [few] = passed([first], lambda several: several[0], progress=False)
    for lens in request.lenses.values():
        for selection, condition in request.conditions.items():
            try:
                places.append(_place(few, lens, selection, condition, isinstance(model.cluster, str)))
            except ValueError as error:
                asked.why_not[None, lens.name, selection] = str(error)
    asked.scalar = {place.lens.name for place in places if place.is_scalar}
    asked.outcomes = {place.lens.name: place.outcomes for place in places if place.outcomes}
    if any(isinstance(calibrator, ScalarCalibrator) for _, calibrator in methods):
        asked.fit = {
            place.lens.name: SummaryRequest(place.lens, high=share or 1.0) for place in places if place.is_scalar
        }
    grows = "kdtree_ece" in plan.metrics and any(place.dimensions for place in places)
    rows = drawn(model, TREE_ROWS, plan.seed, request.progress) if grows else few
    for method in [(AS_IT_IS, None), *(method for method in methods if method[1] is not None)]:
        seen = [place for place in places if _needs_rows_of(method, methods, place.is_scalar)]
        if method[1] is None:
            _add_looks(asked, None, None, seen, rows, plan, share)
        elif seen:
            try:
                if asked.fitted_rows is None:
                    asked.fitted_rows = drawn(fit_on, CALIBRATION_ROWS, plan.seed, request.progress, high=share or 1.0)
                with named_notices(method[0], name):
                    calibrator = copy.deepcopy(of_rows(method[1])).fit(asked.fitted_rows)
                moved = moved_by(calibrator, rows)
            except ValueError as error:
                asked.why_not |= {(method[0], place.lens.name, place.selection): str(error) for place in seen}
            else:
                _add_looks(asked, method[0], calibrator, seen, moved, plan, share)
    return asked


def _add_looks(
    asked: PassPlan,
    name: str | None,
    calibrator: Any,
    places: Sequence[_Place],
    rows: Predictions,
    plan: Plan,
    share: float,
) -> None:
    """Ask for looks at rows that a calibrator has moved. Trees are grown on `rows`, some of these."""
    look = partial(SummaryRequest, low=share, calibrator=calibrator)
    for place in places:
        key = name, place.lens.name, place.selection
        if place.dimensions:
            try:
                asked.judged[*key, None] = _tree_look(rows, place, plan, share, calibrator)
            except ValueError as error:
                asked.why_not[key] = str(error)
            continue
        for outcome in place.outcomes or (None,):
            asked.judged[*key, outcome] = look(place.lens, place.condition, outcome)
        if place.condition is None or not place.condition.uses("output"):
            for k in likeliest(plan):
                if k <= rows.n_ranks:
                    right = of_likeliest(k)
                    asked.judged.setdefault((name, right.name, place.selection, None), look(right, place.condition))


def _needs_rows_of(method: Method, methods: Sequence[Method], scalar: bool) -> bool:
    """Whether the rows of a method are looked at; "none" stands for all methods that leave rows as they are."""
    if method[1] is not None:
        return is_of_rows(method, scalar)
    return not all(is_of_rows(other, scalar) for other in methods)


def _place(few: Predictions, lens: Lens, selection: str, condition: Condition | None, in_clusters: bool) -> _Place:
    """Return the place of a lens by the first rows; raises where its problems cannot be added up."""
    problem = induced_problem(few, lens)
    if few.soft_labels is not None:
        raise ValueError(f"sums count targets of 0 and 1, but the labels are soft{ROWS}")
    if isinstance(lens, Pooled):
        raise ValueError(f"the scores that are pooled are no independent samples{ROWS}")
    if in_clusters and not isinstance(problem, ScalarProblem):
        raise ValueError(f"sums of several outcomes do not keep which samples belong together{ROWS}")
    with suppress(EmptyProblemError):  # the first rows may all be left out
        induced_problem(few, lens, condition)
    if isinstance(problem, VectorProblem):
        return _Place(lens, selection, condition, dimensions=len(problem.outcomes))
    if isinstance(problem, ProblemFamily):
        if len(problem.outcomes) > MOST_CLASSES:
            raise ValueError(f"more than {MOST_CLASSES} problems are not summed{ROWS}")
        return _Place(lens, selection, condition, problem.outcomes)
    return _Place(lens, selection, condition)


def _tree_look(rows: Predictions, place: _Place, plan: Plan, share: float, calibrator: Any) -> TreeLook:
    of_place = place.lens, place.condition, _partition(rows, place, plan), place.dimensions
    tree = TreeLook(*of_place, plan.replicates, plan.seed, low=share, calibrator=calibrator)
    if tree.nbytes > MOST_BYTES:
        raise ValueError(f"the lens {place.lens.name!r} has too many outcomes for so many leaves and replicates{ROWS}")
    return tree


def _partition(rows: Predictions, place: _Place, plan: Plan) -> Partition:
    """The tree that some rows grow; a single leaf where no tree is asked for."""
    if "kdtree_ece" in plan.metrics:
        with suppress(EmptyProblemError):  # others may be selected
            problem = induced_problem(rows, place.lens, place.condition)
            assert isinstance(problem, VectorProblem)
            # Some nodes weigh a little more among all samples than among these, and may then be split once more.
            return Partition.of(problem, min(plan.gammas) / 2)
    return Partition(np.array([-1]), np.array([0]), np.array([np.nan]), np.array([False]))
