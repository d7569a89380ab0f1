"""The choices of the Explorer: what is kept, written out, refused and shared."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import traitlets
from driver import screen
from hypothesis import given, settings, strategies as st
from ipywidgets.widgets.widget import _instances

import calibviz as cv
from calibviz.answers.asked.spec import (
    COMPARISONS,
    CUMULATIVE,
    CURVES,
    DISTANCES,
    INTERVALS,
    MATRICES,
    MENU,
    NORMS,
    ROWS,
    SAMPLES,
    SCALES,
    SPLINE_OPTIONS,
    SWITCHES,
)
from calibviz.answers.registry import ANSWERS
from calibviz.engine.binnings.binning_kinds import BINNINGS
from calibviz.explorer import Explorer
from calibviz.explorer.state.state import ExplorerState
from calibviz.recalibration.registry import CALIBRATORS

MODELS = ("one", "another & co")
OVERLAYS = [f"model: {name}" for name in MODELS] + [f"calibrator: {name}" for name in CALIBRATORS]


def several(allowed, most=None):
    return st.lists(st.sampled_from(list(allowed)), unique=True, max_size=most).map(tuple)


@st.composite
def likerts(draw):
    cuts = sorted(draw(st.sets(st.integers(0, 1000), min_size=2, max_size=6)))
    if draw(st.booleans()):
        return tuple(cut / 1000 for cut in cuts)
    pairs = [(low / 1000, high / 1000) for low, high in zip(cuts[::2], cuts[1::2], strict=False)]
    return {f"{draw(st.text(max_size=4))}{i}": pair for i, pair in enumerate(pairs)}


CHOICES = {
    "model": st.sampled_from(MODELS),
    "overlays": several(OVERLAYS, 4),
    "lens": st.sampled_from(
        ["top-1", "top-3", "rank 2", "within-top 4", "class 3", "class a & b = c", "full", "pooled"]
    ),
    "groups": st.sampled_from([(), {"a": ["0", "1"], "b?&": ["2"]}, {"x": [0, 2], "y": [1]}]),
    "outcome": st.none() | st.text(max_size=8),
    "selection": st.sampled_from(
        ["", "label in [3, 5] and confidence > 0.5", 'site == "a & b=c+d%20 é"', "output <= 1e-3"]
    ),
    "cluster": st.sampled_from(["", False, "patient & é"]),
    "binning": st.sampled_from(list(BINNINGS)),
    "bins": st.integers(1, 100),
    "gamma": st.floats(2.0**-12, 0.5),
    "distance": st.sampled_from(list(DISTANCES)),
    "weights": st.dictionaries(st.text(max_size=6), st.floats(0, 1e6), max_size=4),
    "matrix": st.sampled_from([*MATRICES, ((2.0, 1e-3), (1e-3, 1 / 3))]),
    "switches": several(SWITCHES),
    "norm": st.sampled_from(list(NORMS)),
    "interval": st.sampled_from(INTERVALS),
    "curves": several(CURVES),
    "scale": st.sampled_from(SCALES),
    **{name: st.sampled_from(["", "men & women = people, é"]) for name in ("title", "noun", "event_noun")},
    "cumulative": st.sampled_from(CUMULATIVE),
    "samples": st.sampled_from(SAMPLES),
    "likert": st.just(()) | likerts(),
    "calibrator": st.sampled_from(list(CALIBRATORS)),
    "calibrators": several(CALIBRATORS),
    "knots": st.integers(2, 20),
    "spline": several(SPLINE_OPTIONS),
    "temperature": st.none() | st.floats(0.001, 1000),
    "metrics": several(MENU),
    "rows": st.sampled_from(ROWS),
    "compared": st.lists(
        st.tuples(
            st.sampled_from(MODELS), st.sampled_from(["top-1", "class a & b = c"]), st.sampled_from(["", "ink > 1"])
        ),
        unique=True,
        max_size=8,
    ).map(tuple),
    "comparison": st.sampled_from(COMPARISONS),
    "by": st.sampled_from(["class", "group", "level"]),
    "zoom": st.just(()) | st.tuples(st.integers(1, 500), st.integers(500, 1000)),
    "bin": st.none() | st.integers(0, 99),
    "sample": st.none() | st.integers(0, 2000),
    "order": st.sampled_from(["", "confidence", "-ink"]),
    "threshold": st.floats(0.001, 0.999),
    "prevalence": st.none() | st.floats(0.001, 0.999),
    "risk": st.floats(0.001, 0.999),
    "depth": st.integers(1, 2),
    "minimum": st.integers(1, 10_000),
    "centre": st.sampled_from(["", "ink", "ward"]),
    "margin": st.floats(0.001, 0.999),
    "projector": st.booleans(),
    "panels": several(tuple(ANSWERS)),
    "kept": st.sampled_from([(), {"A": {"bins": 20}}, {"B": {"likert": (0, 0.5, 1)}, "A": {}}]),
}


def test_every_choice_is_tried():
    assert set(CHOICES) == set(ExplorerState.CHOICES)


@settings(max_examples=150, deadline=None)
@given(st.fixed_dictionaries({}, optional=CHOICES))
def test_what_is_written_is_read_again(chosen):
    state = ExplorerState(MODELS, **chosen)
    for written in (state.to_dict(), json.loads(json.dumps(state.to_dict()))):
        other = ExplorerState(MODELS, bins=3, likert=(0, 1), lens="rank 7", panels=(), groups={"a": ["b"]})
        other.from_dict({**written})
        assert other.spec == state.spec
    other = ExplorerState(MODELS)
    other.from_link(state.to_link())
    assert other.spec == state.spec
    assert ExplorerState(MODELS, **state.to_dict()).spec == state.spec
    hash(state.spec)


def test_a_bin_has_the_same_number_in_a_link_and_on_screen(predictions):
    explorer = Explorer(predictions, panels=("instances",))
    explorer.state.from_link("?bin=14&panels=%5B%22instances%22%5D")
    assert explorer.state.bin == 13  # in Python it counts from 0
    assert screen(explorer).controls["bin (0: all)"].value == 14
    assert "bin 14 of 15" in screen(explorer).answer("instances")
    explorer.state.keep("A")
    link = explorer.state.to_link()
    assert link.startswith("?bin=14&") and link.count("14") == 2
    explorer.state.from_link(explorer.state.to_link())
    assert explorer.state.bin == dict(dict(explorer.state.kept)["A"])["bin"] == 13
    with pytest.raises(ValueError, match="bin=0 is no bin: in a link they count from 1, as on screen"):
        explorer.state.from_link("?bin=0")
    explorer.close()


def test_what_is_left_out_is_as_at_first():
    state = ExplorerState(MODELS)
    state.update(lens="rank 2", bins=40)
    state.from_dict({"knots": 9})
    assert (state.lens, state.bins, state.knots) == ("top-1", 15, 9)
    state.from_link("")
    assert state.to_link() == ""


REFUSED = [
    ({"order": 3}, "order"),
    ({"cluster": 7}, "cluster must be text"),
    ({"model": "svm"}, "model must be one of 'one', 'another & co', not 'svm'"),
    ({"overlays": ("model: svm",)}, "overlays"),
    ({"overlays": ("model: one", "model: one")}, "overlays must be different, and 4 at most"),
    ({"overlays": tuple(f"calibrator: {name}" for name in list(CALIBRATORS)[:5])}, "4 at most"),
    ({"overlays": "model: one"}, "overlays"),
    ({"lens": "rnak 2"}, "lens 'rnak 2' is unknown"),
    ({"lens": "top-3: rest"}, "lens='top-3', outcome='rest'"),
    ({"lens": 3}, "lens"),
    ({"lens": cv.Grouping({"a": [0], "b": [1, 2]})}, "set the lens and its groups each"),
    ({"distance": 2}, "distance"),
    ({"weights": {"cat": -1}}, "weights['cat'] must lie between 0 and 1e+06"),
    ({"matrix": [[1, 2], [2, 1]]}, "matrix must be positive semi-definite, but its least eigenvalue is -1"),
    ({"weights": [("cat", 2), ("cat", 3)]}, "weights has 'cat' twice"),
    ({"compared": [("one", [1], "")]}, "lens"),
    ({"kept": {1: {}, "A": {}}}, "kept must be one of"),
    ({"switches": ("l3",)}, "switches must be one of"),
    *(({name: None}, name) for name in ("weights", "matrix", "groups", "likert", "kept", "calibrator")),
    ({"distance": None}, "distance"),
    ({"binning": None}, "binning"),
    ({"groups": 5}, "groups must be a dict"),
    ({"groups": {"a": "01"}}, "groups['a'] must be a list of classes, not the text '01'"),
    ({"outcome": 3}, "outcome"),
    ({"selection": "label is 3"}, "at character 7"),
    ({"selection": 3}, "selection"),
    ({"binning": "quantile"}, "binning"),
    ({"bins": 0}, "bins must be between 1 and 100, not 0"),
    ({"bins": 2.5}, "bins"),
    ({"bins": True}, "bins"),
    ({"gamma": 0.7}, "gamma must lie between"),
    ({"gamma": float("nan")}, "gamma"),
    ({"distance": "L3"}, "distance"),
    ({"norm": "median"}, "norm"),
    ({"interval": "wald"}, "interval"),
    ({"curves": ("loess",)}, "curves must be one of"),
    ({"cumulative": "pp"}, "cumulative"),
    ({"samples": "all"}, "samples"),
    ({"likert": (0.5, 0.5)}, "not above the cut point"),
    ({"likert": (0.5, 1.5)}, "likert"),
    ({"likert": ("a", "b")}, "likert[0] must be a number"),
    ({"likert": {"low": (0.5, 0.2)}}, "low"),
    ({"likert": ((1, 2, 3),)}, "likert"),
    ({"likert": 5}, "likert"),
    ({"likert": np.array([0.5, 0.2])}, "likert"),
    ({"calibrator": "magic"}, "calibrator"),
    ({"calibrators": ("magic",)}, "calibrators must be one of"),
    ({"calibrators": ("spline", "spline")}, "calibrators must be different"),
    ({"spline": ("smooth",)}, "spline must be one of 'monotone', 'bounded', 'cumulative'"),
    ({"knots": 1}, "knots must be between 2 and 20"),
    ({"scale": "log"}, "scale"),
    ({"title": 3}, "title must be text, not 3"),
    ({"noun": "people\u202e"}, "U+202E"),
    ({"event_noun": "x" * 61}, "event_noun has 61 signs"),
    ({"temperature": 0}, "temperature must lie between"),
    ({"metrics": ("auc",)}, "metrics must be one of"),
    ({"rows": "model"}, "rows"),
    ({"comparison": "pie"}, "comparison"),
    ({"compared": ("top-1",)}, "compared[0] must be (model, lens, selection), not 'top-1'"),
    ({"compared": (("svm", "top-1", ""),)}, "compared[0][0] must be one of"),
    ({"compared": (("one", "rnak 2", ""),)}, "lens 'rnak 2' is unknown"),
    ({"compared": (("one", "top-1", "label is 3"),)}, "at character 7"),
    ({"compared": (("one", "top-1", ""),) * 2}, "compared must hold different rows, and 20 at most"),
    ({"by": "sample"}, "by"),
    ({"kept": 3}, "kept must be a dict, or pairs"),
    ({"kept": {"C": {}}}, "kept must be one of 'A', 'B', not 'C'"),
    ({"kept": {"A": 3}}, "kept must be a dict, or pairs"),
    ({"kept": {"A": {"bins": 0}}}, "bins must be between 1 and 100, not 0"),
    ({"kept": {"A": {"bin5": 0}}}, "'bin5' is not a choice"),
    ({"kept": {"A": {"kept": ()}}}, "kept['A'] must hold choices without 'kept' itself"),
    ({"bin": -1}, "bin must be"),
    ({"sample": -1}, "sample must be"),
    ({"bin": "first"}, "bin"),
    ({"threshold": 1.0}, "threshold must lie"),
    ({"threshold": "half"}, "threshold"),
    ({"prevalence": 0.0}, "prevalence must lie"),
    ({"prevalence": "few"}, "prevalence"),
    ({"zoom": (3,)}, "zoom must be the first and the last rank, such as (901, 1000), or empty for all, not (3,)"),
    ({"zoom": (5, 4)}, "zoom must be the first and the last rank"),
    ({"zoom": (0, 4)}, "zoom[0] must be"),
    ({"zoom": (1, "last")}, "zoom[1] must be"),
    ({"zoom": 7}, "zoom"),
    ({"depth": 3}, "depth must be between 1 and 2, not 3"),
    ({"minimum": 0}, "minimum"),
    ({"centre": 7}, "centre"),
    ({"risk": 0}, "risk must lie between 0.001 and 0.999, not be 0"),
    ({"margin": 2}, "margin must lie between 0.001 and 0.999, not be 2"),
    ({"projector": "yes"}, "projector must be True or False, not 'yes'"),
    ({"panels": ("histogram",)}, "panels must be one of"),
    ({"spec": None}, "'spec' is not a choice"),
]


@pytest.mark.parametrize(("choice", "message"), REFUSED, ids=[str(choice)[:40] for choice, _ in REFUSED])
def test_what_cannot_be_meant_is_refused_and_nothing_is_changed(choice, message):
    state = ExplorerState(MODELS, lens="rank 2")
    before, told = state.spec, []
    state.observe(told.append, "spec")
    with pytest.raises(traitlets.TraitError, match=re.escape(message)):
        state.update(knots=12, **choice) if "knots" not in choice else state.update(bins=12, **choice)
    assert state.spec == before and not told
    assert state.to_dict() == {name: getattr(before, name) for name in ExplorerState.CHOICES}
    state.update(depth=2)
    assert state.spec.depth == 2 and state.spec.lens == "rank 2"


def test_a_compared_row_without_a_selection_is_of_all_samples():
    state = ExplorerState(MODELS)
    state.compared = [("one", "top-1", None)]
    assert state.compared == (("one", "top-1", ""),)


def test_the_order_of_weights_means_nothing():
    one, other = ExplorerState(MODELS), ExplorerState(MODELS)
    one.weights, other.weights = {"b": 2, "a": 3}, [("a", 3), ("b", 2)]
    assert one.spec == other.spec


def test_every_trait_has_a_value_that_is_refused():
    assert {name for choice, _ in REFUSED for name in choice} == {*ExplorerState.CHOICES, "spec"}


def test_the_spec_cannot_be_set():
    state = ExplorerState(MODELS)
    with pytest.raises(traitlets.TraitError, match="read-only"):
        state.spec = state.spec


@pytest.fixture(scope="module")
def predictions():
    return cv.load_dataset("digits")["naive Bayes"].select(np.arange(0, 1797, 4))


def test_panels_that_share_a_state_are_linked(predictions):
    first = cv.Panel("reliability", predictions)
    second = cv.Panel("instances", predictions, state=first.state)
    third = Explorer(predictions, state=second.state, panels=())
    assert first.state is second.state is third.state
    screen(first).click_dot("reliability", "reliability", 0)
    assert first.situation.spec == second.situation.spec == third.situation.spec
    assert second.situation.spec.bin is not None
    assert first.selected == second.selected == third.selected and 0 < len(first.selected) < 225
    rows = screen(second).cells("instances")
    assert {int(row[0]["text"]) for row in rows} <= set(first.selected)
    second.close()
    first.state.bins = 7
    assert third.situation.spec.bins == 7
    first.close()
    third.close()


def test_a_state_of_other_models_is_refused(predictions):
    state = ExplorerState(("a", "b"))
    with pytest.raises(ValueError, match=re.escape("state is of the models a, b, not of model")):
        cv.Panel("reliability", predictions, state=state)


@pytest.mark.parametrize("name", tuple(ANSWERS))
def test_every_panel_stands_alone(predictions, name):
    left = set(_instances)
    panel = cv.Panel(name, predictions, lens="class 3", likert=(0, 0.5, 1), calibrators=("temperature",))
    assert f'"{name}"' in cv.Panel.__doc__
    panel.state.update(bins=5, selection="ink > 0.1")
    panel.finish()
    assert screen(panel).complaint == ""
    assert panel.situation.spec == panel.state.spec
    if name != "confidence":  # which looks at whole rows, whatever the lens
        panel.state.lens = "rank 12"
        assert "12" in screen(panel).complaint and panel.situation.spec.lens == "class 3"
        with pytest.raises(ValueError, match=r"the choices cannot be shown: .*12"):
            panel.code()
        panel.state.lens = "class 3"
    said, _, code = panel.code().partition("import calibviz as cv\n")
    assert code and all(line.startswith("# ") for line in said.splitlines())  # the verdict first
    panel.close()
    assert set(_instances) - left == set()


def test_the_numbers_are_the_same_after_a_round_trip(predictions):
    explorer = Explorer(predictions, panels=(), lens="grouping", bins=9, selection="ink > 0.2", calibrator="isotonic")
    groups = {"a": list("01234"), "b": list("56789")}
    explorer.state.update(groups=groups, outcome="b", likert={"low": (0, 0.4)}, binning="k-d tree")
    other, third = Explorer(predictions, panels=()), Explorer(predictions)
    other.state.from_dict(json.loads(json.dumps(explorer.state.to_dict())))
    third.state.from_link(explorer.state.to_link())
    for one in (other, third):
        assert screen(one).numbers == screen(explorer).numbers
        assert screen(one).words == screen(explorer).words
        one.close()
    explorer.close()


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("?lens=class+aaa&bins=7", "class 'aaa' is unknown: the classes are '0', '1', '2'"),
        ("?lens=full&outcome=aaa&bins=7", "'aaa' is unknown: the classes are '0', '1', '2'"),
        ("?lens=top-3&outcome=rank+7&bins=7", "outcome 'rank 7' is unknown: top-3 has rank 1, rank 2, rank 3, rest"),
        ("?lens=top-99&bins=7", "the lens 'top-99' needs at least 99 classes, but there are 10"),
        ("?selection=inc+>+0.2&bins=7", "field 'inc' is unknown: the fields of these predictions are: ink"),
        ('?selection=label+==+"aaa"&bins=7', "label: class 'aaa' is unknown: the classes are '0', '1', '2'"),
        ("?selection=confidence+>+2&bins=7", "The selection keeps none of the samples: confidence > 2"),
        ('?groups=[["a",["0"]],["b",["aaa"]]]&bins=7', "groups['b']: class 'aaa' is unknown: the classes are '0'"),
        ("?self=3&bins=7", "'self' is not a choice: there are model, overlays, lens"),
        ("?models=3&bins=7", "'models' is not a choice: there are model, overlays, lens"),
    ],
)
def test_a_link_to_what_is_not_there_changes_nothing(predictions, link, message):
    panel = cv.Panel("reliability", predictions, bins=9)
    before = panel.state.to_dict()
    with pytest.raises(traitlets.TraitError, match=re.escape(message)):
        panel.state.from_link(link)
    assert panel.state.to_dict() == before
    state = panel.state
    panel.close()
    if "models" not in link and "self" not in link:
        state.from_link(link)  # nobody who knows the classes looks at it any more
        assert state.bins == 7


@pytest.mark.parametrize("link", [["?bins=3"], b"?bins=3", None, 3])
def test_a_link_is_a_text(link):
    with pytest.raises(TypeError, match=re.escape(f"link must be a text such as '?lens=rank+2&bins=20', not {link!r}")):
        ExplorerState(["model"]).from_link(link)


def test_what_is_no_choice_cannot_be_set():
    state = ExplorerState(["model"])
    with pytest.raises(AttributeError, match="'binz' is not a choice: there are model, overlays, lens"):
        state.binz = 3


def test_the_first_lens_is_that_of_the_data():
    hearts = cv.load_dataset("heart")
    explorer = Explorer(hearts)
    assert explorer.state.lens == explorer.state.defaults["lens"] == "class disease"
    assert explorer.state.to_link() == ""
    explorer.state.from_link("?bins=9")
    assert explorer.situation.spec.lens == "class disease" and explorer.situation.spec.bins == 9
    follower = cv.Panel("reliability", hearts, state=explorer.state, lens="top-1")
    assert explorer.state.lens == "top-1" and explorer.state.to_link() == "?lens=top-1&bins=9"
    follower.close()
    explorer.close()


def test_models_that_share_no_positive_class_open_on_the_likeliest_class():
    score, labels = [0.2, 0.8, 0.4, 0.6] * 10, [0, 1, 0, 1] * 10
    several = {name: cv.Predictions(score, labels, class_names=("no", name)) for name in ("ill", "late")}
    for data in (several, cv.load_dataset("digits")):
        explorer = Explorer(data, panels=())
        assert explorer.state.lens == "top-1"
        explorer.close()
