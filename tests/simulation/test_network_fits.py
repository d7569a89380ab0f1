"""Networks like the one at hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import beta

import calibviz as cv
from calibviz.engine.scalar import ScalarProblem


def drawn(network, n, seed=0):
    """A problem of a simulated network."""
    return cv.lens("class right")(cv.simulated(network, n, rng=seed))


NETWORKS = cv.Network.published()
FAMILIES = {network.transform: network for network in NETWORKS.values()}  # one of each family of true curves


@pytest.mark.parametrize("transform", FAMILIES)
def test_the_parameters_of_a_large_sample_are_found(transform):
    network = FAMILIES[transform]
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
    problem = drawn(NETWORKS["resnet152_imagenet"], 2000, seed=5)
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
    with pytest.raises(ValueError, match=f"^all scores are {score:g}: no Beta distribution fits one value$"):
        cv.fit_network(problem)


def test_vector_lenses_need_an_outcome():
    digits = cv.load_dataset("digits")["neural network"]
    for lens in ("classwise", "full", "top-3"):
        with pytest.raises(ValueError, match="outcome"):
            cv.fit_network(digits, lens)
