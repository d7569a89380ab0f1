"""Parquet files, alone or in folders; their columns and sizes are known before any rows are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from ....foundation.packages import needed
from ....foundation.validation import listed
from ...columns.choices import Account, ReadingOptions
from ...columns.known_names import LABELS, LOGIT, OPTION_LISTS, SCORES, plain
from ...columns.option_lists import LOGPROBS, PROBS
from ...columns.tables import ArrowTable, named_columns, shortened
from ...safeguards import reading, refuse_many, refuse_repeated
from ..steady import State, one_state, refuse_link, settled_state
from .parquet_pages import charge_groups

#: Names of columns that say what these hold, plainly written.
ROLES = {*(name for names in SCORES for name in names), *PROBS, *LOGPROBS, *LOGIT, *OPTION_LISTS, *LABELS[0]}


@dataclass(frozen=True)
class ParquetFile:
    """Row groups of a file."""

    path: str
    groups: tuple[int, ...]
    rows: tuple[int, ...]  # the number of rows of each group
    seen: State  # the state of the file when it was opened
    folders: tuple[tuple[str, Any], ...] = ()  # fields from the names of folders, such as `day=2024-01-31`

    def some(self, start: int, stop: int) -> ParquetFile:
        """The row groups from `start` to `stop`."""
        return replace(self, groups=self.groups[start:stop], rows=self.rows[start:stop])

    def sizes(self) -> Counter[str]:
        """How many bytes an entry of each column takes on average once it is unpacked, as the file claims."""
        metadata, sizes = import_module("pyarrow.parquet").read_metadata(self.path), Counter[str]()
        for group in map(metadata.row_group, self.groups):
            for chunk in map(group.column, range(group.num_columns)):
                for name in {chunk.path_in_schema, chunk.path_in_schema.partition(".")[0]}:  # of a list
                    sizes[name] += chunk.total_uncompressed_size // sum(self.rows)
        return sizes

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
                # Each group has categories of its own, which pyarrow does not join within lists.
                tables = [content.read_row_groups([group], columns=wanted) for group in self.groups]
                table = pyarrow.concat_tables(tables)
            else:
                charge_groups(Path(self.path), content, self.groups, wanted, first)
                left, batches = first, list[Any]()
                for group in self.groups:
                    batches += islice(content.iter_batches(left, [group], columns=wanted), 1) if left > 0 else []
                    left = first - sum(map(len, batches))
                table = pyarrow.Table.from_batches(batches)
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
        texts = [column.path for i in range(len(schema)) if _is_text(column := schema.column(i), metadata, i)]
        checked: dict[str, Any] = {"metadata": metadata, "page_checksum_verification": True}
        with parquet.ParquetFile(path, read_dictionary=texts, **checked) as content:
            yield content


def _is_text(column: Any, metadata: Any, place: int) -> bool:
    """Whether a column holds texts that pyarrow reads as categories."""
    if column.physical_type != "BYTE_ARRAY" or column.logical_type.type not in ("STRING", "NONE", "ENUM", "JSON"):
        return False
    groups = (metadata.row_group(i).column(place) for i in range(metadata.num_row_groups))
    return not any(encoding.startswith("DELTA") for group in groups for encoding in group.encodings)


def _is_read(kind: Any) -> bool:
    """Whether a column of a type of Arrow holds single values, or lists of them."""
    types = import_module("pyarrow").types
    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return not types.is_nested(kind.value_type if is_list else kind)


def nested_columns(schema: Any) -> dict[str, str]:
    """The types of those columns of a schema of Arrow that are not read, by name."""
    return {field.name: str(field.type) for field in schema if not _is_read(field.type)}


def leave_out(nested: dict[str, str], chosen: Collection[str], account: Account) -> None:
    """Say which columns are not read; one that is chosen, or named like what is looked for, is refused."""
    for name, kind in nested.items():
        if name in chosen or plain(name) in ROLES:
            raise ValueError(
                f"the column {name!r} is of the type {shortened(kind)}: only columns of single values, or of lists of "
                "them, are read; write it as a column of lists, or as a column for each of its parts"
            )
    account.unread += nested
    if nested:
        account.say(f"not read, since each entry holds several things: {', '.join(nested)}")


def chosen_columns(choices: ReadingOptions) -> set[str]:
    """The columns that options name."""
    cluster = choices.cluster or None
    follow_up = choices.time, choices.event, choices.by
    given = (choices.label, choices.weight, choices.prob, choices.logits, choices.fields, cluster, *follow_up)
    return {name for names in given for name in ((names,) if isinstance(names, str) else names or ())}


def parquet_files(
    path: Path, chosen: Collection[str] = (), account: Account | None = None
) -> tuple[list[ParquetFile], list[str]]:
    """The files with rows, in the order of their names, and the names of the columns, which must be the same in all.

    Columns of records, of maps and of lists of lists are left out, since what they take in memory is not known before
    they are read; one that an option chooses, or that is named like a column of the truth or of probabilities, is
    refused.
    """
    needed("pyarrow", "reading .parquet")
    datasets = import_module("pyarrow.dataset")
    files = [str(path)]
    if path.is_dir():  # a folder may be named like a file
        for inside in path.rglob("*"):
            refuse_link(inside, f"{str(inside.relative_to(path))!r} of the folder")
        files = sorted(str(file) for file in path.rglob("*.parquet") if not file.is_dir())
    hive = {"partitioning": "hive", "partition_base_dir": str(path)} if path.is_dir() else {}
    filled: list[ParquetFile] = []
    names: list[str] = []
    nested: dict[str, str] = {}
    for file in files:
        name = _name_file(Path(file).absolute(), path)
        refuse_repeated([part.partition("=")[0] for part in Path(name).parts[:-1] if "=" in part], "folders")
        seen = settled_state(file, name)
        with reading(name, Exception):
            [fragment] = datasets.dataset([file], format="parquet", **hive).get_fragments()
            rows = tuple(group.num_rows for group in fragment.row_groups)
            folders = tuple(datasets.get_partition_keys(fragment.partition_expression).items())
            schema = fragment.physical_schema
            own = [*schema.names, *(name for name, _ in folders)]
        refuse_many(len(own), "columns")
        refuse_repeated(own, "columns")
        if not sum(rows):
            continue
        if names and set(own) != set(names):
            odd = sorted(set(own) ^ set(names))
            raise ValueError(f"{name} has not the columns of {filled[0].path}: they differ in {listed(odd)}")
        nested |= nested_columns(schema)
        names = names or own
        filled.append(ParquetFile(str(Path(file).absolute()), tuple(range(len(rows))), rows, seen, folders))
    if not filled:
        raise ValueError("there is no .parquet file with rows" if path.is_dir() else "the file has columns but no rows")
    if account is not None:
        leave_out(nested, chosen, account)
    return filled, named_columns(name for name in names if name not in nested)


def _name_file(file: Path, path: Path) -> str:
    """The name of a file in messages about a path."""
    return str(file.relative_to(path.absolute())) if path.is_dir() else "the parquet file"


def parquet_table(path: Path, choices: ReadingOptions, account: Account) -> ArrowTable:
    """The columns of a parquet file, or of a folder of such files."""
    files, names = parquet_files(path, chosen_columns(choices), account)
    tables = [file.table(names, _name_file(Path(file.path), path)) for file in files]
    with reading("the parquet file", Exception):
        whole = import_module("pyarrow").concat_tables(tables, promote_options="permissive")
    return ArrowTable(whole)
