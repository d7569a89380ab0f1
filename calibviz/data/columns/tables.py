"""Tables of named columns, one sample a row: of Arrow, and of pandas or polars."""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import LARGEST_EXACT
from ...foundation.validation import RowError, texts
from ..safeguards import charge, json_value, reading, refuse_many, refuse_repeated, refuse_size
from .choices import Unclear, as_text
from .classes import Labels
from .recognition.content import is_unit

SEVERAL = (list, tuple, dict, np.ndarray)
NUMBERS_IN_BRACKETS = re.compile(r"\[\s*\d+\.?\d*([,\s]+\d+\.?\d*)*[,\s]*\]")
FIRST_ROWS = 20_000  # by which the content of a column is judged
LONGEST_TEXT = 1_000  # letters of a text by which it is judged
MOST_NOTED = 100_000  # rows
LONGEST_NOTE = 40  # letters, for which each text takes as much memory as the longest
LIST_SIZE = 128  # bytes of an array of a few entries, besides these
#: Numbers in groups of three digits, by the sign that stands before these, and those without a group.
FRACTIONS = {",": r"(\.\d+)?", ".": r"(,\d+)?"} | dict.fromkeys("'’\xa0\u202f", r"([.,]\d+)?")
GROUPED = {
    sign: re.compile(rf"[-+]?[1-9]\d{{0,2}}({re.escape(sign)}\d{{3}})+{fraction}")
    for sign, fraction in FRACTIONS.items()
}
UNGROUPED = {sign: re.compile(rf"[-+]?(0|[1-9]\d{{0,2}}){fraction}") for sign, fraction in FRACTIONS.items()}
NUMBERED_CLASS = re.compile(r"(\d+): *([^\d\s].*)")  # as Weka writes them
WHOLE = re.compile(r"(-?\d+)(?:\.0*)?")  # a number that may have a fraction of zeros
#: A number or a list as libraries of Python print it, within a call: tensor(0.08, device='cuda:0'), np.float64(0.08).
PRINTED = re.compile(
    r"\b(?:(?:np|numpy|torch|tf|jnp|decimal)\.)?"
    r"(?:[tT]ensor|[aA]rray|Decimal|float\d*|u?int\d*|bool_?)\(([^()]*)\)"
)
VECTOR = re.compile(r'\{[^{}[\]]*"values":\s*(\[[^{}[\]]*\])\}')  # as Spark writes it: {"type":1,"values":[0.3,0.7]}
PRINTED_TEXT = re.compile(r"""\b(?:np|numpy)\.str_\(('[^']*'|"[^"]*")\)""")
NAME_OF_DIGITS = re.compile(r"[-+]?0\d")
NAMES_ONCE_MORE = " holds the names of the columns once more: remove it"
#: What programs write where a value is missing: R, pandas, Excel, SPSS, SAS and Hive among them.
MISSING = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A", "#NV", "#NULL!", ".", "n.a.", "N.A.",
    "(null)", "\\N", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?",
)  # fmt: skip  # short entries stand in rows
#: Those in place of a number. As labels, marks may be classes; among numbers, people write them where one is missing.
NO_NUMBER = frozenset({*MISSING, "?", "-", "--", "---", "–", "—", "−", "none"})


