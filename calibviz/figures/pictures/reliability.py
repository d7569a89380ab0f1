"""Pictures of reliability: the diagram in bins, the flexible curve, and the histogram below them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.binnings.bins import Bins
from ...engine.chances import Chances
from ...engine.scalar import ScalarProblem, once
from ...engine.sorted_scores import cuts_at, segment_sums
from ...foundation.written import chosen_percent, counted, interval, percent, spread
from ...metrics.binless.corp import corp_of
from ...metrics.binless.smooth import smooth_curve
from ...metrics.clinical.flexible_curve import SMOOTHER, calibration_curve, indices_of
from ...metrics.clinical.penalised_curve import held_at_ends, penalised_curve
from ...metrics.followed import observed_km
from ...metrics.masses import repetitions
from ...uncertainty.intervals.bin_intervals import target_interval
from ...uncertainty.resampling.bootstrap import percentile_interval
from ...uncertainty.resampling.consistency import calibrated
from ..labels import placed
from ..records import OVERLAY_BANDS, OVERLAY_ROLES, Array, Figure, Hints, Label, Overlay, Role, Run, Series
from ..shapes import (
    acting,
    areas,
    bars as bars_series,
    diagonal,
    few_of,
    histogram,
    joined,
    known_only,
    nothing,
    over_trials,
    slots,
    up_to,
)
from ..styles import BLUE, GREEN_TEXT, STYLES, VERMILION_TEXT
from .decisions import MODELS
from .reliability_words import (
    FEW,
    HUNDREDS,
    HUNDREDS_WITH_SIGN,
    NO_SEGMENT,
    STRIP,
    STRIP_RANGE,
    Wording,
    axis_names,
    curve_series,
    hint_of,
    labels_of,
    strip_series,
)

HISTOGRAM_BINS = 40
KAPLAN_MEIER = "Kaplan-Meier"
PREDICTED, OBSERVED = "predicted (mean score)", "observed (mean target)"  # the plain word, then the term of the papers
NEAR = 0.05  # how far from a score samples are near it
FEWEST_FOR_CURVE = 30
LARGEST_DOT, SMALLEST_DOT = 330.0, 25.0  # square pixels
BANDS: tuple[Role, ...] = ("flexible band", "after band", *OVERLAY_BANDS)
SIDES: tuple[tuple[int, Literal["left", "right"]], ...] = ((-1, "left"), (1, "right"))
PLACES = 101
LEAST_SEEN = 0.03  # of the axis: a shorter dotted line is but a dot or two, which no legend explains
DRAWS, LEVEL, MOST_DRAWN = 199, 0.95, 20_000  # of the band of a calibrated model; of more rows there is none
SPAN = (0.0, 1.0)
#: The roles of bars, of dots, and of dots of few samples: of the model as it is, and of what is recalibrated.
DOTS: tuple[Role, Role, Role] = "interval", "bins", "few"
DOTS_AFTER: tuple[Role, Role, Role] = "interval after", "after", "few after"
NO_FOLLOW_UP = nothing("followed", "dots")
UNKNOWN = np.full((2, 1), np.nan)  # the places of what is not drawn


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
    wording: Wording | None = None,
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
            tuple(np.clip((target - deviation, target + deviation), *SPAN)),
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
    flexible_band, *flexible_lines = _draw_flexible(of_curves, wanted, wording)
    moved = next((overlay.problems[0] for overlay in overlays if overlay.is_recalibrated), None)
    if moved is not None:  # the band is that of the curve after it
        flexible_band = nothing("flexible band", "area")
    bands_over, curves_over, dots_over = _draw_overlays(overlays, wanted)
    hint = None if wording is None or len(problems) > 1 else hint_of(wording, problems[0], bins[0], own)
    name = model or ("bins" if named else "")
    dots = _draw_bins(name, of_dots, count, score, target, kept & ~few, near, hint)
    few_name = f"fewer than {FEW} samples" if named else ""
    few_dots = _draw_bins(few_name, of_few, count, score, target, few, near, hint)
    if before is not None:
        dots, dots_over[0] = nothing("bins", "dots"), dots
    everyone = UNKNOWN if behind is None else _average_bins(behind)[:2]
    calibrated_band, calibrated_line, calibrated_words = _draw_calibrated(problems, bins)
    no_skill, skill_words = _draw_no_skill(of_curves, wanted)
    worded: dict[str, Any] = {}
    x_label, y_label = PREDICTED, OBSERVED
    if wording is not None:
        x_label, y_label = axis_names(wording)
        worded = {
            "x_ticks": HUNDREDS_WITH_SIGN,
            "y_ticks": HUNDREDS,
            "y_range": STRIP_RANGE if categories else SPAN,
            "has_level_names": True,
            "shares_x": True,
            "labels": labels_of(
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
            strip_series(categories or {}) if wording else nothing("strip", "area"),
            *(NO_SEGMENT if wording is None or wording.segment is None else wording.segment.series),
            _draw_corp_curve(of_curves[0]) if "corp" in wanted else nothing("corp", "line"),
            _draw_smooth_curve(of_curves[0]) if "smooth" in wanted else nothing("smooth", "line"),
            *curves_over,
            *flexible_lines,
            *dots_over,
            dots,
            *_in_slots(few_dots, DOTS[2], DOTS_AFTER[2]),
            NO_FOLLOW_UP if problems[0].followed is None else _draw_followed(problems, bins, score),
            Series("selected bin" if marked.any() else "", "selected", "dots", score[marked], target[marked]),
            _draw_handles(draggable, categories or {}, wording),
            *acting(threshold, SPAN, is_named=named),
        ),
        f"Reliability diagram of {what}{_describe_trials(problems)}: {int(kept.sum())} bins with samples, "
        f"{_describe_means(problems)}, largest distance from the diagonal {percent(largest)}.{calibrated_words}"
        f"{skill_words}"
        + ("" if before is None else f" Before it: {_describe_means([before])}.")
        + "".join(f" {other.name}: {_describe_means(other.problems)}." for other in overlays if other.name)
        + "".join(
            f" Selected: the bin of predicted {percent(float(score[i]))}, observed {percent(float(target[i]))}."
            for i in np.flatnonzero(marked)
        ),
        score_at=np.array(SPAN),
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
    edges: Sequence[float], categories: Mapping[str, tuple[float, float]], wording: Wording | None
) -> Series:
    """The handles that a reader drags: on the axis, or on the strip of categories."""
    places = np.full(len(edges), 0.0 if wording is None else sum(STRIP) / 2)
    return Series("", "handle", "dots", np.asarray(edges, dtype=np.float64), places, _name_edges(edges, categories))


def _draw_calibrated(problems: Sequence[ScalarProblem], bins: Sequence[Bins]) -> tuple[Series, Series, str]:
    """Where a calibrated model is under a selection that looks at the truth: its band, its line, and a sentence.

    Several trials and very many samples have no band.
    """
    if any(problem.by_truth is None for problem in problems):
        return nothing("noise", "area"), nothing("limit", "line"), ""
    try:
        several = [Chances.of(problem) for problem in problems]
    except ValueError as why:
        return nothing("noise", "area"), nothing("limit", "line"), f" No line of a calibrated model: {why}."
    cut = [cuts for each, problem in zip(bins, problems, strict=True) if (cuts := each.edges(problem)) is not None]
    lines = [_expected_in(chances, *cuts) for chances, cuts in zip(several, cut, strict=True)]
    (score, target), ends = np.mean(lines, axis=0), UNKNOWN
    if len(problems) == 1 and len(several[0].rows) <= MOST_DRAWN:
        ends = _drawn_in(problems[0], *cut[0])
    shares = [
        np.average([c.hit, c.share * c.score], axis=1, weights=c.rows.weight)
        / np.average(c.share, weights=c.rows.weight)
        for c in several
    ]
    observed, predicted = np.mean(shares, axis=0)
    return (
        areas(
            f"{chosen_percent(LEVEL)} of calibrated models", "noise", [(score, *ends)] if ends is not UNKNOWN else []
        ),
        known_only("a calibrated model here", "limit", "line", score, target),
        f" The samples are selected by what is true: a calibrated model would show {percent(float(observed))} observed "
        f"where it predicts {percent(float(predicted))}.",
    )


def _expected_in(chances: Chances, edges: Array, side: Literal["left", "right"]) -> Array:
    """The mean score and the mean target, between edges, of what is selected of calibrated labels, shape (2, bins)."""
    cuts, weight = cuts_at(chances.rows.score, edges, side), chances.rows.weight
    share, score, hit = (
        segment_sums(weight * each, cuts) for each in (chances.share, chances.share * chances.score, chances.hit)
    )
    return np.stack([score, hit]) / np.where(share > 0, share, np.nan)


def _drawn_in(problem: ScalarProblem, edges: Array, side: Literal["left", "right"]) -> Array:
    """The ends, between edges, of the mean targets of what is selected of drawn labels, shape (2, bins)."""

    def make() -> Array:
        drawn = [null.between(edges, side) for null in calibrated(problem, DRAWS) if isinstance(null, ScalarProblem)]
        targets = np.array([target / np.where(weight > 0, weight, np.nan) for weight, _, target, _ in drawn])
        return percentile_interval(targets, LEVEL)

    return once(problem, ("drawn by truth", edges.tobytes(), side), make)


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
            curve = _flexible_of(other.problems, wanted)
            fitted.append(curve)
            in_bins.append((other.name, *(_dots_over(other) if other.bins else UNKNOWN)))
            lines.append(("" if other.bins else other.name, *(UNKNOWN if curve is None else curve[:2])))
        dots += slots(roles, "dots", in_bins, "overlays")
        curves += slots(roles, "line", lines, "overlays")
        bands += [_draw_band(role, curve) for role, curve in zip_longest(band_roles, fitted)]
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


def histogram_figure(
    problems: Sequence[ScalarProblem],
    what: str = "top-1",
    edges: Array | None = None,
    among: Sequence[ScalarProblem] | None = None,
    x_label: str = "predicted (score)",
    noun: str = "samples",
    worst: tuple[str, ScalarProblem] | None = None,
    after: tuple[str, Sequence[ScalarProblem]] | None = None,
) -> Figure:
    """How many samples have a score between edges, by default fortieths of the score range; the mean over trials.

    All samples are grey, and what is looked at of them stands in colour on it: the samples of a selection, or those of
    the segment that is off, which is given by its words and its problem. A green outline shows the scores after a
    calibrator, which is given by its name and its problems. The axis is that of `among`, of which the
    problems are a part, so it stays as it is while another part is selected.
    """
    if edges is None:
        edges = np.arange(HISTOGRAM_BINS + 1) / HISTOGRAM_BINS
    count, everything = (_counts_between(edges, some) for some in (problems, among or problems))
    moved = nothing("after histogram", "line")
    if after is not None:
        moved = histogram("", "after histogram", "line", edges, _counts_between(edges, after[1]))
    top, most = int(count.argmax()), float(max(everything.max(), moved.y.max(initial=1.0)))
    said = [Run(f"all {everything.sum():,.0f} {noun}")]
    if among is not None:
        said.append(Run(f"{count.sum():,.0f} of them selected", BLUE))
    elif worst is not None:
        said.append(Run(worst[0], VERMILION_TEXT))
    if after is not None:
        said.append(Run(f"after {after[0]}", GREEN_TEXT))
    has_two_more = len(said) > 2  # then a narrow picture has no room for the first
    if has_two_more:
        said[0] = replace(said[0], text=f"{said[0].text} · ", is_detail=True)
    after_first = 1 + has_two_more
    said[after_first:] = [replace(run, text=f" · {run.text}") for run in said[after_first:]]
    return Figure(
        "histogram",
        "",
        x_label,
        "",
        (
            histogram("", "everything", "area", edges, everything),
            nothing("histogram", "area") if among is None else histogram("", "histogram", "area", edges, count),
            nothing("worst histogram", "area")
            if worst is None or among is not None
            else histogram("", "worst histogram", "area", edges, _counts_between(edges, [worst[1]])),
            moved,
        ),
        f"Histogram of the scores of {what}{_describe_trials(problems)}: the fullest of {len(count)} intervals, from "
        f"{chosen_percent(edges[top])} to {chosen_percent(edges[top + 1])}, holds "
        f"{percent(float(count[top] / count.sum()))} of the samples.",
        x_in_percent=True,
        x_ticks=HUNDREDS_WITH_SIGN,
        y_range=(0.0, most),
        score_at=np.array(SPAN),
        y_ticks=((0.0, ""),),
        has_level_names=True,
        labels=(Label(0.5, most, (tuple(said),), "middle", 9.0),),
    )


def _counts_between(edges: Array, problems: Sequence[ScalarProblem]) -> Array:
    """The samples between edges, on average over the trials; weighted ones by their share of the weight."""
    return over_trials([problem.between(edges, "left")[0] / problem.total * problem.samples for problem in problems])[0]


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
    return np.isfinite(score) & (count < FEW)


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


class _CurveWithBand(NamedTuple):
    """A curve at some places, and the ends of its band."""

    x: Array
    y: Array
    lower: Array
    upper: Array


def has_flexible_curve(problems: Sequence[ScalarProblem]) -> bool:
    """Whether a flexible curve is drawn of these trials: of a single one that has enough samples."""
    return len(problems) == 1 and problems[0].samples >= FEWEST_FOR_CURVE


def _flexible_of(problems: Sequence[ScalarProblem], wanted: frozenset[str]) -> _CurveWithBand | None:
    """The flexible curve of a single trial, between its scores; None where there is none to draw."""
    if "flexible" not in wanted or not has_flexible_curve(problems):
        return None
    kept = problems[0].kept
    if "flexible with band" not in kept:
        kept["flexible with band"] = _flexible_with_band(problems[0])
    curve: _CurveWithBand | None = kept["flexible with band"]
    return curve


def _flexible_with_band(problem: ScalarProblem) -> _CurveWithBand:
    curve, score = penalised_curve(problem), problem.score
    places = np.linspace(score[0], score[-1], PLACES)  # beyond them it would be a guess
    band = held_at_ends(problem, places, curve.band(places, 0.95), 0.95)
    return _CurveWithBand(places, curve(places), *band)


def _draw_band(role: Role, curve: _CurveWithBand | None) -> Series:
    return nothing(role, "area") if curve is None else areas("", role, [(curve.x, curve.lower, curve.upper)])


def _draw_flexible(
    problems: Sequence[ScalarProblem], wanted: frozenset[str], wording: Wording | None
) -> tuple[Series, ...]:
    """The band of the flexible curve, the curve where enough samples lie near and where they do not, and its hints."""
    curve, hints = _flexible_of(problems, wanted), nothing("on the curve", "dots")
    if curve is None:
        return (
            nothing("flexible band", "area"),
            nothing("flexible", "line"),
            nothing("flexible where few", "line"),
            hints,
        )
    kept, key = problems[0].kept, ("series of flexible", wording)
    if key not in kept:  # they are the same in all bins
        lines = _lines_of_flexible(problems[0], curve, is_named=wording is None)
        in_words = hints if wording is None else curve_series(wording, *curve)
        kept[key] = _draw_band("flexible band", curve), *lines, in_words
    drawn: tuple[Series, ...] = kept[key]
    return drawn


def _lines_of_flexible(problem: ScalarProblem, curve: _CurveWithBand, is_named: bool) -> tuple[Series, Series]:
    upto = np.concatenate(([0.0], np.cumsum(repetitions(problem))))
    first, last = (np.searchsorted(problem.score, curve.x + by * (NEAR + 1e-12), side) for by, side in SIDES)
    few = upto[last] - upto[first] < FEW
    beside = few | np.roll(few, 1) | np.roll(few, -1)  # the two lines meet
    beside[[0, -1]] = few[[0, -1]] | few[[1, -2]]
    is_seen = np.ptp(curve.x) * np.mean(few) > LEAST_SEEN
    return (
        _draw_where(~few, curve, "smooth curve, 95 % band" if is_named else "", "flexible"),
        _draw_where(beside, curve, "few samples near" if is_seen else "", "flexible where few"),
    )


def _draw_where(shown: NDArray[np.bool_], curve: _CurveWithBand, name: str, role: Role) -> Series:
    """The parts of a curve that are shown, with nan between them, and not at the ends."""
    if not shown.any():
        return nothing(role, "line")
    first, last = np.flatnonzero(shown)[[0, -1]]
    part = slice(first, last + 1)
    x, y = (np.where(shown, values, np.nan)[part] for values in (curve.x, curve.y))
    return Series(name, role, "line", x, y)


def _draw_smooth_curve(problem: ScalarProblem) -> Series:
    score, target, _ = smooth_curve(problem)
    return known_only("smooth", "smooth", "line", score, target)


def _draw_corp_curve(problem: ScalarProblem) -> Series:
    """The isotonic fit, by the ends of its level sets, inside which it is constant."""
    fit = corp_of(problem)
    steps = np.flatnonzero(np.diff(fit.recalibrated))
    picked = few_of(np.unique(np.concatenate([steps, steps + 1, [len(fit.score) - 1]])))
    return Series("isotonic (CORP)", "corp", "line", fit.score[picked], fit.recalibrated[picked])


def _draw_no_skill(problems: Sequence[ScalarProblem], wanted: frozenset[str]) -> tuple[Series, str]:
    """The line half-way between score and mean target, beside the fit that the Brier score is split by, and a sentence.

    The Brier score of the mean m less that of a score s, (t - m)^2 - (t - s)^2, is 2 (s - m) (t - (s + m) / 2): 0 where
    the share of events among samples of a score lies on the line.
    There is none of several trials, of one outcome alone, and under a selection that looks at the truth.
    """
    mean = problems[0].mean_target
    if "corp" not in wanted or len(problems) > 1 or problems[0].by_truth is not None or not 0 < mean < 1:
        return nothing("level", "line"), ""
    ends = np.array(SPAN)
    words = f" The line of no Brier skill lies half-way between the diagonal and the mean observed, {percent(mean)}."
    return Series("no Brier skill", "level", "line", ends, (ends + mean) / 2), words


def _describe_trials(problems: Sequence[ScalarProblem]) -> str:
    return f", mean of {len(problems)} trials" if len(problems) > 1 else ""


def _describe_means(problems: Sequence[ScalarProblem]) -> str:
    score, target = [problem.mean_score for problem in problems], [problem.mean_target for problem in problems]
    return f"predicted {spread(score)}, observed {spread(target)}"


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
