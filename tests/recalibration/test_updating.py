"""The closed test of updates: its level, its power, and its parts, each by a second way to the same number."""

from __future__ import annotations

import numpy as np
import pytest
from clustered_samples import clustered
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import chi2

import calibviz as cv


def drawn(n: int, seed: int = 0, slope: float = 1.0, shift: float = 0.0) -> cv.ScalarProblem:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 2, n)
    return cv.ScalarProblem(score, rng.random(n) < expit(shift + slope * logit(score)))


def rate(n: int, draws: int, update: str, **off: float) -> float:
    return float(np.mean([cv.choose_update(drawn(n, seed, **off)).chosen == update for seed in range(draws)]))


def test_calibrated_predictions_are_left_as_they_are_in_19_of_20_cases():
    draws = 600
    assert rate(250, draws, "none") >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / draws)


def test_a_model_that_is_only_too_low_seldom_gets_a_new_slope():
    draws = 300
    chosen = [cv.choose_update(drawn(600, seed, shift=0.6)).chosen for seed in range(draws)]
    assert chosen.count("logistic") / draws <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws)
    assert chosen.count("intercept") / draws > 0.9


def test_a_model_that_is_too_extreme_gets_a_new_slope():
    assert rate(1500, 40, "logistic", slope=0.6) > 0.95


def loss(problem: cv.ScalarProblem, intercept: float, slope: float) -> float:
    chance = expit(intercept + slope * logit(problem.score))
    t, w = problem.given_target, problem.weight
    return -float(np.sum(w * (t * np.log(chance) + (1 - t) * np.log(1 - chance))))


@pytest.mark.parametrize("off", [{}, {"shift": 0.5}, {"slope": 0.5, "shift": -0.4}])
@pytest.mark.parametrize("weighted", [False, True])
def test_statistics_and_updates_are_those_of_plain_likelihoods(off, weighted):
    problem = drawn(500, 3, **off)
    if weighted:
        times = np.random.default_rng(1).integers(1, 4, 500)
        problem = cv.ScalarProblem(problem.score, problem.given_target, times)
    moved = minimize(lambda x: loss(problem, x[0], 1.0), [0.0], tol=1e-12)
    both = minimize(lambda x: loss(problem, *x), [0.0, 1.0], tol=1e-12)
    found, none = cv.choose_update(problem), loss(problem, 0.0, 1.0)
    statistics = 2 * (none - both.fun), 2 * (moved.fun - both.fun)
    assert (found.statistic, found.slope_statistic) == pytest.approx(statistics, abs=1e-6)
    assert (found.p_value, found.slope_p_value) == pytest.approx((chi2.sf(statistics[0], 2), chi2.sf(statistics[1], 1)))
    expected = {"none": (0, 1), "intercept": (*moved.x, 1), "logistic": tuple(both.x)}[found.chosen]
    assert (found.intercept, found.slope) == pytest.approx(expected, abs=1e-4)


def test_the_first_test_is_that_of_the_slope_and_the_estimates_are_those_of_clinical_calibration():
    problem = drawn(800, slope=0.5, shift=0.3)
    found, slope = cv.choose_update(problem), cv.calibration_slope(problem)
    assert (found.statistic, found.p_value) == (slope.statistic, slope.p_value)
    assert (found.chosen, found.intercept, found.slope) == ("logistic", slope.intercept, slope.estimate)
    moved = drawn(800, shift=0.8)
    assert cv.choose_update(moved).intercept == cv.calibration_intercept(moved).estimate


def test_the_level_is_that_of_both_tests():
    problem = drawn(300, 5, shift=0.4, slope=0.8)
    found = cv.choose_update(problem)
    assert max(found.p_value, found.slope_p_value) < 0.3
    for p_value, more, fewer in ((found.p_value, None, "none"), (found.slope_p_value, "logistic", "intercept")):
        chosen = [cv.choose_update(problem, level=1 - by * p_value).chosen for by in (1.01, 0.99)]
        assert chosen[1] == fewer and (more is None or chosen[0] == more)


def test_the_calibrator_is_the_update():
    problem = drawn(800, slope=0.5, shift=0.3)
    found = cv.choose_update(problem)
    assert isinstance(found.calibrator, cv.Platt)
    expected = expit(found.intercept + found.slope * logit(problem.score))
    np.testing.assert_allclose(found.calibrator(problem.score), expected)
    again = cv.choose_update(problem.mapped(found.calibrator))
    assert again.chosen == "none" and again.p_value == pytest.approx(1) and again.calibrator is None


def test_scores_of_0_and_1_are_left_out_unless_clipped():
    inner = drawn(300, slope=0.4)
    ends = cv.ScalarProblem([*inner.score, 0, 1, 1], [*inner.given_target, 0, 1, 0])
    one, other = cv.choose_update(inner), cv.choose_update(ends)
    assert (one.statistic, one.slope_statistic) == pytest.approx((other.statistic, other.slope_statistic))
    assert other.without == "without 3 samples of score 0 or 1 (1 of which turned out otherwise)"
    assert cv.choose_update(ends, clip=1e-6).statistic > one.statistic + 1


def test_each_class_is_updated_by_itself():
    p = cv.load_dataset("digits")["neural network"]
    table = cv.choose_update(p, "classwise")
    one = cv.choose_update(p, "class 3")
    at = table.sel(outcome="3")
    assert (at.chosen.item(), at.slope.item(), at.p_value.item()) == (one.chosen, one.slope, one.p_value)


def test_clusters_have_wald_tests():
    problem = clustered(60, 5, seed=2)
    found, slope = cv.choose_update(problem), cv.calibration_slope(problem)
    assert (found.statistic, found.p_value) == (slope.statistic, slope.p_value)
    assert found.slope_statistic == pytest.approx(((slope.estimate - 1) / slope.standard_error) ** 2)
    chosen = [cv.choose_update(clustered(60, 5, seed=seed)).chosen for seed in range(300)]
    assert chosen.count("none") / 300 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 300)


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (cv.ScalarProblem([0.2, 0.3, 0.8], [0, 0, 1]), "the scores separate the outcomes, so no slope is"),
        (cv.ScalarProblem([0.2, 0.3], [1, 1]), "one outcome alone, or one score alone between 0 and 1, has no slope"),
        (cv.ScalarProblem([0.3, 0.3], [0, 1]), "one outcome alone, or one score alone between 0 and 1, has no slope"),
        (cv.ScalarProblem([0.0, 1.0], [0, 1]), "one outcome alone, or one score alone between 0 and 1, has no slope"),
        (clustered(5, 40), "5 clusters are fewer than 6"),
    ],
)
def test_why_there_is_no_test(problem, why):
    found = cv.choose_update(problem)
    assert found.chosen == "undecided" and found.why_not.startswith(why) and np.isnan(found.slope)
    with pytest.raises(ValueError, match=f"^no update is chosen: {why}"):
        _ = found.calibrator


def test_what_has_no_closed_test_is_refused():
    with pytest.raises(ValueError, match="takes labels that are 0 or 1, but these labels are soft"):
        cv.choose_update(cv.ScalarProblem([0.2, 0.6], [0.3, 0.7]))
    p = cv.load_dataset("tumours")["naive Bayes"]
    with pytest.raises(ValueError, match="looks at what is true, and the closed test would find calibrated scores"):
        cv.choose_update(p, "top-1", selection="correct == 1")
    with pytest.raises(ValueError, match="lens must not be 'pooled' for a test"):
        cv.choose_update(p, "pooled")
    with pytest.raises(ValueError, match="level"):
        cv.choose_update(p, level=1.5)
