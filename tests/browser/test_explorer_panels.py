"""The ten panels in a real browser: opened, clicked, brushed and dragged; what leaves the page; the keyboard alone."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Locator, Page, expect

from calibviz.answers.registry import ANSWERS, QUESTIONS
from calibviz.explorer.app import EXPORTS, VIEWS
from calibviz.figures import styles

from .explorer import (
    ALL,
    DIGITS,
    GREEN,
    TALL,
    click,
    control,
    dots,
    open_explorer,
    open_measures,
    press,
    settle,
    share,
    shown,
    wait_for_change,
)
from .pages import Pages, of_a_shared_machine
from .stage import Stage

INK = styles.tone(styles.INK)

LEGEND = "all of the legend"


def handle(page: Page, place: int) -> tuple[float, float]:
    """Where an edge of the categories can be taken hold of."""
    box = page.locator(f".calibviz-reliability path.dot[style*='fill: {INK}']").nth(place).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], across: float) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + across / 2, start[1], steps=4)
    page.mouse.move(start[0] + across, start[1], steps=4)
    page.mouse.up()


def selected(page: Page, name: str) -> Locator:
    return control(page, name).locator("select")


def written(page: Page, name: str) -> Locator:
    return control(page, name).locator("input")


def test_every_panel_opens_and_closes(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, drawer=False, viewport=TALL)  # settings would lie over the buttons at the end
    click("More")(page)
    for name, kind in ANSWERS.items():
        toggle = page.get_by_role("button", name=kind.button, exact=True)
        if toggle.get_attribute("aria-pressed") != "true":
            toggle.click()
        expect(page.locator(f".calibviz-panel-{name}")).to_be_visible()
    expect(page.locator(".calibviz-panels > .calibviz-panel")).to_have_count(len(ANSWERS))
    settle(page)
    for name in list(ANSWERS)[1:]:
        click(ANSWERS[name].button)(page)
        expect(page.locator(f".calibviz-panel-{name}")).to_have_count(0)
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)


def test_pictures_and_tables_answer_the_mouse(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, ALL + "explorer", viewport=TALL)
    settle(page)  # what still fills in may move a dot from under the mouse

    before = shown(page)
    dot, tip = dots(page, "reliability", GREEN)[0], page.locator(".calibviz-reliability .calibviz-tip")
    page.mouse.move(*dot)
    expect(tip).to_contain_text("13 images predicted 27 to 33")
    expect(tip).to_contain_text("9 are right: 69 of 100 (39 to 91)")
    expect(tip).to_be_visible()
    page.mouse.move(dot[0] + 40, dot[1] + 60)
    expect(tip).to_be_hidden()
    page.mouse.move(*dots(page, "temperature", INK)[0])
    expect(page.locator(".calibviz-temperature .calibviz-tip")).to_contain_text("NLL")
    page.mouse.click(*dot)
    wait_for_change(page, before, ["instances table"])
    expect(page.locator(".calibviz-panel-instances .calibviz-answer")).to_contain_text("bin 5 of 15")
    expect(written(page, "bin")).to_have_value("5")

    settle(page)
    expect(written(page, "likert")).to_have_value("0, 0.33, 0.66, 1")
    drag(page, handle(page, 0), 30)
    expect(written(page, "likert")).not_to_have_value("0, 0.33, 0.66, 1")
    cuts = [float(cut) for cut in written(page, "likert").input_value().split(",")]
    assert cuts[0] == 0
    assert 0.35 < cuts[1] < 0.66 == cuts[2]

    table = page.locator(".calibviz-panel-comparison .calibviz-table tbody tr")
    table.nth(1).locator("td").nth(3).click()
    expect(selected(page, "calibrator")).to_have_value("isotonic")
    expect(selected(page, "kind")).to_have_value("rank")

    settle(page)
    row = page.locator(".calibviz-panel-classes .calibviz-table tbody tr").nth(1)
    name = row.locator("th").inner_text()
    row.click()
    expect(page.locator(".calibviz-subject")).to_contain_text(f"class {name}")
    settle(page)  # the errors of classes are sorted anew when all are there
    other = page.locator(".calibviz-panel-classes .calibviz-table tbody tr").nth(3).locator("th").inner_text()
    page.mouse.click(*dots(page, "classes")[3])
    expect(page.locator(".calibviz-subject")).to_contain_text(f"class {other}")

    settle(page)  # what still fills in may move the histogram from under the mouse
    area = page.locator(".bqplot.calibviz-histogram .plotarea_events").bounding_box()
    assert area is not None
    drag(page, (area["x"] + 0.3 * area["width"], area["y"] + area["height"] / 2), 0.5 * area["width"])
    expect(written(page, "selection")).to_have_value(re.compile(r"^0\.[23]\d* <= output <= 0\.[78]\d*$"))
    expect(page.locator(".calibviz-chips").get_by_role("button")).to_have_count(1)
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)


def test_pictures_numbers_and_code_leave_the_page(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, DIGITS + "explorer.state.bins = 7\nexplorer")
    for name, start in {"PNG": b"\x89PNG", "SVG": b"<?xml", "CSV": b""}.items():
        with page.expect_download() as offered:
            share(page, name)
        content = offered.value.path().read_bytes()
        assert (
            offered.value.suggested_filename == f"calibviz-handwritten-digits-8-x-8-pixels-naive-bayes.{name.lower()}"
        )
        assert content.startswith(start)
        assert len(content) > 500
    with page.expect_download() as offered:
        share(page, "page")
    assert offered.value.suggested_filename.endswith("-naive-bayes.html")
    assert b'id="recorded"' in offered.value.path().read_bytes()
    share(page, "code")
    code = page.locator(".calibviz-code pre")
    expect(code).to_contain_text("import calibviz as cv")
    expect(page.locator(".calibviz-code small")).to_have_text("Copied to the clipboard.")
    share(page, "link")
    expect(code).to_contain_text("bins=7")
    share(page, "link")
    expect(code).to_have_count(0)


def test_what_still_fills_in_blocks_nothing(voila: Pages) -> None:
    cell = (
        'import calibviz as cv\nexplorer = cv.Explorer(cv.simulated("resnet110_c10", 200_000), '
        'panels=("reliability", "sensitivity"), interval="bootstrap")\nexplorer'
    )
    page = voila([cell])
    page.locator(".calibviz-advanced").click()
    open_measures(page)
    page.locator(".bqplot.calibviz-reliability path.line").first.wait_for(state="attached")
    press("bins", "ArrowRight")(page)
    for _ in range(3):
        expect(page.locator(".calibviz-working progress")).to_be_visible()
        before, start = shown(page), time.monotonic()
        press("bins", "ArrowRight")(page)
        wait_for_change(page, before, ["reliability", "numbers table"])
        assert time.monotonic() - start < of_a_shared_machine(1)
    expect(page.locator(".calibviz-status .refused")).to_have_count(0)


# What has the focus: its label, or what stands on it, and where it is.
FOCUSED = """() => {
    const one = document.activeElement;
    const name = one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent.trim().slice(0, 30);
    return one.closest(".calibviz-explorer") ? name : "";
}"""


def test_the_keyboard_reaches_and_moves_everything(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, DIGITS + "explorer")
    settle(page)  # the button that cancels work would be one more stop
    for name in ("Share", "More"):
        click(name)(page)
    page.locator("button.calibviz-title").focus()
    visited = []
    while (name := page.evaluate(FOCUSED)) and len(visited) < 100:
        visited.append(name)
        page.keyboard.press("Tab")
    sliders = ["largest probability confidence, from", "largest probability confidence, to", "predicted output, from"]
    faint = "leaf size gamma · only with the k-d tree"
    expected = [
        "Handwritten digits, 8 x 8 pixels"[:30],
        *["naive Bayes", "the likeliest class", "all images", "recalibrated with spline"],
        *["Nothing to undo", "Nothing to redo", "Everything is as at the start"],
        *["List of steps: 0 steps", "Remember as A"],
        "Share",
        *EXPORTS,
        "Advanced",
        "How is this measured?",
        "find",
        "start with",
        "model",
        "what is predicted lens",
        "hardly matters below margin",
        "true class labels: none chosen",
        *sliders,
        "predicted output, to",
    ]
    expected += [
        "in words selection",
        "samples that belong together cluster",
        "a field add",
        "cut into bins binning",
        "how many bins bins",
    ]
    expected += [
        faint,
        "one error from all bins norm",
        "categories Likert",
        "calibrator",
    ]
    expected += ["flexibility knots", "shape spline: none chosen", "error bars bars"]
    expected += ["curves: flexible", "draw over: none chosen"]
    expected += ["name of the data title", "what samples are plural", "what an event is after a number"]
    expected += [*(ANSWERS[name].button for name in QUESTIONS), "✕ close"]
    expected += [*(ANSWERS[name].button for name in VIEWS), "More", "side by side", "projector"]
    expected += [kind.button for name, kind in ANSWERS.items() if name not in (*QUESTIONS, *VIEWS)]
    seen = ["images it has not seen", "images it was fitted to"]
    expected += ["even", "stretched ends", "view", *seen, *seen]
    expected += ["spline1 number for each knot−0", "cut into bins binning", "Which gamma?"]  # a row of calibrators
    legends = page.get_by_role("button", name=LEGEND).locator("visible=true").count()  # those that do not fit
    assert visited.count(LEGEND) == legends > 0
    assert [name for name in visited if not name.endswith("typed") and name != LEGEND] == expected

    page.get_by_role("button", name="Samples", exact=True).focus()
    page.keyboard.press("Space")
    expect(page.locator(".calibviz-panel-instances table")).to_be_visible()
    settle(page)  # one that opens out of sight takes the focus
    page.get_by_role("button", name="Samples", exact=True).focus()
    page.keyboard.press("Space")
    expect(page.locator(".calibviz-panel-instances")).to_have_count(0)
    page.get_by_role("button", name="Advanced", exact=True).focus()  # a view closes the settings
    page.keyboard.press("Enter")
    selected(page, "binning").focus()
    page.keyboard.press("ArrowDown")
    expect(selected(page, "binning")).to_have_value("equal-mass")
    click("Share")(page)  # its list lies over what is pressed next
    open_measures(page)
    before = shown(page)
    page.get_by_role("slider", name="predicted output, to").focus()
    page.keyboard.press("PageDown")
    wait_for_change(page, before, ["reliability", "numbers table"])
    expect(written(page, "selection")).to_have_value(re.compile("output <= 0.95$"))
    chip = page.locator(".calibviz-chips").get_by_role("button")
    chip.focus()
    page.keyboard.press("Enter")
    expect(written(page, "selection")).to_have_value("")
