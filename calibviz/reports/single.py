"""The page about one model: every answer, run to its end and written."""

from __future__ import annotations

from collections.abc import Sequence

from ..answers.content import Answer, completed
from ..answers.costs import costs
from ..answers.cumulative import curves
from ..answers.enough_samples import ENOUGH, enough_samples
from ..answers.exports.report_code import code_of_report
from ..answers.recalibration import in_numbers as what_recalibration_changes
from ..answers.registry import ANSWERS, OF_REPORTS
from ..answers.report_situations import Acting, Situations, facts_of
from ..answers.tested import USUAL
from ..answers.verdict import verdict_of
from ..answers.verdicts import Verdict
from ..figures.markup import Markup, tag
from ..foundation.progress import with_progress
from ..foundation.written import chosen_percent
from .writing.checklist import checklist
from .writing.data import data_section, title_of
from .writing.page import header, page
from .writing.parts import content_of, given, made, missing, notes, paragraph, pictures, said_in, section

#: The answers in the order of the page.
ORDER = (
    "numbers", "reliability", "cumulative", "clinical", "decision", "segments", "centres", "time", "risk",
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
    code = code_of_report(situations.whole, situations.parts, names, "cv.report")
    head = _header(title, situations, verdict, progress)
    return page(f"Calibration of {title}", head, *sections, data_section(predictions), made(code)), verdict


def _header(title: str, situations: Situations, verdict: Verdict, progress: bool) -> Markup:
    said = said_in(verdict)
    more = {
        "How is this measured?": verdict.sentence,
        ENOUGH: completed(situations.whole, enough_samples, "report", progress),
        "After recalibration": completed(situations.cells_after, what_recalibration_changes, "report", progress),
    }
    said += [paragraph(tag("small", name), text, class_="then") for name, text in more.items() if text]
    return header("Calibration report", title, facts_of(situations.whole), *said)


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
