"""Every control, click and button of the Explorer, worked from Python as the browser would."""

from __future__ import annotations

import base64
import csv
import io
import logging

import numpy as np
import pytest
from driver import screen
from figure_checks import by_role

import calibviz as cv
from calibviz.answers import registry
from calibviz.answers.asked.choices import CHOOSE, CONTROLS
from calibviz.answers.asked.presets import PRESETS
from calibviz.answers.first_screen.verdict import verdict_of
from calibviz.answers.registry import ANSWERS
from calibviz.answers.situation.content import Answer
from calibviz.explorer import Explorer
from calibviz.explorer.app import EXPORTS, PICTURES
from calibviz.explorer.state.arrangement import WORKBENCH

PNG = b"\x89PNG\r\n\x1a\n"
CHANGES = {
    "model": ("random forest", {"model": "random forest"}),
    "outcome": ("odd", {"outcome": "odd"}),
    "binning": ("sweep", {"binning": "sweep"}),
    "bins": (40, {"bins": 40}),
    "gamma": (1 / 64, {"gamma": 1 / 64}),
    "gamma_number": ("0.05", {"gamma": 0.05}),
    "distance": ("L2", {"distance": "L2"}),
    "weights": (
        tuple((float(c == 3),) for c in range(10)),
        {"weights": tuple((str(c), 0.0) for c in range(10) if c != 3)},
    ),
    "matrix": ("inverse covariance", {"matrix": "inverse covariance"}),
    "matrix_numbers": (((2.0, 1.0), (1.0, 2.0)), {"matrix": ((2.0, 1.0), (1.0, 2.0))}),
    "norm": ("maximum", {"norm": "maximum"}),
    "calibrator": ("platt", {"calibrator": "platt"}),
    "knots": (9, {"knots": 9}),
    "spline": (("monotone", "cumulative"), {"spline": ("monotone", "cumulative")}),
    "interval": ("none", {"interval": "none"}),
    "curves": (("smooth", "corp"), {"curves": ("smooth", "corp")}),
    "overlays": (("model: random forest",), {"overlays": ("model: random forest",)}),
    "scale": ("stretched ends", {"scale": "stretched ends"}),
    "temperature": ("1.5", {"temperature": 1.5}),
    "cumulative": ("score", {"cumulative": "score"}),
    "samples": ("calibration", {"samples": "calibration"}),
    "rows": ("metric", {"rows": "metric"}),
    "switches": (("equal-mass bins", "l2"), {"switches": ("equal-mass bins", "l2")}),
    "comparison": ("bars", {"comparison": "bars"}),
    "calibrators": (("beta", "platt"), {"calibrators": ("platt", "beta")}),
    "metrics": (("ks",), {"metrics": ("ks",)}),
    "by": ("group", {"by": "group"}),
    "preset": ("Tail classes", {"lens": "class 7", "by": "class"}),
    "kind": ("pooled", {"lens": "pooled"}),
    "number": (4, {"lens": "rank 4"}),
    "class_": ("7", {"lens": "class 7"}),
    "groups": ("small: 0, 1, 2; rest", {"groups": (("small", ("0", "1", "2")), ("rest", tuple("3456789")))}),
    "labels": (("3", "5"), {"selection": "label in [3, 5]"}),
    "confidence": ((0.5, 0.9), {"selection": "0.5 <= confidence <= 0.9"}),
    "output": ((0.25, 1.0), {"selection": "0.25 <= output <= 1"}),
    "selection": ("ink > 0.3", {"selection": "ink > 0.3"}),
    "cluster": (False, {"cluster": False}),
    "examples": ("confidence > 0.9", {"selection": "confidence > 0.9"}),
    "title": ("Digits of today", {"title": "Digits of today"}),
    "noun": ("scans", {"noun": "scans"}),
    "event_noun": ("were read", {"event_noun": "were read"}),
    "likert": ("low: 0-0.4; high: 0.5-1", {"likert": (("low", (0.0, 0.4)), ("high", (0.5, 1.0)))}),
    "bin": (12, {"bin": 11}),
    "threshold": (0.2, {"threshold": 0.2}),
    "cost_ratio": ("4 needless", {"threshold": 0.2}),
    "cost_steps": (0.25, {"threshold": 0.25}),
    "prevalence": (0.3, {"prevalence": 0.3}),
    "risk": (0.1, {"risk": 0.1}),
    "depth": (2, {"depth": 2}),
    "minimum": (20, {"minimum": 20}),
    "centre": ("slant", {"centre": "slant"}),
    "margin": (0.05, {"margin": 0.05}),
}
FIRST = {  # what brings a control on screen
    "gamma": {"binning": "k-d tree"},
    "gamma_number": {"binning": "k-d tree"},
    "distance": {"lens": "full"},
    "weights": {"lens": "full", "distance": "class-weighted L2"},
    "matrix": {"lens": "full", "distance": "Mahalanobis"},
    "matrix_numbers": {"lens": "grouping", "distance": "Mahalanobis"},
    "cumulative": {"panels": ("cumulative",)},
    "samples": {"panels": ("cumulative",), "calibrator": "platt"},
    "rows": {"panels": ("comparison",), "calibrators": ()},
    "switches": {"panels": ("comparison",), "calibrators": (), "rows": "gce"},
    "comparison": {"panels": ("comparison",), "calibrators": ()},
    "calibrators": {"panels": ("comparison",), "calibrators": ()},
    "metrics": {"panels": ("temperature",)},
    "temperature": {"panels": ("temperature",)},
    "by": {"panels": ("classes",)},
    "threshold": {"panels": ("decision",)},
    "cost_ratio": {"panels": ("decision",)},
    "cost_steps": {"panels": ("decision",)},
    "prevalence": {"panels": ("decision",)},
    "risk": {"panels": ("decision",)},
    "depth": {"panels": ("segments",)},
    "minimum": {"panels": ("segments",)},
    "centre": {"panels": ("centres",)},
    "outcome": {"lens": "grouping"},
    "number": {"lens": "rank 2"},
    "class_": {"lens": "class 1"},
    "groups": {"lens": "grouping"},
}

