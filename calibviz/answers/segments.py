"""Where is it worst? The segments of the samples whose scores are the furthest off, and how sure that is."""

from __future__ import annotations

import numpy as np
import xarray as xr

from .. import figures
from ..context.class_lenses import Pooled
from ..context.condition_parser import selection as read_selection
from ..decisions.segment_tests import FEWEST
from ..decisions.segments import LEVEL, segment_steps
from ..decisions.thresholds import MODEL, RECALIBRATED
from ..engine.scalar import ScalarProblem
from ..figures.markup import Markup
from ..figures.svg.small import strips
from ..figures.tables import Cell, Column, Place, Strip, Table
from ..foundation.written import counted, difference, interval, p_value, percent
from .asked.spec import OF_AFTER, OF_SAMPLES
from .content import Content, ShortAnswer
from .situation.job import Job, Steps
from .situation.noise import TO_COME
from .situation.of_classes import classes_of_selection
from .situation.paired_problems import paired_problems
from .situation.reading import reads, slow
from .situation.situation import Situation

LISTED, MOST_LISTED = 12, 40  # segments that are shown at once, and in a report with those that unfold
DRAWN = 4  # groups in the small picture of the card
AT_ONCE = 100_000  # entries of fields that are cut and looked through at once
ALPHA = 1 - LEVEL
OFF = "off beyond noise"
HINT = "Click a segment to keep it alone."
PREDICTED = "predicted == "  # how the selection of a class that is predicted begins
GROUP = Column("segment", "A value of a field, or a range that holds a part of the samples")
SAID = Column("predicted", "The mean score: what is predicted on average")
FOUND = Column("observed", "The share that is observed; below, its 95 % interval (Clopper and Pearson 1934)")
GAP = Column("gap", "Observed less predicted, in percentage points, with its interval; the mark is at no gap")
CHANCE = Column(
    "beyond noise",
    "Whether some of as many segments of calibrated scores is as unlikely in at most 5 of 100 cases (adjusted p; "
    "Westfall and Young 1993). These come first, the gap that is surely the largest before others. A segment is unlike "
    "the others where a curve that is fitted to all samples does not explain it",
)


@reads(*OF_SAMPLES, *OF_AFTER, "depth", "minimum")
def segments(look: Situation) -> Content:
    """The segments in order, the worst first: what was predicted and observed, and whether it is beyond noise."""
    if isinstance(look.lens, Pooled):
        return Content((), "All classes of a sample at once are no one score: choose a class, or the likeliest one.")
    if look.of_summary:
        return Content((), "A summary knows the sums of its samples, not their fields.")
    rows, spec = look.before.predictions[0], look.spec
    quick = len(rows) * max(1, len(rows.fields)) ** spec.depth <= AT_ONCE
    job = _searched(look, now="first" if quick else "")
    if job.value is None:
        return Content((), job.ended_early or "Looking at every segment …")
    table: xr.Dataset = job.value
    ended_early = job.ended_early  # a thread may change it

    shown = table.isel(segment=slice(MOST_LISTED))
    of_several = "This shows the first trial." if len(look.trials) > 1 else ""
    return Content(
        (_table(look, shown, _scores_after(look, shown)),),
        " ".join(filter(None, [_left_out(table), look.no_after, ended_early, of_several])),
        tuple(map(str, shown.selection.values)),
        answer(table, ended_early),
        (figures.segments_figure(table, LISTED),),
    )


def _searched(look: Situation, now: str = "", is_aside: bool = False) -> Job:
    return _search(look, label="segments", now=now, is_aside=is_aside)


@slow(*OF_SAMPLES, "depth", "minimum")
def _search(look: Situation) -> Steps:
    spec, side = look.spec, look.before
    return segment_steps(
        side.predictions[0],
        look.lens,
        side.selection,
        None,
        depth=spec.depth,
        minimum=spec.minimum,
        asked=spec.make_selection(),
    )


@reads(*OF_SAMPLES, "depth", "minimum", "panels")
def groups_beyond_chance(look: Situation) -> str:
    """How many segments are off beyond noise, in a few words without which the verdict on everything would mislead.

    Empty where the panel says it, and where no segment is known to be.
    """
    job = None if "segments" in look.spec.panels or _is_not_searched(look) else _searched(look, is_aside=True)
    if job is None or (table := job.value) is None:
        return ""
    return _standing_out(table)


