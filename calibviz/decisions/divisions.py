"""How samples fall into segments: the parts of a field, and the combined parts of several fields."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of one field.

    Attributes
    ----------
    field : str
    names : tuple of str
        The parts as conditions, such as "site = North" or "3 < day <= 9".
    code : ndarray of int, shape (n,)
        The number of the part that each sample belongs to.
    """

    field: str
    names: tuple[str, ...]
    code: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Division:
    """Segments that do not overlap, with their samples.

    Attributes
    ----------
    names : tuple of str
    rows : ndarray of int, shape (m,)
        The places of their samples in the problem, segment by segment, each ascending.
    starts : ndarray of int
        Where each segment begins in `rows`.
    """

    names: tuple[str, ...]
    rows: NDArray[np.intp]
    starts: NDArray[np.intp]

    def segments(self) -> Iterator[tuple[str, NDArray[np.intp]]]:
        """Each segment: its name, and the ascending places of its samples."""
        yield from zip(self.names, np.split(self.rows, self.starts[1:]), strict=True)

    def kept(self, keep: NDArray[np.bool_]) -> Division:
        """The same division with only some of its segments."""
        size = np.diff(self.starts, append=len(self.rows))
        names = tuple(itertools.compress(self.names, keep))
        return Division(names, self.rows[np.repeat(keep, size)], (np.cumsum(size[keep]) - size[keep]).astype(np.intp))


def divisions(parts: Sequence[Parts], n: int, depth: int) -> Iterator[Division]:
    """All samples as one segment, then the parts of each field, of each pair of fields, and so on."""
    yield Division(("all samples",), np.arange(n), np.zeros(1, dtype=np.intp))
    for size in range(1, depth + 1):
        for fields in itertools.combinations(parts, size):
            code = fields[0].code
            for field in fields[
                1:
            ]:  # codes are numbered anew each time, since there may be far more pairs than samples
                code = np.unique(code * len(field.names) + field.code, return_inverse=True)[1]
            rows = np.argsort(code, kind="stable")
            starts = np.flatnonzero(np.diff(code[rows], prepend=-1))
            first = rows[starts]  # a sample of each segment
            parts_of_each = zip(*([field.names[k] for k in field.code[first]] for field in fields), strict=True)
            yield Division(tuple(map(", ".join, parts_of_each)), rows, starts)
