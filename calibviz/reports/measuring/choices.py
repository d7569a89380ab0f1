"""The choices of a report: lens, selection, Likert categories, and metrics and calibrators of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...context.condition_parser import selection as read_selection
from ...context.conditions import Condition
from ...context.induced import induced_problem
from ...context.lens_names import lens as read_lens
from ...context.lenses import ClassConditional, Lens, is_about_predicted
from ...data.predictions import Predictions
from ...data.top_classes import WRONG_RIGHT
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...foundation import validation
from ...metrics.records.own import Metric
from ...recalibration.registry import CALIBRATORS, method_of

#: The methods that a report of one model ranks.
METHODS = ("none", *(name for name, record in CALIBRATORS.items() if record.is_ranked))


@dataclass(frozen=True)
class Scope:
    """The checked choices of a report; see `cv.report` for each of them."""

    lens: Lens
    selection: Condition | None = None
    categories: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    metrics: tuple[Metric, ...] = ()
    calibrators: tuple[Any, ...] = ()

    @classmethod
    def of(
        cls,
        lens: str | Lens,
        selection: str | Condition | None,
        categories: Mapping[str, tuple[float, float]] | Iterable[float] | None,
        metrics: Iterable[Metric] | Metric = (),
        calibrators: Iterable[Any] = (),
    ) -> Scope:
        checked = {} if categories is None else validation.intervals(categories, "categories")
        own = tuple(validation.several(metrics))
        for metric in own:
            if not isinstance(metric, Metric):
                raise TypeError(f"metrics must be cv.Metric objects, which a report adds to its own, not {metric!r}")
        validation.refuse_repeats("metric", [metric.name for metric in own])
        repairs = tuple(validation.several(calibrators))
        validation.refuse_repeats("calibrator", [*METHODS, *(method_of(repair)[0] for repair in repairs)])
        return cls(read_lens(lens), read_selection(selection), checked, own, repairs)

    @property
    def name(self) -> str:
        """The name of the lens."""
        return str(self.lens.name)

    @property
    def about_predicted(self) -> bool:
        """Whether the lens asks if predictions are right."""
        return is_about_predicted(self.lens)

    def says_how_sure(self, predictions: Predictions) -> bool:
        """Whether the score of a sample is how sure the model is to be right."""
        of_right = [ClassConditional(1), ClassConditional(predictions.class_names[1])]
        tells_right = predictions.of_confidence or predictions.class_names == WRONG_RIGHT
        return self.about_predicted or (tells_right and self.lens in of_right)

    @property
    def selects_by_output(self) -> bool:
        """Whether the selection depends on the scores, so that recalibration changes which samples it keeps."""
        return self.selection is not None and self.selection.uses("output")

    def problem(self, predictions: Predictions, calibrator: Any = None) -> ScalarProblem:
        """The selected samples as the lens sees them; a `ValueError` for a lens with several scores a sample."""
        if not isinstance(whole := induced_problem(predictions, self.lens), ScalarProblem):
            named = validation.listed((f"{self.name}: {outcome}" for outcome in whole.outcomes), most=3)
            raise ValueError(f"lens {self.name!r} has several outcomes, a report shows one: choose {named}")
        try:
            problem = induced_problem(predictions, self.lens, self.selection, calibrator=calibrator)
        except EmptyProblemError:
            raise EmptyProblemError(f"the selection keeps none of the samples: {self.selection}") from None
        assert isinstance(problem, ScalarProblem)
        return problem
