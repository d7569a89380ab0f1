"""The options that a refusal offers, each of which opens the file; and labels that are written in several ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 120
RNG = np.random.default_rng(5)
PROBS = RNG.dirichlet(np.ones(3), N).round(4)
PROBS[:, 2] = (1 - PROBS[:, 0] - PROBS[:, 1]).round(4)
CODES = np.array([RNG.choice(3, p=p / p.sum()) for p in PROBS])
SCORE = RNG.random(N).round(3)
Y = (RNG.random(N) < SCORE).astype(int)
NAMES = np.array(["cat", "dog", "owl"])
WORDS = NAMES[CODES]
FAMILY = {f"p_{name}": PROBS[:, k] for k, name in enumerate(NAMES)}
GAP = np.where(np.arange(N) % 9 == 0, np.nan, SCORE)


def write(path, columns):
    if path.suffix == ".npz":
        np.savez(path, **columns)
    else:
        path.write_text(columns if isinstance(columns, str) else pd.DataFrame(columns).to_csv(index=False))
    return path


@pytest.mark.parametrize(
    ("name", "columns", "first", "readings"),
    [
        ("a.csv", {"label": Y, "prob": GAP}, {"missing": "drop"}, 1),
        ("a.csv", {"label": np.where(np.isnan(GAP), np.nan, Y), "prob": SCORE}, {"missing": "drop"}, 1),
        ("a.csv", {"label": Y, "gold": 1 - Y, "prob": GAP}, {"label": "label", "missing": "drop"}, 1),
        ("a.npz", {"probs": PROBS, "labels": np.where(np.isnan(GAP), -100, CODES)}, {"ignore": ["-100"]}, 1),
        ("a.csv", "prob,label\n50,1\n20,0\n", {"normalize": True}, 1),
        ("a.csv", {"label": Y, "risk_pct": SCORE}, {"normalize": True}, 1),
        ("a.csv", {f"p_{k}": PROBS[:, k].round(1) for k in range(3)} | {"label": CODES}, {"normalize": True}, 1),
        ("a.csv", {"label": Y, "prob": 9 * SCORE - 4}, {"logits": "prob"}, 1),
        ("a.npz", {"probs": PROBS, "labels": WORDS}, {"classes": ["cat", "dog", "owl"]}, 6),
        ("a.npz", {"probs": PROBS, "prob": PROBS, "labels": CODES}, {"prob": "probs"}, 2),
        ("a.csv", dict(zip(NAMES, PROBS.T, strict=True)) | {"label": ["cat"] * N}, {"classes": list(NAMES)}, 1),
        (
            "a.csv",
            dict(zip(NAMES, PROBS.T, strict=True)) | {"label": np.where(CODES, "dog", "cat")},
            {"classes": list(NAMES)},
            1,
        ),
        ("a.csv", "p;label;x\n0,5;1;0.5\n", {"decimal": ","}, 1),
        ("a.csv", "p#label\n0.5#1\n", {"sep": "#"}, 1),
        ("a.csv", {"label": Y, "prob": SCORE, "weight": -SCORE}, {"weight": ""}, 1),
        (
            "a.csv",
            {"label": Y + 1, "p_1": 1 - SCORE, "weight": 1 + Y[::-1], "weights": 2 - Y[::-1]},
            {"weight": "weight"},
            4,
        ),
    ],
)
def test_a_refusal_offers_the_options_that_open_the_file(tmp_path, name, columns, first, readings):
    file = write(tmp_path / name, columns)
    with pytest.raises(Question) as caught:
        cv.read_predictions(file)
    lines = caught.value.lines
    assert first.items() <= lines[0][0].items() and len(lines) == readings
    for options, gives in lines:
        assert gives in cv.read_predictions(file, **options).about["assumed"]


def test_rows_without_a_partner_may_be_left_out(tmp_path):
    file = write(tmp_path / "a.csv", {"id": np.arange(N), "prob": SCORE})
    truth = write(tmp_path / "truth.csv", {"id": np.arange(N)[3:], "label": Y[3:]})
    with pytest.raises(Question, match="3 rows have no partner of the same 'id'") as caught:
        cv.read_predictions(file, truth=truth)
    [(options, gives)] = caught.value.lines
    read = cv.read_predictions(file, **options)
    assert len(read) == N - 3 and gives in read.about["assumed"]


def test_what_would_be_a_guess_is_not_offered(tmp_path):
    """Rows of labels that do not exclude each other are not rescaled, nor is one of three classes set against two."""
    for columns in (
        {f"p_{k}": SCORE / (k + 1) for k in range(3)} | {"label": CODES},
        {"label": WORDS, "prob": SCORE},
        {"label": Y, "y_pred": Y},
    ):
        with pytest.raises(ValueError) as caught:
            cv.read_predictions(write(tmp_path / "a.csv", columns))
        assert not isinstance(caught.value, Question)


# Labels that are written in several ways


@pytest.mark.parametrize("form", ["is_{}", "{}", "{}_true", "y {}"])
@pytest.mark.parametrize("value", [int, bool, float])
def test_a_column_of_each_class_is_the_truth(form, value):
    columns = {form.format(name): (k == CODES).astype(value) for k, name in enumerate(NAMES)}
    order = list(columns)[::-1]
    read = cv.read_predictions(pd.DataFrame(FAMILY | {name: columns[name] for name in order} | {"age": 80 * SCORE}))
    assert read.class_names == tuple(NAMES) and list(read.fields) == ["age"]
    np.testing.assert_array_equal(read.labels, CODES)
    assert "truth from " + ", ".join(map(repr, columns)) in read.about["assumed"]


def test_a_column_of_each_of_two_classes_is_the_truth():
    columns = {"p_cat": SCORE, "p_dog": 1 - SCORE, "is_cat": Y, "is_dog": 1 - Y}
    read = cv.read_predictions(pd.DataFrame(columns))
    np.testing.assert_array_equal(read.labels, 1 - Y)
    assert read.class_names == ("cat", "dog")


def test_columns_of_predicted_classes_are_not_the_truth():
    said = {f"is_{name}": (k == PROBS.argmax(axis=1)).astype(int) for k, name in enumerate(NAMES)}
    with pytest.raises(ValueError, match="say together which class each row has"):
        cv.read_predictions(pd.DataFrame(FAMILY | said))
    hot = {f"is_{name}": (k == CODES).astype(int) for k, name in enumerate(NAMES)}
    read = cv.read_predictions(pd.DataFrame(FAMILY | hot | {"label": RNG.permutation(WORDS)}))
    assert "truth from 'label'" in read.about["assumed"]


def test_one_class_is_written_in_several_ways(tmp_path):
    spelled = [[("0", "0.0", "False"), ("1", "1.0", "True")][y][i % 3] for i, y in enumerate(Y)]
    read = cv.read_predictions(write(tmp_path / "a.csv", {"label": spelled, "prob": SCORE}))
    np.testing.assert_array_equal(read.labels, Y)
    versions = np.array(["1.0", "1.10", "2.0"])
    read = cv.read_predictions(
        pd.DataFrame({f"p_{v}": PROBS[:, k] for k, v in enumerate(versions)} | {"label": versions[CODES]})
    )
    assert read.class_names == tuple(versions)


def test_classes_of_weka_have_no_numbers(tmp_path):
    columns = FAMILY | {"actual": [f"{k + 1}:{name}" for k, name in zip(CODES, WORDS, strict=True)]}
    read = cv.read_predictions(write(tmp_path / "a.csv", columns))
    assert read.class_names == tuple(NAMES)
    np.testing.assert_array_equal(read.labels, CODES)
