"""Pictures over scores with stretched ends: the scores of x stand at their log-odds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from ..foundation.arrays import Array
from .labels import placed
from .records import Figure, Label, Series
from .shapes import ticks

FIRST, LAST = 0.001, 0.999  # the scores at the ends of the axis
NAMED = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
PLACES = 201


def log_odds(score: ArrayLike) -> Array:
    """ln(s / (1 - s)) of scores; those beyond 0.1 % and 99.9 % stand there."""
    return logit(np.clip(np.asarray(score, dtype=np.float64), FIRST, LAST))


def stretched(figure: Figure) -> Figure:
    """A picture over scores from 0 to 1, with x stretched towards both ends; its ticks stay shares."""
    low, high = log_odds([FIRST, LAST]).tolist()
    drawn = replace(
        figure,
        series=tuple(_stretch(series) for series in figure.series),
        x_range=(low, high),
        x_ticks=ticks((f"{100 * score:g} %" for score in NAMED), log_odds(NAMED)),
        score_at=expit(np.linspace(low, high, PLACES)),
        is_stretched=True,
        labels=tuple(map(_move, figure.labels)),
    )
    return placed(drawn)


def _move(label: Label) -> Label:
    until = None if label.until is None else float(log_odds(label.until))
    return replace(label, x=float(log_odds(label.x)), until=until)


def _stretch(series: Series) -> Series:
    if series.role != "reference":
        return replace(series, x=log_odds(series.x)) if len(series.x) else series
    score = np.linspace(0.0, 1.0, PLACES)  # a straight line becomes a curve
    return replace(series, x=log_odds(score), y=score)
