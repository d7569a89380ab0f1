"""Tables that two readings fit, which are asked with a line of options for each; each of these opens the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import calibviz as cv
from calibviz.data.columns.choices import Question

N = 200
RNG = np.random.default_rng(0)
SCORE = RNG.beta(1, 2, N).round(4)
Y = (RNG.random(N) < SCORE).astype(int)
LIKE_Y = np.where(RNG.random(N) < 0.9, Y, 1 - Y)
SURE = RNG.uniform(0.4, 0.99, N).round(3)
RIGHT = (RNG.random(N) < SURE).astype(int)
PROBS = RNG.dirichlet([0.6] * 3, N)
CODES = np.array([RNG.choice(3, p=row) for row in PROBS])
SHARE = RNG.beta(4, 6, N).round(4)
WINNER = np.where(RNG.random(N) < SHARE, "dem", "rep")


def asked(columns, said):
    table = pd.DataFrame(columns)
    with pytest.raises(Question, match=said) as refused:
        cv.read_predictions(table)
    for options, _ in refused.value.lines:
        assert len(cv.read_predictions(table, **options)) == N
    return [options for options, _ in refused.value.lines]


def said_of(columns, **options):
    return cv.read_predictions(pd.DataFrame(columns), **options).about["assumed"]


def test_two_outcomes_that_go_with_the_score_are_asked_whatever_their_names():
    ways = asked({"target": LIKE_Y, "died": Y, "risk": SCORE}, "two columns may hold the truth")
    assert [way["label"] for way in ways] == ["target", "died"]
    coin = RNG.integers(0, 2, N)
    assert "truth from 'target'" in said_of({"target": Y, "died": coin, "risk": SCORE})


def test_per_cents_among_which_probabilities_stand_are_asked():
    mixed = [f"{100 * v:.1f}" if i % 4 else f"{v:.3f}" for i, v in enumerate(SCORE)]
    [way] = asked(
        {"died": Y, "risk": mixed}, r"row \d+ of column 'risk' is 0\.\d+, but most rows are above 10: \d+ rows"
    )
    assert way["normalize"]
    answers = np.where(np.arange(N) % 10 == 0, 0.85, 85 + np.arange(N) % 9)
    asked(
        {"correct": RIGHT, "confidence": answers}, r"row 0 of column 'confidence' is 0\.85, .*: 20 rows from 0\.1 to 1"
    )


@pytest.mark.parametrize("decimals", [1, 2])
def test_small_per_cents_are_read(decimals):
    small = (100 * SCORE**3).round(decimals)
    assert ((small > 0) & (small < 1)).sum() > 20
    assert "probabilities in per cent" in said_of({"died": Y, "risk_pct": small})
    few = np.where(np.arange(N) == 7, 0.4, (100 * SCORE).round().clip(2))
    assert "probabilities in per cent" in said_of({"died": Y, "risk": few})


def test_a_confidence_that_runs_backwards_is_asked_as_a_probability_is():
    unsure = (1 - SURE).round(3)
    columns = {"uncertainty": unsure, "correct": RIGHT}
    ways = asked(columns, "higher 'uncertainty' goes with fewer right answers: it may say how unsure they are")
    assert ways == [
        {"label": "correct", "prob": "uncertainty", "positive": "0"},
        {"label": "correct", "prob": "uncertainty"},
    ]
    assert said_of(columns, **ways[1]).startswith("higher 'uncertainty' goes with fewer right answers")
    assert cv.read_predictions(pd.DataFrame(columns), **ways[0]).probs[:, 1] == pytest.approx(unsure)
    asked({"prob": unsure, "label": RIGHT}, "higher 'prob' goes with fewer 1")
    assert said_of({"confidence": SURE, "correct": RIGHT}).startswith("confidence from 'confidence'")


def test_shares_beside_a_named_probability_are_asked():
    shares = {"dem": SHARE, "rep": (1 - SHARE).round(4), "winner": WINNER}
    ways = asked(shares | {"win_prob_dem": (SHARE**2).round(4)}, "two sets of columns may hold the probabilities")
    assert [way["prob"] for way in ways] == [["dem", "rep"], "win_prob_dem"]
    assert "not fields: prob_dem" in said_of(shares | {"prob_dem": SHARE})
    three = {f"p_{k}": PROBS[:, k] for k in range(3)}
    assert said_of(three | {"frailty_risk": SCORE, "label": CODES}).startswith(
        "P(0), P(1), P(2) from 'p_0', 'p_1', 'p_2'"
    )


def test_numbers_in_names_beside_words_are_not_matched_by_place():
    columns = {"prob1": PROBS[:, 0], "prob2": PROBS[:, 2], "probtie": PROBS[:, 1], "result": CODES}
    ways = asked(columns, "nothing says which of 'prob1', 'prob2', 'probtie' is of which class")
    assert {"label": "result", "prob": ["prob1", "prob2", "probtie"], "classes": ["0", "2", "1"]} in ways


@pytest.mark.parametrize("order", [[1, 2, 0], [1, 0, 2]])
def test_classes_in_another_order_than_their_numbers_are_asked_about(tmp_path, order):
    np.savez(tmp_path / "mixed.npz", probs=PROBS[:, order], labels=CODES)
    with pytest.raises(
        Question, match=r"higher P\(\d\) goes with fewer \d: the classes may stand in another"
    ) as refused:
        cv.read_predictions(tmp_path / "mixed.npz")
    [(likely, _), (as_it_stands, _)] = refused.value.lines
    assert likely["classes"] == [str(k) for k in order]
    read = cv.read_predictions(tmp_path / "mixed.npz", **likely)
    np.testing.assert_array_equal(read.probs, PROBS[:, order])
    np.testing.assert_array_equal(np.array(order)[read.labels], CODES)
    assert cv.read_predictions(tmp_path / "mixed.npz", **as_it_stands).about["assumed"].startswith("higher P(")


def test_an_array_of_labels_that_count_from_1_is_asked_about(tmp_path):
    np.savez(tmp_path / "from 1.npz", probs=PROBS, labels=CODES + 1)
    with pytest.raises(Question, match=r"^.*labels\[\d+\] is 3, but the 3 classes are 0\.\.2; classes=") as refused:
        cv.read_predictions(tmp_path / "from 1.npz")
    [(way, _)] = refused.value.lines
    read = cv.read_predictions(tmp_path / "from 1.npz", **way)
    assert read.class_names == ("1", "2", "3")
    np.testing.assert_array_equal(read.labels, CODES)
    np.savez(tmp_path / "beyond.npz", probs=PROBS, labels=np.append(CODES[1:], 3))
    with pytest.raises(ValueError, match=r"is 3, but the 3 classes are 0\.\.2") as refused:
        cv.read_predictions(tmp_path / "beyond.npz")
    assert not isinstance(refused.value, Question)


def test_the_last_of_nine_classes_is_no_mark_of_a_missing_label(tmp_path):
    draws = np.random.default_rng(1)
    probs = draws.dirichlet([0.6] * 9, N)
    codes = np.array([draws.choice(9, p=row) for row in probs])
    np.savez(tmp_path / "from 1.npz", probs=probs, labels=codes + 1)
    with pytest.raises(Question, match=r"is 9, but the 9 classes are 0\.\.8; classes=") as refused:
        cv.read_predictions(tmp_path / "from 1.npz")
    [(way, _)] = refused.value.lines
    np.testing.assert_array_equal(cv.read_predictions(tmp_path / "from 1.npz", **way).labels, codes)
    np.savez(tmp_path / "named.npz", probs=probs, labels=codes + 1, class_names=list("abcdefghi"))
    with pytest.raises(ValueError, match=r"is '9', but the classes are 'a', 'b'") as refused:
        cv.read_predictions(tmp_path / "named.npz")
    assert not isinstance(refused.value, Question)


def test_marks_among_numbers_of_named_classes_are_left_out_where_that_is_asked_for(tmp_path):
    marked = np.where(np.arange(N) < 3, -1, CODES)
    np.savez(tmp_path / "marked.npz", probs=PROBS, labels=marked, class_names=["cat", "dog", "owl"])
    with pytest.raises(Question, match=r"labels\[0\] is '-1', but the classes are 'cat', 'dog', 'owl': ") as refused:
        cv.read_predictions(tmp_path / "marked.npz")
    [(way, _)] = refused.value.lines
    read = cv.read_predictions(tmp_path / "marked.npz", **way)
    assert read.class_names == ("cat", "dog", "owl")
    np.testing.assert_array_equal(read.labels, CODES[3:])


def test_labels_of_minus_1_and_1_are_two_answers_beside_the_probabilities_of_both(tmp_path):
    labels = np.where(Y, 1, -1)
    np.savez(tmp_path / "both.npz", probs=np.column_stack([1 - SCORE, SCORE]), labels=labels)
    for source in (tmp_path / "both.npz", pd.DataFrame({"p_0": 1 - SCORE, "p_1": SCORE, "label": labels})):
        read = cv.read_predictions(source)
        np.testing.assert_array_equal(read.labels, Y)
        assert "class 1 is '1'" in read.about["assumed"]


def test_named_columns_in_another_order_are_only_asked_about():
    columns = {f"class_{k}": PROBS[:, (k + 1) % 3] for k in range(3)}
    [way] = asked(columns | {"target": CODES}, "goes with fewer")
    assert "classes" not in way


def test_an_array_of_two_classes_in_another_order_is_asked_with_both_orders(tmp_path):
    np.savez(tmp_path / "turned.npz", probs=np.column_stack([SCORE, 1 - SCORE]), labels=Y)
    with pytest.raises(Question, match="it may be the probability of the other class") as refused:
        cv.read_predictions(tmp_path / "turned.npz")
    (way, _), _ = refused.value.lines
    read = cv.read_predictions(tmp_path / "turned.npz", **way)
    assert read.class_names == ("1", "0")
    np.testing.assert_array_equal(read.probs[:, 0], SCORE)
    np.testing.assert_array_equal(read.labels, 1 - Y)


def test_rows_that_are_sorted_by_their_numbers_are_asked_about():
    largest = -np.sort(-PROBS, axis=1)
    [way] = asked({"label": CODES, "probs": list(largest)}, "the largest number comes first in each row")
    assert way == {"label": "label", "prob": "probs"}
    rank = np.array([RNG.choice(3, p=row) for row in largest])  # of classes that are the rarer the later they come
    assert said_of({"label": rank, "probs": list(largest)}).startswith("P(0), P(1), P(2) from 'probs'")


@pytest.mark.parametrize(
    ("size", "events", "mean"), [("n", "events", "pd"), ("count", "deaths", "risk"), ("n", "observed", "forecast")]
)
def test_a_number_beside_an_outcome_may_be_no_size(size, events, mean):
    columns = {size: RNG.integers(1, 200, N), events: Y, mean: SCORE}
    with pytest.raises(Question, match="each row may be a sample, or") as refused:
        cv.read_predictions(pd.DataFrame(columns))
    ways = [options for options, _ in refused.value.lines]
    assert [way.get("weight") for way in ways][:2] == ["", size]
    samples = cv.read_predictions(pd.DataFrame(columns), **ways[0])
    np.testing.assert_array_equal(samples.probs[:, 1], SCORE)
    np.testing.assert_array_equal(samples.labels, Y)
    assert samples.weights is None
    assert "samples a row" in said_of(columns, label=events, prob=mean)


def test_a_column_of_weights_is_no_size_of_samples_with_one_event_at_most():
    weights = RNG.integers(1, 5, N)
    read = cv.read_predictions(pd.DataFrame({"weight": weights, "event": Y, "risk": SCORE}))
    np.testing.assert_array_equal(read.weights, weights)
    np.testing.assert_array_equal(read.labels, Y)


@pytest.mark.parametrize(
    ("truth", "score"),
    [
        ("home_win", "away_win_prob"), ("team1_won", "team2_prob"), ("y", "class0_prob"), ("y_true", "1 - prob"),
        ("y_true", "prob_complement"), ("active", "prob_inactive"), ("event", "one_minus_p"),
    ],
)  # fmt: skip  # short entries stand in rows
def test_a_name_of_the_other_side_is_asked_about(truth, score):
    weak = RNG.random(N).round(3)
    ways = asked({truth: Y, score: weak}, "may say that it is of the class '0'|only its numbers say")
    assert [way["positive"] for way in ways] == ["0", "1"]


@pytest.mark.parametrize("name", ["1-year risk", "1-yr_prob", "1 \u2013 month mortality risk"])
def test_the_risk_of_one_year_is_no_complement(name):
    assert said_of({"died": Y, name: SCORE}).startswith(f"P(1) from {name!r}")


def test_the_risk_of_an_inpatient_is_no_complement():
    assert said_of({"patient_died": Y, "inpatient_risk": SCORE}).startswith("P(1) from 'inpatient_risk'")


def test_logits_of_other_probabilities_than_those_beside_them_are_asked_about():
    logits = np.log(SCORE / (1 - SCORE))
    assert said_of({"y": Y, "prob": SCORE.round(1), "logit": logits}).startswith("P(1) from 'prob'")
    confidence = {"confidence": np.maximum(SCORE, 1 - SCORE), "logit": logits}
    predicted = (SCORE > 0.5).astype(int)
    assert said_of({"y": Y, "pred": predicted} | confidence).startswith("confidence from 'confidence' in the class of")
    assert said_of({"correct": predicted == Y} | confidence).startswith("confidence from 'confidence'")
    ways = asked({"y": Y, "prob": SCORE**2, "logit": logits}, "of 'logit' gives other probabilities than 'prob' holds")
    assert ways == [{"label": "y", "prob": "prob"}, {"label": "y", "logits": "logit"}]


@pytest.mark.parametrize("other", ["INCORRECT", "NOT_ATTEMPTED"])
def test_the_grade_of_a_judge_is_asked_about_beside_answers_in_free_text(other):
    grade = np.where(RIGHT == 1, "CORRECT", "INCORRECT").astype(object)
    grade[RIGHT == 0] = RNG.choice(["INCORRECT", other], (RIGHT == 0).sum())
    answers = np.array([f"answer {i}" for i in range(N)])
    same = (RIGHT == 1) & (RNG.random(N) < 0.8)  # the others are right in other words
    said = np.where(same, answers, "another")
    columns = {"answer": answers, "predicted_answer": said, "grade": grade, "confidence": SURE}
    with pytest.raises(Question, match="two columns may hold the truth") as caught:
        cv.read_predictions(pd.DataFrame(columns))
    ways = [options for options, _ in caught.value.lines]
    assert [way["label"] for way in ways] == ["grade", "answer"]
    p = cv.read_predictions(pd.DataFrame(columns), **ways[0])
    kept = grade != "NOT_ATTEMPTED"
    np.testing.assert_array_equal(p.labels, RIGHT[kept])
    np.testing.assert_array_equal(p.probs[:, 1], SURE[kept])
