"""Files as people have them, against the numbers of the clean arrays."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr
from files_of_people import (
    AGE,
    BINARY,
    FILES,
    LABELS,
    MULTI,
    NAMED,
    PROBS,
    THREE,
    N,
    P,
    Y,
    besides,
    binary,
    by_class,
    csv,
    jsonl,
    npz,
    parquet,
    yes_no,
)

import calibviz as cv


@pytest.mark.parametrize("name", FILES)
def test_a_file_as_people_have_it_gives_the_clean_numbers(tmp_path, name):
    content, options, probs, classes = FILES[name]
    (tmp_path / name).write_bytes(content)
    p = cv.read_predictions(tmp_path / name, **options)
    np.testing.assert_allclose(p.probs, probs, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(p.labels, LABELS if len(classes) == 3 else LABELS == 2 if "not owl" in classes else Y)
    assert p.class_names == classes
    assert len(FILES) >= 30


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scikit-learn.csv", "P(1) from 'y_prob': mean 53 %, observed 50 %; truth from 'y_true'"),
        ("excel german.csv", "text in Windows-1252, since it is not in UTF-8; separated by semicolons; decimal commas"),
        ("spss.csv", "P(Yes) from 'prob': mean 53 %, observed 50 %; truth from 'label'"),
        ("per cents.csv", "probabilities in per cent"),
        ("logits.csv", "probabilities are the softmax of the logits"),
        ("numbers for names.csv", "the labels number the classes 'cat', 'dog', 'owl' from 0"),
        (
            "names.csv",
            "P(cat), P(dog), P(owl) from 'cat', 'dog', 'owl': mean confidence 62 %, right 46 %; truth from 'label'",
        ),
    ],
)
def test_what_was_assumed_is_said(tmp_path, name, said):
    content, options, _, _ = FILES[name]
    (tmp_path / name).write_bytes(content)
    p = cv.read_predictions(tmp_path / name, **options)
    assert said in (p.about["assumed"], besides(p))


TABLES = {
    "pandas": lambda frame: frame,
    "nullable pandas": lambda frame: frame.convert_dtypes(),
    "polars": pl.from_pandas,
    "arrow": pa.Table.from_pandas,
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_in_memory(kind):
    frame = by_class(age=AGE, site=pd.Categorical(["Ulm", "Bern"] * (N // 2)), day=pd.Timestamp("2024-01-31"))
    p = cv.read_predictions(TABLES[kind](frame))
    np.testing.assert_array_equal(p.probs, PROBS)
    np.testing.assert_array_equal(p.labels, LABELS)
    assert p.class_names == tuple(THREE) and p.fields["age"].dtype.kind == "i" and p.fields["day"].dtype.kind == "M"
    assert p.fields["site"].tolist() == ["Ulm", "Bern"] * (N // 2)
    q = cv.Predictions.from_frame(TABLES[kind](binary("seen", "model", yes_no())), label="seen", prob="model")
    np.testing.assert_array_equal(q.probs[:, 1], P)
    assert q.class_names == ("no", "yes")


def test_open_files(tmp_path):
    for name, probs in (("excel german.csv", BINARY), ("packed.csv.gz", MULTI), ("arrays.npz", BINARY)):
        (tmp_path / name).write_bytes(FILES[name][0])
        with (tmp_path / name).open("rb") as stream:
            p = cv.read_predictions(stream)
        np.testing.assert_allclose(p.probs, probs, rtol=0, atol=1e-12)
        assert p.about["title"] == name and p.made_by is None
        p = cv.read_predictions(io.BytesIO(FILES[name][0]))
        np.testing.assert_allclose(p.probs, probs, rtol=0, atol=1e-12)
    p = cv.read_predictions(io.StringIO("prob,label\n0.2,0\n"))
    assert p.probs.tolist() == [[0.8, 0.2]]
    with pytest.raises(ValueError, match=r"the open file: line 2 of column 'prob' is 'x', not a number$"):
        cv.read_predictions(io.StringIO("prob,label\nx,0\n"))


def test_estimators():
    from sklearn.linear_model import LogisticRegression

    samples = pd.DataFrame({"age": AGE, "dose": P})
    model = LogisticRegression().fit(samples, NAMED)
    p = cv.Predictions.from_estimator(model, samples, NAMED, weights=np.ones(N))
    np.testing.assert_array_equal(p.probs, model.predict_proba(samples))
    np.testing.assert_array_equal(p.labels, LABELS)
    assert p.class_names == tuple(THREE) and p.fields.keys() == {"age", "dose"}
    numbers = LogisticRegression().fit(samples.to_numpy(), Y.astype(float))
    q = cv.Predictions.from_estimator(numbers, samples.to_numpy(), Y)
    assert q.class_names == ("0", "1") and q.labels.tolist() == Y.tolist() and not q.fields
    with pytest.raises(ValueError, match=r"^y\[1\] is 'cow', which is none of the classes of the estimator, "):
        cv.Predictions.from_estimator(model, samples[:2], ["cat", "cow"])
    with pytest.raises(TypeError, match="estimator must have classes_, but LogisticRegression has none: fit it first"):
        cv.Predictions.from_estimator(LogisticRegression(), samples, NAMED)


def test_frames_of_probabilities_and_of_fields():
    fields = pd.DataFrame({"age": AGE, "site": ["Ulm"] * N})
    for frame in (pd.DataFrame, pl.DataFrame):
        p = cv.Predictions(frame(dict(zip(THREE, PROBS.T, strict=True))), NAMED, fields=frame(dict(fields)))
        assert p.class_names == tuple(THREE) and p.fields["site"].tolist() == ["Ulm"] * N
        np.testing.assert_array_equal(p.labels, LABELS)
        np.testing.assert_array_equal(p.fields["age"], AGE)
        np.testing.assert_array_equal(p.probs, PROBS)


class OtherArray:
    """An array of another library, which NumPy reads by the usual protocol."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


