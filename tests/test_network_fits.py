"""Networks like the one at hand, and how far a calibration error is to be trusted."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import beta

import calibviz as cv
from calibviz.problems import ScalarProblem

TRUST = sys.modules["calibviz.trust"]  # cv.trust is the function


def drawn(network, n, seed=0):
    """A problem of a simulated network."""
    return cv.lens("class right")(cv.simulated(network, n, seed))


@pytest.mark.parametrize("name", cv.NETWORKS)
def test_the_parameters_of_a_large_sample_are_found(name):
    network = cv.NETWORKS[name]
    fit = cv.fit_network(drawn(network, 30_000))
    found = fit.network
    assert found.transform == network.transform
    assert found.a == pytest.approx(network.a, rel=0.05)
    assert found.b == pytest.approx(network.b, rel=0.03)
    assert (found.b0, found.b1) == pytest.approx((network.b0, network.b1), abs=0.1)
    assert fit.n == 30_000
    assert (np.diff(fit.curves.aic) >= 0).all()


def test_calibrated_and_constant_networks_are_found():
    assert cv.fit_network(drawn(cv.Network("true", 2, 1), 5000)).network.transform == "identity"
    constant = cv.fit_network(drawn(cv.Network("flat", 2, 1, "logit", 0.4, 0.0), 5000))
    assert constant.curves.curve[0] == "constant"
    assert constant.network.true_curve([0.1, 0.9]) == pytest.approx(2 * [expit(0.4)], abs=0.03)


def test_the_beta_distribution_is_the_most_likely():
    problem = drawn(cv.Network("smooth", 2, 0.7), 3000)  # none of its scores rounds to 1
    found = cv.fit_network(problem).network
    a, b, *_ = beta.fit(problem.score, floc=0, fscale=1)
    assert (found.a, found.b) == pytest.approx((a, b), rel=1e-4)


@pytest.mark.parametrize("transform", ["logit", "logit-logflip", "log", "logflip"])
def test_the_curves_are_the_most_likely(transform):
    """Against a minimum that is looked for without derivatives."""
    problem = drawn(cv.NETWORKS["resnet152_imagenet"], 2000, seed=5)
    network = cv.Network("x", 1, 1, transform)

    def loss(coefficients):
        truth = replace(network, b0=coefficients[0], b1=coefficients[1]).true_curve(problem.score)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(problem.target == 1, np.log(truth), np.log1p(-truth))
        return 1e9 if not np.isfinite(terms).all() else -terms.sum()

    row = cv.fit_network(problem).curves.sel(curve=transform)
    found = (float(row.b0), float(row.b1))
    best = minimize(loss, found, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 2000})
    assert loss(found) == pytest.approx(best.fun, abs=1e-4)
    assert float(row.aic) == pytest.approx(4 + 2 * loss(found), abs=1e-4)


def test_the_diagonal_has_no_free_parameter():
    problem = drawn("resnet152_imagenet", 500)
    likelihood = np.where(problem.target == 1, np.log(problem.score), np.log1p(-problem.score)).sum()
    assert float(cv.fit_network(problem).curves.aic.sel(curve="identity")) == pytest.approx(-2 * likelihood)


@pytest.mark.parametrize("rounding", [np.float32, np.float16, 3, 2])
def test_scores_that_round_to_one_count_as_rounded(rounding):
    """Few digits make 1 of many scores that float64 tells apart; the distribution hardly notices."""
    precise = drawn("resnet110_c10", 5000)
    score = np.round(precise.score, rounding) if isinstance(rounding, int) else precise.score.astype(rounding)
    rounded = ScalarProblem(score, precise.target)
    assert (rounded.score == 1).mean() > (precise.score == 1).mean() > 0.1
    fits = [cv.fit_network(one).network for one in (precise, rounded)]
    assert fits[0].a == pytest.approx(fits[1].a, rel=0.1)
    assert fits[0].b == pytest.approx(fits[1].b, rel=0.1)


def test_scores_near_zero_keep_their_digits_in_float32():
    score = np.random.default_rng(0).beta(0.05, 1.0, 5000)
    target = np.random.default_rng(1).random(5000) < score
    fits = [cv.fit_network(ScalarProblem(one, target)) for one in (score, score.astype(np.float32))]
    assert fits[0].network.a == pytest.approx(fits[1].network.a, rel=0.01)
    np.testing.assert_allclose(*(fit.curves.aic.sortby("curve") for fit in fits), rtol=1e-3)


@pytest.mark.parametrize("unit", [1e-3, 1.7, 1e6 + 0.5])
def test_the_unit_of_weights_does_not_matter(unit):
    problem = drawn("resnet152_imagenet", 400, seed=1)
    weighted = cv.fit_network(ScalarProblem(problem.score, problem.target, np.full(400, unit)))
    plain = cv.fit_network(problem)
    assert weighted.n == pytest.approx(400)
    np.testing.assert_allclose(weighted.curves.aic, plain.curves.aic, rtol=1e-5)


def test_weights_are_repetitions():
    problem = drawn("densenet40_c100", 300)
    times = np.random.default_rng(0).integers(0, 4, 300)
    weighted = cv.fit_network(ScalarProblem(problem.score, problem.target, times.astype(float)))
    repeated = cv.fit_network(ScalarProblem(np.repeat(problem.score, times), np.repeat(problem.target, times)))
    assert weighted.network.a == pytest.approx(repeated.network.a, rel=1e-5)
    assert weighted.curves.curve.values.tolist() == repeated.curves.curve.values.tolist()
    np.testing.assert_allclose(weighted.curves.aic, repeated.curves.aic, rtol=1e-6)


def test_the_name_and_the_words():
    fit = cv.fit_network(cv.load_dataset("digits")["neural network"], name="mine")
    assert fit.network.name == "mine"
    assert repr(fit).startswith("<NetworkFit to 1,797 samples: scores from Beta(")
    assert len(cv.simulated(fit.network, 10)) == 10


@pytest.mark.parametrize("score", [0.0, 0.7, 1.0])
def test_equal_scores_have_no_distribution(score):
    problem = ScalarProblem(np.full(9, score), np.arange(9) % 2)
    for call in (cv.fit_network, cv.trust):
        with pytest.raises(ValueError, match=f"^all scores are {score:g}: no Beta distribution fits one value$"):
            call(problem)


def test_vector_lenses_need_an_outcome():
    digits = cv.load_dataset("digits")["neural network"]
    for call in (cv.trust, cv.fit_network):
        for lens in ("classwise", "full", "top-3"):
            with pytest.raises(ValueError, match="outcome"):
                call(digits, lens)
    assert cv.trust(digits, "top-3", outcome="rank 1", n=5).estimate >= 0


# --- trust ----------------------------------------------------------------------------------------------------------


def test_trust_is_what_simulation_says():
    """The bias of the fitted network is that of the cube of the same network."""
    problem = drawn("resnet152_imagenet", 1000, seed=2)
    found = cv.trust(problem, binning=cv.Uniform(10), p=2, n=50)
    assert found.estimate == cv.calibration_error(problem, binning=cv.Uniform(10), p=2)
    assert found.lower <= found.estimate <= found.upper
    assert (found.size, found.simulations) == (1000, 1000)
    cube = cv.simulate_errors([found.fit.network, found.fit.network.calibrated], "uniform", 1000, 10, p=2, seed=9)
    assert found.bias == pytest.approx(cube.bias.values.flat[0], abs=0.002)
    assert found.if_calibrated == pytest.approx(cube["mean"].values.flat[1], abs=0.002)
    assert found.truth == pytest.approx(cube.tce.values[0])


def test_what_is_detectable_is_detected_four_times_out_of_five():
    problem = drawn("resnet152_imagenet", 800)
    found = cv.trust(problem, p=2, n=2)
    net = found.fit.network
    # The exponent whose true error is that, by bisection.
    low, high = 1.0, 50.0
    for _ in range(40):
        middle = math.sqrt(low * high)
        enough = cv.true_calibration_error(cv.power_network(middle, net.a, net.b)) >= found.detectable
        low, high = (low, middle) if enough else (middle, high)
    table = cv.miss_rates(cv.power_network(high, net.a, net.b), "uniform", n=800, seed=4)
    assert table.miss_rate.item() == pytest.approx(0.2, abs=0.06)
    assert table.threshold.item() == pytest.approx(found.threshold, rel=0.05)


def test_more_samples_detect_less():
    found = [cv.trust(drawn("resnet152_imagenet", n), n=2).detectable for n in (200, 2000)]
    assert found[0] > 2 * found[1] > 0


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(TRUST, "MOST", 100)


@pytest.mark.parametrize("binning", [cv.EqualMass(7), cv.Sweep(), cv.Sweep("uniform"), cv.Uniform(7, "right")])
def test_every_binning(binning, few):
    problem = drawn("densenet40_c100", 150)
    found = cv.trust(problem, binning=binning, n=10)
    assert found.estimate == cv.calibration_error(problem, binning=binning)
    assert found.threshold > found.if_calibrated > 0
    twin = cv.trust(problem, binning=cv.Uniform(7), n=2)
    if binning == cv.Uniform(7, "right"):  # no score sits on an edge
        assert found.if_calibrated == pytest.approx(twin.if_calibrated)


def test_three_samples_detect_nothing():
    found = cv.trust(ScalarProblem(np.array([0.2, 0.5, 0.9]), np.array([0, 1, 1])), n=5)
    assert np.isnan(found.detectable)
    assert "With 3 samples, no over-confidence would be noticed reliably." in str(found)


def test_a_selection_is_judged_by_its_own_size():
    digits = cv.load_dataset("digits")["naive Bayes"]
    found = cv.trust(digits, "class 3", selection="predicted == 3", n=10)
    assert found.size == (digits.predicted == 3).sum()


def test_the_paragraph():
    good = str(cv.trust(drawn("resnet152_imagenet", 3000), n=50))
    assert "Estimate" in good
    assert "this is more than that" in good
    assert "would often go unnoticed" in good
    calm = cv.trust(drawn(cv.Network("true", 2, 1), 3000), n=50)
    assert "this is no more than that" in str(calm)
    assert calm.truth == 0
    assert "rough" not in good
    middle = np.linspace(0.4, 0.6, 400)  # true at both ends of no straight line of log-odds
    rough = ScalarProblem(middle, np.abs(middle - 0.5) > 0.05)
    assert "the likeness is a rough one" in str(cv.trust(rough, n=20))


def test_fits_that_are_right_are_not_called_rough(few):
    """Fifteen calibrated samples: an estimate outside of 99 % of all is a rare surprise."""
    network = cv.Network("true", 1.1359, 0.2069)
    said = [str(cv.trust(drawn(network, 500, seed), n=5)) for seed in range(15)]
    assert sum("rough" in one for one in said) <= 1


def test_rounded_scores_are_told_of(few):
    problem = drawn("resnet110_c10", 500)
    assert "% of the scores are exactly 0 or 1" in str(
        cv.trust(ScalarProblem(problem.score.round(2), problem.target), n=5)
    )


@pytest.mark.parametrize(
    ("kind", "message", "options"),
    [
        (ValueError, "n must be at least 1, not 0", {"n": 0}),
        (ValueError, "level must lie strictly between 0 and 1", {"level": 1.0}),
        (ValueError, "p must lie between 1 and", {"p": 0.5}),
        (TypeError, "p must be a number, not 'a'", {"p": "a"}),
        (ValueError, "seed must be at least 0, not -1", {"seed": -1}),
        (TypeError, "binning must be a binning such as", {"binning": 15}),
    ],
)
def test_arguments_are_checked_before_anything_is_simulated(kind, message, options, monkeypatch):
    monkeypatch.setattr(TRUST, "fit_network", None)
    with pytest.raises(kind, match=message):
        cv.trust(drawn("resnet152_imagenet", 50), **options)


def test_what_cannot_be_simulated():
    with pytest.raises(ValueError, match="the labels are soft"):
        cv.trust(ScalarProblem(np.linspace(0, 1, 9), np.linspace(0, 1, 9)))
    heavy = ScalarProblem(np.linspace(0, 1, 9), np.arange(9) % 2, np.full(9, 3e6))
    with pytest.raises(ValueError, match="the weights are worth 27,000,000 samples: data sets of at most 10,000,000"):
        cv.trust(heavy)
