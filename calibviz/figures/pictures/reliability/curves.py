"""Curves of the diagram that need no bins: flexible with its band, smooth, isotonic, and the line of no skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.scalar import ScalarProblem
from ....foundation.arrays import Array
from ....foundation.written import percent
from ....metrics.binless.corp import corp_of
from ....metrics.binless.smooth import smooth_curve
from ....metrics.clinical.penalised_curve import held_at_ends, penalised_curve
from ....metrics.masses import repetitions
from ...records import Role, Series
from ...shapes import areas, few_of, known_only, nothing
from .words import FEW, SPAN, Wording, curve_series

NEAR = 0.05  # how far from a score samples are near it
FEWEST_FOR_CURVE = 30
SIDES: tuple[tuple[int, Literal["left", "right"]], ...] = ((-1, "left"), (1, "right"))
PLACES = 101
LEAST_SEEN = 0.03  # of the axis: a shorter dotted line is but a dot or two, which no legend explains


class _CurveWithBand(NamedTuple):
    """A curve at some places, and the ends of its band."""

    x: Array
    y: Array
    lower: Array
    upper: Array


def has_flexible_curve(problems: Sequence[ScalarProblem]) -> bool:
    """Whether a flexible curve is drawn of these trials: of a single one that has enough samples."""
    return len(problems) == 1 and problems[0].samples >= FEWEST_FOR_CURVE


def flexible_of(problems: Sequence[ScalarProblem], wanted: frozenset[str]) -> _CurveWithBand | None:
    """The flexible curve of a single trial, between its scores; None where there is none to draw."""
    if "flexible" not in wanted or not has_flexible_curve(problems):
        return None
    kept = problems[0].kept
    if "flexible with band" not in kept:
        kept["flexible with band"] = _flexible_with_band(problems[0])
    return kept["flexible with band"]


def _flexible_with_band(problem: ScalarProblem) -> _CurveWithBand:
    curve, score = penalised_curve(problem), problem.score
    places = np.linspace(score[0], score[-1], PLACES)  # beyond them it would be a guess
    band = held_at_ends(problem, places, curve.band(places, 0.95), 0.95)
    return _CurveWithBand(places, curve(places), *band)


def draw_band(role: Role, curve: _CurveWithBand | None) -> Series:
    """Draw the band of a curve, if there is one."""
    return nothing(role, "area") if curve is None else areas("", role, [(curve.x, curve.lower, curve.upper)])


def draw_flexible(
    problems: Sequence[ScalarProblem], wanted: frozenset[str], wording: Wording | None
) -> tuple[Series, ...]:
    """The band of the flexible curve, the curve where enough samples lie near and where they do not, and its hints."""
    curve, hints = flexible_of(problems, wanted), nothing("on the curve", "dots")
    if curve is None:
        return (
            nothing("flexible band", "area"),
            nothing("flexible", "line"),
            nothing("flexible where few", "line"),
            hints,
        )
    kept, key = problems[0].kept, ("series of flexible", wording)
    if key not in kept:  # they are the same in all bins
        lines = _lines_of_flexible(problems[0], curve, is_named=wording is None)
        in_words = hints if wording is None else curve_series(wording, *curve)
        kept[key] = draw_band("flexible band", curve), *lines, in_words
    return kept[key]


def _lines_of_flexible(problem: ScalarProblem, curve: _CurveWithBand, is_named: bool) -> tuple[Series, Series]:
    upto = np.concatenate(([0.0], np.cumsum(repetitions(problem))))
    first, last = (np.searchsorted(problem.score, curve.x + by * (NEAR + 1e-12), side) for by, side in SIDES)
    few = upto[last] - upto[first] < FEW
    beside = few | np.roll(few, 1) | np.roll(few, -1)  # the two lines meet
    beside[[0, -1]] = few[[0, -1]] | few[[1, -2]]
    is_seen = np.ptp(curve.x) * np.mean(few) > LEAST_SEEN
    return (
        _draw_where(~few, curve, "smooth curve, 95 % band" if is_named else "", "flexible"),
        _draw_where(beside, curve, "few samples near" if is_seen else "", "flexible where few"),
    )


def _draw_where(shown: NDArray[np.bool_], curve: _CurveWithBand, name: str, role: Role) -> Series:
    """The parts of a curve that are shown, with nan between them, and not at the ends."""
    if not shown.any():
        return nothing(role, "line")
    first, last = np.flatnonzero(shown)[[0, -1]]
    part = slice(first, last + 1)
    x, y = (np.where(shown, values, np.nan)[part] for values in (curve.x, curve.y))
    return Series(name, role, "line", x, y)


def draw_smooth_curve(problem: ScalarProblem) -> Series:
    """Draw the smooth curve with the bandwidth of the SmoothECE."""
    score, target, _ = smooth_curve(problem)
    return known_only("smooth", "smooth", "line", score, target)


def draw_corp_curve(problem: ScalarProblem) -> Series:
    """The isotonic fit, by the ends of its level sets, inside which it is constant."""
    fit = corp_of(problem)
    steps = np.flatnonzero(np.diff(fit.recalibrated))
    picked = few_of(np.unique(np.concatenate([steps, steps + 1, [len(fit.score) - 1]])))
    return Series("isotonic (CORP)", "corp", "line", fit.score[picked], fit.recalibrated[picked])


def draw_no_skill(problems: Sequence[ScalarProblem], wanted: frozenset[str]) -> tuple[Series, str]:
    """The line half-way between score and mean target, beside the fit that the Brier score is split by, and a sentence.

    The Brier score of the mean m less that of a score s, (t - m)^2 - (t - s)^2, is 2 (s - m) (t - (s + m) / 2): 0 where
    the share of events among samples of a score lies on the line.
    There is none of several trials, of one outcome alone, and under a selection that looks at the truth.
    """
    mean = problems[0].mean_target
    if "corp" not in wanted or len(problems) > 1 or problems[0].by_truth is not None or not 0 < mean < 1:
        return nothing("level", "line"), ""
    ends = np.array(SPAN)
    words = f" The line of no Brier skill lies half-way between the diagonal and the mean observed, {percent(mean)}."
    return Series("no Brier skill", "level", "line", ends, (ends + mean) / 2), words
