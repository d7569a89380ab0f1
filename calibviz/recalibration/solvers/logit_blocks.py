"""The logits of a calibration set in blocks, for the fits of calibrators of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.predictions import Predictions
from ...foundation import arrays
from ...foundation.arrays import Array
from ...foundation.cancellation import check

Inputs = Callable[..., NDArray[Any]]  # (predictions, rows, dtype) -> the logits of these rows

SMALLEST_PROBABILITY = 1e-12
LARGEST_LOGIT = 1e12  # in a linear map; rounding hides the differences of larger ones
MOST_HELD = 1 << 23  # logits kept in float64; larger sets are converted again at every pass


def logits_of(predictions: Predictions, rows: slice = slice(None), dtype: Any = np.float64) -> NDArray[Any]:
    """The logits or, without logits, the log of the probabilities clipped at 1e-12; a new array (n, K)."""
    if predictions.logits is not None:
        return predictions.logits[rows].astype(dtype)
    return log_probs(predictions, rows, dtype)


def log_probs(predictions: Predictions, rows: slice = slice(None), dtype: Any = np.float64) -> NDArray[Any]:
    """The log of the probabilities clipped at 1e-12; a new array (n, K)."""
    z = predictions.probs[rows].astype(dtype)
    np.maximum(z, SMALLEST_PROBABILITY, out=z)
    return np.log(z, out=z)


def with_one_rest(predictions: Predictions, inputs: Inputs, present: NDArray[np.bool_]) -> Predictions:
    """The samples with the classes that are present, and one more for all others, of which no sample is.

    The logit of that class is the logarithm of the sum of exp(z) over the others, so as long as these stay as they are
    the likelihood is the same: with ten thousand classes and a few hundred samples, in a small part of the time.
    """
    logits = np.empty((len(predictions), int(present.sum()) + 1))
    for block in arrays.row_blocks(*predictions.probs.shape):
        z = inputs(predictions, block, np.float64)
        rest = z[:, ~present]
        most = rest.max(axis=1)
        logits[block, :-1] = z[:, present]
        logits[block, -1] = most + np.log(np.exp(rest - most[:, None]).sum(axis=1))
    labels, soft = predictions.labels, predictions.soft_labels  # those of an absent class weigh nothing
    if soft is not None:
        labels = np.column_stack([soft[:, present], soft[:, ~present].sum(axis=1)])
    else:
        labels = np.where(present, np.cumsum(present) - 1, present.sum())[labels]
    return Predictions(logits=logits, labels=labels, weights=predictions.weights)


class LogitBlocks:
    """The logits of all samples, or other `inputs`, a few rows at a time; those of small sets are kept."""

    def __init__(self, predictions: Predictions, inputs: Inputs) -> None:
        self.predictions = predictions
        self.inputs = inputs
        self.blocks = list(arrays.row_blocks(*predictions.probs.shape))
        self._kept: dict[Any, list[NDArray[Any]]] = {}

    def __call__(self, dtype: Any = np.float64) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Slices of rows and their logits, which must not be changed; the work can be cancelled between blocks."""
        if self.predictions.probs.size > MOST_HELD:
            for block in self.blocks:
                check()
                yield block, self.inputs(self.predictions, block, dtype)
            return
        if dtype not in self._kept:
            rows = arrays.row_blocks(*self.predictions.probs.shape)  # which lets the work be cancelled in between
            self._kept[dtype] = [self.inputs(self.predictions, block, dtype) for block in rows]
        for block, z in zip(self.blocks, self._kept[dtype], strict=True):
            check()
            yield block, z

    def refuse_too_large(self) -> None:
        """Raise where a logit is too large to be multiplied and added up with others."""
        for block, z in self():
            if max(z.max(), -z.min()) > LARGEST_LOGIT:
                row, column = np.unravel_index(int(np.abs(z).argmax()), z.shape)
                raise ValueError(
                    f"logits[{row + block.start}, {column}] is {z[row, column]:g}, too large for a linear map: divide "
                    "all logits by a common number first"
                )

    def soft(self, block: slice) -> Array | None:
        """The label frequencies of some rows, rescaled to sum to 1; None for hard labels."""
        soft = self.predictions.soft_labels
        return None if soft is None else soft[block] / soft[block].sum(axis=1, keepdims=True)

    def entries(self, block: slice) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The index of the entries of the hard labels in some rows."""
        assert self.predictions.labels is not None
        return np.arange(block.stop - block.start), self.predictions.labels[block]

    def observed(self, block: slice, logits: Array) -> Array:
        """The logit of each label, or their mean under a soft one."""
        soft = self.soft(block)
        return logits[self.entries(block)] if soft is None else np.einsum("ij,ij->i", logits, soft)

    def cross_entropy(
        self, block: slice, logits: Array, probs: NDArray[np.float32] | None = None
    ) -> tuple[float, Array]:
        """The summed loss of softmax(logits), shape (m, K), and its gradient, which overwrites `logits`.

        If `probs` is given, the probabilities are written into its rows.
        """
        logits -= logits.max(axis=1, keepdims=True)
        soft, weights = self.soft(block), self.weights(block)
        observed = self.observed(block, logits)
        np.exp(logits, out=logits)
        scale = logits.sum(axis=1)
        loss = arrays.dot(weights, np.log(scale) - observed)
        logits /= scale[:, None]
        if probs is not None:
            probs[block] = logits
        if soft is None:
            logits[self.entries(block)] -= 1.0
        else:
            logits -= soft
        if self.predictions.weights is not None:
            logits *= weights[:, None]
        return loss, logits

    def weights(self, block: slice) -> Array:
        """The weights of some rows, 1 unless given."""
        weights = self.predictions.weights
        return np.ones(block.stop - block.start) if weights is None else weights[block]

    @property
    def total(self) -> float:
        """The sum of the weights."""
        weights = self.predictions.weights
        return float(len(self.predictions) if weights is None else weights.sum())
