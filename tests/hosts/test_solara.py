"""Solara, which has Jupyter's widgets and saves nothing: the Explorer is live there, and stands alone."""

from __future__ import annotations

import pytest
from browser.explorer import control, shown, wait_for_change
from playwright.sync_api import expect

from .conftest import Served

DISPLAYED = """
import solara
import calibviz as cv
from calibviz.reports import Report

p = cv.load_dataset("heart")["logistic regression"]


@solara.component
def Page():
    solara.display(cv.Explorer(p))
    solara.display(Report("mine", "<!doctype html><title>mine</title><p>A report."))
"""
NAMED = """
import calibviz as cv

page = cv.Explorer(cv.load_dataset("heart")["logistic regression"])
"""


@pytest.mark.parametrize("script", [DISPLAYED, NAMED], ids=["displayed", "named page"])
def test_solara_shows_the_live_view_alone_and_it_follows(served: Served, script: str) -> None:
    page = served("solara", script)
    explorer = page.locator(".calibviz-explorer")
    expect(explorer.locator(".calibviz-words")).to_contain_text(
        "In Zurich and Basel predicted 70, observed 93 (123 people)"
    )
    explorer.locator(".calibviz-reliability svg.svg-figure path[d]").first.wait_for(state="attached")
    before = shown(page)
    explorer.locator(".calibviz-advanced").click()
    control(page, "bins").locator(".noUi-handle").press("ArrowRight")
    wait_for_change(page, before, ["reliability"])
    expect(page.locator(".calibviz-still, img[src^='data:image/png']")).to_have_count(0)
    if "Report" in script:
        expect(page.frame_locator("iframe[title=mine]").get_by_text("A report.")).to_be_visible()
