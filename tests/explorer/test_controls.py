"""Every control, click and button of the Explorer, worked from Python as the browser would."""

from __future__ import annotations

import base64
import csv
import io
import logging

import numpy as np
import pytest

import calibviz as cv
from calibviz.explorer import Explorer, linked
from calibviz.explorer.app import EXPORTS
from calibviz.explorer.model.contents.headline import words
from calibviz.explorer.state.presets import PRESETS
from calibviz.explorer.state.spec import PANELS
from calibviz.explorer.view import panels
from calibviz.explorer.view.controls import CHOOSE, OTHERS, PLAIN
from calibviz.explorer.view.panels import KINDS

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
}
FIRST = {
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
    shared._say("")
    return shared


def test_a_lens_on_one_of_two_classes_opens_on_the_positive_one():
    hearts = cv.load_dataset("heart")["logistic regression"]
    made = Explorer(hearts, panels=())
    made._controls.kind.value = "class"
    assert made.state.lens == f"class {hearts.class_names[1]}"
    made.close()


def complaint(explorer):
    return explorer._status.value


def test_every_control_is_tried():
    assert set(CHANGES) == {*PLAIN, *OTHERS}


@pytest.mark.parametrize("name", CHANGES)
def test_a_control_sets_the_state_and_redraws(explorer, name):
    value, expected = CHANGES[name]
    explorer.state.update(**FIRST.get(name, {}))
    before, control = explorer.look, getattr(explorer._controls, name)
    control.value = value
    for choice, meant in expected.items():
        assert getattr(explorer.state, choice) == meant or set(getattr(explorer.state, choice)) == set(meant)
    assert explorer.look is not before and explorer.look.spec == explorer.state.spec
    assert complaint(explorer) == ""
    shown = CHOOSE if name == "examples" else value
    if name not in ("calibrators", "groups", "preset"):
        assert control.value == shown


def test_a_chip_takes_its_condition_away(explorer):
    explorer.state.selection = "label in [3, 5] and ink > 0.3 and confidence > 0.2"
    chips = [chip for chip in explorer._controls.chips.children if chip.layout.display is None]
    assert [chip.description for chip in chips] == ["label in [3, 5] ✕", "ink > 0.3 ✕", "confidence > 0.2 ✕"]
    chips[1].click()
    assert explorer.state.selection == "label in [3, 5] and confidence > 0.2"
    chips[0].click()
    chips[0].click()
    assert explorer.state.selection == "" and chips[0].layout.display == "none"


@pytest.mark.parametrize("source", ["digits", "tumours", "interventions"])
def test_presets(source):
    if source == "interventions":
        calibration, evaluation = cv.load_interventions()
        explorer = Explorer(evaluation, calibration)
    else:
        explorer = Explorer(cv.load_dataset(source))
    for question, preset in PRESETS.items():
        explorer._controls.preset.value = question
        assert complaint(explorer) == ""
        assert explorer._advice.value == preset.look_for.replace("'", "&#x27;")
        chosen = preset.choices(explorer.look.predictions)
        assert {name: getattr(explorer.state, name) for name in chosen} == chosen
        assert [explorer._panels[name].widget for name in chosen["panels"]] == list(explorer._grid.children)
        for name in chosen["panels"]:
            assert "could not" not in explorer._panels[name]._note.value
    explorer._controls.preset.value = CHOOSE
    assert explorer._advice.value == ""
    explorer.close()


def test_a_question_can_be_asked_again(explorer):
    question, preset = next(iter(PRESETS.items()))
    explorer._controls.preset.value = question
    asked = explorer.state.to_dict()
    explorer.state.selection = "confidence > 0.5"
    assert explorer._controls.preset.value == CHOOSE
    assert explorer._advice.value == preset.look_for.replace("'", "&#x27;")  # it may still be looked for
    explorer._controls.preset.value = question
    assert explorer.state.to_dict() == asked and explorer._controls.preset.value == question
    explorer._controls.preset.value = CHOOSE


def test_panels_are_opened_and_closed(explorer):
    explorer.state.update(panels=(), calibrators=())
    for name in PANELS:
        explorer._toggles[name].value = True
        assert name in explorer.state.panels and explorer._panels[name].widget in explorer._grid.children
        assert complaint(explorer) == ""
    assert explorer.state.panels == PANELS
    for name in PANELS:
        explorer._toggles[name].value = False
    assert explorer.state.panels == () and explorer._grid.children == ()


def clicked(plot, role, i):
    """What the browser half of the transport sends for a dot."""
    plot._transport._handle_custom_msg({"mark": plot._mark_of(role).model_id, "clicked": i}, [])


def test_a_click_on_a_dot_picks_its_bin(explorer):
    explorer.state.update(bins=10, lens="top-1", selection="confidence > 0.45")
    plot = explorer._panels["reliability"]._shown["reliability"]
    clicked(plot, "bins", 1)
    filled = np.flatnonzero(explorer.look.bins(explorer.look.before)[0].weight)
    assert explorer.state.bin == filled[1]
    assert len(explorer.selected) == explorer.look.bins(explorer.look.before)[0].count[filled[1]]
    assert explorer._controls.bin.value == filled[1] + 1
    clicked(plot, "bins", 1)
    assert explorer.state.bin is None
    clicked(plot, "bins", 50)  # of a picture that has changed since
    assert explorer.state.bin is None and complaint(explorer) == ""


def test_an_edge_is_dragged(explorer):
    explorer.state.update(likert=(0, 0.3, 1))
    mark = explorer._panels["reliability"]._shown["reliability"]._mark_of("handle")
    move = {"event": "drag_end", "index": 1, "point": {"x": 0.41234, "y": 0.2}}
    mark._handle_custom_msgs(mark, move)
    assert explorer.state.likert == (0, 0.412, 1)
    mark._handle_custom_msgs(mark, {**move, "point": {"x": 1.7, "y": 0}})
    assert complaint(explorer) and explorer.state.likert == (0, 0.412, 1)
    explorer.state.likert = {"low": (0, 0.3), "high": (0.3, 0.9)}
    mark._handle_custom_msgs(mark, {**move, "point": {"x": 0.5, "y": 0}})
    assert explorer.state.likert == (("low", (0.0, 0.5)), ("high", (0.5, 0.9)))


def test_a_range_is_brushed(explorer):
    brush = explorer._panels["reliability"]._shown["histogram"]._brush
    brush.brushing = True
    brush.selected = np.array([0.25, 0.75])
    assert explorer.state.selection == ""
    brush.brushing = False
    assert explorer.state.selection == "0.25 <= output <= 0.75" and complaint(explorer) == ""
    brush.selected = None
    assert explorer.state.selection == ""


def test_clicks_in_tables(explorer):
    explorer.state.update(panels=("classes", "comparison"), calibrators=("platt", "beta"))
    explorer.finish()
    shown = explorer._panels["classes"]._shown
    worst = [row[0]["text"] for row in shown["worst"].content["rows"]]
    shown["worst"]._answer({"click": [2, 0]}, [])
    assert explorer.state.lens == f"class {worst[2]}"
    clicked(shown["classes"], "bins", 0)
    assert explorer.state.lens == f"class {worst[0]}"
    explorer.state.by = "group"
    shown["worst"]._answer({"click": [0, 0]}, [])
    assert explorer.state.lens == "grouping" and explorer.state.outcome in ("even", "odd")
    explorer.state.by = "level"
    explorer.finish()
    level = shown["worst"].content["rows"][0][0]["text"]
    shown["worst"]._answer({"click": [0, 0]}, [])
    hierarchy = explorer.look.predictions.hierarchy
    assert [name for name, _ in explorer.state.groups] == list(hierarchy[level]) and complaint(explorer) == ""
    cells = explorer._panels["comparison"]._shown["comparison"]
    rows = [row[0]["text"] for row in cells.content["rows"]]
    cells._answer({"click": [rows.index("rank 2"), 2]}, [])
    assert (explorer.state.lens, explorer.state.calibrator) == ("rank 2", "platt")
    explorer.state.rows = "metric"
    cells._answer({"click": [1, 3]}, [])
    assert (explorer.state.lens, explorer.state.calibrator) == ("rank 2", "beta")
    cells._answer({"click": [99, 3]}, [])
    assert complaint(explorer) == ""


@pytest.mark.parametrize("name", EXPORTS)
def test_what_leaves(explorer, monkeypatch, name):
    explorer.state.update(panels=("reliability",), bins=12, calibrators=("beta",))
    offered, copied = [], []
    monkeypatch.setattr(explorer._download, "offer", lambda *one: offered.append(one))
    monkeypatch.setattr(explorer._download, "copy", copied.append)
    explorer._leave_button(name).click()
    assert complaint(explorer) == ""
    if name in ("PNG", "SVG", "CSV"):
        ((file, data, kind),) = offered
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
        exec(copied[0], names := {})
        ece = explorer.look.numbers(explorer.look.before)[0].ece
        assert names["numbers"].loc["none", "ece"] == pytest.approx(ece, abs=1e-12)
        assert "cv.load_dataset" in explorer._text.value
        for done, said in ((True, "Copied"), (False, "Select the text")):
            explorer._download._answer({"copied": done}, [])
            assert explorer._text.value.count("<small>") == 1 and said in explorer._text.value
    else:
        other = Explorer(cv.load_dataset("digits"), panels=())
        other.state.from_link(copied[0])
        assert other.state.spec == explorer.state.spec
        other.close()


def test_a_panel_that_fails_is_one_sentence_and_keeps_the_last_view(explorer, monkeypatch, caplog):
    good, picture = explorer.look, explorer._panels["reliability"]._shown["reliability"]._shown

    def broken(_look):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(linked, "KINDS", {**KINDS, "reliability": panels.Kind("Reliability", broken)})
    with caplog.at_level(logging.ERROR):
        explorer.state.bins = 33
    assert complaint(explorer).count("could not be made") == 1
    assert explorer.look is good and explorer._panels["reliability"]._shown["reliability"]._shown is picture
    assert "ZeroDivisionError: a bug" in caplog.text
    monkeypatch.undo()
    explorer.state.bins = 34
    assert complaint(explorer) == "" and explorer.look.spec.bins == 34


def test_the_still_picture(explorer):
    bundle = explorer._repr_mimebundle_()
    data = bundle.get("data", bundle)
    assert base64.b64decode(data["image/png"]).startswith(PNG)
    assert data["text/plain"] == f"Explorer: {words(explorer.look)}"
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
