"""Reads the names that lenses print."""

from __future__ import annotations

import re
from collections.abc import Callable

from .class_lenses import Classwise, Pooled, Top1ByClass
from .lenses import ClassConditional, Full, Grouping, Lens, Outcome, Rank, Top1, TopK, WithinTop

_READERS: tuple[tuple[str, Callable[..., Lens]], ...] = (
    (r"(top-\d+|grouping|full|classwise|top-1 by class): (.+)", lambda whole, outcome: Outcome(lens(whole), outcome)),
    (r"top-1", Top1),
    (r"top-(\d+)", lambda k: TopK(int(k))),
    (r"rank (\d+)", lambda r: Rank(int(r))),
    (r"within-top (\d+)", lambda r: WithinTop(int(r))),
    (r"class (.+)", ClassConditional),
    (r"grouping", Grouping),
    (r"full", Full),
    (r"classwise", Classwise),
    (r"top-1 by class", Top1ByClass),
    (r"pooled", Pooled),
)


def lens(name: str | Lens) -> Lens:
    """The lens of a name.

    Names are "top-1", "top-5", "rank 2", "within-top 3", "class cat", "grouping", "full", "classwise",
    "top-1 by class" and "pooled". "top-5: rest" is one outcome of a vector lens. A lens is returned as it is.

    Raises
    ------
    ValueError
        Where no lens bears the name.

    See Also
    --------
    Outcome : One outcome of a vector lens.
    selection : Which samples are looked at.

    Examples
    --------
    >>> cv.lens("within-top 3")
    WithinTop(r=3)
    """
    if not isinstance(name, str):
        if callable(name) and hasattr(name, "name") and not isinstance(name, type):
            return name
        raise TypeError(f"lens must be a lens or the name of one, not {name!r}")
    for pattern, make in _READERS:
        if match := re.fullmatch(pattern, name.strip()):
            return make(*match.groups())
    raise ValueError(
        f"lens {name!r} is unknown: use 'top-1', 'top-K', 'rank R', 'within-top R', 'class C', 'grouping', 'full', "
        "'classwise', 'top-1 by class' or 'pooled'"
    )
