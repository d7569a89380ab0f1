"""Intervals of the parts of a score: against their formula, and how often they hold the parts of a known curve."""

from __future__ import annotations

import numpy as np
import pytest
from clustered_samples import clustered
from scipy.special import expit, logit, ndtri

import calibviz as cv
from calibviz.metrics.binless.corp import corp_of
from calibviz.uncertainty.intervals.bin_intervals import mean_interval
from calibviz.uncertainty.intervals.corp_intervals import _halves
from calibviz.uncertainty.resampling.bootstrap import draws_of, level_of_percentiles

PARTS = ("miscalibration", "discrimination", "uncertainty")
QUIET = {"progress": False}


def calibrated(n, rng, slope=1.0, shift=0.0):
    """A problem of uniform scores, and its true curve."""
    score = rng.random(n)
    curve = expit(slope * logit(score) + shift)
    return cv.ScalarProblem(score, rng.random(n) < curve)


@pytest.mark.parametrize("error", [cv.brier_score, cv.log_loss])
@pytest.mark.parametrize("kind", ["plain", "repeated", "weighted", "clusters"])
def test_an_interval_is_its_formula(error, kind):
    rng = np.random.default_rng(1)
    problem = clustered(30, 5, weighted=True) if kind == "clusters" else calibrated(150, rng, 0.5)
    if kind in ("repeated", "weighted"):
        weight = rng.integers(1, 4, 150) if kind == "repeated" else rng.uniform(0.2, 1, 150)
        problem = cv.ScalarProblem(problem.score, problem.target, weight)
    parts = cv.corp(problem, error=error, replicates=40, rng=3, **QUIET)
    plain = corp_of(problem, error)
    assert all(getattr(parts, name) == getattr(plain, name) for name in PARTS)  # intervals change no part

    def fitted(weight):
        held = weight > 0
        return corp_of(cv.ScalarProblem(problem.score[held], problem.given_target[held], weight[held]), error)

    halves = [fitted(weight) for weight in _halves(problem, np.random.default_rng(3))]
    gained = np.mean([half.discrimination - half.uncertainty for half in halves])
    bias = (gained - (plain.discrimination - plain.uncertainty)) / (2 ** (2 / 3) - 1)
    drawn = [fitted(weight) for weight in draws_of(problem, 40, None, 3)]
    reach = ndtri((1 + level_of_percentiles(problem)) / 2)
    for name in PARTS[:2]:
        found, middle = parts.intervals[name], getattr(plain, name) - bias
        spread = np.std([getattr(one, name) for one in drawn])
        np.testing.assert_allclose(found.estimate, max(middle, 0), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.lower, max(middle - reach * spread, 0), rtol=1e-9, atol=1e-12)
        beyond = np.sqrt((found.upper + bias) / getattr(plain, name))  # the spread grows with the root
        np.testing.assert_allclose(found.upper, middle + reach * spread * beyond, rtol=1e-9)
        assert found.standard_error == pytest.approx(spread, rel=1e-9)


def test_halves_hold_every_sample_once_and_whole_clusters():
    rng = np.random.default_rng(0)
    for problem in (
        calibrated(50, rng),
        cv.ScalarProblem(rng.random(50), rng.integers(0, 2, 50), rng.integers(1, 5, 50)),
        cv.ScalarProblem(rng.random(50), rng.integers(0, 2, 50), rng.uniform(0.1, 1, 50)),
        clustered(10, 5),
    ):
        halves = list(_halves(problem, np.random.default_rng(0)))
        for one, other in zip(halves[::2], halves[1::2], strict=True):
            np.testing.assert_allclose(one + other, problem.weight, rtol=1e-15)
        if problem.clusters is not None:
            taken = (halves[0] > 0).astype(float)
            assert set(np.bincount(problem.cluster_codes, taken) / np.bincount(problem.cluster_codes)) == {0.0, 1.0}


def test_the_interval_of_the_uncertainty_is_that_of_the_mean_target():
    rng = np.random.default_rng(2)
    rare = cv.ScalarProblem(rng.random(200), rng.random(200) < 0.1)
    low, high = mean_interval(rare, 0.9)
    found = cv.corp(rare, replicates=20, level=0.9, **QUIET).intervals["uncertainty"]
    assert (found.lower, found.upper) == pytest.approx((low * (1 - low), high * (1 - high)))
    even = cv.ScalarProblem(rng.random(200), np.arange(200) % 2)
    assert cv.corp(even, replicates=20, **QUIET).intervals["uncertainty"].upper == 0.25
    of_loss = cv.corp(even, error=cv.log_loss, replicates=20, **QUIET).intervals["uncertainty"]
    assert of_loss.upper == pytest.approx(np.log(2), abs=1e-15) and of_loss.lower < of_loss.estimate


