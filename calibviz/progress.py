"""A progress bar for long work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


def with_progress(items: Iterable[T], what: str, total: int, show: bool = True) -> Iterator[T]:
    """The items, with a bar while they take longer than a second."""
    from tqdm.auto import tqdm  # in a notebook it draws with widgets, which the engine does not import

    yield from tqdm(items, total=total, desc=what, delay=1.0, leave=False, disable=not show)


@contextmanager
def counted_steps(what: str) -> Iterator[Callable[..., None]]:
    """A function to call after each step of work whose length nobody knows; a count is shown after a second."""
    from tqdm.auto import tqdm

    with tqdm(desc=what, delay=1.0, leave=False, unit=" steps") as bar:

        def step(*_: Any) -> None:
            bar.update()

        yield step
