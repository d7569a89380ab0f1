"""Rows without a label, or without a probability: left out where that is asked for, else an error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError, listed
from .choices import Account, ReadingOptions, Unclear
from .classes import Labels

Rows = NDArray[np.bool_] | slice
Keep = Callable[[NDArray[np.intp]], None]


def keep_labelled(labels: Labels, choices: ReadingOptions, account: Account, keep: Keep) -> Labels:
    """The labels that are classes: without those that the option `ignore` names, and those that are missing.

    Where rows may not be left out, the first without a label is an error.
    """
    if choices.ignore is not None:
        strangers = [value for value in choices.ignore if value not in labels.present]
        if strangers:
            raise ValueError(f"ignore={strangers[0]!r} is none of the labels, which are {listed(labels.present)}")
        is_ignored = np.array([value in choices.ignore for value in labels.values] + [False])
        kept = ~is_ignored[labels.codes]
        if not kept.any():
            raise ValueError(f"ignore={list(choices.ignore)!r} leaves no row")
        keep(account.leave_out(~kept, f"with the label {' or '.join(map(repr, choices.ignore))}"))
        labels = labels.only(kept)
    known = labels.codes >= 0
    if not known.any():
        raise ValueError(f"the column {labels.name!r} has no label in any row")
    return labels.only(keep_known(known, "label", labels.error, choices, account, keep))


def keep_known(
    known: NDArray[np.bool_],
    word: str,
    error: Callable[[int, str], RowError],
    choices: ReadingOptions,
    account: Account,
    keep: Keep,
) -> Rows:
    """Leave out the rows that are not known, which lack a label, say; return those that are left, which may be all.

    Where rows may not be left out, the first is an error. `keep` is called with the numbers of the rows of the source
    that are left.
    """
    if known.all():
        return slice(None)
    if choices.missing != "drop":
        n = len(known) - int(known.sum())
        if n == len(known) > 1:
            raise error(0, "is missing, as in every other row")
        rows = "the only row" if n == 1 else f"the {n:,} rows"
        advice = f"; missing='drop' leaves out {rows} without a {word}" if choices.can_drop else ""
        ways = [{"missing": "drop"}] if choices.can_drop else []
        raise Unclear(error(int(np.argmin(known)), f"is missing{advice}"), *ways)
    if not known.any():
        raise ValueError(f"no row that has a label has a {word}")
    keep(account.leave_out(~known, f"without a {word}"))
    return known
