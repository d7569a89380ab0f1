"""Slow work in a page: what runs is named and timed, and a button cancels it, by keyboard and by mouse."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Page, expect

from calibviz.explorer.view.page.busy import REACTION

from .explorer import control, open_explorer, open_measures, settle, share
from .pages import Pages, of_a_shared_machine

# A calibrator that takes minutes stands in for one on many samples.
SLOW = """
import time
from dataclasses import replace
import calibviz as cv
from calibviz.foundation.cancellation import check
from calibviz.recalibration.registry import CALIBRATORS

class Slow(cv.Temperature):
    def _fit(self, predictions):
        ends = time.monotonic() + 200
        while time.monotonic() < ends:
            time.sleep(0.01)
            check()

CALIBRATORS["dirichlet"] = replace(CALIBRATORS["dirichlet"], make=Slow)
explorer = cv.Explorer(
    cv.load_dataset("digits")["naive Bayes"], calibrator="dirichlet", calibrators=("temperature",),
    panels=("reliability", "recalibration", "sensitivity", "comparison"),
)
explorer
"""
WORKING = ".calibviz-working"
NUMBERS = ".calibviz-numbers"
CANCELLED = "Fitting dirichlet was cancelled. Choose it again to start over."


def after_numbers(page: Page) -> int:
    """How many columns stand beside those of the measures and of the model as it is."""
    return page.locator(f"{NUMBERS} thead th").count() - 2


def test_a_slow_fit_is_in_nobodys_way_and_ends_when_it_is_told_to(voila: Pages) -> None:
    page = open_explorer(voila, SLOW)
    open_measures(page)
    cancel, retry = (page.get_by_role("button", name=name, exact=True) for name in ("Cancel", "Retry"))
    expect(page.locator(".calibviz-panel-comparison")).to_contain_text("Grey: no more")  # what is quick has come by
    expect(page.locator(WORKING)).to_contain_text("fitting dirichlet …")
    expect(cancel).to_have_attribute("title", "Cancel fitting dirichlet")
    expect(page.locator(WORKING)).to_contain_text(re.compile(r"\d s"))
    before = page.locator(WORKING).inner_text()
    expect(page.locator(WORKING)).not_to_have_text(before)  # the seconds go by
    expect(page.locator(f"{WORKING} progress")).to_have_attribute("aria-label", "fitting dirichlet")
    expect(page.locator(NUMBERS)).to_contain_text("Fitting dirichlet …")

    cancel.focus()
    page.keyboard.press("Enter")
    start = time.monotonic()
    expect(page.locator(NUMBERS)).to_contain_text(CANCELLED)
    expect(page.locator(".calibviz-panel-recalibration")).to_contain_text(CANCELLED)
    assert time.monotonic() - start < of_a_shared_machine(1)
    expect(page.locator(f"{WORKING} [role=status]")).to_have_text("Cancelled: fitting dirichlet")
    expect(retry).to_be_focused()  # it is the same button
    assert after_numbers(page) == 0

    retry.press("Space", delay=1000 * REACTION)  # let go of that late: a click at once would be meant for “Cancel”
    expect(page.locator(NUMBERS)).to_contain_text("Fitting dirichlet …")
    expect(cancel).to_be_visible()
    control(page, "calibrator").locator("select").select_option("temperature")
    settle(page)
    assert after_numbers(page) == 1
    expect(cancel).to_be_hidden()
    share(page, "code")
    expect(page.locator(".calibviz-code pre")).to_contain_text("temperature")
