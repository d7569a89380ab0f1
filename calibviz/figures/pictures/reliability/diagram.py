"""The reliability diagram: bins, curves, and what stands beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....engine.binnings.bins import Bins
from ....engine.scalar import ScalarProblem
from ....foundation.arrays import Array
from ....foundation.written import counted, interval, percent, spread
from ....metrics.binned import observed_km
from ....uncertainty.intervals.bin_intervals import target_interval
from ...labels import placed
from ...records import OVERLAY_BANDS, OVERLAY_ROLES, Figure, Hints, Overlay, Role, Series
from ...shapes import acting, bars as bars_series, diagonal, joined, known_only, nothing, over_trials, slots
from ...styles import STYLES
from . import words
from .calibrated import UNKNOWN, draw_calibrated
from .curves import draw_band, draw_corp_curve, draw_flexible, draw_no_skill, draw_smooth_curve, flexible_of
from .histogram import describe_trials

KAPLAN_MEIER = "Kaplan-Meier"
PREDICTED, OBSERVED = "predicted (mean score)", "observed (mean target)"  # the plain word, then the term of the papers
LARGEST_DOT, SMALLEST_DOT = 330.0, 25.0  # square pixels
BANDS: tuple[Role, ...] = ("flexible band", "after band", *OVERLAY_BANDS)
#: The roles of bars, of dots, and of dots of few samples: of the model as it is, and of what is recalibrated.
DOTS: tuple[Role, Role, Role] = "interval", "bins", "few"
DOTS_AFTER: tuple[Role, Role, Role] = "interval after", "after", "few after"
NO_FOLLOW_UP = nothing("followed", "dots")


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
    threshold: float | None = None,
    model: str = "",
    wording: words.Wording | None = None,
    behind: Sequence[Bins] | None = None,
    before: ScalarProblem | None = None,
) -> Figure:
    """Reliability diagram: mean target against mean score of each bin, as dots as large as their samples are many.

    Bins of fewer than 10 samples are hollow and have no bars. The flexible curve is dotted where fewer than 10 samples
    lie within 0.05, and left out of fewer than 30 samples. Under a selection that looks at the truth a calibrated model
    is not on the diagonal: a line shows where it is, with a band that holds 95 % of the labels drawn from its scores.
    At a horizon hollow diamonds show what is observed by the follow-up of all rows of a bin (`observed_km` of
    `reliability`), a check of the dots, of which the rows are weighted.

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
        The first recalibration of the model among them is green, as what is recalibrated is in every picture.
    curves : subset of {"flexible", "smooth", "corp"}
        Curves without bins, for the first trial; the flexible one has a 95 % band, and is not drawn of several trials.
        Beside "corp" of one trial stands the line on which the Brier skill is 0 (Hsu and Murphy 1986).
    current : int, optional
        The bin to mark.
    draggable : sequence of float
        The edges of categories that a reader can drag.
    threshold : float, optional
        The score from which on somebody acts, which a reader can drag too.
    model : str
        The name of the bins in the legend, beside those of `overlays`.
    wording : Wording, optional
        With it, words in the picture and on its axes say what is to be seen, in numbers of 100, and a strip below the
        plot shows the categories; the legend names only what these words do not.
    behind : sequence of Bins, optional
        All samples, of which the problems are a part: small grey marks.
    before : ScalarProblem, optional
        The scores before a calibrator, where the problem is that after it, and green: of these the curves alone are
        drawn. There are no overlays then.
    """
    of_curves = problems if before is None else (before,)
    of_bars, of_dots, of_few = DOTS if before is None else DOTS_AFTER
    if before is not None:
        overlays = (Overlay("", problems, bins, is_recalibrated=True),)
    score, target, deviation = _average_bins(bins)
    kept, named = np.isfinite(score), wording is None
    own = target_interval(bins[0], problems[0])
    if len(bins) > 1:
        bars_name, ends = (
            f"± std of {len(bins)} trials",
            tuple(np.clip((target - deviation, target + deviation), *words.SPAN)),
        )
    elif isinstance(bars, str):
        ends = (np.full(len(score), np.nan),) * 2
    else:
        ends = own if bars is None else bars
    squares = np.array(list((categories or {}).values())).reshape(-1, 2)
    corners_x, corners_y = joined(squares[:, [0, 1, 1, 0, 0]]), joined(squares[:, [0, 0, 1, 1, 0]])
    wanted = frozenset(curves)
    marked = kept & (np.arange(len(score)) == current)
    count = _samples_in(problems, bins)
    few = _too_few(score, count)
    near = bars_name, *ends
    ends = np.where(few, np.nan, ends[0]), np.where(few, np.nan, ends[1])
    largest = float(np.abs(score - target)[kept].max())
    flexible_band, *flexible_lines = draw_flexible(of_curves, wanted, wording)
    moved = next((overlay.problems[0] for overlay in overlays if overlay.is_recalibrated), None)
    if moved is not None:  # the band is that of the curve after it
        flexible_band = nothing("flexible band", "area")
    bands_over, curves_over, dots_over = _draw_overlays(overlays, wanted)
    hint = None if wording is None or len(problems) > 1 else words.hint_of(wording, problems[0], bins[0], own)
    name = model or ("bins" if named else "")
    dots = _draw_bins(name, of_dots, count, score, target, kept & ~few, near, hint)
    few_name = f"fewer than {words.FEW} samples" if named else ""
    few_dots = _draw_bins(few_name, of_few, count, score, target, few, near, hint)
    if before is not None:
        dots, dots_over[0] = nothing("bins", "dots"), dots
    everyone = UNKNOWN if behind is None else _average_bins(behind)[:2]
    calibrated_band, calibrated_line, calibrated_words = draw_calibrated(problems, bins)
    no_skill, skill_words = draw_no_skill(of_curves, wanted)
    worded: dict[str, Any] = {}
    x_label, y_label = PREDICTED, OBSERVED
    if wording is not None:
        x_label, y_label = words.axis_names(wording)
        worded = {
            "x_ticks": words.HUNDREDS_WITH_SIGN,
            "y_ticks": words.HUNDREDS,
            "y_range": words.STRIP_RANGE if categories else words.SPAN,
            "has_level_names": True,
            "shares_x": True,
            "labels": words.labels_of(
                wording, problems[0], bins[0], few, own, categories or {}, threshold is None, (of_curves[0], moved)
            )
            if len(problems) == 1
            else (),
        }
    drawn = Figure(
        "reliability",
        f"Predicted and observed: {what}" if named else "Predicted and observed",
        x_label,
        y_label,
        (
            Series("categories" if categories and named else "", "category", "area", corners_x, corners_y),
            calibrated_band,
            flexible_band,
            *bands_over,
            diagonal("perfect" if named else ""),
            no_skill,
            calibrated_line,
            *_in_slots(bars_series(bars_name if named else "", of_bars, score, *ends), DOTS[0], DOTS_AFTER[0]),
            known_only("", "everyone", "dots", *everyone),
            words.strip_series(categories or {}) if wording else nothing("strip", "area"),
            *(words.NO_SEGMENT if wording is None or wording.segment is None else wording.segment.series),
            draw_corp_curve(of_curves[0]) if "corp" in wanted else nothing("corp", "line"),
            draw_smooth_curve(of_curves[0]) if "smooth" in wanted else nothing("smooth", "line"),
            *curves_over,
            *flexible_lines,
            *dots_over,
            dots,
            *_in_slots(few_dots, DOTS[2], DOTS_AFTER[2]),
            NO_FOLLOW_UP if problems[0].followed is None else _draw_followed(problems, bins, score),
            Series("selected bin" if marked.any() else "", "selected", "dots", score[marked], target[marked]),
            _draw_handles(draggable, categories or {}, wording),
            *acting(threshold, words.SPAN, is_named=named),
        ),
        f"Reliability diagram of {what}{describe_trials(problems)}: {int(kept.sum())} bins with samples, "
        f"{_describe_means(problems)}, largest distance from the diagonal {percent(largest)}.{calibrated_words}"
        f"{skill_words}"
        + ("" if before is None else f" Before it: {_describe_means([before])}.")
        + "".join(f" {other.name}: {_describe_means(other.problems)}." for other in overlays if other.name)
        + "".join(
            f" Selected: the bin of predicted {percent(float(score[i]))}, observed {percent(float(target[i]))}."
            for i in np.flatnonzero(marked)
        ),
        score_at=np.array(words.SPAN),
        x_in_percent=True,
        y_in_percent=True,
        **worded,
    )
    return placed(drawn)


def _in_slots(series: Series, *roles: Role) -> Iterator[Series]:
    """The series in the place of its own role, and nothing in those of the others."""
    return (series if role == series.role else nothing(role, series.shape) for role in roles)


def _draw_followed(problems: Sequence[ScalarProblem], bins: Sequence[Bins], score: Array) -> Series:
    """Hollow marks of what the follow-up of all rows of each bin shows, where they are known."""
    observed = observed_km(problems[0], bins[0]) if len(problems) == 1 else None
    if observed is None:
        return NO_FOLLOW_UP
    known = np.isfinite(score) & np.isfinite(observed)
    hints = tuple(f"{KAPLAN_MEIER}: observed {percent(share)}" for share in observed[known].tolist())
    areas = (STYLES["followed"].size,) * len(hints)  # so that they stand above the dots, which have areas too
    return Series(KAPLAN_MEIER if hints else "", "followed", "dots", score[known], observed[known], hints, areas)


def _draw_handles(
    edges: Sequence[float], categories: Mapping[str, tuple[float, float]], wording: words.Wording | None
) -> Series:
    """The handles that a reader drags: on the axis, or on the strip of categories."""
    places = np.full(len(edges), 0.0 if wording is None else sum(words.STRIP) / 2)
    return Series("", "handle", "dots", np.asarray(edges, dtype=np.float64), places, _name_edges(edges, categories))


def _draw_overlays(
    overlays: Sequence[Overlay], wanted: frozenset[str]
) -> tuple[list[Series], list[Series], list[Series]]:
    """Draw what stands over the model: bands, curves and bins; its first recalibration looks like what is after."""
    recalibrated = [other for other in overlays if other.is_recalibrated][:1]
    others = [other for other in overlays if other not in recalibrated]
    bands: list[Series] = []
    curves: list[Series] = []
    dots: list[Series] = []
    sides: tuple[tuple[tuple[Role, ...], tuple[Role, ...], list[Overlay]], ...] = (
        (("after",), ("after band",), recalibrated),
        (OVERLAY_ROLES, OVERLAY_BANDS, others),
    )
    for roles, band_roles, shown in sides:
        in_bins, lines, fitted = [], [], []
        for other in shown:
            curve = flexible_of(other.problems, wanted)
            fitted.append(curve)
            in_bins.append((other.name, *(_dots_over(other) if other.bins else UNKNOWN)))
            lines.append(("" if other.bins else other.name, *(UNKNOWN if curve is None else curve[:2])))
        dots += slots(roles, "dots", in_bins, "overlays")
        curves += slots(roles, "line", lines, "overlays")
        bands += [draw_band(role, curve) for role, curve in zip_longest(band_roles, fitted)]
    return bands, curves, dots


def _dots_over(other: Overlay) -> tuple[Array, Array]:
    """The dots of an overlay; recalibrated ones have no hollow twin, so those of too few samples are left out."""
    score, target, _ = _average_bins(other.bins)
    few = few_samples(other.problems, other.bins) & other.is_recalibrated
    return np.where(few, np.nan, score), np.where(few, np.nan, target)


def _name_edges(edges: Iterable[float], categories: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """Return the meaning of each edge: "likely ends, certain begins"."""
    names = []
    for edge in edges:
        ends = [f"{name} ends" for name, (_, high) in categories.items() if high == edge]
        begins = [f"{name} begins" for name, (low, _) in categories.items() if low == edge]
        names.append(", ".join([*ends, *begins]))
    return tuple(names)


def _average_bins(bins: Sequence[Bins]) -> tuple[Array, Array, Array]:
    """Mean score and mean target of each bin, and the standard deviation of the target, over the trials."""
    target, deviation = over_trials([trial.target for trial in bins])
    return over_trials([trial.score for trial in bins])[0], target, deviation


def _samples_in(problems: Sequence[ScalarProblem], bins: Sequence[Bins]) -> Array:
    """The samples in each bin, on average over the trials."""
    return over_trials([trial.samples(problem) for trial, problem in zip(bins, problems, strict=True)])[0]


def few_samples(problems: Sequence[ScalarProblem], bins: Sequence[Bins]) -> NDArray[np.bool_]:
    """Return which bins hold samples, but too few to be judged: their dots are hollow."""
    return _too_few(_average_bins(bins)[0], _samples_in(problems, bins))


def _too_few(score: Array, count: Array) -> NDArray[np.bool_]:
    return np.isfinite(score) & (count < words.FEW)


def _draw_bins(
    name: str,
    role: Role,
    count: Array,
    score: Array,
    target: Array,
    kept: NDArray[np.bool_],
    near: tuple[str, Array, Array],
    in_words: Callable[[int], str] | None,
) -> Series:
    """Draw dots whose area is the number of samples, as far as the least can be seen; hints hold the bars too.

    `in_words` writes the hint of a bin, given its place among all.
    """
    area = np.maximum(LARGEST_DOT * count / max(1.0, float(np.nanmax(count))), SMALLEST_DOT)
    few = "; too few to judge" if role == "few" else ""
    n, predicted, observed = count[kept], score[kept], target[kept]
    bars, lower, upper = near[0], near[1][kept], near[2][kept]

    def hint(i: int) -> str:
        known = np.isfinite([lower[i], upper[i]]).all()
        wide = f"; {bars} {interval(float(lower[i]), float(upper[i]))}" if known else ""
        held = counted(n[i]) if n[i] else "part of a sample"  # a bin can hold a part of one with a large weight
        return f"{held}: predicted {percent(predicted[i])}, observed {percent(observed[i])}{wide}{few}"

    places = np.flatnonzero(kept).tolist()
    write = hint if in_words is None else lambda i: in_words(places[i])
    sizes = tuple(area[kept].tolist())
    return Series(name if len(n) else "", role, "dots", predicted, observed, Hints(len(n), write), sizes)


def _describe_means(problems: Sequence[ScalarProblem]) -> str:
    score, target = [problem.mean_score for problem in problems], [problem.mean_target for problem in problems]
    return f"predicted {spread(score)}, observed {spread(target)}"
