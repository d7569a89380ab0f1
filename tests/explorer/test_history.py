"""The steps of a state: taken back, made again, listed in words, and shared by all that show the state."""

from __future__ import annotations

import pytest
from driver import screen

import calibviz as cv
from calibviz.explorer import Explorer
from calibviz.explorer.state.history import MOST_STEPS, PAUSE, History, step_text
from calibviz.explorer.state.state import ExplorerState


class Clock:
    def __init__(self):
        self.time = 0.0

    def __call__(self):
        return self.time


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="module")
def explorer():
    made = Explorer(cv.load_dataset("heart"), panels=("instances",), bins=12)
    yield made
    made.close()


def test_changes_of_one_choice_that_follow_one_another_are_one_step(clock):
    history = History({"bins": 15, "knots": 6}, clock)
    for bins in (16, 17, 18):
        clock.time += PAUSE / 2
        history.record({"bins": bins, "knots": 6})
    assert history.steps == ("how many bins: 15 → 18",)
    history.record({"bins": 18, "knots": 7})  # another choice
    clock.time += 2 * PAUSE
    history.record({"bins": 18, "knots": 8})  # later
    assert history.steps == ("how many bins: 15 → 18", "flexibility: 6 → 7", "flexibility: 7 → 8")
    assert history.go(1) == {"bins": 18, "knots": 6}
    history.record({"bins": 30, "knots": 6})  # what was undone is gone, and a step after an undo joins no other
    assert history.steps == ("how many bins: 15 → 18", "how many bins: 18 → 30")


def test_a_drag_that_ends_where_it_began_is_no_step(clock):
    history = History({"bins": 15}, clock)
    for bins in (16, 17, 15):
        history.record({"bins": bins})
    assert history.steps == () and not history.differing
    history.record({"bins": 20})
    assert history.steps == ("how many bins: 15 → 20",) and history.differing


def test_each_press_of_a_button_is_a_step(clock):
    history = History({"panels": ("likert",)}, clock)
    history.record({"panels": ("likert", "classes")})
    history.record({"panels": ("likert",)})
    assert history.steps == ("open classes", "close classes")


def test_fifty_steps_are_kept(clock):
    history = History({"bins": 0}, clock)
    for bins in range(1, 61):
        clock.time += 2 * PAUSE
        history.record({"bins": bins})
    assert len(history.steps) == history.place == MOST_STEPS == 50
    assert history.go(-1) == {"bins": 10} and history.start == {"bins": 0}
    assert history.go(99) == {"bins": 60}


STATE = ExplorerState(["forest", "svm"], panels=("reliability", "likert"))


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"model": "svm"}, "model: forest → svm"),
        ({"lens": "class 3"}, "what is predicted: top-1 → class 3"),
        ({"selection": 'site == "Zurich"'}, "site: all → Zurich"),
        ({"selection": 'confidence > 0.5 and site == "Zurich"'}, "selection: all → confidence > 0.5 and site =="),
        ({"selection": "0.2 <= output <= 0.6"}, "output: all → 0.2 <= output <= 0.6"),
        ({"likert": (0, 0.5, 1)}, "categories: none → 0, 0.5, 1"),
        ({"groups": {"a": ["0"], "b": ["1"]}}, "which groups: none → a: 0; b: 1"),
        ({"bin": 13}, "bin: all → 14"),
        ({"threshold": 0.25}, "act from: 0.5 → 0.25"),
        ({"prevalence": 0.25}, "share where you act: of the samples → 0.25"),
        ({"outcome": "rest"}, "which of them: the first → rest"),
        ({"curves": ("smooth", "corp")}, "curves: flexible → smooth, corp"),
        ({"panels": ("segments", "cumulative")}, "open segments, open cumulative, close reliability, close likert"),
        ({"panels": STATE.panels[::-1]}, "order of the panels"),
        ({"lens": "top-3", "bins": 9}, "what is predicted: top-1 → top-3; how many bins: 15 → 9"),
        (
            {"lens": "top-3", "bins": 9, "knots": 7},
            "what is predicted: top-1 → top-3; and 2 more choices",
        ),
    ],
)
def test_a_step_is_told_in_words(choices, text):
    after = ExplorerState(STATE.models, **{"panels": STATE.panels, **choices}).to_dict()
    assert step_text(STATE.to_dict(), after).startswith(text)


def test_every_choice_has_words():
    after = {name: "other" for name in STATE.CHOICES} | {
        "overlays": ("model: svm",),
        "groups": (("a", ("0",)),),
        "selection": "label == 1",
        "bin": 3,
        "likert": (0.0, 1.0),
        "panels": (),
        "kept": (("A", ()),),
        "compared": (("svm", "top-1", ""),),
        "weights": (("cat", 2.0),),
        "matrix": ((1.0, 0.0), (0.0, 2.0)),
        **dict.fromkeys(("curves", "calibrators", "metrics", "switches"), ("other",)),
    }
    for name in STATE.CHOICES:
        text = step_text(STATE.to_dict(), {**STATE.to_dict(), name: after[name]})
        assert "→" in text or text.startswith(("close", "Remember as A"))


