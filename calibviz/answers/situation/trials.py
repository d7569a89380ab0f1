"""The samples of a model: its trials."""

from __future__ import annotations

import numpy as np

from ...data.predictions import Predictions
from ...data.stack import Stack

Trials = tuple[Predictions, ...]

TRIAL = "trial"


def trials_of(stack: Stack) -> dict[str, Trials]:
    """The models of a stack, each with its trials: the dimension "trial" is taken out of their names."""
    dims = [dim for dim, labels in stack.coords.items() if dim != TRIAL and (dim != "model" or len(labels) > 1)]
    labels = {dim: [str(label) for label in np.asarray(stack.coords[dim])] for dim in stack.coords}
    places = np.stack(np.unravel_index(np.arange(len(stack.models)), stack.shape), axis=1)
    models: dict[str, list[Predictions]] = {}
    for place, (given, predictions) in zip(places, stack.models.items(), strict=True):
        label = {dim: labels[dim][i] for dim, i in zip(stack.coords, place, strict=True)}
        if not dims:
            name = label.get("model", "model")
        elif len(dims) == 1:
            name = label[dims[0]]
        else:
            name = ", ".join(f"{dim}={label[dim]}" for dim in dims)
        models.setdefault(name or given, []).append(predictions)
    return {name: tuple(trials) for name, trials in models.items()}
