"""The first rows of a file as text, also of one that cannot be read as predictions yet."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ..columns.choices import Account, ReadingOptions, as_text
from ..columns.tables import ArrowTable, ColumnTable
from ..safeguards import json_value
from ..shapes.records import flattened
from .arrays.array_files import opened_arrays
from .arrays.netcdf import opened_netcdf
from .arrays.zarr_stores import opened_zarr
from .records.eval_archives import samples_of
from .records.json_documents import document_in, is_log, records_of
from .records.logs import charged_text, value_of
from .tables.parquet_files import parquet_files
from .tables.statistics_files import stata_table
from .tables.text_tables import CsvTable, as_utf8, opened_text, read_bytes

MOST_ROWS, MOST_LINES, MOST_BYTES = 5, 250, 2**18
LONGEST_LINE, LONGEST_ENTRY = 200, 40  # characters


@dataclass(frozen=True)
class Preview:
    """The first rows of a file, and the names of its columns."""

    columns: tuple[str, ...] = ()  # the names of columns, keys or arrays; empty where they are not known
    #: The first rows, or the first lines where there are no columns; of arrays the shapes.
    rows: tuple[tuple[str, ...], ...] = ()
    places: tuple[str, ...] = ()  # what each row is: "line 2" of a text, "row 0" of another table, "shape" of arrays


def preview_arrays(file: Path, choices: ReadingOptions) -> Preview:
    """The shapes of the arrays in a file."""
    with opened_arrays(file) as arrays:
        return _of_arrays({name: shape for name, (shape, _) in arrays.headers.items()})


def preview_dataset(file: Path, choices: ReadingOptions) -> Preview:
    """The shapes of the variables in a netCDF file or in a zarr store."""
    with (opened_zarr if file.suffix.lower() == ".zarr" else opened_netcdf)(file) as dataset:
        return _of_arrays({str(name): variable.shape for name, variable in dataset.variables.items()})


def preview_parquet(path: Path, choices: ReadingOptions) -> Preview:
    """The first rows of a parquet file, or of a folder of such files."""
    files, names = parquet_files(path)
    return preview_table(ArrowTable(files[0].table(names, first=MOST_ROWS)))


def preview_log(file: Path, choices: ReadingOptions) -> Preview:
    """The first records of a log, or its first lines where they are no records."""
    content = _first_lines(file)
    lines = _lines(content)
    try:
        records = [json_value(line) for line in lines.values()]
    except (ValueError, RecursionError):
        records = []
    if not records or not all(isinstance(record, dict) for record in records):
        with suppress(ValueError):
            if document_in(whole := charged_text(read_bytes(file), Account())) is not None and not is_log(whole):
                return preview_json(file, choices)
        return _of_lines(content)
    return _of_records(records, tuple(lines))


def preview_json(file: Path, choices: ReadingOptions) -> Preview:
    """The first records of a document or of a log, however it is named."""
    content = charged_text(read_bytes(file), Account())
    if is_log(content):
        return preview_log(file, choices)
    records, _ = records_of(value_of(content, "the text"), Account())
    return _of_records(records[:MOST_ROWS], tuple(f"record {i}" for i in range(len(records[:MOST_ROWS]))))


def preview_eval(file: Path, choices: ReadingOptions) -> Preview:
    """The first samples of a log of inspect_ai."""
    records = samples_of(file, MOST_ROWS)
    return _of_records(records, tuple(f"sample {i}" for i in range(len(records))))


def preview_stata(file: Path, choices: ReadingOptions) -> Preview:
    """The first rows of a file of Stata."""
    return preview_table(stata_table(file, choices, Account(), MOST_ROWS))


def preview_csv(file: Path, choices: ReadingOptions) -> Preview:
    """The first rows of a table in a text, or its first lines where it is no table."""
    content = _first_lines(file)
    try:
        table = CsvTable(content, choices, Account())
        return preview_table(table, lambda row: f"line {table.line(row)}")
    except ValueError:
        return _of_lines(content)


def _of_records(records: list[Any], places: tuple[str, ...]) -> Preview:
    flat = flattened(records)
    keys = list(dict.fromkeys(key for record in flat for key in record))
    rows = tuple(tuple(_entry(record.get(key)) for key in keys) for record in flat)
    return Preview(tuple(keys), rows, places)


def _of_arrays(shapes: dict[str, tuple[int, ...]]) -> Preview:
    row = tuple(" × ".join(f"{size:,}" for size in shape) for shape in shapes.values())
    return Preview(tuple(shapes), (row,), ("shape",))


def preview_table(table: ColumnTable, place: Callable[[int], str] = "row {}".format) -> Preview:
    """The first rows of a table."""
    values = [[_entry(value) for value in table.beginning(name, MOST_ROWS).tolist()] for name in table.columns]
    rows = tuple(zip(*values, strict=True))
    return Preview(tuple(table.columns), rows, tuple(map(place, range(len(rows)))))


def _entry(value: Any) -> str:
    """A value as text, the beginning of a long one; empty where it is missing. A whole number has no fraction."""
    value = getattr(value, "tolist", lambda: value)()
    if value is None or (isinstance(value, float) and value != value):
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else as_text(value)
    return text if len(text) <= LONGEST_ENTRY else f"{text[:LONGEST_ENTRY]} …"


def _of_lines(content: bytes) -> Preview:
    lines = _lines(content)
    return Preview((), tuple((line[:LONGEST_LINE],) for line in lines.values()), tuple(lines))


def _lines(content: bytes) -> dict[str, str]:
    """The first lines of a text that hold something, by their place in it."""
    lines = enumerate(content.decode(errors="replace").splitlines(), start=1)
    return dict(islice(((f"line {number}", line) for number, line in lines if line.strip()), MOST_ROWS))


def _first_lines(file: Path) -> bytes:
    """The first whole lines of a text, in UTF-8."""
    with opened_text(file) as stream:
        content = stream.read(MOST_BYTES)
        whole = content if not stream.read(1) else content[: content.rfind(b"\n") + 1] or content
    return b"".join(as_utf8(whole, Account()).splitlines(keepends=True)[:MOST_LINES])
