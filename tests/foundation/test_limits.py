"""Numbers at the limits of float64, and what is kept, handed out or written to a file."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import calibviz as cv
from calibviz.context.lenses import ClassConditional

PAIR = np.array([[0.9, 0.1], [0.5, 0.5], [0.5, 0.5]])


@pytest.mark.parametrize("weights", [[1e16, 1, 1], [1e6, 1e-12, 1e-12]])
def test_tied_weights_too_small_to_count_are_no_nan(weights):
    p = cv.Predictions(PAIR, [0, 1, 0], weights=weights)
    for found in (cv.calibration_error(p, "class 1"), cv.ks_error(p, "class 1"), cv.sweep_bins(p, "class 1")):
        assert np.isfinite(found)
    assert cv.calibration_error(p, "class 1", binning=cv.EqualMass(2)) == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("large", [1e7, 1e9, 1e11, 1e13])
def test_a_small_weight_beside_a_large_one_keeps_its_mean(large):
    p = cv.Predictions([[0.95, 0.05], [0.5, 0.5], [0.3, 0.7]], [0, 1, 1], weights=[large, 0.2, 0.3])
    for options in ({}, {"selection": "confidence > 0"}):
        assert cv.calibration_error(p, "class 1", binning=cv.Uniform(5), aggregate="max", **options) == 0.5
    cube = cv.evaluate(p, "class 1", bins=[5, 3], metrics="mce", selections={"all": "confidence > 0"}, progress=False)
    assert cube.mce.sel(bins=5).item() == 0.5


@pytest.mark.parametrize("threshold", [0.01, 0.3])
def test_a_threshold_is_not_rounded_to_the_dtype_of_the_scores(threshold):
    probs = np.array([[0.01, 0.99], [0.3, 0.7], [0.5, 0.5]])
    for dtype in (np.float16, np.float32):
        small = probs.astype(dtype)
        metric = cv.GCE(max_prob=False, class_conditional=True, threshold=threshold)
        found, wanted = (metric(cv.Predictions(q, [0, 1, 0], normalize=False)) for q in (small, small.astype(float)))
        assert found == wanted


def test_what_is_handed_out_changes_nothing():
    p = cv.Predictions(PAIR, [0, 1, 0])
    before = cv.calibration_error(p, binning=cv.KDTree(1.0)), cv.ks_error(p)
    table = cv.cumulative(p)
    table.score.values[:] = 0
    table["index"].values[:] = 0
    assert (cv.calibration_error(p, binning=cv.KDTree(1.0)), cv.ks_error(p)) == before
    for array in (p.ranking(2), p.predicted, p.confidence, p.top_target, p.probs):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_pooled_has_several_outputs_whatever_the_weights():
    p = cv.Predictions(PAIR, [0, 1, 0], weights=[1, 0, 0])
    with pytest.raises(ValueError, match="the lens 'pooled' has several outputs a sample"):
        cv.calibration_error(p, "pooled", selection="output > 0.5")


@pytest.mark.parametrize("scale", [1e-170, 1e-12, 1, 1e3])
def test_kde_does_not_depend_on_the_unit_of_weights(scale):
    rng = np.random.default_rng(0)
    score = rng.random(50)
    weights = rng.random(50) + 0.5
    plain, scaled = (
        cv.kde_error(cv.ScalarProblem(score, (score > 0.4).astype(float), w)) for w in (weights, weights * scale)
    )
    assert scaled == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: cv.bootstrap(p(9e15), error=cv.ks_error, replicates=2), "too many samples to draw"),
        (lambda p: cv.consistency(p(9e15), error=cv.ks_error, replicates=2), "too many to draw a label for each"),
        (lambda p: cv.calibration_error(p(1e12), binning=cv.KDTree(split="median")), "too many for the median split"),
        (
            lambda p: cv.consistency(cv.lens("full")(p(1e12)), error=cv.brier_score, replicates=2),
            "too many to draw a label for each",
        ),
        (lambda p: p(1e308), "weights are too large to be added up"),
        (lambda p: cv.bootstrap(p(1), error=cv.ks_error, replicates=2, rng=-1), "rng must be at least 0"),
        (lambda p: p(1).split(rng=-1), "rng must be at least 0"),
        (
            lambda p: cv.bootstrap(p(1), error=lambda q: None, replicates=2),
            "the error must return a number, not None",
        ),
        (lambda p: cv.evaluate(p(1), bins=[]), "bins is empty"),
        (lambda p: cv.evaluate(p(1), p=0.5), "p must be finite and at least 1, not"),
        (lambda p: ClassConditional(True), "class True is unknown"),
        (lambda p: cv.ScalarProblem([0.5], [5.0]), r"target\[0\] is 5: a target lies between 0 and 1"),
        (lambda p: cv.VectorProblem([[0.5, 0.5]], [5]), r"target\[0\] is 5: there are 2 outcomes"),
        (lambda p: cv.VectorProblem([[0.5, np.nan]], [0]), r"score\[0, 1\] is nan: every entry must be finite"),
    ],
)
def test_what_cannot_be_done_is_refused(call, message):
    def predictions(weight):
        return cv.Predictions(PAIR, [0, 1, 0], weights=np.full(3, float(weight)))

    with pytest.raises(ValueError, match=message):
        call(predictions)


def test_a_statistic_that_ignores_weights_is_refused():
    rng = np.random.default_rng(0)
    p = cv.Predictions(rng.dirichlet([1, 1, 1], 200), rng.integers(0, 3, 200))
    with pytest.raises(ValueError, match="does not count the weights"):
        cv.bootstrap(p, error=lambda q: (q.predicted == q.labels).mean(), replicates=5)
    heeding = cv.bootstrap(p, error=lambda q: np.average(q.predicted == q.labels, weights=q.weights), replicates=5)
    assert heeding.replicates == pytest.approx(cv.bootstrap(p, error=cv.accuracy, replicates=5).replicates)
    right = cv.Predictions(np.eye(3), [0, 1, 2])
    assert cv.bootstrap(right, error=cv.accuracy, replicates=5).std == 0  # which never varies, and may


def test_used_objects_can_be_pickled():
    p = cv.Predictions(PAIR, [0, 1, 0])
    before = cv.ks_error(p), cv.calibration_error(p, selection="confidence > 0.5")
    again = pickle.loads(pickle.dumps(p))
    assert (cv.ks_error(again), cv.calibration_error(again, selection="confidence > 0.5")) == before
    problem = cv.lens("top-1")(p)
    assert cv.ks_error(pickle.loads(pickle.dumps(problem))) == before[0]


def test_float32_powers_are_those_of_float64():
    p = cv.Predictions(PAIR, [0, 1, 0])
    assert cv.calibration_error(p, p=np.float32(1.5)) == cv.calibration_error(p, p=1.5)
    assert cv.Lp(np.float32(1.5)) == cv.Lp(1.5)
