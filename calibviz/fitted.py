"""Calibrators by name, fitted once each for what they are judged on."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from . import validation
from .lenses import Lens, Problem
from .looking import induced_problem, scalar_problem
from .predictions import Predictions
from .recalibration import (
    Beta,
    BiasCorrectedTemperature,
    Calibrator,
    Dirichlet,
    EnsembleTemperature,
    HistogramBinning,
    Isotonic,
    MatrixScaling,
    NeuralScaling,
    OneVsRest,
    Platt,
    ScalarCalibrator,
    Spline,
    Temperature,
    VectorScaling,
)
from .selections import Condition

CALIBRATORS: dict[str, Callable[[], Calibrator | ScalarCalibrator]] = {
    "temperature": Temperature,
    "bias-corrected": BiasCorrectedTemperature,
    "ensemble": EnsembleTemperature,
    "vector": VectorScaling,
    "matrix": MatrixScaling,
    "dirichlet": Dirichlet,
    "neural": NeuralScaling,
    "spline": Spline,
    "isotonic": Isotonic,
    "platt": Platt,
    "beta": Beta,
    "histogram": HistogramBinning,
}


def method_of(value: Any) -> tuple[str, Any]:
    """The name of a calibrator and the calibrator; None for "none"."""
    if value is None or value == "none":
        return "none", None
    if isinstance(value, str):
        validation.choice(value, "calibrators", ("none", *CALIBRATORS))
        return value, CALIBRATORS[value]()
    if isinstance(value, Calibrator | ScalarCalibrator) and not isinstance(value, type):
        return str(getattr(value, "name", type(value).__name__)), value
    raise TypeError(f"calibrators must be names or calibrators with fit and transform, not {value!r}")


class Fitted:
    """Fits every calibrator once for each model (and scalar lens), and keeps what it made for the current pair."""

    def __init__(self, judged: Mapping[str, Predictions], fit_on: Mapping[str, Predictions]) -> None:
        self.judged = judged
        self.fit_on = fit_on
        self.current: tuple[str, str] | None = None
        self.kept: dict[str, Any] = {}

    def predictions(self, model: str, name: str, method: Any) -> Predictions:
        """The judged predictions, recalibrated; by a scalar calibrator one class against the rest."""
        if method is None:
            return self.judged[model]
        kept = self._of(model, name)
        if "predictions" not in kept:
            whole = OneVsRest(method) if isinstance(method, ScalarCalibrator) else copy.deepcopy(method)
            kept["predictions"] = whole.fit(self.fit_on[model]).transform(self.judged[model])
        found: Predictions = kept["predictions"]
        return found

    def problem(
        self, model: str, name: str, method: Any, one: Lens, condition: Condition | None
    ) -> tuple[Predictions, Problem]:
        """The predictions that are judged, recalibrated unless only their scores are, and their problem."""
        judged = self.judged[model]
        if isinstance(method, ScalarCalibrator) and induced_problem(judged, one).is_scalar:
            kept, key = self._of(model, name), f"lens {one.name}"
            if key not in kept:
                kept[key] = copy.deepcopy(method).fit(scalar_problem(self.fit_on[model], one))
            return judged, induced_problem(judged, one, condition, calibrator=kept[key])
        moved = self.predictions(model, name, method)
        return moved, induced_problem(moved, one, condition)

    def _of(self, model: str, name: str) -> dict[str, Any]:
        if self.current != (model, name):
            self.current, self.kept = (model, name), {}
        return self.kept
