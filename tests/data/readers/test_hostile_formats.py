"""Files of other programs that are made to overwhelm a reader: refused in seconds, in little memory, in a sentence."""

from __future__ import annotations

import json
import re
import struct
import sys
import zipfile
from pathlib import Path

import apart
import numpy as np
import pandas as pd
import pytest
from prediction_files import refuse
from workbooks import HEAD, MAIN, cell, ods_cell, ods_parts, rows_of, write_zip, xlsx_parts

import calibviz as cv
from calibviz.data import safeguards
from calibviz.data.readers.tables.arrow_messages import claims

pytestmark = pytest.mark.thorough

SECONDS, MEGABYTES = 8, 700  # of the processor, and of memory, each with those of the processes that it starts
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux bounds the memory of a process")
TABLE = {"prob": (np.arange(40) / 40).tolist(), "label": [0, 1] * 20}


def refused(path: Path) -> str:
    """What a file is refused with, in a process of its own, which takes little of time and memory."""
    return apart.refused(f"cv.read_predictions({str(path)!r})", SECONDS, MEGABYTES).removeprefix(f"{path}: ")


# Workbooks --------------------------------------------------------------------------------------------------------


def with_part(path: Path, name: str, start: str, unit: str, times: int, claimed: int | None = None) -> None:
    """A workbook with another part, which holds a text many times; it may claim to be of another size."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for part, content in xlsx_parts({"S": rows_of(TABLE)}).items():
            made.writestr(part, content)
        with made.open(name, "w") as stream:
            stream.write(start.encode())
            for _ in range(times):
                stream.write(unit.encode() * (2**20 // len(unit)))
    if claimed is not None:
        content = bytearray(path.read_bytes())
        struct.pack_into("<I", content, content.rfind(b"PK\x01\x02") + 24, claimed)
        path.write_bytes(content)


SHARED = f'{HEAD}<sst xmlns="{MAIN}">'


@on_linux
def test_a_workbook_that_unpacks_to_gigabytes(tmp_path):
    with_part(tmp_path / "p.xlsx", "xl/sharedStrings.xml", SHARED, "<si><t>x</t></si>", 400)
    assert re.match(r"the content takes at least 4\d\d MB of memory, which is much for", refused(tmp_path / "p.xlsx"))


@on_linux
def test_a_workbook_that_claims_less_than_it_holds(tmp_path):
    with_part(tmp_path / "p.xlsx", "xl/sharedStrings.xml", SHARED, "<si><t>x</t></si>", 400, claimed=1000)
    said = "the part 'xl/sharedStrings.xml' claims 1000 bytes, but unpacks to more"
    assert refused(tmp_path / "p.xlsx") == said
    with_part(tmp_path / "q.xlsx", "xl/sharedStrings.xml", SHARED, "<si></si>", 1, claimed=10**7)
    refuse(tmp_path / "q.xlsx", "the part 'xl/sharedStrings.xml' claims 10 MB, but unpacks to 1.05 MB")


@on_linux
@pytest.mark.parametrize("far", ["XFD1048576", "SSS20000"])
def test_a_cell_far_away_takes_no_memory(tmp_path, far):
    pytest.importorskip("python_calamine")
    row = re.sub(r"\D", "", far)
    rows = f'{rows_of(TABLE)}<row r="{row}">{cell("x", far)}</row>'
    write_zip(tmp_path / "p.xlsx", xlsx_parts({"S": rows}))
    assert refused(tmp_path / "p.xlsx").startswith("the content takes at least 250 MB of memory, which is much for")


@on_linux
@pytest.mark.parametrize(("rows", "columns"), [(10**6, 16_000), (10**5, 500)])
def test_a_cell_that_is_repeated_takes_no_memory(tmp_path, rows, columns):
    pytest.importorskip("python_calamine")
    cells = ods_cell("x", f' table:number-columns-repeated="{columns}"')
    write_zip(
        tmp_path / "p.ods",
        ods_parts(f'<table:table-row table:number-rows-repeated="{rows}">{cells}</table:table-row>'),
    )
    assert re.match("the content takes at least|the workbook cannot be read and may be", refused(tmp_path / "p.ods"))


@pytest.mark.parametrize(
    "prologue",
    [
        '<!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY e "&a;&a;&a;">]>',
        f"<!--{'x' * 2**21}--><!DOCTYPE w>",
    ],
)
def test_no_entity_is_expanded(tmp_path, prologue):
    rows = rows_of({"prob": [0.5], "label": ["&e;"]}).replace("&amp;", "&")
    write_zip(tmp_path / "p.xlsx", xlsx_parts({"S": rows}, prologue))
    said = "the part 'xl/worksheets/sheet1.xml' declares a type or entities of XML, which no program writes"
    refuse(tmp_path / "p.xlsx", said)


def test_xml_in_which_declarations_could_hide_is_refused(tmp_path):
    parts = xlsx_parts({"S": rows_of(TABLE)})
    parts["xl/worksheets/sheet1.xml"] = (
        str(parts["xl/worksheets/sheet1.xml"]).replace("UTF-8", "UTF-16").encode("utf-16")
    )
    write_zip(tmp_path / "p.xlsx", parts)
    refuse(tmp_path / "p.xlsx", "the part 'xl/worksheets/sheet1.xml' is XML in another encoding than UTF-8, which ...")


@pytest.mark.parametrize("kept", [8, 0.3, 0.9])
@pytest.mark.parametrize("ending", [".xlsx", ".sav", ".dta", ".feather", ".safetensors", ".npy", ".json", ".eval"])
def test_files_cut_short(tmp_path, ending, kept):
    whole, table = tmp_path / f"whole{ending}", pd.DataFrame(TABLE)
    if ending == ".xlsx":
        write_zip(whole, xlsx_parts({"S": rows_of(TABLE)}))
    elif ending == ".sav":
        pytest.importorskip("pyreadstat").write_sav(table, str(whole))
    elif ending == ".dta":
        table.to_stata(whole, write_index=False)
    elif ending == ".feather":
        table.to_feather(whole)
    elif ending == ".safetensors":
        whole.write_bytes(tensors({"prob": entry("F64", [40], [0, 320])}, bytes(320)))
    elif ending == ".npy":
        np.save(whole, np.zeros((40, 2)))
    elif ending == ".json":
        whole.write_text(json.dumps(TABLE))
    else:
        write_zip(whole, {"samples/1.json": json.dumps(TABLE)})
    content = whole.read_bytes()
    path = tmp_path / f"p{ending}"
    path.write_bytes(content[: kept if kept == 8 else int(kept * len(content))])
    with pytest.raises((ValueError, ImportError)):
        cv.read_predictions(path)


# SPSS, Stata ------------------------------------------------------------------------------------------------------


@on_linux
def test_a_packed_file_of_spss_that_unpacks_to_gigabytes(tmp_path):
    pyreadstat, n = pytest.importorskip("pyreadstat"), 600_000
    wide = ["x" * 200] + ["x"] * (n - 1)
    table = pd.DataFrame({"prob": np.full(n, 0.5), "label": np.ones(n), "s": wide, "t": wide})
    pyreadstat.write_sav(table, str(tmp_path / "p.zsav"), compress=True)
    assert re.match(r"the content takes at least 1.\d* GB of memory, which is much for", refused(tmp_path / "p.zsav"))


def test_a_file_of_stata_that_claims_more_rows_or_columns(tmp_path):
    pd.DataFrame(TABLE).to_stata(tmp_path / "p.dta", write_index=False, version=114)
    for place, form, count in ((4, "<H", 65_535), (6, "<i", 2**31 - 1)):
        content = bytearray((tmp_path / "p.dta").read_bytes())
        struct.pack_into(form, content, place, count)
        (tmp_path / "q.dta").write_bytes(content)
        refuse(tmp_path / "q.dta", "the .dta file cannot be read and may be damaged: ...")


# Arrow ------------------------------------------------------------------------------------------------------------


@on_linux
def test_an_arrow_file_that_unpacks_to_gigabytes(tmp_path):
    arrow, n = pytest.importorskip("pyarrow"), 30_000_000
    table = arrow.table({"prob": np.full(n, 0.5), "label": np.ones(n, dtype=np.int8)})
    packed = arrow.ipc.IpcWriteOptions(compression="zstd")
    with arrow.ipc.new_file(tmp_path / "p.feather", table.schema, options=packed) as stream:
        stream.write_table(table)
    with arrow.ipc.new_stream(tmp_path / "p.arrow", table.schema, options=packed) as stream:
        stream.write_table(table)
    for name in ("p.feather", "p.arrow"):
        assert re.match(r"the content takes at least \d+ MB of memory, which is much", refused(tmp_path / name))


@on_linux
def test_an_arrow_file_of_many_rows_without_buffers(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"prob": [0.5], "nothing": arrow.nulls(1)})
    many = arrow.RecordBatch.from_arrays([arrow.nulls(2 * 10**9)], names=["prob"])
    with arrow.ipc.new_stream(tmp_path / "p.arrow", many.schema) as stream:
        stream.write_batch(many)
    assert re.match(r"the content takes at least 16 GB of memory", refused(tmp_path / "p.arrow"))
    assert table is not None


def test_a_buffer_of_arrow_that_claims_more_than_it_holds(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"prob": np.full(4000, 0.5), "label": np.arange(4000) % 2})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_file(sink, table.schema, options=arrow.ipc.IpcWriteOptions(compression="lz4")) as stream:
        stream.write_table(table)
    content = bytearray(sink.getvalue().to_pybytes())
    assert sum(size for size, _ in claims(memoryview(content))) >= 2 * 32_000
    at = content.find(struct.pack("<q", 32_000))  # what the first buffer unpacks to
    struct.pack_into("<q", content, at, 2**50)
    (tmp_path / "p.feather").write_bytes(content)
    refuse(tmp_path / "p.feather", "the content takes at least 1.13e+06 GB of memory...")
    struct.pack_into("<q", content, at, -5)
    (tmp_path / "p.feather").write_bytes(content)
    refuse(tmp_path / "p.feather", "the Arrow file cannot be read and may be damaged: a buffer claims a length below 0")


def test_places_in_an_arrow_file_that_lie_outside_of_it_are_not_read(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"prob": [0.5, 0.4], "label": [0, 1], "s": ["abc", "abcd"]})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_file(sink, table.schema) as stream:
        stream.write_table(table)
    content = sink.getvalue().to_pybytes()
    places = np.array([0, 3, 7], dtype=np.int32)
    assert content.count(places.tobytes()) == 1
    (tmp_path / "p.feather").write_bytes(content.replace(places.tobytes(), (places * 10**6).tobytes()))
    refuse(tmp_path / "p.feather", "the Arrow file cannot be read and may be damaged: ...")


# Arrays -----------------------------------------------------------------------------------------------------------


def tensors(head: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(kind: object, shape: object, place: object) -> dict[str, object]:
    return {"dtype": kind, "shape": shape, "data_offsets": place}


TWO = entry("F64", [2], [0, 16])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"ab\0",
            "the head of the tensors claims 25185 bytes, but the file holds 3 bytes, and at most 16.8 MB are read",
        ),
        (
            tensors(b"{}", length=2**62),
            "the head of the tensors claims 4.61e+09 GB, but the file holds 10 bytes, and ...",
        ),
        (tensors(b"[" * 10**5), "the head of the tensors cannot be read and may be damaged: ..."),
        (
            tensors(b'{"a": 1, "a": 2}'),
            "the head of the tensors cannot be read and may be damaged: two keys are named...",
        ),
        (tensors([1]), "the head of the tensors is [1], not a record of each"),
        (tensors({"prob": 3}), "the tensor 'prob' is 3, without its dtype, shape and data_offsets"),
        (
            tensors({"prob": entry("F64", [2], [0, 2**60])}),
            "the tensor 'prob' is at 0 to 1,152,921,504,606,846,976, but...",
        ),
        (
            tensors({"probs": entry("F64", [2**40, 2], [0, 16])}, bytes(16)),
            "the tensor 'probs' claims shape (1099511627776, 2), 1.76e+04 GB, but holds 16 bytes",
        ),
        (
            tensors({"prob": entry("F64", [-2], [0, 16])}, bytes(16)),
            "the tensor 'prob' has the shape [-2] and the pla...",
        ),
        (
            tensors({"prob": entry("F64", [2.0], [0, 16])}, bytes(16)),
            "the tensor 'prob' has the shape [2.0] and the p...",
        ),
        (
            tensors({"prob": entry("F64", [True] * 2, [0, 8])}, bytes(8)),
            "the tensor 'prob' has the shape [True, True]...",
        ),
        (
            tensors({"prob": TWO, "label": entry("I64", [2], [8, 24])}, bytes(24)),
            "the tensors 'prob' and 'label' overlap",
        ),
        (
            tensors({"prob": TWO, "label": entry("BOOL", [2], [16, 18])}, bytes(16) + b"\2\7"),
            "the tensor 'label' holds other bytes than 0 and 1, but claims to be boolean",
        ),
        (tensors({"prob": entry("F8_E4M3", [2], [0, 2])}, bytes(2)), "found no labels among the arrays (none): exp..."),
    ],
)
def test_tensors_are_where_they_claim_to_be(tmp_path, content, message):
    (tmp_path / "p.safetensors").write_bytes(content)
    refuse(tmp_path / "p.safetensors", message)


def test_an_array_that_claims_another_size(tmp_path):
    np.save(tmp_path / "p.npy", np.zeros((4, 2)))
    content = (tmp_path / "p.npy").read_bytes()
    (tmp_path / "p.npy").write_bytes(content.replace(b"(4, 2)", b"(9, 2)"))
    refuse(tmp_path / "p.npy", "the array claims shape (9, 2), 144 bytes, but holds 64 bytes")


# JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 10**5 + "]" * 10**5, "the text cannot be read: more than 100 lists or records are within each other"),
        (
            '{"a":' * 10**5 + "1" + "}" * 10**5,
            "the text cannot be read: more than 100 lists or records are within each other",
        ),
        (
            '[{"prob": 0.5, "label": 1, "x": ' + "[" * 150 + "]" * 150 + "}]",
            "the text cannot be read: more than 100 ...",
        ),
        (
            '[{"prob": 0.5, "prob": 0.6, "label": 1}]',
            "the text cannot be read and may be damaged: two keys are named...",
        ),
    ],
)
def test_deep_documents_and_repeated_keys_are_refused(tmp_path, text, message):
    (tmp_path / "p.json").write_text(text)
    refuse(tmp_path / "p.json", message)


@on_linux
def test_a_document_of_empty_records(tmp_path):
    (tmp_path / "p.json").write_text("[" + "{}," * 5_000_000 + "{}]")
    assert re.match(r"the content takes at least \d+ MB of memory, which is much for 15", refused(tmp_path / "p.json"))


@on_linux
def test_a_log_of_inspect_that_unpacks_to_gigabytes(tmp_path):
    with zipfile.ZipFile(tmp_path / "p.eval", "w", zipfile.ZIP_DEFLATED) as made:
        for i in range(40):
            with made.open(f"samples/{i}.json", "w") as stream:
                stream.write(b'{"x":"')
                for _ in range(16):
                    stream.write(b"x" * 2**20)
                stream.write(b'"}')
    said = refused(tmp_path / "p.eval")
    assert re.match(r"the content takes at least \d+ MB of memory, which is much for", said)


def test_what_is_thrown_away_takes_nothing_of_the_budget(tmp_path):
    (tmp_path / "p").write_bytes(b"")
    with safeguards.budgeted(safeguards.Budget(tmp_path / "p", "1 MB")):
        for _ in range(5):
            with safeguards.for_now():
                safeguards.charge(900_000)
        with pytest.raises(safeguards.BudgetError), safeguards.for_now():
            safeguards.charge(1_100_000)
        assert safeguards.left() == 1_000_000
