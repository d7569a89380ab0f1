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
PAIR = 16  # bytes of the place and the length of a buffer


def stream_of(content: memoryview) -> memoryview:
    """The messages of a file: all of a stream, and of a file with a foot what stands before that."""
    if content[: len(OLD_MAGIC)] == OLD_MAGIC:
        raise ValueError("the file is of the first version of Feather: write it again by pyarrow.feather.write_feather")
    if content[: len(MAGIC)] != MAGIC:
        return content
    end = len(content) - len(MAGIC) - 4
    if end < START or content[-len(MAGIC) :] != MAGIC:
        raise ValueError("the file is cut short: it has no end")
    (foot,) = struct.unpack_from("<i", content, end)
    if not 0 <= foot <= end - START:
        raise ValueError(f"the file claims a foot of {foot:,} bytes, but holds {len(content):,}")
    return content[START : end - foot]


def claims(content: memoryview) -> Iterator[tuple[int, int]]:
    """The bytes that each message of a stream unpacks to, and its number of rows."""
    at = 0
    try:
        while at + 4 <= len(content):
            (length,) = struct.unpack_from("<I", content, at)
            at += 4
            if length == CONTINUED:
                (length,) = struct.unpack_from("<I", content, at)
                at += 4
            if length == 0:
                return
            if at + length > len(content):
                raise ValueError("a message claims more than the file holds")
            message = content[at : at + length]
            root = struct.unpack_from("<I", message)[0]
            body_length = _number(message, root, BODY_LENGTH, "<q")
            body = content[at + length : at + length + body_length]
            if body_length < 0 or len(body) < body_length:
                raise ValueError("a message claims more than the file holds")
            yield _claimed(message, root, body)
            at += length + body_length
    except (struct.error, IndexError) as error:
        raise ValueError(f"a message has no head: {error}") from error


def _claimed(message: memoryview, root: int, body: memoryview) -> tuple[int, int]:
    kind = _number(message, root, HEADER_KIND, "<B")
    if kind not in (DICTIONARY, BATCH):
        return len(message), 0
    batch = _table(message, root, HEADER)
    if kind == DICTIONARY:
        batch = _table(message, batch, DATA)
    rows = _number(message, batch, LENGTH, "<q")
    place = _place(message, batch, BUFFERS)
    is_packed = _place(message, batch, COMPRESSION) is not None
    if place is None:
        return 0, rows
    start = place + struct.unpack_from("<I", message, place)[0]
    (count,) = struct.unpack_from("<I", message, start)
    if count * PAIR > len(message):
        raise ValueError("a message claims more buffers than it holds")
    size = 0
    for i in range(count):
        offset, length = struct.unpack_from("<qq", message, start + 4 + PAIR * i)
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
