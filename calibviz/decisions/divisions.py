"""How samples fall into segments: the parts of a field, and the parts that several fields make together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.predictions import Predictions
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..metrics.masses import quantiles_of

PREDICTED = "predicted"  # the class of the largest probability, which is looked at as a field
MOST_VALUES = 50  # of text that is looked at without being asked for


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of one field.

    Attributes
    ----------
    field : str
    names : tuple of str
        As conditions, such as "site = North" or "3 < day <= 9".
    code : ndarray of int, shape (n,)
        The number of the part that each sample belongs to.
    """

    field: str
    names: tuple[str, ...]
    code: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Division:
    """Segments that do not overlap.

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
        """Some of the segments."""
        size = np.diff(self.starts, append=len(self.rows))
        names = tuple(itertools.compress(self.names, keep))
        return Division(names, self.rows[np.repeat(keep, size)], (np.cumsum(size[keep]) - size[keep]).astype(np.intp))


def fields_of(predictions: Predictions, problem: ScalarProblem, lens: Any, cuts: int, fields: Any) -> list[Parts]:
    """The parts of every field that is asked for; by default of all that are numbers or have few values."""
    known = {name: column[problem.order] for name, column in predictions.fields.items()}
    if fields is None:
        wanted = [
            name
            for name, column in known.items()
            if column.dtype.kind not in "UT" or len(np.unique(column)) <= MOST_VALUES
        ]
        if PREDICTED not in known and (predictions.n_classes > 2 or lens == "top-1"):
            wanted.append(PREDICTED)
    else:
        wanted = [validation.text(name, "fields") for name in validation.several(fields)]
    found = []
    for name in wanted:
        if name in known:
            found.append(parts_of(name, known[name], cuts))
        elif name == PREDICTED:
            classes = np.array(predictions.class_names)[predictions.predicted[problem.order]]
            found.append(parts_of(name, classes, cuts))
        else:
            listed = ", ".join([*known, PREDICTED])
            raise ValueError(f"fields names {name!r}, but the fields of these predictions are: {listed}")
    return found


def parts_of(field: str, column: NDArray[Any], cuts: int) -> Parts:
    """Each value of a column, or quantile cuts of one with more than `cuts` numbers; what is missing is a part."""
    missing = _missing(column)
    there = column[~missing]
    code = np.full(len(column), -1)
    if column.dtype.kind in "UTb" or len(values := np.unique(there)) <= cuts:
        values, place = np.unique(there, return_inverse=True)
        shown = _told(values.astype(np.float64)) if there.dtype.kind == "f" else [str(value) for value in values]
        names = [f"{field} = {value}" for value in shown]
        code[~missing] = place
    else:
        numbers = there if there.dtype.kind in "iuf" else there.astype(np.int64)
        edges = _edges(numbers.astype(np.float64), cuts)
        code[~missing] = np.maximum(np.searchsorted(edges, numbers, "left") - 1, 0)
        said = _told(edges) if there.dtype.kind in "iuf" else [str(edge) for edge in edges.astype(there.dtype)]
        names = [
            f"{low} {'<=' if i == 0 else '<'} {field} <= {high}"
            for i, (low, high) in enumerate(itertools.pairwise(said))
        ]
    if missing.any():
        code[missing] = len(names)
        names.append(f"{field} is missing")
    return Parts(field, tuple(names), code)


def divisions(parts: Sequence[Parts], n: int, depth: int) -> Iterator[Division]:
    """All samples as one segment, then the parts of each field, of each pair of fields, and so on."""
    yield Division(("all samples",), np.arange(n), np.zeros(1, dtype=np.intp))
    for size in range(1, depth + 1):
        for several in itertools.combinations(parts, size):
            code = several[0].code
            for one in several[1:]:  # numbered anew each time: there may be far more pairs than samples
                code = np.unique(code * len(one.names) + one.code, return_inverse=True)[1]
            rows = np.argsort(code, kind="stable")
            starts = np.flatnonzero(np.diff(code[rows], prepend=-1))
            first = rows[starts]  # a sample of each segment
            parts_of_each = zip(*([one.names[k] for k in one.code[first]] for one in several), strict=True)
            yield Division(tuple(map(", ".join, parts_of_each)), rows, starts)


def _missing(column: NDArray[Any]) -> NDArray[np.bool_]:
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind in "mM":
        return np.isnat(column)
    missing: NDArray[np.bool_] = column == "" if column.dtype.kind in "UT" else np.zeros(len(column), dtype=bool)
    return missing


def _edges(numbers: NDArray[np.float64], cuts: int) -> NDArray[np.float64]:
    edges = quantiles_of(numbers, np.ones(len(numbers)), [j / cuts for j in range(cuts + 1)])
    return np.unique(edges)


def _told(numbers: NDArray[np.float64]) -> list[str]:
    """Numbers as text, with as many digits as tell them apart."""
    for digits in range(6, 17):
        said = [f"{number:.{digits}g}" for number in numbers]
        if len(set(said)) == len(numbers):
            break
    return said
