"""Is it the same everywhere? Clinical measures of each centre, their average, and what to expect of a new one."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ...context.class_lenses import Pooled
from ...figures import centres_sentence, centres_table
from ...figures.segment_names import is_of_places
from ...foundation.arrays import missing_in
from ...foundation.written import counted
from ...uncertainty.centres import by_centre
from ..asked.spec import OF_SAMPLES, OF_SCORES
from ..situation.as_code import selected
from ..situation.content import Code, Content
from ..situation.job import Steps
from ..situation.reading import reads, slow
from ..situation.situation import Situation

MOST = 60  # centres of a table
NONE_NAMED = "No field of texts is named after places, such as hospital or site: choose the one that tells the centre."
AT_ONCE = 100_000  # samples whose centres are compared at once


@reads(*OF_SAMPLES, "centre")
def centres(situation: Situation) -> Content:
    """O:E, calibration intercept and slope of each centre, their average, and the interval of a new one."""
    if isinstance(situation.lens, Pooled):
        return Content((), "All classes of a sample at once are no one outcome: choose a class.")
    field, quick = field_of_centres(situation), len(situation.before.problems[0]) <= AT_ONCE
    if why := _why_not(situation, field):
        return Content((), why)
    job = _pooled(situation, label="centres", now="done" if quick else "")
    table: xr.Dataset | str | None = job.value
    if table is None:
        return Content((), job.ended_early or "Fitting the measures of every centre …")
    if isinstance(table, str):
        return Content((), table)
    said = f"By {field}: {centres_sentence(table)}"
    return Content((centres_table(table, situation.nouns),), situation.of_first_trial, marked=said)


@slow(*OF_SCORES, "centre")
def _pooled(situation: Situation) -> Steps:
    """The table of `by_centre`, or a sentence that says why there is none."""
    side = situation.before
    try:
        yield 1.0, by_centre(side.predictions[0], field_of_centres(situation), situation.lens, selection=side.selection)
    except ValueError as why:
        yield 1.0, f"{str(why)[:1].upper()}{str(why)[1:]}."


@reads("model", "centre")
def field_of_centres(situation: Situation) -> str:
    """The name of the field that was chosen, by default the first that is named after places; empty where none is."""
    fields = situation.predictions.fields
    named = (name for name in fields_of_centres(situation) if is_of_places(name) and fields[name].dtype.kind == "U")
    return situation.spec.centre or next(named, "")


@reads("model")
def fields_of_centres(situation: Situation) -> tuple[str, ...]:
    """The names of the fields that may tell centres: all but dates."""
    return tuple(name for name, column in situation.predictions.fields.items() if column.dtype.kind not in "mM")


def _why_not(situation: Situation, field: str) -> str:
    if situation.of_summary:
        return "A summary knows the sums of its samples, not their fields."
    if not field:
        return NONE_NAMED
    column = situation.predictions.fields.get(field)
    if column is None:
        return f"There is no field {field!r}."
    several = len(np.unique(column[~missing_in(column)]))
    if several > MOST:
        return f"{field} has {counted(several, 'value')}, of which {MOST} at most are shown: choose another field."
    return "" if several > 1 else f"All {situation.nouns.many} have the same {field}."


def why_no_centres(situation: Situation) -> str:
    """A sentence that says why there are no centres; empty where a field is chosen or named after places."""
    return "" if field_of_centres(situation) else NONE_NAMED


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the measures of centres."""
    field = field_of_centres(situation)
    if _why_not(situation, field):
        return Code()
    made = f"centres = cv.by_centre(predictions, {field!r}, {selected(situation)})"
    return Code(("", made, "print(centres.to_dataframe())"))
