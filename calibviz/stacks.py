"""Many sets of predictions at once: a dict of models, or xarray data with dimensions before sample and class."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import xarray as xr

from .io import labelled_arguments
from .predictions import Predictions, models_of


@dataclass(frozen=True, eq=False)
class Stack:
    """Predictions by name, and the dimensions that their names stand for.

    Attributes
    ----------
    models : dict of name to Predictions
        In the order of the coordinates, the last one running fastest.
    coords : dict of dimension to labels
        "model" first.
    """

    models: dict[str, Predictions]
    coords: dict[str, list[Any]]

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(len(labels) for labels in self.coords.values())


def stack_of(value: Any, argument: str) -> Stack:
    """One or several sets of predictions from what a user passes."""
    if isinstance(value, xr.Dataset):
        return _from_dataset(value, argument)
    models = models_of(value, argument)
    return Stack(models, {"model": list(models)})


def _from_dataset(dataset: xr.Dataset, argument: str) -> Stack:
    leading = [str(dim) for dim in dataset.dims if dim not in ("sample", "class")]
    leading = ["model"] * ("model" in leading) + [dim for dim in leading if dim != "model"]
    coords = {dim: dataset.get_index(dim).tolist() for dim in leading}
    models = {}
    for place in itertools.product(*(range(len(labels)) for labels in coords.values())):
        chosen = dataset.isel(dict(zip(leading, place, strict=True)))
        labels = [f"{dim}={coords[dim][i]}" for dim, i in zip(leading, place, strict=True)]
        name = str(coords["model"][place[0]]) if leading == ["model"] else ", ".join(labels) or "model"
        try:
            models[name] = Predictions(**labelled_arguments(chosen))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{argument}[{name}]: {error}") from None
    return Stack(models, coords if "model" in coords else {"model": ["model"], **coords})
