"""Arrays of NumPy, alone (.npy) or in archives (.npz): nothing is unpickled, and heads of arrays are not believed."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...safeguards import in_bytes, reading, refuse_many, refuse_repeated
from ..checked_zips import refuse_packed
from .named_arrays import Header, NamedArrays

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
LONGEST_HEADER = 2**14  # bytes; NumPy parses none of more than 10,000 characters, but would read it

Stored = tuple[Callable[[], IO[bytes]], int, str]
"""How the bytes of an array are opened, how many they are, and what messages call it."""


def npy_array(file: Path) -> NamedArrays:
    """The array of a file, which is named like it."""
    return _arrays({file.stem: (lambda: file.open("rb"), file.stat().st_size, "the array")})


def arrays_of(archive: zipfile.ZipFile) -> NamedArrays:
    """The arrays in an archive."""
    listed = [(m.filename.removesuffix(".npy"), m) for m in archive.infolist() if m.filename.endswith(".npy")]
    refuse_many(len(listed), "arrays")
    refuse_repeated([name for name, _ in listed], "arrays")
    refuse_packed(dict(listed), "the array", "np.savez_compressed packs it so")
    return _arrays(
        {name: (partial(archive.open, member), member.file_size, f"the array {name!r}") for name, member in listed}
    )


def _arrays(stored: Mapping[str, Stored]) -> NamedArrays:
    """Arrays by name, of which the heads are read now."""

    def load(name: str) -> NDArray[Any]:
        opened, _, what = stored[name]
        with opened() as stream, reading(what, ValueError, TypeError):
            return np.asarray(npy.read_array(stream, allow_pickle=False))

    return NamedArrays({name: _header(*each) for name, each in stored.items()}, load)


def _header(opened: Callable[[], IO[bytes]], size: int, what: str) -> Header:
    """The shape and the kind of an array by its head, which has to agree with the number of bytes that follow."""
    with opened() as stream, reading(what, Exception):
        head = io.BytesIO(stream.read(LONGEST_HEADER))
        version = npy.read_magic(head)
        if version not in HEADERS:
            raise ValueError(f"version {version} of the .npy format holds no plain numbers or text")
        shape, _, dtype = HEADERS[version](head)
        held = size - head.tell()
    if dtype.hasobject:
        raise ValueError(f"{what} holds Python objects (a pickle), which are never loaded")
    claimed = math.prod(shape) * dtype.itemsize
    if claimed != held:
        raise ValueError(f"{what} claims shape {shape}, {in_bytes(claimed)}, but holds {in_bytes(held)}")
    return tuple(shape), dtype
