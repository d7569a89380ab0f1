"""Weights of classes and the Mahalanobis distance, as controls of the drawer."""

from __future__ import annotations

import json

import numpy as np
import pytest
import traitlets
from driver import below, screen
from ipywidgets.widgets.widget import _instances

import calibviz as cv
from calibviz.explorer.view.controls.number_grid import NumberGrid

WHOLE = {"lens": "full", "binning": "k-d tree", "panels": ()}
HEAVY_THREE = [1, 1, 1, 4, 1, 1, 1, 1, 1, 1]


@pytest.fixture(scope="module")
def shared():
    made = cv.Explorer(cv.load_dataset("digits")["random forest"], panels=(), calibrator="isotonic")
    yield made
    made.close()


@pytest.fixture
def explorer(shared):
    shared.state.from_dict(WHOLE)
    return shared


def judged(explorer):
    return explorer.situation.unselected.predictions[0]


def error_of(explorer):
    return explorer.situation.error(explorer.situation.before)


def control(explorer, label):
    return screen(explorer).controls[label]


def small_print(explorer, label):
    return control(explorer, label).description


def test_a_weight_of_a_class_is_that_of_the_engine(explorer):
    screen(explorer).set("distance", "class-weighted L2")
    assert error_of(explorer) == pytest.approx(
        cv.calibration_error(judged(explorer), "full", binning=cv.KDTree(0.125), distance=cv.Lp(2))
    )
    assert control(explorer, "weights").rows == tuple("0123456789")
    screen(explorer).set("weights", tuple((float(weight),) for weight in HEAVY_THREE))
    assert explorer.state.weights == (("3", 4.0),) and screen(explorer).complaint == ""
    distance = cv.ClassWeighted(HEAVY_THREE)
    assert error_of(explorer) == pytest.approx(
        cv.calibration_error(judged(explorer), "full", binning=cv.KDTree(0.125), distance=distance)
    )
    assert "class-weighted L2" in str(screen(explorer).numbers)
    explorer.state.undo()
    assert explorer.state.weights == () and control(explorer, "weights").value[3] == (1.0,)


@pytest.mark.parametrize("lens", ["classwise", "top-1 by class"])
def test_weights_make_the_mean_over_the_classes(explorer, lens):
    explorer.state.update(lens=lens, binning="uniform", distance="class-weighted L2", weights={"3": 4})
    expected = cv.calibration_error(
        judged(explorer), lens, binning=cv.Uniform(15), distance=cv.ClassWeighted(HEAVY_THREE)
    )
    assert error_of(explorer) == pytest.approx(expected)
    explorer.state.distance = "Mahalanobis"  # of one score for each class there are no pairs
    assert error_of(explorer) == pytest.approx(cv.calibration_error(judged(explorer), lens, binning=cv.Uniform(15)))
    assert "only with bins of whole rows" in small_print(explorer, "matrix")
    assert "Mahalanobis" not in str(screen(explorer).numbers)


def test_weights_of_classes_wait_while_groups_are_looked_at(explorer):
    explorer.state.update(lens="grouping", distance="class-weighted L2", weights={"3": 4})
    assert "'3': a weight has no effect, since this lens has no such outcome." in str(screen(explorer).numbers)
    screen(explorer).set("weights", ((1.0,), (2.0,)))
    assert dict(explorer.state.weights) == {"3": 4.0, "odd": 2.0}
    expected = cv.calibration_error(
        judged(explorer), "grouping", binning=cv.KDTree(0.125), distance=cv.ClassWeighted([1, 2])
    )
    assert error_of(explorer) == pytest.approx(expected)


def test_the_inverse_covariance_is_that_of_all_that_is_told(explorer):
    explorer.state.update(distance="Mahalanobis", selection="ink > 0.3")
    screen(explorer).set("matrix", "inverse covariance")
    distance = cv.Mahalanobis.inverse_covariance(cv.lens("full")(judged(explorer)))
    expected = cv.calibration_error(
        judged(explorer), "full", binning=cv.KDTree(0.125), selection="ink > 0.3", distance=distance
    )
    assert error_of(explorer) == pytest.approx(expected)
    assert "&matrix=inverse+covariance" in explorer.state.to_link()
    assert "cv.Mahalanobis.inverse_covariance(cv.lens('full')(predictions))" in explorer.code()


