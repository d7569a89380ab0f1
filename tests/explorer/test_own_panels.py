"""A panel of the user's own has its button, its place in the state, its link and its code, as a built-in one has."""

from __future__ import annotations

import ipywidgets
import numpy as np
import pytest
import traitlets
from driver import below, classes, screen

import calibviz as cv
from calibviz.answers.registry import ANSWERS, answers_of

TITLE = "Mean gap"


CALLS = []


def gap(problem, recalibrated):
    CALLS.append(problem)
    return text_of_gap(problem, recalibrated)


def text_of_gap(problem, recalibrated):
    after = "nothing" if recalibrated is None else f"{recalibrated.mean_score:.4f}"
    return f"{problem.mean_score:.4f}, {problem.mean_target:.4f}, after recalibration {after}."


def drawn(problem, recalibrated):
    return [cv.figures.cumulative_figures([problem])[0], "The curve of the samples."]


GAP, DRAWN = cv.Answer("gap", TITLE, gap, about="Two means"), cv.Answer("drawn", "Drawn", drawn, "Does it drift?")


@pytest.fixture
def explorer():
    made = cv.Explorer(cv.load_dataset("heart")["random forest"], panels=["reliability", GAP, DRAWN])
    yield made
    made.close()


def said(explorer):
    before, after = explorer.situation.before, explorer.situation.after
    return text_of_gap(before.problems[0], None if after is None else after.problems[0])


def test_it_is_on_screen_and_follows_what_it_reads(explorer):
    explorer.finish()
    assert screen(explorer).panels == ("reliability", "gap", "drawn") and screen(explorer).complaint == ""
    assert screen(explorer).note("gap") == said(explorer) == explorer.sentences["gap"]
    first, calls = said(explorer), len(CALLS)
    explorer.state.bins = 7
    assert len(CALLS) == calls, "it does not read the bins, so nothing is called again"
    explorer.state.selection = 'site == "Cleveland"'
    assert screen(explorer).note("gap") == said(explorer) != first
    explorer.state.calibrator = "isotonic"
    explorer.finish()
    assert screen(explorer).note("gap") == said(explorer) and "nothing" not in said(explorer)
    assert len(CALLS) > calls
    assert screen(explorer).figures("drawn") and screen(explorer).note("drawn") == "The curve of the samples."


def test_its_button_opens_and_closes_it(explorer):
    screen(explorer).switch(TITLE, False)
    assert explorer.state.panels == ("reliability", "drawn")
    screen(explorer).open("gap")
    assert "gap" in explorer.state.panels and screen(explorer).note("gap") == said(explorer)
    buttons = [widget for widget in below(explorer) if isinstance(widget, ipywidgets.ToggleButton)]
    tooltips = {button.description: button.tooltip for button in buttons}
    assert tooltips[TITLE] == "Two means" and tooltips["Does it drift?"] == "Drawn"


def test_one_that_is_chosen_later_joins_the_buttons(explorer):
    later = cv.Answer("later", "Later", lambda problem, recalibrated: "now")
    explorer.state.panels = ["reliability", later]
    assert screen(explorer).note("later") == "now"
    screen(explorer).close("later")
    screen(explorer).open("later")
    assert explorer.state.panels == ("reliability", "later")
    assert list(answers_of(explorer.state.spec)) == [*ANSWERS, "gap", "drawn", "later"]


def test_undo_and_links_know_it(explorer):
    link = explorer.state.to_link()
    explorer.state.panels = ("reliability",)
    explorer.state.from_link(link)
    assert explorer.state.panels == ("reliability", "gap", "drawn")
    explorer.state.undo()
    assert explorer.state.panels == ("reliability",)
    other = cv.Explorer(cv.load_dataset("heart")["random forest"])
    with pytest.raises(traitlets.TraitError, match=r"panels must be one of 'reliability'.*not 'gap'"):
        other.state.from_link(link)
    other.state.update(panels=[GAP, DRAWN])
    other.state.from_link(link)
    assert other.state.panels == ("reliability", "gap", "drawn")
    other.close()


