"""Every control, click and button of the Explorer, worked from Python as the browser would."""

from __future__ import annotations

import base64
import csv
import io
import logging

import numpy as np
import pytest
from driver import screen

import calibviz as cv
from calibviz.explorer import Explorer, linked
from calibviz.explorer.app import EXPORTS
from calibviz.explorer.model.contents.headline import words
from calibviz.explorer.state.glossary import TERMS
from calibviz.explorer.state.presets import PRESETS
from calibviz.explorer.state.spec import PANELS
from calibviz.explorer.view import panels
from calibviz.explorer.view.controls import CHOOSE, OTHERS, PLAIN
from calibviz.explorer.view.panels import KINDS, QUESTIONS

PNG = b"\x89PNG\r\n\x1a\n"
CHANGES = {
    "model": ("random forest", {"model": "random forest"}),
    "outcome": ("odd", {"outcome": "odd"}),
    "binning": ("sweep", {"binning": "sweep"}),
    "bins": (40, {"bins": 40}),
    "gamma": (1 / 64, {"gamma": 1 / 64}),
    "distance": ("L2", {"distance": "L2"}),
    "norm": ("maximum", {"norm": "maximum"}),
    "calibrator": ("platt", {"calibrator": "platt"}),
    "knots": (9, {"knots": 9}),
    "share": (0.3, {"share": 0.3}),
    "interval": ("none", {"interval": "none"}),
    "curves": (("smooth", "corp"), {"curves": ("smooth", "corp")}),
    "overlays": (("model: random forest",), {"overlays": ("model: random forest",)}),
    "cumulative": ("difference", {"cumulative": "difference"}),
    "rows": ("metric", {"rows": "metric"}),
    "calibrators": (("beta", "platt"), {"calibrators": ("platt", "beta")}),
    "metrics": (("ks",), {"metrics": ("ks",)}),
    "by": ("group", {"by": "group"}),
    "preset": ("Tail classes", {"lens": "classwise", "by": "class"}),
    "kind": ("pooled", {"lens": "pooled"}),
    "number": (4, {"lens": "rank 4"}),
    "class_": ("7", {"lens": "class 7"}),
    "groups": ("small: 0, 1, 2; rest", {"groups": (("small", ("0", "1", "2")), ("rest", tuple("3456789")))}),
    "labels": (("3", "5"), {"selection": "label in [3, 5]"}),
    "confidence": ((0.5, 0.9), {"selection": "0.5 <= confidence <= 0.9"}),
    "output": ((0.25, 1.0), {"selection": "0.25 <= output <= 1"}),
    "selection": ("ink > 0.3", {"selection": "ink > 0.3"}),
    "examples": ("confidence > 0.9", {"selection": "confidence > 0.9"}),
    "likert": ("low: 0-0.4; high: 0.5-1", {"likert": (("low", (0.0, 0.4)), ("high", (0.5, 1.0)))}),
    "bin": (3, {"bin": 2}),
    "threshold": (0.2, {"threshold": 0.2}),
    "cost_ratio": ("0.25", {"threshold": 0.2}),
    "prevalence": (0.3, {"prevalence": 0.3}),
    "depth": (2, {"depth": 2}),
    "minimum": (20, {"minimum": 20}),
}
FIRST = {  # what brings a control on screen
    "gamma": {"binning": "k-d tree"},
    "cumulative": {"panels": ("cumulative",)},
    "rows": {"panels": ("comparison",), "calibrators": ()},
    "calibrators": {"panels": ("comparison",), "calibrators": ()},
    "metrics": {"panels": ("temperature",)},
    "by": {"panels": ("classes",)},
    "threshold": {"panels": ("decision",)},
    "cost_ratio": {"panels": ("decision",)},
    "prevalence": {"panels": ("decision",)},
    "depth": {"panels": ("segments",)},
    "minimum": {"panels": ("segments",)},
    "outcome": {"lens": "grouping"},
    "number": {"lens": "rank 2"},
    "class_": {"lens": "class 1"},
    "groups": {"lens": "grouping"},
}


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
    assert set(CHANGES) == {*PLAIN, *OTHERS}


@pytest.mark.parametrize("name", CHANGES)
def test_a_control_sets_the_state_and_redraws(explorer, name):
    value, expected = CHANGES[name]
    explorer.state.update(**FIRST.get(name, {}))
    before, control = explorer.look, screen(explorer).controls[TERMS[name][0]]
    control.value = value
    for choice, meant in expected.items():
        assert getattr(explorer.state, choice) == meant or set(getattr(explorer.state, choice)) == set(meant)
    assert explorer.look is not before and explorer.look.spec == explorer.state.spec
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
        chosen = preset.choices(explorer.look.predictions)
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


def test_panels_are_opened_and_closed(explorer):
    explorer.state.update(panels=(), calibrators=())
    for name in PANELS:
        screen(explorer).open(name)
        assert name in explorer.state.panels and name in screen(explorer).panels
        assert screen(explorer).complaint == ""
    assert explorer.state.panels == (*QUESTIONS, *(name for name in PANELS if name not in QUESTIONS))
    for name in PANELS:
        screen(explorer).close(name)
    assert explorer.state.panels == screen(explorer).panels == ()


def test_a_click_on_a_dot_picks_its_bin(explorer):
    explorer.state.update(bins=10, lens="top-1", selection="confidence > 0.45")
    screen(explorer).click_dot("reliability", "reliability", 1)
    filled = np.flatnonzero(explorer.look.bins(explorer.look.before)[0].weight)
    assert explorer.state.bin == filled[1]
    assert len(explorer.selected) == explorer.look.bins(explorer.look.before)[0].count[filled[1]]
    assert screen(explorer).controls["bin (0: all)"].value == filled[1] + 1
    screen(explorer).click_dot("reliability", "reliability", 1)
    assert explorer.state.bin is None
    screen(explorer).click_dot("reliability", "reliability", 50)  # of a picture that has changed since
    assert explorer.state.bin is None and screen(explorer).complaint == ""


