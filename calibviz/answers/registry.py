"""All answers by name, in the order in which they are offered."""

from __future__ import annotations

from collections.abc import Mapping

from .classes import classes
from .comparison import comparison
from .confidence import confidence
from .content import Answer
from .cumulative import cumulative
from .decision import decision, short_answer as acting
from .instances import instances
from .likert import likert
from .recalibration import recalibration, short_answer as recalibrates
from .reliability import reliability
from .segments import segments, short_answer as worst
from .sensitivity import sensitivity
from .temperature import temperature
from .time import time

ANSWERS: Mapping[str, Answer] = {
    answer.name: answer
    for answer in (
        Answer("reliability", "Told against found", reliability, term="reliability diagram"),
        Answer("cumulative", "Cumulative", cumulative),
        Answer("recalibration", "Recalibration", recalibration, "Would a repair help?", recalibrates),
        Answer("sensitivity", "Bin count", sensitivity, term="sensitivity"),
        Answer("comparison", "Compare", comparison),
        Answer("likert", "Words", likert, term="Likert categories"),
        Answer("confidence", "Ranks", confidence, term="confidence"),
        Answer("instances", "Samples", instances, term="instances"),
        Answer("classes", "Classes", classes),
        Answer("temperature", "Temperature", temperature),
        Answer("decision", "Decision", decision, "Can I act at a threshold?", acting),
        Answer("segments", "Segments", segments, "Where is it worst?", worst),
        Answer("time", "Over time", time),
    )
}
