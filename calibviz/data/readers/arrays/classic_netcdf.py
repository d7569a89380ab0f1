"""The head of a netCDF file of a classic format, checked against its length: the libraries trust it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import BinaryIO

from ...safeguards import in_bytes, reading, refuse_many, refuse_repeated

#: Bytes of a value, by the number of its type.
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}


def refuse_classic(file: Path) -> None:
    """Refuse a file that ends before its values do, has a name twice, or holds more records than it counts.

    Of a name that stands twice the last would be read; what lies behind the end would be read as 0.
    """
    with file.open("rb") as stream, reading("the netCDF file", EOFError, IndexError, KeyError, OverflowError):
        _check_head(_Head(stream, stream.read(4)[3]), file.stat().st_size)


class _Head:
    """Reads what a head is made of; its numbers have 8 bytes in format 5, and 4 before."""

    def __init__(self, stream: BinaryIO, version: int) -> None:
        self._stream, self.version = stream, version

    def content(self, count: int) -> bytes:
        held = self._stream.read(count)
        if len(held) < count:
            raise EOFError("its head is cut short")
        return held

    def number(self, width: int = 0) -> int:
        return int.from_bytes(self.content(width or (8 if self.version == 5 else 4)), "big")

    def name(self) -> str:
        return self._padded(self.number()).decode(errors="replace")

    def count(self) -> int:
        """How many entries a list has, whose kind stands before."""
        self.number(4)
        count = self.number()
        refuse_many(count, "arrays")
        return count

    def skip_attributes(self) -> None:
        for _ in range(self.count()):
            self.name()
            size = SIZES[self.number(4)]
            self._padded(self.number() * size)

    def _padded(self, length: int) -> bytes:
        return self.content(length + -length % 4)[:length]


def _check_head(head: _Head, size: int) -> None:
    records = head.number()
    dims = [(head.name(), head.number()) for _ in range(head.count())]
    head.skip_attributes()
    names, ends, of_records = [], [0], []
    for _ in range(head.count()):
        names.append(head.name())
        shape = [dims[head.number()][1] for _ in range(head.number())]
        head.skip_attributes()
        item = SIZES[head.number(4)]
        head.number()  # its size, which is wrong where it is large
        begin = head.number(4 if head.version == 1 else 8)
        if shape and shape[0] == 0:  # the dimension of the records
            of_records.append((begin, math.prod(shape[1:]) * item))
        else:
            ends.append(begin + math.prod(shape) * item)
    refuse_repeated(names, "arrays")
    refuse_repeated([name for name, _ in dims], "dimensions")
    # Records follow each other; each holds a value of every variable, padded unless there is one alone.
    step = sum(own + -own % 4 for _, own in of_records) if len(of_records) > 1 else sum(own for _, own in of_records)
    if of_records and records:
        ends += [begin + (records - 1) * step + own for begin, own in of_records]
    if max(ends) > size:
        raise ValueError(f"the netCDF file is cut short: it has {in_bytes(size)} of {in_bytes(max(ends))}")
    if of_records and step:
        held = (size - min(begin for begin, _ in of_records)) // step
        if held > records:
            raise ValueError(f"the netCDF file counts {records:,} records, but holds {held:,}")
