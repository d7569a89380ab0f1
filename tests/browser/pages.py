"""Notebooks as pages in a browser, and what the pages complain of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

from .jupyter_servers import JupyterServer

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Tests must not depend on the web: fonts and formulas that Jupyter's pages ask for there are refused at once.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]

#: What a page says, and may say, where a widget took longer to begin than anywidget waits: ours hear Python even so.
SLOW = "[anywidget] Failed to initialize model."

RUN_ALL_CELLS = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
    await panel.context.save();  // or a reloaded page would have no outputs
    return panel.context.model.toJSON().cells.flatMap((cell) => cell.outputs ?? [])
        .filter((output) => output.output_type === "error").map((output) => output.traceback.join("\\n"));
}"""

#: Counts in `window.unanswered` what a page has asked of its kernel and the kernel is not done with: all that it does
#: in answer is sent before it says that it is idle again. Messages are JSON, or parts of which the headers are.
COUNT_UNANSWERED = """(() => {
    const text = (data) => (typeof data === "string" ? data : new TextDecoder("latin1").decode(data));
    const ids = (data) => [...text(data).matchAll(/"msg_id": ?"([^"]+)"/g)].map(([, id]) => id);
    const unanswered = (window.unanswered = new Set());
    window.WebSocket = class extends WebSocket {
        constructor(...options) {
            super(...options);
            this.addEventListener("close", () => unanswered.clear());
            this.addEventListener("message", ({ data }) => {
                if ((data.byteLength ?? data.length) > 4096 || !/"execution_state": ?"idle"/.test(text(data))) return;
                ids(data).forEach((id) => unanswered.delete(id));
            });
        }
        send(data) {
            const [id] = ids(data.slice(0, 1024));
            if (id) unanswered.add(id);
            super.send(data);
        }
    };
})()"""

#: How long conditions are waited for, in seconds. To wait costs nothing where they come at once, on a quick machine.
PATIENCE = 240


def of_a_shared_machine(seconds: float) -> float:
    """Return how long may take what takes `seconds` alone, where others share the cores, be it beside these tests."""
    return 4 * seconds * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))


