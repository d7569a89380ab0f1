"""Memory that nobody uses any more, and that the C library keeps for later."""

from __future__ import annotations

import ctypes
import sys
from functools import cache


def give_back() -> None:
    """Give it to the system, where the library is glibc: others give it back by themselves.

    Slow work leaves tens of megabytes of it between objects that stay. It takes some milliseconds, in which other
    threads run.
    """
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> ctypes._NamedFuncPointer | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
