"""Folds, and the choice of a penalty by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...data.predictions import Predictions
from ...foundation.cancellation import check
from ...foundation.progress import with_progress
from .conditioning import Affine
from .softmax_likelihood import SoftmaxLikelihood

FOLDS = 5
PATIENCE = 2  # after so many penalties in a row with a larger loss, weaker ones are not tried


def folds_of(samples: int, folds: int, seed: int | None = 0) -> NDArray[np.int64]:
    """The random fold, 0..folds - 1, of each sample, shape (n,); the sizes of the folds differ by one at most.

    See Also
    --------
    Predictions.split : Two random parts.
    """
    return np.random.default_rng(seed).permutation(samples) % folds


def best_penalty(
    likelihood: Callable[[Predictions, float], SoftmaxLikelihood],
    predictions: Predictions,
    penalties: Sequence[float],
) -> float:
    """The penalty of the least mean loss on the folds left out; each fit starts from that of the penalty before."""
    if predictions.weights is not None:
        predictions = predictions.select(predictions.weights > 0)
    if len(predictions) < FOLDS:
        raise ValueError(
            f"penalty 'cv' needs {FOLDS} samples at least, but there are {len(predictions)}: pass a number"
        )
    fold = folds_of(len(predictions), FOLDS)
    starts: list[Affine | None] = [None] * FOLDS
    losses: list[float] = []
    for penalty in with_progress(penalties, "cross-validation", len(penalties)):
        total = 0.0
        for k, start in enumerate(starts):
            check()
            known = likelihood(predictions.select(fold != k), penalty)
            starts[k], _ = fitted = known.fit(known.identity() if start is None else start)
            rest = predictions.select(fold == k)
            share = len(rest) if rest.weights is None else rest.weights.sum()
            total += share * likelihood(rest, penalty).loss(fitted[0])
        losses.append(total)
        if len(losses) > PATIENCE and min(losses[-PATIENCE:]) > min(losses):
            break
    return penalties[int(np.argmin(losses))]
