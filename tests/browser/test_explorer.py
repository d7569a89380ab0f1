"""The Explorer's controls in a real browser: each moved as a person moves it, in Voila and in JupyterLab."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from playwright.sync_api import TimeoutError, expect

from .explorer import (
    ALL,
    DIGITS,
    TALL,
    Act,
    choose,
    control,
    open_drawer,
    open_explorer,
    open_measures,
    press,
    settle,
    shown,
    wait_for_change,
    write,
)
from .pages import Pages, reload_slowly
from .stage import Stage

BINS = ("reliability", "recalibration", "numbers table")
EVERY = (*BINS, "histogram", "difference", "instances table")

# In this order one after the other, as a person would play: what is done, and which pictures and tables must follow.
STEPS: list[tuple[str, Act, tuple[str, ...]]] = [
    ("bins", press("bins", "ArrowRight"), (*BINS, "comparison table", "worst table")),
    ("knots", press("knots", "ArrowRight"), ("recalibration", "numbers table", "comparison table")),
    ("confidence", press("confidence", "PageDown", which=1), EVERY),
    ("a chip takes it away", lambda page: page.locator(".calibviz-chips button").first.click(), EVERY),
    ("distance", choose("distance", "L2"), ("comparison table",)),
    ("norm", choose("norm", "maximum"), ("numbers table", "comparison table")),
    ("k-d tree", choose("binning", "k-d tree"), BINS),
    ("gamma", press("gamma", "ArrowRight"), BINS),
    ("binning", choose("binning", "equal-mass"), BINS),
    ("lens", choose("kind", "rank"), EVERY),
    ("rank", press("number", "ArrowRight"), EVERY),
    ("lens of one class", choose("kind", "class"), EVERY),
    ("the class", choose("class", "3"), EVERY),
    ("output", press("output", "PageDown", which=1), EVERY),
    ("labels", choose("labels", "3", "8"), EVERY),
    ("model", choose("model", "random forest"), EVERY),
    ("selection as text", write("selection", "ink > 0.25"), EVERY),
    ("several outcomes", choose("kind", "grouping"), EVERY),
    ("groups", write("groups", "small: 0, 1, 2; large: *"), EVERY),
    ("outcome", choose("outcome", "large"), EVERY),
    ("likert", write("likert", "0, 0.5, 1"), ("likert-counts", "likert-errors", "reliability")),
    ("calibrator", choose("calibrator", "temperature"), ("recalibration", "numbers table", "likert-errors")),
    ("no bars", choose("interval", "none"), ("reliability",)),
    ("curves", choose("curves", "smooth", "corp"), ("reliability",)),
    ("overlays", choose("overlays", "model: neural network", "calibrator: beta"), ("reliability",)),
    ("samples", choose("samples", "images it was fitted to"), ("difference-after",)),
    ("view", choose("cumulative", "score"), ()),
    ("rows", choose("rows", "metrics"), ("comparison table",)),
    ("bars", choose("comparison", "bars"), ()),
    ("table", choose("comparison", "table"), ()),
    ("calibrators", choose("calibrators", "temperature", "platt"), ("comparison table",)),
    ("metrics", choose("metrics", "ece", "kuiper"), ("comparison table", "temperature")),
    ("bin", write("bin", "4"), ("instances table",)),
    ("list", choose("by", "level"), ("worst table",)),
    ("preset", choose("preset", "Tail classes"), ("reliability", "numbers table", "worst table")),
]


@pytest.mark.thorough
def test_every_control(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, ALL + "explorer", viewport=TALL)
    open_measures(page)
    for name, act, names in STEPS:
        before = shown(page)
        act(page)
        try:
            wait_for_change(page, before, names)
        except TimeoutError:
            now = shown(page)
            stayed = [one for one in names if now.get(one) == before.get(one)]
            pytest.fail(f"{name}: {stayed} have not changed; {page.locator('.calibviz-top').inner_text()}")
        if name == "view":
            expect(page.locator(".calibviz-panel-cumulative .bqplot.calibviz-cumulative-score")).to_be_visible()
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)
    expect(page.locator(".calibviz-advice")).to_contain_text("worst first")
    expect(page.locator(".calibviz-panels > .calibviz-panel")).to_have_count(3)


@pytest.mark.thorough
def test_a_page_that_is_slow_to_begin_follows_its_controls(voila: Pages) -> None:
    page = open_explorer(voila, drawer=False)
    reload_slowly(page)
    settle(page)
    open_drawer(page)
    open_measures(page)
    for _, act, names in STEPS[:3]:
        before = shown(page)
        act(page)
        wait_for_change(page, before, [one for one in names if one in before])


LISTS = [("binning", BINS), ("model", EVERY[:-1]), ("outcome", EVERY[:-1])]


def test_lists_by_keyboard(stage: Stage) -> None:
    page = open_explorer(stage, DIGITS + 'explorer.state.lens = "grouping"\nexplorer')
    open_measures(page)
    for name, names in LISTS:
        before = shown(page)
        control(page, name).locator("select").focus()
        page.keyboard.press("ArrowDown")
        wait_for_change(page, before, names)
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)


def test_a_checklist_by_keyboard(stage: Stage) -> None:
    page = open_explorer(stage)
    open_measures(page)
    labels = control(page, "labels")
    before = shown(page)
    labels.locator(".opener").focus()
    page.keyboard.press("ArrowDown")
    expect(labels.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("3")
    expect(labels.locator(".rows label")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    wait_for_change(page, before, EVERY[:-1])
    expect(control(page, "selection").locator("input")).to_have_value("label in [3]")
    page.keyboard.press("Escape")
    expect(labels.locator(".opener")).to_be_focused()
    expect(labels.locator(".list")).to_be_hidden()
    expect(labels.locator(".opener")).to_have_text("3")


def test_a_selection_that_keeps_nothing_is_said_and_the_view_stays(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage)
    settle(page)
    before = shown(page)
    write("selection", "ink > 1000")(page)
    expect(page.locator(".calibviz-status")).to_contain_text("keeps none of the samples")
    assert shown(page) == before
    write("selection", "label in [3")(page)
    expect(page.locator(".calibviz-status")).to_contain_text("at character 12")
    write("selection", "")(page)
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)
    settle(page)
    assert shown(page) == before


def test_the_state_is_scriptable(voila_stage: Stage) -> None:
    choices = 'explorer.state.update(lens="class 3", bins=20, selection="label in [3, 8]")\n'
    page = open_explorer(voila_stage, DIGITS + choices + "explorer")
    expect(control(page, "class").locator("select")).to_have_value("3")
    expect(control(page, "selection").locator("input")).to_have_value("label in [3, 8]")
    expect(control(page, "bins").locator(".widget-readout")).to_have_text("20")
    expect(page.locator(".calibviz-subject")).to_contain_text("class 3")


def test_closing_takes_the_widgets_out_of_the_page(voila_stage: Stage) -> None:
    page = open_explorer(
        voila_stage,
        DIGITS + 'import ipywidgets\nbutton = ipywidgets.Button(description="close")\n'
        "button.on_click(lambda _: explorer.close())\nipywidgets.VBox([button, explorer])",
    )
    page.get_by_role("button", name="close", exact=True).click()
    expect(page.locator(".calibviz-explorer")).to_have_count(0)


@pytest.mark.thorough
def test_a_kernel_that_does_not_answer_is_said(voila: Pages, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    page = open_explorer(voila, f"import os; open({str(told)!r}, 'w').write(str(os.getpid()))\n{DIGITS}explorer")
    settle(page)
    handle, silent = control(page, "bins").locator(".noUi-handle"), page.locator(".calibviz-top > .calibviz-waiting")
    kernel = psutil.Process(int(told.read_text()))
    kernel.suspend()
    try:
        handle.press("ArrowRight")
        expect(silent).to_contain_text("Still computing")
        expect(silent).to_contain_text("does not answer", timeout=30_000)
    finally:
        kernel.resume()
    expect(silent).to_have_count(0)  # it was only busy
    expect(page.locator(".calibviz-veil")).to_have_count(0)  # which may have covered the view: a frozen kernel is told
    kernel.kill()
    handle.press("ArrowRight")
    expect(silent).to_contain_text("reload the page", timeout=30_000)
