"""The Explorer in a browser tab: opened from a static server without a network, and driven."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser.pages import lone_page
from lite_site import address
from playwright.sync_api import Page, expect

FIRST = "In Zurich and Basel predicted 70, observed 93 (123 people)."
DOTS = ".calibviz-reliability svg.svg-figure path[d]"
PATHS = f"""[...document.querySelectorAll('{DOTS}')]
    .map((path) => path.getAttribute("d") + path.getAttribute("transform")).join()"""


@pytest.fixture
def blank(site: str) -> Iterator[Page]:
    with lone_page(site) as page:
        yield page


@pytest.fixture
def page(blank: Page, site: str) -> Page:
    blank.goto(f"{site}/notebooks/index.html?path=explorer.ipynb")
    blank.wait_for_selector(".jp-Notebook .jp-CodeCell")
    blank.get_by_role("menuitem", name="Run", exact=True).click()
    blank.get_by_text("Run All Cells", exact=True).first.click()
    return blank


def test_the_explorer_opens_answers_and_follows(page: Page) -> None:
    explorer = page.locator(".calibviz-explorer")
    page.wait_for_selector(DOTS, state="attached")
    expect(explorer.locator(".calibviz-words")).to_contain_text(FIRST.rstrip("."))
    page.wait_for_function("() => !document.querySelector('.calibviz-job')")
    for question, panel in (
        ("Where is it worst?", "segments"),
        ("Can I act at a threshold?", "decision"),
        ("Would recalibration help?", "recalibration"),
    ):
        explorer.get_by_role("button", name=question, exact=True).click()
        own = explorer.locator(f".calibviz-panel-{panel}")
        expect(own.locator("table td, svg.svg-figure path[d]").first).to_be_attached()
    assert explorer.locator("td").all_inner_texts()  # None that came as undefined would leave tables empty
    page.keyboard.press("Escape")
    before = dots(page)
    explorer.locator(".calibviz-advanced").click()
    handle = page.locator(".calibviz-bins .noUi-handle").first
    handle.press("ArrowRight")
    page.wait_for_function(f"before => {PATHS} !== before", arg=before)
    assert "could not" not in explorer.inner_text()


def test_its_address_for_other_sites_opens_the_explorer_by_itself(blank: Page, site: str) -> None:
    blank.goto(f"{site}/{address()}")
    expect(blank.locator(".calibviz-explorer .calibviz-words")).to_contain_text(FIRST.rstrip("."))
    # The live view alone, also where Matplotlib had to look for fonts before it drew the still picture of it.
    assert [shown.inner_text()[:5] for shown in blank.locator(".jp-OutputArea-child:visible").all()][-1] == "Heart"


def dots(page: Page) -> str:
    found: str = page.evaluate(f"() => {PATHS}")
    return found


def test_a_lesson_runs_in_it(blank: Page, site: str) -> None:
    blank.goto(f"{site}/notebooks/index.html?path=notebooks/01_what_calibration_means.ipynb")
    blank.wait_for_selector(".jp-Notebook .jp-CodeCell")
    blank.get_by_role("menuitem", name="Run", exact=True).click()
    blank.get_by_text("Run All Cells", exact=True).first.click()
    expect(blank.locator(".calibviz-guess form").first).to_be_attached()
    expect(blank.locator(".calibviz-explorer .calibviz-words").first).to_contain_text("predicted 78 of 100 right")
    assert not blank.locator("[data-mime-type='application/vnd.jupyter.error']").count()
