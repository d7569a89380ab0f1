"""Steps taken back in a real browser: by keyboard, and from the list."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from calibviz.answers.registry import ANSWERS, QUESTIONS

from .explorer import QUICK, control, open_drawer, open_explorer, press, settle, share
from .layout import layout_problems, violations
from .pages import Pages
from .stage import Stage

HEARTS = (
    f'import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset("heart"), panels=("reliability",))\nexplorer'
)


def test_keys_take_a_drag_back_and_make_it_again(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS)
    bins = control(page, "bins").locator(".widget-readout")
    for _ in range(3):
        press("bins", "ArrowRight")(page)
    expect(bins).to_have_text("18")
    undo = page.get_by_role("button", name="Undo: how many bins: 15 → 18")
    expect(undo).to_have_attribute("title", "Undo: how many bins: 15 → 18 (Ctrl+Z)")
    page.keyboard.press("Control+z")
    expect(bins).to_have_text("15")
    page.keyboard.press("Control+Shift+z")
    expect(bins).to_have_text("18")
    field = control(page, "selection").locator("input")
    field.fill("age > 50")
    page.keyboard.press("Control+z")  # in a text field, of the text
    expect(field).to_have_value("")
    expect(bins).to_have_text("18")
    page.locator(".calibviz-panel-reliability .bqplot").first.click(position={"x": 60, "y": 200})
    page.keyboard.press("Control+z")
    expect(bins).to_have_text("15")
    page.locator("body").evaluate("body => { document.activeElement.blur(); body.focus(); }")
    page.keyboard.press("Control+Shift+z")  # outside of the Explorer
    settle(page)
    expect(bins).to_have_text("15")


def test_undo_stays_within_reach_of_a_choice_that_cannot_be_shown(voila_stage: Stage) -> None:
    """By its own button in the title row, over which the sentence does not lie, at any width."""
    page = open_explorer(voila_stage, HEARTS)
    for width in (1366, 1000, 700, 420):
        page.set_viewport_size({"width": width, "height": 800})
        field = control(page, "selection").locator("input")
        field.fill("age > 500")
        field.press("Enter")
        said = page.locator(".calibviz-top .refused")
        expect(said).to_contain_text("keeps none")
        expect(page.get_by_role("button", name="Take it back")).to_be_visible()
        page.get_by_role("button", name="Undo: ").click(timeout=5_000)  # fails where something lies over it
        expect(said).to_have_count(0)


PAGE = (
    f"import calibviz as cv\n{QUICK}from calibviz.app.demo import explored\n"
    'explored(cv.load_dataset("heart")["random forest"])'
)


def test_the_address_brings_the_same_view_back(voila: Pages) -> None:
    page = open_explorer(voila, PAGE)
    before = page.evaluate("history.length")
    press("bins", "ArrowRight")(page)
    press("bins", "ArrowRight")(page)
    page.get_by_role("button", name="Remember as A").click()
    page.wait_for_function("() => /[?&]bins=17&kept=/.test(location.search)")
    assert page.evaluate("history.length") == before  # the button "back" still leaves the page
    page.reload()
    settle(page)
    open_drawer(page)
    expect(control(page, "bins").locator(".widget-readout")).to_have_text("17")
    expect(page.locator(".calibviz-kept")).to_contain_text("class disease")
    share(page, "link")
    shown = page.locator(".calibviz-code pre")
    expect(shown).to_contain_text("http://127.0.0.1:")
    assert shown.inner_text() == page.url
    page.goto(shown.inner_text())
    settle(page)
    open_drawer(page)
    expect(control(page, "bins").locator(".widget-readout")).to_have_text("17")


def test_the_address_of_a_notebook_is_never_touched(lab_stage: Stage) -> None:
    page = open_explorer(lab_stage, HEARTS)
    address = page.url
    press("bins", "ArrowRight")(page)
    share(page, "link")
    expect(page.locator(".calibviz-code pre")).to_contain_text("state.from_link('?bins=16")
    expect(page.locator(".calibviz-code small")).not_to_be_empty()
    settle(page)
    assert page.url == address
    control(page, "bins").locator(".noUi-handle").press("Control+z")  # of the Explorer, not of the cells
    expect(control(page, "bins").locator(".widget-readout")).to_have_text("15")
    assert page.locator(".jp-Cell").count() >= 1


KEPT = (
    f"import calibviz as cv\n{QUICK}"
    'explorer = cv.Explorer(cv.load_dataset("heart"), panels=("instances", "reliability"), bin=14)\n'
    'explorer.state.keep("A")\nexplorer.state.model = "random forest"\nexplorer.state.keep("B")\n'
    'explorer.state.selection = "output < 0.5"\nexplorer'
)


@pytest.mark.parametrize("width", [1366, 900, 420])
def test_what_is_kept_can_be_read_by_all(voila_stage: Stage, width: int) -> None:
    page = open_explorer(voila_stage, KEPT, viewport={"width": width, "height": 5000})
    settle(page)
    expect(page.locator(".calibviz-notice [role=status]")).to_contain_text("Bin 15 holds no sample now")
    page.get_by_role("button", name="List of steps").click()
    expect(page.locator(".calibviz-actions .steps button").first).to_be_visible()
    assert violations(page) == []
    assert [problem for problem in layout_problems(page) if "kept" in problem or "actions" in problem] == []
    page.get_by_role("button", name="B over A").click()
    expect(page.locator(".calibviz-panel-reliability .calibviz-legend").first).to_contain_text("random forest")


def test_a_step_is_chosen_from_the_list(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS.replace("panels=", 'calibrator="spline", panels='))
    press("bins", "ArrowRight")(page)
    press("knots", "ArrowRight")(page)
    actions = page.locator(".calibviz-actions")
    actions.get_by_role("button", name="List of steps: 2 steps").press("Enter")
    rows = actions.locator(".steps button")
    expect(rows).to_have_text(["flexibility: 6 → 7now", "how many bins: 15 → 16", "start"])
    expect(rows.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(rows).to_have_text(["flexibility: 6 → 7undone", "how many bins: 15 → 16now", "start"])
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(actions.locator(".steps")).to_have_count(0)
    page.get_by_role("button", name="Back to the start").click()
    expect(control(page, "bins").locator(".widget-readout")).to_have_text("15")


def test_keys_go_on_where_a_click_takes_away_what_was_clicked(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS, drawer=False)
    page.get_by_role("button", name="Where is it worst?", exact=True).click()
    page.get_by_role("button", name="Look at these 123").click()
    expect(page.locator(".calibviz-count")).to_have_text("123 of 920 people")
    settle(page)
    for key, panel in (("2", "decision"), ("1", "segments")):
        page.keyboard.press(key)
        expect(page.locator(f".calibviz-panel-{panel}")).to_be_visible()
        settle(page)
    page.keyboard.press("0")
    expect(page.locator(".calibviz-question button[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator(".calibviz-panel-segments")).to_be_visible()
    page.locator("body").evaluate("body => document.activeElement.blur()")  # of somebody's own accord


def test_keys_open_questions_and_settings_but_not_in_a_text(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS, drawer=False)
    view = page.locator(".calibviz-explorer")
    question = page.locator(".calibviz-question button")
    view.focus()
    for place in (1, 2, 0):
        page.keyboard.press(str(place + 1))
        expect(question.nth(place)).to_have_attribute("aria-pressed", "true")
        expect(question.nth(place)).to_have_text(ANSWERS[QUESTIONS[place]].button)
        settle(page)
    page.keyboard.press("0")
    expect(page.locator(".calibviz-question button[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("m")
    expect(page.locator(".calibviz-numbers table")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".calibviz-numbers")).to_be_hidden()
    page.keyboard.press("a")
    expect(page.locator(".calibviz-controls")).to_be_visible()
    find = page.locator(".calibviz-find input")
    find.press_sequentially("a1?")
    expect(find).to_have_value("a1?")
    expect(page.locator(".calibviz-controls")).to_be_visible()
    expect(question.nth(0)).to_have_attribute("aria-pressed", "false")
    find.fill("")
    view.focus()
    page.keyboard.press("?")
    keys = page.get_by_role("note")
    for text in ("Where is it worst?", "Can I act at a threshold?", "Would recalibration help?", "undo, redo"):
        expect(keys).to_contain_text(text)
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    page.keyboard.press("a")
    expect(page.locator(".calibviz-controls")).to_be_hidden()
    settle(page)
