"""The drawn band of the smooth curve at ends where all samples are right, or all wrong."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv
from calibviz.metrics.clinical.penalised_curve import held_at_ends, penalised_curve
from calibviz.metrics.masses import clopper_pearson


def drawn_band(problem, at, level=0.95):
    """The band as pictures have it."""
    return held_at_ends(problem, at, penalised_curve(problem).band(at, level), level)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_score_is_held_by_the_samples_between_it_and_the_others(is_weighted):
    score = np.array([0.0, 0.1, 0.2, 0.2, 0.5, 0.8, 1.0, 1.0])
    target = np.array([0, 0, 0, 0, 1, 0, 1, 1])
    weight = np.array([2, 1, 1, 1, 1, 3, 1, 4]) if is_weighted else None
    at = np.array([0.0, 0.05, 0.15, 0.2, 0.3, 0.9, 1.0])
    nothing = np.zeros(len(at)), np.ones(len(at))
    lower, upper = held_at_ends(cv.ScalarProblem(score, target, weight), at, nothing, 0.9)
    zeros = [5, 3, 2, 2] if is_weighted else [4, 3, 2, 2]
    np.testing.assert_allclose(upper, [*clopper_pearson(np.zeros(4), zeros, 0.9)[1], 1, 1, 1])
    ones = 5 if is_weighted else 2
    np.testing.assert_allclose(lower, [0, 0, 0, 0, 0, 0, clopper_pearson(1, ones, 0.9)[0]])


def test_scores_that_run_backwards_are_held_from_the_other_side():
    score = np.linspace(0, 1, 20)
    problem = cv.ScalarProblem(score, score < 0.5)
    lower, upper = held_at_ends(problem, np.array([0.0, 1.0]), (np.zeros(2), np.ones(2)), 0.95)
    assert lower[0] == pytest.approx(1 - upper[1])
    assert lower[0] > 0.6
    assert upper[0] == 1
    assert lower[1] == 0


def test_the_first_picture_of_the_tumours_is_no_wider_at_its_ends_than_beside_them():
    tumours = cv.load_dataset("tumours")
    for model in ("logistic regression", "random forest"):
        problem = cv.lens("class malignant")(tumours[model])
        at = np.linspace(problem.score[0], problem.score[-1], 101)
        width = np.subtract(*drawn_band(problem, at)[::-1])
        assert width[[0, -1]].max() < 0.15
        inner = np.subtract(*penalised_curve(problem).band(at, 0.95)[::-1])[15:-15]
        np.testing.assert_array_equal(width[15:-15], inner)


def test_it_holds_the_truth_of_rising_curves_at_their_ends():
    at, held = np.array([0.01, 0.03, 0.97, 0.99]), []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        score = rng.beta(0.3, 0.3, 200)
        truth = score**1.5
        lower, upper = drawn_band(cv.ScalarProblem(score, rng.random(200) < truth), at)
        held.append((lower <= at**1.5) & (at**1.5 <= upper))
    assert np.mean(held, axis=0).min() > 0.93
