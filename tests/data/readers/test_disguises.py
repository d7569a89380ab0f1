"""Files whose name says something else than their first bytes, titles above tables, and JSON in plain words."""

from __future__ import annotations

import gzip
import json
import lzma
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
from calibviz.data.columns.choices import Question

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
    "Git LFS": (
        lambda path: path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n"),
        "a pointer of Git LFS (git lfs pull fetches the file) by its first bytes: no table of predictions",
    ),
    "xz": (
        lambda path: path.write_bytes(lzma.compress(TEXT.encode())),
        "packed by xz by its first bytes: calibviz unp",
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


COLUMNS = {"id": np.arange(40), "label": TABLE.y, "score": TABLE.prob}


@pytest.mark.parametrize(
    ("above", "n"),
    [
        ("Validation of a model\n", 1),
        ("Export from the ward, 2024-03-01\n\n", 2),
        ("Validation cohort 2024,,\nprepared by,J. Doe,\n,,\n", 3),
        ("# model v3\n# 2024-01-01\n", 2),
    ],
)
@pytest.mark.parametrize("sep", [",", ";", "\t"])
def test_lines_above_the_names_of_the_columns_are_left_out(tmp_path, above, n, sep):
    text = pd.DataFrame(COLUMNS).to_csv(index=False, sep=sep)
    above = above.replace(",,", 2 * sep).replace("Doe,", f"Doe{sep}").replace("by,", f"by{sep}")
    (tmp_path / "a.csv").write_text(above + text)
    read = cv.read_predictions(tmp_path / "a.csv")
    assert len(read) == 40 and re.search(
        rf"\b[{n - 1}{n}] lines? above the names of the columns left out", read.about["assumed"]
    )
    lines = (above + text).splitlines()
    lines[-1] = lines[-1].replace("0.9", "high")
    (tmp_path / "a.csv").write_text("\n".join(lines))
    with pytest.raises(ValueError, match=f"line {len(lines)} of column 'score' is 'high'"):
        cv.read_predictions(tmp_path / "a.csv", prob="score", label="label")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\nx,y,z\nx,y\nx,y\n", "has 3 values"),
        ("0,0.5\n1,0.5\n0,0.1\n", "must hold the names of the columns"),
        ("label\nno,0.5\nyes,0.6\n", "if lines stand above the names of the columns, remove them"),
    ],
)
def test_what_is_no_title_is_not_left_out(tmp_path, text, said):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ValueError, match=said):
        cv.read_predictions(tmp_path / "a.csv")


def test_rows_above_the_names_of_the_columns_of_a_sheet_are_left_out(tmp_path):
    rows = {"Validation of a model": ["prepared by", "id", *COLUMNS["id"].tolist()]}
    rows |= {"": ["J. Doe", "label", *COLUMNS["label"].tolist()], " ": ["", "score", *COLUMNS["score"].tolist()]}
    write_xlsx(tmp_path / "a.xlsx", {"S": rows})
    read = cv.read_predictions(tmp_path / "a.xlsx")
    assert len(read) == 40 and "2 rows above the names of the columns left out" in read.about["assumed"]
    assert read.labels.sum() == 20 and "not fields: id" in read.about["assumed"]


def test_per_cents_of_an_unknown_name_and_log_probabilities_are_no_dead_end(tmp_path):
    p = TABLE.prob.to_numpy()
    table = pd.DataFrame({"died_30d": TABLE.y, "predicted_mortality_pct": (100 * p).round(1), "los_days": range(40)})
    try:
        read = cv.read_predictions(table)
    except Question as question:
        read = cv.read_predictions(table, **question.lines[0][0])
    assert read.probs[:, 1].mean() == pytest.approx(p.mean(), abs=1e-3)
    logs = {"sum_logprob": np.log(p), "mean_logprob": np.log(p) / 3, "is_correct": TABLE.y == 1}
    with pytest.raises(ValueError, match=r"'sum_logprob' holds log-probabilities: write p = exp\(sum_logprob\)"):
        cv.read_predictions(pd.DataFrame(logs))
    read = cv.read_predictions(pd.DataFrame({"logprob": np.log(p), "is_correct": TABLE.y == 1}))
    np.testing.assert_allclose(read.probs[:, 1], p)
