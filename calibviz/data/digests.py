"""The hash of predictions, by which a table tells what it was made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from .predictions import Predictions

LENGTH = 32  # hexadecimal digits
BLOCK = 1_000_000  # entries that are hashed at once


def digest_of(predictions: Predictions) -> str:
    """The hash of all that is measured: probabilities, labels, weights, names of classes and groups, and fields.

    The same numbers in another float type have the same hash, as they have the same errors.
    """
    return predictions.cache.get("digest", lambda: _digest_of(predictions))


def _digest_of(predictions: Predictions) -> str:
    arrays: dict[str, Any] = {
        "probs": predictions.probs,
        "labels": predictions.labels if predictions.soft_labels is None else predictions.soft_labels,
        "weights": predictions.weights,
        **{f"field {name}": column for name, column in sorted(predictions.fields.items())},
    }
    about = predictions.class_names, predictions.groups, predictions.hierarchy, predictions.of_confidence
    return digest_of_arrays({name: array for name, array in arrays.items() if array is not None}, repr(about))


def digest_of_arrays(arrays: Mapping[str, Any], about: str = "") -> str:
    """The hash of named arrays and a text, such as "sha256:9f86d081884c7d659a2feaa0c55ad015"."""
    hashed = sha256(about.encode())
    for name, array in arrays.items():
        column = np.ascontiguousarray(array)
        if column.dtype.kind in "OT":  # whose bytes are places in memory
            texts = (str(value).encode("utf-8", "surrogatepass") for value in column.ravel().tolist())
            column = np.frombuffer(b"".join(b"%d:%s" % (len(text), text) for text in texts), np.uint8)
        kind = np.dtype(np.float64) if column.dtype.kind == "f" and column.itemsize < 8 else column.dtype
        hashed.update(f"{name} {kind.str} {column.shape}".encode())
        for start in range(0, column.size, BLOCK):
            block = column.reshape(-1)[start : start + BLOCK].astype(kind, copy=False)
            hashed.update(block.view(np.uint8).data)
    return f"sha256:{hashed.hexdigest()[:LENGTH]}"


def joined_digests(digests: Iterable[tuple[str, str]]) -> str:
    """The hash of several by name; that of a single one is its own."""
    several = dict(digests)
    if len(several) == 1:
        return next(iter(several.values()))
    return digest_of_arrays({}, repr(sorted(several.items())))
