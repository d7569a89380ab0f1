"""What calibrators refuse, by the message."""

from __future__ import annotations

import re

import numpy as np
import pytest
from calibrator_samples import EVERY, SCALARS, WHOLE, fitted, fresh, predictions, scores

import calibviz as cv
from calibviz.recalibration.parameters import NotFittedError


@pytest.mark.parametrize("name", EVERY)
def test_nothing_works_before_the_fit(name):
    p, calibrator = predictions(20), fresh(name)
    uses = [lambda: calibrator([0.5])]
    if name in WHOLE:
        uses = [
            lambda: calibrator.transform(p),
            lambda: calibrator.predict_proba(p.probs),
            lambda: calibrator.accuracy_change(p),
        ]
    message = f"{type(calibrator).__name__} is not fitted: call fit(...) with calibration data first"
    for use in uses:
        with pytest.raises(NotFittedError, match=re.escape(message)):
            use()
    with pytest.raises(AttributeError, match=re.escape(message)):
        _ = calibrator.slope_
    assert not hasattr(calibrator, "slope_")


@pytest.mark.parametrize("name", SCALARS)
def test_a_calibrator_of_scores_leads_to_that_of_predictions(name):
    calibrator, (score, target) = fresh(name), scores(40)
    way_out = re.escape(f"maps scores, and has no transform: fit cv.OneVsRest(cv.{calibrator!r}), which recalibrates")
    for each in (calibrator, fitted(fresh(name), score, target)):
        with pytest.raises(AttributeError, match=way_out):
            each.transform(predictions(20))


def test_cross_fitted_scores_lead_to_cross_fitted_predictions():
    p = predictions(40)
    crossed = cv.cross_fitted(p, "top-1", calibrator=cv.Spline())
    with pytest.raises(AttributeError, match=r"folds=5\) maps scores, and has no transform: pass it as calibr"):
        crossed.transform(p)
    with pytest.raises(AttributeError, match="object has no attribute 'transfrom'"):
        _ = crossed.transfrom


@pytest.mark.parametrize("name", WHOLE)
def test_what_rows_are_not_fitted_to(name):
    p, calibrator = predictions(40), fresh(name)
    kind = type(calibrator).__name__
    for given in (p.probs, cv.lens("top-1")(p), None, "text"):
        with pytest.raises(
            TypeError, match=rf"{kind} is fitted to cv\.Predictions\(probs, labels\), .*not to .* alone"
        ):
            calibrator.fit(given)
    for more in ({"labels": [0] * 40}, {"logits": p.logits}):
        with pytest.raises(TypeError, match="labels and logits belong into the Predictions"):
            calibrator.fit(p, **more)
    with pytest.raises(ValueError, match="labels has 3 entries, but there are 40 rows"):
        calibrator.fit(p.probs, [0, 1, 2])
    with pytest.raises(ValueError, match=r"sums to 0\.5, not to 1"):
        calibrator.fit(p.probs / 2, p.labels)
    with pytest.raises(TypeError, match="probs is missing"):
        calibrator.fit(labels=p.labels)
    assert not calibrator._fitted()
    fitted(calibrator, p)
    with pytest.raises(
        ValueError, match=rf"predictions have 3 classes, but {re.escape(repr(calibrator))} was fitted to 4"
    ):
        calibrator.transform(predictions(10, 3))
    with pytest.raises(TypeError, match=rf"{kind} transforms cv\.Predictions, not ndarray; predict_proba takes arrays"):
        calibrator.transform(p.probs)
    with pytest.raises(TypeError, match="probs is missing: pass probabilities"):
        calibrator.predict_proba()
    with pytest.raises(ValueError, match=r"probs must have shape \(n, K\)"):
        calibrator.predict_proba(0.5)
    with pytest.raises(ValueError, match=r"logits\[0, 1\] is nan: every entry must be finite"):
        calibrator.predict_proba(logits=[[0.0, np.nan, 0, 0]])


