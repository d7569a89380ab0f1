"""Zarr stores (.zarr), read through xarray, of which every file that is asked for must be there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from .common import Arguments, reading
from .netcdf import labelled_arguments, wanted_of, with_classes
from .steady import settle, state_of, unchanged

METADATA = ("zarr.json", ".zmetadata", ".zgroup", ".zarray", ".zattrs")


def read_zarr(file: Path) -> Arguments:
    """The arguments of `Predictions` in the arrays of a zarr store."""
    with opened_zarr(file) as stored:
        wanted = wanted_of(stored)
        with StoredFiles(file, wanted).read(), reading("the zarr store", Exception):
            wanted.load()
    return labelled_arguments(wanted)


def opened_zarr(file: Path) -> Any:
    """The `xarray.Dataset` in a zarr store, of which nothing but names and sizes is read."""
    import xarray as xr

    try:
        import_module("zarr")
    except ImportError:
        raise ImportError("reading .zarr needs zarr: pip install 'calibviz[scale]'") from None
    _refuse_irregular(file)
    with reading("the zarr store", Exception):
        return xr.open_zarr(file, chunks=None, decode_timedelta=False)


def stored_rows(file: Path, variables: Sequence[str], start: int, stop: int, seen: bytes) -> Any:
    """Some rows of a store whose files were in a state that was seen."""
    with opened_zarr(file) as stored:
        chosen = with_classes(stored, variables)
        with StoredFiles(file, chosen).read(start, stop, seen), reading("the zarr store", Exception):
            return chosen.isel(sample=slice(start, stop)).load()


class StoredFiles:
    """The files in which a store keeps some variables.

    Zarr reads a chunk that is not there as its fill value, which may be a label like any other. A chunk inside of a
    shard is another matter: it lies in one file with an index of what was left out, which has a checksum.

    Parameters
    ----------
    path : Path
    dataset : xarray.Dataset
        The variables, as xarray opened them.
    """

    def __init__(self, path: Path, dataset: Any) -> None:
        with reading("the zarr store", Exception):
            group = import_module("zarr").open_group(str(path), mode="r")
            self._arrays = [(str(name), group[name], variable.dims) for name, variable in dataset.variables.items()]
        self._path, self._samples = path, int(dataset.sizes.get("sample", 0))

    def state(self, start: int = 0, stop: int | None = None) -> bytes:
        """What tells the present state of the files that hold some rows from any other.

        Raises
        ------
        ValueError
            Where a chunk is missing, or is no file.
        """
        digest, latest = blake2b(digest_size=16), 0
        stop = self._samples if stop is None else stop
        for name, array, dims in self._arrays:
            for key, place in (*_metadata(self._path / name), *_chunks(array, dims, start, stop)):
                try:
                    found = state_of(self._path / name / key, f"{key!r} of the array {name!r}")
                except (FileNotFoundError, NotADirectoryError):
                    raise ValueError(_missing(name, key, place)) from None
                digest.update(repr((name, key, found)).encode())
                latest = max(latest, found[1])
        settle(latest)
        return digest.digest()

    def read(self, start: int = 0, stop: int | None = None, seen: bytes | None = None) -> AbstractContextManager[None]:
        """A context in which rows are read; see `steady.unchanged`."""
        return unchanged(lambda: self.state(start, stop), "the zarr store", seen)


def _metadata(folder: Path) -> list[tuple[str, str]]:
    return [(name, "") for name in METADATA if (folder / name).exists()]


def _chunks(array: Any, dims: Sequence[str], start: int, stop: int) -> Iterator[tuple[str, str]]:
    """The key of each stored object that holds some rows, and a text that tells its rows."""
    sizes = array.shards or array.chunks
    places = [range(-(-length // size)) for length, size in zip(array.shape, sizes, strict=True)]
    along = list(dims).index("sample") if "sample" in dims else None
    if along is not None:
        places[along] = range(start // sizes[along], -(-stop // sizes[along]))
    for place in product(*places):
        rows = ""
        if along is not None:
            first = place[along] * sizes[along]
            rows = f", rows {first:,} to {min(first + sizes[along], array.shape[along]) - 1:,}"
        yield str(array.metadata.encode_chunk_key(place)), rows


def _missing(name: str, key: str, rows: str) -> str:
    return (
        f"the chunk {key!r} of the array {name!r}{rows}, is missing: it is lost, or zarr left it out as it holds "
        "nothing but the fill value, which cannot be told apart; where nothing is lost, write the store again with "
        "to_zarr(..., write_empty_chunks=True)"
    )


def _refuse_irregular(file: Path) -> None:
    """Refuse metadata that are no files, as opening a pipe would wait for ever."""
    for folder in (file, *(one for one in file.iterdir() if one.is_dir())) if file.is_dir() else ():
        for name in METADATA:
            if (folder / name).exists():
                state_of(folder / name, f"{(folder / name).relative_to(file)} of the zarr store")
