"""Bounds of a curve that a summary knows only nearly.

What is unknown is the order of the samples within a cell. It moves the cumulative curves there, and a spline, which is
fitted to them by least squares, depends on them linearly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from ..engine.binnings.binning import EqualMass, Uniform
from ..foundation import arrays
from ..foundation.arrays import Array
from ..foundation.described import OURS, described
from ..recalibration import Spline
from ..recalibration.solvers.spline_design import natural, repeated_design
from .error_bounds import ROUNDING, GridCells, cuts_of, uniform_bins
from .summary import Summary

POINTS = 101


SAID = {
    "difference": "cumulative target - cumulative score",
    "probability": "recalibrated score",
    "fractile": "share of the samples with lower scores",
}


def curve_bounds(summary: Summary, curve: Any = "cumulative", at: ArrayLike | None = None) -> xr.Dataset:
    """Bounds of a curve of the samples, of which only a summary is left.

    Parameters
    ----------
    summary : Summary
    curve : "cumulative", Uniform, EqualMass or Spline
        The curves of `ks_error`, the means of the bins of a reliability diagram, or the map of this spline (which need
        not be fitted), fitted to the samples.
    at : array-like, values in [0, 1], optional
        Fractiles for the cumulative curves, scores for a spline; by default 101 of them, evenly. Bins need none.

    Returns
    -------
    xarray.Dataset
        Over `end` ("low", "high"), and of the cumulative curves `target` and `difference` over `fractile`, of bins
        their mean `score` and `target` over `bin`, of a spline the `probability` over `score`.

    Raises
    ------
    EmptyProblemError
        Where no sample was kept.
    TypeError, ValueError
        For other curves, for uniform bins of edges that the grid does not have, and for splines of weights that do not
        count repetitions or with `bounded=True`.

    See Also
    --------
    error_bounds : The same for errors.

    Examples
    --------
    >>> summary = cv.summarize(cv.simulated("resnet110_c10", 1000), "class right")
    >>> bounds = cv.curve_bounds(summary, cv.Spline(), at=[0.5, 0.9])
    >>> bounds.probability.round(3).values
    array([[0.235, 0.236],
           [0.641, 0.642]])
    """
    cells = GridCells.of(summary)
    if isinstance(curve, Uniform | EqualMass):
        if at is not None:
            raise ValueError("at is for curves: bins have places of their own")
        return _dataset("bin", np.arange(1, curve.bins + 1), **_mean_ends(cells, summary, curve))
    places = np.linspace(0.0, 1.0, POINTS) if at is None else np.atleast_1d(arrays.float_array(at, "at"))
    if places.ndim != 1:
        raise ValueError(f"at must have shape (m,), not {places.shape}")
    bad = ~((places >= 0) & (places <= 1))
    if bad.any():
        arrays.refuse_where(bad, places, "at", 0, "every entry must be in [0, 1]")
    if isinstance(curve, Spline):
        return _dataset("score", places, probability=_spline_ends(cells, summary, curve, places))
    if not isinstance(curve, str) or curve != "cumulative":
        raise ValueError(
            f'curve must be "cumulative", cv.Uniform(15), cv.EqualMass(15) or cv.Spline(), for example, not {curve!r}'
        )
    targets, _, gaps = cells.up_to(places * cells.total)
    scaled = [(low / cells.total, high / cells.total) for low, high in (targets, gaps)]
    return _dataset("fractile", places, target=scaled[0], difference=scaled[1])


def _dataset(dim: str, places: NDArray[Any], **ends: tuple[Array, Array]) -> xr.Dataset:
    values = {name: ((dim, "end"), np.stack(pair, axis=-1)) for name, pair in ends.items()}
    said = {"score": "score"} if dim == "score" else {}
    return described(xr.Dataset(values, {dim: places, "end": ["low", "high"]}), OURS, SAID | said)


def _mean_ends(cells: GridCells, summary: Summary, binning: Uniform | EqualMass) -> dict[str, tuple[Array, Array]]:
    """The least and the greatest mean score and mean target of each bin; nan where it is empty."""
    if isinstance(binning, Uniform):
        bins = uniform_bins(summary, binning)
        return {"score": (bins.score, bins.score), "target": (bins.target, bins.target)}
    cuts = cuts_of(summary, binning.bins)
    weight = np.diff(cuts)
    targets, scores, _ = cells.between(cuts)

    def mean(total: Array) -> Array:
        return np.clip(np.divide(total, weight, out=np.full(len(weight), np.nan), where=weight > 0), 0.0, 1.0)

    return {name: (mean(low), mean(high)) for name, (low, high) in {"score": scores, "target": targets}.items()}


def _spline_ends(cells: GridCells, summary: Summary, spline: Spline, at: Array) -> tuple[Array, Array]:
    if not summary.whole_weights:
        raise ValueError("splines have bounds where weights count repetitions: those of this summary do not")
    if (np.diff(cells.before) <= 0).any():
        raise ValueError("weights are too different in size: the smallest are lost beside the others")
    if spline.bounded:
        raise ValueError(f"curve is {spline!r}, which has no bounds: pass bounded=False, clipping holds it as well")
    mean = Spline(spline.knots, spline.target).fit(summary.problem)  # as if each cell were a tie of its samples
    low, high = _slope_ends(cells, mean, ROUNDING * (10 + np.sqrt(summary.count.sum())))
    first, last = cells.low, cells.high  # scores of samples
    moved = np.clip(at, first[0], last[-1]) if spline.target == "difference" else np.zeros(len(at))
    if spline.monotone:  # a projection that rises with what is projected
        if spline.target == "difference":
            low, high, moved = first + low, last + high, np.zeros(len(at))
        low, high = (isotonic_regression(curve, weights=cells.weight).x for curve in (low, high))
    # A score lies in a cell, or between the last sample of one and the first of the next, where the map is straight.
    before = np.clip(np.searchsorted(first, at, "right") - 1, 0, len(first) - 1)
    after = np.clip(np.searchsorted(last, at, "left"), 0, len(last) - 1)
    between = before < after
    gap = np.where(between, first[after] - last[before], 1.0)
    share = np.where(between, (at - last[before]) / gap, 0.0)
    ends = (moved + (1 - share) * curve[before] + share * curve[after] for curve in (low, high))
    least, most = (np.clip(end, 0.0, 1.0) for end in ends)
    return least, most


def _slope_ends(cells: GridCells, mean: Spline, rounding: float) -> tuple[Array, Array]:
    """The least and the greatest slope of the samples' spline in each cell."""
    places = np.linspace(0.0, 1.0, mean.knots)
    spline = natural(mean.knot_values_)
    start, stop = (cells.before[:-1] + 1) / cells.total, cells.before[1:] / cells.total
    slope = np.stack([spline(start, 1), spline(stop, 1)])
    low, high = slope.min(axis=0), slope.max(axis=0)
    for place in spline.derivative(2).roots(extrapolate=False):
        here = (start <= place) & (place <= stop)
        low[here], high[here] = np.minimum(low[here], spline(place, 1)), np.maximum(high[here], spline(place, 1))
    is_single = cells.low == cells.high  # all of the cell have the mean of its slopes
    shared = mean.fitted_ - (mean.score_ if mean.target == "difference" else 0.0)
    low, high = np.where(is_single, shared, low), np.where(is_single, shared, high)
    error = np.zeros(len(start))
    for j, most in enumerate(_slope_errors(cells, mean, places, rounding)):
        here = (start <= places[j + 1]) & (stop >= places[j])
        error[here] = np.maximum(error[here], most)
    return low - error, high + error


def _slope_errors(cells: GridCells, mean: Spline, places: Array, rounding: float) -> Array:
    """The greatest change of the slope between each two knots that the order within cells can make.

    A slope is a quadratic there: it lies between the coefficients of its Bernstein polynomials. Each of these is a
    weighted sum of the curve that the spline is fitted to.
    """
    design, _, first = repeated_design(cells.weight, mean.knots)
    assert design.weight is not None
    unit = natural(np.eye(mean.knots))
    slope, bend = unit(places, 1), unit(places, 2)
    middle = slope[:-1] + bend[:-1] * np.diff(places)[:, None] / 2
    errors = []
    for sums in np.concatenate([slope, middle]):
        of_curve = design.influence(sums)
        squares = np.add.reduceat(design.weight * of_curve**2, first)
        most = np.sqrt(cells.weight * squares)  # of the sum over each cell, by Cauchy and Schwarz
        of_sums = design.rounding(sums, mean.knot_values_)
        errors.append(most @ (cells.disorder / cells.total + rounding) + of_sums)
    ends, inner = np.split(np.array(errors), [mean.knots])
    return np.maximum(np.maximum(ends[:-1], ends[1:]), inner)
