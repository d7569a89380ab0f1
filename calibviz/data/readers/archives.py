"""NumPy archives (.npz), read without unpickling and with a check of each header before memory is asked for."""

from __future__ import annotations

import io
import zipfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..safeguards import reading, refuse_many, refuse_repeated
from .checked_zips import opened_zip
from .named_arrays import Header, NamedArrays
from .npy_files import LONGEST_HEADER, checked_header

#: How NumPy packs arrays; of other ways, Python unpacks all that a block holds, which may be gigabytes.
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def arrays_of(archive: zipfile.ZipFile) -> NamedArrays:
    """The arrays in an archive."""
    members = _arrays_in(archive)
    headers = {name: _read_header(archive, name, member) for name, member in members.items()}
    return NamedArrays(headers, lambda name: _load(archive, name, members[name]))


def opened_npz(file: Path) -> AbstractContextManager[zipfile.ZipFile]:
    """An archive whose list of members is short."""
    return opened_zip(file, "the .npz archive", "arrays")


def _arrays_in(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    listed = [(m.filename.removesuffix(".npy"), m) for m in archive.infolist() if m.filename.endswith(".npy")]
    refuse_many(len(listed), "arrays")
    refuse_repeated([name for name, _ in listed], "arrays")
    packed = next((name for name, member in listed if member.compress_type not in PACKED), None)
    if packed is not None:
        raise ValueError(
            f"the array {packed!r} is packed in another way than by deflate: np.savez_compressed packs it so"
        )
    return dict(listed)


def _read_header(archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo) -> Header:
    """The shape and the kind of an array by its header, which has to agree with the number of bytes that follow."""
    with archive.open(member) as stream, reading(f"the array {name!r}", Exception):
        head = io.BytesIO(stream.read(LONGEST_HEADER))
    return checked_header(head, member.file_size, f"the array {name!r}")


def _load(archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as stream, reading(f"the array {name!r}", ValueError, TypeError):
        return np.asarray(npy.read_array(stream, allow_pickle=False))
