"""Recalibration by a spline fitted to the cumulative curve (ks section 4)."""

from __future__ import annotations

from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.linalg import solve

from .. import validation
from ..problems import ScalarProblem
from .base import NotFittedError

Array = NDArray[np.float64]

DEFAULT_KNOTS = 6
MOST_REPETITIONS = 5_000_000
MOST_KEPT = 200_000  # samples: four designs of 6 knots are then 77 MB at most


class Spline:
    """Natural cubic spline through the cumulative difference h - h~; its derivative corrects the scores.

    With u_i = i / n, a spline with equally spaced knots on [0, 1] is fitted to h_i - h~_i by least squares, and a
    score s_i becomes s_i + spline'(u_i). Tied scores share the mean of their values; between the scores of the
    calibration set the map is linear, outside constant, and the result is clipped to [0, 1].

    Whole-number weights count repetitions (up to five million samples in all); other weights, and more, enter
    the least squares at the fractile where their sample ends.

    Parameters
    ----------
    knots : int, at least 2

    Attributes
    ----------
    score_, fitted_ : ndarray
        The distinct calibration scores, ascending, and the fitted values there, not clipped.
    knot_values_ : ndarray, shape (knots,)
        The fitted difference h - h~ at the knots.
    knot_scores_ : ndarray, shape (knots,)
        The scores at the fractiles of the knots.

    References
    ----------
    Gupta et al. 2021, section 4 and appendix C. The paper's text fits h itself; its code, and this class, fit the
    difference, which errs less.
    """

    def __init__(self, knots: int = DEFAULT_KNOTS) -> None:
        self.knots = validation.whole_number(knots, "knots", 2)

    @property
    def name(self) -> str:
        return "spline" if self.knots == DEFAULT_KNOTS else f"spline, {self.knots} knots"

    def __repr__(self) -> str:
        return f"Spline(knots={self.knots})"

    def fit(self, problem: ScalarProblem) -> Self:
        """Fit to a scalar problem of the calibration set."""
        if not isinstance(problem, ScalarProblem):
            raise TypeError(
                f"Spline is fitted to a scalar problem, such as cv.lens('top-1')(predictions), not to "
                f"{type(problem).__name__}; cv.OneVsRest(cv.Spline()) recalibrates predictions"
            )
        if problem.given_weight is not None and problem.whole_weights and problem.total <= MOST_REPETITIONS:
            problem = problem.repeated()
        places = np.linspace(0.0, 1.0, self.knots)
        fractile = problem.cumulative_weight[1:] / problem.total
        difference = (problem.cumulative_target[1:] - problem.cumulative_score[1:]) / problem.total
        design, slopes = (
            _equal_designs(len(problem), self.knots)
            if problem.given_weight is None and len(problem) <= MOST_KEPT
            else _designs(places, fractile)
        )
        weighted = design if problem.given_weight is None else design * problem.given_weight[:, None]
        gram = weighted.T @ design
        # Fewer samples than knots leave some knots free; a whisper of a ridge then keeps them near 0.
        gram[np.diag_indices_from(gram)] += 1e-12 * np.trace(gram) / len(gram)
        self.knot_values_: Array = solve(gram, weighted.T @ difference, assume_a="pos")
        derivative = slopes @ self.knot_values_
        starts = np.concatenate(([0], problem.block_ends[:-1]))
        mass = problem.cumulative_weight[problem.block_ends] - problem.cumulative_weight[starts]
        moved = derivative if problem.given_weight is None else derivative * problem.given_weight
        self.score_: Array = problem.score[starts]
        self.fitted_: Array = self.score_ + np.add.reduceat(moved, starts) / mass
        self.knot_scores_: Array = np.interp(places, fractile, problem.score)
        return self

    def __call__(self, score: ArrayLike) -> Array:
        """The recalibrated scores, in the shape of `score`, in [0, 1]."""
        if not hasattr(self, "score_"):
            raise NotFittedError(self)
        return np.clip(np.interp(np.asarray(score, dtype=np.float64), self.score_, self.fitted_), 0.0, 1.0)


def _designs(places: Array, fractile: Array) -> tuple[Array, Array]:
    """Values and derivatives, shape (n, knots), of the natural splines that are 1 at one knot and 0 at the others.

    They are a well-conditioned basis.
    """
    cardinal = CubicSpline(places, np.eye(len(places)), bc_type="natural" if len(places) > 2 else "not-a-knot")
    return cardinal(fractile), cardinal.derivative()(fractile)


@lru_cache(maxsize=4)
def _equal_designs(n: int, knots: int) -> tuple[Array, Array]:
    """The designs at i / n: without weights they are the same for every lens and class."""
    return _designs(np.linspace(0.0, 1.0, knots), np.arange(1, n + 1) / n)
