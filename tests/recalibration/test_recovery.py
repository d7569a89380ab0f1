"""Temperature, spline and one-vs-rest."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import slow
from hypothesis import given, settings, strategies as st

import calibviz as cv
from calibviz.recalibration.parameters import NotFittedError

TRUE_T = 2.5


def simulated(n=20_000, classes=5, seed=0, dtype=np.float64):
    """Logits that are TRUE_T times too large, with labels drawn from the right probabilities."""
    rng = np.random.default_rng(seed)
    z = 1.5 * rng.normal(size=(n, classes))
    e = np.exp(z)
    labels = (rng.random((n, 1)) > np.cumsum(e / e.sum(axis=1, keepdims=True), axis=1)).sum(axis=1)
    return (TRUE_T * z).astype(dtype), np.minimum(labels, classes - 1)


# ---- temperature


def test_temperature_recovers_the_truth():
    z, labels = simulated()
    fitted = cv.Temperature().fit(cv.Predictions(logits=z, labels=labels))
    assert fitted.temperature_ == pytest.approx(TRUE_T, rel=0.03)
    from_probs = cv.Temperature().fit(cv.Predictions(cv.Predictions(logits=z, labels=labels).probs, labels))
    assert from_probs.temperature_ == pytest.approx(fitted.temperature_, rel=1e-3)  # but for the clip at 1e-12


@pytest.mark.parametrize("kind", ["hard", "soft", "weighted"])
@pytest.mark.parametrize("seed", range(5))
def test_temperature_is_the_minimum(kind, seed):
    z, labels = simulated(200, 4, seed)
    rng = np.random.default_rng(seed)
    targets = np.eye(4)[labels] if kind != "soft" else 0.7 * np.eye(4)[labels] + 0.3 * rng.dirichlet(np.ones(4), 200)
    weights = rng.random(200) if kind == "weighted" else None
    t = cv.Temperature().fit(cv.Predictions(logits=z, labels=targets, weights=weights)).temperature_
    least = slow.log_loss_at(z, targets, t, weights)
    for factor in (1 - 1e-3, 1 + 1e-3, 0.5, 2):
        assert slow.log_loss_at(z, targets, t * factor, weights) > least


def test_temperature_of_float32_is_that_of_its_float64():
    z, labels = simulated(500, dtype=np.float32)
    small, large = (cv.Temperature().fit(cv.Predictions(logits=q, labels=labels)) for q in (z, z.astype(float)))
    assert small.temperature_ == large.temperature_
    probs = cv.Predictions(logits=z, labels=labels).probs.astype(np.float32)
    small, large = (cv.Temperature().fit(cv.Predictions(q, labels)) for q in (probs, probs.astype(float)))
    assert small.temperature_ == large.temperature_
    assert small.temperature_ == pytest.approx(TRUE_T, rel=0.2)


@given(slow.tables(max_size=30), st.data())
@settings(max_examples=30)
def test_temperature_of_weights_is_that_of_repeated_rows(table, data):
    probs, labels = table
    probs = 0.9 * probs + 0.1 / probs.shape[1]
    labels = np.concatenate([labels, probs.argmin(axis=1)])  # some errors, so that a minimum exists
    probs = np.concatenate([probs, probs])
    weights = data.draw(slow.whole_weights(len(labels)))
    weights[len(labels) // 2 :] = np.maximum(weights[len(labels) // 2 :], 1)
    weights[0] += 1
    times = weights.astype(int)
    if (probs.max(axis=1) - probs.min(axis=1)).max() < 1e-6:
        return
    weighted = cv.Predictions(probs, labels, weights=weights)
    repeated = cv.Predictions(np.repeat(probs, times, axis=0), np.repeat(labels, times))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # where the minimum lies outside, both say so
        found = [cv.Temperature().fit(q).temperature_ for q in (weighted, repeated)]
    assert found[0] == pytest.approx(found[1], rel=1e-6)


@pytest.mark.parametrize(("labels", "limit"), [([0, 1, 0], 0.001), ([1, 0, 1], 1000)])
def test_temperature_warns_where_no_minimum_exists(labels, limit):
    p = cv.Predictions(logits=[[2.0, 0], [0, 3], [1, 0]], labels=labels)
    with pytest.warns(RuntimeWarning, match=f"no temperature between 0.001 and 1000 minimises .*; {limit:g} is used"):
        fitted = cv.Temperature().fit(p)
    assert fitted.temperature_ == pytest.approx(limit)
    assert np.isfinite(fitted.transform(p).probs).all()


def test_temperature_of_flat_logits_changes_nothing():
    flat = cv.Predictions(np.full((4, 2), 0.5), [0, 1, 0, 1])
    assert cv.Temperature().fit(flat).temperature_ == 1


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("from_logits", [False, True])
def test_temperature_transform(dtype, from_logits):
    z, labels = simulated(2000)
    plain = cv.Predictions(logits=z, labels=labels).probs.astype(dtype)
    kwargs = {"logits": z.astype(dtype)} if from_logits else {}
    p = cv.Predictions(plain, labels, weights=np.arange(2000), fields={"id": np.arange(2000)}, **kwargs)
    fitted = cv.Temperature().fit(p)
    out = fitted.transform(p)
    assert out.probs.dtype == dtype
    np.testing.assert_allclose(out.probs.astype(float).sum(axis=1), 1, atol=5 * np.finfo(dtype).eps)
    assert ((out.probs >= 0) & (out.probs <= 1)).all()
    np.testing.assert_array_equal(out.predicted, z.astype(dtype).argmax(axis=1) if from_logits else p.predicted)
    assert cv.accuracy(out) == pytest.approx(cv.accuracy(p), abs=1e-3)
    np.testing.assert_array_equal(out.fields["id"], p.fields["id"])
    np.testing.assert_array_equal(out.weights, p.weights)
    logits = z.astype(dtype) if from_logits else np.log(np.maximum(plain.astype(float), 1e-12))
    scaled = np.exp(logits.astype(float) / fitted.temperature_)
    expected = scaled / scaled.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(out.probs, expected, rtol=2 * np.finfo(dtype).eps, atol=1e-7)
    if dtype == np.float64:
        assert cv.Temperature().fit(out).temperature_ == pytest.approx(1, abs=1e-6)
        np.testing.assert_array_equal(out.ranking(5), p.ranking(5))


# ---- spline


@pytest.mark.parametrize("levels", [7, 30, 10**9])
@pytest.mark.parametrize("knots", [2, 3, 4, 6, 11, 20])
def test_spline_is_its_definition(knots, levels):
    rng = np.random.default_rng(knots)
    score = np.round(rng.beta(3, 1, 150) * levels) / levels
    target = (rng.random(150) < score**2).astype(float)
    fitted = cv.Spline(knots).fit(cv.ScalarProblem(score, target))
    expected = slow.spline_map([(s, t, 1) for s, t in zip(score, target, strict=True)], knots)
    grid = np.concatenate([score, np.linspace(0, 1, 101)])
    np.testing.assert_allclose(fitted(grid), [expected(s) for s in grid], atol=1e-7)


@given(slow.problems(), st.data(), st.integers(2, 6))
def test_spline_of_weights_is_that_of_repeated_rows(problem, data, knots):
    score, target = problem
    weights = data.draw(slow.whole_weights(len(score)))
    times = weights.astype(int)
    weighted = cv.Spline(knots).fit(cv.ScalarProblem(score, target, weights))
    repeated = cv.Spline(knots).fit(cv.ScalarProblem(np.repeat(score, times), np.repeat(target, times)))
    grid = np.linspace(0, 1, 41)
    np.testing.assert_allclose(weighted(grid), repeated(grid), atol=1e-5)


@given(slow.problems(max_size=12), st.integers(2, 20))
def test_spline_of_few_samples(problem, knots):
    score, target = problem
    fitted = cv.Spline(knots).fit(cv.ScalarProblem(score, target))
    out = fitted(np.linspace(0, 1, 50))
    assert np.isfinite(out).all()
    assert ((out >= 0) & (out <= 1)).all()
    low, high = score.min(), score.max()
    assert (fitted(np.linspace(0, low, 5)) == fitted(low)).all()
    assert (fitted(np.linspace(high, 1, 5)) == fitted(high)).all()
    assert fitted(score).shape == score.shape
    assert fitted(score[:, None]).shape == (len(score), 1)


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_spline_of_constant_scores(n):
    target = np.arange(n) % 2
    fitted = cv.Spline().fit(cv.ScalarProblem(np.full(n, 0.3), target))
    out = fitted([0, 0.3, 1])
    assert out[0] == out[1] == out[2]
    if n > 6:  # the fitted difference is a straight line: the map moves the score to the mean target
        assert out[0] == pytest.approx(target.mean(), abs=1e-6)


def test_spline_clips_what_it_interpolates():
    # Far outside [0, 1] at the calibration scores, so that clipping before interpolating would show.
    rng = np.random.default_rng(3)
    score = np.round(rng.random(60), 1)
    target = (rng.random(60) < np.where(score < 0.5, 0.0, 1.0)).astype(float)
    fitted = cv.Spline(12).fit(cv.ScalarProblem(score, target))
    expected = slow.spline_map([(s, t, 1) for s, t in zip(score, target, strict=True)], 12)
    grid = np.linspace(0, 1, 1001)
    np.testing.assert_allclose(fitted(grid), [expected(s) for s in grid], atol=1e-7)


def test_spline_leaves_calibrated_scores_nearly_alone():
    rng = np.random.default_rng(0)
    score = rng.random(100_000)
    fitted = cv.Spline().fit(cv.ScalarProblem(score, (rng.random(100_000) < score).astype(float)))
    np.testing.assert_allclose(fitted(np.linspace(0.05, 0.95, 19)), np.linspace(0.05, 0.95, 19), atol=0.03)
    squared = cv.Spline(10).fit(cv.ScalarProblem(score, (rng.random(100_000) < score**2).astype(float)))
    np.testing.assert_allclose(squared(np.linspace(0.05, 0.95, 19)), np.linspace(0.05, 0.95, 19) ** 2, atol=0.03)


# ---- one-vs-rest


@pytest.mark.filterwarnings("ignore:no sample of the calibration set has")
@given(slow.tables(), st.integers(2, 6))
@settings(max_examples=30)
def test_one_vs_rest_gives_probabilities(table, knots):
    p = cv.Predictions(*table)
    out = cv.OneVsRest(cv.Spline(knots)).fit(p).transform(p)
    np.testing.assert_allclose(out.probs.sum(axis=1), 1, atol=1e-12)
    assert ((out.probs >= 0) & (out.probs <= 1)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_vs_rest_is_each_class_and_a_rescaling(dtype):
    z, labels = simulated(300, 4)
    p = cv.Predictions(cv.Predictions(logits=z, labels=labels).probs.astype(dtype), labels)
    out = cv.OneVsRest(cv.Spline()).fit(p).transform(p)
    columns = [cv.Spline().fit(cv.lens(f"class {c}")(p))(p.probs[:, c]) for c in range(4)]
    expected = np.column_stack(columns)
    np.testing.assert_allclose(out.probs, expected / expected.sum(axis=1, keepdims=True), atol=2e-7)
    assert out.probs.dtype == dtype


class Constant:
    """Maps every score to one value; `fit` remembers nothing."""

    name = "constant"

    def __init__(self, value):
        self.value = value

    def fit(self, problem):
        return self

    def __call__(self, score):
        return np.full(np.shape(score), self.value)


def test_one_vs_rest_of_rows_mapped_to_zero():
    p = cv.Predictions([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]], [0, 1])
    np.testing.assert_array_equal(cv.OneVsRest(Constant(0.0)).fit(p).transform(p).probs, p.probs)
    np.testing.assert_allclose(cv.OneVsRest(Constant(0.5)).fit(p).transform(p).probs, 1 / 3)


def test_one_vs_rest_of_two_classes():
    rng = np.random.default_rng(0)
    score = rng.random(4000)
    p = cv.Predictions(score, rng.random(4000) < score**2)
    out = cv.OneVsRest(cv.Spline()).fit(p).transform(p)
    np.testing.assert_allclose(out.probs.sum(axis=1), 1, atol=1e-12)
    assert cv.ks_error(out, "class 1") < 0.1 * cv.ks_error(p, "class 1")


# ---- messages


@pytest.mark.filterwarnings("ignore:no sample of the calibration set has")
def test_messages():
    p = cv.Predictions([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]], [0, 1])
    for name, use in {
        "Temperature": lambda: cv.Temperature().transform(p),
        "Spline": lambda: cv.Spline()([0.5]),
        "OneVsRest": lambda: cv.OneVsRest(cv.Spline()).transform(p),
    }.items():
        with pytest.raises(NotFittedError, match=rf"{name} is not fitted: call fit\(...\) with calibration data"):
            use()
    with pytest.raises(TypeError, match=r"Spline is fitted to a scalar problem.*not to Predictions"):
        cv.Spline().fit(p)
    with pytest.raises(TypeError, match="not to VectorProblem"):
        cv.Spline().fit(cv.lens("full")(p))
    with pytest.raises(ValueError, match="knots must be between 2 and 1000, not 1"):
        cv.Spline(1).fit(cv.lens("top-1")(p))
    with pytest.raises(TypeError, match="calibrator must be a scalar calibrator such as"):
        cv.OneVsRest(cv.Temperature())
    fitted = cv.OneVsRest(cv.Spline()).fit(p)
    with pytest.raises(ValueError, match=r"predictions have 2 classes, but OneVsRest\(Spline\(\)\) was fitted to 3"):
        fitted.transform(cv.Predictions([0.5], [0]))
    with pytest.raises(TypeError, match=r"Temperature is fitted to cv\.Predictions"):
        cv.Temperature().fit(p.probs)
    assert repr(cv.Temperature()) == "Temperature()"