OF_PANELS = ("bin (0: all)", "log-odds")  # what stands in the panels of `explorer`, wherever something is searched for


@pytest.fixture(scope="module")
def shared():
    made = Explorer(cv.load_dataset("digits"), panels=("reliability", "instances"))
    yield made
    made.close()


@pytest.fixture
def explorer(shared):
    shared.state.from_dict({"panels": ("reliability", "instances")})
    return shared


def test_a_lens_on_one_of_two_classes_opens_on_the_positive_one():
    hearts = cv.load_dataset("heart")["logistic regression"]
    made = Explorer(hearts, panels=())
    screen(made).set("lens", "class")
    assert made.state.lens == f"class {hearts.class_names[1]}"
    made.close()


def test_every_control_is_tried():
    assert {*CHANGES, "weights_text"} == {
        name for name, control in CONTROLS.items() if control.kind
    }  # that one has more than ten classes


@pytest.mark.parametrize("name", CHANGES)
def test_a_control_sets_the_state_and_redraws(explorer, name):
    value, expected = CHANGES[name]
    explorer.state.update(**FIRST.get(name, {}))
    before, control = explorer.situation, screen(explorer).controls[CONTROLS[name].term or CONTROLS[name].word]
    control.value = value
    for choice, meant in expected.items():
        assert getattr(explorer.state, choice) == meant or set(getattr(explorer.state, choice)) == set(meant)
    assert explorer.situation is not before and explorer.situation.spec == explorer.state.spec
    assert screen(explorer).complaint == ""
    shown = CHOOSE if name == "examples" else value
    if name not in ("calibrators", "groups", "preset"):
        assert control.value == shown


def test_a_chip_takes_its_condition_away(explorer):
    explorer.state.selection = "label in [3, 5] and ink > 0.3 and confidence > 0.2"
    assert screen(explorer).chips == ["label in [3, 5] ✕", "ink > 0.3 ✕", "confidence > 0.2 ✕"]
    screen(explorer).press("ink > 0.3 ✕")
    assert explorer.state.selection == "label in [3, 5] and confidence > 0.2"
    screen(explorer).press("label in [3, 5] ✕")
    screen(explorer).press("confidence > 0.2 ✕")
    assert explorer.state.selection == "" and screen(explorer).chips == []


