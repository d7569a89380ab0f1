"""The page about one model: every answer, run to its end and written."""

from __future__ import annotations

from collections.abc import Sequence

from ..answers.acting.costs import costs
from ..answers.exports.recorded import FEW
from ..answers.exports.report_code import code_of_report
from ..answers.first_screen.enough_samples import ENOUGH, enough_samples
from ..answers.first_screen.reliability import reliability
from ..answers.first_screen.segments import worst_in_short
from ..answers.first_screen.tested import USUAL
from ..answers.first_screen.verdict import verdict_after
from ..answers.first_screen.verdict_sentences import Verdict
from ..answers.registry import ANSWERS, OF_REPORTS, QUESTIONS
from ..answers.report_situations import AFTER, Acting, Situations
from ..answers.situation.content import Answer, completed, made_here
from ..answers.situation.situation import Situation
from ..answers.views.cumulative import curves
from ..figures.markup import Markup, joined, tag
from ..foundation.progress import with_progress
from ..foundation.written import chosen_percent
from .recorded import placed, recorded
from .writing.checklist import checklist
from .writing.data import data_section, title_of
from .writing.page import header, page
from .writing.parts import content_of, given, judged, made, marked, missing, notes, paragraph, pictures, section, table

#: The answers in the order of the page.
ORDER = (
    "numbers", "cumulative", "clinical", "decision", "scores", "segments", "centres", "time", "risk",
    "recalibration", "changes", "comparison", "temperature", "sensitivity", "likert", "classes", "confidence",
)  # fmt: skip  # short entries stand in rows
#: Those that move with the first screen, where they are asked for.
MOVING = ("decision", "likert")
#: What only those ask for who act on the scores.
OF_ACTING = ("clinical", "decision", "scores")

NO_THRESHOLD = (
    "No threshold was named, so this is about {}. If you act from another probability on, such as 20 %, name it: "
    "--threshold 0.2, or threshold=0.2 in Python; or name costs."
)


def page_of(situations: Situations, acting: Acting, own: Sequence[Answer], progress: bool) -> tuple[str, Verdict]:
    """The page as one HTML document, and the verdict that it begins with."""
    whole, every = situations.whole, {**ANSWERS, **OF_REPORTS}
    title = title_of(whole.predictions)
    names = [name for name in ORDER if name not in OF_ACTING or name in acting.asked]
    names = [name for name in names if name != "likert" or whole.spec.likert]  # nobody chooses them on a page
    names = [name for name in names if not every[name].why_nothing(whole)]
    screen = _Screen(situations, acting, [every[name] for name in MOVING if name in names], progress)
    verdict = completed(whole, screen.verdict, "report", progress)
    first = _first(title, situations, screen, progress)
    asked = [*(every[name] for name in names if name not in MOVING), *own]
    sections = [
        _section(answer, situations.of(answer.name), situations, acting)
        for answer in with_progress(asked, "report", len(asked), progress)
    ]
    code = made(code_of_report(whole, situations.parts, ("reliability", *names)))
    return page(f"Calibration of {title}", first, *sections, data_section(whole.predictions), code), verdict


def _first(title: str, situations: Situations, screen: _Screen, progress: bool) -> Markup:
    """The first page, which reads as the first screen of the Explorer: its head, picture, segments, questions.

    What stands above the questions can be moved, but of very many samples, which take too long to recalibrate.
    """
    whole = situations.whole
    panels = ("reliability", *(answer.name for answer in screen.answers))
    start = whole.but(panels=panels)
    if situations.is_in_cells:
        moving = placed(screen(start))
    else:
        moving = made_here(start.engine.jobs, recorded(start, screen, FEW, progress), "page", progress)
    enough = completed(whole, enough_samples, "report", progress)
    return joined(
        [
            header("Calibration report", title),
            moving,
            paragraph(tag("small", ENOUGH), enough, class_="then") if enough else None,
        ]
    )


class _Screen:
    """Writes the first screen of a state: facts, verdict, picture, segments, and the answers that move with it."""

    def __init__(self, situations: Situations, acting: Acting, answers: Sequence[Answer], progress: bool) -> None:
        self.answers = answers
        cards = (_card(name, situations, progress) for name in QUESTIONS)
        self._questions = tag("div", *cards, class_="questions")  # of the model as it is, whatever moves above them
        self._situations, self._acting = situations, acting

    def verdict(self, state: Situation) -> Verdict:
        """The verdict on a state, as far as it is known by now."""
        return verdict_after(state, USUAL, True, self._acting.threshold is not None)

    def __call__(self, state: Situation) -> dict[str, Markup]:
        """The parts of a state by name."""
        verdict = completed(state, self.verdict, progress=False)
        worst = completed(state, worst_in_short, progress=False)
        measured = paragraph(tag("small", "How is this measured?"), verdict.sentence, class_="then")
        picture = section("Predicted and observed", given(state, reliability, "reliability"), identity="reliability")
        beside = tag("div", table(worst) if worst else None, measured, class_="beside")
        parts = {
            "verdict": judged(state, verdict),
            "screen": tag("div", picture, beside, class_="first"),
            "questions": self._questions,
        }
        acting, situations = self._acting, self._situations
        return parts | {each.name: _section(each, state, situations, acting) for each in self.answers}


def _card(name: str, situations: Situations, progress: bool) -> Markup | None:
    """A question with its short answer and its small picture; nothing where there is no answer."""
    answer = ANSWERS[name]
    assert answer.short is not None
    said = completed(situations.fresh if name in AFTER else situations.whole, answer.short, "report", progress)
    if not said.marked:
        return None
    return tag("div", tag("h3", answer.question), paragraph(marked(said.marked)), said.picture)


def _section(answer: Answer, situation: Situation, situations: Situations, acting: Acting) -> Markup:
    name = answer.name
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
