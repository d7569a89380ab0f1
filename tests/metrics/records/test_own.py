"""A metric and a calibrator of the user's own stand wherever the built-in ones do."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import traitlets
from driver import screen
from report_pages import Page

import calibviz as cv
from calibviz.explorer.state.state import ExplorerState


def bias_of(problem):
    return abs(np.average(problem.score - problem.target, weights=problem.weight))


BIAS = cv.Metric("bias", bias_of, "mean bias", better="smaller", calibration=True, percent=True)
SHARP = cv.Metric("sharpness", lambda problem: problem.score.std(), definition="spread of the scores", better="larger")


class Halved(cv.Temperature):
    """A temperature of 2, whatever the samples."""

    short_name = name = "halved"

    def __init__(self):
        super().__init__()

    def fit(self, predictions):
        fitted = super().fit(predictions)
        fitted.temperature_ = 2.0
        return fitted


class Shrunk(cv.Platt):
    """A calibrator of scores."""

    short_name = name = "shrunk"


@pytest.fixture(scope="module")
def digits():
    return cv.load_dataset("digits")["neural network"]


def test_in_a_cube(digits, few_in_cubes):
    cube = cv.evaluate(
        digits,
        ["top-1", "classwise", "full"],
        metrics=["ks", BIAS, SHARP],
        calibrators=["none", Halved(), Shrunk()],
        calibration=0.5,
        replicates=10,
        noise=True,
        progress=False,
    )
    _, evaluation = digits.split(0.5, rng=0)
    problem = cv.lens("top-1")(evaluation)
    here = cube.sel(calibrator="none", lens="top-1").squeeze()
    assert here.bias.item() == pytest.approx(bias_of(problem))
    assert here.bias_quantile.sizes["quantile"] == 2 and np.ptp(here.bias_quantile.values) > 0
    assert 0 < here.bias_noise.item() < 0.1 and 0 < here.bias_p_value.item() <= 1
    assert "sharpness_noise" not in cube and cube.sharpness.long_name == "spread of the scores"
    classes = [bias_of(cv.lens(f"class {name}")(evaluation)) for name in evaluation.class_names]
    assert cube.bias.sel(calibrator="none", lens="classwise").item() == pytest.approx(np.mean(classes))
    assert "bias needs a scalar lens" in cube.bias.unavailable
    assert {"halved", "shrunk"} <= set(cube.calibrator.values.tolist())
    ranks = cv.rank_calibrators(cube, untested=True)
    assert set(ranks.data_vars) == {"ks", "bias"}  # a larger sharpness is the better one: it is no error
    order = cube.bias.sel(lens="top-1").values.ravel().argsort().argsort() + 1
    assert ranks.bias.sel(lens="top-1").values.ravel().tolist() == order.tolist()
    assert list(cv.rank_correlation(cube, "metric").metric.values) == ["ks", "bias"]
    figure = cv.figures.bars_figure(cube.sel(lens="top-1"), "bias", "calibrator", None)
    assert figure.y_in_percent and figure.y_label == "mean bias"


def test_takes_the_problems_of_vector_lenses_where_it_says_so(digits):
    spread = cv.Metric("spread", lambda problem: problem.score.std(), vectors=True)
    cube = cv.evaluate(digits, "full", metrics=spread, progress=False)
    assert cube.spread.item() == pytest.approx(digits.probs.std())


def test_in_the_explorer(digits):
    explorer = cv.Explorer(
        digits,
        metrics=["ece", BIAS],
        calibrators=["temperature", Halved(), Shrunk()],
        calibrator="halved",
        rows="metric",
        panels=("comparison", "temperature"),
    )
    assert explorer.state.metrics == ("ece", "bias") and explorer.state.calibrators[1:] == ("halved", "shrunk")
    controls = screen(explorer).controls
    assert "bias" in controls["metrics"].options and controls["metrics"].value == ("ece", "bias")
    assert {("halved", "halved"), ("shrunk", "shrunk")} < set(controls["calibrator"].options)
    for name, prefix in (("compared", ""), ("draw over", "calibrator: ")):
        assert f"{prefix}shrunk" in controls[name].options
    explorer.finish()
    (grid,) = screen(explorer).records("comparison")
    assert grid.rows == ("ECE", "mean bias") and grid.columns == ("none", "temperature", "halved", "shrunk")
    cube = explorer.cube()
    for column, name in enumerate(grid.columns):
        assert grid.values[1, column] == pytest.approx(100 * cube.bias.sel(calibrator=name).item())
    assert grid.noise is not None and grid.below[1]
    (curves,) = screen(explorer).records("temperature")
    assert any(series.name.startswith("mean bias: ") for series in curves.series)
    assert "after (halved)" in [column["text"] for column in screen(explorer).numbers["columns"]]
    assert "calibrator is the one named 'halved'" in explorer.code()
    link = explorer.state.to_link()
    explorer.state.update(metrics=("ks",), calibrator="spline")
    explorer.state.from_link(link)  # in this state it is known what the names mean
    assert explorer.state.metrics == ("ece", "bias") and explorer.state.calibrator == "halved"
    with pytest.raises(traitlets.TraitError, match="metrics must be one of"):
        ExplorerState(["model"]).from_link("?metrics=" + '["bias"]')
    explorer.close()


def test_calibrators_of_one_name_do_not_share_their_maps(digits):
    class Other(cv.Isotonic):
        short_name = name = "shrunk"

    first, second = (cv.Explorer(digits, calibrator=kind(), panels=()) for kind in (Shrunk, Other))
    after = [explorer.situation.after.problems[0].score for explorer in (first, second)]
    assert not np.array_equal(*after)
    first.close(), second.close()


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (("ece", bias_of), ValueError, "name 'ece' is taken by calibviz"),
        (("lens", bias_of), ValueError, "name 'lens' is taken"),
        (("my_noise", bias_of), ValueError, "name 'my_noise' is taken"),
        (("my bias", bias_of), ValueError, "name must be made of letters, digits and _, not 'my bias'"),
        (("mine", 3), TypeError, "function must take a problem and return a number, not be 3"),
        (("mine", bias_of, "KS"), ValueError, "title 'KS' is that of the metric 'ks'"),
    ],
)
def test_what_is_no_metric(arguments, kind, said):
    with pytest.raises(kind, match=said):
        cv.Metric(*arguments)
    with pytest.raises(ValueError, match="better must be one of 'smaller', 'larger', 'neither', not 'more'"):
        cv.Metric("mine", bias_of, better="more")


def test_what_cannot_be_measured(digits):
    with pytest.raises(ValueError, match="metric 'bias' is given twice"):
        cv.evaluate(digits, metrics=[BIAS, BIAS], progress=False)
    with pytest.raises(TypeError, match="the function of the metric 'nothing' must return a number, not None"):
        cv.evaluate(digits, metrics=[cv.Metric("nothing", lambda problem: None)], progress=False)

    def refuse(problem):
        raise ValueError("of nothing at all")

    cube = cv.evaluate(digits, metrics=[cv.Metric("refused", refuse)], progress=False)
    assert np.isnan(cube.refused.item()) and "of nothing at all" in cube.refused.unavailable
    state = ExplorerState(["model"], metrics=[BIAS])
    with pytest.raises(traitlets.TraitError, match="another metric named 'bias'"):
        state.metrics = (cv.Metric("bias", lambda problem: 0.0),)
    with pytest.raises(traitlets.TraitError, match="calibrator 'platt' is built in"):
        state.calibrator = cv.Platt()
    assert state.metrics == ("bias",) and state.calibrator == "none"


def test_a_metric_is_said_in_few_words():
    assert cv.Metric("bias", bias_of, "mean bias", calibration=True, percent=True) == BIAS
    assert list(inspect.signature(cv.Metric).parameters)[:3] == ["name", "function", "title"]


@pytest.mark.thorough
def test_in_a_report(digits, few_replicates):
    calibration, judged = digits.split(0.5, rng=0)
    page = cv.report(
        judged, calibration=calibration, metrics=[BIAS, SHARP], calibrators=[Halved()], progress=False
    ).html
    cube = cv.evaluate(
        judged, "top-1", metrics=[BIAS, SHARP], calibrators=["none", Halved()], calibration=calibration, progress=False
    )
    for metric, shown in ((BIAS, "mean bias"), (SHARP, "sharpness")):
        for calibrator in ("none", "halved"):
            value = cube[metric.name].sel(calibrator=calibrator).item() * (100 if metric is BIAS else 1)
            assert Page(page).number("comparison", shown, calibrator) == pytest.approx(value)
    assert "# calibrator is the one named &#x27;halved&#x27; that was passed to cv.report" in page


def test_in_a_report_of_several_models(few_replicates):
    models = cv.load_dataset("tumours")
    two = {name: models[name] for name in ("naive Bayes", "random forest")}
    page = cv.compare(two, metrics=BIAS, progress=False).html
    assert f'value="{float(bias_of(cv.lens("class 1")(two["naive Bayes"])))!r}" data-what="bias"' in page


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"metrics": "ece"}, TypeError, "metrics must be cv.Metric objects, which a report adds to its own, not 'ece'"),
        ({"metrics": [BIAS, BIAS]}, ValueError, "bias"),
        ({"calibrators": ["spline"]}, ValueError, "spline"),
        ({"calibrators": [3]}, TypeError, "calibrators must be names or calibrators"),
    ],
)
def test_what_a_report_cannot_add_is_refused(digits, given, error, message):
    with pytest.raises(error, match=message):
        cv.report(digits, progress=False, **given)
