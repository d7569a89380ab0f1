"""Reports that are open in a page."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page

Open = Callable[..., Page]


def figure(page: Page, name: str) -> Locator:
    return page.locator(f"figure[data-figure='{name}']").first
