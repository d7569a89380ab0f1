"""Clusters: sets of samples whose outcomes may depend on each other, such as the rows of a patient."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import missing_in
from .validation import RowError


def cluster_numbers(column: NDArray[Any]) -> NDArray[np.int64] | None:
    """The number of the cluster of each sample, shape (n,), from values that name it; None where all differ.

    Raises
    ------
    ValueError
        Where a value is missing, or a number with a fraction.
    """
    missing = missing_in(column)
    if missing.any():
        advice = "give a row that belongs to nobody a value of its own"
        row = int(np.argmax(missing))
        raise RowError("cluster: row ", row, f" has none; {advice}", f" has no cluster; {advice}")
    if column.dtype.kind == "f" and (column % 1 != 0).any():
        row = int(np.argmax(column % 1 != 0))
        said = f" is {column[row]}; text, a whole number or a date names a cluster"
        raise RowError("cluster: row ", row, said, f": cluster{said}")
    values, numbers = np.unique(column, return_inverse=True)
    return None if len(values) == len(column) else numbers.astype(np.int64)


def why_no_clusters(what: str) -> str:
    """Why there is not `what`, a noun, of samples in clusters, and the way out."""
    return (
        f"{what} would take all samples to be independent, but these lie in clusters: to take them so, make the "
        "predictions with cluster=None"
    )


def refuse_clusters(of: Any, what: str) -> None:
    """Raise where rows belong together, and `what`, a noun, would take them to be independent."""
    if getattr(of, "cluster_codes", None) is not None:
        raise ValueError(why_no_clusters(what))
