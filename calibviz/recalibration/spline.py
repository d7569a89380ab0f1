"""Recalibration by a spline fitted to the cumulative curve (ks section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..engine.scalar import ScalarProblem, distinct
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import described
from .base import ProblemCalibrator
from .solvers.spline_design import Design, designed, equal_design, natural, repeated_design

DEFAULT_KNOTS = 6
MOST_KNOTS = 1000
TARGETS = ("difference", "cumulative")
MOST_KEPT = 1_200_000  # samples times knots: four designs are then 77 MB at most


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a least-squares problem: arrays over the rows, and over the distinct scores."""

    design: Design
    target: Array  # the curve h at the fractiles of the design
    score: Array  # the curve h~
    first: NDArray[np.intp]  # the first row of each distinct score
    start: Array  # in (0, 1]: the fractile at which its first sample ends
    fractile: Array  # in (0, 1]: that of its last sample

    def shared(self, slopes: Array) -> Array:
        """The mean of each block of tied scores."""
        if len(self.first) == len(slopes):
            return slopes
        weight = np.ones(len(slopes)) if self.design.weight is None else self.design.weight
        return (np.add.reduceat(slopes.T * weight, self.first, axis=-1) / np.add.reduceat(weight, self.first)).T


def _lay_out_rows(problem: ScalarProblem, score: Array, target: Array, mass: Array, knots: int) -> _Rows:
    """The rows of a problem with these distinct scores, their mean targets and weights."""
    n, ends = len(problem), problem.block_ends
    first = np.concatenate(([0], ends[:-1]))
    if problem.given_weight is None:
        upto = np.arange(1, n + 1) / n
        design = equal_design(n, knots) if n * knots <= MOST_KEPT else designed(knots, upto, None)
        plain = problem.cumulative_target[1:] / n, problem.cumulative_score[1:] / n
        return _Rows(design, *plain, first, upto[first], upto[ends - 1])
    if problem.whole_weights and (np.diff(np.cumsum(mass), prepend=0.0) > 0).all():  # no weight is lost by rounding
        return _lay_out_repeated(score, target, mass, knots)
    # Tied samples share their weight equally, so the fit does not depend on the order of the samples.
    size = ends - first
    weight = np.repeat(mass / size, size)
    upto = np.cumsum(weight) / problem.total
    curves = [np.cumsum(weight * values) / problem.total for values in (np.repeat(target, size), problem.score)]
    return _Rows(designed(knots, upto, weight), curves[0], curves[1], first, upto[first], upto[ends - 1])


def _lay_out_repeated(score: Array, target: Array, mass: Array, knots: int) -> _Rows:
    """Rows that stand for every repetition: within a block of equal scores both curves are straight."""
    design, node, first = repeated_design(mass, knots)
    upto = np.cumsum(mass)
    n, before = upto[-1], upto - mass
    block = np.repeat(np.arange(len(mass)), np.diff(first, append=len(node)))
    part = node - before[block]
    curves = [((np.cumsum(mass * v) - mass * v)[block] + part * v[block]) / n for v in (target, score)]
    return _Rows(design, curves[0], curves[1], first, (before + 1) / n, upto / n)


