"""The pictures of simulations draw what the cubes hold."""

from __future__ import annotations

import numpy as np
import pytest
from figure_checks import check

import calibviz as cv
from calibviz import figures


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
        simulations=20,
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
    nets = [cv.power_network(d) for d in (1.1, 1.5)]
    table = cv.miss_rates(nets, n=[200], simulations=20, progress=False)
    (ax,) = cv.plots.miss_rates(table).axes
    for name in ("uniform", "sweep"):
        expected = np.column_stack([table.tce, table.miss_rate.sel(estimator=name).squeeze()])
        np.testing.assert_array_equal(drawn(ax, name), expected)
    assert "with 5.00 % false alarms" in check(figures.miss_rates_figure(table)).alt


def test_the_spread_by_the_number_of_samples():
    p = cv.load_dataset("heart")["random forest"]
    table = cv.sample_sizes(p, cv.ks_error, [0.1, 0.5, 1.0], n=10, progress=False)
    (ax,) = cv.plots.sample_sizes(table).axes
    np.testing.assert_allclose(drawn(ax, "bootstrap mean"), np.column_stack([np.log2(table["size"]), table["mean"]]))
    np.testing.assert_array_equal(drawn(ax, "spread under resampling")[1::3, 1], table.upper)
    check(figures.sample_sizes_figure(table))


def test_other_tables_are_refused_by_name(cube):
    with pytest.raises(ValueError, match=r"x leaves several of 'bins': choose one with .sel\(bins=\[...\]\)"):
        cv.plots.simulated_errors(cube.isel(network=[0]))
    with pytest.raises(ValueError, match=r"x must be .*'tce'.*not 'network'"):
        cv.plots.simulated_errors(cube, "network")
    with pytest.raises(TypeError, match=r"cube must be what cv.simulate_errors\(...\) returns, not int"):
        cv.plots.simulated_errors(3)
    with pytest.raises(ValueError, match=r"what cv.miss_rates\(...\) returns, but it holds no 'miss_rate'"):
        cv.plots.miss_rates(cube)
    with pytest.raises(ValueError, match=r"what cv.sample_sizes\(...\) returns, but it holds no 'mean'"):
        cv.plots.sample_sizes(cv.risk_coverage(cv.load_dataset("heart")["random forest"]))
