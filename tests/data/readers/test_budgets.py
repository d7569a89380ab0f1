"""Small files that ask for gigabytes are refused in seconds and in little memory; large files open as they are."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import apart
import h5py
import numcodecs
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr
import zarr
from damaged_files import npy
from hypothesis import given, strategies as st

import calibviz as cv
from calibviz.data import safeguards
from calibviz.data.columns.choices import ReadingOptions
from calibviz.data.readers import preview

SECONDS, MEGABYTES = 5, 1000  # of the processor, and of memory
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the peak in /proc"),
]

BLOCK = 2**24  # bytes that are packed once, and written again and again


def refused(call: str) -> str:
    """What a call is refused with, in a process of its own, which takes little of time and memory."""
    return apart.refused(call, SECONDS, MEGABYTES)


def packed(path: Path, start: bytes, unit: bytes, blocks: int = 40) -> None:
    """A .gz of several members, the first of which begins with `start`."""
    member = gzip.compress(unit * (BLOCK // len(unit)), compresslevel=1)
    path.write_bytes(gzip.compress(start) + member * blocks)


def archive(path: Path, **members: tuple[bytes, int]) -> None:
    """An .npz of headers, each followed by so many bytes that are 1."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for name, (head, size) in members.items():
            with made.open(f"{name}.npy", "w") as stream:
                stream.write(head)
                for start in range(0, size, 2**20):
                    stream.write(b"\1" * min(2**20, size - start))


def parquet(path: Path, table: pa.Table, groups: int = 1, **options: object) -> None:
    with pq.ParquetWriter(path, table.schema, compression="zstd", **options) as writer:
        for _ in range(groups):
            writer.write_table(table, row_group_size=len(table))


def copies(n: int) -> pa.DictionaryArray:
    """A long text n times, which is held once; where the file keeps no schema of Arrow's, it holds texts."""
    return pa.DictionaryArray.from_arrays(np.zeros(n, dtype=np.int32), pa.array(["x" * 10_000]))


def rows(n: int, **more: object) -> pa.Table:
    return pa.table({"prob": np.full(n, 0.5), "label": np.ones(n, dtype=np.int8), **more})


LABELS = npy("(1000,)", b"", descr="'|b1'"), 1000
PROB = npy("(1000,)", bytes(8000)), 0
TEXTS: dict[str, tuple[bytes, bytes]] = {
    "labels": (b"label\n", b"1\n"),
    "rows": (b"prob,label\n", b"0.5,1\n"),
    "empty cells": (b"prob,label,a,b,c,d,e\n", b"1,1,,,,,\n"),
    "short rows": (b"prob,label," + b",".join(b"c%d" % i for i in range(10_000)) + b"\n", b"1\n"),
    "a long header": (b"prob,label", b","),
    "a long cell": (b'prob,label,note\n0.5,1,"', b"x"),
    "blank lines": (b"prob,label\n0.5,1\n0.4,0", b"\n"),
    "UTF-16": (b"\xff\xfe", "0.5,1\n".encode("utf-16-le")),
    "Windows-1252": (b"prob,label,n\n0.5,1,", b"\x80"),
}
LOGS: dict[str, tuple[bytes, bytes]] = {
    "empty records": (b"", b"{}\n"),
    "records": (b"", b'{"prob":0.5,"label":1}\n'),
    "empty lists": (b'{"prob":0.5,"label":1,"x":[', b"[],"),
    "blank lines": (b'{"prob":0.5,"label":1}\n', b"\n"),
    "a long text": (b'{"prob":0.5,"label":1,"x":"', b"x"),
}
ARCHIVES: dict[str, dict[str, tuple[bytes, int]]] = {
    "texts of no letters": {"prob": PROB, "label": (npy("(100000000,)", b"", descr="'<U0'"), 0)},
    "more of them than there can be": {"prob": PROB, "label": (npy(f"({2**62},)", b"", descr="'<U0'"), 0)},
    "bits": {name: (npy("(100000000,)", b"", descr="'|b1'"), 10**8) for name in ("prob", "label")},
    "bytes": {
        "probs": (npy("(1000000, 200)", b"", descr="'|u1'"), 2 * 10**8),
        "labels": (npy("(1000000,)", b"", descr="'|u1'"), 10**6),
    },
    "wide texts": {"prob": PROB, "label": LABELS, "note": (npy("(1000,)", b"", descr="'<U100000'"), 4 * 10**8)},
}
TABLES: dict[str, Callable[[Path], None]] = {
    "runs": lambda path: parquet(path, rows(30_000_000)),
    "row groups": lambda path: parquet(path, rows(1_000_000), groups=30),
    "one text, many times": lambda path: parquet(
        path, rows(100_000, note=pa.DictionaryArray.from_arrays(np.zeros(100_000, dtype=np.int32), ["x" * 5000]))
    ),
    "a long text": lambda path: parquet(
        path, rows(3, note=["x" * 300_000_000, "a", "b"]), use_dictionary=False, write_statistics=False
    ),
    "a large dictionary": lambda path: parquet(
        path,
        rows(330, note=[f"{i}{'x' * 900_000}" for i in range(330)]),
        dictionary_pagesize_limit=2**30,
        write_statistics=False,
    ),
    "a long list": lambda path: parquet(
        path, pa.table({"label": [1, 0], "probs": [np.zeros(40_000_000), np.zeros(2)]})
    ),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_texts(tmp_path: Path, kind: str) -> None:
    packed(path := tmp_path / "p.csv.gz", *TEXTS[kind])
    assert f"{path}: the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")


