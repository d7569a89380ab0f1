"""The section of a report about the error over time."""

from __future__ import annotations

from ...figures.markup import Markup
from ...figures.time_words import said_over_time, time_notes
from ..measuring.over_time import OverTime
from .parts import missing, notes, paragraph, pictures, section

TITLE = "Over time"


def over_time_section(shown: OverTime | str | None) -> Markup | None:
    """What the error does over time; None if the samples have no field of dates."""
    if shown is None:
        return None
    if isinstance(shown, str):
        return section(TITLE, missing(shown), identity="over-time")
    lead = paragraph(said_over_time(shown.table), class_="lead")
    below = notes(time_notes(shown.table))
    return section(TITLE, lead, pictures((shown.picture,), "over-time"), below, identity="over-time")
