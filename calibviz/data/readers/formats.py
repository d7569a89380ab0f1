"""Formats of files: each with its reader and its preview, and the endings of names by which it is known."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..columns.choices import Account, Arguments, ReadingOptions
from ..columns.table_roles import table_arguments
from ..columns.tables import ColumnTable
from .arrays.array_files import read_arrays, read_text
from .arrays.netcdf import read_netcdf
from .arrays.zarr_stores import read_zarr
from .previews import (
    Preview,
    preview_arrays,
    preview_csv,
    preview_dataset,
    preview_eval,
    preview_json,
    preview_log,
    preview_parquet,
    preview_stata,
    preview_table,
)
from .records.eval_archives import read_eval
from .records.json_documents import read_json, read_log
from .refused import REFUSED, refusal
from .signatures import KINDS, ZIP, ending_by_content
from .tables.arrow_files import arrow_table
from .tables.parquet_files import parquet_table
from .tables.statistics_files import stata_table, statistics_table
from .tables.workbooks import sheet_table


@dataclass(frozen=True)
class FileFormat:
    """How files of a format are read."""

    read: Callable[[Path, ReadingOptions, Account], Arguments]  # gives the arguments of `Predictions`
    preview: Callable[[Path, ReadingOptions], Preview]  # gives the first rows
    is_text: bool = False  # whether files may be packed, as `.csv.gz`


def of_tables(
    table: Callable[[Path, ReadingOptions, Account], ColumnTable],
    preview: Callable[[Path, ReadingOptions], Preview] | None = None,
    is_text: bool = False,
) -> FileFormat:
    """The format of files that are read as tables, which `table` opens; a large one has a preview of its own."""
    return FileFormat(
        lambda file, choices, account: table_arguments(table(file, choices, account), choices, account),
        preview or (lambda file, choices: preview_table(table(file, choices, Account()))),
        is_text,
    )


FORMATS = {
    ".npz": FileFormat(read_arrays, preview_arrays),
    ".csv": FileFormat(read_text, preview_csv, is_text=True),
    ".parquet": of_tables(parquet_table, preview_parquet),
    ".nc": FileFormat(read_netcdf, preview_dataset),
    ".zarr": FileFormat(read_zarr, preview_dataset),
    ".jsonl": FileFormat(read_log, preview_log, is_text=True),
    ".json": FileFormat(read_json, preview_json, is_text=True),
    ".xlsx": of_tables(sheet_table),
    ".dta": of_tables(stata_table, preview_stata),
    ".sav": of_tables(statistics_table),
    ".feather": of_tables(arrow_table),
    ".npy": FileFormat(read_arrays, preview_arrays),
    ".safetensors": FileFormat(read_arrays, preview_arrays),
    ".eval": FileFormat(read_eval, preview_eval),
}
OF_JSON = {FORMATS[".json"], FORMATS[".jsonl"]}  # each of which reads both
#: Other endings of the same formats.
LIKE = {
    ".tsv": ".csv", ".txt": ".csv", ".ndjson": ".jsonl", ".xls": ".xlsx", ".xlsb": ".xlsx", ".ods": ".xlsx",
    ".zsav": ".sav", ".por": ".sav", ".sas7bdat": ".sav", ".xpt": ".sav", ".arrow": ".feather", ".ipc": ".feather",
}  # fmt: skip  # short entries stand in rows
#: The endings of files; a store of .zarr is a folder.
ENDINGS = tuple(ending for ending in (*FORMATS, *LIKE) if ending != ".zarr")
PACKED = ".gz"
EXPECTED = f"{', '.join(FORMATS)} (or {', '.join(LIKE)}; texts also packed as .gz)"


def format_of(file: Path, shown: str) -> FileFormat:
    """The format of a file, by its ending, or by how it begins where that is none; messages call the file `shown`."""
    packed = file.suffix.lower() == PACKED
    ending = Path(file.stem).suffix.lower() if packed else file.suffix.lower()
    if file.is_dir() and ending != ".zarr":
        if next(file.rglob("*.parquet"), None) is None:
            raise ValueError(f"{shown}: expected a file ending in {EXPECTED}, not a directory")
        ending = ".parquet"
    known = FORMATS.get(LIKE.get(ending, ending))
    if known is None and not packed and ending not in REFUSED:
        with file.open("rb") as stream:
            ending = ending_by_content(stream)
        known = FORMATS.get(LIKE.get(ending, ending))
    if ending == PACKED:
        raise ValueError(f"{shown}: the file is packed: rename it to what it holds, such as {file.stem}.csv.gz")
    if (said := refusal(ending)) is not None:
        raise ValueError(f"{shown}: {said}")
    if known is None or (packed and not known.is_text):
        raise ValueError(f"{shown}: expected a file ending in {EXPECTED}, not one ending in {file.suffix.lower()!r}")
    return known


def disguise(file: Path) -> str | None:
    """Return what a file is by its first bytes, and how to open it, where its name says something else; else None."""
    name = Path(file.stem) if file.suffix.lower() == PACKED else file
    named = name.suffix.lower()
    known = FORMATS.get(LIKE.get(named, named))
    if file.is_dir() or known is None or named == ".zarr":  # a file of that name is a store that was packed
        return None
    with file.open("rb") as stream:
        ending = ending_by_content(stream)
    if ending == PACKED and file.suffix.lower() == PACKED:
        return None
    found = FORMATS.get(LIKE.get(ending, ending))
    is_other_text = known.is_text and (ending == ".csv" or (found is not None and {known, found} == OF_JSON))
    if not ending or found is known or is_other_text:
        return None
    is_it = f"the file is named {named}, but is {KINDS.get(ending, f'a {ending} file')} by its first bytes"
    if ending == ZIP:  # a damaged one where the format is one, too
        return f"{is_it}: unpack it, and read the file in it" if known.is_text else None
    if (said := refusal(ending)) is not None:
        return f"{is_it}: {said}"
    if ending == PACKED:
        return f"{is_it}: rename it to {file.name}{PACKED}"
    return f"{is_it}: " + ("no table of predictions" if found is None else f"rename it to {file.stem}{ending}")


def ending_of(title: str, content: bytes) -> str:
    """The ending of an open file, by its name, or else by how its content begins."""
    ending = "".join(part for part in Path(title).suffixes[-2:] if part in (*FORMATS, *LIKE, *REFUSED, PACKED))
    found = ending or ending_by_content(io.BytesIO(content)) or ".csv"
    return f".csv{PACKED}" if found == PACKED else found