def test_an_edge_is_dragged(explorer):
    explorer.state.update(likert=(0, 0.3, 1))
    screen(explorer).drag_edge(1, 0.41234)
    assert explorer.state.likert == (0, 0.412, 1)
    screen(explorer).drag_edge(1, 1.7)
    assert screen(explorer).complaint and explorer.state.likert == (0, 0.412, 1)
    explorer.state.likert = {"low": (0, 0.3), "high": (0.3, 0.9)}
    screen(explorer).drag_edge(1, 0.5)
    assert explorer.state.likert == (("low", (0.0, 0.5)), ("high", (0.5, 0.9)))


def test_a_range_is_brushed(explorer):
    halfway = screen(explorer).brush((0.25, 0.75))
    assert halfway == ""
    assert explorer.state.selection == "0.25 <= output <= 0.75" and screen(explorer).complaint == ""
    screen(explorer).brush(None)
    assert explorer.state.selection == ""


def test_clicks_in_tables(explorer):
    explorer.state.update(panels=("classes", "comparison"), calibrators=("platt", "beta"))
    explorer.finish()
    worst = [row[0]["text"] for row in screen(explorer).cells("classes")]
    screen(explorer).click(screen(explorer).table("classes"), 2)
    assert explorer.state.lens == f"class {worst[2]}"
    screen(explorer).click_dot("classes", "classes", 0)
    assert explorer.state.lens == f"class {worst[0]}"
    explorer.state.by = "group"
    screen(explorer).click(screen(explorer).table("classes"), 0)
    assert explorer.state.lens == "grouping" and explorer.state.outcome in ("even", "odd")
    explorer.state.by = "level"
    explorer.finish()
    level = screen(explorer).cells("classes")[0][0]["text"]
    screen(explorer).click(screen(explorer).table("classes"), 0)
    hierarchy = explorer.look.predictions.hierarchy
    assert [name for name, _ in explorer.state.groups] == list(hierarchy[level]) and screen(explorer).complaint == ""
    rows = [row[0]["text"] for row in screen(explorer).cells("comparison")]
    screen(explorer).click(screen(explorer).table("comparison"), rows.index("rank 2"), 2)
    assert (explorer.state.lens, explorer.state.calibrator) == ("rank 2", "platt")
    explorer.state.rows = "metric"
    screen(explorer).click(screen(explorer).table("comparison"), 1, 3)
    assert (explorer.state.lens, explorer.state.calibrator) == ("rank 2", "beta")
    screen(explorer).click(screen(explorer).table("comparison"), 99, 3)
    assert screen(explorer).complaint == ""


@pytest.mark.parametrize("name", EXPORTS)
def test_what_is_exported(explorer, name):
    explorer.state.update(panels=("reliability",), bins=12, calibrators=("beta",))
    (sent,) = screen(explorer).export(name)
    assert screen(explorer).complaint == ""
    if name in ("PNG", "SVG", "CSV"):
        file, data, kind = sent
        assert file == f"calibviz.{name.lower()}"
    if name == "PNG":
        assert data.startswith(PNG) and kind == "image/png"
    elif name == "SVG":
        assert data.startswith(b"<?xml") and kind == "image/svg+xml"
    elif name == "CSV":
        rows = list(csv.DictReader(io.StringIO(data.decode())))
        ece = explorer.look.numbers(explorer.look.before)[0].ece
        found = [row for row in rows if row["model"] == explorer.state.model and row["calibrator"] == "none"]
        assert kind == "text/csv" and float(found[0]["ece"]) == pytest.approx(ece)
    elif name == "code":
        exec(sent, names := {})
        ece = explorer.look.numbers(explorer.look.before)[0].ece
        assert names["numbers"].loc["none", "ece"] == pytest.approx(ece, abs=1e-12)
        assert "cv.load_dataset" in screen(explorer).exported
        sentences = {True: "Copied to the clipboard.", False: "Select the text"}
        for done in sentences:
            screen(explorer).answer_copied(done)
            assert [said in screen(explorer).exported for said in sentences.values()] == [done, not done]
    else:
        other = Explorer(cv.load_dataset("digits"), panels=())
        other.state.from_link(sent)
        assert other.state.spec == explorer.state.spec
        other.close()


def test_a_panel_that_fails_is_one_sentence_and_keeps_the_last_view(explorer, monkeypatch, caplog):
    good, picture = explorer.look, screen(explorer).record("reliability", "reliability")

    def broken(_look):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(linked, "KINDS", {**KINDS, "reliability": panels.Kind("Reliability", broken)})
    with caplog.at_level(logging.ERROR):
        explorer.state.bins = 33
    assert screen(explorer).complaint.count("could not be made") == 1
    assert explorer.look is good and screen(explorer).record("reliability", "reliability") is picture
    assert "ZeroDivisionError: a bug" in caplog.text
    monkeypatch.undo()
    explorer.state.bins = 34
    assert screen(explorer).complaint == "" and explorer.look.spec.bins == 34


def test_the_still_picture(explorer):
    bundle = explorer._repr_mimebundle_()
    data = bundle.get("data", bundle)
    assert base64.b64decode(data["image/png"]).startswith(PNG)
    assert data["text/plain"] == f"Explorer: {words(explorer.look)}"
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
