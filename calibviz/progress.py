"""A progress bar for long work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def with_progress(items: Iterable[T], what: str, total: int, show: bool = True) -> Iterator[T]:
    """The items, with a bar while they take longer than a second."""
    from tqdm.auto import tqdm  # in a notebook it draws with widgets, which the engine does not import

    yield from tqdm(items, total=total, desc=what, delay=1.0, leave=False, disable=not show)
