"""Pictures of the cumulative curves behind the KS error, of their difference and of their slopes (ks figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...engine.by_truth import LOOKS_AT_TRUTH
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...foundation.written import percent, spread
from ...metrics.binned import cumulative_difference
from ...metrics.calibration_tests import ks_limit, walk_spreads
from ...recalibration import Spline
from ..records import Figure, Role, Series, Shape
from ..shapes import areas, few_of, level, nothing, over_trials, score_at_fractiles, up_to

COMMON_FRACTILES = 200
BY_SCORE = "share of the samples, by score"
POINTWISE = 1.959964  # standard deviations: 95 % of a normal variable lie within


Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class _Curve:
    """The mean of a curve over the trials and its standard deviation, which is nan for one trial."""

    mean: Array
    std: Array

    @classmethod
    def of(cls, trials: Sequence[Array]) -> _Curve:
        mean, std = over_trials(trials)
        return cls(mean, std if len(trials) > 1 else np.full(len(mean), np.nan))

    def band(self, x: Array) -> tuple[Array, Array, Array]:
        return x, self.mean - self.std, self.mean + self.std


#: What is observed and predicted, and the spread of it over trials, by whether a calibrator was applied.
ROLES: dict[bool, tuple[Role, Role, Role]] = {
    False: ("before", "predicted before", "flexible band"),
    True: ("after alone", "predicted after", "after alone band"),
}


def cumulative_figures(
    problems: Sequence[ScalarProblem], what: str = "top-1", *, is_after: bool = False
) -> tuple[Figure, Figure, Figure]:
    """Three pictures of the cumulative score and target, over the samples in the order of the score (ks figure 1).

    Parameters
    ----------
    problems : sequence of ScalarProblem
        One a trial. For several trials the mean curves are shown, with bands of one standard deviation.
    what : str
        The name of the lens.
    is_after : bool
        Whether these are scores after a calibrator, which have colours of their own.

    Returns
    -------
    "cumulative"
        Cumulative score and target against the fractile, the KS maximum marked (1a).
    "cumulative-score"
        The same against the cumulative score, which is then a straight line (1b).
    "difference"
        Cumulative target less cumulative score. Labels drawn from the scores make it a Brownian motion in the time of
        their variance (Arrieta-Ibarra et al. 2022, "Metrics of calibration for probabilistic predictions"): at each
        place 95 % of calibrated data sets lie in the area, and 95 % of them never leave the dashed lines.
    """
    observed, predicted, band = ROLES[is_after]
    gaps = [np.abs(cumulative_difference(problem)) for problem in problems]
    ks = [float(gap.max()) for gap in gaps]
    fractile, score, target, difference = _average_curves(problems, int(gaps[0].argmax()))
    at = int(np.abs(difference.mean).argmax())
    shares = [problem.cumulative_weight[1:] / problem.total for problem in problems]
    place = np.mean([np.interp(fractile[at], x, problem.score) for x, problem in zip(shares, problems, strict=True)])
    limit = float(np.mean([ks_limit(problem) for problem in problems]))  # nan under a selection by what is true
    is_beyond = bool(np.mean(ks) > limit)
    ends = f"they end at {percent(float(score.mean[-1]))} and {percent(float(target.mean[-1]))}"
    largest = f"the KS error, is {spread(ks)} at score {percent(float(place))}"
    gap = np.array([score.mean[at], target.mean[at]])
    top = up_to(score.mean, target.mean)

    def picture(
        name: str, x_label: str, y_label: str, series: tuple[Series, ...], alt: str, x_range: Range, y_range: Range
    ) -> Figure:
        return Figure(
            name, f"Added up, {what}: KS {spread(ks)}", x_label, y_label, series, alt, x_range, y_range,
            score_at=score_at_fractiles(problems[0]) if x_label == BY_SCORE else None,
            x_in_percent=True, y_in_percent=True,
        )  # fmt: skip  # short entries stand in rows

    def pair(x: Array) -> tuple[Series, ...]:
        return (
            areas("± std of trials", band, [score.band(x), target.band(x)]),
            Series("predicted", predicted, "line", x, score.mean),
            Series("observed", observed, "line", x, target.mean),
            *_mark_largest(np.array([x[at], x[at]]), gap, is_beyond),
        )

    known = np.isfinite(limit)
    half = 1.05 * max(up_to(np.abs(difference.mean), np.abs(difference.mean) + difference.std, limit if known else 0.0))
    noise = _noise_at(problems, fractile)
    verdict = f"{'beyond' if is_beyond else 'within'} the {percent(limit)} that 95 % of calibrated data sets stay below"
    if not known:
        verdict = f"{LOOKS_AT_TRUTH}, so calibrated data sets do not stay around 0"
    limits = np.array([limit, limit, np.nan, -limit, -limit]) if known else np.empty(0)
    apart = (
        areas("noise: 95 %, by place", "noise", [(fractile, -noise, noise)] if known else []),
        level("level", (0.0, 1.0), 0.0),
        Series("noise: everywhere", "limit", "line", np.array([0.0, 1.0, np.nan, 0.0, 1.0])[: len(limits)], limits),
        areas("± std of trials", band, [difference.band(fractile)]),
        Series("observed − predicted", observed, "line", fractile, difference.mean),
        *_mark_largest(np.full(2, fractile[at]), np.array([0.0, difference.mean[at]]), is_beyond),
    )
    return (
        picture(
            "cumulative", BY_SCORE, "added up, as a share", pair(fractile),
            f"Cumulative score and target of {what}: {ends}; their largest distance, {largest}.", (0.0, 1.0), top,
        ),
        picture(
            "cumulative-score", "predicted, added up", "added up, as a share", pair(score.mean),
            f"Cumulative target of {what} against the cumulative score, a straight line if calibrated: {ends}; "
            f"the largest distance from it, {largest}.",
            up_to(score.mean), top,
        ),
        picture(
            "difference", BY_SCORE, "observed − predicted, added up", apart,
            f"Cumulative target less cumulative score of {what}: from {percent(float(difference.mean.min()))} to "
            f"{percent(float(difference.mean.max()))}; the largest, {largest}, {verdict}.",
            (0.0, 1.0), (-half, half),
        ),
    )  # fmt: skip  # short entries stand in rows


def _mark_largest(x: Array, y: Array, is_beyond: bool) -> tuple[Series, Series]:
    """The largest distance, which has the colour of what is beyond noise only where it is."""
    shape: Shape = "line and dots"
    return (
        Series("KS", "gap", shape, x, y) if is_beyond else nothing("gap", shape),
        nothing("gap within", shape) if is_beyond else Series("KS", "gap within", shape, x, y),
    )


def _noise_at(problems: Sequence[ScalarProblem], fractile: Array) -> Array:
    """The distance from 0 within which 95 % of calibrated data sets lie at each fractile; of trials the mean."""
    each = [
        np.interp(fractile, problem.cumulative_weight / problem.total, walk_spreads(problem)) for problem in problems
    ]
    return POINTWISE * np.mean(each, axis=0)


def _average_curves(problems: Sequence[ScalarProblem], largest: int) -> tuple[Array, _Curve, _Curve, _Curve]:
    """Fractile, cumulative score, cumulative target, and target less score.

    One trial is shown at its own samples, with the end of the distinct score `largest` among them; several trials are
    shown at common fractiles.
    """
    if len(problems) > 1:
        fractile = np.linspace(0.0, 1.0, COMMON_FRACTILES)
        scores, targets = (
            [np.interp(fractile, p.cumulative_weight / p.total, getattr(p, name) / p.total) for p in problems]
            for name in ("cumulative_score", "cumulative_target")
        )
        differences = [target - score for score, target in zip(scores, targets, strict=True)]
    else:
        (problem,) = problems
        ends = problem.block_ends
        picked = few_of(ends, int(ends[largest]))
        score, target = problem.cumulative_score[picked], problem.cumulative_target[picked]
        fractile = problem.cumulative_weight[picked] / problem.total
        scores, targets, differences = ([each / problem.total] for each in (score, target, target - score))
    return fractile, _Curve.of(scores), _Curve.of(targets), _Curve.of(differences)


def slopes_figure(
    problems: Sequence[ScalarProblem],
    what: str = "top-1",
    *,
    against: Literal["fractile", "score"] = "fractile",
    is_after: bool = False,
) -> Figure:
    """The slopes of the cumulative curves: the scores, and their probabilities by a spline (ks figure 1c, d).

    They are drawn against the fractile or the score. The spline is fitted to the samples that are drawn.
    """
    observed, predicted, band = ROLES[is_after]
    fitted = [Spline().fit(problem) for problem in problems]
    if len(problems) > 1:
        fractile = np.linspace(0.0, 1.0, COMMON_FRACTILES)
    else:
        fractile = fitted[0].fractile_[few_of(np.arange(len(fitted[0].score_)))]
    scores = [np.interp(fractile, spline.fractile_, spline.score_) for spline in fitted]
    probabilities = [np.interp(fractile, spline.fractile_, np.clip(spline.fitted_, 0.0, 1.0)) for spline in fitted]
    score, probability = _Curve.of(scores), _Curve.of(probabilities)
    x = fractile if against == "fractile" else score.mean
    gap = probability.mean - score.mean
    at = int(np.abs(gap).argmax())
    side = "above" if gap[at] > 0 else "below"
    return Figure(
        "slopes",
        f"Score and probability of {what}",
        BY_SCORE if against == "fractile" else "predicted (score)",
        "predicted, probability",
        (
            areas("± std of trials", band, [score.band(x), probability.band(x)]),
            Series("predicted", predicted, "line", x, score.mean),
            Series("probability", observed, "line", x, probability.mean),
        ),
        f"Score of {what} and its probability by a spline, against the {against}: the probability is farthest from "
        f"the score at {percent(float(score.mean[at]))}, {percent(abs(float(gap[at])))} {side} it.",
        (0.0, 1.0) if against == "fractile" else up_to(score.mean),
        up_to(score.mean, probability.mean),
        x_in_percent=True,
        y_in_percent=True,
    )
