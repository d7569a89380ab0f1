"""Rows without a label, or without a probability: left out where that is asked for, else an error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError, listed
from .choices import Account, ReadingOptions, Unclear
from .classes import Labels


def keep_labelled(
    labels: Labels, choices: ReadingOptions, account: Account, keep: Callable[[NDArray[np.intp]], None]
) -> Labels:
    """The labels that are not missing; where rows may not be left out, the first without one is an error."""
    known = labels.codes >= 0
    if not known.any():
        raise ValueError(f"the column {labels.name!r} has no label in any row")
    kept = keep_known(known, "label", labels.error, choices, account, keep)
    return labels if kept is None else labels.only(kept)


def keep_wanted(
    labels: Labels, choices: ReadingOptions, account: Account, keep: Callable[[NDArray[np.intp]], None]
) -> Labels:
    """The labels that are classes, without those that the option `ignore` names."""
    if choices.ignore is None:
        return labels
    strangers = [value for value in choices.ignore if value not in labels.present]
    if strangers:
        raise ValueError(f"ignore={strangers[0]!r} is none of the labels, which are {listed(labels.present)}")
    is_ignored = np.array([value in choices.ignore for value in labels.values] + [False])
    kept = ~is_ignored[labels.codes]
    if not kept.any():
        raise ValueError(f"ignore={list(choices.ignore)!r} leaves no row")
    keep(account.leave_out(~kept, f"with the label {' or '.join(map(repr, choices.ignore))}"))
    return labels.only(kept)


def keep_known(
    known: NDArray[np.bool_],
    word: str,
    error: Callable[[int, str], RowError],
    choices: ReadingOptions,
    account: Account,
    keep: Callable[[NDArray[np.intp]], None],
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
        ways = [{"missing": "drop"}] if choices.can_drop else []
        raise Unclear(error(int(np.argmin(known)), f"is missing{advice}"), *ways)
    if not known.any():
        raise ValueError(f"no row that has a label has a {word}")
    keep(account.keep(known, word))
    return known
