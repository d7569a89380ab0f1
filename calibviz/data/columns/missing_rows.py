"""Rows without a label, or without a probability: left out where that is asked for, else an error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError
from .choices import Account, ReadingOptions
from .classes import Labels


def keep_labelled(
    labels: Labels, choices: ReadingOptions, account: Account, keep: Callable[[NDArray[np.int64]], None]
) -> Labels:
    """The labels that are not missing; where rows may not be left out, the first without one is an error."""
    known = labels.codes >= 0
    if not known.any():
        raise ValueError(f"the column {labels.name!r} has no label in any row")
    kept = keep_known(known, "label", labels.error, choices, account, keep)
    return labels if kept is None else labels.only(kept)


def keep_known(
    known: NDArray[np.bool_],
    word: str,
    error: Callable[[int, str], RowError],
    choices: ReadingOptions,
    account: Account,
    keep: Callable[[NDArray[np.int64]], None],
) -> NDArray[np.bool_] | None:
    """Leave out the rows that are not known, which lack a label, say; None where all are known.

    Where rows may not be left out, the first is an error. `keep` is called with the numbers of the rows of the source
    that are left.
    """
    if known.all():
        return None
    if choices.missing != "drop":
        n = len(known) - int(known.sum())
        rows = "the only row" if n == 1 else f"the {n:,} rows"
        advice = f"; missing='drop' leaves out {rows} without a {word}" if choices.can_drop else ""
        raise error(int(np.argmin(known)), f"is missing{advice}")
    if not known.any():
        raise ValueError(f"no row that has a label has a {word}")
    keep(account.keep(known, word))
    return known
