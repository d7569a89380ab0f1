"""The lines of a question: each opens the source, or asks for what is left; together they hold every direction."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cases_of_people import CASES, FILES, options_of
from hypothesis import HealthCheck, example, given, settings, strategies as st
from prediction_files import read_as

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 90
RNG = np.random.default_rng(11)
SCORE = RNG.random(N).round(3)
Y = (RNG.random(N) < SCORE).astype(int)
COIN = (RNG.random(N) < 0.4).astype(int)


def asks(source, **options):
    with pytest.raises(Question) as caught:
        cv.read_predictions(source, **options)
    return caught.value


def opened(source, question, depth=0):
    """What the lines of a question open, those of the questions that they ask in turn as well."""
    given_options = [str(options) for options, _ in question.lines]
    assert 1 <= len(given_options) <= 6 and len({*given_options}) == len(given_options)
    lines = [reading.line for reading in question.readings if reading.line]
    assert len({*lines}) == len(lines) or "classes" in str(given_options)
    found = []
    for options, gives in question.lines:
        try:
            read = read_as(source, options)
        except Question as further:
            assert further.said != question.said and depth < 2
            found += opened(source, further, depth + 1)
        else:
            assert gives.rpartition(" has ")[2] in read.about["assumed"]
            found.append(read)
    return found


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["outcome"] != "opens"])
def test_each_line_of_a_case_opens_it(name):
    case = CASES[name]
    try:
        cv.read_predictions(FILES / case["file"], **options_of(case))
    except Question as question:
        opened(FILES / case["file"], question)
    except ValueError:
        return


@pytest.mark.parametrize(
    ("columns", "classes"),
    [
        ({"y": Y, "p_0": SCORE}, ["0", "1"]),
        ({"y": Y, "proba_class_0": SCORE}, ["0", "1"]),
        ({"y": Y, "P(y=0)": SCORE}, ["0", "1"]),
        ({"y": Y, "prob": 1 - SCORE}, ["0", "1"]),
        ({"diagnosis": np.where(COIN, "M", "B"), "prob": SCORE}, ["B", "M"]),
        ({"deces": COIN, "proba_survie": SCORE}, ["1", "0"]),
        ({"y": Y + 1, "prob": SCORE}, ["1", "2"]),
        ({"y": np.where(Y, "spam", "ham"), "logit": np.log(9 * SCORE + 1) - 1}, ["ham", "spam"]),
    ],
)
def test_the_lines_hold_both_directions_where_that_is_unclear(columns, classes):
    table = pd.DataFrame(columns)
    question = asks(table)
    assert [read.class_names[1] for read in opened(table, question)] in (classes, classes[::-1])
    first, second = (read.probs[:, 1].mean() for read in opened(table, question))
    assert first == pytest.approx(second)
    if "p_0" in columns or "0" in str([*columns][1]):  # its name says which one is likelier
        assert question.lines[0][0]["positive"] == "0"


@pytest.mark.parametrize("more", [{}, {"sex": COIN}, {"smoker": np.where(COIN, "yes", "no")}])
@pytest.mark.parametrize("outcome", [{"died": 0}, {"readmitted": "no"}, {"label": "no", "risk_0": 0.5}])
def test_an_outcome_that_nobody_had_is_the_truth_or_asked_about(outcome, more):
    """Other columns of two answers are not offered in its place."""
    table = pd.DataFrame({"risk": SCORE} | outcome | more)
    try:
        read = cv.read_predictions(table)
    except Question as question:
        [options] = [options for options, _ in question.lines]
        read = cv.read_predictions(table, **options)
    assert f"truth from {next(iter(outcome))!r}" in read.about["assumed"] and read.labels.sum() == 0


def test_one_label_throughout_is_asked_about():
    table = pd.DataFrame({"label": ["spam"] * N, "prob": SCORE})
    [read] = opened(table, asks(table))
    assert read.class_names == ("not spam", "spam") and read.labels.all()


def test_a_class_at_school_is_not_the_truth_of_one_probability():
    table = pd.DataFrame({"class": RNG.integers(1, 5, N), "passed": Y, "prob": SCORE})
    [read] = opened(table, asks(table))
    assert "truth from 'passed'" in read.about["assumed"]


def test_too_many_directions_are_asked_in_two_steps():
    codes = [RNG.integers(0, 2, N) for _ in range(4)]
    table = pd.DataFrame({f"rater_{k}": np.where(code, "M", "B") for k, code in enumerate(codes)} | {"prob": SCORE})
    question = asks(table)
    assert [gives for _, gives in question.lines].count("2 ways to read it, asked next") == 2
    read = opened(table, question)
    truths = [next(part for part in p.about["assumed"].split("; ") if part.startswith("truth")) for p in read]
    assert sorted(truths) == sorted(2 * [f"truth from 'rater_{k}'" for k in range(4)])
    assert [p.class_names[1] for p in read].count("M") == 4


def test_the_sigmoid_that_an_option_asks_for_is_said():
    logit = np.log(SCORE + 0.01) - np.log(1.01 - SCORE)
    read = cv.read_predictions(pd.DataFrame({"y": Y, "margin": logit}), logits="margin")
    assert "probabilities are the sigmoid of the log-odds" in read.about["assumed"]
    table = pd.DataFrame({"y": Y, "a": -logit, "b": logit})
    read = cv.read_predictions(table, logits=["a", "b"], classes=["0", "1"])
    assert "probabilities are the softmax of the logits" in read.about["assumed"]
    assert "softmax" in cv.read_predictions(table, logits=["a", "b"]).about["assumed"]


# Tables of many kinds

TRUTHS = {
    "01": Y,
    "1.0": Y.astype(float),
    "yes": np.where(Y, "yes", "no"),
    "BM": np.where(Y, "M", "B"),
    "12": Y + 1,
    "coin": COIN,
    "none": 0 * Y,
    "void": np.where(np.arange(N) % 9 == 0, "void", np.where(Y, "yes", "no")),
    "mark": np.where(np.arange(N) % 9 == 0, -1, Y),
    "holes": np.where(np.arange(N) % 9 == 0, np.nan, Y),
    "said": (SCORE > 0.5).astype(int),
    "three": np.array(["cat", "dog", "owl"])[(Y + COIN) % 3],
}
SCORES = {
    "score": SCORE,
    "of no": 1 - SCORE,
    "per cent": np.round(100 * SCORE, 1),
    "logit": np.round(np.log(SCORE + 0.01) - np.log(1.01 - SCORE), 3),
    "sure": np.maximum(SCORE, 1 - SCORE),
    "holes": np.where(np.arange(N) % 7 == 0, np.nan, SCORE),
    "noise": RNG.random(N).round(3),
}
TRUTH_NAMES = ("y", "label", "outcome", "diagnosis", "died", "result", "v1", "group, final")
SCORE_NAMES = (
    "prob", "p_0", "p_1", "score", "risk", "margin", "logit", "prob_yes", "P(no)", "confidence", "x",
    "p, new",
)  # fmt: skip  # short entries stand in rows


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    truths=st.dictionaries(st.sampled_from(TRUTH_NAMES), st.sampled_from(sorted(TRUTHS)), min_size=1, max_size=3),
    scores=st.dictionaries(st.sampled_from(SCORE_NAMES), st.sampled_from(sorted(SCORES)), min_size=1, max_size=3),
)
@example(truths=dict.fromkeys(("y", "died", "outcome"), "mark"), scores=dict.fromkeys(("p_1", "prob"), "sure"))
def test_each_line_of_any_table_opens_it(truths, scores):
    columns = {name: TRUTHS[kind] for name, kind in truths.items()} | {n: SCORES[kind] for n, kind in scores.items()}
    table = pd.DataFrame(columns)
    try:
        cv.read_predictions(table)
    except Question as question:
        read = opened(table, question)
        known = [p for p in read if p is not None and not p.of_confidence and p.n_classes == 2]
        if len(truths) == len(scores) == 1 and [*truths.values()] in (["BM"], ["12"]):
            of_both = {p.class_names[1] for p in known}
            assert of_both == {*map(str, {*columns[next(iter(truths))].tolist()})} or len(known) == 0
    except ValueError:
        return
