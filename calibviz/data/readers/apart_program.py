"""A program by itself: what libraries of other people read of a file, written to its output; see `apart`.

    python apart_program.py KIND FILE BYTES OPTIONS

It imports nothing of calibviz, and takes no more memory than BYTES beyond what the libraries need to start, where the
system can bound that. An error is a line of JSON; what is read is a line that tells the columns, and these.
"""

from __future__ import annotations

import array
import json
import math
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

Columns = dict[str, list[Any]]
CELL_SIZE = 120  # bytes of a cell of a workbook, or of a text besides its letters, in Rust or C and in Python
NUMBER_SIZE = 48  # of a number
STATISTICS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
MOST_ABOVE, ROWS_BELOW = 20, 30  # rows above the names of the columns, and below them, that are looked at
TOO_LARGE, DAMAGED = "large", "damaged"


class NotRead(Exception):
    """An error with its kind and what it tells."""

    def __init__(self, kind: str, *details: Any) -> None:
        super().__init__(kind)
        self.kind, self.details = kind, details


def bound(size: int) -> None:
    """Bound the memory of this process to what it has by now and so many bytes."""
    try:
        resource = import_module("resource")
        with open("/proc/self/statm") as stream:
            pages = int(stream.read().split()[0])
        most = pages * resource.getpagesize() + size
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass  # not Linux: what the file claims is checked all the same


def workbook(file: str, size: int, options: dict[str, Any]) -> Columns:
    """The only sheet that holds a table, or that of a name."""
    calamine = import_module("python_calamine")
    bound(size)
    book = calamine.CalamineWorkbook.from_path(file)
    wanted = options.get("sheet")
    if wanted is not None and wanted not in book.sheet_names:
        raise NotRead("sheets", book.sheet_names)
    shown = [sheet.name for sheet in book.sheets_metadata if "Visible" in str(sheet.visible).split(".")]
    names = [wanted] if wanted is not None else shown or book.sheet_names
    tables = {}
    for name in names:
        sheet = book.get_sheet_by_name(name)
        if sheet.height * sheet.width * CELL_SIZE > size:
            raise NotRead(TOO_LARGE, sheet.height * sheet.width * CELL_SIZE)
        rows = [row for row in sheet.to_python() if any(value not in ("", None) for value in row)]
        if rows and (len(rows) > 1 or wanted is not None):
            tables[name] = rows
    if len(tables) != 1:
        raise NotRead("tables", list(tables), book.sheet_names)
    [(name, rows)] = tables.items()
    above = rows_above(rows)
    header, *body = rows[above:]
    return {
        "header": header,
        "columns": [list(column) for column in zip(*body, strict=True)] or [[] for _ in header],
        "sheet": [name, above],
    }


def rows_above(rows: list[list[Any]]) -> int:
    """How many rows, such as those of a title, stand above the names of the columns: they are filled less."""
    looked_at = rows[: MOST_ABOVE + ROWS_BELOW]
    filled = [[v for v in row if v is not None and not (isinstance(v, str) and not v.strip())] for row in looked_at]
    usual = max(map(len, filled))
    for k, held in enumerate(filled[:MOST_ABOVE]):
        of_index = looked_at[k][0] in ("", None)  # which pandas writes without a name
        if len(held) >= max(2, usual - of_index) and all(isinstance(value, str) for value in held):
            is_title = k > 0 and len(filled[0]) <= max(1, usual - 2) and max(map(len, filled[:k])) < usual
            return k if is_title and k + 2 < len(filled) else 0
    return 0


def statistics(file: str, size: int, options: dict[str, Any]) -> Columns:
    """The columns of a file of SPSS or SAS; values with a label each become their labels."""
    library = import_module("pyreadstat")
    read: Callable[..., Any] = getattr(library, STATISTICS[options["ending"]])
    bound(size)
    _, meta = read(file, metadataonly=True)
    widths = [_width(name, meta) for name in meta.column_names]
    if (meta.number_rows or 0) * sum(widths) > size:
        raise NotRead(TOO_LARGE, meta.number_rows * sum(widths))
    held, meta = read(file, output_format="dict")
    labels = getattr(meta, "variable_value_labels", None) or {}
    columns = [
        _labelled(list(values.tolist() if hasattr(values, "tolist") else values), labels.get(name))
        for name, values in held.items()
    ]
    return {"header": list(held), "columns": columns}


def _width(name: str, meta: Any) -> int:
    """The bytes of an entry of a column in Python."""
    kind = (getattr(meta, "readstat_variable_types", None) or {}).get(name, "double")
    return CELL_SIZE + 4 * (meta.variable_storage_width or {}).get(name, 8) if kind == "string" else NUMBER_SIZE


def _labelled(values: list[Any], labels: dict[Any, str] | None) -> list[Any]:
    """The labels of values where each value has one, and each label one value; else the values."""
    if not labels or len(set(labels.values())) < len(labels):
        return values
    named = {}
    for value in set(map(_known, values)) - {None}:
        label = labels.get(value)
        if not label:
            return values
        named[value] = str(label)
    return [None if _known(value) is None else named[_known(value)] for value in values]


def _known(value: Any) -> Any:
    """A value, None where it is missing."""
    return None if value is None or value == "" or value != value else value


def packed(values: list[Any]) -> tuple[str, bytes]:
    """A column as numbers of eight bytes, nan where missing, or as JSON."""
    numbers = [math.nan if (known := _known(value)) is None else known for value in values]
    if all(type(value) in (int, float) and abs(value) <= 2**53 for value in numbers if value == value):
        return "numbers", array.array("d", numbers).tobytes()
    return "json", json.dumps([_plain(_known(value)) for value in values]).encode()


def _plain(value: Any) -> Any:
    """A value as JSON has it; dates as texts of ISO 8601."""
    if hasattr(value, "isoformat"):
        text = str(value.isoformat())
        return text.removesuffix("T00:00:00")
    return value if value is None or isinstance(value, str | int | float) else str(value)


def main(kind: str, file: str, size: str, options: str) -> None:
    """Read a file and write what it holds."""
    out = sys.stdout.buffer
    try:
        held = {"workbook": workbook, "statistics": statistics}[kind](file, int(size), json.loads(options))
        blocks = [packed(column) for column in held.pop("columns")]
        head = held | {"blocks": [[form, len(block)] for form, block in blocks]}
        out.write(json.dumps(head, default=_plain).encode() + b"\n")
        for _, block in blocks:
            out.write(block)
    except NotRead as refused:
        out.write(json.dumps({"error": refused.kind, "details": refused.details}).encode() + b"\n")
    except ModuleNotFoundError as error:
        out.write(json.dumps({"error": "module", "details": [error.name]}).encode() + b"\n")
    except MemoryError:
        out.write(json.dumps({"error": TOO_LARGE, "details": [int(size)]}).encode() + b"\n")
    except BaseException as error:  # panics of Rust are no exceptions
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        out.write(json.dumps({"error": DAMAGED, "details": [reason]}).encode() + b"\n")
    out.flush()
    os._exit(0)  # without what libraries do at the end


if __name__ == "__main__":
    main(*sys.argv[1:])
