"""Errors and ranks of recalibration methods, or of models."""

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
from ...metrics.records.own import record_of
from .choices import METHODS, Scope
from .numbers import BINS, READINGS, SEED, Reading

Array = NDArray[np.float64]

RANKED = ("ece", "sweep", "debiased", "ks", "brier", "log_loss")


@dataclass(frozen=True, eq=False)
class Ranks:
    """Errors of several methods or models, a column each, and the rank of every error in its row; 1 for the least.

    Attributes
    ----------
    values, ranks : ndarray, shape (metrics, columns)
        Ranks are nan for errors whose differences cannot be tested.
    within : ndarray of bool, shape (metrics, columns)
        Whether a column is within noise of the best, by the errors that are tested.
    notes : tuple of str
        Why errors are missing, and the warnings of the fits.
    """

    metrics: Mapping[str, Reading]
    columns: tuple[str, ...]
    values: Array
    ranks: Array
    within: NDArray[np.bool_]
    notes: tuple[str, ...]


def ranks_of(calibration: Predictions, evaluation: Predictions, choices: Scope) -> Ranks:
    """The errors and ranks of recalibration methods on samples that they were not fitted to."""
    with notices() as heard:
        cube = evaluate(
            evaluation,
            [choices.lens],
            bins=BINS,
            selections={"shown": choices.selection},
            metrics=[*RANKED, *choices.metrics],
            calibrators=[*METHODS, *choices.calibrators],
            calibration=calibration,
            rng=SEED,
            ranking="calibrator",
        )
    return ranks_in(cube, "calibrator", choices, heard)


def ranks_in(cube: xr.Dataset, of: str, choices: Scope, heard: Sequence[str] = ()) -> Ranks:
    """The `RANKED` errors and the user's own metrics in a cube, and their ranks over the dimension `of`.

    `heard` are the warnings of the fits, which become notes.
    """
    metrics = {name: READINGS[name] for name in RANKED}
    metrics |= {metric.name: Reading.of(record_of(metric)) for metric in choices.metrics}
    labels = tuple(map(str, cube[of].values))
    ranked = rank_calibrators(cube, of)
    values = np.array([cube[name].values.reshape(len(labels)) for name in metrics])
    why = reasons(cube[list(metrics)], of, values, metrics)
    ranks, within = np.full(values.shape, np.nan), np.zeros(values.shape, dtype=bool)
    for i, name in enumerate(metrics):
        if name in ranked:
            ranks[i] = ranked[name].values.reshape(len(labels))
            within[i] = cast(xr.DataArray, within_in(cube, name, of)).values.reshape(len(labels))
    return Ranks(metrics, labels, values, ranks, within, tuple(dict.fromkeys((*heard, *why))))


def reasons(cube: xr.Dataset, of: str, values: Array, readings: Mapping[str, Reading] = READINGS) -> list[str]:
    """Why errors of a cube are missing, a sentence for each reason.

    `values` holds the errors, shape (errors, labels of the dimension `of`).
    """
    names_by_reason: dict[str, list[str]] = {}
    for name, row in zip(cube.data_vars, values, strict=True):
        if why := reasons_in(cube[name]):
            lacking = np.isnan(row).reshape(cube.sizes[of], -1).any(axis=1)
            which = "" if lacking.all() else f" of {', '.join(map(str, cube[of].values[lacking]))}"
            names_by_reason.setdefault(f"{which}: {'; '.join(why)}", []).append(readings[str(name)].name)
    return [
        f"No {'error' if len(names) == len(values) else '; '.join(names)}{reason}"
        for reason, names in names_by_reason.items()
    ]