def test_arrays_stand_for_predictions():
    explorer = cv.Explorer(PROBS, LABELS)
    np.testing.assert_array_equal(explorer.situation.predictions.labels, LABELS)
    several = cv.Explorer({"one": (PROBS, LABELS), "two": (OtherArray(PROBS[::-1]), LABELS.tolist())})
    assert several.state.models == ("one", "two")
    p = cv.Predictions(PROBS, LABELS)
    assert cv.calibration_error(PROBS, LABELS, lens="full") == cv.calibration_error(p, lens="full")
    assert cv.brier_score(PROBS.tolist(), LABELS, "full") == cv.brier_score(p, "full")
    assert cv.ks_error(P, Y, lens="class 1") == cv.ks_error(cv.Predictions(P, Y), lens="class 1")
    cube = cv.evaluate({"one": (PROBS, LABELS)}, metrics="ece", progress=False)
    expected = cv.evaluate({"one": cv.Predictions(PROBS, LABELS)}, metrics="ece", progress=False)
    np.testing.assert_array_equal(cube.ece, expected.ece)
    with pytest.raises(ValueError, match="labels has 2 entries, but there are 24 rows of probabilities"):
        cv.Explorer(PROBS, [0, 1])
    with pytest.raises(TypeError, match=r"predictions must be cv.Predictions\(probs, labels\), not ndarray"):
        cv.Explorer(PROBS)


# Dates


DATES = [
    (["2025-01-01", "", "2024-12-31"], ["2025-01-01", "NaT", "2024-12-31"], "D", ""),
    (["2025-01-01", "NA", "2025-01-01 14:30"], ["2025-01-01T00:00", "NaT", "2025-01-01T14:30"], "us", ""),
    (
        ["2025-01-01T01:30Z", "2025-01-01T01:30:00.5+02:00"],
        ["2025-01-01T01:30", "2024-12-31T23:30:00.5"],
        "us",
        ", in UTC",
    ),
]


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@pytest.mark.parametrize(("texts", "moments", "unit", "zone"), DATES)
def test_dates_of_iso_8601_are_recognised_in_texts(tmp_path, ending, texts, moments, unit, zone):
    frame = pd.DataFrame({"label": [0, 1, 1][: len(texts)], "prob": 0.5, "seen on": texts})
    path = tmp_path / f"p{ending}"
    path.write_bytes(csv(frame) if ending == ".csv" else jsonl(frame.to_dict("records")))
    p = cv.read_predictions(path)
    expected = np.array(moments, dtype=f"datetime64[{unit}]")
    np.testing.assert_array_equal(p.fields["seen on"], expected)
    assert p.fields["seen on"].dtype == expected.dtype and besides(p) == f"dates in 'seen on'{zone}"


@pytest.mark.parametrize(
    "texts",
    [
        ["01/02/2025", "01/03/2025"],
        ["2025-01-01", "01/03/2025"],
        ["2025-01-01", "unknown"],
        ["2025-02-31", "2025-01-01"],
        ["2025-01-01T10:00", "2025-01-01T10:00Z"],
        ["0001-01-01T00:00+23:00", "2025-01-01T10:00Z"],
        ["2025-01", "2025-02"],
        ["31.1.2025", "soon"],
        ["31.1.2025", "1.31.2025"],
        ["1.2.25", "2.2.25"],
        ["2025-01-01-7", "2025-01-01-8"],
    ],
)
def test_a_date_is_never_guessed(tmp_path, texts):
    path = tmp_path / "p.csv"
    path.write_bytes(csv(pd.DataFrame({"label": [0, 1], "prob": 0.5, "seen on": texts, "site": ["x", "y"]})))
    p = cv.read_predictions(path)
    note = "'seen on' stays text, since dates such as 01/02/2025 are read in different ways: write them as 2024-01-31"
    told = note if texts[0] == "01/02/2025" else ""
    assert p.fields["seen on"].dtype.kind != "M" and besides(p) == told
    if any(texts):
        assert p.fields["seen on"].tolist() == texts


def test_what_comes_from_a_text_can_be_shown_over_time(tmp_path):
    path = tmp_path / "p.csv"
    days = np.datetime64("2025-01-01") + np.arange(600) // 20
    path.write_bytes(csv(pd.DataFrame({"label": np.arange(600) % 2, "prob": 0.5, "seen on": days})))
    p = cv.read_predictions(path)
    assert cv.over_time(p, error=cv.ks_error, lens="class 1", replicates=20, progress=False).attrs["field"] == "seen on"


# Rows without a label


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz", ".jsonl"])
def test_rows_without_a_label_are_left_out_when_asked(tmp_path, ending):
    path, labels = tmp_path / f"p{ending}", np.where(np.arange(N) % 4 == 3, np.nan, Y)
    frame = binary("label", "prob", labels, age=AGE)
    if ending == ".npz":
        path.write_bytes(npz(label=labels, prob=P, age=AGE))
    elif ending == ".jsonl":
        path.write_bytes(jsonl({k: None if v != v else v for k, v in row.items()} for row in frame.to_dict("records")))
    else:
        path.write_bytes(parquet(frame) if ending == ".parquet" else csv(frame, na_rep="NA"))
    with pytest.raises(ValueError, match=r"[35].* is missing; missing='drop' leaves out the 6 rows without a label"):
        cv.read_predictions(path)
    kept = ~np.isnan(labels)
    p = cv.read_predictions(path, missing="drop")
    np.testing.assert_array_equal(p.probs[:, 1], P[kept])
    np.testing.assert_array_equal(p.labels, Y[kept])
    np.testing.assert_array_equal(p.fields["age"], AGE[kept])
    assert besides(p) == "6 rows without a label left out"
    assert p.about["source"].endswith(", missing='drop')")


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz", ".jsonl", "frame", "lists"])
def test_rows_without_a_probability_are_left_out_when_asked(tmp_path, ending):
    """Also of those that have no label some, each counted once."""
    source = tmp_path / f"p{'.parquet' if ending == 'lists' else ending}"
    labels, probs = np.where(np.arange(N) % 8 == 3, np.nan, Y), BINARY.copy()
    probs[[1, 3, 6], 0] = np.nan
    frame = by_class(names="01", labels=labels, probs=probs, age=AGE)
    records = [{k: None if v != v else v for k, v in row.items()} for row in frame.to_dict("records")]
    if ending == "frame":
        source = frame
    elif ending == "lists":
        rows = [None if np.isnan(row[0]) else row for row in probs.tolist()]
        source.write_bytes(parquet(pa.table({"probs": rows, "label": [row["label"] for row in records], "age": AGE})))
    elif ending == ".npz":
        source.write_bytes(npz(labels=labels, probs=probs, age=AGE))
    else:
        written = {
            ".jsonl": lambda: jsonl(records),
            ".csv": lambda: csv(frame, na_rep="NA"),
            ".parquet": lambda: parquet(frame),
        }
        source.write_bytes(written[ending]())
    with pytest.raises(ValueError, match="is missing; missing='drop' leaves out the 3 rows without a label"):
        cv.read_predictions(source)
    kept = ~np.isnan(labels) & ~np.isnan(probs[:, 0])
    p = cv.read_predictions(source, missing="drop")
    np.testing.assert_array_equal(p.probs, BINARY[kept])
    np.testing.assert_array_equal(p.labels, Y[kept])
    np.testing.assert_array_equal(p.fields["age"], AGE[kept])
    said = p.about["assumed"].split("; ")
    assert {"3 rows without a label left out", "2 rows without a probability left out"} <= set(said)


