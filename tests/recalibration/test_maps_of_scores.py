"""Calibrators of scores against their definitions, and what one-vs-rest and by-rank make of them."""

from __future__ import annotations

import numpy as np
import pytest
from calibrator_samples import COLUMNS, SCALARS, fresh, predictions, scores
from golden_sets import SHARED, resnet_parts
from hypothesis import given, strategies as st
from samples import samples
from scipy.special import expit, logit

import calibviz as cv
from calibviz.recalibration.parameters import NotFittedError

GRID = np.linspace(0.02, 0.98, 49)

# ---- a known map is found


def coming_true(curve, n=50_000, seed=0):
    rng = np.random.default_rng(seed)
    score = rng.uniform(0.001, 0.999, n)
    return score, (rng.random(n) < curve(score)).astype(float)


@pytest.mark.parametrize(("slope", "intercept"), [(0.5, 0.0), (2.0, -1.0), (-1.0, 0.5)])
def test_platt_recovers_slope_and_intercept(slope, intercept):
    found = cv.Platt().fit(*coming_true(lambda s: expit(slope * logit(s) + intercept)))
    assert found.slope_ == pytest.approx(slope, abs=0.04)
    assert found.intercept_ == pytest.approx(intercept, abs=0.04)
    np.testing.assert_allclose(found(GRID), expit(found.slope_ * logit(GRID) + found.intercept_), rtol=1e-12)


@pytest.mark.parametrize("true", [(2.0, 0.5, 0.3), (0.4, 1.5, -0.5), (1.0, 1.0, 0.0)])
def test_beta_recovers_its_parameters(true):
    a, b, c = true
    found = cv.Beta().fit(*coming_true(lambda s: expit(a * np.log(s) - b * np.log(1 - s) + c)))
    np.testing.assert_allclose([found.a_, found.b_, found.c_], true, atol=0.12)
    expected = expit(found.a_ * np.log(GRID) - found.b_ * np.log(1 - GRID) + found.c_)
    np.testing.assert_allclose(found(GRID), expected, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in SCALARS if name not in ("platt", "beta")])
@pytest.mark.parametrize("curve", [lambda s: s**2, lambda s: 0.2 + 0.6 * s])
def test_curves_are_approached(name, curve):
    found = fresh(name).fit(*coming_true(curve))
    # A step of width w is off by half of w times the slope at its ends, and by a quarter of that in the mean.
    most = {"histogram": 0.05, "histogram, equal mass": 0.08, "histogram, bootstrap": 0.1}.get(name, 0.025)
    assert np.abs(found(GRID) - curve(GRID)).mean() < most


@pytest.mark.parametrize("name", ["platt", "beta"])
def test_the_likelihood_is_greatest(name):
    # Against the loss as a direct sum, with Platt's targets, at parameters that differ a little.
    score, target = scores(200)
    weight = np.random.default_rng(0).integers(1, 4, 200).astype(float)
    found = fresh(name).fit(cv.ScalarProblem(score, target, weight))
    ones, zeros = weight @ target, weight @ (1 - target)
    aim = np.where(target == 1, (ones + 1) / (ones + 2), 1 / (zeros + 2))

    def loss(a, b, c):
        p = expit(a * np.log(score) - b * np.log(1 - score) + c)
        return -(weight * (aim * np.log(p) + (1 - aim) * np.log(1 - p))).sum()

    names = ("a_", "b_", "c_") if name == "beta" else ("slope_", "slope_", "intercept_")
    best = np.array([getattr(found, n) for n in names])
    moves = np.eye(3) if name == "beta" else np.array([[1, 1, 0], [0, 0, 1]])
    for move in moves:
        for step in (-1e-3, 1e-3):
            assert loss(*(best + step * move)) > loss(*best)


def test_the_bounds_of_beta_hold():
    found = cv.Beta().fit(*coming_true(lambda s: 1 - s, 2000))
    assert (found.a_, found.b_) == (0, 0)
    assert found(0.1) == found(0.9) == pytest.approx(0.5, abs=0.03)
    one = cv.Beta().fit(*coming_true(lambda s: expit(2 * np.log(s) + 0.7 * np.log(1 - s) + 1), 5000))
    assert one.b_ == 0 < one.a_  # the free fit would have b < 0


# ---- isotonic


def slow_isotonic(problem):
    """Scores and fitted values by pooling adjacent violators, one after the other."""
    blocks = []
    for score, target, weight in problem:
        blocks.append([target, weight, [score]])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            target, weight, members = blocks.pop()
            before = blocks[-1]
            mean = (before[0] * before[1] + target * weight) / (before[1] + weight)
            blocks[-1] = [mean, before[1] + weight, before[2] + members]
    return [s for _, _, members in blocks for s in members], [v for v, _, members in blocks for _ in members]


def rows_of(score, target, weight):
    """One row for each distinct score: mean target and weight."""
    weight = np.ones(len(score)) if weight is None else weight
    for s in np.unique(score[weight > 0]):
        at = score == s
        yield s, weight[at] @ target[at] / weight[at].sum(), weight[at].sum()


@given(samples())
def test_isotonic_is_its_definition(sample):
    found = cv.Isotonic().fit(cv.ScalarProblem(*sample))
    at, value = slow_isotonic(rows_of(*sample))
    grid = np.concatenate([sample[0], np.linspace(0, 1, 21)])
    np.testing.assert_allclose(found(grid), np.interp(grid, at, value), atol=1e-12)


@pytest.mark.parametrize("levels", [None, 20])
def test_isotonic_is_that_of_scikit_learn(levels):
    isotonic = pytest.importorskip("sklearn.isotonic")
    score, target = scores(500, levels=levels)
    other = isotonic.IsotonicRegression(out_of_bounds="clip").fit(score, target)
    np.testing.assert_allclose(cv.Isotonic().fit(score, target)(GRID), other.predict(GRID), atol=1e-9)