@pytest.mark.parametrize("source", ["digits", "tumours", "interventions"])
def test_presets(source):
    if source == "interventions":
        calibration, evaluation = cv.load_interventions()
        explorer = Explorer(evaluation, calibration)
    else:
        explorer = Explorer(cv.load_dataset(source))
    for question, preset in PRESETS.items():
        screen(explorer).set("start with", question)
        assert screen(explorer).complaint == ""
        assert screen(explorer).advice == preset.look_for
        chosen = preset.choices(explorer.situation.predictions)
        assert {name: getattr(explorer.state, name) for name in chosen} == chosen
        assert screen(explorer).panels == tuple(chosen["panels"])
        for name in chosen["panels"]:
            assert "could not" not in screen(explorer).note(name)
    screen(explorer).set("start with", CHOOSE)
    assert screen(explorer).advice == ""
    explorer.close()


def test_a_question_can_be_asked_again(explorer):
    question, preset = next(iter(PRESETS.items()))
    screen(explorer).set("start with", question)
    asked = explorer.state.to_dict()
    explorer.state.selection = "confidence > 0.5"
    assert screen(explorer).controls["start with"].value == CHOOSE
    assert screen(explorer).advice == preset.look_for  # it may still be looked for
    screen(explorer).set("start with", question)
    assert explorer.state.to_dict() == asked and screen(explorer).controls["start with"].value == question
    screen(explorer).set("start with", CHOOSE)


def test_panels_are_opened_and_closed_side_by_side(explorer):
    explorer.state.update(panels=WORKBENCH, calibrators=())
    for name in tuple(ANSWERS):
        screen(explorer).open(name)
        assert name in explorer.state.panels and name in screen(explorer).panels
        assert screen(explorer).complaint == ""
    assert set(explorer.state.panels) == set(tuple(ANSWERS)) and explorer.state.panels[:2] == ("segments", "decision")
    for name in tuple(ANSWERS):
        screen(explorer).close(name)
    assert explorer.state.panels == screen(explorer).panels == ()


def test_one_answer_takes_the_place_of_another(explorer):
    explorer.state.update(panels=("reliability",), calibrators=())
    for name in tuple(ANSWERS)[1:]:
        screen(explorer).open(name)
        assert explorer.state.panels == screen(explorer).panels == ("reliability", name)
    screen(explorer).close(tuple(ANSWERS)[-1])
    assert explorer.state.panels == ("reliability",)


def test_side_by_side_is_switched_on_and_off(explorer):
    explorer.state.panels = ("reliability", "instances")
    screen(explorer).switch("side by side", True)
    assert explorer.state.panels == screen(explorer).panels == WORKBENCH
    explorer.state.panels = ("likert", "reliability", "classes")
    screen(explorer).switch("side by side", False)
    assert explorer.state.panels == screen(explorer).panels == ("reliability",)


def test_a_click_on_a_dot_picks_its_bin(explorer):
    explorer.state.update(bins=10, lens="top-1", selection="confidence > 0.45")
    screen(explorer).click_dot("reliability", "reliability", 1)
    filled = np.flatnonzero(explorer.situation.bins(explorer.situation.before)[0].weight)
    assert explorer.state.bin == filled[1]
    assert len(explorer.selected) == explorer.situation.bins(explorer.situation.before)[0].count[filled[1]]
    assert screen(explorer).controls["bin (0: all)"].value == filled[1] + 1
    screen(explorer).click_dot("reliability", "reliability", 1)
    assert explorer.state.bin is None
    screen(explorer).click_dot("reliability", "reliability", 50)  # of a picture that has changed since
    assert explorer.state.bin is None and screen(explorer).complaint == ""


