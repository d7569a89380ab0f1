"""Errors side by side and the rank of each: of recalibration methods, or of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ...cube.contests import within_in
from ...cube.evaluate import evaluate
from ...cube.missing import reasons_in
from ...cube.ranks import rank_calibrators
from ...data.predictions import Predictions
from ...foundation.fit_warnings import notices
from ...metrics.own import record_of
from .choices import METHODS, Scope
from .numbers import BINS, READINGS, SEED, Reading

Array = NDArray[np.float64]

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

    metrics: Mapping[str, Reading]
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
            metrics=[*RANKED, *choices.metrics],
            calibrators=[*METHODS, *choices.calibrators],
            calibration=calibration,
            seed=SEED,
            ranking="calibrator",
        )
    return ranks_in(cube, "calibrator", choices, heard)


def ranks_in(cube: xr.Dataset, of: str, choices: Scope, heard: Sequence[str] = ()) -> Ranks:
    """What a cube holds of all `RANKED` errors and of metrics of the user's own, over one of its dimensions."""
    metrics = {name: READINGS[name] for name in RANKED}
    metrics |= {metric.name: Reading.of(record_of(metric)) for metric in choices.metrics}
    labels = tuple(map(str, cube[of].values))
    ranks = rank_calibrators(cube, of)
    values = np.array([cube[name].values.reshape(len(labels)) for name in metrics])
    why = reasons(cube[list(metrics)], of, values, metrics)
    found, within = np.full(values.shape, np.nan), np.zeros(values.shape, dtype=bool)
    for i, name in enumerate(metrics):
        if name in ranks:
            found[i] = ranks[name].values.reshape(len(labels))
            within[i] = cast(xr.DataArray, within_in(cube, name, of)).values.reshape(len(labels))
    return Ranks(metrics, labels, values, found, within, tuple(dict.fromkeys((*heard, *why))))


def reasons(cube: xr.Dataset, of: str, values: Array, readings: Mapping[str, Reading] = READINGS) -> list[str]:
    """Why errors of a cube, shape (errors, labels of the dimension), are not there."""
    said: dict[str, list[str]] = {}
    for name, row in zip(cube.data_vars, values, strict=True):
        if why := reasons_in(cube[name]):
            lacking = np.isnan(row).reshape(cube.sizes[of], -1).any(axis=1)
            which = "" if lacking.all() else f" of {', '.join(map(str, cube[of].values[lacking]))}"
            said.setdefault(f"{which}: {'; '.join(why)}", []).append(readings[str(name)].name)
    every = len(values)
    return [f"No {'error' if len(names) == every else '; '.join(names)}{text}" for text, names in said.items()]
