"""What the higher numbers of a file go with, in a sentence that the form of the page shows."""

from __future__ import annotations

import re

import numpy as np
import pytest

import calibviz as cv
from calibviz.data.columns.choices import Question
from calibviz.data.columns.line import order_in_words


@pytest.mark.parametrize("is_weighted", [False, True])
def test_it_is_the_area_under_the_roc_curve(is_weighted):
    p = cv.load_dataset("heart")["logistic regression"]
    if is_weighted:
        p = p.reweighted(np.random.default_rng(0).integers(0, 4, len(p)).astype(float))
    (said,) = re.findall(r"^higher numbers go with disease in (\d+) of 100 pairs$", order_in_words(p))
    assert int(said) == int(np.floor(100 * cv.auc(p).estimate + 0.5))


def test_of_more_classes_it_is_about_right_ones_and_of_one_outcome_nothing_is_said():
    p = cv.load_dataset("digits")["naive Bayes"]
    share = 100 * cv.auc(p, "top-1").estimate
    assert order_in_words(p) == f"higher numbers go with right in {np.floor(share + 0.5):.0f} of 100 pairs"
    assert order_in_words(cv.Predictions(np.array([0.2, 0.6]), np.array([1, 1]))) == ""


def test_each_reading_says_it(tmp_path):
    score = np.linspace(0.02, 0.98, 60)
    labels = np.where(np.random.default_rng(1).random(60) < score, "wolf", "dog")
    rows = [f"{label},{s:.4f}" for label, s in zip(labels, score, strict=True)]
    (tmp_path / "mine.csv").write_text("\n".join(["truth,score", *rows]), encoding="utf-8")
    with pytest.raises(Question) as asked:
        cv.read_predictions(tmp_path / "mine.csv")
    said = {reading.class_names[1]: reading.order for reading in asked.value.readings}
    shares = {event: int(re.search(rf"with {event} in (\d+) of", text)[1]) for event, text in said.items()}
    assert shares.keys() == {"wolf", "dog"} and sum(shares.values()) == 100 and shares["wolf"] > 70
