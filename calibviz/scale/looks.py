"""What a pass has to look at for a cube: found out on the first rows, by trees and calibrators made on random ones."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..class_lenses import Pooled
from ..families import ProblemFamily
from ..fitted import moved_by, named_notices, of_rows
from ..kdtree import Partition
from ..lenses import Lens, Top1
from ..looking import induced_problem
from ..measures import Plan
from ..predictions import Predictions
from ..problems import EmptyProblemError
from ..selections import Condition
from ..vector_problems import VectorProblem
from .lazy import LazyPredictions, drawn, predictions_of
from .leaf_sums import TreeLook
from .passes import Part, passed
from .sum_cells import ROWS, TOP_1, Asked, Method, is_of_rows
from .summarizing import Look

FIRST_ROWS = 5
ROWS_FITTED, GROWN_ON = 50_000, 50_000  # samples that calibrators of rows are fitted to, and trees are grown on
MOST_BYTES = 2.5e8  # of the leaf sums of a part
MOST_CLASSES = 100  # whose summaries a part fills at a time


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


@dataclass(frozen=True, eq=False)
class _Kind:
    """A lens under a selection, and its outcomes: those of a family of problems, or how many a vector lens has."""

    lens: Lens
    selection: str
    condition: Condition | None
    outcomes: tuple[str | None, ...] = (None,)
    dimensions: int = 0


def asked_of(
    model: LazyPredictions,
    lenses: Sequence[Lens],
    conditions: Mapping[str, Condition | None],
    methods: Sequence[Method],
    plan: Plan,
    fit_on: LazyPredictions,
    share: float,
    seed: int,
    progress: bool,
) -> Asked:
    """The looks at one model that can be added up.

    Parameters
    ----------
    model : LazyPredictions
    lenses, conditions, methods, plan
        Of the cube.
    fit_on : LazyPredictions
        What calibrators are fitted to; where it is the model, its `share`.
    share : float
        0 where all samples are judged.
    seed : int
    progress : bool
    """
    asked, few = Asked(), _first_rows(model)
    kinds = [
        kind
        for one in lenses
        for selection, condition in conditions.items()
        if (kind := _kind(few, one, selection, condition, asked)) is not None
    ]
    grows = "kdtree_ece" in plan.metrics and any(kind.dimensions for kind in kinds)
    rows = drawn(model, GROWN_ON, seed, progress) if grows else few
    fitted_to: Predictions | None = None
    for method in [("none", None), *(method for method in methods if method[1] is not None)]:
        seen = [kind for kind in kinds if _looks(method, methods, kind.lens.name in asked.scalar)]
        if method[1] is None:
            _add_looks(asked, None, None, seen, rows, plan, share, seed)
        elif seen:
            try:
                if fitted_to is None:
                    fitted_to = drawn(fit_on, ROWS_FITTED, seed, progress, high=share or 1.0)
                with named_notices("model", method[0]):
                    calibrator = copy.deepcopy(of_rows(method[1])).fit(fitted_to)
                moved = moved_by(calibrator, rows)
            except ValueError as error:
                asked.why_not |= {(method[0], kind.lens.name, kind.selection): str(error) for kind in seen}
            else:
                _add_looks(asked, method[0], calibrator, seen, moved, plan, share, seed)
    for kind in kinds:
        if kind.lens.name in asked.scalar:
            asked.fit[kind.lens.name] = Look(kind.lens, high=share or 1.0)
    return asked


def _add_looks(
    asked: Asked,
    name: str | None,
    calibrator: Any,
    kinds: Sequence[_Kind],
    rows: Predictions,
    plan: Plan,
    share: float,
    seed: int,
) -> None:
    """Ask for kinds of looks at rows as a calibrator has them; `rows` are some of these, to grow trees on."""
    look = partial(Look, low=share, calibrator=calibrator)
    for kind in kinds:
        place = name, kind.lens.name, kind.selection
        if kind.dimensions:
            try:
                partition = _partition(rows, kind, plan)
                tree = TreeLook(
                    kind.lens, kind.condition, partition, kind.dimensions, plan.bootstrap, seed, share, 1.0, calibrator
                )
                if tree.nbytes > MOST_BYTES:
                    why = f"the lens {kind.lens.name!r} has too many outcomes for so many leaves and replicates{ROWS}"
                    raise ValueError(why)
                asked.judged[*place, None] = tree
            except ValueError as error:
                asked.why_not[place] = str(error)
            continue
        for outcome in kind.outcomes:
            asked.judged[*place, outcome] = look(kind.lens, kind.condition, outcome)
        if "accuracy" in plan.metrics and (kind.condition is None or not kind.condition.uses("output")):
            asked.judged.setdefault((name, TOP_1, kind.selection, None), look(Top1(), kind.condition))


def _looks(method: Method, methods: Sequence[Method], scalar: bool) -> bool:
    """Whether rows are looked at as a method has them: "none" stands for all that need them as they are."""
    if method[1] is not None:
        return is_of_rows(method, scalar)
    return not all(is_of_rows(other, scalar) for other in methods)


def _kind(few: Predictions, one: Lens, selection: str, condition: Condition | None, asked: Asked) -> _Kind | None:
    """What a lens makes of the first rows; None where that cannot be added up, which is noted."""
    try:
        problem = induced_problem(few, one)
        if few.soft_labels is not None:
            raise ValueError(f"sums count what came true and what did not, but the labels are soft{ROWS}")
        if isinstance(one, Pooled):
            raise ValueError(f"the scores that are pooled are no independent samples{ROWS}")
        with suppress(EmptyProblemError):  # the first rows may all be left out
            induced_problem(few, one, condition)
        if isinstance(problem, VectorProblem):
            return _Kind(one, selection, condition, dimensions=len(problem.outcomes))
        if isinstance(problem, ProblemFamily):
            if len(problem.outcomes) > MOST_CLASSES:
                raise ValueError(f"more than {MOST_CLASSES} problems are not summed{ROWS}")
            asked.outcomes[one.name] = problem.outcomes
            return _Kind(one, selection, condition, problem.outcomes)
    except ValueError as error:
        asked.why_not[None, one.name, selection] = str(error)
        return None
    asked.scalar.add(one.name)
    return _Kind(one, selection, condition)


def _partition(rows: Predictions, kind: _Kind, plan: Plan) -> Partition:
    """The tree that some rows grow; a single leaf where none is asked for."""
    if "kdtree_ece" in plan.metrics:
        with suppress(EmptyProblemError):  # others may be selected
            problem = induced_problem(rows, kind.lens, kind.condition)
            assert isinstance(problem, VectorProblem)
            # Of all samples some nodes will weigh a little more than of these: they may be split once more.
            return Partition.of(problem, min(plan.gammas) / 2)
    return Partition(np.array([-1]), np.array([0]), np.array([np.nan]), np.array([False]))