def has_fields(look: Situation) -> bool:
    """Whether the samples have fields, or their predictions stand for one."""
    return bool(look.predictions.fields)


def _is_not_searched(look: Situation) -> bool:
    return isinstance(look.lens, Pooled) or bool(look.of_summary)


@reads(*OF_SAMPLES, "depth", "minimum")
def short_answer(look: Situation) -> ShortAnswer:
    """What is known by now of where it is worst, while the panel is closed; empty where nothing can be said."""
    if _is_not_searched(look):
        return ShortAnswer()
    job = _searched(look, is_aside=True)
    table, ended_early = job.value, job.ended_early  # a thread may change them
    if table is None:
        return ShortAnswer(ended_early or TO_COME)
    return ShortAnswer(answer(table, ended_early) or ended_early, _picture(table))


def answer(table: xr.Dataset, ended_early: str = "") -> str:
    """Which segment is shown to be off, in a sentence or two; where all samples are, which is unlike the others.

    A segment is named as wrong where its adjusted p is at most 0.05: of calibrated scores, at most one search in twenty
    names any.
    """
    n, minimum = table.sizes["segment"], table.attrs["minimum"]
    groups = (
        f"{n - 1:,} segments of at least {minimum:,} samples"
        if n != 2
        else f"1 segment of at least {minimum:,} samples"
    )
    if n == 1:
        return f"There is no segment of at least {minimum:,} samples to look at besides all of them."
    if np.isnan(table.p_adjusted.values).all():
        return "" if ended_early else "Drawing labels, to tell error from noise …"
    parts = table.isel(segment=np.flatnonzero(table.n_fields.values > 0))
    overall = _overall(table)
    if overall is None and "note" not in table.p_adjusted.attrs:
        shown = parts.isel(segment=np.flatnonzero(parts.p_adjusted.values <= ALPHA + 1e-12))
        if not shown.sizes["segment"]:
            return f"No segment is shown to be off: all {groups} are within the noise of as many."
        return _largest(shown, groups) + _worst_class(table, shown.isel(segment=0))
    unlike = _unlike(parts)
    count = unlike.sizes["segment"]
    first = "" if overall is None else f"All samples together are off: {_said(overall)}. "
    if not count:
        return f"{first}No segment is shown to be unlike the others, of {groups}."
    several = "1 segment is" if count == 1 else f"{count:,} segments are"
    start = "Beyond that, " if first else ""
    return f"{first}{start}{several} unlike the others, of {groups}. The largest: {_said_unlike(unlike)}."


def _overall(table: xr.Dataset) -> xr.Dataset | None:
    """The row of all samples, if these are shown to be off."""
    row = table.isel(segment=int(np.flatnonzero(table.n_fields.values == 0)[0]))
    return row if float(row.p_adjusted) <= ALPHA + 1e-12 else None


def _largest(shown: xr.Dataset, groups: str) -> str:
    """The first segment that is shown to be off, and how many there are."""
    row, count = shown.isel(segment=0), shown.sizes["segment"]
    errors = " In it, scores that are too high and scores that are too low cancel." * _cancels(row)
    of = f"It is the largest gap that is shown: {count:,} of" if count > 1 else "It alone is shown to be off, of"
    return f"{row.words.item()}: {_said(row)}.{_known_afterwards(row)}{errors} {of} {groups}."


def _unlike(parts: xr.Dataset) -> xr.Dataset:
    """The segments that are unlike the others, the one that is surely the furthest from the curve first."""
    unlike = parts.isel(segment=np.flatnonzero(parts.p_unlike.values <= ALPHA + 1e-12))
    far = np.maximum(unlike.lower.values - unlike.unlike_score.values, unlike.unlike_score.values - unlike.upper.values)
    return unlike.isel(segment=np.argsort(-np.maximum(far, 0.0), kind="stable"))


def _said_unlike(unlike: xr.Dataset) -> str:
    row = unlike.isel(segment=0)
    score, curve, target, low, high = (
        float(row[name]) for name in ("score", "unlike_score", "target", "lower", "upper")
    )
    return (
        f"{row.words.item()}: predicted {percent(score)}, by the curve of all samples {percent(curve)}, observed "
        f"{percent(target)} of {counted(float(row['count']))} (95 % interval {interval(low, high)})"
    )


