"""A file that is chosen or dropped in the page of ``calibviz explore``."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from commands import User
from playwright.sync_api import Browser, expect

from .explorer import settle
from .layout import violations

DROP = """([name, text]) => {
    const files = new DataTransfer();
    files.items.add(new File([text], name));
    const input = document.querySelector(".calibviz-file-drop input");
    input.files = files.files;  // what a browser does with a dropped file
    input.dispatchEvent(new Event("change"));
}"""


def rows(n: int) -> str:
    rng = np.random.default_rng(0)
    scores, *fates = rng.uniform(size=(3, n))
    hits = zip(*(np.where(fate < scores, "yes", "no") for fate in fates), strict=True)
    return "told,label,gold\n" + "".join(f"{s:.17f},{','.join(hit)}\n" for s, hit in zip(scores, hits, strict=True))


def test_a_file_is_chosen_and_explored(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(rows(50_000), encoding="utf-8")  # more than a message holds
    complaints: list[str] = []
    command = [sys.executable, "-m", "calibviz.app", "explore", "--no-browser"]
    user = User(tmp_path)
    with user.start(*command) as running, browser.new_page(viewport={"width": 420, "height": 800}) as page:
        page.on("pageerror", lambda error: complaints.append(str(error.stack or error)))
        page.goto(running.url)
        said = page.locator(".calibviz-opening .said")
        place = page.locator(".calibviz-file-drop input")
        expect(place).to_be_visible()
        assert violations(page, ".calibviz-page") == []
        page.evaluate(DROP, ["damaged.npz", "PK\x03\x04"])
        expect(said).to_contain_text("damaged.npz: the .npz archive cannot be read and may be damaged")
        place.set_input_files(file)
        expect(said).to_contain_text("two columns may hold the truth")
        assert violations(page, ".calibviz-page") == []
        assert list(user.temporary.rglob("mine.csv")) and not list(user.temporary.rglob("damaged.npz"))
        expect(page.locator(".calibviz-file-drop progress")).to_be_hidden()
        page.get_by_label("What 'gold' is taken for").select_option("label: the outcome")  # where its values are seen
        expect(page.get_by_label("labels", exact=True)).to_have_value("gold")
        expect(said).to_contain_text("truth from 'gold'")
        columns = page.locator(".calibviz-opening .calibviz-checklist", has_text="probabilities")
        columns.locator(".opener").click()
        expect(columns.locator(".rows label", has_text="told").locator("input")).to_be_checked()
        expect(said).to_contain_text("50,000 samples, 2 classes (no, yes)")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page, ".calibviz-page") == []
        page.get_by_role("button", name="explore").press("Enter")
        settle(page)
        expect(page.locator(".calibviz-subject")).to_contain_text("class yes")
        assert list(user.temporary.rglob("mine.csv")) == []
        page.get_by_role("button", name="open a file").click()
        expect(place).to_be_visible()
        expect(page.locator(".calibviz-explorer")).to_have_count(0)
        page.close()
        assert running.end() == (0, "")
    assert complaints == []
    assert list(user.temporary.iterdir()) == []
