"""What is pointed at lights up in the other pictures of the view, and nothing else happens."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .explorer import QUICK, dots, open_explorer, settle, shown
from .layout import layout_problems
from .stage import Stage

HEARTS = (
    f"import calibviz as cv\n{QUICK}"
    'explorer = cv.Explorer(cv.load_dataset("heart"), panels=("reliability", "segments", "cumulative", "instances"))\n'
    "explorer"
)
TALL = {"width": 1400, "height": 1800}
#: Where the mark stands across each picture, as a share of the plot, by the picture's name.
MARKED = """() => Object.fromEntries([...document.querySelectorAll(".calibviz-pointed")].map((mark) => {
    const figure = mark.closest(".bqplot"), plot = figure.querySelector(".plotarea_background").getBoundingClientRect();
    const box = mark.querySelector("path").getBoundingClientRect();
    return [figure.className.match(/calibviz-([a-z-]+)/)[1], (box.x + box.width / 2 - plot.x) / plot.width];
}))"""


def marked(page: Page, *names: str) -> dict[str, float]:
    """Wait until these pictures are marked, among others, or where none is named until none is."""
    page.wait_for_function(
        f"(names) => (now => names.every((name) => now.includes(name)) && (names.length || !now.length))"
        f"(Object.keys(({MARKED})()))",
        arg=list(names),
    )
    places: dict[str, float] = page.evaluate(MARKED)
    return places


def test_a_group_a_sample_and_a_bin_light_up_everywhere(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS, drawer=False, viewport=TALL)
    settle(page)
    group = page.locator(".calibviz-panel-segments tbody tr").first
    told = float(group.locator("td").nth(1).inner_text()) / 100
    group.hover()
    places = marked(page, "reliability", "histogram", "difference")
    margin = 0.02 / 1.04  # the axes are a little wider than from 0 to 1
    assert abs(places["histogram"] - (margin + told / 1.04)) < 0.01
    assert abs(places["reliability"] - places["histogram"]) < 0.01
    expect(page.locator(".calibviz-reliability .calibviz-pointed path")).to_have_count(2)  # a diamond, an interval
    page.mouse.move(5, 5)
    marked(page)

    sample = page.locator(".calibviz-panel-instances tbody tr").nth(2)
    sample.focus()
    places = marked(page, "reliability", "histogram", "difference")
    told = float(sample.locator("td").nth(3).inner_text().removesuffix("\N{NO-BREAK SPACE}%")) / 100
    assert abs(places["histogram"] - (margin + told / 1.04)) < 0.01
    sample.press("Enter")
    expect(page.locator(".calibviz-table[data-name=sample] tbody tr")).to_have_count(2)
    sample.evaluate("row => row.blur()")
    marked(page)

    dot = page.locator(".calibviz-reliability .calibviz-sized path").nth(3).bounding_box()
    assert dot is not None
    page.mouse.move(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
    assert "reliability" not in marked(page, "histogram", "difference")
    page.mouse.move(5, 5)
    marked(page)


def test_a_mark_moves_with_the_picture_that_gets_narrower(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS, drawer=False, viewport=TALL)
    settle(page)
    page.locator(".calibviz-panel-segments tbody tr").first.focus()
    before = marked(page, "reliability", "histogram")
    page.set_viewport_size({"width": 900, "height": 1800})
    settle(page)
    after = marked(page, "reliability", "histogram")
    assert (
        abs(after["reliability"] - before["reliability"]) < 0.01
        and abs(after["histogram"] - before["histogram"]) < 0.01
    )


DIGITS = (
    f"import calibviz as cv\n{QUICK}"
    'explorer = cv.Explorer(cv.load_dataset("digits")["naive Bayes"], calibrators=("beta",), compared=('
    '("model", "top-1", ""), ("model", "class 3", "")), panels=("classes", "comparison", "instances"))\n'
    "explorer"
)


def lit(page: Page, table: str) -> list[str]:
    """The headings of the rows of a table that light up."""
    rows = page.locator(f".calibviz-table[data-name={table}] tr.pointed > :first-child")
    return [text.partition("\n")[0] for text in rows.all_inner_texts()]


def test_a_class_lights_up_everywhere(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, DIGITS, drawer=False, viewport=TALL)
    settle(page)
    three = page.locator(".calibviz-table[data-name=worst] tbody tr").filter(has=page.get_by_text("3", exact=True))
    labels = page.locator(".calibviz-table[data-name=instances] tbody tr td:nth-child(3)").all_inner_texts()
    three.hover()
    expect(page.locator(".calibviz-classes .calibviz-pointed circle")).to_have_count(1)
    assert lit(page, "comparison") == ["class 3"] and len(lit(page, "instances")) == labels.count("3") > 0
    assert lit(page, "worst") == []  # it has a frame of its own there
    page.mouse.move(5, 5)
    expect(page.locator("tr.pointed, .calibviz-pointed")).to_have_count(0)

    page.mouse.move(*dots(page, "classes")[0])
    expect(page.locator(".calibviz-table[data-name=worst] tr.pointed")).to_have_count(1)

    sample = page.locator(".calibviz-table[data-name=instances] tbody tr").first
    sample.focus()
    page.mouse.move(5, 5)
    sample.evaluate("row => { row.blur(); row.focus(); }")
    expect(page.locator(".calibviz-table[data-name=worst] tr.pointed")).to_have_count(1)
    assert lit(page, "worst") == labels[:1]
    sample.evaluate("row => row.blur()")
    expect(page.locator("tr.pointed, .calibviz-pointed")).to_have_count(0)


def test_bars_are_pointed_at_clicked_and_walked_along(voila_stage: Stage) -> None:
    cell = DIGITS.replace("panels=(", 'comparison="bars", panels=(').replace('"classes", ', "")
    page = open_explorer(voila_stage, cell, drawer=False, viewport=TALL)
    settle(page)
    figure = page.locator(".calibviz-comparison-bars")
    stop, tip = figure.get_by_role("slider"), figure.get_by_role("tooltip")
    stop.focus()
    for key, name in (("Home", "top-1, none"), ("ArrowRight", "top-1, beta"), ("End", "class 3, beta")):
        stop.press(key)
        expect(tip).to_be_visible()
        expect(tip).to_contain_text(f"{name}: ")
        expect(stop).to_have_attribute("aria-valuetext", tip.inner_text())
    expect(page.locator(".calibviz-table[data-name=instances] tr.pointed")).not_to_have_count(0)
    box = stop.bounding_box()
    assert box is not None
    stop.press("Enter")
    expect(page.locator(".calibviz-subject").first).to_contain_text("class 3")
    expect(stop).to_be_focused()
    stop.press("Home")
    settle(page)
    first = stop.bounding_box()
    assert first is not None
    stop.evaluate("element => element.blur()")
    expect(tip).to_be_hidden()
    page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
    expect(tip).to_contain_text("top-1, none: ")
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(".calibviz-subject").first).to_contain_text("the likeliest class")
    settle(page)


MANY = f"""
import numpy as np
import calibviz as cv
{QUICK}
rng = np.random.default_rng(0)
share = 1 / np.arange(1, 301)
labels = rng.choice(300, 3000, p=share / share.sum())
logits = rng.normal(size=(3000, 300)) + np.log(share)
logits[np.arange(3000), labels] += 5
names = [f"class-{{c:03d}}" for c in range(300)]
explorer = cv.Explorer(cv.Predictions(logits=2 * logits, labels=labels, class_names=names),
                       panels=("classes", "likert"))
