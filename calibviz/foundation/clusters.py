"""Clusters: sets of samples whose outcomes may depend on each other, such as the rows of a patient."""

from __future__ import annotations

from hashlib import blake2b
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import missing_in
from .validation import RowError, WayOutError


def hashed(name: Any) -> int:
    """A number of 64 bits by which the name of a cluster is known elsewhere."""
    return int.from_bytes(blake2b(str(name).encode(), digest_size=8).digest(), "big")


class DependenceWarning(UserWarning):
    """Issued where rows share a value of a field such as a patient, and tests or intervals take them to be independent.

    It comes once for predictions, from the first function that gives a p-value, an interval, a noise floor or a
    verdict. `cluster="patient"` takes rows of a patient together, and `cluster=False` says that all are independent.

    See Also
    --------
    likely_clusters : All fields whose rows may belong together.
    Predictions.with_cluster : The same samples, with what they belong to.

    Examples
    --------
    >>> import warnings
    >>> p = cv.Predictions([0.2, 0.4, 0.7, 0.9] * 10, [0, 0, 1, 1] * 10, fields={"patient": list(range(20)) * 2})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", cv.DependenceWarning)
    ...     cv.ks_test(p.with_cluster("patient")).clusters
    20
    """


def cluster_numbers(column: NDArray[Any]) -> NDArray[np.intp] | None:
    """The number of the cluster of each sample, shape (n,), from values that name it; None where all differ."""
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
    return None if len(values) == len(column) else numbers.astype(np.intp)


def of_several(codes: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
    """The number of the cluster of each sample; None where each is one of its own, as without clusters."""
    return None if codes is None or len(np.unique(codes)) == len(codes) else codes


def clusters_taken(codes: NDArray[np.intp], wanted: int, draws: np.random.Generator) -> NDArray[np.bool_]:
    """Which samples lie in clusters that are drawn until they have as many samples as wanted, or nearly so, shape (n,).

    Clusters come in a permutation of the order in which they first appear. The first that would lead further away from
    `wanted` ends it. One cluster at least is taken, and one is left.
    """
    code, sizes = _by_appearance(codes)
    order = draws.permutation(len(sizes))
    away = np.abs(np.append(0, np.cumsum(sizes[order])) - wanted)
    further = np.flatnonzero(np.diff(away) > 0)
    most = len(sizes) - 1
    is_taken = np.zeros(len(sizes), dtype=bool)
    is_taken[order[: min(max(1, further[0] if len(further) else most), most)]] = True
    return is_taken[code]


def dealt_clusters(codes: NDArray[np.intp], folds: int, draws: np.random.Generator) -> NDArray[np.intp]:
    """The fold, 0..folds - 1, of each sample, shape (n,): the same for all samples of a cluster.

    Clusters come in descending size, those of one size in a permutation of the order in which they first appear. Each
    goes to the fold that has the fewest samples so far, the first of several.
    """
    code, sizes = _by_appearance(codes)
    order = draws.permutation(len(sizes))
    held = [(0, fold) for fold in range(folds)]
    fold_of = np.empty(len(sizes), dtype=np.intp)
    for cluster in order[np.argsort(-sizes[order], kind="stable")]:
        samples, fold = heappop(held)
        fold_of[cluster] = fold
        heappush(held, (samples + int(sizes[cluster]), fold))
    return fold_of[code]


def _by_appearance(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The number of the cluster of each sample, in the order in which they first appear, and how many each has."""
    _, first, code = np.unique(codes, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))
    return place[code], np.bincount(place[code])


def few_clusters(why: str, are_rows: bool) -> WayOutError:
    """The error that says that clusters are too few; rows at a horizon are no choice of anybody."""
    return WayOutError(why, "" if are_rows else ": to take their rows to be independent, pass cluster=False")


def of_clusters(of: Any, what: str, first: str = "") -> WayOutError:
    """The error that says why there is not `what`, a noun, of predictions or a problem of samples in clusters.

    `first`, which ends with "or ", is what else settles it.

    At a horizon each sample may be a cluster of its own, and no argument makes censored outcomes known.
    """
    if of.horizon is not None:
        return WayOutError(_of_censored(what), "")
    return WayOutError(
        f"{what} would take all samples to be independent, but these lie in clusters",
        f": {first}to take them so, make the predictions with cluster=False",
    )


def _of_censored(what: str) -> str:
    return f"{what} would take all outcomes to be known, but at a horizon some are censored, and weights stand for them"


def refuse_censored(of: Any, what: str) -> None:
    """Raise where outcomes of predictions or a problem may be censored, and `what`, a noun, would need them all."""
    if of.horizon is not None:
        raise ValueError(_of_censored(what))


def refuse_clusters(of: Any, what: str) -> None:
    """Raise where rows belong together, and `what`, a noun, would take them to be independent."""
    if getattr(of, "cluster_codes", None) is not None:
        raise of_clusters(of, what)
