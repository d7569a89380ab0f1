"""Zarr stores (.zarr), read through xarray; a missing chunk is an error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from ..columns.choices import Account, Arguments, ReadingOptions
from ..safeguards import charge_variables, reading
from .netcdf import labelled_arguments, wanted_of, with_classes
from .steady import settle, state_of, unchanged

METADATA = ("zarr.json", ".zmetadata", ".zgroup", ".zarray", ".zattrs")


def read_zarr(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in the arrays of a zarr store."""
    with opened_zarr(file) as stored:
        wanted = wanted_of(stored, choices, account)
        with StoredFiles(file, wanted).read(), reading("the zarr store", Exception):
            wanted.load()
    return labelled_arguments(wanted, choices, account)


def opened_zarr(file: Path) -> Any:
    """The `xarray.Dataset` in a zarr store; only names and sizes are read so far."""
    import xarray as xr

    try:
        import_module("zarr")
    except ImportError:
        raise ImportError("reading .zarr needs zarr: pip install 'calibviz[scale]'") from None
    _refuse_irregular(file)
    with reading("the zarr store", Exception):
        return xr.open_zarr(file, chunks=None, decode_timedelta=False)


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

    Zarr reads a missing chunk as its fill value, which may be a valid label. A chunk inside of a shard cannot be lost
    so: the shard is one file, and its index, which has a checksum, names the chunks that were left out.

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
        """A digest of the present state of the files that hold some rows; a missing chunk is a `ValueError`."""
        digest, latest = blake2b(digest_size=16), 0
        stop = self._samples if stop is None else stop
        for name, array, dims in self._arrays:
            metadata = [(key, "") for key in METADATA if (self._path / name / key).exists()]
            for key, place in (*metadata, *_list_chunks(array, dims, start, stop)):
                try:
                    state = state_of(self._path / name / key, f"{key!r} of the array {name!r}")
                except (FileNotFoundError, NotADirectoryError):
                    raise ValueError(_explain_missing(name, key, place)) from None
                digest.update(repr((name, key, state)).encode())
                latest = max(latest, state[1])
        settle(latest)
        return digest.digest()

    def read(self, start: int = 0, stop: int | None = None, seen: bytes | None = None) -> AbstractContextManager[None]:
        """A context in which rows are read; see `steady.unchanged`."""
        return unchanged(lambda: self.state(start, stop), "the zarr store", seen)


def _list_chunks(array: Any, dims: Sequence[str], start: int, stop: int) -> Iterator[tuple[str, str]]:
    """The key of each stored object that holds some of the rows, and a text that names its rows."""
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


def _explain_missing(name: str, key: str, rows: str) -> str:
    return (
        f"the chunk {key!r} of the array {name!r}{rows}, is missing: it is lost, or zarr left it out as it holds "
        "nothing but the fill value, which cannot be told apart; where nothing is lost, write the store again with "
        "to_zarr(..., write_empty_chunks=True)"
    )


def _refuse_irregular(file: Path) -> None:
    """Refuse metadata that are no regular files, since opening a pipe would block."""
    for folder in (file, *(entry for entry in file.iterdir() if entry.is_dir())) if file.is_dir() else ():
        for name in METADATA:
            if (folder / name).exists():
                state_of(folder / name, f"{(folder / name).relative_to(file)} of the zarr store")
