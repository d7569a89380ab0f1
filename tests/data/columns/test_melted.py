"""Tables with one row for each sample and class are read as the wide tables that they were melted from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 60
RNG = np.random.default_rng(0)


def wide(k=3, names=("cat", "dog", "owl", "eel"), decimals=4, seed=0):
    """Probabilities of k classes whose rows add up to 1, and the class of each row."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet([0.7] * k, N)
    labels = np.array([rng.choice(k, p=row) for row in probs])
    probs = probs.round(decimals)
    probs[:, -1] = (1 - probs[:, :-1].sum(axis=1)).round(decimals).clip(0, 1)
    return probs, labels, np.array(names[:k])


def long(probs, labels, names, truth="flag", **columns):
    k = len(names)
    is_true = np.tile(np.arange(k), N) == np.repeat(labels, k)
    held = is_true.astype(int) if truth == "flag" else np.repeat(names[labels], k)
    of = {"id": np.repeat(7 * np.arange(N), k), "class": np.tile(names, N), "probability": probs.ravel()}
    return pd.DataFrame({**of, "label": held, **{name: np.repeat(values, k) for name, values in columns.items()}})


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 4), st.sampled_from(["flag", "repeated"]), st.sampled_from(["as written", "shuffled", "by class"]),
    st.sampled_from(["id", "position"]), st.sampled_from([3, 4]), st.integers(0, 9),
)  # fmt: skip  # short entries stand in rows
def test_a_melted_table_is_read_as_the_wide_one(k, truth, order, known_by, decimals, seed):
    probs, labels, names = wide(k, decimals=decimals, seed=seed)
    age = np.arange(N) % 7 + 20
    frame = long(probs, labels, names, truth, age=age)
    if known_by == "position":
        frame = frame.drop(columns="id")
    elif order != "as written":
        by_class = np.argsort(frame["class"], kind="stable")
        frame = frame.iloc[np.random.default_rng(seed).permutation(len(frame)) if order == "shuffled" else by_class]
    p = cv.read_predictions(frame.reset_index(drop=True))
    assert len(p) == N and set(p.class_names) == set(names)
    expected = cv.Predictions(probs, names[labels], class_names=list(names), fields={"age": age})
    assert cv.accuracy(p) == pytest.approx(cv.accuracy(expected))
    assert sorted(p.fields["age"]) == sorted(age)
    for name in names:
        lens = f"class {name}"
        assert cv.calibration_error(p, lens) == pytest.approx(cv.calibration_error(expected, lens))
    assert f"{k} rows {'in turn' if known_by == 'position' else 'of each'}" in p.about["assumed"]


def test_two_classes_and_what_is_right_in_each_row():
    probs, labels, names = wide(2, ("no", "yes"))
    frame = long(probs, labels, names).rename(columns={"label": "correct"})
    p = cv.read_predictions(frame)
    assert p.class_names == ("no", "yes") and p.labels.tolist() == labels.tolist()
    assert p.probs[:, 1].tolist() == probs[:, 1].tolist()


def test_rows_are_samples_where_options_name_their_columns():
    frame = long(*wide())
    p = cv.read_predictions(frame, label="label", prob="probability")
    assert len(p) == 3 * N and p.class_names == ("0", "1")


def test_a_label_that_is_not_1_once_is_refused_with_its_line(tmp_path):
    frame = long(*wide())
    frame.loc[3:5, "label"] = [1, 1, 0]
    frame.to_csv(tmp_path / "long.csv", index=False)
    with pytest.raises(
        Question, match=r"line \d of column 'label' is of a sample whose 3 classes 'class' names"
    ) as caught:
        cv.read_predictions(tmp_path / "long.csv")
    [(way, _)] = caught.value.lines
    assert len(cv.read_predictions(tmp_path / "long.csv", **way)) == 3 * N


def test_what_is_missing_is_placed_in_the_file(tmp_path):
    frame = long(*wide(), "repeated").astype({"label": object})
    frame.loc[3:5, "label"] = None
    frame.to_csv(tmp_path / "long.csv", index=False)
    with pytest.raises(Question, match=r"line 5 of column 'label' is missing") as caught:
        cv.read_predictions(tmp_path / "long.csv")
    [(way, _)] = caught.value.lines
    assert len(cv.read_predictions(tmp_path / "long.csv", **way)) == N - 1


