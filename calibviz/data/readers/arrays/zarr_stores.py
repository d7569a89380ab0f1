"""Zarr stores (.zarr), read through xarray; a missing chunk is an error, and so is one that lies elsewhere."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from importlib import import_module
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....foundation.packages import needed
from ...columns.choices import Account, Arguments, ReadingOptions
from ...safeguards import charge_variables, reading
from ..steady import refuse_link, settle, state_of, unchanged
from .netcdf import labelled_arguments, wanted_of, with_classes
from .zarr_chunks import refuse_larger
from .zarr_metadata import METADATA, check_metadata

NEVER_WRITTEN = np.iinfo(np.uint64).max  # in place of the offset and of the length of a chunk, in the index of a shard


def read_zarr(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in the arrays of a zarr store."""
    with opened_zarr(file) as stored:
        wanted = wanted_of(stored, choices, account)
        with StoredFiles(file, wanted).read(), reading("the zarr store", Exception):
            wanted.load()
    return labelled_arguments(wanted, choices, account)


def opened_zarr(file: Path) -> Any:
    """The `xarray.Dataset` in a zarr store; only names and sizes are read so far.

    Variables stand in the order of their names: a store has none, and zarr lists what it finds first.
    """
    import xarray as xr

    needed("zarr", "reading .zarr", "scale")
    check_metadata(file)
    with reading("the zarr store", Exception):
        # An index would read its values now.
        opened = xr.open_zarr(
            _local_store(file), chunks=None, consolidated=False, decode_timedelta=False, create_default_indexes=False
        )
        ordered = opened[sorted(opened.variables, key=str)]
        ordered.set_close(opened.close)
        return ordered


def _local_store(path: Path) -> Any:
    """The store in a folder; zarr would take the text of some paths for the address of a server."""
    return import_module("zarr.storage").LocalStore(path, read_only=True)


def with_stored_classes(file: Path, stored: Any) -> Any:
    """A store of which the coordinate `class` has been read."""
    if "class" not in stored.coords or stored["class"].dims != ("class",):
        return stored
    classes = with_classes(stored, [])
    charge_variables(classes)
    with StoredFiles(file, classes).read(), reading("the zarr store", Exception):
        return stored.assign_coords(classes.load().coords)


def stored_rows(file: Path, variables: Sequence[str], start: int, stop: int, seen: bytes) -> Any:
    """Some rows of a store, whose files must still be in the state `seen`."""
    with opened_zarr(file) as stored:
        chosen = with_classes(stored, variables)
        rows = chosen.isel(sample=slice(start, stop))
        charge_variables(rows)
        with StoredFiles(file, chosen).read(start, stop, seen), reading("the zarr store", Exception):
            return rows.load()


class StoredFiles:
    """The files in which a store keeps some variables.

    Zarr reads a missing chunk as its fill value, which may be a valid label. So it does with a chunk inside of a shard,
    which is a file of several chunks, where the index of the shard lacks it.
    """

    def __init__(self, path: Path, dataset: Any) -> None:
        self._packings = check_metadata(path)
        with reading("the zarr store", Exception):
            group = import_module("zarr").open_group(_local_store(path), mode="r", use_consolidated=False)
            self._arrays = [(str(name), group[name], variable.dims) for name, variable in dataset.variables.items()]
        self._path, self._samples = path, int(dataset.sizes.get("sample", 0))

    def state(self, start: int = 0, stop: int | None = None) -> bytes:
        """A digest of the present state of the files that hold some rows; a missing chunk is a `ValueError`."""
        digest, latest, folders = blake2b(digest_size=16), 0, set[Path]()
        stop = self._samples if stop is None else stop
        for name, array, dims in self._arrays:
            metadata = [(key, (), "") for key in METADATA if (self._path / name / key).exists()]
            for key, place, rows in (*metadata, *_list_chunks(array, dims, start, stop)):
                shown, file = f"{key!r} of the array {name!r}", self._path / name / key
                for folder in PurePosixPath(key).parents:
                    if (outer := self._path / name / folder) not in folders:
                        refuse_link(outer, f"{str(folder)!r} of the array {name!r}")
                        folders.add(outer)
                refuse_link(file, shown)
                try:
                    state = state_of(file, shown)
                except (FileNotFoundError, NotADirectoryError):
                    raise ValueError(_explain_missing(f"the chunk {shown}{rows}")) from None
                if place and array.shards:
                    _refuse_unwritten(file, shown, array, place, dims)
                digest.update(repr((name, key, state)).encode())
                latest = max(latest, state[1])
            _refuse_more(self._path / name, name, array, dims)
        settle(latest)
        return digest.digest()

    @contextmanager
    def read(self, start: int = 0, stop: int | None = None, seen: bytes | None = None) -> Iterator[None]:
        """A context in which rows are read; see `steady.unchanged`."""
        with unchanged(lambda: self.state(start, stop), "the zarr store", seen):
            for name, array, dims in self._arrays:
                for key, _, _ in _list_chunks(array, dims, start, self._samples if stop is None else stop):
                    file, shown = self._path / name / key, f"{key!r} of the array {name!r}"
                    _refuse_large_chunks(file, shown, array, *self._packings[name])
            yield


