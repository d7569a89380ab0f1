"""Single arrays (.npy), and the heads of arrays, which are not believed: nothing is unpickled."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..safeguards import in_bytes, reading
from .named_arrays import Header, NamedArrays

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
LONGEST_HEADER = 2**14  # bytes; NumPy parses none of more than 10,000 characters, but would read it


def checked_header(head: io.BytesIO, size: int, what: str) -> Header:
    """The shape and the kind of an array of so many bytes, by its head, which has to agree with them."""
    with reading(what, Exception):
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


def npy_array(file: Path) -> NamedArrays:
    """The array of a file, which is named like it."""
    with file.open("rb") as stream:
        head = io.BytesIO(stream.read(LONGEST_HEADER))
    header = checked_header(head, file.stat().st_size, "the array")

    def load(_: str) -> NDArray[Any]:
        with file.open("rb") as stream, reading("the array", ValueError, TypeError):
            return np.asarray(npy.read_array(stream, allow_pickle=False))

    return NamedArrays({file.stem: header}, load)
