"""Intervals of the risk of the surest samples and of its mean: what they are, and how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

import calibviz as cv
from calibviz.uncertainty.intervals.risk_intervals import FEWEST, mean_risk_interval, risk_interval


def binary(seed, n, shape=(5.0, 1.0)):
    """Scores that are right as often as they say; higher ones are wrong less often."""
    rng = np.random.default_rng(seed)
    score = rng.beta(*shape, n)
    return cv.ScalarProblem(score, (rng.random(n) < score).astype(float))


def test_the_interval_of_the_risk_is_that_of_the_accepted_samples():
    p = cv.load_dataset("heart")["random forest"]
    table = cv.risk_coverage(p, "top-1", level=0.9)
    assert table.attrs["level"] == 0.9
    for place in (0, 3, len(table.point) // 2, -1):
        kept = p.confidence >= table.threshold.values[place]
        wrong, n = int((p.predicted != p.labels)[kept].sum()), int(kept.sum())
        low = beta.ppf(0.05, wrong, n - wrong + 1) if wrong else 0.0
        high = beta.ppf(0.95, wrong + 1, n - wrong) if wrong < n else 1.0
        found = table.isel(point=place)
        assert (found.lower.item(), found.upper.item()) == pytest.approx((low, high), abs=1e-10)
    plain = cv.risk_coverage(p, "top-1", level=None)
    assert "lower" not in plain and "level" not in plain.attrs
    np.testing.assert_array_equal(table.risk, plain.risk)


def test_weights_that_count_are_repetitions_and_others_have_no_unit():
    rng = np.random.default_rng(1)
    score, times = np.round(rng.beta(5, 2, 300), 2), rng.integers(1, 4, 300)
    target = (rng.random(300) < score).astype(float)
    places = np.arange(0, len(np.unique(score)), 7)
    counted = cv.ScalarProblem(score, target, times.astype(float))
    again = cv.ScalarProblem(np.repeat(score, times), np.repeat(target, times))
    assert mean_risk_interval(counted, 0.95) == pytest.approx(mean_risk_interval(again, 0.95))
    np.testing.assert_allclose(risk_interval(counted, places, 0.95), risk_interval(again, places, 0.95))
    uneven = times + 0.5
    plain, large, small = (cv.ScalarProblem(score, target, uneven * unit) for unit in (1, 1e100, 1e-100))
    for other in (large, small):
        assert mean_risk_interval(other, 0.95) == pytest.approx(mean_risk_interval(plain, 0.95))
        np.testing.assert_allclose(risk_interval(other, places, 0.95), risk_interval(plain, places, 0.95))


@pytest.mark.parametrize("digits", [15, 1])
def test_the_area_of_the_samples_is_within_and_the_width_is_that_of_a_bootstrap(digits):
    problem = binary(2, 2000)
    problem = cv.ScalarProblem(np.round(problem.score, digits), problem.given_target)
    low, high = mean_risk_interval(problem, 0.95)
    drawn = cv.bootstrap(problem, error=cv.aurc, replicates=400, level=0.95, progress=False)
    assert low < drawn.estimate < high
    assert (high - low) / (drawn.upper - drawn.lower) == pytest.approx(1.0, abs=0.2)


@pytest.mark.thorough
@pytest.mark.parametrize(("shape", "n"), [((5.0, 1.0), 100), ((5.0, 1.0), 1000), ((2.0, 1.0), 60), ((30.0, 1.0), 1500)])
def test_both_hold_the_truth_as_often_as_they_say(shape, n):
    """At the level that is claimed, 95 %, less three standard errors of so many sets."""
    sets = 400
    whole = binary(0, 1_000_000, shape)
    area, fewest = cv.aurc(whole), 0.95 - 3 * np.sqrt(0.95 * 0.05 / sets)
    cut = np.quantile(whole.score, 0.5)
    risk = 1 - whole.given_target[whole.score >= cut].mean()
    held, known, within = 0, 0, 0
    for seed in range(1, sets + 1):
        problem = binary(seed, n, shape)
        low, high = mean_risk_interval(problem, 0.95)
        known, held = known + np.isfinite(low), held + (low <= area <= high)
        (surest,) = np.nonzero(np.unique(problem.score)[::-1] >= cut)
        (lower,), (upper,) = risk_interval(problem, surest[-1:], 0.95)
        within += lower <= risk <= upper
    assert known >= 0.9 * sets and held / known >= fewest
    assert within / sets >= fewest


def test_weights_of_another_prevalence_have_no_interval_of_the_risk():
    moved = cv.load_dataset("heart")["random forest"].at_prevalence(0.2)
    table = cv.risk_coverage(moved, "class disease", level=0.95)
    assert np.isnan(table.lower).all() and np.isnan(table.upper).all()


def test_few_wrong_samples_have_no_interval_of_the_area():
    score = np.linspace(0.5, 1, 200)
    for wrong in (0, FEWEST - 1, 200 - FEWEST + 1, 200):
        problem = cv.ScalarProblem(score, np.r_[np.zeros(wrong), np.ones(200 - wrong)])
        assert np.isnan(mean_risk_interval(problem, 0.95)).all()
    target = np.r_[np.zeros(FEWEST), np.ones(200 - FEWEST)]
    assert np.isfinite(mean_risk_interval(cv.ScalarProblem(score, target), 0.95)).all()


def test_the_level_is_checked():
    with pytest.raises(ValueError, match="level must lie"):
        cv.risk_coverage(cv.load_dataset("heart")["random forest"], level=1.5)