@pytest.mark.parametrize("unit", [b"1\n", b"0.5,1\n", b"x"])
def test_texts_that_fit_but_not_what_is_made_of_them(tmp_path: Path, unit: bytes) -> None:
    packed(path := tmp_path / "p.csv.gz", "prob,label,n\n0.5,1,😀\n0.4,0,".encode(), unit, blocks=12)
    assert "the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")


@pytest.mark.parametrize(
    ("kind", "blocks"), [*((kind, 40) for kind in LOGS), *((kind, 2) for kind in LOGS if kind != "a long text")]
)
def test_logs(tmp_path: Path, kind: str, blocks: int) -> None:
    packed(path := tmp_path / "p.jsonl.gz", *LOGS[kind], blocks=blocks)
    assert f"{path}: the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")


def test_a_log_of_ever_new_keys(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("".join(f'{{"prob":0.5,"label":1,"k{i}":1}}\n' for i in range(30_000)), encoding="utf-8")
    assert "the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")


@pytest.mark.parametrize("depth", [101, 300, 900, 10_000])
def test_a_log_of_lists_within_lists(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(f'{{"prob":0.5,"label":1,"x":{"[" * depth}{"]" * depth}}}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="line 1 cannot be read"):
        cv.read_predictions(path)


def test_a_log_of_some_lists_within_lists_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        "".join(json.dumps({"prob": 0.5, "label": i, "x": [[j] for j in range(200)]}) + "\n" for i in (0, 1)),
        encoding="utf-8",
    )
    assert cv.read_predictions(path).fields["x"][0].startswith("[[0], [1], ")


@pytest.mark.parametrize("kind", ARCHIVES)
def test_archives(tmp_path: Path, kind: str) -> None:
    archive(path := tmp_path / "p.npz", **ARCHIVES[kind])
    assert f"{path}: the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")


