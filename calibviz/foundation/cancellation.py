"""Cancellation: the caller of long work installs a check, and the work calls it now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Check = Callable[[float | None], None]

_CHECK: ContextVar[Check | None] = ContextVar("calibviz_cancellation", default=None)


class Cancelled(BaseException):
    """Ends work that was cancelled.

    Like `KeyboardInterrupt` it is no `Exception`: code that handles errors on the way must not catch it and go on.
    """


@contextmanager
def cancellable(check: Check) -> Iterator[None]:
    """A context whose work, in this thread alone, calls `check` now and then; `check` raises `Cancelled` to end it.

    Its argument is the share of the work that is done, or None where the share is not known.
    """
    before = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(before)


def check(done: float | None = None) -> None:
    """Raise `Cancelled` if the present work, of which the share `done` is done, was cancelled; do nothing elsewhere.

    Call it between the steps of work that can take longer than half a second, while shared data are complete.
    """
    asked = _CHECK.get()
    if asked is not None:
        asked(done)


@contextmanager
def portion(first: float, last: float) -> Iterator[None]:
    """A context whose work is the part from `first` to `last` of a larger work, as shares of it."""
    whole = _CHECK.get()
    if whole is None:
        yield
        return

    def asked(done: float | None) -> None:
        whole(None if done is None else first + done * (last - first))

    with cancellable(asked):
        yield
