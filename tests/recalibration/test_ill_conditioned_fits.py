"""Fits of data on which plain solvers fail: certain but wrong, of any unit, weighted, of equal weight, rounded."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import calibviz as cv
from calibviz.engine.scalar import EmptyProblemError

SURE = [cv.BiasCorrectedTemperature(), cv.VectorScaling(), cv.MatrixScaling(), cv.MatrixScaling(0.1), cv.Dirichlet()]


@pytest.mark.parametrize("calibrator", SURE, ids=repr)
def test_probabilities_of_0_and_1_that_are_wrong_at_times(calibrator):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 500)
    predicted = np.where(rng.random(500) < 0.7, labels, (labels + rng.integers(1, 3, 500)) % 3)
    p = cv.Predictions(np.eye(3)[predicted], labels)
    found = calibrator.fit(p)
    assert found.gradient_norm_ < 1e-4
    right = cv.accuracy(p)
    entropy = -right * np.log(right) - (1 - right) * np.log((1 - right) / 2)
    assert cv.log_loss(found.transform(p)) == pytest.approx(entropy, abs=5e-3)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e9])
def test_the_unit_of_the_logits_is_of_no_account(scale):
    rng = np.random.default_rng(1)
    z = rng.normal(size=(400, 4))
    labels = (rng.random((400, 1)) > np.cumsum(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True), axis=1)).sum(axis=1)
    labels = labels.clip(0, 3)
    least = cv.log_loss(
        cv.MatrixScaling().fit(logits=z, labels=labels).transform(cv.Predictions(logits=z, labels=labels))
    )
    p = cv.Predictions(logits=scale * z, labels=labels)
    assert cv.log_loss(cv.MatrixScaling().fit(p).transform(p)) == pytest.approx(least, abs=2e-3)


@pytest.mark.parametrize("calibrator", [cv.VectorScaling(), cv.MatrixScaling(), cv.NeuralScaling(2)], ids=repr)
def test_logits_that_no_sum_can_hold_are_refused(calibrator):
    z = np.random.default_rng(0).normal(size=(20, 3))
    z[7, 1] = -1e20
    with pytest.raises(ValueError, match=r"logits\[7, 1\] is -1e\+20, too large for a linear map: divide"):
        calibrator.fit(logits=z, labels=np.arange(20) % 3)


@pytest.mark.parametrize("unit", [1.0, 2.0])
@pytest.mark.parametrize(
    "calibrator",
    [cv.Spline(3), cv.Spline(3, "cumulative"), cv.HistogramBinning(2, "equal-mass", replicates=20), cv.Isotonic()],
    ids=repr,
)
def test_weights_of_tied_samples_come_in_any_order(calibrator, unit):
    score = np.array([0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
    target = np.array([0, 0, 1, 1, 1, 0.0])
    weight = unit * np.array([0.5, 9.5, 0.5, 9.5, 0.5, 0.5])
    maps = [
        calibrator.fit(cv.ScalarProblem(score[o], target[o], weight[o]))([0.2, 0.5, 0.8])
        for o in ([0, 1, 2, 3, 4, 5], [1, 0, 2, 4, 3, 5], [5, 4, 3, 2, 1, 0])
    ]
    np.testing.assert_allclose(maps[1], maps[0], atol=1e-12)
    np.testing.assert_allclose(maps[2], maps[0], atol=1e-12)


def test_equal_weights_are_no_weights():
    rng = np.random.default_rng(0)
    score = np.round(rng.random(80), 1)
    target = (rng.random(80) < score).astype(float)
    plain, weighted = (cv.Spline().fit(cv.ScalarProblem(score, target, w)) for w in (None, np.full(80, 0.3)))
    np.testing.assert_allclose(weighted(score), plain(score), atol=1e-9)


@pytest.mark.parametrize("name", ["temperature", "vector", "ensemble", "neural", "isotonic"])
def test_a_fold_without_weight_is_a_cell_without_number(name):
    p = cv.Predictions([0.1, 0.9, 0.3, 0.4], [0, 1, 0, 1], weights=[1, 0, 0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # three samples can be told apart
        cube = cv.evaluate(p, calibrators=["none", name], folds=2, metrics=["ks"], progress=False)
    assert np.isnan(cube.ks.sel(calibrator=name)).all()
    assert "weights" in cube.ks.unavailable
    with pytest.raises(EmptyProblemError, match="the weights of the calibration set are all 0"):
        cv.Temperature().fit(p.select(np.array([1, 2])))


def test_an_infinite_error_is_better_than_none():
    import xarray as xr

    errors = xr.DataArray(
        [[np.nan, np.inf], [np.inf, 0.5]], {"trial": [0, 1], "calibrator": ["a", "b"]}, ("trial", "calibrator")
    )
    assert cv.preferred(xr.Dataset({"log_loss": errors}), untested=True).log_loss.values.tolist() == ["b", "b"]


def test_a_row_of_rounding_errors_is_a_row_of_zeros():
    class Dust:
        """Maps everything to 0, but for rounding."""

        def fit(self, problem):
            return self

        def __call__(self, score):
            return 1e-16 * np.arange(len(score))

    p = cv.Predictions([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], [0, 2])
    for make in (cv.OneVsRest, cv.ByRank):
        np.testing.assert_array_equal(make(Dust()).fit(p).transform(p).probs, p.probs)


def test_the_ensemble_finds_the_mixture_that_made_the_labels():
    rng = np.random.default_rng(3)
    z = 2 * rng.normal(size=(1000, 3))
    sharp = np.exp(z / 0.3 - (z / 0.3).max(axis=1, keepdims=True))
    truth = 0.7 * sharp / sharp.sum(axis=1, keepdims=True) + 0.3 / 3
    labels = (rng.random((1000, 1)) > truth.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    p = cv.Predictions(logits=z, labels=labels)
    of_truth = -np.log(truth[np.arange(1000), labels]).mean()
    assert cv.log_loss(cv.EnsembleTemperature().fit(p).transform(p)) <= of_truth
