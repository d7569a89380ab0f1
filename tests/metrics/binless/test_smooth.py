"""The smooth calibration error against direct sums over mirror images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import slow  # noqa: F401, the profile of Hypothesis
from hypothesis import given
from samples import others, samples

import calibviz as cv
from calibviz.metrics.binless.smooth import smooth_curve, smooth_value

DATA = Path(__file__).parents[4] / "shared" / "data"


def direct_smoothed(mass, score, sigma, places):
    """sum_i mass_i K_sigma(u, s_i), the reflected Gaussian as the sum of the images of s_i in all the mirrors."""
    out = np.zeros(len(places))
    turns = np.arange(-4, 5) if sigma > 0.1 else np.arange(-1, 2)
    for turn in turns:
        for sign in (-1, 1):
            image = sign * score + 2 * turn
            near = (image > -9 * sigma) & (image < 1 + 9 * sigma)
            out += np.exp(-0.5 * ((places[:, None] - image[near]) / sigma) ** 2) @ mass[near]
    return out / (sigma * np.sqrt(2 * np.pi))


def direct_error(problem, sigma, cells=None):
    cells = max(4000, int(60 / sigma)) if cells is None else cells
    residual = problem.weight * (problem.given_target - problem.score) / problem.weight.sum()
    height = abs(direct_smoothed(residual, problem.score, sigma, np.linspace(0, 1, cells + 1)))
    return (height.sum() - (height[0] + height[-1]) / 2) / cells


def is_crossing(problem, value, cells=None, within=1e-6):
    """Whether smECE_sigma, which falls, is above sigma just before the value and below just after."""
    low, high = max(value - within, value / 2), value + within
    return direct_error(problem, low, cells) >= low and direct_error(problem, high, cells) <= high


@given(samples(levels=(8, 64, 200), least_weight=1))
def test_is_its_definition(sample):
    problem = cv.ScalarProblem(*sample)
    value = smooth_value(problem)
    if abs(problem.target - problem.score).max() < 1e-12:
        assert value < 1e-12
    else:
        assert is_crossing(problem, value)
    for other in others(*sample):
        assert smooth_value(other) == pytest.approx(value, abs=2e-9)


@given(samples(max_size=60))
def test_lies_between_the_mean_gap_and_the_error_of_distinct_scores(sample):
    problem = cv.ScalarProblem(*sample)
    residual = problem.weight * (problem.target - problem.score) / problem.total
    assert abs(residual.sum()) - 2e-9 <= smooth_value(problem) <= abs(residual).sum() + 2e-9


@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("kind", ["flat", "at the end", "rounded", "narrow"])
def test_of_many_samples(n, kind):
    rng = np.random.default_rng(n)
    score = {
        "flat": rng.random(n),
        "at the end": 1 - rng.beta(0.1, 2, n),
        "rounded": rng.integers(0, 101, n) / 100,
        "narrow": 0.4 + 0.02 * rng.random(n),
    }[kind]
    problem = cv.ScalarProblem(score, (rng.random(n) < score) * 1.0, rng.random(n))
    assert is_crossing(problem, smooth_value(problem), 4000)


@pytest.mark.parametrize("size", [1e-2, 1e-3, 1e-4, 3e-5])
def test_of_small_residuals(size):
    rng = np.random.default_rng(0)  # of both signs and close together, so that the width of the kernel matters
    score = 0.4 + 0.01 * (np.arange(100) + rng.random(100)) / 100
    problem = cv.ScalarProblem(score, score + size * rng.choice([-1.0, 1.0], 100))
    assert is_crossing(problem, smooth_value(problem), 2**17)


@pytest.mark.parametrize("score", [0, 1e-9, 0.3, 0.5, 1])
@pytest.mark.parametrize("target", [0, 0.3, 1])
def test_of_one_sample(score, target):
    for weight in (None, [0.3]):
        problem = cv.ScalarProblem([score], [target], weight)
        assert smooth_value(problem) == pytest.approx(abs(target - score), abs=1e-9)


def test_of_residuals_that_vanish():
    score = np.linspace(0, 1, 11)
    assert smooth_value(cv.ScalarProblem(score, score)) == 0
    half = np.full(4, 0.5)
    assert smooth_value(cv.ScalarProblem(half, [0, 1, 1, 0])) == 0


def test_of_scores_beyond_the_ends_by_rounding():
    score, target = np.array([0.0, 0.4, 1.0, 1.0]), np.array([0.0, 1.0, 1.0, 0.0])
    for slack in (1e-9, 1e-3):
        beyond = score + slack * np.array([-1, 0, 1, 2])
        found, expected = (smooth_value(cv.ScalarProblem(s, target)) for s in (beyond, score))
        assert found == pytest.approx(expected, abs=2 * slack)
        assert not np.isnan(smooth_curve(cv.ScalarProblem(beyond, target))[1][[0, -1]]).any()


def test_single_precision_is_its_up_cast():
    rng = np.random.default_rng(0)
    score = rng.random(500).astype(np.float32)
    target = (rng.random(500) < score).astype(np.float32)
    single, double = (cv.ScalarProblem(score.astype(t), target.astype(t)) for t in ("f4", "f8"))
    assert smooth_value(single) == smooth_value(double)


@given(samples(max_size=30))
def test_curve_is_a_kernel_regression(sample):
    problem = cv.ScalarProblem(*sample)
    score, target, density = smooth_curve(problem, 101)
    assert score.tolist() == np.linspace(0, 1, 101).tolist()
    sigma = max(smooth_value(problem), 0.005)
    weight = problem.weight / problem.weight.sum()
    expected = direct_smoothed(weight, problem.score, sigma, score)
    hit = direct_smoothed(weight * problem.given_target, problem.score, sigma, score)
    np.testing.assert_allclose(density, expected, atol=1e-3 * expected.max())
    clear = expected > 1e-5
    np.testing.assert_allclose(target[clear], (hit / np.maximum(expected, 1e-300))[clear], atol=0.01)
    assert np.isnan(target[expected < 1e-7]).all()
    assert np.isnan(target).sum() < 101 and ((target >= 0) & (target <= 1) | np.isnan(target)).all()


def test_curve_of_calibrated_scores_is_the_diagonal():
    score = np.linspace(0, 1, 2001)
    x, y, density = smooth_curve(cv.ScalarProblem(score, score))
    assert len(x) == 200
    np.testing.assert_allclose(y[10:-10], x[10:-10], atol=1e-4)
    np.testing.assert_allclose(density[10:-10], 1, atol=1e-2)
    for points in (1, 0):
        with pytest.raises(ValueError, match=f"points must be at least 2, not {points}"):
            smooth_curve(cv.ScalarProblem(score, score), points)


@pytest.mark.skipif(not DATA.is_dir(), reason="the data are not on this machine")
def test_of_networks():
    data = np.load(DATA / "resnet110_cifar10_logits.npz")
    top = cv.lens("top-1")(cv.Predictions(labels=data["labels_test"], logits=data["logits_test"]))
    # Too sure everywhere, so that smoothing takes nothing away.
    assert smooth_value(top) == pytest.approx(top.mean_score - top.mean_target, abs=1e-7)
    data = np.load(DATA / "wrn16_cifar100_probs.npz")
    second = cv.lens("rank 2")(cv.Predictions(data["probs"].astype(float), data["labels"], normalize=True))
    assert is_crossing(second, smooth_value(second), 2000, 2e-6)
