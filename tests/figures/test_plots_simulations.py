"""The pictures of simulations draw what the cubes hold."""

from __future__ import annotations

import matplotlib.style
import numpy as np
import pytest
from figure_checks import check

import calibviz as cv
from calibviz import figures
from calibviz.figures.styles import BLUE, ON_DARK


def drawn(ax, label):
    (line,) = (line for line in ax.get_lines() if line.get_label() == label)
    return line.get_xydata()


@pytest.fixture(scope="module")
def cube():
    return cv.simulate_errors(
        ["resnet110_c10", "resnet152_imagenet"],
        ["uniform", "sweep"],
        n=[100, 400],
        bins=[5, 15],
        replicates=20,
        progress=False,
    )


@pytest.mark.parametrize(("x", "chosen"), [("n", {"bins": [15]}), ("bins", {"n": [100]})])
def test_bias_and_spread_of_estimators(cube, x, chosen):
    shown = cube.sel(network=["resnet110_c10"], **chosen)
    left, right = cv.plots.simulated_errors(shown, x).axes
    for name in ("uniform", "sweep"):
        one = shown.sel(estimator=name).squeeze()
        np.testing.assert_allclose(drawn(left, name), np.column_stack([np.log2(cube[x]), one.bias]))
        np.testing.assert_array_equal(drawn(right, name)[:, 1], one["std"])
    band = left.patches[0].get_xy()[:2, 1]
    first = shown.sel(estimator="uniform").squeeze()
    np.testing.assert_allclose(band, first.bias - 1.96 * first["std"] / np.sqrt(20))
    assert [label.get_text() for label in left.get_xticklabels()] == [f"{value}" for value in cube[x].values]
    for record in figures.simulated_errors_figures(shown, x):
        check(record)


def test_bias_against_the_true_error(cube):
    shown = cube.sel(n=[100], bins=[5])
    left, _ = cv.plots.simulated_errors(shown, "tce").axes
    order = np.argsort(shown.tce.values)
    expected = np.column_stack([shown.tce, shown.bias.sel(estimator="sweep").squeeze()])[order]
    np.testing.assert_array_equal(drawn(left, "sweep"), expected)


def test_miss_rates_against_the_true_error():
    nets = [cv.Network.power(d) for d in (1.1, 1.5)]
    table = cv.miss_rates(nets, n=[200], replicates=20, progress=False)
    (ax,) = cv.plots.miss_rates(table).axes
    for name in ("uniform", "sweep"):
        expected = np.column_stack([table.tce, table.miss_rate.sel(estimator=name).squeeze()])
        np.testing.assert_array_equal(drawn(ax, name), expected)
    assert "with 5 % false alarms" in check(figures.misses_by_error_figure(table)).alt


SIX = ["uniform", "equal-mass", "uniform debiased", "equal-mass debiased", "uniform sweep", "sweep"]


def test_six_estimators_on_several_networks():
    nets = ["resnet110_c10", "resnet152_imagenet"]
    cube = cv.simulate_errors(nets, SIX, n=[100, 200], replicates=5, progress=False)
    axes = cv.plots.simulated_errors(cube).axes
    assert [ax.get_title() for ax in axes] == [f"{kind}: {net}" for kind in ("Bias", "Spread") for net in nets]
    for ax, kind in zip(axes, ("bias", "bias", "std", "std"), strict=True):
        network = ax.get_title().partition(": ")[2]
        for name in SIX:
            one = cube[kind].sel(estimator=name, network=network).squeeze()
            np.testing.assert_allclose(drawn(ax, name)[:, 1], one)
    assert axes[0].get_ylim() == axes[1].get_ylim()
    for record in figures.simulated_errors_figures(cube):
        check(record)
    with pytest.raises(ValueError, match="there are 8 estimators, but a picture tells 7 apart"):
        cv.plots.simulated_errors(cv.simulate_errors(nets, [*SIX, "ks", "kuiper"], n=50, replicates=2, progress=False))


def test_several_numbers_of_samples_and_the_bins_of_the_sweep():
    chosen = ["uniform", "equal-mass", "sweep"]
    cube = cv.simulate_errors("resnet110_c10", chosen, n=[100, 400], bins=[2, 8, 64], replicates=5, progress=False)
    axes = cv.plots.simulated_errors(cube, "bins").axes
    assert [ax.get_title() for ax in axes[:3]] == [f"Bias: {name}" for name in chosen]
    for ax, name in zip(axes, chosen, strict=False):
        for n in (100, 400):
            np.testing.assert_allclose(drawn(ax, f"{n} samples")[:, 1], cube.bias.sel(estimator=name, n=n).squeeze())
    upright = [line.get_xdata()[0] for line in axes[1].get_lines() if len(set(line.get_xdata())) == 1]
    np.testing.assert_allclose(
        np.unique(upright), np.sort(np.log2(cube.sweep_bins.sel(estimator="sweep")).values.ravel())
    )
    over_n = cv.plots.simulated_errors(cube).axes
    np.testing.assert_allclose(drawn(over_n[0], "64 bins")[:, 1], cube.bias.sel(estimator="uniform", bins=64).squeeze())
    for record in (*figures.simulated_errors_figures(cube, "bins"), *figures.simulated_errors_figures(cube)):
        check(record)


