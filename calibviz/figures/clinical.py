"""The flexible calibration curve with its band, and the scores below it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..engine.scalar import ScalarProblem
from ..metrics.flexible_curve import calibration_curve, indices_of
from .decisions import MODELS
from .records import Figure, Series
from .reliability import HISTOGRAM_BINS, histogram_figure
from .shapes import areas, diagonal, known_only, percent, slots, up_to


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
        f"{name} is {percent(found.ici)} from the diagonal on average (ICI), {percent(found.emax)} at most"
        for name, found in ((name, indices_of(problem)) for name, problem in problems.items())
    )
    drawn = Figure(
        "calibration-curve",
        f"Calibration curve of {what}",
        "score: what is told",
        "what is found",
        (*bands, diagonal(), *curves),
        f"Flexible calibration curve of {what} with a pointwise band: {summary}.",
    )
    return drawn, histogram_figure(list(problems.values()), what) if single else _histograms(problems, what)


def _histograms(problems: Mapping[str, ScalarProblem], what: str) -> Figure:
    """The scores of several models as lines."""
    edges = np.arange(HISTOGRAM_BINS + 1) / HISTOGRAM_BINS
    shares = [problem.between(edges, "left")[0] / problem.total for problem in problems.values()]
    outlines = [np.concatenate(([0.0], np.repeat(share, 2), [0.0])) for share in shares]
    lines = (Series("", role, "line", np.repeat(edges, 2), y) for role, y in zip(MODELS, outlines, strict=False))
    return Figure(
        "histogram", "", "score", "share", tuple(lines),
        f"Histograms of the scores of {what} of {', '.join(problems)}.",
        y_range=up_to(*shares),
    )  # fmt: skip