def test_a_header_of_a_gigabyte(tmp_path: Path) -> None:
    archive(
        path := tmp_path / "p.npz", prob=(b"\x93NUMPY\2\0" + (5 * 10**8).to_bytes(4, "little"), 5 * 10**8), label=LABELS
    )
    assert "the array 'prob' cannot be read and may be damaged: EOF" in refused(f"cv.read_predictions({str(path)!r})")


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_unpack_to_more_than_they_claim(tmp_path: Path, way: int) -> None:
    """Python asks for all that a block of them holds, whatever the list of members says."""
    with zipfile.ZipFile(path := tmp_path / "p.npz", "w", way) as made:
        for name in ("prob", "label"):
            made.writestr(f"{name}.npy", npy("(2,)", bytes(16)))
    with pytest.raises(ValueError, match="the array 'prob' is packed in another way than by deflate"):
        cv.read_predictions(path)


def test_an_archive_of_many_members(tmp_path: Path) -> None:
    with zipfile.ZipFile(path := tmp_path / "p.npz", "w") as made:
        for i in range(70_000):
            made.writestr(f"a rather long name of an array {i}", b"")
    assert "the list of its arrays takes " in refused(f"cv.read_predictions({str(path)!r})")


@pytest.mark.parametrize("kind", TABLES)
def test_parquet(tmp_path: Path, kind: str) -> None:
    TABLES[kind](path := tmp_path / "p.parquet")
    assert path.stat().st_size < 10**7
    assert f"{path}: the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")
    if kind not in ("row groups", "a long list"):  # of parts each counts by itself
        opened = f"cv.open_predictions({str(path)!r}).sample(10, progress=False)"
        assert "the content takes at least " in refused(opened)


@pytest.mark.parametrize("kind", ["texts in lists", "bytes", "names of options"])
def test_parquet_of_one_text_in_many_rows(tmp_path: Path, kind: str) -> None:
    n = 100_000
    lists = pa.LargeListArray.from_arrays(np.arange(n + 1), copies(n))
    zeros = pa.py_buffer(np.zeros(n * 10_000, dtype=np.uint8))  # which take no memory until they are written to
    note = pa.Array.from_buffers(pa.binary(10_000), n, [None, zeros]) if kind == "bytes" else lists
    ones = pa.LargeListArray.from_arrays(np.arange(n + 1), np.ones(n))
    options = {"option_ids": lists, "probs": ones, "label": np.zeros(n, dtype=np.int8)}
    parquet(
        path := tmp_path / "p.parquet",
        pa.table(options) if kind == "names of options" else rows(n, note=note),
        write_statistics=False,
        store_schema=False,
    )
    assert path.stat().st_size < 200_000
    for call in ("cv.read_predictions({!r})", "cv.open_predictions({!r}).sample(10, progress=False)"):
        assert "the content takes at least " in refused(call.format(str(path))) or "open" in call


