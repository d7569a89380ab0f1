"""Parts of parquet files: whole row groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns.choices import Account, Arguments, NoOptions, ReadingOptions
from ..data.columns.classes import class_numbers
from ..data.columns.table_roles import table_arguments
from ..data.columns.tables import ArrowTable
from ..data.readers import ParquetFile, parquet_files
from ..data.safeguards import Budget, budgeted
from ..foundation.validation import RowError, listed
from .first_rows import FIRST_ROWS, OpeningOptions, judged
from .passes import Part

LARGEST_ENTRY = 100_000  # bytes of the probabilities of a row in a list


class _OfParts(ReadingOptions):
    """The options by which the first rows are read, of which no user passes a weight."""

    as_field = NoOptions.as_field


@dataclass(frozen=True)
class _ParquetColumns:
    """The role of each column, as the first rows show it."""

    label: str
    weight: str | None
    probs: tuple[str, ...]  # a single column holds the probabilities of the second class, or lists those of all
    fields: tuple[str, ...]
    #: The number of classes that have probabilities; 1 where a single column holds those of the second of two.
    width: int
    numbers: Mapping[str, int]  # the class of each label; empty where these are class numbers
    names: tuple[str, ...] | None  # the names of the classes; None where they are numbers
    of_confidence: bool

    @classmethod
    def of(cls, table: ArrowTable, arguments: Arguments, account: Account) -> _ParquetColumns:
        """The roles that a table was read by."""
        [label, *_] = account.named("label")
        weight = next(iter(account.named("weight")), None)
        probs, names = tuple(account.named("probability", "confidence")), arguments.get("class_names")
        held, fields = table.labels(label), tuple(arguments["fields"])
        numbers = {value: int(arguments["labels"][held.first(value)]) for value in held.present} if names else {}
        known = {name: k for k, name in enumerate(names or ())} | numbers
        known = {value.casefold(): k for value, k in known.items()} | known
        width, of_confidence = np.atleast_2d(arguments["probs"].T).shape[0], bool(arguments.get("of_confidence"))
        return cls(label, weight, probs, fields, width, known, names and tuple(names), of_confidence)

    def arguments(self, table: ArrowTable) -> Arguments:
        """The arguments of `Predictions` in some rows, without fields."""
        probs = table.numbers(self.probs)
        arguments = {"probs": probs if self.width > 1 else probs[:, 0], "labels": self._labels(table)}
        return arguments | ({"weights": table.numbers([self.weight])[:, 0]} if self.weight else {})

    def _labels(self, table: ArrowTable) -> NDArray[Any]:
        labels = table.column(self.label)
        if labels.dtype.kind in "biu" and self.names is None:
            return labels
        known = table.labels(self.label)
        if (known.codes < 0).any():
            raise RowError("row ", int(np.argmin(known.codes)), f" of column {known.name!r} is missing")
        if self.names is None:
            return class_numbers(known, Account(), self.width if self.width > 1 else None)
        numbers = {value: self.numbers.get(value, self.numbers.get(value.casefold())) for value in known.present}
        for value, number in numbers.items():
            if number is None:
                raise known.error(known.first(value), f"is {value!r}, but the classes are {listed(self.names)}")
        return known.numbered(numbers)


def _row_groups(file: ParquetFile, columns: _ParquetColumns, limit: str | int | None) -> Arguments:
    """The arguments of `Predictions` in row groups of one file."""
    read = [columns.label, *([columns.weight] if columns.weight else []), *columns.probs, *columns.fields]
    with budgeted(Budget(Path(file.path), limit, math.inf)):
        table = ArrowTable(file.table(read))
        fields = table.fields(columns.fields)
        for name, values in fields.items():
            if table.is_boolean(name) and values.dtype.kind != "b":
                row = table.texts(name).index("")
                raise RowError("row ", row, f" of column {name!r}, which holds true and false, is missing")
        return columns.arguments(table) | {"fields": fields, "class_names": columns.names}


def parquet_parts(
    path: Path, class_names: tuple[str, ...] | None, asked: OpeningOptions, account: Account
) -> tuple[list[Part], Sequence[str]]:
    """The parts of a file or a folder of files, and the names of the classes."""
    own = [] if asked.cluster is None else [asked.cluster]
    files, stored = parquet_files(path, [*(class_names or []), *(asked.fields or []), *own], account)
    columns = _columns(files[0], stored, class_names, asked, account)
    names = columns.names or [str(k) for k in range(max(2, columns.width))]
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
                read = partial(_row_groups, some, columns, asked.limit)
                parts.append(Part(start, held, place, read, columns.of_confidence))
            start += held
    return parts, names


def _columns(
    file: ParquetFile,
    stored: Sequence[str],
    class_names: tuple[str, ...] | None,
    asked: OpeningOptions,
    account: Account,
) -> _ParquetColumns:
    """The roles of columns in the first rows; what these speak against, and what parts cannot repeat, is refused."""
    if strangers := [name for name in class_names or () if name not in stored]:
        raise ValueError(f"class_names: no column of scores is named {strangers[0]!r}; there are {listed(stored)}")
    fields = None if asked.fields is None else tuple(asked.fields)
    choices = _OfParts(prob=class_names, classes=class_names, fields=fields, cluster=asked.cluster)
    with budgeted(Budget(Path(file.path), asked.limit, math.inf)):
        if fields is not None:  # pictures, say, that are no fields are not looked at
            sizes, named = file.sizes(), (*fields, asked.cluster)
            stored = [name for name in stored if name in named or sizes[name] <= LARGEST_ENTRY]
        table = ArrowTable(file.table(stored, first=FIRST_ROWS))

        def read() -> Arguments:
            return table_arguments(table, choices, account)

        arguments = judged(read, asked.normalize, account) or read()
        try:
            columns = _ParquetColumns.of(table, arguments, account)
            repeated = columns.arguments(table)
            roles = "probs", "labels", "weights"
            if all(np.array_equal(repeated.get(role, ()), arguments.get(role, ())) for role in roles):
                return columns
        except (LookupError, TypeError, ValueError):  # such as of rows that lack a class each
            pass
    said = f" ({'; '.join(account.assumed)})" if account.assumed else ""
    raise ValueError(
        f"these columns hold what is not read in parts{said}; cv.read_predictions reads them: write what it reads to a "
        "file of its own"
    )


def _runs(sizes: Sequence[int], most: int) -> Iterable[tuple[int, int]]:
    """Runs of row groups that hold at most so many rows, or are one group."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + most, "right")))
        yield first, last
        first = last