def _known_afterwards(row: xr.Dataset) -> str:
    """A question where every sample of a segment, or none, is an event, though many of both were predicted."""
    expected, target = float(row.score * row["count"]), float(row.target)
    if target not in (0.0, 1.0) or expected * (1 - float(row.score)) < FEWEST:
        return ""
    name = str(row.segment.item()).partition(" = ")[0] if float(row.n_fields) == 1 else str(row.words.item())
    came = "No event" if target == 0 else "Nothing but events"
    return f" {came}, although {expected:,.0f} were predicted: is {name} known only afterwards?"


def _beyond_chance(table: xr.Dataset) -> tuple[xr.Dataset, xr.Dataset]:
    """What is beyond noise, and of this the segments, without all samples."""
    beyond = table.isel(segment=np.flatnonzero(table.p_adjusted.values <= ALPHA + 1e-12))
    return beyond, beyond.isel(segment=np.flatnonzero(beyond.n_fields.values > 0))


def _standing_out(table: xr.Dataset) -> str:
    """How many segments are off beyond noise, in a few words; empty where none is shown to be."""
    count = _beyond_chance(table)[1].sizes["segment"]
    return "" if not count else f"1 segment is {OFF}" if count == 1 else f"{count:,} segments are {OFF}"


def _worst_class(table: xr.Dataset, worst: xr.Dataset) -> str:
    """A sentence about the predicted class that is the furthest off; empty if that is the worst segment anyway."""
    of_class = (table.n_fields.values == 1) & np.char.startswith(table.selection.values.astype(str), PREDICTED)
    if not of_class.any() or str(worst.selection.item()).startswith(PREDICTED):
        return ""
    row = table.isel(segment=int(np.flatnonzero(of_class)[0]))
    chance = "" if float(row.p_adjusted) <= ALPHA + 1e-12 else ", within noise"
    name = str(row.segment.item()).partition(" = ")[2]
    return f" Of the classes that are predicted, {name} is the worst: {_said(row)}{chance}."


def _said(row: xr.Dataset) -> str:
    score, target, low, high, count = (float(row[name]) for name in ("score", "target", "lower", "upper", "count"))
    return (
        f"predicted {percent(score)}, observed {percent(target)} of {counted(count)} (95 % interval "
        f"{interval(low, high)})"
    )


def _cancels(row: xr.Dataset) -> bool:
    return bool(float(row.lower) <= float(row.score) <= float(row.upper))


def _left_out(table: xr.Dataset) -> str:
    small, minimum = table.attrs["too_small"], table.attrs["minimum"]
    n = table.sizes["segment"]
    said = [f"{n:,} in all, the worst first: all samples, and {counted(n - 1, 'segment')}." if n > LISTED else ""]
    if small:
        said.append(f"Too small to be looked at, with fewer than {minimum:,} samples: {_few(table)}.")
    return " ".join(filter(None, said))


def _few(table: xr.Dataset) -> str:
    """The first segments that are too small, and how many more there are."""
    small = table.attrs["too_small_words"]
    return ", ".join(small[:2]) + (f" and {len(small) - 2:,} more" if len(small) > 2 else "")


def _scores_after(look: Situation, shown: xr.Dataset) -> list[float] | None:
    """The mean score of each segment after recalibration, of the same samples; None where that is not to be had."""
    problems = paired_problems(look)
    if RECALIBRATED not in problems or len(problems[MODEL]) != len(look.before.problems[0]):
        return None
    after = problems[RECALIBRATED]
    assert look.after is not None
    names = tuple(map(str, shown.selection.values))
    return [_mean_of(look, after, text) for text in names]


def _mean_of(look: Situation, after: ScalarProblem, text: str) -> float:
    """The mean score of the samples that a selection keeps; which these are, the scores before say."""
    condition, before = read_selection(text), look.before.problems[0]
    output = np.full(len(look.predictions), np.nan)
    output[before.order] = before.score
    kept = np.ones(len(output), dtype=bool) if condition is None else condition.mask(look.predictions, output)
    mine = kept[after.order]
    return float(np.average(after.score[mine], weights=after.weight[mine]))


