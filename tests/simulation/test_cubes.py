"""Estimators on simulated networks: as published, and as the engine measures one data set after the other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaln

import calibviz as cv
from calibviz.engine.scalar import ScalarProblem
from calibviz.simulation.estimators import ESTIMATORS, TRUTH, estimates, read_estimators
from calibviz.simulation.known_truth import SimulatedScores, drawn_scores

# ece_sweep figure 4, in percent: bins down, n = 200, 400, ..., 6400 across.
FIGURE_4 = {
    2: [-4.34, -4.52, -4.65, -4.72, -4.78, -4.82],
    4: [-3.28, -3.71, -4.02, -4.21, -4.34, -4.42],
    8: [-1.43, -2.14, -2.69, -3.04, -3.26, -3.40],
    16: [0.62, -0.37, -1.12, -1.67, -2.01, -2.24],
    32: [2.66, 1.50, 0.52, -0.26, -0.83, -1.22],
    64: [4.54, 3.32, 2.14, 1.13, 0.30, -0.30],
}
NETWORKS = cv.Network.published()
UNIFORM_SCORES = cv.Network("uniform scores", 1, 1, "logistic", -5, 10)
ENGINE = {
    "uniform": lambda q, bins, p: cv.calibration_error(q, binning=cv.Uniform(bins), p=p),
    "equal-mass": lambda q, bins, p: cv.calibration_error(q, binning=cv.EqualMass(bins), p=p),
    "uniform label-binned": lambda q, bins, p: cv.label_binned_error(q, binning=cv.Uniform(bins), p=p),
    "equal-mass label-binned": lambda q, bins, p: cv.label_binned_error(q, binning=cv.EqualMass(bins), p=p),
    "uniform debiased": lambda q, bins, p: cv.debiased_error(q, binning=cv.Uniform(bins)),
    "equal-mass debiased": lambda q, bins, p: cv.debiased_error(q, binning=cv.EqualMass(bins)),
    "uniform sweep": lambda q, bins, p: cv.calibration_error(q, binning=cv.Sweep("uniform"), p=p),
    "sweep": lambda q, bins, p: cv.calibration_error(q, binning=cv.Sweep(), p=p),
    "ks": lambda q, bins, p: cv.ks_error(q),
    "kuiper": lambda q, bins, p: cv.kuiper_error(q),
    "kde": lambda q, bins, p: cv.kde_error(q, p=p) ** (1 / p),
    "smooth": lambda q, bins, p: cv.smooth_error(q),
}


def sets_of(network, n, m=6, seed=0):
    (scores,) = drawn_scores(network, n, m, seed)
    return scores.labelled(network)


def test_the_published_biases_of_uniform_bins():
    cube = cv.simulate_errors("resnet110_c10", "uniform", bins=list(FIGURE_4), p=2)
    assert 100 * cube.tce.item() == pytest.approx(10.71, abs=0.005)
    found = 100 * cube.bias.sel(estimator="uniform", network="resnet110_c10").transpose("bins", "n")
    off = np.abs(found.values - np.array(list(FIGURE_4.values())))
    assert off.max() < 0.25
    assert off.mean() < 0.1


def test_the_sweep_is_less_biased_than_fifteen_bins_on_few_samples():
    cube = cv.simulate_errors(estimators=["uniform", "sweep"], n=200, p=2)
    assert cube.sizes["network"] == 10
    bias = np.abs(cube.bias.squeeze())
    assert (bias.sel(estimator="sweep") < bias.sel(estimator="uniform")).all()


def test_every_estimator_is_told_of():
    assert ENGINE.keys() == ESTIMATORS.keys()


@pytest.mark.parametrize("p", [1, 2])
def test_the_sentence_on_the_truth_names_whose_is_another(p):
    network = NETWORKS["resnet110_c10"]
    errors = {power: cv.true_calibration_error(network, power) for power in (1, 2)}
    for name, estimator in ESTIMATORS.items():
        truth = estimator.truth(network, p)
        if name in ("ks", "kuiper", "smooth"):
            assert name in TRUTH and truth == pytest.approx(ENGINE[name](network.population, 15, p), rel=1e-12)
        else:
            assert name not in TRUTH and truth == errors[2 if name.endswith("debiased") else p]


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("network", ["resnet110_c10", "densenet161_imagenet"])
def test_all_at_once_is_one_after_the_other(name, p, network):
    """The first network has many scores that round to 1, and so ties."""
    sets = sets_of(NETWORKS[network], 120)
    assert (sets.score == 1).any() == (network == "resnet110_c10")
    for bins in (1, 2, 7, 200):  # the last leaves most of them empty
        found = estimates(sets, read_estimators(name), [bins], p)[0, 0]
        expected = [ENGINE[name](problem, bins, p) for problem in sets.problems]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 17])
@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "kde"])
def test_all_at_once_on_a_few_samples(name, n):
    sets = sets_of(NETWORKS["densenet40_c100"], n, m=40)
    found = estimates(sets, read_estimators(name), [3], 2)[0, 0]
    np.testing.assert_allclose(found, [ENGINE[name](one, 3, 2) for one in sets.problems], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scheme", ["equal-mass", "uniform"])
def test_the_sweep_chooses_the_same_bins(scheme):
    name = "sweep" if scheme == "equal-mass" else "uniform sweep"
    for network in (cv.Network.power(1.5), NETWORKS["resnet110_c10"]):
        sets = sets_of(network, 60, m=30)
        chosen = [cv.Sweep(scheme).choose(problem) for problem in sets.problems]
        cube = cv.simulate_errors(network, name, n=60, replicates=200)
        np.testing.assert_array_equal(cv.Sweep(scheme).choose_each(sets), chosen)
        assert 1 <= cube.sweep_bins.item() <= 59


def test_a_sweep_of_separated_targets_takes_all_bins():
    rest = np.array([[0.9, 0.8, 0.3, 0.2, 0.1] * 6])
    rest[0].sort()
    chance = np.where(rest[:, ::-1] < 0.5, 0.0, 1.0)
    sets = SimulatedScores(1 - rest[:, ::-1], rest[:, ::-1], chance).labelled(cv.Network("half", 1, 1, "logistic"))
    assert cv.Sweep().choose_each(sets).tolist() == [29]


def test_the_cube_is_the_mean_of_single_data_sets():
    network = NETWORKS["resnet110_c100"]
    cube = cv.simulate_errors(network, ["uniform", "ks"], n=[50, 80], bins=[5, 9], replicates=40, rng=3)
    sets = sets_of(network, 80, 40, (3, 80))
    values = [cv.calibration_error(problem, binning=cv.Uniform(9), p=2) for problem in sets.problems]
    cell = cube.sel(estimator="uniform", n=80, bins=9).squeeze()
    assert cell["mean"].item() == pytest.approx(np.mean(values))
    assert cell["std"].item() == pytest.approx(np.std(values))
    assert cell.bias.item() == pytest.approx(np.mean(values) - cv.true_calibration_error(network))
    assert cell.truth.item() == cell.tce.item()
    ks = cube["mean"].sel(estimator="ks")
    np.testing.assert_array_equal(ks.sel(bins=5), ks.sel(bins=9))
    assert np.isnan(cube.sweep_bins).all()


def test_numbers_do_not_depend_on_what_else_is_asked_for():
    several = cv.simulate_errors(
        ["resnet110_c10", "resnet110_c100"], ["uniform", "sweep"], [30, 60], [5, 10], replicates=9
    )
    one = cv.simulate_errors("resnet110_c100", "sweep", 60, 10, replicates=9)
    assert several["mean"].sel(one.indexes).identical(one["mean"])
    other = cv.simulate_errors("resnet110_c100", "sweep", 60, 10, replicates=9, rng=1)
    assert not other["mean"].equals(one["mean"])


def test_how_many_are_simulated_at_a_time_does_not_matter():
    whole = next(drawn_scores(cv.Network("any", 1, 0.2), 50, 30, 0))
    parts = list(drawn_scores(cv.Network("any", 1, 0.2), 50, 30, 0, 50 * 7))
    assert [len(one.score) for one in parts] == [7, 7, 7, 7, 2]
    for name in ("rest", "chance"):
        np.testing.assert_array_equal(np.concatenate([getattr(one, name) for one in parts]), getattr(whole, name))


@pytest.mark.parametrize("network", [cv.Network.power(2.0), NETWORKS["resnet110_sd_c100"], UNIFORM_SCORES])
def test_estimators_come_to_their_truth_with_many_samples(network):
    names = ["equal-mass", "equal-mass label-binned", "equal-mass debiased", "ks", "kuiper", "smooth"]
    cube = cv.simulate_errors(network, names, n=100_000, bins=100, replicates=3)
    assert np.abs(cube.bias).max() < 0.01


def test_the_population_is_the_distribution():
    network = NETWORKS["resnet110_c10"]
    all_of_it = network.population
    assert all_of_it.mean_score == pytest.approx(network.a / (network.a + network.b), abs=1e-4)
    gap = np.abs(all_of_it.score - all_of_it.target)
    assert np.sqrt(np.mean(gap**2)) == pytest.approx(cv.true_calibration_error(network), abs=1e-3)


def test_own_estimators():
    cube = cv.simulate_errors("resnet110_c10", {"corp": lambda q: cv.corp(q).miscalibration}, n=50, replicates=20)
    sets = sets_of(NETWORKS["resnet110_c10"], 50, 20, (0, 50))
    assert cube["mean"].item() == pytest.approx(np.mean([cv.corp(one).miscalibration for one in sets.problems]))


def test_own_estimators_are_not_the_built_in_ones_of_their_name():
    cube = cv.simulate_errors("resnet110_c10", {"sweep": lambda q: 0.25}, n=20, replicates=4)
    assert np.isnan(cube.sweep_bins).all()
    assert (cube["mean"] == 0.25).all()


@pytest.mark.parametrize(("a", "b"), [(2000, 500), (700, 700), (0.05, 0.02)])
@pytest.mark.parametrize("transform", ["log", "logflip"])
def test_closed_forms_are_the_integral(a, b, transform):
    network = cv.Network("x", a, b, transform, -0.1, 1.3)
    assert cv.true_calibration_error(network) == pytest.approx(cv.true_calibration_error(network, 2 + 1e-9), rel=1e-6)


@pytest.mark.parametrize("p", [4, 7, 50, 1000])
@pytest.mark.parametrize("b", [0.0478, 1.5])
def test_high_powers_see_the_few_scores_that_are_far_off(p, b):
    """T = 1: E (1 - c)^p is a moment of the Beta distribution."""
    network = cv.Network("sure", 2.7752, b, "log", 0.0, 0.0)
    exact = np.exp((betaln(2.7752, b + p) - betaln(2.7752, b)) / p)
    assert cv.true_calibration_error(network, p) == pytest.approx(exact, rel=1e-6)


def test_high_powers_of_estimates_come_to_their_largest_distance():
    sets = sets_of(NETWORKS["resnet110_c100"], 100)
    found = estimates(sets, read_estimators("uniform"), [10], 1e300)[0, 0]
    largest = [cv.calibration_error(one, binning=cv.Uniform(10), aggregate="max") for one in sets.problems]
    np.testing.assert_allclose(found, largest)


def test_closed_forms_of_the_true_error():
    # T(c) = c^d under uniform scores: the integral of (c - c^d)^2.
    for d in (1.5, 2, 4):
        exact = np.sqrt(1 / 3 - 2 / (d + 2) + 1 / (2 * d + 1))
        assert cv.true_calibration_error(cv.Network.power(d)) == pytest.approx(exact, rel=1e-12)
    assert cv.true_calibration_error(cv.Network.power(1.0)) == pytest.approx(0, abs=1e-7)


def test_misses_fall_with_the_error_and_with_the_samples():
    table = cv.miss_rates(n=[200, 2000], replicates=1000)
    assert table.sizes == {"estimator": 2, "n": 2, "network": 9}
    assert (np.diff(table.tce) > 0).all()
    calibrated, far = table.miss_rate[..., 0], table.miss_rate[..., -1]
    assert np.abs(calibrated - 0.95).max() < 0.04
    assert (far == 0).all()
    seen = table.miss_rate[..., 3:]  # those before are hardly ever told from calibrated ones
    assert (seen.sel(n=2000) <= seen.sel(n=200)).all()
    middle = table.miss_rate.sel(network="c^1.3", n=200)
    assert middle.sel(estimator="sweep") < middle.sel(estimator="uniform") - 0.1, "ece_sweep figure 8"
    assert (table.threshold.sel(network="c^2") == table.threshold.sel(network="c^1")).all()


def test_thresholds_are_what_calibrated_networks_seldom_exceed():
    table = cv.miss_rates(cv.Network.published()["resnet152_imagenet"], "uniform", n=300, replicates=400, level=0.8)
    sets = sets_of(cv.Network.published()["resnet152_imagenet"].calibrated, 300, 400, (0, 1, 300))
    values = [cv.calibration_error(one, p=2) for one in sets.problems]
    assert table.threshold.item() == pytest.approx(np.quantile(values, 0.8))


@pytest.mark.parametrize(
    ("kind", "message", "call"),
    [
        (
            ValueError,
            r"networks\[1\] must be one of .*, not 'vgg'",
            lambda: cv.simulate_errors(["resnet110_c10", "vgg"]),
        ),
        (ValueError, "network 'resnet110_c10' is given twice", lambda: cv.simulate_errors(["resnet110_c10"] * 2)),
        (ValueError, "networks is empty", lambda: cv.simulate_errors([])),
        (ValueError, "estimators must be one of .*, not 'ece'", lambda: cv.simulate_errors(estimators="ece")),
        (ValueError, "estimator 'ks' is given twice", lambda: cv.simulate_errors(estimators=["ks", "ks"])),
        (ValueError, "estimators is empty", lambda: cv.simulate_errors(estimators=[])),
        (TypeError, "networks must be networks, or names of them, not 5", lambda: cv.simulate_errors(5)),
        (TypeError, "name must be text, not 3", lambda: cv.Network(3, 1, 1)),
        (TypeError, r"estimators\['x'\] must be a function", lambda: cv.simulate_errors(estimators={"x": 3})),
        (ValueError, "n must be at least 1, not 0", lambda: cv.simulate_errors(n=0)),
        (ValueError, "n is empty", lambda: cv.simulate_errors(n=[])),
        (ValueError, "bins 5 is given twice", lambda: cv.simulate_errors(bins=[5, 5])),
        (TypeError, "bins must be a whole number, not 2.5", lambda: cv.simulate_errors(bins=2.5)),
        (ValueError, "p must lie between 1 and", lambda: cv.simulate_errors(p=0.5)),
        (ValueError, "replicates must be at least 1", lambda: cv.simulate_errors(replicates=0)),
        (ValueError, "rng must be at least 0", lambda: cv.simulate_errors("resnet110_c10", rng=-1)),
        (
            ValueError,
            "p must be 1 or 2 for the estimator 'kde', not 3",
            lambda: cv.simulate_errors("resnet110_c10", "kde", p=3),
        ),
        (ValueError, "level must lie strictly between 0 and 1", lambda: cv.miss_rates(level=1)),
        (ValueError, "exponent must lie strictly between", lambda: cv.Network.power(0)),
    ],
)
def test_refusals(kind, message, call):
    with pytest.raises(kind, match=message):
        call()


def test_own_estimators_see_problems():
    seen = []

    def record(problem):
        seen.append(problem)
        return 0.5

    cube = cv.simulate_errors("resnet110_c10", {"half": record}, n=20, replicates=4, bins=[2, 3])
    assert len(seen) == 4
    assert all(isinstance(one, ScalarProblem) and len(one) == 20 for one in seen)
    assert (cube["mean"] == 0.5).all()


@pytest.mark.parametrize("network", [cv.Network.power(0.5, 0.3, 2), "resnet110_c10"])
def test_high_powers_come_close_to_the_largest_distance(network):
    errors = [cv.true_calibration_error(network, p) for p in (1, 2, 10, 100, 999, 1000)]
    assert errors == sorted(errors), "a mean of powers grows with the power"
    score = np.linspace(1e-6, 1 - 1e-6, 100_001)
    net = NETWORKS[network] if isinstance(network, str) else network
    assert errors[-1] == pytest.approx(np.abs(score - net.true_curve(score)).max(), rel=0.02)


@pytest.mark.parametrize("p", [1e5, 1e30, np.finfo(float).max])
def test_a_power_of_which_nothing_is_left_is_refused(p):
    for call in (
        lambda: cv.true_calibration_error("resnet110_c10", p),
        lambda: cv.simulate_errors("resnet110_c10", "uniform", n=100, p=p, replicates=2, progress=False),
    ):
        with pytest.raises(ValueError, match="p must lie between 1 and 1000, not be "):
            call()
