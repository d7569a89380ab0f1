"""Files of arrays, .npz, .npy, .safetensors and texts of bare numbers, and those of their labels in another file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ....foundation.validation import listed
from ...columns.array_roles import named_labels
from ...columns.choices import Account, Arguments, InMemory, OfTruth, ReadingOptions, Unclear
from ...columns.table_roles import table_arguments
from ...columns.tables import ArrayTable
from ..checked_zips import opened_zip
from ..signatures import ending_in
from ..steady import one_state, refuse_irregular
from ..tables.text_tables import CsvTable
from .bare_numbers import bare_numbers
from .named_arrays import NamedArrays, array_arguments
from .npy_files import arrays_of, npy_array
from .safetensors import tensors_of

ARRAYS = (".npz", ".npy", ".safetensors")
TEXTS = (".csv", ".gz")  # by what they hold
UNNAMED = "0"  # as pandas calls a column without a name


@contextmanager
def opened_arrays(file: Path) -> Iterator[NamedArrays]:
    """The arrays of a file, by the ending of its name."""
    ending = ending_in(file, ARRAYS)
    if ending == ".npz":
        with opened_zip(file, "the .npz archive", "arrays") as archive:
            yield arrays_of(archive)
    else:
        yield (npy_array if ending == ".npy" else tensors_of)(file)


def read_arrays(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in arrays; a single one of records is a table."""
    with opened_arrays(file) as arrays:
        if len(arrays.headers) == 1:
            [(name, (_, dtype))] = arrays.headers.items()
            if dtype.names and choices.truth is None:
                records = arrays[name].ravel()
                table = ArrayTable({field: records[field] for field in dtype.names})
                return table_arguments(table, choices, account)
        return _arguments(arrays, choices, account)


def read_text(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a text of separated values, of bare numbers, or of one column beside labels."""
    arrays = None if isinstance(choices, OfTruth) else bare_numbers(file)
    numbers: Sequence[Any] = ()
    if arrays is None:
        table = CsvTable(file, choices, account)
        if choices.truth is not None:
            arrays, numbers = _series(file, table, account)
        if arrays is None:
            return table_arguments(table, choices, account)
    return _arguments(arrays, choices, account, numbers)


def _series(file: Path, table: CsvTable, account: Account) -> tuple[NamedArrays | None, Sequence[Any]]:
    """The array of a table with one column, as a Series of pandas is written, and the numbers of its rows if any.

    None of a table with more columns.
    """
    if len(table.columns) != 1:
        return None, ()
    numbers: list[Any] = []
    with suppress(KeyError):
        numbers = table.column("").tolist()
    [column] = table.columns
    name, values = file.stem if column == UNNAMED else column, table.fields([column])[column]
    if table.has_percent_signs(column):
        values, account.has_percent_signs = table.numbers([column])[:, 0], True
        account.say("probabilities in per cent")
    return NamedArrays({name: (values.shape, values.dtype)}, {name: values}.__getitem__), numbers


def _arguments(
    arrays: NamedArrays, choices: ReadingOptions, account: Account, numbers: Sequence[Any] = ()
) -> Arguments:
    """The arguments of `Predictions` in arrays, whose rows may have numbers of their own."""
    if choices.truth is None:
        return array_arguments(arrays, choices, account)
    if isinstance(choices.truth, InMemory):
        raise ValueError("truth: the labels of arrays must stand in a file")
    truth, shown = Path(choices.truth), f"truth={choices.truth!r}"
    if not truth.exists():
        raise ValueError(f"{shown}: there is no such file")
    refuse_irregular(truth)
    try:
        with one_state(truth, shown):
            label, values = _labels_in(truth, arrays, numbers, choices, account)
    except Unclear as unclear:
        raise Unclear(f"{shown}: {unclear}", *unclear.ways) from None
    except ValueError as error:
        raise ValueError(f"{shown}: {error}") from error
    arrays.add(label, values)
    return array_arguments(arrays, choices.changed(label=label), account)


def _labels_in(
    truth: Path, arrays: NamedArrays, numbers: Sequence[Any], choices: ReadingOptions, account: Account
) -> tuple[str, NDArray[Any]]:
    """The name and the values of the labels of arrays, which are an array of another file, of as many rows."""
    ending = ending_in(truth, ARRAYS)
    bare = bare_numbers(truth) if ending in TEXTS else None
    others = bare
    theirs: Sequence[Any] = ()
    if ending in TEXTS and bare is None:
        others, theirs = _series(truth, CsvTable(truth, ReadingOptions(), Account()), Account())
    if ending not in ARRAYS and others is None:
        kinds = f"arrays, {' or '.join(ARRAYS)}, or in a text of one column"
        raise ValueError(f"the labels of arrays must stand in {kinds}, of as many rows")
    row = next((i for i, (ours, other) in enumerate(zip(numbers, theirs, strict=False)) if ours != other), None)
    if row is not None:
        raise ValueError(
            f"row {row} has the number {theirs[row]} there, but {numbers[row]} beside the probabilities: where the "
            "order is the same, write both without these numbers, as by index=False"
        )
    with opened_arrays(truth) if others is None else nullcontext(others) as held:
        names = list(held.headers)
        known = names if len(names) == 1 else named_labels(names)
        if choices.label is not None and choices.label in names:
            known = [choices.label]
        if len(known) != 1:
            ways = [{"label": name} for name in names]
            raise Unclear(f"which of {listed(names)} holds the labels? label='...' names it", *ways)
        label = truth.stem if known[0] in arrays.headers else known[0]
        values = held[known[0]]
    rows = {shape[:1] for shape, _ in arrays.headers.values()}
    if bare is not None and (len(values),) not in rows and (len(values) - 1,) in rows and values[0] == 0:
        account.say(f"the first line of {truth.name!r}, {UNNAMED}, is the name of its column")
        values = values[1:]
    return truth.name if label in arrays.headers else label, values
