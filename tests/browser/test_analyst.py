"""What an analyst asks is answered on the first screen, or two clicks away from it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from .explorer import QUICK, dots, open_explorer, settle
from .stage import Stage

CELL = f'import calibviz as cv\n{QUICK}cv.Explorer(cv.load_dataset("heart"), interval="clopper-pearson")'


class Clicks:
    """Clicks of a person, who has two."""

    def __init__(self) -> None:
        self.left = 2

    def on(self, target: Locator) -> None:
        self._take()
        target.click()

    def at(self, page: Page, place: tuple[float, float]) -> None:
        self._take()
        page.mouse.click(*place)

    def choose(self, target: Locator, option: str) -> None:
        self._take()
        target.select_option(option)

    def _take(self) -> None:
        assert self.left > 0, "that takes more than two clicks"
        self.left -= 1


@pytest.fixture
def clicks() -> Clicks:
    return Clicks()


@pytest.fixture
def page(voila_stage: Stage) -> Iterator[Page]:
    page = open_explorer(voila_stage, CELL, drawer=False, viewport={"width": 1366, "height": 768})
    settle(page)
    yield page


def card(page: Page, question: str) -> Locator:
    return page.locator(".calibviz-question").filter(has=page.get_by_role("button", name=question))


def button(page: Page, name: str) -> Locator:
    return page.locator(".calibviz-explorer").get_by_role("button", name=name, exact=True)


def test_which_group_is_worst_and_is_it_more_than_noise(page: Page) -> None:
    answer = card(page, "Where is it worst?")
    expect(answer).to_contain_text("In Zurich and Basel predicted 70, observed 93 of 100. That is at least 13")
    expect(answer).to_contain_text("after looking at 31 segments")
    expect(answer).to_be_in_viewport()


def test_does_temperature_help_or_harm_this_class(page: Page, clicks: Clicks) -> None:
    clicks.on(page.locator(".calibviz-subject").get_by_role("button", name="spline to try"))
    clicks.on(page.locator(".calibviz-subject .offers").get_by_role("button", name="temperature", exact=True))
    expect(card(page, "Would recalibration help?")).to_contain_text(
        re.compile(r"temperature scaling changes the Brier score by|One for each site")
    )


def test_which_gamma(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Bin count"))
    panel = page.locator(".calibviz-panel-sensitivity")
    clicks.choose(panel.locator(".calibviz-binning select"), "k-d tree")
    settle(page)
    expect(panel.get_by_role("img").first).to_have_attribute("aria-label", re.compile("gamma"))
    expect(panel.locator(".calibviz-answer")).to_contain_text(re.compile("flat", re.IGNORECASE))


def test_which_samples_are_in_the_worst_bin(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Samples"))
    note = page.locator(".calibviz-panel-instances .calibviz-note")
    means = r"predicted .*, observed .* \(95.% interval"
    expect(note).to_contain_text(re.compile(rf"bin \d+ of 15 is the furthest off: {means}"))
    found = re.search(r"bin (\d+) of 15", note.inner_text())
    assert found is not None
    settle(page)
    clicks.at(page, dots(page, "reliability")[int(found[1]) - 1])
    expect(note).to_contain_text(
        re.compile(rf"people in {found[0]}, predicted .*: predicted .*, observed .* \(95.% interval")
    )


def test_two_models_on_the_same_axes(page: Page, clicks: Clicks) -> None:
    clicks.on(page.locator(".calibviz-subject").get_by_role("button", name="logistic regression"))
    clicks.on(page.locator(".calibviz-subject .offers").get_by_role("button", name="with random forest"))
    expect(page.locator(".calibviz-panel-reliability .calibviz-legend").first).to_contain_text("random forest")
    difference = page.locator(".calibviz-panel-reliability .calibviz-table tbody tr", has_text="random forest")
    expect(difference.locator("td").last).to_contain_text(re.compile(r"\+0\.\d+.*\+0\.\d+ to \+0\.\d+", re.DOTALL))


def test_share_it(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Share"))
    clicks.on(button(page, "link"))
    expect(page.locator(".calibviz-code pre")).to_be_visible()


def test_how_many_samples_are_needed(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Can I act at a threshold?"))
    note = page.locator(".calibviz-panel-decision .calibviz-note")
    expect(note).to_contain_text(re.compile(r"Enough samples\? .* takes more than 400 samples, .* Here are 920\."))


def test_may_i_act_at_a_fifth(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Can I act at a threshold?"))
    threshold = page.locator(".calibviz-panel-decision .calibviz-threshold .widget-readout")
    settle(page)  # a new field is checked only once the page has looked at it
    clicks.on(threshold)
    answer = page.locator(".calibviz-panel-decision .calibviz-answer")
    refusal = page.locator(".calibviz-panel-decision").get_by_role("alert")
    hint = " For 20 %, type 20."
    for text, refused, stays in (("0.2", hint, "50"), ("20", None, "20"), ("200", "", "20")):
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        if refused is None:
            expect(refusal).to_have_count(0)
        else:
            expect(refusal).to_have_text(f"{text} % is not from 1 to 99 %.{refused}")
        expect(threshold).to_have_text(stays)
        settle(page)
        expect(answer).to_contain_text(f"Yes, from {stays} %: worth")
