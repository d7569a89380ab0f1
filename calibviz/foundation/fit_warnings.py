"""Notices of fits, such as one that has not converged: a warning, or an entry in the list of a listening caller."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_HEARD: ContextVar[list[str] | None] = ContextVar("calibviz_notices", default=None)


def notice(message: str, stacklevel: int) -> None:
    """Issue a warning, with a `stacklevel` as for `warnings.warn`; inside of `notices`, add it to that list instead."""
    heard = _HEARD.get()
    if heard is None:
        warnings.warn(message, RuntimeWarning, stacklevel=stacklevel + 1)
    else:
        heard.append(message)


@contextmanager
def notices() -> Iterator[list[str]]:
    """A context whose list gets the notices of this thread alone; `warnings.catch_warnings` works for all threads."""
    heard: list[str] = []
    before = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(before)
