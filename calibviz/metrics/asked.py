"""The problem that a measure looks at: one score a sample, or whole rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, get_type_hints

import numpy as np

from ..context.class_lenses import Pooled
from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem, single
from ..context.lens_names import lens as read_lens
from ..context.lenses import Lens
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.by_truth import LOOKS_AT_TRUTH
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation.described import QUANTITIES, described

if TYPE_CHECKING:
    import xarray as xr

Said = TypeVar("Said", covariant=True)


def lens_of_rows(predictions: Judged, lens: str | Lens | None, outcome: int | str | None = None) -> str | Lens | None:
    """Return the lens of what judges whole rows where none is named.

    One of two probabilities determines both, so two classes have one term, that of the default lens. Confidences in a
    predicted class have no rows.
    """
    if lens is not None or not isinstance(predictions, Predictions) or predictions.of_confidence:
        return lens
    return "full" if predictions.n_classes > 2 or outcome is not None else None


def problem_of(
    predictions: Judged,
    lens: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> ScalarProblem | ProblemFamily:
    """The scalar problem that is measured, or the family of problems that a lens such as "classwise" makes."""
    problem = induced_problem(predictions, lens, selection, outcome)
    return problem if isinstance(problem, ProblemFamily) else single(problem)


def is_pooled(lens: str | Lens | None) -> bool:
    """Whether a lens is the pooled one, whose entries share labels."""
    return lens is not None and isinstance(read_lens(lens), Pooled)


def refuse_pooled(lens: str | Lens | None, what: str) -> None:
    """Raise under the pooled lens, whose entries share labels, where `what` takes entries as independent samples."""
    if is_pooled(lens):
        raise ValueError(
            f"lens must not be 'pooled' for {what}, since its entries share labels: choose a class, or 'top-1'"
        )


def refuse_soft(problem: ScalarProblem) -> None:
    """Raise where targets are shares of events, for a test that takes each to be an event or none."""
    if not problem.is_binary:
        raise ValueError("the test takes labels that are 0 or 1, but these labels are soft")


def refuse_by_truth(problem: ScalarProblem, what: str) -> None:
    """Raise under a selection that looks at the truth, after which calibrated scores are none for `what`, a noun."""
    if problem.by_truth is not None:
        raise ValueError(
            f"selection: {LOOKS_AT_TRUTH}, and {what} would find calibrated scores wrong: leave it out, or use "
            "cv.calibration_test"
        )


def measured_each(problem: ScalarProblem | ProblemFamily, measure: Callable[[ScalarProblem], Any]) -> Any:
    """The measure of a problem; of a family, of each of its problems along the dimension `outcome`.

    Numbers become a DataArray, records a Dataset of their fields; nan stands for an outcome without samples.
    """
    if isinstance(problem, ScalarProblem):
        return measure(problem)
    import xarray as xr  # which few measures of one problem need, and it takes long to load

    said = {}
    for index, name in enumerate(problem.outcomes):
        try:
            said[name] = measure(problem.outcome(index))
        except EmptyProblemError:
            continue
    names = xr.DataArray(list(said), dims="outcome", name="outcome", attrs=QUANTITIES["outcome"]._asdict())
    return tabled(list(said.values()), names).reindex(outcome=list(problem.outcomes))


class OfLens(Protocol[Said]):
    """A measure of predictions as a function takes them: of what a lens makes of the samples that a selection keeps."""

    def __call__(
        self,
        predictions: Judged,
        lens: str | Lens | None = None,
        *,
        selection: str | Condition | None = None,
        outcome: int | str | None = None,
    ) -> Said: ...


def of_lens(
    family: Callable[[Any, Any], Any] = measured_each, refused: str = ""
) -> Callable[[Callable[[ScalarProblem], Said]], OfLens[Said]]:
    """Make a measure of one problem, whose docstring speaks of predictions, a measure of these.

    `family` says what it is of a family of problems; `refused` is what takes no pooled entries, a noun.
    """

    def decorated(measure: Callable[[ScalarProblem], Said]) -> OfLens[Said]:
        def seen(
            predictions: Judged,
            lens: str | Lens | None = None,
            *,
            selection: str | Condition | None = None,
            outcome: int | str | None = None,
        ) -> Any:
            if refused:
                refuse_pooled(lens, refused)
            return family(problem_of(predictions, lens, selection, outcome), measure)

        seen.__annotations__["return"] = measure.__annotations__["return"]
        shown = inspect.signature(seen)
        # The classes themselves, since few modules of measures know those of a call by their names.
        seen.__annotations__ = get_type_hints(seen, localns=measure.__globals__)
        called = wraps(measure, assigned=("__module__", "__name__", "__qualname__", "__doc__"))(seen)
        called.__signature__ = shown  # type: ignore[attr-defined]  # which `help` shows
        return takes_arrays(called)

    return decorated


def measured_mean(problem: ScalarProblem | ProblemFamily, measure: Callable[[ScalarProblem], float]) -> float:
    """The measure of a problem; of a family the mean over its problems."""
    return float(problem.mean(measure) if isinstance(problem, ProblemFamily) else measure(problem))


def tabled(said: list[Any], names: xr.DataArray) -> Any:
    """Measures of several parts along the dimension of their names: numbers as a DataArray, records as a Dataset."""
    import xarray as xr  # see above

    dim = str(names.name)
    if isinstance(said[0], xr.Dataset):
        return xr.concat(said, names, join="outer")
    if is_dataclass(said[0]):
        several = {part.name: [getattr(value, part.name) for value in said] for part in fields(said[0])}
        columns = {
            name: (dim, np.array(values, dtype=object if isinstance(values[0], str) else np.float64))
            for name, values in several.items()
            if values[0] is not None
        }
        return described(xr.Dataset(columns, {dim: names}))
    return xr.DataArray(said, {dim: names}, dim)
