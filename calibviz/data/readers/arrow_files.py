"""Arrow files and streams, Feather among them; what a message unpacks to is charged before pyarrow believes it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from ..columns.choices import Account, Arguments, ReadingOptions
from ..columns.table_roles import table_arguments
from ..columns.tables import ArrowTable
from ..safeguards import charge, reading, refuse_many, refuse_repeated
from .apart import IO_EXTRA
from .arrow_messages import claims, stream_of
from .parquet_files import chosen_columns, leave_out, nested_columns

ENTRY_SIZE = 8  # bytes of an entry of a column as NumPy has it


def read_arrow(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in an Arrow file or stream."""
    return table_arguments(ArrowTable(arrow_table(file, choices, account)), choices, account)


def arrow_table(file: Path, choices: ReadingOptions, account: Account) -> Any:
    """The columns of a file that hold single values or lists of them, texts as categories."""
    try:
        arrow = import_module("pyarrow")
    except ImportError:
        ending = file.suffix.lower() or "Arrow files"
        raise ImportError(f"reading {ending} needs pyarrow: {IO_EXTRA}, or save the table as .csv") from None
    charge(file.stat().st_size)
    content = memoryview(file.read_bytes())
    with reading("the Arrow file", ValueError):
        stream = stream_of(content)
        claimed = list(claims(stream))
    charge(sum(size for size, _ in claimed))
    batches = []
    with reading("the Arrow file", Exception), arrow.ipc.open_stream(arrow.py_buffer(stream)) as reader:
        schema = reader.schema
        refuse_many(len(schema.names), "columns")
        refuse_repeated(schema.names, "columns")
        charge(sum(rows for _, rows in claimed) * ENTRY_SIZE * len(schema.names))
        for batch in reader:
            batch.validate(full=True)  # or a place outside of a buffer would be read
            batches.append(batch)
        table = arrow.Table.from_batches(batches, schema=schema)
    nested = nested_columns(schema)
    leave_out(nested, chosen_columns(choices), account)
    if not len(table):
        raise ValueError("the file has columns but no rows")
    with reading("the Arrow file", Exception):
        for i, field in enumerate(schema):
            if field.name not in nested and _is_text(arrow.types, field.type):
                table = table.set_column(i, field.name, table[field.name].dictionary_encode())
        return table.drop_columns(list(nested)) if nested else table


def _is_text(types: Any, kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))