@pytest.mark.parametrize("kind", ["struct", "map", "lists of lists"])
def test_parquet_columns_of_several_things_are_not_read(tmp_path: Path, kind: str) -> None:
    n = 100_000
    texts = copies(n)
    places = np.arange(n + 1, dtype=np.int32)
    lists = pa.LargeListArray.from_arrays(places.astype(np.int64), texts)
    note = {
        "struct": lambda: pa.StructArray.from_arrays([texts], ["t"]),
        "map": lambda: pa.MapArray.from_arrays(places, texts, texts),
        "lists of lists": lambda: pa.LargeListArray.from_arrays(places.astype(np.int64), lists),
    }[kind]()
    plain = {"write_statistics": False, "store_schema": False}
    parquet(path := tmp_path / "p.parquet", rows(n, note=note), **plain)
    shown = "print(sorted({}), p.about['assumed'])"
    for call in ("cv.read_predictions({!r})", "cv.open_predictions({!r})"):
        fields = "p.fields" if "read" in call else "p.sample(10, progress=False).fields"
        program = f"[{shown.format(fields)} for p in [{call.format(str(path))}]]"
        said = refused(program)
        assert said.startswith("[] P(1) from 'prob'")
        assert said.endswith("; not read, since each entry holds several things: note")
    parquet(path, pa.table({"label": np.ones(n), "probs": note}), **plain)
    assert "the column 'probs' is of the type " in refused(f"cv.read_predictions({str(path)!r})")
    assert "the column 'probs' is of the type " in refused(f"cv.open_predictions({str(path)!r})")
    parquet(path, rows(n, note=note), **plain)
    assert "only columns of single values, or of lists of them, are read" in refused(
        f"cv.read_predictions({str(path)!r}, fields=['note'])"
    )


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, lambda of: pa.list_(of, 2)])
def test_parquet_lists_are_read(tmp_path: Path, kind: Callable[[pa.DataType], pa.DataType]) -> None:
    ids = pa.array([["a", "b"], ["b", "a"], ["a", "b"]], kind(pa.string()))
    probs = pa.array([[0.7, 0.3], [0.4, 0.6], [0.2, 0.8]], kind(pa.float64()))
    tags = pa.array([["x", None], None, ["y", "x"]], kind(pa.string()))
    table = pa.table({"option_ids": ids, "probs": probs, "label": ["a", "b", "b"], "tags": tags})
    parquet(path := tmp_path / "p.parquet", table, groups=2)
    p = cv.read_predictions(path)
    np.testing.assert_array_equal(p.probs[:3], [[0.7, 0.3], [0.6, 0.4], [0.2, 0.8]])
    assert p.fields["tags"].tolist() == ['["x", null]', "", '["y", "x"]'] * 2


def test_parquet_judges_long_texts_by_their_ends(tmp_path: Path) -> None:
    """A text that is read takes little time, though it is looked at as a label, a number, a date and an id."""
    table = rows(3, note=["x" * 100_000_000, "a", "b"]).set_column(0, "prob", pa.array([0.5, 0.25, 0.75]))
    parquet(path := tmp_path / "p.parquet", table, use_dictionary=False, write_statistics=False)
    refused(f"cv.read_predictions({str(path)!r})")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_parquet_texts_by_their_lengths_are_read_and_by_their_beginnings_are_refused(
    tmp_path: Path, version: Literal["1.0", "2.0"]
) -> None:
    table = pa.table(
        {"label": ["yes", "no"] * 30, "prob": [0.8, 0.3] * 30, "site": [f"site {i % 7}" for i in range(60)]}
    )
    for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"):
        file = tmp_path / f"{encoding}.parquet"
        kinds = {"label": "PLAIN", "site": encoding}
        pq.write_table(table, file, use_dictionary=False, column_encoding=kinds, data_page_version=version)
        if encoding == "DELTA_BYTE_ARRAY":
            with pytest.raises(ValueError, match="column 'site' is written as DELTA_BYTE_ARRAY, in which a few bytes"):
                cv.read_predictions(file)
        else:
            p = cv.read_predictions(file, label="label", prob="prob")
            assert p.fields["site"].tolist() == table["site"].to_pylist() and p.labels.sum() == 30


def test_parquet_whose_summary_is_wrong(tmp_path: Path) -> None:
    """The sizes at the end of a file are not what pyarrow goes by: they are made small here."""
    table = rows(3, note=["x" * 300_000_000, "a", "b"])
    parquet(path := tmp_path / "p.parquet", table, use_dictionary=False, write_statistics=False)
    chunk = pq.read_metadata(path).row_group(0).column(2)
    content = path.read_bytes()
    true, false = (_zigzag(size) for size in (chunk.total_uncompressed_size, 100))
    false = false[:-1] + bytes([false[-1] | 128]) + b"\x80" * (len(true) - len(false) - 1) + b"\0"  # of the same length
    head, foot = content[: chunk.data_page_offset + chunk.total_compressed_size], content[chunk.data_page_offset :]
    foot = foot[chunk.total_compressed_size :]
    assert foot.count(true) >= 1
    path.write_bytes(head + foot.replace(true, false))
    assert pq.read_metadata(path).row_group(0).column(2).total_uncompressed_size == 100
    assert "the content takes at least 300 MB" in refused(f"cv.read_predictions({str(path)!r})")