@pytest.mark.parametrize("mark", ["?", "-", "--", "---", "–", "—", "−", "none"])
@pytest.mark.parametrize("place", [1, 22])
def test_a_mark_among_numbers_is_a_missing_one(tmp_path, mark, place):
    path, ages = tmp_path / "p.csv", [str(age) for age in AGE]
    scores = [f"{score:.3f}" for score in BINARY[:, 1]]
    scores[place] = ages[place + 1] = mark
    rows = pd.DataFrame({"prob": scores, "label": Y, "age": ages})
    path.write_bytes(csv(rows))
    with pytest.raises(ValueError, match="column 'prob' is missing; missing='drop' leaves out the only row without"):
        cv.read_predictions(path)
    for source in (path, rows):
        p = cv.read_predictions(source, missing="drop")
        np.testing.assert_array_equal(p.labels, np.delete(Y, place))
        ages_there = np.delete(np.where(np.arange(len(AGE)) == place + 1, np.nan, AGE), place)
        if source is path:
            np.testing.assert_array_equal(p.fields["age"], ages_there)


def test_each_row_may_end_with_a_separator(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("prob,label\n0.2,0,\n0.7,1,\n0.4,0,\n")
    p = cv.read_predictions(path)
    assert p.probs[:, 1].tolist() == [0.2, 0.7, 0.4] and p.labels.tolist() == [0, 1, 0] and not p.fields
    path.write_text("prob,label\n" + "0.2,0,\n0.7,1,\n" * 300 + "0.4,0\n0.4,0,1\n")
    with pytest.raises(ValueError, match="line 603 has 3 values, but the header has 2 names"):
        cv.read_predictions(path)


@pytest.mark.parametrize("names", ["prob{0}label", "prob{0}label{0}", "prob{0}label{0}{0}"])
@pytest.mark.parametrize("where", [lambda i: i % 3 == 0, lambda i: i > 550, lambda i: i == 0, lambda _: True])
@pytest.mark.parametrize("sep", [",", "\t"])
def test_some_rows_and_the_names_may_end_with_separators(tmp_path, names, where, sep):
    labels = [int(37 * i % 100 < 100 * P[i % N]) for i in range(600)]
    rows = (f"{P[i % N]}{sep}{label}{sep * 2 * where(i)}" for i, label in enumerate(labels))
    empty = [sep, sep]  # rows as spreadsheets write them
    (tmp_path / "p.csv").write_text("\n".join([names.format(sep), *rows, *empty]))
    p = cv.read_predictions(tmp_path / "p.csv")
    assert p.probs[:, 1].tolist() == [*P] * 25 and p.labels.tolist() == labels


@pytest.mark.parametrize("end", ["", "\n"])
def test_rows_may_lack_the_empty_values_at_their_end(tmp_path, end):
    """As Excel writes rows in blocks of sixteen."""
    rows = [f"{Y[i]},{P[i]},{'x' * (i == 3)},{'' if i > 3 else 5}"[: None if i < 9 else -2] for i in range(N)]
    (tmp_path / "p.csv").write_text("\n".join(["label,prob,note,age", *rows]) + end)
    p = cv.read_predictions(tmp_path / "p.csv")
    assert p.probs[:, 1].tolist() == [*P] and p.fields["note"].tolist() == ["", "", "", "x", *[""] * (N - 4)]
    assert np.isnan(p.fields["age"]).tolist() == [i > 3 for i in range(N)]
    (tmp_path / "p.csv").write_text("label,prob,note\n0,0.25,\n1,0.5,\n1,0.7" + end)  # cut, maybe
    if end:
        assert cv.read_predictions(tmp_path / "p.csv").n_samples == 3
    else:
        with pytest.raises(ValueError, match="line 4 has 2 values, but the header has 3 names"):
            cv.read_predictions(tmp_path / "p.csv")


def test_a_mark_may_be_a_class(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("prob,label\n0.2,-\n0.7,+\n0.4,-\n")
    assert cv.read_predictions(path, positive="+").labels.tolist() == [0, 1, 0]


def test_records_without_probabilities_are_left_out_when_asked(tmp_path):
    path = tmp_path / "log.jsonl"
    told = {"probs": {"A": 0.75, "B": 0.25}, "label": "B", "task": "x"}
    path.write_bytes(jsonl([told, {"label": "A"}, told | {"label": None}, told | {"task": "y"}]))
    p = cv.read_predictions(path, missing="drop")
    assert (p.labels.tolist(), p.fields["task"].tolist()) == ([1, 1], ["x", "y"])
    assert "1 row without a label left out; 1 row without a probability left out" in p.about["assumed"]


def test_a_row_that_lacks_a_probability_is_one_of_those_to_decide_about(tmp_path):
    """It is named by its line, also behind rows that are left out already."""
    path = tmp_path / "p.csv"
    path.write_text("label,p_a,p_b\na,0.5,0.5\nb,0.25,\na,,0.5\nb,,\n")
    with pytest.raises(ValueError, match="line 3 of column 'p_b' is missing; missing='drop' leaves out the 3 rows wit"):
        cv.read_predictions(path)
    path.write_text("label,prob\n1,\n0,\n,0.5\n")
    with pytest.raises(ValueError, match="no row that has a label has a probability"):
        cv.read_predictions(path, missing="drop")
    path.write_text("label,prob\n1,NA\n0,12 %\n1,70 %\n")
    p = cv.read_predictions(path, missing="drop")
    assert besides(p) == "1 row without a probability left out; probabilities in per cent"


def test_rows_keep_the_numbers_of_the_file_when_others_are_left_out(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("prob,label\n0.1,0\n,NA\n0.2,1\n1.5,1\n")
    with pytest.raises(ValueError, match=r"p\.csv: line 5 of probs is 1.5: "):
        cv.read_predictions(path, missing="drop")
    path.write_text("prob,label\n0.1,\n0.2,\n")
    with pytest.raises(ValueError, match="the column 'label' has no label in any row"):
        cv.read_predictions(path, missing="drop")


# What is ambiguous is refused with the option that settles it


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "y_true,target,prob\n0,1,0.5\n",
            {},
            "two columns may hold the truth\n  label='y_true', prob='prob'    mean 50 %, observed 0 %\n"
            "  label='target', prob='prob'    mean 50 %, observed 100 %",
        ),
        (
            "y,p\nspam,0.5\nham,0.2\n",
            {},
            "line 2 of column 'y' is 'spam', and nothing says of which class the probabilities are\n"
            "  label='y', prob='p', positive='spam'    mean 35 %, observed 50 %\n"
            "  label='y', prob='p', positive='ham'     mean 35 %, observed 50 %",
        ),
        (
            "y,p\ncat,0.5\ndog,0.2\nowl,0.3\n",
            {},
            "line 2 of column 'y' is 'cat', and nothing says of which class the probabilities are: pass "
            "positive='cat' or positive='dog' or positive='owl', which sets this class against all others",
        ),
        (
            "y,p\nspam,0.5\nham,0.2\n",
            {"positive": "Hamm"},
            "positive='Hamm' is none of the labels, which are 'spam', 'ham'; did you mean 'ham'?",
        ),
        (
            "y,y_prob,y_score\n0,0.5,0.5\n",
            {},
            "each of the columns 'y_prob', 'y_score' could hold probabilities\n"
            "  label='y', prob='y_prob'                  mean 50 %, observed 0 %\n"
            "  label='y', prob='y_score'                 mean 50 %, observed 0 %\n"
            "  label='y', model=['y_prob', 'y_score']    both side by side, of which "
            "'y_prob' has mean 50 %, observed 0 %",
        ),
        (
            "y,p_cat,p_dog\ncat,0.5,0.5\ndgo,0.5,0.5\n",
            {},
            "line 3 of the labels is 'dgo', but the columns 'p_cat', 'p_dog' name the classes 'cat', 'dog'; "
            "correct the label, or add a column of its class, or, where labels number the classes from 0, name these "
            "in order by classes=[...]; did you mean 'dog'?",
        ),
        (
            "lable,prob\n0,0.5\n",
            {},
            "found no labels among the columns 'lable', 'prob': ... did you mean 'lable'?",
        ),
        (
            "label,prob\n0,0.5\n",
            {"label": "lable"},
            "label='lable': no column has this name among 'label', 'prob'; did you mean 'label'?",
        ),
        (
            "label;p;x\n0;0,5;1.5\n",
            {},
            "some numbers have a decimal comma, such as '0,5' of column 'p', and some a point, such as '1.5'"
            " of column 'x': say which by decimal=',' or decimal='.'",
        ),
        (
            "label,prob\n0,50%\n1,0.5\n",
            {},
            "line 3 of column 'prob' is '0.5', without the per cent sign that other rows have",
        ),
        (
            "label,prob\n0,50\n",
            {},
            "line 2 of probs is 50: a probability lies between 0 and 1; pass normalize=True if these are per cents,"
            " or logits=... if they are logits",
        ),
        (
            "label,prediction\n0,1\n1,0\n",
            {},
            "the column 'prediction' holds only 0 and 1, which are decisions, not probabilities; "
            "prob='prediction' reads it all the same",
        ),
        (
            "label,cat,dog\ncat,1,0\n",
            {"classes": ["cat", "dgo"]},
            "classes: no column is named after 'dgo' among 'cat', 'dog'; did you mean 'dog'?",
        ),
        (
            "label,p_0,p_1\n0,1,0\n",
            {"positive": 1},
            "positive='1' is for a single column of probabilities, but 'p_0', 'p_1' hold those of all "
            "classes: choose one by prob=...",
        ),
    ],
)
def test_what_is_not_clear_is_refused_with_what_settles_it(tmp_path, text, options, message):
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(ValueError) as caught:
        cv.read_predictions(path, **options)
    start, _, end = (
        f"{path}: {message}".partition("...") if "among the columns" in message else (f"{path}: {message}", "", "")
    )
    assert str(caught.value).startswith(start) and str(caught.value).endswith(end)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": "ab"}, "sep must be a single sign"),
        ({"decimal": "x"}, "decimal must be '.' or ','"),
        ({"sep": ",", "decimal": ","}, "sep and decimal are both ','"),
        ({"missing": "ignore"}, "missing must be"),
        ({"classes": ["a", "a"]}, "classes"),
        ({"prob": "a", "logits": "b"}, "logits='b' and prob='a' exclude each other"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        cv.read_predictions("p.csv", **options)


def test_per_cents_without_signs_are_rescaled_when_asked(tmp_path):
    path = tmp_path / "p.csv"
    binary("label", "prob", probs=100 * P).to_csv(path, index=False)
    p = cv.read_predictions(path, normalize=True)
    np.testing.assert_allclose(p.probs[:, 1], P)
    assert besides(p) == "probabilities in per cent"


def test_what_cannot_be_a_per_cent_is_named_and_what_need_not_be_one_is_said(tmp_path):
    path = tmp_path / "risks.csv"
    path.write_text("risk,outcome\n10.1,0\n145,1\n-99,0\n")
    with pytest.raises(ValueError, match="line 3 of probs is 145: a per cent lies between 0 and 100; correct it"):
        cv.read_predictions(path, prob="risk", normalize=True)
    path.write_text("risk,outcome\n0.1,0\n0.9,1\n0.4,0\n")
    p = cv.read_predictions(path, prob="risk", normalize=True)
    assert "probabilities from 0 to 1, not per cents, as none is above 1" in p.about["assumed"]
    np.testing.assert_array_equal(p.probs[:, 1], [0.1, 0.9, 0.4])


# Logs of decisions


def test_options_that_differ_are_read_as_confidence_and_correctness(tmp_path):
    records = [
        {"options": ["yes", "no"], "logprobs": [-1.0, -2.0], "answer": "yes", "task": "a"},
        {"options": ["red", "green", "blue"], "logprobs": [-1.0, -2.0, -3.0], "answer": 1, "task": "b"},
        {"options": ["up", "down"], "logprobs": [-2.0, -1.0], "answer": "B", "task": "b"},
    ]
    (tmp_path / "log.jsonl").write_bytes(jsonl(records))
    p = cv.read_predictions(tmp_path / "log.jsonl")
    shares = [np.exp(np.array(row["logprobs"])) for row in records]
    np.testing.assert_allclose(p.probs[:, 1], [share.max() / share.sum() for share in shares])
    assert p.labels.tolist() == [1, 0, 1]
    assert p.class_names == ("wrong", "right")
    assert p.fields["options"].tolist() == [2, 3, 2] and p.fields["task"].tolist() == ["a", "b", "b"]
    assert "the options differ" in p.about["assumed"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"probs": {"A": 0.5, "B": 0.5}, "label": "C"}',
            "line 3 of 'label' is 'C', none of the options 'A', 'B'",
        ),
        ('{"probs": {"A": 0.5, "B": "x"}, "label": "A"}', "line 3 of 'probs' holds 'x', not a number"),
        ('{"probs": 0.5, "label": "A"}', "line 3 of 'probs' is 0.5, not a number for each option, such as {'A': "),
        (
            '{"probs": {"A": 0.5, "B": 0.5}}',
            "line 3 of column 'label' is missing; missing='drop' leaves out the only row without a label",
        ),
        (
            '{"label": "A"}',
            "line 3 of 'probs' is missing; missing='drop' leaves out the only row without a probability",
        ),
        ("[1]", "line 3 is [1], not a record such as {'prob': 0.8, 'label': 1}"),
        ("{", "line 3 cannot be read and may be damaged: it is no JSON from column 2 on"),
    ],
)
def test_records_that_cannot_be_read_are_named(tmp_path, line, message):
    path = tmp_path / "log.jsonl"
    path.write_text('{"probs": {"A": 0.7, "B": 0.3}, "label": "A"}\n\n' + line + "\n")
    with pytest.raises(ValueError) as caught:
        cv.read_predictions(path)
    assert str(caught.value).startswith(f"{path}: {message}")


