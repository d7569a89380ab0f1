"""Every number on screen, and every sentence where a choice is refused, of an Explorer without a browser."""

from __future__ import annotations

import contextlib
import io
import re

import numpy as np
import pytest
import traitlets
from driver import numbers_of, screen
from ipywidgets.widgets.widget import _instances

import calibviz as cv
from calibviz.answers.asked import selection_edits
from calibviz.answers.views.numbers import numbers
from calibviz.answers.views.recalibration import recalibration
from calibviz.explorer import Explorer

NUMBERS = ("count", "accuracy", "mean_score", "mean_target", "ks", "sweep", "sweep_bins", "ece")


@pytest.fixture(scope="module")
def shared():
    made = Explorer(cv.load_dataset("digits"), calibrator="spline")
    yield made
    made.close()


@pytest.fixture
def explorer(shared):
    """The shared Explorer as it is at first, with the panels that it opens on."""
    shared.state.from_dict({"calibrator": "spline"})
    return shared


def numbers_of_code(explorer: Explorer, **names) -> tuple[dict, str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(explorer.code(), names)
    names["explorer"].close()
    return names, printed.getvalue()


def before_of(explorer: Explorer):
    return numbers_of(explorer.situation, explorer.situation.before)[0]


def after_of(explorer: Explorer):
    return numbers_of(explorer.situation, explorer.situation.after)[0]


def status(explorer: Explorer) -> str:
    return screen(explorer).complaint


@pytest.mark.parametrize("observed", [0, 1, 2])
def test_scores_of_samples_with_one_outcome_have_no_interval(observed):
    score = np.linspace(0.1, 0.9, 60)
    p = cv.Predictions(score, np.arange(60) % 2 if observed == 2 else np.full(60, observed))
    made = Explorer(p, p, panels=(), lens="class 1")
    numbers(made.situation)  # asks for the draws
    made.finish()
    content = numbers(made.situation)
    ends = {row[0].text: row[2].numbers for row in content.records[0].rows}
    made.close()
    said = "The Brier score and the log loss have no interval: all samples have one outcome." in content.note
    assert said == (observed < 2) and ends["predicted"]
    for name in ("Brier score", "log loss"):
        assert bool(ends[name]) == (observed == 2)


@pytest.mark.parametrize(
    ("lens", "kind", "number"),
    [("rank 2", "rank", 2), ("within-top 4", "within-top", 4), ("top-5", "top-k", 5), ("class 7", "class", None)],
)
def test_lens_controls_follow_the_state_and_set_it(explorer, lens, kind, number):
    explorer.state.lens = lens
    controls = screen(explorer).controls
    assert controls["lens"].value == kind
    assert ("k or r" in controls) == (number is not None)
    if number is not None:
        assert controls["k or r"].value == number
        controls["k or r"].value = 3
        assert explorer.state.lens == selection_edits.lens_name(kind, 3, "")
    else:
        assert controls["class"].value == "7"
        controls["class"].value = "2"
        assert explorer.state.lens == "class 2"


def test_controls_of_a_vector_lens(explorer):
    assert "outcome" not in screen(explorer).controls
    screen(explorer).set("lens", "grouping")
    assert screen(explorer).controls["outcome"].options == ("even", "odd")
    assert explorer.situation.name == "grouping: even"
    screen(explorer).set("outcome", "odd")
    assert explorer.situation.name == "grouping: odd"
    screen(explorer).set("binning", "equal-mass")
    assert before_of(explorer).ece is None
    assert "choose k-d tree or uniform" in explorer.situation.no_joint


def test_the_numbers_on_screen_are_the_engine_s(explorer):
    explorer.state.update(model="random forest", lens="class 3", bins=12, knots=8, selection="ink > 0.3")
    predictions = cv.load_dataset("digits")["random forest"]
    evaluation = predictions
    shown = before_of(explorer)
    assert shown.ece == cv.calibration_error(evaluation, "class 3", binning=cv.Uniform(12), selection="ink > 0.3")
    assert shown.ks == cv.ks_error(evaluation, "class 3", selection="ink > 0.3")
    assert shown.count == (evaluation.fields["ink"] > 0.3).sum()
    spline = cv.cross_fitted(evaluation, "class 3", calibrator=cv.Spline(8))
    after = cv.evaluate(
        evaluation,
        "class 3",
        bins=12,
        selections={"s": "ink > 0.3"},
        calibrators=[cv.Spline(8)],
        folds=5,
    )
    assert after_of(explorer).ece == pytest.approx(after.ece.item(), abs=1e-12)
    curve = next(s for s in recalibration(explorer.situation).records[0].series if s.role == "map")
    np.testing.assert_allclose(curve.y, spline.whole(curve.x), atol=1e-12)


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"lens": "rank 2", "bins": 30, "binning": "equal-mass"},
        {"lens": "class 3", "binning": "sweep", "likert": (0, 0.5, 1), "panels": ("likert",)},
        {"lens": "top-3", "outcome": "rest", "selection": "confidence > 0.5"},
        {"lens": "grouping", "binning": "sweep"},
        {"lens": "within-top 2", "selection": "output > 0.9 and label in [1, 2, 8]"},
    ],
    ids=str,
)
def test_code_reproduces_the_numbers(explorer, choice):
    explorer.state.update(**choice)
    names, printed = numbers_of_code(explorer)
    table = names["numbers"]
    for row, side in zip(table.index, (before_of(explorer), after_of(explorer)), strict=True):
        for number in NUMBERS:
            shown = getattr(side, number)
            if number == "ece" and explorer.situation.outcomes and shown is not None:
                assert names["joint"].loc[row, "ece"] == pytest.approx(shown, abs=1e-12)
                continue
            if number == "ece" and (shown is None or explorer.state.binning == "sweep"):
                continue
            assert table.loc[row, number] == pytest.approx(shown, abs=1e-12), (row, number)
    if "likert" in choice:
        for low, high in explorer.state.spec.categories().values():
            assert f"{low:.6f}" in printed and f"{high:.6f}" in printed


