"""Many sets of predictions at once: a dict of models, or xarray data with dimensions before sample and class."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from ..foundation import validation
from .models import models_of, takes_arrays
from .predictions import Predictions
from .readers import labelled_arguments, plain_error


@dataclass(frozen=True, eq=False, repr=False)
class Stack:
    """Predictions along named dimensions, one set for each combination of labels.

    Attributes
    ----------
    models : dict of name to Predictions
        In the order of the coordinates, the last one running fastest.
    coords : dict of dimension to labels
        "model" first.
    others : dict of name to coordinate
        Other coordinates along these dimensions, such as the learning rate of each seed.

    See Also
    --------
    subsamples : Makes a stack of random parts.
    evaluate : Takes a stack as `predictions` or `calibration`.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.subsamples(p, replicates=2)
    <Stack 1 model x 3 subsample>
    """

    models: dict[str, Predictions]
    coords: dict[str, Any]
    others: dict[str, xr.DataArray] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Stack {' x '.join(f'{size} {dim}' for dim, size in zip(self.coords, self.shape, strict=True))}>"

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(len(labels) for labels in self.coords.values())


def stack_of(value: Any, argument: str, taken: Set[str]) -> Stack:
    """The stack of the predictions that a user passes; a dimension cannot have one of the names `taken`."""
    if isinstance(value, xr.Dataset):
        stack = _read_dataset(value, argument)
    elif isinstance(value, Stack):
        stack = value
    else:
        models = models_of(value, argument)
        stack = Stack(models, {"model": list(models)})
    for dim in stack.coords:
        if dim in taken:
            raise ValueError(f"{argument} has a dimension {dim!r}, which is one of the result: rename it")
    return stack


@takes_arrays
def subsamples(
    predictions: Predictions | Mapping[str, Predictions] | xr.Dataset,
    *,
    share: float = 0.1,
    replicates: int = 20,
    rng: int | np.random.Generator | None = 0,
) -> Stack:
    """The whole set and random parts of it, along a new dimension `subsample`.

    Parameters
    ----------
    predictions : as in `evaluate`
    share : float, in (0, 1)
        Each part has round(share * n_samples) samples, drawn without replacement.
    replicates : int, at least 1
        Number of parts.
    rng : int, numpy.random.Generator or None
        The same seed draws the same samples.

    Returns
    -------
    Stack
        For `evaluate` and `confidences`, as `predictions` or as `calibration`; the labels of `subsample` are "whole",
        "1", "2", ...

    See Also
    --------
    spread_by_size : Bootstrap samples of several sizes.
    evaluate : Computes a cube with the dimension `subsample`.

    References
    ----------
    Roelofs et al. 2022 (ece_sweep), figure 2.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cube = cv.evaluate(cv.subsamples(p, share=0.5, replicates=3), metrics="ks")
    >>> cube.subsample.values.tolist()
    ['whole', '1', '2', '3']
    """
    seed = validation.rng(rng)
    whole = stack_of(predictions, "predictions", {"subsample"})
    validation.whole_number(replicates, "replicates", 1)
    rng = np.random.default_rng(seed)
    seeds = rng.integers(2**63, size=replicates).tolist()
    labels = ["whole", *(str(i + 1) for i in range(replicates))]
    parts = {}
    for name, samples in whole.models.items():
        # The name of one of many sets tells its dimensions itself, and that of a single one says nothing.
        prefix = name if len(whole.coords) > 1 or name == "model" else f"model={name}"
        for label, part_seed in zip(labels, [None, *seeds], strict=True):
            part = samples if part_seed is None else samples.select(samples.split_mask(share, rng=part_seed))
            parts[f"{prefix}, subsample={label}" if prefix != "model" else f"subsample={label}"] = part
    return Stack(parts, whole.coords | {"subsample": labels}, whole.others)


def _read_dataset(dataset: xr.Dataset, argument: str) -> Stack:
    leading = [str(dim) for dim in dataset.dims if dim not in ("sample", "class")]
    leading = ["model"] * ("model" in leading) + [dim for dim in leading if dim != "model"]
    labels = {dim: _read_labels(dataset, dim, argument) for dim in leading}
    models = {}
    about = {name: text for name, text in dataset.attrs.items() if name == "title" and isinstance(text, str)}
    for place in itertools.product(*(range(len(several)) for several in labels.values())):
        chosen = dataset.isel(dict(zip(leading, place, strict=True)))
        places = [f"{dim}={labels[dim][i]}" for dim, i in zip(leading, place, strict=True)]
        name = str(labels["model"][place[0]]) if leading == ["model"] else ", ".join(places) or "model"
        try:
            models[name] = Predictions(**{"about": about, **labelled_arguments(chosen)})
        except (TypeError, ValueError) as error:
            raise plain_error(error, f"{argument}[{name}]") from None
    coords = {dim: dataset[dim] if dim in dataset.coords else labels[dim] for dim in leading}
    others = {
        str(name): coordinate
        for name, coordinate in dataset.coords.items()
        if name not in leading and coordinate.dims and set(coordinate.dims) <= set(leading)
    }
    return Stack(models, coords if "model" in coords else {"model": ["model"], **coords}, others)


def _read_labels(dataset: xr.Dataset, dim: str, argument: str) -> list[Any]:
    index = dataset.get_index(dim)
    if index.nlevels > 1:
        raise ValueError(f"the dimension {dim!r} of {argument} is stacked from several: call unstack({dim!r}) first")
    if not index.is_unique:
        repeated = index[index.duplicated()][0]
        raise ValueError(f"the dimension {dim!r} of {argument} has the label {repeated!r} twice")
    return index.tolist()