@pytest.mark.parametrize("name", SCALARS)
def test_what_scores_are_not_fitted_to(name):
    p, calibrator = predictions(40), fresh(name)
    kind, score = type(calibrator).__name__, np.linspace(0, 1, 5)
    for given, more, what in (
        (p, (), "Predictions"),
        (p, (score,), "Predictions"),
        (cv.lens("full")(p), (), "VectorProblem"),
        (p.probs, (p.labels,), "ndarray"),
        (score, (), "ndarray"),
        (0.5, (1,), "float"),
    ):
        with pytest.raises(
            TypeError, match=rf"{kind} is fitted to a scalar problem, such as .* not to {what}; cv\.OneV"
        ):
            calibrator.fit(given, *more)
    with pytest.raises(TypeError, match="target belongs into the ScalarProblem"):
        calibrator.fit(cv.lens("top-1")(p), score)
    with pytest.raises(ValueError, match=r"score\[1\] is nan"):
        calibrator.fit([0.5, np.nan], [0, 1])
    with pytest.raises(ValueError, match=r"score\[0\] is 2: a score lies between 0 and 1"):
        calibrator.fit([2, 0.5], [0, 1])
    with pytest.raises(ValueError, match=r"target\[1\] is nan: every entry must be finite"):
        calibrator.fit([0.5, 0.6], [0, np.nan])
    with pytest.raises(ValueError, match=r"must have one shape \(n,\), not \(5,\) and \(2,\)"):
        calibrator.fit(score, [0, 1])
    with pytest.raises(TypeError, match=r"target must be an array of numbers"):
        calibrator.fit(score, list("01011"))
    with pytest.raises(ValueError, match="no sample is left"):
        calibrator.fit([], [])
    assert not calibrator._fitted()
    calibrator.fit(score, [0, 1, 0, 1, 1])
    for bad, place in (([0.5, np.nan], "1"), (np.inf, "0"), ([[0.1, 0.2], [0.3, -np.inf]], "1, 1")):
        with pytest.raises(ValueError, match=rf"score\[{place}\] is -?(nan|inf): every entry must be finite"):
            calibrator(bad)
    with pytest.raises(TypeError, match="score must be an array of numbers"):
        calibrator(["a"])


@pytest.mark.parametrize("value", [cv.Temperature(), cv.Spline, "spline", None, 3])
@pytest.mark.parametrize("kind", [cv.OneVsRest, cv.ByRank])
def test_only_a_scalar_calibrator_serves_columns(kind, value):
    with pytest.raises(TypeError, match=r"calibrator must be a scalar calibrator such as cv\.Spline\(\), not"):
        kind(value)


@pytest.mark.parametrize("kind", [cv.VectorScaling, cv.MatrixScaling, lambda: cv.NeuralScaling(2)])
def test_what_was_fitted_to_logits_needs_them_again(kind):
    p = predictions(60)
    found = fitted(kind(), p)
    assert found.uses_logits_
    with pytest.raises(ValueError, match=r"was fitted to logits, but these predictions have none: pass logits=\.\.\."):
        found.predict_proba(p.probs)
    without = cv.Predictions(p.probs, p.labels)
    of_probs = fitted(kind(), without)
    np.testing.assert_array_equal(of_probs.transform(p).probs, of_probs.transform(without).probs)


@pytest.mark.parametrize("name", ["temperature", "bias-corrected", "ensemble", "dirichlet"])
def test_where_a_shift_changes_nothing_probabilities_will_do(name):
    p = predictions(60)
    found = fitted(fresh(name), p)
    np.testing.assert_allclose(found.predict_proba(p.probs), found.transform(p).probs, atol=1e-9)


def test_a_failed_fit_leaves_nothing_behind():
    tried = []

    def error(q):
        tried.append(q)
        if len(tried) > 5:
            raise RuntimeError("no more")
        return cv.ks_error(q)

    found = cv.MetricTemperature(error)
    with pytest.raises(RuntimeError, match="no more"):
        found.fit(predictions(60))
    with pytest.raises(NotFittedError):
        found.transform(predictions(60))
    with pytest.raises(ValueError, match=r"error is nan at the temperature \S+: it has to be a number everywhere"):
        cv.MetricTemperature(lambda q: float("nan")).fit(predictions(60))
