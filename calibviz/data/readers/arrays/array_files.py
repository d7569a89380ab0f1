"""Files of arrays, .npz, .npy, .safetensors and texts of bare numbers, and those of their labels in another file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from ....foundation.validation import listed
from ...columns.array_roles import named_labels
from ...columns.choices import Account, Arguments, OfTruth, ReadingOptions, Unclear
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
    """The arguments of `Predictions` in a text of separated values, or of bare numbers."""
    arrays = None if isinstance(choices, OfTruth) else bare_numbers(file)
    if arrays is None:
        return table_arguments(CsvTable(file, choices, account), choices, account)
    return _arguments(arrays, choices, account)


def _arguments(arrays: NamedArrays, choices: ReadingOptions, account: Account) -> Arguments:
    if choices.truth is None:
        return array_arguments(arrays, choices, account)
    return _with_truth(arrays, Path(choices.truth), choices, account)


def _with_truth(arrays: NamedArrays, truth: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments where the labels are an array of another file, of as many rows."""
    shown = f"truth={choices.truth!r}"
    if not truth.exists():
        raise ValueError(f"{shown}: there is no such file")
    refuse_irregular(truth)
    bare = None if truth.suffix.lower() in ARRAYS else bare_numbers(truth)
    if bare is None and truth.suffix.lower() not in ARRAYS:
        arrays_alone = f"arrays, {' or '.join(ARRAYS)}, or in a text of bare numbers"
        raise ValueError(f"{shown}: the labels of arrays must stand in {arrays_alone}, of as many rows")
    try:
        with one_state(truth, shown), opened_arrays(truth) if bare is None else nullcontext(bare) as others:
            names = list(others.headers)
            known = names if len(names) == 1 else named_labels(names)
            if choices.label is not None and choices.label in names:
                known = [choices.label]
            if len(known) != 1:
                said = f"{shown}: which of {listed(names)} holds the labels? label='...' names it"
                raise Unclear(said, *({"label": name} for name in names))
            label = truth.stem if known[0] in arrays.headers else known[0]
            if label in arrays.headers:
                label = truth.name
            values = others[known[0]]
    except Unclear:
        raise
    except ValueError as error:
        raise ValueError(f"{shown}: {error}") from error

    arrays.add(label, values)
    return array_arguments(arrays, choices.changed(label=label), account)
