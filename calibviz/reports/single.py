"""The page about one model: every answer, run to its end and written."""

from __future__ import annotations

from collections.abc import Sequence

from ..answers.content import Answer, completed
from ..answers.costs import costs
from ..answers.cumulative import curves
from ..answers.enough_samples import ENOUGH, enough_samples
from ..answers.exports.report_code import code_of_report
from ..answers.registry import ANSWERS, OF_REPORTS, QUESTIONS
from ..answers.reliability import reliability
from ..answers.report_situations import AFTER, Acting, Situations, facts_of
from ..answers.segments import worst_in_short
from ..answers.tested import USUAL
from ..answers.verdict import verdict_of
from ..answers.verdicts import Verdict
from ..figures.markup import Markup, joined, tag
from ..foundation.progress import with_progress
from ..foundation.written import chosen_percent
from .writing.checklist import checklist
from .writing.data import data_section, title_of
from .writing.page import header, page
from .writing.parts import content_of, given, in_tags, made, marked, missing, notes, paragraph, pictures, section, table

#: The answers in the order of the page.
ORDER = (
    "numbers", "cumulative", "clinical", "decision", "segments", "centres", "time", "risk",
    "recalibration", "changes", "comparison", "temperature", "sensitivity", "likert", "classes", "confidence",
)  # fmt: skip  # short entries stand in rows
#: What only those ask for who act on the scores.
OF_ACTING = ("clinical", "decision")

NO_THRESHOLD = (
    "No threshold was named, so this is about {}. If you act from another probability on, such as 20 %, name it: "
    "--threshold 0.2, or threshold=0.2 in Python; or name costs."
)


def page_of(situations: Situations, acting: Acting, own: Sequence[Answer], progress: bool) -> tuple[str, Verdict]:
    """The page as one HTML document, and the verdict that it begins with."""
    predictions = situations.whole.predictions
    title = title_of(predictions)
    names = [name for name in ORDER if name not in OF_ACTING or name in acting.asked]
    names = [
        name for name in names if name != "likert" or situations.whole.spec.likert
    ]  # nobody chooses them on a page
    every = {**ANSWERS, **OF_REPORTS}
    names = [name for name in names if not every[name].why_nothing(situations.whole)]
    asked = [*(every[name] for name in names), *own]
    acts = acting.threshold is not None
    verdict = completed(situations.whole, lambda seen: verdict_of(seen, USUAL, True, acts), "report", progress)
    sections = [_section(answer, situations, acting) for answer in with_progress(asked, "report", len(asked), progress)]
    code = code_of_report(situations.whole, situations.parts, ("reliability", *names), "cv.report")
    head = _first(title, situations, verdict, progress)
    return page(f"Calibration of {title}", head, *sections, data_section(predictions), made(code)), verdict


def _first(title: str, situations: Situations, verdict: Verdict, progress: bool) -> Markup:
    """The first page, which reads as the first screen of the Explorer: its head, picture, segments, questions."""
    whole = situations.whole
    said = [paragraph(in_tags(line), class_="said") for line in verdict.marked]
    worst = completed(whole, worst_in_short, "report", progress)
    more = {
        "How is this measured?": verdict.sentence,
        ENOUGH: completed(whole, enough_samples, "report", progress),
    }
    beside = [
        table(worst) if worst else None,
        *(paragraph(tag("small", name), text, class_="then") for name, text in more.items() if text),
    ]
    picture = section("Predicted and observed", given(whole, reliability, "reliability"), identity="reliability")
    cards = [_card(name, situations, progress) for name in QUESTIONS]
    return joined(
        [
            header("Calibration report", title, facts_of(whole), *said),
            tag("div", picture, tag("div", *beside, class_="beside"), class_="first"),
            tag("div", *cards, class_="questions"),
        ]
    )


def _card(name: str, situations: Situations, progress: bool) -> Markup | None:
    """A question with its short answer and its small picture; nothing where there is no answer."""
    answer = ANSWERS[name]
    assert answer.short is not None
    said = completed(situations.fresh if name in AFTER else situations.whole, answer.short, "report", progress)
    if not said.marked:
        return None
    return tag("div", tag("h3", answer.question), paragraph(marked(said.marked)), said.picture)


def _section(answer: Answer, situations: Situations, acting: Acting) -> Markup:
    situation, name = situations.of(answer.name), answer.name
    parts: list[Markup | None] = []
    if name == "decision" and acting.threshold is None:
        parts.append(missing(NO_THRESHOLD.format(chosen_percent(situation.spec.threshold))))
    if name == "cumulative":  # the curves, above their difference
        parts.append(pictures(curves(situation, "fractile"), "curves"))
    parts.append(given(situation, answer.content, name))
    if name == "decision" and acting.costs:
        parts += [tag("h3", "At the costs that were named"), content_of(costs(situations.whole, acting.costs), "costs")]
    if name == "clinical":
        parts.append(checklist(situations, acting.threshold))
    if situations.is_in_cells and name == "numbers":
        parts.append(notes([Situations.OF_CELLS]))
    return section(answer.button, *parts, identity=name)