explorer
"""


def test_a_range_of_many_classes_is_brushed_and_moved_by_keys(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, MANY, drawer=False, viewport=TALL)
    settle(page)
    readout = page.locator(".calibviz-zoom .widget-readout")
    expect(readout).to_have_text("1 – 300")
    plot = page.locator(".calibviz-classes .plotarea_background").bounding_box()
    assert plot is not None
    y = plot["y"] + plot["height"] / 2
    page.mouse.move(plot["x"] + 0.9 * plot["width"], y)
    page.mouse.down()
    page.mouse.move(plot["x"] + 0.95 * plot["width"], y, steps=4)
    page.mouse.up()
    expect(readout).not_to_have_text("1 – 300")
    expect(page.locator(".calibviz-classes .selection")).to_be_hidden()  # what was brushed fills the picture
    settle(page)
    names = page.locator(".calibviz-classes .tick text:visible").filter(has_text="class-")
    expect(names.first).to_be_visible()
    assert layout_problems(page) == []  # names that would lie on each other are not all shown
    row = page.locator(".calibviz-table[data-name=worst] tbody tr").first
    row.hover()
    expect(page.locator(".calibviz-classes .calibviz-pointed circle")).to_have_count(1)
    page.locator(".calibviz-zoom .noUi-handle").last.press("End")
    expect(readout).to_contain_text("– 300")
    page.locator(".calibviz-zoom").get_by_role("button", name="all", exact=True).click()
    expect(readout).to_have_text("1 – 300")
    page.mouse.move(*dots(page, "classes")[0])
    expect(page.locator(".calibviz-classes [role=tooltip]")).to_be_visible()
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(".calibviz-subject").first).to_contain_text("class-000")  # a click is no brush
    expect(readout).to_have_text("1 – 300")
    settle(page)


COUNTED = """() => {
    window.slides = 0;
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) {
        if (this.closest(".calibviz-sized")) window.slides += 1;
        return animate.apply(this, given);
    };
}"""


def test_dots_slide_with_a_step_of_bins_unless_motion_is_not_wanted(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, HEARTS, viewport=TALL)
    settle(page)
    page.evaluate(COUNTED)
    moving = page.locator(".calibviz-reliability .calibviz-sized").first.locator("path")
    handle = page.locator(".calibviz-bins .noUi-handle")
    for motion in ("no-preference", "reduce"):
        page.emulate_media(reduced_motion=motion)
        page.wait_for_timeout(400)  # a step slides only where the one before is longer ago
        before, count = page.evaluate("window.slides"), moving.count()
        handle.press("End" if motion == "reduce" else "Home")
        expect(moving).not_to_have_count(count)
        settle(page)
        slid = page.evaluate("window.slides") - before
        assert (slid > 0) == (motion == "no-preference")
    page.emulate_media(reduced_motion="no-preference")


ON_ITS_DOT = """() => {
    const figure = document.querySelector(".bqplot.calibviz-reliability");
    const handle = figure.querySelector("[role=slider][aria-label='act from']");
    const [first, second] = [handle, [...figure.querySelectorAll(".object_grp .dot")].at(-1)].map((one) => {
        const { x, width } = one.getBoundingClientRect();
        return x + width / 2;
    });
    return Math.abs(first - second) < 2;
}"""


def test_keys_move_the_threshold_on_the_axis(voila_stage: Stage) -> None:
    cell = HEARTS.replace('"segments", "cumulative", "instances"', '"decision"')
    page = open_explorer(voila_stage, cell, drawer=False, viewport=TALL)
    settle(page)
    handle = page.locator(".calibviz-reliability").get_by_role("slider", name="act from", exact=True)
    for key, value in (("ArrowRight", "51 %"), ("Shift+ArrowRight", "56 %"), ("ArrowDown", "55 %")):
        handle.press(key)
        expect(handle).to_have_attribute("aria-valuetext", value)
    expect(page.locator(".calibviz-decision-curve").get_by_role("slider")).to_have_attribute("aria-valuetext", "55 %")
    expect(handle).to_be_focused()
    settle(page)
    page.wait_for_function(ON_ITS_DOT)


CATEGORIES = HEARTS.replace("panels=", "likert={'low': (0, 0.3), 'high': (0.3, 1)}, panels=").replace(
    ', "segments", "cumulative", "instances"', ","
)
EDGE = ".bqplot.calibviz-reliability .calibviz-handle[data-role=handle]"


def test_strip_and_table_follow_an_edge_while_it_is_dragged(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, CATEGORIES, drawer=False)
    settle(page)
    number = page.locator(".calibviz-reliability .calibviz-words-over > .handle")
    first = page.locator(".calibviz-promises tbody tr").first
    expect(first).to_contain_text("0 to 30")
    colours = first.locator(":is(th, td)").evaluate_all("cells => cells.map((one) => getComputedStyle(one).color)")
    assert colours[0] == colours[1]  # a category's name is no number within noise
    box = page.locator(EDGE).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = shown(page)["reliability"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=6)
    expect(number).not_to_have_text("30 %")  # while the button is still down
    expect(first).not_to_contain_text("0 to 30")
    settle(page)
    over = number.bounding_box()
    assert over is not None and abs(over["x"] + over["width"] / 2 - (x + 60)) < 2  # it stays with the pointer
    assert shown(page)["reliability"] != before
    page.mouse.up()
    settle(page)
    dropped = number.inner_text()
    assert 35 < float(dropped.removesuffix("\xa0%").removesuffix(" %")) < 50
    expect(page.get_by_role("button", name="Undo: categories")).to_have_count(1)


def test_a_double_click_takes_the_number_of_an_edge_as_text(voila_stage: Stage) -> None:
    page = open_explorer(voila_stage, CATEGORIES, drawer=False)
    settle(page)
    box = page.locator(EDGE).bounding_box()
    assert box is not None
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    field = page.get_by_label("low ends, high begins, in per cent")
    expect(field).to_have_value("30")
    field.fill("250")
    field.press("Enter")
    assert field.evaluate("field => field.validationMessage") == "250 is not from 0 to 100 %"
    field.fill("12,5 %")
    field.press("Enter")
    number = page.locator(".calibviz-reliability .calibviz-words-over > .handle")
    expect(number).to_have_text("12.5 %")
    settle(page)  # the number beside the handle follows at once, the handle when Python has heard of it
    expect(page.locator(EDGE)).to_be_focused()
    page.locator(EDGE).press("Enter")  # by keyboard, too
    expect(field).to_have_value("12.5")
    field.press("Escape")
    expect(field).to_have_count(0)
    expect(number).to_have_text("12.5 %")


def test_a_card_that_is_pointed_at_is_marked_in_the_picture(voila_stage: Stage) -> None:
    page = open_explorer(
        voila_stage, 'import calibviz as cv\ncv.Explorer(cv.load_dataset("heart"))', drawer=False, viewport=TALL
    )
    settle(page)
    cards, marks = page.locator(".calibviz-question"), page.locator(".calibviz-reliability .calibviz-pointed path")
    for card, paths in zip(cards.all(), (2, 1, 2), strict=True):  # a diamond with its interval, or a line
        card.hover()
        expect(marks).to_have_count(paths)
        page.locator(".calibviz-words").hover()
        expect(marks).to_have_count(0)
        card.get_by_role("button").focus()
        expect(marks).to_have_count(paths)
    cards.first.get_by_role("button").click()
    expect(marks).to_have_count(0)
    settle(page)


def test_home_and_end_of_the_slider_go_to_edges_of_categories(voila_stage: Stage) -> None:
    code = CATEGORIES.replace('("reliability",)', '("reliability", "decision",)')
    page = open_explorer(voila_stage, code, drawer=False, viewport=TALL)
    settle(page)
    number = page.locator(".calibviz-reliability .calibviz-words-over > .threshold")
    handle = page.locator(".calibviz-threshold .noUi-handle")
    expect(number).to_have_text("30 %")  # it begins at an edge
    for key, there in (("End", "99.9 %"), ("Home", "30 %"), ("End", "99.9 %")):
        handle.press(key)
        expect(number).to_have_text(there)
    page.locator(".calibviz-cost_steps .noUi-handle").press("Home")  # it stands for the same handle
    expect(number).to_have_text("30 %")
