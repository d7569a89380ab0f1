"""Calibrators by name, fitted once each for what they are judged on."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import validation
from .lenses import Lens, Problem
from .looking import ScoreMap, induced_problem, scalar_problem
from .measures import CUBE_DIMS
from .predictions import Predictions, calibration_of
from .problems import ScalarProblem
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
    RowCalibrator,
    ScalarCalibrator,
    Spline,
    Temperature,
    VectorScaling,
    folds_of,
)
from .selections import Condition
from .stacks import stack_of

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

Models = dict[str, Predictions]


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


@dataclass(frozen=True, eq=False)
class Part:
    """Samples that calibrators are fitted to, and the rows of the judged ones that they then recalibrate."""

    fit_on: Predictions
    rows: NDArray[np.intp] | None = None  # None for all


Parts = dict[str, list[Part]]


class Fitted:
    """Fits every calibrator once for each model (and scalar lens), and keeps what it made for the current pair.

    Parameters
    ----------
    judged : dict of name to Predictions
    parts : dict of name to the parts of each; none where no calibrator is fitted
        Several where the samples are cross-fitted: each judged row belongs to one of them.
    """

    def __init__(self, judged: Mapping[str, Predictions], parts: Mapping[str, Sequence[Part]]) -> None:
        self.judged = judged
        self.parts = parts
        self.current: tuple[str, str] | None = None
        self.kept: dict[str, Any] = {}

    def predictions(self, model: str, name: str, method: Any) -> Predictions:
        """The judged predictions, recalibrated; by a scalar calibrator one class against the rest."""
        if method is None:
            return self.judged[model]
        kept = self._of(model, name)
        if "predictions" not in kept:
            whole = OneVsRest(method) if isinstance(method, ScalarCalibrator) else method
            kept["predictions"] = self._recalibrated(model, whole)
        found: Predictions = kept["predictions"]
        return found

    def problem(
        self, model: str, name: str, method: Any, one: Lens, condition: Condition | None
    ) -> tuple[Predictions, Problem]:
        """The predictions that are judged, recalibrated unless only their scores are, and their problem."""
        judged = self.judged[model]
        if not isinstance(method, ScalarCalibrator):
            moved = self.predictions(model, name, method)
            return moved, induced_problem(moved, one, condition)
        plain = induced_problem(judged, one)
        if not isinstance(plain, ScalarProblem):
            moved = self.predictions(model, name, method)
            return moved, induced_problem(moved, one, condition)
        kept, key = self._of(model, name), f"lens {one.name}"
        if key not in kept:
            kept[key] = [copy.deepcopy(method).fit(scalar_problem(part.fit_on, one)) for part in self.parts[model]]
        score_map = _score_map(kept[key], self.parts[model], plain)
        return judged, induced_problem(judged, one, condition, calibrator=score_map)

    def _recalibrated(self, model: str, method: Any) -> Predictions:
        judged, parts = self.judged[model], self.parts[model]
        if parts[0].rows is None:
            return recalibrated(method, parts[0].fit_on, judged)
        probs = np.empty_like(judged.probs)
        for part in parts:
            assert part.rows is not None
            probs[part.rows] = recalibrated(method, part.fit_on, judged.select(part.rows)).probs
        return judged.with_probs(probs)

    def _of(self, model: str, name: str) -> dict[str, Any]:
        if self.current != (model, name):
            self.current, self.kept = (model, name), {}
        return self.kept


def recalibrated(method: Any, calibration: Predictions, judged: Predictions) -> Predictions:
    """Predictions as a calibrator, of which a copy is fitted to the calibration set, transforms them."""
    fresh = copy.deepcopy(method)
    if isinstance(fresh, RowCalibrator):
        return fresh.recalibrate(calibration, judged)
    moved: Predictions = fresh.fit(calibration).transform(judged)
    return moved


def _score_map(fitted: Sequence[ScalarCalibrator], parts: Sequence[Part], plain: ScalarProblem) -> ScoreMap:
    """What maps the sorted scores of a problem: of several parts each score by that of its sample."""
    if parts[0].rows is None:
        return fitted[0]
    part_of = np.empty(sum(len(part.rows) for part in parts if part.rows is not None), dtype=np.intp)
    for i, part in enumerate(parts):
        part_of[part.rows] = i
    of_score = part_of[plain.order]

    def mapped(score: NDArray[np.float64]) -> NDArray[np.float64]:
        out = np.empty_like(score)
        for i, one in enumerate(fitted):
            out[of_score == i] = one(score[of_score == i])
        return out

    return mapped


def _with_share(models: Mapping[str, Predictions], share: float, seed: int | None) -> tuple[Models, Parts]:
    """What is judged when a random share of each model's samples is set aside for calibration."""
    split = {name: one.split(share, seed) for name, one in models.items()}
    judged = {name: rest for name, (_, rest) in split.items()}
    return judged, {name: [Part(calibration)] for name, (calibration, _) in split.items()}


def _with_folds(models: Mapping[str, Predictions], folds: int, seed: int | None) -> Parts:
    """For each random fold of the samples the others, to which its calibrators are fitted."""
    parts: Parts = {}
    for name, one in models.items():
        if folds > len(one):
            raise ValueError(f"folds is {folds}, but {name!r} has {len(one)} samples")
        fold = folds_of(len(one), folds, seed)
        parts[name] = [Part(one.select(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]
    return parts


def fitted_on(
    models: Mapping[str, Predictions],
    calibration: Any,
    folds: int | None,
    methods: Sequence[tuple[str, Any]],
    seed: int | None,
) -> Fitted:
    """What fits the calibrators, to the samples that `evaluate` is told to take for it."""
    if folds is not None:
        if calibration is not None:
            raise ValueError("calibration and folds are two ways to fit calibrators: pass one of them")
        return Fitted(models, _with_folds(models, validation.whole_number(folds, "folds", 2), seed))
    if isinstance(calibration, float | np.floating):
        share = validation.real_number(calibration, "calibration", 0.0, 1.0, open_ends=True)
        return Fitted(*_with_share(models, share, seed))
    if calibration is not None:
        fit_on = calibration_of(models, stack_of(calibration, "calibration", CUBE_DIMS).models)
        return Fitted(models, {name: [Part(one)] for name, one in fit_on.items()})
    if any(method is not None for _, method in methods):
        raise ValueError(
            "calibration is missing: calibrators are fitted to other samples than those judged, for example "
            "calibration, evaluation = predictions.split(0.5) and evaluate(evaluation, calibration=calibration), "
            "or evaluate(predictions, calibration=0.5), or folds=5"
        )
    return Fitted(models, {})