def test_a_matrix_by_number_starts_from_the_one_that_was_named(explorer):
    explorer.state.update(lens="grouping", distance="Mahalanobis", matrix="inverse covariance")
    before = error_of(explorer)
    numbers = control(explorer, "matrix M").value
    screen(explorer).set("matrix", "by number")
    assert explorer.state.matrix == numbers and error_of(explorer) == pytest.approx(before)
    screen(explorer).set("matrix M", ((2.0, 0.5), (0.5, 1.0)))
    distance = cv.Mahalanobis([[2, 0.5], [0.5, 1]])
    expected = cv.calibration_error(judged(explorer), "grouping", binning=cv.KDTree(0.125), distance=distance)
    assert error_of(explorer) == pytest.approx(expected)
    assert control(explorer, "matrix").value == "by number"


def test_a_matrix_that_is_none_is_refused_and_nothing_changes(explorer):
    explorer.state.update(lens="grouping", distance="Mahalanobis")
    situation, numbers = explorer.situation, screen(explorer).numbers
    screen(explorer).set("matrix M", ((1.0, 2.0), (2.0, 1.0)))
    assert screen(explorer).complaint == (
        "matrix must be positive semi-definite, but its least eigenvalue is -1: "
        "some differences would have a negative squared length"
    )
    assert (
        explorer.state.matrix == "identity" and explorer.situation is situation and screen(explorer).numbers == numbers
    )
    screen(explorer).set(
        "matrix M", ((4.0, 2.0), (2.0, 1.0))
    )  # what was typed stays, so that the next number can mend it
    assert screen(explorer).complaint == "" and explorer.state.matrix == ((4.0, 2.0), (2.0, 1.0))


@pytest.mark.parametrize(
    ("choice", "value", "message"),
    [
        ("weights", {"3": -1}, "weights\\['3'\\] must lie between 0 and 1e\\+06, not be -1"),
        ("weights", {"3": "heavy"}, "weights\\['3'\\] must be a number"),
        ("weights", 4, "weights must be a dict, or pairs"),
        ("matrix", "unity", "matrix"),
        ("matrix", [[1, 2]], "matrix must be square"),
        ("matrix", [[1, 2], [0, 1]], "matrix must be symmetric"),
        ("distance", cv.ClassWeighted([1, 2]), "set the distance and its weights each"),
        ("distance", cv.Mahalanobis([[1]]), "set the distance and its matrix each"),
    ],
)
def test_what_is_no_weight_and_no_matrix_is_refused(explorer, choice, value, message):
    with pytest.raises(traitlets.TraitError, match=message):
        setattr(explorer.state, choice, value)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (
            {"distance": "Mahalanobis", "matrix": [[2, 0], [0, 1]]},
            "the matrix is for 2 outcomes, and this lens has 10.",
        ),
        ({"distance": "class-weighted L2", "weights": {str(c): 0 for c in range(10)}}, "all weights are 0"),
    ],
)
def test_a_lens_that_a_distance_does_not_fit_has_no_joint_error_and_says_why(explorer, choices, said):
    explorer.state.update(**choices, panels=("comparison", "sensitivity"), calibrators=())
    assert screen(explorer).complaint == "" and error_of(explorer) is None
    assert f"No joint error: {said}" in str(screen(explorer).numbers)
    screen(explorer).finish()
    (grid,) = screen(explorer).records("comparison")
    assert np.isnan(grid.values[grid.rows.index("full"), 0]) and np.isfinite(grid.values[grid.rows.index("top-1"), 0])
    assert "# full: 0: No joint error" in explorer.code()


