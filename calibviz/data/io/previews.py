"""The first rows of a file as text, also of one that cannot be read as predictions yet."""

from __future__ import annotations

import gzip
import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .archives import ERRORS_OF_DAMAGE, array_shapes
from .choices import Account, ReadingOptions
from .common import reading
from .netcdf import opened_netcdf
from .parquet_files import parquet_files
from .tables import ArrowTable, ColumnTable
from .text_tables import CsvTable, as_utf8

MOST_ROWS, MOST_LINES, MOST_BYTES = 5, 250, 2**18
LONGEST_LINE, LONGEST_ENTRY = 200, 40  # characters


@dataclass(frozen=True)
class Preview:
    """What a file begins with.

    Attributes
    ----------
    columns : tuple of str
        The names of columns, keys or arrays; empty where they cannot be told.
    rows : tuple of tuple of str
        The first rows, or the first lines where there are no columns; of arrays the shapes.
    heading : str
        What stands before the number of each row; of arrays, instead of it.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    heading: str = "row"


def preview(file: Path, choices: ReadingOptions) -> Preview:
    """The first rows of a file whose ending a reader knows.

    Raises
    ------
    ImportError, ValueError
        Where the file is damaged, or a library lacks that reads it.
    """
    ending = Path(file.stem if file.suffix.lower() == ".gz" else file.name).suffix.lower()
    match ending:
        case ".npz":
            with reading("the .npz archive", *ERRORS_OF_DAMAGE), zipfile.ZipFile(file) as archive:
                return _of_arrays(array_shapes(archive))
        case ".nc":
            with opened_netcdf(file) as dataset:
                return _of_arrays({str(name): variable.shape for name, variable in dataset.variables.items()})
        case ".parquet":
            parts, _ = parquet_files(file)
            return _of_table(ArrowTable(parts[0].some(0, 1).table().slice(0, MOST_ROWS)))
        case ".jsonl" | ".ndjson":
            return _of_log(_first_lines(file))
        case _:
            return _of_text(_first_lines(file), choices)


def _of_arrays(shapes: dict[str, tuple[int, ...]]) -> Preview:
    row = tuple(" × ".join(f"{size:,}" for size in shape) for shape in shapes.values())
    return Preview(tuple(shapes), (row,), "shape")


def _of_table(table: ColumnTable) -> Preview:
    values = [[_entry(value) for value in table.column(name)[:MOST_ROWS].tolist()] for name in table.columns]
    return Preview(tuple(table.columns), tuple(zip(*values, strict=True)))


def _of_log(content: bytes) -> Preview:
    lines = [line for line in content.decode(errors="replace").splitlines() if line.strip()][:MOST_ROWS]
    try:
        records = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        records = []
    if not records or not all(isinstance(record, dict) for record in records):
        return _of_lines(lines)
    keys = list(dict.fromkeys(key for record in records for key in record))
    return Preview(tuple(keys), tuple(tuple(_entry(record.get(key)) for key in keys) for record in records))


def _entry(value: Any) -> str:
    """A value as text, the beginning of a long one; empty where it is missing."""
    value = getattr(value, "tolist", lambda: value)()
    if value is None or (isinstance(value, float) and value != value):
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    return text if len(text) <= LONGEST_ENTRY else f"{text[:LONGEST_ENTRY]} …"


def _of_text(content: bytes, choices: ReadingOptions) -> Preview:
    try:
        return _of_table(CsvTable(content, choices, Account()))
    except ValueError:
        return _of_lines(content.decode(errors="replace").splitlines()[:MOST_ROWS])


def _of_lines(lines: list[str]) -> Preview:
    return Preview((), tuple((line[:LONGEST_LINE],) for line in lines), "line")


def _first_lines(file: Path) -> bytes:
    """The first whole lines of a text, in UTF-8."""
    opened = gzip.open if file.suffix.lower() == ".gz" else open
    with reading("the text", OSError, EOFError, zlib.error), opened(file, "rb") as stream:
        content = stream.read(MOST_BYTES)
        whole = content if not stream.read(1) else content[: content.rfind(b"\n") + 1] or content
    return b"".join(as_utf8(whole, Account()).splitlines(keepends=True)[:MOST_LINES])
