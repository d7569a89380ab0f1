"""A thousand random changes of the controls: nothing fails, nothing leaks, and nothing depends on the way."""

from __future__ import annotations

import random

import numpy as np
import psutil
import pytest
from driver import screen
from ipywidgets import ButtonStyle
from ipywidgets.widgets.widget import _instances

import calibviz as cv
from calibviz.answers.asked.spec import CUMULATIVE, MENU
from calibviz.answers.registry import ANSWERS
from calibviz.answers.situation.job import FAILED as FAILED_JOB
from calibviz.explorer import Explorer
from calibviz.explorer.view.controls.checklist import Checklist
from calibviz.explorer.view.controls.number_grid import NumberGrid
from calibviz.explorer.view.page.live import FAILED
from calibviz.figures import Figure, Grid
from calibviz.figures.tables import Table
from calibviz.recalibration.registry import CALIBRATORS

pytestmark = pytest.mark.thorough

SLOW = ("comparison", "temperature", "sensitivity", "classes")  # are open for a few steps only
QUICK = [name for name in CALIBRATORS if name not in ("matrix", "dirichlet", "neural", "ensemble")]
SELECTIONS = (
    "",
    "",
    "confidence > 0.6",
    "label == 1",
    "output > 0.1 and correct == 1",
    "confidence > 2",
    "colour == 3",
    "label in [0, 1] and not (confidence > 0.9)",
    "predicted != label",
)
LIKERTS = ("", "0, 0.5, 1", "0.1 0.4", "low: 0-0.4; high: 0.6-1", "1, 0", "nonsense")
GROUPS = ("", "a: 0, 1, 2; rest", "a: 3; b: *", "a: 0; b: 0", "a")


#: What the data, samples and events are called, by the labels of the controls.
NAMES = {"title": ("", "Some data"), "plural": ("", "people"), "after a number": ("", "were found")}


class Walk:
    """Changes one control after the other, at random."""

    def __init__(self, explorer, seed):
        self.explorer, self.random = explorer, random.Random(seed)
        self.failed = []

    def step(self):
        draw, on_screen = self.random, screen(self.explorer)
        controls = on_screen.controls
        label = draw.choice((*controls, "a panel", "a dot", "a chip", "a step", "outcome", "binning", "bins", "lens"))
        if label == "a panel":
            self.toggle()
        elif label == "a dot":
            if "reliability" in on_screen.panels:
                on_screen.click_dot("reliability", "reliability", draw.randrange(20))
        elif label == "a chip":
            if on_screen.chips:
                on_screen.press(draw.choice(on_screen.chips))
        elif label == "a step":
            on_screen.ask(draw.choice(("undo", "undo", "redo")))
        elif label in controls:
            on_screen.set(label, self.value(label, controls[label]))
        for name in set(SLOW) & set(self.explorer.state.panels):
            if draw.random() < 0.6:
                on_screen.close(name)
        if on_screen.complaint:
            if FAILED in on_screen.complaint:
                self.failed.append(self.explorer.state.to_dict())
            if draw.random() < 0.5:
                self.explorer.state.selection = ""

    def toggle(self):
        quick = [name for name in tuple(ANSWERS) if name not in SLOW]
        name = self.random.choice(SLOW if self.random.random() < 0.15 else quick)
        if name in screen(self.explorer).panels:
            screen(self.explorer).close(name)
        else:
            screen(self.explorer).open(name)

    def value(self, label, control):
        draw = self.random
        texts = {"selection": SELECTIONS, "Likert": LIKERTS, "groups": GROUPS, "find": ("", "", "bins"), **NAMES}
        if label in texts:
            return draw.choice(texts[label])
        if label in ("confidence", "output"):
            return tuple(sorted(draw.choice((0.0, 0.1, 0.3, 0.9, 1.0)) for _ in range(2)))
        if label == "calibrator":
            return draw.choice(QUICK)
        if label == "calibrators":
            return tuple(draw.sample(QUICK, draw.randrange(3)))
        if label == "metrics":
            return tuple(draw.sample(list(MENU), draw.randrange(5)))
        if label == "T":
            return draw.choice(("", "1.5", "0", "hot"))
        if label == "γ":
            return draw.choice(("0.1", "1/20", "2", "some"))
        if isinstance(control, Checklist):
            some = [
                text for text in control.options if label != "draw over" or text.removeprefix("calibrator: ") in QUICK
            ]
            return tuple(draw.sample(some, draw.randrange(min(3, len(some)) + 1)))
        if isinstance(control, NumberGrid):
            return tuple(tuple(draw.choice((0, 0.5, 1, 2, -1)) for _ in row) for row in control.value)
        if hasattr(control, "options"):
            option = draw.choice(tuple(control.options) or (None,))
            return option[1] if isinstance(option, tuple) else option  # some have another text on screen
        if label == "calibration":
            return draw.randint(1, 19) / 20
        if label in ("threshold", "prevalence", "margin", "to promise"):
            return draw.randint(1, 99) / 100
        if label == "cost ratio":
            return draw.choice(("1/4", "0.25", "19", "none", "-1"))
        return draw.randint(control.min, control.max)


