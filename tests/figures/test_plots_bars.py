"""Grouped bars of a cube: heights, error bars and noise marks are those of the cube."""

from __future__ import annotations

import numpy as np
import pytest
from figure_checks import check

import calibviz as cv
from calibviz import figures
from calibviz.figures.styles import BLUE, GREEN, STYLES

METHODS = ["none", "temperature", "isotonic"]


@pytest.fixture(scope="module")
def trials(few_in_cubes):
    _, evaluation = cv.load_interventions()
    return cv.evaluate(evaluation, ["top-1", "class 3"], metrics=["ece", "brier"], noise=True, progress=False)


@pytest.fixture(scope="module")
def judged():
    p = cv.load_dataset("digits")["naive Bayes"]
    how = {"calibrators": METHODS, "calibration": 0.5, "metrics": ["ks", "log_loss"], "progress": False}
    return cv.evaluate(p, ["top-1", "class 3", "class 8"], replicates=10, quantiles=[0.05, 0.5, 0.95], **how)


def line(ax, label):
    (found,) = (one for one in ax.get_lines() if one.get_label() == label)
    return found.get_xydata()


def heights(ax, name):
    """What the bars of a hue reach, from left to right."""
    patches = [patch for patch in ax.patches if patch.get_facecolor() == colour_of(ax, name)]
    return np.array([patch.get_xy()[:, 1].max() for patch in patches])


def colour_of(ax, name):
    (patch,) = (patch for patch in ax.patches if patch.get_label() == name)
    return patch.get_facecolor()


def test_bars_of_trials_are_means_with_their_deviation(trials):
    picture = cv.plots.bars(trials, "ece", hue="intervention")
    (ax,) = picture.axes
    ece = trials.ece.squeeze().transpose("trial", "lens", "intervention")
    mean, std = ece.mean("trial").values, ece.std("trial").values
    for k, name in enumerate(trials.intervention.values):
        np.testing.assert_allclose(heights(ax, str(name)), mean[:, k])
    bars = line(ax, "± std of 5 trials")
    np.testing.assert_allclose(bars[::3, 1], (mean - std).ravel())
    np.testing.assert_allclose(bars[1::3, 1], (mean + std).ravel())
    noise = trials.ece_noise.mean("trial").squeeze().transpose("lens", "intervention").values
    np.testing.assert_allclose(line(ax, "noise limit: 95 of 100 calibrated models stay below")[:, 1], noise.ravel())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["top-1", "class 3"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lens", "calibration error")
    alt = check(figures.bars_figure(trials, "ece", hue="intervention")).alt
    assert f"{int((mean <= noise).sum())} of them are no more than 95 % of calibrated models show" in alt


def test_only_what_is_repaired_is_green(judged):
    models = cv.evaluate(cv.load_dataset("digits"), ["top-1", "class 3"], metrics=["ks"], progress=False)
    colours = {
        hue: [STYLES[series.role].colour for series in figures.bars_figure(cube, "ks", hue=hue).series[:2]]
        for hue, cube in (("calibrator", judged), ("model", models))
    }
    assert colours == {"calibrator": [BLUE, GREEN], "model": [BLUE, STYLES["overlay 1"].colour]}


def test_error_bars_are_the_outer_quantiles_of_the_bootstrap(judged):
    (ax,) = cv.plots.bars(judged, "ks").axes
    shown = judged.squeeze(["model", "selection"])
    for name in METHODS:
        np.testing.assert_array_equal(heights(ax, name), shown.ks.sel(calibrator=name))
    ends = shown.ks_quantile.transpose("quantile", "lens", "calibrator").values
    bars = line(ax, "5 % to 95 % of bootstrap samples")
    np.testing.assert_array_equal(bars[::3, 1], ends[0].ravel())
    np.testing.assert_array_equal(bars[1::3, 1], ends[2].ravel())
    centres = np.arange(3)[:, None] + 0.8 / 3 * np.array([-1, 0, 1])
    np.testing.assert_allclose(bars[::3, 0], centres.ravel())


def test_intervals_of_the_true_error_come_before_the_bootstrap():
    p = cv.load_dataset("heart")["random forest"]
    cube = cv.evaluate(p, metrics=["ks"], replicates=5, intervals=0.9, progress=False)
    cube.ks_lower.attrs["long_name"] = "what a user calls it"
    (ax,) = cv.plots.bars(cube, "ks", hue=None).axes
    bars = line(ax, "90 % interval of the true error")
    np.testing.assert_array_equal(bars[:2, 1], [cube.ks_lower.item(), cube.ks_upper.item()])


def test_what_cannot_be_drawn_is_said(judged):
    infinite = judged.copy(deep=True)
    infinite["log_loss"][0, 0, 2, 1] = np.inf
    record = check(figures.bars_figure(infinite.drop_vars("log_loss_quantile"), "log_loss"))
    assert "Not drawn, as they are infinite or not known: 'class 3, isotonic'." in record.note
    assert "No error bars: the cube holds neither trials nor intervals nor a bootstrap." in record.note
    assert not record.y_in_percent and record.y_label == "log loss of what the lens looks at"


def test_more_than_six_bars_of_a_group_are_outlines():
    methods = ["none", "temperature", "vector", "spline", "isotonic", "platt", "beta", "histogram"]
    p = cv.load_dataset("heart")["random forest"]
    cube = cv.evaluate(p, "class 1", calibrators=methods, calibration=0.5, metrics=["brier"], progress=False)
    record = check(figures.bars_figure(cube, "brier"))
    assert [series.shape for series in record.series[:8]] == ["area"] * 6 + ["line"] * 2
    tops = [series.y.max() for series in record.series[:8]]
    np.testing.assert_array_equal(tops, cube.brier.squeeze())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"metric": "ecee"}, ValueError, "metric must be .*'ks'.*not 'ecee'"),
        ({"metric": "ks", "x": "trial"}, ValueError, "x must be .*'lens'.*not 'trial'"),
        ({"metric": "ks", "hue": "lens"}, ValueError, "hue must be .*not 'lens'"),
        ({"metric": "ks", "over": "seed"}, ValueError, "over must be .*not 'seed'"),
        ({"metric": "ks", "hue": "model"}, ValueError, "leave several of 'calibrator' in cube: choose one with .sel"),
    ],
)
def test_other_choices_are_refused_by_name(judged, arguments, error, message):
    with pytest.raises(error, match=message):
        cv.plots.bars(judged, **arguments)


def test_bars_need_a_cube():
    with pytest.raises(TypeError, match=r"cube must be what cv.evaluate\(...\) returns, not dict"):
        cv.plots.bars({}, "ece")
