"""The order of all tests, and what several files of them share."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the browser tests last: Playwright leaves an event loop running, which others must not find.

    Workers keep that order as long as they may not reorder the files (see pyproject.toml).
    """
    items.sort(key=lambda item: "browser" in item.path.parts)


@pytest.fixture
def explorer(shared):
    """The `shared` Explorer of a file as it is at first, without panels."""
    shared.state.from_dict({"panels": ()})
    assert shared._status.value == ""
    return shared
