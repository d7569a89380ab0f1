"""A page that stays open for many tests: their cells run in its kernel one after the other, and it shows the last.

A page of its own takes a test five seconds of two cores, nearly all of them to start a kernel and to load Jupyter.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from playwright.sync_api import Page

from .pages import Pages

CELL = """
import ast, html, json, pathlib, traceback
import ipywidgets
from ipywidgets.widgets.widget import _instances
from calibviz.answers.asked import effort

def clear():
    effort.USUAL = effort.Effort()  # a test may have set it
    for old in box.children:
        old.close()
    box.children = ()
    for name in [name for name in _instances if name not in kept]:
        if name in _instances:  # closing a widget may close others
            _instances[name].close()

def show(file):
    names = {"__name__": "__main__"}
    *cells, last = json.loads(pathlib.Path(file).read_text())
    for cell in cells:
        exec(cell, names)
    *lines, shown = ast.parse(last).body
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    box.children = [eval(compile(ast.Expression(shown.value), "cell", "eval"), names)]

def run(change):
    try:
        clear()
        told.value = change.new
        if change.new:
            show(change.new)
            told.value = "ran " + change.new
    except Exception:
        told.value = f"raised <pre>{html.escape(traceback.format_exc())}</pre>"

box, told, play = ipywidgets.VBox(), ipywidgets.HTML(), ipywidgets.Text(continuous_update=False)
for widget, name in ((box, "stage"), (told, "told"), (play, "play")):
    widget.add_class(f"test-{name}")
stage = ipywidgets.VBox([play, told, box])
kept = set(_instances)
play.observe(run, "value")
stage
"""
IS_EMPTY = "() => document.querySelector('.test-stage').childElementCount === 0"


class Stage:
    """Shows widgets in one page of `pages`, one test's after another's; takes the place of `pages` in a test."""

    def __init__(self, pages: Pages, theme: str = "light") -> None:
        self._pages = pages
        self._theme = theme
        self._page: Page | None = None
        self._plays = 0

    def __call__(self, cells: Sequence[str], viewport: dict[str, int] | None = None) -> Page:
        """Run `cells` with names of their own, and show what the last one ends with, which is a widget."""
        if self._page is None:
            self._page = self._pages([CELL], theme=self._theme)
            self._page.wait_for_selector(".test-stage", state="attached")
            self._pages.server.keep_kernels()
        self._page.set_viewport_size({"width": 1400, "height": 1000, **(viewport or {})})  # type: ignore[typeddict-item]
        self._plays += 1
        file = self._pages.server.folder / f"play-{self._plays}.json"
        file.write_text(json.dumps(list(cells)), encoding="utf-8")
        self._play(self._page, str(file), "ran")
        return self._page

    def _play(self, page: Page, text: str, answer: str) -> None:
        field = page.locator(".test-play input")
        field.fill(text)
        field.press("Enter")
        told = "document.querySelector('.test-told .widget-html-content').innerText"
        page.wait_for_function(f"() => /^({answer}|raised)/.test({told})")
        said: str = page.evaluate(told)
        if said.startswith("raised"):
            pytest.fail(said)

    def clear(self) -> None:
        """Take everything away that a test has shown, and fail if the page has complained."""
        if self._page is None:
            return
        try:
            self._page.mouse.move(0, 0)
            self._play(self._page, "", "$")
            self._page.wait_for_function(IS_EMPTY)
        except BaseException:
            self.close()
            raise
        complaints = list(self._pages.errors)
        self._pages.errors.clear()
        if complaints:
            pytest.fail("errors in the browser:\n" + "\n".join(complaints))

    def close(self) -> None:
        """Close the page, and end its kernel; the next test opens another."""
        self._page = None
        self._pages.server.kept.clear()
        self._pages.close()
