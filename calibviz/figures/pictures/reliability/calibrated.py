"""Where a calibrated model stands in the diagram, under a selection that looks at the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ....engine.binnings.bins import Bins
from ....engine.chances import Chances
from ....engine.scalar import ScalarProblem, once
from ....engine.sorted_scores import cuts_at, segment_sums
from ....foundation.arrays import Array
from ....foundation.written import chosen_percent, percent
from ....uncertainty.resampling.bootstrap import percentile_interval
from ....uncertainty.resampling.consistency import calibrated
from ...records import Series
from ...shapes import areas, known_only, nothing

DRAWS, LEVEL, MOST_DRAWN = 199, 0.95, 20_000  # of the band of a calibrated model; of more rows there is none
UNKNOWN = np.full((2, 1), np.nan)  # the places of what is not drawn


def draw_calibrated(problems: Sequence[ScalarProblem], bins: Sequence[Bins]) -> tuple[Series, Series, str]:
    """Where a calibrated model is under a selection that looks at the truth: its band, its line, and a sentence.

    Several trials and very many samples have no band.
    """
    if any(problem.by_truth is None for problem in problems):
        return nothing("noise", "area"), nothing("limit", "line"), ""
    try:
        several = [Chances.of(problem) for problem in problems]
    except ValueError as why:
        return nothing("noise", "area"), nothing("limit", "line"), f" No line of a calibrated model: {why}."
    cut = [cuts for each, problem in zip(bins, problems, strict=True) if (cuts := each.edges(problem)) is not None]
    lines = [_expected_in(chances, *cuts) for chances, cuts in zip(several, cut, strict=True)]
    (score, target), ends = np.mean(lines, axis=0), UNKNOWN
    if len(problems) == 1 and len(several[0].rows) <= MOST_DRAWN:
        ends = _drawn_in(problems[0], *cut[0])
    shares = [
        np.average([c.hit, c.share * c.score], axis=1, weights=c.rows.weight)
        / np.average(c.share, weights=c.rows.weight)
        for c in several
    ]
    observed, predicted = np.mean(shares, axis=0)
    return (
        areas(
            f"{chosen_percent(LEVEL)} of calibrated models", "noise", [(score, *ends)] if ends is not UNKNOWN else []
        ),
        known_only("a calibrated model here", "limit", "line", score, target),
        f" The samples are selected by what is true: a calibrated model would show {percent(float(observed))} observed "
        f"where it predicts {percent(float(predicted))}.",
    )


def _expected_in(chances: Chances, edges: Array, side: Literal["left", "right"]) -> Array:
    """The mean score and the mean target, between edges, of what is selected of calibrated labels, shape (2, bins)."""
    cuts, weight = cuts_at(chances.rows.score, edges, side), chances.rows.weight
    share, score, hit = (
        segment_sums(weight * each, cuts) for each in (chances.share, chances.share * chances.score, chances.hit)
    )
    return np.stack([score, hit]) / np.where(share > 0, share, np.nan)


def _drawn_in(problem: ScalarProblem, edges: Array, side: Literal["left", "right"]) -> Array:
    """The ends, between edges, of the mean targets of what is selected of drawn labels, shape (2, bins)."""

    def make() -> Array:
        drawn = [null.between(edges, side) for null in calibrated(problem, DRAWS) if isinstance(null, ScalarProblem)]
        targets = np.array([target / np.where(weight > 0, weight, np.nan) for weight, _, target, _ in drawn])
        return percentile_interval(targets, LEVEL)

    return once(problem, ("drawn by truth", edges.tobytes(), side), make)
