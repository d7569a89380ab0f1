"""Notices of fits, such as one that has not converged: a warning, or an entry in the list of a listening caller."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

MOVES_NOTHING = (
    "the samples already have these shares: this moves nothing. Were the probabilities made for other shares? Pass "
    "trained_at="
)
TRAINED_WITHOUT_SHIFT = (
    "trained_at says which shares the probabilities were made for, so that they can be moved: pass shift=True as well"
)
UNMOVED = 1e-9  # relative difference of shares that are equal
_HEARD: ContextVar[list[str] | None] = ContextVar("calibviz_notices", default=None)


def notice(message: str, stacklevel: int, category: type[Warning] = RuntimeWarning) -> None:
    """Issue a warning, with a `stacklevel` as for `warnings.warn`; inside of `notices`, add it to that list instead."""
    heard = _HEARD.get()
    if heard is None:
        warnings.warn(message, category, stacklevel=stacklevel + 1)
    else:
        heard.append(message)


def notice_unmoved(wanted: Any, made_for: Any, stacklevel: int) -> None:
    """Warn that probabilities made for some shares of the classes are moved nowhere, as these are the wanted ones."""
    if np.abs(np.asarray(wanted) / np.asarray(made_for) - 1).max() < UNMOVED:
        notice(MOVES_NOTHING, stacklevel + 1, UserWarning)


@contextmanager
def notices() -> Iterator[list[str]]:
    """A context whose list gets the notices of this thread alone; `warnings.catch_warnings` works for all threads."""
    heard: list[str] = []
    before = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(before)
