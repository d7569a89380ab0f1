"""Checks of the predictions of one or several models that a user passes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from os import PathLike
from typing import Any, TypeVar, cast

import numpy as np

from ..foundation.arrays import is_array
from ..foundation.fit_warnings import notice
from ..foundation.validation import did_you_mean
from ..foundation.written import counted
from .frames import is_frame
from .nouns import Nouns, nouns_of_clusters
from .predictions import Predictions

F = TypeVar("F", bound=Callable[..., Any])
UNNAMED = "model"  # the name of a single model that the user gave none
#: How a keyword of another package is passed here.
OTHER_NAMES = {
    **dict.fromkeys(("bins", "n_bins", "num_bins", "nbins"), "binning=cv.Uniform(10)"),
    **dict.fromkeys(("strategy", "equal_mass", "adaptive"), "binning=cv.EqualMass(10)"),
    **dict.fromkeys(("norm", "ord"), "p=2"),
    **dict.fromkeys(("seed", "random_state", "random_seed"), "rng=0"),
    **dict.fromkeys(("n_boot", "n_bootstrap", "n_bootstraps", "n_resamples", "draws"), "replicates=1000"),
    **dict.fromkeys(("statistic", "metric", "measure"), "error=cv.ks_error"),
    **dict.fromkeys(("confidence_level", "ci"), "level=0.95"),
    **dict.fromkeys(("where", "filter", "mask", "subset"), "selection='age > 60'"),
    **dict.fromkeys(("pos_label", "positive"), "lens='class 1'"),
    **dict.fromkeys(("y_true", "target", "targets"), "labels=..."),
    **dict.fromkeys(("verbose",), "progress=True"),
    **dict.fromkeys(("time", "date", "dates"), "field='day'"),
    **dict.fromkeys(("groups", "by", "columns", "features"), "fields=['sex', 'site']"),
}
OF_SAMPLES = dict.fromkeys(("weight", "sample_weight", "sample_weights"), "weights")  # as predictions call them


def no_predictions(value: Any, argument: str = "predictions", hint: str = "") -> TypeError:
    """The error to raise where a value is no `Predictions`."""
    name = type(value).__name__
    if name == "LazyPredictions":
        hint = ": draw some with its sample(), or pass it to cv.summarize or cv.evaluate"
    elif name in ("Dataset", "DataArray"):
        hint = (
            ": cv.Predictions.from_xarray reads an array, and cv.evaluate and cv.Explorer take a Dataset of several "
            "models or trials"
        )
    elif name == "Summary":
        hint = ": its rows are gone; cv.evaluate and cv.Explorer take its sums"
    elif isinstance(value, str | PathLike):
        hint = ": cv.read_predictions reads a file" + "; a lens is passed by lens=..." * (argument == "calibration")
    elif isinstance(value, Mapping) and value:
        hint = f": choose one of its models, such as [{next(iter(value))!r}]; cv.compare and cv.evaluate take all"
    elif hasattr(value, "predict_proba"):
        hint = ": cv.Predictions.from_estimator(model, X, y) asks a classifier"
    elif is_frame(value):
        hint += f"{';' if hint else ':'} cv.read_predictions reads a table that holds the labels, too"
    return TypeError(f"{argument} must be cv.Predictions(probs, labels), not {name}{hint}")


def checked(value: Any, argument: str = "predictions") -> Predictions:
    """Return predictions as they are, and refuse any other value."""
    if not isinstance(value, Predictions):
        raise no_predictions(value, argument)
    return value


def of_arrays(value: Any) -> Any:
    """The predictions in a pair of probabilities and labels; any other value as it is."""
    if isinstance(value, tuple) and len(value) == 2 and all(map(_is_array, value)):
        return _made_of(*value)
    return value


def _made_of(probs: Any, labels: Any) -> Predictions:
    """The predictions of probabilities and labels, which other packages take the other way round."""
    try:
        return Predictions(probs, labels)
    except (TypeError, ValueError) as error:
        if not _are_probabilities(labels):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{error}; probabilities come first, and labels second") from error


def _are_probabilities(labels: Any) -> bool:
    """Whether what was passed as labels are numbers of which some are not whole."""
    try:
        given = np.asarray(labels)
    except Exception:  # what arrays of other packages raise is theirs
        return False
    return given.ndim == 1 and given.dtype.kind == "f" and not (given == np.floor(given)).all()


def takes_arrays(function: F) -> F:
    """Return a function of predictions that takes probabilities and their labels in their place as well.

    The labels are the second argument, or go by the keyword `labels`; all else is passed on. So
    `cv.calibration_error(probs, labels, lens="full")` is a call, too. A method has its predictions after `self`. What
    follows predictions and lens goes by keyword, but for a binning, which many scripts have third.
    """
    signature = inspect.signature(function)
    is_method = "self" in signature.parameters
    argument = list(signature.parameters)[is_method]
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values())

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        owner, given = arguments[:is_method], list(arguments[is_method:])
        labels = options.pop("labels", None)
        if not takes_any:
            refuse_strangers(function.__name__, options, signature.parameters)
        if not given and argument in options:
            given.append(options.pop(argument))
        if given and _is_array(given[0]):
            if labels is None and len(given) > 1 and _is_array(given[1]):
                labels = given.pop(1)
            if labels is None:
                name = type(owner[0]).__name__ if owner else function.__name__
                name += "()" * (function.__name__ == "__call__")
                raise no_predictions(given[0], argument, f": labels is missing, as in {name}(probs, labels)")
            given[0] = _made_of(given[0], labels)
        elif given and labels is not None:
            kind = type(given[0]).__name__
            raise TypeError(f"labels go with an array of probabilities, but {argument} is {kind}: leave labels out")
        if len(given) == 3 and "binning" in signature.parameters and "binning" not in options:
            options["binning"] = given.pop()
        return function(*owner, *given, **options)

    called.__signature__ = _with_labels(signature)  # type: ignore[attr-defined]  # which `help` shows
    return cast(F, called)


def refuse_strangers(function: str, options: Iterable[str], known: Collection[str]) -> None:
    """Refuse keywords that a function does not have, with the one that does what others have by that name."""
    stranger = next((name for name in options if name not in known), None)
    if stranger is None:
        return
    here, of_samples = OTHER_NAMES.get(stranger, ""), OF_SAMPLES.get(stranger, stranger)
    if here.partition("=")[0] in {"labels", *known}:
        hint = f"; pass {here}"
    elif of_samples in inspect.signature(Predictions).parameters:
        hint = f"; pass cv.Predictions(probs, labels, {of_samples}=...)"
    else:
        hint = did_you_mean(stranger, known)
    raise TypeError(f"{function}() got an unexpected keyword argument {stranger!r}{hint}")


def _with_labels(signature: inspect.Signature) -> inspect.Signature:
    """The signature with the optional keyword `labels`, before other keywords."""
    labels = inspect.Parameter("labels", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="ArrayLike | None")
    parameters = list(signature.parameters.values())
    at = next((i for i, parameter in enumerate(parameters) if parameter.kind >= labels.kind), len(parameters))
    return signature.replace(parameters=[*parameters[:at], labels, *parameters[at:]])


def _is_array(value: Any) -> bool:
    """Whether a value holds numbers or labels in order: a list, or what NumPy reads as an array."""
    return isinstance(value, list) or (is_array(value) and not hasattr(value, "data_vars"))


def no_models(argument: str) -> ValueError:
    """The error for an empty dict of models."""
    return ValueError(f"{argument} is empty: pass cv.Predictions, or a dict of model names to them")


def models_of(value: Any, argument: str) -> dict[str, Predictions]:
    """Predictions by model name; a single model has the name "model"."""
    several = isinstance(value, Mapping)
    given = {str(name): predictions for name, predictions in value.items()} if several else {UNNAMED: value}
    models = {name: of_arrays(predictions) for name, predictions in given.items()}
    if not models:
        raise no_models(argument)
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
        if calibration[name].of_confidence != predictions.of_confidence:
            raise ValueError(
                f"calibration[{name!r}] holds {calibration[name].kind}, but predictions[{name!r}] {predictions.kind}: "
                "of_confidence must be the same of both"
            )
        _warn_of_shared_clusters(calibration[name], predictions)
    return calibration


def _warn_of_shared_clusters(calibration: Predictions, predictions: Predictions) -> None:
    """Warn, once for these two, where calibrators see samples of clusters that are judged, too."""
    is_known = _shared_key(calibration) in predictions.cache
    if (said := shared_clusters(calibration, predictions)) and not is_known:
        notice(f"calibration and predictions: {said}", stacklevel=4, category=UserWarning)


def shared_clusters(calibration: Predictions, predictions: Predictions) -> str:
    """How many clusters are in both, and why that matters, a clause; empty where none is, or both are the same."""
    if calibration is predictions:
        return ""
    both = predictions.cache.get(
        _shared_key(calibration), lambda: len(calibration.cluster_values & predictions.cluster_values)
    )
    return said_of_shared(nouns_of_clusters(predictions), both)


def said_of_shared(clusters: Nouns, both: int) -> str:
    """How many clusters are in the calibration set and among those judged, and why that matters; empty of none."""
    said = f"{clusters.counted(both)} {'is' if both == 1 else 'are'} in both"
    return f"{said}, so that calibrators have seen outcomes that those judged may depend on" if both else ""


def _shared_key(calibration: Predictions) -> tuple[str, int]:
    return "clusters shared with", id(calibration)


def same_samples(baseline: Predictions, predictions: Predictions) -> Predictions:
    """The baseline, if it has the samples of the predictions in the same order."""
    if len(baseline) != len(predictions):
        raise ValueError(
            f"baseline: it has {counted(len(baseline))}, but the predictions have {len(predictions):,}: it takes the "
            "same ones in the same order"
        )
    mine, others = predictions.cluster_codes, baseline.cluster_codes
    if mine is not None and others is not None and not np.array_equal(mine, others):
        raise ValueError("baseline: its rows lie in other clusters than those of the predictions")
    for name in ("labels", "soft_labels"):
        mine, others = getattr(predictions, name), getattr(baseline, name)
        if (mine is None) != (others is None):
            raise ValueError("baseline: its labels are of another kind, soft or hard, than those of the predictions")
        if mine is not None and not np.array_equal(mine, others):
            row = int(np.argmax(np.atleast_2d((mine != others).T).any(axis=0)))
            raise ValueError(f"baseline: row {row} has another label: it takes the same samples in the same order")
    return baseline
