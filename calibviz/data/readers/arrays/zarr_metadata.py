"""The metadata of a zarr store, checked as plain JSON before zarr sees them, since zarr runs the codecs that they name.

Known codecs and plain types are let through; all else is refused by name. Consolidated metadata, which repeat those of
the arrays in one file, are never read: they have to agree with the arrays' own.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from ...columns.tables import shortened
from ...safeguards import json_value, reading, refuse_many, refuse_size
from ..steady import refuse_link, state_of

Metadata = dict[str, Any]
Packing = tuple[str | None, int | None]
"""What shrinks the chunks of an array, and the bytes of the entries of one; None of text of any length."""

OF_FORMAT_2, OF_FORMAT_3 = (".zgroup", ".zarray", ".zattrs", ".zmetadata"), ("zarr.json",)
METADATA = (*OF_FORMAT_3, *OF_FORMAT_2)
#: Codecs that shrink bytes; one of them is enough, and several could unpack a small file to any size.
PACKERS = {"blosc", "bz2", "gzip", "lz4", "lzma", "zlib", "zstd"}
#: Codecs that turn bytes into numbers and text, and do nothing else; not among them are pickles, whatever runs
#: functions, and what further packages bring.
CODECS = PACKERS | {
    "adler32", "bitround", "bytes", "crc32", "crc32c", "delta", "fixedscaleoffset", "fletcher32", "packbits",
    "quantize", "shuffle", "transpose", "vlen-utf8",
}  # fmt: skip  # short entries stand in rows
SHARDING = "sharding_indexed"
TEXT_OF_FORMAT_2 = "|O"  # text of any length, where its first codec is vlen-utf8
AGAIN = "; where the arrays are right, zarr.consolidate_metadata(...) writes them anew"
#: Types of format 2: numbers, text and times.
PLAIN_TYPE = re.compile(r"[<>|](b1|[iu][1248]|f[248]|[SU]\d{1,6}|[mM]8(\[\w+\])?)")
#: Types of format 3. Text of any length is "string".
PLAIN_NAMES = re.compile(
    r"bool|u?int(8|16|32|64)|float(16|32|64)|string|fixed_length_utf32|numpy\.(datetime|timedelta)64"
)


def check_metadata(store: Path) -> dict[str, Packing]:
    """How each array is packed. A store whose metadata lead elsewhere, or could run code, or differ, is refused."""
    if not store.is_dir():
        raise ValueError("a zarr store is a folder; this is a file: unpack it")
    root = _metadata_in(store, "")
    arrays: dict[str, Metadata] = {}
    for folder in sorted(store.iterdir()):
        refuse_link(folder, f"{folder.name!r} of the zarr store")
        if folder.is_dir():
            own = _metadata_in(folder, f"{folder.name}/")
            if root.keys() & {*OF_FORMAT_2} and own.keys() & {*OF_FORMAT_3}:
                raise ValueError(f"the array {folder.name!r} has metadata of format 3 in a store of format 2")
            array = _array_of(own)
            if array is not None:
                arrays[folder.name] = array
    refuse_many(len(arrays), "arrays")
    packings = {}
    for name, array in arrays.items():
        with reading(f"the metadata of the array {name!r}", AttributeError, IndexError, KeyError, TypeError):
            packings[name] = _check_array(name, array)
    with reading("the consolidated metadata", AttributeError, KeyError, TypeError):
        _refuse_contradiction(root, arrays)
    return packings


def _metadata_in(folder: Path, place: str) -> dict[str, Metadata]:
    """Return the contents of the files of metadata in a folder, by their names."""
    found = {}
    for name in METADATA:
        file, shown = folder / name, f"{place}{name} of the zarr store"
        refuse_link(file, shown)
        if file.exists():
            state_of(file, shown)
            with reading(shown, OSError, ValueError, RecursionError):
                content = json_value(file.read_text(encoding="utf-8"))
            if not isinstance(content, dict):
                raise ValueError(f"{shown} is no JSON object")
            found[name] = content
    if found.keys() & {*OF_FORMAT_2} and found.keys() & {*OF_FORMAT_3}:
        raise ValueError(f"{place or './'} of the zarr store has metadata of two formats, {', '.join(found)}")
    return found


def _array_of(own: dict[str, Metadata]) -> Metadata | None:
    """The metadata of an array with its attributes among them; None of a group or any other folder."""
    if ".zarray" in own:
        return own[".zarray"] | {"attributes": own.get(".zattrs", {})}
    array = own.get("zarr.json", {})
    return array if array.get("node_type") == "array" else None


def _check_array(name: str, array: Metadata) -> Packing:
    """How an array is packed; one that is no plain grid of numbers or text, packed by known codecs, is refused."""
    if array["zarr_format"] == 2:
        codecs = [codec for codec in (*(array["filters"] or ()), array["compressor"]) if codec is not None]
        dtype, chunks = array["dtype"], array["chunks"]
        of_text = dtype == TEXT_OF_FORMAT_2 and [_name_of(codec) for codec in codecs][:1] == ["vlen-utf8"]
        is_plain = of_text or _is_plain_type(dtype)
    else:
        codecs, dtype, grid = array["codecs"], array["data_type"], array["chunk_grid"]
        keys = array["chunk_key_encoding"]
        if grid["name"] != "regular" or _name_of(keys) not in ("default", "v2") or array.get("storage_transformers"):
            raise ValueError(f"the array {name!r} is stored in another way than as a regular grid of chunks")
        chunks = grid["configuration"]["chunk_shape"]
        is_plain = PLAIN_NAMES.fullmatch(_name_of(dtype)) is not None
    if not is_plain:
        raise ValueError(f"the array {name!r} is of the type {shortened(dtype)}: expected plain numbers or text")
    _check_grid(name, array["shape"], chunks)
    if [_name_of(codec) for codec in codecs] == [SHARDING]:
        inside = codecs[0]["configuration"]
        codecs, chunks = inside["codecs"], inside["chunk_shape"]
        _check_grid(name, array["shape"], chunks)
        index = inside["index_codecs"]
        little = index[0].get("configuration", {}).get("endian", "little") == "little"
        if not little or [_name_of(codec) for codec in index] not in (["bytes"], ["bytes", "crc32c"]):
            raise ValueError(f"the array {name!r} has shards whose index is not plain")
    refuse_size(math.prod(chunks) * _bytes_of(dtype))
    is_text = dtype in (TEXT_OF_FORMAT_2, "string")
    return _check_codecs(name, codecs), None if is_text else math.prod(chunks) * _bytes_of(dtype)


def _check_codecs(name: str, codecs: list[Any]) -> str | None:
    """The codec that shrinks the bytes, if there is one; codecs that are not known are refused."""
    names = [_name_of(codec) for codec in codecs]
    unknown = next((codec for codec in names if codec not in CODECS), None)
    if unknown is not None:
        raise ValueError(
            f"the array {name!r} is packed by the codec {unknown!r}, which may run code: write the store again with "
            f"one of those that are read, {', '.join(sorted(CODECS))}"
        )
    if sum(codec in PACKERS for codec in names) > 1:
        raise ValueError(f"the array {name!r} is packed more than once, by {', '.join(names)}: once is enough")
    for codec in codecs:
        options = codec.get("configuration", codec) if isinstance(codec, dict) else {}
        for key in options.keys() & {"dtype", "astype"}:
            if not _is_plain_type(options[key]):
                raise ValueError(f"the array {name!r} is packed by way of the type {shortened(options[key])}")
        if options.get("location") == "start":
            raise ValueError(f"the array {name!r} has a checksum before its bytes, not behind them")
    packer = next((codec for codec in names if codec in PACKERS), None)
    if packer is not None and names[names.index(packer) + 1 :] not in ([], ["crc32c"]):
        raise ValueError(f"the array {name!r} is packed by {packer} before {names[-1]}: pack it last")
    return packer


def _check_grid(name: str, shape: Any, chunks: Any) -> None:
    """Refuse shapes that are none, and chunks that do not fit them."""
    for sizes, least in ((shape, 0), (chunks, 1)):
        if not isinstance(sizes, list) or not all(type(size) is int and size >= least for size in sizes):
            raise ValueError(f"the array {name!r} claims shape {shape} and chunks {chunks}: these are no sizes")
    if len(shape) != len(chunks):
        raise ValueError(f"the array {name!r} claims shape {shape}, but chunks {chunks}")


def _name_of(named: Any) -> str:
    """The name of a codec, or of a type of format 3."""
    if isinstance(named, str):
        return named
    return str(named["id"] if "id" in named else named["name"]).removeprefix("numcodecs.")


def _is_plain_type(dtype: Any) -> bool:
    return isinstance(dtype, str) and PLAIN_TYPE.fullmatch(dtype) is not None


def _bytes_of(dtype: Any) -> int:
    """The bytes of an entry; of text of any length those of a pointer to it."""
    if isinstance(dtype, dict):
        return int(dtype.get("configuration", {}).get("length_bytes", 8))
    return 8 if dtype in (TEXT_OF_FORMAT_2, "string") else int(np.dtype(dtype).itemsize)


def _refuse_contradiction(root: dict[str, Metadata], arrays: dict[str, Metadata]) -> None:
    """Refuse consolidated metadata that differ from those of the store and its arrays."""
    if ".zmetadata" in root:
        listed: dict[str, dict[str, Metadata]] = {"": {}}
        for key, content in root[".zmetadata"]["metadata"].items():
            folder, _, file = key.rpartition("/")
            listed.setdefault(folder, {})[file] = content
        copies = {name: _array_of(own) for name, own in listed.items()}
        _refuse_difference(
            "the store", {"attributes": root.get(".zattrs", {})}, {"attributes": listed[""].get(".zattrs", {})}
        )
    else:
        every = (root.get("zarr.json", {}).get("consolidated_metadata") or {}).get("metadata")
        if every is None:
            return
        copies = {name: _array_of({"zarr.json": own}) for name, own in every.items()}
    for name in sorted(arrays.keys() | {name for name, copy in copies.items() if copy and "/" not in name}):
        if name not in arrays:
            raise ValueError(f"the consolidated metadata list an array {name!r} that is not in the store{AGAIN}")
        if copies.get(name) is None:
            raise ValueError(f"the consolidated metadata do not list the array {name!r} of the store{AGAIN}")
        _refuse_difference(f"the array {name!r}", arrays[name], copies[name])


def _refuse_difference(what: str, own: Any, copy: Any, key: str = "", whole: bool = False) -> None:
    """Refuse what differs. A key that one of them lacks is written as its default in the other, but for attributes."""
    if isinstance(own, dict) and isinstance(copy, dict):
        for inner in sorted(own.keys() | copy.keys() if whole else own.keys() & copy.keys()):
            _refuse_difference(what, own.get(inner), copy.get(inner), inner, whole or inner == "attributes")
    elif isinstance(own, list) and isinstance(copy, list) and len(own) == len(copy) and key in ("codecs", "filters"):
        for one, other in zip(own, copy, strict=True):
            _refuse_difference(what, one, other, key)
    elif own != copy and json.dumps(own) != json.dumps(copy):  # NaN differs from itself, but not as text
        raise ValueError(
            f"the consolidated metadata are not those of {what}: {key!r} is {_shown(own)} there, but "
            f"{_shown(copy)} in them{AGAIN}"
        )


def _shown(value: Any) -> str:
    return "missing" if value is None else shortened(value)
