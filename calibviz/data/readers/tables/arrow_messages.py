"""Messages of Arrow files: how much memory each claims, which is known before it is unpacked.

A buffer that is packed begins with the number of bytes that it unpacks to, which pyarrow believes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

MAGIC, OLD_MAGIC = b"ARROW1", b"FEA1"
START, CONTINUED = 8, 0xFFFFFFFF
DICTIONARY, BATCH = 2, 3  # kinds of messages that hold buffers
#: Fields of the tables of a message, by their places: see Message.fbs of Arrow.
HEADER_KIND, HEADER, BODY_LENGTH, LENGTH, BUFFERS, COMPRESSION, DATA = 1, 2, 3, 0, 2, 3, 1
DICTIONARIES, BATCHES = 2, 3  # of the foot


def is_file(content: memoryview) -> bool:
    """Whether the content has a foot that tells where its messages are; else it is a stream."""
    if content[: len(OLD_MAGIC)] == OLD_MAGIC:
        raise ValueError("the file is of the first version of Feather: write it again by pyarrow.feather.write_feather")
    return content[: len(MAGIC)] == MAGIC


def claims(content: memoryview) -> Iterator[tuple[int, int]]:
    """The bytes that each message unpacks to, and its number of rows."""
    try:
        for at, most in _blocks(content) if is_file(content) else _parts(content):
            message, start = _message(content, at)
            root = struct.unpack_from("<I", message)[0]
            body = content[start if most is None else at + most :][: _number(message, root, BODY_LENGTH, "<q")]
            yield _claimed(message, root, body)
    except (struct.error, IndexError) as error:
        raise ValueError(f"a message has no head: {error}") from error


def _message(content: memoryview, at: int) -> tuple[memoryview, int]:
    """The head of a message, and where it ends."""
    (length,) = struct.unpack_from("<I", content, at)
    start = at + 4
    if length == CONTINUED:
        (length,) = struct.unpack_from("<I", content, start)
        start += 4
    if start + length > len(content):
        raise ValueError("a message claims more than the file holds")
    return content[start : start + length], start + length


def _parts(content: memoryview) -> Iterator[tuple[int, None]]:
    """Where the messages of a stream begin, each after the one before."""
    at = 0
    while at + 4 <= len(content):
        message, end = _message(content, at)
        if not len(message):
            return
        length = _number(message, struct.unpack_from("<I", message)[0], BODY_LENGTH, "<q")
        if not 0 <= length <= len(content) - end:
            raise ValueError("a message claims more than the file holds")
        yield at, None
        at = end + length


def _blocks(content: memoryview) -> Iterator[tuple[int, int]]:
    """Where the messages of a file begin, and how long the head of each is, by its foot."""
    end = len(content) - len(MAGIC) - 4
    if end < START or content[-len(MAGIC) :] != MAGIC:
        raise ValueError("the file is cut short: it has no end")
    (length,) = struct.unpack_from("<i", content, end)
    if not 0 < length <= end - START:
        raise ValueError(f"the file claims a foot of {length:,} bytes, but holds {len(content):,}")
    foot = content[end - length : end]
    (root,) = struct.unpack_from("<I", foot)
    for field in (DICTIONARIES, BATCHES):
        for offset, head, _ in _structs(foot, root, field, "<qi4xq"):
            if offset < 0 or head < 0 or offset + head > len(content):
                raise ValueError("a message lies outside of the file")
            yield offset, head


def _structs(message: memoryview, table: int, field: int, form: str) -> Iterator[tuple[int, ...]]:
    """The entries of a list of numbers."""
    place = _place(message, table, field)
    if place is None:
        return
    start = place + struct.unpack_from("<I", message, place)[0]
    (count,) = struct.unpack_from("<I", message, start)
    if count * struct.calcsize(form) > len(message):
        raise ValueError("a list claims more entries than there are")
    for i in range(count):
        yield struct.unpack_from(form, message, start + 4 + struct.calcsize(form) * i)


def _claimed(message: memoryview, root: int, body: memoryview) -> tuple[int, int]:
    kind = _number(message, root, HEADER_KIND, "<B")
    if kind not in (DICTIONARY, BATCH):
        return len(message), 0
    batch = _table(message, root, HEADER)
    if kind == DICTIONARY:
        batch = _table(message, batch, DATA)
    rows = _number(message, batch, LENGTH, "<q")
    is_packed = _place(message, batch, COMPRESSION) is not None
    size = 0
    for offset, length in _structs(message, batch, BUFFERS, "<qq"):
        if offset < 0 or length < 0 or offset + length > len(body):
            raise ValueError("a buffer lies outside of its message")
        claimed = struct.unpack_from("<q", body, offset)[0] if is_packed and length >= 8 else -1
        if claimed < -1:
            raise ValueError("a buffer claims a length below 0")
        size += length if claimed == -1 else claimed
    return size, rows


def _place(message: memoryview, table: int, field: int) -> int | None:
    """Where a field of a table stands; None where it has none."""
    fields = table - struct.unpack_from("<i", message, table)[0]
    slot = 4 + 2 * field
    if fields < 0 or slot >= struct.unpack_from("<H", message, fields)[0]:
        return None
    (offset,) = struct.unpack_from("<H", message, fields + slot)
    return table + offset if offset else None


def _number(message: memoryview, table: int, field: int, form: str) -> int:
    place = _place(message, table, field)
    return 0 if place is None else int(struct.unpack_from(form, message, place)[0])


def _table(message: memoryview, table: int, field: int) -> int:
    place = _place(message, table, field)
    if place is None:
        raise ValueError("a message lacks its head")
    return place + int(struct.unpack_from("<I", message, place)[0])