@pytest.mark.parametrize("number", [-1.0, 2e6])
def test_a_refused_weight_is_told_in_the_drawer_and_the_last_good_one_comes_back(explorer, number):
    explorer.state.update(distance="class-weighted L2", weights={"3": 4})
    situation = explorer.situation
    typed = [(weight,) for weight in map(float, HEAVY_THREE)]
    screen(explorer).set("weights", (*typed[:7], (number,), *typed[8:]))
    assert screen(explorer).refusal == (
        f"how much each counts: the weight of '7' must be a number from 0 to 1,000,000, not {number:g}. "
        "The last good value is back."
    )
    assert screen(explorer).complaint == "" and explorer.situation is situation
    assert control(explorer, "weights").value == tuple(typed)
    typed[7] = (2.0,)
    screen(explorer).set("weights", tuple(typed))
    assert screen(explorer).refusal == "" and dict(explorer.state.weights) == {"3": 4.0, "7": 2.0}


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("weights", "how much each counts: the number of odd"),
        ("matrix M", "numbers of the pairs: the number of odd, even"),
    ],
)
def test_what_is_no_number_is_told_in_the_drawer(explorer, label, said):
    explorer.state.update(lens="grouping", distance="Mahalanobis")
    control(explorer, label)._handle_custom_msg({"refused": [explorer.situation.outcomes.index("odd"), 0]}, [])
    assert screen(explorer).refusal == f"{said} is not one that can be read. The last good value is back."
    assert screen(explorer).complaint == ""
    explorer.state.distance = "L2"
    assert screen(explorer).refusal == ""


def test_a_cell_that_is_no_number_leaves_the_rest_of_a_refused_matrix(explorer):
    explorer.state.update(lens="grouping", distance="Mahalanobis")
    typed = ((1.0, 2.0), (2.0, 1.0))
    screen(explorer).set("matrix M", typed)
    assert "positive semi-definite" in screen(explorer).complaint
    control(explorer, "matrix M")._handle_custom_msg({"refused": [0, 0]}, [])
    assert control(explorer, "matrix M").value == typed
    assert "is not one that can be read" in screen(explorer).refusal and screen(explorer).complaint == ""


def test_the_controls_say_what_weights_act_on(explorer):
    for label in ("weights", "matrix"):
        assert "It changes the joint error alone" in control(explorer, label).tooltip


def test_every_panel_follows(explorer):
    explorer.state.update(distance="class-weighted L2", panels=("sensitivity", "comparison"), calibrators=())
    screen(explorer).finish()
    errors = []
    for weights in ({}, {"3": 400}):
        explorer.state.weights = weights
        screen(explorer).finish()
        (grid,) = screen(explorer).records("comparison")
        (curve, *_) = screen(explorer).records("sensitivity")
        dots = next(series for series in curve.series if series.role == "before")
        errors.append((grid.values[grid.rows.index("full"), 0], dots.y[dots.x == -3].item()))
        assert errors[-1][0] == pytest.approx(100 * error_of(explorer))
        assert errors[-1][1] == pytest.approx(error_of(explorer))
        assert f"{errors[-1][0]:.2f}" in str(screen(explorer).cells("comparison"))
    assert errors[1][0] > errors[0][0]


def test_controls_without_an_effect_are_faint_and_say_why(explorer):
    faint = {label: control(explorer, label) for label in ("weights", "matrix")}
    assert all(widget.disabled for widget in faint.values())
    assert "only with class-weighted L2" in small_print(explorer, "weights")
    assert "only with Mahalanobis" in small_print(explorer, "matrix")
    explorer.state.update(distance="class-weighted L2", lens="top-1")
    assert faint["weights"].disabled and "only with lenses of several" in small_print(explorer, "weights")
    assert control(explorer, "distance").disabled
    assert "alike for one score a sample" in control(explorer, "distance").description
    explorer.state.update(panels=("comparison",), rows="lens", calibrators=())  # of which some rows have several
    assert not faint["weights"].disabled and not control(explorer, "distance").disabled
    explorer.state.update(lens="full")
    assert not faint["weights"].disabled
    explorer.state.update(lens="top-1", panels=("classes",), by="level")  # whose errors have no weights
    assert faint["weights"].disabled and not control(explorer, "distance").disabled


def test_weights_that_were_typed_before_the_lens_changed_are_left(explorer):
    explorer.state.update(distance="class-weighted L2", lens="grouping", weights={"even": 2})
    screen(explorer).set("weights", ((1.0,), (2.0,), (3.0,)))
    assert explorer.state.weights == (("even", 2.0),) and screen(explorer).complaint == ""


def test_choices_come_back_from_a_link_and_a_dict(explorer):
    explorer.state.update(
        lens="grouping", distance="Mahalanobis", matrix=[[2, 1], [1, 2]], weights={"3": 0.5, "odd": 3}
    )
    chosen, link = explorer.state.to_dict(), explorer.state.to_link()
    explorer.state.keep("A")
    explorer.state.from_dict(WHOLE)
    explorer.state.from_link(link)
    assert explorer.state.to_dict() == chosen
    explorer.state.from_dict(WHOLE)
    explorer.state.from_dict(json.loads(json.dumps(chosen)))
    assert explorer.state.to_dict() == chosen
    explorer.state.keep("A")
    explorer.state.from_dict({"kept": explorer.state.kept})
    explorer.state.recall("A")
    assert explorer.state.matrix == ((2.0, 1.0), (1.0, 2.0)) and explorer.state.weights == (("3", 0.5), ("odd", 3.0))
    explorer.state.kept = {}


