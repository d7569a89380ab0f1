"""The worst news beside segments: a category that does not keep its promise, and acting where it is worth less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from ...context.condition_parser import selection as read_selection
from ...data.predictions import Predictions
from ...engine.scalar import ScalarProblem
from ...metrics.clinical.acting import Prevalence, acted
from ...metrics.likert import in_category
from ...uncertainty.intervals.bin_intervals import mean_interval

ALPHA = 0.05
NAMES = ("words", "n_fields", "selection")


@dataclass(frozen=True)
class CategoryOff:
    """A category outside of whose edges the observed share lies, at 5 % for all categories together.

    Attributes
    ----------
    name : str
    low, high : float, in [0, 1]
        Its edges.
    count : int
        How many samples have a score in it.
    observed, lower, upper : float, in [0, 1]
        Their mean target, with its 95 % interval.
    """

    name: str
    low: float
    high: float
    count: int
    observed: float
    lower: float
    upper: float


@dataclass(frozen=True)
class WorthLess:
    """A segment in which acting from a threshold on is worth less than acting on everybody, or on nobody.

    Attributes
    ----------
    words, selection : str
        The segment, and the text that keeps its samples.
    fields : int
        Of how many fields it is made.
    threshold : float, in (0, 1)
    count : int
        How many samples it has.
    benefit, simple : float
        The net benefit of acting on the scores, and of the simple rule.
    is_all : bool
        Whether that rule is to act on everybody.
    wrong, among : int
        How many of those whom the simple rule treats otherwise speak for it, and of how many.
    p_value : float, in [0, 1]
        How often so many would if that rule were no better.
    """

    words: str
    selection: str
    fields: int
    threshold: float
    count: int
    benefit: float
    simple: float
    is_all: bool
    wrong: int
    among: int
    p_value: float


def category_off(problem: ScalarProblem, categories: Mapping[str, tuple[float, float]]) -> CategoryOff | None:
    """The category whose observed share is surely the farthest outside of its edges; None where none is shown to be."""
    found = []
    for name, (low, high) in categories.items():
        part = in_category(problem, low, high)
        if part is None:
            continue
        if (beyond := surely_outside(part, low, high, len(categories))) > 0:
            found.append((beyond, CategoryOff(name, low, high, part.samples, part.mean_target, *mean_interval(part))))
    return max(found, key=lambda each: each[0])[1] if found else None


def surely_outside(part: ScalarProblem, low: float, high: float, of_many: int) -> float:
    """How far the observed share of a category surely lies outside of its edges; not above 0 where it may not.

    By the interval that holds for so many categories at once.
    """
    lower, upper = mean_interval(part, 1 - ALPHA / of_many)
    return max(lower - high, low - upper)


def worth_less(
    predictions: Predictions, problem: ScalarProblem, segments: xr.Dataset, threshold: float
) -> WorthLess | None:
    """The segment in which acting on the scores is most surely worth less than the better of the simple rules.

    Acting on everybody is worth more where more than the threshold t of those with lower scores are events, acting on
    nobody where less than t of the others are. That is tested by the binomial distribution, at 5 % for all segments
    together. None where none is shown to be, with weights that count no repetitions, and of samples in clusters, whose
    events have another distribution.
    """
    if problem.clusters is not None or (not problem.whole_weights and problem.given_weight is not None):
        return None
    output = np.full(len(predictions), np.nan)
    output[problem.order] = problem.score
    parts = segments.isel(segment=np.flatnonzero(segments.n_fields.values > 0))
    found = [
        _judged((str(words), str(text), int(fields)), problem, kept[problem.order], threshold)
        for words, fields, text in zip(*(parts[name].values for name in NAMES), strict=True)
        if (kept := _kept(predictions, output, str(text))).any()
    ]
    shown = [each for each in found if each.benefit < each.simple and each.p_value * len(found) <= ALPHA]
    return min(shown, key=lambda each: each.p_value, default=None)


def _kept(predictions: Predictions, output: NDArray[np.float64], text: str) -> NDArray[np.bool_]:
    condition = read_selection(text)
    assert condition is not None
    return condition.mask(predictions, output) & ~np.isnan(output)


def _judged(segment: tuple[str, str, int], problem: ScalarProblem, mine: NDArray[np.bool_], t: float) -> WorthLess:
    part, odds = problem.subset(mine), np.array([t / (1 - t)])
    some = acted(part, np.array([t]), Prevalence(None, False))
    benefit, everybody = (float(way.net_benefit(odds)[0]) for way in (some, some.everybody()))
    is_all = everybody > 0
    otherwise = (part.score >= t) != is_all
    among, hits = (round(float((part.weight * of)[otherwise].sum())) for of in (np.ones(len(part)), part.given_target))
    p = bdtrc(hits - 1, among, t) if is_all else bdtr(hits, among, t)
    wrong = hits if is_all else among - hits
    return WorthLess(*segment, t, round(part.total), benefit, max(everybody, 0.0), is_all, wrong, among, float(p))
