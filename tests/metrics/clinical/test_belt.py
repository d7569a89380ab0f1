"""The calibration belt: its test, its level, and its ends by a second way."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import chi2

import calibviz as cv
from calibviz.metrics.clinical import belt as module
from calibviz.metrics.clinical.belt import ENTERS, tail


def drawn(n: int, seed: int = 0, truth=lambda score: score) -> cv.ScalarProblem:
    rng = np.random.default_rng(seed)
    score = rng.beta(1.5, 2, n)
    return cv.ScalarProblem(score, rng.random(n) < truth(score))


def bent(score):
    """A truth that no straight line of log-odds follows."""
    return expit(0.2 + logit(score) - 0.4 * logit(score) ** 2)


def loss(x, problem) -> float:
    odds = logit(problem.score)
    eta = sum(a * odds**j for j, a in enumerate(x))
    return float(np.sum(problem.weight * (np.logaddexp(0, eta) - problem.given_target * eta)))


def fitted(problem, degree: int):
    start = np.zeros(degree + 1)
    start[1] = 1
    return minimize(loss, start, (problem,), method="BFGS", options={"gtol": 1e-6})


@pytest.mark.parametrize("taken", [0, 1, 2, 3])
@pytest.mark.parametrize("freedom", [1, 2])
def test_the_tail_is_that_of_draws(taken, freedom):
    rng = np.random.default_rng(taken)
    n = 100_000
    beyond = chi2.isf(0.05 * rng.random((taken, n)), 1)
    values = rng.chisquare(freedom, n) + beyond.sum(axis=0)
    for t in taken * ENTERS + np.array([0.5, 2, 5, 9]):
        share = float((values > t).mean())
        assert tail(np.array(t), taken, freedom) == pytest.approx(share, abs=5 * np.sqrt(max(share, 1e-4) / n))
    assert tail(np.array([0.0, taken * ENTERS]), taken, freedom) == pytest.approx([1, 1])


def test_one_power_taken_up_has_the_closed_form_of_the_paper():
    for t in (4.0, 6.0, 12.0):
        cut = np.sqrt(2 / np.pi) * np.exp(-t / 2) * (np.sqrt(t) - np.sqrt(ENTERS))
        assert tail(np.array(t), 1, 2) == pytest.approx(1 - (chi2.cdf(t, 1) - 0.95 - cut) / 0.05, abs=1e-9)


@pytest.mark.parametrize("truth", [lambda score: score, bent, lambda score: score**1.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_degree_and_statistic_are_those_of_plain_likelihoods(truth, weighted):
    problem = drawn(600, 4, truth)
    if weighted:
        times = np.random.default_rng(0).integers(1, 4, 600)
        problem = cv.ScalarProblem(problem.score, problem.given_target, times)
    losses = [fitted(problem, degree).fun for degree in range(1, 5)]
    degree = 1
    while degree < 4 and 2 * (losses[degree - 1] - losses[degree]) > ENTERS:
        degree += 1
    found = cv.calibration_belt(problem)
    statistic = 2 * (loss([0, 1], problem) - losses[degree - 1])
    assert found.degree == degree and found.statistic.item() == pytest.approx(statistic, abs=1e-4)
    assert found.p_value.item() == pytest.approx(float(tail(np.array(statistic), degree - 1, 2)), rel=1e-3)


def test_a_straight_polynomial_is_logistic_recalibration_and_its_test():
    problem = drawn(400, 1)
    found, slope = cv.calibration_belt(problem), cv.calibration_slope(problem)
    assert found.degree == 1
    assert (found.statistic.item(), found.p_value.item()) == pytest.approx((slope.statistic, slope.p_value))
    expected = expit(slope.intercept + slope.estimate * logit(found.score))
    np.testing.assert_allclose(found.probability, expected, rtol=1e-6)


@pytest.mark.parametrize(("n", "truth"), [(60, lambda score: score), (400, bent)])
def test_ends_are_the_extremes_over_the_region_of_the_likelihood(n, truth):
    problem = drawn(n, 2, truth)
    found = cv.calibration_belt(problem, levels=[0.95])
    degree = int(found.degree)
    best, taken = fitted(problem, degree), degree - 1
    reach = next(t for t in np.arange(taken * ENTERS, 60, 1e-4) if tail(np.array(t), taken, 2) <= 0.05)
    for place in (5, 50, 95):
        at = logit(found.score.values[place]) ** np.arange(degree + 1)
        for side, end in ((-1, found.lower), (1, found.upper)):
            there = minimize(
                lambda x, at=at, side=side: -side * float(at @ x),
                best.x,
                constraints={"type": "ineq", "fun": lambda x: best.fun + reach / 2 - loss(x, problem)},
                method="SLSQP",
                options={"maxiter": 500, "ftol": 1e-10},
            )
            assert end.values[0, place] == pytest.approx(expit(float(at @ there.x)), abs=2e-3)


@pytest.mark.parametrize(("turn", "place", "side", "end"), [(1, 0, "upper", 0.8751690), (2, 100, "lower", 0.0192668)])
def test_ends_far_from_their_polynomial_are_ends_all_the_same(turn, place, side, end):
    """A sample of weight 1e6 draws the polynomial hundreds of log-odds beyond 0 or 1; ends by a constrained search."""
    rng = np.random.default_rng(0)
    for slope, shift in ((1, 0), (0.6, 0.3), (1.6, 0))[: turn + 1]:
        n = int(rng.integers(40, 400))
        score = rng.beta(0.8, 0.8, n)
        target = rng.random(n) < expit(slope * logit(score) + shift)
        rng.random((2, n)), rng.integers(1, 4, n)
    weight = np.ones(n)
    weight[0] = 1e6
    found = cv.calibration_belt(cv.ScalarProblem(score, target, weight))
    assert found[side].sel(level=0.95)[place].item() == pytest.approx(end, abs=1e-6)


def test_ends_are_the_same_by_steps_and_by_a_search(monkeypatch):
    problem = drawn(80, 3, bent)
    monkeypatch.setattr(module, "PLACES", 9)
    by_steps = cv.calibration_belt(problem)
    monkeypatch.setattr(module, "STEPS", 1)
    xr.testing.assert_allclose(by_steps, cv.calibration_belt(problem), rtol=1e-6)


def test_few_samples_have_a_belt_around_their_polynomial_or_say_why_not(monkeypatch):
    monkeypatch.setattr(module, "PLACES", 9)
    degrees, refused = set(), 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        score = rng.beta(0.5, 0.7, int(rng.integers(5, 40)))
        target = np.abs(score - 0.5) < 0.25 if seed % 7 == 0 else rng.random(len(score)) < rng.random(len(score))
        try:
            found = cv.calibration_belt(cv.ScalarProblem(np.round(score, 1) if seed % 3 else score, target))
        except ValueError as why:
            assert "outcomes of both kinds that the scores do not separate" in str(why)
            refused += 1
            continue
        degrees.add(int(found.degree))
        assert ((found.lower <= found.probability + 1e-9) & (found.probability <= found.upper + 1e-9)).all()
    assert len(degrees) > 1 and 0 < refused < 30


def test_cells_of_many_scores_change_the_ends_by_next_to_nothing(monkeypatch):
    problem = drawn(6000, 5, lambda score: score**1.3)
    in_cells = cv.calibration_belt(problem)
    monkeypatch.setattr(module, "CELLS", 10_000)
    xr.testing.assert_allclose(in_cells, cv.calibration_belt(problem), atol=5e-4, rtol=1e-6)


def test_calibrated_scores_are_rejected_once_in_20_and_leave_no_belt_that_is_not():
    p_values = []
    for seed in range(400):
        found = cv.calibration_belt(drawn(400, seed), levels=[0.95] if seed < 60 else [])
        p_values.append(found.p_value.item())
        if p_values[-1] > 0.05 and found.sizes["level"]:
            within = (found.lower <= found.score + 1e-9) & (found.score <= found.upper + 1e-9)
            assert within.all()
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=3.3 * np.sqrt(0.05 * 0.95 / 400))


def test_of_development_data_the_line_is_no_evidence():
    rejected = []
    for seed in range(300):
        problem = drawn(500, seed, lambda score: expit(0.4 + 0.7 * logit(score)))
        fit = cv.calibration_slope(problem)
        refitted = problem.mapped(lambda score, fit=fit: expit(fit.intercept + fit.estimate * logit(score)))
        found = cv.calibration_belt(refitted, development=True, levels=[])
        assert found.degree >= 2
        rejected.append(found.p_value.item() < 0.05)
    assert np.mean(rejected) == pytest.approx(0.05, abs=3.3 * np.sqrt(0.05 * 0.95 / 300))


def test_a_bend_is_seen_and_a_wider_belt_holds_the_narrower_one():
    found = cv.calibration_belt(drawn(3000, 0, bent))
    assert found.degree >= 2 and found.p_value < 0.001
    inner, outer = found.sel(level=0.8), found.sel(level=0.95)
    assert (outer.lower < inner.lower).all() and (inner.upper < outer.upper).all()
    assert ((inner.lower < found.probability) & (found.probability < inner.upper)).all()
    truth = bent(found.score.values)
    assert ((outer.lower <= truth) & (truth <= outer.upper)).all()


def test_the_curve_named_belt_is_the_belt():
    problem = drawn(500, 1)
    belt, curve = cv.calibration_belt(problem), cv.calibration_curve(problem, smoother="belt", level=0.8)
    for name in ("lower", "upper", "probability"):
        one = belt[name].sel(level=0.8) if name != "probability" else belt[name]
        np.testing.assert_allclose(curve[name], one)
    assert curve.attrs["degree"] == belt.degree and curve.attrs["p_value"] == belt.p_value
    picture = cv.plots.calibration_curve(problem, smoother="belt")
    assert len(picture.axes) == 2


def test_scores_of_0_and_1_are_left_out_and_counted():
    inner = drawn(300)
    ends = cv.ScalarProblem([*inner.score, 0, 1, 1], [*inner.given_target, 0, 1, 0])
    one, other = cv.calibration_belt(inner), cv.calibration_belt(ends)
    assert (other.dropped, other.impossible) == (3, 1)
    np.testing.assert_allclose(one.lower, other.lower)
    assert cv.calibration_belt(ends, clip=1e-6).score[0] == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: cv.ScalarProblem([0.2, 0.6], [0.3, 0.7]), "the test takes labels that are 0 or 1, but these labels"),
        (lambda: cv.ScalarProblem([0.3, 0.3, 1], [0, 1, 1]), "needs at least 2 distinct scores between 0 and 1"),
        (lambda: cv.ScalarProblem([0.0, 1.0], [0, 1]), "needs at least 2 distinct scores between 0 and 1"),
        (
            lambda: cv.ScalarProblem([0.2, 0.4, 0.7], [0, 0, 1]),
            "outcomes of both kinds that the scores do not separate",
        ),
        (
            lambda: cv.ScalarProblem([0.2, 0.4, 0.7], [1, 1, 1]),
            "outcomes of both kinds that the scores do not separate",
        ),
        (
            lambda: cv.ScalarProblem([0.2, 0.6, 0.3], [0, 1, 0], cluster=[1, 1, 2]),
            "the calibration belt would take all samples to be independent",
        ),
    ],
)
def test_what_has_no_belt_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        cv.calibration_belt(make())


def test_arguments_that_cannot_be_are_refused():
    p = cv.load_dataset("tumours")["naive Bayes"]
    for given, said in (
        ({"levels": [0.5, 1.0]}, "levels must lie strictly between 0 and 1, not be 1"),
        ({"clip": 0.5}, "clip must lie strictly between 0 and 0.5, not be 0.5"),
        ({"levels": [0.5, 0.5]}, "level '0.5' is given twice"),
        ({"lens": "pooled"}, "lens must not be 'pooled' for a test"),
        ({"lens": "top-1", "selection": "correct == 1"}, "looks at what is true, and the calibration belt would find"),
    ):
        with pytest.raises(ValueError, match=said):
            cv.calibration_belt(p, **given)
    with pytest.raises(ValueError, match="needs at least 3 distinct scores"):
        cv.calibration_belt(cv.ScalarProblem([0.2, 0.2, 0.7, 0.7], [0, 1, 0, 1]), development=True)
