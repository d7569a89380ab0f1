"""Weights and the matrix of a distance in the drawer: typed, read out, refused."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .explorer import QUICK, choose, control, open_drawer, open_measures, resize, settle
from .layout import layout_problems, violations
from .stage import Stage


def opened(stage: Stage, lens: str, distance: str) -> Page:
    cell = (
        f"import calibviz as cv\n{QUICK}explorer = cv.Explorer(cv.load_dataset('digits'), panels=('reliability',), "
        f"lens={lens!r}, binning='k-d tree', distance={distance!r})\nexplorer"
    )
    page = stage([cell], viewport={"width": 1366, "height": 4000})
    page.wait_for_selector(".calibviz-panel-reliability svg.svg-figure path[d]", state="attached")
    open_drawer(page)
    page.locator(".calibviz-number-grid input:visible").first.wait_for()
    settle(page)  # or the numbers might fill in, which is no answer to what is typed
    return page


@pytest.mark.parametrize(("lens", "distance"), [("full", "class-weighted L2"), ("top-4", "Mahalanobis")])
def test_numbers_fit_and_are_accessible(light_or_dark: Stage, lens: str, distance: str) -> None:
    page = opened(light_or_dark, lens, distance)
    for width in (1600, 1366, 900, 420):
        resize(page, width, 4000)
        assert (width, layout_problems(page)) == (width, [])
        for number in page.locator(".calibviz-number-grid td input:visible").all():
            box = number.bounding_box()
            assert box is not None and box["width"] > 40 and box["x"] + box["width"] <= width
    assert violations(page) == []


def test_a_weight_is_typed(voila_stage: Stage) -> None:
    page = opened(voila_stage, "full", "class-weighted L2")
    open_measures(page)
    numbers = page.locator(".calibviz-numbers table")
    before = numbers.inner_text()
    page.get_by_role("spinbutton", name="how much each counts, weights: 3").fill("9")
    page.keyboard.press("Tab")  # to the next number
    assert page.evaluate("document.activeElement.ariaLabel") == "how much each counts, weights: 4"
    expect(numbers).not_to_have_text(before)
    expect(page.locator(".calibviz-differs")).to_contain_text("how much each counts")
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("spinbutton", name="how much each counts, weights: 3")).to_have_value("1")


def test_a_refused_weight_covers_nothing_and_the_last_good_one_comes_back(voila_stage: Stage) -> None:
    page = opened(voila_stage, "full", "class-weighted L2")
    weight = page.get_by_role("spinbutton", name="how much each counts, weights: 3")
    refusal = page.locator(".calibviz-controls").get_by_role("alert")
    weight.fill("4")
    page.keyboard.press("Tab")
    for typed, why in (("-1", "must be a number from 0 to 1,000,000, not -1"), ("1e", "is not one that can be read")):
        weight.select_text()
        page.keyboard.type(typed)
        page.keyboard.press("Tab")
        expect(refusal).to_contain_text(why)
        expect(weight).to_have_value("4")
        expect(page.locator(".calibviz-status")).to_have_text("")
        assert layout_problems(page) == []
        for selector in (".calibviz-subject", ".calibviz-words"):
            assert page.locator(selector).evaluate(
                """line => {
                    const { x, y, width, height } = line.getBoundingClientRect();
                    return line.contains(document.elementFromPoint(x + width / 2, y + height / 2));
                }"""
            )


def test_a_matrix_is_typed_or_refused(voila_stage: Stage) -> None:
    page = opened(voila_stage, "grouping", "Mahalanobis")
    status = page.locator(".calibviz-status")
    open_measures(page)
    settle(page)
    numbers = page.locator(".calibviz-numbers table")
    before = numbers.inner_text()

    def number(row: str, column: str) -> str:
        return f"numbers of the pairs, matrix M: {row}, {column}"

    page.get_by_role("spinbutton", name=number("even", "odd")).fill("2")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("matrix must be positive semi-definite")
    expect(page.get_by_role("spinbutton", name=number("odd", "even"))).to_have_value("2")
    assert numbers.inner_text() == before
    page.get_by_role("spinbutton", name=number("odd", "odd")).fill("5")
    page.keyboard.press("Enter")
    expect(status).to_have_text("")
    expect(numbers).not_to_have_text(before)
    expect(control(page, "matrix").locator("select")).to_have_value("by number")
    choose("distance", "L2")(page)
    expect(page.get_by_role("spinbutton", name=number("odd", "odd"))).to_have_count(0)  # one faint line in their place
    line = page.get_by_role("textbox", name="numbers of the pairs matrix M")
    expect(line).to_be_disabled()
    expect(line).to_have_value("1, 2, 2, 5")
    expect(control(page, "matrix")).to_contain_text("only with Mahalanobis")
