"""The flexible curve of each of several models, with the histograms of their scores."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....engine.scalar import ScalarProblem
from ....foundation.written import chosen_percent, percent
from ....metrics.clinical.flexible_curve import SMOOTHER, calibration_curve, indices_of
from ....metrics.clinical.penalised_curve import held_at_ends
from ...records import Figure, Series
from ...shapes import areas, diagonal, histogram, known_only, slots, up_to
from ..decisions import MODELS
from .histogram import HISTOGRAM_BINS, histogram_figure


def calibration_curve_figures(
    problems: Mapping[str, ScalarProblem], what: str = "top-1", level: float = 0.95, smoother: str = SMOOTHER
) -> tuple[Figure, Figure]:
    """The flexible curve of each model, with its band, and the histogram of the scores.

    Parameters
    ----------
    problems : dict of names of models to ScalarProblem
        For a single model the knots of a spline are drawn as well.
    what : str
        The name of the lens.
    level : float
        The level of the band.
    smoother : str
        As in `calibration_curve`.
    """
    tables = {name: calibration_curve(problem, level=level, smoother=smoother) for name, problem in problems.items()}
    single = len(tables) == 1
    bands: list[Series] = []
    lines = []
    for (name, table), role in zip(tables.items(), MODELS, strict=False):
        label = f"{chosen_percent(level)} band" if not bands else ""
        score, band = table.score.values, (table.lower.values, table.upper.values)
        if smoother == SMOOTHER:
            band = held_at_ends(problems[name], score, band, level)
        bands.append(areas(label, role, [(score, *band)]))
        lines.append((name, table.score.values, table.probability.values))
    curves = slots(MODELS, "line", lines, "predictions")[: len(lines)]
    if single:
        (problem,), (curve,) = problems.values(), curves
        knots = np.array(next(iter(tables.values())).attrs.get("knots", []))
        there = calibration_curve(problem, at=knots, smoother=smoother).probability.values if len(knots) else knots
        label = "flexible curve" if next(iter(problems)) == "model" else curve.name
        curves = (
            Series(label, curve.role, curve.shape, curve.x, curve.y),
            known_only("knots", "curve knots", "dots", knots, there),
        )
    summary = "; ".join(
        f"{name} is {percent(indices.ici)} from the diagonal on average (ICI), {percent(indices.emax)} at most"
        for name, indices in ((name, indices_of(problem)) for name, problem in problems.items())
    )
    kind = "simultaneous" if smoother in ("honest", "belt") else "pointwise"
    drawn = Figure(
        "calibration-curve",
        f"Calibration curve of {what}",
        "predicted (score)",
        "observed (smooth curve)",
        (*bands, diagonal(), *curves),
        f"Flexible calibration curve of {what} with a {kind} band: {summary}.",
        x_in_percent=True,
        y_in_percent=True,
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
        x_in_percent=True,
        y_in_percent=True,
    )
