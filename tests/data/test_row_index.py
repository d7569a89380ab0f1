"""Objects of pandas that name their rows: those of one call have to mean the same ones."""

import re

import numpy as np
import pandas as pd
import pytest

import calibviz as cv

PROBS = np.array([0.9, 0.2, 0.6, 0.1])
LABELS = np.array([1, 0, 1, 0])
NAMES = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("of_probs", "of_labels", "message"),
    [
        (NAMES[::-1], NAMES, "labels has other rows than probs: row 0 is 'a', but 'd' in probs; pass labels.loc["),
        ([0, 1, 2, 3], [3, 2, 1, 0], "labels has other rows than probs: row 0 is 3, but 0 in probs"),
        ([4, 5, 6, 7], [4, 5, 6, 8], "labels has other rows than probs: row 3 is 8, but 7 in probs"),
    ],
)
def test_other_rows_are_refused(of_probs, of_labels, message):
    probs, labels = pd.Series(PROBS, of_probs), pd.Series(LABELS, of_labels)
    with pytest.raises(ValueError, match=re.escape(message)):
        cv.brier_score(probs, labels)
    assert cv.brier_score(probs, labels.to_numpy()) == cv.brier_score(PROBS, LABELS)


def test_the_way_out_brings_the_rows_into_order():
    probs, labels = pd.Series(PROBS, NAMES).iloc[::-1], pd.Series(LABELS, NAMES)
    assert cv.brier_score(probs, labels.loc[probs.index]) == pytest.approx(cv.brier_score(PROBS, LABELS))


@pytest.mark.parametrize("index", [[17, 3, 99, 4], NAMES, pd.MultiIndex.from_product([["x", "y"], [0, 1]])])
def test_rows_that_are_only_numbered_are_taken_in_order(index):
    probs, labels = pd.Series(PROBS), pd.Series(LABELS, index)
    assert cv.ks_error(probs, labels, "class 1") == cv.ks_error(PROBS, LABELS, "class 1")


@pytest.mark.parametrize("name", ["weights", "fields"])
def test_weights_and_fields_are_of_the_same_rows(name):
    given = {
        "weights": pd.Series([1.0, 2.0, 1.0, 2.0], NAMES[::-1]),
        "fields": pd.DataFrame({"age": LABELS}, NAMES[::-1]),
    }
    with pytest.raises(ValueError, match=f"{name} has other rows than labels"):
        cv.Predictions(PROBS, pd.Series(LABELS, NAMES), **{name: given[name]})


def test_an_estimator_predicts_the_rows_that_have_the_labels():
    linear_model = pytest.importorskip("sklearn.linear_model")
    samples, labels = pd.DataFrame({"x": PROBS}, NAMES), pd.Series(LABELS, NAMES)
    fitted = linear_model.LogisticRegression().fit(samples, labels)
    assert len(cv.Predictions.from_estimator(fitted, samples, labels)) == 4
    with pytest.raises(ValueError, match="y has other rows than X"):
        cv.Predictions.from_estimator(fitted, samples, labels.iloc[::-1])
