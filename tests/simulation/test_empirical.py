"""Networks of the scores at hand: their truth is that of `trust`, and what is drawn follows it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import calibviz as cv

DATA = {
    "digits": lambda: (cv.load_dataset("digits")["neural network"], None),
    "digits, class 3": lambda: (cv.load_dataset("digits")["naive Bayes"], "class 3"),
    "tumours": lambda: (cv.load_dataset("tumours")["naive Bayes"], None),
    "heart": lambda: (cv.load_dataset("heart")["logistic regression"], None),
}


def weighted(weights):
    rng = np.random.default_rng(2)
    score = rng.beta(2, 1, 300)
    return cv.ScalarProblem(score, rng.random(300) < score**2, weights(rng))


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("name", DATA)
def test_the_true_error_is_that_of_the_curve_of_trust(name, p):
    predictions, lens = DATA[name]()
    network = cv.Network.empirical(predictions, lens)
    trusted = cv.trust(predictions, lens, p=p, replicates=19, progress=False)
    assert cv.true_calibration_error(network, p) == pytest.approx(trusted.curve_error, rel=1e-12)


@pytest.mark.parametrize("weights", [lambda rng: rng.integers(0, 5, 300).astype(float), lambda rng: rng.random(300)])
def test_the_true_error_is_that_of_trust_with_weights_too(weights):
    problem = weighted(weights)
    trusted = cv.trust(problem, replicates=19, progress=False)
    assert cv.true_calibration_error(cv.Network.empirical(problem), 1) == pytest.approx(trusted.curve_error, rel=1e-9)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.sampled_from([1, 2, 16]))
def test_the_true_error_is_the_mean_distance_of_the_flexible_curve(seed, n, steps):
    rng = np.random.default_rng(seed)
    score = np.round(rng.beta(0.5, 0.5, n), steps)
    problem = cv.ScalarProblem(score, rng.random(n) < 0.5)
    network = cv.Network.empirical(problem)
    curve = cv.calibration_curve(problem, at=problem.score).probability
    np.testing.assert_allclose(network.true_curve(problem.score), curve, rtol=1e-9)
    expected = np.abs(problem.score - network.true_curve(problem.score)).mean()
    assert cv.true_calibration_error(network, 1) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert cv.true_calibration_error(network.calibrated, 1) == 0


def test_scores_are_drawn_by_their_weights_and_labels_by_the_curve():
    problem = cv.ScalarProblem([0.1, 0.6, 0.6, 0.9], [0, 1, 0, 1], [0.0, 3.0, 3.0, 2.0])
    network = cv.Network.empirical(problem)
    drawn = cv.simulated(network, 40_000)
    score, right = drawn.probs[:, 1], drawn.labels == 1
    assert set(score) == {0.6, 0.9}
    assert (score == 0.6).mean() == pytest.approx(0.75, abs=0.01)
    assert right[score == 0.6].mean() == pytest.approx(network.true_curve(0.6), abs=0.01)
    assert drawn.about["made"].startswith("40000 scores from the scores of 8 predictions, labels")


@pytest.mark.parametrize("estimator", ["equal-mass debiased", "ks", "kuiper", "smooth"])
def test_estimators_come_to_their_truth_with_many_samples(estimator):
    network = cv.Network.empirical(cv.load_dataset("tumours")["naive Bayes"])
    cube = cv.simulate_errors(network, estimator, n=100_000, bins=100, replicates=3, progress=False).squeeze()
    assert float(cube["mean"]) == pytest.approx(float(cube.truth), abs=0.006)
    assert cube.network.item() == "predictions"


def test_the_ks_truth_is_the_largest_sum_of_the_distances():
    problem = weighted(lambda rng: rng.integers(1, 5, 300).astype(float))
    network = cv.Network.empirical(problem)
    away = problem.weight * (problem.score - network.true_curve(problem.score)) / problem.weight.sum()
    cube = cv.simulate_errors(network, "ks", n=10, replicates=2, progress=False)
    assert cube.truth.item() == pytest.approx(np.abs(np.cumsum(away)).max(), rel=1e-9)


def test_the_thresholds_of_misses_are_those_of_calibrated_scores():
    network = cv.Network.empirical(cv.load_dataset("digits")["random forest"])
    table = cv.miss_rates([network, network.calibrated], "uniform", 400, replicates=200, progress=False)
    of_network, of_calibrated = table.miss_rate.squeeze().values
    assert of_network == 0
    assert of_calibrated == pytest.approx(0.95, abs=0.05)
    assert len(np.unique(table.threshold)) == 1


def test_how_far_a_beta_is_from_the_scores():
    rng = np.random.default_rng(0)
    problem = cv.ScalarProblem(np.sort(rng.beta(2, 1, 500)), np.zeros(500))
    network, beta = cv.Network.empirical(problem), cv.Network("other", 1, 1)
    middle = (problem.score[1:] + problem.score[:-1]) / 2
    expected = np.abs(np.arange(1, 500) / 500 - middle).max()
    assert network.share_apart(beta) == pytest.approx(expected)
    assert network.share_apart(network) == pytest.approx(0, abs=1e-12)
    assert cv.Network.empirical(cv.ScalarProblem([0.7] * 5, [1, 0, 1, 1, 0])).share_apart(beta) == pytest.approx(0.7)


def test_it_says_what_it_is():
    network = cv.Network.empirical(cv.load_dataset("digits")["neural network"])
    assert repr(network) == "<EmpiricalNetwork 'predictions': the scores of 1,797 predictions (top-1), TCE_1 3.34 %>"
    renamed = cv.Network.empirical(cv.ScalarProblem([0.5], [1]), name="mine")
    assert repr(renamed).startswith("<EmpiricalNetwork 'mine': the scores of 1 prediction, TCE_1 ")


def digits():
    return cv.load_dataset("digits")["neural network"]


@pytest.mark.parametrize(
    ("kind", "message", "call"),
    [
        (
            ValueError,
            "lens must not be 'pooled' for an empirical network",
            lambda: cv.Network.empirical(digits(), "pooled"),
        ),
        (ValueError, "outcome", lambda: cv.Network.empirical(digits(), "full")),
        (
            ValueError,
            "^selection: the selection looks at what is true, after which no curve is that of the predictions: leave",
            lambda: cv.Network.empirical(digits(), selection="label in [3, 5]"),
        ),
        (TypeError, "^name must be text, not 3$", lambda: cv.Network.empirical(digits(), name=3)),
        (
            TypeError,
            r"^networks\[0\] must be the name of a network or cv.Network\(...\), not .*: cv.Network.empirical makes",
            lambda: cv.simulate_errors([digits()], "ks", n=10),
        ),
        (TypeError, "cv.Network.empirical makes one of predictions", lambda: cv.true_calibration_error(digits())),
    ],
)
def test_refusals(kind, message, call):
    with pytest.raises(kind, match=message):
        call()
