"""The page about one model: every answer, run to its end and written."""

from __future__ import annotations

from collections.abc import Sequence

from ..answers.content import Answer, completed
from ..answers.costs import costs
from ..answers.cumulative import curves
from ..answers.exports.report_code import code_of_report
from ..answers.headline import full_verdict_of
from ..answers.looks import Acting, Looks
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
    asked = [answer for answer in asked if isinstance(looks.of(answer.name), str) or answer.has_answer(looks.whole)]
    said = _header(title, looks)
    sections = [_section(answer, looks, acting) for answer in with_progress(asked, "report", len(asked), progress)]
    code = code_of_report(looks.whole, None if isinstance(looks.parts, str) else looks.code, names, "cv.report")
    return page(f"Calibration of {title}", said, *sections, data_section(predictions), made(code))


def _header(title: str, looks: Looks) -> Markup:
    more = None
    said = completed(looks.cells, full_verdict_of).sentence
    if not isinstance(looks.parts, str):
        then = completed(looks.parts, full_verdict_of)
        half = "On the half that the calibrator was not fitted to" if looks.is_split else "After recalibration"
        more = paragraph(tag("small", half), then.sentence, class_="then")
    return header("Calibration report", title, looks.facts, paragraph(said, class_="said"), more)


def _section(answer: Answer, looks: Looks, acting: Acting) -> Markup:
    look, name = looks.of(answer.name), answer.name
    parts: list[Markup | None] = []
    if name == "recalibration" and not isinstance(look, str):
        parts.append(paragraph(looks.how_fitted))
    if name == "decision" and acting.threshold is None:
        parts.append(missing(NO_THRESHOLD))
    if name == "cumulative" and not isinstance(look, str):  # the curves, above their difference
        parts.append(pictures(curves(look, "fractile"), "curves"))
    parts.append(given(look, answer.content, name))
    if name == "decision" and acting.costs:
        parts += [tag("h3", "At the costs that were named"), content_of(costs(looks.whole, acting.costs), "costs")]
    if name == "clinical":
        parts.append(checklist(looks, acting.threshold))
    if looks.is_in_cells and name == "numbers":
        parts.append(notes([Looks.OF_CELLS]))
    return section(answer.button, *parts, identity=name)
