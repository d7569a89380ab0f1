"""Reports in a real browser: everyone can read them, in light and dark, narrow, on paper and without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .layout import violations
from .reports import Open, figure

SECTIONS = [
    "numbers",
    "reliability",
    "cumulative",
    "segments",
    "recalibration",
    "changes",
    "comparison",
    "temperature",
    "sensitivity",
    "likert",
    "classes",
    "data",
    "made",
]

QUESTIONS = ["Where is it worst?", "Can I act at a threshold?", "Would recalibration help?"]
A4 = (297 - 2 * 16) / 25.4 * 96  # pixels between the margins of a sheet
PROBLEMS = """() => {
    const problems = [];
    if (document.documentElement.scrollWidth > window.innerWidth) problems.push("the page scrolls sideways");
    const box = (one) => one.getBoundingClientRect();
    const said = (one) => one.textContent.trim().slice(0, 40);
    for (const one of document.querySelectorAll("h1, h2, h3, p, dd, dt, summary, figcaption, .legend button, pre")) {
        if (one.checkVisibility() && one.scrollWidth > one.clientWidth + 1) problems.push(`cut: ${said(one)}`);
    }
    const isPrint = matchMedia("print").matches;
    for (const one of document.querySelectorAll(".table")) {
        const isWide = one.scrollWidth > one.clientWidth + 1;
        if (one.checkVisibility() && isWide && (isPrint || one.tabIndex !== 0)) problems.push(`cut: ${said(one)}`);
    }
    for (const plot of document.querySelectorAll(".plot")) {
        const texts = [...plot.querySelectorAll("text")];
        for (const text of texts) {
            const [inner, outer] = [box(text), box(plot)];
            if (inner.left < outer.left - 6 || inner.right > outer.right + 6 || inner.bottom > outer.bottom + 6
                || inner.top < outer.top - 6) problems.push(`beyond its picture: ${said(text)}`);
        }
        const flat = texts.filter((one) => !one.classList.contains("turned"));
        flat.forEach((a, i) => flat.slice(i + 1).forEach((b) => {
            const [p, q] = [box(a), box(b)];
            if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 3 && q.top < p.bottom - 3) {
                problems.push(`overlap: ${said(a)} and ${said(b)} in ${plot.getAttribute("aria-label").slice(0, 40)}`);
            }
        }));
    }
    return problems;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["tumours", "models", "long names"])
def test_everyone_can_read_it(open_report: Open, reports: dict[str, Path], name: str, scheme: Any) -> None:
    page = open_report(reports[name], color_scheme=scheme)
    assert violations(page, "html") == []
    lightness = page.evaluate("getComputedStyle(document.body).color.match(/\\d+/)[0] > 127")
    assert lightness == (scheme == "dark")
    for width in (1200, 760, 420):
        page.set_viewport_size({"width": width, "height": 1000})
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert (width, page.evaluate(PROBLEMS)) == (width, [])


@pytest.mark.parametrize("name", ["tumours", "models", "long names"])
def test_paper_shows_all_of_it(open_report: Open, reports: dict[str, Path], name: str) -> None:
    # As wide as A4 without its margins, and dark as the screen may be.
    page = open_report(reports[name], color_scheme="dark", viewport={"width": 688, "height": 1000})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(PROBLEMS) == []
    assert violations(page, "html") == []
    colours = page.evaluate(
        "[document.body, document.querySelector('.inside')].map(one => getComputedStyle(one))"
        ".map(one => [one.color, one.backgroundColor, one.fill])"
    )
    assert colours[0][:2] == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert colours[1][2] == "rgb(255, 255, 255)"
    for identity in SECTIONS:
        if page.locator(f"section#{identity}").count():
            expect(page.locator(f"section#{identity} > :not(h2)").first).to_be_visible()
    for legend in page.locator(".legend").all():
        expect(legend).to_be_visible()
    expect(page.locator(".copy")).to_be_hidden()
    assert page.pdf(format="A4", prefer_css_page_size=True).startswith(b"%PDF")


def test_the_first_sheet_of_paper_reads_as_the_first_screen(open_report: Open, reports: dict[str, Path]) -> None:
    page = open_report(reports["tumours"], viewport={"width": 688, "height": 1000})
    page.emulate_media(media="print")
    parts = ["h1", ".said", "[data-figure=reliability]", "[data-figure=histogram]", ".questions"]
    boxes = [page.locator(part).first.bounding_box() for part in parts]
    tops = [box["y"] for box in boxes if box]
    assert tops == sorted(tops) and len(tops) == len(parts)
    assert page.evaluate("document.querySelector('.questions').getBoundingClientRect().bottom") < A4
    plots = [page.locator(f"[data-figure={name}] .inside").bounding_box() for name in ("reliability", "histogram")]
    (above, below) = plots
    assert above and below
    assert 0.9 < above["width"] / above["height"] < 1.1
    assert below["x"] == pytest.approx(above["x"], abs=1) and below["width"] == pytest.approx(above["width"], abs=1)
    expect(page.locator(".questions h3")).to_have_text(QUESTIONS)


def test_it_reads_without_scripts(open_report: Open, reports: dict[str, Path]) -> None:
    page = open_report(reports["tumours"], java_script_enabled=False)
    for identity in SECTIONS:
        if identity == "classes":  # two are each other's mirror
            continue
        expect(page.locator(f"section#{identity} h2")).to_be_visible()
    assert figure(page, "reliability").locator(".dot > title").count() > 5
