"""Networks that are drawn by hand: their true error by two routes, and what is drawn follows curve and density."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import calibviz as cv
from calibviz.simulation.drawn import DIAGONAL, EDGES, KNOTS, MIDDLES, PRESETS, drawn_network
from calibviz.uncertainty.intervals.true_curves import curve_error

SHARE = st.floats(0, 1)
CURVES = st.lists(SHARE, min_size=11, max_size=11)
DENSITIES = st.lists(SHARE, min_size=20, max_size=20).filter(lambda heights: max(heights) > 0.01)


def of_preset(name):
    preset = PRESETS[name]
    return drawn_network(preset.curve, preset.density, None, preset.is_rounded, name)


@settings(deadline=None, max_examples=40)
@given(CURVES, DENSITIES, st.sampled_from([1.0, 1.5, 2.0, 7.0]), st.booleans())
def test_the_true_error_is_that_of_its_population(curve, density, p, rounded):
    network = cv.Network.drawn(curve, density, rounded=rounded)
    population = network.population
    expected = curve_error(population, population.target, p)
    assert cv.true_calibration_error(network, p) == pytest.approx(expected, abs=2e-5)


def test_the_true_error_in_closed_form():
    flat = cv.Network.drawn([0.5] * 11)  # the gap goes straight from -1/2 to 1/2
    for p in (1, 2, 3, 40, 1000):
        assert cv.true_calibration_error(flat, p) == pytest.approx(0.5 * (1 / (p + 1)) ** (1 / p), rel=1e-12)
    level = cv.Network.drawn([0.1 * k + 0.1 * (k < 10) for k in range(11)], [1.0] * 18 + [0, 0])
    assert cv.true_calibration_error(level, 2) == pytest.approx(0.1, rel=1e-12)
    noisy = of_preset("label noise")
    assert cv.true_calibration_error(noisy, 1) == pytest.approx(0.05, rel=1e-12)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_calibrated_where_it_says_so(name):
    is_calibrated = cv.true_calibration_error(of_preset(name), 2) == 0
    assert is_calibrated == (name in ("calibrated", "base rate"))
    assert of_preset(name).calibrated.true_error(1.0) == 0


def test_the_base_rate_has_no_error_and_no_resolution():
    drawn = cv.simulated(of_preset("base rate"), 4000)
    assert set(drawn.probs[:, 1]) == {0.325}
    split = cv.brier_split(drawn, "class right")
    assert split.resolution == 0
    assert cv.calibration_error(drawn, "class right") < 0.03


@pytest.mark.parametrize("ascending", [False, True])
def test_scores_follow_the_density_and_labels_the_curve(ascending):
    density = np.zeros(20)
    density[[2, 3, 11]] = 0.2, 0.4, 0.6
    network = cv.Network.drawn(KNOTS**2, density)
    score, rest = network.draw((4, 30_000), np.random.default_rng(0), ascending)
    np.testing.assert_allclose(score + rest, 1)
    shares = np.histogram(score, EDGES)[0] / score.size
    np.testing.assert_allclose(shares, density / density.sum(), atol=0.01)
    np.testing.assert_allclose(network.shares_between(EDGES), density / density.sum(), atol=1e-12)
    assert network.score_range == (0.1, 0.6)
    assert (np.diff(score) >= 0).all() == ascending
    assert network.true_curve(0.25) == pytest.approx((0.04 + 0.09) / 2)
    within = np.sort(score[(score > 0.55) & (score < 0.6)])
    np.testing.assert_allclose(within, np.linspace(0.55, 0.6, len(within)), atol=2e-3)
    rounded = cv.Network.drawn(density=density, rounded=True)
    assert set(rounded.draw((100,), np.random.default_rng(0))[0]) <= set(MIDDLES[[2, 3, 11]])
    np.testing.assert_allclose(rounded.shares_between(EDGES), density / density.sum())


def test_what_is_not_drawn_is_that_of_the_base():
    base = cv.Network.published()["densenet40_c100"]
    same = cv.Network.drawn(base=base)
    for p in (1, 2):
        assert same.true_error(p) == pytest.approx(base.true_error(p), rel=1e-3)
    assert same.scores_from == base.scores_from
    bent = cv.Network.drawn(curve=[0.5] * 11, base="densenet40_c100")
    drawn = [network.draw((50,), np.random.default_rng(3))[0] for network in (bent, base)]
    np.testing.assert_array_equal(*drawn)
    assert bent.true_curve(0.9) == 0.5
    assert bent.calibrated.true_error(2) == 0
    redrawn = cv.Network.drawn(density=[0.0] * 10 + [1.0] * 10, base=base)
    np.testing.assert_allclose(redrawn.true_curve([0.6, 0.99]), base.true_curve([0.6, 0.99]))
    assert redrawn.score_range == (0.5, 1.0)


def test_the_scores_at_hand_take_a_drawn_curve():
    digits = cv.load_dataset("digits")["neural network"]
    own = cv.Network.empirical(digits)
    bent = cv.Network.drawn(curve=DIAGONAL, base=own)
    assert bent.true_error(1) == 0
    np.testing.assert_allclose(bent.shares_between(EDGES), own.shares_between(EDGES))


def test_estimators_measure_it():
    cube = cv.simulate_errors(of_preset("over-confident"), ["uniform", "ks"], n=3200, replicates=50, progress=False)
    np.testing.assert_allclose(cube["mean"].squeeze(), cube.truth.squeeze(), atol=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"curve": [0.5] * 10},
            r"^curve must have 11 numbers, for the scores 0, 0.1, ..., 1, not the shape \(10,\)$",
        ),
        ({"density": [0.5] * 3}, r"^density must have 20 numbers, for the scores 0.025, 0.075, ..., 0.975"),
        ({"curve": [0.5] * 10 + [1.5]}, r"^curve\[10\] must be between 0 and 1, not 1.5$"),
        ({"curve": [np.nan] * 11}, r"^curve\[0\] must be between 0 and 1, not nan$"),
        ({"density": [0] * 20}, r"^density: all heights are 0, so there is no score: raise one of them$"),
        ({"rounded": True, "base": "resnet110_c10"}, r"^rounded=True needs density="),
        ({"base": "vgg"}, r"^base must be one of "),
    ],
)
def test_errors_say_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        cv.Network.drawn(**arguments)
    with pytest.raises(TypeError, match="name must be text"):
        cv.Network.drawn(name=3)
