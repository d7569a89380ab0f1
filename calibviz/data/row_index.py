"""The rows of pandas objects, which an index names: the arguments of one call must mean the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np


def refuse_other_rows(**given: Any) -> None:
    """Raise where two arguments name their rows in another order, or name other rows.

    Rows that are only numbered from 0 on have no names: they are taken in order beside any other names, unless these
    are the same numbers in another order.
    """
    indices: dict[str, Any] = {name: getattr(value, "index", None) for name, value in given.items()}
    named = [(name, index) for name, index in indices.items() if hasattr(index, "equals")]
    for name, other in named[1:]:
        first, one = named[0]
        if len(one) != len(other) or one.equals(other):  # another number of rows is refused where it is counted
            continue
        if (_is_numbered(one) or _is_numbered(other)) and set(one) != set(other):
            continue
        there, here = one.tolist(), other.tolist()
        place = next(i for i, (a, b) in enumerate(zip(there, here, strict=True)) if a != b)
        raise ValueError(
            f"{name} has other rows than {first}: row {place} is {here[place]!r}, but {there[place]!r} in {first}; "
            f"pass {name}.loc[{first}.index], or {name}.to_numpy() where they belong together as they stand"
        )


def _is_numbered(index: Any) -> bool:
    """Whether rows are numbered from 0 on, in order."""
    return bool(np.array_equal(index.to_numpy(), np.arange(len(index))))
