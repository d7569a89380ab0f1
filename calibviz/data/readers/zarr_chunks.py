"""How large the chunks of a zarr store become once unpacked: zarr asks for as much memory as they claim or hold."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

from ..safeguards import LARGEST_SIZE, in_bytes, reading

#: Bytes of a chunk that need no look: a chunk of any store may have them.
SMALL = 2**26
#: Codecs that do not write how large the content is, and what unpacks its beginning.
UNPACKERS: dict[str, Callable[[], Any]] = {
    "bz2": bz2.BZ2Decompressor,
    "gzip": lambda: zlib.decompressobj(47),
    "lzma": lzma.LZMADecompressor,
    "zlib": lambda: zlib.decompressobj(47),
}
LONGEST_HEAD = 18  # bytes


def limit_of(size: int | None) -> int:
    """How many bytes a chunk may unpack to whose entries take so many, since codecs in between may widen them."""
    return LARGEST_SIZE if size is None else max(8 * size, SMALL)


def refuse_larger(stream: BinaryIO, start: int, length: int, packer: str, limit: int, shown: str) -> None:
    """Refuse a chunk, of so many bytes of a file, that unpacks to more than a limit."""
    stream.seek(start)
    if packer in UNPACKERS:
        with reading(shown, Exception):
            size = len(UNPACKERS[packer]().decompress(stream.read(length), limit + 1))
    else:
        size = _claimed(packer, stream.read(min(length, LONGEST_HEAD)))
    if size > limit:
        raise ValueError(
            f"the zarr store cannot be read and may be damaged: {shown} unpacks to {in_bytes(size)} or more, but its "
            f"entries take at most {in_bytes(limit)}"
        )


def _claimed(packer: str, head: bytes) -> int:
    """The size that a head claims of the content."""
    if packer == "zstd":
        return _claimed_by_zstd(head)
    place = {"blosc": slice(4, 8), "lz4": slice(4)}[packer]
    return int.from_bytes(head[place], "little")


def _claimed_by_zstd(head: bytes) -> int:
    """The size in the head of a frame of zstd (RFC 8878, 3.1.1.1); 0 where it is left out."""
    if len(head) < 5:
        return 0
    flags = head[4]
    is_alone = flags >> 5 & 1
    width = (is_alone, 2, 4, 8)[flags >> 6]
    start = 5 + (1 - is_alone) + (0, 1, 2, 4)[flags & 3]
    return int.from_bytes(head[start : start + width], "little") + 256 * (width == 2)
