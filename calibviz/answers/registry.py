"""All answers by name: those that a page offers, and those that a report gives, in their order."""

from __future__ import annotations

from collections.abc import Mapping

from .classes import classes
from .clinical import clinical
from .comparison import comparison
from .confidence import confidence, has_ranks
from .content import Answer
from .cumulative import cumulative
from .decision import decision, short_answer as acting
from .instances import instances
from .likert import likert
from .numbers import changes, numbers
from .recalibration import recalibration, short_answer as recalibrates
from .reliability import reliability
from .risk import risk, says_how_sure
from .segments import has_fields, segments, short_answer as worst
from .sensitivity import sensitivity
from .temperature import temperature
from .time import has_dates, time

ANSWERS: Mapping[str, Answer] = {
    answer.name: answer
    for answer in (
        Answer("reliability", "Predicted against observed", reliability, term="reliability diagram"),
        Answer("cumulative", "Cumulative", cumulative),
        Answer("recalibration", "Recalibration", recalibration, "Would recalibration help?", recalibrates),
        Answer("sensitivity", "Bin count", sensitivity, term="sensitivity"),
        Answer("comparison", "Compare", comparison),
        Answer("likert", "Categories", likert, term="Likert categories"),
        Answer("confidence", "Ranks", confidence, term="confidence", has_answer=has_ranks),
        Answer("instances", "Samples", instances, term="instances"),
        Answer("classes", "Classes", classes),
        Answer("temperature", "Temperature", temperature),
        Answer("decision", "Decision", decision, "Can I act at a threshold?", acting),
        Answer("segments", "Segments", segments, "Where is it worst?", worst, has_answer=has_fields),
        Answer("time", "Over time", time, has_answer=has_dates),
    )
}

#: What a report gives beside these.
OF_REPORTS: Mapping[str, Answer] = {
    answer.name: answer
    for answer in (
        Answer("numbers", "In numbers", numbers),
        Answer("risk", "Risk and coverage", risk, has_answer=says_how_sure),
        Answer("changes", "Before and after recalibration", changes),
        Answer("clinical", "For the clinic", clinical),
    )
}