def test_several_models_are_melted_one_by_one():
    probs, labels, names = wide()
    both = pd.concat([long(probs, labels, names).assign(model=name) for name in ("a", "b")])
    both.loc[both.model == "b", "probability"] = probs[:, [1, 2, 0]].ravel()
    with pytest.raises(Question, match="'model' names 2 models, 'a', 'b', that predict the same rows"):
        cv.read_predictions(both)
    models = cv.read_models(both, model="model")
    assert models["a"].probs.tolist() == probs.tolist() and models["b"].probs.tolist() == probs[:, [1, 2, 0]].tolist()


def test_the_truth_may_stand_in_another_file(tmp_path):
    probs, labels, names = wide()
    long(probs, labels, names).drop(columns="label").to_csv(tmp_path / "long.csv", index=False)
    pd.DataFrame({"id": 7 * np.arange(N), "species": names[labels]}).to_csv(tmp_path / "truth.csv", index=False)
    with pytest.raises(ValueError, match="found no labels among the columns 'id', 'cat', 'dog', 'owl'"):
        cv.read_predictions(tmp_path / "long.csv")
    p = cv.read_predictions(tmp_path / "long.csv", truth=tmp_path / "truth.csv")
    assert p.labels.tolist() == labels.tolist()


@pytest.mark.parametrize("names", [["team"], ["team", "side"]])
def test_the_two_of_a_match_are_classes_only_where_they_have_names_of_their_own(names):
    chance = RNG.random(N).round(3)
    won = (RNG.random(N) < chance).astype(int)
    frame = pd.DataFrame({
        "game": np.repeat(np.arange(N), 2), "team": RNG.choice(list("ABCDEFGH"), 2 * N),
        "side": np.tile(["home", "away"], N), "win_prob": np.column_stack([chance, 1 - chance]).ravel().round(3),
        "won": np.column_stack([won, 1 - won]).ravel(),
    })[["game", *names, "win_prob", "won"]]  # fmt: skip  # short entries stand in rows
    p = cv.read_predictions(frame)
    if "side" in names:
        assert p.class_names == ("home", "away") and (p.labels == 0).tolist() == won.astype(bool).tolist()
    else:
        assert len(p) == 2 * N and "cluster='game' takes them together" in p.about["assumed"]


def test_labels_that_alternate_are_no_classes_of_a_melted_table():
    frame = pd.DataFrame({"prob": [0.2, 0.9, 0.4, 0.7] * N, "label": [0, 1] * (2 * N), "site": np.arange(4 * N) // 4})
    assert len(cv.read_predictions(frame, label="label", prob="prob")) == 4 * N
    with pytest.raises(ValueError, match="every label of 'label' lies on one side of a threshold"):
        cv.read_predictions(frame)


def test_the_classes_of_a_melted_table_stand_in_the_order_asked_for():
    probs, labels, names = wide()
    frame = long(probs, labels, names)
    p = cv.read_predictions(frame, classes=["owl", "cat", "dog"])
    assert p.class_names == ("owl", "cat", "dog")
    np.testing.assert_array_equal(p.probs, probs[:, [2, 0, 1]])
    assert cv.accuracy(p) == cv.accuracy(cv.read_predictions(frame))
    with pytest.raises(ValueError, match=r"classes=\['low', 'mid', 'high'\], but 'class' names 'cat', 'dog'"):
        cv.read_predictions(frame, classes=["low", "mid", "high"])


def test_what_differs_between_the_rows_of_a_sample_is_left_out_and_said():
    frame = long(*wide()).assign(weight=np.arange(3 * N) + 1.0, age=np.arange(3 * N) % 50)
    p = cv.read_predictions(frame)
    assert p.weights is None and "age" not in (p.fields or {})
    assert "'weight', 'age' left out, as the rows of a sample differ in it" in p.about["assumed"]
    for option in ({"weight": "weight"}, {"fields": ["age"]}):
        with pytest.raises(ValueError, match="differs between the rows of a sample, whose classes 'class' names"):
            cv.read_predictions(frame, **option)


def test_a_long_melted_file_is_not_opened_in_parts_as_single_rows(tmp_path):
    probs = np.tile(wide()[0], (80, 1))
    n = len(probs)
    labels = np.tile(wide()[1], 80)
    frame = pd.DataFrame({
        "id": np.repeat(np.arange(n), 3), "class": np.tile(["cat", "dog", "owl"], n), "probability": probs.ravel(),
        "label": (np.tile(np.arange(3), n) == np.repeat(labels, 3)).astype(int),
    })  # fmt: skip  # short entries stand in rows
    frame.to_parquet(tmp_path / "long.parquet")
    assert len(frame) > 12_000
    with pytest.raises(ValueError, match=r"cv\.read_predictions"):
        cv.open_predictions(tmp_path / "long.parquet")
    assert cv.read_predictions(tmp_path / "long.parquet").n_classes == 3
