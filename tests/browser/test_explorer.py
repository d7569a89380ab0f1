"""The Explorer in a real browser: every control moved as a person moves it, in Voila and in JupyterLab."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, TimeoutError, expect

SET_UP = 'import calibviz as cv\nexplorer = cv.Explorer(cv.load_dataset("digits"))'
PICTURES = ("reliability", "histogram", "cumulative", "recalibration")
PATHS = """names => Object.fromEntries(names.map(name => [name,
    [...document.querySelectorAll(`.calibviz-${name} path`)].filter(path => path.getBoundingClientRect().width > 0)
        .map(path => [path, path.parentNode].map(one => one.getAttribute("d") + one.getAttribute("transform")).join())
        .join("|")]))"""


def paths(page: Page) -> dict[str, str]:
    return page.evaluate(PATHS, list(PICTURES))


def numbers(page: Page) -> str:
    return page.locator(".calibviz-numbers table").first.inner_text()


def wait_for_change(page: Page, before: dict[str, str], pictures: tuple[str, ...]) -> None:
    page.wait_for_function(
        f"([names, before, must]) => {{ const now = ({PATHS})(names); return must.every(n => now[n] !== before[n]) }}",
        arg=[list(PICTURES), before, list(pictures)],
        timeout=15_000,
    )


def open_explorer(host, cell: str = SET_UP + "\nexplorer", **options) -> Page:
    page = host([cell], **options)
    page.locator(".calibviz-recalibration path.line").first.wait_for(state="attached")
    page.wait_for_function(f"names => Object.values(({PATHS})(names)).every(d => d.length > 20)", arg=list(PICTURES))
    return page


def press(selector: str, key: str, which: int = 0) -> Callable[[Page], None]:
    def do(page: Page) -> None:
        handle = page.locator(f"{selector} .noUi-handle").nth(which)
        handle.focus()
        page.keyboard.press(key)

    return do


def choose(selector: str, *values: str) -> Callable[[Page], None]:
    return lambda page: page.locator(f"{selector} select").select_option(list(values)) and None


def write(selector: str, text: str) -> Callable[[Page], None]:
    def do(page: Page) -> None:
        field = page.locator(f"{selector} input")
        field.fill(text)
        field.press("Enter")

    return do


BINS = ("reliability", "recalibration")
EVERY = PICTURES

# In this order one after the other, as a person would play: what is done, which pictures must follow, whether the
# numbers must.
STEPS: list[tuple[str, Callable[[Page], None], tuple[str, ...], bool]] = [
    ("bins by keyboard", press(".calibviz-bins", "ArrowRight"), BINS, True),
    ("knots by keyboard", press(".calibviz-knots", "ArrowRight"), ("recalibration",), True),
    ("calibration share by keyboard", press(".calibviz-calibration", "ArrowLeft"), EVERY, True),
    ("confidence by keyboard", press(".calibviz-confidence", "PageDown", which=1), EVERY, True),
    ("binning", choose(".calibviz-binning", "equal-mass"), BINS, True),
    ("lens", choose(".calibviz-lens", "rank"), EVERY, True),
    ("lens parameter by keyboard", press(".calibviz-k-or-r", "ArrowRight"), EVERY, True),
    ("lens of one class", choose(".calibviz-lens", "class"), EVERY, True),
    ("the class", choose(".calibviz-class", "3"), EVERY, True),
    ("labels", choose(".calibviz-labels", "3", "8"), EVERY, True),
    ("model", choose(".calibviz-model", "random forest"), EVERY, True),
    ("selection as text", write(".calibviz-selection", "ink > 0.25"), EVERY, True),
    ("vector lens", choose(".calibviz-lens", "grouping"), EVERY, True),
    ("outcome", choose(".calibviz-outcome", "odd"), EVERY, True),
    ("Likert categories", write(".calibviz-likert-cuts", "0, 0.33, 0.66, 1"), ("reliability",), False),
]


def test_every_control(host):
    page = open_explorer(host)
    for name, act, pictures, numbers_too in STEPS:
        before, said = paths(page), numbers(page)
        act(page)
        try:
            wait_for_change(page, before, pictures)
        except TimeoutError:
            pytest.fail(f"{name}: not all of {pictures} have changed")
        if numbers_too:
            expect(page.locator(".calibviz-numbers table").first, name).not_to_have_text(said)
    expect(page.locator(".calibviz-numbers")).to_contain_text("[0.33, 0.66]")
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)


LISTS = [
    (".calibviz-binning", BINS),
    (".calibviz-model", EVERY),
    (".calibviz-labels", EVERY),
    (".calibviz-outcome", EVERY),
]


def test_lists_by_keyboard(host):
    page = open_explorer(host, SET_UP + '\nexplorer.state.lens = "grouping"\nexplorer')
    for selector, pictures in LISTS:
        before = paths(page)
        page.locator(f"{selector} select").focus()
        page.keyboard.press("ArrowDown")
        wait_for_change(page, before, pictures)
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)


def test_a_selection_that_keeps_nothing_is_said_and_the_view_stays(host):
    page = open_explorer(host)
    before, said = paths(page), numbers(page)
    write(".calibviz-selection", "ink > 1000")(page)
    expect(page.locator(".calibviz-status")).to_contain_text("keeps none of the held-out samples")
    assert (paths(page), numbers(page)) == (before, said)
    write(".calibviz-selection", "label in [3")(page)
    expect(page.locator(".calibviz-status")).to_contain_text("at character 12")
    write(".calibviz-selection", "")(page)
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)
    assert paths(page) == before


def test_the_state_is_scriptable_and_reload_keeps_it(voila):
    page = open_explorer(
        voila, SET_UP + '\nexplorer.state.update(lens="class 3", bins=20, selection="label in [3, 8]")\nexplorer'
    )
    expect(page.locator(".calibviz-class select")).to_have_value("3")
    expect(page.locator(".calibviz-selection input")).to_have_value("label in [3, 8]")
    expect(page.locator(".calibviz-bins .widget-readout")).to_have_text("20")
    expect(page.locator(".calibviz-panel h3").nth(1)).to_have_text("Reliability of class 3")


COUNT_MESSAGES = """
import json, ipywidgets
from ipywidgets.widgets.widget import _instances

