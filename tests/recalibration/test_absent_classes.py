"""A class that no sample of the calibration set has: a calibrator that makes it impossible says so, once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import calibviz as cv
from calibviz.recalibration.registry import CALIBRATORS, of_rows

NAMES = ["cat", "dog", "eel", "fox"]


def drawn(classes=3, n=400, weights=None):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, n)
    logits = rng.normal(size=(n, 4)) + 2 * np.eye(4)[labels]
    return cv.Predictions(labels=labels, logits=logits, class_names=NAMES, weights=weights)


def said_by(calibrator, p):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        fitted = calibrator.fit(p)
    return fitted, [str(one.message) for one in heard if "calibration set has" in str(one.message)], heard


@pytest.mark.parametrize("name", list(CALIBRATORS))
def test_a_class_that_becomes_impossible_is_named_once(name):
    calibrator = of_rows(CALIBRATORS[name]())
    p = drawn()
    fitted, said, heard = said_by(calibrator, p)
    kept = fitted.transform(p).probs[:, 3].mean() / p.probs[:, 3].mean()
    assert len(said) == (kept <= 0.5)
    if name in ("isotonic", "histogram", "vector", "matrix", "platt", "beta", "bias-corrected", "neural"):
        assert "has the class 'fox': " in said[0] and "goes from 13.51 % to " in said[0]
        assert heard[-1].filename == __file__
    assert not said_by(of_rows(CALIBRATORS[name]()), drawn(4))[1]


def test_all_of_them_are_named_those_of_weight_0_too():
    labels = drawn(4).labels
    _, said, _ = said_by(cv.VectorScaling(), drawn(4, weights=(labels < 2).astype(float)))
    assert "has any of the classes 'eel', 'fox': VectorScaling()" in said[0]
    soft = cv.Predictions(drawn().probs, np.eye(4)[drawn().labels], class_names=NAMES)
    assert "the class 'fox'" in said_by(cv.OneVsRest(cv.Isotonic()), soft)[1][0]
    with pytest.warns(RuntimeWarning, match="has the class 'fox'"):
        cv.OneVsRest(cv.Isotonic()).recalibrate(drawn(), drawn(4))
    assert not said_by(cv.OneVsRest(cv.Isotonic(), shared=True), drawn())[1]
    assert len(said_by(cv.InContext(cv.VectorScaling()), drawn())[1]) == 1
