"""An Explorer in a page: opening it, moving its controls as a person moves them, and telling what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from efforts import FEW, line
from playwright.sync_api import Locator, Page, TimeoutError

from calibviz.answers.registry import ANSWERS
from calibviz.explorer.state.arrangement import WORKBENCH
from calibviz.explorer.view.panels.marks import LEVEL_MARGIN, MARGIN
from calibviz.figures import styles

# Intervals of errors take seconds, and so do the tests of every cell of the comparison.
QUICK = line(replace(FEW, means=20, least_means=19))
DIGITS = (
    f"import calibviz as cv\n{QUICK}"
    f'explorer = cv.Explorer(cv.load_dataset("digits"), calibrator="spline", panels={WORKBENCH})\n'
)
ALL = (
    f"import calibviz as cv\n{QUICK}"
    f'explorer = cv.Explorer(cv.load_dataset("digits"), likert=(0, 0.33, 0.66, 1), calibrator="spline", '
    f"panels={tuple(ANSWERS)})\n"
)
TALL = {"width": 1400, "height": 9000}  # all panels are in view

#: What of an Explorer has not been drawn yet, in words.
UNDRAWN = """() => {
    const seen = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
    const name = (element) => element.className.match(/calibviz-[a-z-]+/g)?.join(".");
    const panels = seen(".calibviz-panel");
    const undrawn = panels.length ? [] : [`${panels.length} panels`];
    for (const panel of panels) {
        const note = panel.querySelector(".calibviz-note .widget-html-content")?.textContent;
        if (!panel.querySelector("table td, svg.svg-figure[role=img] path[d]") && !note) {
            undrawn.push(`${name(panel)} shows nothing`);
        }
    }
    for (const figure of seen(".calibviz-panel .bqplot")) {
        // Beyond the page, or behind a bar of JupyterLab: bqplot draws there once somebody looks.
        const { top, bottom } = figure.getBoundingClientRect();
        if (top > window.innerHeight - 120 || bottom < 120) continue;
        const drawn = figure.querySelector("svg .plotarea_background")?.getAttribute("width") ?? NaN;
        // Bqplot follows its place after a while. Sentences on the axes take other room than plain names.
        const places = [MARGINS, LEVEL].map((margin) => figure.clientWidth - margin);
        if (places.some((place) => Math.abs(drawn - place) < 3)) continue;
        undrawn.push(`${name(figure)} is drawn for ${drawn}, its place is ${places.join(" or ")}`);
    }
    for (const handle of seen(".calibviz-explorer .noUi-handle").filter((handle) => !handle.ariaLabel)) {
        undrawn.push(`a handle of ${name(handle.closest(".widget-slider"))} has no name`); // these come late, too
    }
    return undrawn;
}""".replace("LEVEL", str(LEVEL_MARGIN["left"] + LEVEL_MARGIN["right"])).replace(
    "MARGINS", str(MARGIN["left"] + MARGIN["right"])
)
#: Whether the kernel is done with all that was asked, no slow work goes on, and what the answers change has changed:
#: nothing within a view in the last quarter of a second, nor has anything scrolled.
IS_STILL = """() => {
    if (!window.changed) {
        window.changed = { at: performance.now() };
        document.addEventListener("scroll", () => { window.changed.at = performance.now(); }, true);
        new MutationObserver((records) => {
            const elements = records.map(({ target }) => (target.closest ? target : target.parentElement));
            if (elements.some((one) => one?.closest(".calibviz-explorer"))) window.changed.at = performance.now();
        }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    }
    const isWorking = [...document.querySelectorAll(".calibviz-working .widget-html-content")]
        .some((sign) => sign.textContent.trim());
    return !window.unanswered?.size && !isWorking && performance.now() - window.changed.at > 250;
}"""

SHOWN = """() => {
    const seen = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
    const path = (one) => [one, one.parentNode].map((o) => o.getAttribute("d") + o.getAttribute("transform")).join();
    const figures = seen(".calibviz-panel .bqplot").map((figure) => [figure.className.match(/calibviz-([a-z-]+)/)[1],
        [...figure.querySelectorAll("path")].filter((one) => one.getBoundingClientRect().width > 0)
            .map(path).join("|")]);
    const tables = seen(".calibviz-table").map((table) => [`${table.dataset.name} table`, table.innerText]);
    return Object.fromEntries([...figures, ...tables]);
}"""
HAS_CHANGED = f"""([before, names]) => {{
    const now = ({SHOWN})();
    return names.every((name) => name in now && now[name] !== before[name]);
}}"""

Act = Callable[[Page], None]
Host = Callable[..., Page]  # `Pages` or a `Stage`


def open_explorer(host: Host, cell: str = DIGITS + "explorer", drawer: bool = True, **options: Any) -> Page:
    """A page with an Explorer whose panels all show something; they may still be filling in."""
    page = host([cell], **options)
    wait_until_drawn(page)
    if drawer:
        open_drawer(page)
    return page


def wait_until_drawn(page: Page, also: str = "() => true") -> None:
    """Wait for all panels of a page, and for something `also`; an error says which are missing."""
    try:
        page.wait_for_function(f"() => ({also})() && !({UNDRAWN})().length")
    except TimeoutError:
        raise AssertionError(f"not drawn: {page.evaluate(UNDRAWN)}, or not {also}") from None


def open_drawer(page: Page) -> None:
    """Show all settings, and wait until the panels are drawn for the room that is left to them."""
    page.locator(".calibviz-advanced").click()
    # The page shows them with the click, before they are filled.
    page.locator(".calibviz-controls :is(.noUi-handle, select)").locator("visible=true").first.wait_for()
    wait_until_drawn(page)


def open_measures(page: Page) -> None:
    """Show the table of the headline numbers, over the picture."""
    page.locator(".calibviz-how").click()
    page.locator(".calibviz-numbers table td").first.wait_for()


def share(page: Page, name: str) -> None:
    """Take something away: open the list, and press what stands in it."""
    if not page.locator(".calibviz-leave").is_visible():
        page.locator(".calibviz-share > button").click()
    page.locator(".calibviz-leave").get_by_role("button", name=name, exact=True).click()
    # Python closes the list with the press; whoever shares again before that would press what is about to go.
    page.locator(".calibviz-leave").wait_for(state="hidden")


def settle(page: Page) -> None:
    """Wait until every panel shows something, and nothing is still being computed or drawn."""
    wait_until_drawn(page, IS_STILL)


def resize(page: Page, width: int, height: int) -> None:
    """Give the page another size, and wait until all of it is drawn for that: at first, it is still as it was."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("width => window.innerWidth === width", arg=width)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    settle(page)


def shown(page: Page) -> dict[str, str]:
    """What every picture and table shows, by name."""
    found: dict[str, str] = page.evaluate(SHOWN)
    return found


def wait_for_change(page: Page, before: dict[str, str], names: Iterable[str]) -> None:
    page.wait_for_function(HAS_CHANGED, arg=[before, list(names)])


def control(page: Page, name: str) -> Locator:
    """A control by the name of its choice."""
    return page.locator(f":is(.widget-inline-hbox, .widget-toggle-buttons).calibviz-{name}").first


def press(name: str, key: str, which: int = 0) -> Act:
    """Press a key on a slider's handle."""
    return lambda page: control(page, name).locator(".noUi-handle").nth(which).press(key)


def choose(name: str, *values: str) -> Act:
    """Choose from a list: one value of a menu, or all of these in a list to check."""

    def do(page: Page) -> None:
        box = control(page, name)
        box.locator("select, .widget-toggle-button, .opener").first.wait_for()
        if box.locator("select").count():
            box.locator("select").select_option(list(values))
            return
        if box.locator(".widget-toggle-button").count():
            box.get_by_role("button", name=values[0], exact=True).press("Enter")  # the measures may lie over it
            return
        opener = box.locator(".opener")
        if opener.get_attribute("aria-expanded") != "true":
            opener.click()
        rows = box.locator(".rows label")
        for row in rows.all():
            check = row.locator("input")
            if check.is_checked() != (row.locator("span").inner_text() in values):
                check.click()

    return do


def write(name: str, text: str) -> Act:
    def do(page: Page) -> None:
        field = control(page, name).locator("input")
        field.fill(text)
        field.press("Enter")

    return do


def click(name: str) -> Act:
    """Click a button by what stands on it."""
    return lambda page: page.locator(".calibviz-explorer").get_by_role("button", name=name, exact=True).click()


BLUE, GREEN = styles.tone(styles.BLUE), styles.tone(styles.GREEN)
# Where the dots of a figure are, of the first marks whose dots have a colour.
DOTS = """([figure, colour]) => {
    const own = ({ style }) => [style.fill, style.stroke].includes(colour);
    const sized = [...document.querySelectorAll(`.bqplot.calibviz-${figure} .calibviz-sized path`)].filter(own);
    if (sized.length) { // of bins: they lie over a line whose own markers are hidden
        const boxes = sized.map((one) => one.getBoundingClientRect());
        return boxes.map(({ x, y, width, height }) => [x + width / 2, y + height / 2]);
    }
    const shapes = [...document.querySelectorAll(`.bqplot.calibviz-${figure} marker path`)];
    const line = shapes.find((one) => one.style.fill === colour).closest("g").querySelector("path.line");
    return [...line.getAttribute("d").matchAll(/([-.e\\d]+),([-.e\\d]+)/g)].map(([, x, y]) => {
        const place = new DOMPoint(x, y).matrixTransform(line.getScreenCTM());
        return [place.x, place.y];
    });
}"""


def dots(page: Page, figure: str, colour: str = BLUE) -> list[tuple[float, float]]:
    page.locator(f".bqplot.calibviz-{figure} marker").first.wait_for(state="attached")
    return [(x, y) for x, y in page.evaluate(DOTS, [figure, colour])]
