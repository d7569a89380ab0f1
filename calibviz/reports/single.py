"""The page about one model: every answer, run to its end and written."""

from __future__ import annotations

from collections.abc import Sequence

from ..answers.content import Answer, completed
from ..answers.costs import costs
from ..answers.cumulative import curves
from ..answers.exports.report_code import code_of_report
from ..answers.headline import full_verdict_of
from ..answers.looks import Acting, Looks, facts_of
from ..answers.registry import ANSWERS, OF_REPORTS
from ..figures.markup import Markup, tag
from ..foundation.progress import with_progress
from .writing.checklist import checklist
from .writing.data import data_section, title_of
from .writing.page import header, page
from .writing.parts import content_of, given, made, missing, notes, paragraph, pictures, section

#: The answers in the order of the page.
ORDER = (
    "numbers", "reliability", "cumulative", "clinical", "decision", "segments", "time", "risk", "recalibration",
    "changes", "comparison", "temperature", "sensitivity", "likert", "classes", "confidence",
)  # fmt: skip  # short entries stand in rows
#: What only those ask for who act on the scores.
OF_ACTING = ("clinical", "decision")

NO_THRESHOLD = (
    "No threshold was named, so this is about 50 %. If you act from another probability on, such as 20 %, name it: "
    "--threshold 0.2, or threshold=0.2 in Python; or name costs."
)


def page_of(looks: Looks, acting: Acting, own: Sequence[Answer], progress: bool) -> str:
    """The page as one HTML document."""
    predictions = looks.whole.predictions
    title = title_of(predictions)
    names = [name for name in ORDER if name not in OF_ACTING or name in acting.asked]
    asked = [{**ANSWERS, **OF_REPORTS}[name] for name in names]
    asked += own
    asked = [answer for answer in asked if answer.has_answer(looks.whole)]
    said = _header(title, looks)
    sections = [_section(answer, looks, acting) for answer in with_progress(asked, "report", len(asked), progress)]
    code = code_of_report(looks.whole, looks.parts, names, "cv.report")
    return page(f"Calibration of {title}", said, *sections, data_section(predictions), made(code))


def _header(title: str, looks: Looks) -> Markup:
    said = completed(looks.cells, full_verdict_of).sentence
    then = completed(looks.cells_after, full_verdict_of).sentence
    more = paragraph(tag("small", "After recalibration"), then, class_="then") if looks.cells_after.after else None
    return header("Calibration report", title, facts_of(looks.whole), paragraph(said, class_="said"), more)


def _section(answer: Answer, looks: Looks, acting: Acting) -> Markup:
    look, name = looks.of(answer.name), answer.name
    parts: list[Markup | None] = []
    if name == "decision" and acting.threshold is None:
        parts.append(missing(NO_THRESHOLD))
    if name == "cumulative":  # the curves, above their difference
        parts.append(pictures(curves(look, "fractile"), "curves"))
    parts.append(given(look, answer.content, name))
    if name == "decision" and acting.costs:
        parts += [tag("h3", "At the costs that were named"), content_of(costs(looks.whole, acting.costs), "costs")]
    if name == "clinical":
        parts.append(checklist(looks, acting.threshold))
    if looks.is_in_cells and name == "numbers":
        parts.append(notes([Looks.OF_CELLS]))
    return section(answer.button, *parts, identity=name)
