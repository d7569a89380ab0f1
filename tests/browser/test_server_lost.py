"""A page whose server has ended asks nothing more of its port, and one whose kernel is frozen says so."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from commands import COMMAND, SERVE, Running, User, until
from impostor import Impostor
from playwright.sync_api import Browser, Page, expect

from calibviz.explorer.view.page.stopped import BUSY, ENDED_COMMAND, FROZEN, SILENT, STOPPED

from .explorer import HAS_CHANGED, control, open_drawer, shown
from .pages import of_a_shared_machine
from .test_server_origin import open_page
from .test_stopped import COUNT_VEILS

#: Seconds in which the page used to ask for its kernel again and again, and to open its websocket.
LONG = 10
#: Five seconds and a beat, and what a shared machine takes.
SOON = 1000 * of_a_shared_machine(6)

EXPLORER = "from calibviz.app.demo import demo\npage = demo('', 'calibviz demo')\npage"

#: Everything that a page can send by itself, and what the browser says of it.
ASK_BY_ALL_MEANS = """async () => {
    const tried = {};
    const say = (name, work) => work.then(() => (tried[name] = "sent"), () => (tried[name] = "refused"));
    const loads = (kind, given) => new Promise((onload, onerror) => {
        const one = Object.assign(document.createElement(kind), given, { onload, onerror });
        document.body.append(one);
    });
    const base = document.body.dataset.baseUrl;
    const opens = () => new Promise((onopen, onerror) => {
        Object.assign(new WebSocket(`ws://${location.host}${base}api/kernels/x/channels`), { onopen, onerror });
    });
    const asks = () => new Promise((onload, onerror) => {
        const one = Object.assign(new XMLHttpRequest(), { onload, onerror });
        one.open("GET", base);
        one.send();
    });
    window.dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
    await Promise.all([
        say("fetch", fetch(`${base}api/kernels`)),
        say("fetch of another realm", (async () => {
            const frame = document.body.appendChild(document.createElement("iframe"));
            return frame.contentWindow.fetch(base);
        })()),
        say("XMLHttpRequest", asks()),
        say("WebSocket", opens()),
        say("image", loads("img", { src: `${base}a.png` })),
        say("script", loads("script", { src: `${base}a.js` })),
        say("style", loads("link", { rel: "stylesheet", href: `${base}a.css` })),
        say("module", import(`${base}a.mjs`)),
        say("module of a widget", import(URL.createObjectURL(new Blob([""], { type: "text/javascript" })))),
        say("worker", navigator.serviceWorker.register(`${base}worker.js`)),
    ]);
    navigator.sendBeacon(`${base}beacon`);
    return tried;
}"""


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def wait_until_drawn(page: Page) -> None:
    page.wait_for_selector(".calibviz-reliability path.line[d]", state="attached")


def say_ended(page: Page, running: Running) -> None:
    command = " ".join(["calibviz", *running.process.args[len(COMMAND) :]])
    expect(page.locator(".calibviz-veil")).to_have_text(ENDED_COMMAND.format(command=command).replace("`", ""))
    assert page.locator(".calibviz-explorer").evaluate("one => one.closest('[inert]') !== null")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_whoever_takes_the_port_gets_nothing(browser: Browser, user: User, number: signal.Signals) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running, open_page(browser, running.url) as (page, _):
        wait_until_drawn(page)
        address = urlsplit(page.url)
        cookie = page.context.cookies(page.url)[0]["value"]
        running.process.send_signal(number)
        with Impostor(address.port) as impostor:
            say_ended(page, running)
            begun = time.monotonic()
            refused = page.evaluate(ASK_BY_ALL_MEANS)
            assert set(refused.values()) == {"refused"}, refused
            until(lambda: time.monotonic() - begun > LONG)
            assert impostor.heard == []
            say_ended(page, running)
            # A reload is the user's own request, but tells nothing either.
            page.reload()
            until(lambda: impostor.heard)
            assert page.inner_text("body") == impostor.PAGE
            said = b"".join(impostor.heard)
            assert said.startswith(b"GET / HTTP/1.1\r\n")
            for secret in (cookie, address.path.strip("/"), running.url.partition("=")[2], "Cookie"):
                assert secret.encode() not in said


def test_a_page_that_is_closed_later_says_nothing(browser: Browser, user: User) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running, open_page(browser, running.url) as (page, _):
        wait_until_drawn(page)
        running.process.kill()
        with Impostor(urlsplit(page.url).port) as impostor:
            say_ended(page, running)
            page.goto("about:blank")
            page.close()
            assert impostor.heard == []


def test_a_server_that_comes_back_has_nothing_to_do_with_the_page(browser: Browser, user: User) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running, open_page(browser, running.url) as (page, _):
        wait_until_drawn(page)
        port = urlsplit(page.url).port
        assert running.end() == (0, "")
        with user.start(*COMMAND, "demo", "--no-browser", "--port", str(port)) as again:
            say_ended(page, running)
            other = page.context.new_page()
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            other.goto(again.url)
            wait_until_drawn(other)
            expect(other.locator(".calibviz-veil")).to_have_count(0)
            say_ended(page, running)
            assert asked == []
            assert len(again.kernels()) == 1
            assert again.end() == (0, "")


def test_a_page_asks_its_server_by_its_websocket_alone(browser: Browser, user: User) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running, open_page(browser, running.url) as (page, _):
        wait_until_drawn(page)
        page.wait_for_load_state("networkidle")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        begun = time.monotonic()
        until(lambda: time.monotonic() - begun > LONG / 2)
        assert asked == []


# A kernel that is frozen, or only busy


def read_bins(page: Page) -> str:
    return control(page, "bins").locator(".widget-readout").inner_text()


def test_a_frozen_kernel_is_told_until_it_goes_on(browser: Browser, user: User) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running, open_page(browser, running.url) as (page, _):
        wait_until_drawn(page)
        (kernel,) = running.kernels()
        veil = page.locator(".calibviz-veil")
        for _ in range(2):  # and again
            kernel.suspend()
            expect(veil).to_have_text(FROZEN, timeout=SOON)
            kernel.resume()
            expect(veil).to_have_count(0)
        open_drawer(page)
        before = shown(page)
        control(page, "bins").locator(".noUi-handle").press("ArrowRight")
        until(lambda: page.evaluate(HAS_CHANGED, [before, ["reliability"]]))
        assert running.end() == (0, "")


def test_a_kernel_that_computes_for_long_is_not_frozen(browser: Browser, user: User) -> None:
    """Not even where no other thread can run Python meanwhile."""
    work = "import ctypes\npage.children[1].view.state.observe(lambda _: ctypes.PyDLL(None).sleep(30), 'bins')"
    with user.start(*SERVE, "600", EXPLORER, work) as running, open_page(browser, running.url) as (page, _):
        wait_until_drawn(page)
        open_drawer(page)
        page.evaluate(COUNT_VEILS)
        control(page, "bins").locator(".noUi-handle").press("ArrowRight")
        waiting = page.locator(".calibviz-waiting")
        expect(waiting).to_have_text(BUSY)
        expect(waiting).to_have_count(0)
        assert page.evaluate("window.veils") == 0


def test_a_frozen_server_is_told_apart_from_a_frozen_kernel(browser: Browser, user: User) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running, open_page(browser, running.url) as (page, _):
        wait_until_drawn(page)
        veil = page.locator(".calibviz-veil")
        running.server().suspend()
        expect(veil).to_have_text(SILENT, timeout=SOON)
        running.server().resume()
        expect(veil).to_have_count(0)


def test_a_kernel_that_has_died_is_told_and_then_its_server(browser: Browser, user: User) -> None:
    with user.start(*COMMAND, "demo", "--no-browser") as running, open_page(browser, running.url) as (page, _):
        wait_until_drawn(page)
        running.kernels()[0].kill()
        expect(page.locator(".calibviz-veil")).to_have_text(STOPPED["voila"]["stopped"], timeout=SOON)
        running.process.kill()
        say_ended(page, running)
