"""The columns of a matrix in bins at once, against every column by itself."""

from __future__ import annotations

from threading import get_ident

import numpy as np
import pytest
from hypothesis import given, strategies as st

import calibviz as cv
from calibviz.engine.binnings.binning import family_bins
from calibviz.engine.columns import ColumnFamily
from calibviz.engine.family import ProblemFamily
from calibviz.metrics.distances import Lp

DTYPES = ("float16", "float32", "float64")


def predictions_of(n, classes, dtype="float32", decimals=None, seed=0):
    """Rounded probabilities lie on the edges of bins."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.full(classes, 0.3), n)
    probs = probs if decimals is None else probs.round(decimals)
    return cv.Predictions(probs.astype(dtype), rng.integers(0, classes, n), normalize=True)


@given(
    n=st.integers(1, 60),
    classes=st.integers(2, 7),
    bins=st.integers(1, 30),
    closed=st.sampled_from(["left", "right"]),
    dtype=st.sampled_from(DTYPES),
    decimals=st.sampled_from([None, 1, 2]),
    seed=st.integers(0, 99),
)
def test_bins_are_those_of_every_column(n, classes, bins, closed, dtype, decimals, seed):
    family = cv.lens("classwise")(predictions_of(n, classes, dtype, decimals, seed))
    binning = cv.Uniform(bins, closed)
    together = family_bins(family, [binning])
    for c in range(classes):
        alone = binning(family.outcome(c))
        assert together.count[c].tolist() == alone.count.tolist()
        assert together.weight[c].tolist() == alone.weight.tolist()
        np.testing.assert_allclose(together.target[c], alone.target, rtol=1e-14)
        np.testing.assert_allclose(together.score[c], alone.score, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("distance", [None, Lp(2), cv.ClassWeighted([1.0, 0.0, 3.0, 2.0])], ids=repr)
@pytest.mark.parametrize(("p", "aggregate"), [(1.0, "mean"), (2.0, "mean"), (1.0, "max")])
def test_the_error_is_that_of_the_classes_one_after_the_other(distance, p, aggregate):
    predictions, binning = predictions_of(500, 4), cv.Uniform(9)
    error = cv.calibration_error(predictions, "classwise", binning=binning, distance=distance, p=p, aggregate=aggregate)
    shares = np.array(distance.weights) / 6 if isinstance(distance, cv.ClassWeighted) else np.full(4, 0.25)
    one_class = None if isinstance(distance, cv.ClassWeighted) else distance
    errors = [
        cv.calibration_error(
            predictions, f"class {c}", binning=binning, selection=None, distance=one_class, p=p, aggregate=aggregate
        )
        for c in range(4)
    ]
    assert error == pytest.approx(shares @ errors, rel=1e-12)


def test_very_many_bins_are_made_class_by_class(monkeypatch):
    predictions = predictions_of(50, 6)
    at_once = cv.calibration_error(predictions, "classwise", binning=cv.Uniform(10))
    monkeypatch.setattr("calibviz.engine.binnings.binning.MOST_BINS_AT_ONCE", 59)
    monkeypatch.setattr(ColumnFamily, "between", lambda *_: pytest.fail("all at once"))
    again = cv.Predictions(predictions.probs, predictions.labels)
    assert cv.calibration_error(again, "classwise", binning=cv.Uniform(10)) == pytest.approx(at_once, abs=1e-12)


MEASURES = {
    "uniform": lambda data: cv.calibration_error(data, "classwise"),
    "equal-mass": lambda data: cv.calibration_error(data, "classwise", binning=cv.EqualMass(15)),
    "by class": lambda data: cv.calibration_error(data, "top-1 by class"),
    "debiased": lambda data: cv.debiased_error(data, "classwise", binning=cv.EqualMass(15)),
}


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_the_number_of_threads_changes_no_bit(measure, monkeypatch):
    errors, seen = set(), set()
    monkeypatch.setattr(
        ProblemFamily, "numbered", lambda *given, was=ProblemFamily.numbered: seen.add(get_ident()) or was(*given)
    )
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("CALIBVIZ_NUM_THREADS", threads)
        errors.add(measure(predictions_of(60_000, 50, "float64")))
    assert len(errors) == 1
    assert len(seen) > 1 or measure is MEASURES["uniform"]  # which looks at rows, not at classes


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    monkeypatch.setenv("CALIBVIZ_NUM_THREADS", "2")

    def refuse(_score, _target):
        raise ValueError("not this one")

    with pytest.raises(ValueError, match="not this one"):
        cv.calibration_error(predictions_of(60_000, 50), "classwise", binning=cv.EqualMass(15), distance=refuse)


def test_weighted_samples_are_binned_class_by_class():
    predictions = predictions_of(300, 3)
    weighted = cv.Predictions(predictions.probs, predictions.labels, weights=np.ones(300))
    assert family_bins(cv.lens("classwise")(weighted), [cv.Uniform(5)]) is None
    plain, other = (cv.calibration_error(data, "classwise", binning=cv.Uniform(5)) for data in (predictions, weighted))
    assert plain == pytest.approx(other, rel=1e-12)


def test_weights_beyond_what_can_be_counted_are_no_counts():
    predictions = cv.Predictions([[0.7, 0.2, 0.1], [0.2, 0.3, 0.5]], [0, 1], weights=[5e18, 5e18])
    halves = cv.Predictions(predictions.probs, predictions.labels, weights=[0.5, 0.5])
    assert cv.calibration_error(predictions, "classwise") == pytest.approx(cv.calibration_error(halves, "classwise"))
    assert repr(cv.lens("classwise")(predictions)).startswith("<ProblemFamily 2 samples")


@pytest.mark.parametrize("bins", [1, 7])
def test_a_bin_without_scores_adds_up_to_nothing(bins):
    probs = np.tile([0.55, 0.45], (1001, 1)) + np.linspace(0, 0.3, 1001)[:, None] * [1, -1]
    family = cv.lens("classwise")(cv.Predictions(probs, np.zeros(1001, int)))
    for problem in (family, family.outcome(0)):
        _, score, _, count = problem.between(cv.Uniform(bins).edges, "left")
        assert not score[count == 0].any()
