"""Windows of time: how wide they may be, and where they begin."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH = re.compile(r"([1-9]\d*)?(Y|M|W|D|h|m|s)")
MOST_WINDOWS = 1000  # of a width that somebody chooses
MONDAY = 3  # 1970 began on a Thursday


def check_width(width: Any) -> None:
    """Refuse what is no width of a window, such as "D" or "6h"."""
    if not isinstance(width, str) or not WIDTH.fullmatch(width):
        raise ValueError(f"width must be one of 'Y', 'M', 'W', 'D', 'h', 'm', 's', or such as '6h', not {width!r}")


def window_starts(moments: NDArray[np.datetime64], width: str) -> NDArray[np.datetime64]:
    """Where the windows of some moments begin; weeks on Monday, all others as they count from 1970."""
    if not width.endswith("W"):
        return moments.astype(f"datetime64[{width}]")
    days = 7 * int(width[:-1] or 1)  # the weeks of NumPy begin on Thursday
    day = moments.astype("datetime64[D]")
    return day - ((day.astype(np.int64) + MONDAY) % days).astype("timedelta64[D]")
