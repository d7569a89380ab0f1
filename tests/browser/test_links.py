"""A link of a page that shows a file: it opens the file with the same choices in another process, in another folder."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from commands import Running, User
from playwright.sync_api import Browser, Page, expect

from .pages import PATIENCE

COMMAND = [sys.executable, "-m", "calibviz.app"]
CHOICES = "lens=class+no&bins=9&selection=age+%3E+30"
ROWS = "".join(f"{(i % 17) / 17:.4f},{'yes' if i % 3 else 'no'},{20 + i % 50}\n" for i in range(200))


def opened(browser: Browser, running: Running) -> Page:
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(running.line.partition(" is at ")[2].split()[0])  # with the choices behind the token
    return page


def seen(page: Page) -> tuple[str, str]:
    """The words of the page once all is known, and the query of its address, which follows the choices a bit later."""
    expect(page.locator(".calibviz-words")).to_contain_text("looked at", timeout=1000 * PATIENCE)
    page.wait_for_function("() => location.search.startsWith('?file=my%20rows.csv&lens=')")
    return page.locator(".calibviz-words").inner_text(), page.evaluate("() => location.search")


def test_a_link_opens_its_file_elsewhere_with_the_same_choices(browser: Browser, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    (here / "my rows.csv").write_text(f"score,y,age\n{ROWS}", encoding="utf-8")
    sender, receiver = User(here), User(there)
    given = ["explore", "my rows.csv", "--positive", "yes", "--no-browser"]
    with sender.start(*COMMAND, *given, "--link", f"?{CHOICES}") as running:
        page = opened(browser, running)
        here_seen = seen(page)
        page.locator(".calibviz-share > button").click()
        page.locator(".calibviz-leave button", has_text="link").click()
        expect(page.locator(".calibviz-code pre")).to_contain_text("--link")
        command = page.locator(".calibviz-code pre").inner_text()
        page.close()
        running.end()
    _, address = here_seen
    assert "file=my%20rows.csv" in address and "lens=class+no" in address
    program, *line = shlex.split(command)
    assert program == "calibviz" and str(here) not in command

    # The command, where the file is.
    shutil.copy(here / "my rows.csv", there)
    with receiver.start(*COMMAND, *line, "--no-browser") as running:
        page = opened(browser, running)
        assert seen(page) == here_seen
        page.close()
        running.end()

    # The address, where nothing is opened yet: it says which file is meant, and opens none by itself.
    with receiver.start(*COMMAND, "explore", "--no-browser", "--link", f"http://127.0.0.1:1/x/{address}") as running:
        page = opened(browser, running)
        expect(page.locator(".calibviz-opening .said")).to_contain_text("Open “my rows.csv”")
        page.locator(".calibviz-file-drop input").set_input_files(there / "my rows.csv")
        page.get_by_role("button", name="explore", exact=True).click()
        assert seen(page) == here_seen
        page.close()
        running.end()