# ---- histograms


@given(samples(), st.integers(1, 12))
def test_uniform_bins_are_their_definition(sample, bins):
    score, target, weight = sample
    found = cv.HistogramBinning(bins).fit(cv.ScalarProblem(*sample))
    weight = np.ones(len(score)) if weight is None else weight
    edges = [b / bins for b in range(bins)]

    def bin_of(s):
        return max(b for b in range(bins) if edges[b] <= s)

    for s in np.concatenate([score, np.linspace(0, 1, 21)]):
        mine = np.array([bin_of(other) == bin_of(s) for other in score])
        mass = weight[mine].sum()
        assert found(s) == pytest.approx(weight[mine] @ target[mine] / mass if mass else s, abs=1e-12)


@given(samples(), st.integers(1, 12))
def test_equal_mass_bins_are_their_definition(sample, bins):
    score, target, weight = sample
    found = cv.HistogramBinning(bins, "equal-mass").fit(cv.ScalarProblem(*sample))
    rows = list(rows_of(score, target, weight))
    # A bin begins at the score of the sample in which the weights pass b / bins of the total.
    total, upto, begins = sum(w for *_, w in rows), 0.0, []
    for s, _, w in rows:
        if any(upto * bins <= b * total < (upto + w) * bins for b in range(1, bins)):
            begins.append(s)
        upto += w
    for s, *_ in rows:
        mine = [row for row in rows if sum(b <= row[0] for b in begins) == sum(b <= s for b in begins)]
        low = [row for row in rows if not begins or row[0] < begins[0]]
        assert mine or low
        assert found(s) == pytest.approx(sum(t * w for _, t, w in mine) / sum(w for *_, w in mine), abs=1e-12)


@pytest.mark.parametrize("bins", [3, 7, 10, 15, 100])
def test_equal_mass_bins_of_distinct_scores_differ_by_one_at_most(bins):
    score = np.linspace(0, 1, 100)
    found = cv.HistogramBinning(bins, "equal-mass").fit(score, score)
    sizes = np.unique(found(score), return_counts=True)[1]
    assert len(sizes) == bins
    assert sizes.max() - sizes.min() <= 1


def test_the_bootstrap_smooths_the_steps():
    score, target = scores(2000)
    one = cv.HistogramBinning(10, "equal-mass").fit(score, target)
    many = cv.HistogramBinning(10, "equal-mass", replicates=50).fit(score, target)
    assert len(one.fitted_) == 10 < 50 < len(many.fitted_)
    np.testing.assert_allclose(many(score), one(score), atol=0.1)
    again = cv.HistogramBinning(10, "equal-mass", replicates=50, rng=1).fit(score, target)
    assert not np.array_equal(again(score), many(score))
    # The mean of the maps: steps of one bin are the means of the resampled targets.
    single = cv.HistogramBinning(1, replicates=400).fit(score, target)
    assert single(0.5) == pytest.approx(target.mean(), abs=3 * target.std() / np.sqrt(2000 * 400) + 1e-3)


# ---- columns


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", SCALARS)
def test_one_vs_rest_and_by_rank_are_their_definitions(name, dtype):
    made = predictions(200, 4)
    p = cv.Predictions(made.probs.astype(dtype), made.labels, weights=np.arange(200) % 3)
    q = cv.Predictions(predictions(100, 4, 1).probs.astype(dtype), [0] * 100)
    by_class, by_rank = np.empty((100, 4)), np.empty((100, 4))
    order = np.argsort(-q.probs, axis=1, kind="stable")
    for c in range(4):
        by_class[:, c] = fresh(name).fit(cv.lens(f"class {c}")(p))(q.probs[:, c])
        top = order[:, c]
        by_rank[range(100), top] = fresh(name).fit(cv.lens(f"rank {c + 1}")(p))(q.probs[range(100), top])
    pooled = fresh(name).fit(cv.lens("pooled")(p))(q.probs)
    for calibrator, expected in (
        (cv.OneVsRest(fresh(name)), by_class),
        (cv.ByRank(fresh(name)), by_rank),
        (cv.OneVsRest(fresh(name), shared=True), pooled),
    ):
        out = calibrator.fit(p).transform(q).probs
        np.testing.assert_allclose(out, expected / expected.sum(axis=1, keepdims=True), atol=2e-7)
        assert len(calibrator.calibrators_) == (1 if expected is pooled else 4)


@pytest.mark.parametrize("name", COLUMNS)
def test_recalibrate_is_fit_and_transform(name):
    p, q = predictions(200, 20), predictions(100, 20, 1)
    fitted_one = fresh(name).fit(p).transform(q).probs
    np.testing.assert_array_equal(fresh(name).recalibrate(p, q).probs, fitted_one)


def test_the_calibrator_that_is_given_is_not_fitted():
    inner = cv.Spline()
    whole = cv.OneVsRest(inner).fit(predictions(50))
    assert whole.calibrator is inner
    with pytest.raises(NotFittedError):
        inner(0.5)


# ---- published


@pytest.mark.skipif(not (SHARED / "golden").is_dir(), reason="the golden values are not on this machine")
def test_published_isotonic():
    calibration, evaluation = resnet_parts()
    out = cv.OneVsRest(cv.Isotonic()).recalibrate(calibration, evaluation)
    assert 100 * cv.calibration_error(out) == pytest.approx(1.47, abs=0.05)
    assert 100 * cv.calibration_error(out, binning=cv.Sweep()) == pytest.approx(0.93, abs=0.05)
