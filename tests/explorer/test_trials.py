"""The Explorer of networks that were trained several times: means and spreads over the trials."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from driver import screen
from figure_checks import by_role, check

import calibviz as cv
from calibviz.answers.asked.spec import CUMULATIVE
from calibviz.answers.registry import ANSWERS
from calibviz.explorer import Explorer
from calibviz.figures import Figure


@pytest.fixture(scope="module")
def data():
    return cv.load_interventions()


@pytest.fixture(scope="module")
def trials(data):
    """Five times the first network: the parts to calibrate and to judge with, as predictions."""
    calibration, evaluation = (
        [
            cv.Predictions(
                logits=part.logits.isel(intervention=0, trial=t).values,
                labels=part.labels.values,
                fields={name: part[name].values for name in ("ink", "slant", "aspect")},
            )
            for t in range(5)
        ]
        for part in data
    )
    return calibration, evaluation


@pytest.fixture(scope="module")
def shared(data):
    calibration, evaluation = data
    made = Explorer(evaluation, calibration, panels=())
    yield made
    made.close()


def shown(explorer, panel, **choices):
    explorer.state.update(panels=(panel,), **choices)
    assert screen(explorer).complaint == ""
    screen(explorer).finish()
    content = ANSWERS[panel].content(explorer.situation)
    assert content.records
    for record in content.records:
        if isinstance(record, Figure):
            check(record)
    return content


def test_models_are_the_interventions(explorer, data):
    assert explorer.state.models == tuple(data[0].intervention.values)
    assert [len(trials) for trials in explorer.situation.engine.models.values()] == [5] * 4
    assert "calibration" not in screen(explorer).controls


def test_numbers_are_means_and_spreads(explorer, trials):
    explorer.state.update(lens="class 3", bins=8, selection="ink > 0.2", calibrator="spline")
    calibration, evaluation = trials
    sides = screen(explorer).sides
    maps = [cv.Spline(6).fit(cv.lens("class 3")(one)) for one in calibration]
    for side, fitted in zip(sides, ([None] * 5, maps), strict=True):
        problems = [cv.lens("class 3")(one.select(one.fields["ink"] > 0.2)) for one in evaluation]
        problems = [one if m is None else one.mapped(m) for one, m in zip(problems, fitted, strict=True)]
        for name, values in (
            ("ece", [cv.calibration_error(one, binning=cv.Uniform(8)) for one in problems]),
            ("ks", [cv.ks_error(one) for one in problems]),
            ("predicted", [one.mean_score for one in problems]),
            ("observed", [one.mean_target for one in problems]),
        ):
            assert side[name]["text"] == f"{100 * np.mean(values):.2f} ± {100 * np.std(values):.2f} %"
    right = [(one.predicted == one.labels)[one.fields["ink"] > 0.2].mean() for one in evaluation]
    assert sides[0]["accuracy"]["text"] == f"{100 * np.mean(right):.2f} ± {100 * np.std(right):.2f} %"
    assert "over 5 trials" in screen(explorer).numbers["note"]


def test_dots_are_means_over_trials(explorer, trials):
    diagram, _ = shown(explorer, "reliability", lens="rank 2", binning="equal-mass", bins=5).records
    bins = [cv.EqualMass(5)(cv.lens("rank 2")(one)) for one in trials[1]]
    np.testing.assert_allclose(by_role(diagram, "bins").x, np.mean([one.score for one in bins], axis=0))
    np.testing.assert_allclose(by_role(diagram, "bins").y, np.mean([one.target for one in bins], axis=0))
    bars = next(series for series in diagram.series if series.role == "interval")
    ends = bars.y[~np.isnan(bars.y)].reshape(-1, 2)
    mean, spread = (of([one.target for one in bins], axis=0) for of in (np.mean, np.std))
    np.testing.assert_allclose(ends.T, np.clip([mean - spread, mean + spread], 0, 1))


def test_bins_of_a_tree_are_of_equal_mass_in_every_trial(explorer, trials):
    explorer.state.update(panels=("reliability",), binning="k-d tree", gamma=1 / 8)
    side, shown = explorer.situation.before, explorer.situation.bins(explorer.situation.before)
    for bins, problem in zip(shown, side.problems, strict=True):
        np.testing.assert_array_equal(bins.score, cv.EqualMass(len(bins))(problem).score)
    assert len(shown) == len(trials[1]) > 1


@pytest.mark.parametrize("binning", ["uniform", "sweep", "k-d tree"])
@pytest.mark.parametrize("lens", ["top-1", "full"])
def test_every_panel_draws(explorer, binning, lens):
    choices = {"likert": (0, 0.5, 1), "calibrators": ("temperature",), "gamma": 1 / 8, "calibrator": "spline"}
    explorer.state.update(binning=binning, lens=lens, **choices)
    slow = ("comparison", "temperature", "sensitivity", "classes")
    for panel in tuple(ANSWERS):
        if panel in slow and (lens, binning) != ("top-1", "uniform"):
            continue
        explorer.state.update(by="level" if panel == "classes" and lens == "full" else "class")
        explorer.state.panels = (panel,)
        screen(explorer).finish()
        assert screen(explorer).complaint == ""
        content = ANSWERS[panel].content(explorer.situation)
        assert content.records or any(said in content.note for said in ("hierarchy", "holds dates", "after places"))
        if panel == "reliability":
            assert ("equal-mass bins" in content.note) == (binning != "uniform")
        if panel in ("recalibration", "instances"):
            assert "the first trial" in f"{content.marked} {content.note}".lower()


@pytest.mark.parametrize("view", CUMULATIVE)
def test_cumulative_views_are_means(explorer, trials, view):
    figure = shown(explorer, "cumulative", cumulative=view).records[0]
    assert len(by_role(figure, "flexible band").x)
    if "slopes" not in view:
        ks = [cv.ks_error(one) for one in trials[1]]
        assert f"{100 * np.mean(ks):.2f} ± {100 * np.std(ks):.2f} %" in figure.title


def test_errors_of_classes_are_means(explorer, trials):
    (figure, _) = shown(explorer, "classes", bins=6).records
    errors = [
        np.mean([cv.calibration_error(one, f"class {c}", binning=cv.Uniform(6)) for one in trials[1]])
        for c in range(10)
    ]
    np.testing.assert_allclose(by_role(figure, "bins").y, sorted(errors)[::-1], atol=1e-12)


def test_sensitivity_spreads_over_trials(explorer, trials):
    figure, _ = shown(explorer, "sensitivity").records
    errors = [cv.calibration_error(one, "top-1", binning=cv.Uniform(15)) for one in trials[1]]
    line, bars = by_role(figure, "before"), next(series for series in figure.series if series.role == "interval")
    at = int(np.flatnonzero(line.x == 15)[0])
    assert line.y[at] == pytest.approx(np.mean(errors))
    ends = bars.y[~np.isnan(bars.y)].reshape(-1, 2)[at]
    np.testing.assert_allclose(ends, np.mean(errors) + np.std(errors) * np.array([-1, 1]))


def test_comparison_is_of_means(explorer, trials):
    (grid,) = shown(
        explorer, "comparison", rows="metric", calibrators=("temperature",), metrics=("ece", "brier")
    ).records
    calibration, evaluation = trials
    moved = [cv.Temperature().fit(a).transform(b) for a, b in zip(calibration, evaluation, strict=True)]
    for column, every in enumerate((evaluation, moved)):
        expected = [
            np.mean([cv.calibration_error(one) for one in every]),
            np.mean([cv.brier_score(one, "top-1") for one in every]),
        ]
        np.testing.assert_allclose(grid.values[:, column], np.array([100, 1]) * expected, rtol=1e-9)


def test_the_temperature_curves_are_means(explorer, trials):
    shown(explorer, "temperature", metrics=("ks",))
    job = screen(explorer).job("temperatures")
    (at,) = np.flatnonzero(job.value.places == 0)
    assert job.value.errors["ks"][at] == pytest.approx(np.mean([cv.ks_error(one) for one in trials[1]]), abs=1e-9)
    assert job.value.errors["nll"][at] == pytest.approx(np.mean([cv.log_loss(one) for one in trials[1]]), abs=1e-6)


@pytest.mark.parametrize(
    "choices", [{}, {"lens": "full", "binning": "k-d tree"}, {"norm": "maximum", "model": "mix-up"}]
)
def test_code_and_cube(explorer, data, choices, capsys):
    explorer.state.update(calibrator="spline", **choices)
    names: dict = {}
    exec(explorer.code(), names)
    assert names["explorer"].state.to_dict() == explorer.state.to_dict()
    names["explorer"].close()
    table = names["numbers"]
    for place, side in enumerate((explorer.situation.before, explorer.situation.after)):
        calibrator = table.index.get_level_values("calibrator").unique()[place]
        pairs = list(zip(side.predictions, side.problems, strict=True))
        for name, measure in {
            "ks": lambda _, problem: cv.ks_error(problem),
            "mean_score": lambda _, problem: problem.mean_score,
            "accuracy": explorer.situation.accuracy,
            "sweep": lambda _, problem: cv.calibration_error(problem, binning=cv.Sweep()),
        }.items():
            here = [measure(*pair) for pair in pairs]
            np.testing.assert_allclose(table[name].xs(calibrator, level="calibrator"), here, atol=1e-9)
    assert "trial" in capsys.readouterr().out
    cube = explorer.cube()
    assert cube.sizes["intervention"] == 4 and cube.sizes["trial"] == 5
    if not explorer.situation.outcomes:
        here = list(map(cv.ks_error, explorer.situation.before.problems))
        np.testing.assert_allclose(cube.ks.sel(intervention=explorer.state.model, calibrator="none").squeeze(), here)


@pytest.fixture
def uneven():
    """Three trials, of which the second is never sure: under a third of 1 its last category is empty."""
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), (3, 300))
    probs[1] = (1 + probs[1]) / 4
    coords = {"class": ["a", "b", "c"]}
    return xr.Dataset({"prob": (("trial", "sample", "class"), probs), "label": ("sample", np.arange(300) % 3)}, coords)


def test_a_category_that_is_empty_in_one_trial_leaves_the_others_their_noise_floors(uneven, caplog):
    explorer = Explorer(uneven, lens="class a", likert=(0, 0.33, 0.66, 1), panels=("likert",))
    screen(explorer).finish()
    table = screen(explorer).records("likert")[-1]
    low, *_, high = table.rows[::2]
    assert "noise: " in low[-1].below or "within noise" in low[-1].below
    assert high[-1].text == "–" and not caplog.records
    explorer.close()


def test_a_selection_that_keeps_nothing_of_one_trial_says_of_which(uneven):
    with pytest.raises(ValueError, match=r"none of the samples of trial 2 of 3: output > 0\.8\. Write"):
        Explorer(uneven, lens="class a", selection="output > 0.8")


def test_reports_say_what_takes_trials(uneven):
    for make in (cv.report, cv.compare):
        with pytest.raises(TypeError, match=r"not Data(set|Array): .*cv\.evaluate and cv\.Explorer take a Dataset"):
            make(uneven)
        with pytest.raises(TypeError, match=r"not Summary: its rows are gone; cv\.evaluate and cv\.Explorer take"):
            summary = cv.summarize(cv.load_dataset("tumours")["naive Bayes"])
            make(summary if make is cv.report else {"one": summary})


def test_the_sensitivity_of_trials_has_no_spread_by_size(shared):
    shared.state.panels = ("sensitivity",)
    screen(shared).finish()
    assert [record.name for record in screen(shared).records("sensitivity")] == ["sensitivity", "points-per-bin"]
    shared.state.panels = ()
