"""The one table of choices: everything that knows of choices is made from it, and the Spec declares the same."""

from __future__ import annotations

import dataclasses
import re

import pytest

import calibviz as cv
from calibviz.answers.asked.choices import CHOICES, CONTROLS
from calibviz.answers.asked.first import first_spec
from calibviz.answers.asked.spec import ALWAYS, Spec
from calibviz.engine.binnings.binning_kinds import BINNINGS
from calibviz.explorer.state.state import ExplorerState
from calibviz.explorer.view.controls.control_kinds import OF_DRAWER


def test_the_spec_declares_the_choices_of_the_table():
    declared = [field.name for field in dataclasses.fields(Spec) if field.name not in ALWAYS]
    assert declared == list(CHOICES) == list(ExplorerState.CHOICES)
    assert set(CHOICES) == {name for name, control in CONTROLS.items() if hasattr(control, "default")}


@pytest.mark.parametrize("name", CHOICES)
def test_a_default_is_what_its_check_makes_of_it(name):
    state = ExplorerState(["one", "other"])
    assert CHOICES[name].allowed.check(state.defaults[name], name, state._known) == state.defaults[name]
    described = ExplorerState.__doc__.split("Attributes")[1]
    assert f"    {name} : {CHOICES[name].allowed.values}\n" in described


def test_the_first_choices_are_those_of_a_fresh_explorer():
    p = cv.load_dataset("tumours")["naive Bayes"]
    explorer = cv.Explorer(p, panels=())
    first = first_spec(explorer.state.models, panels=(), lens=explorer.state.lens)
    assert first == explorer.state.spec
    explorer.close()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"lens": cv.Outcome(cv.lens("top-3"), "rest")}, {"lens": "top-3", "outcome": "rest"}),
        ({"lens": cv.Grouping({"a": [0], "b": [1]})}, {"lens": "grouping", "groups": (("a", ("0",)), ("b", ("1",)))}),
        ({"selection": cv.selection("label == 3")}, {"selection": "label == 3"}),
        ({"selection": None}, {"selection": ""}),
        ({"binning": cv.Uniform(20)}, {"binning": "uniform", "bins": 20}),
        ({"binning": cv.KDTree(0.1)}, {"binning": "k-d tree", "gamma": 0.1}),
        ({"binning": cv.Sweep("uniform")}, {"binning": "uniform sweep"}),
        ({"distance": cv.Mahalanobis([[1.0]])}, {"distance": "Mahalanobis", "matrix": ((1.0,),)}),
        ({"likert": {"low": (0, 0.4)}}, {"likert": (("low", (0.0, 0.4)),), "threshold": 0.4}),
        ({"calibrator": cv.Isotonic()}, {"calibrator": "isotonic"}),
        ({"calibrator": cv.Temperature(2.0)}, {"calibrator": "temperature, temperature=2"}),
        ({"calibrator": cv.Spline(9, monotone=True)}, {"calibrator": "spline, knots=9, monotone=True"}),
        ({"calibrator": cv.HistogramBinning(7)}, {"calibrator": "histogram, bins=7"}),
    ],
    ids=str,
)
def test_objects_are_taken_apart(given, expected):
    usual, spec = first_spec(["one"]), first_spec(["one"], **given)
    for name in CHOICES:
        assert getattr(spec, name) == expected.get(name, getattr(usual, name)), name
    if "binning" in given:
        assert spec.chosen_binning == given["binning"]
    if "calibrator" in given:
        assert repr(spec.make_calibrator(spec.calibrator)) == repr(given["calibrator"])


def test_a_binning_with_other_settings_is_the_users_own():
    spec = first_spec(["one"], binning=cv.Uniform(20, closed="right"))
    assert spec.binning not in BINNINGS and spec.chosen_binning == cv.Uniform(20, closed="right")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bins": 20, "binning": cv.Uniform(15)}, "bins=20 cannot be used: binning=Uniform(bins=15"),
        ({"lens": cv.Outcome(cv.lens("top-3"), "rest"), "outcome": "rank 1"}, "outcome='rank 1' cannot be used: lens="),
        ({"bins": 0}, "bins must be between 1 and 100, not 0"),
        ({"bnis": 3}, "'bnis' is not a choice: there are model, overlays, lens"),
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        first_spec(["one"], **given)


#: What readers of the papers look for, and the controls that they mean.
TERMS = {
    "lens": ["kind"],
    "top-1": ["kind"],
    "top-label": ["kind"],
    "top-k": ["kind"],
    "winning score": ["kind", "confidence"],
    "class-wise": ["kind", "class_"],
    "classwise": ["kind", "class_"],
    "class-conditional": ["kind", "class_"],
    "grouping": ["kind", "groups"],
    "full": ["kind"],
    "canonical": ["kind"],
    "SCE": ["kind"],
    "confidence": ["confidence"],
    "selection": ["selection"],
    "conditional": ["selection"],
    "context": ["selection"],
    "Likert": ["likert"],
    "gamma": ["gamma"],
    "k-d tree": ["binning", "gamma"],
    "kd tree": ["binning", "gamma"],
    "KD-tree": ["binning", "gamma"],
    "adaptive": ["binning"],
    "ACE": ["binning"],
    "equal mass": ["binning"],
    "equal-width": ["binning"],
    "uniform": ["binning"],
    "sweep": ["binning"],
    "ECE sweep": ["binning"],
    "ECE": ["norm"],
    "MCE": ["norm"],
    "maximum calibration error": ["norm"],
    "total variation": ["distance"],
    "Mahalanobis": ["distance", "matrix"],
    "L2": ["distance"],
    "KS": ["margin"],
    "Kolmogorov-Smirnov": ["margin"],
    "spline": ["calibrator", "spline", "knots"],
    "knots": ["knots"],
    "temperature scaling": ["calibrator"],
    "vector scaling": ["calibrator"],
    "matrix scaling": ["calibrator"],
    "Platt": ["calibrator"],
    "isotonic": ["calibrator", "curves"],
    "Dirichlet": ["calibrator"],
    "histogram binning": ["calibrator"],
    "recalibration": ["calibrator"],
    "reliability diagram": ["interval", "curves", "overlays"],
    "consistency": ["interval"],
    "CORP": ["curves"],
}


@pytest.mark.parametrize("term", TERMS)
def test_the_terms_of_the_papers_find_their_controls(term: str) -> None:
    """A reader of a paper types what it says, and sees few controls beside the one that is meant."""
    found = [name for name in OF_DRAWER if CONTROLS[name].holds(term)]
    assert set(TERMS[term]) <= set(found) and len(found) <= 7, found


@pytest.mark.parametrize("term", ["xyz", "uniform Mahalanobis", "niform", "lens spline"])
def test_what_no_control_is_called_finds_none(term: str) -> None:
    assert not [name for name in OF_DRAWER if CONTROLS[name].holds(term)]
