"""Checks that a netCDF-4 file holds its values: HDF5 takes them from other files, by way of plugins, and from nowhere.

h5py tells so without opening these files or loading these plugins, which the netCDF library does at once.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import product
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np

from ....foundation.packages import needed
from ...safeguards import TEXT_SIZE, charge, in_bytes, reading, refuse_many, refuse_repeated, refuse_size

#: The filters of HDF5 itself: deflate, shuffle, fletcher32, szip, nbit and scaleoffset. All others are code in plugins.
BUILT_IN = range(1, 7)
#: What stands before the name of a variable that is named like a dimension and is not its coordinate.
NO_COORDINATE = "_nc4_non_coord_"
NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable"  # the attribute NAME of such a dimension
DEFLATE, FLETCHER = 1, 3
SMALL = 2**16  # bytes; what is packed can take a little more than what it holds
LARGE = 2**17  # bytes of a packed chunk, which unpack to at most a thousand times as many
DEEPEST = 50  # groups inside of groups, for each of which the netCDF library calls itself
#: How a place for values of any length begins, and which of its bytes say how large it is. Several entries may lead to
#: one value there, which then stands in memory as often.
HEAP, HEAP_SIZE = b"GCOL", (8, 16)
TOGETHER = 2**26  # bytes of texts that are looked at together
ERRORS = (ArithmeticError, AttributeError, KeyError, OSError, RuntimeError)  # of h5py, for damaged bytes


def refuse_foreign(file: Path) -> None:
    """Refuse a file of which a part lies in another file, is unpacked by a plugin, or is no plain numbers or text."""
    with _opened(file) as (h5py, root):
        plain = (h5py.h5t.INTEGER, h5py.h5t.FLOAT, h5py.h5t.STRING, h5py.h5t.ENUM)
        longest = cache(lambda: _longest_text(file))
        _charge_attributes(h5py, root, longest)
        for name, dataset in _datasets(h5py, root):
            _charge_attributes(h5py, dataset, longest)
            plan = dataset.get_create_plist()
            layout = plan.get_layout()
            if layout == h5py.h5d.VIRTUAL:
                raise ValueError(f"{name!r} lies in other files, as a virtual dataset: write its values into this one")
            if plan.get_external_count():
                other = _text(plan.get_external(0)[0])
                raise ValueError(
                    f"{name!r} lies in another file, {other!r}, by external storage: write its values into this one"
                )
            filters = [plan.get_filter(i)[0] for i in range(plan.get_nfilters())]
            plugin = next((number for number in filters if number not in BUILT_IN), None)
            if plugin is not None:
                raise ValueError(
                    f"{name!r} is packed by the filter {plugin} of HDF5, a plugin, which may run code: pack it by zlib"
                )
            if len(set(filters)) < len(filters):
                raise ValueError(f"{name!r} is packed more than once, by the filters {filters} of HDF5: once is enough")
            if dataset.get_type().get_class() not in plain:
                raise ValueError(f"{name!r} holds values of a composed type: expected plain numbers or text")
            if layout == h5py.h5d.CHUNKED:
                chunk = math.prod(plan.get_chunk()) * dataset.get_type().get_size()
                refuse_size(chunk)
                stored, held = dataset.get_storage_size(), dataset.get_num_chunks() * chunk
                if stored > 2 * held + SMALL:
                    raise ValueError(f"{name!r} takes {in_bytes(stored)}, but has values of at most {in_bytes(held)}")
                if DEFLATE in filters:
                    _refuse_larger(dataset, name, filters, chunk)
            if _has_any_length(h5py, dataset.get_type()):  # xarray reads all of them as it opens a file
                _charge_texts(h5py.Dataset(dataset), longest())


def _refuse_larger(dataset: Any, name: str, filters: list[int], most: int) -> None:
    """Refuse a chunk that unpacks to more than one holds: HDF5 unpacks all of it before it looks."""
    place = filters.index(DEFLATE)
    if filters[place + 1 :] not in ([], [FLETCHER]):
        raise ValueError(f"{name!r} is packed by zlib before another filter of HDF5: pack it last")
    large: list[tuple[int, ...]] = []
    dataset.chunk_iter(lambda chunk: large.append(chunk.chunk_offset) if chunk.size > LARGE else None)
    for start in large:
        skipped, content = dataset.read_direct_chunk(start)
        if skipped >> place & 1:
            continue
        with reading(f"the variable {name!r}", zlib.error):
            size = len(zlib.decompressobj().decompress(content, most + SMALL))
        if size >= most + SMALL:
            raise ValueError(f"a chunk of {name!r} unpacks to more than the {in_bytes(most)} that it holds")


def refuse_unwritten(file: Path, wanted: Any) -> None:
    """Refuse variables of an `xarray.Dataset` of which a part was never written."""
    with _opened(file) as (h5py, root):
        for name, variable in wanted.variables.items():
            dataset = h5py.h5o.open(root, _stored_name(h5py, root, str(name)).encode())
            # Text may have a dimension more, of its letters.
            for dim, held, size in zip(variable.dims, dataset.shape, variable.shape, strict=False):
                if held != size:
                    raise ValueError(f"{name!r} holds {held:,} values along {dim!r}, which has {size:,}")
            _refuse_holes(h5py, dataset, str(name), variable.dims)


@contextmanager
def _opened(file: Path) -> Iterator[tuple[Any, Any]]:
    """The package h5py, and the outermost group of a file."""
    h5py = needed("h5py", "reading this kind of .nc", "io")
    with reading("the netCDF file", *ERRORS), h5py.File(file, "r") as stored:
        yield h5py, stored["/"].id


def _datasets(h5py: Any, root: Any) -> Iterator[tuple[str, Any]]:
    """All datasets of a file with their names; what is a link is refused, and so is a group that holds itself."""
    groups, seen, count = [("", root)], {h5py.h5o.get_info(root).addr}, 0
    while groups:
        place, group = groups.pop()
        keys: list[bytes] = []
        group.links.iterate(keys.append)
        count += len(keys)
        refuse_many(count, "arrays")
        for key in keys:
            name, kind = f"{place}{_text(key)}", group.links.get_info(key).type
            if kind == h5py.h5l.TYPE_SOFT:
                raise ValueError(f"{name!r} is a link to {_text(group.links.get_val(key))!r}: write its values there")
            if kind != h5py.h5l.TYPE_HARD:
                target = group.links.get_val(key)[0] if kind == h5py.h5l.TYPE_EXTERNAL else b"(unknown)"
                raise ValueError(
                    f"{name!r} lies in another file, {_text(target)!r}, by an external link: write its values here"
                )
            thing = h5py.h5o.open(group, key)
            if isinstance(thing, h5py.h5d.DatasetID):
                yield name, thing
            elif isinstance(thing, h5py.h5g.GroupID):
                address = h5py.h5o.get_info(thing).addr
                if address in seen or name.count("/") >= DEEPEST:
                    raise ValueError(f"the group {name!r} holds itself, or lies {DEEPEST} groups deep")
                seen.add(address)
                groups.append((f"{name}/", thing))


def _stored_name(h5py: Any, root: Any, name: str) -> str:
    """The name under which a file keeps a variable."""
    apart = NO_COORDINATE + name
    if not root.links.exists(apart.encode()):
        return name
    if root.links.exists(name.encode()):
        role = h5py.Dataset(h5py.h5o.open(root, name.encode())).attrs.get("NAME", b"")
        if not _text(role).startswith(NO_VARIABLE):
            refuse_repeated([name, name], "arrays")
    return apart


def _refuse_holes(h5py: Any, dataset: Any, name: str, dims: Sequence[Any]) -> None:
    """Refuse a dataset of which a part was never written: it would be read as the fill value, such as the label 0."""
    plan, shape = dataset.get_create_plist(), dataset.shape
    if 0 in shape or plan.get_layout() == h5py.h5d.COMPACT:
        return
    if plan.get_layout() == h5py.h5d.CONTIGUOUS:
        if dataset.get_space_status() != h5py.h5d.SPACE_STATUS_ALLOCATED:
            raise ValueError(f"{name!r} was never written: it would be read as its fill value")
        return
    chunks = plan.get_chunk()
    starts = [range(0, length, chunk) for length, chunk in zip(shape, chunks, strict=True)]
    lacking = math.prod(map(len, starts)) - dataset.get_num_chunks()
    if lacking > 0:
        written: set[tuple[int, ...]] = set()
        dataset.chunk_iter(lambda chunk: written.add(chunk.chunk_offset))
        hole = next(start for start in product(*starts) if start not in written)
        along = list(dims).index("sample") if "sample" in dims else 0
        last = min(hole[along] + chunks[along], shape[along]) - 1
        raise ValueError(
            f"{lacking:,} of the {math.prod(map(len, starts)):,} chunks of {name!r} were never written, the first with "
            f"rows {hole[along]:,} to {last:,}: they would be read as its fill value"
        )


def _charge_attributes(h5py: Any, owner: Any, longest: Callable[[], int]) -> None:
    """Charge attributes of any length, which the libraries read with the names of variables."""
    for i in range(h5py.h5a.get_num_attrs(owner)):
        attribute = h5py.h5a.open(owner, index=i)
        if attribute.shape is not None and _has_any_length(h5py, attribute.get_type()):
            count = math.prod(attribute.shape)
            refuse_size(count * longest())
            if attribute.get_type().get_class() == h5py.h5t.STRING:
                texts = np.empty(attribute.shape, dtype=h5py.string_dtype())
                attribute.read(texts)
                charge(sum(TEXT_SIZE + 2 * len(text) for text in texts.ravel()))


def _charge_texts(texts: Any, longest: int) -> None:
    """Charge texts of any length, as many at a time as cannot take much."""
    if not texts.size:
        return
    row = math.prod(texts.shape[1:]) * longest
    refuse_size(row)
    step = max(1, TOGETHER // max(row, 1))
    for start in range(0, len(texts) if texts.shape else 1, step):
        several = np.ravel(texts[start : start + step] if texts.shape else [texts[()]])
        charge(sum(TEXT_SIZE + 2 * len(text) for text in several))


def _has_any_length(h5py: Any, kind: Any) -> bool:
    """Whether values of a type lie in a heap, each as long as it likes, or hold some that do."""
    is_plain_text = kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str()
    return bool(kind.detect_class(h5py.h5t.VLEN) or kind.detect_class(h5py.h5t.STRING)) and not is_plain_text


def _longest_text(file: Path) -> int:
    """How many bytes a value of any length may have at most: those of the largest heap."""
    with file.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as content:
        largest, at = 0, content.find(HEAP)
        while at >= 0:
            first, last = (at + place for place in HEAP_SIZE)
            largest = max(largest, int.from_bytes(content[first:last], "little"))
            at = content.find(HEAP, at + 1)
        return min(largest, len(content))


def _text(name: bytes | str) -> str:
    return name if isinstance(name, str) else name.decode(errors="replace")