sent = []

def tap(comm):
    send = comm.send
    def tapped(data=None, *args, **kwargs):
        sent.append(data["method"])
        return send(data, *args, **kwargs)
    comm.send = tapped

for widget in list(_instances.values()):
    tap(widget.comm)
told = ipywidgets.HTML("0 []")
told.add_class("test-told")
ask = ipywidgets.Button(description="ask")
ask.add_class("test-ask")
def tell(_):
    told.value = f"{int(told.value.split()[0] or 0) + 1} {json.dumps(sent)}"
    sent.clear()
ask.on_click(tell)
"""


def messages(page: Page) -> str:
    """The kinds of messages that the kernel has sent since it was asked last."""
    told = page.locator(".test-told")
    before = told.inner_text()
    page.locator(".test-ask").click()
    expect(told).not_to_have_text(before)
    return told.inner_text().split(" ", 1)[1]


@pytest.mark.parametrize(
    ("act", "pictures"),
    [
        (press(".calibviz-bins", "ArrowRight"), BINS),
        (press(".calibviz-knots", "ArrowRight"), ("recalibration",)),
        (choose(".calibviz-lens", "rank"), EVERY),
    ],
    ids=["bins", "knots", "lens"],
)
def test_one_message_a_step(voila, act, pictures):
    cell = SET_UP + COUNT_MESSAGES + "ipywidgets.VBox([ask, told, explorer])"
    page = open_explorer(voila, cell)
    page.wait_for_function("document.querySelectorAll('.calibviz-explorer svg[role=img]').length === 4")
    messages(page)
    before = paths(page)
    act(page)
    wait_for_change(page, before, pictures)
    # One message carries every change; the other is ipywidgets' own echo of the control's value.
    assert messages(page) == '["echo_update", "custom"]'


def test_figures_and_sliders_have_names(host):
    page = open_explorer(host)
    expect(page.get_by_role("img", name="Reliability diagram of top-1")).to_be_visible()
    expect(page.get_by_role("slider", name="bins")).to_be_visible()
    page.get_by_role("slider", name="bins").press("ArrowRight")
    choose(".calibviz-lens", "rank")(page)
    expect(page.get_by_role("img", name="Reliability diagram of rank 2")).to_be_visible()


@pytest.mark.parametrize("width", [800, 1000, 1400, 1920])
def test_nothing_is_cut_or_overlaps(voila, width):
    page = open_explorer(voila, viewport={"width": width, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page scrolls sideways"
    overlaps = page.evaluate(
        """() => {
            const boxes = [...document.querySelectorAll(".calibviz-panel, .calibviz-controls")]
                .map(element => element.getBoundingClientRect());
            return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
                a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
        }"""
    )
    assert overlaps == []


def test_closing_takes_the_widgets_out_of_the_page(voila):
    cell = SET_UP + (
        '\nimport ipywidgets\nbutton = ipywidgets.Button(description="close")\n'
        "button.on_click(lambda _: explorer.close())\nipywidgets.VBox([button, explorer])"
    )
    page = open_explorer(voila, cell)
    page.get_by_role("button", name="close").click()
    expect(page.locator(".calibviz-explorer")).to_have_count(0)
