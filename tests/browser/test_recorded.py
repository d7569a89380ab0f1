"""A recorded page from the disk, in a real browser: each control moves what it should, at the width of a phone too."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import calibviz as cv

from .layout import violations
from .reports import Open

HEART = "logistic regression"
PHONE = {"viewport": {"width": 420, "height": 900}, "has_touch": True}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    p = cv.load_dataset("heart")[HEART]
    explorer = cv.Explorer(p, panels=("reliability", "decision"), likert=(0.0, 0.3, 0.7, 1.0))
    try:
        return explorer.to_html(tmp_path_factory.mktemp("recorded") / "heart.html", progress=False)
    finally:
        explorer.close()


def choose(page: Page, name: str, text: str) -> None:
    page.get_by_label(name).select_option(label=text)


@pytest.mark.parametrize("options", [{}, {**PHONE, "color_scheme": "dark"}], ids=["desk", "phone"])
def test_it_moves_without_python(open_report: Open, path: Path, options: dict[str, object]) -> None:
    page = open_report(path, **options)
    verdict, picture = page.locator("#part-verdict"), page.locator("#part-reliability figure svg").first
    expect(page.get_by_label("segment")).to_be_visible()
    assert page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") < 1000
    expect(verdict).to_contain_text("In Zurich and Basel predicted 70, observed 93 (123 people).")
    choose(page, "segment", "Zurich and Basel (site)")
    expect(verdict).to_contain_text("predicted 70 of 100, observed 93")
    expect(verdict).to_contain_text('site == "Zurich and Basel"')
    before = picture.inner_html()
    choose(page, "recalibration", "platt by site")
    expect(verdict).to_contain_text("After Platt scaling by site")
    assert picture.inner_html() != before
    choose(page, "what is predicted", "the likeliest class")
    expect(page.locator("#part-verdict dl")).to_contain_text("top-1")

    decision = page.locator("#part-decision")
    slider = page.get_by_label("act from")
    slider.focus()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "75 %")
    expect(decision).to_contain_text("75")
    expect(page.get_by_label("segment")).to_have_value("0")  # it moves by itself
    expect(page.locator(".moves [role=status]")).to_contain_text("segment, recalibration, what is predicted")
    dots = picture.locator(".dot").count()
    choose(page, "how many bins", "equal-mass, 5 bins")
    expect(slider).to_have_attribute("aria-valuetext", "70 %")
    assert picture.locator(".dot").count() < dots
    # What has come later answers, too.
    figure = page.locator("#part-reliability figure").first
    figure.locator(".plots").focus()
    page.keyboard.press("ArrowRight")
    expect(figure.locator(".tip")).not_to_be_empty()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page, "main") == []


def test_without_scripts_it_is_a_page_to_read(open_report: Open, path: Path) -> None:
    page = open_report(path, java_script_enabled=False)
    expect(page.locator("fieldset.moves")).to_be_hidden()
    expect(page.locator("#part-verdict")).to_contain_text("In Zurich and Basel predicted 70, observed 93")
    expect(page.locator("#part-reliability svg").first).to_be_visible()
