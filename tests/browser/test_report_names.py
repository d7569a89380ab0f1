"""Reports in a real browser: whatever a name holds, it is text, and runs nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import calibviz as cv

from .reports import Open

NAMES = [
    "<script>harmed = 1</script>",
    "\"><img src=x onerror='harmed = 1'>",
    "</script><script>harmed = 1</script>",
    "</style><svg onload='harmed = 1'>",
]


@pytest.mark.usefixtures("few_replicates")
def test_names_run_nothing(open_report: Open, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    probs, labels = rng.dirichlet(np.ones(4), 80), np.arange(80) % 4
    fields = {name: np.array([name, "line\u2028separator"] * 40) for name in NAMES}
    groups = {NAMES[0]: NAMES[:2], NAMES[1]: NAMES[2:]}
    p = cv.Predictions(probs, labels, class_names=NAMES, fields=fields, groups=groups, about={"title": NAMES[2]})
    likert = {NAMES[0]: (0.0, 0.5), NAMES[2]: (0.5, 1.0)}
    one = tmp_path / "<img src=x onerror=alert(1)>\u2028.html"
    cv.report(p, lens=f"class {NAMES[0]}", categories=likert, path=one, progress=False)
    several = tmp_path / "names.html"
    models = {name: p.with_probs(rng.dirichlet(np.ones(4), 80)) for name in NAMES}
    cv.compare(models, categories=likert, path=several, progress=False)
    for path in (one, several):
        page = open_report(path)
        assert page.evaluate("typeof harmed") == "undefined"
        assert page.locator("img, script").count() == 1  # its own
        for name in NAMES:
            expect(page.get_by_text(name).first).to_be_attached()
        expect(page.get_by_text("line\\u2028separator").locator("visible=true").first).to_be_visible()
        for figure_ in page.locator("figure").all():
            for button in figure_.locator(".legend button").all():
                button.click()
                expect(button).to_have_attribute("aria-pressed", "false")
        for dot in page.locator(".dot").all()[:20]:
            dot.dispatch_event("pointerover")
        assert page.evaluate("typeof harmed") == "undefined"


def test_even_markup_that_slips_through_is_stopped(open_report: Open, reports: dict[str, Path], tmp_path: Path) -> None:
    """The second line of defence: the page's own policy, were a name ever not escaped."""
    slipped = tmp_path / "slipped.html"
    text = reports["tumours"].read_text(encoding="utf-8")
    slipped.write_text(text.replace("<main>", f"<main>{NAMES[0]}<p onclick='harmed = 1'>here</p>"), encoding="utf-8")
    assert slipped.read_text(encoding="utf-8") != text
    # The complaints of this context are collected; those of the policy are expected here.
    page = open_report(reports["tumours"]).context.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(slipped.as_uri())
    page.get_by_text("here", exact=True).click()
    assert page.evaluate("typeof harmed") == "undefined"
    assert len(refused) == 2 and all("Content Security Policy" in one for one in refused)