def _zigzag(number: int) -> bytes:
    value, out = 2 * number, []
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


@pytest.mark.parametrize("ending", [".nc", ".zarr"])
@pytest.mark.parametrize("kind", ["content", "chunk"])
def test_arrays_in_chunks(tmp_path: Path, ending: str, kind: str) -> None:
    n, chunk = (40_000_000, 4_000_000) if kind == "content" else (10, 40_000_000)
    path = tmp_path / f"p{ending}"
    data = xr.Dataset({"prob": ("sample", np.full(n, 0.5)), "label": ("sample", np.ones(n, dtype=np.int8))})
    size = {"chunks" if ending == ".zarr" else "chunksizes": (chunk,)}
    if ending == ".zarr":
        data.to_zarr(path, zarr_format=2, encoding={name: size for name in data})
    else:
        kept = {name: {**size, "zlib": True, "complevel": 1} for name in data}
        data.to_netcdf(path, engine="netcdf4", unlimited_dims=["sample"], encoding=kept)
    assert f"{path}: the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")


def store(path: Path, n: int, chunk: int, **more: Any) -> Any:
    """A zarr store of n samples, whose values are not written yet."""
    group = zarr.open_group(path, mode="w", zarr_format=3)
    for name, dtype in (("prob", "f8"), ("label", "i1")):
        group.create_array(name, shape=(n,), chunks=(chunk,), dtype=dtype, dimension_names=["sample"], **more)
    return group


def long_texts(path: Path, group: zarr.Group, name: str, chunk: int, **more: Any) -> None:
    """An array of 1000 texts of a million letters; its chunks are copies of the first."""
    group.create_array(name, shape=(1000,), chunks=(chunk,), dtype=str, **more)[:chunk] = "x" * 1_000_000
    [first] = (file for file in (path / name).rglob("0") if file.is_file())
    for i in range(1, 1000 // chunk):
        shutil.copy(first, first.with_name(f"{i}"))


@pytest.mark.parametrize("dim", ["sample", "class"])
def test_texts_of_any_length_in_zarr(tmp_path: Path, dim: str) -> None:
    group = store(path := tmp_path / "p.zarr", 1000, 1000)
    group["prob"][:], group["label"][:] = 0.5, 1
    long_texts(path, group, dim, 100, dimension_names=[dim])
    assert safeguards.size_of(path) < 100_000
    for call in ("cv.read_predictions({!r})", "cv.open_predictions({!r})"):
        assert f"{path}: the content takes at least " in refused(call.format(str(path)))


def test_texts_of_any_length_in_zarr_of_format_2(tmp_path: Path) -> None:
    data = xr.Dataset({"prob": ("sample", np.full(1000, 0.5)), "label": ("sample", np.ones(1000, dtype=np.int8))})
    data.to_zarr(path := tmp_path / "p.zarr", zarr_format=2, consolidated=False)
    long_texts(path, zarr.open_group(path), "note", 10, attributes={"_ARRAY_DIMENSIONS": ["sample"]})
    assert safeguards.size_of(path) < 10**7
    assert f"{path}: the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")


def test_a_store_whose_parts_fit_but_not_all_of_them(tmp_path: Path) -> None:
    """What is read in parts takes little memory, but would go on for as long as the store claims rows."""
    group = store(path := tmp_path / "p.zarr", 1_000_000_000, 4_000_000)
    for name, value in (("prob", 0.5), ("label", 1)):
        group[name][:4_000_000] = value
        for i in range(1, 250):
            shutil.copy(path / name / "c" / "0", path / name / "c" / f"{i}")
    said = refused(f"cv.open_predictions({str(path)!r})")
    assert f"{path}: the content takes 9 GB once unpacked, which is much for " in said
    assert len(cv.open_predictions(path, limit="1 GB")) == 10**9


