"""Weights that stand for another population: they estimate its errors, are checked, and warn where few carry them."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import calibviz as cv

EDGES = np.linspace(0, 1, 11)


def drawn(seed, n, mean):
    """Scores whose logits lie about a mean, labels of a model that is wrong at low scores alone."""
    rng = np.random.default_rng(seed)
    x = rng.normal(mean, 1.0, n)
    score = 1 / (1 + np.exp(-x))
    truth = np.where(x < 0, score**1.6, score)
    return x, score, (rng.random(n) < truth).astype(int)


def ratio(x, mean):
    """The density of N(mean, 1) by that of N(0, 1)."""
    return np.exp(mean * x - mean**2 / 2)


def ece_by_loop(score, label, weight):
    total = 0.0
    for low, high in pairwise(EDGES):
        inside = (score >= low) & (score < high)
        total += abs(sum(w * (t - s) for s, t, w in zip(score[inside], label[inside], weight[inside], strict=True)))
    return total / weight.sum()


def ks_by_loop(score, label, weight):
    order, walk, largest = np.argsort(score), 0.0, 0.0
    for i in order:
        walk += weight[i] * (label[i] - score[i])
        largest = max(largest, abs(walk))
    return largest / weight.sum()


def test_density_ratios_give_the_errors_of_the_other_population():
    """Against loops with weights, and against samples of that population, within noise."""
    x, score, label = drawn(0, 20_000, 0.0)
    weight = ratio(x, 0.8)
    there = cv.Predictions(score, label).reweighted(weight)
    ece = cv.calibration_error(there, "class 1", binning=cv.Uniform(10))
    ks = cv.ks_error(there, "class 1")
    assert ece == pytest.approx(ece_by_loop(score, label, weight), abs=1e-12)
    assert ks == pytest.approx(ks_by_loop(score, label, weight), abs=1e-12)
    _, other, truth = drawn(1, 20_000, 0.8)
    target, here = cv.Predictions(other, truth), cv.Predictions(score, label)
    for error in (
        lambda p: cv.calibration_error(p, "class 1", binning=cv.Uniform(10)),
        lambda p: cv.ks_error(p, "class 1"),
    ):
        assert abs(error(there) - error(target)) < 0.015 < 0.02 < error(here) - error(target)


def test_means_of_the_other_population_lie_in_the_interval_of_the_weighted_ones():
    """Over data sets, the 95 % interval of O:E holds the ratio of the other population."""
    _, score, label = drawn(99, 400_000, 0.5)
    true = label.mean() / score.mean()
    held = []
    for seed in range(60):
        x, own, seen = drawn(seed, 600, 0.0)
        found = cv.observed_expected(cv.Predictions(own, seen).reweighted(ratio(x, 0.5)))
        held.append(found.lower <= true <= found.upper)
    assert np.mean(held) >= 0.88


def test_few_samples_that_carry_the_weights_are_warned_of():
    x, score, label = drawn(2, 2000, 0.0)
    p, weight = cv.Predictions(score, label), ratio(x, 3.0)
    worth = weight.sum() ** 2 / (weight**2).sum()
    held = np.sort(weight)[-10:].sum() / weight.sum()
    said = (
        f"worth {worth:,.0f} equal samples, of 2,000 before: the 10 largest weights of 2,000 hold {100 * held:.0f} % of"
    )
    with pytest.warns(UserWarning, match=said) as heard:
        p.reweighted(weight)
    assert heard[0].filename == __file__
    with pytest.warns(UserWarning, match="worth"):
        p.select(np.arange(150)).reweighted(ratio(x[:150], 1.2))  # 60 of 150 are left


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 80), st.floats(1.0, 3.0))
def test_weights_that_lose_little_are_silent_however_few_samples_there_are(n, largest):
    score = np.linspace(0.1, 0.9, n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = cv.Predictions(score, np.arange(n) % 2).reweighted(np.linspace(1, largest, n))
        made.reweighted(np.linspace(1, largest, n) ** 2 / np.linspace(1, largest, n))
    np.testing.assert_allclose(made.weights, np.linspace(1, largest, n))


def test_whole_weights_count_rows_and_clusters_count_by_their_sums():
    score = np.linspace(0.1, 0.9, 400)
    counts = np.where(np.arange(400) < 5, 50.0, 0.0)  # 250 rows
    p = cv.Predictions(score, np.arange(400) % 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p.reweighted(counts)
        p.with_weights(np.zeros(400))  # which is for weights that are known to be valid
    together = cv.Predictions(score, np.arange(400) % 2, cluster=np.arange(400) % 200)
    with pytest.warns(UserWarning, match="worth 5 equal samples, of 200 before"):
        together.reweighted(counts)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, -1, 1], r"weights\[1\] is -1: a weight cannot be negative"),
        ([1, np.nan, 1], r"weights\[1\] is nan"),
        ([1, np.inf, 1], r"weights\[1\] is inf"),
        ([0, 0, 0], "weights are all 0"),
        ([1, 1], r"weights must have shape \(3,\)"),
    ],
)
def test_what_are_no_weights_is_refused(weights, said):
    with pytest.raises(ValueError, match=said):
        cv.Predictions([0.1, 0.5, 0.9], [0, 1, 1]).reweighted(weights)


def test_a_sample_that_was_left_out_stays_out():
    p = cv.Predictions([0.1, 0.5, 0.9], [0, 1, 1], weights=[0, 1, 1])
    with pytest.raises(ValueError, match="weights must be 0 where those of the predictions are"):
        p.reweighted([1.5, 1, 1])
