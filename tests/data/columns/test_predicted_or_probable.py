"""A predicted class beside one score: a threshold tells the confidence in it from the probability of one class."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 300


def table(threshold, classes=(0, 1), seed=0, name="score", of="confidence", decimals=4):
    """Predictions at a threshold, which two classes have in their order, and one of the two scores that tell them."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1.2, 1.8, N).round(decimals)
    said = (p > threshold).astype(int)
    names = np.array(classes)
    score = p if of == "probability" else np.where(said == 1, p, 1 - p).round(decimals)
    return pd.DataFrame({"y_true": names[(rng.random(N) < p).astype(int)], "y_pred": names[said], name: score})


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0.1, 0.9), st.sampled_from([(0, 1), ("no", "yes"), ("cat", "dog")]), st.integers(2, 5), st.integers(0, 9)
)
def test_a_prediction_at_any_threshold_tells_the_confidence_in_it(threshold, classes, decimals, seed):
    frame = table(threshold, classes, seed, decimals=decimals)
    p = cv.read_predictions(frame)
    assert p.of_confidence and "in the class of 'y_pred'" in p.about["assumed"]
    assert p.labels.tolist() == (frame.y_true == frame.y_pred).astype(int).tolist()
    named = cv.read_predictions(frame, positive="y_pred")
    assert named.of_confidence and named.probs.tolist() == p.probs.tolist() and list(named.fields) == ["y_pred"]


@settings(max_examples=40, deadline=None)
@given(st.floats(0.15, 0.85), st.sampled_from([(0, 1), ("no", "yes")]), st.integers(2, 5), st.integers(0, 9))
def test_the_probability_of_a_class_is_read_at_any_threshold(threshold, classes, decimals, seed):
    frame = table(threshold, classes, seed, of="probability", decimals=decimals)
    p = cv.read_predictions(frame)
    assert not p.of_confidence and p.probs[:, 1].tolist() == frame.score.tolist()


@pytest.mark.parametrize("explained", ["both", "neither"])
def test_a_score_that_both_or_neither_explains_is_asked(explained):
    rng = np.random.default_rng(1)
    frame = table(0.5, of="probability", name="prob")
    if explained == "both":  # from 0.4 to 0.95, and predicted above 0.6
        frame["prob"] = rng.uniform(0.4, 0.95, N).round(3)
        frame["y_true"], frame["y_pred"] = (rng.random(N) < frame.prob).astype(int), (frame.prob > 0.6).astype(int)
    else:
        frame["y_pred"] = np.where(rng.random(N) < 0.1, 1 - frame.y_pred, frame.y_pred)
    with pytest.raises(
        Question, match=f"or the confidence in 'y_pred': a threshold explains 'y_pred' in {explained}"
    ) as e:
        cv.read_predictions(frame)
    assert [way["positive"] for way, _ in e.value.lines] == ["1", "y_pred"]
    one, confidence = (cv.read_predictions(frame, **way) for way, _ in e.value.lines)
    assert one.class_names == ("0", "1") and confidence.of_confidence
    assert one.probs[:, 1].tolist() == confidence.probs[:, 1].tolist()
    assert cv.read_predictions(frame.rename(columns={"prob": "stated_confidence"})).of_confidence


def test_scores_of_the_other_class_are_asked_with_each_reading():
    frame = table(0.3, of="probability", name="prob")
    frame["prob"] = 1 - frame.prob
    with pytest.raises(Question, match="'prob' may be the probability of 0 or 1, or the confidence in 'y_pred'") as e:
        cv.read_predictions(frame)
    assert "0" in [way["positive"] for way, _ in e.value.lines]


def test_positive_names_the_class_before_the_column():
    frame = table(0.3, ("no", "yes")).rename(columns={"y_pred": "yes"})
    assert cv.read_predictions(frame, label="y_true", prob="score", positive="yes").class_names == ("no", "yes")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"positive": "age"},
            "positive='age' names a column, but what it holds is none of the labels, which are '1', '0'",
        ),
        ({"positive": "y_pred", "logits": "score"}, "beside one of confidences in these"),
    ],
)
def test_a_column_that_holds_no_predictions_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        cv.read_predictions(table(0.3).assign(age=np.arange(N) + 20), **options)
