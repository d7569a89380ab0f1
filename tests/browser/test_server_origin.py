"""The page of the command in a real browser: what it shows under its policy, what it leaves, what others get of it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from commands import COMMAND, SECONDS, SERVE, WHO, Running, User, kernel_of, until, wait_until_ended
from playwright.sync_api import Browser, Error, Page

from .explorer import HAS_CHANGED, control, shown

SECRET = "the words of a private file"
OUTPUT = ".jp-OutputArea-output"


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@contextmanager
def open_page(browser: Browser, url: str) -> Iterator[tuple[Page, list[str]]]:
    """A page in a browser of its own, and what it complains of."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error.stack or error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.goto(url)
    yield page, complaints
    context.close()


def test_explorer_works_under_its_policy(browser: Browser, user: User) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running:
        with open_page(browser, running.url + "&bins=20") as (page, complaints):
            page.wait_for_selector(".calibviz-reliability path.line[d]", state="attached")
            # The token has left the address, which soon follows what is shown.
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\w+/\?(data=heart&)?bins=20", page.url)
            page.locator(".calibviz-advanced").click()
            control(page, "bins").locator(".noUi-handle").wait_for()
            assert control(page, "bins").locator(".widget-readout").inner_text() == "20"
            before = shown(page)
            control(page, "bins").locator(".noUi-handle").press("ArrowRight")
            # The policy forbids the script with which Playwright waits for a function, so it is asked again and again.
            until(lambda: page.evaluate(HAS_CHANGED, [before, ["reliability"]]))
            assert page.evaluate("document.cookie") == ""
            opened = page.evaluate("performance.getEntriesByType('navigation')[0].name")
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\w+/\?bins=20", opened)
            # Script that finds its way into the page does nothing.
            page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x: onerror=\"window.ran = 1\">')")
            page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'ran = 1'}))")
            page.evaluate("new Promise((done) => setTimeout(done))")
            assert page.evaluate("window.ran") is None
            expected = ("violates the following Content Security Policy", "failed: x:", "ERR_UNKNOWN_URL_SCHEME")
            assert [one for one in complaints if not any(known in one for known in expected)] == []
            assert [one for one in complaints if "inline" in one]  # the two above, and nothing before them
        assert running.end() == (0, "")


def test_a_page_ends_its_kernel_as_it_is_left(browser: Browser, user: User) -> None:
    with user.start(*SERVE, "600", WHO) as running:
        with open_page(browser, running.url) as (page, complaints):
            page.locator(OUTPUT).first.wait_for()
            page.wait_for_load_state("networkidle")  # what is still asked for when a page is left has failed
            first = kernel_of(page.inner_text("body"))
            page.reload()
            page.locator(OUTPUT).first.wait_for()
            page.wait_for_load_state("networkidle")
            second = kernel_of(page.inner_text("body"))
            assert second != first
            wait_until_ended(first)
            page.goto("about:blank")
            wait_until_ended(second)
            page.goto(running.url, wait_until="commit")
            page.locator(OUTPUT).first.wait_for()
            page.wait_for_load_state("networkidle")
            third = kernel_of(page.inner_text("body"))
            page.close()
            wait_until_ended(third)
            # A page that is gone does not wait for the answer to its last request, which has ended its kernel.
            assert [complaint for complaint in complaints if "/voila/api/shutdown/" not in complaint] == []
        assert running.kernels() == []
        assert running.end() == (0, "")


def test_a_page_that_is_closed_early_leaves_no_kernel(browser: Browser, user: User) -> None:
    note = user.home / "note"
    busy = f"import pathlib, time\npathlib.Path({str(note)!r}).touch()\ntime.sleep(600)"
    with user.start(*SERVE, "600", busy) as running, open_page(browser, "about:blank") as (page, _):
        page.goto(running.url, wait_until="commit")
        until(note.exists)
        page.close()
        until(lambda: running.kernels() == [])


# Pages of others

