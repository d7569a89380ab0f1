"""Parquet files, alone or in folders; their columns and sizes are known before any rows are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from ...foundation.validation import listed
from ..columns.choices import Account, Arguments, ReadingOptions
from ..columns.table_roles import table_arguments
from ..columns.tables import ArrowTable, named_columns
from ..safeguards import reading, refuse_many, refuse_repeated
from .parquet_pages import charge_groups
from .steady import State, one_state, refuse_link, settled_state


@dataclass(frozen=True)
class ParquetFile:
    """Row groups of a file.

    Attributes
    ----------
    path : str
    groups : tuple of int
    rows : tuple of int
        The number of rows of each group.
    seen : tuple
        The state of the file when it was opened.
    folders : tuple of (name, value)
        Fields from the names of folders, such as `day=2024-01-31`.
    """

    path: str
    groups: tuple[int, ...]
    rows: tuple[int, ...]
    seen: State
    folders: tuple[tuple[str, Any], ...] = ()

    def some(self, start: int, stop: int) -> ParquetFile:
        """The row groups from `start` to `stop`."""
        return replace(self, groups=self.groups[start:stop], rows=self.rows[start:stop])

    def table(
        self, columns: Sequence[str] | None = None, name: str = "the parquet file", first: int | None = None
    ) -> Any:
        """The Arrow table of some columns, by default of all, and of the first rows; messages call the file `name`."""
        pyarrow = import_module("pyarrow")
        from_folders = {name: value for name, value in self.folders if columns is None or name in columns}
        wanted = None if columns is None else [name for name in columns if name not in from_folders]
        with one_state(Path(self.path), name, self.seen), _opened(self.path, name) as content:
            if first is None:
                charge_groups(Path(self.path), content, self.groups, wanted)
                table = content.read_row_groups(list(self.groups), columns=wanted)
            else:
                charge_groups(Path(self.path), content, self.groups[:1], wanted, first)
                batch = next(content.iter_batches(first, list(self.groups), columns=wanted))
                table = pyarrow.Table.from_batches([batch])
        for column, value in from_folders.items():
            table = table.append_column(column, pyarrow.array([value] * len(table)))
        return table


@contextmanager
def _opened(path: str, name: str) -> Iterator[Any]:
    """An open file, whose texts are read as categories: each different one takes memory once."""
    parquet = import_module("pyarrow.parquet")
    with reading(name, Exception):
        with parquet.ParquetFile(path) as content:
            metadata, schema = content.metadata, content.schema
        columns = [schema.column(i) for i in range(len(schema))]
        texts = [column.path for column in columns if _is_flat_text(column)]
        checked: dict[str, Any] = {"metadata": metadata, "page_checksum_verification": True}
        with parquet.ParquetFile(path, read_dictionary=texts, **checked) as content:
            yield content


def _is_flat_text(column: Any) -> bool:
    is_text = column.physical_type == "BYTE_ARRAY" and column.logical_type.type in ("STRING", "NONE", "ENUM", "JSON")
    return is_text and column.max_repetition_level == 0


def parquet_files(path: Path) -> tuple[list[ParquetFile], list[str]]:
    """The files with rows, in the order of their names, and the names of the columns, which must be the same in all."""
    try:
        import_module("pyarrow")
        datasets = import_module("pyarrow.dataset")
    except ImportError:
        raise ImportError("reading .parquet needs pyarrow: pip install pyarrow") from None
    files = [str(path)]
    if path.is_dir():  # a folder may be named like a file
        for inside in path.rglob("*"):
            refuse_link(inside, f"{str(inside.relative_to(path))!r} of the folder")
        files = sorted(str(file) for file in path.rglob("*.parquet") if not file.is_dir())
    hive = {"partitioning": "hive", "partition_base_dir": str(path)} if path.is_dir() else {}
    filled: list[ParquetFile] = []
    names: list[str] = []
    for file in files:
        name = _name_file(Path(file).absolute(), path)
        refuse_repeated([part.partition("=")[0] for part in Path(name).parts[:-1] if "=" in part], "folders")
        seen = settled_state(file, name)
        with reading(name, Exception):
            [fragment] = datasets.dataset([file], format="parquet", **hive).get_fragments()
            rows = tuple(group.num_rows for group in fragment.row_groups)
            folders = tuple(datasets.get_partition_keys(fragment.partition_expression).items())
            own = [*fragment.physical_schema.names, *(name for name, _ in folders)]
        refuse_many(len(own), "columns")
        refuse_repeated(own, "columns")
        if not sum(rows):
            continue
        if names and set(own) != set(names):
            odd = sorted(set(own) ^ set(names))
            raise ValueError(f"{name} has not the columns of {filled[0].path}: they differ in {listed(odd)}")
        names = names or own
        filled.append(ParquetFile(str(Path(file).absolute()), tuple(range(len(rows))), rows, seen, folders))
    if not filled:
        raise ValueError("there is no .parquet file with rows" if path.is_dir() else "the file has columns but no rows")
    return filled, named_columns(names)


def _name_file(file: Path, path: Path) -> str:
    """The name of a file in messages about a path."""
    return str(file.relative_to(path.absolute())) if path.is_dir() else "the parquet file"


def read_parquet(path: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a parquet file, or in a folder of such files."""
    files, _ = parquet_files(path)
    tables = [file.table(name=_name_file(Path(file.path), path)) for file in files]
    with reading("the parquet file", Exception):
        whole = import_module("pyarrow").concat_tables(tables, promote_options="permissive")
    return table_arguments(ArrowTable(whole), choices, account)
