"""Simulated networks against their published errors, and against themselves."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta, expit

import calibviz as cv
from calibviz.simulation.networks import NETWORKS, TRANSFORMS, Network, simulated, true_calibration_error

# Roelofs et al. (2022), in percent. 10.71 is what their figure 4 and its bias table rest on.
PUBLISHED = {
    "resnet110_c10": 10.71,
    "resnet110_sd_c10": 9.5,
    "resnet_wide32_c10": 10.1,
    "densenet40_c10": 10.4,
    "resnet110_c100": 20.4,
    "resnet110_sd_c100": 18.5,
    "resnet_wide32_c100": 21.3,
    "densenet40_c100": 23.4,
    "resnet152_imagenet": 8.6,
    "densenet161_imagenet": 5.5,
}
CALIBRATED = Network("calibrated", 1.2, 0.3)


def tce_over_logarithms(network: Network, p: float) -> float:
    """The same integral over x = -log(1 - c), against the density instead of the quantiles."""

    def integrand(x: float) -> float:
        c, d = -np.expm1(-x), np.exp(-x)
        density = np.exp(-network.b * x) * c ** (network.a - 1) / beta(network.a, network.b)
        return float(np.abs(c - network.true_curve(c, d)) ** p * density)

    cuts = [0, 1e-4, 1e-2, 0.1, 1, 5, 50, 300, 744]
    total = sum(quad(integrand, low, high, limit=500, epsabs=1e-13)[0] for low, high in pairwise(cuts))
    return total ** (1 / p)


def test_the_ten_networks_have_their_published_errors():
    assert NETWORKS.keys() == PUBLISHED.keys()
    for name, published in PUBLISHED.items():
        places = 2 if name == "resnet110_c10" else 1
        assert round(100 * true_calibration_error(name), places) == published


@pytest.mark.parametrize("p", [1, 2, 3.5])
@pytest.mark.parametrize("name", NETWORKS)
def test_two_quadratures_agree(name, p):
    assert true_calibration_error(name, p) == pytest.approx(tce_over_logarithms(NETWORKS[name], p), rel=1e-6)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_quadrature_agrees_with_a_large_sample(transform):
    network = Network("own", 1.5, 0.4, transform, -0.3, -0.4 if transform == "logit-logflip" else 0.6)
    complement = network.draw_complements(1_000_000, np.random.default_rng(1))
    gap = np.abs(1 - complement - network.true_curve(1 - complement, complement))
    assert true_calibration_error(network, 1) == pytest.approx(gap.mean(), abs=1e-3)


def test_a_calibrated_network_has_no_error():
    assert true_calibration_error(CALIBRATED) == 0


def test_errors_grow_with_p():
    errors = [true_calibration_error("resnet110_c10", p) for p in (1, 2, 4, 8)]
    assert errors == sorted(errors)


def test_the_curves_are_the_formulas():
    c = np.linspace(0.01, 0.99, 99)

    def curve(transform, b0, b1):
        return Network("own", 1, 1, transform, b0, b1).true_curve(c)

    np.testing.assert_allclose(curve("identity", 0, 0), c)
    np.testing.assert_allclose(curve("logit", -0.2, 0.5), expit(-0.2 + 0.5 * np.log(c / (1 - c))))
    np.testing.assert_allclose(curve("log", -0.03, 1.27), np.exp(-0.03) * c**1.27)
    np.testing.assert_allclose(curve("logflip", -0.24, 0.3), 1 - np.exp(-0.24) * (1 - c) ** 0.3)
    np.testing.assert_allclose(curve("logit-logflip", -0.27, -0.35), expit(-0.27 - 0.35 * np.log(1 - c)))
    np.testing.assert_array_equal(curve("log", 5, 1), 1, "clipped to [0, 1]")
    np.testing.assert_array_equal(curve("logflip", 5, 1), 0, "clipped to [0, 1]")


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("b1", [-2.0, 0.0, 2.0])
def test_the_curves_are_finite_at_both_ends(transform, b1):
    ends = Network("own", 1, 1, transform, 0.1, b1).true_curve([0.0, 1.0])
    assert np.isfinite(ends).all()
    assert ((ends >= 0) & (ends <= 1)).all()


def test_scores_too_close_to_one_keep_their_true_probability():
    p = simulated("resnet110_c10", 20_000)
    wrong, right = p.probs.T
    rounded = right == 1
    assert rounded.mean() > 0.1
    assert (wrong[rounded] > 0).all()
    # All these scores are 1 to the last digit; what is left of 1 - c still tells them apart.
    assert len(np.unique(p.fields["truth"][rounded])) > 100


def test_labels_follow_the_true_curve():
    p = simulated("densenet40_c100", 200_000, rng=3)
    right = p.labels == 1
    assert right.mean() == pytest.approx(p.fields["truth"].mean(), abs=0.004)
    low = p.probs[:, 1] < 0.9
    assert right[low].mean() == pytest.approx(p.fields["truth"][low].mean(), abs=0.01)
    assert p.probs[:, 1].mean() == pytest.approx(1.0805 / (1.0805 + 0.0808), abs=0.002)


def test_simulated_predictions_are_binary_and_say_what_they_are():
    p = simulated("resnet152_imagenet", 50, rng=4)
    assert p.class_names == ("wrong", "right")
    assert p.probs.shape == (50, 2)
    assert p.about["source"] == "cv.simulated('resnet152_imagenet', 50, rng=4)"
    assert "Beta(1.1359, 0.2069)" in p.about["made"]


def test_the_seed_fixes_everything():
    first, again, other = (simulated("resnet110_c10", 100, rng=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.probs, again.probs)
    np.testing.assert_array_equal(first.labels, again.labels)
    assert not np.array_equal(first.probs, other.probs)


def test_own_networks_can_be_simulated_and_recreated():
    import calibviz as cv

    p = simulated(CALIBRATED, 30, rng=2)
    np.testing.assert_array_equal(p.fields["truth"], p.probs[:, 1])
    again = eval(p.about["source"], {"cv": cv, "Network": Network})
    np.testing.assert_array_equal(again.probs, p.probs)


def test_networks_are_frozen_and_equal_by_their_fields():
    network = NETWORKS["resnet110_c10"]
    assert replace(network) == network
    assert eval(repr(network)) == network
    with pytest.raises(FrozenInstanceError):
        network.a = 2.0


def test_unknown_names_list_the_known_ones():
    for call in (lambda: simulated("resnet50", 10), lambda: true_calibration_error("resnet50")):
        with pytest.raises(
            ValueError,
            match=r"one of 'resnet110_c10', .*'densenet161_imagenet', not 'resnet50'; did you mean 'resnet110_c10'\?$",
        ):
            call()


@pytest.mark.parametrize(
    ("kind", "message", "call"),
    [
        (ValueError, "n must be at least 1, not 0", lambda: simulated("resnet110_c10", 0)),
        (TypeError, "n must be a whole number, not 1.5", lambda: simulated("resnet110_c10", 1.5)),
        (ValueError, "p must lie between 1 and 1000, not be 0.5", lambda: true_calibration_error("resnet110_c10", 0.5)),
        (ValueError, "a must lie strictly between 0 and inf, not be 0", lambda: Network("own", 0, 1)),
        (ValueError, "b1 must lie between -inf and inf, not be nan", lambda: Network("own", 1, 1, "log", 0, np.nan)),
        (ValueError, "transform must be one of 'identity', .*, not 'cubic'", lambda: Network("own", 1, 1, "cubic")),
    ],
)
def test_refusals(kind, message, call):
    with pytest.raises(kind, match=f"^{message}$"):
        call()


def test_networks_of_one_curve_stand_side_by_side_under_names_of_their_own():
    networks = [cv.Network.power(2.0), cv.Network.power(2.0, 5.0, 1.0, name="sure")]
    assert [one.name for one in networks] == ["c^2", "sure"]
    assert cv.miss_rates(networks, n=50, replicates=5, progress=False).network.values.tolist() == ["c^2", "sure"]
    with pytest.raises(ValueError, match="c\\^2"):
        cv.miss_rates([cv.Network.power(2.0), cv.Network.power(2.0, 5.0)], n=50, replicates=5, progress=False)
    with pytest.raises(TypeError, match="name must be text, not 3"):
        cv.Network.power(2.0, name=3)
