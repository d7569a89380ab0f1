"""The line of words and the verdict in a real browser: chosen from by keyboard, searched, and always in sight."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from calibviz.explorer.state.arrangement import WORKBENCH

from .explorer import QUICK, open_explorer, settle
from .stage import Stage

HEARTS = f'import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset("heart"), panels={WORKBENCH})\nexplorer'
IN_SIGHT = """() => {
    const box = document.querySelector(".calibviz-header").getBoundingClientRect();
    const top = document.elementFromPoint(box.left + 5, box.top + 15);
    return Math.abs(box.top) < 120 && Boolean(top?.closest(".calibviz-header"));
}"""

BEGINS_WITH_NONE = """(width) => {
    const [line] = document.querySelector(".calibviz-subject").children;
    const boxes = [...line.querySelectorAll(".dot")].map((dot) => dot.getBoundingClientRect());
    const left = line.getBoundingClientRect().left;
    return window.innerWidth === width && boxes.length === 3 && boxes.every((box) => box.left >= left + 8);
}"""


def test_parts_are_chosen_by_keyboard_and_stay_in_sight(stage: Stage) -> None:
    page = open_explorer(stage, HEARTS, drawer=False, viewport={"width": 1366, "height": 768})
    settle(page)
    line = page.locator(".calibviz-subject")
    line.get_by_role("button", name="all people").focus()
    page.keyboard.press("Enter")
    expect(line.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("zur")
    expect(line.locator(".offers button:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    kept = line.get_by_role("button", name="Zurich and Basel site")
    expect(kept).to_be_focused()
    expect(line.locator(".offers")).to_have_count(0)
    expect(page.locator(".calibviz-words")).to_contain_text("predicted 70 of 100, observed 93")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    expect(line.locator(".offers button").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(line.locator(".offers")).to_have_count(0)
    expect(kept).to_be_focused()
    page.locator(".calibviz-panel-sensitivity").scroll_into_view_if_needed()
    page.wait_for_function(IN_SIGHT)


def test_no_line_of_the_subject_begins_with_a_dot(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS, drawer=False)
    for width in range(360, 760, 4):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(BEGINS_WITH_NONE, arg=width)


def test_a_click_elsewhere_closes_the_list(voila_stage: Stage) -> None:
    page: Page = open_explorer(voila_stage, HEARTS, drawer=False)
    line = page.locator(".calibviz-subject")
    line.get_by_role("button", name="class disease").click()
    expect(line.locator(".offers")).to_be_visible()
    page.locator(".calibviz-panels h3").first.click()
    expect(line.locator(".offers")).to_have_count(0)


def test_a_click_on_the_worst_group_keeps_it(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS, drawer=False)
    page.get_by_role("button", name="Where is it worst?").click()
    panel = page.locator(".calibviz-panel-segments")
    expect(panel.locator("tbody tr").first).to_contain_text("Zurich and Basel")
    panel.get_by_role("button", name="Look at these 123").click()
    expect(page.locator(".calibviz-count")).to_have_text("123 of 920 people")
