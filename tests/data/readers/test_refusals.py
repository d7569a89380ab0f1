"""Files that cannot be read: every failure is one sentence that names the file and the place."""

from __future__ import annotations

import io
import pickle
import re
import sys
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from damaged_files import DAMAGED, npy
from prediction_files import (
    AGE,
    LABELS,
    NUMBERED,
    PROBS,
    SITE,
    WRITTEN,
    N,
    dataset,
    refuse,
    text_file,
    write_everything,
    write_npz,
    write_table,
)

import calibviz as cv
from calibviz.data import safeguards
from calibviz.data.readers import read_predictions
from calibviz.data.readers.formats import FORMATS

# Failures of any format --------------------------------------------------------------------------------------------


def test_missing_file_and_unknown_endings(tmp_path):
    refuse(tmp_path / "no.npz", "there is no such file", FileNotFoundError)
    endings = (
        "expected a file ending in .npz, .csv, .parquet, .nc, .zarr, .jsonl, .json, .xlsx, .dta, .sav, .feather, .npy, "
        ".safetensors, .eval (or .tsv, .txt, .ndjson, .xls, .xlsb, .ods, .zsav, .por, .sas7bdat, .xpt, .arrow, .ipc; "
        "texts also packed as .gz), not"
    )
    refuse(text_file(tmp_path, "", "p.doc"), f"{endings} one ending in '.doc'")
    refuse(text_file(tmp_path, "", "p.npz.gz"), f"{endings} one ending in '.gz'")
    refuse(text_file(tmp_path, "", "p"), f"{endings} one ending in ''")
    refuse(tmp_path, f"{endings} a directory")


@pytest.mark.parametrize("ending", WRITTEN)
def test_upper_case_endings_are_known(tmp_path, ending):
    write_everything(small := tmp_path / f"p{ending}")
    path = small.rename(tmp_path / f"P{ending.upper()}")
    assert len(read_predictions(path)) == N


@pytest.mark.parametrize("ending", [".npz", ".parquet", ".nc"])
@pytest.mark.parametrize("kept", [0, 1, 8, 0.25, 0.5, 0.9, 0.999])
def test_files_cut_short(tmp_path, ending, kept):
    whole, path = tmp_path / f"whole{ending}", tmp_path / f"p{ending}"
    write_everything(whole)
    content = whole.read_bytes()
    path.write_bytes(content[: kept if kept in (0, 1, 8) else int(kept * len(content))])
    refuse(path, "...")


@pytest.mark.parametrize("ending", [".npz", ".parquet", ".nc"])
def test_files_of_another_format(tmp_path, ending):
    path = tmp_path / f"p{ending}"
    path.write_bytes(pickle.dumps({"probs": PROBS}))
    with pytest.raises(
        ValueError, match=f"the file is named {ending}, but is a pickle by its first bytes: a pickle runs"
    ):
        read_predictions(path)


@pytest.mark.parametrize("ending", WRITTEN)
def test_values_are_checked_by_predictions(tmp_path, ending):
    path = tmp_path / f"p{ending}"
    probs = PROBS.copy()
    probs[17, 2] = 1.5
    if ending == ".npz":
        write_npz(path, probs=probs, labels=LABELS)
    elif ending == ".nc":
        dataset(probs=(("sample", "class"), probs)).to_netcdf(path)
    elif ending == ".zarr":
        dataset(probs=(("sample", "class"), probs)).to_zarr(path, zarr_format=2)
    else:
        write_table(path, {f"p_{i}": probs[:, i] for i in range(3)} | {"label": LABELS})
    arrays = (".npz", ".nc", ".zarr")
    rows = {end: "row 17" for end in WRITTEN if end not in arrays}
    rows |= {".csv": "line 19", ".jsonl": "line 18"}
    place = f"{rows[ending]} of column 'p_2'" if ending in rows else "probs[17, 2]"
    refuse(path, f"{place} is 1.5: a probability lies between 0 and 1; pass logits=... if these are logits")


@pytest.mark.parametrize("ending", [".npz", ".parquet", ".nc", ".zarr"])
def test_too_large_files_are_refused(tmp_path, monkeypatch, ending):
    path = tmp_path / f"p{ending}"
    write_everything(path)
    monkeypatch.setattr(safeguards, "LARGEST_SIZE", 1000)
    with pytest.raises(
        ValueError,
        match=r"the content takes at least \d+ bytes of memory; at most 1000 bytes are read at once: limit='1 GB' ",
    ):
        read_predictions(path)