def records_of(explorer):
    """All that is drawn, in a form that can be compared."""
    found = {}
    for name in explorer.state.panels:
        content = ANSWERS[name].content(explorer.situation)
        found[name] = content.note
        for record in content.records:
            if isinstance(record, Figure):
                found[name, record.name] = record.alt, [(one.role, one.x, one.y) for one in record.series]
            elif isinstance(record, Grid):
                found[name, record.name] = record.rows, record.columns, record.values
            else:
                assert isinstance(record, Table)
                found[name, record.name] = record
    return found


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def count(explorer):
    """The widgets without the chips of the selection, which are kept for a longer one, and without styles of buttons.

    A chip is a button with its layout; those that are made in one step share a style.
    """
    return len(_instances) - styles() - 2 * screen(explorer).chips_made


def styles():
    return sum(isinstance(widget, ButtonStyle) for widget in _instances.values())


@pytest.mark.filterwarnings("ignore:.*a penalty, or more samples", "ignore:no temperature between")
# A sum of probabilities may end a rounding above 1: the spread of a calibrated walk is then the root of less than 0.
@pytest.mark.parametrize(("source", "steps"), [("digits", 400), ("tumours", 600)])
def test_a_thousand_changes(source, steps):
    models = cv.load_dataset(source)
    models = {
        name: models[name].select(np.arange(0, len(models[name]), 9 if source == "digits" else 3))
        for name in list(models)[:2]
    }
    left = set(_instances)
    explorer = Explorer(
        models, calibrator="spline", panels=tuple(ANSWERS), likert=(0, 0.5, 1),
        selection="confidence > 0.1 and label in [0, 1]",
    )  # fmt: skip  # short entries stand in rows
    explorer.state.update(selection="confidence > 0 and output >= 0 and label >= 0 and predicted >= 0 and correct >= 0")
    for view in CUMULATIVE:
        explorer.state.update(panels=tuple(ANSWERS) if view == CUMULATIVE[0] else ("cumulative",), cumulative=view)
        explorer.finish()
    explorer.state.update(panels=("decision",), selection="", calibrator="beta")  # the sides of one that is chosen
    explorer.finish()
    explorer.state.update(panels=("reliability",), selection="", overlays=("calibrator: beta",))  # a table of its own
    explorer.state.overlays = ()
    screen(explorer).open_drawer()  # which makes the controls that are made when it opens
    screen(explorer).switch("How is this measured?", True)
    walk, process = Walk(explorer, seed=2), psutil.Process()
    widgets, memory, without_style = count(explorer), 0, screen(explorer).chips_made - styles()
    for step in range(1, steps + 1):
        walk.step()
        if step % 100 == 0:
            explorer.finish()
            for panel in screen(explorer).panels:
                assert FAILED_JOB not in screen(explorer).note(panel)
        if step == steps // 4:
            memory = process.memory_info().rss
    assert walk.failed == []
    assert count(explorer) == widgets
    assert screen(explorer).chips_made - styles() >= without_style
    assert process.memory_info().rss < 1.2 * memory
    bins = explorer.state.bins % 20 + 1  # another number, since a complaint stands until something changes
    explorer.state.update(selection="", lens="top-1", outcome=None, groups=(), bin=None, bins=bins)
    assert screen(explorer).complaint == ""
    fresh = Explorer(models)
    fresh.state.from_dict(explorer.state.to_dict())
    screen(fresh).switch("How is this measured?", True)
    for one in (explorer, fresh):
        one.state.panels = tuple(name for name in tuple(ANSWERS) if name != "comparison")
        one.finish()
    assert screen(fresh).numbers == screen(explorer).numbers
    assert screen(fresh).words == screen(explorer).words
    found, expected = records_of(explorer), records_of(fresh)
    assert [name for name in expected if not same(found.get(name), expected[name])] == []
    explorer.close()
    fresh.close()
    assert set(_instances) - left == set()
