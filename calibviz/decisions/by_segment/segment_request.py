"""A request for segments, and its scores and fields for some rows of predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...context.conditions import Condition, Subject
from ...context.induced import induced_problem, lens_of, single
from ...context.lenses import Lens
from ...data.predictions import Predictions
from ...engine.scalar import ScalarProblem
from ...foundation import validation
from ...foundation.clusters import refuse_censored
from ...metrics.asked import refuse_pooled
from ..pairs import recalibrated_problem
from .columns import FieldCut, Values
from .covariates import JudgedRows, no_covariates

PREDICTED = Subject("predicted")  # the class of the largest probability, which is looked at as a field
MOST_DEPTH = 3
MOST_VALUES = 50  # of text that is looked at without being asked for

Cuts = tuple[list[FieldCut], dict[str, str]]  # of fields, and why others are left out, by name


def fields_of(predictions: Predictions, lens: str | Lens | None) -> list[str]:
    """The names of the fields that are looked at where none are asked for, the predicted class among them."""
    has_classes = predictions.n_classes > 2
    if not has_classes and lens_of(predictions, lens).name == "top-1":
        has_classes = not predictions.of_confidence
    return list(dict.fromkeys([*predictions.fields, *([PREDICTED.kind] if has_classes else [])]))


@dataclass(frozen=True)
class SegmentRequest:
    """The checked arguments of `segments` that choose scores and segments."""

    lens: str | Lens | None
    selection: str | Condition | None
    outcome: int | str | None
    calibrator: Any
    fields: list[str] | None
    cuts: int
    depth: int
    minimum: int

    @classmethod
    def of(
        cls, lens: Any, selection: Any, outcome: Any, calibrator: Any, fields: Any, cuts: Any, depth: Any, minimum: Any
    ) -> SegmentRequest:
        """The checked request."""
        cuts = validation.whole_number(cuts, "cuts", 2)
        depth = validation.whole_number(depth, "depth", 1, MOST_DEPTH)
        minimum = validation.whole_number(minimum, "minimum", 1)
        refuse_pooled(lens, "segments")
        if fields is not None:
            fields = [validation.text(name, "fields") for name in validation.several(fields)]
        return cls(lens, selection, outcome, calibrator, fields, cuts, depth, minimum)

    def problem(self, predictions: Predictions) -> ScalarProblem:
        """The scores of rows, after the calibrator if there is one, and their targets."""
        problem = single(induced_problem(predictions, self.lens, self.selection, self.outcome))
        if problem.by_truth is not None:
            refuse_censored(problem, "segments under a selection that looks at the truth")
        if not problem.is_binary:
            raise ValueError("segments are tested by labels that are 0 or 1, but these labels are soft")
        if self.calibrator is None:
            return problem
        return recalibrated_problem(problem, self.calibrator, predictions, self.lens, self.outcome)

    def columns(self, predictions: Predictions, order: NDArray[np.integer]) -> dict[Subject, NDArray[Any]]:
        """The columns of the fields that are asked for, or may be, of the rows in this order."""
        known, columns = predictions.fields, {}
        for name in fields_of(predictions, self.lens) if self.fields is None else self.fields:
            if name in known:
                columns[Subject("field", name)] = known[name][order]
            elif name == PREDICTED.kind and not predictions.of_confidence:
                columns[PREDICTED] = np.array(predictions.class_names)[predictions.predicted[order]]
            else:
                there = [*known, *([] if predictions.of_confidence else [PREDICTED.kind])]
                listed, hint = ", ".join(there), validation.did_you_mean(name, there)
                raise ValueError(f"fields names {name!r}, but the fields of these predictions are: {listed}{hint}")
        return columns

    def judged_rows(
        self, predictions: Predictions, problem: ScalarProblem, columns: Mapping[Subject, NDArray[Any]], start: int = 0
    ) -> JudgedRows | None:
        """The rows by which it is judged which fields are covariates; None where fields are asked for."""
        return JudgedRows.of(predictions, problem, columns, start) if self.fields is None else None

    def cut(self, held: Mapping[Subject, Values], rows: JudgedRows | None, names: Sequence[str]) -> Cuts:
        """How each field is cut; those that were not asked for may be left out, each with the reason.

        `rows` are those by which it is judged, None where all fields were asked for, and `names` those of the classes.
        """
        skipped = {} if rows is None else no_covariates(rows, names)
        for subject, values in held.items():
            is_text = subject.kind == "field" and values.low.dtype.kind in "UT"
            if rows is not None and is_text and len(values.low) > MOST_VALUES:
                skipped.setdefault(str(subject.argument), f"text with more than {MOST_VALUES} values")
        is_skipped = {Subject("field", name) for name in skipped}
        return [FieldCut.of(*each, self.cuts) for each in held.items() if each[0] not in is_skipped], skipped
