"""Calibrators beside each other: what each leaves of the overall error, and what it changes of the Brier score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from ...context.condition_parser import selection as read_selection
from ...context.induced import scalar_problem
from ...data.models import shared_clusters
from ...decisions.acting_draws import is_of_one_outcome
from ...decisions.by_segment.flagged_segments import FlaggedSegment
from ...figures.segment_names import name_of
from ...figures.tables import Cell, Column, Strip, Table
from ...foundation.validation import clause_of
from ...foundation.written import chosen_percent, interval, number, of_hundred, percent, with_minus
from ...metrics.scores import brier_score
from ...recalibration import ByField
from ...recalibration.registry import AS_IT_IS, called, fitted_by, noun_of, numbers_of, of_field
from ...recalibration.solvers.cross_validation import FOLDS
from ...uncertainty.intervals.brier_change import LEVEL, Interval, brier_change
from ..asked.spec import OF_AFTER, OF_SAMPLES, OF_SCORES, SAMPLES, Spec
from ..situation.engine import NothingKept, Side
from ..situation.job import Job, Steps
from ..situation.noise import TO_COME
from ..situation.reading import reads, slow
from ..situation.situation import Situation
from ..steps.compared import sides_of
from .segments import OF_SEARCH, news_of, problem_of, searched

OVERALL = "overall error (KS)"
NOT_THERE = "–"
HELPING, WITHIN = "yes", "within noise"
SIDES = "← better", "worse →"
STEPS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # of the Brier score between two ticks
MOST_TICKS, ROOM = 5, 0.06
LEAST_REACH = 0.002  # of the axis on either side of no change
USED, TRY = "in use", "try"
CALIBRATOR = Column("calibrator", "Below, what it fits")
NOT_SEEN = "on samples that the calibrator has not seen"
CHANGE = (
    f"The change of the Brier score (lower is better) {NOT_SEEN}, with its 90 % "
    "interval, each end at a level of 5 %; filled: it misses 0"
)
BRIER = Column("Brier score", f"Lower is better, {NOT_SEEN}")
HELPS = Column("does it help?", "Yes, or no, it harms, where all of the interval is below or above 0")


@reads(*OF_SAMPLES, *OF_AFTER, *OF_SEARCH, "calibrators", "samples")
def calibrator_table(situation: Situation) -> tuple[Table, tuple[str, ...]]:
    """The table of the model as it is and of the compared calibrators with the chosen one, and the name of each row.

    Where the samples of the fit are looked at, its numbers are of these: grey, and with no word on who helps.
    """
    sides = _compared(situation)
    worst, names = _worst(situation), tuple(sides)
    if situation.spec.samples == SAMPLES[0]:
        return _table(situation, sides, worst), names
    is_crossed, situation = situation.engine.calibration is None, situation.fitted
    try:
        sides = _sides_of(situation, names[1:], f"calibrators on their own {situation.nouns.many}")
    except NothingKept:
        return _table(situation, {name: "The selection keeps none of them." for name in names}, None), names
    return _unjudged(situation, _table(situation, sides, worst if is_crossed else None)), names


def _unjudged(situation: Situation, table: Table) -> Table:
    """The table of the samples that each calibrator was fitted to, so that nobody takes it for one that judges."""
    word = table.columns.index(HELPS)

    def grey(place: int, cell: Cell) -> Cell:
        if cell.look in ("button", "pressed"):
            return cell
        strip = None if cell.strip is None else replace(cell.strip, of="unjudged", hollow=True)
        said = "not judged" if place == word and cell.text else cell.text
        return replace(cell, text=said, faint=True, strip=strip, look="")

    rows = tuple((row[0], *(grey(place, cell) for place, cell in enumerate(row[1:], 1))) for row in table.rows)
    many = situation.nouns.many
    note = (
        f"These grey numbers are of the very {many} that each calibrator was fitted to, on which it looks better than "
        f"it is. They judge nothing: see those of {many} that it has not seen."
    )
    seen = "on the samples that it was fitted to"
    columns = tuple(replace(column, why=column.why.replace(NOT_SEEN, seen)) for column in table.columns)
    return replace(table, columns=columns, rows=rows, alt=f"{table.alt} {note}", note=note)


@reads(*OF_SAMPLES, *OF_AFTER, *OF_SEARCH, "calibrators")
def recommended(situation: Situation) -> tuple[str, ...]:
    """The names of the calibrators that help beyond noise, as far as that is known; that of fewest numbers first."""
    return tuple(name for name, (_, ends) in _known(situation).items() if word_of(ends) == HELPING)


def _known(situation: Situation) -> dict[str, tuple[Side, Interval]]:
    """The scores after each of the compared calibrators and the chosen one, and the change of the Brier score by it.

    In their order; those that are not judged on the samples that are shown are left out.
    """
    return {
        name: (side, ends)
        for name, side in _compared(situation, True).items()
        if name != AS_IT_IS and isinstance(side, Side) and (ends := change_of_brier(situation, side)) is not None
    }


def why_none_known(situation: Situation) -> str | None:
    """Why no compared calibrator can be judged: a sentence, or empty; None where one is, or where that is to come."""
    reasons = [side for side in _compared(situation, True).values() if isinstance(side, str)]
    if TO_COME in reasons or _known(situation):
        return None
    return f"{reasons[0][:1].upper()}{reasons[0][1:].removesuffix('.')}." if reasons else ""


def _compared(situation: Situation, is_aside: bool = False) -> dict[str, Side | str]:
    """The model as it is, and after the compared calibrators and the chosen one, in their order."""
    spec = situation.spec
    chosen = (spec.calibrator,) if spec.is_recalibrated else ()
    names = tuple(dict.fromkeys((*spec.calibrators, *chosen, *_by_fields_of_segments(situation))))
    return _in_order(situation, _sides_of(situation, names, "calibrators", is_aside))


def _sides_of(situation: Situation, names: Sequence[str], label: str, is_aside: bool = False) -> dict[str, Side | str]:
    """The model as it is, and after each of some calibrators, or why it is not there."""
    job = _fit(situation, tuple(names), label=label, is_aside=is_aside)
    fitted: Mapping[str, Side | str] = job.value or {}
    waiting = job.ended_early or TO_COME
    return {AS_IT_IS: situation.before, **{name: fitted.get(name, waiting) for name in names}}


def field_of(spec: Spec, name: str) -> str:
    """The field of a calibrator that is fitted for each of its values; empty of one for all samples."""
    made = None if name == AS_IT_IS else spec.make_calibrator(name)
    return made.field if isinstance(made, ByField) else ""


@dataclass(frozen=True)
class ForAll:
    """One calibrator for all samples: its name, the scores after it, and the change of the Brier score by it."""

    name: str
    side: Side
    change: Interval


@reads(*OF_SAMPLES, *OF_AFTER, *OF_SEARCH, "calibrators")
def one_for_all(situation: Situation) -> ForAll | None:
    """The calibrator for all samples that is spoken of: the chosen one, else the best of the compared.

    The best is the one that is recommended; where none helps beyond noise, the one that may help most. None where there
    is none, or none yet.
    """
    spec, after = situation.spec, situation.after
    if spec.is_recalibrated and not field_of(spec, spec.calibrator):
        ends = None if after is None else change_of_brier(situation, after)
        return None if after is None or ends is None else ForAll(spec.calibrator, after, ends)
    known = [ForAll(name, *of) for name, of in _known(situation).items() if not field_of(spec, name)]
    helping = (each for each in known if word_of(each.change) == HELPING)
    least_harm = min(known, key=lambda each: (each.change[0] > 0, each.change[1]), default=None)
    return next(helping, least_harm)


def _by_fields_of_segments(situation: Situation) -> list[str]:
    """The calibrators by the fields of the segments that are shown to be off: those that no common one can mend."""
    search = searched(situation, situation.before)
    if search is None or search.value is None:
        return []
    conditions = [kept for one in news_of(search.value) if (kept := read_selection(one.selection)) is not None]
    fields = {name: parts[1] for name in situation.engine.by_field if (parts := of_field(name)) is not None}
    return [name for name, field in fields.items() if any(each.uses("field", field) for each in conditions)]


@dataclass(frozen=True)
class OfField:
    """A calibrator for each value of a field, the first segment that it is for, and the scores after it."""

    field: str
    segment: FlaggedSegment
    side: Side
    table: xr.Dataset


@reads(*OF_SAMPLES, *OF_AFTER, *OF_SEARCH)
def of_field_of_segment(situation: Situation) -> OfField | None:
    """The calibrator for each value of the field that the first segment is a value of; None where there is none yet."""
    names, search = _by_fields_of_segments(situation), searched(situation, situation.before)
    if not names or search is None or search.value is None:
        return None
    fitted: Mapping[str, Side | str] = _fit(situation, tuple(names), label="calibrators", is_aside=True).value or {}
    for one in news_of(search.value):
        field = None if one.value is None else one.value.subject.argument
        for name in names:
            side, parts = fitted.get(name), of_field(name)
            if isinstance(side, Side) and parts is not None and parts[1] == field and not one.may_be_right:
                return OfField(parts[1], one, side, search.value)
    return None


@slow(*OF_SCORES, "knots", "spline", "temperature")
def _fit(situation: Situation, names: Sequence[str]) -> Steps:
    """The model after every calibrator by its name, or why it is not to be had, as they come."""
    spec, found = situation.spec, dict[str, Side | str]()
    for name in names:
        try:
            for step in sides_of(situation.engine, spec, [(spec.model, spec.lens, spec.selection)], [name]):
                if isinstance(step[0], Job):
                    yield step
                else:
                    found[name] = step[1].side or f"After {name} the selection keeps no sample."
        except ValueError as why:
            found[name] = clause_of(why)
        yield len(found) / len(names), dict(found)


def _table(situation: Situation, sides: Mapping[str, Side | str], worst: FlaggedSegment | None) -> Table:
    """The table of the calibrators: the change of each on one axis, and what it makes of the segment that is off."""
    changes = {
        name: change_of_brier(situation, side)
        for name, side in sides.items()
        if isinstance(side, Side) and name != AS_IT_IS
    }
    low, high, ticks = _axis([ends for ends in changes.values() if ends is not None])
    columns = [CALIBRATOR, Column("change", CHANGE, ticks=ticks, sides=SIDES), BRIER, HELPS]
    if worst is not None:
        observed = of_hundred(worst.observed)[0]
        heading = f"{name_of(worst).name}: predicted (observed {observed})"
        columns.append(Column(heading, "The mean score after, of 100"))
    columns.append(Column(""))
    rows = []
    for name, side in sides.items():
        is_used = name == situation.spec.calibrator
        button = Cell(USED, look="pressed") if is_used else Cell(TRY, look="button")
        cells: list[Cell]
        if isinstance(side, str):
            cells = [Cell(NOT_THERE, why=side)] * (len(columns) - 2)
        else:
            ends = changes.get(name)
            cells = [_change(ends, name != AS_IT_IS, low, high), _brier(situation, side), _word(ends)]
            if worst is not None:
                cells.append(_of_worst(situation, side, worst, ends))
        rows.append((_heading(name), *cells, button))
    alt = f"{len(rows) - 1} calibrators, and the model as it is: what each changes of the Brier score."
    note = (
        "Order: what helps beyond noise first, then the fewest numbers. Each is judged against the model as it is, not "
        f"against the others. A calibrator for {situation.nouns.whole} moves equal predictions alike, whatever they "
        "are of."
    )
    hint = "Click a calibrator to try it: verdict and pictures then show what it changes."
    current = list(sides).index(situation.spec.calibrator), None
    return Table("calibrators", "", tuple(columns), tuple(rows), alt, note, current, "rows", hint=hint)


def _in_order(situation: Situation, sides: Mapping[str, Side | str]) -> dict[str, Side | str]:
    """The model as it is, what helps beyond noise, and the others by how few numbers they fit."""

    def rank(name: str) -> tuple[bool, bool, int]:
        side = sides[name]
        ends = change_of_brier(situation, side) if isinstance(side, Side) and name != AS_IT_IS else None
        return name != AS_IT_IS, not (ends is not None and ends[1] < 0), numbers_of(name)

    return {name: sides[name] for name in sorted(sides, key=rank)}


def _axis(changes: Sequence[Interval]) -> tuple[float, float, tuple[tuple[float, str], ...]]:
    """The ends of the axis of all changes, and its ticks."""
    low = min([-LEAST_REACH, *(ends[0] for ends in changes)])
    high = max([LEAST_REACH, *(ends[1] for ends in changes)])
    room = ROOM * (high - low)
    low, high = low - room, high + room
    step = next((step for step in STEPS if (high - low) / step <= MOST_TICKS), STEPS[-1])
    at = range(math.ceil(low / step), math.floor(high / step) + 1)
    return low, high, tuple(((step * k - low) / (high - low), with_minus(f"{step * k:+.4g}") if k else "0") for k in at)


def _heading(name: str) -> Cell:
    if name == AS_IT_IS:
        return Cell(AS_IT_IS, below="as it is", bold=True)
    return Cell(called(name), below=fitted_by(name), bold=True, why=noun_of(name))


def _change(ends: Interval | None, is_calibrator: bool, low: float, high: float) -> Cell:
    """The change on the axis, with its interval; the model as it is has none."""
    if ends is None and is_calibrator:
        return Cell(NOT_THERE)
    start, end = ends or (0.0, 0.0)

    def place(at: float) -> float:
        return min(1.0, max(0.0, (at - low) / (high - low)))

    is_unsure = is_calibrator and start <= 0 <= end
    of: Any = "before" if not is_calibrator else "stands" if start > 0 else "after"
    strip = Strip(place(start), place((start + end) / 2), place(end), place(0.0), is_unsure, of=of)
    if ends is None:
        return Cell("no change", strip=strip)
    return Cell(written_change(ends), strip=strip, numbers=(("lower", start), ("upper", end)))


def _brier(situation: Situation, side: Side) -> Cell:
    value = brier_of(side)
    below = ""
    if situation.keeps_others(side):
        below = f"of {situation.nouns.counted(side.problems[0].samples)}, not the same"
    why = f"{OVERALL} {percent(situation.ks(side))}"
    return Cell(number(value), below=below, faint=bool(below), why=why, numbers=(("brier", value),))


def _word(ends: Interval | None) -> Cell:
    if ends is None:
        return Cell("")
    word = word_of(ends)
    look: Any = "after" if ends[1] < 0 else "off" if ends[0] > 0 else ""
    return Cell(word, look=look, faint=not look)


def _of_worst(situation: Situation, side: Side, worst: FlaggedSegment, ends: Interval | None) -> Cell:
    """The mean score of the segment that is off; nothing where the samples are not the same."""
    if situation.keeps_others(side):
        return Cell(NOT_THERE)
    score = problem_of(situation, side, worst.selection).mean_score
    look: Any = "after" if ends is not None and ends[1] < 0 and is_closer(worst, score) else ""
    return Cell(of_hundred(score)[0], look=look, numbers=(("predicted", score),))


def is_closer(one: FlaggedSegment, after: float) -> bool:
    """Whether a mean score after recalibration is closer to what is observed in a segment than that before."""
    return abs(after - one.observed) < abs(one.predicted - one.observed)


def _worst(situation: Situation) -> FlaggedSegment | None:
    """The first segment that is off, as far as that is known by now."""
    search = None if situation.scores_per_sample > 1 else searched(situation, situation.before)
    news = news_of(None if search is None else search.value)
    return news[0] if news and not news[0].cancels else None


def word_of(ends: Interval) -> str:
    """Whether a calibrator helps, from the interval of the change of the Brier score, in a word or two."""
    low, high = ends
    if low == high == 0:
        return "changes nothing"
    return HELPING if high < 0 else "no, it harms" if low > 0 else WITHIN


def written_change(ends: Interval) -> str:
    """The interval of a change of the Brier score with its level, which is another one than that of other intervals."""
    return f"{interval(*ends, '', signed=True)} ({chosen_percent(LEVEL)})"


@reads(*OF_SAMPLES)
def how_judged(situation: Situation) -> str:
    """A sentence on which samples calibrators are fitted to, and which judge them."""
    judged = situation.before.problems[0].samples
    if situation.engine.calibration is None:
        many = situation.nouns.many
        return f"Recalibration is judged on all {many} by {FOLDS}-fold cross-fitting: each by a fit to the others."
    if situation.engine.judges_fitted:
        return ""
    model = situation.spec.model
    fitted_to = situation.engine.fitted_to(model)[0]
    to = situation.nouns.counted(scalar_problem(fitted_to, situation.lens).samples)
    shared = shared_clusters(fitted_to, situation.engine.models[model][0])
    said = f"Calibrators were fitted to {to} of a calibration set; {judged:,} others judge them"
    return f"{said}{shared and f': {shared}'}."


@dataclass(frozen=True)
class BrierMoved:
    """The Brier score before and after the chosen calibrator, the interval of its change, the noun for samples."""

    before: float
    after: float
    change: Interval
    samples: str


@reads(*OF_SAMPLES, *OF_AFTER)
def brier_moved(situation: Situation) -> BrierMoved | None:
    """The Brier score before and after the chosen calibrator; None without one, or where nothing can be compared."""
    after = situation.after
    ends = None if after is None else change_of_brier(situation, after)
    if after is None or ends is None:
        return None
    return BrierMoved(brier_of(situation.before), brier_of(after), ends, situation.nouns.many)


def brier_of(side: Side) -> float:
    """The Brier score of a side, on average over the trials."""
    return float(np.mean([brier_score(problem) for problem in side.problems]))


@reads(*OF_SCORES)
def change_of_brier(situation: Situation, after: Side) -> Interval | None:
    """The interval of the change of the Brier score; None where there is none.

    Samples differ, or have many scores each, or all have one outcome, which a calibrator can only repeat.

    Of several trials on the same samples it is the mean of both ends, as if they erred together.
    """
    if situation.scores_per_sample > 1 or any(map(is_of_one_outcome, situation.before.problems)):
        return None
    changes = list(map(brier_change, situation.before.problems, after.problems))
    known = [ends for ends in changes if ends is not None]
    if len(known) < len(changes):
        return None
    low, high = np.mean(known, axis=0)
    return float(low), float(high)
