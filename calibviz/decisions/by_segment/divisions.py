"""How samples fall into segments: the parts of a field, and the combined parts of several fields."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...context.conditions import And, Condition, joined


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of one field."""

    names: tuple[str, ...]  # such as "site = North" or "3 < day <= 9"
    words: tuple[str, ...]  # such as "site = North" or "day 4 to 9"
    conditions: tuple[Condition, ...]  # which keep their samples
    code: NDArray[np.intp]  # shape (n,): the number of the part of each sample


@dataclass(frozen=True, eq=False)
class Division:
    """Segments that do not overlap, with their samples."""

    names: tuple[str, ...]
    words: tuple[str, ...]
    conditions: tuple[tuple[Condition, ...], ...]  # which together keep the samples of a segment
    rows: NDArray[np.intp]  # the places of their samples in the problem, segment by segment, each ascending
    starts: NDArray[np.intp]  # where each segment begins in `rows`

    def segments(self) -> Iterator[tuple[str, NDArray[np.intp]]]:
        """Each segment: its name, and the ascending places of its samples."""
        yield from zip(self.names, np.split(self.rows, self.starts[1:]), strict=True)

    def kept(self, keep: NDArray[np.bool_]) -> Division:
        """Return the division with only some of its segments."""
        size = np.diff(self.starts, append=len(self.rows))
        names, words = (tuple(itertools.compress(texts, keep)) for texts in (self.names, self.words))
        conditions = tuple(itertools.compress(self.conditions, keep))
        starts = (np.cumsum(size[keep]) - size[keep]).astype(np.intp)
        return Division(names, words, conditions, self.rows[np.repeat(keep, size)], starts)


def divisions(parts: Sequence[Parts], n: int, depth: int) -> Iterator[Division]:
    """All samples as one segment, then the parts of each field, of each pair of fields, and so on."""
    yield Division(("all samples",), ("all samples",), ((),), np.arange(n), np.zeros(1, dtype=np.intp))
    for size in range(1, depth + 1):
        for fields in itertools.combinations(parts, size):
            code = fields[0].code
            for field in fields[1:]:  # codes are numbered anew, since there may be far more pairs than samples
                code = np.unique(code * len(field.names) + field.code, return_inverse=True)[1]
            rows = np.argsort(code, kind="stable")
            starts = np.flatnonzero(np.diff(code[rows], prepend=-1))
            first = rows[starts]  # a sample of each segment
            codes_of_each = zip(*(field.code[first].tolist() for field in fields), strict=True)
            made_of: list[list[tuple[Parts, int]]] = [list(zip(fields, codes, strict=True)) for codes in codes_of_each]
            names = tuple(", ".join(field.names[k] for field, k in each) for each in made_of)
            words = tuple(", ".join(field.words[k] for field, k in each) for each in made_of)
            conditions = tuple(tuple(field.conditions[k] for field, k in each) for each in made_of)
            yield Division(names, words, conditions, rows, starts)


def selection_text(conditions: Iterable[Condition | None]) -> str:
    """The text of a selection that asks for all of these; empty where there is nothing to ask for."""
    asked = list(dict.fromkeys(joined((condition for condition in conditions if condition is not None), And)))
    return str(And(tuple(asked))) if asked else ""
