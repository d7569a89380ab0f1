"""Calibrators beside each other: what each leaves of the overall error, and what it changes of the Brier score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from ..context.condition_parser import selection as read_selection
from ..context.induced import scalar_problem
from ..decisions.flagged_segments import FlaggedSegment
from ..figures.svg.small import NoisyError, strips_of
from ..figures.tables import Cell, Column, Strip, Table
from ..foundation.written import chosen_percent, interval, number, percent
from ..metrics.scores import brier_score
from ..recalibration.registry import noun_of, of_field
from ..recalibration.solvers.cross_validation import FOLDS
from ..uncertainty.brier_change import LEVEL, Interval, brier_change
from .asked.spec import OF_AFTER, OF_SAMPLES
from .segments import news_of, searched
from .situation.engine import Side
from .situation.job import Steps
from .situation.noise import TO_COME, beside_error, sentence_of
from .situation.reading import reads, slow
from .situation.situation import Situation
from .steps.compared import sides_of

NOTHING = ""  # the name of no recalibration, the row that the others are compared with
NOT_THERE = "–"
WITHIN = "within noise"
CALIBRATOR = Column("calibrator")
OVERALL = Column(
    "overall error (KS)", "On unseen samples; grey: what noise alone shows, line: 95 % interval of the true error"
)
BRIER = Column(
    "Brier score",
    "On unseen samples, lower is better. Below: the 90 % interval of its change, each end at a level of 5 %; "
    "better or worse where all of it is below or above 0",
)


@reads(*OF_SAMPLES, *OF_AFTER, "depth", "minimum", "calibrators")
def calibrator_table(situation: Situation) -> tuple[Table, tuple[str, ...]]:
    """The table of the model as it is and of the compared calibrators with the chosen one, and the name of each row."""
    spec = situation.spec
    names = tuple(dict.fromkeys((*spec.calibrators, spec.calibrator, *_by_fields_of_segments(situation))))
    job = _fit(situation, names, label="calibrators")
    fitted: Mapping[str, Side | str] = job.value or {}
    waiting = job.ended_early or TO_COME
    sides = {NOTHING: situation.before, **{name: fitted.get(name, waiting) for name in names}}
    return _table(situation, sides), (NOTHING, *names)


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


@reads(*OF_SAMPLES, *OF_AFTER, "depth", "minimum")
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


@slow(*OF_SAMPLES, "knots", "spline", "temperature")
def _fit(situation: Situation, names: Sequence[str]) -> Steps:
    """The model after every calibrator by its name, or why it is not to be had, as they come."""
    spec, found = situation.spec, dict[str, Side | str]()
    for name in names:
        try:
            for step in sides_of(situation.engine, spec, [(spec.model, spec.lens, spec.selection)], [name]):
                if isinstance(step, tuple):
                    yield step
                else:
                    found[name] = step.side or f"After {name} the selection keeps no sample."
        except ValueError as why:
            found[name] = str(why)
        yield len(found) / len(names), dict(found)


def _table(situation: Situation, sides: Mapping[str, Side | str]) -> Table:
    errors = {
        name: NoisyError(situation.ks(side), beside_error(situation, side, "ks"), "after" if name else "before")
        for name, side in sides.items()
        if isinstance(side, Side)
    }
    pictures = dict(zip(errors, strips_of(list(errors.values())), strict=True))
    rows = tuple(
        (_heading(name), Cell(NOT_THERE, why=side), Cell(NOT_THERE, why=side))
        if isinstance(side, str)
        else (_heading(name), _overall(errors[name], pictures[name]), _brier(situation, name, side))
        for name, side in sides.items()
    )
    alt = f"{len(rows) - 1} calibrators, and the model as it is: the overall error and the Brier score."
    note = "Each is judged against the model as it is, not against the others."
    hint = "Click a calibrator to try it: everything then shows what is predicted after it."
    current = list(sides).index(situation.spec.calibrator), None
    return Table("calibrators", "", (CALIBRATOR, OVERALL, BRIER), rows, alt, note, current, "rows", first=1, hint=hint)


def _heading(name: str) -> Cell:
    if name == NOTHING:
        return Cell("as it is", below="no recalibration")
    noun = noun_of(name)
    return Cell(name, below=noun if noun != name else "")


def _overall(error: NoisyError, picture: Strip | None) -> Cell:
    beside, is_noise = error.beside, error.beside.is_noise(error.error)
    if beside.floor is None:
        below = "no noise floor" if beside.no_floor else f"noise: {TO_COME}"
    else:
        below = f"{'within noise' if is_noise else 'noise'}: {percent(beside.floor.reaches)}"
    why = sentence_of(error.error, beside)
    return Cell(
        percent(error.error), strip=picture, below=below, faint=is_noise, why=why, numbers=(("ks", error.error),)
    )


def _brier(situation: Situation, name: str, side: Side) -> Cell:
    value = float(np.mean([brier_score(problem) for problem in side.problems]))
    if name == NOTHING:
        return Cell(number(value), numbers=(("brier", float(value)),))
    if are_other_samples(situation, side):
        return Cell(
            number(value), below=f"of {situation.nouns.counted(side.problems[0].samples)}, not the same", faint=True
        )
    ends = change_of_brier(situation, side)
    if ends is None:
        return Cell(number(value), numbers=(("brier", float(value)),))
    low, high = ends
    word = "the same" if low == high == 0 else "better" if high < 0 else "worse" if low > 0 else "not shown"
    numbers = (("brier", float(value)), ("lower", low), ("upper", high))
    is_unsure = low <= 0 <= high
    return Cell(number(value), below=f"{word}: {written_change(ends)}", faint=is_unsure, numbers=numbers)


def word_of(ends: Interval) -> str:
    """Whether a calibrator helps, from the interval of the change of the Brier score, in a word or two."""
    low, high = ends
    if low == high == 0:
        return "changes nothing"
    return "yes" if high < 0 else "no, it harms" if low > 0 else WITHIN


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
    fitted = scalar_problem(situation.engine.fitted_to(situation.spec.model)[0], situation.lens).samples
    to = situation.nouns.counted(fitted)
    return f"Calibrators were fitted to {to} of a calibration set; {judged:,} others judge them."


@reads(*OF_SAMPLES)
def are_other_samples(situation: Situation, after: Side) -> bool:
    """Whether the selection keeps other samples after recalibration than before."""
    if not situation.spec.selection or situation.scores_per_sample > 1:
        return False

    pairs = zip(situation.before.problems, after.problems, strict=True)
    return any(not np.array_equal(np.sort(before.order), np.sort(moved.order)) for before, moved in pairs)


@reads(*OF_SAMPLES)
def change_of_brier(situation: Situation, after: Side) -> Interval | None:
    """The interval of the change of the Brier score; None where the samples differ, or have many scores each.

    Of several trials on the same samples it is the mean of both ends, as if they erred together.
    """
    if situation.scores_per_sample > 1:
        return None
    changes = list(map(brier_change, situation.before.problems, after.problems))
    known = [ends for ends in changes if ends is not None]
    if len(known) < len(changes):
        return None
    low, high = np.mean(known, axis=0)
    return float(low), float(high)