def test_more_than_ten_outcomes_have_their_weights_as_text():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(12), 300)
    labels = [rng.choice(12, p=row) for row in probs]
    predictions = cv.Predictions(probs, labels, class_names=[f"class {c}" if c else "a: b" for c in range(12)])
    made = cv.Explorer(predictions, lens="full", binning="k-d tree", distance="class-weighted L2", panels=())
    assert not any(isinstance(widget, NumberGrid) for widget in below(made))
    screen(made).set("weights", '"a: b": 2; class 3: 0.5')
    assert dict(made.state.weights) == {"a: b": 2.0, "class 3": 0.5} and screen(made).complaint == ""
    assert control(made, "weights").value == '"a: b": 2; class 3: 0.5'
    for text, message in {
        "class 33: 2": "class 33",
        "class 3: 2; class 3: 1": "the outcome 'class 3' has two weights",
        "class 3: much": "the weight of 'class 3' is 'much': write weights from 0 to 1,000,000, such as cat: 2",
        "class 3: -2": "the weight of 'class 3' is '-2': write weights from 0 to 1,000,000",
        "abc": "'abc' is not a name, one colon and what it stands for: write weights",
    }.items():
        screen(made).set("weights", text)
        assert screen(made).refusal.startswith("how much each counts: ") and message in screen(made).refusal
        assert screen(made).complaint == "" and dict(made.state.weights) == {"a: b": 2.0, "class 3": 0.5}
        assert control(made, "weights").value == '"a: b": 2; class 3: 0.5'  # what was good last
    assert screen(made).controls["matrix"].options == ("identity", "inverse covariance")
    made.state.update(distance="Mahalanobis", matrix=np.eye(12))
    assert screen(made).controls["matrix"].value == "by number" and screen(made).complaint == ""
    made.close()


def test_they_are_made_when_the_drawer_is_opened_and_closed_with_it():
    before = set(_instances)
    made = cv.Explorer(cv.load_dataset("tumours"), panels=())
    assert not any(isinstance(_instances[name], NumberGrid) for name in set(_instances) - before)
    screen(made).open_drawer()
    grids = [name for name in set(_instances) - before if isinstance(_instances[name], NumberGrid)]
    assert len(grids) == 2
    made.close()
    assert set(_instances) <= before


def test_search_finds_them(explorer):
    explorer.state.update(lens="grouping", distance="Mahalanobis")
    screen(explorer).set("find", "Mahalanobis")
    assert set(screen(explorer).controls) == {"find", "distance", "matrix", "matrix M"}
    screen(explorer).set("find", "")


def test_code_of_trials_writes_the_matrix_in_numbers():
    calibration, evaluation = cv.load_interventions()
    made = cv.Explorer(evaluation, calibration, lens="top-2", binning="k-d tree", distance="Mahalanobis", panels=())
    made.state.matrix = "inverse covariance"
    screen(made).finish()
    before = made.situation.before
    numbers = [made.situation.error(before, trial) for trial in range(len(before.problems))]
    matrix = made.situation.matrix
    assert f"'distance': cv.{matrix!r}" in made.code()
    expected = [
        cv.calibration_error(trial, "top-2", binning=cv.KDTree(0.125), distance=matrix)
        for trial in made.situation.trials
    ]
    assert numbers == pytest.approx(expected)
    made.close()


def test_a_refused_weight_under_a_lens_without_groups_is_told_as_well():
    explorer = cv.Explorer(cv.load_dataset("tumours"), distance="class-weighted L2")
    screen(explorer).open_drawer()
    screen(explorer).set("lens", "grouping")
    assert "needs groups" in screen(explorer).complaint
    good = control(explorer, "weights").value
    screen(explorer).set("weights", ((-1.0,), *good[1:]))
    assert "must be a number from 0" in screen(explorer).refusal
    assert control(explorer, "weights").value == good
    explorer.close()
