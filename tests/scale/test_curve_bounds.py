"""Curves of a summary's samples lie where it says: those of the samples themselves do."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from golden_sets import NAMES, SHARED, predictions
from hypothesis import given, settings, strategies as st
from summary_cases import CASES, COARSE, SCORES

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError
from calibviz.recalibration.solvers.gauss_nodes import run_nodes

SPLINES = (cv.Spline(), cv.Spline(2, "cumulative"), cv.Spline(4, monotone=True))


def inside(bounds, name, values, slack=1e-12):
    low, high = bounds[name].values.T
    assert (low - slack <= values).all() and (values <= high + slack).all(), (name, low, values, high)
    return high - low


def check(p, lens="class 1", grid=None):
    """Every curve of the samples lies within the bounds; how far these are apart, of each spline."""
    summary, problem = cv.summarize(p, lens, grid=grid), cv.lens(lens)(p)
    cumulative = cv.curve_bounds(summary)
    at = cumulative.fractile.values * problem.total
    target, score = (
        np.interp(at, problem.cumulative_weight, sums) / problem.total
        for sums in (problem.cumulative_target, problem.cumulative_score)
    )
    inside(cumulative, "target", target)
    inside(cumulative, "difference", target - score)
    for binning in (cv.EqualMass(9), cv.Uniform(3)):
        bins, bounds = binning(problem), cv.curve_bounds(summary, binning)
        filled = bins.weight > 0
        for name, values in {"score": bins.score, "target": bins.target}.items():
            inside(bounds.isel(bin=filled), name, values[filled], 1e-10)
            assert np.isnan(bounds[name].values[~filled]).all()
    if not summary.whole_weights:
        return []
    scores = np.concatenate([np.linspace(0, 1, 50), problem.score[:: max(1, len(problem) // 200)]])
    found = []
    for spline in SPLINES:
        bounds = cv.curve_bounds(summary, spline, scores)
        found.append(inside(bounds, "probability", copy.copy(spline).fit(problem)(scores), 1e-8))
        fitted = copy.copy(spline).fit(summary)
        inside(cv.curve_bounds(summary, spline, fitted.score_), "probability", fitted(fitted.score_), 1e-8)
    return found


@pytest.mark.skipif(not (SHARED / "golden").is_dir(), reason="the real predictions are not on this machine")
@pytest.mark.parametrize("name", NAMES)
def test_real_predictions(name):
    for lens in ("top-1", "class 1"):
        for apart in check(predictions(name), lens):
            assert apart.max() < 2e-3  # a bound that says something


@pytest.mark.parametrize("name", CASES)
def test_hard_cases(name):
    score, target, weight = CASES[name]
    p = cv.Predictions(score, np.asarray(target, dtype=int), weights=weight)
    for grid in (None, COARSE):
        check(p, grid=grid)


@settings(deadline=None, max_examples=60)
@given(scores=SCORES, seed=st.integers(0, 2**16), weighted=st.booleans())
def test_bounds_hold_whatever_the_scores(scores, seed, weighted):
    draw = np.random.default_rng(seed)
    weights = draw.integers(1, 9, len(scores)) if weighted else None
    check(cv.Predictions(np.array(scores), draw.integers(0, 2, len(scores)), weights=weights), grid=COARSE)


@settings(deadline=None)
@given(times=st.lists(st.integers(1, 60), min_size=1, max_size=12), knots=st.integers(2, 9), power=st.integers(0, 7))
def test_a_few_nodes_stand_for_all_repetitions(times, knots, power):
    ends = np.cumsum(np.array(times, dtype=float))
    cuts = np.floor(np.linspace(0, 1, knots) * ends[-1])
    node, weight, first = run_nodes(ends, cuts)
    assert len(node) <= 4 * (len(times) + knots)
    every = np.arange(1, ends[-1] + 1)

    def values(x):  # another polynomial in each piece
        return np.cos(np.searchsorted(cuts, x)) * (x / ends[-1] - 0.4) ** power

    starts = np.concatenate([[0], ends[:-1]]).astype(int)
    expected = np.add.reduceat(values(every), starts)
    np.testing.assert_allclose(np.add.reduceat(weight * values(node), first), expected, atol=1e-9)


def test_a_spline_of_repetitions_beyond_number():
    p = cv.simulated("resnet110_c10", 500)
    few, many = (
        cv.Spline().fit(cv.lens("class 1")(cv.Predictions(p.probs, p.labels, weights=np.full(500, times))))
        for times in (1_000.0, 1e10)
    )
    scores = np.linspace(0, 1, 101)
    np.testing.assert_allclose(few(scores), many(scores), atol=1e-4)  # the fractiles are (i - 1 / 2) / n + 1 / 2n


@pytest.mark.parametrize("n", range(1, 13))
@pytest.mark.parametrize("knots", [3, 6, 12])
def test_a_spline_of_fewer_samples_than_knots(n, knots):
    draw = np.random.default_rng(n)
    score, target, times = draw.integers(0, 9, n) / 8, draw.integers(0, 2, n), draw.integers(1, 4, n)
    weighted = cv.Spline(knots).fit(cv.ScalarProblem(score, target, times.astype(float)))
    repeated = cv.Spline(knots).fit(np.repeat(score, times), np.repeat(target, times))
    np.testing.assert_allclose(weighted.fitted_, repeated.fitted_, atol=1e-9)
    summary = cv.summarize(cv.Predictions(score, target), "class 1")
    low, high = cv.curve_bounds(summary, cv.Spline(knots)).probability.values.T
    assert (high - low < 1e-7).all()  # one score a cell: all is known


def test_weights_that_are_lost_beside_others():
    score, target, weight = [0.1, 0.2, 0.3, 0.6, 0.8], [0, 1, 0, 1, 1], [9e15, 9e15, 1.0, 1.0, 1.0]
    fitted = cv.Spline().fit(cv.ScalarProblem(score, target, weight))
    assert np.isfinite(fitted(score)).all()
    summary = cv.summarize(cv.Predictions(score, target, weights=weight), "class 1")
    with pytest.raises(ValueError, match="weights are too different in size"):
        cv.curve_bounds(summary, cv.Spline())
    heavy = cv.summarize(cv.Predictions(score, target, weights=np.full(5, 1e15)), "class 1")
    assert np.ptp(cv.curve_bounds(heavy, cv.Spline()).probability.values, axis=1).max() < 1e-7
    wide = cv.summarize(cv.Predictions(score, target, weights=np.full(5, 1e300)), "class 1", grid=COARSE)
    with pytest.raises(ValueError, match="where weights count repetitions"):  # which no float64 beyond 2^53 does
        cv.curve_bounds(wide, cv.Spline())


def test_what_has_no_bounds_is_refused():
    p = cv.simulated("resnet110_c10", 100)
    summary = cv.summarize(p, "class right")
    with pytest.raises(ValueError, match=r'curve must be "cumulative", cv\.Uniform\(15\), .* not \'corp\''):
        cv.curve_bounds(summary, "corp")
    with pytest.raises(ValueError, match="which has no bounds: pass bounded=False"):
        cv.curve_bounds(summary, cv.Spline(bounded=True))
    with pytest.raises(ValueError, match=r"at\[1\] is 1.5: every entry must be in \[0, 1\]"):
        cv.curve_bounds(summary, at=[0.5, 1.5])
    with pytest.raises(ValueError, match=r"at\[0\] is nan"):
        cv.curve_bounds(summary, cv.Spline(), np.nan)
    with pytest.raises(ValueError, match=r"at must have shape \(m,\), not \(1, 2\)"):
        cv.curve_bounds(summary, at=[[0.1, 0.2]])
    with pytest.raises(ValueError, match="at is for curves: bins have places of their own"):
        cv.curve_bounds(summary, cv.EqualMass(5), [0.5])
    with pytest.raises(ValueError, match="does not have the edges of 101 uniform bins"):
        cv.curve_bounds(summary, cv.Uniform(101))
    with pytest.raises(TypeError, match=r"summary must be a cv\.Summary, not Predictions"):
        cv.curve_bounds(p)
    with pytest.raises(EmptyProblemError):
        cv.curve_bounds(cv.Summary("top-1"))
    half = cv.summarize(cv.Predictions(p.probs, p.labels, weights=np.full(100, 0.5)), "class 1")
    with pytest.raises(ValueError, match="splines have bounds where weights count repetitions"):
        cv.curve_bounds(half, cv.Spline())
