"""Checks of the predictions of one or several models that a user passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from .predictions import Predictions

F = TypeVar("F", bound=Callable[..., Any])
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


def of_arrays(value: Any) -> Any:
    """The predictions in a pair of probabilities and labels; any other value as it is."""
    if isinstance(value, tuple) and len(value) == 2 and all(map(_is_array, value)):
        return Predictions(*value)
    return value


def of_two_arguments(predictions: Any, calibration: Any) -> tuple[Any, Any]:
    """Predictions and a calibration set; of two arrays, which are probabilities and their labels, the predictions."""
    if _is_array(predictions) and _is_array(calibration):
        return Predictions(predictions, calibration), None
    return of_arrays(predictions), of_arrays(calibration)


def takes_arrays(function: F) -> F:
    """The same function of predictions, which takes two arrays, probabilities and labels, in their place as well.

    So `cv.calibration_error(probs, labels, lens="full")` is a call, too. Any other first two arguments are passed on.
    """

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        if len(arguments) > 1 and _is_array(arguments[0]) and _is_array(arguments[1]):
            arguments = (Predictions(*arguments[:2]), *arguments[2:])
        return function(*arguments, **options)

    return cast(F, called)


def _is_array(value: Any) -> bool:
    """Whether a value holds numbers or labels in order: a list, or what NumPy reads as an array."""
    return isinstance(value, list) or (hasattr(value, "__array__") and not hasattr(value, "data_vars"))


def models_of(value: Any, argument: str) -> dict[str, Predictions]:
    """Predictions by model name; a single model has the name "model"."""
    several = isinstance(value, Mapping)
    given = {str(name): predictions for name, predictions in value.items()} if several else {UNNAMED: value}
    models = {name: of_arrays(predictions) for name, predictions in given.items()}
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
