"""The interval of the change of the Brier score: what it is, and how seldom it leaves out 0 without a reason."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import calibviz as cv
from calibviz.uncertainty.intervals.brier_change import brier_change


def test_the_change_of_the_brier_score_is_that_of_the_scores():
    rng = np.random.default_rng(0)
    score, weight = rng.random(500), rng.integers(1, 4, 500).astype(float)
    target = (rng.random(500) < score).astype(float)
    for weights in (None, weight):
        before, after = (
            cv.ScalarProblem(score, target, weights),
            cv.ScalarProblem(score[::-1] ** 2, target[::-1], weights),
        )
        assert brier_change(before, cv.ScalarProblem(score[:400], target[:400])) is None
        after = cv.ScalarProblem(score**2, target, weights)
        repeated = np.repeat(np.arange(500), 1 if weights is None else weight.astype(int))
        each = (score**2 - target) ** 2 - (score - target) ** 2
        low, high = brier_change(before, after)
        assert (low + high) / 2 == pytest.approx(each[repeated].mean(), abs=1e-12)
        assert (high - low) / 2 == pytest.approx(1.6449 * each[repeated].std() / np.sqrt(len(repeated)), rel=1e-9)


def test_a_map_of_rare_events_is_seldom_said_to_help_by_the_luck_of_a_sample_without_any():
    """By the noise of so few targets alone, one of four calibrated sets would say that this map helps."""
    sets, helps = 300, 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        score = rng.beta(0.5, 20, 50)
        before = cv.ScalarProblem(score, rng.random(50) < score)
        _, high = brier_change(before, before.mapped(lambda s: s**1.5))
        helps += high < 0
    assert helps <= binom.ppf(0.999, sets, 0.05)


def test_few_calibrators_of_no_use_are_said_to_help_or_to_harm():
    """A calibration error that a map turns round, from too high to just as much too low."""
    rng, said = np.random.default_rng(1), 0
    for _ in range(300):
        chance = 0.2 + 0.6 * rng.random(1000)
        target = rng.random(1000) < chance
        low, high = brier_change(cv.ScalarProblem(chance + 0.05, target), cv.ScalarProblem(chance - 0.05, target))
        said += low > 0 or high < 0
    assert said <= binom.ppf(0.999, 300, 0.1)  # each side at 5 %