class ColumnTable(ABC):
    """Named columns of one length."""

    columns: list[str]
    decimal = "."  # what stands before the fraction of a number that is written as text
    #: The names of the classes in their order, of columns whose source keeps them.
    class_names: Mapping[str, list[str]] = MappingProxyType({})
    has_names = True  # whether these look like names of columns
    _kept: NDArray[np.int64] | None = None

    @abstractmethod
    def _stored(self, name: str) -> Any:
        """A column of all rows as an array; a missing entry is None or nan, or one of MISSING in a text."""

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Leave out all rows but these."""
        self._kept = rows
        self._held_labels.clear()

    @cached_property
    def _held_labels(self) -> dict[tuple[str, Any], Labels]:
        return {}

    def column(self, name: str) -> Any:
        """A column as it is stored, categories as their values."""
        column = self._stored(name)
        return column if self._kept is None else column[self._kept]

    def beginning(self, name: str, rows: int) -> Any:
        """The first rows of a column."""
        return self.column(name)[:rows]

    def texts(self, name: str) -> list[str]:
        """A column as text, "" where a value is missing."""
        known = ("" if is_missing(value) else value for value in self.column(name).tolist())
        return texts(known, "row ", f" of column {name!r}")

    def labels(self, name: str, place: tuple[str, str] | None = None) -> Labels:
        """A column of labels; whole numbers have no fraction, also where others are missing. For `place` see Labels."""
        if (name, place) not in self._held_labels:
            self._held_labels[name, place] = self._labels(name, place)
        return self._held_labels[name, place]

    def _labels(self, name: str, place: tuple[str, str] | None = None) -> Labels:
        import pandas as pd  # late, like the others of this file: arrays, the usual case, need none of it

        column = np.asarray(self.column(name))
        if column.dtype.kind == "f":
            codes, values = pd.factorize(column)
            return Labels(codes, [as_text(value) for value in values.tolist()], name, place)
        before, after = ("row ", f" of column {name!r}") if place is None else place
        if column.dtype.kind == "O" and not are_all_texts(column):
            column = np.frompyfunc(_one_label, 1, 1)(column)
            several = next((i for i, value in enumerate(column) if isinstance(value, SEVERAL)), None)
            if several is not None:
                raise RowError(before, several, f"{after} holds several values, not one label")
        codes, values = pd.factorize(column)  # of what is missing -1
        given = texts(values.tolist(), before, after)  # of which a text and a text in bytes may be one
        spelled = _one_spelling([_one_of_numbers(as_written(text)) for text in given])
        return Labels(codes, given, name, place).renamed(dict(zip(given, spelled, strict=True))).without([""])

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Columns of numbers as `values`; a missing one is an error."""
        values = self.values(names)
        lacking = incomplete(values)
        if lacking.any():
            row = int(np.argmax(lacking))
            raise RowError("row ", row, f" of column {first_missing(values[row], names)!r} is missing")
        return values

    def values(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Columns of numbers, shape (n, len(names)), or a column of lists of them, nan where missing."""
        if len(names) == 1 and (rows := self._lists(names[0])) is not None:
            return rows
        columns = [self._numbers(name) for name in names]
        values = np.empty((len(columns[0]), len(names)))
        step = max(256, 2**16 // len(names))  # rows that fit into a processor's cache
        for start in range(0, len(values), step):
            rows = values[start : start + step]
            for j, column in enumerate(columns):
                rows[:, j] = column[start : start + step]
        return values

    def _lists(self, name: str) -> NDArray[np.float64] | None:
        """A column in which each entry lists the numbers of a row; None where it is an ordinary one."""
        column = np.asarray(self.column(name))
        first = next((entry for entry in column if not is_missing(entry)), None) if column.dtype.kind == "O" else None
        if isinstance(first, str) and as_written(first).startswith("["):
            column = np.array([*(_vector(entry) for entry in column), None], dtype=object)[:-1]
            first = next((entry for entry in column if not is_missing(entry)), None)
        if not isinstance(first, list | tuple | np.ndarray):
            return None
        for i, entry in enumerate(column):
            if not is_missing(entry) and not (
                isinstance(entry, list | tuple | np.ndarray) and len(entry) == len(first)
            ):
                held = f"{len(entry)} numbers" if isinstance(entry, list | tuple | np.ndarray) else repr(entry)
                raise RowError("row ", i, f" of column {name!r} holds {held}, but the first holds {len(first)}")
        charge(8 * len(column) * len(first))
        lacking = [np.nan] * len(first)
        try:
            return np.array([np.asarray(lacking if is_missing(e) else e, dtype=np.float64) for e in column])
        except (TypeError, ValueError):
            raise ValueError(f"the column {name!r} holds lists with entries that are no numbers") from None

    def _numbers(self, name: str) -> NDArray[np.float64]:
        """One column of numbers, nan where missing."""
        column = np.asarray(self.column(name))
        if column.dtype.kind in "iuf":
            return column.astype(np.float64, copy=False)
        import pandas as pd

        several = next((i for i, value in enumerate(column) if isinstance(value, SEVERAL)), None)
        if several is not None:
            raise RowError("row ", several, f" of column {name!r} holds several values, not a number")
        codes, values = pd.factorize(np.append(column.astype(object), [None]))
        codes = codes[:-1]
        texts_there = [value for value in values if isinstance(value, str) and value.strip() not in NO_NUMBER]
        percent = any(text.rstrip().endswith("%") for text in texts_there)
        grouped = "," if self.decimal == "." else "."
        if is_grouped(texts_there, grouped):
            values = [value.replace(grouped, "") if isinstance(value, str) else value for value in values]
        parsed = np.empty(len(values) + 1)
        parsed[-1] = np.nan
        for k, value in enumerate(values):
            try:
                parsed[k] = np.nan if is_missing(value) else _parse_number(value, self.decimal, percent)
            except ValueError as error:
                i = int(np.argmax(codes == k))
                if isinstance(value, str) and value.strip() == name:
                    raise RowError("row ", i, NAMES_ONCE_MORE) from None
                placed = RowError("row ", i, f" of column {name!r} is {shortened(value)}, {error}")
                raise (Unclear(placed, *error.ways) if isinstance(error, Unclear) else placed) from None
        return parsed[codes]

    def has_percent_signs(self, name: str) -> bool:
        """Whether the numbers of a column are written with per cent signs."""
        column = np.asarray(self.column(name))
        if column.dtype.kind != "O":
            return False
        known = (str(value) for value in column if not is_missing(value) and str(value).strip() not in NO_NUMBER)
        return next(known, "").rstrip().endswith("%")

    def fields(self, names: Collection[str]) -> dict[str, NDArray[Any]]:
        """Columns by name, as numbers, booleans, dates or text."""
        out = {name: np.asarray(self.column(name)) for name in names}
        for name, column in out.items():
            if column.dtype.kind == "O":
                are_texts = are_all_texts(column)
                different = set(column.tolist()) if are_texts else column
                longest = max(map(letters, different), default=0)
                charge(4 * longest * len(column))  # each entry takes as much as the longest
                out[name] = _of_texts(column) if are_texts else np.array(self.texts(name))
        return out

    def notes(self, names: Collection[str]) -> dict[str, NDArray[Any]]:
        """Columns that say something of single rows, such as ids; of very many rows none, as nobody looks at them."""
        out = {}
        for name in names:
            if len(self.beginning(name, MOST_NOTED + 1)) > MOST_NOTED:
                break
            column = np.asarray(self.column(name))
            is_long = column.dtype.kind == "O" and max(map(letters, column), default=0) > LONGEST_NOTE
            out[name] = np.array(self.texts(name), dtype=object) if is_long else self.fields([name])[name]
        return out


class FirstRows(ColumnTable):
    """The first rows of a table, by which the content of its columns is judged; each is looked at once.

    What they do not show is not so. What holds in each of them may end below: all rows are looked at then.
    """

    def __init__(self, table: ColumnTable, rows: int = FIRST_ROWS) -> None:
        self._table, self.columns, self.decimal, self._rows = table, table.columns, table.decimal, rows
        self._of_rows = table._kept
        self._cells: dict[str, Any] = {}
        self._known: dict[str, NDArray[np.float64] | None] = {}
        self._held: dict[str, Labels | None] = {}
        self._units: dict[str, bool] = {}
        self._unique: dict[str, bool] = {}
        self._every: FirstRows | None = None
        self.families: dict[Any, list[list[str]]] = {}  # of columns whose rows add up to 1, once they are known

    def _stored(self, name: str) -> Any:
        if self._rows == sys.maxsize:
            return self._table.column(name)
        if name not in self._cells:
            self._cells[name] = _without_long_texts(self._table.beginning(name, self._rows))
        return self._cells[name]

    def of_all(self) -> FirstRows:
        """All rows, for what the first ones cannot tell."""
        if self._every is None:
            is_whole = not self.columns or len(self.column(self.columns[0])) < self._rows
            self._every = self if is_whole else FirstRows(self._table, sys.maxsize)
        return self._every

    def and_all(self) -> Iterator[FirstRows]:
        """The first rows, and all rows then, where these are more."""
        yield self
        if (every := self.of_all()) is not self:
            yield every

    def holds(self, is_so: Callable[..., bool], *, held: Iterable[str] = (), numbers: Iterable[str] = ()) -> bool:
        """Whether something is so of columns, as labels and as numbers, in the first rows, and in all rows then.

        It is not so where a column holds something else.
        """
        for rows in self.and_all():
            columns = [*map(rows.held, held), *map(rows.number, numbers)]
            if any(column is None for column in columns) or not is_so(*columns):
                return False
        return True

    def of_kept(self) -> FirstRows:
        """The first rows of those that the table keeps by now: these, unless some were left out meanwhile."""
        return self if self._of_rows is self._table._kept else FirstRows(self._table)

    def _labels(self, name: str, place: tuple[str, str] | None = None) -> Labels:
        return self._table.labels(name) if self._rows == sys.maxsize else super()._labels(name, place)

    def all_differ(self, name: str) -> bool:
        """Whether no value of a column occurs twice in all rows of the table."""
        if name not in self._unique:
            values = None if self.number(name) is None else self.of_all().number(name)
            if values is None:
                column = self._table.column(name).tolist()
                self._unique[name] = len(set(map(str, column))) == len(column)
            else:
                ascends = bool((np.diff(values) > 0).all())  # as most numbers of rows do
                self._unique[name] = ascends or len(np.unique(values)) == len(values)
        return self._unique[name]

    def number(self, name: str) -> NDArray[np.float64] | None:
        """A column of numbers, nan where missing; None where it holds something else."""
        if name not in self._known:
            column = np.asarray(self.column(name))
            try:
                self._known[name] = self._numbers(name) if self._may_be_numbers(column) else None
            except (TypeError, ValueError, OverflowError):
                self._known[name] = None
        return self._known[name]

    def _may_be_numbers(self, column: NDArray[Any]) -> bool:
        """Whether the first entries of a column read as numbers, so that all of them are tried."""
        if column.dtype.kind not in "OU":
            return column.dtype.kind in "iuf"
        grouped = "," if self.decimal == "." else "."
        beginning = [value for value in column[:20] if isinstance(value, str)]
        has_groups = is_grouped(beginning, grouped)
        for value in column[:20]:
            if isinstance(value, (*SEVERAL, bool)):
                return False
            if not is_missing(value) and not has_groups:
                _parse_number(value, self.decimal, str(value).rstrip().endswith("%"))
        return True

    def _numbers(self, name: str) -> NDArray[np.float64]:
        column = np.asarray(self.column(name))
        if column.dtype.kind == "O" and self.decimal == ".":
            try:
                return column.astype(np.float64)  # many times as fast as text by text
            except (TypeError, ValueError):
                pass
        return super()._numbers(name)

    def unit(self, name: str) -> NDArray[np.float64] | None:
        """A column of numbers in [0, 1] that are no decisions; None where it holds something else."""
        values = self.number(name)
        if values is not None and name not in self._units:
            self._units[name] = is_unit(values)
        return values if values is not None and self._units[name] else None

    def units(self, names: Iterable[str]) -> dict[str, NDArray[np.float64]]:
        """The values of those columns that may hold probabilities, by name."""
        return {name: values for name in names if (values := self.unit(name)) is not None}

    def held(self, name: str) -> Labels | None:
        """A column as labels, those that are missing as such; None where it holds lists."""
        if name not in self._held:
            try:
                self._held[name] = self.labels(name).without(MISSING)
            except ValueError:
                self._held[name] = None
        return self._held[name]


class ArrowTable(ColumnTable):
    """The columns of an Arrow table, as in a parquet file."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns = named_columns(table.column_names)
        self.class_names = _class_names((table.schema.metadata or {}).get(b"huggingface", b""))

    def is_boolean(self, name: str) -> bool:
        """Whether a column is boolean; entries may be missing."""
        return str(self._table[name].type) == "bool"

    def beginning(self, name: str, rows: int) -> NDArray[Any]:
        if self._kept is None:
            return self._values(name, self._table[name].slice(0, rows))
        kept = self._kept[:rows]
        return self._values(name, self._table[name].slice(0, max(kept, default=-1) + 1))[kept]

    def _stored(self, name: str) -> NDArray[Any]:
        return self._values(name, self._table[name])

    def _values(self, name: str, column: Any) -> NDArray[Any]:
        with reading(f"the column {name!r}", Exception):
            if str(column.type).startswith(("list<", "large_list<", "fixed_size_list<")):
                refuse_size(LIST_SIZE * len(column))
                if _is_of_categories(column.type.value_type):
                    return _lists_of_shared(column)
            elif _is_of_categories(column.type):
                if str(column.type.value_type).removeprefix("large_") in ("string", "binary"):
                    return _shared(column.chunks)
                column = column.cast(column.type.value_type)
            values = _exact(np.asarray(column.to_numpy()), column.type, column.to_pylist)
        return _with_names(values, self.class_names[name], name) if name in self.class_names else values


def _class_names(metadata: bytes) -> dict[str, list[str]]:
    """The names of the classes of columns that number them, in the metadata that `datasets` of Hugging Face writes."""
    with suppress(AttributeError, LookupError, RecursionError, TypeError, ValueError):
        features = json_value(metadata)["info"]["features"].items()
        named = {name: feature["names"] for name, feature in features if feature.get("_type") == "ClassLabel"}
        return {
            name: names for name, names in named.items() if {*map(type, names)} == {str} and len({*names}) == len(names)
        }
    return {}


def _with_names(numbers: NDArray[Any], names: list[str], column: str) -> NDArray[Any]:
    """Class numbers, -1 or nan where one is missing, as the names of the classes; what is stored otherwise as it is."""
    if numbers.dtype.kind not in "iuf":
        return numbers
    known = np.nan_to_num(numbers, nan=-1)
    if (outside := ~np.isin(known, np.arange(-1, len(names)))).any():
        row = int(np.argmax(outside))
        held = f"is {as_text(known[row])}, but the metadata of the file names {len(names)} classes"
        raise RowError("row ", row, f" of column {column!r} {held}")
    return np.array([*names, None], dtype=object)[known.astype(np.intp)]


def _exact(values: NDArray[Any], kind: Any, entries: Callable[[], list[Any]]) -> NDArray[Any]:
    """The values of a column, as objects where floats would not hold its whole numbers, of which some are missing."""
    if values.dtype.kind == "f" and str(kind).lower().endswith(("int64", "int128")):
        with np.errstate(invalid="ignore"):
            if (np.abs(values) > LARGEST_EXACT).any():
                return np.array(entries(), dtype=object)
    return values


def _is_of_categories(kind: Any) -> bool:
    return hasattr(kind, "value_type") and hasattr(kind, "index_type")


def _shared(chunks: Iterable[Any]) -> NDArray[np.object_]:
    """The texts of a column of categories, rows of one category as one object."""
    parts = [np.empty(0, dtype=object)]
    for chunk in chunks:
        places = chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        texts = chunk.dictionary
        if len(texts) > len(places):  # of few rows, as those by which a column is judged
            used, places = np.unique(np.append(places, -1), return_inverse=True)
            texts, places = texts.take(used[1:]), places[:-1] - 1
        parts.append(np.array([*texts.to_pylist(), None], dtype=object)[places])
    return np.concatenate(parts)


def _lists_of_shared(column: Any) -> NDArray[np.object_]:
    """Lists of texts as arrays of a column of them, in which equal texts are one object."""
    out = np.full(len(column), None, dtype=object)
    row = 0
    for chunk in column.chunks:
        values, start = _shared([chunk.flatten()]), 0
        for size in chunk.value_lengths().to_pylist():
            if size is not None:
                out[row] = values[start : start + size]
                start += size
            row += 1
    return out


class FrameTable(ColumnTable):
    """The columns of a pandas or polars DataFrame."""

    def __init__(self, frame: Any) -> None:
        names = [str(name) for name in frame.columns]
        refuse_many(len(names), "columns")
        refuse_repeated(names, "columns")
        self._frame, self._names = frame, dict(zip(names, frame.columns, strict=True))
        self.columns = named_columns(names)

    def _stored(self, name: str) -> NDArray[Any]:
        import pandas as pd

        column = self._frame[self._names[name]]
        if not isinstance(column, pd.Series):  # of polars
            return _exact(np.asarray(column.to_numpy()), column.dtype, column.to_list)
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            return np.asarray(column.dt.tz_convert(None).to_numpy())
        if isinstance(column.dtype, np.dtype):
            return np.asarray(column.to_numpy())
        values = column.to_numpy(dtype=object)
        present = np.asarray(column.notna())
        plain = np.array([value if known else None for value, known in zip(values, present, strict=True)], dtype=object)
        if present.all() and pd.api.types.is_bool_dtype(column.dtype):
            return plain.astype(bool)
        if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            if present.all():
                return np.array(plain.tolist())
            numbers = np.array([np.nan if value is None else value for value in plain], dtype=np.float64)
            return plain if (np.abs(numbers[present]) > LARGEST_EXACT).any() else numbers
        return plain


class ArrayTable(ColumnTable):
    """Arrays (n,) by name, or lists; where they are of another table, their texts are read as those there."""

    def __init__(self, arrays: Mapping[str, Any], of: ColumnTable | None = None) -> None:
        self._arrays, self.columns = arrays, list(arrays)
        if of is not None:
            self.decimal, self.has_names, self.class_names = of.decimal, of.has_names, of.class_names

    def _stored(self, name: str) -> Any:
        return self._arrays[name]


def _one_label(value: Any) -> Any:
    """The label in a list of one, and the class of which a list of 0 and 1 says that it is the one; any other value."""
    held = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(held, list | tuple) and held:
        if len(held) == 1:
            return held[0]
        if is_one_hot(held):
            return held.index(1)
    return value


def is_one_hot(values: Sequence[Any]) -> bool:
    """Whether one of the values is 1, and all others are 0."""
    return values.count(1) == 1 and values.count(0) == len(values) - 1


def _one_of_numbers(text: str) -> str:
    """The class in a text of numbers, such as "[0, 1, 0]", as `_one_label` tells it; any other text as it is."""
    if not NUMBERS_IN_BRACKETS.fullmatch(text):
        return text
    label = _one_label([float(number) for number in text.strip("[]").replace(",", " ").split()])
    return text if isinstance(label, list) else as_text(label)


def _one_spelling(values: list[str]) -> list[str]:
    """The labels, with one name for 1, 1.0 and True, and without the numbers of Weka: `2:yes` is yes, `1:?` missing."""
    numbered = [NUMBERED_CLASS.fullmatch(value) for value in values]
    known = [part[1] for part in numbered if part and part[2] != "?"]
    if values and all(numbered) and len(set(known)) == len(known):
        return [part[2].removeprefix("?") for part in numbered if part]
    whole = {value: WHOLE.fullmatch(value) for value in values if value not in MISSING}
    plain = {value: part[1] for value, part in whole.items() if part is not None}
    answers = {value: str(int(value.casefold() == "true")) for value in whole if value.casefold() in ("false", "true")}
    if answers and plain and {*plain.values()} <= {"0", "1"}:
        plain |= answers
    if len({*plain.values()}) == len(plain):  # each is a class of its own, as it is written
        return values
    return [plain.get(value, value) for value in values]


def is_grouped(values: Sequence[str], sign: str) -> bool:
    """Whether a column holds numbers, of which one at least has a sign before groups of three digits, and none else."""
    known = (text for value in values if (text := value.strip()) not in NO_NUMBER)
    has_group = None
    for text in known:
        if not (GROUPED if sign in text else UNGROUPED)[sign].fullmatch(text):
            return False
        if has_group is None and not any(sign in value for value in values):  # as in most columns of numbers
            return False
        has_group = has_group or sign in text
    return bool(has_group)


def as_written(text: str) -> str:
    """A text without blanks around it, and without the calls in which Python prints numbers: "tensor(0.08)" is 0.08."""
    text = text.strip()
    if text.startswith("{") and (vector := VECTOR.fullmatch(text)):
        return vector[1]
    if "(" not in text or not text.endswith((")", "]", "}")):
        return text
    text = PRINTED_TEXT.sub(r"\1", text)
    for _ in range(2):  # an array may list numbers that are printed in the same way
        text = PRINTED.sub(lambda call: re.split(r",\s*\w+=", call[1], maxsplit=1)[0].strip(" '\""), text)
    return text


def incomplete(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows (n,) of numbers (n, m) lack one."""
    step = max(256, 2**16 // max(values.shape[1], 1))  # rows that fit into a processor's cache
    lacking = np.zeros(len(values), dtype=bool)
    for start in range(0, len(values), step):
        lacking[start : start + step] = np.isnan(values[start : start + step]).any(axis=1)
    return lacking


def first_missing(values: NDArray[np.float64], names: Sequence[str]) -> str:
    """The column that lacks the first missing number of a row; it may be one column of lists."""
    return names[int(np.argmax(np.isnan(values)))] if len(names) > 1 else names[0]


def named_columns(names: Iterable[str]) -> list[str]:
    """The names without those that pandas gives an unnamed index, which is no field."""
    return [name for name in names if name and not re.fullmatch(r"__index_level_\d+__|Unnamed: 0", name)]


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that no other column has: this one, or with signs behind it."""
    while name in taken:
        name += "_"
    return name


def letters(value: Any) -> int:
    """How much an entry of a column takes as text, at least: its letters, and those of the texts that it lists."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.size
    if isinstance(value, list | tuple | np.ndarray):
        return sum(4 + letters(entry) for entry in value)
    return len(value) if isinstance(value, str | bytes) else 0


def are_all_texts(column: NDArray[np.object_]) -> bool:
    """Whether all entries of a column are texts, or missing; others may be equal and yet written in different ways."""
    import pandas as pd

    return pd.api.types.infer_dtype(column, skipna=True) == "string"


def _of_texts(column: NDArray[np.object_]) -> NDArray[np.str_]:
    """A column of texts, "" where one is missing, of which each different one is written once."""
    import pandas as pd

    codes, values = pd.factorize(column)
    return np.array([*values, ""])[codes]


def _without_long_texts(column: Any) -> Any:
    """A column whose long texts are shortened to their first and last letters, which mostly tell them apart."""
    if getattr(getattr(column, "dtype", None), "kind", "") != "O":
        return column
    if are_all_texts(column) and max(map(letters, set(column.tolist())), default=0) <= LONGEST_TEXT:
        return column
    long = [i for i, value in enumerate(column) if isinstance(value, str | bytes) and len(value) > LONGEST_TEXT]
    if long:
        column, half = column.copy(), LONGEST_TEXT // 2
        for i in long:
            column[i] = column[i][:half] + column[i][-half:]
    return column


def shortened(value: Any) -> str:
    """A value for a message, the beginning of a long one."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."


def _vector(value: Any) -> Any:
    """The numbers in a text such as "[0.1,0.9]"; any other value as it is."""
    text = as_written(value) if isinstance(value, str) else ""
    if not (text.startswith("[") and text.endswith("]")):
        return None if isinstance(value, str) and text in MISSING else value
    try:
        return [float(part) for part in re.split(r"[,;\s]+", text[1:-1].strip())]
    except ValueError:
        return value


def is_missing(value: Any) -> bool:
    """Whether an entry of a column is None, nan, or the mark of pandas for what is missing."""
    import pandas as pd

    return value is None or value is pd.NA or (isinstance(value, float) and value != value)


def _parse_number(value: Any, decimal: str, percent: bool) -> float:
    """A number as it is written, nan where missing; the message of an error follows its place and its value."""
    if not isinstance(value, str):
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ValueError("not a number") from None
    text = as_written(value)
    if text in NO_NUMBER:
        return np.nan
    if percent:
        if not text.endswith("%"):
            raise ValueError("without the per cent sign that other rows have")
        text = text[:-1].rstrip()
    other = "," if decimal == "." else "."
    if text.count(other) == 1 and re.fullmatch(r"[-+\d.,eE]+", text):
        raise Unclear(f"not a number; decimal={other!r} reads it as one", {"decimal": other})
    try:
        if "_" in text:  # Python reads 0_1 as 1
            raise ValueError
        number = float(text.replace(decimal, ".").replace("−", "-"))
    except ValueError:
        way = "" if re.search(r"\d|^\w+$", text) else "; where it marks that the number is missing, leave it empty"
        raise ValueError(f"not a number{way}") from None
    return number / 100 if percent else number
