"""Calibrators of rows: what they recover, what changes nothing, and which order they keep."""

from __future__ import annotations

import numpy as np
import pytest
from calibrator_samples import COLUMNS, ROWS, SCALARS, WHOLE, arrays, drawn, fitted, fresh, predictions, scores, softmax

import calibviz as cv

N = 20_000


def simulated(distort, classes=3, seed=0, n=N):
    """True probabilities, and predictions whose logits are a distortion of the true ones."""
    rng = np.random.default_rng(seed)
    z = 1.5 * rng.normal(size=(n, classes))
    truth = softmax(z)
    return truth, cv.Predictions(labels=drawn(truth, rng), logits=distort(z))


def distance(p, truth):
    return np.abs(p.probs - truth).mean()


# ---- a known distortion is undone


@pytest.mark.parametrize("true", [0.4, 2.5])
def test_temperatures_are_recovered(true):
    truth, p = simulated(lambda z: true * z, n=8000)
    found = cv.Temperature().fit(p)
    assert found.temperature_ == pytest.approx(true, rel=0.04)
    assert found.gradient_norm_ < 1e-5
    assert cv.MetricTemperature().fit(p).temperature_ == pytest.approx(true, rel=0.15)
    mixed = cv.EnsembleTemperature().fit(p)
    assert distance(mixed.transform(p), truth) < 0.01 < 0.05 < distance(p, truth)


def test_the_bias_is_recovered():
    bias = np.array([1.0, -0.5, 0.2])
    _, p = simulated(lambda z: 2 * (z - bias))
    found = cv.BiasCorrectedTemperature().fit(p)
    assert found.temperature_ == pytest.approx(2, rel=0.03)
    np.testing.assert_allclose(found.bias_ - found.bias_.mean(), bias - bias.mean(), atol=0.04)


def test_factors_are_recovered():
    factor, bias = np.array([0.5, 1.0, 2.0]), np.array([0.3, 0.0, -0.6])
    _, p = simulated(lambda z: (z - bias) / factor)
    found = cv.VectorScaling().fit(p)
    np.testing.assert_allclose(found.weight_, factor, atol=0.05)
    np.testing.assert_allclose(found.bias_ - found.bias_[1], bias, atol=0.08)


@pytest.mark.parametrize("kind", ["matrix", "dirichlet, free"])
def test_a_matrix_is_recovered(kind):
    weight = np.array([[0.8, 0.2, 0.0], [-0.3, 1.1, 0.1], [0.0, 0.3, 0.6]])
    bias = np.array([0.5, 0.0, -0.5])
    truth, p = simulated(lambda z: (z - bias) @ np.linalg.inv(weight).T)
    found = fresh(kind).fit(p)
    assert distance(found.transform(p), truth) < 0.01 < 0.1 < distance(p, truth)
    if kind == "matrix":  # a row that is added to all the others changes nothing
        for name, true in (("weight_", weight), ("bias_", bias)):
            value = getattr(found, name)
            np.testing.assert_allclose(value - value.mean(axis=0), true - true.mean(axis=0), atol=0.1)


@pytest.mark.parametrize("weights", [(0.7, 0.0, 0.3), (0.5, 0.5, 0.0), (0.3, 0.3, 0.4)])
def test_a_mixture_is_recovered(weights):
    rng = np.random.default_rng(2)
    z = 4 * rng.normal(size=(N, 4))
    truth = weights[0] * softmax(z / 3) + weights[1] * softmax(z) + weights[2] / 4
    p = cv.Predictions(labels=drawn(truth, rng), logits=z)
    found = cv.EnsembleTemperature().fit(p)
    np.testing.assert_allclose(found.weights_, weights, atol=0.1)
    assert found.weights_.sum() == pytest.approx(1, abs=1e-12)
    assert distance(found.transform(p), truth) < 0.006 < 0.05 < distance(p, truth)


