"""A log of decisions: confidences, whether they were right, and when."""

from __future__ import annotations

import numpy as np

import calibviz as cv


def decision_log(n: int = 900, kind: type = np.datetime64) -> cv.Predictions:
    """Confidences over nine weeks from a Monday, in one of which, from 2026-02-02 on, they are far too high."""
    rng = np.random.default_rng(5)
    moments = np.datetime64("2026-01-05") + (np.arange(n) * 63 // n).astype("timedelta64[D]")
    confidence = rng.uniform(0.5, 1, n)
    off = (moments >= np.datetime64("2026-02-02")) & (moments < np.datetime64("2026-02-09"))
    right = rng.random(n) < np.where(off, confidence - 0.4, confidence)
    return cv.Predictions(confidence, right, of_confidence=True, fields={"time": moments.astype(kind)})
