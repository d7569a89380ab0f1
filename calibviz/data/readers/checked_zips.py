"""Zip archives that another library will unpack: what they claim is true, and is bounded."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..safeguards import in_bytes, reading, refuse_size

LONGEST_LIST = 2**22  # bytes of the list of members, some 50,000 of them
MOST_MEMBERS = 1_000_000
ERRORS_OF_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
LOCAL, LOCAL_SIZE = b"PK\x03\x04", 30  # how a member begins
#: How members are packed; of other ways, Python unpacks all that a block holds, which may be gigabytes.
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
BLOCK = 2**20
DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")


@contextmanager
def opened_zip(file: Path, what: str, parts: str = "members") -> Iterator[zipfile.ZipFile]:
    """An archive whose list of members is short; messages call it `what`."""
    with (
        reading(what, *ERRORS_OF_DAMAGE),
        ListedFile(io.FileIO(file), parts) as stream,
        zipfile.ZipFile(stream) as archive,
    ):
        stream.is_listing = False
        if len(archive.filelist) > MOST_MEMBERS:
            raise ValueError(
                f"there are {len(archive.filelist):,} {parts}, more than the {MOST_MEMBERS:,} that are read"
            )
        yield archive


def refuse_packed(members: Mapping[str, zipfile.ZipInfo], what: str, otherwise: str) -> None:
    """Refuse members, by name, one of which is packed in another way; messages call it `what`."""
    for name, member in members.items():
        if member.compress_type not in PACKED:
            raise ValueError(f"{what} {name!r} is packed in another way than by deflate: {otherwise}")


class ListedFile(io.BufferedReader):
    """A file of which little is read at once while the members of an archive are listed."""

    is_listing = True

    def __init__(self, raw: io.RawIOBase, parts: str) -> None:
        super().__init__(raw)
        self._parts = parts

    def read(self, size: int | None = -1, /) -> bytes:
        if self.is_listing and size is not None and size > LONGEST_LIST:
            raise ValueError(
                f"the list of its {self._parts} takes {in_bytes(size)}, more than the {in_bytes(LONGEST_LIST)} that "
                "are read"
            )
        return super().read(size)


def check_workbook(file: Path) -> None:
    """Refuse an archive whose parts unpack to more than they claim, or than the budget, or declare entities of XML."""
    with opened_zip(file, "the workbook") as archive:
        refuse_size(sum(member.file_size for member in archive.filelist))
        with file.open("rb") as stream:
            for member in archive.filelist:
                _check(stream, member)


def _check(stream: io.BufferedReader, member: zipfile.ZipInfo) -> None:
    name, claimed, held = member.filename, member.file_size, 0
    if member.compress_type not in PACKED or member.flag_bits & 1:
        raise ValueError(f"the part {name!r} is packed in another way than by deflate, or needs a password")
    is_xml = name.lower().endswith((".xml", ".rels", ".vml"))
    end = b""
    for block in _unpacked(stream, member):
        held += len(block)
        if held > claimed:
            break
        if is_xml:
            if b"\0" in block:
                raise ValueError(f"the part {name!r} is XML in another encoding than UTF-8, which no program writes")
            if any(word in end + block for word in DECLARATIONS):
                raise ValueError(f"the part {name!r} declares a type or entities of XML, which no program writes")
            end = block[-16:]
    if held != claimed:
        found = "more" if held > claimed else in_bytes(held)
        raise ValueError(f"the part {name!r} claims {in_bytes(claimed)}, but unpacks to {found}")


def _unpacked(stream: io.BufferedReader, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The content of a member, block by block, all of it; `zipfile` would end where it claims to."""
    stream.seek(member.header_offset)
    head = stream.read(LOCAL_SIZE)
    if len(head) < LOCAL_SIZE or not head.startswith(LOCAL):
        raise ValueError(f"the part {member.filename!r} does not begin where the list says")
    stream.seek(sum(struct.unpack("<HH", head[26:30])), io.SEEK_CUR)
    left, unpack = member.compress_size, zlib.decompressobj(-zlib.MAX_WBITS)
    while left > 0 and (packed := stream.read(min(BLOCK, left))):
        left -= len(packed)
        if member.compress_type == zipfile.ZIP_STORED:
            yield packed
            continue
        while packed and not unpack.eof:
            yield unpack.decompress(packed, BLOCK)
            packed = unpack.unconsumed_tail
    while member.compress_type == zipfile.ZIP_DEFLATED and not unpack.eof and (rest := unpack.decompress(b"", BLOCK)):
        yield rest
