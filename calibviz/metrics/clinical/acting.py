"""Shares of samples that are acted on, since their score reaches a threshold, and the net benefit of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...engine.scalar import ScalarProblem
from ...foundation import validation
from ...foundation.arrays import Array
from ...foundation.fit_warnings import TRAINED_WITHOUT_SHIFT, notice_unmoved


@dataclass(frozen=True)
class Prevalence:
    """The share of the positive class where decisions are made, and whether the scores are moved to it."""

    share: float | None  # None where it is that of the samples
    shift: bool
    trained_at: float | None = None  # the one of the scores; None where it is that of the samples

    @classmethod
    def checked(cls, prevalence: Any, shift: Any, trained_at: Any = None) -> Prevalence:
        shift = validation.truth(shift, "shift")
        if trained_at is not None:
            if not shift:
                raise ValueError(TRAINED_WITHOUT_SHIFT)
            trained_at = validation.real_number(trained_at, "trained_at", 0.0, 1.0, open_ends=True)
        if prevalence is None:
            if shift:
                raise ValueError("shift moves the scores to another prevalence: pass prevalence=... as well")
            return cls(None, False)
        return cls(validation.real_number(prevalence, "prevalence", 0.0, 1.0, open_ends=True), shift, trained_at)

    def notice_unmoved(self, problem: ScalarProblem, stacklevel: int) -> None:
        """Warn where the scores are to be moved, but are taken to be made for that share already."""
        observed = problem.mean_target
        if self.shift and self.trained_at is None and self.share is not None and 0 < observed < 1:
            notice_unmoved([self.share, 1 - self.share], [observed, 1 - observed], stacklevel + 1)

    def scores(self, problem: ScalarProblem) -> Array:
        """The ascending scores; with `shift`, their odds are moved to the prevalence (Elkan 2001, theorem 2)."""
        observed = problem.mean_target
        if not self.shift or self.share is None or not 0 < observed < 1:
            return problem.score
        return self._moved(problem.score, observed if self.trained_at is None else self.trained_at)

    def target(self, share: float, observed: float) -> float:
        """The share of positive ones in a part of the samples, weighted to the prevalence; `observed` is that of all.

        It holds for the ends of an interval, too.
        """
        return share if self.share is None or not 0 < observed < 1 else self._moved(share, observed)

    def _moved(self, share: Any, observed: float) -> Any:
        assert self.share is not None
        up, down = self.share * (1 - observed) * share, (1 - self.share) * observed * (1 - share)
        return up / (up + down)


@dataclass(frozen=True, eq=False)
class Acted:
    """Shares of all samples: those acted on rightly and needlessly at each threshold, and the prevalence.

    Of several replicates the shares have the shape (n, m), and the prevalence (n, 1).
    """

    true_positive: Array
    false_positive: Array
    prevalence: Any

    @classmethod
    def stacked(cls, several: Sequence[Acted]) -> Acted:
        """Return the shares of several replicates."""
        return cls(
            np.array([one.true_positive for one in several]),
            np.array([one.false_positive for one in several]),
            np.array([[one.prevalence] for one in several]),
        )

    def net_benefit(self, odds: Array) -> Array:
        return self.true_positive - odds * self.false_positive

    def elementary_score(self, thresholds: Array) -> Array:
        """The mean loss where a missed event costs 2 (1 - t) and acting needlessly 2 t (Ehm et al. 2016)."""
        missed = self.prevalence - self.true_positive
        return 2 * ((1 - thresholds) * missed + thresholds * self.false_positive)

    def everybody(self) -> Acted:
        """Return the shares where everybody is acted on."""
        flat = np.ones_like(self.true_positive)
        return Acted(self.prevalence * flat, (1 - self.prevalence) * flat, self.prevalence)

    def nobody(self) -> Acted:
        """Return the shares where nobody is acted on."""
        none = np.zeros_like(self.true_positive)
        return Acted(none, none, self.prevalence)

    def at(self, share: float | None) -> Acted:
        """Return the shares at another prevalence: each class weighs more or less; nan where there is but one."""
        if share is None:
            return self
        present = np.asarray(self.prevalence, dtype=np.float64)
        wanted = np.where((present > 0) & (present < 1), share, np.nan)[()]
        with np.errstate(divide="ignore", invalid="ignore"):
            hits = self.true_positive * (wanted / present)
            misses = self.false_positive * ((1 - wanted) / (1 - present))
        return Acted(hits, misses, wanted)


def acted(problem: ScalarProblem, thresholds: Array, prevalence: Prevalence) -> Acted:
    """Return the shares acted on at each threshold: those whose score reaches it (Vickers and Elkin 2006)."""
    first = np.searchsorted(prevalence.scores(problem), thresholds, "left")
    hits = (problem.cumulative_target[-1] - problem.cumulative_target[first]) / problem.total
    treated = np.minimum((problem.cumulative_weight[-1] - problem.cumulative_weight[first]) / problem.total, 1.0)
    return Acted(hits, np.maximum(treated - hits, 0.0), min(problem.mean_target, 1.0)).at(prevalence.share)


def net_benefits(problem: ScalarProblem, thresholds: Array) -> Array:
    """The net benefit of acting at each threshold, shape (m,)."""
    return acted(problem, thresholds, Prevalence(None, False)).net_benefit(thresholds / (1 - thresholds))


def thresholds_of(thresholds: Any) -> Array:
    """Thresholds in [0, 1) as an array of shape (m,)."""
    at = validation.float_values(thresholds, "thresholds", 1)
    for i, value in enumerate(at.tolist()):
        _refuse_outside(value, f"thresholds[{i}]")
    return at


def threshold_of(threshold: Any) -> float:
    """One threshold, in [0, 1)."""
    if isinstance(threshold, bool) or not isinstance(threshold, Real):
        raise TypeError(f"threshold must be a number, not {validation.shown(threshold)}")
    try:
        value = float(threshold)
    except OverflowError:
        raise ValueError("threshold must be at least 0 and below 1, not a number of so many digits") from None
    _refuse_outside(value, "threshold")
    return value


def _refuse_outside(value: float, place: str) -> None:
    if not 0 <= value < 1:
        way = f"; {value:g} % is {value / 100:g}" if 1 < value < 100 else ""
        raise ValueError(
            f"{place} must be at least 0 and below 1, since nobody is acted on at 1, but it is {value:g}{way}"
        )
