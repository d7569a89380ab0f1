"""What is pointed at lights up in the other pictures of the view, and nothing else happens."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .explorer import QUICK, open_explorer, settle
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
    told = float(group.locator("td").first.inner_text().partition(",")[0]) / 100
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
    told = float(sample.locator("td").nth(3).inner_text().removesuffix(" %")) / 100
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
    dots = page.locator(".calibviz-reliability .calibviz-sized").first.locator("path")
    handle = page.locator(".calibviz-bins .noUi-handle")
    for motion in ("no-preference", "reduce"):
        page.emulate_media(reduced_motion=motion)
        page.wait_for_timeout(400)  # a step slides only where the one before is longer ago
        before, count = page.evaluate("window.slides"), dots.count()
        handle.press("End" if motion == "reduce" else "Home")
        expect(dots).not_to_have_count(count)
        slid = page.evaluate("window.slides") - before
        assert (slid > 0) == (motion == "no-preference")
    page.emulate_media(reduced_motion="no-preference")


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
    box, dot = handle.bounding_box(), page.locator(".calibviz-reliability .object_grp .dot").last.bounding_box()
    assert box is not None and dot is not None
    assert abs(box["x"] + box["width"] / 2 - dot["x"] - dot["width"] / 2) < 2
    settle(page)
