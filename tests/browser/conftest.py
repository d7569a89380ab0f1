"""Real pages in a real browser: ``voila(cells)``, ``lab(cells)``, ``notebook(cells)``, or ``host(cells)`` for one
test in the first two. A test that has no need of a page of its own takes ``voila_stage``, ``stage`` for both, or
``light_or_dark``.

    def test_slider(voila):
        page = voila(["import calibviz as cv", "cv.Explorer(cv.load_dataset('digits'))"])
        page.locator(".calibviz-bins .noUi-handle").press("ArrowRight")

Each returns a Playwright page on which all cells have run. A cell that raises fails the test, and so does anything that
the page reports as an error, unless the test empties ``voila.errors``. ``open_report(path)`` opens a report, of which
``reports`` are some.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from .jupyter_servers import LAB, NOTEBOOK, VOILA, JupyterServer
from .pages import PATIENCE, LabPages, NotebookPages, Pages, VoilaPages, find_browser, launch
from .reports import Open
from .stage import Stage

HERE = Path(__file__).parent
EVERY_TIME = {"test_demo", "test_explorer", "test_report"}
ELSEWHERE = {"lab", "lab_stage", "notebook", "dark", "dark_stage"}  # fixtures and parameters
LONG = "a class with a name that is much longer than there is room for below an axis"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most pages to the thorough run: all but `EVERY_TIME` in a light page of Voila.

    Where others hold up the machine for seconds, try a test once more; the summary counts these as rerun.
    """
    for item in items:
        if HERE not in item.path.parents:
            continue
        params = (getattr(item, "callspec", None) and item.callspec.id) or ""
        if item.path.stem not in EVERY_TIME or ELSEWHERE & {*item.fixturenames, *params.split("-")}:
            item.add_marker(pytest.mark.thorough)
        if os.environ.get("CI"):
            item.add_marker(pytest.mark.flaky(reruns=1))


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


@pytest.fixture(scope="session")
def voila_page(browser: Browser, voila_server: JupyterServer) -> Iterator[Stage]:
    """One page of Voila for all tests that do not need their own."""
    stage = Stage(VoilaPages(browser, voila_server))
    yield stage
    stage.close()


@pytest.fixture(scope="session")
def dark_page(browser: Browser, voila_server: JupyterServer) -> Iterator[Stage]:
    """One dark page of Voila."""
    stage = Stage(VoilaPages(browser, voila_server), "dark")
    yield stage
    stage.close()


@pytest.fixture(scope="session")
def lab_page(browser: Browser, lab_server: JupyterServer) -> Iterator[Stage]:
    """The same of JupyterLab."""
    stage = Stage(LabPages(browser, lab_server))
    yield stage
    stage.close()


@pytest.fixture
def voila_stage(voila_page: Stage) -> Iterator[Stage]:
    """Show widgets in a page of Voila that stays open."""
    yield voila_page
    voila_page.clear()


@pytest.fixture
def dark_stage(dark_page: Stage) -> Iterator[Stage]:
    """Show widgets in a dark page of Voila that stays open."""
    yield dark_page
    dark_page.clear()


@pytest.fixture
def lab_stage(lab_page: Stage) -> Iterator[Stage]:
    """Show widgets in a page of JupyterLab that stays open."""
    yield lab_page
    lab_page.clear()


@pytest.fixture(params=["voila_stage", "lab_stage"], ids=["voila", "lab"])
def stage(request: pytest.FixtureRequest) -> Stage:
    """Run the test in a page of Voila that stays open, and again in one of JupyterLab."""
    found: Stage = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["voila_stage", "dark_stage"], ids=["light", "dark"])
def light_or_dark(request: pytest.FixtureRequest) -> Stage:
    """Run the test in a light page of Voila that stays open, and again in a dark one."""
    found: Stage = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def open_report(browser: Browser) -> Iterator[Open]:
    """Open a file; it may ask for nothing but itself, and complain of nothing."""
    contexts, complaints = [], []

    def opened(path: Path, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 1000}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda one: one.url == path.as_uri() or complaints.append(one.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports by name: one with everything in it, one of several models, and one of many classes with long names."""
    # Not before pytest collects: SciPy, which these load, has something to say of warnings.
    from efforts import spend_as_usual
    from report_pages import draw_few

    import calibviz as cv

    folder = tmp_path_factory.mktemp("reports")
    paths = {name: folder / f"{name}.html" for name in ("tumours", "models", "long names")}
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        spend_as_usual(patch, "most_judged")
        models, lens = cv.load_dataset("tumours"), "class malignant"
        parts = [0, 0.1, 0.5, 1]
        cv.report(models["naive Bayes"], lens=lens, categories=parts, path=paths["tumours"], progress=False)
        cuts = {"send home": (0.0, 0.1), "biopsy": (0.5, 1.0)}
        cv.compare(models, lens=lens, categories=cuts, path=paths["models"], progress=False)
        rng = np.random.default_rng(0)
        names = [f"{LONG} {i}" if i % 2 else f"{i}{'x' * 80}" for i in range(26)]
        fields = {LONG: rng.normal(size=300), "x" * 90: np.array(["y" * 90] * 300)}
        labels = rng.integers(26, size=300)
        p = cv.Predictions(rng.dirichlet(np.ones(26), 300), labels, class_names=names, fields=fields)
        likert = {LONG: (0.0, 0.2), "x" * 90: (0.2, 1.0)}
        cv.report(p, categories=likert, path=paths["long names"], progress=False)
    return paths