def test_an_edge_is_dragged(explorer):
    explorer.state.update(likert=(0, 0.3, 1))
    screen(explorer).drag_edge(0, 0.41234)
    assert explorer.state.likert == (0, 0.412, 1)
    screen(explorer).drag_edge(0, 1.7)
    assert explorer.state.likert == (0, 0.999, 1) and not screen(explorer).complaint  # the ends stay where they are
    explorer.state.likert = {"low": (0, 0.3), "high": (0.3, 0.9)}
    screen(explorer).drag_edge(0, 0.5)
    assert explorer.state.likert == (("low", (0.0, 0.5)), ("high", (0.5, 0.9)))
    screen(explorer).drag_edge(1, 0.4)  # it stops at the edge beside it
    assert explorer.state.likert == (("low", (0.0, 0.5)), ("high", (0.5, 0.501))) and not screen(explorer).complaint


def test_an_edge_is_followed_while_it_is_dragged(explorer):
    """Strip, boxes, words and table follow; the dot itself stays with the pointer until it is dropped."""
    explorer.state.update(likert=(0, 0.3, 1))
    before = screen(explorer).record("reliability", "reliability")
    dots = screen(explorer).mark("reliability", "reliability", "handle")
    answers = screen(explorer).drag_on("reliability", "handle", 0, [0.35, 0.4, 0.45])
    assert answers == 3 and explorer.state.likert == (0, 0.45, 1) and dots.x.tolist() == pytest.approx([0.3])
    strip = screen(explorer).mark("reliability", "reliability", "strip")
    assert 0.45 in strip.x.round(6) and 0.3 not in strip.x.round(6)
    words = dots._transport.labels[screen(explorer).figure("reliability", "reliability").model_id]
    assert "45 %" in words and "30 %" not in words
    assert [row[0]["text"] for row in screen(explorer).promises["rows"]] == ["0 to 45 %", "45 to 100 %"]
    assert screen(explorer).drag_edge(0, 0.46) == pytest.approx([0.46])
    assert explorer.state.steps[0].endswith("→ 0, 0.46, 1")  # one step
    after = screen(explorer).record("reliability", "reliability")
    assert (before.name, len(before.series)) == (after.name, len(after.series))


def test_home_and_end_go_to_the_nearest_edges_of_categories(explorer):
    explorer.state.update(likert=(0, 0.2, 0.7, 1), panels=("reliability", "decision"), threshold=0.5)
    at = []
    for figure, towards in [("reliability", 1), ("reliability", 1), ("decision-curve", 1), *[("reliability", -1)] * 4]:
        screen(explorer).jump_handle(figure, "threshold", towards)
        at.append(explorer.state.threshold)
    assert at == [0.7, 0.999, 0.999, 0.7, 0.2, 0.001, 0.001]


def test_a_range_is_brushed(explorer):
    halfway = screen(explorer).brush((0.25, 0.75))
    assert halfway == ""
    assert explorer.state.selection == "0.25 <= output <= 0.75" and screen(explorer).complaint == ""
    screen(explorer).brush(None)
    assert explorer.state.selection == ""


def test_clicks_in_tables(explorer):
    explorer.state.update(panels=("classes", "comparison"), calibrators=("platt", "beta"))
    screen(explorer).finish()
    worst = [row[0]["text"] for row in screen(explorer).cells("classes")]
    screen(explorer).click(screen(explorer).table("classes"), 2)
    assert explorer.state.lens == f"class {worst[2]}"
    screen(explorer).click_dot("classes", "classes", 0)
    assert explorer.state.lens == f"class {worst[0]}"
    explorer.state.by = "group"
    screen(explorer).click(screen(explorer).table("classes"), 0)
    assert explorer.state.lens == "grouping" and explorer.state.outcome in ("even", "odd")
    explorer.state.by = "level"
    screen(explorer).finish()
    level = screen(explorer).cells("classes")[0][0]["text"]
    screen(explorer).click(screen(explorer).table("classes"), 0)
    hierarchy = explorer.situation.predictions.hierarchy
    assert [name for name, _ in explorer.state.groups] == list(hierarchy[level]) and screen(explorer).complaint == ""
    rows = [row[0]["text"] for row in screen(explorer).cells("comparison")]
    screen(explorer).click(screen(explorer).table("comparison"), rows.index("rank 2"), 2)
    assert (explorer.state.lens, explorer.state.calibrator) == ("rank 2", "platt")
    explorer.state.rows = "metric"
    screen(explorer).click(screen(explorer).table("comparison"), 1, 3)
    assert (explorer.state.lens, explorer.state.calibrator) == ("rank 2", "beta")
    screen(explorer).click(screen(explorer).table("comparison"), 99, 3)
    assert screen(explorer).complaint == ""