class Spline(ProblemCalibrator):
    """Spline calibration: a natural cubic spline fitted to the cumulative difference h - h~; its derivative corrects s.

    With u_i = i / n, a spline with equally spaced knots on [0, 1] is fitted to h_i - h~_i by least squares, and a
    score s_i becomes s_i + spline'(u_i). Tied scores share the mean of their values; between the scores of the
    calibration set the map is linear, outside constant, and the result is clipped to [0, 1].

    The spline is natural: its second derivative is 0 at the first and the last knot (the linear run-out of appendix C).
    These knots are the fractiles 0 and 1, so no calibration sample lies beyond them.

    Whole-number weights count repetitions; other weights enter the least squares at the fractile where the sample ends.

    Parameters
    ----------
    knots : int, 2 to 1000
    target : {"difference", "cumulative"}
        The spline is fitted to h - h~, as in the paper's code, or to h, as in its text, where s_i becomes spline'(u_i).
        The difference has the smaller error.
    monotone : bool
        Project the map onto the non-decreasing ones (isotonic regression of the fitted values).
    bounded : bool
        Hold the map in [0, 1] at every calibration score while fitting (the quadratic program of section 4.1), not
        only by clipping afterwards.

    Attributes
    ----------
    score_, fitted_ : ndarray, shape (m,)
        The distinct calibration scores, ascending, and the fitted values there, not clipped.
    fractile_ : ndarray, shape (m,), in (0, 1]
        The share of the calibration set up to and including each of these scores.
    knot_values_ : ndarray, shape (knots,)
        The fitted curve at the knots.
    knot_scores_ : ndarray, shape (knots,)
        The scores at the fractiles of the knots.

    See Also
    --------
    ks_error : The largest difference that the spline is fitted to.

    References
    ----------
    Gupta et al. 2020 (ks), section 4 and appendix C.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> spline = cv.Spline().fit(cv.lens("top-1")(calibration))
    >>> spline([0.5, 0.9]).round(2)
    array([0.32, 0.74])
    """

    short_name = "spline"

    def __init__(
        self, knots: int = DEFAULT_KNOTS, target: str = "difference", monotone: bool = False, bounded: bool = False
    ) -> None:
        validation.whole_number(knots, "knots", 2, MOST_KNOTS)
        validation.choice(target, "target", TARGETS)
        self.knots = knots
        self.target = target
        self.monotone = validation.truth(monotone, "monotone")
        self.bounded = validation.truth(bounded, "bounded")

    @property
    def keeps_ranking(self) -> bool:
        return self.monotone

    def _fit(self, problem: ScalarProblem) -> None:
        score, target, mass = distinct(problem)
        rows = _lay_out_rows(problem, score, target, mass, self.knots)
        curve = rows.target if self.target == "cumulative" else rows.target - rows.score
        knot_values = rows.design.fitted(curve)
        base = score if self.target == "difference" else np.zeros(len(score))
        if self.bounded:
            knot_values = rows.design.bounded(knot_values, -base, rows.shared(rows.design.slopes))
        fitted = base + rows.shared(rows.design.slopes @ knot_values)
        if self.monotone:
            from scipy.optimize import isotonic_regression

            fitted = isotonic_regression(fitted, weights=mass).x
        self.score_: Array = score
        self.fitted_: Array = fitted
        self.fractile_: Array = rows.fractile
        self.knot_values_: Array = knot_values
        places = np.linspace(0.0, 1.0, self.knots)
        self.knot_scores_: Array = np.interp(places, np.stack([rows.start, rows.fractile], -1).ravel(), score.repeat(2))

    def _map(self, score: Array) -> Array:
        return np.interp(score, self.score_, self.fitted_)

    def curve(self, points: int = 600) -> xr.Dataset:
        """The fitted spline at some of the calibration scores, for a picture.

        Parameters
        ----------
        points : int, at least 2
            At most so many of the calibration scores, evenly over their places.

        Returns
        -------
        xarray.Dataset
            Over `point`: `fractile`, `score`, the `probability` that it becomes, in [0, 1], the
            `cumulative_fit`, the spline through h - h~ or h, and its exact derivative `slope`. Over `knot`:
            `knot_fractile`, `knot_score`, `knot_cumulative_fit` and `knot_probability`.

        See Also
        --------
        cumulative : The curves that the spline is fitted to.
        plots.recalibration : A picture of the map.
        """
        self._check_fitted()
        validation.whole_number(points, "points", 2)
        chosen = np.unique(np.linspace(0, len(self.score_) - 1, points).round().astype(np.intp))
        places = np.linspace(0.0, 1.0, self.knots)
        spline = natural(self.knot_values_)
        fractile = self.fractile_[chosen]
        table = xr.Dataset(
            {
                "fractile": ("point", fractile, {"long_name": "share of the calibration set"}),
                "score": ("point", self.score_[chosen]),
                "probability": ("point", self(self.score_[chosen]), {"long_name": "recalibrated score"}),
                "cumulative_fit": (
                    "point",
                    spline(fractile),
                    {"long_name": f"spline fitted to the {self.target} curve"},
                ),
                "slope": ("point", spline(fractile, 1), {"long_name": "derivative of the spline"}),
                "knot_fractile": ("knot", places, {"long_name": "share of the calibration set at the knot"}),
                "knot_score": ("knot", self.knot_scores_, {"long_name": "score at the knot"}),
                "knot_cumulative_fit": ("knot", self.knot_values_, {"long_name": "spline at the knot"}),
                "knot_probability": ("knot", self(self.knot_scores_), {"long_name": "recalibrated score at the knot"}),
            },
            attrs={"calibrator": repr(self)},
        )
        return described(table, "Gupta et al. 2020, section 4", {"score": "score"})
