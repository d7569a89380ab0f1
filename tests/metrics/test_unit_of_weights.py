"""A common factor of all weights changes nothing that has no unit of weight."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import slow  # noqa: F401, it sets the Hypothesis profile
import xarray as xr
from driver import screen
from hypothesis import given, settings, strategies as st
from report_pages import Page

import calibviz as cv
from calibviz.explorer import Explorer
from calibviz.metrics.calibration_tests import ks_limit
from calibviz.uncertainty.intervals.bin_intervals import mean_interval

# About 1e150, 1e200 and their inverses. Powers of two leave every digit as it is, so no score moves across an edge.
UNITS = [2.0**500, 2.0**-500, 2.0**660, 2.0**-660, 2.0**1010, 2.0**-950]
OF_WEIGHT = ("weight",)  # what is measured in the unit of the weights

SCALAR = {
    "ece": cv.calibration_error,
    "equal mass": lambda p: cv.calibration_error(p, binning=cv.EqualMass(5)),
    "sweep": lambda p: cv.calibration_error(p, binning=cv.Sweep()),
    "largest": lambda p: cv.calibration_error(p, aggregate="max"),
    "debiased": cv.debiased_error,
    "ks": cv.ks_error,
    "kuiper": cv.kuiper_error,
    "smooth": cv.smooth_error,
    "kernel density": cv.kde_error,
    "brier": cv.brier_score,
    "log loss": cv.log_loss,
    "accuracy": cv.accuracy,
    "classwise": lambda p: cv.calibration_error(p, "classwise"),
    "gce": lambda p: cv.evaluate(p, metrics=["gce"], progress=False),
    "corp": lambda p: [getattr(cv.corp(p), n) for n in ("miscalibration", "discrimination", "uncertainty")],
    "spiegelhalter": cv.spiegelhalter_test,
    "ks test": cv.ks_test,
    "kuiper test": cv.kuiper_test,
    "limit": lambda p: ks_limit(cv.lens("class 1")(p)),
    "mean": lambda p: mean_interval(cv.lens("class 1")(p)),
    "o/e": cv.observed_expected,
    "intercept": cv.calibration_intercept,
    "slope": cv.calibration_slope,
    "indices": cv.calibration_indices,
    "curve": cv.calibration_curve,
    "reliability": cv.reliability,
    "net benefit": lambda p: cv.net_benefit(p, threshold=0.3),
    "elsewhere": lambda p: cv.net_benefit(p, threshold=0.3, prevalence=0.1),
    "decision curve": lambda p: cv.decision_curve(p, thresholds=[0.2, 0.5], replicates=20),
    "changed sides": lambda p: cv.changed_sides(p, calibrator=cv.Platt().fit(cv.lens("class 1")(p)), thresholds=[0.4]),
    "near": lambda p: cv.local_calibration(p, thresholds=[0.3, 0.5]),
    "cost": lambda p: cv.expected_cost(p, costs=[[0, 1], [0.3, 0]]),
    "coverage": cv.risk_coverage,
    "aurc": cv.aurc,
    "excess aurc": cv.excess_aurc,
    "augrc": cv.augrc,
    "coverage at risk": lambda p: cv.coverage_at_risk(p, risk=0.2, replicates=20),
    "segments": lambda p: cv.segments(p, minimum=10, replicates=20, progress=False),
    "multicalibration": lambda p: cv.multicalibration_error(p, minimum=10),
    "bootstrap": lambda p: cv.bootstrap(p, error=cv.ks_error, replicates=20, progress=False),
    "consistency": lambda p: cv.consistency(p, error=cv.ks_error, replicates=20, progress=False),
    "categories": lambda p: cv.likert_error(p, "class 1", categories=[0, 0.5, 1]),
    "confidences": lambda p: cv.confidences(p, progress=False),
    "sensitivity": lambda p: cv.sensitivity(
        p, "top-1", binning="uniform", settings=[5, 10, 15], replicates=5, progress=False
    ),
    "elsewhere, all": lambda p: cv.ks_test(p.at_prevalence(0.2)),
    "cube": lambda p: cv.evaluate(
        p,
        ["top-1", "class 1", "classwise"],
        metrics=["ece", "ks", "debiased", "sweep", "brier", "log_loss"],
        calibrators=["none", "temperature", "isotonic"],
        calibration=0.5,
        replicates=5,
        progress=False,
    ),
    "noise of a cube": lambda p: cv.evaluate(
        p, ["class 1", "classwise"], metrics=["ece", "debiased", "sweep", "brier"], noise=True, progress=False
    ),
    "ranks": lambda p: cv.evaluate(
        {"one": p, "two": p.with_probs(0.8 * p.probs + 0.1)}, metrics=["brier"], ranking="model", progress=False
    ),
}


def numbers(found):
    """All numbers of a result that have no unit of weight, flat."""
    if isinstance(found, xr.DataArray):
        found = found.to_dataset(name="value")
    if isinstance(found, xr.Dataset):
        columns = [found[name].values for name in found.data_vars if name not in OF_WEIGHT]
        return np.concatenate([np.ravel(c).astype(float) for c in columns if c.dtype.kind in "fiub"])
    if dataclasses.is_dataclass(found):
        found = [getattr(found, field.name) for field in dataclasses.fields(found) if field.name not in OF_WEIGHT]
    if isinstance(found, list | tuple):
        return np.concatenate([numbers(part) for part in found] or [np.empty(0)])
    if isinstance(found, np.ndarray | float | int | np.number):
        return np.ravel(found).astype(float) if np.asarray(found).dtype.kind in "fiub" else np.empty(0)
    return np.empty(0)


def sample(seed, n=120):
    rng = np.random.default_rng(seed)
    score = rng.integers(1, 40, n) / 40
    fields = {"site": rng.choice(["a", "b"], n), "age": rng.random(n)}
    weights = rng.choice([0.25, 0.7, 1.3, 2.0], n)
    return cv.Predictions(score, (rng.random(n) < score).astype(int), weights=weights, fields=fields)


def in_other_unit(p, unit):
    return cv.Predictions(p.probs, p.labels, weights=p.weights * unit, fields=p.fields, class_names=p.class_names)


@pytest.mark.usefixtures("few_in_cubes")
@pytest.mark.parametrize("name", SCALAR)
@given(seed=st.integers(0, 1000), unit=st.sampled_from(UNITS))
@settings(max_examples=4)
def test_a_common_factor_of_all_weights_does_not_matter(name, seed, unit):
    p = sample(seed)
    one, other = (numbers(SCALAR[name](each)) for each in (p, in_other_unit(p, unit)))
    assert len(one) and np.isfinite(one).any()
    np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 2.0**-970])
def test_weights_whose_sums_lose_digits_are_refused(unit):
    p = sample(0)
    rows = np.column_stack([p.probs, p.labels])
    score, target, weights = rows[:, 1], rows[:, 2], np.maximum(p.weights * unit, 5e-324)
    for make, name in (
        (lambda w: cv.Predictions(p.probs, p.labels, weights=w), "weights"),
        (lambda w: cv.ScalarProblem(score, target, w), "weight"),
        (lambda w: cv.VectorProblem(p.probs, p.labels, w), "weight"),
    ):
        with pytest.raises(ValueError, match=rf"{name}\[\d+\] is .*none is larger: sums .* lose digits"):
            make(weights)
        with pytest.raises(ValueError, match=f"{name} are too large to be added up: divide all of them by"):
            make(np.full(len(p), 1.7e308))
        assert make(np.append(weights[:-1], 1.0)) is not None  # beside a larger one they hardly count


@pytest.mark.thorough
def test_pages_and_the_explorer_say_the_same_whatever_the_unit_of_weights(few_replicates):
    every = [sample(5, 150), *(in_other_unit(sample(5, 150), unit) for unit in UNITS[:2])]
    pages = []
    for p in every:
        two = {"a": p, "b": p.with_probs(p.probs**2 / (p.probs**2).sum(axis=1, keepdims=True))}
        made = (
            cv.report(p, clinical=True, threshold=0.3, progress=False),
            cv.compare(two, threshold=0.3, progress=False),
        )
        pages.append(
            {
                (number, table, row, column, name): value
                for number, one in enumerate(made)
                for table, rows in Page(one.html).tables.items()
                for row, cells in enumerate(rows)
                for column, numbers in cells.items()
                for name, value in numbers.items()
            }
        )
    for other in pages[1:]:
        assert other.keys() == pages[0].keys()
        for at, number in pages[0].items():
            assert other[at] == pytest.approx(number, rel=1e-9, abs=1e-12), at
    said = []
    for p in every:
        explorer = Explorer(p, panels=("confidence", "decision", "segments"), calibrator="temperature", threshold=0.3)
        explorer.finish()
        shown = screen(explorer)
        said.append((shown.words, shown.evidence, shown.numbers["rows"], shown.table("decision").content["rows"]))
        explorer.close()
    assert said[0] == said[1] == said[2]
