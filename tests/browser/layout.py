"""What is wrong with how a page is laid out: texts that are cut, boxes that overlap, pages that scroll sideways."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, TimeoutError

PROBLEMS = """() => {
    const problems = [];
    // What is clipped to nothing is there for screen readers.
    const seen = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 0
        && getComputedStyle(element).clipPath !== "inset(50%)";
    const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
    const name = (element) => [element.closest("[class*=calibviz-]")?.className.match(/calibviz-[a-z-]+/g)?.join("."),
        element.textContent.trim().slice(0, 40)].join(": ");
    const box = (element) => element.getBoundingClientRect();
    const overlap = (a, b, room = 1) =>
        a.left < b.right - room && b.left < a.right - room && a.top < b.bottom - room && b.top < a.bottom - room;

    if (document.documentElement.scrollWidth > window.innerWidth) problems.push("the page scrolls sideways");
    const explorer = document.querySelector(".calibviz-explorer");
    if (explorer.scrollWidth > explorer.clientWidth + 1) problems.push("the Explorer is wider than its place");

    const texts = ".widget-label, .widget-readout, .widget-html-content, h3, button, th, td";
    for (const element of all(texts.split(", ").map((one) => `.calibviz-explorer ${one}`).join(", "))) {
        // Headings above blocks are there for screen readers; those of the sides of an axis lie above those beside it.
        if (element.matches(":has(pre), :has(> .sides), .in-blocks > div > table > thead *")) continue;
        // A name that gives way to what stands beside it: a pause of the pointer shows the whole.
        const tells = element.matches("button") && element.title.startsWith(element.textContent.trim());
        if (tells && element.textContent && getComputedStyle(element).textOverflow === "ellipsis") continue;
        const isFlat = element.matches(".widget-label, .widget-readout, button");
        if (getComputedStyle(element).display !== "inline" && (element.scrollWidth > element.clientWidth + 1
            || (isFlat && element.scrollHeight > element.clientHeight + 4))) {
            problems.push(`cut: ${name(element)}`);
        }
    }
    for (const legend of all(".calibviz-legend")) { // of one line; what does not fit has a button that shows it
        const items = [...legend.querySelectorAll(".calibviz-keys > span")];
        const isCut = items.some((one) => one.offsetTop !== items[0].offsetTop || one.scrollWidth > one.clientWidth);
        const button = legend.querySelector("button");
        if (isCut === button.hidden) problems.push(`cut, or a button for nothing: ${name(legend)}`);
        const isHigh = box(legend).height > 20 * legend.currentCSSZoom; // of a projector larger
        if (!legend.closest(".is-unfolded") && isHigh) problems.push(`of lines: ${name(legend)}`);
    }
    for (const panel of all(".calibviz-panel")) {
        for (const inner of panel.querySelectorAll(".jupyter-widgets, .calibviz-legend, h3")) {
            if (seen(inner) && (box(inner).right > box(panel).right + 1 || box(inner).left < box(panel).left - 1)) {
                problems.push(`beyond its panel: ${name(inner)}`);
            }
        }
    }
    // Samples have as many columns as there are fields; all other tables are shown whole.
    for (const table of all(".calibviz-panel:not(.calibviz-panel-instances) .calibviz-table > div")) {
        if (table.scrollWidth > table.clientWidth + 1) problems.push(`a table is cut: ${name(table)}`);
    }
    // What is opened for a while lies over all else: the settings of one answer, the measures, what can be taken away.
    const layer = (element) => {
        const over = element.closest(".calibviz-controls, .calibviz-numbers, .calibviz-leave");
        return over && getComputedStyle(over).zIndex > 2 ? over : null;
    };
    const boxes = all(".calibviz-panel, .calibviz-controls > *, .calibviz-question, .calibviz-chooser, .calibviz-leave,"
        + ".calibviz-promises, .calibviz-words");
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
        if (layer(a) === layer(b) && overlap(box(a), box(b))) problems.push(`overlap: ${name(a)} and ${name(b)}`);
    }));
    for (const control of all(".calibviz-explorer .widget-hslider")) {
        const parts = [...control.children].filter(seen);
        parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
            if (overlap(box(a), box(b))) problems.push(`overlap in ${name(control)}`);
        }));
    }
    for (const figure of all(".calibviz-explorer .bqplot")) {
        const texts = [...figure.querySelectorAll(".tick text, text.axislabel")].filter((text) =>
            text.textContent.trim() && seen(text)
            && [text, text.parentNode].every((one) => getComputedStyle(one).opacity > 0.01)); // others come or go
        for (const text of texts) {
            const [inner, outer] = [box(text), box(figure)];
            if (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1
                || inner.bottom > outer.bottom + 1) {
                problems.push(`beyond its picture: ${figure.className.match(/calibviz-[a-z-]+/)}: ${text.textContent}`);
            }
        }
        // Of turned names the boxes overlap, but not the letters, if their ends are a line apart; the box of a line has
        // more room above and below than beside its letters, so the first numbers of two axes may touch at a corner.
        const isTurned = (text) => /rotate\\((?!0\\))/.test(text.getAttribute("transform"));
        texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
            const areTurned = isTurned(a) && isTurned(b);
            if (areTurned ? Math.abs(box(a).right - box(b).right) < 12 : overlap(box(a), box(b), 3)) {
                const place = figure.className.match(/calibviz-[a-z-]+/);
                problems.push(`texts overlap: ${place}: ${a.textContent} and ${b.textContent}`);
            }
        }));
    }
    return problems;
}"""


def layout_problems(page: Page, seconds: float = 20) -> list[str]:
    """What is wrong, in words, and stays so: in the frame that a scale changes in, its ticks are still on their way."""
    try:
        page.wait_for_function(f"() => ({PROBLEMS})().length === 0", timeout=1000 * seconds)
    except TimeoutError:
        found: list[str] = page.evaluate(PROBLEMS)
        return found
    return []


def violations(page: Page, within: str = ".calibviz-explorer") -> list[str]:
    """What axe-core finds in a part of a page that is serious or critical."""
    return [
        f"{rule['impact']}: {rule['id']}: {node['target']} {node['html'][:200]}"
        # Of what axe-core finds right it would write the place of every element, which takes it half of its time.
        for rule in Axe().run(page, context=within, options={"resultTypes": ["violations"]}).response["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]