def test_code_with_a_calibration_set_of_one_s_own():
    calibration, evaluation = cv.simulated("resnet110_c10", 2000, rng=1).split(0.5)
    explorer = Explorer(evaluation, calibration=calibration, calibrator="spline")
    assert "calibration" not in screen(explorer).controls
    names, _ = numbers_of_code(explorer, predictions=evaluation, calibration=calibration)
    assert names["numbers"].loc["spline", "ks"] == after_of(explorer).ks
    assert explorer.situation.engine.judged(explorer.state.spec.model) == evaluation.n_samples
    explorer.close()


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"selection": "ink > 1000"}, "keeps none of the samples: ink > 1000. Write one that keeps more, or"),
        ({"selection": "output > 2"}, "keeps none of the samples"),
        ({"selection": "weather == 3"}, "field 'weather' is unknown"),
        ({"lens": "rank 20"}, "needs at least 20 classes, but there are 10"),
        ({"lens": "class cat"}, "class 'cat' is unknown"),
    ],
    ids=str,
)
def test_what_cannot_be_shown_is_said_and_the_last_view_stays(explorer, choice, sentence):
    good = explorer.situation
    explorer.state.update(**choice)
    assert sentence in status(explorer)
    assert explorer.situation is good
    explorer.state.update(selection="", lens="top-1")
    assert status(explorer) == ""


@pytest.mark.parametrize(
    ("control", "value", "sentence"),
    [
        ("selection", "label in [3", "at character 12"),
        ("selection", "confidence = 0.5", "use == to compare"),
        ("Likert", "0, half, 1", "'half' is not one"),
        ("Likert", "0, 0.7, 0.3", "not above the cut point"),
    ],
)
def test_a_refused_text_is_said(explorer, control, value, sentence):
    before = explorer.state.spec
    screen(explorer).set(control, value)
    assert sentence in status(explorer)
    assert explorer.state.spec == before


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"lens": "rnak 2"}, "lens 'rnak 2' is unknown"),
        ({"lens": "top-5: rest"}, "set the lens and its outcome each: lens='top-5', outcome='rest'"),
        ({"bins": 0}, "bins must be between 1 and 100, not 0"),
        ({"knots": 1}, "knots must be between 2 and 20"),
        ({"model": "svm"}, "model must be one of 'naive Bayes'"),
        ({"likert": (0.5, 0.5)}, "not above the cut point"),
        ({"selection": "label is 3"}, "at character 7"),
        ({"colour": "red"}, "is not a choice: there are model, overlays, lens"),
    ],
    ids=str,
)
def test_a_script_s_mistake_raises_and_changes_nothing(explorer, choice, message):
    before = explorer.state.spec
    with pytest.raises(traitlets.TraitError, match=re.escape(message)):
        explorer.state.update(**{"bins": 20, **choice})
    assert explorer.state.spec == before


