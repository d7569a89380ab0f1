"""The options of the spline: its target, monotone, bounded, and what its picture shows."""

from __future__ import annotations

import numpy as np
import pytest
from calibrator_samples import predictions, scores
from hypothesis import given, settings, strategies as st
from samples import samples
from scipy.interpolate import CubicSpline
from scipy.optimize import isotonic_regression, minimize

import calibviz as cv
from calibviz.recalibration.parameters import NotFittedError
from calibviz.recalibration.solvers.spline_design import designed, natural


def design(score, knots):
    """Values and slopes at i / n of the splines that are 1 at one knot."""
    places, u = np.linspace(0, 1, knots), np.arange(1, len(score) + 1) / len(score)
    kind = "natural" if knots > 2 else "not-a-knot"
    basis = [CubicSpline(places, row, bc_type=kind) for row in np.eye(knots)]
    return np.column_stack([f(u) for f in basis]), np.column_stack([f(u, 1) for f in basis])


def distinct_scores(n=60, seed=0):
    score, target = scores(n, seed)
    order = np.argsort(score)
    return score[order], target[order]


@pytest.mark.parametrize("knots", [2, 3, 6, 9])
def test_the_cumulative_target_is_its_definition(knots):
    score, target = distinct_scores()
    values, slopes = design(score, knots)
    at_knots = np.linalg.lstsq(values, np.cumsum(target) / 60, rcond=None)[0]
    found = cv.Spline(knots, target="cumulative").fit(score, target)
    np.testing.assert_allclose(found.knot_values_, at_knots, atol=1e-8)
    np.testing.assert_allclose(found.fitted_, slopes @ at_knots, atol=1e-7)
    np.testing.assert_allclose(found(score), np.clip(slopes @ at_knots, 0, 1), atol=1e-7)


@pytest.mark.parametrize("knots", [3, 4, 6, 11])
def test_the_run_out_is_the_linear_one_of_appendix_c(knots):
    h, fractile = 1 / (knots - 1), np.linspace(0, 1, 301)
    a = 4 * np.eye(knots - 2) + np.eye(knots - 2, k=1) + np.eye(knots - 2, k=-1)
    b = 6 / h**2 * (np.eye(knots - 2, knots) - 2 * np.eye(knots - 2, knots, 1) + np.eye(knots - 2, knots, 2))
    curvature = np.vstack([np.zeros(knots), np.linalg.solve(a, b), np.zeros(knots)])
    j = np.minimum((fractile / h).astype(int), knots - 2)
    u = (fractile - j * h)[:, None]
    by_hand = (-(u**3) / (6 * h) + u**2 / 2 - h * u / 3) * curvature[j]
    by_hand += (u**3 / (6 * h) - h * u / 6) * curvature[j + 1]
    by_hand += (1 - u / h) * np.eye(knots)[j] + u / h * np.eye(knots)[j + 1]
    np.testing.assert_allclose(designed(knots, fractile, None).values, by_hand, atol=1e-11)
    spline = natural(np.random.default_rng(0).normal(size=knots))
    np.testing.assert_allclose(spline([0.0, 1.0], 2), 0, atol=1e-9)


def test_beyond_the_calibration_scores_the_map_is_constant():
    score, target = distinct_scores()
    found = cv.Spline().fit(0.2 + score / 2, target)
    assert (found([0.0, 0.1]) == found(0.2 + score[0] / 2)).all()
    assert (found([0.9, 1.0]) == found(0.2 + score[-1] / 2)).all()


@given(samples(), st.integers(2, 8), st.booleans())
def test_monotone_is_isotonic_regression_of_the_fitted_values(sample, knots, bounded):
    problem = cv.ScalarProblem(*sample)
    free = cv.Spline(knots, bounded=bounded).fit(problem)
    weight = problem.weight
    mass = [weight[problem.score == s].sum() for s in free.score_]
    found = cv.Spline(knots, monotone=True, bounded=bounded).fit(problem)
    np.testing.assert_allclose(found.fitted_, isotonic_regression(free.fitted_, weights=mass).x, atol=1e-9)
    assert (np.diff(found(np.linspace(0, 1, 101))) >= -1e-15).all()


@settings(max_examples=25)
@given(samples(), st.integers(2, 10), st.sampled_from(["difference", "cumulative"]))
def test_a_bounded_spline_stays_within_its_bounds(sample, knots, target):
    problem = cv.ScalarProblem(*sample)
    free = cv.Spline(knots, target=target).fit(problem)
    found = cv.Spline(knots, target=target, bounded=True).fit(problem)
    # Fewer samples than knots leave knots free, and the fit is badly conditioned; it is clipped in any case.
    slack = 1e-6 if (problem.total if problem.whole_weights else len(problem)) > 2 * knots else 1e-2
    assert found.fitted_.min() >= -slack
    assert found.fitted_.max() <= 1 + slack
    if free.fitted_.min() >= 0 and free.fitted_.max() <= 1:
        np.testing.assert_array_equal(found.fitted_, free.fitted_)


