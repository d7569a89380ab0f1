"""Work that can be called off: whoever starts it says how, and what takes long asks now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Check = Callable[[float | None], None]

_CHECK: ContextVar[Check | None] = ContextVar("calibviz_cancellation", default=None)


class Cancelled(BaseException):
    """Ends work that was called off.

    No `Exception`, like `KeyboardInterrupt`: what handles errors on the way must not take it for one and go on.
    """


@contextmanager
def cancellable(check: Check) -> Iterator[None]:
    """Work inside, in this thread alone, calls `check` now and then, which raises `Cancelled` to end it.

    `check` is told the share of the work that is done, or None where nobody knows it.
    """
    before = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(before)


def check(done: float | None = None) -> None:
    """Raise `Cancelled` if the work that this is part of was called off.

    Call it between the steps of everything that can take longer than half a second, where nothing shared is half made.
    Outside of `cancellable` it does nothing.

    Parameters
    ----------
    done : float, 0 to 1, optional
        The share of the work that is done.
    """
    asked = _CHECK.get()
    if asked is not None:
        asked(done)


@contextmanager
def portion(first: float, last: float) -> Iterator[None]:
    """Work inside is part of a larger one: what it calls 0 is `first` of the whole, and what it calls 1 is `last`."""
    whole = _CHECK.get()
    if whole is None:
        yield
        return

    def asked(done: float | None) -> None:
        whole(None if done is None else first + done * (last - first))

    with cancellable(asked):
        yield
