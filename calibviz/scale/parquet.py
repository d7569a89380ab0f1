"""Parts of parquet files: whole row groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns.choices import Account, Arguments, NoOptions, ReadingOptions
from ..data.columns.classes import class_labels, class_numbers
from ..data.columns.known_names import (
    LABELS,
    PREFIXES,
    SCORES,
    known_column,
    may_forbid,
    numbered_columns,
    one_of,
    weight_column,
)
from ..data.columns.table_roles import table_arguments
from ..data.columns.tables import ArrowTable
from ..data.readers import ParquetFile, parquet_files
from ..data.safeguards import Budget, budgeted
from ..foundation.validation import RowError, listed
from .first_rows import FIRST_ROWS, OpeningOptions, judged, other_reading
from .passes import Part

#: Without such names as `prediction`, which may hold decisions: that shows in the values, of which none is read here.
PROBABILITIES = SCORES[:-1]


@dataclass(frozen=True)
class _ParquetColumns:
    """The role of each column. Of p_0, p_1, ... only prefix and number are kept: every part carries this record.

    A single column holds the probabilities of the second class, or lists those of all, whose number is `numbered`.
    `answers` are the two values of labels that are no numbers, beside such a column.
    """

    label: str
    weight: str | None
    single: str | None
    prefix: str
    numbered: int
    class_names: tuple[str, ...] | None
    fields: tuple[str, ...]
    answers: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the classes; None where they are numbers."""
        return self.answers or self.class_names

    @property
    def probs(self) -> list[str]:
        if self.single is not None:
            return [self.single]
        if self.class_names is not None:
            return list(self.class_names)
        return [f"{self.prefix}{k}" for k in range(self.numbered)]

    @property
    def all(self) -> list[str]:
        return [self.label, *([self.weight] if self.weight else []), *self.probs, *self.fields]


def _row_groups(file: ParquetFile, columns: _ParquetColumns, limit: str | int | None) -> dict[str, Any]:
    """The arguments of `Predictions` in row groups of one file."""
    with budgeted(Budget(Path(file.path), limit, math.inf)):
        table = ArrowTable(file.table(columns.all))
        probs = table.numbers(columns.probs)
        fields = table.fields(columns.fields)
        for name, values in fields.items():
            if table.is_boolean(name) and values.dtype.kind != "b":
                row = table.texts(name).index("")
                raise RowError("row ", row, f" of column {name!r}, which holds true and false, is missing")
        arguments: dict[str, Any] = {
            "probs": probs[:, 0] if probs.shape[1] == 1 else probs,
            "labels": _labels(table, columns),
            "fields": fields,
            "class_names": columns.names,
        }
        return arguments | ({"weights": table.numbers([columns.weight])[:, 0]} if columns.weight else {})


def _labels(table: ArrowTable, columns: _ParquetColumns) -> NDArray[Any]:
    labels = table.column(columns.label)
    if labels.dtype.kind in "biu" and columns.names is None:
        return labels
    known = table.labels(columns.label)
    if (known.codes < 0).any():
        raise RowError("row ", int(np.argmin(known.codes)), f" of column {known.name!r} is missing")
    if columns.answers is not None:
        folded = {name.casefold(): name for name in columns.answers}
        spelled = {value: folded.get(value.casefold(), value) for value in known.values}
        return np.asarray(class_labels(known.renamed(spelled), columns.answers, Account())["labels"])
    if columns.class_names is None:
        return class_numbers(known, Account(), columns.numbered or None)
    return np.array(known.values)[known.codes]


def parquet_parts(
    path: Path, class_names: tuple[str, ...] | None, asked: OpeningOptions, account: Account
) -> tuple[list[Part], Sequence[str]]:
    """The parts of a file or a folder of files, and the names of the classes."""
    own = [] if asked.cluster is None else [asked.cluster]
    files, stored = parquet_files(path, [*(class_names or []), *(asked.fields or []), *own], account)
    columns = _judged(files[0], stored, _columns(stored, class_names, asked.fields, account, own), asked, account)
    names = columns.names or [str(k) for k in range(max(2, columns.numbered))]
    most = asked.rows_of_part(len(names))
    parts: list[Part] = []
    start = 0
    for file in files:
        where = str(Path(file.path).relative_to(path.absolute())) if path.is_dir() else path.name
        for first, last in _runs(file.rows, most):
            some = file.some(first, last)
            held = sum(some.rows)
            if held:
                place = f"{where}, rows {start:,} to {start + held - 1:,}: "
                parts.append(Part(start, held, place, partial(_row_groups, some, columns, asked.limit)))
            start += held
    return parts, names


