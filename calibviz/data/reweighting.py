"""Weights that stand for another population, such as density ratios: how few samples carry them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..foundation.written import counted, whole_percent

FEWEST, SHARE, HALF = 100.0, 0.1, 0.5  # effective sizes below which a warning is given, of which `few_of` tells more
LARGEST = 10  # weights whose share of all is named


def few_of(weights: NDArray[np.float64], worth: float, before: float) -> str | None:
    """A sentence where weights are worth few equal samples; None elsewhere.

    That is less than a tenth of what the samples were worth before, or less than 100 and half of that.
    """
    if worth >= SHARE * before and not (worth < FEWEST and worth < HALF * before):
        return None
    largest = np.sort(weights)[-LARGEST:]
    share = whole_percent(float(largest.sum() / weights.sum()))
    return (
        f"the weights are worth {worth:,.0f} equal samples, of {before:,.0f} before: the "
        f"{counted(len(largest), 'largest weight')} of {len(weights):,} hold {share} of all weight, so every number "
        "rests on these few; the two populations overlap little"
    )