def test_the_network_learns_what_no_matrix_can():
    rng = np.random.default_rng(4)
    z = 1.5 * rng.normal(size=(4000, 3))
    truth = softmax(np.abs(z))
    p = cv.Predictions(labels=drawn(truth, rng), logits=z)
    assert distance(cv.MatrixScaling().fit(p).transform(p), truth) > 0.1
    assert distance(fitted(cv.NeuralScaling(), p).transform(p), truth) < 0.05


@pytest.mark.parametrize("name", ["isotonic", "histogram", "spline", "beta", "platt"])
def test_one_vs_rest_comes_nearer_to_the_truth(name):
    truth, p = simulated(lambda z: 2.5 * z, n=6000)
    assert distance(cv.OneVsRest(SCALARS[name]).fit(p).transform(p), truth) < 0.6 * distance(p, truth)
    assert distance(cv.ByRank(SCALARS[name]).fit(p).transform(p), truth) < 0.8 * distance(p, truth)


@pytest.mark.parametrize("name", WHOLE)
def test_calibrated_predictions_stay_as_they_are(name):
    rng = np.random.default_rng(9)
    truth = softmax(2 * rng.normal(size=(6000, 3)))
    p = cv.Predictions(truth, drawn(truth, rng))
    changed = distance(fitted(fresh(name), p).transform(p), truth)
    # Steps move every score to the mean of its bin; uniform bins of width w by w / 4 on average.
    assert changed < (0.05 if "bootstrap" in name or "cumulative" in name else 0.02)


# ---- the same input in other forms


