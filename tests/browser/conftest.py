"""Real pages in a real browser: ``voila(cells)``, ``lab(cells)``, ``notebook(cells)``, or ``host(cells)`` for one
test in the first two.

    def test_slider(voila):
        page = voila(["import calibviz as cv", "cv.Explorer(cv.load_dataset('digits'))"])
        page.locator(".calibviz-bins .noUi-handle").press("ArrowRight")

Each returns a Playwright page on which all cells have run. A cell that raises fails the test, and so does anything that
the page reports as an error, unless the test empties ``voila.errors``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from .jupyter_servers import LAB, NOTEBOOK, VOILA, JupyterServer
from .pages import LabPages, NotebookPages, Pages, VoilaPages, find_browser, launch


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium or Chrome as it is installed on this machine."""
    path = find_browser()
    if path is None:
        report = pytest.fail if os.environ.get("CI") else pytest.skip
        report("no browser: install Chrome, or chromium (on Debian and Ubuntu: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = launch(playwright, path)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def voila_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """One Voila for all tests."""
    server = JupyterServer(VOILA, tmp_path_factory.mktemp("voila"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """One JupyterLab for all tests."""
    server = JupyterServer(LAB, tmp_path_factory.mktemp("lab"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def notebook_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """One Jupyter Notebook for all tests."""
    server = JupyterServer(NOTEBOOK, tmp_path_factory.mktemp("notebook"))
    yield server
    server.stop()


@pytest.fixture
def voila(browser: Browser, voila_server: JupyterServer) -> Iterator[Pages]:
    """Open notebooks in Voila."""
    pages = VoilaPages(browser, voila_server)
    yield pages
    pages.close()


@pytest.fixture
def lab(browser: Browser, lab_server: JupyterServer) -> Iterator[Pages]:
    """Open notebooks in JupyterLab."""
    pages = LabPages(browser, lab_server)
    yield pages
    pages.close()


@pytest.fixture
def notebook(browser: Browser, notebook_server: JupyterServer) -> Iterator[Pages]:
    """Open notebooks in Jupyter Notebook 7."""
    pages = NotebookPages(browser, notebook_server)
    yield pages
    pages.close()


@pytest.fixture(params=["voila", "lab"])
def host(request: pytest.FixtureRequest) -> Pages:
    """Run the test in Voila and again in JupyterLab."""
    pages: Pages = request.getfixturevalue(request.param)
    return pages
