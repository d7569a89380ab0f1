"""Files of predictions: what is written comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from numpy.testing import assert_array_equal
from prediction_files import (
    AGE,
    LABELS,
    LOGITS,
    NAMES,
    NUMBERED,
    PROBS,
    RNG,
    SITE,
    WEIGHTS,
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
from calibviz.data.columns.choices import Account, ReadingOptions
from calibviz.data.readers import preview, read_predictions
from calibviz.data.readers.tables.text_tables import CsvTable


@pytest.mark.parametrize("ending", WRITTEN)
def test_round_trip(tmp_path, ending):
    path = tmp_path / f"my predictions{ending}"
    write_everything(path)
    p = read_predictions(path)
    assert_array_equal(p.probs, PROBS)
    assert_array_equal(p.labels, LABELS)
    assert_array_equal(p.weights, WEIGHTS)
    assert p.class_names == tuple(NAMES)
    assert p.fields.keys() == {"age", "site"}
    assert_array_equal(p.fields["age"], AGE)
    assert_array_equal(p.fields["site"], SITE)
    name = "weights" if ending == ".npz" else "weight"
    assumed = f"weights of samples from {name!r}, which weight='' makes a field"
    assumed = f"{p.about['assumed'].split('; weights')[0]}; {assumed}"
    assert p.about == {"title": path.name, "assumed": assumed, "source": f"cv.read_predictions({str(path)!r})"}
    assert_array_equal(eval(p.about["source"], {"cv": cv}).probs, PROBS)


@pytest.mark.parametrize("ending", [".npz", ".nc"])
def test_logits_instead_of_probabilities(tmp_path, ending):
    path = tmp_path / f"p{ending}"
    if ending == ".npz":
        write_npz(path, logits=LOGITS, label=LABELS)
    else:
        dataset(logits=(("sample", "class"), LOGITS)).drop_vars("probs").to_netcdf(path)
    p = read_predictions(path)
    assert_array_equal(p.logits, LOGITS)
    np.testing.assert_allclose(p.probs, np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("ending", WRITTEN)
@pytest.mark.parametrize("outcome", [LABELS == 1, (LABELS == 1).astype(float)], ids=["booleans", "floats"])
def test_binary(tmp_path, ending, outcome):
    path, columns = tmp_path / f"p{ending}", {"prob": PROBS[:, 1], "outcome": outcome}
    if ending == ".npz":
        write_npz(path, **columns)
    elif ending == ".nc":
        xr.Dataset({name: ("sample", column) for name, column in columns.items()}).to_netcdf(path)
    else:
        write_table(path, columns)
    p = read_predictions(path)
    assert_array_equal(p.probs, np.column_stack([1 - PROBS[:, 1], PROBS[:, 1]]))
    assert_array_equal(p.labels, outcome)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_numbered_columns_in_any_order(tmp_path, ending):
    path = tmp_path / f"p{ending}"
    write_table(path, {"p_2": PROBS[:, 2], "label": LABELS, "p_0": PROBS[:, 0], "p_1": PROBS[:, 1]})
    p = read_predictions(path)
    assert_array_equal(p.probs, PROBS)
    assert_array_equal(p.labels, LABELS)
    assert not p.fields


def test_more_than_ten_numbered_columns_are_in_numerical_order(tmp_path):
    path, probs = tmp_path / "p.csv", RNG.dirichlet(np.ones(12), 30)
    write_table(path, {f"p_{i}": probs[:, i] for i in reversed(range(12))} | {"label": np.arange(30) % 12})
    assert_array_equal(read_predictions(path).probs, probs)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_columns_named_by_numbers_are_classes_too(tmp_path, ending):
    path = tmp_path / f"p{ending}"
    write_table(path, {"2": PROBS[:, 0], "5": PROBS[:, 1], "7": PROBS[:, 2], "label": np.array([2, 5, 7])[LABELS]})
    p = read_predictions(path)
    assert p.class_names == ("2", "5", "7")
    assert_array_equal(p.labels, LABELS)


def test_classes_may_be_named_like_a_probability_column(tmp_path):
    p = read_predictions(text_file(tmp_path, "e,p,label\n0.2,0.8,p\n0.7,0.3,e\n"))
    assert p.class_names == ("e", "p")
    assert p.labels.tolist() == [1, 0]


def test_text_in_a_csv_file_is_read_as_people_write_it(tmp_path):
    text = (
        "\ufeff,p_0, p_1 ,label,years,score,sure,country,note\r\n"
        '0,0.25, 0.75,1, 33,1.5,TRUE,NA,"a, b"\r\n'
        "\r\n"
        "1,1,0,0,44,NA,false,DE,\r\n"
    )
    p = read_predictions(text_file(tmp_path, text))
    assert p.probs.tolist() == [[0.25, 0.75], [1, 0]]
    assert p.fields.keys() == {"years", "score", "sure", "country", "note"}, "the unnamed index is no field"
    assert p.fields["years"].dtype == np.int64
    assert_array_equal(p.fields["score"], [1.5, np.nan])
    assert p.fields["sure"].tolist() == [True, False]
    assert p.fields["country"].tolist() == ["NA", "DE"]
    assert p.fields["note"].tolist() == ["a, b", ""]


def test_a_class_may_be_called_na(tmp_path):
    p = read_predictions(text_file(tmp_path, "NA,EU,label\n0.5,0.5,NA\n0.1,0.9,EU\n"))
    assert p.class_names == ("NA", "EU")
    assert p.labels.tolist() == [0, 1]


def test_parquet_keeps_types_and_drops_the_unnamed_index(tmp_path):
    path = tmp_path / "p.parquet"
    day = pd.date_range("2020-01-01", periods=N)
    frame = pd.DataFrame(NUMBERED | {"label": pd.Categorical(LABELS), "day": day, "ward": pd.Categorical(SITE)})
    frame["note"] = [None, "x"] * (N // 2)
    frame[::-1].to_parquet(path)
    p = read_predictions(path)
    assert p.fields.keys() == {"day", "ward", "note"}
    assert p.fields["day"].dtype.kind == "M"
    assert_array_equal(p.fields["ward"], SITE[::-1])
    assert p.fields["note"].tolist() == ["x", ""] * (N // 2)
    assert_array_equal(p.labels, LABELS[::-1])


def test_normalize_is_passed_on_and_remembered(tmp_path):
    path = tmp_path / "p.csv"
    write_table(path, {name: column / 2 for name, column in NUMBERED.items()} | {"label": LABELS})
    refuse(path, "line 2 of probs sums to 0.5, not to 1 within 0.001; ...")
    p = read_predictions(path, normalize=True)
    np.testing.assert_allclose(p.probs, PROBS)
    assert p.about["source"].endswith(", normalize=True)")


def test_arrays_of_other_shapes_are_not_loaded(tmp_path):
    path = tmp_path / "p.npz"
    write_npz(path, probs=PROBS, labels=LABELS, embedding=np.ones((N, 7)), version=np.array(3))
    assert not read_predictions(path).fields


@pytest.mark.parametrize("engine", ["netcdf4", "scipy"])
def test_both_kinds_of_netcdf_with_dimensions_in_any_order(tmp_path, engine):
    path = tmp_path / "p.nc"
    dataset(centre=("class", [1, 2, 3])).transpose("class", "sample").to_netcdf(path, engine=engine)
    p = read_predictions(path)
    assert_array_equal(p.probs, PROBS)
    assert p.class_names == tuple(NAMES)
    assert p.fields.keys() == {"age", "site"}
    assert_array_equal(p.fields["site"], SITE)


def test_netcdf_labels_are_values_of_a_numeric_class_coordinate(tmp_path):
    path = tmp_path / "p.nc"
    dataset(label=("sample", LABELS + 1)).assign_coords({"class": [1, 2, 3]}).to_netcdf(path)
    p = read_predictions(path)
    assert p.class_names == ("1", "2", "3")
    assert_array_equal(p.labels, LABELS)
    dataset().assign_coords({"class": [1, 2, 3]}).to_netcdf(path)
    refuse(path, "labels[0] is 0, which is no value of the coordinate 'class'")


def test_sample_coordinates_are_fields(tmp_path):
    path = tmp_path / "p.nc"
    dataset().assign_coords(sample=100 + np.arange(N), day=("sample", np.arange(N) % 7)).to_netcdf(path)
    p = read_predictions(path)
    assert p.fields.keys() == {"age", "site", "day"} and "not fields: sample" in p.about["assumed"]  # it numbers rows
    assert read_predictions(path, fields=["sample"]).fields["sample"][0] == 100


def test_rounded_rows_beside_a_field_can_be_rescaled(tmp_path):
    path = tmp_path / "rounded.csv"
    path.write_text("cat,dog,owl,age,label\n0.33,0.33,0.33,20,cat\n0.2,0.3,0.5,35,dog\n0.1,0.1,0.8,50,owl\n")
    with pytest.raises(ValueError, match=r"line 2 of probs sums to 0\.99, .*pass normalize=True"):
        cv.read_predictions(path)
    found = cv.read_predictions(path, normalize=True)
    np.testing.assert_allclose(found.probs[0], 1 / 3)
    assert found.fields["age"].tolist() == [20, 35, 50]


def test_a_label_that_is_no_column_is_named(tmp_path):
    path = tmp_path / "typo.csv"
    path.write_text("cat,dog,label\n0.3,0.7,cat\n0.2,0.8,dgo\n")
    with pytest.raises(ValueError, match="line 3 of the labels is 'dgo', but no column is named so"):
        cv.read_predictions(path)


def test_names_of_digits_stay_text(tmp_path):
    path = tmp_path / "sites.csv"
    path.write_text("prob,label,site,age\n0.2,0,007,7\n0.7,1,7,07\n0.4,0,07,8\n", encoding="utf-8")
    fields = cv.read_predictions(path).fields
    assert fields["site"].tolist() == ["007", "7", "07"] and fields["age"].tolist() == ["7", "07", "8"]


def test_a_folder_may_be_called_as_if_it_were_a_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("~").mkdir()
    Path("~", "mine.csv").write_text("prob,label\n0.25,0\n0.75,1\n", encoding="utf-8")
    assert read_predictions("~/mine.csv").probs[:, 1].tolist() == [0.25, 0.75]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text", ["prob,label\n0.25,no\n0.75,yes\n", "label;prob\n yes;0,75\n;0,5\nno;0,25", '"label","p"\n"a\nb",0.5']
)
def test_a_text_in_a_file_is_that_text_in_memory(tmp_path, text, end):
    content = text.replace("\n", end).encode()
    (tmp_path / "mine.csv").write_bytes(content)
    there, here = (CsvTable(of, ReadingOptions(), Account()) for of in (tmp_path / "mine.csv", content))
    assert there.columns == here.columns
    for name in here.columns:
        np.testing.assert_array_equal(there.column(name), here.column(name))


@pytest.mark.parametrize("ending", WRITTEN)
def test_every_format_has_a_preview(tmp_path, ending):
    path = tmp_path / f"mine{ending}"
    write_everything(path)
    seen = preview(path, ReadingOptions())
    assert {"age", "site"} <= set(seen.columns) and len(seen.rows[0]) == len(seen.columns)
    first = dict(zip(seen.columns, seen.rows[0], strict=True))
    assert first["age"] == (str(len(AGE)) if seen.places == ("shape",) else str(AGE[0]))


@pytest.mark.parametrize("is_binary", [False, True])
def test_logits_beside_their_probabilities_are_said_once_and_others_are_asked(tmp_path, is_binary):
    rng = np.random.default_rng(0)
    probs = rng.dirichlet([0.6] * 3, 200)
    labels = np.array([rng.choice(3, p=row) for row in probs])
    logits = np.log(probs.clip(1e-4)) + 2
    if is_binary:
        probs, labels = probs[:, 0], (labels == 0).astype(int)
        logits = np.log(probs.clip(1e-4) / (1 - probs))
    file = tmp_path / "both.npz"
    np.savez(file, logits=logits, probs=probs, labels=labels)
    said = cv.read_predictions(file).about["assumed"]
    assert said.startswith("P(1) from 'probs': " if is_binary else "P(0), P(1), P(2) from 'probs': ")
    assert said.count("'probs'") == 1
    assert said.endswith(
        "not fields: logits" if is_binary else "truth from 'labels'; 'logits' gives the same probabilities"
    )
    np.savez(file, logits=logits, probs=probs**2 if is_binary else probs[:, ::-1], labels=labels)
    with pytest.raises(ValueError, match="of 'logits' gives other probabilities than 'probs' holds there") as refused:
        cv.read_predictions(file)
    options = [given for given, _ in refused.value.lines]
    assert {"label": "labels", "logits": "logits"} in options
    assert any(given.get("prob") == "probs" for given in options)
    for given in options:
        assert len(cv.read_predictions(file, **given)) == 200
