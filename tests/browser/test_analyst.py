"""What a board and an analyst ask is in sight two clicks away at most: in JupyterLab, beside its file browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .explorer import QUICK, dots, settle, wait_until_drawn
from .jupyter_servers import JupyterServer
from .layout import layout_problems
from .pages import LabPages

CELLS = [f"import calibviz as cv\n{QUICK}", 'cv.Explorer(cv.load_dataset("heart"))']
LAPTOP = {"width": 1366, "height": 768}
#: The cell that was run last stands at the top of the notebook, as it does for who has just run it.
TO_THE_TOP = "() => [...document.querySelectorAll('.jp-CodeCell')].at(-1).scrollIntoView({ block: 'start' })"
SCROLLED = "() => document.querySelector('.calibviz-header').getBoundingClientRect().top"
#: How many pixels of the header stand above the verdict.
ABOVE_THE_VERDICT = """() => {
    const [header, words] = [".calibviz-header", ".calibviz-words"].map((one) => document.querySelector(one));
    return words.getBoundingClientRect().top - header.getBoundingClientRect().top;
}"""
TWO_LINES = 54  # pixels


class Clicks:
    """Clicks of a person, who has two; what is typed into a field that one of them has reached is free."""

    def __init__(self) -> None:
        self.left = 2

    def on(self, target: Locator) -> None:
        self._take()
        target.click()

    def at(self, page: Page, place: tuple[float, float]) -> None:
        self._take()
        page.mouse.click(*place)

    def _take(self) -> None:
        assert self.left > 0, "that takes more than two clicks"
        self.left -= 1


@pytest.fixture
def clicks() -> Clicks:
    return Clicks()


@pytest.fixture(scope="module")
def laboratory(browser: Browser, lab_server: JupyterServer) -> Iterator[Page]:
    """One page for all questions: JupyterLab on a laptop, the file browser open beside the notebook."""
    pages = LabPages(browser, lab_server)
    page = pages(CELLS, viewport=LAPTOP)
    page.evaluate("() => window.jupyterapp.commands.execute('filebrowser:activate')")
    page.wait_for_selector(".jp-FileBrowser", state="visible")
    wait_until_drawn(page)
    yield page
    pages.close()


@pytest.fixture
def page(laboratory: Page) -> Iterator[Page]:
    """The first screen, as it was at the start; nothing scrolls meanwhile, and nothing is cut or covered."""
    page = laboratory
    page.keyboard.press("Escape")
    settle(page)
    back = page.locator(".calibviz-actions [data-name=reset]")
    if back.get_attribute("aria-disabled") != "true":
        back.click()
    page.mouse.move(0, 0)
    expect(back).to_have_attribute("aria-disabled", "true")
    page.locator(".calibviz-start").wait_for(state="attached")
    page.evaluate(TO_THE_TOP)
    settle(page)
    start = page.evaluate(SCROLLED)
    yield page
    settle(page)
    assert page.evaluate(SCROLLED) == start
    assert 0 < page.evaluate(ABOVE_THE_VERDICT) < TWO_LINES
    assert layout_problems(page) == []


def card(page: Page, question: str) -> Locator:
    return page.locator(".calibviz-question").filter(has=page.get_by_role("button", name=question))


def button(page: Page, name: str) -> Locator:
    return page.locator(".calibviz-explorer").get_by_role("button", name=name, exact=True)


def expect_in_sight(answer: Locator, text: str | re.Pattern[str]) -> None:
    """All of an answer that holds `text` is seen; nobody scrolls."""
    expect(answer).to_contain_text(text)
    expect(answer).to_be_in_viewport(ratio=1)


def test_which_part_is_worst_and_is_it_more_than_noise(page: Page) -> None:
    expect_in_sight(page.locator(".calibviz-words"), "In Zurich and Basel predicted 70, observed 93 (123 people).")
    answer = card(page, "Where is it worst?").locator(".calibviz-answer p")
    expect_in_sight(answer, "predicted 70, observed 93 of 100. That is at least 13 points too low, after looking at 31")


def test_may_i_act_at_a_fifth_everywhere(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Can I act at a threshold?"))
    panel = page.locator(".calibviz-panel-decision")
    threshold = panel.locator(".calibviz-threshold .widget-readout")
    settle(page)  # a new field is checked only once the page has looked at it
    clicks.on(threshold)
    page.keyboard.type("20")
    expect_in_sight(panel.locator(".calibviz-answer p").first, re.compile(r"^Yes, from 20\s%: worth 12\.5 fewer"))
    expect_in_sight(panel.locator(".calibviz-answer p.is-off"), re.compile("^Not in Zurich and Basel: of 8 people"))


def test_a_number_beyond_the_ends_is_refused_beside_it(page: Page) -> None:
    button(page, "Can I act at a threshold?").click()
    panel = page.locator(".calibviz-panel-decision")
    threshold, refusal = panel.locator(".calibviz-threshold .widget-readout"), panel.get_by_role("alert")
    settle(page)
    threshold.click()
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
        expect(panel.locator(".calibviz-answer")).to_contain_text(re.compile(rf"Yes, from {stays}\s%: worth"))


def test_does_temperature_help_this_class(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Would recalibration help?"))
    row = page.locator(".calibviz-panel-recalibration tbody tr", has_text="temperature")
    expect_in_sight(row, "within noise")
    expect(row.locator("svg.on-axis")).to_be_in_viewport(ratio=1)


def test_which_gamma(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Bin count"))
    panel = page.locator(".calibviz-panel-sensitivity")
    clicks.on(button(page, "Which gamma?"))
    expect_in_sight(panel.locator(".calibviz-answer"), re.compile("γ = 1/.*where it changes least"))
    settle(page)
    picture = panel.get_by_role("img").first
    expect(picture).to_have_attribute("aria-label", re.compile("gamma"))
    expect(picture).to_be_in_viewport(ratio=1)


def test_which_samples_are_in_the_worst_bin(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Samples"))
    panel = page.locator(".calibviz-panel-instances")
    answer = panel.locator(".calibviz-answer")
    means = r"predicted .*, observed .* of 100 \(\d+ to \d+\)"
    expect_in_sight(answer, re.compile(rf"Bin \d+ of 15 is the furthest off for the number of its people: {means}"))
    found = re.search(r"Bin (\d+) of 15", answer.inner_text())
    assert found is not None
    settle(page)
    clicks.at(page, dots(page, "reliability")[int(found[1]) - 1])
    expect_in_sight(answer, re.compile(rf"people in bin {found[1]} of 15, predicted .*: on average {means}"))
    expect(panel.locator("tbody tr").nth(5)).to_be_in_viewport()


def test_two_models_with_the_interval_of_their_difference(page: Page, clicks: Clicks) -> None:
    clicks.on(page.locator(".calibviz-subject").get_by_role("button", name="logistic regression"))
    clicks.on(page.locator(".calibviz-subject .offers").get_by_role("button", name="with random forest"))
    panel = page.locator(".calibviz-panel-reliability")
    ends = r"\(95 % interval \+0\.\d+ to \+0\.\d+\)".replace(" %", r"\s%")
    expect_in_sight(
        panel.locator("> .calibviz-answer"), re.compile(rf"random forest: worse, Brier score \+0\.\d+ {ends}")
    )
    expect_in_sight(panel.locator(".calibviz-legend").first, "random forest")


def test_how_many_samples_are_needed(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "How is this measured?"))
    answer = page.locator(".calibviz-numbers > .calibviz-answer")
    expect_in_sight(
        answer, re.compile(r"Enough samples\? An interval of .* takes more than 400 samples, .* here are 920\.", re.I)
    )


def test_would_recalibration_help(page: Page) -> None:
    answer = card(page, "Would recalibration help?").locator(".calibviz-answer p")
    expect_in_sight(
        answer, "One for each site: yes. Zurich and Basel goes from 70 to 93, judged on people it has not seen."
    )


def test_mail_it_to_someone(page: Page, clicks: Clicks, tmp_path: Path) -> None:
    clicks.on(button(page, "Share"))
    choice = button(page, "PDF")
    expect(choice).to_be_in_viewport(ratio=1)
    with page.expect_download() as download:
        clicks.on(choice)
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "calibviz-heart-disease-at-four-hospitals-logistic-regression.pdf"
    assert file.read_bytes().startswith(b"%PDF")


def test_what_is_copied_is_shown(page: Page, clicks: Clicks) -> None:
    clicks.on(button(page, "Share"))
    clicks.on(button(page, "link"))
    expect_in_sight(page.locator(".calibviz-code pre"), "explorer.state.from_link(")
    button(page, "Share").click()
    button(page, "link").click()  # once more, to hide it
    expect(page.locator(".calibviz-code pre")).to_have_count(0)


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        (
            "gamma",
            "leaf size, gamma: A cell of the k-d tree with fewer than this share of the samples is split no more",
        ),
        ("Brier", "Brier score, brier_score: the mean squared distance of predicted and observed"),
    ],
)
def test_what_does_this_word_mean(page: Page, clicks: Clicks, word: str, meaning: str) -> None:
    clicks.on(button(page, "Advanced"))
    clicks.on(page.get_by_role("textbox", name="find"))
    page.keyboard.type(word)
    expect_in_sight(page.locator(".calibviz-meanings p, .calibviz-meanings .widget-html-content").first, meaning)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
