"""The lens of predictions for which none is named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .lens_names import lens as read_lens
from .lenses import ClassConditional, Lens, Top1


def lens_for(models: Iterable[Any], lens: str | Lens | None = None) -> Lens:
    """Return the lens that is named, or else the default of the models."""
    return default_lens(models) if lens is None else read_lens(lens)


def default_lens(models: Iterable[Any]) -> Lens:
    """Return the lens that models are looked at through where none is named: the positive class of two, else top-1.

    Of two classes, top-1 cancels what is wrong at one end of the scores by what is wrong at the other. Models of
    different classes share no positive class, and confidences in a predicted class have none; of the rows of a summary,
    the second class is what the summary looked at.

    Parameters
    ----------
    models : Predictions or LazyPredictions, one or more
    """
    several = list(models)
    [names, *others] = {tuple(model.class_names) for model in several}
    are_confidences = all(model.of_confidence and getattr(model, "summary_of", None) is None for model in several)
    if others or len(names) != 2 or are_confidences:
        return Top1()
    return ClassConditional(names[1])
