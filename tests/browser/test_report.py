"""Reports in a real browser, opened from the disk: their numbers, and what mouse and keyboard find in the pictures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

import calibviz as cv

from .reports import Open, figure

# The numbers


@pytest.mark.thorough
@pytest.mark.usefixtures("few_replicates")
def test_a_large_report_is_small_and_says_what_the_engine_says(open_report: Open, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(100, size=50_000)
    probs = rng.random((50_000, 100), dtype=np.float32) ** 8
    probs[np.arange(50_000), labels] += rng.random(50_000, dtype=np.float32)
    probs /= probs.sum(axis=1, keepdims=True)
    p = cv.Predictions(probs, labels)
    path = tmp_path / "large.html"
    cv.report(p, path=path, progress=False)
    assert path.stat().st_size < 3_000_000
    page = open_report(path)
    read = "nodes => Object.fromEntries(nodes.map(one => [one.dataset.what, +one.value]))"
    found = page.locator("[data-table=numbers] data, [data-table=errors] data").evaluate_all(read)
    assert found["ece"] == pytest.approx(cv.calibration_error(p, binning=cv.Uniform(15)), abs=1e-12)
    assert found["ks"] == pytest.approx(cv.ks_error(p), abs=1e-12)
    assert found["accuracy"] == pytest.approx(cv.accuracy(p), abs=1e-12)
    assert found["ks"] > found["noise"]  # that of the last row, which is of this error
    shown = page.locator("[data-table=errors] data[data-what=ks]").inner_text()
    assert shown.replace("\N{NO-BREAK SPACE}", " ") == f"{100 * cv.ks_error(p):.2f} %"
    assert page.locator("#classes tbody tr").count() == 20
    expect(page.get_by_text("The worst 20 of 100.")).to_be_visible()
    # The shares of the labels: some are shown, the others when asked for.
    rows = page.locator("#data [data-table=shares] tbody tr")
    assert [rows.count(), sum(one.is_visible() for one in rows.all())] == [100, 20]
    more = page.locator("#data summary")
    more.focus()
    more.press("Enter")
    expect(rows.nth(99)).to_be_visible()


# Dots and legends

NUMBERS = re.compile(r"\d[\d.,]*")


def test_mouse_tells_the_dots(open_report: Open, reports: dict[str, Path]) -> None:
    page = open_report(reports["tumours"])
    reliability = figure(page, "reliability")
    dots = reliability.locator(".series").nth(-2).locator(".dot")  # the last are those of few samples
    tip = reliability.locator(".tip")
    expect(tip).to_be_hidden()
    p = cv.load_dataset("tumours")["naive Bayes"]
    problem = cv.lens("class malignant")(p)
    record = cv.figures.reliability_figure([problem], [cv.Uniform(15)(problem)])
    hints = next(one.hints for one in record.series if one.role == "bins")
    assert dots.count() == len(hints)
    for place in (0, len(hints) // 2, len(hints) - 1):
        dots.nth(place).hover()
        expect(tip).to_contain_text("tumours predicted")
        expect(tip).to_contain_text("are malignant")
        assert NUMBERS.findall(tip.inner_text())[0] == NUMBERS.findall(hints[place])[0]  # how many
        assert inside(tip, reliability.locator(".plots"))
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()


def inside(one: Locator, other: Locator) -> bool:
    a, b = one.bounding_box(), other.bounding_box()
    assert a and b
    return a["x"] >= b["x"] - 1 and a["x"] + a["width"] <= b["x"] + b["width"] + 1


def test_keyboard_tells_the_dots(open_report: Open, reports: dict[str, Path]) -> None:
    page = open_report(reports["tumours"])
    reliability = figure(page, "reliability")
    tip, told = reliability.locator(".tip"), reliability.locator(".dot.pointed")
    plots = reliability.locator(".plots")
    while not plots.evaluate("one => one === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    first = tip.inner_text()
    page.keyboard.press("ArrowRight")
    expect(tip).not_to_have_text(first)
    expect(told).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    expect(tip).to_have_text(first)
    page.keyboard.press("ArrowLeft")  # from the first to the last
    expect(tip).to_contain_text("predicted about 100")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(tip).to_have_text(first)
    page.keyboard.press("Tab")  # to the legend
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_legend_takes_series_away_and_brings_them_back(open_report: Open, reports: dict[str, Path], by: str) -> None:
    page = open_report(reports["tumours"])
    cumulative = figure(page, "cumulative")
    button = cumulative.get_by_role("button", name="KS", exact=True)
    series, other = (cumulative.locator(f".series[data-series='{name}']") for name in ("KS", "observed"))

    def press(key: str) -> None:
        if by == "mouse":
            button.click()
        else:
            while not button.evaluate("one => one === document.activeElement"):
                page.keyboard.press("Tab")
            page.keyboard.press(key)

    expect(button).to_have_attribute("aria-pressed", "true")
    press("Enter")
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(series).to_be_hidden()
    expect(other).to_be_visible()
    cumulative.locator(".plots").press("ArrowRight")  # what is away is not told
    expect(cumulative.locator(".tip")).to_be_hidden()
    expect(figure(page, "difference").locator(".series[data-series='KS']")).to_be_visible()
    press("Space")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(series).to_be_visible()


def test_code_is_copied(open_report: Open, reports: dict[str, Path]) -> None:
    page = open_report(reports["tumours"], permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#code").text_content()
