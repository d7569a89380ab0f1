"""Pictures of reliability: the diagram in bins, the flexible curve, and the histogram below them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...engine.bins import Bins
from ...engine.scalar import ScalarProblem
from ...metrics.binless.corp import corp_of
from ...metrics.binless.smooth import smooth_curve
from ...metrics.clinical.flexible_curve import calibration_curve, indices_of
from ...uncertainty.intervals import target_interval
from ..records import OVERLAYS, Array, Figure, Overlay, Series
from ..shapes import (
    areas,
    counted,
    diagonal,
    few_of,
    histogram,
    joined,
    known_only,
    nothing,
    over_trials,
    percent,
    slots,
    spread,
    up_to,
)
from ..shapes import bars as bars_series
from .decisions import MODELS

HISTOGRAM_BINS = 20
CURVES = ("smooth", "corp")


def reliability_figure(
    problems: Sequence[ScalarProblem],
    bins: Sequence[Bins],
    what: str = "top-1",
    *,
    categories: Mapping[str, tuple[float, float]] | None = None,
    bars: tuple[Array, Array] | Literal["none"] | None = None,
    bars_name: str = "95 % interval",
    overlays: Sequence[Overlay] = (),
    curves: Iterable[str] = (),
    current: int | None = None,
    draggable: Sequence[float] = (),
) -> Figure:
    """Reliability diagram: mean target against mean score of each bin, with bars.

    Parameters
    ----------
    problems, bins : sequence of ScalarProblem, of Bins
        One a trial, with equally many bins. Several trials are drawn by means, with bars of one standard deviation.
    what : str
        The name of the lens.
    categories : dict of name to (low, high), optional
        Likert categories, drawn as squares; a bin inside its square has no inter-interval error.
    bars : lower and upper ends of shape (B,), or "none", optional
        For the first trial; by default the 95 % Clopper-Pearson intervals of the mean targets.
    overlays : sequence of Overlay, at most 4
    curves : subset of {"smooth", "corp"}
        Curves without bins, for the first trial.
    current : int, optional
        The bin to mark.
    draggable : sequence of float
        The edges of categories that a reader can drag.
    """
    score, target, deviation = _average_bins(bins)
    kept = np.isfinite(score)
    if len(bins) > 1:
        bars_name, ends = f"± std of {len(bins)} trials", (target - deviation, target + deviation)
    elif isinstance(bars, str):
        ends = (np.full(len(score), np.nan),) * 2
    else:
        ends = target_interval(bins[0], problems[0]) if bars is None else bars
    squares = np.array(list((categories or {}).values())).reshape(-1, 2)
    corners_x, corners_y = joined(squares[:, [0, 1, 1, 0, 0]]), joined(squares[:, [0, 0, 1, 1, 0]])
    handles = np.asarray(draggable, dtype=np.float64)
    wanted = frozenset(curves)
    marked = kept & (np.arange(len(score)) == current)
    hints = _write_hints(problems, bins, score, target, kept)
    largest = float(np.abs(score - target)[kept].max())
    return Figure(
        "reliability",
        f"Reliability of {what}",
        "mean score",
        "mean target",
        (
            Series("categories" if categories else "", "category", "area", corners_x, corners_y),
            diagonal(),
            bars_series(bars_name, "interval", score, *ends),
            _draw_corp_curve(problems[0]) if "corp" in wanted else nothing("corp", "line"),
            _draw_smooth_curve(problems[0]) if "smooth" in wanted else nothing("smooth", "line"),
            *slots(
                OVERLAYS,
                "line and dots",
                [(other.name, *_average_bins(other.bins)[:2]) for other in overlays],
                "overlays",
            ),
            Series("bins", "bins", "line and dots", score[kept], target[kept], hints),
            Series("selected bin" if marked.any() else "", "selected", "dots", score[marked], target[marked]),
            Series("", "handle", "dots", handles, np.zeros(len(handles))),
        ),
        f"Reliability diagram of {what}{_describe_trials(problems)}: {int(kept.sum())} bins with samples, "
        f"{_describe_means(problems)}, largest distance from the diagonal {percent(largest)}."
        + "".join(f" {overlay.name}: {_describe_means(overlay.problems)}." for overlay in overlays)
        + "".join(
            f" Selected: the bin of mean score {score[i]:.3g} and mean target {target[i]:.3g}."
            for i in np.flatnonzero(marked)
        ),
    )


def histogram_figure(problems: Sequence[ScalarProblem], what: str = "top-1", edges: Array | None = None) -> Figure:
    """The share of the samples between edges, by default twentieths of the score range; the mean over trials."""
    if edges is None:
        edges = np.arange(HISTOGRAM_BINS + 1) / HISTOGRAM_BINS
    share = over_trials([problem.between(edges, "left")[0] / problem.total for problem in problems])[0]
    top = int(share.argmax())
    return Figure(
        "histogram",
        "",
        "score",
        "share",
        (histogram("", "histogram", "area", edges, share),),
        f"Histogram of the scores of {what}{_describe_trials(problems)}: the fullest of {len(share)} intervals, from "
        f"{edges[top]:.3g} to {edges[top + 1]:.3g}, holds {percent(float(share[top]))} of the samples.",
        y_range=up_to(share),
    )


def _average_bins(bins: Sequence[Bins]) -> tuple[Array, Array, Array]:
    """Mean score and mean target of each bin, and the standard deviation of the target, over the trials."""
    target, deviation = over_trials([trial.target for trial in bins])
    return over_trials([trial.score for trial in bins])[0], target, deviation


def _write_hints(
    problems: Sequence[ScalarProblem], bins: Sequence[Bins], score: Array, target: Array, kept: NDArray[np.bool_]
) -> tuple[str, ...]:
    count = over_trials([trial.samples(problem) for trial, problem in zip(bins, problems, strict=True)])[0]
    return tuple(
        f"{counted(round(n))}: mean score {percent(s)}, mean target {percent(t)}"
        for n, s, t in zip(count[kept], score[kept], target[kept], strict=True)
    )


def _draw_smooth_curve(problem: ScalarProblem) -> Series:
    score, target, _ = smooth_curve(problem)
    return known_only("smooth", "smooth", "line", score, target)


def _draw_corp_curve(problem: ScalarProblem) -> Series:
    """The isotonic fit, by the ends of its level sets, inside which it is constant."""
    fit = corp_of(problem)
    steps = np.flatnonzero(np.diff(fit.recalibrated))
    picked = few_of(np.unique(np.concatenate([steps, steps + 1, [len(fit.score) - 1]])))
    return Series("isotonic (CORP)", "corp", "line", fit.score[picked], fit.recalibrated[picked])


def _describe_trials(problems: Sequence[ScalarProblem]) -> str:
    return f", mean of {len(problems)} trials" if len(problems) > 1 else ""


def _describe_means(problems: Sequence[ScalarProblem]) -> str:
    score, target = ([getattr(problem, name) for problem in problems] for name in ("mean_score", "mean_target"))
    return f"mean score {spread(score)}, mean target {spread(target)}"


def calibration_curve_figures(
    problems: Mapping[str, ScalarProblem], what: str = "top-1", level: float = 0.95
) -> tuple[Figure, Figure]:
    """The flexible curve of each model, with its band, and the histogram of the scores.

    Parameters
    ----------
    problems : dict of names of models to ScalarProblem
        For a single model the knots are drawn as well.
    what : str
        The name of the lens.
    level : float
        The level of the band.
    """
    tables = {name: calibration_curve(problem, level=level) for name, problem in problems.items()}
    single = len(tables) == 1
    bands: list[Series] = []
    lines = []
    for (name, table), role in zip(tables.items(), MODELS, strict=False):
        band = f"{100 * level:g} % band" if not bands else ""
        bands.append(areas(band, role, [(table.score.values, table.lower.values, table.upper.values)]))
        lines.append((name, table.score.values, table.probability.values))
    curves = slots(MODELS, "line", lines, "predictions")[: len(lines)]
    if single:
        (problem,), (curve,) = problems.values(), curves
        knots = np.array(next(iter(tables.values())).attrs["knots"])
        there = calibration_curve(problem, at=knots).probability.values if len(knots) else np.empty(0)
        label = "flexible curve" if next(iter(problems)) == "model" else curve.name
        curves = (
            Series(label, curve.role, curve.shape, curve.x, curve.y),
            known_only("knots", "knots", "dots", knots, there),
        )
    summary = "; ".join(
        f"{name} is {percent(indices.ici)} from the diagonal on average (ICI), {percent(indices.emax)} at most"
        for name, indices in ((name, indices_of(problem)) for name, problem in problems.items())
    )
    drawn = Figure(
        "calibration-curve",
        f"Calibration curve of {what}",
        "score: what is told",
        "what is found",
        (*bands, diagonal(), *curves),
        f"Flexible calibration curve of {what} with a pointwise band: {summary}.",
    )
    return drawn, histogram_figure(list(problems.values()), what) if single else _draw_histograms(problems, what)


def _draw_histograms(problems: Mapping[str, ScalarProblem], what: str) -> Figure:
    """The scores of several models as lines."""
    edges = np.arange(HISTOGRAM_BINS + 1) / HISTOGRAM_BINS
    shares = [problem.between(edges, "left")[0] / problem.total for problem in problems.values()]
    lines = (histogram("", role, "line", edges, share) for role, share in zip(MODELS, shares, strict=False))
    return Figure(
        "histogram",
        "",
        "score",
        "share",
        tuple(lines),
        f"Histograms of the scores of {what} of {', '.join(problems)}.",
        y_range=up_to(*shares),
    )
