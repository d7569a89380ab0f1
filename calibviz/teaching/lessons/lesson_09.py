"""Questions of the lesson on more than fits in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exercises import exercise
from ..kinds import AmongTexts, Share


@exercise(
    "09.1",
    "A model is right in the first half of a month. In the second half 10 points more are observed than predicted, at "
    "every score. How large is the KS error of the whole month?",
    Share(0.005, most=0.2),
    "{}: the half that is right hides half of what the other one is off. Look at windows of time.",
    ("At each score, half of the samples are off by 10 points.",),
)
def hidden(cv: Any) -> float:
    """The error of a month whose second half is off."""
    score = np.tile([0.2, 0.5, 0.8], 200)
    observed = score + np.repeat([0.0, 0.1], 300)
    return cv.ks_error(cv.Predictions(score, np.column_stack([1 - observed, observed])), "class 1")


@exercise(
    "09.2",
    "A calibrator of that whole month adds 5 points to every score. How large is the KS error of the first half then?",
    Share(0.001),
    "{}, where it was 0 before: one map cannot fit two periods.",
    ("In the first half the scores were right.", "Each of them is 5 points too high now."),
)
def after_the_month(cv: Any) -> float:
    """The error of the half that was right."""
    score = np.tile([0.2, 0.5, 0.8], 100)
    recalibrated = cv.Predictions(score + 0.05, np.column_stack([1 - score, score]))
    return cv.ks_error(recalibrated, "class 1")


@exercise(
    "09.3",
    "Summaries of 300,000 requests with a mean score of 20 %, and of 100,000 with one of 30 %, are added. What is the "
    "mean score of the sum?",
    Share(0.001),
    "{}: sums add, in any order and from any number of machines.",
    ("A summary holds sums of weights, scores and targets.", "(3 * 0.2 + 1 * 0.3) / 4"),
)
def added(cv: Any) -> float:
    """The mean score of a sum of summaries."""
    parts = {0.2: 3000, 0.3: 1000}
    kept = [cv.summarize(cv.Predictions(np.full(n, s), np.arange(n) % 2), "class 1") for s, n in parts.items()]
    return sum(kept).problem.mean_score


@exercise(
    "09.4",
    "Which error is exact in a summary: that in uniform bins, that in bins of equal mass, both or neither?",
    AmongTexts(("uniform bins", "equal mass", "both", "neither")),
    "That in {}: their edges are edges of the cells that a summary keeps. A bin of equal mass may end within a cell.",
    ("Which edges of bins do not depend on the data?",
     "Where both bounds of cv.error_bounds(summary, error=binning) are the same, the number is exact."),
)  # fmt: skip  # one hint a line
def exact(cv: Any) -> str:
    """Return the binning whose error has no bounds in a summary."""
    rng = np.random.default_rng(0)
    score = 1 / (1 + np.exp(-rng.normal(-2, 2, 50_000)))
    kept = cv.summarize(cv.Predictions(score, rng.random(50_000) < score), "class 1")
    binnings = {"uniform bins": cv.Uniform(15), "equal mass": cv.EqualMass(15)}
    bounds = {name: cv.error_bounds(kept, error=binning) for name, binning in binnings.items()}
    found = [name for name, (low, high) in bounds.items() if high - low < 1e-9]
    return {0: "neither", 1: "".join(found), 2: "both"}[len(found)]