def test_code_takes_steps_back(explorer):
    state = ExplorerState(["forest"], bins=20)
    state.undo()
    assert (state.steps, state.bins) == ((), 20)  # what it was made with is the start
    state.update(lens="top-3", bins=30)
    state.selection = "label == 1"
    assert state.steps == ("label: all → 1", "what is predicted: top-1 → top-3; how many bins: 20 → 30")
    state.undo()
    state.undo()
    assert (state.lens, state.bins, state.selection) == ("top-1", 20, "")
    state.redo()
    assert (state.lens, state.bins, state.selection) == ("top-3", 30, "")
    state.redo()
    state.reset()
    assert (state.lens, state.bins, state.selection) == ("top-1", 20, "") and len(state.steps) == 3
    state.undo()
    assert state.selection == "label == 1"


def test_the_buttons_take_steps_of_controls_back(explorer):
    explorer.state.reset()
    explorer.state._start()
    on_screen = screen(explorer)
    assert on_screen.steps == ([], []) and explorer.state.bins == 12
    on_screen.set("start with", "Clinical Likert")
    on_screen.set("selection", 'site == "Zurich and Basel"')
    assert [len(steps) for steps in on_screen.steps] == [2, 0]
    on_screen.ask("undo")
    assert on_screen.controls["selection"].value == "" and on_screen.steps[1] == ["site: all → Zurich and Basel"]
    on_screen.ask("undo")
    assert on_screen.steps[0] == [] and explorer.state.panels == ("instances",)
    on_screen.go(2)
    assert on_screen.controls["selection"].value == 'site == "Zurich and Basel"'
    on_screen.ask("reset")
    assert (explorer.state.selection, explorer.state.likert, explorer.state.bins) == ("", (), 12)
    assert len(on_screen.steps[0]) == 3


def test_what_cannot_be_shown_is_taken_back(explorer):
    explorer.state._start()
    explorer.state.selection = "site == 'nowhere'"
    assert screen(explorer).complaint
    screen(explorer).ask("undo")
    assert screen(explorer).complaint == "" and explorer.state.selection == ""


@pytest.fixture
def listing():
    made = Explorer(cv.load_dataset("heart"), panels=("reliability", "instances"), bins=15, bin=14)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("label", "value"), [("selection", "output < 0.5"), ("output", (0.0, 0.5)), ("bins", 9), ("binning", "sweep")]
)
def test_a_bin_that_holds_no_sample_any_more_is_let_go_of(listing, label, value):
    on_screen = screen(listing)
    assert "in bin 15 of 15" in on_screen.answer("instances") and on_screen.notice == ""
    on_screen.set(label, value)
    assert listing.state.bin is None and on_screen.controls["bin (0: all)"].value == 0
    assert on_screen.notice == "Bin 15 holds no sample now: all samples are listed."
    assert "people in all bins" in on_screen.answer("instances") and on_screen.complaint == ""
    assert len(on_screen.steps[0]) == 1 and on_screen.steps[0][0].endswith("; bin: 15 → all")
    on_screen.ask("undo")
    assert listing.state.bin == 14 and "in bin 15 of 15" in on_screen.answer("instances") and on_screen.notice == ""
    on_screen.ask("redo")
    assert listing.state.bin is None and on_screen.steps[1] == [] and on_screen.notice == ""


def test_a_bin_without_samples_cannot_be_chosen(listing):
    listing.state.update(bin=None, bins=20)
    listing.state._start()
    screen(listing).set("bin (0: all)", 77)
    assert listing.state.bin is None and screen(listing).controls["bin (0: all)"].value == 0
    assert screen(listing).notice == "Bin 77 holds no sample now: all samples are listed."
    assert screen(listing).steps == ([], [])


def test_a_panel_by_itself_lets_go_of_a_bin_too(listing):
    panel = cv.Panel("instances", cv.load_dataset("heart"), state=listing.state)
    listing.state.selection = "output < 0.5"
    assert listing.state.bin is None
    assert "people in all bins" in screen(panel).answer("instances")
    panel.close()
    alone = cv.Panel("instances", cv.load_dataset("heart"), bin=14, bins=3)
    assert alone.state.bin is None and alone.state.steps == ()
    assert screen(alone).notice == "Bin 15 holds no sample now: all samples are listed."
    alone.close()


def test_two_views_share_the_steps_of_their_state(explorer):
    other = Explorer(cv.load_dataset("heart"), state=explorer.state)
    explorer.state._start()
    screen(other).set("bins", 33)
    assert screen(explorer).steps == screen(other).steps == (["how many bins: 12 → 33"], [])
    screen(explorer).ask("undo")
    assert screen(other).controls["bins"].value == 12 and screen(other).steps == ([], ["how many bins: 12 → 33"])
    other.close()
