"""The projector in a browser: its type is large, and what is pointed at, dragged and typed is where it is seen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .explorer import QUICK, dots, open_explorer, resize, settle
from .layout import layout_problems, violations
from .stage import Stage

HEARTS = (
    f"import calibviz as cv\n{QUICK}"
    'explorer = cv.Explorer(cv.load_dataset("heart"), panels=("reliability", "decision"))\nexplorer'
)
LARGE = 1.6
DECISION = [re.compile("calibviz-panel-decision")]
PROJECTORS = [(1366, 768), (1600, 900)]
#: How high a line of text is on the screen, by the place of the text.
LINES = """() => Object.fromEntries(
    [".calibviz-panel-decision .calibviz-answer p", ".calibviz-panel-decision .axis .tick text"]
    .map((place) => {
        const text = document.querySelector(place), by = text.currentCSSZoom;
        return [place, parseFloat(getComputedStyle(text).fontSize) * by];
    }))"""


def page_of(stage: Stage, **options: object) -> Page:
    page = open_explorer(stage, HEARTS, drawer=False, **options)
    settle(page)
    return page


def project(page: Page) -> None:
    page.locator(".calibviz-words").click()
    page.keyboard.press("p")
    page.locator(".calibviz-projector").wait_for()
    settle(page)


@pytest.mark.parametrize(("width", "height"), PROJECTORS)
def test_one_panel_stands_alone_in_large_type(light_or_dark: Stage, width: int, height: int) -> None:
    page = page_of(light_or_dark, viewport={"width": width, "height": height})
    before = page.evaluate(LINES)
    project(page)
    after = page.evaluate(LINES)
    assert all(after[place] >= 0.99 * LARGE * before[place] for place in before)
    panels = page.locator(".calibviz-panels > .calibviz-panel")
    expect(panels).to_have_count(1)
    for turn in range(3):
        for picture in page.locator(".calibviz-panels .bqplot").locator("visible=true").all():
            picture.scroll_into_view_if_needed()  # bqplot draws it then
            settle(page)
        page.locator(".calibviz-projecting").evaluate("root => root.scrollTo(0, 0)")
        settle(page)
        assert not layout_problems(page)
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        if not turn:
            assert not violations(page)
        page.keyboard.press("PageDown")
        settle(page)
    page.keyboard.press("Escape")


def test_what_is_pointed_at_and_dragged_is_where_it_is_seen(voila_stage: Stage) -> None:
    page = page_of(voila_stage, viewport={"width": 1366, "height": 768})
    project(page)
    knob = page.locator(".calibviz-decision-curve .calibviz-handle")
    box, plot = knob.bounding_box(), page.locator(".calibviz-decision-curve .plotarea_background").bounding_box()
    assert box is not None and plot is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 0.2 * plot["width"], y, steps=5)
    page.mouse.up()
    settle(page)
    acted = page.locator(".calibviz-threshold .widget-readout").inner_text()
    assert abs(float(acted) - (50 - 20)) <= 2  # the axis is a little wider than from 0 to 1

    page.keyboard.press("Escape")
    page.keyboard.press("0")
    project(page)
    x, y = dots(page, "reliability")[4]
    page.mouse.move(x, y)
    tip = page.locator(".calibviz-reliability .calibviz-tip")
    expect(tip).to_contain_text("40 people predicted 27 to 33")
    tipped = tip.bounding_box()
    assert tipped is not None
    assert 0 < min(abs(tipped["x"] - x), abs(tipped["x"] + tipped["width"] - x)) < 40
    resize(page, 1600, 900)
    drawn = page.locator(".calibviz-reliability svg.svg-figure").bounding_box()
    place = page.locator(".bqplot.calibviz-reliability").bounding_box()
    assert drawn is not None and place is not None and abs(drawn["width"] - place["width"]) < 2
    page.keyboard.press("Escape")


def test_keys_turn_the_pages_and_lead_back(lab_stage: Stage) -> None:
    page = page_of(lab_stage, viewport={"width": 1366, "height": 768})
    panels = page.locator(".calibviz-panels > .calibviz-panel")
    expect(panels).to_have_count(2)
    project(page)
    assert page.evaluate("() => document.fullscreenElement?.classList.contains('calibviz-explorer')")
    expect(panels).to_have_class(DECISION)
    page.keyboard.press("PageDown")
    expect(panels).not_to_have_class(DECISION)
    page.keyboard.press("PageUp")
    expect(panels).to_have_class(DECISION)
    page.get_by_role("button", name="✕ leave").click()
    expect(panels).to_have_count(2)
    page.wait_for_function("() => !document.fullscreenElement")
    project(page)
    page.evaluate("() => document.exitFullscreen()")  # as Escape does, which the browser keeps to itself
    expect(panels).to_have_count(2)