@pytest.mark.parametrize("target", ["difference", "cumulative"])
@pytest.mark.parametrize("knots", [4, 8])
@pytest.mark.parametrize("seed", range(3))
def test_a_bounded_spline_is_the_nearest_one(seed, knots, target):
    # Scores far from 0.5 that nearly always come true: the free fit leaves [0, 1].
    rng = np.random.default_rng(seed)
    score = np.sort(rng.beta(0.5, 0.3, 50))
    hit = (rng.random(50) < np.where(score > 0.5, 0.97, 0.02)).astype(float)
    values, slopes = design(score, knots)
    base = score if target == "difference" else np.zeros(50)
    curve = (np.cumsum(hit) - np.cumsum(base)) / 50
    free = cv.Spline(knots, target=target).fit(score, hit)
    assert free.fitted_.min() < 0 or free.fitted_.max() > 1
    found = cv.Spline(knots, target=target, bounded=True).fit(score, hit)

    def error(v):
        return float(((values @ v - curve) ** 2).sum())

    slow = minimize(
        error,
        np.zeros(knots) if target == "difference" else np.linspace(0, 0.5, knots),
        jac=lambda v: 2 * values.T @ (values @ v - curve),
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda v: base + slopes @ v, "jac": lambda v: slopes},
            {"type": "ineq", "fun": lambda v: 1 - base - slopes @ v, "jac": lambda v: -slopes},
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert slow.success
    assert error(found.knot_values_) <= slow.fun + 1e-9
    np.testing.assert_allclose(found.fitted_, base + slopes @ slow.x, atol=1e-3)
    assert error(found.knot_values_) > error(free.knot_values_)


@settings(max_examples=25)
@given(samples(), st.integers(2, 8), st.booleans(), st.booleans())
def test_a_curve_is_the_fit_and_its_derivative(sample, knots, monotone, bounded):
    problem = cv.ScalarProblem(*sample)
    found = cv.Spline(knots, monotone=monotone, bounded=bounded).fit(problem)
    curve = found.curve()
    assert dict(curve.sizes) == {"point": len(found.score_), "knot": knots}
    np.testing.assert_array_equal(curve.score, found.score_)
    np.testing.assert_array_equal(curve.probability, found(found.score_))
    np.testing.assert_array_equal(curve.knot_probability, found(curve.knot_score))
    np.testing.assert_allclose(curve.knot_fractile, np.linspace(0, 1, knots))
    np.testing.assert_array_equal(curve.knot_cumulative_fit, found.knot_values_)
    weight = problem.weight
    share = [weight[problem.score <= s].sum() / weight.sum() for s in found.score_]
    np.testing.assert_allclose(curve.fractile, share, atol=1e-12)
    spline = CubicSpline(
        curve.knot_fractile.values, found.knot_values_, bc_type="natural" if knots > 2 else "not-a-knot"
    )
    np.testing.assert_allclose(curve["cumulative_fit"], spline(share), atol=1e-8)
    step = 1e-6
    slope = (spline(np.array(share) + step) - spline(np.array(share) - step)) / (2 * step)
    np.testing.assert_allclose(curve.slope, slope, atol=1e-4 * (1 + np.abs(slope).max()))


def test_a_curve_has_as_many_points_as_asked_for():
    found = cv.Spline().fit(*scores(5000))
    assert found.curve(50).sizes["point"] == 50
    assert found.curve().sizes["point"] == 600
    few = found.curve(2)
    assert few.score.values.tolist() == [found.score_[0], found.score_[-1]]
    assert few.attrs["calibrator"] == "Spline()"
    with pytest.raises(ValueError, match="points must be at least 2, not 1"):
        found.curve(1)
    with pytest.raises(NotFittedError, match="Spline is not fitted"):
        cv.Spline().curve()


def test_without_ties_the_probability_is_the_score_and_the_slope():
    score, target = distinct_scores(400)
    curve = cv.Spline(7).fit(score, target).curve()
    np.testing.assert_allclose(curve.probability, np.clip(curve.score + curve.slope, 0, 1), atol=1e-12)
    cumulative = cv.Spline(7, target="cumulative").fit(score, target).curve()
    np.testing.assert_allclose(cumulative.probability, np.clip(cumulative.slope, 0, 1), atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"target": "cumulative"}, {"monotone": True}, {"bounded": True}])
@pytest.mark.parametrize(
    "lens",
    [
        *("top-1", "class 0", "class 3", "rank 2", "within-top 2"),
        cv.Outcome(cv.Grouping({"even": [0, 2], "odd": [1, 3]}), "odd"),
        cv.lens("pooled"),
    ],
    ids=str,
)
def test_every_scalar_lens_is_served(lens, options):
    lens = cv.lens(lens) if isinstance(lens, str) else lens
    calibration, judged = predictions(4000, 4, 0), predictions(4000, 4, 0).select(np.arange(0, 4000, 2))
    found = cv.Spline(**options).fit(lens(calibration))
    before = lens(judged)
    after = before.mapped(found)
    assert cv.ks_error(after) < max(0.5 * cv.ks_error(before), 0.02)


def test_whole_weights_and_others_lead_to_nearly_the_same():
    # Whole ones are repetitions, others enter at the fractile where their sample ends.
    score, target = scores(3000)
    weight = np.random.default_rng(0).integers(1, 4, 3000)
    found = [cv.Spline().fit(cv.ScalarProblem(score, target, weight * unit)) for unit in (1.0, 0.25)]
    grid = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(found[0](grid), found[1](grid), atol=5e-3)
