"""Tables of predictions, one sample a row: .csv and .parquet."""

from __future__ import annotations

import array
import csv
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TextIO

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import ROW_SUM_TOLERANCE
from ...foundation.validation import RowError, listed, texts
from .common import NAMES, Arguments, one_of, reading, refuse_many, refuse_repeated

LONGEST_LINE = 2**24
NAME_OF_DIGITS = re.compile(r"[-+]?0\d")
LARGEST_EXACT = 2**53  # a float does not hold every whole number above
MISSING = ("", "NA", "NaN", "nan")
EXPECTED = (
    "expected comma-separated columns `label` (or `labels`, `outcome`), and p_0, p_1, ... or a single `prob` (or `p`) "
    "or one column named after each class"
)
WAY_OUT = "name the probability columns p_0, p_1, ... and number the labels"


class TextTable(Protocol):
    """A table of named columns, which are read one by one when they are asked for."""

    columns: list[str]

    def texts(self, name: str) -> list[str]:
        """A column as text, "" where a value is missing."""

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Columns of numbers, shape (n, len(names)); anything else is an error."""

    def fields(self, names: Collection[str]) -> dict[str, NDArray[Any]]:
        """Columns by name, as numbers, booleans, dates or text."""


def read_csv(file: Path) -> Arguments:
    """The arguments of `Predictions` in a text file of comma-separated values with a header."""
    with _open(file) as text:
        return table_arguments(CsvTable(text))


def _open(file: Path) -> TextIO:
    return file.open(encoding="utf-8-sig", newline="")


def csv_line(file: Path, row: int) -> int | None:
    """The line, counted from 1, at which a row of samples, counted from 0, ends; None where there is no such row."""
    with _open(file) as text:
        rows = csv.reader(text, skipinitialspace=True)
        values = next(islice(filter(None, rows), row + 1, None), None)
        return None if values is None else rows.line_num


class CsvTable:
    """A `TextTable` that reads its text again for every question, since a large one would fill the memory."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        header = [name.strip() for name in next(self._rows(), [])]
        if not header:
            raise ValueError("the file is empty")
        refuse_many(len(header), "columns")
        self.columns = [name for name in header if name]
        self._places = {name: place for place, name in enumerate(header)}

    def _rows(self) -> Iterator[list[str]]:
        """The header and the rows below it, all of one length; blank lines are skipped."""
        self._text.seek(0)
        with reading("the UTF-8 text", csv.Error, UnicodeDecodeError):
            lines = iter(partial(self._text.readline, LONGEST_LINE), "")
            rows = csv.reader(lines, strict=True, skipinitialspace=True)
            width = 0
            for row in filter(None, rows):
                width = width or len(row)
                if len(row) != width:
                    raise ValueError(f"line {rows.line_num} has {len(row)} values, but the header has {width} names")
                yield row

    def _body(self, names: Collection[str]) -> Iterator[list[str]]:
        """The values of some columns, row by row; the speed of `numbers` depends on it."""
        places = [self._places[name] for name in names]
        rows = self._rows()
        next(rows)
        return ([row[place] for place in places] for row in rows)

    def texts(self, name: str) -> list[str]:
        return [value.strip() for [value] in self._body([name])]

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        values = array.array("d")
        for i, row in enumerate(self._body(names)):
            try:
                if "_" in "".join(row):  # Python reads 0_1 as 1
                    raise ValueError
                values.extend(map(float, row))
            except ValueError:
                for value, name in zip(row, names, strict=True):
                    _parse_number(value, i, name)
        return _refuse_missing(np.frombuffer(values).reshape(-1, len(names)), names)

    def fields(self, names: Collection[str]) -> dict[str, NDArray[Any]]:
        columns = zip(*self._body(names), strict=True) if names else ()
        return {name: _convert([v.strip() for v in column]) for name, column in zip(names, columns, strict=True)}