def test_a_shard_larger_than_its_array(tmp_path: Path) -> None:
    """Only the chunks that are read are unpacked."""
    group = store(path := tmp_path / "p.zarr", 10, 1_000_000, shards=(1_000_000_000,))
    group["prob"][:], group["label"][:] = 0.5, 1
    assert refused(f"print(len(cv.read_predictions({str(path)!r})))") == "10"


@pytest.mark.parametrize("sharded", [False, True])
def test_chunks_that_unpack_to_more_than_they_hold(tmp_path: Path, sharded: bool) -> None:
    """As many as are unpacked at the same time."""
    more = {"shards": (32,)} if sharded else {}
    group = store(path := tmp_path / "p.zarr", 32, 1, compressors=zarr.codecs.GzipCodec(), **more)
    group["prob"][:], group["label"][:] = 0.5, 1
    large = gzip.compress(bytes(60_000_000))
    if sharded:  # whose index is followed by its checksum, and says where each chunk begins and how long it is
        index = np.array([[0, len(large)]] * 32, dtype="<u8").tobytes()
        (path / "prob" / "c" / "0").write_bytes(large + index + numcodecs.CRC32C().encode(index)[:4].tobytes())
    else:
        for i in range(32):
            (path / "prob" / "c" / f"{i}").write_bytes(large)
    assert "of the array 'prob' unpacks to 1.05 MB or more, but its entries take at most 1.05 MB" in refused(
        f"cv.read_predictions({str(path)!r})"
    )


@pytest.mark.parametrize("kind", ["variable", "other variable", "attribute"])
def test_texts_of_any_length_in_netcdf(tmp_path: Path, kind: str) -> None:
    """Each entry says where its text lies: here all lead to the longest. The libraries read all as they open a file."""
    n, path = 2000, tmp_path / "p.nc"
    texts = ["x" * 1_000_000] + ["y"] * (n - 1)
    with h5py.File(path, "w") as file:
        file["sample"] = np.arange(n)
        file["sample"].make_scale("sample")
        for name, values in (("prob", np.full(n, 0.5)), ("label", np.ones(n, dtype=np.int8))):
            file[name] = values
            file[name].dims[0].attach_scale(file["sample"])
        if kind == "attribute":
            file["prob"].attrs.create("note", texts, dtype=h5py.string_dtype())
        else:
            note = file.create_dataset("note", data=texts, dtype=h5py.string_dtype())
            if kind == "variable":
                note.dims[0].attach_scale(file["sample"])
    content = path.read_bytes()
    long, short = (size.to_bytes(4, "little") + b".{12}" for size in (1_000_000, 1))  # lengths, and places
    entries = re.search(long + b"(?:" + short + b"){%d}" % (n - 1), content, re.DOTALL)
    assert entries
    path.write_bytes(content[: entries.start()] + entries[0][:16] * n + content[entries.end() :])
    assert f"{path}: the content takes at least " in refused(f"cv.read_predictions({str(path)!r})")


def test_previews_of_large_content(tmp_path: Path) -> None:
    """A preview looks at the first rows alone, and at no more than its budget."""
    TABLES["runs"](path := tmp_path / "p.parquet")
    assert preview(path, ReadingOptions()).rows[0] == ("0.5", "1")
    packed(path := tmp_path / "p.csv.gz", *TEXTS["rows"])
    assert preview(path, ReadingOptions()).rows[1][0] == "0.5"
    TABLES["a long text"](path := tmp_path / "q.parquet")
    with pytest.raises(ValueError, match="the content takes at least 300 MB"):
        preview(path, ReadingOptions())


# The option