# Rows of other lengths, and speed


def test_a_row_too_short_is_found_beside_one_too_long(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("prob,label,note\n0.5,1\n0.5,0,a,b\n")
    with pytest.raises(ValueError, match="line 2 has 2 values, but the header has 3 names"):
        cv.read_predictions(path)
    path.write_text('prob,label,note\n0.5,1,"a,b"\n0.5,0\n')
    with pytest.raises(ValueError, match="line 3 has 2 values, but the header has 3 names"):
        cv.read_predictions(path)


def test_a_column_that_is_no_number_below_the_first_rows_is_a_field_of_text(tmp_path):
    path = tmp_path / "p.csv"
    rows = [f"0.5,{i % 2},{i / 4}" for i in range(1500)]
    path.write_text("\n".join(["prob,label,dose", *rows, "0.5,1,much", "0.25,0,"]))
    p = cv.read_predictions(path)
    assert p.fields["dose"].tolist()[-2:] == ["much", ""] and p.probs[-1, 1] == 0.25


def read_log(tmp_path, *records, **options):
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in records))
    return cv.read_predictions(file, **options)


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ({"label": "A"}, "line 1 of 'probs' is missing"),
        ({"label": "A", "probs": None}, "line 1 of 'probs' is missing"),
        ({"label": "A", "probs": {"A": 0.7, "B": None}}, "line 1 of 'probs', option 'B', is missing"),
        ({"label": "A", "probs": {"A": float("nan"), "B": 0.3}}, "line 1 of 'probs', option 'A', is missing"),
    ],
)
def test_a_record_of_a_log_that_lacks_probabilities_may_be_left_out(tmp_path, lacking, said):
    records = [lacking, {"probs": {"A": 0.7, "B": 0.3}, "label": "A"}, {"probs": {"B": 0.9, "A": 0.1}, "label": "A"}]
    with pytest.raises(ValueError, match=f"{said}; missing='drop' leaves out the only row without a probability"):
        read_log(tmp_path, *records)
    p = read_log(tmp_path, *records, missing="drop")
    assert p.class_names == ("A", "B") and p.labels.tolist() == [0, 0]
    assert besides(p) == "1 row without a probability left out"
    np.testing.assert_allclose(p.probs, [[0.7, 0.3], [0.1, 0.9]])


