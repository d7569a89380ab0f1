"""What a fit has to say of itself: a warning, or a line for whoever listens."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_HEARD: ContextVar[list[str] | None] = ContextVar("calibviz_notices", default=None)


def notice(message: str, stacklevel: int) -> None:
    """Warn of something, with a `stacklevel` as if it were `warnings.warn`; who listens is told instead."""
    heard = _HEARD.get()
    if heard is None:
        warnings.warn(message, RuntimeWarning, stacklevel=stacklevel + 1)
    else:
        heard.append(message)


@contextmanager
def notices() -> Iterator[list[str]]:
    """What is noticed inside, in this thread alone: `warnings.catch_warnings` is one for all threads."""
    heard: list[str] = []
    before = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(before)
