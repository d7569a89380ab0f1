"""The samples of a model: its trials, and the part of them that is judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...context.conditions import Condition
from ...data.predictions import Predictions
from ...data.stack import Stack

Trials = tuple[Predictions, ...]

TRIAL = "trial"
SPLIT_SEED = 0


@dataclass(frozen=True, repr=False)
class TrialPart(Condition):
    """The samples of one side of `Predictions.split`, as a selection: no row has to be copied."""

    share: float
    first: bool

    def __str__(self) -> str:
        return f"part {self.share:g} {'first' if self.first else 'second'}"

    def mask(self, predictions: Predictions, output: NDArray[np.float64] | None = None) -> NDArray[np.bool_]:
        if len(predictions) == 1:
            raise ValueError(
                "A single sample cannot be both fitted to and judged: pass more samples, or pass calibration=..., the "
                "predictions that recalibrations are fitted to"
            )
        mask = predictions.cache.get(("part", self.share), lambda: predictions.split_mask(self.share, rng=SPLIT_SEED))
        return mask if self.first else ~mask

    def uses(self, kind: str) -> bool:
        return False


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