def test_a_list_of_a_log_that_lacks_a_probability_may_be_left_out(tmp_path):
    records = [{"probs": None, "label": 1}, {"probs": [0.5, None], "label": 0}, {"probs": [0.2, 0.8], "label": 1}]
    with pytest.raises(ValueError, match="line 1 of column 'probs' is missing; missing='drop' leaves out the 2 rows"):
        read_log(tmp_path, *records)
    assert read_log(tmp_path, *records, missing="drop").probs.tolist() == [[0.2, 0.8]]
    named = [{"options": ["A", "B"], "logprobs": logs, "answer": "B"} for logs in ([-1, None], [0, 0])]
    with pytest.raises(ValueError, match="line 1 of 'logprobs', option 'B', is missing"):
        read_log(tmp_path, *named)
    assert read_log(tmp_path, *named, missing="drop").labels.tolist() == [1]


def test_rows_without_soft_labels_may_be_left_out(tmp_path):
    file = tmp_path / "soft.npz"
    probs, age = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1], [0.3, 0.7]]), np.arange(4)
    labels = np.array([[0.1, 0.9], [0.7, np.nan], [0.8, 0.2], [0.4, 0.6]])
    probs[0, 0] = np.nan
    np.savez(file, probs=probs, labels=labels, age=age)
    with pytest.raises(ValueError, match=r"labels\[1, 1\] is missing; missing='drop' leaves out the only row without"):
        cv.read_predictions(file)
    p = cv.read_predictions(file, missing="drop", classes=["no", "yes"])
    assert p.fields["age"].tolist() == [2, 3] and p.class_names == ("no", "yes")
    np.testing.assert_array_equal(p.soft_labels, labels[2:])
    assert besides(p) == "1 row without a label left out; 1 row without a probability left out"
    np.savez(file, probs=probs, labels=np.full((4, 2), np.nan))
    with pytest.raises(ValueError, match="no row of 'labels' has a label of every class"):
        cv.read_predictions(file, missing="drop")