def _judged(
    file: ParquetFile, stored: Sequence[str], columns: _ParquetColumns, asked: OpeningOptions, account: Account
) -> _ParquetColumns:
    """Return the roles without fields that are none by what they hold, and refuse what the first rows speak against."""
    names = columns.class_names
    choices = ReadingOptions(prob=names, classes=names, cluster=asked.cluster)
    seen = Account()
    looked_at = [*columns.all, *(name for name in stored if may_forbid(name) and name not in columns.all)]

    def read() -> Arguments:
        with budgeted(Budget(Path(file.path), asked.limit, math.inf)):
            return table_arguments(ArrowTable(file.table(looked_at, first=FIRST_ROWS)), choices, seen)

    arguments = judged(read, asked.normalize, seen)
    account.taken = seen.taken
    if arguments is None:
        return columns
    if otherwise := other_reading(columns.label, columns.probs, seen):
        raise ValueError(otherwise)
    if columns.single is not None and (listed_classes := np.shape(arguments["probs"])[1:]):
        columns = replace(columns, numbered=listed_classes[0])
    elif columns.single is not None and "class_names" in arguments:
        columns = replace(columns, answers=tuple(arguments["class_names"]))
    left = [] if asked.fields is not None else [name for name in columns.fields if name not in arguments["fields"]]
    if left:
        account.say(f"not fields: {', '.join(left)}")
    return replace(columns, fields=tuple(name for name in columns.fields if name not in left))


def _runs(sizes: Sequence[int], most: int) -> Iterable[tuple[int, int]]:
    """Runs of row groups that hold at most so many rows, or are one group."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + most, "right")))
        yield first, last
        first = last


def _columns(
    stored: Sequence[str],
    class_names: tuple[str, ...] | None,
    wanted: list[str] | None,
    account: Account,
    own: Sequence[str],
) -> _ParquetColumns:
    """The roles of columns; `own` is that of the clusters, which is always a field."""
    known, of_classes = set(stored), set(class_names or ())
    others = [name for name in stored if name not in of_classes]
    label = known_column(others, LABELS, "labels", account)
    weight = weight_column(others, NoOptions(), account)
    if label is None:
        raise ValueError(
            f"found no labels among the columns {listed(stored)}: expected `label`, `labels` or `outcome` (`y_true`, "
            "`target`, ...)"
        )
    single: str | None = None
    families: dict[str, list[str]] = {}
    if class_names is None:
        single, families = _scores([name for name in others if name not in (label, weight)], account)
        if len(families) + (single is not None) != 1:
            raise ValueError(
                f"the probabilities among the columns {listed(stored)} are not clear: name them p_0, p_1, ... or "
                "a single one `prob`; cv.open_predictions also takes their names as class_names"
            )
    elif strangers := [name for name in class_names if name not in known]:
        raise ValueError(f"class_names: no column of scores is named {strangers[0]!r}; there are {listed(stored)}")
    prefix, numbered = next(iter(families.items()), ("", []))
    if numbered and ({f"{prefix}{k}" for k in range(len(numbered))} != set(numbered) or len(numbered) < 2):
        raise ValueError(
            f"the columns {prefix}0, {prefix}1, ... of two classes or more must all be there: found {listed(numbered)}"
        )
    taken = set(_ParquetColumns(label, weight, single, prefix, len(numbered), class_names, ()).all)
    fields = [name for name in stored if name not in taken]
    free = set(fields)
    for argument, named in (("fields", wanted or ()), ("cluster", own)):
        for name in named:
            if name not in free:
                raise ValueError(f"{argument}: no column is named {name!r}; there are {listed(fields)}")
    read = fields if wanted is None else dict.fromkeys([*wanted, *own])
    return _ParquetColumns(label, weight, single, prefix, len(numbered), class_names, tuple(read))


def _scores(columns: Sequence[str], account: Account) -> tuple[str | None, dict[str, list[str]]]:
    """The single column of probabilities, or numbered ones by their prefix; other names count where p and p_0 lack."""
    single, families = one_of(columns, SCORES[0]), numbered_columns(columns, PREFIXES[:1])
    if single is None and not families:
        families = numbered_columns(columns, PREFIXES)
    if single is None and not families:
        single = known_column(columns, PROBABILITIES, "probabilities", account)
    return single, families
