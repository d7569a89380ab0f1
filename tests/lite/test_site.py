"""The Explorer in a browser tab: opened from a static server without a network, and driven."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from browser.explorer import share
from browser.pages import RUN_ALL_CELLS, lone_page
from browser.test_notebooks import guess_and_open
from lite_site import OWN_FILE, address
from nbformat import NotebookNode
from playwright.sync_api import Page, expect

from calibviz.teaching.lessons import EXERCISES

FIRST = "In Zurich and Basel predicted 70, observed 93 (123 people)."
DOTS = ".calibviz-reliability svg.svg-figure path[d]"
PATHS = f"""[...document.querySelectorAll('{DOTS}')]
    .map((path) => path.getAttribute("d") + path.getAttribute("transform")).join()"""

#: Those that are there: another needs dask.
LESSONS = (
    "01_what_calibration_means", "06_splines_and_ks", "07_which_metric_which_recalibration",
    "08_gamma_and_the_full_lens", "10_language_models",
)  # fmt: skip  # short entries stand in rows
CHECK = re.compile(r'(cv\.teaching\.check\("([\d.]+)", )\.\.\.\)')
NOTEBOOK = "window.jupyterapp.shell.currentWidget.content"
ALL_CELLS_ARE_THERE = f"""() => {{
    {NOTEBOOK}.notebookConfig = {{ ...{NOTEBOOK}.notebookConfig, windowingMode: "none" }};
}}"""
HAS_KERNEL = "window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady"
CHECKED = "() => [...document.querySelectorAll('.calibviz-check')].map((one) => one.textContent)"


@pytest.fixture
def blank(site: str) -> Iterator[Page]:
    with lone_page(site) as page:
        yield page


@pytest.fixture
def page(blank: Page, site: str) -> Page:
    blank.goto(f"{site}/notebooks/index.html?path=explorer.ipynb")
    blank.wait_for_selector(".jp-Notebook .jp-CodeCell")
    blank.wait_for_function(HAS_KERNEL)  # a press of the menu before that may be lost
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
    with page.expect_download() as saved:
        share(page, "page")
        expect(explorer.locator(".calibviz-job")).to_contain_text("recorded page")
        explorer.get_by_role("button", name="Where is it worst?", exact=True).click()
        expect(explorer.locator(".calibviz-panel-segments table td").first).to_be_attached()
        assert not saved.is_done()  # it answers meanwhile
    assert b'id="recorded"' in saved.value.path().read_bytes()
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


def test_a_file_of_ones_own_opens_in_it(blank: Page, site: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("y_true,y_prob\n" + "".join(f"{i % 7 % 2},{i % 10 / 10}\n" for i in range(200)), "utf-8")
    blank.goto(f"{site}/{address(OWN_FILE)}")
    blank.locator(".calibviz-file-drop input").set_input_files(rows)
    blank.get_by_role("button", name="explore", exact=True).click()
    expect(blank.locator(".calibviz-explorer .calibviz-words")).to_contain_text("(200 samples)")


def dots(page: Page) -> str:
    found: str = page.evaluate(f"() => {PATHS}")
    return found


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_runs_in_it(blank: Page, site_folder: Path, site: str, lesson: str) -> None:
    path = site_folder / "files" / "notebooks" / f"{lesson}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    asked = sum(answered(cell) for cell in notebook.cells)
    nbformat.write(notebook, path)
    blank.goto(f"{site}/notebooks/index.html?path=notebooks/{lesson}.ipynb")
    blank.wait_for_function(HAS_KERNEL)
    blank.evaluate(ALL_CELLS_ARE_THERE)
    assert blank.evaluate(RUN_ALL_CELLS) == []
    checked = blank.evaluate(CHECKED)
    assert len(checked) == asked and all(": right. " in said for said in checked), checked
    for view in blank.locator(".calibviz-explorer").all():
        view.scroll_into_view_if_needed()
        expect(view.locator("svg.svg-figure path[d], table td").first).to_be_attached()
        assert "could not" not in view.inner_text()
    assert guess_and_open(blank)


def answered(cell: NotebookNode) -> int:
    """Put the right answers, by the Python here, in place of the three dots of a cell; how many there are."""
    cell.source, count = CHECK.subn(lambda found: f"{found[1]}{EXERCISES[found[2]].truth!r})", cell.source)
    return count