def test_miss_rates_of_several_sizes_have_a_picture_each():
    nets = [cv.Network.power(d) for d in (1.1, 1.5)]
    table = cv.miss_rates(nets, SIX, n=[50, 100], replicates=5, progress=False)
    axes = cv.plots.miss_rates(table).axes
    assert [ax.get_title() for ax in axes] == ["Misses among 50 samples", "Misses among 100 samples"]
    for ax, n in zip(axes, (50, 100), strict=True):
        for name in SIX:
            np.testing.assert_array_equal(drawn(ax, name)[:, 1], table.miss_rate.sel(estimator=name, n=n))


def test_confidences_by_rank_and_entropies():
    digits, methods = cv.load_dataset("digits"), ["none", "temperature", "vector", "isotonic", "beta", "histogram"]
    table = cv.confidences(digits["neural network"], calibrators=methods, calibration=0.5, progress=False)
    left, right = cv.plots.confidences(table).axes
    for name in methods:
        one = table.relative.sel(calibrator=name).squeeze()
        known = one > 0  # of the bins of a histogram some hold no event, and the axis is logarithmic
        np.testing.assert_allclose(drawn(left, name)[:, 0], np.log2(table["rank"])[known])
        np.testing.assert_allclose(10 ** drawn(left, name)[:, 1], one[known])
    assert [text.get_text() for text in right.get_xticklabels()] == methods
    assert right.get_ylabel() == "entropy in nats"
    heights = [piece.get_xy()[:, 1].max() for piece in right.patches]
    np.testing.assert_allclose(heights, table.entropy.squeeze())
    for record in figures.confidences_figures(table):
        check(record)
    models = cv.confidences(digits, progress=False)
    assert {line.get_label() for line in cv.plots.confidences(models).axes[0].get_lines()} >= set(digits)
    both = cv.confidences(digits, calibrators=["none", "spline"], folds=2, progress=False)
    with pytest.raises(ValueError, match=r"table has several of 'model': choose one with .sel\(model=\[...\]\)"):
        cv.plots.confidences(both)
    with pytest.raises(ValueError, match=r"what cv.confidences\(...\) returns, but it holds no 'entropy'"):
        cv.plots.confidences(cv.reliability(digits["neural network"]))


def test_a_dark_ground_has_the_tones_of_dark_pages():
    table = cv.miss_rates([cv.Network.power(1.2)], n=[50], replicates=2, progress=False)
    colours = []
    for style in ("default", "dark_background"):
        with matplotlib.style.context(style):
            (ax,) = cv.plots.miss_rates(table).axes
        colours.append(next(line.get_color() for line in ax.get_lines() if line.get_label() == "uniform"))
    assert colours == [BLUE, ON_DARK[BLUE]]


def test_the_spread_by_the_number_of_samples():
    p = cv.load_dataset("heart")["random forest"]
    table = cv.spread_by_size(p, error=cv.ks_error, fractions=[0.1, 0.5, 1.0], replicates=10, progress=False)
    (ax,) = cv.plots.spread_by_size(table).axes
    np.testing.assert_allclose(drawn(ax, "bootstrap mean"), np.column_stack([np.log2(table["size"]), table["mean"]]))
    np.testing.assert_array_equal(drawn(ax, "spread under resampling")[1::3, 1], table.upper)
    check(figures.spread_by_size_figure(table))


def test_other_tables_are_refused_by_name(cube):
    with pytest.raises(
        ValueError, match=r"x leaves several of 'bins' and 'network': choose one with .sel\(bins=\[...\]\)"
    ):
        cv.plots.simulated_errors(cube)
    with pytest.raises(ValueError, match=r"x must be .*'tce'.*not 'network'"):
        cv.plots.simulated_errors(cube, "network")
    with pytest.raises(TypeError, match=r"cube must be what cv.simulate_errors\(...\) returns, not int"):
        cv.plots.simulated_errors(3)
    with pytest.raises(ValueError, match=r"what cv.miss_rates\(...\) returns, but it holds no 'miss_rate'"):
        cv.plots.miss_rates(cube)
    with pytest.raises(ValueError, match=r"what cv.spread_by_size\(...\) returns, but it holds no 'mean'"):
        cv.plots.spread_by_size(cv.risk_coverage(cv.load_dataset("heart")["random forest"]))
