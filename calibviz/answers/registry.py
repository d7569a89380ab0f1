"""All answers by name: those that a page offers, and what a report gives beside them."""

from __future__ import annotations

from collections.abc import Mapping

from .acting.decision import code as decision_code, decision, header as acting_header, short_answer as acting
from .acting.likert import code as likert_code, likert
from .acting.risk import code as risk_code, risk, why_no_risk
from .acting.scores import code as scores_code, scores
from .asked.glossary import GUPTA, KIRCHENBAUER, NIXON
from .asked.spec import OF_SAMPLES, Spec
from .first_screen.reliability import reliability
from .first_screen.segments import code as segments_code, segments, short_answer as worst, why_no_segments
from .situation.content import Answer
from .situation.reading import reads
from .situation.situation import Situation
from .views.centres import centres, code as centres_code, why_no_centres
from .views.classes import classes, why_no_classes
from .views.clinical import clinical, code as clinical_code
from .views.comparison import compared_by, comparison
from .views.comparison_code import code as comparison_code
from .views.confidence import confidence, why_no_ranks
from .views.cumulative import code as cumulative_code, cumulative
from .views.instances import instances
from .views.numbers import changes, numbers
from .views.recalibration import recalibration, short_answer as recalibrates
from .views.sensitivity import sensitivity
from .views.temperature import temperature
from .views.time import code as time_code, time, why_no_time

ANSWERS: Mapping[str, Answer] = {
    answer.name: answer
    for answer in (
        Answer(
            "reliability", "Reliability", reliability, term="reliability diagram",
            about="What is observed against what is predicted, bin by bin (reliability diagram)",
        ),
        Answer(
            "cumulative", "Cumulative", cumulative, code=cumulative_code,
            about=f"Cumulative score and truth: errors without bins ({GUPTA}, figure 1)",
        ),
        Answer(
            "recalibration", "Recalibration", recalibration, "Would recalibration help?", recalibrates,
            about="The curve that recalibrates the scores, and what it does to samples that it has not seen",
        ),
        Answer(
            "sensitivity", "Bin count", sensitivity, term="sensitivity",
            about="How much the error depends on the numbers of bins and of samples (sensitivity; "
            f"{KIRCHENBAUER}, figures 7 to 9)",
        ),
        Answer(
            "comparison", "Compare", comparison, code=comparison_code, uses=compared_by,
            about="Errors by lens or metric and calibrator",
        ),
        Answer(
            "likert", "Categories", likert, term="Likert categories", code=likert_code,
            about=f"Errors that matter to readers of categories ({KIRCHENBAUER}, figures 5, 6 and 13)",
        ),
        Answer(
            "confidence", "Ranks", confidence, term="confidence", why_nothing=why_no_ranks,
            about=f"Where the probability goes, rank by rank (confidence; {KIRCHENBAUER}, figures 2 and 4)",
        ),
        Answer(
            "instances", "Samples", instances, term="instances",
            about="The samples of a bin (instances), the most miscalibrated first",
        ),
        Answer(
            "classes", "Classes", classes, why_nothing=why_no_classes,
            uses=lambda spec: ("distance",) if spec.by == "level" else (),
            about=f"The error of every class ({NIXON}, figure 1, left)",
        ),
        Answer(
            "temperature", "Temperature", temperature, uses=lambda spec: ("metrics",),
            about=f"Errors against the temperature: their minima differ ({NIXON}, figure 1, right)",
        ),
        Answer(
            "decision", "Decision", decision, "Can I act at a threshold?", acting, code=decision_code,
            header=acting_header,
            about="What acting at a threshold is worth, who changes sides, and what is observed near it",
        ),
        Answer(
            "segments", "Segments", segments, "Where is it worst?", worst, why_nothing=why_no_segments,
            code=segments_code,
            about="Where it is worst: the segments that are the furthest off, and whether they are beyond noise",
        ),
        Answer(
            "centres", "Centres", centres, why_nothing=why_no_centres, code=centres_code,
            about="Measures of each centre, such as a hospital, their average, and what to expect of a new centre",
        ),
        Answer(
            "time", "Over time", time, why_nothing=why_no_time, code=time_code,
            about="How the error changes over time, in windows of a field of dates, and whether it is beyond noise",
        ),
        Answer(
            "scores", "Scores", scores, term="Murphy curve", code=scores_code,
            about="Brier score and log loss: what of them is miscalibration, and the loss at every threshold",
        ),
    )
}  # fmt: skip  # the words of an answer stand in a row
#: What a report gives beside these.
OF_REPORTS: Mapping[str, Answer] = {
    each.name: each
    for each in (
        Answer("numbers", "In numbers", numbers),
        Answer("risk", "Risk and coverage", risk, why_nothing=why_no_risk, code=risk_code),
        Answer("changes", "Before and after recalibration", changes),
        Answer("clinical", "For the clinic", clinical, code=clinical_code),
    )
}
#: The answers to questions that somebody would ask first, by name, in the order in which they are asked.
QUESTIONS = tuple(name for name, answer in ANSWERS.items() if answer.question)[::-1]


def answers_of(spec: Spec) -> Mapping[str, Answer]:
    """All answers by name, the user's own last, which are those that the choices know."""
    return {**ANSWERS, **spec.own_of("panel")}


@reads(*OF_SAMPLES, "centre")
def why_nothing(situation: Situation) -> Mapping[str, str]:
    """Why each of them tells nothing of a situation, by its name; empty of one that tells something."""
    return {name: answer.why_nothing(situation) for name, answer in answers_of(situation.spec).items()}
