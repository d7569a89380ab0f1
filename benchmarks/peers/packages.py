"""The quantities as other packages compute them, in the form in which their values agree with the definition.

Each is imported when it is called, so that a package which is not installed is only missed then.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from data import BINS, Data

MODULES = {  # of each package, by the name that it is installed under
    "scikit-learn": "sklearn.metrics",
    "torchmetrics": "torchmetrics.functional.classification",
    "netcal": "netcal.metrics",
    "uncertainty-calibration": "calibration",
    "relplot": "relplot.metrics",
    "MAPIE": "mapie.metrics.calibration",
}


def peer(package: str) -> Any:
    return import_module(MODULES[package])


def by_class(d: Data, error: Callable[[np.ndarray, np.ndarray], float]) -> float:
    return np.mean([error(np.ascontiguousarray(d.probs[:, c]), d.labels == c) for c in range(d.classes)])


def torchmetrics_ece(d: Data, bins: int = BINS) -> float:
    from torch import from_numpy

    of = peer("torchmetrics").multiclass_calibration_error
    return of(from_numpy(d.probs), from_numpy(d.labels), d.classes, n_bins=bins).item()


def torchmetrics_classwise(d: Data) -> float:
    from torch import from_numpy

    of = peer("torchmetrics").binary_calibration_error
    return by_class(d, lambda score, hits: of(from_numpy(score), from_numpy(hits).long(), n_bins=BINS).item())


def netcal_ece(d: Data, bins: int = BINS, equal_intervals: bool = True) -> float:
    return peer("netcal").ECE(bins, equal_intervals=equal_intervals).measure(d.probs, d.labels)


def netcal_classwise(d: Data, equal_intervals: bool = True) -> float:
    # Not its ACE, which is the unweighted mean over uniform bins; and in float64, since it clips at the type's epsilon.
    metric = peer("netcal").ECE(BINS, equal_intervals=equal_intervals)
    return by_class(d, lambda score, hits: metric.measure(score.astype(np.float64), hits.astype(int)))


def uncertainty_calibration_ece(d: Data, bins: int = BINS, mode: str = "top-label") -> float:
    return peer("uncertainty-calibration").get_ece(d.probs, d.labels, num_bins=bins, mode=mode)


def uncertainty_calibration_mass(d: Data, bins: int = BINS, mode: str = "top-label") -> float:
    return peer("uncertainty-calibration").get_ece_em(d.probs, d.labels, num_bins=bins, mode=mode)


def uncertainty_calibration_debiased(d: Data) -> float:
    # Class by class, since of several classes it takes the root of the mean square, not the mean.
    of = peer("uncertainty-calibration").lower_bound_scaling_ce
    return by_class(d, lambda score, hits: of(score, hits.astype(int), num_bins=BINS))


def mapie_ece(d: Data, bins: int = BINS, split_strategy: str = "uniform") -> float:
    # Its num_bins counts edges.
    hits = (d.probs.argmax(axis=1) == d.labels).astype(int)
    return peer("MAPIE").expected_calibration_error(hits, d.probs, bins + 1, split_strategy)


def mapie_classwise(d: Data, split_strategy: str = "uniform") -> float:
    of = peer("MAPIE").expected_calibration_error
    return of(d.hits, d.probs, BINS + 1, split_strategy, classwise=True, class_labels=d.labels)


def mapie_ks(d: Data) -> float:
    # Its statistic is in units of the standard deviation that a calibrated model would have.
    mapie = peer("MAPIE")
    return mapie.kolmogorov_smirnov_statistic(d.hits, d.confidence) * mapie.length_scale(d.confidence)


def relplot_ece(d: Data, bins: int = BINS) -> float:
    relplot = peer("relplot")
    return relplot.binnedECE(*relplot.multiclass_logits_to_confidences(d.probs, d.labels, probs=True), bins)


def relplot_smooth(d: Data) -> float:
    return peer("relplot").smECE(d.confidence, d.hits)


def brier(d: Data) -> float:
    return peer("scikit-learn").brier_score_loss(d.labels, d.probs, labels=np.arange(d.classes))


def log_loss(d: Data) -> float:
    return peer("scikit-learn").log_loss(d.labels, d.probs, labels=np.arange(d.classes))