ATTACK = """async (target) => {
    const got = {};
    const tried = async (name, work) => {
        try { got[name] = String(await work()); } catch (error) { got[name] = `refused: ${error.name ?? error.type}`; }
    };
    const later = (seconds) => new Promise((done) => setTimeout(() => done("nothing"), 1000 * seconds));
    const loaded = (kind, source) => new Promise((done, failed) => {
        const heard = { onload: () => done("loaded"), onerror: failed };
        document.body.append(Object.assign(document.createElement(kind), { ...heard, src: source }));
    });
    window.messages = [];
    addEventListener("message", ({ data }) => messages.push(JSON.stringify(data)));
    for (const [name, url] of Object.entries(target)) {
        for (const mode of ["cors", "no-cors"]) {
            await tried(`${mode} ${name}`, async () => (await fetch(url, { credentials: "include", mode })).text());
        }
        await tried(`script ${name}`, () => loaded("script", url));
        await tried(`img ${name}`, () => loaded("img", url));
        await tried(`iframe ${name}`, async () => {
            const frame = document.createElement("iframe");
            frame.src = url;
            document.body.append(frame);
            await Promise.race([new Promise((done) => { frame.onload = done; }), later(3)]);
            return frame.contentDocument?.body.innerText ?? `refused: ${frame.contentWindow.length}`;
        });
        await tried(`post ${name}`, async () => {
            const answer = await fetch(url, { method: "POST", credentials: "include", mode: "no-cors" });
            return `refused: ${answer.type}`;
        });
        await tried(`websocket ${name}`, () => new Promise((done, failed) => {
            const socket = new WebSocket(url.replace("http", "ws"), "v1.kernel.websocket.jupyter.org");
            Object.assign(socket, { onopen: () => done("opened"), onerror: failed });
        }));
    }
    return got;
}"""


def opened(page: Page, url: str) -> str:
    """What a page reads in a window that it has opened, once that is loaded and its scripts have run."""
    with page.expect_popup() as popup:
        window = page.evaluate_handle("(url) => window.open(url)", url)
    popup.value.wait_for_load_state()
    try:
        return str(page.evaluate("(window) => window.document.body.innerText", window))
    except Error as refused:
        return f"refused: {refused}"
    finally:
        popup.value.close()


class Elsewhere:
    """A server of somebody else's, and what browsers have told it."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        heard = self.heard

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                heard.append(f"{self.path} {self.headers}")
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!DOCTYPE html><title>elsewhere</title><body>")

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    server = Elsewhere()
    yield server
    server.close()


@pytest.fixture
def running(user: User) -> Iterator[Running]:
    private = user.home / "private"
    private.write_text(SECRET, encoding="utf-8")
    read = f"import pathlib\n{WHO}\nprint(pathlib.Path({str(private)!r}).read_text())"
    with user.start(*SERVE, "600", read) as running:
        yield running


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_pages_of_others_get_nothing(browser: Browser, running: Running, elsewhere: Elsewhere, name: str) -> None:
    """Neither on another port, which browsers take for the same site, nor under the other name of this machine.

    The page of others is in the same browser as the Explorer, and knows its whole address but for the token.
    """
    with open_page(browser, running.url) as (page, _):
        page.locator(OUTPUT).first.wait_for()
        assert SECRET in page.inner_text("body")
        before = {kernel.pid for kernel in running.kernels()}
        config = json.loads(page.inner_text("#jupyter-config-data") or page.text_content("#jupyter-config-data") or "")
        address, port = urlsplit(page.url), urlsplit(page.url).port
        script = "%3Cscript%3Eopener.postMessage(document.body.innerText,%22*%22)%3C/script%3E"
        target = {}
        for host in ("127.0.0.1", "localhost"):
            root = f"http://{host}:{port}"
            target |= {
                f"{host} /": f"{root}/?theme={script}",
                f"{host} page": f"{root}{address.path}?theme={script}",
                f"{host} file": f"{root}{address.path}voila/static/voila.js",
                f"{host} model": f"{root}{address.path}api/kernels/{config['kernelId']}",
                f"{host} channels": f"{root}{address.path}api/kernels/{config['kernelId']}/channels",
                f"{host} end": f"{root}{address.path}voila/api/shutdown/{config['kernelId']}",
            }
        other = page.context.new_page()
        other.set_default_timeout(1000 * SECONDS)
        other.goto(f"http://{name}:{elsewhere.port}/")
        got = other.evaluate(ATTACK, target) | {f"window {name}": opened(other, url) for name, url in target.items()}
        assert other.evaluate("messages.join()") == ""
        assert SECRET not in json.dumps(got)
        given = {key: value for key, value in got.items() if value and not value.startswith("refused: ")}
        assert given == {}
        assert SECRET in page.inner_text("body")  # and the page is as it was
        assert {kernel.pid for kernel in running.kernels()} == before
        cookie = page.context.cookies(page.url)[0]["value"]
        assert elsewhere.heard and not [one for one in elsewhere.heard if cookie in one]
        # The link itself may be followed from anywhere.
        other.evaluate("(url) => { location = url; }", running.url)
        other.wait_for_url(re.compile(rf"http://127\.0\.0\.1:{port}/\w+/"))
        other.locator(OUTPUT).first.wait_for()