@pytest.mark.parametrize(("picture", "role"), [("sensitivity", "before"), ("points-per-bin", "bins")])
def test_a_click_on_the_sensitivity_sets_bins_or_gamma(explorer, picture, role):
    explorer.state.update(panels=("sensitivity",), binning="sweep")
    screen(explorer).finish()
    places = by_role(screen(explorer).record("sensitivity", picture), role).x
    screen(explorer).click_dot("sensitivity", picture, 3, role=role)
    assert (explorer.state.binning, explorer.state.bins) == ("equal-mass", places[3])
    screen(explorer).click_dot("sensitivity", picture, 999, role=role)
    assert explorer.state.bins == places[3]
    explorer.state.binning = "k-d tree"
    screen(explorer).finish()
    place = by_role(screen(explorer).record("sensitivity", picture), role).x[2]
    screen(explorer).click_dot("sensitivity", picture, 2, role=role)
    assert explorer.state.gamma == 2.0**place and screen(explorer).complaint == ""


@pytest.mark.parametrize("name", EXPORTS)
def test_what_is_exported(explorer, name):
    explorer.state.update(panels=("reliability",), bins=12, calibrator="spline", calibrators=("beta",))
    (sent,) = screen(explorer).export(name)
    assert screen(explorer).complaint == ""
    if name in (*PICTURES, "CSV", "page"):
        file, data, kind = sent
        ending = "html" if name == "page" else name.lower()
        assert file == f"calibviz-handwritten-digits-8-x-8-pixels-naive-bayes.{ending}"
    if name == "PNG":
        assert data.startswith(PNG) and kind == "image/png"
    elif name == "SVG":
        assert data.startswith(b"<?xml") and kind == "image/svg+xml"
    elif name == "PDF":
        assert data.startswith(b"%PDF-") and kind == "application/pdf"
    elif name == "page":
        assert data.startswith(b"<!DOCTYPE html>") and kind == "text/html"
        assert b'id="recorded"' in data and b"After spline" in data
    elif name == "CSV":
        rows = list(csv.DictReader(io.StringIO(data.decode())))
        ece = explorer.situation.error(explorer.situation.before)
        found = [row for row in rows if row["model"] == explorer.state.model and row["calibrator"] == "none"]
        assert kind == "text/csv" and float(found[0]["ece"]) == pytest.approx(ece)
    elif name == "code":
        exec(sent, names := {})
        ece = explorer.situation.error(explorer.situation.before)
        assert names["numbers"].loc["none", "ece"] == pytest.approx(ece, abs=1e-12)
        assert "cv.load_dataset" in screen(explorer).exported
        sentences = {True: "Copied to the clipboard.", False: "Select the text"}
        for done in sentences:
            screen(explorer).answer_copied(done, sent)
            assert [said in screen(explorer).exported for said in sentences.values()] == [done, not done]
    else:
        other = Explorer(cv.load_dataset("digits"), panels=())
        exec(sent, {"explorer": other})  # in a notebook there is no address, and nothing pretends
        assert other.state.spec == explorer.state.spec
        other.close()


def test_a_panel_that_fails_is_one_sentence_and_keeps_the_last_view(explorer, monkeypatch, caplog):
    good, picture = explorer.situation, screen(explorer).record("reliability", "reliability")

    def broken(*_):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(registry, "ANSWERS", {**ANSWERS, "reliability": Answer("reliability", "Reliability", broken)})
    with caplog.at_level(logging.ERROR):
        explorer.state.bins = 33
    assert screen(explorer).complaint.count("could not be made") == 1
    assert explorer.situation is good and screen(explorer).record("reliability", "reliability") is picture
    assert "ZeroDivisionError: a bug" in caplog.text
    monkeypatch.undo()
    explorer.state.bins = 34
    assert screen(explorer).complaint == "" and explorer.situation.spec.bins == 34


