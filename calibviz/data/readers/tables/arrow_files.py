"""Arrow files and streams, Feather among them; what a message unpacks to is charged before pyarrow believes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....foundation.packages import needed
from ...columns.choices import Account, ReadingOptions
from ...columns.tables import ArrowTable
from ...safeguards import charge, reading, refuse_many, refuse_repeated
from .arrow_messages import claims, is_file
from .parquet_files import chosen_columns, leave_out, nested_columns

VIEW = "string_view"  # texts as polars writes them
ENTRY_SIZE = 8  # bytes of an entry of a column as NumPy has it


def arrow_table(file: Path, choices: ReadingOptions, account: Account) -> ArrowTable:
    """The columns of an Arrow file or stream that hold single values or lists of them, texts as categories."""
    arrow = needed("pyarrow", f"reading {file.suffix.lower() or 'Arrow files'}", "io", "save the table as .csv")
    charge(file.stat().st_size)
    content = memoryview(file.read_bytes())
    with reading("the Arrow file", ValueError):
        claimed = list(claims(content))
    charge(sum(size for size, _ in claimed))
    batches = []
    opened = arrow.ipc.open_file if is_file(content) else arrow.ipc.open_stream
    with reading("the Arrow file", Exception), opened(arrow.py_buffer(content)) as reader:
        schema = reader.schema
        refuse_many(len(schema.names), "columns")
        refuse_repeated(schema.names, "columns")
        charge(sum(rows for _, rows in claimed) * ENTRY_SIZE * len(schema.names))
        count = getattr(reader, "num_record_batches", None)
        for batch in reader if count is None else map(reader.get_batch, range(count)):
            batch.validate(full=True)  # or a place outside of a buffer would be read
            batches.append(batch)
        table = arrow.Table.from_batches(batches, schema=schema)
    nested = nested_columns(schema)
    leave_out(nested, chosen_columns(choices), account)
    if not len(table):
        raise ValueError("the file has columns but no rows")
    with reading("the Arrow file", Exception):
        for i, field in enumerate(schema):
            if field.name not in nested:
                table = table.set_column(i, field.name, _texts_once(table[field.name], arrow))
        return ArrowTable(table.drop_columns(list(nested)) if nested else table)


def _texts_once(column: Any, arrow: Any) -> Any:
    """A column in which each different text takes memory once; any other as it is."""
    kind = str(column.type)
    if kind in ("string", "large_string"):
        return column.dictionary_encode()
    if kind == VIEW:
        return column.cast(arrow.large_string()).dictionary_encode()
    if arrow.types.is_dictionary(column.type) and str(column.type.value_type) == VIEW:
        parts = [(chunk.indices, chunk.dictionary.cast(arrow.large_string())) for chunk in column.chunks]
        return arrow.chunked_array([arrow.DictionaryArray.from_arrays(*part) for part in parts])
    return column
