"""The warning of functions that take rows to be independent, where rows may belong together and nobody said so."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from numbers import Integral
from typing import Any, TypeVar, cast

from ..foundation.clusters import DependenceWarning
from ..foundation.fit_warnings import notice
from .columns.recognition.clusters import likeliest_cluster_of
from .models import refuse_strangers
from .predictions import Predictions

F = TypeVar("F", bound=Callable[..., Any])


def assumes_independence(function: F) -> F:
    """Return a function of predictions, or of models, that says first where their rows may not be independent.

    One that draws no replicates unless it is asked to gives no interval without them, and says nothing then.
    """
    parameters = inspect.signature(function).parameters
    argument = next(iter(parameters))
    asked_alone = "replicates" in parameters and parameters["replicates"].default == 0
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        if not takes_any:
            refuse_strangers(function.__name__, options, parameters)
        drawn = options.get("replicates", 0)  # the function refuses what is no number
        if not asked_alone or (isinstance(drawn, Integral) and int(drawn) > 0):
            say_dependence(arguments[0] if arguments else options.get(argument), stacklevel=2)
        return function(*arguments, **options)

    return cast(F, called)


def say_dependence(given: Any, stacklevel: int) -> None:
    """Warn, once for predictions and all that is made of them later, where rows may belong together.

    Of several models the first is looked at, since all are of the same samples.
    """
    models = [
        each for each in (given.values() if isinstance(given, Mapping) else [given]) if isinstance(each, Predictions)
    ]
    said = [each.dependence_is_said for each in models]
    for predictions in models:
        predictions.dependence_is_said = True
    if models and not any(said) and (dependence := likeliest_cluster_of(models[0])) is not None:
        notice(dependence.question, stacklevel + 1, DependenceWarning)
