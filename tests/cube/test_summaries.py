"""Cubes of summaries, which know one lens and one selection."""

import numpy as np
import pytest
import xarray as xr

import calibviz as cv


def test_the_cube_of_a_summary_is_that_of_its_pass(data):
    lazy = cv.open_predictions(data, rows=1000)
    old = "age > 40"
    metrics = ["ece", "ks", "brier", "count", "accuracy", "smooth", "likert_error"]
    asked = {"bins": [10, 15], "categories": [0, 0.5, 1], "metrics": metrics, "replicates": 5, "progress": False}
    for lens in ("top-1", "class 3"):
        whole = cv.evaluate(lazy, lens, selections={old: old}, **asked)
        summary = cv.summarize(lazy, lens, selection=old, progress=False)
        found = cv.evaluate(summary, **asked)
        for metric in metrics:
            if metric == "accuracy" and lens != "top-1":
                assert np.isnan(found.accuracy).all()
                assert "which samples are right is not known" in found.accuracy.attrs["unavailable"]
            else:
                np.testing.assert_allclose(found[metric], whole[metric], rtol=1e-10)
        xr.testing.assert_allclose(found.ks_quantile, whole.ks_quantile)
        assert found.lens.item() == lens and found.selection.item() == old


def test_calibrators_of_summaries(data):
    lazy = cv.open_predictions(data, rows=1000)
    one, other = (cv.summarize(lazy, "class 3", selection=f"site == '{site}'", progress=False) for site in "ab")
    asked = {"calibrators": ["none", "isotonic", "temperature"], "metrics": ["ks", "count"], "progress": False}
    found = cv.evaluate({"m": one}, calibration={"m": other}, **asked)
    fitted = cv.Isotonic().fit(other)
    assert found.ks.sel(calibrator="isotonic").item() == pytest.approx(cv.ks_error(one.problem.mapped(fitted)))
    assert "temperature is fitted to whole rows" in found.ks.attrs["unavailable"]
    halved = cv.evaluate(one, calibration=0.3, **asked)
    calibration, judged = one.split(0.3, rng=0)
    assert halved["count"].sel(calibrator="none").item() == judged.rows
    fitted = cv.Isotonic().fit(calibration)
    assert halved.ks.sel(calibrator="isotonic").item() == pytest.approx(cv.ks_error(judged.problem.mapped(fitted)))
    outcome = cv.summarize(lazy, "top-2", outcome="rest", progress=False)
    assert cv.evaluate(outcome, metrics="ks", progress=False).lens.item() == "top-2: rest"


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda s, p: cv.evaluate(s, "class 2"), ValueError, "a summary knows the lens 'class 3' alone"),
        (lambda s, p: cv.evaluate(s, selections={"a": "age > 1"}), ValueError, "knows the lens 'class 3' alone"),
        (lambda s, p: cv.evaluate(s, folds=2), ValueError, "folds are of predictions in memory"),
        (lambda s, p: cv.evaluate(s, calibrators="spline"), ValueError, "calibration is missing"),
        (lambda s, p: cv.evaluate(s, calibrators="spline", calibration=p), ValueError, "or a summary of 'class 3'"),
        (lambda s, p: cv.evaluate({"a": s, "b": p}), TypeError, r"predictions\['b'\] must be a cv.Summary"),
        (
            lambda s, p: cv.evaluate({"a": s, "b": cv.summarize(p)}),
            ValueError,
            r"predictions\['b'\] has another lens or selection: 'top-1', not 'class 3'",
        ),
        (
            lambda s, p: cv.evaluate({"a": s, "b": cv.summarize(p, "class 3", selection="confidence > 0.5")}),
            ValueError,
            r"'class 3 where confidence > 0.5', not 'class 3'",
        ),
    ],
)
def test_what_a_cube_of_summaries_refuses(whole, call, kind, message):
    with pytest.raises(kind, match=message):
        call(cv.summarize(whole, "class 3"), whole)
