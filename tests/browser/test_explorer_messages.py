"""A step of a slider costs two messages, whatever number of panels it changes: the first panel, and the rest."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from .explorer import (
    ALL,
    DIGITS,
    TALL,
    Act,
    choose,
    open_explorer,
    open_measures,
    press,
    settle,
    shown,
    wait_for_change,
)
from .pages import Pages

COUNT = """
import json, ipywidgets
from ipywidgets.widgets.widget import _instances

sent = []

def tap(comm):
    send = comm.send
    def tapped(data=None, *args, **kwargs):
        sent.append(data["method"])
        return send(data, *args, **kwargs)
    comm.send = tapped

explorer._controls.open()  # what is in the drawer is made when it is opened
explorer._controls.close()
quiet = [explorer._working]  # what says that there is work going on does so at any time
for widget in list(_instances.values()):
    if widget not in quiet:
        tap(widget.comm)

def without_counting(tell):
    def quiet():
        counted = len(sent)
        tell()
        del sent[counted:]
    return quiet

# Slow work speaks when it is ready, and says at any time how far it is.
explorer._engine.jobs._tell = without_counting(explorer._engine.jobs._tell)
explorer._say_progress = without_counting(explorer._say_progress)
told = ipywidgets.HTML("0 []")
told.add_class("test-told")
ask = ipywidgets.Button(description="ask")
ask.add_class("test-ask")
def tell(_):
    told.value = f"{int(told.value.split()[0] or 0) + 1} {json.dumps(sent)}"
    sent.clear()
ask.on_click(tell)
ipywidgets.VBox([ask, told, explorer])
"""


def messages(page: Page) -> str:
    """The kinds of messages that the kernel has sent since it was asked last."""
    told = page.locator(".test-told")
    before = told.inner_text()
    page.locator(".test-ask").click()
    expect(told).not_to_have_text(before)
    return told.inner_text().split(" ", 1)[1]


STEPS: list[tuple[str, Act, tuple[str, ...], int]] = [
    ("bins", press("bins", "ArrowRight"), ("reliability", "recalibration"), 2),
    ("knots", press("knots", "ArrowRight"), ("reliability", "recalibration"), 2),
    ("norm", choose("norm", "maximum"), ("numbers table",), 1),  # it leaves the first panel as it is
    ("confidence", press("confidence", "PageDown", which=1), ("reliability", "difference", "recalibration"), 2),
    ("lens", choose("kind", "rank"), ("reliability", "difference", "recalibration"), 2),
]


@pytest.mark.parametrize("cell", [DIGITS, ALL], ids=["four panels", "all panels"])
def test_the_first_panel_is_one_message_and_the_rest_another(voila: Pages, cell: str) -> None:
    page = open_explorer(voila, cell + COUNT, viewport=TALL)
    open_measures(page)
    for name, act, pictures, count in STEPS:
        settle(page)
        messages(page)
        before = shown(page)
        act(page)
        wait_for_change(page, before, pictures)
        # After them the other pages are told of the control.
        assert (name, messages(page)) == (name, json.dumps([*["custom"] * count, "echo_update"]))
