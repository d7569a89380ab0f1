"""Displays draw what scikit-learn's of the same name computes, as the picture of `cv.plots.reliability`."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import calibviz as cv
from calibviz.plots import CalibrationDisplay

RNG = np.random.default_rng(3)
X = pd.DataFrame(RNG.normal(size=(600, 3)), columns=["a", "b", "c"])
Y = np.where(RNG.random(600) < 1 / (1 + np.exp(-2 * X.a - X.b)), "yes", "no")
MODEL = LogisticRegression().fit(X[:300], Y[:300])
OTHER = GaussianNB().fit(X[:300], Y[:300])
X_TEST, Y_TEST = X[300:].reset_index(drop=True), Y[300:]
PROB = MODEL.predict_proba(X_TEST)[:, 1]


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def names_in(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize(("strategy", "binning"), [("uniform", cv.Uniform(10)), ("quantile", cv.EqualMass(10))])
def test_bins_are_those_of_scikit_learn(strategy, binning):
    display = CalibrationDisplay.from_predictions(Y_TEST == "yes", PROB, binning=binning)
    true, predicted = calibration_curve(Y_TEST == "yes", PROB, n_bins=10, strategy=strategy)
    np.testing.assert_allclose(display.prob_true, true)
    np.testing.assert_allclose(display.prob_pred, predicted)


def test_an_estimator_and_its_predictions_make_one_picture():
    of_estimator = CalibrationDisplay.from_estimator(MODEL, X_TEST, Y_TEST)
    of_arrays = CalibrationDisplay.from_predictions(Y_TEST, PROB, name="LogisticRegression")
    picture = cv.plots.reliability(cv.Predictions.from_estimator(MODEL, X_TEST, Y_TEST))
    assert of_estimator.figure_._repr_png_() == of_arrays._repr_png_()
    ours, theirs = ([line.get_xydata().tolist() for line in f.axes[0].lines] for f in (picture, of_estimator.figure_))
    assert str(ours) == str(theirs)
    assert of_estimator.ax_ is of_estimator.figure_.axes[0] and of_estimator.name == "LogisticRegression"


def test_models_in_the_same_axes_stand_over_each_other(ax):
    ax.axvline(0.2, label="mine")
    first = CalibrationDisplay.from_estimator(MODEL, X_TEST, Y_TEST, ax=ax)
    alone = len(ax.get_children())
    second = CalibrationDisplay.from_estimator(OTHER, X_TEST, Y_TEST, ax=ax, name="Bayes")
    assert first.ax_ is second.ax_ is ax and second.figure_ is ax.figure
    assert {"LogisticRegression", "Bayes", "95 % interval", "mine"} <= set(names_in(ax))
    drawn = [np.column_stack(line.get_data()) for line in ax.lines if line.get_label() == "Bayes"]
    np.testing.assert_allclose(drawn[0], np.column_stack([second.prob_pred, second.prob_true]))
    ax.clear()
    first.plot(ax=ax)
    assert "Bayes" not in names_in(ax) and len(ax.get_children()) == alone - 1


def test_a_calibrator_is_drawn_over_the_model_as_it_is(ax):
    spline = cv.Spline().fit(cv.lens("class yes")(cv.Predictions.from_estimator(MODEL, X[:300], Y[:300])))
    CalibrationDisplay.from_estimator(MODEL, X_TEST, Y_TEST, calibrator=spline, ax=ax)
    assert {"LogisticRegression", "after spline"} <= set(names_in(ax))
    CalibrationDisplay.from_estimator(OTHER, X_TEST, Y_TEST, calibrator=np.sqrt, ax=ax)
    assert {"LogisticRegression after spline", "GaussianNB", "GaussianNB after recalibration"} <= set(names_in(ax))


def test_positive_says_what_the_probabilities_are_about():
    codes = np.where(Y_TEST == "yes", "b", "a")
    with pytest.raises(ValueError, match="nothing says of which class the probabilities are"):
        CalibrationDisplay.from_predictions(codes, PROB)
    display = CalibrationDisplay.from_predictions(codes, PROB, positive="b", weights=np.full(len(codes), 2.0))
    assert display.ax_.get_title().endswith("class b")
    np.testing.assert_array_equal(display.prob_true, CalibrationDisplay.from_predictions(Y_TEST, PROB).prob_true)
    of_all = CalibrationDisplay.from_predictions(RNG.integers(0, 3, 90), RNG.dirichlet([1, 1, 1], 90), lens="class 2")
    assert of_all.ax_.get_title().endswith("class 2") and "class 2" in repr(of_all)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_bins": 10}, "n_bins is scikit-learn's word: pass binning=cv.Uniform(10)"),
        ({"strategy": "quantile"}, "strategy is scikit-learn's word: pass binning=cv.EqualMass(10) for 'quantile'"),
        (
            {"pos_label": "yes"},
            "pos_label is scikit-learn's word: pass positive='yes' beside arrays, or lens='class yes'",
        ),
        ({"sample_weight": [1]}, "sample_weight is scikit-learn's word: pass weights=..."),
        ({"ref_line": False}, "ref_line is scikit-learn's word: pass nothing: the diagonal is always drawn"),
        ({"ax": 3}, "ax must be axes of Matplotlib, not 3"),
        ({"name": 3}, "name must be text, not 3"),
        ({"binning": 3}, "binning must be a binning such as cv.Uniform(15)"),
        ({"positive": "x"}, "positive='x' is none of the labels, which are "),
        ({"lens": "class z"}, "z"),
    ],
)
def test_what_is_said_otherwise_here_is_refused_by_name(given, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        CalibrationDisplay.from_predictions(Y_TEST, PROB, **given)


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(
        ValueError, match=r"y_true has shape \(299,\), but y_prob has 300 entries: pass a label for each"
    ):
        CalibrationDisplay.from_predictions(Y_TEST[1:], PROB)
    with pytest.raises(ValueError, match=r"y_true\[2\] is missing"):
        CalibrationDisplay.from_predictions(np.where(np.arange(300) == 2, np.nan, Y_TEST == "yes"), PROB)
    with pytest.raises(ValueError, match="positive='1' is for probabilities of one class, of shape"):
        CalibrationDisplay.from_predictions([0, 1], [[0.2, 0.8], [0.4, 0.6]], positive="1")


def test_what_a_display_has_drawn_in_axes_of_its_own_is_drawn_anew_with_the_next():
    rng = np.random.default_rng(0)
    score = rng.random(500)
    label = (rng.random(500) < score).astype(int)
    first = cv.plots.CalibrationDisplay.from_predictions(label, score, name="first")
    cv.plots.CalibrationDisplay.from_predictions(label, score**2, name="second", ax=first.ax_)
    texts = [text.get_text() for text in first.ax_.get_legend().get_texts()]
    assert len(texts) == len(set(texts)) and {"first", "second"} <= set(texts)