def test_labels_that_are_values_of_the_classes_may_be_missing(tmp_path):
    file = tmp_path / "few.nc"
    probs = [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]
    variables = {"probs": (("sample", "class"), probs), "labels": ("sample", [3.0, np.nan, 5.0])}
    xr.Dataset(variables, {"class": [3, 5]}).to_netcdf(file, engine="scipy")
    with pytest.raises(ValueError, match=r"labels\[1\] is missing; missing='drop'"):
        cv.read_predictions(file)
    p = cv.read_predictions(file, missing="drop")
    assert p.labels.tolist() == [0, 1] and p.class_names == ("3", "5")


def test_a_column_of_weights_that_are_all_0_is_refused_with_a_way_out(tmp_path):
    file = tmp_path / "zero.csv"
    file.write_text("label,prob,weight\n1,0.7,0\n0,0.2,0\n")
    with pytest.raises(ValueError, match="'weight' holds weights that are all 0: where it holds something else, "):
        cv.read_predictions(file)


@pytest.mark.parametrize("ending", [".csv", ".npz", ".zarr", ".nc", ".jsonl", "frame"])
def test_a_column_is_taken_for_weights_aloud_and_is_a_field_when_asked(tmp_path, ending):
    kilograms = [70.5, 81.0, 64.0]
    data = {"label": [0, 1, 1], "prob": [0.2, 0.7, 0.4], "weight": kilograms}
    frame, file = pd.DataFrame(data), tmp_path / f"bodies{ending}"
    dataset = xr.Dataset({name: ("sample", column) for name, column in data.items()})
    records = [{"correct": bool(a), "confidence": p, "weight": w} for a, p, w in zip(*data.values(), strict=True)]
    {
        ".csv": lambda: frame.to_csv(file, index=False),
        ".npz": lambda: np.savez(file, **data),
        ".zarr": lambda: dataset.to_zarr(file, zarr_format=2),
        ".nc": lambda: dataset.to_netcdf(file, engine="scipy"),
        ".jsonl": lambda: file.write_text("".join(f"{json.dumps(record)}\n" for record in records)),
        "frame": lambda: None,
    }[ending]()
    source = frame if ending == "frame" else file
    p = cv.read_predictions(source)
    assert p.weights.tolist() == kilograms
    assert "weights of samples from 'weight', which weight='' makes a field" in p.about["assumed"]
    p = cv.read_predictions(source, weight="")
    assert p.weights is None and p.fields["weight"].tolist() == kilograms and "weight" not in p.about.get("assumed", "")
    if ending == ".zarr":
        said = "weights of samples from 'weight', which under another name is a field"
        assert cv.open_predictions(file).about["assumed"].endswith(said)


OF_THREE = {"truth": ["mild", "severe", "mild", "fatal"], "pred": ["mild", "severe", "severe", "mild"]}
OF_TWO = {"label": ["no", "yes", "no", "yes"], "prediction": ["no", "yes", "yes", "no"]}
RIGHT = [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("columns", "score", "predicted"),
    [
        (OF_THREE, "confidence", "pred"),
        (OF_THREE, "score", "pred"),
        ({"label": OF_THREE["truth"], "guess": OF_THREE["pred"]}, "p", "guess"),  # the only text that holds classes
        ({"label": [0, 1, 0, 2], "y_pred": [0, 1, 1, 0]}, "probability", "y_pred"),
        (OF_TWO, "confidence", "prediction"),
        ({"label": [0, 1, 0, 1], "prediction": [0, 1, 1, 0]}, "confidence", "prediction"),
    ],
)
@pytest.mark.parametrize("ending", [".csv", "frame"])
def test_a_column_of_predicted_classes_beside_the_confidence_in_them(tmp_path, columns, score, predicted, ending):
    frame = pd.DataFrame(columns | {score: [0.9, 0.6, 0.7, 0.55], "site": list("ABAB")})
    source = frame if ending == "frame" else tmp_path / "mine.csv"
    if ending == ".csv":
        frame.to_csv(source, index=False)
    p = cv.read_predictions(source)
    assert p.class_names == ("wrong", "right") and p.labels.tolist() == RIGHT
    assert p.probs[:, 1].tolist() == [0.9, 0.6, 0.7, 0.55]
    assert set(p.fields) == {predicted, "site"}  # not the truth
    assert f"confidence from {score!r} in the class of {predicted!r}" in p.about["assumed"]
    first = next(iter(columns.values()))[0]
    p = cv.read_predictions(source, positive=first)
    assert p.class_names[1] == str(first) and set(p.fields) == {predicted, "site"}


