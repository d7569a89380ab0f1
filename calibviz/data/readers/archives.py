"""NumPy archives (.npz), read without unpickling and with a check of each header before memory is asked for."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...foundation.validation import texts
from ..columns.array_roles import roles, settled
from ..columns.choices import Account, Arguments, ReadingOptions
from ..safeguards import charge_array, in_bytes, reading, refuse_many, refuse_repeated

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
LONGEST_HEADER = 2**14  # bytes; NumPy parses none of more than 10,000 characters, but would read it
LONGEST_LIST = 2**22  # bytes of the list of members, some 50,000 of them
#: How NumPy packs arrays; of other ways, Python unpacks all that a block holds, which may be gigabytes.
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ERRORS_OF_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


def read_npz(file: Path, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in an archive; arrays that are neither an argument nor a field are not loaded."""
    with opened_npz(file) as archive:
        members = _arrays_in(archive)
        names = roles(members, choices, account)
        if "class_names" in members:
            names["class_names"] = "class_names"
        headers = {name: _read_header(archive, name, member) for name, member in members.items()}
        shapes = {name: shape for name, (shape, _) in headers.items()}
        samples = shapes[names["labels"]][:1]
        shape = shapes.get("images", ())
        if shape[:1] == samples and len(shape) >= 3 and shape[3:] in ((), (3,)):
            names["images"] = "images"
        taken = set(names.values())
        fields = [name for name in members if name not in taken and shapes[name] == samples]
        wanted = [*names.values(), *fields]
        for name in wanted:
            charge_array(*headers[name])  # all of them before the first takes time
        arrays = {name: _load(archive, name, members[name]) for name in wanted}
    arguments: Arguments = {role: arrays[name] for role, name in names.items()}
    if "class_names" in arguments:
        arguments["class_names"] = texts(arguments["class_names"].ravel().tolist(), "class_names[", of_rows=False)
    return settled(arguments | {"fields": {name: arrays[name] for name in fields}}, choices, account, names["labels"])


@contextmanager
def opened_npz(file: Path) -> Iterator[zipfile.ZipFile]:
    """An archive whose list of members is short."""
    with (
        reading("the .npz archive", *ERRORS_OF_DAMAGE),
        _ArchiveFile(io.FileIO(file)) as stream,
        zipfile.ZipFile(stream) as archive,
    ):
        stream.is_listing = False
        yield archive


class _ArchiveFile(io.BufferedReader):
    """A file of which little is read at once while the members of an archive are listed."""

    is_listing = True

    def read(self, size: int | None = -1, /) -> bytes:
        if self.is_listing and size is not None and size > LONGEST_LIST:
            raise ValueError(
                f"the list of its arrays takes {in_bytes(size)}, more than the {in_bytes(LONGEST_LIST)} that are read"
            )
        return super().read(size)


def array_shapes(archive: zipfile.ZipFile) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays in an archive, by their names."""
    return {name: _read_header(archive, name, member)[0] for name, member in _arrays_in(archive).items()}


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


def _read_header(archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and the kind of an array by its header, which has to agree with the number of bytes that follow."""
    with archive.open(member) as stream, reading(f"the array {name!r}", Exception):
        head = io.BytesIO(stream.read(LONGEST_HEADER))
        version = npy.read_magic(head)
        if version not in HEADERS:
            raise ValueError(f"version {version} of the .npy format holds no plain numbers or text")
        shape, _, dtype = HEADERS[version](head)
        held = member.file_size - head.tell()
    if dtype.hasobject:
        raise ValueError(f"the array {name!r} holds Python objects (a pickle), which are never loaded")
    claimed = math.prod(shape) * dtype.itemsize
    if claimed != held:
        raise ValueError(f"the array {name!r} claims shape {shape}, {in_bytes(claimed)}, but holds {in_bytes(held)}")
    return tuple(shape), dtype


def _load(archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as stream, reading(f"the array {name!r}", ValueError, TypeError):
        return np.asarray(npy.read_array(stream, allow_pickle=False))
