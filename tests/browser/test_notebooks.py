"""Every notebook as its readers have it: opened in Voila, one of them in JupyterLab, and its widget moved."""

from __future__ import annotations

import re
import time
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

from .explorer import IS_STILL, SHOWN, open_drawer, shown, wait_for_change
from .pages import Pages, of_a_shared_machine

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
SECONDS = 60  # from the first cell to the last; Voila answers when all have run

#: The first of these that can be seen is moved: a setting of the bins, else any.
SLIDERS = tuple(
    f"{row}.noUi-target:not([disabled]) .noUi-handle" for row in (".calibviz-bins ", ".calibviz-gamma ", "")
)
TARGETS = re.compile(r"<[^>]*>|\]\([^)]*\)")  # of links and pictures, in Markdown
#: Of several widgets, a page keeps the first: what is moved and what is read is found by its class.
FIRST_ALONE = "() => [...document.querySelectorAll('.calibviz-explorer')].slice(1).forEach((one) => one.remove())"
PICTURES = "() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)"
HAS_CHANGED = f"(before) => Object.entries(({SHOWN})()).some(([name, now]) => name in before && now !== before[name])"


def move_a_slider(page: Page) -> None:
    """Move a slider of the widget by a step, and wait until its numbers or else its pictures follow.

    An Explorer keeps its sliders in a drawer.
    """
    page.locator(".calibviz-explorer").first.scroll_into_view_if_needed()
    expect(page.locator(".calibviz-explorer svg path.line[d], .calibviz-explorer table td").first).to_be_attached()
    numbers = "numbers table"  # of an Explorer; these do not fill in by themselves, as pictures may
    if numbers not in shown(page):
        page.wait_for_function(IS_STILL)
    if page.locator(".calibviz-advanced").count():
        open_drawer(page)
    handle = next(one for name in SLIDERS for one in page.locator(name).all() if one.is_visible())
    before = shown(page)
    assert before
    value = handle.get_attribute("aria-valuenow")
    handle.press("ArrowRight")
    expect(handle).not_to_have_attribute("aria-valuenow", str(value))
    if numbers in before:
        wait_for_change(page, before, [numbers])
    else:
        page.wait_for_function(HAS_CHANGED, arg=before)
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_voila_shows_it_and_its_widget_answers(voila: Pages, notebook: Path) -> None:
    start = time.monotonic()
    page = voila(notebook)
    assert time.monotonic() - start < of_a_shared_machine(SECONDS)
    expect(page.locator("h1").first).to_be_visible()
    assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').all_inner_texts() == []
    page.wait_for_function(PICTURES)
    assert missing_words(page, notebook) == []
    assert guess_and_open(page) == page.locator(".calibviz-answer-of-guess").count()
    page.wait_for_function(IS_STILL)  # a picture that comes into a view that is gone has no size, and bqplot complains
    page.evaluate(FIRST_ALONE)
    move_a_slider(page)


def guess_and_open(page: Page) -> int:
    """Make every guess of a page and open its answer; how many answers are open then."""
    for guess in page.locator(".calibviz-guess").all():
        answer = page.locator(f".calibviz-answer-of-guess[data-question='{guess.get_attribute('data-question')}']")
        answer.locator("summary").click()
        expect(answer.locator("details")).not_to_have_attribute("open", "")
        control = guess.locator("input").first
        control.press("ArrowRight") if control.get_attribute("type") == "range" else control.check()
        guess.get_by_role("button").click()
        answer.locator("summary").click()
        expect(answer.get_by_role("status")).to_contain_text("Your guess: ")
    return page.locator(".calibviz-answer-of-guess details[open]").count()


def missing_words(page: Page, notebook: Path) -> list[list[str]]:
    """Words of each cell of text that are not to be seen where the page shows the cell."""
    shown_cells = page.locator(".jp-RenderedMarkdown:visible").all_inner_texts()
    cells = [cell.source for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "markdown"]
    assert len(shown_cells) == len(cells)
    compared = [(words(TARGETS.sub("", cell)), words(seen)) for cell, seen in zip(cells, shown_cells, strict=True)]
    return [sorted(written - seen) for written, seen in compared if not written <= seen]


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", text))


def test_lab_runs_it_and_its_widget_answers(lab: Pages) -> None:
    page = lab(NOTEBOOKS[0])
    cell = "window.jupyterapp.shell.currentWidget.content"  # cells out of sight are not in the page
    page.evaluate(
        f"async () => await {cell}.scrollToItem({cell}.widgets.findIndex((one) => one.model.id === 'widget'), 'start')"
    )
    page.wait_for_function(PICTURES)
    move_a_slider(page)
