"""A lens, a distance and a binning of the user's own, any gamma, and what can be asked of the spline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import traitlets
from driver import numbers_of, screen

import calibviz as cv
from calibviz.explorer.state.state import ExplorerState


@dataclass(frozen=True)
class Margin:
    """How far the likeliest class is above the next one, and whether it is right."""

    name: str = "margin"

    def __call__(self, predictions):
        two = np.sort(predictions.probs, axis=1)[:, -2:]
        right = predictions.probs.argmax(axis=1) == predictions.labels
        return cv.ScalarProblem(two[:, 1] - two[:, 0], right.astype(float))


@dataclass(frozen=True)
class Upwards:
    """Only what is predicted too low counts."""

    name: str = "told too low"

    def __call__(self, score, target):
        return np.maximum(target - score, 0.0)


@dataclass(frozen=True)
class Halves:
    name: str = "halves"

    def __call__(self, problem):
        return cv.EqualMass(2)(problem)


OWN = {"lens": Margin(), "distance": Upwards(), "binning": Halves()}
TERMS = {"lens": "lens", "distance": "distance", "binning": "binning"}


@pytest.fixture
def explorer():
    made = cv.Explorer(cv.load_dataset("digits")["random forest"], calibrator="isotonic", panels=())
    yield made
    made.close()


def error_of(explorer):
    return numbers_of(explorer.situation, explorer.situation.before)[0].ece


@pytest.mark.parametrize("choice", OWN)
def test_one_of_the_user_joins_the_menu_and_is_measured(explorer, choice):
    value = OWN[choice]
    assert value.name not in screen(explorer).controls[TERMS[choice]].options
    setattr(explorer.state, choice, value)
    control = screen(explorer).controls[TERMS[choice]]
    assert screen(explorer).complaint == "" and getattr(explorer.state, choice) == value.name
    assert value.name in control.options and control.value == value.name
    problem = explorer.situation.before.problems[0]
    asked = {
        "binning": cv.Uniform(15),
        "distance": cv.TotalVariation(),
        **({choice: value} if choice != "lens" else {}),
    }
    assert error_of(explorer) == pytest.approx(cv.calibration_error(problem, **asked))
    link = explorer.state.to_link()
    explorer.state.reset()
    assert control.value != value.name
    control.value = value.name
    assert getattr(explorer.state, choice) == value.name
    explorer.state.reset()
    explorer.state.from_link(link)
    assert getattr(explorer.state, choice) == value.name
    assert f"# {choice} is the one named {value.name!r} that was passed to cv.Explorer" in explorer.code()
    with pytest.raises(traitlets.TraitError, match=choice):  # elsewhere nobody knows what the name means
        ExplorerState(["model"]).from_link(link)


@pytest.mark.parametrize("choice", OWN)
def test_all_panels_show_something_of_it(choice):
    made = cv.Explorer(
        cv.load_dataset("tumours")["naive Bayes"],
        **{choice: OWN[choice]},
        panels=("reliability", "cumulative", "recalibration", "sensitivity", "comparison", "classes", "temperature"),
    )
    assert screen(made).complaint == ""
    assert all(screen(made).records(name) for name in ("reliability", "cumulative", "sensitivity"))
    made.close()


@pytest.mark.parametrize("choice", OWN)
def test_the_cube_and_the_script_give_the_number_on_screen(explorer, choice):
    setattr(explorer.state, choice, OWN[choice])
    number, cube = error_of(explorer), explorer.cube()
    assert cube.ece.sel(calibrator="none").squeeze().item() == pytest.approx(number)
    names: dict = {"predictions": cv.load_dataset("digits")["random forest"], choice: OWN[choice]}
    exec(explorer.code(), names)
    names["explorer"].close()
    assert float(np.squeeze(names["numbers"].loc["none", "ece"])) == pytest.approx(number)


def test_a_distance_of_the_package_is_written_into_the_script(explorer):
    explorer.state.distance = cv.Lp(3)
    assert explorer.state.distance == "L3" and "'distance': cv.Lp(p=3.0)" in explorer.code()
    assert "was passed" not in explorer.code()


def test_a_lens_of_the_user_can_be_a_row_of_the_comparison(explorer):
    explorer.state.update(lens=Margin(), panels=("comparison",), calibrators=())
    screen(explorer).press("add what is on screen")
    assert screen(explorer).complaint == "" and (explorer.state.model, "margin", "") in explorer.state.compared
    explorer.finish()
    (grid,) = screen(explorer).records("comparison")
    row = next(i for i, name in enumerate(grid.rows) if "margin" in name)
    assert grid.values[row, 0] == pytest.approx(100 * error_of(explorer))


@pytest.mark.parametrize(
    ("choice", "value", "message"),
    [
        ("distance", cv.Lp(2), "distance 'L2' is built in: one of your own needs a name of its own"),
        ("binning", Halves("sweep"), "binning 'sweep' is built in"),
        ("lens", Margin("full"), "lens 'full' is built in"),
        ("lens", cv.Outcome(cv.lens("full"), "3"), "set the lens and its outcome each"),
    ],
)
def test_a_name_that_means_something_else_is_refused(explorer, choice, value, message):
    with pytest.raises(traitlets.TraitError, match=message):
        setattr(explorer.state, choice, value)


def test_two_of_one_name_and_what_cannot_be_a_key_are_refused(explorer):
    class Other(Upwards):
        def __eq__(self, other):
            return self is other

        __hash__ = object.__hash__

    class Unhashable(Upwards):
        __hash__ = None

    explorer.state.distance = Upwards()
    with pytest.raises(traitlets.TraitError, match="there is another distance named 'told too low' already"):
        explorer.state.distance = Other()
    with pytest.raises(traitlets.TraitError, match="distance 'odd' must be hashable, such as a frozen dataclass"):
        explorer.state.distance = Unhashable("odd")


def test_a_lens_of_several_scores_a_sample_says_that_it_needs_one(explorer):
    @dataclass(frozen=True)
    class Pairs:
        name: str = "pairs"

        def __call__(self, predictions):
            return cv.lens("full")(predictions)

    explorer.state.lens = Pairs()
    assert "this needs one score a sample" in screen(explorer).complaint


def test_any_gamma_stays_as_it_is(explorer):
    explorer.state.update(lens="full", binning="k-d tree", gamma=0.1, panels=("classes", "sensitivity"))
    assert explorer.state.gamma == 0.1 and screen(explorer).controls["gamma"].label == "0.1"
    explorer.finish()
    side = explorer.situation.before
    whole = cv.calibration_error(side.predictions[0], "full", binning=cv.KDTree(0.1), selection=side.selection)
    assert error_of(explorer) == pytest.approx(whole)
    assert "γ = 0.1" in str(screen(explorer).numbers)
    (figure, _) = screen(explorer).records("classes")
    of_class = cv.calibration_error(side.predictions[0], "class 3", binning=cv.KDTree(0.1), selection=side.selection)
    assert np.isclose(np.concatenate([series.y for series in figure.series]), of_class, atol=1e-9).any()
    explorer.state.gamma = 0.125
    assert len(screen(explorer).controls["gamma"].options) == 12


@pytest.mark.parametrize("text", ["2", "none", "-0.1", "1/0"])
def test_a_gamma_that_is_none_is_refused_at_its_control(explorer, text):
    explorer.state.binning = "k-d tree"
    screen(explorer).set("γ", text)
    assert "gamma" in screen(explorer).complaint and explorer.state.gamma == 0.125


def test_the_uniform_sweep_is_the_one_of_the_engine(explorer):
    explorer.state.binning = "uniform sweep"
    problem = explorer.situation.before.problems[0]
    assert error_of(explorer) == pytest.approx(cv.calibration_error(problem, binning=cv.Sweep("uniform")))
    assert "binnings=cv.Sweep(scheme='uniform')" in explorer.code()
    explorer.state.lens = "full"
    assert "uniform sweep bins need one score a sample" in str(screen(explorer).numbers)


@pytest.mark.parametrize("options", [("monotone",), ("bounded",), ("cumulative",), ("monotone", "cumulative")])
@pytest.mark.parametrize("calibrator", ["spline", "spline, one-vs-rest"])
def test_the_spline_is_fitted_as_it_was_asked_for(explorer, options, calibrator):
    explorer.state.update(calibrator=calibrator, knots=9)
    plain = explorer.situation.after.problems[0].score
    explorer.state.spline = options
    spline = cv.Spline(
        9, "cumulative" if "cumulative" in options else "difference", "monotone" in options, "bounded" in options
    )
    [judged] = explorer.situation.engine.fitted_to(explorer.state.model)
    if calibrator == "spline":
        expected = cv.lens("top-1")(judged).mapped(cv.cross_fitted(judged, "top-1", calibrator=spline)).score
    else:
        expected = cv.lens("top-1")(cv.cross_fitted(judged, calibrator=cv.OneVsRest(spline)).transform(judged)).score
    np.testing.assert_allclose(np.sort(explorer.situation.after.problems[0].score), np.sort(expected), atol=1e-12)
    assert "cumulative" not in options or not np.allclose(plain, explorer.situation.after.problems[0].score)
    written = "cv.Spline(knots=9" if calibrator == "spline" else "cv.OneVsRest(cv.Spline(knots=9"
    assert written in explorer.code() and all(name in explorer.code() for name in options)


def test_a_click_on_a_curve_of_the_temperature_sets_it(explorer):
    explorer.state.update(panels=("temperature",), metrics=("ks", "brier"))
    explorer.finish()
    (record,) = screen(explorer).records("temperature")
    for role in ("least", "bins"):
        places = next(series.x for series in record.series if series.role == role)
        screen(explorer).click_dot("temperature", "temperature", 1, role)
        assert explorer.state.calibrator == "temperature"
        assert explorer.state.temperature == float(f"{2.0 ** places[1]:.3g}")
    chosen = explorer.state.temperature
    judged = cv.load_dataset("digits")["random forest"]
    moved = cv.Temperature(chosen).fit(judged)
    assert moved.temperature_ == chosen and np.isnan(moved.gradient_norm_)
    expected = np.sort(cv.lens("top-1")(moved.transform(judged)).score)
    np.testing.assert_allclose(np.sort(explorer.situation.after.problems[0].score), expected, rtol=1e-6)
    (record,) = screen(explorer).records("temperature")
    assert any(series.name == f"T = {chosen:.3g}" for series in record.series)
    assert f"cv.Temperature(temperature={chosen!r})" in explorer.code()
    screen(explorer).set("T", "")
    assert explorer.state.temperature is None and "'temperature'" in explorer.code()
    screen(explorer).set("T", "cold")
    assert "a temperature is a positive number" in screen(explorer).complaint


@pytest.mark.parametrize("kept", [slice(0, 500), slice(None, None, -1)], ids=["fewer", "others"])
def test_models_of_other_samples_are_drawn_over_without_a_paired_difference(kept):
    hearts = cv.load_dataset("heart")["logistic regression"]
    others = hearts.select(np.arange(len(hearts))[kept])
    made = cv.Explorer({"one": hearts, "other": others}, overlays=("model: other",), panels=("reliability",))
    made.state.keep("A")
    made.state.model = "other"
    made.state.keep("B")
    made.state.model = "one"
    table = next(record for record in screen(made).records("reliability") if record.name == "drawn over")
    assert screen(made).complaint == "" and table.rows[1][4].text == "–"
    assert "not the same samples" in str(screen(made).kept)
    made.close()


@pytest.mark.parametrize("where", ["kept", "compared", "overlays"])
def test_the_code_opens_a_view_that_names_a_thing_of_the_user_in_passing(where):
    class Mine(cv.Platt):
        name = "mine"

    made = cv.Explorer(cv.load_dataset("heart")["random forest"], panels=(), lens=OWN["lens"], calibrator=Mine())
    if where == "kept":
        made.state.keep("A")
    choices = {"compared": [("model", "margin", "")], "overlays": ["calibrator: mine"]}
    made.state.update(lens="top-1", calibrator="beta", **({where: choices[where]} if where in choices else {}))
    names: dict = {"lens_1": Margin(), "calibrator_1": Mine(), "lens": Margin(), "calibrator": Mine()}
    exec(made.code(), names)
    assert screen(names["explorer"]).complaint == ""
    assert names["explorer"].state.to_dict() == made.state.to_dict()
    names["explorer"].close()
    made.close()
