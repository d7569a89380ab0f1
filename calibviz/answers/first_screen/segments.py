"""Where is it worst? The segments of the samples that are shown to be off, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import xarray as xr

from ...context.class_lenses import Pooled
from ...context.condition_parser import selection as read_selection
from ...data.nouns import Nouns
from ...decisions.by_segment.flagged_segments import ALL_OFF, FITTED, FlaggedSegment, flagged_segments
from ...decisions.by_segment.segment_request import SegmentRequest, fields_of
from ...decisions.by_segment.segment_tests import FEWEST
from ...decisions.by_segment.segments import CUTS, FEWEST_CLUSTERS, LEVEL, TooFew, segment_steps
from ...engine.scalar import ScalarProblem
from ...figures.markup import Markup
from ...figures.pictures.segments import UNLIKE, segments_table
from ...figures.segment_names import CLASS, name_of
from ...figures.svg.cards import hundred
from ...figures.tables import Place, Table
from ...foundation.marked import off, strong
from ...foundation.written import chosen_percent, counted, of_hundred, spaced, whole_points
from ...uncertainty.joint_test import JointTest
from ..asked.selection_edits import classes_of_selection
from ..asked.spec import OF_SAMPLES, OF_SCORES
from ..situation.as_code import selected
from ..situation.content import Code, Content, ShortAnswer
from ..situation.engine import Side
from ..situation.job import Job, Steps
from ..situation.reading import reads, slow
from ..situation.situation import Situation
from .tested import USUAL, Draws, is_of_gaps, tested
from .verdict_sentences import SEARCHING, in_which_parts, is_mean_off, more_segments

MOST_LISTED = 100  # segments, with those that are searched or unfold
AT_ONCE = 100_000  # entries of fields that are cut and looked through at once
ALPHA = 1 - LEVEL
LOOK, AGAINST, LIST = range(3)  # the buttons of a row
SEARCH = "find a field or a value: {}"
IN_SHORT = 5  # segments of the shortest table
NAMED = 3  # fields that the search names
NOT_SEARCHED = "Segments were not looked at: {}."
NO_FIELDS = "samples have no fields, such as an age or a site"
OF_SUMMARY = "A summary knows the sums of its samples, not their fields."
OF_SEARCH = ("depth", "minimum")  # the choices that decide which segments are looked at


@reads(*OF_SAMPLES, *OF_SEARCH)
def segments(situation: Situation) -> Content:
    """The segments, those that are shown to be off first: what was predicted and observed, and whether it is noise."""
    if isinstance(situation.lens, Pooled):
        return Content((), "All classes of a sample at once are no one score: choose a class, or the likeliest one.")
    if situation.of_summary:
        return Content((), OF_SUMMARY)
    rows, spec = situation.before.predictions[0], situation.spec
    quick = len(rows) * max(1, len(rows.fields)) ** spec.depth <= AT_ONCE
    job = _searched(situation, now="first" if quick else "")
    said = _answer(situation, job)
    table: xr.Dataset | None = job.value
    if table is None:
        return Content((), said)
    ended_early = job.ended_early  # a thread may change it

    nouns = situation.nouns
    drawn = _table(situation, table)
    notes = [_left_out(table, nouns), ended_early, situation.of_first_trial]
    return Content(
        (drawn,) if drawn.rows else (),
        " ".join(filter(None, notes)),
        tuple(row[0].why for row in drawn.rows),
        said,
    )


@reads(*OF_SAMPLES, *OF_SEARCH)
def worst_in_short(situation: Situation) -> Table | None:
    """The first rows of the table of segments, with the interval of what is observed; None where there is no table."""
    whole = next((record for record in segments(situation).records if isinstance(record, Table)), None)
    if whole is None:
        return None
    name, _gap, predicted, observed, count, _unlike = whole.columns
    rows = tuple(
        (heading, many, mean, replace(share, aside=f"({share.why})"))
        for heading, _, mean, share, many, _ in whole.rows[:IN_SHORT]
    )
    level = chosen_percent(LEVEL)
    note = f"Of 100. In brackets: {level} interval of this segment alone."
    columns = (name, count, predicted, observed)
    return Table("segments in short", "Segments", columns, rows, whole.alt, note)


def searched(situation: Situation, side: Side, draws: Draws = USUAL, is_aside: bool = True) -> Job | None:
    """The search of the first trial, which gives the table of `segments`; None where nothing can be looked through."""
    return _search(situation, side, draws, label="segments", is_aside=is_aside) if can_search(situation) else None


def can_search(situation: Situation) -> bool:
    """Whether there is anything to look through."""
    return not _is_not_searched(situation) and bool(fields_of(situation.predictions, situation.lens))


def _searched(situation: Situation, now: str = "", is_aside: bool = False) -> Job:
    return _search(situation, situation.before, USUAL, label="segments", now=now, is_aside=is_aside)


@slow(*OF_SCORES, *OF_SEARCH)
def _search(situation: Situation, side: Side, draws: Draws) -> Steps:
    spec = situation.spec
    chosen = situation.lens, side.selection, None, None if side.maps is None else side.maps[0]
    request = SegmentRequest.of(*chosen, None, CUTS, spec.depth, spec.minimum)
    n, asked = draws.number(spec.effort), spec.chosen_selection
    steps = segment_steps(side.predictions[0], request, n=n, seed=draws.rng, asked=asked)
    try:
        for done, table in steps:
            if side is not situation.before:  # rows that a calibrator has moved
                table.p_adjusted.attrs["note"] = FITTED
            yield done, table
            if table.sizes["segment"] == 1:  # all samples, which `tested` judges
                return
    except TooFew:  # then there is no table, and `why_not_searched` says so
        return


def is_judged(search: Job) -> bool:
    """Whether segments are tested against noise by now."""
    return search.done and search.value is not None and not np.isnan(search.value.p_adjusted.values).all()


def why_not_searched(situation: Situation, search: Job) -> str:
    """A sentence that says why no segment was looked at; empty where some were, or that is to come."""
    table = search.value
    if search.done and not search.ended_early:
        is_any = table is not None and table.sizes["segment"] > 1
        few = f"none has {situation.spec.minimum:,} {situation.nouns.many} or more"
        names = fields_of(situation.predictions, situation.lens)
        if not names:
            few = f"the {NO_FIELDS}"
        elif table is not None and table.attrs["skipped_fields"].keys() >= set(names):
            few = "no field is left that tells them"
        elif table is not None and not table.attrs["too_small"]:
            few = f"no field tells these {situation.nouns.many} apart"
        if table is not None and table.attrs["too_few_clusters"]:
            few = f"none lies in {FEWEST_CLUSTERS} clusters or more, of which enough hold an event"
        return "" if is_any else NOT_SEARCHED.format(few)
    if is_judged(search) or not search.ended_early:
        return ""
    return NOT_SEARCHED.format("cancelled" if search.cancelled else search.failed.rstrip("."))


def news_of(table: xr.Dataset | None) -> tuple[FlaggedSegment, ...]:
    """The segments that are shown to be off and say more than those before them; none before anything is known."""
    if table is None or np.isnan(table.p_adjusted).all():
        return ()
    return tuple(one for one in flagged_segments(table) if one.is_news)


@reads(*OF_SAMPLES, *OF_SEARCH)
def worst_segment(situation: Situation) -> FlaggedSegment | None:
    """The segment that pictures and tables show beside all samples: the first that the verdict names.

    None where there is none, or its gap is not beyond noise.
    """
    if not is_of_gaps(tested(situation, situation.before).value):
        return None
    search = searched(situation, situation.before, is_aside=False)
    first = next(iter(news_of(None if search is None else search.value)), None)
    return first if first is not None and first.is_beyond else None


def problem_of(situation: Situation, side: Side, text: str) -> ScalarProblem:
    """The scores and targets of a side, of the samples that a selection keeps by the scores before."""
    condition, before, (problem, *_) = read_selection(text), situation.before.problems[0], side.problems
    if condition is None:
        return problem
    output = np.full(len(situation.predictions), np.nan)
    output[before.order] = before.score
    return problem.subset(condition.mask(situation.predictions, output)[problem.order])


def why_no_segments(situation: Situation) -> str:
    """A sentence that says why there are no segments; empty where the samples have fields, or predicted classes."""
    if situation.of_summary:
        return OF_SUMMARY
    if isinstance(situation.lens, Pooled) or fields_of(situation.predictions, situation.lens):
        return ""
    return f"The {NO_FIELDS}."


def _is_not_searched(situation: Situation) -> bool:
    return isinstance(situation.lens, Pooled) or bool(situation.of_summary)


@reads(*OF_SAMPLES, *OF_SEARCH)
def short_answer(situation: Situation) -> ShortAnswer:
    """The short answer to where it is worst, as far as it is known by now; empty where nothing can be said."""
    if _is_not_searched(situation):
        return ShortAnswer()
    job = _searched(situation, is_aside=True)
    table = job.value if is_judged(job) else None
    first = next(iter(news_of(table)), None)
    if first is None or first.may_be_right:
        return ShortAnswer(_answer(situation, job))
    place = Place(first.predicted, first.observed, first.lower, first.upper)
    return ShortAnswer(_answer(situation, job), _picture(first), place)


def _answer(situation: Situation, search: Job) -> str:
    """The answer as far as it is known by now, or why there is none."""
    if said := why_not_searched(situation, search):
        return said
    if not is_judged(search):
        return SEARCHING
    test = tested(situation, situation.before).value if search.value.attrs[ALL_OFF] else None
    return answer(search.value, situation.nouns, test if isinstance(test, JointTest) else None)


def answer(table: xr.Dataset, nouns: Nouns, test: JointTest | None = None) -> str:
    """Which segment is shown to be off, in marked sentences; where all samples are, which is unlike the others.

    A segment is named as wrong where its adjusted p is at most 0.05: of calibrated scores, at most one search in twenty
    names any. Whether the mean of all samples is off is said by their test, as in the verdict.
    """
    n = table.sizes["segment"]
    shown, news, is_off = flagged_segments(table), news_of(table), table.attrs[ALL_OFF]
    looked_at = f"({n - 1:,} looked at)"
    if not is_off and table.p_adjusted.attrs.get("note") != FITTED:
        if not shown:
            return f"No segment is off beyond noise {looked_at}."
        said = [_first(news[0], n - 1), *_others(shown, news, nouns, "off"), _largest_class(shown, nouns)]
        return " ".join(filter(None, said))
    said = [_whole_off(table, nouns, test)] if is_off else []
    if not news:
        return " ".join([*said, f"No segment is shown to be {UNLIKE} {looked_at}."])
    said += [_unlike(news[0], nouns, bool(is_off)), *_others(shown, news, nouns, UNLIKE)]
    return " ".join(filter(None, said))


def _first(one: FlaggedSegment, looked_at: int) -> str:
    """The sentences on the largest gap that is shown: what was predicted and observed, and how large it surely is."""
    name, after = name_of(one), f"after looking at {counted(looked_at, 'segment')}"
    predicted, observed = of_hundred(one.predicted, one.observed, are_apart=True)
    if one.cancels:
        means = f"predicted {predicted}, observed {observed} of 100, where gaps of either sign cancel"
        return f"{strong(name.heading)} is off in parts: {means}, {after}.{_known_afterwards(one)}"
    direction = "low" if one.observed > one.predicted else "high"
    surely = math.floor(100 * one.surely)
    least = f"at least {whole_points(surely / 100)} too {direction}" if surely else f"too {direction}"
    found = off(observed) if one.is_beyond else observed
    said = f"{name.begins(True)} predicted {predicted}, observed {found} of 100. That is {least}, {after}."
    return f"{said}{_known_afterwards(one)}"


def _unlike(one: FlaggedSegment, nouns: Nouns, is_beyond: bool) -> str:
    """The sentence on a segment that all samples together do not explain."""
    name = name_of(one)
    shares = (one.predicted, one.observed) if one.by_curve is None else (one.predicted, one.by_curve, one.observed)
    predicted, *curve, observed = of_hundred(*shares, are_apart=True)
    by_curve = f", by the curve of {nouns.whole} {curve[0]}" if curve else ""
    start = name.begins(True)
    if is_beyond:
        start = f"Beyond that, {name.begins(True, is_inside=True)}"
    marked = off(observed) if one.is_beyond else observed
    unlike = f" It is {UNLIKE}." if not is_beyond or one.may_be_right else ""
    return f"{start} predicted {predicted}{by_curve}, observed {marked} of 100.{unlike}{_known_afterwards(one)}"


def _others(
    shown: tuple[FlaggedSegment, ...], news: tuple[FlaggedSegment, ...], nouns: Nouns, what: str
) -> Iterator[str]:
    """Sentences on the other segments: how many are news, and how many hold mostly the same samples as one above."""
    if more := more_segments(news[1:], what):
        yield f"{more}."
    same = [one for one in shown if not one.is_news]
    if len(same) == 1:
        which = "The next one" if shown[1] is same[0] else "One more"
        yield f"{which}, {name_of(same[0]).sentence}, is mostly the same {nouns.many}."
    elif same:
        yield f"{len(same):,} more are mostly the same {nouns.many}."


def _all_samples(table: xr.Dataset) -> xr.Dataset:
    return table.isel(segment=int(np.flatnonzero(table.n_fields.values == 0)[0]))


def _known_afterwards(one: FlaggedSegment) -> str:
    """A question where every sample of a segment, or none, is an event, though many of both were predicted."""
    expected = one.predicted * one.count
    if one.observed not in (0.0, 1.0) or expected * (1 - one.predicted) < FEWEST:
        return ""
    name = one.words if one.value is None else one.value.subject.argument or one.value.subject.kind
    came = "None was an event" if one.observed == 0 else "All were events"
    return (
        f" {came}, although {expected:,.0f} of these {one.count:,.0f} were predicted: is {name} known only afterwards?"
    )


def _largest_class(shown: tuple[FlaggedSegment, ...], nouns: Nouns) -> str:
    """A sentence about the predicted class that is shown to be off the furthest, unless it is the first segment."""
    of_class = [(one, one.value) for one in shown if one.value is not None and one.value.subject.kind == "predicted"]
    if not of_class or of_class[0][0] is shown[0]:
        return ""
    one, condition = of_class[0]
    predicted, observed = of_hundred(one.predicted, one.observed, are_apart=True)
    return (
        f"Of the classes that are predicted, the largest gap shown is that of {condition.value}: predicted "
        f"{predicted}, observed {off(observed) if one.is_beyond else observed} of 100 ({nouns.counted(one.count)})."
    )


def _whole_off(table: xr.Dataset, nouns: Nouns, test: JointTest | None) -> str:
    """The sentence on all samples together, which are off: where, and whether the mean is, their test says."""
    row, is_apart = _all_samples(table), test is not None and is_mean_off(test)
    predicted, observed = of_hundred(float(row.score), float(row.target), are_apart=is_apart)
    marked, where = off(observed) if is_apart else observed, "" if test is None else in_which_parts(test)
    are_off = f"{nouns.whole.capitalize()} together are off"
    return f"{are_off}: predicted {predicted}, observed {marked} of 100{where}."


def _left_out(table: xr.Dataset, nouns: Nouns) -> str:
    small, minimum = table.attrs["too_small"], table.attrs["minimum"]
    n = table.sizes["segment"] - 1
    said = [f"The first {MOST_LISTED} of {counted(n, 'segment')}, those that are shown to be off first."]
    said = said if n > MOST_LISTED else []
    if small:
        said.append(f"Too small to be looked at, with fewer than {minimum:,} {nouns.many}: {_few(table)}.")
    if few := len(table.attrs.get("too_few_clusters", {})):
        said.append(f"{counted(few, 'segment')} {'lies' if few == 1 else 'lie'} in too few clusters to be looked at.")
    skipped = [f"{name} ({reason})" for name, reason in table.attrs["skipped_fields"].items()]
    if skipped:
        said.append(f"Fields that are left out: {'; '.join(skipped)}.")
    return " ".join(said)


def _few(table: xr.Dataset) -> str:
    """The first segments that are too small, and how many more there are."""
    small = table.attrs["too_small_words"]
    return ", ".join(small[:2]) + (f" and {len(small) - 2:,} more" if len(small) > 2 else "")


def _table(situation: Situation, table: xr.Dataset) -> Table:
    """The table of the segments, where each row has a place in the reliability diagram, and can be searched for."""
    drawn = segments_table(table, MOST_LISTED, situation.nouns)
    shown = table.sel(segment=table.n_fields.values > 0).isel(segment=slice(MOST_LISTED))
    names = situation.predictions.class_names
    of_rows = [classes_of_selection(read_selection(str(text)), names) for text in shown.selection.values]
    columns = (shown[name].values.tolist() for name in ("score", "target", "lower", "upper"))
    places = tuple(Place(*each) for each in zip(*columns, of_rows, strict=True))
    own = situation.predictions.fields
    fields = [spaced(name) if name in own else CLASS for name in fields_of(situation.predictions, situation.lens)]
    search = SEARCH.format(", ".join(fields[:NAMED]) + (" …" if len(fields) > NAMED else ""))
    return replace(drawn, places=places, search=search)


def _picture(first: FlaggedSegment) -> Markup:
    """Hundred samples of the first segment that is shown to be off: as many as predicted, and as observed."""
    return hundred(*(math.floor(100 * share + 0.5) for share in (first.predicted, first.observed)))


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the segments."""
    if _is_not_searched(situation):
        return Code()
    of = f"{selected(situation)}, depth={situation.spec.depth}, minimum={situation.spec.minimum}"
    columns = ["words", "count", "score", "target", "gap", "lower", "upper", "p_adjusted", "p_unlike"]
    shown = f"print(segments.to_dataframe()[{columns!r}].to_string(index=False))"
    return Code(("", f"segments = cv.segments(predictions, {of})", shown))