def test_what_has_no_interval_says_why():
    score = np.linspace(0, 1, 40)
    target = (np.arange(40) % 3 == 0).astype(float)
    target[0] = 1.0
    found = cv.corp(cv.ScalarProblem(score, target), error=cv.log_loss, replicates=20, **QUIET).intervals
    assert found["miscalibration"].estimate == np.inf and np.isnan(found["miscalibration"].lower)
    assert found["miscalibration"].note == "infinite, since something of probability 0 was observed"
    assert found["discrimination"].note is None and np.isfinite(found["discrimination"].upper)
    only = cv.corp(cv.ScalarProblem(score, np.zeros(40)), replicates=20, **QUIET).intervals
    assert only["discrimination"].note == "all samples have one outcome" and np.isnan(only["discrimination"].upper)
    assert only["uncertainty"].lower == 0 < only["uncertainty"].upper
    few = cv.corp(clustered(5, 20), replicates=20, **QUIET).intervals
    assert few["discrimination"].note == "5 clusters are fewer than 6"
    assert all(np.isnan(few[name].lower) for name in PARTS)


@pytest.mark.parametrize("error", [cv.brier_score, cv.log_loss])
def test_no_interval_reaches_beyond_what_its_part_can_be(error):
    none, small = 0, 0
    for seed in range(40):  # few samples that a score tells little of
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 30))
        problem = cv.ScalarProblem(rng.random(n), rng.random(n) < 0.5, rng.exponential(size=n))
        if problem.mean_target in (0, 1):
            continue
        parts = cv.corp(problem, error=error, replicates=20, **QUIET)
        by_name, above_whole = parts.intervals, 6 * parts.whole
        if len(set(parts.recalibrated)) == 1:  # which the sums of weights miss by rounding
            assert parts.discrimination == 0
            none += 1
        found = by_name["discrimination"]
        assert 0 <= found.lower <= found.estimate <= found.upper <= by_name["uncertainty"].upper
        small += found.upper == by_name["uncertainty"].upper
        off = by_name["miscalibration"]
        assert 0 <= off.lower <= off.estimate <= off.upper < above_whole
    assert none and small


def test_the_miscalibration_of_a_best_rising_curve_is_0_but_for_rounding():
    problem = calibrated(200, np.random.default_rng(0), 0.3)
    curve = cv.corp(problem).recalibrated * (1 - 1e-15)
    again = cv.corp(cv.ScalarProblem(curve, problem.target), replicates=40, **QUIET)
    found = again.intervals["miscalibration"]
    assert 0 < again.miscalibration < 1e-15 and found.upper <= 2 * found.standard_error


def test_soft_labels_have_intervals():
    rng = np.random.default_rng(0)
    score = rng.random(300)
    soft = cv.ScalarProblem(score, (score + rng.random(300)) / 2)
    found = cv.corp(soft, replicates=100, **QUIET).intervals["uncertainty"]
    assert found.lower < np.var(soft.given_target) < found.upper and found.lower < 1 / 24 < found.upper


def test_refusals():
    p = cv.load_dataset("digits")["naive Bayes"]
    with pytest.raises(ValueError, match=r"^lens must not be 'pooled' for intervals of the parts of a score"):
        cv.corp(p, "pooled", replicates=20)
    with pytest.raises(ValueError, match=r"^replicates must be 0 or at least 2, not 1: one has no spread"):
        cv.corp(p, replicates=1)
    weighted = cv.Predictions(p.probs, p.labels, weights=np.linspace(0.5, 1, len(p)))
    with pytest.raises(ValueError, match=r"^the cells of a summary whose weights are not whole numbers have no halves"):
        cv.corp(cv.summarize(weighted), replicates=20)
    summary = cv.corp(cv.summarize(p), replicates=50, **QUIET).intervals["discrimination"]
    samples = cv.corp(p, "top-1", replicates=50, **QUIET).intervals["discrimination"]
    assert summary.estimate == pytest.approx(samples.estimate, abs=3e-3)
    assert summary.standard_error == pytest.approx(samples.standard_error, rel=0.5)


@pytest.mark.parametrize(("slope", "shift"), [(1.0, 0.0), (0.5, -0.5)])
def test_intervals_hold_the_parts_of_the_true_curve(slope, shift):
    """Of 60 data sets; `benchmarks/score_parts.py` has more."""
    rng = np.random.default_rng(4)
    grid = (np.arange(20_000) + 0.5) / 20_000
    curve = expit(slope * logit(grid) + shift)
    true = [((grid - curve) ** 2).mean(), curve.var(), curve.mean() * (1 - curve.mean())]
    held, plain = np.zeros(3), 0
    for i in range(60):
        problem = calibrated(300, rng, slope, shift)
        found = cv.corp(problem, replicates=60, rng=i, **QUIET)
        held += [found.intervals[name].lower <= value <= found.intervals[name].upper
                 for name, value in zip(PARTS, true, strict=True)]  # fmt: skip  # one row
        plain += found.miscalibration <= true[0]
    assert (held >= 52).all(), held  # 95 % of 60 are 57
    assert slope < 1 or plain == 0  # the part itself is above 0 of calibrated predictions, always
