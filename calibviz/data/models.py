"""Checks of the predictions of one or several models that a user passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .predictions import Predictions

UNNAMED = "model"  # the name of a single model that the user gave none


def no_predictions(value: Any, argument: str = "predictions", hint: str = "") -> TypeError:
    """The error to raise where a value is no `Predictions`."""
    name = type(value).__name__
    if name == "LazyPredictions":
        hint = ": draw some with its sample(), or pass it to cv.summarize or cv.evaluate"
    return TypeError(f"{argument} must be cv.Predictions(probs, labels), not {name}{hint}")


def checked(value: Any, argument: str = "predictions") -> Predictions:
    """The same predictions; any other value is refused."""
    if not isinstance(value, Predictions):
        raise no_predictions(value, argument)
    return value


def models_of(value: Any, argument: str) -> dict[str, Predictions]:
    """Predictions by model name; a single model has the name "model"."""
    several = isinstance(value, Mapping)
    models = {str(name): predictions for name, predictions in value.items()} if several else {UNNAMED: value}
    if not models:
        raise ValueError(f"{argument} is empty: pass cv.Predictions, or a dict of model names to them")
    for name, predictions in models.items():
        if not isinstance(predictions, Predictions):
            where = f"{argument}[{name!r}]" if several else argument
            raise no_predictions(predictions, where)
    return models


def calibration_of(models: Mapping[str, Predictions], value: Any) -> dict[str, Predictions]:
    """The calibration set of each model, by its name."""
    calibration = models_of(value, "calibration")
    for name, predictions in models.items():
        if name not in calibration:
            raise ValueError(
                f"calibration is missing for the model {name!r}: pass a calibration set for each model, "
                "in a dict or Dataset like that of the predictions"
            )
        if calibration[name].n_classes != predictions.n_classes:
            raise ValueError(
                f"calibration[{name!r}] has {calibration[name].n_classes} classes, "
                f"but predictions[{name!r}] has {predictions.n_classes}"
            )
    return calibration
