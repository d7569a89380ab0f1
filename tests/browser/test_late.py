"""A page that is slow to load shows what was computed meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, expect

from .pages import PATIENCE, Pages

#: Its slow work begins when the page listens, and then writes a file.
CELL = """
import threading, time
from pathlib import Path
import calibviz as cv
from calibviz.explorer.model.jobs import Jobs

following = Jobs._next
Jobs._next = lambda jobs: following(jobs) if lab._transport._is_listening else None
lab = cv.SimulationLab()

def watch():
    while lab._jobs.current is not None or lab._working.value:
        time.sleep(0.02)
    Path({done!r}).touch()

threading.Thread(target=watch, daemon=True).start()
lab
"""
#: What draws plain widgets, such as the sign that work goes on.
PLAIN = re.compile(r"/widgets-manager8/static/(?!remoteEntry).*\.js")


def test_what_is_done_while_the_page_still_loads_is_shown(voila: Pages, tmp_path: Path) -> None:
    done = tmp_path / "done"
    notebook = voila.server.add_notebook([CELL.format(done=str(done))])
    page = voila._new_page({})
    held: list[Route] = []
    page.route(PLAIN, lambda route: route.continue_() if done.exists() else held.append(route))
    page.goto(f"{voila.server.url}/voila/render/{notebook}", wait_until="commit")
    until(page, done.exists)
    assert held
    for route in held:
        route.continue_()
    expect(page.locator(".calibviz-estimates path.line").first).to_be_attached()
    expect(page.locator(".calibviz-working .widget-html-content")).to_have_text("")


def until(page: Page, condition: Callable[[], Any]) -> None:
    """Wait for what the page does not tell, while it goes on."""
    for _ in range(20 * PATIENCE):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it never came")
