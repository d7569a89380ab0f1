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
