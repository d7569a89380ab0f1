"""Summaries as the Explorer takes them: as predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...data.models import of_arrays
from ...data.predictions import Predictions
from ...foundation.sources import Source
from ...foundation.validation import listed
from ...recalibration.solvers.cross_validation import FOLDS
from ...scale.summary import Summary


def unsummarized(predictions: Any, calibration: Any) -> tuple[Any, Any]:
    """Predictions and calibration, where summaries are given in the place of predictions.

    Without a calibration, the samples of each summary are dealt to folds, which calibrators are fitted to in turn.
    """
    predictions, calibration = of_arrays(predictions), of_arrays(calibration)
    models = predictions if isinstance(predictions, Mapping) else {"model": predictions}
    summaries = {str(name): summary for name, summary in models.items() if isinstance(summary, Summary)}
    if not summaries:
        return predictions, calibration
    if len(summaries) < len(models):
        raise TypeError("predictions holds summaries and others: pass one or the other")
    given: Mapping[str, Any] | None = None
    if calibration is not None:
        given = calibration if isinstance(calibration, Mapping) else dict.fromkeys(summaries, calibration)
        if not all(isinstance(summary, Summary) for summary in given.values()):
            raise TypeError("calibration must be a cv.Summary, as predictions are")
    lenses = dict.fromkeys(summary.name for summary in summaries.values())
    if len(lenses) > 1:
        raise ValueError(f"predictions holds summaries of several lenses: {listed(lenses)}; pass those of one")
    judged = {name: summary.predictions(FOLDS if given is None else None) for name, summary in summaries.items()}
    if given is None:
        return _marked(judged, "summary", FOLDS), None
    return _marked(judged, "summary"), _marked({str(name): s.predictions() for name, s in given.items()}, "fitted_to")


def _marked(models: dict[str, Predictions], name: str, *folds: int) -> dict[str, Predictions]:
    """Predictions, each with the code that makes it of what a script calls by that name."""
    for predictions in models.values():
        predictions._made_by(Source(name).method("predictions")(*folds))
    return models
