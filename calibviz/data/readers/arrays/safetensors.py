"""Tensors of .safetensors: a head of JSON, and plain numbers at the places that it tells."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...columns.tables import shortened
from ...safeguards import TEXT_RATIO, charge, in_bytes, json_value, reading, refuse_many
from .named_arrays import Header, NamedArrays

LENGTH = 8  # bytes before the head, which tell how long it is
LONGEST_HEAD = 2**24  # bytes
KINDS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "|b1",
}  # fmt: skip  # short entries stand in rows
BFLOAT16, METADATA = "BF16", "__metadata__"


def tensors_of(file: Path) -> NamedArrays:
    """The tensors of a file, whose places are inside it and do not overlap."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(LENGTH), "little")
        if size < LENGTH or length > min(size - LENGTH, LONGEST_HEAD):
            raise ValueError(
                f"the head of the tensors claims {in_bytes(length)}, but the file holds {in_bytes(size)}, and at most "
                f"{in_bytes(LONGEST_HEAD)} are read"
            )
        charge(TEXT_RATIO * length)
        with reading("the head of the tensors", ValueError, RecursionError):
            head = json_value(stream.read(length))
    if not isinstance(head, dict):
        raise ValueError(f"the head of the tensors is {shortened(head)}, not a record of each")
    start = LENGTH + length
    refuse_many(len(head), "tensors")
    found = {name: _entry(name, entry, size - start) for name, entry in head.items() if name != METADATA}
    last, before = 0, ""
    for begin, end, name in sorted((begin, end, name) for name, (_, _, begin, end) in found.items() if begin < end):
        if begin < last:
            raise ValueError(f"the tensors {before!r} and {name!r} overlap")
        last, before = end, name
    known = {name: entry for name, entry in found.items() if entry[1] in KINDS}
    headers: dict[str, Header] = {
        name: (shape, np.dtype(np.float32 if kind == BFLOAT16 else KINDS[kind]))
        for name, (shape, kind, *_) in known.items()
    }

    def load(name: str) -> NDArray[Any]:
        shape, kind, begin, _ = known[name]
        values = np.fromfile(file, dtype=KINDS[kind], count=math.prod(shape), offset=start + begin).reshape(shape)
        if kind == "BOOL" and (values.view(np.uint8) > 1).any():
            raise ValueError(f"the tensor {name!r} holds other bytes than 0 and 1, but claims to be boolean")
        return (values.astype(np.uint32) << 16).view(np.float32) if kind == BFLOAT16 else values

    return NamedArrays(headers, load)


def _entry(name: str, entry: Any, held: int) -> tuple[tuple[int, ...], str, int, int]:
    """The shape, the kind and the place of a tensor, which agree with each other and with the size of the file."""
    what = f"the tensor {name!r}"
    try:
        kind, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{what} is {shortened(entry)}, without its dtype, shape and data_offsets") from None
    numbers = [*shape, begin, end] if isinstance(shape, list) and len(shape) <= 32 else [None]
    if not isinstance(kind, str) or any(type(n) is not int or n < 0 for n in numbers):
        raise ValueError(f"{what} has the shape {shortened(shape)} and the place {shortened([begin, end])}")
    if not begin <= end <= held:
        raise ValueError(f"{what} is at {begin:,} to {end:,}, but the file holds {held:,} bytes of tensors")
    if kind in KINDS and math.prod(shape) * np.dtype(KINDS[kind]).itemsize != end - begin:
        claimed = math.prod(shape) * np.dtype(KINDS[kind]).itemsize
        raise ValueError(f"{what} claims shape {tuple(shape)}, {in_bytes(claimed)}, but holds {in_bytes(end - begin)}")
    return tuple(shape), kind, begin, end
