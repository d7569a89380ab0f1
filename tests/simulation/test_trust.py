"""How far a calibration error is to be trusted: what noise makes of it, its bias, and what it would miss."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom

import calibviz as cv
from calibviz.engine.scalar import ScalarProblem
from calibviz.uncertainty.intervals.true_curves import true_curve

TRUST = import_module("calibviz.simulation.trust")  # cv.trust is the function
SHAPES = {
    "a spike at 1": lambda rng, n: np.where(rng.random(n) < 0.5, 1.0, rng.random(n)),
    "five values": lambda rng, n: rng.choice([0.3, 0.5, 0.7, 0.9, 0.99], n),
    "two peaks": lambda rng, n: rng.beta(0.2, 0.2, n),
    "a forest": lambda rng, n: rng.choice(cv.load_dataset("tumours")["random forest"].confidence, n),
}


def labelled(score, curve, rng):
    return ScalarProblem(score, rng.random(len(score)) < curve(score))


def drawn(network, n, seed=0):
    """A problem of a simulated network."""
    return cv.lens("class right")(cv.simulated(network, n, rng=seed))


def half_odds(score):
    """Over-confident: half the log-odds."""
    return expit(logit(score) / 2)


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SHAPES)
def test_one_calibrated_model_in_twenty_exceeds_its_threshold(shape):
    alarms, sets = 0, 60
    for i in range(sets):
        rng = np.random.default_rng((200, i))
        found = cv.trust(labelled(SHAPES[shape](rng, 200), np.copy, rng), replicates=19, rng=i)
        alarms += found.estimate > found.threshold
    assert alarms <= binom.ppf(0.999, sets, 0.05)


def test_the_noise_is_that_of_consistency_resampling():
    tumours = cv.load_dataset("tumours")["gradient boosting"]
    for binning in (cv.Uniform(), cv.EqualMass(5), cv.Sweep()):
        found = cv.trust(tumours, binning=binning, replicates=199, rng=3)
        same = cv.consistency(
            tumours, error=lambda q, b=binning: cv.calibration_error(q, binning=b), replicates=199, rng=3
        )
        assert found.estimate == same.estimate
        assert found.if_calibrated == pytest.approx(same.mean)
        assert found.p_value == pytest.approx(same.p_value)
        assert (same.replicates > found.threshold).sum() <= 9 < (same.replicates >= found.threshold).sum()


@pytest.mark.thorough
def test_the_estimate_exceeds_the_threshold_where_p_is_at_most_one_in_twenty():
    for i in range(40):  # few scores, and so few possible errors
        rng = np.random.default_rng(i)
        problem = labelled(rng.choice([0.2, 0.6, 0.9], 30), lambda s: s**1.5, rng)
        found = cv.trust(problem, replicates=19 + 20 * (i % 3), rng=i)
        assert (found.estimate > found.threshold) == (found.p_value <= 0.05)


def test_equal_errors_are_equal_whatever_the_order_of_their_sums():
    rng = np.random.default_rng(0)
    problem = labelled(rng.choice([0.3, 0.5, 0.7, 0.9, 0.99], 50), np.copy, rng)
    found = cv.trust(problem, replicates=99)
    values = cv.consistency(problem, error=cv.calibration_error, replicates=99).replicates
    assert (np.abs(values - found.estimate) < 1e-12).any()
    assert found.p_value == (1 + (values > found.estimate - 1e-12).sum()) / 100


@pytest.mark.parametrize(
    "curve", [np.copy, half_odds, lambda s: s + 0.2 * s * (1 - s), lambda s: np.clip(s - 0.1 * (s > 0.5), 0, 1)]
)
@pytest.mark.parametrize("shape", ["a spike at 1", "two peaks"])
def test_the_suggested_curve_has_about_the_true_error(curve, shape):
    rng = np.random.default_rng(1)
    score = SHAPES[shape](rng, 20_000)
    found = cv.trust(labelled(score, curve, rng), replicates=19)
    assert found.curve_error == pytest.approx(np.abs(score - curve(score)).mean(), abs=0.006)


def test_the_bias_is_that_of_the_network():
    """On the scores of a network, and with a curve close to its own."""
    found = [
        cv.trust(drawn("resnet152_imagenet", 1000, seed), p=2, replicates=19, binning=cv.Uniform(10))
        for seed in range(8)
    ]
    cube = cv.simulate_errors("resnet152_imagenet", "uniform", 1000, 10, p=2, progress=False)
    assert np.mean([one.bias for one in found]) == pytest.approx(cube.bias.item(), abs=0.003)
    assert np.mean([one.curve_error for one in found]) == pytest.approx(cube.tce.item(), abs=0.01)


def test_the_bias_is_that_of_labels_of_the_suggested_curve():
    rng = np.random.default_rng(4)
    problem = labelled(rng.random(300), half_odds, rng)
    found = cv.trust(problem)
    curve = true_curve(problem, 0, rng).fit
    errors = [cv.calibration_error(labelled(problem.score, lambda _: curve, rng)) for _ in range(400)]
    assert found.curve_error == pytest.approx(np.abs(problem.score - curve).mean())
    assert found.curve_error + found.bias == pytest.approx(np.mean(errors), abs=0.003)


@pytest.mark.parametrize(("seed", "true", "p"), [(0, half_odds, 1), (1, np.copy, 2)])
def test_what_is_detectable_is_detected_four_times_out_of_five(seed, true, p):
    rng = np.random.default_rng(seed)
    problem = labelled(rng.beta(2, 1, 400), true, rng)
    found = cv.trust(problem, p=p)
    curve = true_curve(problem, 0, rng)

    def stretched(by):
        return expit(curve.z + by * (curve.curves[0] - curve.z))

    low, high = 0.0, 100.0  # until it has that error
    for _ in range(50):
        middle = (low + high) / 2
        error = (np.abs(problem.score - stretched(middle)) ** p).mean() ** (1 / p)
        low, high = (low, middle) if error > found.detectable else (middle, high)
    chance = stretched(high)
    errors = [cv.calibration_error(labelled(problem.score, lambda _: chance, rng), p=p) for _ in range(300)]
    assert np.mean(np.array(errors) > found.threshold) == pytest.approx(0.8, abs=0.08)


def test_more_samples_detect_less():
    found = [cv.trust(drawn("resnet152_imagenet", n), replicates=99).detectable for n in (200, 2000)]
    assert found[0] > 2 * found[1] > 0


@pytest.mark.parametrize("binning", [cv.EqualMass(7), cv.Sweep(), cv.Sweep("uniform"), cv.Uniform(7, "right")])
def test_every_binning(binning):
    problem = drawn("densenet40_c100", 150)
    found = cv.trust(problem, binning=binning, replicates=99)
    assert found.estimate == cv.calibration_error(problem, binning=binning)
    assert found.threshold > found.if_calibrated > 0


def test_three_samples_detect_nothing():
    found = cv.trust(ScalarProblem([0.2, 0.5, 0.9], [0, 1, 1]))
    assert np.isnan(found.detectable)
    assert str(found).endswith("No error of that shape, however large, is noticed 4 times out of 5.")


@pytest.mark.parametrize("score", [0.0, 0.7, 1.0])
def test_scores_may_all_be_equal(score):
    found = cv.trust(ScalarProblem(np.full(40, score), np.arange(40) % 2), replicates=99)
    assert found.estimate == pytest.approx(abs(score - 0.5))
    assert found.estimate > found.threshold


def test_a_selection_is_judged_by_its_own_size():
    digits = cv.load_dataset("digits")["naive Bayes"]
    found = cv.trust(digits, "class 3", selection="predicted == 3", replicates=19)
    assert found.size == (digits.predicted == 3).sum()


def test_whole_weights_repeat_samples():
    rng = np.random.default_rng(0)
    problem = labelled(rng.random(60), np.copy, rng)
    times = rng.integers(1, 4, 60)
    weighted = ScalarProblem(problem.score, problem.given_target, times.astype(float))
    assert cv.trust(weighted, replicates=19) == cv.trust(weighted.repeated(), replicates=19)


def test_other_weights_have_no_unit_and_count_in_the_curve():
    rng = np.random.default_rng(0)
    score = rng.random(2000)
    doubted = rng.random(2000) < 0.5
    target = rng.random(2000) < np.where(doubted, 0.5, score)
    weight = np.where(doubted, 1e-3, 1.0)
    found, scaled = (cv.trust(ScalarProblem(score, target, unit * weight), replicates=19) for unit in (1.5, 3.0))
    assert found == scaled
    assert found.size == 2000 and " on 2,000 samples. " in str(found)
    assert found.curve_error < 0.04 < cv.trust(ScalarProblem(score, target), replicates=19).curve_error


def test_the_paragraph_says_what_was_found():
    found = cv.trust(drawn("resnet152_imagenet", 3000))
    words = str(found)
    assert f"The error measures {100 * found.estimate:.2f} % on 3,000 samples." in words
    assert "noise alone does not explain this error (p < 0.002)" in words
    assert f"4 times out of 5 from {100 * found.detectable:.2f} % on; a smaller one can hide." in words
    calm = replace(found, estimate=found.threshold, p_value=0.052)
    assert "noise alone can explain this error (p = 0.052)" in str(calm)


@pytest.mark.parametrize(
    ("kind", "message", "options"),
    [
        (ValueError, "replicates must be at least 19, not 18", {"replicates": 18}),
        (ValueError, "p must be finite and at least 1, not", {"p": 0.5}),
        (TypeError, "p must be a number, not 'a'", {"p": "a"}),
        (ValueError, "rng must be at least 0, not -1", {"rng": -1}),
        (TypeError, "binning must be a binning such as", {"binning": 15}),
        (ValueError, "lens must not be 'pooled' for trust, since its entries share labels", {"lens": "pooled"}),
        (ValueError, "outcome", {"lens": "classwise"}),
        (ValueError, "outcome", {"lens": "top-3"}),
    ],
)
def test_arguments_are_checked_before_anything_is_drawn(kind, message, options, monkeypatch):
    monkeypatch.setattr(TRUST, "consistency", None)
    with pytest.raises(kind, match=message):
        cv.trust(cv.load_dataset("digits")["naive Bayes"], **options)


def test_what_has_no_labels_to_draw():
    with pytest.raises(ValueError, match="the labels are soft"):
        cv.trust(ScalarProblem(np.linspace(0, 1, 9), np.linspace(0, 1, 9)))
    heavy = ScalarProblem(np.linspace(0, 1, 9), np.arange(9) % 2, np.full(9, 3e6))
    with pytest.raises(ValueError, match="there are 27,000,000 samples: labels of at most 10,000,000 are drawn"):
        cv.trust(heavy)