def _list_chunks(array: Any, dims: Sequence[str], start: int, stop: int) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """The key of each stored object that holds some of the rows, its place in the grid, and a text of its rows."""
    sizes = array.shards or array.chunks
    places = [range(-(-length // size)) for length, size in zip(array.shape, sizes, strict=True)]
    if "sample" in dims:
        along = list(dims).index("sample")
        places[along] = range(start // sizes[along], -(-stop // sizes[along]))
    for place in product(*places):
        yield str(array.metadata.encode_chunk_key(place)), place, _rows_of(array, dims, sizes, place)


def _rows_of(array: Any, dims: Sequence[str], sizes: Sequence[int], place: Sequence[int]) -> str:
    """The rows of a chunk, for a message."""
    if "sample" not in dims:
        return ""
    along = list(dims).index("sample")
    first = place[along] * sizes[along]
    return f", rows {first:,} to {min(first + sizes[along], array.shape[along]) - 1:,}"


def _refuse_more(folder: Path, name: str, array: Any, dims: Sequence[str]) -> None:
    """Refuse an array with rows behind its end, which metadata that are too old do not count."""
    if "sample" in dims:
        along, sizes = list(dims).index("sample"), array.shards or array.chunks
        place = [0] * len(sizes)
        place[along] = -(-array.shape[along] // sizes[along])
        key = str(array.metadata.encode_chunk_key(tuple(place)))
        if (folder / key).exists():
            raise ValueError(f"the array {name!r} has {array.shape[along]:,} rows, but a chunk of more, {key!r}")


def _refuse_unwritten(file: Path, shown: str, array: Any, place: tuple[int, ...], dims: Sequence[str]) -> None:
    """Refuse a shard that lacks a chunk; chunks beyond the end of the array are never written."""
    counts = [shard // chunk for shard, chunk in zip(array.shards, array.chunks, strict=True)]
    with reading(f"the shard {shown}", ValueError):
        lacks = (_index_of(file, array).reshape(*counts, 2) == NEVER_WRITTEN).any(axis=-1)
    first = [at * count for at, count in zip(place, counts, strict=True)]
    ends = [-(-length // chunk) - at for length, chunk, at in zip(array.shape, array.chunks, first, strict=True)]
    for inner in np.argwhere(lacks[tuple(slice(end) for end in ends)])[:1]:
        rows = _rows_of(array, dims, array.chunks, (first + inner).tolist())
        raise ValueError(_explain_missing(f"a chunk in the shard {shown}{rows}"))


def _refuse_large_chunks(file: Path, shown: str, array: Any, packer: str | None, entries: int | None) -> None:
    """Refuse a file of which a chunk unpacks to far more than its entries take; a shard has several."""
    whole = np.array([[0, file.stat().st_size]])
    with file.open("rb") as stream:
        for start, length in (_index_of(file, array) if array.shards else whole).tolist():
            if start != NEVER_WRITTEN:
                refuse_larger(stream, start, length, packer, entries, shown)


def _index_of(file: Path, array: Any) -> NDArray[np.uint64]:
    """Where the chunks of a shard begin in its file, and how long they are."""
    [sharding] = array.metadata.codecs
    count = math.prod(array.shards) // math.prod(array.chunks)
    with file.open("rb") as stream:
        if sharding.index_location.value == "end":
            size = 16 * count + 4 * (len(sharding.index_codecs) - 1)  # with its checksum
            stream.seek(-min(size, file.stat().st_size), os.SEEK_END)
        return np.frombuffer(stream.read(16 * count), dtype="<u8").reshape(-1, 2)


def _explain_missing(chunk: str) -> str:
    return (
        f"{chunk}, is missing: it is lost, or zarr left it out as it holds nothing but the fill value, which cannot be "
        "told apart; where nothing is lost, write the store again with to_zarr(..., write_empty_chunks=True)"
    )
