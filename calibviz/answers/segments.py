"""Where is it worst? The segments of the samples that are shown to be off, and how sure that is."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from .. import figures
from ..context.class_lenses import Pooled
from ..context.condition_parser import selection as read_selection
from ..decisions.flagged_segments import ALL_OFF, ALL_P, FITTED, ROUNDING, FlaggedSegment, flagged_segments
from ..decisions.segment_tests import FEWEST
from ..decisions.segments import LEVEL, segment_steps
from ..decisions.thresholds import MODEL, RECALIBRATED
from ..engine.scalar import ScalarProblem
from ..figures.markup import Markup
from ..figures.svg.small import strips
from ..figures.tables import Cell, Column, Place, Strip, Table
from ..foundation.written import counted, difference, interval, p_value, percent
from .asked.spec import OF_AFTER, OF_SAMPLES
from .content import Code, Content, ShortAnswer
from .situation.as_code import selected
from .situation.engine import Side
from .situation.job import Job, Steps
from .situation.noise import TO_COME
from .situation.of_classes import classes_of_selection
from .situation.paired_problems import paired_problems
from .situation.reading import reads, slow
from .situation.situation import Situation
from .tested import USUAL, Draws
from .verdicts import UNLIKE

LISTED, MOST_LISTED = 12, 40  # segments that are shown at once, and in a report with those that unfold
DRAWN = 4  # groups in the small picture of the card
AT_ONCE = 100_000  # entries of fields that are cut and looked through at once
ALPHA = 1 - LEVEL
HINT = "Click a segment to keep it alone."
GROUP = Column("segment", "A value of a field, or a range that holds a part of the samples")
SAID = Column("predicted", "The mean score: what is predicted on average")
FOUND = Column("observed", "The share that is observed; below, its 95 % interval (Clopper and Pearson 1934)")
GAP = Column("gap", "Observed less predicted, in percentage points, with its interval; the mark is at no gap")
CHANCE = Column(
    "beyond noise",
    "Whether some of as many segments of calibrated scores is as unlikely in at most 5 of 100 cases (adjusted p; "
    "Westfall and Young 1993). These come first, the gap that is surely the largest before others",
)
APART = Column(
    UNLIKE,
    "Whether a curve that is fitted to all samples does not explain the segment either (adjusted p, with the curve "
    "fitted anew to each draw). Where one segment is far off, others may be unlike the curve that it bends",
)


@reads(*OF_SAMPLES, *OF_AFTER, "depth", "minimum")
def segments(situation: Situation) -> Content:
    """The segments, those that are shown to be off first: what was predicted and observed, and whether it is noise."""
    if isinstance(situation.lens, Pooled):
        return Content((), "All classes of a sample at once are no one score: choose a class, or the likeliest one.")
    if situation.of_summary:
        return Content((), "A summary knows the sums of its samples, not their fields.")
    rows, spec = situation.before.predictions[0], situation.spec
    quick = len(rows) * max(1, len(rows.fields)) ** spec.depth <= AT_ONCE
    job = _searched(situation, now="first" if quick else "")
    if job.value is None:
        return Content((), job.ended_early or "Looking at every segment …")
    table: xr.Dataset = job.value
    ended_early = job.ended_early  # a thread may change it

    shown = table.isel(segment=slice(MOST_LISTED))
    of_several = "This shows the first trial." if len(situation.trials) > 1 else ""
    return Content(
        (_table(situation, table, shown, _scores_after(situation, shown)),),
        " ".join(filter(None, [_left_out(table), situation.no_after, ended_early, of_several])),
        tuple(map(str, shown.selection.values)),
        answer(table, ended_early),
        (figures.segments_figure(table, LISTED),),
    )


def searched(situation: Situation, side: Side, draws: Draws = USUAL, is_aside: bool = True) -> Job | None:
    """The search of the first trial, which gives the table of `segments`; None where nothing can be looked through."""
    if _is_not_searched(situation) or not situation.predictions.fields:
        return None
    return _search(situation, side, draws, label="segments", is_aside=is_aside)


def _searched(situation: Situation, now: str = "", is_aside: bool = False) -> Job:
    return _search(situation, situation.before, USUAL, label="segments", now=now, is_aside=is_aside)


@slow(*OF_SAMPLES, "depth", "minimum")
def _search(situation: Situation, side: Side, draws: Draws) -> Steps:
    spec = situation.spec
    for done, table in segment_steps(
        side.predictions[0],
        situation.lens,
        side.selection,
        None,
        depth=spec.depth,
        minimum=spec.minimum,
        calibrator=None if side.maps is None else side.maps[0],
        n=draws.number,
        seed=draws.rng,
        asked=spec.make_selection(),
    ):
        if side is not situation.before:  # rows that a calibrator has moved
            table.p_adjusted.attrs["note"] = FITTED
        yield done, table


def news_of(table: xr.Dataset) -> tuple[FlaggedSegment, ...]:
    """The segments that are shown to be off and say more than those before them."""
    return tuple(one for one in flagged_segments(table) if one.is_news)


def why_no_segments(situation: Situation) -> str:
    """A sentence that says why there are no segments; empty where the samples have fields."""
    return "" if situation.predictions.fields else "The samples have no fields, such as an age or a site."


def _is_not_searched(situation: Situation) -> bool:
    return isinstance(situation.lens, Pooled) or bool(situation.of_summary)


@reads(*OF_SAMPLES, "depth", "minimum")
def short_answer(situation: Situation) -> ShortAnswer:
    """The short answer to where it is worst, as far as it is known by now; empty where nothing can be said."""
    if _is_not_searched(situation):
        return ShortAnswer()
    job = _searched(situation, is_aside=True)
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
    groups = f"{counted(n - 1, 'segment')} of at least {minimum:,} samples"
    if n == 1:
        return f"There is no segment of at least {minimum:,} samples to look at besides all of them."
    if np.isnan(table.p_adjusted.values).all():
        return "" if ended_early else "Drawing labels, to tell error from noise …"
    shown, news, is_off = flagged_segments(table), news_of(table), table.attrs[ALL_OFF]
    same = _the_same(len(shown) - len(news))
    if not is_off and table.p_adjusted.attrs.get("note") != FITTED:
        if not shown:
            return f"No segment is shown to be off: all {groups} are within the noise of as many."
        errors = " In it, scores that are too high and scores that are too low cancel." * news[0].cancels
        largest = "It is the largest gap shown" if len(shown) > 1 else "It alone is shown to be off"
        more = f"; {_segments_are(len(news) - 1, ' more')} off" if len(news) > 1 else ""
        first = f"{news[0].words}: {_said_of(news[0])}.{_known_afterwards(news[0])}{errors}"
        return f"{first} {largest}, of {groups}{more}{same}.{_largest_class(shown)}"
    first = f"All samples together are off: {_said(_all_samples(table))}. " if is_off else ""
    if not news:
        return f"{first}No segment is shown to be {UNLIKE}, of {groups}."
    start = "Beyond that, " if first else ""
    one = news[0]
    found = f"{_segments_are(len(news))} {UNLIKE}, of {groups}{same}: {one.words}: {_said_of(one)}."
    return f"{first}{start}{found}{_known_afterwards(one)}"


def _segments_are(count: int, more: str = "") -> str:
    return f"1{more} segment is" if count == 1 else f"{count:,}{more} segments are"


def _the_same(count: int) -> str:
    """How many segments are shown to be off because of those that they share samples with."""
    return f"; {count:,} more hold{'s' * (count == 1)} mostly the same samples" if count else ""


def _all_samples(table: xr.Dataset) -> xr.Dataset:
    return table.isel(segment=int(np.flatnonzero(table.n_fields.values == 0)[0]))


def _said_of(one: FlaggedSegment) -> str:
    """Words for the predicted and observed shares of a segment, and for what the curve of all samples predicts."""
    curve = "" if one.by_curve is None else f"by the curve of all samples {percent(one.by_curve)}, "
    return (
        f"predicted {percent(one.predicted)}, {curve}observed {percent(one.observed)} of {counted(one.count)} "
        f"(95 % interval {interval(one.lower, one.upper)})"
    )


def _overlap(one: FlaggedSegment) -> str:
    """How many of its samples a segment shares with one above it, and what is true of the others."""
    if one.rest is None:
        return f"all of them are in {one.shared_with}"
    rest = one.rest
    beyond = "beyond noise" if rest.is_beyond else "within noise"
    return (
        f"{one.shared:,.0f} of these {one.count:,.0f} are in {one.shared_with}. The other {rest.count:,.0f}: predicted "
        f"{percent(rest.predicted)}, observed {percent(rest.observed)} ({interval(rest.lower, rest.upper)}), {beyond}"
    )


def _known_afterwards(one: FlaggedSegment) -> str:
    """A question where every sample of a segment, or none, is an event, though many of both were predicted."""
    expected = one.predicted * one.count
    if one.observed not in (0.0, 1.0) or expected * (1 - one.predicted) < FEWEST:
        return ""
    name = one.words if one.value is None else one.value.subject.argument or one.value.subject.kind
    came = "No event" if one.observed == 0 else "Nothing but events"
    return f" {came}, although {expected:,.0f} were predicted: is {name} known only afterwards?"


def _largest_class(shown: tuple[FlaggedSegment, ...]) -> str:
    """A sentence about the predicted class that is shown to be off the furthest, unless it is the first segment."""
    of_class = [(one, one.value) for one in shown if one.value is not None and one.value.subject.kind == "predicted"]
    if not of_class or of_class[0][0] is shown[0]:
        return ""
    one, condition = of_class[0]
    return f" Of the classes that are predicted, the largest gap shown is that of {condition.value}: {_said_of(one)}."


def _said(row: xr.Dataset) -> str:
    score, target, low, high, count = (float(row[name]) for name in ("score", "target", "lower", "upper", "count"))
    return (
        f"predicted {percent(score)}, observed {percent(target)} of {counted(count)} (95 % interval "
        f"{interval(low, high)})"
    )


def _left_out(table: xr.Dataset) -> str:
    small, minimum = table.attrs["too_small"], table.attrs["minimum"]
    n = table.sizes["segment"]
    said = [
        f"{n:,} in all, those that are shown to be off first: all samples, and {counted(n - 1, 'segment')}."
        if n > LISTED
        else ""
    ]
    if small:
        said.append(f"Too small to be looked at, with fewer than {minimum:,} samples: {_few(table)}.")
    skipped = [f"{name} ({reason})" for name, reason in table.attrs["skipped_fields"].items()]
    if skipped:
        said.append(f"Fields that are left out: {'; '.join(skipped)}.")
    return " ".join(filter(None, said))


def _few(table: xr.Dataset) -> str:
    """The first segments that are too small, and how many more there are."""
    small = table.attrs["too_small_words"]
    return ", ".join(small[:2]) + (f" and {len(small) - 2:,} more" if len(small) > 2 else "")


def _scores_after(situation: Situation, shown: xr.Dataset) -> list[float] | None:
    """The mean score of each segment after recalibration, of the same samples; None where that is not to be had."""
    problems = paired_problems(situation)
    if RECALIBRATED not in problems or len(problems[MODEL]) != len(situation.before.problems[0]):
        return None
    after = problems[RECALIBRATED]
    assert situation.after is not None
    names = tuple(map(str, shown.selection.values))
    return [_mean_of(situation, after, text) for text in names]


def _mean_of(situation: Situation, after: ScalarProblem, text: str) -> float:
    """The mean score of the samples that a selection keeps; which these are, the scores before say."""
    condition, before = read_selection(text), situation.before.problems[0]
    output = np.full(len(situation.predictions), np.nan)
    output[before.order] = before.score
    kept = np.ones(len(output), dtype=bool) if condition is None else condition.mask(situation.predictions, output)
    mine = kept[after.order]
    return float(np.average(after.score[mine], weights=after.weight[mine]))


def _table(situation: Situation, table: xr.Dataset, shown: xr.Dataset, after: list[float] | None) -> Table:
    columns = (GROUP, SAID, FOUND, GAP, *(() if after is None else (_after_column(situation),)), CHANCE, APART)
    ends = [shown.lower - shown.score, shown.upper - shown.score]
    if after is not None:
        ends += [shown.lower - after, shown.upper - after]
    reach = max((float(np.nanmax(np.abs(end.values))) for end in ends), default=0.0) or 1.0
    rows, shared = [], _overlaps(table)
    for i in range(shown.sizes["segment"]):
        row = shown.isel(segment=i)
        is_all = int(row.n_fields) == 0
        p = float(table.attrs[ALL_P] if is_all else row.p_adjusted)  # all samples have a test of their own
        beyond = bool(_rejects(p))
        gaps = [_gap(row, float(row.score), reach, beyond)]
        if after is not None:
            gaps.append(_gap(row, after[i], reach, None))
        rows.append(
            (
                Cell(
                    str(row.words.item()),
                    below=f"{float(row['count']):,.0f} samples{shared.get(str(row.segment.item()), '')}",
                    why=str(row.segment.item()),
                ),
                Cell(percent(float(row.score)), numbers=(("predicted", float(row.score)),)),
                Cell(
                    percent(float(row.target)),
                    below=interval(float(row.lower), float(row.upper)),
                    numbers=(("observed", float(row.target)),),
                ),
                *gaps,
                _is_shown("p_adjusted", p, "…", table.attrs["n"]),
                _is_shown(
                    "p_unlike",
                    np.nan if is_all else float(row.p_unlike),
                    "…" if np.isnan(p) and not is_all else "–",
                    table.attrs["n"],
                ),
            )
        )
    alt = f"{len(rows)} segments: those that are shown to be off first, then the others by what their noise leaves."
    names = situation.predictions.class_names
    of_rows = [classes_of_selection(read_selection(str(text)), names) for text in shown.selection.values]
    columns_of_place = (shown[name].values.tolist() for name in ("score", "target", "lower", "upper"))
    places = tuple(Place(*each) for each in zip(*columns_of_place, of_rows, strict=True))
    return Table("segments", "", columns, tuple(rows), alt, clickable="rows", places=places, hint=HINT, at_once=LISTED)


def _overlaps(table: xr.Dataset) -> dict[str, str]:
    """Clauses for the segments that share most of their samples with one before them, by segment."""
    return {one.segment: f"; {_overlap(one)}" for one in flagged_segments(table) if one.shared_with}


def _after_column(situation: Situation) -> Column:
    return Column(
        f"after {situation.spec.calibrator}",
        "The gap of the same samples under the recalibrated scores; grey where the interval holds no gap",
    )


def _gap(row: xr.Dataset, score: float, reach: float, beyond: bool | None) -> Cell:
    """Observed less predicted; what is not known to be beyond noise is grey, as is a gap whose interval holds 0."""
    low, gap, high = (float(row[end]) - score for end in ("lower", "target", "upper"))
    strip = _strip(low, gap, high, reach, beyond)
    numbers = ("gap", gap), ("lower", low), ("upper", high)
    below = interval(low, high, signed=True)
    return Cell(difference(gap, "%"), below=below, faint=strip.hollow, strip=strip, numbers=numbers)


def _rejects(p: ArrayLike) -> NDArray[np.bool_]:
    """Whether tests reject at 5 %, but for rounding."""
    return np.asarray(p) <= ALPHA + ROUNDING


def _is_shown(name: str, p: float, unknown: str, draws: int) -> Cell:
    """Whether a test rejects, with its p-value; where that is to come, or never known, what says so."""
    if np.isnan(p):
        return Cell(unknown)
    is_shown = bool(_rejects(p))
    return Cell("yes" if is_shown else "no", below=p_value(p, "p", draws), faint=not is_shown, numbers=((name, p),))


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
    beyond = _rejects(shown.p_adjusted.values).tolist()
    rows = zip(low.tolist(), gap.tolist(), high.tolist(), beyond, strict=True)
    return strips([_strip(start, at, end, reach, stands) for start, at, end, stands in rows])


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the segments."""
    if _is_not_searched(situation):
        return Code()
    of = f"{selected(situation)}, depth={situation.spec.depth}, minimum={situation.spec.minimum}"
    columns = ["words", "count", "score", "target", "gap", "lower", "upper", "p_adjusted", "p_unlike"]
    shown = f"print(segments.to_dataframe()[{columns!r}].to_string(index=False))"
    return Code(("", f"segments = cv.segments(predictions, {of})", shown))
