"""Three questions: each opens the panel that answers it, before all others, and the answer keeps its level."""

from __future__ import annotations

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz.explorer import Explorer
from calibviz.explorer.model.contents.recalibration import answer
from calibviz.explorer.view.panels import KINDS, QUESTIONS


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_opens_its_panel_first(name):
    explorer = Explorer(cv.load_dataset("heart"), panels=("reliability",))
    drawn = screen(explorer)
    drawn.open(name)
    assert explorer.state.panels == (name, "reliability")
    explorer.finish()
    assert explorer._panels[name]._content.answer
    drawn.close(name)
    assert explorer.state.panels == ("reliability",)
    explorer.close()


def test_questions_are_questions():
    assert all(KINDS[name].question.endswith("?") for name in QUESTIONS)
    assert {name for name, kind in KINDS.items() if kind.question} == set(QUESTIONS)


def said(score, truth, seed, calibrator="platt"):
    rng = np.random.default_rng(seed)
    p = cv.Predictions(score, (rng.random(len(score)) < truth).astype(int))
    explorer = Explorer(p, panels=(), calibrator=calibrator)
    words = answer(explorer.look)
    explorer.close()
    return words


def test_a_repair_helps_where_there_is_something_to_repair():
    score = np.random.default_rng(0).random(4000)
    assert said(score, np.clip(score - 0.2, 0, 1), 0).startswith("Yes, the Platt")


def test_a_repair_of_calibrated_scores_is_said_to_help_in_one_case_of_twenty():
    """A level of 5 %: so often in 100 repairs, 12 at the most (0.1 % of binomial(5 %))."""
    score = np.random.default_rng(1).beta(2, 3, 600)
    assert sum(said(score, score, seed).startswith("Yes") for seed in range(100)) <= 12
