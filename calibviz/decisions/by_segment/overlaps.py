"""Segments that share most of their samples with one that stands above them, and what is left of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import Array

Rows = NDArray[np.intp]

MOST = 0.5  # the share of its samples from which a segment is judged on the others
ROWS_AT_ONCE = 8192


@dataclass(frozen=True, eq=False)
class Overlap:
    """A segment most of whose samples are in another one."""

    segment: int  # its place among the segments that are looked at
    holder: int  # that of the other
    shared: float  # how many samples are in both
    rest: Rows  # the samples that are in the segment alone, ascending


def overlaps(rows: Sequence[Rows], times: Array, side: Array) -> list[Overlap]:
    """Return the segments of which at least half lies in one that stands above them, with the topmost of these.

    `rows` has the ascending places of the samples of each segment, in their order, and `times` how often each sample
    counts. `side` is above 0 where observed is surely above predicted, below 0 where surely below, else 0: no segment
    explains one of the other side.
    """
    shared = shared_counts(rows, times)
    size = np.diag(shared)
    is_above = np.tri(len(rows), k=-1, dtype=bool)
    holds = is_above & (np.sign(side) * np.sign(side)[:, None] >= 0) & (shared >= MOST * size[:, None])
    found = []
    for i in np.flatnonzero(holds.any(axis=1)).tolist():
        holder = int(np.argmax(holds[i]))  # the topmost, of which the error is surest
        rest = np.setdiff1d(rows[i], rows[holder], assume_unique=True)
        found.append(Overlap(i, holder, float(shared[i, holder]), rest))
    return found


def shared_counts(rows: Sequence[Rows], times: Array) -> Array:
    """How many samples each two segments share, shape (segments, segments)."""
    counts = np.zeros((len(rows), len(rows)))
    for low in range(0, len(times), ROWS_AT_ONCE):
        each = times[low : low + ROWS_AT_ONCE]
        held = np.zeros((len(rows), len(each)))
        for i, of_one in enumerate(rows):
            first, last = np.searchsorted(of_one, (low, low + len(each)))
            held[i, of_one[first:last] - low] = 1
        counts += (held * each) @ held.T
    return counts
