"""Does it change over time? The error of each window of a field of dates, and whether it is beyond noise."""

from __future__ import annotations

import xarray as xr

from ... import figures
from ...data.time_fields import NoDatesError
from ...figures.time_words import evidence_over_time, sentence_over_time, time_notes
from ...uncertainty.monitoring.over_time import NoWidthError, TimeWindows, time_windows
from ..asked.spec import OF_SAMPLES, OF_SCORES
from ..situation.as_code import pictured
from ..situation.content import Code, Content
from ..situation.job import Steps
from ..situation.reading import reads, slow
from ..situation.situation import Situation


@reads(*OF_SAMPLES)
def time(situation: Situation) -> Content:
    """The error over time with its spread, over what noise shows in all windows together."""
    windows = windows_of(situation)
    if isinstance(windows, str):
        return Content((), windows)
    job = _measured(situation, label="windows of time")
    if job.value is None:
        return Content((), job.ended_early or "Drawing labels for every window, to tell error from noise …")
    table: xr.Dataset = job.value
    is_whole = bool(table["count"].values.all())
    notes = [*(f"{said}." for said in time_notes(table)), situation.of_first_trial, job.ended_early]
    return Content(
        (figures.drift_figure(table),),
        " ".join(filter(None, notes)),
        marked=" ".join(filter(None, [sentence_over_time(table), evidence_over_time(table)])) if is_whole else "",
    )


@slow(*OF_SCORES)
def _measured(situation: Situation) -> Steps:
    windows = windows_of(situation)
    assert isinstance(windows, TimeWindows)
    return windows.steps()


@reads(*OF_SCORES)
def windows_of(situation: Situation) -> TimeWindows | str:
    """The windows of what is on screen; a sentence where there are none."""
    if situation.of_summary:
        return "A summary knows the sums of its samples, not their fields."
    side = situation.before
    try:
        windows = time_windows(side.predictions[0], situation.lens, side.selection)
        windows.refuse_long()
    except ValueError as error:
        text = str(error)
        few = "; keep more samples, of a longer time" if isinstance(error, NoWidthError) else ""
        return f"{text[0].upper()}{text[1:]}{few}."
    return windows


def why_no_time(situation: Situation) -> str:
    """A sentence that says why there are no windows of time; empty where the samples have a field of dates."""
    try:
        time_windows(situation.before.predictions[0], situation.lens, situation.before.selection)
    except NoDatesError:
        return "The samples have no field of dates."
    except ValueError:
        return ""
    return ""


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the errors in windows of time."""
    if isinstance(windows_of(situation), str):
        return Code()
    of = f"lens={pictured(situation)}, selection={situation.spec.selection!r}"
    return Code(("", f"windows = cv.over_time(predictions, {of})", "print(windows.to_dataframe())"))
