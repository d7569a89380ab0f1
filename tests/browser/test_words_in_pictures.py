"""Words in the reliability diagram cover neither each other nor a dot, on a laptop and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from .explorer import BLUE, GREEN, QUICK, open_explorer, settle, wait_until_drawn
from .stage import Stage

DOTS = [BLUE, GREEN]  # of the model as it is, or of what is recalibrated
HEART = 'cv.load_dataset("heart")["logistic regression"]'
WORDS = '{"unlikely": (0.0, 0.2), "possible": (0.2, 0.7), "likely": (0.7, 1.0)}'
#: A file of which one ward is far too low, beside others of which some dots are off.
WARD = (
    "import numpy as np\nrng = np.random.default_rng(3)\nscore, ward = rng.beta(2, 2, 1500), rng.integers(0, 4, 1500)\n"
    "event = rng.random(1500) < np.where(ward == 1, score**0.3, score)\n"
    "p = cv.Predictions(score, event.astype(int), fields={'ward': np.array(list('ABCD'))[ward]})\n"
)
DATA = {
    "heart": (f"p = {HEART}\n", f"likert={WORDS}"),
    "heart, recalibrated": (f"p = {HEART}\n", f'likert={WORDS}, calibrator="temperature"'),
    "heart, at a threshold": (f"p = {HEART}\n", f'likert={WORDS}, panels=("reliability", "decision"), threshold=0.2'),
    "digits": ('p = cv.load_dataset("digits")["naive Bayes"]\n', ""),
    "digits, recalibrated": ('p = cv.load_dataset("digits")["naive Bayes"]\n', 'calibrator="spline"'),
    "tumours": ('p = cv.load_dataset("tumours")["random forest"]\n', "likert=(0, 0.5, 1)"),
    "a ward": (WARD, "likert=(0, 0.3, 0.6, 1)"),
}

#: Pairs of words that overlap, words that cover a dot of the model, and words beyond the picture.
COLLISIONS = """(colours) => {
    const panel = document.querySelector(".calibviz-panel-reliability");
    const seen = (selector) => [...panel.querySelectorAll(selector)].filter((one) => one.checkVisibility());
    const box = (element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const [text, own] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
        const right = Math.min(text.right, own.right); // of what ends with three dots
        return { left: text.left, right, top: text.top, bottom: text.bottom };
    };
    const overlap = (a, b, room) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > room
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > room;
    const words = seen(".calibviz-words-over > div:not(.leads)").filter((one) => one.textContent.trim());
    const said = (one) => one.textContent.trim().slice(0, 50);
    const found = [];
    words.forEach((a, i) => words.slice(i + 1).forEach((b) => {
        const pills = [a, b].some((one) => one.matches(".pill"));
        if (overlap(box(a), box(b), pills ? 1 : 2)) found.push(`${said(a)} / ${said(b)}`);
    }));
    const isOne = ({ style }) => colours.includes(style.fill) || colours.includes(style.stroke);
    const dots = seen(".calibviz-reliability .calibviz-sized path")
        .filter(isOne).map((one) => one.getBoundingClientRect());
    if (!dots.length) found.push("no dots");
    for (const one of words.filter((one) => !one.matches(".pill, .name"))) {
        for (const dot of dots) if (overlap(box(one), dot, 3)) found.push(`${said(one)} covers a dot`);
        const [inner, outer] = [box(one), panel.getBoundingClientRect()];
        const isBeyond = inner.left < outer.left - 1 || inner.right > outer.right + 1;
        if (isBeyond) found.push(`${said(one)} is beyond the picture`);
    }
    return words.length ? found : ["no words"];
}"""


def collisions(page: Page) -> list[str]:
    settle(page)
    found: list[str] = page.evaluate(COLLISIONS, DOTS)
    return found


@pytest.mark.parametrize("data", DATA)
def test_words_cover_neither_each_other_nor_a_dot(voila_stage: Stage, data: str) -> None:
    made, options = DATA[data]
    cell = f"import calibviz as cv\n{QUICK}{made}explorer = cv.Explorer(p, {options})\nexplorer.finish()\nexplorer"
    page = open_explorer(voila_stage, cell, drawer=False, viewport={"width": 1366, "height": 768})
    found = {}
    for width, height in ((1366, 768), (420, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => window.innerWidth === width", arg=width)
        page.locator(".bqplot.calibviz-reliability").scroll_into_view_if_needed()  # or it keeps its old size
        wait_until_drawn(page)
        found[width] = collisions(page)
    assert found == {1366: [], 420: []}