def test_an_option_allows_more(tmp_path: Path) -> None:
    packed(path := tmp_path / "p.csv.gz", b"prob,label\n0.5,0\n", b"0.25,1\n0.25,0\n", blocks=2)
    with pytest.raises(ValueError, match=r"which is much for \d+ bytes on disk; .*, limit='1 GB' allows more$"):
        cv.read_predictions(path)
    p = cv.read_predictions(path, limit="1 GB")
    assert len(p) == 1 + 2 * 2 * (BLOCK // 14)
    assert p.about["source"] == f"cv.read_predictions({str(path)!r}, limit='1 GB')"
    with pytest.raises(ValueError, match="at most 5 MB are read at once: limit='1 GB' allows more"):
        cv.read_predictions(path, limit="5 MB")


@pytest.mark.parametrize("limit", ["", "8", "8 apples", "0 GB", "-1 GB", "nan GB", "1e3 GB", 0, -1, True, 1.5, [1]])
def test_limits_that_are_none(tmp_path: Path, limit: object) -> None:
    (path := tmp_path / "p.csv").write_text("prob,label\n0.5,1\n0.4,0\n", encoding="utf-8")
    for read in (cv.read_predictions, cv.open_predictions):
        with pytest.raises(ValueError, match="limit must be an amount of memory such as '8 GB' or '500 MB', not "):
            read(path, limit=limit)


@given(st.integers(1, 10**6), st.sampled_from(["KB", "MB", "GB", "TB"]), st.sampled_from(["", " "]))
def test_amounts(number: int, unit: str, blank: str) -> None:
    size = safeguards.number_of_bytes(f"{number}{blank}{unit}")
    assert size == number * 1000 ** (1 + ["KB", "MB", "GB", "TB"].index(unit))
    assert safeguards.number_of_bytes(f"{number}{blank}{unit.lower()}") == size


# Large files


def test_large_files_open_without_an_option(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    probs = rng.random((50_000, 1000), dtype=np.float32)
    probs /= probs.sum(axis=1, keepdims=True)
    np.savez(path := tmp_path / "p.npz", probs=probs, labels=np.arange(50_000) % 1000)
    assert cv.read_predictions(path).probs.shape == (50_000, 1000)
    path.unlink()
    frame = pd.DataFrame(probs[:20_000].astype(float), columns=[f"p_{k}" for k in range(1000)])
    frame["label"] = np.arange(20_000) % 1000
    frame.to_parquet(path := tmp_path / "p.parquet")
    assert cv.read_predictions(path).probs.shape == (20_000, 1000)
    sparse = np.zeros((20_000, 1000), dtype=np.float32)
    rows = np.arange(20_000)
    likeliest = rows % 1000 + (rows % 3 == 0)
    sparse[rows, likeliest % 1000], sparse[rows, (likeliest + 1) % 1000] = 0.75, 0.25
    np.savez_compressed(path := tmp_path / "p.npz", probs=sparse, labels=np.arange(20_000) % 1000)
    assert cv.read_predictions(path).probs.shape == (20_000, 1000)


def test_large_texts_open_without_an_option(tmp_path: Path) -> None:
    block = np.random.default_rng(0).dirichlet(np.ones(1000), 500)
    out = io.BytesIO()
    np.savetxt(out, np.column_stack([block, np.arange(500)]), delimiter=",", fmt=["%.6f"] * 1000 + ["%d"])
    header = ",".join([*(f"p_{k}" for k in range(1000)), "label"]) + "\n"
    (path := tmp_path / "p.csv.gz").write_bytes(
        gzip.compress(header.encode()) + gzip.compress(out.getvalue(), compresslevel=1) * 40
    )
    assert cv.read_predictions(path, normalize=True).probs.shape == (20_000, 1000)
    path.unlink()
    lines = "".join(f"{i / 10_000:.4f},{i % 2}{f',{i % 7 / 8}' * 18}\n" for i in range(10_000))
    names = ",".join(f"x{k}" for k in range(18))
    (path := tmp_path / "p.csv").write_text(f"prob,label,{names}\n{lines * 200}", encoding="utf-8")
    assert len(cv.read_predictions(path)) == 2_000_000