def _table(look: Situation, shown: xr.Dataset, after: list[float] | None) -> Table:
    columns = (GROUP, SAID, FOUND, GAP, *(() if after is None else (_after_column(look),)), CHANCE)
    ends = [shown.lower - shown.score, shown.upper - shown.score]
    if after is not None:
        ends += [shown.lower - after, shown.upper - after]
    reach = max((float(np.nanmax(np.abs(end.values))) for end in ends), default=0.0) or 1.0
    rows = []
    for i in range(shown.sizes["segment"]):
        row = shown.isel(segment=i)
        p = float(row.p_adjusted)
        beyond = p <= ALPHA + 1e-12
        gaps = [_gap(row, float(row.score), reach, beyond)]
        if after is not None:
            gaps.append(_gap(row, after[i], reach, None))
        rows.append(
            (
                Cell(
                    str(row.words.item()),
                    below=f"{float(row['count']):,.0f} samples",
                    why=str(row.segment.item()),
                ),
                Cell(percent(float(row.score)), numbers=(("predicted", float(row.score)),)),
                Cell(
                    percent(float(row.target)),
                    below=interval(float(row.lower), float(row.upper)),
                    numbers=(("observed", float(row.target)),),
                ),
                *gaps,
                _beyond(p, beyond, float(row.p_unlike)),
            )
        )
    alt = f"The {len(rows)} segments that are the furthest off, the worst first."
    names = look.predictions.class_names
    of_rows = [classes_of_selection(read_selection(str(text)), names) for text in shown.selection.values]
    columns_of_place = (shown[name].values.tolist() for name in ("score", "target", "lower", "upper"))
    places = tuple(Place(*each) for each in zip(*columns_of_place, of_rows, strict=True))
    return Table("segments", "", columns, tuple(rows), alt, clickable="rows", places=places, hint=HINT, at_once=LISTED)


def _after_column(look: Situation) -> Column:
    return Column(
        f"after {look.spec.calibrator}",
        "The gap of the same samples under the recalibrated scores; grey where the interval holds no gap",
    )


def _gap(row: xr.Dataset, score: float, reach: float, beyond: bool | None) -> Cell:
    """Observed less predicted; what is not known to be beyond noise is grey, as is a gap whose interval holds 0."""
    low, gap, high = (float(row[end]) - score for end in ("lower", "target", "upper"))
    strip = _strip(low, gap, high, reach, beyond)
    numbers = ("gap", gap), ("lower", low), ("upper", high)
    below = interval(low, high, signed=True)
    return Cell(difference(gap, "%"), below=below, faint=strip.hollow, strip=strip, numbers=numbers)


def _beyond(p: float, beyond: bool, unlike: float) -> Cell:
    """Whether a segment is off beyond noise, and whether unlike the others; to come, or never known, where p is nan."""
    if np.isnan(p):
        return Cell("…")
    is_unlike = unlike <= ALPHA + 1e-12
    tag = "; unlike the others" if is_unlike else "; as all samples" if beyond else ""
    numbers = ("p_adjusted", p), ("p_unlike", unlike)
    shown = beyond or is_unlike
    return Cell("yes" if beyond else "no", below=p_value(p, "p") + tag, faint=not shown, numbers=numbers)


def _strip(low: float, gap: float, high: float, reach: float, beyond: bool | None) -> Strip:
    """A gap with its interval, around no gap; `beyond` is None of what is recalibrated."""
    hollow = low <= 0 <= high if beyond is None else not beyond
    start, dot, end = (0.5 + 0.5 * min(1.0, max(-1.0, place / reach)) for place in (low, gap, high))
    return Strip(start, dot, end, hollow=hollow, of="after" if beyond is None else "stands" if beyond else "before")


def _picture(table: xr.Dataset) -> Markup:
    """The gaps of the first segments, as the panel shows them."""
    shown = table.isel(segment=np.flatnonzero(table.n_fields.values > 0)[:DRAWN])
    low, gap, high = (shown[end].values - shown.score.values for end in ("lower", "target", "upper"))
    reach = float(np.nanmax(np.abs([low, high]), initial=0.0)) or 1.0
    beyond = (shown.p_adjusted.values <= ALPHA + 1e-12).tolist()
    rows = zip(low.tolist(), gap.tolist(), high.tolist(), beyond, strict=True)
    return strips([_strip(start, at, end, reach, stands) for start, at, end, stands in rows])
