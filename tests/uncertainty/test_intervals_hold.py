"""Intervals hold what they are of: estimates of tiny and degenerate data, and the measured error of one class."""

from __future__ import annotations

import numpy as np
import pytest

import calibviz as cv

ERRORS = [
    (cv.calibration_error, None),
    (cv.calibration_error, cv.Sweep()),
    (cv.ks_error, None),
    (cv.kuiper_error, None),
    (cv.debiased_error, None),
]


@pytest.mark.parametrize("target", [0.0, 1.0])
@pytest.mark.parametrize(("error", "binning"), ERRORS[:4])
def test_of_one_class_an_interval_holds_the_measured_error(error, binning, target):
    score = np.random.default_rng(0).random(60)
    found = cv.interval(cv.ScalarProblem(score, np.full(60, target)), error=error, binning=binning, progress=False)
    assert found.lower < found.upper and found.lower <= found.estimate <= found.upper
    assert found.lower <= found.raw <= found.upper + 1e-12


def test_falling_curves_are_no_evidence_for_a_large_error():
    """Scores that mean nothing: E|s - T| is 0.25; of a falling curve a monotone sweep sees next to nothing."""
    rng = np.random.default_rng(0)
    target = rng.random(200) < 0.5
    score = rng.random((3, 200))[2]
    found = cv.interval(cv.ScalarProblem(score, target), binning=cv.Sweep(), progress=False)
    assert found.lower <= 0.25 <= found.upper < 0.4 and found.lower <= found.estimate <= found.upper


@pytest.mark.parametrize("score", [[0.3], [0.2, 0.9], [0.5] * 6, [0.0, 1.0, 1.0], [0.1, 0.4, 0.4, 0.7, 1.0]])
@pytest.mark.parametrize("kind", ["none", "all", "some"])
def test_an_interval_holds_its_estimate(score, kind):
    n = len(score)
    target = {"none": np.zeros(n), "all": np.ones(n), "some": np.arange(n) % 2}[kind]
    p = cv.Predictions(score, target.astype(int))
    lenses = ["class 1", "top-1"]
    names = ["ece", "sweep", "ks", "kuiper", "debiased"]
    cube = cv.evaluate(p, lenses, bins=3, metrics=names, intervals=0.95, progress=False)
    for name in names:
        lower, estimate, upper = (cube[f"{name}_{end}"].values for end in ("lower", "estimate", "upper"))
        assert ((lower <= estimate) & (estimate <= upper)).all(), name
    for lens in lenses:
        for found in (cv.observed_expected(p, lens), cv.calibration_intercept(p, lens), cv.calibration_slope(p, lens)):
            assert np.isnan(found.lower) or found.lower <= found.estimate <= found.upper
        table = cv.reliability(p, lens, binning=cv.Uniform(3))
        held = (table.lower <= table.target + 1e-12) & (table.target <= table.upper + 1e-12)
        assert (held | (table["count"] == 0)).all()
