"""A notebook that is opened without the kernel that ran it shows a still picture; with it, the live view alone."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Page, expect

from calibviz.explorer.view.page.stopped import STILL

from .pages import LabPages

CELLS = [
    "import calibviz as cv; data = cv.load_dataset('tumours'); cv.Explorer(data)",
    "cv.Panel('reliability', data)",
    "cv.SimulationLab()",
]
LIVE = ".calibviz-explorer svg path.line[d]"
ERROR = "widget model not found"  # what Jupyter writes into the browser's console
GONE = "/api/kernels/"  # a view asks after its kernel, which may have ended before its page


@pytest.fixture(params=["lab", "notebook"])
def jupyter(request: pytest.FixtureRequest) -> LabPages:
    """JupyterLab, and again Notebook."""
    pages: LabPages = request.getfixturevalue(request.param)
    return pages


def expect_live(page: Page, count: int) -> None:
    expect(page.locator(f".calibviz-explorer:has({LIVE.split(' ', 1)[1]})")).to_have_count(count)
    expect(page.locator(".calibviz-still").locator("visible=true")).to_have_count(0)
    expect(page.locator(".jp-RenderedImage").locator("visible=true")).to_have_count(0)


def expect_still(page: Page, count: int) -> None:
    """Expect pictures, each with a sentence that can be seen, and no error."""
    sentences = page.get_by_text(STILL).locator("visible=true")
    expect(sentences).to_have_count(count)
    pictures = page.locator(".jp-RenderedImage img").locator("visible=true")
    expect(pictures).to_have_count(count)
    assert all(width > 0 for width in pictures.evaluate_all("all => all.map((one) => one.naturalWidth)"))
    expect(page.get_by_text("model not found").locator("visible=true")).to_have_count(0)


def test_a_notebook_without_its_kernel_shows_stills(jupyter: LabPages) -> None:
    page = jupyter(CELLS, viewport={"width": 1400, "height": 6000})
    expect_live(page, len(CELLS))
    page = jupyter.reopen(page)
    page.set_viewport_size({"width": 1400, "height": 6000})
    expect(page.get_by_text("model not found")).to_have_count(len(CELLS))
    expect_still(page, len(CELLS))
    errors = [error for error in jupyter.errors if GONE not in error]
    assert errors and all(ERROR in error for error in errors)
    jupyter.errors.clear()
    assert jupyter.run(page) == []
    expect_live(page, len(CELLS))


def test_a_notebook_that_is_not_trusted_shows_stills(lab: LabPages) -> None:
    page = lab([CELLS[0]])
    expect_live(page, 1)
    (file,) = (path for path in lab.server.notebooks.iterdir() if path.stem in page.url)
    notebook = json.loads(file.read_text())
    notebook["cells"][0]["source"] += "  # changed by someone"
    file.write_text(json.dumps(notebook))
    page = lab.reopen(page)
    expect_still(page, 1)
    expect(page.get_by_text("Explorer: ", exact=False).locator("visible=true").first).to_be_visible()


@pytest.fixture(scope="module")
def saved() -> nbformat.NotebookNode:
    """A notebook with a view, as it is saved."""
    cell = nbformat.v4.new_code_cell("import calibviz as cv\ncv.SimulationLab()")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    return NotebookClient(notebook, timeout=300, store_widget_state=False).execute()


@pytest.mark.parametrize("template", ["lab", "classic", "basic"])
def test_a_page_made_of_a_notebook_says_that_its_picture_is_still(
    browser: Browser, saved: nbformat.NotebookNode, template: str, tmp_path: Path
) -> None:
    """By nbconvert, with a template of it that nbviewer uses, too: "basic"."""
    file = tmp_path / "page.html"
    file.write_text(HTMLExporter(template_name=template).from_notebook_node(saved)[0], encoding="utf-8")
    context = browser.new_context()
    context.route("**", lambda route: route.continue_() if route.request.url == file.as_uri() else route.abort())
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.get_by_text(STILL)).to_be_visible()
    expect(page.locator("img")).to_be_visible()
    assert page.locator("img").evaluate("image => image.naturalWidth > 1000")
    context.close()


def test_wherever_a_view_is_shown_it_is_shown_alone(lab: LabPages) -> None:
    page = lab(
        [
            "import calibviz as cv, ipywidgets\ncv.SimulationLab()",
            "display(cv.SimulationLab())\n'said after it'",
            "out = ipywidgets.Output()\nwith out:\n    display(cv.SimulationLab())\nout",
            "ipywidgets.VBox([cv.SimulationLab()])",
        ],
        viewport={"width": 1400, "height": 8000},
    )
    expect_live(page, 4)
    expect(page.get_by_text("'said after it'").last).to_be_visible()


def test_voila_shows_the_live_view_alone(voila: LabPages) -> None:
    page = voila([CELLS[0]])
    expect_live(page, 1)
    expect(page.locator(".calibviz-still, .jp-RenderedImage")).to_have_count(0)


def test_what_held_a_view_is_laid_out_as_before_once_it_has_gone(lab: LabPages) -> None:
    page = lab([CELLS[0]])
    expect_live(page, 1)
    cell = page.locator(".jp-Cell.calibviz-holder")
    expect(cell).to_have_css("overflow", "visible")
    page.evaluate("window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    expect(page.locator(".calibviz-explorer, .calibviz-holder")).to_have_count(0)


def test_a_long_view_stands_as_a_whole_above_what_follows(notebook: LabPages) -> None:
    """Notebook 7 puts outputs that are longer than its page into a box of 24 lines that scrolls."""
    page = notebook([CELLS[0]], viewport={"width": 500, "height": 600})
    expect_live(page, 1)
    heights = """() => {
        const cell = document.querySelector(".jp-Cell.calibviz-holder");
        return [cell.querySelector(".calibviz-explorer").clientHeight, cell.clientHeight, cell.scrollHeight];
    }"""
    page.wait_for_function(f"() => ({heights})()[0] > 1000")
    view, room, content = page.evaluate(heights)
    assert view < room and content < room + 50
