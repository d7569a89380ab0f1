"""The order of all tests."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the browser tests last: Playwright leaves an event loop running, which others must not find."""
    items.sort(key=lambda item: "browser" in item.path.parts)
