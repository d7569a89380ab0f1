"""Calibrators fitted once each for what they are judged on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..context.conditions import Condition
from ..context.induced import ScoreMap, induced_problem, scalar_problem
from ..context.lenses import Lens, Problem
from ..data.models import UNNAMED, calibration_of
from ..data.predictions import Predictions
from ..data.stack import stack_of
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.fit_warnings import notice, notices
from ..foundation.written import counted
from ..recalibration import ScalarCalibrator
from ..recalibration.cross_fitting import CrossFittedScores, crossed, folds_of
from ..recalibration.registry import recalibrated, score_map
from .metrics import CUBE_DIMS


@dataclass(eq=False)
class Fitted:
    """Fits every calibrator once for each model (and scalar lens), and keeps what it made for the current pair."""

    judged: Mapping[str, Predictions]
    fit_on: Mapping[str, Predictions]  # what calibrators are fitted to; empty where none is
    #: Where the samples are cross-fitted: each is recalibrated by calibrators that were fitted to the other folds of
    #: `fit_on`, which then are the judged samples.
    folds: int | None = None
    seed: int = 0
    current: tuple[str, str] | None = field(default=None, init=False)
    kept: dict[str, Any] = field(default_factory=dict, init=False)

    def predictions(self, model: str, name: str, method: Any) -> Predictions:
        """The judged predictions, recalibrated; by a scalar calibrator one class against the rest."""
        if method is None:
            return self.judged[model]
        kept = self._of(model, name)
        if "predictions" not in kept:
            with named_notices(name, model):
                kept["predictions"] = self._recalibrated(model, method)
        return kept["predictions"]

    def problem(
        self, model: str, name: str, method: Any, lens: Lens, condition: Condition | None
    ) -> tuple[Predictions, Problem]:
        """The predictions that are judged, recalibrated unless only their scores are, and their problem."""
        judged = self.judged[model]
        plain = induced_problem(judged, lens) if isinstance(method, ScalarCalibrator) else None
        if not isinstance(plain, ScalarProblem):
            moved = self.predictions(model, name, method)
            return moved, induced_problem(moved, lens, condition)
        kept, key = self._of(model, name), f"lens {lens!r}"  # two lenses can share a name
        if key not in kept:
            with named_notices(name, model):
                kept[key] = self._score_map(model, method, lens)
        return judged, induced_problem(judged, lens, condition, calibrator=kept[key])

    def _recalibrated(self, model: str, method: Any) -> Predictions:
        judged = self.judged[model]
        if self.folds is None:
            return recalibrated(method, self.fit_on[model], judged)
        return crossed(method, judged, folds_of(judged, self.folds, self.seed))

    def _score_map(self, model: str, method: Any, lens: Lens) -> ScoreMap:
        if self.folds is None:
            return score_map(method, scalar_problem(self.fit_on[model], lens))
        return CrossFittedScores(method, self.judged[model], lens, None, self.folds, self.seed)

    def _of(self, model: str, name: str) -> dict[str, Any]:
        if self.current != (model, name):
            self.current, self.kept = (model, name), {}
        return self.kept


@contextmanager
def named_notices(calibrator: str, model: str) -> Iterator[None]:
    """Says in every notice which calibrator it is about, and which model if the user named it."""
    with notices() as heard:
        yield
    about = calibrator if model == UNNAMED else f"{calibrator}, {model}"
    for text in heard:
        notice(f"{about}: {text}", stacklevel=2)


def fitted_on(
    models: Mapping[str, Predictions],
    calibration: Any,
    folds: int | None,
    methods: Sequence[tuple[str, Any]],
    seed: int,
) -> Fitted:
    """Return the fits of the calibrators, to the samples that `evaluate` was given for it."""
    if folds is not None:
        if calibration is not None:
            raise ValueError("calibration and folds are two ways to fit calibrators: pass one of them")
        validation.whole_number(folds, "folds", 2)
        for name, model in models.items():
            if folds > len(model):
                raise ValueError(f"folds is {folds}, but {name!r} has {counted(len(model))}")
        return Fitted(models, models, folds, seed)
    if isinstance(calibration, float | np.floating):
        share = validation.real_number(calibration, "calibration", 0.0, 1.0, open_ends=True)
        parts = {name: model.split(share, rng=seed) for name, model in models.items()}
        return Fitted(
            {name: rest for name, (_, rest) in parts.items()}, {name: part for name, (part, _) in parts.items()}
        )
    if calibration is not None:
        return Fitted(models, calibration_of(models, stack_of(calibration, "calibration", CUBE_DIMS).models))
    if any(method is not None for _, method in methods):
        raise ValueError(
            "calibration is missing: calibrators are fitted to other samples than those judged, for example "
            "calibration, evaluation = predictions.split(0.5) and evaluate(evaluation, calibration=calibration), "
            "or evaluate(predictions, calibration=0.5), or folds=5"
        )
    return Fitted(models, {})
