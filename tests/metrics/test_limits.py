"""The limit of the KS error, the interval of the mean target, and the test of the tilt: formulas and levels."""

from __future__ import annotations

import math

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
from hypothesis import given
from samples import others, samples
from scipy.special import betaincinv
from scipy.stats import binom, norm

import calibviz as cv
from calibviz.metrics.calibration_tests import ks_limit
from calibviz.uncertainty.intervals.bin_intervals import mean_interval
from calibviz.uncertainty.joint_test import TILTED, tilt_z

LARGEST_OF_BROWNIAN_MOTION = norm.ppf(1 - 0.05 / 4)  # the reflection principle


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", [cv.ks_test, cv.kuiper_test])
def test_scores_so_small_that_their_squares_are_0_have_a_p_value(test):
    found = test(cv.ScalarProblem([5e-324] * 20, [0.0] * 20))
    assert 0 < found.ratio < 1e-150 and found.p_value == 1


def test_the_limit_is_the_quantile_of_the_largest_of_a_brownian_motion():
    x = 2 * ks_limit(cv.ScalarProblem([0.5], [1.0]))
    within = sum(
        4 / math.pi * (-1) ** k / (2 * k + 1) * math.exp(-((2 * k + 1) ** 2) * math.pi**2 / (8 * x**2))
        for k in range(20)
    )
    assert within == pytest.approx(0.95, abs=2e-5)
    assert x == pytest.approx(2.2414, abs=5e-5)


@given(samples(levels=(8, 64)))
def test_the_limit_is_its_formula(sample):
    score, target, weight = sample
    w = np.ones(len(score)) if weight is None else weight
    each = w if (w == np.floor(w)).all() else w**2
    expected = LARGEST_OF_BROWNIAN_MOTION * math.sqrt(sum(each * score * (1 - score))) / sum(w)
    problem = cv.ScalarProblem(score, target, weight)
    assert ks_limit(problem) == pytest.approx(expected, rel=1e-12)
    for other in others(score, target, weight):
        assert ks_limit(other) == pytest.approx(expected, rel=1e-12)
    if weight is not None and not problem.whole_weights:
        for unit in (1e-200, 0.3):
            assert ks_limit(cv.ScalarProblem(score, target, weight * unit)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("weights", ["none", "counts", "shares"])
def test_a_calibrated_model_exceeds_the_limit_in_5_percent_of_cases(weights):
    rng = np.random.default_rng(1)
    n, times = 2000, 2000
    score = np.sort(rng.beta(4, 1, n))
    weight = {"none": None, "counts": rng.integers(1, 4, n).astype(float), "shares": rng.random(n)}[weights]
    problem = cv.ScalarProblem(score, rng.random(n) < score, weight)
    limit = ks_limit(problem)
    if weights == "counts":
        score, weight = np.repeat(score, weight.astype(int)), None
    w = np.ones(len(score)) if weight is None else weight
    drawn = rng.random((times, len(score))) < score
    ks = np.abs(np.cumsum(w * (drawn - score), axis=1)).max(axis=1) / w.sum()
    assert 0.03 < (ks > limit).mean() < 0.06


@given(samples(max_size=30))
def test_the_interval_is_clopper_pearson(sample):
    score, target, weight = sample
    problem = cv.ScalarProblem(score, target, weight)
    low, high = mean_interval(problem)
    trials = problem.effective_size
    hits = problem.mean_target * trials
    assert low <= problem.mean_target + 1e-12 and problem.mean_target - 1e-12 <= high
    if 1e-9 < hits < trials - 1e-9:
        assert low == pytest.approx(betaincinv(hits, trials - hits + 1, 0.025), abs=1e-9)
        assert high == pytest.approx(betaincinv(hits + 1, trials - hits, 0.975), abs=1e-9)
    for other in others(score, target, weight):
        assert mean_interval(other) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_the_right_spread_are_hardly_ever_called_extreme_or_cautious(weighted):
    rng = np.random.default_rng(5)
    trials, found = 600, 0
    for _ in range(trials):
        truth = rng.beta(0.6, 2.0, 80)
        odds = truth / (1 - truth) * rng.choice([0.5, 1.0])  # what is too low on the whole is neither
        weight = rng.gamma(2.0, 1.0, 80) if weighted else None
        found += abs(tilt_z(cv.ScalarProblem(odds / (1 + odds), rng.random(80) < truth, weight))) > TILTED
    assert found <= binom.ppf(0.999, trials, 0.05)


@pytest.mark.parametrize(("slope", "said"), [(0.5, 1), (2.0, -1)])
def test_scores_that_are_pulled_apart_are_extreme(slope, said):
    rng = np.random.default_rng(6)
    score = rng.beta(0.6, 0.6, 4000)
    truth = 1 / (1 + (1 / score - 1) ** slope)
    assert tilt_z(cv.ScalarProblem(score, rng.random(4000) < truth)) * said < -TILTED
    assert tilt_z(cv.ScalarProblem(score, rng.random(4000) < 0.5)) < -TILTED