@pytest.mark.parametrize(
    "columns",
    [
        {"y_true": ["no", "yes", "no", "yes"], "y_pred": ["no", "yes", "yes", "no"], "y_prob": [0.1, 0.9, 0.7, 0.3]},
        {"y_true": ["no", "yes", "no", "yes"], "y_pred": ["no", "yes", "yes", "no"], "y_prob": [0.6, 0.9, 0.8, 0.7]},
        {"y_true": ["no", "yes", "no", "yes"], "y_pred": ["yes"] * 4, "y_prob": [0.6, 0.9, 0.8, 0.7]},
        {"y_true": ["no", "yes", "no", "yes"], "y_pred": ["no"] * 4, "confidence": [0.1, 0.6, 0.3, 0.2]},
        {"y_true": ["no", "yes", "no", "yes"], "y_pred": ["no", "yes", "yes", "no"], "y_prob": [0.1, 0.6, 0.9, 0.8]},
        {"truth": ["no", "yes", "no", "yes"], "y_pred": ["no", "yes", "yes", "no"], "confidence": [0.1, 0.6, 0.9, 0.3]},
    ],
)
def test_a_column_of_predicted_classes_beside_the_probability_of_one_of_two(columns):
    p = cv.read_predictions(pd.DataFrame(columns))
    assert p.class_names == ("no", "yes") and p.probs[:, 1].tolist() == list(columns.values())[-1]
    assert list(p.fields) == ["y_pred"]


@pytest.mark.parametrize(
    ("label", "predicted"),
    [
        ([0, 1, 0, 1], [False, True, True, False]),
        ([False, True, False, True], [0, 1, 1, 0]),
        (["yes", "no", "yes", "no"], [True, False, False, True]),
        (["Cat", "Dog", "Cat", "Dog"], ["cat", "dog", "dog", "cat"]),
        (["Mild", "severe", "Mild", "fatal"], ["mild", "Severe", "severe", "mild"]),
    ],
)
def test_predicted_classes_may_be_spelled_unlike_the_labels(label, predicted):
    p = cv.read_predictions(pd.DataFrame({"label": label, "predicted": predicted, "confidence": [0.9, 0.6, 0.7, 0.55]}))
    assert p.class_names == ("wrong", "right") and p.labels.tolist() == RIGHT


@pytest.mark.parametrize(
    ("label", "predicted", "right"),
    [
        ([0, 1, 0, 1], [0] * 4, [1, 0, 1, 0]),  # nobody whom the model calls 0 with 90 % has 90 % for 1
        ([0, 1, 0, 1], [0, 1, 0, 1], [1] * 4),  # surer of 0 than of 1 throughout
        ([0] * 4, [0, 1, 1, 0], [1, 0, 0, 1]),
    ],
)
def test_the_confidence_in_the_answer_no_is_no_probability_of_yes(label, predicted, right):
    p = cv.read_predictions(pd.DataFrame({"label": label, "predicted": predicted, "prob": [0.9, 0.6, 0.8, 0.55]}))
    assert p.class_names == ("wrong", "right") and p.labels.tolist() == right


def test_a_column_called_confidence_may_be_below_one_half():
    columns = {"label": [0, 1, 0, 1], "predicted": [0, 1, 1, 0], "confidence": [0.4, 0.6, 0.9, 0.8]}
    p = cv.read_predictions(pd.DataFrame(columns))
    assert p.class_names == ("wrong", "right") and p.labels.tolist() == RIGHT


def test_predicted_classes_may_be_missing_in_per_cent_and_weighted(tmp_path):
    (tmp_path / "p.csv").write_text(
        "truth,pred,confidence,weight\nmild,mild,90%,1\nsevere,,70%,2\nfatal,severe,80%,3\n,mild,80%,4\n"
    )
    with pytest.raises(ValueError, match=r"line 5 of column 'truth' is missing; missing='drop' leaves"):
        cv.read_predictions(tmp_path / "p.csv")
    p = cv.read_predictions(tmp_path / "p.csv", missing="drop")
    assert (p.labels.tolist(), p.probs[:, 1].tolist(), p.weights.tolist()) == ([1, 0], [0.9, 0.8], [1, 3])
    assert "1 row without a predicted class left out" in p.about["assumed"]