def test_where_a_later_panel_fails_the_first_shows_the_last_view_again(explorer, monkeypatch):
    good, before = explorer.situation, screen(explorer).mark("reliability", "reliability", "bins").y.tolist()

    def broken(*_):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(registry, "ANSWERS", {**ANSWERS, "instances": Answer("instances", "Instances", broken)})
    explorer.state.bins = 3
    assert screen(explorer).complaint.count("could not be made") == 1
    assert explorer.situation is good
    assert screen(explorer).mark("reliability", "reliability", "bins").y.tolist() == before
    monkeypatch.undo()
    explorer.state.bins = 2
    assert screen(explorer).mark("reliability", "reliability", "bins").y.tolist() != before


def test_a_slider_that_moves_a_range_to_its_steps_changes_no_selection(explorer):
    explorer.state.selection = "0.2 <= output <= 0.995 and 0.504 <= confidence <= 1.0"
    steps = screen(explorer).steps
    screen(explorer).set("output", (0.2, 1.0))  # as a page does that shows it
    screen(explorer).set("confidence", (0.5, 1.0))
    assert explorer.state.selection == "0.2 <= output <= 0.995 and 0.504 <= confidence <= 1.0"
    assert screen(explorer).steps == steps and screen(explorer).complaint == ""
    screen(explorer).set("output", (0.2, 0.98))
    assert explorer.state.selection == "0.2 <= output <= 0.98 and 0.504 <= confidence <= 1.0"


def test_the_still_picture(explorer):
    bundle = explorer._repr_mimebundle_()
    data = bundle.get("data", bundle)
    assert base64.b64decode(data["image/png"]).startswith(PNG)
    assert data["text/plain"] == f"Explorer: {verdict_of(explorer.situation)}"
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id


def test_the_drawer_is_closed_at_first_and_opened_by_its_button():
    made = Explorer(cv.load_dataset("heart")["logistic regression"], panels=())
    drawn = screen(made)
    assert made._controls.widget.layout.display == "none"
    drawn.switch("Advanced", True)
    assert "bins" in drawn.controls and made._controls.widget.layout.display is None
    drawn.switch("Advanced", False)
    assert made._controls.widget.layout.display == "none"
    made.close()


def test_settings_are_found_by_their_words_and_meanings(explorer):
    drawn = screen(explorer)
    drawn.set("find", "harm")  # of the cost ratio, which stands in a panel; nothing in the drawer means it
    assert set(drawn.controls) == {"find", *OF_PANELS}
    drawn.set("find", "MONOTONE sweep")
    assert set(drawn.controls) == {"find", "binning", *OF_PANELS}
    explorer.state.lens = "rank 2"  # what a lens needs stays hidden while something else is searched for
    assert "k or r" not in drawn.controls
    drawn.set("find", "")
    assert "k or r" in drawn.controls
    explorer.state.lens = "top-1"


def test_the_drawer_says_which_settings_differ_from_the_start(explorer):
    explorer.state.from_dict({"panels": ("reliability", "instances")})
    assert "All settings are as at the start." in screen(explorer).differing
    explorer.state.update(lens="rank 2", bins=9)
    assert screen(explorer).differing == "2 settings differ from the start: what is predicted, how many bins."


def test_what_was_given_at_the_start_does_not_differ_from_it():
    """As the categories of a data set: what the drawer says agrees with the button that goes back."""
    explorer = cv.Explorer(cv.load_dataset("heart"), likert={"low": (0, 0.5), "high": (0.5, 1)})
    assert screen(explorer).differing == "All settings are as at the start." and not explorer.state._history.differing
    explorer.state.likert = (0.0, 0.5, 1.0)
    assert screen(explorer).differing == "1 setting differs from the start: categories."
    assert explorer.state._history.differing
    explorer.close()