def test_the_code_opens_the_view_with_it(explorer):
    code = explorer.code()
    assert "# panel_1 is the one named 'drawn' that was passed to cv.Explorer\n" in code
    names = {"panel_1": DRAWN, "panel_2": GAP}
    exec(code, names)
    assert names["explorer"].state.panels == explorer.state.panels
    names["explorer"].close()


def test_it_stands_alone_beside_a_view_that_does_not_know_it():
    data = cv.load_dataset("heart")["random forest"]
    explorer = cv.Explorer(data)
    alone = cv.Panel(GAP, data, state=explorer.state)
    explorer.state.selection = 'site == "Cleveland"'
    assert screen(alone).panels == ("gap",) and screen(alone).note("gap") == said(alone) == alone.sentences["gap"]
    assert explorer.state.panels == ("reliability",)
    code = alone.code()
    assert "# panel is the one named 'gap' that was passed to cv.Panel\n" in code
    names = {"panel": GAP}
    exec(code, names)
    assert type(names["explorer"]) is cv.Panel and names["explorer"].sentences["gap"] == alone.sentences["gap"]
    for view in (names["explorer"], alone, explorer):
        view.close()


def test_what_it_refuses_stands_in_its_place_and_what_is_no_answer_is_refused(explorer):
    def few(problem, recalibrated):
        raise ValueError("too few samples for this")

    explorer.state.panels = ["reliability", cv.Answer("few", "Few", few)]
    assert screen(explorer).note("few") == "too few samples for this" and screen(explorer).complaint == ""
    explorer.state.panels = ["reliability", cv.Answer("three", "Three", lambda problem, recalibrated: 3)]
    assert "the answer 'three' must return a text, a record of cv.figures or a list of these, not 3" in (
        screen(explorer).complaint
    )


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (lambda: cv.Answer("mean gap", TITLE, gap), ValueError, "name must be made of letters, digits and _, not"),
        (lambda: cv.Answer("gap", " ", gap), ValueError, "title is empty"),
        (lambda: cv.Answer("gap", TITLE, "gap"), TypeError, "content must take a problem and the recalibrated one"),
        (lambda: cv.Answer("gap", TITLE, gap, "Why?", gap), TypeError, "short must be left out: it is for built-in"),
        (lambda: cv.Answer(3, TITLE, gap), TypeError, "name must be"),
        (lambda: cv.Panel("nothing", DATA), ValueError, "name must be one of 'reliability', 'cumulative'"),
        (lambda: cv.Panel(cv.Answer("time", TITLE, gap), DATA), ValueError, "name 'time' is that of a built-in panel"),
    ],
)
def test_messages(made, error, message):
    with pytest.raises(error, match=message):
        made()


DATA = cv.Predictions(np.linspace(0.1, 0.9, 40), np.arange(40) % 2)


@pytest.mark.parametrize(
    ("panels", "message"),
    [
        ([cv.Answer("time", TITLE, gap)], "the panel 'time' is built in: one of your own needs a name of its own"),
        ([3], r"panels must be names of panels, or cv.Answer\(...\), not 3"),
        ([GAP, cv.Answer("gap", "Other", gap)], "panels has another panel named 'gap' already: choose another name"),
        ([GAP, GAP], "panels must be different"),
    ],
)
def test_messages_of_the_state(panels, message):
    explorer = cv.Explorer(DATA)
    with pytest.raises(traitlets.TraitError, match=message):
        explorer.state.panels = panels
    explorer.close()


def test_no_panel_is_known_by_name_to_the_view_of_panels(explorer):
    """Its place among others is by what views say of themselves: an own one is small, and fills a row with others."""
    explorer.state.panels = ["reliability", "cumulative", "gap"]
    grid = next(widget for widget in below(explorer) if "calibviz-panels" in classes(widget))
    assert "are-many" in classes(grid) and "wider-of-two-" not in " ".join(classes(grid))
    explorer.state.panels = ["gap", "drawn", "reliability", "cumulative", "segments"]
    assert {"wider-of-two-3", "alone-of-three-3"} <= set(classes(grid))