def test_running_out_of_memory_is_reported(tmp_path, monkeypatch):
    def read(file, choices, account):
        raise MemoryError

    monkeypatch.setitem(FORMATS, ".csv", replace(FORMATS[".csv"], read=read))
    refuse(text_file(tmp_path, ""), "its content does not fit into memory")


# .npz --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"probs": PROBS}, "found no labels among the arrays 'probs': expected `probs`, `prob` or `logits`, and ..."),
        ({"labels": LABELS, "x": AGE}, "found no probabilities among the arrays 'labels', 'x': expected ..."),
        ({}, "found no labels among the arrays (none): ..."),
        (
            {"probs": PROBS, "prob": AGE, "labels": LABELS},
            "found both 'probs' and 'prob': keep one of them, or choose ...",
        ),
        (
            {"probs": PROBS, "label": LABELS, "outcome": LABELS},
            "found both 'label' and 'outcome': keep one of them, or choose by label='label'",
        ),
        ({"probs": PROBS, "labels": LABELS[:7]}, "labels has 7 entries, but there are 40 rows of probabilities"),
        ({"probs": PROBS, "labels": LABELS, "weights": AGE[:7]}, "weights must have shape (40,), ..."),
        ({"probs": PROBS, "labels": LABELS, "class_names": SITE}, "class_names has 40 names, but ..."),
        ({"probs": PROBS, "labels": np.array(3)}, "labels must have shape (n,) or (n, K); it has shape ()"),
        ({"probs": SITE, "labels": LABELS}, "probs must be an array of numbers, not an array of text"),
    ],
)
def test_npz_content(tmp_path, arrays, message):
    path = tmp_path / "p.npz"
    write_npz(path, **arrays)
    refuse(path, message, TypeError if arrays.get("probs") is SITE else ValueError)


