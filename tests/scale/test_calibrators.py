"""Calibrators of predictions that are read in parts: fitted to some of the rows, used on the others in one pass."""

import numpy as np
import pytest
import xarray as xr
from lazy_samples import SELECTIONS, N

import calibviz as cv
from calibviz.cube import pass_plan
from calibviz.scale.row_randomness import SAMPLE, SPLIT, row_uniforms


def test_calibrators_are_fitted_to_rows_that_are_not_judged(data):
    asked = {"calibrators": ["none", "spline"], "calibration": 0.4, "metrics": ["ks", "count"]}
    cubes = [
        cv.evaluate(cv.open_predictions(data, rows=rows), "class 1", **asked, progress=False) for rows in (1000, 2500)
    ]
    xr.testing.assert_allclose(*cubes, rtol=1e-9)
    judged = row_uniforms(0, N, 0, SPLIT) >= 0.4
    assert cubes[0]["count"].sel(calibrator="none").item() == judged.sum()
    part, fit = (data[["probs", "label"]].isel(sample=rows) for rows in (judged, ~judged))
    of = [cv.Predictions(one["probs"].values, one["label"].values) for one in (part, fit)]
    exact = cv.evaluate(
        of[0], "class 1", calibrators=["none", "spline"], calibration=of[1], metrics="ks", progress=False
    )
    np.testing.assert_allclose(cubes[0].ks, exact.ks, atol=1e-3)
    other = cv.evaluate(
        cv.open_predictions(part),
        "class 1",
        calibrators="spline",
        calibration=cv.open_predictions(fit),
        metrics="ks",
        progress=False,
    )
    assert other.ks.item() == pytest.approx(cubes[0].ks.sel(calibrator="spline").item(), abs=1e-9)


class Odd:
    """It is fitted, but transforms nothing."""

    most = 0

    def fit(self, predictions):
        return self

    def transform(self, predictions):
        if len(predictions) > self.most:
            raise ValueError("odd rows")
        return predictions


class Later(Odd):
    most = 500


@pytest.mark.thorough
def test_calibrators_of_rows_are_fitted_to_drawn_rows_and_used_in_the_pass(data):
    asked = {
        "lenses": ["top-1", "full", "classwise"],
        "calibrators": ["none", "temperature", "isotonic", cv.Spline(4), Odd(), Later()],
        "selections": SELECTIONS,
        "gammas": 0.05,
        "metrics": ["ece", "kdtree_ece", "accuracy", "brier", "count"],
        "progress": False,
    }
    found = cv.evaluate(cv.open_predictions(data, rows=1300), **asked, calibration=0.4)
    fit = row_uniforms(0, N, 0, SPLIT) < 0.4  # all of these are drawn, as there are few
    calibration, judged = (
        cv.Predictions(one["probs"].values, one["label"].values, fields={name: one[name].values for name in one.coords})
        for one in (data.isel(sample=fit), data.isel(sample=~fit))
    )
    exact = cv.evaluate(judged, **asked, calibration=calibration)
    # The tree is grown on the samples that are not judged as well.
    np.testing.assert_allclose(found.kdtree_ece, exact.kdtree_ece.where(~np.isnan(found.kdtree_ece)), atol=0.03)
    for metric, tolerance in {"ece": 1e-12, "brier": 1e-4, "accuracy": 1e-12, "count": 0}.items():
        known = ~np.isnan(found[metric])
        known[{"calibrator": [2, 3], "lens": 0}] = False  # of scalar ones, the spline is told by the sums but nearly
        np.testing.assert_allclose(found[metric].where(known), exact[metric].where(known), atol=tolerance)
    whole = found.isel(calibrator=slice(4)).sel(lens=["top-1", "full"], selection=["all", "old"])
    assert not np.isnan(whole.brier).any() and not np.isnan(whole.accuracy).any()
    assert not np.isnan(found.brier.sel(calibrator="temperature", lens=["top-1", "full"])).any()
    assert np.isnan(found.brier.sel(calibrator=["Odd", "Later"])).all()
    assert "calibrator=Odd, lens=full]: odd rows" in found.brier.attrs["unavailable"]
    lazy = cv.open_predictions(data, rows=1300)
    late = cv.evaluate(lazy, calibrators=["none", Later()], calibration=0.4, metrics="brier", progress=False)
    assert np.isnan(late.brier.values.ravel()).tolist() == [False, True]
    assert "calibrator=Later, lens=top-1]: rows 0 to 1,299: odd rows" in late.brier.attrs["unavailable"]


def test_calibrators_are_fitted_to_drawn_rows_of_their_side(data, monkeypatch):
    monkeypatch.setattr(pass_plan, "CALIBRATION_ROWS", 1000)
    asked = {"calibrators": "temperature", "metrics": ["brier", "log_loss"], "progress": False}
    found = cv.evaluate(cv.open_predictions(data, rows=700), **asked, calibration=0.4)
    side = row_uniforms(0, N, 0, SPLIT) < 0.4
    drawn = np.flatnonzero(side & (row_uniforms(0, N, 0, SAMPLE) < 1000 / (0.4 * N)))
    assert 900 < len(drawn) < 1100
    some, judged = (
        cv.Predictions(one["probs"].values, one["label"].values)
        for one in (data.isel(sample=drawn), data.isel(sample=~side))
    )
    exact = cv.evaluate(judged, **asked, calibration=some)
    np.testing.assert_allclose(found.brier, exact.brier, rtol=1e-5)


def test_trees_of_calibrated_rows_are_grown_on_calibrated_rows(data):
    lazy, other = (cv.open_predictions(data.isel(sample=rows), rows=700) for rows in (slice(4000), slice(4000, N)))
    asked = {"lenses": "full", "calibrators": ["temperature", "platt"], "gammas": [0.1, 0.01], "metrics": "kdtree_ece"}
    whole, calibration = (one.sample(N, progress=False) for one in (lazy, other))
    exact = cv.evaluate(whole, **asked, calibration=calibration, progress=False)
    found = cv.evaluate(lazy, **asked, calibration=other, progress=False)
    xr.testing.assert_allclose(found, exact, rtol=1e-9)
