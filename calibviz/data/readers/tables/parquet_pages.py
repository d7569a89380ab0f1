"""The memory that columns of a parquet file take, by the header of each page, which is what pyarrow goes by.

The summary at the end of a file may say anything of its pages. Their headers are records of Thrift's compact protocol:
https://github.com/apache/parquet-format#metadata, and
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from ...safeguards import BudgetError, charge

#: Bytes of a header: some are a few, and more where they hold the least and the largest text of a page.
SHORT_HEADER, LONGEST_HEADER = 2**8, 2**20
UNPACKED, PACKED, KINDS_OF_PAGE = 2, 3, (5, 7, 8)  # fields of a header: sizes; what depends on the kind of page
VALUES, ENCODING = 1, (2, 2, 4)  # fields of the latter: how many values, and how they are written
BY_LENGTH, BY_BEGINNING = 6, 7  # encodings of texts: all lengths first; as the text before and what differs
PAGE_SIZE = 2**10  # bytes of memory of what reads a page, besides its content
VALUE_SIZE, TEXT_VALUE_SIZE = 8, 16  # bytes of a number; of a text that others share
BYTE, DOUBLE, BINARY, STRUCT, BOOLS, VARINTS = 3, 7, 8, 12, (1, 2), (4, 5, 6)  # types of the protocol


def charge_groups(
    path: Path, content: Any, groups: Sequence[int], columns: Sequence[str] | None, rows: float = math.inf
) -> None:
    """Charge some columns of row groups before they, or so many rows of each, are read."""
    with path.open("rb") as stream:
        for group in groups:
            if rows <= 0:
                return
            stored = content.metadata.row_group(group)
            for i in range(stored.num_columns):
                chunk, kind = stored.column(i), content.schema.column(i)
                if columns is None or kind.path in columns or kind.path.partition(".")[0] in columns:
                    _charge_chunk(stream, chunk, kind, rows)
            rows -= stored.num_rows


def _charge_chunk(stream: BinaryIO, chunk: Any, kind: Any, rows: float) -> None:
    """Charge the pages of one column of a group, one by one; of lists all, for a row may hold any number of values."""
    is_text = chunk.physical_type == "BYTE_ARRAY"
    each = TEXT_VALUE_SIZE if is_text else VALUE_SIZE + 2 * max(0, kind.length)  # bytes become objects of Python too
    rows = math.inf if kind.max_repetition_level else rows
    for unpacked, values, encoding in _pages(stream, chunk):
        if is_text and encoding == BY_BEGINNING:
            raise BudgetError(
                f"the column {chunk.path_in_schema!r} is written as DELTA_BYTE_ARRAY, in which a few bytes may stand "
                "for texts of any size: write it with a dictionary, as pandas does by default"
            )
        decoded = each * min(values, rows)
        copies = 2 if encoding == BY_LENGTH else 1  # before and after texts become categories
        charge(PAGE_SIZE + (copies * unpacked + decoded if is_text else max(unpacked, decoded)))
        rows -= values
        if rows <= 0:
            return


def _pages(stream: BinaryIO, chunk: Any) -> Iterator[tuple[int, int, int]]:
    """The bytes of each page once it is unpacked, the number of its values, of a dictionary 0, and their encoding."""
    place = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset:
        place = min(place, chunk.dictionary_page_offset)
    end = place + chunk.total_compressed_size
    while place < end:
        header, size = _header(stream, place)
        [(values, encoding)] = [
            (header[kind].get(VALUES, 0), header[kind].get(place_of_encoding, 0))
            for kind, place_of_encoding in zip(KINDS_OF_PAGE, ENCODING, strict=True)
            if kind in header
        ] or [(0, 0)]
        unpacked, packed = header[UNPACKED], header[PACKED]
        if min(unpacked, packed, values) < 0:
            raise ValueError(f"the page at byte {place:,} has a negative size")
        yield unpacked, 0 if KINDS_OF_PAGE[1] in header else values, encoding
        place += size + packed


def _header(stream: BinaryIO, place: int) -> tuple[dict[int, Any], int]:
    """The header of the page at a place of a file, and how many bytes it takes."""
    size = SHORT_HEADER
    while True:
        stream.seek(place)
        data = stream.read(size)
        try:
            return _record(data, 0)
        except IndexError:
            if size >= LONGEST_HEADER or len(data) < size:
                raise ValueError(f"the page at byte {place:,} has no header") from None
            size *= 2**4


def _record(data: bytes, at: int) -> tuple[dict[int, Any], int]:
    """The fields of a record by their numbers, numbers and records alone, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while data[at]:
        step, kind = divmod(data[at], 16)
        at += 1
        if step:
            number += step
        else:
            number, at = _number(data, at)
        if kind in VARINTS:
            fields[number], at = _number(data, at)
        elif kind == STRUCT:
            fields[number], at = _record(data, at)
        elif kind == BINARY:
            length, at = _varint(data, at)
            at += length
        elif kind in (BYTE, DOUBLE):
            at += 1 if kind == BYTE else 8
        elif kind not in BOOLS:
            raise ValueError(f"the header of a page holds a value of type {kind}")
    return fields, at + 1


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A whole number with a sign, and where it ends."""
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A whole number of seven bits in each byte, and where it ends."""
    value, shift = 0, 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at
        if shift > 63:
            raise ValueError("the header of a page holds a number of more than 64 bits")