class Bomb:
    """Unpickling this would be noticed."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("name", ["probs", "labels", "other"])
def test_pickles_are_never_loaded(tmp_path, name):
    path = tmp_path / "p.npz"
    arrays = {"probs": PROBS, "labels": LABELS, name: np.array([Bomb()] * N, dtype=object)}
    np.savez(path, **arrays)
    refuse(path, f"the array {name!r} holds Python objects (a pickle), which are never loaded")


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (npy("(268435456,)", bytes(800)), "the array 'probs' claims shape (268435456,), 2.15 GB, but holds 800 bytes"),
        (npy("(100000000000, 1000)", b""), "the array 'probs' claims shape (100000000000, 1000), 8e+05 GB, but ..."),
        (npy("(40, 3)", bytes(959)), "the array 'probs' claims shape (40, 3), 960 bytes, but holds 959 bytes"),
        (npy("(40, 3)", bytes(961)), "the array 'probs' claims shape (40, 3), 960 bytes, but holds 961 bytes"),
        (npy("(-40, -3)", bytes(960)), f"{DAMAGED} ..."),
        (npy("'many'", b""), f"{DAMAGED} shape is not valid: 'many'"),
        (npy("(40, 3)", b"", descr="'nonsense'"), f"{DAMAGED} ..."),
        (npy("()", b"", version=b"\x03\x00"), f"{DAMAGED} version (3, 0) ..."),
        (npy("(40, 3), __import__('os')", b""), f"{DAMAGED} ..."),
        (b"not an array", f"{DAMAGED} the magic string is not correct; ..."),
        (b"", f"{DAMAGED} EOF: ..."),
    ],
)
def test_headers_are_not_believed(tmp_path, member, message):
    path, labels = tmp_path / "p.npz", io.BytesIO()
    np.save(labels, LABELS)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("probs.npy", member)
        archive.writestr("labels.npy", labels.getvalue())
        archive.writestr("readme.txt", "no array, no matter")
    tracemalloc.start()
    try:
        refuse(path, message)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000, "memory was asked for on the header's word"
    finally:
        tracemalloc.stop()


def test_damaged_bytes_inside_an_archive(tmp_path):
    path = tmp_path / "p.npz"
    np.savez(path, probs=PROBS, labels=LABELS)
    content = bytearray(path.read_bytes())
    content[500] ^= 255
    path.write_bytes(content)
    refuse(path, "the array 'probs' cannot be read and may be damaged: Bad CRC-32 for file 'probs.npy'")


# Tables ------------------------------------------------------------------------------------------------------------


ONE = "; missing='drop' leaves out the only row without a probability"
FORM = "expected p_0, p_1, ... or p_cat, ..."
TRUTH = "expected what was true of each row in a column `label` (or `labels`, `outcome`, `y_true`, `target`, ...); ..."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("p_0,p_1,label\n", "the file has columns but no rows"),
        ("p_0,p_1,lbl\n0.5,0.5,1\n", f"found no labels among the columns 'p_0', 'p_1', 'lbl': {TRUTH}"),
        (
            "cat,dog,label\n0.5,0.5,Cats\n",
            "found no probabilities among the columns 'cat', 'dog', none of which is named after the label 'Cats': "
            + FORM,
        ),
        ("a,b,label\n0.5,0.5,1\n", f"found no probabilities among the columns 'a', 'b': {FORM}"),
        ("p_0,p_1,label\n0.5,0.5,1\n0.5,0.5\n", "line 3 has 2 values, but the header has 3 names"),
        ("p_0,p_1,label\n0.5,0.5,1,9\n", "line 2 has 4 values, but the header has 3 names"),
        ('p_0,p_1,label\n0.5,0.5,"1\n', "the text cannot be read and may be damaged: unexpected end of data"),
        (
            "p_0,p_1,label\n0.5,0.5,1\n0.5,**,0\n",
            "row 1 of column 'p_1' is '**', not a number; where it marks that the number is missing, leave it empty",
        ),
        ("p_0,p_1,label\n0.5,0.5,1\n0.5,half,0\n", "row 1 of column 'p_1' is 'half', not a number"),
        ("p_0,p_1,label\n0.5,0.5,1\n,0.5,0\n", "row 1 of column 'p_0' is missing" + ONE),
        ("p_0,p_1,label\n0.5,0.5,1\n0.5,NA,0\n", "row 1 of column 'p_1' is missing" + ONE),
        ("p_0,p_1,label\n0.5,0.5,1\n0.5,nan,0\n", "row 1 of column 'p_1' is missing" + ONE),
        ("p_0,p_1,label\n0.5,0.5,1\n0.5,inf,0\n", "line 3 of column 'p_1' is inf: every entry must be finite"),
        ("p_0,p_1,label\n0.5,0.5,1\n0.5,0.5,\n", "row 1 of column 'label' is missing; missing='drop' ..."),
        (
            "p_0,p_1,label\n0.5,0.5,1.5\n",
            "line 2 of labels is 1.5: a label is the whole number of a class, or its name",
        ),
        (
            "p_0,p_1,label\n0.5,0.5,2\n",
            "row 0 of column 'label' is 2, but the 2 classes are 0..1; classes=[...] may number them from 1",
        ),
        ("p_0,p_1,label\n0.5,0.5,3\n", "line 2 of labels is 3, but the 2 classes are 0..1"),
        (
            "p_0,p_1,label\n0.5,0.5,0\n0.5,0.5,cat\n",
            "row 1 of column 'label' is 'cat', neither a class number nor the name of a column: number the ...",
        ),
        ("p_0,p_2,label\n0.5,0.5,0\n", "the column 'p_1' is missing: found 'p_0', 'p_2'; classes=['0', '2'] ..."),
        ("p_0,label\n0.5,0\n", "the column 'p_1' is missing: found 'p_0'; prob='p_0' and positive=... reads ..."),
        ("p_0,p_1,p_1,label\n0.5,0.5,0.5,0\n", "two columns are named 'p_1': rename one of them"),
        ("p_0,p_1,label,weight,weights\n0.5,0.5,0,1,1\n", "found both 'weight' and 'weights': keep one of them, ..."),
        ("p_0,p_1,label,weight\n0.5,0.5,0,heavy\n", "row 0 of column 'weight' is 'heavy', not a number: where it ..."),
        (
            "p_0,p_1,label,weight\n0.5,0.5,0,-1\n",
            "row 0 of column 'weight', the weights, is -1, and a weight cannot be negative: where it holds ...",
        ),
        (
            "p_0,p_1,label,weight\n0.5,0.5,0,inf\n",
            "row 0 of column 'weight', the weights, is inf, and a weight cannot be infinite: where it holds ...",
        ),
        (
            "cat,dog,label\n0.5,0.5,cat\n",
            "every label is 'cat', which does not tell the classes: pass classes=[...], ...",
        ),
        (
            "cat,dog,fox,label\n0.5,0.5,0,cat\n0.2,0.5,0.3,dog\n",
            "row 1 of the columns that the labels name, 'cat', 'dog', sums to 0.7; if classes that no label names are "
            "among 'fox', pass classes=[...], the names of all classes",
        ),
    ],
)
def test_csv_content(tmp_path, text, message):
    message = re.sub(r"^row (\d)", lambda match: f"line {int(match[1]) + 2}", message)  # in these files each is a line
    refuse(text_file(tmp_path, text), message)


def test_two_usual_names_of_probabilities_are_a_question(tmp_path):
    with pytest.raises(ValueError) as caught:
        read_predictions(text_file(tmp_path, "prob,p,label\n0.5,0.5,0\n"))
    _, *lines = str(caught.value).splitlines()
    assert "each of the columns 'prob', 'p' could hold probabilities\n" in str(caught.value)
    ways = ["label='label', prob='prob'", "label='label', prob='p'", "label='label', model=['prob', 'p']"]
    assert [line.strip().split("    ")[0] for line in lines] == ways


def test_lines_are_those_of_the_file(tmp_path):
    """Blank lines and line breaks inside of quotes count, as they do for whoever opens the file."""
    text = 'p_0,p_1,note,label\n\n0.5,0.5,"a\nb",1\n\n0.5,1.5,c,1\n'
    refuse(
        text_file(tmp_path, text),
        "line 6 of column 'p_1' is 1.5: a probability lies between 0 and 1; pass logits=... if these are logits",
    )


def test_a_column_named_like_a_row_is_no_row(tmp_path):
    refuse(text_file(tmp_path, "prob,row 9\n0.5,1\n"), f"found no labels among the columns 'prob', 'row 9': {TRUTH}")


def test_a_hidden_class_is_refused_before_rows_are_normalised(tmp_path):
    path = text_file(tmp_path, "cat,dog,fox,label\n0.5,0.3,0.2,cat\n0.2,0.5,0.3,dog\n")
    refuse(path, "line 2 of the columns that the labels name, 'cat', 'dog', sums to 0.8; ...", normalize=True)
    alone = text_file(tmp_path, "cat,dog,site,label\n1,3,Ulm,cat\n1,1,Bern,dog\n")
    assert read_predictions(alone, normalize=True).probs.tolist() == [[0.25, 0.75], [0.5, 0.5]]


def test_csv_of_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "p.csv"
    path.write_bytes(b"p_0,p_1,label,ort\n0.5,0.5,1,\x81rich\n")
    refuse(path, "the text is neither in UTF-8 nor, as it looks, in Windows-1252: line 2 holds the bytes ...")
    path.write_bytes(bytes(3_000_000))
    refuse(path, "the file is no text: it holds bytes that are 0; save it as text in UTF-8")
    path.write_text("p_0,p_1,label\n" + "x" * 3_000_000, encoding="utf-8")
    refuse(path, "the text cannot be read and may be damaged: field larger than field limit (131072)")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (NUMBERED, "found no labels among the columns 'p_0', 'p_1', 'p_2' ..."),
        (NUMBERED | {"label": []}, "the file has columns but no rows"),
        (
            NUMBERED | {"label": [*LABELS[:-1], None]},
            "row 39 of column 'label' is missing; missing='drop' leaves out the only row without a label",
        ),
        (
            NUMBERED | {"label": LABELS, "p_1": [0.1] * 7 + [None] * 33},
            "row 7 of column 'p_1' is missing; missing='drop' leaves out the 33 rows without a probability",
        ),
        (NUMBERED | {"label": LABELS, "p_2": ["0.1", "x"] * 20}, "row 1 of column 'p_2' is 'x', not a number"),
    ],
)
def test_parquet_content(tmp_path, columns, message):
    path = tmp_path / "p.parquet"
    rows = min(len(column) for column in columns.values())
    write_table(path, {name: column[:rows] for name, column in columns.items()})
    refuse(path, message)


# Missing libraries and .nc -----------------------------------------------------------------------------------------


def test_missing_libraries_are_named(tmp_path, monkeypatch):
    for ending in (".parquet", ".nc", ".zarr"):
        write_everything(tmp_path / f"p{ending}")
    for module in ("pyarrow", "netCDF4", "h5netcdf", "h5py", "zarr"):
        monkeypatch.setitem(sys.modules, module, None)
    refuse(tmp_path / "p.parquet", "reading .parquet needs pyarrow: pip install pyarrow", ImportError)
    refuse(tmp_path / "p.nc", "reading this kind of .nc needs netCDF4: pip install 'calibviz[io]'", ImportError)
    refuse(tmp_path / "p.zarr", "reading .zarr needs zarr: pip install 'calibviz[scale]'", ImportError)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"probs": (("n", "k"), PROBS), "label": ("n", LABELS)}, "the variable 'probs' has dimensions ('n', 'k'): ..."),
        (
            {"prob": ("sample", PROBS[:, 0]), "label": ("n", LABELS)},
            "the variable 'label' has dimensions ('n',): expected (sample,) or (sample, class)",
        ),
        ({"probs": (("sample", "class"), PROBS)}, "found no labels among the arrays 'probs': ..."),
        ({"label": ("sample", LABELS)}, "found no probabilities among the arrays 'label': ..."),
        (
            {"probs": (("sample", "class"), PROBS), "label": ("sample", np.where(LABELS == 2, np.nan, LABELS))},
            "labels[2] is missing; missing='drop' leaves out the 13 rows without a label",
        ),
    ],
)
def test_netcdf_content(tmp_path, variables, message):
    path = tmp_path / "p.nc"
    xr.Dataset(variables).to_netcdf(path)
    refuse(path, message)


@pytest.mark.parametrize("names", [("risk", "died"), ("prob", "label")])
def test_rows_that_are_no_samples_are_named(tmp_path, names):
    rng = np.random.default_rng(0)
    score = rng.beta(1, 2, 200).round(4)
    rows = [f"{p},{int(rng.random() < p)}" for p in score]
    file = tmp_path / "mine.csv"

    def refused(rows):
        file.write_text("\n".join([",".join(names), *rows]))
        with pytest.raises(ValueError) as error:
            cv.read_predictions(file)
        return str(error.value)

    assert "line 102 holds the names of the columns once more" in refused([*rows[:100], ",".join(names), *rows[100:]])
    assert f"line 202 of column {names[0]!r} is 'Total', not a number" in refused([*rows, "Total,66"])
    assert "ignore=['Total']" in refused([*rows, f"{score.mean():.4f},Total"])
    assert "line 202" in refused([*rows, f"{score.sum():.4f},66"])
    if names[0] == "risk":
        summed = "all rows above are from 0 to 1: where it sums these up, remove it"
        assert summed in refused([*rows, f"{score.sum():.4f},66"])
        assert "line 202 of column 'died' is 0.33, a fraction" in refused([*rows, "mean,0.33"])


@pytest.mark.parametrize("scale", [1, 10])
def test_right_answers_without_a_confidence_lack_the_confidence(scale):
    rng = np.random.default_rng(0)
    marks = rng.integers(1, 11, 200) if scale == 1 else rng.uniform(1, 10, 200).round(1)
    with pytest.raises(ValueError, match=r"found no probabilities among the columns 'judge_score'.*points of a scale"):
        cv.read_predictions(pd.DataFrame({"judge_score": marks, "correct": rng.integers(0, 2, 200)}))


def test_a_column_without_any_entry_is_none():
    score = np.random.default_rng(0).random(200)
    p = cv.read_predictions(pd.DataFrame({"prob": score, "label": (score > 0.4) ^ (score > 0.9), "note": None}))
    assert len(p) == 200


@pytest.mark.parametrize(
    ("encoding", "name", "words"),
    [
        ("gbk", "地区", ["北京", "上海"]),
        ("shift_jis", "地域", ["東京", "カタカナ"]),
        ("cp1250", "miejsce", ["Brzesko", "Małopolska"]),
        ("cp1250", "město", ["Děčín", "Plzeň"]),
        ("cp1251", "город", ["Москва", "Уфа"]),
    ],
)
def test_texts_in_other_encodings_are_refused(tmp_path, encoding, name, words):
    score = np.random.default_rng(0).random(40)
    table = pd.DataFrame({"prob": score, "label": np.arange(40) % 2, name: words * 20})
    table.to_csv(tmp_path / "mine.csv", index=False, encoding=encoding)
    with pytest.raises(ValueError, match=r"neither in UTF-8 nor, .* line \d holds the bytes b'.*; save it as UTF-8"):
        cv.read_predictions(tmp_path / "mine.csv")


@pytest.mark.parametrize(
    ("name", "words"),
    [("größe", ["klein", "„groß“"]), ("créée", ["µg/m³", "½", "naïve – “x”…"]), ("âge", ["élève", "Noël 20 °C"])],
)
def test_texts_in_windows_1252_are_read(tmp_path, name, words):
    score = np.random.default_rng(0).random(60)
    table = pd.DataFrame({"prob": score, "label": np.arange(60) // 2 % 2, name: np.resize(words, 60)})
    table.to_csv(tmp_path / "mine.csv", index=False, encoding="cp1252")
    p = cv.read_predictions(tmp_path / "mine.csv")
    assert "text in Windows-1252, since it is not in UTF-8" in p.about["assumed"]
    assert set(p.fields[name]) == set(words)
