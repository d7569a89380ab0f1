"""A request for segments, and its scores and fields for some rows of predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..context.conditions import Condition, Subject
from ..context.induced import lens_of
from ..context.lenses import Lens
from ..data.predictions import Predictions
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..metrics.asked import refuse_pooled
from .columns import FieldCut, Values
from .pairs import one_problem, recalibrated_problem

PREDICTED = Subject("predicted")  # the class of the largest probability, which is looked at as a field
MOST_VALUES = 50  # of text that is looked at without being asked for


@dataclass(frozen=True)
class SegmentRequest:
    """The checked arguments of `segments` that choose scores and fields."""

    lens: str | Lens | None
    selection: str | Condition | None
    outcome: int | str | None
    calibrator: Any
    fields: list[str] | None
    cuts: int

    @classmethod
    def of(cls, lens: Any, selection: Any, outcome: Any, calibrator: Any, fields: Any, cuts: Any) -> SegmentRequest:
        """The checked request."""
        cuts = validation.whole_number(cuts, "cuts", 2)
        refuse_pooled(lens, "segments")
        if fields is not None:
            fields = [validation.text(name, "fields") for name in validation.several(fields)]
        return cls(lens, selection, outcome, calibrator, fields, cuts)

    def problem(self, predictions: Predictions) -> ScalarProblem:
        """The scores of rows, after the calibrator if there is one, and their targets."""
        problem = one_problem(predictions, self.lens, self.selection, self.outcome)
        problem.refuse_to_draw()
        if not problem.is_binary:
            raise ValueError("segments are tested by labels that are 0 or 1, but these labels are soft")
        if self.calibrator is None:
            return problem
        return recalibrated_problem(problem, self.calibrator, predictions, self.lens, self.outcome)

    def columns(self, predictions: Predictions, order: NDArray[np.integer]) -> dict[Subject, NDArray[Any]]:
        """The columns of the fields that are asked for, or may be, of the rows in this order."""
        known, names = predictions.fields, self.fields
        if names is None:
            chosen = lens_of(predictions, self.lens).name
            has_classes = predictions.n_classes > 2 or (chosen == "top-1" and not predictions.of_confidence)
            looked_at = PREDICTED.kind not in known and has_classes
            names = [*known, *([PREDICTED.kind] if looked_at else [])]
        columns = {}
        for name in names:
            if name in known:
                columns[Subject("field", name)] = known[name][order]
            elif name == PREDICTED.kind and not predictions.of_confidence:
                columns[PREDICTED] = np.array(predictions.class_names)[predictions.predicted[order]]
            else:
                there = [*known, *([] if predictions.of_confidence else [PREDICTED.kind])]
                listed, hint = ", ".join(there), validation.did_you_mean(name, there)
                raise ValueError(f"fields names {name!r}, but the fields of these predictions are: {listed}{hint}")
        return columns

    def cut(self, held: Mapping[Subject, Values]) -> list[FieldCut]:
        """How each field is cut; one that was not asked for is left out where it is text of many values."""
        return [
            FieldCut.of(subject, values, self.cuts)
            for subject, values in held.items()
            if self.fields is not None
            or subject == PREDICTED
            or values.low.dtype.kind not in "UT"
            or len(values.low) <= MOST_VALUES
        ]
