"""How large the chunks of a zarr store become once unpacked: zarr asks for as much memory as they claim or hold."""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO

from ...safeguards import TEXT_RATIO, charge, in_bytes, left, reading

#: Bytes that any chunk may have: how much zstd unpacks to is known in blocks alone, where its head does not say it.
SMALL = 2**20
#: Codecs that do not write how large the content is, and what unpacks its beginning.
UNPACKERS: dict[str, Callable[[], Any]] = {
    "bz2": bz2.BZ2Decompressor,
    "gzip": lambda: zlib.decompressobj(47),
    "lzma": lambda: import_module("lzma").LZMADecompressor(),  # which a Python in a browser does not have
    "zlib": lambda: zlib.decompressobj(47),
}
LONGEST_HEAD = 18  # bytes
CHECKSUM = 4  # bytes that may stand behind the content; nothing that unpacks to anything is as short
#: How a frame of zstd begins, the bytes of the head of a block, and the most that a block of it unpacks to.
FRAME, BLOCK_HEAD, LARGEST_BLOCK = b"\x28\xb5\x2f\xfd", 3, 2**17
STORED, REPEATED = 0, 1  # kinds of blocks whose head says to how many bytes they unpack


def refuse_larger(
    stream: BinaryIO, start: int, length: int, packer: str | None, entries: int | None, shown: str
) -> None:
    """Refuse a chunk, of so many bytes of a file, that unpacks to far more than its entries take.

    What texts of any length (`entries` is None) take is known from the chunk alone, and charged to the budget.
    """
    if entries is None:
        limit = max(0, int(left() // TEXT_RATIO))
        charge(TEXT_RATIO * _size_of(stream, start, length, packer, limit, shown))
    elif packer is not None:
        limit = max(8 * entries, SMALL)  # codecs in between may widen them
        if (size := _size_of(stream, start, length, packer, limit, shown)) > limit:
            raise ValueError(
                f"the zarr store cannot be read and may be damaged: {shown} unpacks to {in_bytes(size)} or more, but "
                f"its entries take at most {in_bytes(limit)}"
            )


def _size_of(stream: BinaryIO, start: int, length: int, packer: str | None, limit: int, shown: str) -> int:
    """How many bytes a chunk unpacks to; where these are more than a limit, at least one more than that."""
    if packer is None:
        return length
    stream.seek(start)
    behind = 0
    if packer in UNPACKERS:
        unpacker = UNPACKERS[packer]()
        with reading(shown, Exception):
            size = len(unpacker.decompress(stream.read(length), limit + 1))
            behind = len(unpacker.unused_data)
    elif packer == "zstd":
        with reading(shown, IndexError):
            size, behind = _size_of_zstd(stream.read(length), limit)
    else:
        size = _claimed(packer, stream.read(min(length, LONGEST_HEAD)))
    if size <= limit and behind > CHECKSUM:  # the libraries would unpack what follows, and put it behind the content
        raise ValueError(
            f"the zarr store cannot be read and may be damaged: {shown} is packed in several parts, and "
            f"{in_bytes(behind)} of it stand behind the first"
        )
    return size


def _claimed(packer: str, head: bytes) -> int:
    """The size that a head claims of the content."""
    place = {"blosc": slice(4, 8), "lz4": slice(4)}[packer]
    return int.from_bytes(head[place], "little")


def _size_of_zstd(content: bytes, limit: int) -> tuple[int, int]:
    """Return to how many bytes a frame of zstd unpacks at most, and how many stand behind it (RFC 8878, 3.1.1)."""
    if not content.startswith(FRAME):
        raise ValueError("it does not begin with a frame of zstd")
    flags = content[4]
    is_alone = flags >> 5 & 1
    width = (is_alone, 2, 4, 8)[flags >> 6]
    at = 5 + (1 - is_alone) + (0, 1, 2, 4)[flags & 3] + width
    claimed = int.from_bytes(content[at - width : at], "little") + 256 * (width == 2)
    size, is_last = 0, False
    while not is_last and (width or size <= limit):
        head = content[at] | content[at + 1] << 8 | content[at + 2] << 16
        is_last, kind, length = bool(head & 1), head >> 1 & 3, head >> 3
        size += length if kind in (STORED, REPEATED) else LARGEST_BLOCK
        at += BLOCK_HEAD + (1 if kind == REPEATED else length)
    return claimed if width else size, len(content) - at - CHECKSUM * (flags >> 2 & 1) if is_last else 0
