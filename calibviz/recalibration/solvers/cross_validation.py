"""Folds, and the choice of a penalty by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...data.nouns import nouns_of_clusters
from ...data.predictions import Predictions
from ...foundation import validation
from ...foundation.cancellation import check
from ...foundation.clusters import dealt_clusters, of_several
from ...foundation.progress import with_progress
from .conditioning import Affine
from .softmax_likelihood import SoftmaxLikelihood

FOLDS = 5
PATIENCE = 2  # after so many penalties in a row with a larger loss, weaker ones are not tried


def dealt_evenly(
    labels: NDArray[np.intp] | None, samples: int, folds: int, rng: int | np.random.Generator | None = 0
) -> NDArray[np.intp]:
    """The random fold, 0..folds - 1, of each sample, shape (n,).

    Sizes of folds differ by one at most, in all and in each class; without labels, in all.
    """
    draws = np.random.default_rng(validation.rng(rng))
    classes = np.zeros(samples, dtype=np.intp) if labels is None else labels
    by_class = np.argsort(classes, kind="stable")
    cuts = np.flatnonzero(np.diff(classes[by_class])) + 1
    fold = np.empty(samples, dtype=np.intp)
    fold[np.concatenate([draws.permutation(rows) for rows in np.split(by_class, cuts)])] = np.arange(samples) % folds
    return fold


def in_folds(predictions: Predictions, folds: int, rng: int | np.random.Generator | None = 0) -> NDArray[np.intp]:
    """The random fold, 0..folds - 1, of each sample, shape (n,): evenly, or the same for all of a cluster."""
    codes = of_several(predictions.cluster_codes)
    if codes is None:
        return dealt_evenly(predictions.labels, len(predictions), folds, rng)
    return dealt_clusters(codes, folds, np.random.default_rng(validation.rng(rng)))


def few_to_deal(predictions: Predictions, folds: int) -> str:
    """How many clusters there are, where they are fewer than folds; empty where they are enough, or there are none."""
    codes = of_several(predictions.cluster_codes)
    clusters = folds if codes is None else len(np.unique(codes))
    return "" if clusters >= folds else nouns_of_clusters(predictions).counted(clusters)


def best_penalty(
    likelihood: Callable[[Predictions, float], SoftmaxLikelihood], predictions: Predictions, penalties: Sequence[float]
) -> float:
    """The penalty of the least mean loss on the folds left out; each fit starts from that of the penalty before."""
    if predictions.weights is not None:
        predictions = predictions.select(predictions.weights > 0)
    if len(predictions) < FOLDS:
        raise ValueError(f"penalty 'cv' needs {FOLDS} samples at least, not {len(predictions)}: pass a number")
    if few := few_to_deal(predictions, FOLDS):
        raise ValueError(f"penalty 'cv' needs {FOLDS} clusters at least, not {few}: pass a number")
    fold = in_folds(predictions, FOLDS)
    starts: list[Affine | None] = [None] * FOLDS
    losses: list[float] = []
    for penalty in with_progress(penalties, "cross-validation", len(penalties)):
        total = 0.0
        for k, start in enumerate(starts):
            check()
            known = likelihood(predictions.select(fold != k), penalty)
            starts[k], _ = fitted = known.fit(start)
            rest = predictions.select(fold == k)
            share = len(rest) if rest.weights is None else rest.weights.sum()
            total += share * likelihood(rest, penalty).loss(fitted[0])
        losses.append(total)
        if len(losses) > PATIENCE and min(losses[-PATIENCE:]) > min(losses):
            break
    return penalties[int(np.argmin(losses))]
