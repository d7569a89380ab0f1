"""The kernel density error against direct sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import slow  # noqa: F401, the profile of Hypothesis
from hypothesis import given, strategies as st
from samples import others, samples

import calibviz as cv
from calibviz.metrics.binless.kernel_density import GRID, densities, half_width, kde_value

DATA = Path(__file__).parents[4] / "shared" / "data"
STEP = 1 / (2**14 - 1)


def direct_width(score, target, weight):
    """Three standard deviations of the kernel, nan where no target is above 0."""
    if not (target * weight).any():
        return np.nan
    mean = np.average(score, weights=target * weight)
    std = np.sqrt(np.average((score - mean) ** 2, weights=target * weight))
    n = weight.sum() if (weight % 1 == 0).all() else weight.sum() ** 2 / (weight**2).sum()
    return 3 * std * (2 * n) ** -0.2


def direct_density(score, weight, h, places):
    copies, weights = np.concatenate([-score, score, 2 - score]), np.tile(weight, 3)
    out = []
    for part in np.array_split(places, 1 + len(places) * len(copies) // 10**6):
        u = np.minimum(abs(part[:, None] - copies) / h, 1)
        out.append(35 / 32 * (1 - u * u) ** 3 @ weights / h)
    return np.concatenate(out) / weight.sum()


def direct_error(score, target, weight, p, places):
    h = direct_width(score, target, weight)
    f1, f2 = direct_density(score, target * weight, h, places), direct_density(score, weight, h, places)
    share = np.average(target, weights=weight)
    integrand = [0.0]
    for c, a, b in zip(places, f1, f2, strict=True):
        if max(a, b) > 1e-6:
            integrand.append(abs(c - min(1, share * a / b)) ** p * b)
        else:
            integrand.append(integrand[-1])
    halves = np.r_[0.5, np.ones(len(places) - 2), 0.5]
    return halves @ integrand[1:] / (halves @ f2)


@given(samples(max_size=12), st.sampled_from([1, 2]))
def test_is_its_definition(sample, p):
    score, target, weight = sample
    problem = cv.ScalarProblem(score, target, weight)
    w = np.ones(len(score)) if weight is None else weight
    kept = w > 0
    rows = score[kept], target[kept], w[kept]
    if not direct_width(*rows) >= STEP:
        with pytest.raises(ValueError, match="has no bandwidth"):
            kde_value(problem, p)
        return
    found = kde_value(problem, p)
    assert found >= 0
    assert found == pytest.approx(direct_error(*rows, p, np.linspace(0, 1, 2**14)), abs=1e-11)
    for other in others(*sample):
        assert kde_value(other, p) == pytest.approx(found, abs=1e-11)


@pytest.mark.parametrize("spread", [0.3, 0.01, 3e-4])
@pytest.mark.parametrize("p", [1, 2])
def test_of_narrow_kernels(spread, p):
    rng = np.random.default_rng(0)  # two heaps with nothing between them, where the last integrand is carried on
    score = np.clip(np.repeat([0.3, 0.7], 40) + spread * rng.standard_normal(80), 0, 1)
    target = (score > 0.5) * (rng.random(80) < 0.8) * 1.0
    found = kde_value(cv.ScalarProblem(score, target), p)
    expected = direct_error(score, target, np.ones(80), p, np.linspace(0, 1, 2**14))
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kind", ["flat", "at the end", "far apart"])
def test_densities_are_direct_sums(kind):
    rng = np.random.default_rng(0)
    n = 3000
    score = {"flat": rng.random(n), "at the end": 1 - rng.beta(0.05, 2, n), "far apart": rng.beta(0.1, 0.1, n)}[kind]
    weight, target = rng.random(n) ** 4, (rng.random(n) < score) * 1.0
    problem = cv.ScalarProblem(score, target, weight)
    places = rng.choice(len(GRID), 300)
    for width in (half_width(problem), 0.003, 1.5 * STEP, 0.9):
        for found, mass in zip(densities(problem, width), (weight * target, weight), strict=True):
            expected = direct_density(score, mass, width, GRID[places])
            np.testing.assert_allclose(found[places], expected, rtol=1e-9, atol=1e-11 * found.max())


def test_finds_a_known_error():
    rng = np.random.default_rng(0)
    score = rng.random(200_000)
    for power, errors in ((2, (1 / 6, 1 / 30)), (1, (0, 0))):
        problem = cv.ScalarProblem(score, (rng.random(len(score)) < score**power) * 1.0)
        for p, error in zip((1, 2), errors, strict=True):
            assert kde_value(problem, p) == pytest.approx(error, abs=0.006)


def test_single_precision_is_its_up_cast():
    rng = np.random.default_rng(0)
    score = rng.random(500).astype(np.float32)
    target = (rng.random(500) < score).astype(np.float32)
    weight = rng.random(500).astype(np.float32)
    single, double = (cv.ScalarProblem(*(a.astype(t) for a in (score, target, weight))) for t in ("f4", "f8"))
    assert kde_value(single) == kde_value(double)


def test_scores_beyond_the_ends_count_at_the_ends():
    score, target = np.array([0.0, 0.4, 1.0, 1.0]), np.array([0.0, 1.0, 1.0, 0.0])
    beyond = score + 1e-3 * np.array([-1, 0, 1, 2])
    ends, clipped = (densities(cv.ScalarProblem(s, target), 0.002) for s in (beyond, score))
    np.testing.assert_allclose(ends[1], clipped[1], atol=1e-9)


def test_weights_have_no_unit():
    rng = np.random.default_rng(0)
    score, weight = rng.random(200), 0.1 + rng.random(200)
    target = (rng.random(200) < score) * 1.0
    values = [kde_value(cv.ScalarProblem(score, target, unit * weight)) for unit in (1, 1e-6, 1e6)]
    assert values == pytest.approx([values[0]] * 3, abs=1e-12)


@pytest.mark.skipif(not DATA.is_dir(), reason="the data are not on this machine")
@pytest.mark.parametrize("lens", ["top-1", "rank 2"])
def test_of_a_network(lens):
    data = np.load(DATA / "wrn16_cifar100_probs.npz")
    problem = cv.lens(lens)(cv.Predictions(data["probs"].astype(float), data["labels"], normalize=True))
    places = np.linspace(0, 1, 1001)
    expected = direct_error(problem.score, problem.target, np.ones(len(problem)), 1, places)
    assert kde_value(problem) == pytest.approx(expected, abs=1e-4)  # the coarser grid


def test_messages():
    problem = cv.ScalarProblem([0.2, 0.4, 0.6], [0.0, 1.0, 1.0])
    for p in (0, 3, 1.5, "1"):
        with pytest.raises(ValueError, match=f"p must be 1 or 2 for the kernel density error, not {p!r}"):
            kde_value(problem, p)
    with pytest.raises(ValueError, match="has no bandwidth: no target is above 0"):
        kde_value(cv.ScalarProblem([0.2, 0.4], np.zeros(2)))
    for score in ([0.2], [0.2, 0.2], [0.3, 0.1 + 0.2]):
        with pytest.raises(ValueError, match=r"the scores with t = 1 have the standard deviation .*, too small for a"):
            kde_value(cv.ScalarProblem([*score, 0.8], np.array([1.0] * len(score) + [0.0])))
