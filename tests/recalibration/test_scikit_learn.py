"""Calibrators in the way of scikit-learn: settings, names, plain arrays, records."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from calibrator_samples import COLUMNS, EVERY, ROWS, SCALARS, WHOLE, arrays, fitted, fresh, predictions, scores, softmax

import calibviz as cv
from calibviz.recalibration import Calibrator, ScalarCalibrator
from calibviz.recalibration.parameters import NotFittedError, Parameters

SETTINGS = {
    "Temperature()": "temperature",
    "MetricTemperature()": "metric temperature",
    "MetricTemperature(error=ks_error)": "metric temperature, error=ks_error",
    "EnsembleTemperature()": "ensemble",
    "BiasCorrectedTemperature()": "bias-corrected",
    "VectorScaling()": "vector",
    "MatrixScaling()": "matrix",
    "MatrixScaling(penalty='cv')": "matrix, penalty=cv",
    "MatrixScaling(penalty=0.5, bias_penalty=0.0)": "matrix, penalty=0.5, bias_penalty=0",
    "Dirichlet()": "dirichlet",
    "Dirichlet(penalty=0)": "dirichlet, penalty=0",
    "NeuralScaling(hidden=3, penalty=7)": "neural, hidden=3, penalty=7",
    "Spline()": "spline",
    "Spline(knots=10)": "spline, knots=10",
    "Spline(target='cumulative', monotone=True)": "spline, target=cumulative, monotone=True",
    "Isotonic()": "isotonic",
    "Platt()": "platt",
    "Beta()": "beta",
    "HistogramBinning(bins=5, binning='equal-mass')": "histogram, bins=5, binning=equal-mass",
    "HistogramBinning(replicates=9, rng=None)": "histogram, replicates=9, rng=None",
    "OneVsRest(Spline(knots=10))": "spline, knots=10, one-vs-rest",
    "OneVsRest(Isotonic(), shared=True)": "isotonic, one-vs-rest, shared",
    "ByRank(Beta())": "beta, by rank",
}


def fit_any(name):
    calibrator = fresh(name)
    assert fitted(calibrator, *(scores(200) if name in SCALARS else (predictions(200),))) is calibrator
    return calibrator


def bits(value):
    """What was fitted, in a form that can be compared bit for bit."""
    if hasattr(value, "_fitted"):
        return type(value).__name__, {key: bits(one) for key, one in value._fitted().items()}
    if isinstance(value, list):
        return [bits(one) for one in value]
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else float(value).hex()


# ---- settings


@pytest.mark.parametrize("text", SETTINGS)
def test_repr_is_the_call_and_the_name_tells_the_settings(text):
    made = eval(text, vars(cv))
    assert repr(made) == text
    assert made.name == SETTINGS[text]
    again = eval(repr(made), vars(cv))
    assert repr(again.get_params(deep=False)) == repr(made.get_params(deep=False))


@pytest.mark.parametrize("name", EVERY)
def test_fit_returns_itself_and_attributes_end_in_an_underscore(name):
    calibrator = fresh(name)
    before = set(vars(calibrator))
    assert before == set(calibrator.get_params(deep=False))
    made = set(vars(fit_any(name))) - before
    assert made
    assert all(attribute.endswith("_") for attribute in made)
    assert (name in SCALARS) == isinstance(calibrator, ScalarCalibrator)
    assert (name in SCALARS) != isinstance(calibrator, Calibrator)


@pytest.mark.parametrize("name", EVERY)
def test_a_clone_is_equal_and_not_fitted(name):
    base = pytest.importorskip("sklearn.base")
    original = fit_any(name)
    clone = base.clone(original)
    assert type(clone) is type(original)
    assert repr(clone) == repr(original)
    assert not clone._fitted()
    if name in COLUMNS:
        assert clone.calibrator is not original.calibrator


def test_settings_of_the_calibrator_inside():
    whole = cv.OneVsRest(cv.Spline(4))
    assert whole.get_params(deep=False) == {"calibrator": whole.calibrator, "shared": False}
    assert whole.get_params()["calibrator__knots"] == 4
    before = whole.calibrator
    assert whole.set_params(calibrator__knots=9, shared=True) is whole
    assert repr(whole) == "OneVsRest(Spline(knots=9), shared=True)"
    assert before.knots == 4  # it may be in use elsewhere
    whole.set_params(calibrator=cv.HistogramBinning(), calibrator__bins=3)
    assert repr(whole) == "OneVsRest(HistogramBinning(bins=3), shared=True)"
    checked = cv.Spline().set_params(monotone=np.True_)
    assert checked.monotone is True


def test_settings_stay_until_the_next_fit():
    found = cv.Spline(4).fit(*scores())
    before = found(0.3)
    found.set_params(knots=12)
    assert found(0.3) == before
    assert found.fit(*scores())(0.3) == cv.Spline(12).fit(*scores())(0.3) != before


@pytest.mark.parametrize(
    ("calibrator", "params", "error", "message"),
    [
        (
            cv.Spline(),
            {"knot": 3},
            ValueError,
            "Spline has no parameter 'knot'; it has knots, target, monotone, bounded",
        ),
        (cv.Temperature(), {"T": 2}, ValueError, "Temperature has no parameter 'T'; it has temperature"),
        (cv.Spline(), {"knots": 8, "target": "slope"}, ValueError, "target must be one of 'difference', 'cumulative'"),
        (cv.Spline(), {"knots": 1}, ValueError, "knots must be between 2 and 1000, not 1"),
        (cv.Spline(), {"knots": 2.5}, TypeError, "knots must be a whole number, not 2.5"),
        (cv.Spline(), {"bounded": 1}, TypeError, "bounded must be True or False, not 1"),
        (cv.Spline(), {"knots__x": 1}, ValueError, "has no parameter 'knots__x'"),
        (cv.HistogramBinning(), {"bins": 0}, ValueError, "bins must be at least 1, not 0"),
        (cv.HistogramBinning(), {"binning": "kmeans"}, ValueError, "binning must be one of 'uniform', 'equal-mass'"),
        (cv.HistogramBinning(), {"replicates": -1}, ValueError, "replicates must be at least 0, not -1"),
        (cv.HistogramBinning(), {"rng": "x"}, TypeError, "rng must be a whole number, not 'x'"),
        (cv.MatrixScaling(), {"penalty": -1}, ValueError, "penalty must be finite and at least 0"),
        (cv.MatrixScaling(), {"penalty": "auto"}, ValueError, "penalty must be one of 'cv', not 'auto'"),
        (cv.Dirichlet(), {"penalty": float("nan")}, ValueError, "penalty must be finite and at least 0"),
        (cv.Dirichlet(), {"bias_penalty": "cw"}, ValueError, "bias_penalty must be one of 'cv', not 'cw'"),
        (cv.NeuralScaling(), {"hidden": 0}, ValueError, "hidden must be at least 1, not 0"),
        (cv.NeuralScaling(), {"penalty": None}, TypeError, "penalty must be a number, not None"),
        (cv.NeuralScaling(), {"penalty": -1}, ValueError, "penalty must be finite and at least 0, not -1"),
        (cv.MetricTemperature(), {"error": "ece"}, TypeError, "error must be a function of Predictions.*not 'ece'"),
        (
            cv.OneVsRest(cv.Beta()),
            {"calibrator": cv.Temperature()},
            TypeError,
            "calibrator must be a scalar calibrator",
        ),
        (cv.OneVsRest(cv.Beta()), {"calibrator": cv.Spline}, TypeError, "calibrator must be a scalar calibrator"),
        (cv.OneVsRest(cv.Beta()), {"shared": "yes"}, TypeError, "shared must be True or False, not 'yes'"),
        (
            cv.OneVsRest(cv.Spline()),
            {"shared": True, "calibrator__knots": 0},
            ValueError,
            "knots must be between 2 and 1000",
        ),
        (cv.ByRank(cv.Beta()), {"shared": True}, ValueError, "ByRank has no parameter 'shared'; it has calibrator"),
    ],
)
def test_what_cannot_be_set_changes_nothing(calibrator, params, error, message):
    before = calibrator.get_params()
    with pytest.raises(error, match=message):
        calibrator.set_params(**params)
    assert calibrator.get_params() == before
    if error is not ValueError or "no parameter" not in message:
        plain = {name: value for name, value in params.items() if "__" not in name}
        if plain == params:
            with pytest.raises(error, match=message):
                type(calibrator)(**(calibrator.get_params(deep=False) | params))


# ---- plain arrays


@pytest.mark.parametrize("name", WHOLE)
def test_rows_from_plain_arrays(name):
    z, labels = arrays(200)
    probs, new = softmax(z), softmax(arrays(50, seed=1)[0]).astype(np.float32)
    by_hand = fresh(name).fit(cv.Predictions(probs, labels)).transform(cv.Predictions(new, [0] * 50)).probs
    out = fresh(name).fit(probs, labels).predict_proba(new)
    np.testing.assert_array_equal(out, by_hand)
    assert out.dtype == np.float32
    with_logits = fresh(name).fit(logits=z, labels=labels)
    expected = with_logits.transform(cv.Predictions(labels=labels, logits=z)).probs
    np.testing.assert_array_equal(with_logits.predict_proba(logits=z), expected)
    as_lists = fresh(name).fit(probs.tolist(), labels.tolist()).predict_proba(new.tolist())
    np.testing.assert_allclose(as_lists, out, atol=1e-6)


def test_the_probabilities_of_two_classes_from_one_column():
    score, target = scores(300)
    found = cv.OneVsRest(cv.Isotonic()).fit(score, target)
    out = found.predict_proba(score)
    assert out.shape == (300, 2)
    np.testing.assert_array_equal(out, found.transform(cv.Predictions(score, target)).probs)


@pytest.mark.parametrize("name", SCALARS)
def test_scores_from_plain_arrays(name):
    score, target = scores(200)
    by_hand = fresh(name).fit(cv.ScalarProblem(score, target))
    for given in ((score, target), (score.tolist(), target.astype(bool).tolist())):
        np.testing.assert_array_equal(fresh(name).fit(*given)(score), by_hand(score))


# ---- records


@pytest.mark.parametrize("name", [name for name in EVERY if name != "metric"])
def test_a_record_brings_back_every_bit(name):
    found = fit_any(name)
    record = json.loads(json.dumps(found.to_dict()))
    for kind in (type(found), type(found).__mro__[1], Parameters):
        back = kind.from_dict(record)
        assert type(back) is type(found)
        assert repr(back) == repr(found)
        assert bits(back) == bits(found)
    for other in (back, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        if name in SCALARS:
            np.testing.assert_array_equal(other(np.linspace(0, 1, 50)), found(np.linspace(0, 1, 50)))
        else:
            np.testing.assert_array_equal(
                other.transform(predictions(50)).probs, found.transform(predictions(50)).probs
            )


@pytest.mark.parametrize("name", [name for name in EVERY if name != "metric"])
def test_a_record_that_lacks_a_value_or_holds_none_of_a_fit_is_refused(name):
    record = json.loads(json.dumps(fit_any(name).to_dict()))
    tried = 0
    for key, value in record["fitted"].items():
        fitted = {other: kept for other, kept in record["fitted"].items() if other != key}
        unlike = float("nan") if isinstance(value, float) else {"array": [float("inf")]}
        for changed in (fitted, fitted | {key: unlike}):
            try:
                back = Parameters.from_dict(record | {"fitted": changed})
            except ValueError:
                tried += 1
                continue
            mapped = back(np.linspace(0, 1, 50)) if name in SCALARS else back.transform(predictions(50)).probs
            assert ((mapped >= 0) & (mapped <= 1)).all()
    assert tried  # a value of which no answer depends, such as the norm of the last gradient, may be anything


def test_what_a_changed_record_makes_is_said():
    record = cv.Platt().fit([0.2, 0.3, 0.8], [0, 1, 1]).to_dict()
    nan = record | {"fitted": record["fitted"] | {"slope_": float("nan")}}
    with pytest.raises(
        ValueError, match=r"record of Platt was changed: with its fitted values it makes \[nan, nan, nan\]"
    ):
        cv.Platt.from_dict(nan)
    del record["fitted"]["slope_"]
    with pytest.raises(ValueError, match=r"record of Platt is not complete, or was changed: .*'slope_'"):
        cv.Platt.from_dict(record)


def test_a_record_of_what_is_not_fitted():
    back = cv.Spline.from_dict(cv.Spline(9, monotone=True).to_dict())
    assert repr(back) == "Spline(knots=9, monotone=True)"
    with pytest.raises(NotFittedError):
        back(0.5)


def test_records_that_cannot_be():
    with pytest.raises(TypeError, match=r"error is <function .*which has no form of plain numbers"):
        cv.MetricTemperature(cv.ks_error).to_dict()
    with pytest.raises(ValueError, match="record describes 'Spline', which is no Temperature"):
        cv.Temperature.from_dict(cv.Spline().to_dict())
    with pytest.raises(ValueError, match="record describes 'Magic', which is no Spline"):
        cv.Spline.from_dict({"calibrator": "Magic", "parameters": {}, "fitted": {}})
    with pytest.raises(ValueError, match=r"record lacks 'fitted': it must be what to_dict\(\) made"):
        cv.Spline.from_dict({"calibrator": "Spline", "parameters": {}})
    with pytest.raises(ValueError, match="knots must be between 2 and 1000"):
        cv.Spline.from_dict({"calibrator": "Spline", "parameters": {"knots": 0}, "fitted": {}})


def test_all_of_them_are_tried_here():
    named = {value for value in vars(cv).values() if isinstance(value, type) and hasattr(value, "short_name")}
    assert {type(calibrator) for calibrator in EVERY.values()} == named - {cv.ByField}  # arrays have no fields
    assert len(ROWS) + len(COLUMNS) + len(SCALARS) == len(EVERY)