@pytest.mark.parametrize(
    ("label", "off", "on", "why"),
    [
        ("gamma", {"binning": "uniform"}, {"binning": "k-d tree"}, "only with the k-d tree"),
        ("bins", {"binning": "sweep"}, {"binning": "equal-mass"}, "not with the sweep or the k-d tree"),
        ("γ", {"binning": "uniform"}, {"binning": "k-d tree"}, "only with the k-d tree"),
        ("knots", {"calibrator": "beta"}, {"calibrator": "spline"}, "only with the spline"),
        ("spline", {"calibrator": "beta"}, {"calibrator": "spline, one-vs-rest"}, "only with the spline"),
        (
            "only with a recalibration",  # it has no term, so what it lacks stands where others have theirs
            {"panels": ("cumulative",), "calibrator": "none"},
            {"panels": ("cumulative",), "calibrator": "beta"},
            "only with a recalibration",
        ),
        (
            "metrics",
            {"panels": ("comparison",), "rows": "gce"},
            {"panels": ("comparison",), "rows": "metric"},
            "only with rows of metrics",
        ),
        (
            "metrics",
            {"panels": ("comparison",), "rows": "lens"},
            {"panels": ("comparison", "temperature"), "rows": "lens"},
            "only with rows of metrics",
        ),
        (
            "bins",
            {"panels": (), "binning": "k-d tree"},
            {"panels": ("comparison",), "rows": "gce", "binning": "k-d tree"},
            "not with the sweep or the k-d tree",
        ),
        (
            "bins",
            {"panels": ("comparison",), "rows": "metric", "metrics": ("brier",), "binning": "sweep"},
            {"panels": ("comparison",), "rows": "metric", "metrics": ("ece",), "binning": "sweep"},
            "not with the sweep or the k-d tree",
        ),
    ],
)
def test_a_control_without_effect_is_faint_and_says_why(explorer, label, off, on, why):
    explorer.state.update(**off)
    control = screen(explorer).controls[label]
    assert control.disabled and why in control.description
    explorer.state.update(**on)
    assert not control.disabled and why not in control.description


def test_tail_classes_open_on_the_class_that_is_the_furthest_off():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(6), 2000)
    truth = probs.copy()
    truth[:, 4] += 0.1
    labels = (rng.random(len(truth)) * truth.sum(axis=1) > np.cumsum(truth, axis=1).T).sum(axis=0)
    named = cv.Predictions(probs, labels, class_names=list("abcdef"))
    soft = cv.Predictions(probs, np.eye(6)[labels], class_names=list("abcdef"))
    for predictions in (named, soft):
        made = Explorer(predictions, panels=())
        screen(made).set("start with", "Tail classes")
        assert made.state.lens == "class e" and screen(made).complaint == ""
        assert "class e" in screen(made).record("reliability", "reliability").alt
        made.close()


def test_keys_move_the_handles_of_pictures(explorer):
    explorer.state.update(likert={"low": (0, 0.4), "high": (0.4, 1)}, panels=("reliability", "decision"))
    screen(explorer).finish()
    record = screen(explorer).record("reliability", "reliability")
    edges = next(series for series in record.series if series.role == "handle")
    assert edges.hints == ("low ends, high begins",)  # 0 and 1 stay where they are
    screen(explorer).press_handle("reliability", "handle", 0, 0.45)
    assert dict(explorer.state.likert) == {"low": (0.0, 0.45), "high": (0.45, 1.0)}
    screen(explorer).press_handle("reliability", "threshold", 0, 0.51)
    assert explorer.state.threshold == 0.51
    screen(explorer).press_handle("decision-curve", "threshold", 0, 0.2)
    assert explorer.state.threshold == 0.2
    transport = screen(explorer).mark("reliability", "reliability", "threshold")._transport
    told = {tuple(handle["names"]): handle["values"] for handle in transport.handles.values()}
    assert told["act from",] == [0.2] and told["low ends, high begins",] == [0.45]


def test_a_label_has_room_for_what_stands_in_small():
    """Also where that comes later, below a word that has no other term."""
    explorer = cv.Explorer(cv.load_dataset("tumours")["naive Bayes"])
    for binning in ("k-d tree", "equal-mass", "sweep"):
        explorer.state.binning = binning
        for label, control in screen(explorer).controls.items():
            if hasattr(control, "description_allow_html"):
                has_small = "calibviz-term" in control.description
                assert ("calibviz-with-term" in control._dom_classes) == has_small, (binning, label)
    explorer.close()