def _convert(column: Sequence[str]) -> NDArray[Any]:
    """Text as whole numbers, numbers (nan where missing) or booleans, where every entry reads as one.

    Whole numbers stay text where they are too large for an integer, or large and missing in places, since floats would
    make neighbours equal.
    """
    # Python reads 1_2 as 12, and would read the name 007 as 7.
    if any("_" in value or NAME_OF_DIGITS.match(value) for value in column):
        return np.array(column)
    try:
        return np.array([int(value) for value in column], dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        values = np.array([np.nan if value in MISSING else float(value) for value in column])
        if (np.abs(values) > LARGEST_EXACT).any() and any(re.fullmatch(r"[-+]?\d{16,}", value) for value in column):
            return np.array(column)
        return values
    except ValueError:
        lower = np.array([value.lower() for value in column])
        return lower == "true" if np.isin(lower, ["true", "false"]).all() else np.array(column)


class ArrowTable:
    """A `TextTable` of the columns of an Arrow table, as in a parquet file."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns = named_columns(table.column_names)

    def is_boolean(self, name: str) -> bool:
        """Whether a column is boolean; entries may be missing."""
        return str(self._table[name].type) == "bool"

    def column(self, name: str) -> NDArray[Any]:
        """A column as it is stored, categories as their values."""
        with reading(f"the column {name!r}", Exception):
            column = self._table[name]
            if hasattr(column.type, "value_type") and hasattr(column.type, "index_type"):  # categories
                column = column.cast(column.type.value_type)
            return np.asarray(column.to_numpy())

    def texts(self, name: str) -> list[str]:
        known = ("" if value is None or value != value else value for value in self.column(name).tolist())
        return texts(known, "row ", f" of column {name!r}")

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        out = np.empty((self._table.num_rows, len(names)))
        for j, name in enumerate(names):
            column = self.column(name)
            if column.dtype.kind in "iuf":
                out[:, j] = column
            else:
                out[:, j] = [_parse_number(value, i, name) for i, value in enumerate(column.tolist())]
        return _refuse_missing(out, names)

    def fields(self, names: Collection[str]) -> dict[str, NDArray[Any]]:
        out = {name: self.column(name) for name in names}
        for name, column in out.items():
            if column.dtype.kind == "O":
                known = ("" if value is None else value for value in column.tolist())
                out[name] = np.array(texts(known, "row ", f" of column {name!r}"))
            elif column.dtype.kind == "f" and (np.abs(column) > LARGEST_EXACT).any():
                stored = self._table[name]
                if str(stored.type).endswith("int64"):  # whole numbers, some of them missing
                    out[name] = np.array(["" if value is None else str(value) for value in stored.to_pylist()])
        return out


def named_columns(names: Iterable[str]) -> list[str]:
    """The names without those that pandas gives an unnamed index, which is no field."""
    return [name for name in names if not re.fullmatch(r"__index_level_\d+__", name)]


def _parse_number(value: Any, row: int, name: str) -> float:
    value = value.strip() if isinstance(value, str) else value
    if value is None or value in MISSING:
        raise RowError("row ", row, f" of column {name!r} is missing")
    try:
        if "_" in str(value):  # Python reads 0_1 as 1
            raise ValueError
        return float(value)
    except (TypeError, ValueError):
        raise RowError("row ", row, f" of column {name!r} is {value!r}, not a number") from None


def _refuse_missing(values: NDArray[np.float64], names: Sequence[str]) -> NDArray[np.float64]:
    missing = np.isnan(values)
    if missing.any():
        row, j = np.argwhere(missing)[0]
        raise RowError("row ", row, f" of column {names[j]!r} is missing")
    return values


def table_arguments(table: TextTable) -> Arguments:
    """The arguments of `Predictions` in a table, by the rules of `calibviz.read_predictions`."""
    refuse_repeated(table.columns, "columns")
    label, weight = one_of(table.columns, NAMES["labels"]), one_of(table.columns, NAMES["weights"])
    if label is None and len(table.columns) == 1 and (other := next((c for c in ";\t" if c in table.columns[0]), None)):
        name = {";": "semicolons", "\t": "tabs"}[other]
        raise ValueError(f"the columns are separated by {name}: separate them by commas")
    if label is None:
        raise ValueError(f"found no labels among the columns {listed(table.columns) or '(none)'}: {EXPECTED}")
    labels = table.texts(label)
    if not labels:
        raise ValueError("the file has columns but no rows")
    if "" in labels:
        raise RowError("row ", labels.index(""), f" of column {label!r} is missing")
    others = [name for name in table.columns if name not in (label, weight)]
    chosen, form = _find_probabilities(others, labels)
    probs = table.numbers(chosen)
    taken = set(chosen)
    fields = table.fields([name for name in others if name not in taken])
    arguments: Arguments = {"probs": probs[:, 0] if form == "single" else probs, "fields": fields}
    if form == "named":
        _refuse_hidden_class(probs, chosen, fields)
        arguments |= {"labels": labels, "class_names": chosen}
    else:
        arguments["labels"] = class_numbers(labels, label)
    if weight is not None:
        arguments["weights"] = table.numbers([weight])[:, 0]
    return arguments


def _find_probabilities(columns: list[str], labels: list[str]) -> tuple[list[str], str]:
    """The columns that hold the probabilities, in the order of the classes, and the form they are in."""
    classes, known = set(labels), set(columns)
    named = [name for name in columns if name in classes] if classes <= known else []
    free = [name for name in columns if name not in classes] if named else columns
    forms = {
        "named": named,
        "numbered": [name for name in free if re.fullmatch(r"p_\d+", name)],
        "single": [name for name in free if name in ("prob", "p")],
    }
    forms_there = [form for form, names in forms.items() if names]
    if not forms_there:
        stranger = next(i for i, label in enumerate(labels) if label not in known)
        if classes & known:
            raise RowError("row ", stranger, f" of the labels is {labels[stranger]!r}, but no column is named so")
        unnamed = "" if labels[0].isdecimal() else f", none of which is named after the label {labels[0]!r}"
        raise ValueError(f"found no probabilities among the columns {listed(columns) or '(none)'}{unnamed}: {EXPECTED}")
    if len(forms_there) > 1 or len(forms["single"]) > 1:
        candidates = [name for names in forms.values() for name in names]
        raise ValueError(f"each of the columns {listed(candidates)} could hold probabilities: rename those that do not")
    form = forms_there[0]
    if form == "named" and len(named) == 1:
        raise ValueError(f"every label is {named[0]!r}, which does not tell the classes: {WAY_OUT}")
    if form == "numbered":
        ordered = [f"p_{i}" for i in range(len(forms[form]))]
        for name in ordered:
            if name not in known:
                raise ValueError(f"the column {name!r} is missing: found {listed(forms[form])}")
        return ordered, form
    return forms[form], form


def class_numbers(labels: list[str], name: str) -> NDArray[Any]:
    """Labels that are numbers, or true and false, as class numbers; other labels are refused."""
    if {label.lower() for label in set(labels)} <= {"true", "false"}:
        return np.array([label.lower() == "true" for label in labels], dtype=np.int64)
    numbers = np.empty(len(labels))
    for i, label in enumerate(labels):
        try:
            numbers[i] = _parse_number(label, i, name)
        except ValueError:
            raise RowError(
                "row ",
                i,
                f" of column {name!r} is {label!r}, neither a class number nor the name of a column: "
                "number the classes from 0, or name one probability column after each class",
            ) from None
    return numbers


def _refuse_hidden_class(probs: NDArray[np.float64], chosen: list[str], fields: dict[str, NDArray[Any]]) -> None:
    """Refuse to guess whether a column of probabilities is a field or a class that no label names."""
    numeric = [
        name
        for name, column in fields.items()
        if column.dtype.kind in "if" and ((column >= 0) & (column <= 1 + ROW_SUM_TOLERANCE)).all()
    ]
    off = np.abs(probs.sum(axis=1) - 1) > ROW_SUM_TOLERANCE
    if numeric and off.any():
        i = int(np.argmax(off))
        raise RowError(
            "row ",
            i,
            f" of the columns that the labels name, {listed(chosen)}, sums to {probs[i].sum():.6g}; if classes "
            f"that no label names are among {listed(numeric)}, {WAY_OUT}",
        )
