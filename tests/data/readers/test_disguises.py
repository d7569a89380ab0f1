"""Files whose name says something else than their first bytes, and JSON that nobody should have to understand."""

from __future__ import annotations

import gzip
import json
import pickle
import re
import zipfile
import zlib

import numpy as np
import pandas as pd
import pytest
from workbooks import write_xlsx

import calibviz as cv
from calibviz.app.opening import FileChooser

TABLE = pd.DataFrame({"y": [0, 1] * 20, "prob": np.linspace(0.1, 0.9, 40).round(3)})
RECORDS = TABLE.to_dict("records")
TEXT = TABLE.to_csv(index=False)


def zipped(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner.csv", TEXT)


MADE = {
    "pickle": (lambda path: path.write_bytes(pickle.dumps(TABLE)), "a pickle by its first bytes: a pickle runs code"),
    "old pickle": (lambda path: path.write_bytes(pickle.dumps(TABLE, protocol=0)), "a pickle by its first bytes: "),
    "joblib": (
        lambda path: path.write_bytes(zlib.compress(pickle.dumps(TABLE), 3)),
        "a pickle of joblib by its first bytes: a pickle runs code when it is loaded, so calibviz never opens one",
    ),
    "zip": (zipped, "a zip archive by its first bytes: unpack it, and read the file in it"),
    "Excel": (
        lambda path: write_xlsx(path, {"S": {name: list(TABLE[name]) for name in TABLE}}),
        "a workbook of Excel by its first bytes: rename it to mine.xlsx",
    ),
    "old Excel": (
        lambda path: path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)),
        "rename it to mine.xls",
    ),
    "gzip": (lambda path: path.write_bytes(gzip.compress(TEXT.encode())), "rename it to mine.csv.gz"),
    "Parquet": (TABLE.to_parquet, "a file of Parquet by its first bytes: rename it to mine.parquet"),
    "R": (lambda path: path.write_bytes(gzip.compress(b"RDX3\nX\n" + bytes(99))), "a file of R by its first bytes: "),
    "PDF": (lambda path: path.write_bytes(b"%PDF-1.7\n" + bytes(99)), "a PDF by its first bytes: no table of"),
    "page": (lambda path: path.write_text("<!DOCTYPE html><html><p>Log in"), "a web page by its first bytes: "),
    "JSON": (lambda path: path.write_text(json.dumps(RECORDS)), "JSON by its first bytes: rename it to mine.json"),
}


@pytest.mark.parametrize("kind", MADE)
def test_what_is_named_otherwise_is_said_by_its_first_bytes(tmp_path, kind):
    write, said = MADE[kind]
    path = tmp_path / "mine.csv"
    write(path)
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        cv.read_predictions(path)
    assert "named .csv" in str(caught.value) and "damaged" not in str(caught.value)
    chooser = FileChooser(lambda read: None, tmp_path)
    chooser._take(path)
    assert "by its first bytes" in chooser.said.value and chooser.explore.disabled


@pytest.mark.parametrize("ending", [".xlsx", ".npz", ".parquet"])
def test_text_that_is_named_otherwise_is_renamed(tmp_path, ending):
    path = tmp_path / f"mine{ending}"
    path.write_text(TEXT)
    with pytest.raises(ValueError, match=f"is named {ending}, but is text by its first bytes: rename it to mine.csv"):
        cv.read_predictions(path)
    path.rename(tmp_path / "mine.csv")
    assert len(cv.read_predictions(tmp_path / "mine.csv")) == 40


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", json.dumps(RECORDS), "one document, as in .json"),
        ("a.jsonl", json.dumps(RECORDS, indent=1), "one document, as in .json"),
        ("a.jsonl", json.dumps({"records": RECORDS}, indent=1), "one document, as in .json"),
        ("a.json", "\n".join(map(json.dumps, RECORDS)), "a record in each line, as in .jsonl"),
    ],
)
def test_a_list_that_is_named_as_a_log_is_read_and_the_reverse(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    read = cv.read_predictions(tmp_path / name)
    assert len(read) == 40 and said in read.about["assumed"]
    chooser = FileChooser(lambda read: None, tmp_path)
    chooser._take(tmp_path / name)
    assert not chooser.explore.disabled and "prob" in str(chooser.table.content)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "[" * 9000 + "]" * 9000, "the text cannot be read: more than 100 lists or records are within each"),
        ("a.jsonl", '{"a":' * 9000 + "1" + "}" * 9000, "line 1 cannot be read: more than 100 lists or records are"),
        (
            "a.jsonl",
            f'{{"y":1,"prob":0.5,"z":{"9" * 5000}}}',
            "line 1 cannot be read: it holds a number of 5,000 digits",
        ),
        ("a.json", TEXT, "the text cannot be read and may be damaged: it is no JSON from column 1 on"),
        ("a.json", '[{"y": 1,\n"prob": }]', "it is no JSON from line 2, column 9 on"),
    ],
)
def test_json_is_refused_in_plain_words(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=said) as caught:
        cv.read_predictions(tmp_path / name)
    assert not re.search("recursion|sys|char|Expecting", str(caught.value))