PERCENTS = "is {}: a probability lies between 0 and 1; pass normalize=True if these are per cents, or logits=... if "


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.csv", "label,prob\n1,63.7\n0,20\n", f"line 2 of probs {PERCENTS.format(63.7)}they are logits"),
        ("p.csv", "y,p_a,p_b\na,0,100\nb,40,60\n", f"line 2 of column 'p_b' {PERCENTS.format(100)}these are logits"),
        (
            "p.csv",
            "label,prob\n1,0.7\n0,1.02\n",
            "line 3 of probs is 1.02: ...; correct it, or pass normalize=True if all",
        ),
        (
            "p.csv",
            "label,prob\n1,0.7\n0,-0.01\n",
            "line 3 of probs is -0.01: ...; correct it, or pass logits=... if these",
        ),
        ("p.csv", "y,p_a,p_b\na,1.02,0\n", "is 1.02: ...; correct it, or pass normalize=True to rescale the rows, or"),
        (
            "p.csv",
            "label,prob\n1,0.7\n0,0.2\n?,0.3\n",
            "line 4 of column 'label' is '?', neither '0' nor '1': correct it",
        ),
        (
            "p.csv",
            "y,prob\nyes,0.7\nno,0.2\nTotal,2\n",
            "line 4 of column 'y' is 'Total', neither 'no' nor 'yes': correct",
        ),
        ("p.csv", "y,cat,dog\ncat,1,0\ncow,0,1\n", "line 3 of the labels is 'cow', but no column is named so; correct"),
        (
            "p.csv",
            "1,0.637\n0,0.2\n",
            "the first line holds numbers, such as 1, but must hold the names of the columns",
        ),
        ("p.csv", "My study;;\nlabel;prob;a\n1;0.5;2\n", "...; the first line must hold the names of the columns"),
        (
            "p.csv",
            "# by me\nlabel,prob\n1,0.5\n",
            "line 2 has 2 values, but the header has 1 name; if lines stand above",
        ),
        (
            "p.csv",
            "label,prob,weight\n1,0.5,80\n0,0.2,\n",
            "line 3 of column 'weight', the weights, is missing: where it holds something else, weight=''",
        ),
        (
            "p.csv",
            b"PK\x03\x04\0\0",
            "is named .csv, but is a zip archive by its first bytes: unpack it",
        ),
        ("p.csv", "label,prob\n".encode("utf-16-le"), "it holds bytes that are 0; save it as text in UTF-8"),
        ("p.csv.gz", "label,prob\n1,0.5\n", "the file is not packed, though its name ends in .gz: rename it"),
        ("p.xlsx", b"PK\x03\x04", "the workbook cannot be read and may be damaged: File is not a zip file"),
        ("p.xls", "label\tprob\n", "is named .xls, but is text by its first bytes: rename it to p.csv"),
        ("p.json", "[]", "the file is empty"),
        ("p.npy", b"", "the array cannot be read and may be damaged"),
        (
            "p.pkl",
            b"\x80\4",
            "a pickle runs code when it is loaded, so calibviz never opens one; this makes a file that is",
        ),
    ],
)
def test_what_a_newcomer_meets_is_refused_with_a_way_out(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=".*".join(map(re.escape, said.split("...; ")))):
        cv.read_predictions(path)


def test_the_ways_out_of_per_cents_lead_out(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,p_a,p_b\na,0,100\nb,40,60\n")
    np.testing.assert_allclose(cv.read_predictions(path, normalize=True).probs, [[0, 1], [0.4, 0.6]])
    path.write_text("y,p_a,p_b\na,1.02,0\nb,0.4,0.6\n")
    np.testing.assert_allclose(cv.read_predictions(path, normalize=True).probs, [[1, 0], [0.4, 0.6]])


@pytest.mark.parametrize(
    ("content", "labels", "classes"),
    [
        ("label,cat,dog\nCAT,0.5,0.5\nDog,0.2,0.8\n", [0, 1], ("cat", "dog")),
        ("label,p_cat,p_dog\nCat,0.5,0.5\ncat,0.2,0.8\nDOG,0,1\n", [0, 0, 1], ("cat", "dog")),
        ("label,p_yes\nYes,0.5\nNo,0.2\n", [1, 0], ("No", "yes")),
        ("label,prob\nYes,0.5\nyes,0.6\nNo,0.2\n", [1, 1, 0], ("No", "yes")),
        ("label,p_0,p_1\nYes,0.5,0.5\nyes,0.4,0.6\nNo,0.8,0.2\n", [1, 1, 0], ("0", "1")),
    ],
)
def test_capitals_of_labels_do_not_matter(tmp_path, content, labels, classes):
    path = tmp_path / "p.csv"
    path.write_text(content)
    p = cv.read_predictions(path)
    assert p.labels.tolist() == labels and p.class_names == classes
    assert "capitals of labels do not matter" in p.about["assumed"]


@pytest.mark.parametrize("positive", ["yes", "Yes", "YES"])
def test_a_positive_answer_is_positive_in_all_its_spellings(tmp_path, positive):
    path = tmp_path / "p.csv"
    path.write_text("label,prob\nYes,0.5\nyes,0.6\nNo,0.2\nno,0.1\nmaybe,0.4\n")
    with pytest.raises(ValueError, match="line 6 of column 'label' is 'maybe', neither 'no' nor 'yes'"):
        cv.read_predictions(path)
    assert cv.read_predictions(path, positive=positive).labels.tolist() == [1, 1, 0, 0, 0]
    path.write_text("label,prob\nNo,0.5\nno,0.6\n")
    assert cv.read_predictions(path, positive="no").class_names == ("yes", "no")


@pytest.mark.parametrize(
    "content",
    [
        "label,p_A,p_B,a,b\nA,0.5,0.5,1,2\nB,0.2,0.8,1,2\n",  # exactly as spelled, though fields are named alike
        "label,p_cat,p_CAT\ncat,0.5,0.5\nCAT,0.2,0.8\n",
    ],
)
def test_capitals_of_labels_matter_where_they_tell_classes_apart(tmp_path, content):
    path = tmp_path / "p.csv"
    path.write_text(content)
    p = cv.read_predictions(path)
    assert p.labels.tolist() == [0, 1] and not besides(p)


def test_dates_in_which_the_day_can_be_told_are_dates(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(
        "label,prob,seen,visit,moment\n"
        "1,0.5,31.1.2024,2024/01/31,05.02.2024 14:30\n"
        "0,0.2,,2023/12/01,01.12.2023 08:00\n"
    )
    p = cv.read_predictions(path)
    assert p.fields["seen"].astype(str).tolist() == ["2024-01-31", "NaT"]
    assert p.fields["visit"].astype(str).tolist() == ["2024-01-31", "2023-12-01"]
    assert p.fields["moment"].astype("M8[m]").astype(str).tolist() == ["2024-02-05T14:30", "2023-12-01T08:00"]
    said = "dates in 'seen', as day.month.year; dates in 'visit'; dates in 'moment', as day.month.year"
    assert besides(p) == said


def test_a_table_of_many_columns_is_told_in_few_words(tmp_path):
    path = tmp_path / "p.csv"
    names = [f"g{i}" for i in range(3000)]
    path.write_text(f"label,prob,{','.join(names)}\n" + f"1,0.5,{','.join(['1'] * 3000)}\n" * 2)
    assert repr(cv.read_predictions(path)).endswith("g10, g11, ... (3,000 in all)>")
