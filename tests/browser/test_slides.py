"""Slides of a lesson in a browser: they need no network, keys turn them, and a guess is made on them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect

ROOT = Path(__file__).resolve().parents[2]


def test_slides_are_turned_by_keys_and_load_nothing(browser: Browser, tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "make_slides.py", tmp_path, "01"], check=True)
    (file,) = tmp_path.glob("*.html")
    for width, height in ((1600, 900), (1366, 768)):
        page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
        asked: list[str] = []
        errors: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
        page.goto(file.as_uri())
        slides = page.locator("section")
        expect(slides.first).to_be_in_viewport(ratio=0.99)
        page.keyboard.press("PageDown")
        expect(slides.nth(1)).to_be_in_viewport(ratio=0.99)
        page.keyboard.press("PageUp")
        expect(slides.first).to_be_in_viewport(ratio=0.99)
        guess = page.locator("section:has(.calibviz-guess)").first
        guess.scroll_into_view_if_needed()
        expect(guess.locator("input, button").first).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == errors == []
        page.close()
