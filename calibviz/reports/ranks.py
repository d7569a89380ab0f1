"""Errors side by side and the rank of each: of recalibration methods, or of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..cube.contests import within_in
from ..cube.evaluate import evaluate
from ..cube.missing import reasons_in
from ..cube.ranks import rank_calibrators
from ..data.predictions import Predictions
from ..foundation.fit_warnings import notices
from ..recalibration.registry import CALIBRATORS
from .choices import Scope
from .numbers import BINS, READINGS, SEED

Array = NDArray[np.float64]

METHODS = ("none", *(name for name, record in CALIBRATORS.items() if record.is_ranked))
RANKED = ("ece", "sweep", "debiased", "ks", "brier", "log_loss")


@dataclass(frozen=True, eq=False)
class Ranks:
    """Errors of several columns, such as methods or models, and the rank of each in its row; 1 for the least.

    Attributes
    ----------
    values, ranks : ndarray, shape (metrics, columns)
        Ranks are nan for errors of which differences cannot be tested.
    within : ndarray of bool, shape (metrics, columns)
        Who is within noise of the best, by the errors that are tested.
    notes : tuple of str
        Why one is not there, and what the fits had to say.
    """

    metrics: tuple[str, ...]
    columns: tuple[str, ...]
    values: Array
    ranks: Array
    within: NDArray[np.bool_]
    notes: tuple[str, ...]


def ranks_of(calibration: Predictions, evaluation: Predictions, choices: Scope) -> Ranks:
    """Recalibration methods by several errors, on samples that they were not fitted to."""
    with notices() as heard:
        cube = evaluate(
            evaluation,
            [choices.lens],
            bins=BINS,
            selections={"shown": choices.selection},
            metrics=RANKED,
            calibrators=METHODS,
            calibration=calibration,
            seed=SEED,
            ranking="calibrator",
        )
    return ranks_in(cube, "calibrator", heard)


def ranks_in(cube: xr.Dataset, of: str, heard: Sequence[str] = ()) -> Ranks:
    """What a cube holds of all `RANKED` errors, over one of its dimensions."""
    labels = tuple(map(str, cube[of].values))
    ranks = rank_calibrators(cube, of)
    values = np.array([cube[name].values.reshape(len(labels)) for name in RANKED])
    why = reasons(cube[list(RANKED)], of, values)
    found, within = np.full(values.shape, np.nan), np.zeros(values.shape, dtype=bool)
    for i, name in enumerate(RANKED):
        if name in ranks:
            found[i] = ranks[name].values.reshape(len(labels))
            within[i] = cast(xr.DataArray, within_in(cube, name, of)).values.reshape(len(labels))
    return Ranks(RANKED, labels, values, found, within, tuple(dict.fromkeys((*heard, *why))))


def reasons(cube: xr.Dataset, of: str, values: Array) -> list[str]:
    """Why errors of a cube, shape (errors, labels of the dimension), are not there."""
    said: dict[str, list[str]] = {}
    for name, row in zip(cube.data_vars, values, strict=True):
        if why := reasons_in(cube[name]):
            lacking = np.isnan(row).reshape(cube.sizes[of], -1).any(axis=1)
            which = "" if lacking.all() else f" of {', '.join(map(str, cube[of].values[lacking]))}"
            said.setdefault(f"{which}: {'; '.join(why)}", []).append(READINGS[str(name)].name)
    every = len(values)
    return [f"No {'error' if len(names) == every else '; '.join(names)}{text}" for text, names in said.items()]