@pytest.mark.parametrize("logits", [True, False])
@pytest.mark.parametrize("name", WHOLE)
def test_float32_is_its_float64(name, logits):
    z, labels = arrays(300)
    given = z if logits else softmax(z)
    small = given.astype(np.float32)
    out = []
    for array in (small, small.astype(np.float64), given):
        p = cv.Predictions(None if logits else array, labels, logits=array if logits else None)
        out.append(fitted(fresh(name), p).transform(p).probs)
    np.testing.assert_allclose(out[0], out[1], atol=1e-6)
    np.testing.assert_allclose(out[0], out[2], atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", WHOLE)
def test_the_order_of_the_samples_is_of_no_account(name, weighted):
    rng = np.random.default_rng(5)
    p = predictions(300, weights=rng.random(300) + 0.1 if weighted else None)
    moved = p.select(rng.permutation(300))
    out = [fitted(fresh(name), q).transform(p).probs for q in (p, moved)]
    np.testing.assert_allclose(*out, atol=3e-5)


@pytest.mark.parametrize("name", WHOLE)
def test_fitting_twice_gives_the_same_bits(name):
    p, calibrator = predictions(300), fresh(name)
    first = fitted(calibrator, p).transform(p).probs
    np.testing.assert_array_equal(fitted(calibrator, p).transform(p).probs, first)
    np.testing.assert_array_equal(fitted(fresh(name), p).transform(p).probs, first)


@pytest.mark.parametrize("name", [name for name in WHOLE if "bootstrap" not in name])
def test_weights_are_repeated_rows(name):
    times = np.random.default_rng(3).integers(0, 4, 300)
    p, weighted = predictions(300), predictions(300, weights=times.astype(float))
    out = [fitted(fresh(name), q).transform(p).probs for q in (weighted, p.select(np.repeat(np.arange(300), times)))]
    np.testing.assert_allclose(*out, atol=1e-6)


@pytest.mark.parametrize("unit", [2.0**-190, 2.0**190, 1e-3])
@pytest.mark.parametrize("name", [*ROWS, "one-vs-rest isotonic"])
def test_the_unit_of_weights_is_of_no_account(name, unit):
    weights = np.random.default_rng(3).random(200)
    p = predictions(200)
    out = [fitted(fresh(name), predictions(200, weights=weights * u)).transform(p).probs for u in (1, unit)]
    np.testing.assert_allclose(*out, atol=3e-5)


@pytest.mark.parametrize("name", ROWS)
def test_one_hot_rows_that_count_as_soft_labels(name):
    # One row that is not one-hot, of weight 0, has all of them kept as soft labels.
    z, labels = arrays(200)
    rows = np.eye(4)[labels]
    rows[-1] = 0.25
    weights = np.append(np.ones(199), 0.0)
    soft = cv.Predictions(labels=rows, logits=z, weights=weights)
    assert soft.soft_labels is not None
    hard = cv.Predictions(labels=labels, logits=z, weights=weights)
    out = [fitted(fresh(name), q).transform(hard).probs for q in (soft, hard)]
    np.testing.assert_allclose(*out, atol=3e-5)


# ---- the likelihood


@pytest.mark.parametrize("seed", range(6))
def test_more_parameters_mean_a_lower_loss(seed):
    rng = np.random.default_rng(seed)
    classes = int(rng.integers(2, 6))
    p = predictions(int(rng.integers(100, 800)), classes, seed)
    loss = {name: cv.log_loss(fitted(fresh(name), p).transform(p)) for name in ROWS}
    before = cv.log_loss(p)
    for name in ("temperature", "ensemble", "bias-corrected", "vector", "matrix", "dirichlet, free", "neural"):
        assert loss[name] <= before + 1e-9, name
    assert loss["ensemble"] <= loss["temperature"] + 1e-12
    assert loss["matrix"] <= loss["vector"] + 1e-6
    assert loss["vector"] <= loss["bias-corrected"] + 1e-6
    assert loss["bias-corrected"] <= loss["temperature"] + 1e-6
    assert loss["matrix"] <= loss["matrix, penalty"] + 1e-6
    # On logits, log-probabilities are logits less a number for each row, which a matrix can tell.
    assert loss["dirichlet, free"] < before


def test_the_metric_temperature_is_the_least_error():
    p = predictions(800)
    found = cv.MetricTemperature(cv.ks_error).fit(p)
    assert found.error_ == cv.ks_error(found.transform(p))
    usual = cv.Temperature().fit(p).temperature_
    for factor in usual * np.geomspace(1 / 2, 2, 49):  # all of them leave the rows more than half of what they know
        other = cv.Predictions(labels=p.labels, logits=p.logits / factor)
        assert found.error_ <= cv.ks_error(other) + 1e-9


# ---- the ranking


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("logits", [True, False])
def test_the_ranking_is_kept_where_it_says_so(name, logits):
    p = predictions(300, 5, 3, logits=logits)
    found = fitted(fresh(name), p)
    out = found.transform(p)
    kept = np.array_equal(np.argsort(p.probs, axis=1), np.argsort(out.probs, axis=1))
    assert not found.keeps_ranking or kept
    assert found.keeps_ranking == (name in ("temperature", "metric", "in context", "ensemble"))
    if found.keeps_ranking:
        assert found.accuracy_change(p) == 0
    assert found.accuracy_change(p) == pytest.approx(100 * (cv.accuracy(out) - cv.accuracy(p)))


def test_some_rankings_change():
    p = predictions(300, 5, 3)
    for name in ("bias-corrected", "vector", "matrix", "dirichlet", "neural", *COLUMNS):
        if name == "shared beta":  # one rising map for all
            continue
        out = fitted(fresh(name), p).transform(p)
        assert not np.array_equal(np.argsort(p.probs, axis=1), np.argsort(out.probs, axis=1)), name


@pytest.mark.parametrize("name", SCALARS)
@pytest.mark.parametrize("seed", range(3))
def test_a_scalar_map_rises_where_it_says_so(name, seed):
    score, target = scores(120, seed)
    found = fresh(name).fit(score, target)
    rises = (np.diff(found(np.linspace(0, 1, 2001))) >= -1e-15).all()
    assert rises or not found.keeps_ranking
    assert found.keeps_ranking == (name in ("spline, monotone", "isotonic", "platt", "beta"))


def test_platt_says_where_it_turns_the_order_around():
    score, target = scores(200)
    found = cv.Platt()
    assert found.keeps_ranking
    found.fit(score, 1 - target)
    assert found.slope_ < 0
    assert not found.keeps_ranking
    assert (np.diff(found(np.linspace(0, 1, 50))) <= 0).all()
