"""The projector: one panel alone, in large type, which can be turned like a page, and the way back."""

from __future__ import annotations

import pytest
import traitlets
from driver import ExplorerDriver

import calibviz as cv
from calibviz.answers.registry import ANSWERS

OPEN = ("segments", "reliability", "scores")


@pytest.fixture
def explorer():
    opened = cv.Explorer(cv.load_dataset("heart")["random forest"], panels=OPEN, projector=True)
    yield opened
    opened.close()


def names_of(driver):
    """The panels that the menu of the projector offers."""
    return [name for _, name in driver.controls["panel"].options]


def test_of_the_panels_the_last_stands_alone_until_one_leaves(explorer):
    driver = ExplorerDriver(explorer)
    assert driver.panels == ("scores",) and explorer.state.panels == OPEN
    driver.press("✕ leave")
    assert driver.panels == OPEN and not explorer.state.projector
    explorer.state.undo()
    assert driver.panels == ("scores",)
    assert explorer.state.steps == ()
    driver.switch("projector", False)
    assert explorer.state.steps == ("projector: on → off",)


def test_the_pages_go_round_in_the_order_of_the_menu(explorer):
    driver = ExplorerDriver(explorer)
    names, seen = names_of(driver), []
    for _ in names:
        driver.press("›")
        seen += driver.panels
    assert sorted(seen) == sorted(names) and seen[-1] == "scores"
    assert seen == names[names.index("scores") + 1 :] + names[: names.index("scores") + 1]
    driver.press("‹")
    assert driver.panels == (seen[-2],)


def test_the_menu_leaves_out_what_says_nothing_of_these_data(explorer):
    names = names_of(ExplorerDriver(explorer))
    assert "time" not in names and set(names) < set(ANSWERS)  # these people have no dates


def test_the_menu_and_the_buttons_of_panels_open_a_page(explorer):
    driver = ExplorerDriver(explorer)
    driver.set("panel", "segments")
    assert driver.panels == ("segments",) and driver.controls["panel"].value == "segments"
    driver.open("recalibration")  # by its button, as the key 3 does
    assert driver.panels == ("recalibration",) and driver.controls["panel"].value == "recalibration"
    driver.press("✕ leave")
    assert driver.panels == ("reliability", "recalibration")  # an answer beside the picture, as a click leaves it


def test_a_click_on_a_bin_shows_its_samples(explorer):
    driver = ExplorerDriver(explorer)
    driver.set("panel", "reliability")
    driver.click_dot("reliability", "reliability", 3)
    assert driver.panels == ("instances",) and explorer.state.bin is not None


def test_a_panel_of_ones_own_is_a_page(explorer):
    driver = ExplorerDriver(explorer)
    own = cv.Answer("mine", "My panel", lambda problem, recalibrated: "It says this.")
    explorer.state.panels = ("reliability", own)
    assert driver.panels == ("mine",) and names_of(driver)[-1] == "mine"
    driver.press("›")
    assert driver.panels == (names_of(driver)[0],)


def test_links_and_code_open_the_projector_again(explorer):
    link = explorer.state.to_link()
    assert "projector=true" in link and "projector=True" in explorer.code()
    other = cv.Explorer(cv.load_dataset("heart")["random forest"])
    other.state.from_link(link)
    assert other.state.projector and other.state.panels == OPEN
    assert ExplorerDriver(other).panels == ("scores",)
    other.close()


def test_the_cards_of_the_questions_are_not_asked_for(explorer):
    explorer.state.panels = ("reliability",)
    assert set(explorer.sentences) <= {"verdict", "reliability"}


@pytest.mark.parametrize("value", ["segments", 1, None])
def test_it_is_on_or_off(explorer, value):
    with pytest.raises(traitlets.TraitError, match=r"projector must be True or False, not"):
        explorer.state.projector = value
    assert explorer.state.projector is True