def test_choices_changed_together_redraw_once(explorer):
    drawn = []
    screen(explorer).watch_numbers(drawn.append)
    explorer.state.update(lens="rank 2", bins=20, knots=4, selection="label in [1, 2]")
    assert len(drawn) == 1


def test_a_class_that_vanishes_from_the_selection_is_no_error(explorer):
    explorer.state.update(lens="class 3", selection="label in [1, 2]")
    assert status(explorer) == ""
    assert before_of(explorer).mean_target == 0.0


def test_closing_leaves_no_widget_behind():
    left = set(_instances)
    explorer = Explorer(cv.load_dataset("tumours"), lens="class malignant")
    explorer.state.update(lens="full", likert=(0, 0.5, 1))
    assert len(set(_instances) - left) > 50
    explorer.close()
    assert set(_instances) - left == set()


def test_a_binary_problem_and_one_model():
    explorer = Explorer(cv.Predictions(np.linspace(0, 1, 50), np.arange(50) % 2), lens="class 1", bins=1)
    assert "model" not in screen(explorer).controls
    assert before_of(explorer).count == 50
    explorer.close()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([[0.5, 0.5]],), TypeError, "predictions must be cv.Predictions"),
        (({},), ValueError, "predictions is empty"),
        (({"a": 3},), TypeError, "predictions\\['a'\\]"),
    ],
)
def test_what_is_no_prediction_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Explorer(*arguments)


def test_demo_switches_between_data_sets():
    from calibviz.app.demo import demo

    shown = demo()
    top, box, _ = shown.children
    chooser, first = top.children[1], box.view
    assert list(screen(first).controls["model"].options) == list(cv.load_dataset(chooser.value))
    chooser.value = "tumours"
    assert "class malignant" not in first.state.lens
    assert box.view is not first
    assert first.comm is None
    for widget in (box.view, *shown.children, shown):
        widget.close()


def test_one_calibration_set_does_not_serve_two_models():
    models = cv.load_dataset("tumours")
    calibration, _ = models["naive Bayes"].split(0.5)
    with pytest.raises(ValueError, match="calibration is missing for the model 'logistic regression'"):
        Explorer(models, calibration=calibration)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"selection": "label in [-1, 1]"}, "label: class -1 is unknown"),
        ({"selection": "label in [12]"}, "label: class 12 is unknown"),
        ({"selection": '"a" <= confidence <= "b"'}, "cannot be compared"),
        ({"selection": "0.9 <= confidence <= 0.2"}, "keeps none"),
        ({"lens": "top-3", "outcome": "rank 7"}, "outcome 'rank 7' is unknown"),
    ],
    ids=str,
)
def test_odd_choices_are_said_too(explorer, choice, sentence):
    explorer.state.update(**choice)
    assert sentence in status(explorer)
    explorer.state.update(selection="", lens="top-1", outcome=None)
    assert status(explorer) == ""


def test_a_refused_text_is_taken_back_by_the_old_one(explorer):
    screen(explorer).set("selection", "label in [3")
    assert "at character 12" in status(explorer)
    screen(explorer).set("selection", "")
    assert status(explorer) == ""


def test_a_bad_cut_point_changes_nothing(explorer):
    before = explorer.state.spec
    with pytest.raises(traitlets.TraitError, match=r"likert\[0\] must be a number"):
        explorer.state.update(bins=20, likert=("a", "b"))
    assert explorer.state.spec == before
    explorer.state.bins = 30
    assert explorer.situation.spec.bins == 30


def test_controls_show_the_lens_that_is_seen(explorer):
    explorer.state.lens = "top-5"
    explorer.state.lens = "rank 1"
    controls = screen(explorer).controls
    assert controls["k or r"].value == 1
    explorer.state.update(lens="top-3", outcome="rest")
    controls = screen(explorer).controls
    controls["k or r"].value = 4
    assert (explorer.situation.name, controls["outcome"].value) == ("top-4: rest", "rest")
    explorer.state.outcome = None
    assert (explorer.situation.name, controls["outcome"].value) == ("top-4: rank 1", "rank 1")
    tumours = Explorer(cv.load_dataset("tumours"), lens="class 1")
    assert screen(tumours).controls["class"].value == "malignant"
    tumours.close()


