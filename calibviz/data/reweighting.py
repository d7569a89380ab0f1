"""Weights that stand for another population: how few samples carry them, and whether they follow the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation.fit_warnings import notice
from ..foundation.written import counted, whole_percent

FEWEST, SHARE, HALF = 100.0, 0.1, 0.5  # effective sizes below which a warning is given, of which `few_of` tells more
LARGEST = 10  # weights whose share of all is named
PROVING = 20  # samples a class, of which equal weights are no accident


def label_mass(predictions: Any, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """The labels' mass on each class, shape (K,), where samples have these weights, by default 1."""
    if (soft := predictions.soft_labels) is not None:
        mass: NDArray[np.float64] = soft.sum(axis=0) if weights is None else weights @ soft
        return mass
    return np.bincount(predictions.labels, weights, predictions.n_classes).astype(np.float64)


def notice_following(weights: NDArray[np.float64], labels: NDArray[Any], class_names: Sequence[str]) -> None:
    """Warn where every class has a weight of its own, as after sampling by outcome.

    Whatever draws labels anew keeps the weight of each sample, which is that of its class no more. Of calibrated models
    with 1 control a case, tests so rejected 0 %, and with weights that are rounded, 31 % (3,400 samples of 60,000).
    """
    if labels.ndim != 1:
        return
    counts, taken = weights > 0, np.zeros(len(class_names))
    weights, labels = weights[counts], labels[counts]
    taken[labels] = weights
    there = np.flatnonzero(taken)
    if len(labels) < PROVING * len(there) or np.ptp(taken[there]) == 0 or (weights != taken[labels]).any():
        return
    named = ", ".join(f"{class_names[k]!r}: {taken[k]:.4g}" for k in there[:3]) + ", ..." * (len(there) > 3)
    notice(
        f"the weights follow the labels ({named}), as after sampling by outcome: tests and intervals take them to be "
        "unrelated. Leave them out, and give the shares of the classes to at_prevalence(...) of the predictions",
        stacklevel=3,
        category=UserWarning,
    )


def few_of(weights: NDArray[np.float64], worth: float, before: float) -> str | None:
    """A sentence where weights are worth few equal samples; None elsewhere.

    That is less than a tenth of what the samples were worth before, or less than 100 and half of that.
    """
    if worth >= SHARE * before and not (worth < FEWEST and worth < HALF * before):
        return None
    largest = np.sort(weights)[-LARGEST:]
    share = whole_percent(float(largest.sum() / weights.sum()))
    return (
        f"the weights are worth {worth:,.0f} equal samples, of {before:,.0f} before: the "
        f"{counted(len(largest), 'largest weight')} of {len(weights):,} hold {share} of all weight, so every number "
        "rests on these few; the two populations overlap little"
    )
