"""What calibrators do with little data, with strange data, and with types of low precision."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from calibrator_samples import COLUMNS, ROWS, SCALARS, WHOLE, arrays, fitted, fresh, predictions, softmax

import calibviz as cv
from calibviz.recalibration.solvers import conditioning

SLACK = {np.float64: 1e-12, np.float32: 1e-6, np.float16: 4 * 2.0**-10}


def separated(margin):
    rng = np.random.default_rng(0)
    return margin * np.eye(3)[np.arange(30) % 3] + 0.1 * rng.normal(size=(30, 3)), np.arange(30) % 3


def strange():
    z, labels = arrays(60)
    few = np.random.default_rng(1).normal(size=(3, 3))
    return {
        "constant": (np.tile([1.0, 0.3, -1], (12, 1)), np.arange(12) % 3),
        "constant and wrong": (np.tile([1.0, 0.3, -1], (12, 1)), np.array([2] * 8 + [0, 1] * 2)),
        "flat": (np.full((12, 3), 0.3), np.array([0] * 8 + [1, 2] * 2)),
        "flat and right": (np.zeros((8, 4)), np.arange(8) % 4),
        "a class is missing": (z, np.minimum(labels, 2)),
        "one class": (z, np.zeros(60, dtype=int)),
        "separated": separated(8),
        "far separated": separated(60),
        "always wrong": (separated(8)[0], (separated(8)[1] + 1) % 3),
        "three samples": (few, [0, 1, 2]),
        "three of one class": (few, [1, 1, 1]),
        "one sample": (few[:1], [0]),
        "ties": (np.round(z / 3), labels),
        "one of many is wrong": (np.tile([20.0, 0, 0], (40, 1)), np.array([0] * 39 + [1])),
        "two classes": arrays(60, 2),
        "a large shift": (z + 1000, labels),
        "large": (100 * z, labels),
    }


STRANGE = strange()


def check(p, out):
    kind = p.probs.dtype.type
    assert out.probs.dtype == p.probs.dtype
    probs = out.probs.astype(np.float64)
    assert ((probs >= 0) & (probs <= 1)).all()  # nor nan
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=SLACK[kind])
    if out.logits is not None:
        assert out.logits.dtype == p.logits.dtype
        assert np.isfinite(out.logits).all()


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:no sample of the calibration set has")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", [name for name in WHOLE if name != "metric"])
def test_whatever_is_given_rows_of_probabilities_come_out(name, dtype):
    several = [(case, logits) for case in STRANGE for logits in (True, False)]
    step = {np.float64: 1, np.float32: 3, np.float16: 5}[dtype] * (4 if name == "neural" else 1)
    for case, logits in several[::step]:
        z, labels = STRANGE[case]
        given = z.astype(dtype) if logits else softmax(z).astype(dtype)
        before = given.copy()
        p = cv.Predictions(None if logits else given, labels, logits=given if logits else None)
        calibrator = fresh(name) if name != "neural" else cv.NeuralScaling(2)
        check(p, fitted(calibrator, p).transform(p))
        others = np.random.default_rng(2).dirichlet(np.ones(p.n_classes), 20).astype(dtype)
        other = cv.Predictions(None if logits else others, [0] * 20, logits=np.log(others) if logits else None)
        check(other, calibrator.transform(other))
        np.testing.assert_array_equal(given, before)


@pytest.mark.filterwarnings("ignore:no temperature between")
@pytest.mark.parametrize("case", list(STRANGE)[::2])
def test_the_metric_temperature_of_strange_data(case):
    z, labels = STRANGE[case]
    p = cv.Predictions(labels=labels, logits=z.astype(np.float32))
    found = cv.MetricTemperature().fit(p)
    check(p, found.transform(p))
    assert found.error_ <= cv.calibration_error(p) + 1e-12


@pytest.mark.parametrize("name", ROWS)
def test_logits_that_float16_cannot_hold_are_its_largest(name):
    z = np.array([[100, 99.5], [99.5, 100], [100, 99]] * 4, dtype=np.float16)
    p = cv.Predictions(labels=[0, 1, 0] * 4, logits=z)
    out = fitted(fresh(name), p).transform(p)
    check(p, out)
    np.testing.assert_array_equal(out.predicted, p.predicted)


MANY = ("temperature", "ensemble", "bias-corrected", "vector", "one-vs-rest spline", "one-vs-rest isotonic")
MANY += ("one-vs-rest histogram", "shared histogram", "by rank isotonic")


@pytest.mark.filterwarnings("ignore:no sample of the calibration set has")
@pytest.mark.parametrize("name", WHOLE)
def test_many_classes(name):
    p = predictions(1200, 1000) if name in MANY else predictions(200, 25)
    check(p, fitted(fresh(name), p).transform(p))


@pytest.mark.parametrize("name", ["matrix, penalty", "dirichlet"])
def test_shared_axes_lead_to_the_same_fit(name, monkeypatch):
    p = predictions(600, 12)
    blocks = fresh(name).fit(p)
    monkeypatch.setattr(conditioning, "MOST_BLOCK_CLASSES", 3)
    shared = fresh(name).fit(p)
    np.testing.assert_allclose(shared.transform(p).probs, blocks.transform(p).probs, atol=1e-4)
    assert not np.array_equal(shared.weight_, blocks.weight_)  # the way was another one


# ---- warnings


def messages(calibrator, p):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        calibrator.fit(p)
    assert all(one.category is RuntimeWarning for one in caught)
    return " | ".join(str(one.message) for one in caught)


@pytest.mark.parametrize("name", ["bias-corrected", "vector", "matrix", "dirichlet, free"])
def test_separated_classes_are_said(name):
    p = cv.Predictions(labels=separated(8)[1], logits=separated(8)[0])
    found = messages(fresh(name), p)
    assert found == (
        "the fit separates the classes of the calibration set, and could go on without end; "
        "a penalty, or more samples, would help"
    )


def test_a_warning_points_at_the_call():
    p = cv.Predictions(labels=separated(8)[1], logits=separated(8)[0])
    for calibrator in (cv.Temperature(), cv.VectorScaling(), cv.MatrixScaling()):
        with pytest.warns(RuntimeWarning) as caught:
            calibrator.fit(p)
        assert caught[0].filename == __file__, calibrator


@pytest.mark.parametrize("name", ROWS)
def test_generic_data_need_no_warning(name):
    assert messages(fresh(name), predictions(500)) == ""


# ---- classes that the calibration set lacks


@pytest.mark.filterwarnings("ignore:no sample of the calibration set has")
def test_a_class_that_is_missing_is_left_alone():
    z, labels = arrays(300)
    p = cv.Predictions(labels=np.minimum(labels, 2), logits=z)
    assert fitted(cv.BiasCorrectedTemperature(), p).bias_[3] == 0
    vector = fitted(cv.VectorScaling(), p)
    assert (vector.weight_[3], vector.bias_[3]) == pytest.approx((1, 0), abs=1e-12)
    matrix = fitted(cv.MatrixScaling(), p)
    np.testing.assert_allclose(matrix.weight_[3], [0, 0, 0, 1], atol=1e-12)
    assert matrix.bias_[3] == pytest.approx(0, abs=1e-12)
    for found in (vector, matrix):
        np.testing.assert_allclose(found.transform(p).logits[:, 3], z[:, 3], atol=1e-10)


# ---- scalar problems


def strange_scores():
    rng = np.random.default_rng(0)
    line = np.concatenate([np.linspace(0, 0.4, 20), np.linspace(0.6, 1, 20)])
    return {
        "one": ([0.3], [1]),
        "zero": ([0.0], [1]),
        "the ends": ([0.0, 1.0], [1, 0]),
        "three": ([0.1, 0.5, 0.9], [0, 1, 1]),
        "constant": ([0.3] * 20, [0, 1] * 10),
        "separated": (line, [0] * 20 + [1] * 20),
        "the wrong way": (line, [1] * 20 + [0] * 20),
        "never": (rng.random(30), [0] * 30),
        "always": (rng.random(30), [1] * 30),
        "beyond the ends": ([-0.001, 0.5, 1.001] * 5, [0, 1.001, 1] * 5),
        "more than all": (np.linspace(0, 1.0, 5000), [1.001] * 5000),
        "tiny": (10.0 ** -np.arange(1, 40), [0, 1] * 19 + [0]),
        "nearly sure": (1 - 10.0 ** -np.arange(1, 40), [0, 1] * 19 + [0]),
        "ties": (np.round(rng.random(300) * 4) / 4, rng.random(300) < 0.5),
        "soft": (rng.random(50), rng.random(50)),
    }


STRANGE_SCORES = strange_scores()


@pytest.mark.parametrize("weights", ["none", "any", "some 0", "tiny", "huge", "of all sizes"])
@pytest.mark.parametrize("name", SCALARS)
def test_whatever_is_given_scores_come_out(name, weights):
    for case in STRANGE_SCORES.values():
        score, target = (np.array(values, dtype=float) for values in case)
        rng, n = np.random.default_rng(3), len(score)
        weight = {
            "none": None,
            "any": rng.random(n),
            "some 0": (np.arange(n) % 3 == 0).astype(float),
            "tiny": 1e-60 * rng.random(n),
            "huge": 1e60 * (rng.random(n) + 1),
            "of all sizes": 10.0 ** rng.integers(-9, 4, n),
        }[weights]
        before = score.copy(), target.copy()
        problem = cv.ScalarProblem(score, target, weight)
        found = fresh(name).fit(problem)
        out = found(np.concatenate([np.linspace(0, 1, 101), score]))
        assert ((out >= 0) & (out <= 1)).all()
        np.testing.assert_array_equal(score, before[0])
        np.testing.assert_array_equal(target, before[1])


@pytest.mark.parametrize("name", ["isotonic", "spline, monotone"])
def test_a_small_weight_after_large_ones_counts(name):
    # Of the weights' cumulative sums it would be lost: 1e10 + 1e-8 is 1e10.
    score = np.linspace(0, 1, 50)
    weight = np.where(np.arange(50) < 40, 1e10, 1e-8)
    found = fresh(name).fit(cv.ScalarProblem(score, np.arange(50) % 2.0, weight))
    assert np.isfinite(found(score)).all()


@pytest.mark.parametrize("name", SCALARS)
def test_the_shape_of_the_scores_is_kept(name):
    found = fresh(name).fit([0.1, 0.4, 0.8, 0.9], [0, 0, 1, 1])
    for score in (0.3, [0.3], [[0.3, 0.8], [0.1, 1.0]], np.float32([0.25, 0.5]), [0, 1], np.empty((0, 2))):
        out = found(score)
        assert np.shape(out) == np.shape(score)
        assert out.dtype == np.float64
        if np.ndim(score) == 1:
            np.testing.assert_array_equal(out, found.predict_proba(score))
    with pytest.raises(ValueError, match=r"score must have shape \(n,\), not \(1, 2\): cv\.OneVsRest\(cv\.\w+\(\)\)"):
        found.predict_proba([[0.3, 0.7]])
    assert found([0.3])[0] == found(0.3)


@pytest.mark.filterwarnings("ignore:no sample of the calibration set has")
def test_a_row_that_every_class_maps_to_zero_stays():
    p = cv.Predictions([[0.5, 0.3, 0.2]] * 4 + [[0.1, 0.1, 0.8]], [2, 2, 2, 2, 0])
    for name in COLUMNS:
        check(p, fresh(name).fit(p).transform(p))
    found = cv.OneVsRest(cv.Isotonic()).fit(cv.Predictions([[0.5, 0.3, 0.2]] * 4, [0, 0, 1, 2]))
    found.calibrators_ = [cv.Isotonic().fit([0.5], [0])] * 3
    np.testing.assert_array_equal(found.transform(p).probs, p.probs)