def find_browser() -> str | None:
    """Return where Chromium or Chrome is installed, if it is."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def launch(playwright: Playwright, path: str) -> Browser:
    """Start a browser that the web cannot disturb, and let `expect` wait as long as everything else does."""
    expect.set_options(timeout=1000 * PATIENCE)
    return playwright.chromium.launch(executable_path=path, args=ARGUMENTS)


@contextmanager
def lone_browser() -> Iterator[Browser]:
    """A browser without servers of Jupyter; where there is none, a test is left out, but for one of CI, which fails."""
    path = find_browser()
    if path is None:
        assert not os.environ.get("CI"), "no Chromium is installed"
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright, launch(playwright, path) as browser:
        yield browser


@contextmanager
def lone_page(address: str, width: int = 1366, height: int = 1000) -> Iterator[Page]:
    """A page in a browser of its own, which asks for nothing but what an address serves, and in which nothing fails."""
    with lone_browser() as browser:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(1000 * PATIENCE)
        left: list[str] = []
        known = (address, "blob:", "data:", "about:")
        page.on("request", lambda request: request.url.startswith(known) or left.append(request.url))
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        assert not left and not errors


def reload_slowly(page: Page) -> None:
    """Reload a page as one where every widget takes longer to begin than anywidget waits."""
    page.add_init_script("const limit = AbortSignal.timeout; AbortSignal.timeout = () => limit.call(AbortSignal, 0)")
    page.reload()


def is_expected(url: str) -> bool:
    """Tell whether a request that fails is no fault of ours."""
    address = urlsplit(url)
    return (
        address.hostname not in (None, "127.0.0.1")  # refused on purpose, see ARGUMENTS
        or address.path.endswith("/favicon.ico")  # Voila has none
        or address.path.startswith("/voila/api/shutdown/")  # Voila denies its own page this when it is left
        or address.path.startswith("/lab/api/workspaces/")  # JupyterLab saves its layout when it likes
    )


class Pages:
    """Opens notebooks in one kind of server, and collects what their pages complain of in `errors`."""

    host_errors: tuple[str, ...] = (SLOW,)  # what a page complains of whatever notebook it shows

    def __init__(self, browser: Browser, server: JupyterServer) -> None:
        self.errors: list[str] = []
        self.server = server
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def __call__(self, cells: Sequence[str] | Path, theme: str = "light", **options: Any) -> Page:
        """Open a page on which `cells` have run.

        Parameters
        ----------
        cells
            Code, one string per cell; or a notebook of the repository.
        theme
            ``"light"`` or ``"dark"``.
        options
            For Playwright's ``new_context``, such as ``viewport`` or ``reduced_motion``.
        """
        page = self._new_page({"viewport": {"width": 1400, "height": 1000}, **options})
        raised = self._open(page, self.server.add_notebook(cells), theme)
        if raised:
            pytest.fail("\n".join(raised))
        return page

    def _new_page(self, options: dict[str, Any]) -> Page:
        context = self._browser.new_context(**options)
        self._contexts.append(context)
        page = context.new_page()
        page.add_init_script(COUNT_UNANSWERED)
        page.set_default_timeout(1000 * PATIENCE)
        page.set_default_navigation_timeout(2000 * PATIENCE)  # Voila answers when all cells have run
        page.on("pageerror", lambda error: self._complain(str(error.stack or error)))
        page.on("console", self._listen)
        return page

    def _open(self, page: Page, notebook: str, theme: str) -> list[str]:
        """Open a notebook and run it; return what its cells raised."""
        raise NotImplementedError

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not is_expected(message.location.get("url", "")):
            self._complain(f"{message.text} ({message.location.get('url')})")

    def _complain(self, text: str) -> None:
        if not any(known in text for known in self.host_errors):
            self.errors.append(text)

    def close(self, may_complain: bool = False) -> None:
        """Close the pages, end their kernels, and fail if a page has complained, unless it may."""
        for context in self._contexts:
            context.close()
        self.server.stop_kernels()
        if self.errors and not may_complain:
            pytest.fail("errors in the browser:\n" + "\n".join(self.errors))


class VoilaPages(Pages):
    """Notebooks as Voila shows them."""

    def _open(self, page: Page, notebook: str, theme: str) -> list[str]:
        response = page.goto(f"{self.server.url}/voila/render/{notebook}?theme={theme}")
        assert response is not None and response.ok, page.content()
        return page.locator('[data-mime-type="application/vnd.jupyter.error"]').all_inner_texts()


class LabPages(Pages):
    """Notebooks as JupyterLab shows them."""

    def _address(self, notebook: str) -> str:
        # A workspace of its own, or Lab would open what earlier tests have left open.
        return f"lab/workspaces/{Path(notebook).stem}/tree/{notebook}"

    def _open(self, page: Page, notebook: str, theme: str) -> list[str]:
        self.server.write_setting("apputils-extension/themes", {"theme": f"JupyterLab {theme.capitalize()}"})
        page.goto(f"{self.server.url}/{self._address(notebook)}")
        page.wait_for_function("window.jupyterapp?.shell.currentWidget?.sessionContext")
        return self.run(page)

    def run(self, page: Page) -> list[str]:
        """Run all cells of a page and save it; return what they raised."""
        raised: list[str] = page.evaluate(RUN_ALL_CELLS)
        return raised

    def reopen(self, page: Page) -> Page:
        """End the kernel of a page, and open its notebook in another browser as it was saved; nothing of it is run."""
        url = page.url
        page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        page.context.close()
        page = self._new_page({"viewport": {"width": 1400, "height": 1000}})
        page.goto(url)
        page.wait_for_function("window.jupyterapp?.shell.currentWidget?.sessionContext")
        return page


class NotebookPages(LabPages):
    """Notebooks as Jupyter Notebook 7 shows them."""

    host_errors = (SLOW, "Cannot read properties of undefined (reading 'schema')")  # Notebook 7.6, at every start

    def _address(self, notebook: str) -> str:
        return f"notebooks/{notebook}"
