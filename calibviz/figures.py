"""What to draw: frozen records of arrays, labels and alternative text, for any plotting library.

A `Figure` is a few `Series` on two axes. Their `role` decides colour and marker, so a thing looks alike wherever
it is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from .bins import Bins
from .estimators import cumulative_difference
from .intervals import target_interval
from .problems import ScalarProblem
from .ranks import by_metric, rank_calibrators
from .recalibration import Spline

Array = NDArray[np.float64]
Shape = Literal["line", "dots", "line and dots", "area"]
Role = Literal[
    "reference",
    "bins",
    "interval",
    "category",
    "histogram",
    "score",
    "target",
    "gap",
    "map",
    "knots",
    "before",
    "after",
]

MOST_POINTS = 600
HISTOGRAM_BINS = 20
_WINDOW = ("window_start", "window_stop")


@dataclass(frozen=True, eq=False)
class Series:
    """One set of points of a figure.

    Attributes
    ----------
    name : str
        For the legend; empty where it needs none.
    role : str
        What it stands for.
    shape : {"line", "dots", "line and dots", "area"}
        nan breaks a line; an area is a closed outline.
    x, y : ndarray, shape (n,)
    """

    name: str
    role: Role
    shape: Shape
    x: Array
    y: Array


@dataclass(frozen=True, eq=False)
class Figure:
    """A picture of one thing.

    Attributes
    ----------
    name : str
        The same for every picture of this kind.
    title, x_label, y_label : str
    series : tuple of Series
        In the order in which they are drawn. A figure of one kind always has the same series, empty where there
        is nothing to show, so that a widget can keep its marks.
    alt : str
        What the picture shows, in words.
    x_range, y_range : (float, float)
    """

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    alt: str
    x_range: tuple[float, float] = (0.0, 1.0)
    y_range: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Grid:
    """A table whose cells are coloured by their values.

    Attributes
    ----------
    name, title : str
    rows, columns : tuple of str
        R and C labels.
    values : ndarray, shape (R, C)
        nan where there is none.
    value_label : str
    alt : str
        What the picture shows, in words.
    """

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Array
    value_label: str
    alt: str


def ranks_figure(cube: xr.Dataset) -> Grid:
    """The mean rank of every calibrator under every error of a cube, 1 for the best (gce_measuring table 5)."""
    ranks = by_metric(rank_calibrators(cube))
    values = ranks.mean([dim for dim in ranks.dims if dim not in ("metric", "calibrator")])
    values = values.transpose("metric", "calibrator")
    metrics, calibrators = (tuple(map(str, values[dim].values)) for dim in ("metric", "calibrator"))
    best = [calibrators[i] for i in np.where(np.isnan(values), np.inf, values).argmin(axis=1)]
    won = ", ".join(f"{name} by {best.count(name)}" for name in calibrators if name in best)
    return Grid(
        "ranks",
        "Rank of each calibrator by each metric",
        metrics,
        calibrators,
        values.values,
        "mean rank, 1 is the best",
        f"Ranks of {len(calibrators)} calibrators by {len(metrics)} metrics. Ranked first: {won}.",
    )


def percent(value: float) -> str:
    """A share of 1 as text, such as "4.75 %"."""
    return f"{100 * value:.2f} %"


def reliability_figure(
    problem: ScalarProblem,
    bins: Bins,
    what: str = "top-1",
    categories: dict[str, tuple[float, float]] | None = None,
    bars: tuple[Array, Array] | None = None,
    bars_name: str = "95 % interval",
) -> Figure:
    """Reliability diagram: mean target against mean score of each bin, with bars.

    Parameters
    ----------
    what : str
        The name of the lens.
    categories : dict of name to (low, high), optional
        Likert categories, drawn as the squares inside which a bin has no inter-interval error.
    bars : lower and upper ends of shape (B,), optional
        By default the 95 % Clopper-Pearson intervals of the mean targets.
    """
    kept = bins.weight > 0
    score, target = bins.score[kept], bins.target[kept]
    lower, upper = (end[kept] for end in (target_interval(bins, problem) if bars is None else bars))
    gap = float(np.abs(score - target).max())
    squares = np.array(list((categories or {}).values())).reshape(-1, 2)
    corners_x, corners_y = _joined(squares[:, [0, 1, 1, 0, 0]]), _joined(squares[:, [0, 0, 1, 1, 0]])
    return Figure(
        "reliability",
        f"Reliability of {what}",
        "mean score",
        "mean target",
        (
            Series("categories" if categories else "", "category", "area", corners_x, corners_y),
            _diagonal(),
            Series(bars_name, "interval", "line", _separated(score, score), _separated(lower, upper)),
            Series("bins", "bins", "line and dots", score, target),
        ),
        f"Reliability diagram of {what}: {len(score)} bins with samples, mean score {percent(problem.mean_score)}, "
        f"mean target {percent(problem.mean_target)}, largest distance from the diagonal {percent(gap)}.",
    )


def histogram_figure(problem: ScalarProblem, what: str = "top-1") -> Figure:
    """Share of the samples in each twentieth of the score range."""
    edges = np.arange(HISTOGRAM_BINS + 1) / HISTOGRAM_BINS
    share = problem.between(edges, "left")[0] / problem.total
    top = int(share.argmax())
    x = np.repeat(edges, 2)
    y = np.concatenate(([0.0], np.repeat(share, 2), [0.0]))
    return Figure(
        "histogram",
        "",
        "score",
        "share",
        (Series("", "histogram", "area", x, y),),
        f"Histogram of the scores of {what}: the fullest twentieth, from {edges[top]:g} to {edges[top + 1]:g}, holds "
        f"{percent(float(share[top]))} of the samples.",
        y_range=(0.0, max(float(share.max()), 1e-9)),
    )


def cumulative_figure(problem: ScalarProblem, what: str = "top-1") -> Figure:
    """Cumulative score and cumulative target against the fractile, the KS maximum marked (ks figure 1a)."""
    difference = cumulative_difference(problem)
    ends = problem.block_ends
    at = int(ends[np.abs(difference).argmax()])
    picked = _thinned(ends, at)
    fractile = problem.cumulative_weight[picked] / problem.total
    score = problem.cumulative_score[picked] / problem.total
    target = problem.cumulative_target[picked] / problem.total
    place = float(problem.cumulative_weight[at]) / problem.total
    ends_of_gap = np.array([problem.cumulative_score[at], problem.cumulative_target[at]]) / problem.total
    ks = float(np.abs(difference).max())
    top = float(max(score[-1], target[-1]))
    return Figure(
        "cumulative",
        f"KS of {what}: {percent(ks)}",
        "fractile of the samples, by score",
        "cumulative share",
        (
            Series("score", "score", "line", fractile, score),
            Series("target", "target", "line", fractile, target),
            Series("KS", "gap", "line and dots", np.array([place, place]), ends_of_gap),
        ),
        f"Cumulative score and target of {what}: they end at {percent(float(score[-1]))} and "
        f"{percent(float(target[-1]))}; their largest distance, the KS error, is {percent(ks)} at score "
        f"{problem.score[at - 1]:.3g}.",
        y_range=(0.0, max(top, 1e-9)),
    )


def recalibration_figure(spline: Spline, before: Bins, after: Bins, what: str = "top-1") -> Figure:
    """The map of a fitted spline with its knots, and bins of other samples before and after it."""
    picked = _thinned(np.arange(len(spline.score_)))
    mapped = spline(spline.score_)
    moved = float(np.abs(mapped - spline.score_).max())
    kept, kept_after = before.weight > 0, after.weight > 0
    return Figure(
        "recalibration",
        f"Recalibration of {what}",
        "score",
        "recalibrated score, mean target",
        (
            _diagonal(),
            Series("before", "before", "dots", before.score[kept], before.target[kept]),
            Series("after", "after", "dots", after.score[kept_after], after.target[kept_after]),
            Series("spline", "map", "line", spline.score_[picked], mapped[picked]),
            Series("knots", "knots", "dots", spline.knot_scores_, spline(spline.knot_scores_)),
        ),
        f"Recalibration map of {what}, a spline with {spline.knots} knots: it moves a score by up to {percent(moved)}.",
    )


def sensitivity_figure(table: xr.Dataset) -> Figure:
    """The error over gamma (on a log2 axis) or the number of bins, with bootstrap bars (gece figure 7).

    Parameters
    ----------
    table : xarray.Dataset
        What `sensitivity` returns.
    """
    what = table.attrs["lens"]
    fine = "gamma" in table.dims
    settings = table["gamma" if fine else "bins"].values.astype(np.float64)
    place = np.log2(settings) if fine else settings
    lower, upper, error = (table[name].values for name in ("lower", "upper", "error"))
    margin = 0.05 * float(upper.max() - lower.min()) or 0.05
    low, high = max(0.0, float(min(lower.min(), error.min())) - margin), float(max(upper.max(), error.max())) + margin
    flat = "suggestion" in table.attrs
    ends = sorted(place[np.flatnonzero(settings == table.attrs[end])[0]] for end in _WINDOW) if flat else []
    corners = (np.array([0, 1, 1, 0, 0]), np.array([0, 0, 1, 1, 0])) if flat else (np.empty(0, dtype=int),) * 2
    said = f"flattest around {table.attrs['suggestion']:.3g}" if flat else "nowhere flat within its noise"
    return Figure(
        "sensitivity",
        f"Sensitivity of the error of {what}",
        "log₂ γ: finer cells to the left" if fine else "number of bins",
        "calibration error",
        (
            Series("", "category", "area", np.array(ends)[corners[0]], np.array([low, high])[corners[1]]),
            Series("bootstrap interval", "interval", "line", _separated(place, place), _separated(lower, upper)),
            Series("bootstrap mean", "target", "line", place, table["mean"].values),
            Series("error", "before", "line and dots", place, error),
        ),
        f"Calibration error of {what} against {'gamma' if fine else 'the number of bins'}: "
        f"from {percent(float(error.min()))} to {percent(float(error.max()))}, {said}.",
        (float(place.min()), float(place.max())),
        (low, high),
    )


def _diagonal() -> Series:
    return Series("perfect", "reference", "line", np.array([0.0, 1.0]), np.array([0.0, 1.0]))


def _separated(first: Array, second: Array) -> Array:
    """Pairs with nan between them, which a line does not connect."""
    return _joined(np.column_stack([first, second]))


def _joined(pieces: Array) -> Array:
    """The rows one after the other with nan between them (and none at the end, where bqplot puts a label)."""
    return np.column_stack([pieces, np.full(len(pieces), np.nan)]).ravel()[:-1]


def _thinned(ends: NDArray[np.intp], *always: int) -> NDArray[np.intp]:
    """0 and at most about 600 of the `ends`, evenly spread, among them the last one and those named."""
    if len(ends) > MOST_POINTS:
        ends = ends[np.linspace(0, len(ends) - 1, MOST_POINTS).round().astype(np.intp)]
    return np.unique(np.concatenate(([0], ends, always)).astype(np.intp))
