"""The page of ``calibviz demo``: it draws, and follows a slider.

The server runs under the Python that the variable CALIBVIZ_PYTHON names, by default the one that runs the tests. So a
browser of this environment can look at what another one serves, such as one of the lowest versions.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from commands import User
from playwright.sync_api import Browser, ConsoleMessage, expect

from .explorer import open_drawer, open_explorer, open_measures, press, settle, shown, wait_for_change
from .pages import Pages, is_expected

IS_DARK = """(dark) => {
    const colour = getComputedStyle(document.querySelector(".calibviz-explorer")).color;
    return (colour.match(/\\d+/)[0] > 127) === dark && document.body.dataset.jpThemeLight === String(!dark);
}"""
PYTHON = str(Path(os.environ.get("CALIBVIZ_PYTHON", sys.executable)).absolute())


def test_demo_draws_and_follows_a_slider(browser: Browser, tmp_path: Path) -> None:
    complaints: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        expected = is_expected(message.location.get("url", "")) or "Content Security Policy" in message.text
        if message.type == "error" and not expected:  # the policy refuses style sheets on the web, on purpose
            complaints.append(message.text)

    command = [PYTHON, "-m", "calibviz.app", "demo", "--no-browser"]
    with User(tmp_path).start(*command) as running, browser.new_page(viewport={"width": 1400, "height": 1000}) as page:
        page.on("pageerror", lambda error: complaints.append(str(error.stack or error)))
        page.on("console", listen)
        page.goto(running.url)
        settle(page)
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1
        page.emulate_media(media="print")
        expect(page.locator(".calibviz-words")).to_be_visible()
        for pressed in ("actions", "share", "bar", "data"):
            expect(page.locator(f".calibviz-{pressed}")).to_be_hidden()
        page.emulate_media(media="screen")
        settle(page)
        open_drawer(page)
        open_measures(page)
        before = shown(page)
        assert before["reliability"].count("M") > 3  # paths that start somewhere: axes, bars, curves
        press("bins", "ArrowRight")(page)
        wait_for_change(page, before, ("reliability", "numbers table"))
        settle(page)
        for scheme, is_dark in (("dark", True), ("light", False)):
            page.emulate_media(color_scheme=scheme)  # the page follows the system
            page.wait_for_function(IS_DARK, arg=is_dark)
            for event, dark_by_then in (("beforeprint", False), ("afterprint", is_dark)):
                page.evaluate("event => window.dispatchEvent(new Event(event))", event)
                assert page.evaluate(IS_DARK, dark_by_then), event  # at once: the paper does not wait
        page.close()
        assert running.end() == (0, "")
    assert complaints == []


SEEN = """() => {
    window.seen = [];
    const look = () => {
        const views = [...document.querySelectorAll(".calibviz-explorer")];
        const visible = views.filter((view) => getComputedStyle(view).visibility !== "hidden");
        window.seen.push(visible.filter((view) => view.querySelector("svg path.line[d]")).length);
        requestAnimationFrame(look);
    };
    look();
}"""


IS_ALONE = """(told) => {
    const subjects = [...document.querySelectorAll(".calibviz-subject")];
    return subjects.length === 1 && subjects[0].innerText.includes(told) && !document.querySelector(".is-coming");
}"""


@pytest.mark.thorough
def test_the_old_picture_stays_until_the_next_data_is_drawn(voila: Pages) -> None:
    page = open_explorer(voila, "from calibviz.app.demo import demo\ndemo('')")
    page.evaluate(SEEN)
    for name in ("tumours", "heart", "digits"):
        page.locator(".calibviz-data button", has_text=name).click()
    page.wait_for_function(IS_ALONE, arg="the likeliest class")  # until then there may be one, another one, or two
    settle(page)
    assert min(page.evaluate("window.seen")) >= 1
    assert page.locator(".calibviz-swapped > [inert]").count() == 0
    open_drawer(page)
    open_measures(page)
    before = shown(page)
    press("bins", "ArrowRight")(page)
    wait_for_change(page, before, ("reliability", "numbers table"))
