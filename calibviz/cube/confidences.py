"""Where the probability goes: mean k-th largest probabilities and entropies (gece figures 2 and 11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import entr

from ..context.condition_parser import named_selections
from ..context.conditions import Condition
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..data.stack import stack_of
from ..foundation import validation
from ..foundation.arrays import Array, summed_over_rows
from ..foundation.described import Described, described
from ..foundation.progress import with_progress
from ..recalibration.registry import method_of
from .fitting import fitted_on
from .metrics import CUBE_DIMS
from .provenance import provenance_of

SAID: dict[str, Described | str] = {
    "confidence": "mean k-th largest probability",
    "entropy": Described("mean entropy of the probabilities", "nat"),
}


@takes_arrays
def confidences(
    predictions: Predictions | Mapping[str, Predictions] | xr.Dataset,
    *,
    calibrators: Iterable[Any] | str = ("none",),
    calibration: Predictions | Mapping[str, Predictions] | xr.Dataset | float | None = None,
    folds: int | None = None,
    selections: Mapping[str, str | Condition | None] | None = None,
    baseline: Mapping[str, Any] | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """The mean k-th largest probability for every k, also relative to a baseline, and the mean entropy.

    Parameters
    ----------
    predictions, calibrators, calibration, folds, selections, rng, progress
        As in `evaluate`.
    baseline : dict of dimension to label, optional
        What is divided by: {"calibrator": "none"}, {"intervention": "plain"}, ... By default the first calibrator.

    Returns
    -------
    xarray.Dataset
        Over the dimensions of the predictions, `selection` and `calibrator`: `confidence` and `relative`, the
        confidence divided by the baseline's, over `rank` 1..K as well; `entropy`, in nats, between 0 and ln K. nan
        where a selection keeps no sample.

    See Also
    --------
    evaluate : The errors of the same calibrators.
    Temperature : Lowers or raises all confidences at once.
    accuracy : How often the largest probability is right.

    Notes
    -----
    The confidence at rank k is sum_i w_i P_i(k) / W, where P_i(k) is the k-th largest probability of row i; the entropy
    is -sum_i w_i sum_k P_ik ln P_ik / W.

    References
    ----------
    Kirchenbauer, Oaks and Heim 2022 (gece), section 5.1 and appendix D.2.1.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> table = cv.confidences(p, calibrators=["none", "temperature"], calibration=0.5)
    >>> round(table.confidence.sel(calibrator="temperature", rank=1).item(), 3)
    0.976
    """
    seed = validation.draws(rng, progress)
    judged = stack_of(predictions, "predictions", CUBE_DIMS | {"rank"})
    methods = [method_of(calibrator) for calibrator in validation.several(calibrators)]
    labels = [name for name, _ in methods]
    conditions = named_selections(selections)
    for dim, names in (("selections", list(conditions)), ("calibrators", labels)):
        if not names or len(set(names)) < len(names):
            raise ValueError(f"{dim} must be different, and one at least: {validation.listed(names)}")
    classes = {model.n_classes for model in judged.models.values()}
    if len(classes) > 1:
        raise ValueError(f"predictions have {' and '.join(map(str, sorted(classes)))} classes: pass one kind at a time")
    fitted = fitted_on(judged.models, calibration, folds, methods, seed)
    shape = (len(judged.models), len(conditions), len(methods))
    confidence, entropy = np.full((*shape, classes.pop()), np.nan), np.full(shape, np.nan)
    pairs = [(m, model, c, method) for m, model in enumerate(judged.models) for c, method in enumerate(methods)]
    for m, model, c, method in with_progress(pairs, "confidences", len(pairs), progress):
        moved = fitted.predictions(model, *method)
        for s, condition in enumerate(conditions.values()):
            confidence[m, s, c], entropy[m, s, c] = mean_ranked(moved, condition)
    dims = (*judged.coords, "selection", "calibrator")
    coords = judged.coords | {"selection": list(conditions), "calibrator": labels} | judged.others
    out = xr.Dataset(
        {
            "confidence": ((*dims, "rank"), confidence.reshape(*judged.shape, *confidence.shape[1:])),
            "entropy": (dims, entropy.reshape(*judged.shape, *entropy.shape[1:])),
        },
        coords | {"rank": np.arange(1, confidence.shape[-1] + 1)},
    )
    against = {"calibrator": labels[0]} if baseline is None else validation.mapping(baseline, "baseline", "labels")
    out = out.assign(relative=_relative(out.confidence, against))
    known = provenance_of(judged.models, fitted.judged, fitted.fit_on, calibration, folds, methods)
    return described(out, "Kirchenbauer, Oaks and Heim 2022, section 5.1", SAID, **known)


def _relative(confidence: xr.DataArray, baseline: Mapping[str, Any]) -> xr.DataArray:
    """The confidence divided by that of a baseline, which is checked."""
    dims = [str(dim) for dim in confidence.dims if dim != "rank"]
    for dim, label in baseline.items():
        if dim not in dims:
            raise ValueError(f"baseline has {dim!r}, but the dimensions are {', '.join(dims)}")
        labels = confidence[dim].values
        if label not in labels:
            raise ValueError(f"baseline has {dim!r}: {label!r}, but its labels are {validation.listed(labels)}")
    relative = (confidence / confidence.sel(baseline).drop_vars(list(baseline))).transpose(*confidence.dims)
    what = f"mean k-th largest probability relative to {baseline}"
    return relative.assign_attrs(long_name="relative confidence", units="1", description=what)


def mean_ranked(predictions: Predictions, condition: Condition | None) -> tuple[Array, float]:
    """The mean sorted row and the mean entropy of the selected samples."""
    weight = np.ones(len(predictions)) if predictions.weights is None else predictions.weights
    if condition is not None:
        if condition.uses("output"):
            raise ValueError("a selection by output needs a lens: select by confidence or probability(class) instead")
        weight = weight * condition.mask(predictions)
    total = float(weight.sum())
    if not total:
        return np.full(predictions.n_classes, np.nan), np.nan

    def sums_of(rows: slice) -> tuple[Array, Array]:
        part = predictions.ranked(rows).astype(np.float64, copy=False)
        entropy = weight[rows] @ entr(np.clip(part, 0.0, 1.0)).sum(axis=1)
        return weight[rows] @ part, np.array([entropy])

    ranked, [entropy] = summed_over_rows(sums_of, *predictions.probs.shape)
    return ranked / total, float(entropy) / total