def test_code_of_parts_asks_for_them(explorer):
    calibration, evaluation = cv.load_dataset("digits")["random forest"].split(0.5)
    part = Explorer(evaluation, calibration=calibration)
    assert "load_dataset" not in part.code()
    part.close()


def test_a_step_makes_nothing_anew_however_little_the_caches_hold():
    digits = next(iter(cv.load_dataset("digits").values()))
    small = cv.Predictions(digits.probs, digits.labels)
    small.cache._budget = 0
    explorer = Explorer(small)
    before, after = explorer.situation.before, explorer.situation.after
    explorer.state.bins = 31
    assert explorer.situation.before is before and explorer.situation.after is after
    explorer.state.lens = "rank 2"
    assert explorer.situation.before is not before
    explorer.close()


def test_what_there_is_nothing_to_judge_of_is_refused_with_a_way_out():
    rng = np.random.default_rng(0)
    plain = cv.Predictions(rng.random(100), rng.integers(0, 2, 100))
    weightless = plain.with_weights(np.zeros(100))
    with pytest.raises(ValueError, match="All samples have weight 0: pass predictions of which some samples have"):
        Explorer(weightless)
    with pytest.raises(ValueError, match=r"have weight 0: pass predictions and calibration=\.\.\. of which"):
        Explorer(weightless, calibration=plain)


def test_the_model_is_looked_at_where_no_calibrator_can_be_fitted():
    rng = np.random.default_rng(0)
    plain = cv.Predictions(rng.random(100), rng.integers(0, 2, 100))
    single = cv.Predictions([0.3], [1])
    explorer = Explorer(single, panels=(), calibrator="spline")
    assert explorer.situation.no_after == "There is one sample: no sample can be judged by a fit to others."
    assert explorer.situation.no_after in screen(explorer).numbers["note"] and screen(explorer).complaint == ""
    explorer.close()
    explorer = Explorer(plain, calibration=plain.with_weights(np.zeros(100)), panels=(), calibrator="spline")
    assert explorer.situation.no_after.startswith(
        "All samples that spline is fitted to have weight 0: pass predictions and"
    )
    explorer.close()
    explorer = Explorer(single, calibration=plain, panels=(), calibrator="spline")
    assert explorer.situation.after is not None
    explorer.close()


def test_a_joint_error_that_depends_on_the_order_of_the_classes_says_so(explorer):
    explorer.state.update(lens="full", binning="uniform")
    explorer.finish()
    judged = explorer.situation.predictions
    assert f"every class but the last, {judged.class_names[-1]}" in screen(explorer).numbers["note"]
    order = np.roll(np.arange(judged.n_classes), 1)
    names = [judged.class_names[k] for k in order]
    turned = cv.Predictions(judged.probs[:, order], np.argsort(order)[judged.labels], class_names=names)
    whole = {cv.Uniform(5): False, cv.KDTree(0.1): True}
    for binning, is_same in whole.items():
        one, other = (cv.calibration_error(p, "full", binning=binning) for p in (judged, turned))
        assert (abs(one - other) < 1e-12) == is_same
    explorer.state.binning = "k-d tree"
    explorer.finish()
    assert "every class but the last" not in screen(explorer).numbers["note"]


@pytest.mark.parametrize("n", [30, 400])  # percentiles of few samples are of a higher level
def test_a_score_has_one_interval_on_the_page(n):
    rng = np.random.default_rng(n)
    score = rng.uniform(0.05, 0.95, n)
    p = cv.Predictions(score, rng.random(n) < score)
    made = Explorer(p, p, panels=("comparison",), rows="metric", metrics=("brier",))
    numbers(made.situation)  # asks for the draws
    made.finish()
    grid = screen(made).record("comparison", "comparison")
    (row,) = [row for row in numbers(made.situation).records[0].rows if row[0].text == "Brier score"]
    made.close()
    assert dict(row[2].numbers) == {"lower": grid.lower[0, 0], "upper": grid.upper[0, 0]}


def test_a_single_column_of_numbers_is_of_the_model_as_it_is(explorer):
    heads = [column["text"] for column in screen(explorer).numbers["columns"]]
    assert heads[1] == "before" and heads[2].startswith("after (spline")
    explorer.state.calibrator = "none"
    assert [column["text"] for column in screen(explorer).numbers["columns"]] == ["measure", "as it is"]
