"""The provenance of a cube: how many samples, their hash, and what calibrators were fitted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..data.digests import digest_of, digest_of_arrays, joined_digests
from ..data.predictions import Predictions
from ..scale.lazy import LazyPredictions
from ..scale.summary import Summary
from ..scale.sums import ARRAYS

IN_PARTS = "not hashed: the samples are read in parts"


def provenance_of(
    given: Mapping[str, Any],
    judged: Mapping[str, Any],
    fit_on: Mapping[str, Any],
    calibration: Any,
    folds: int | None,
    methods: Sequence[tuple[str, Any]],
) -> dict[str, Any]:
    """The attributes `n_samples`, of what is judged, `data_hash`, of all that was passed, and `fitted_to`.

    Models by name are what was given as predictions, what of it is judged, and what calibrators are fitted to.
    """
    return {
        "n_samples": _numbers(judged),
        "data_hash": hash_of(given),
        "fitted_to": _fitted_to(
            {name: model for name, model in fit_on.items() if name in given}, calibration, folds, methods
        ),
    }


def hash_of(models: Mapping[str, Any]) -> str:
    """The hash of one model, or of several by name; in words why there is none."""
    if any(isinstance(model, LazyPredictions) for model in models.values()):
        return IN_PARTS
    return joined_digests((name, _digest(model)) for name, model in models.items())


def _digest(model: Predictions | Summary) -> str:
    if isinstance(model, Predictions):
        return digest_of(model)
    return digest_of_arrays({name: getattr(model, name) for name in ARRAYS}, f"{model.name}, {model.selection}")


def _numbers(models: Mapping[str, Any]) -> int | list[int]:
    """How many samples there are of each model; one number where it is that of all."""
    numbers = [int(model.count.sum()) if isinstance(model, Summary) else len(model) for model in models.values()]
    return numbers[0] if len(set(numbers)) == 1 else numbers


def _fitted_to(
    fit_on: Mapping[str, Any], calibration: Any, folds: int | None, methods: Sequence[tuple[str, Any]]
) -> str:
    if all(method is None for _, method in methods):
        return "nothing: no calibrator was asked for"
    if folds is not None:
        return f"{folds} folds: each sample is recalibrated by what was fitted to the other folds"
    if isinstance(calibration, float | np.floating):
        return f"a share of {calibration:g} of the samples, drawn at random, of which none is judged"
    numbers = _numbers(fit_on)
    each = f"{numbers:,}" if isinstance(numbers, int) else ", ".join(f"{number:,}" for number in numbers)
    return f"{each} other samples, {hash_of(fit_on)}"
