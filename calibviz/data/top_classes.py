"""The classes of the largest probabilities of each row, computed in blocks that fit a processor's cache."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import over_rows

RANKS_AT_ONCE = 5
MOST_PASSES = 1 / 3  # of argmax, for each class: more of them take longer than to sort the classes
#: The two classes where a score is how sure somebody is that the likeliest class is right.
WRONG_RIGHT = ("wrong", "right")


def top(probs: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """The class of the largest probability of each row, and that probability in the dtype of `probs`."""
    classes, value = np.empty(len(probs), dtype=np.int32), np.empty(len(probs), dtype=probs.dtype)
    probs = probs.view()
    with suppress(ValueError):  # argmax copies an array that is read-only; some, such as a mapped file, have to be
        probs.flags.writeable = True

    def find(block: slice) -> None:
        part = probs[block]
        if part.shape[1] == 2:  # many times as fast as argmax of two
            first, second = part.T
            np.greater(second, first, out=classes[block], casting="unsafe")
            np.maximum(first, second, out=value[block])
            return
        best = part.argmax(axis=1)
        classes[block], value[block] = best, part[np.arange(len(part)), best]  # read while the block is at hand

    over_rows(find, *probs.shape)
    return classes, value


def largest(probs: NDArray[Any], ranks: int) -> NDArray[np.int32]:
    """The classes of the `ranks` largest probabilities of each row, shape (n, ranks); ties go to the first class."""
    n, classes = probs.shape
    out = np.empty((n, ranks), dtype=np.int32)

    def find(block: slice) -> None:
        part = probs[block]
        if ranks <= max(RANKS_AT_ONCE, classes * MOST_PASSES):  # passes of argmax are faster than sorting
            part, rows = part.copy(), np.arange(len(part))
            for r in range(ranks):
                best = part.argmax(axis=1)
                out[block, r] = best
                part[rows, best] = -1
        else:
            out[block] = np.argsort(-part, axis=1, kind="stable")[:, :ranks]

    over_rows(find, n, classes)
    return out
