"""A progress bar for long work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from . import validation
from .cancellation import check

T = TypeVar("T")

Level = tuple[bool, "Level | None"]  # whether bars are shown, and the level of the work around it

_LEVEL: ContextVar[Level] = ContextVar("calibviz_progress", default=(True, None))


def with_progress(items: Iterable[T], what: str, total: int, show: bool = True) -> Iterator[T]:
    """The items, with a bar once they take longer than a second; the work on an item shows no bar of its own.

    The work can be cancelled between two items.
    """
    # Values take the place of tokens, since whoever goes on with a generator may do so in another thread.
    outer = _LEVEL.get()
    own = (validation.truth(show, "progress") and outer[0], outer)
    _LEVEL.set(own)
    try:
        bar = _bar(items, total=total, desc=what, disable=not own[0])
        for i, item in enumerate(_hidden_at_the_end(bar)):
            check(min(1.0, i / max(1, total)))
            _LEVEL.set((False, own))
            yield item
            _LEVEL.set(own)
    finally:
        if _is_within(_LEVEL.get(), own):  # an error can end the work around it first, and leave that level
            _LEVEL.set(outer)


def _is_within(level: Level | None, own: Level) -> bool:
    return level is own or (level is not None and _is_within(level[1], own))


def _bar(items: Iterable[Any] | None = None, **options: Any) -> Any:
    """A bar that shows after a second; each step looks at the clock, so no thread has to, which no browser starts."""
    from tqdm.auto import tqdm  # in a notebook it draws with widgets, which the engine does not import

    class Bar(tqdm):
        monitor_interval = 0

    return Bar(items, delay=1.0, leave=False, miniters=1, **options)


def _hidden_at_the_end(bar: Any) -> Any:
    """Return the bar, whose widget is hidden in the end, not closed: a page drawn late still looks for it."""
    container = getattr(bar, "container", None)
    if container is not None:
        close = container.close

        def hide() -> None:
            if bar.displayed:
                container.layout.display = "none"
            else:
                close()

        container.close = hide
    return bar


@contextmanager
def without_bars() -> Iterator[None]:
    """A context whose work shows no bar, for callers that show progress in another way."""
    before = _LEVEL.set((False, _LEVEL.get()))
    try:
        yield
    finally:
        _LEVEL.reset(before)


@contextmanager
def counted_steps(what: str, show: bool = True) -> Iterator[Callable[..., None]]:
    """A function to call after each step of work of unknown length, with a text about the state of the work.

    The count of the steps is shown after a second.
    """
    disable = not (validation.truth(show, "progress") and _LEVEL.get()[0])
    with _hidden_at_the_end(_bar(desc=what, unit=" steps", disable=disable)) as bar:

        def step(how_far: str = "") -> None:
            bar.set_postfix_str(how_far, refresh=False)
            bar.update()

        yield step
