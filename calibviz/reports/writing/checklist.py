"""The table of what a reporting guideline asks of calibration, and of the facts of the page that answer it."""

from __future__ import annotations

from ...answers.registry import ANSWERS
from ...answers.report_situations import Situations
from ...figures.markup import Markup
from ...figures.tables import Cell, Column, Table
from .parts import table

SOURCE = (
    "In our words, what the TRIPOD+AI statement asks that touches calibration (Collins et al. 2024, BMJ 385:e078378). "
    "The statement asks for much more: take its own list for a paper."
)


def checklist(situations: Situations, threshold: float | None) -> Markup:
    """The table of what is asked beside what this page knows."""
    problem, fields = situations.whole.before.problems[0], situations.whole.predictions.fields
    where = f"Segments of {', '.join(fields)}: “{ANSWERS['segments'].button}”"
    segments = where if fields else "Not known: these predictions have no fields."
    updated = f"“{ANSWERS['recalibration'].button}”: a spline, judged on samples that it was not fitted to."
    chosen = "No threshold was named." if threshold is None else f"{100 * threshold:.3g} %: why, this page cannot know."
    asked = {
        "how many samples, and how many of them with the outcome": (
            f"{len(problem):,} samples, {100 * problem.mean_target:.1f} % of them."
        ),
        "measures and pictures of calibration, and why these": (
            "O:E, intercept, slope, ICI, E50, E90, the curve with its band. Why these is yours to say."
        ),
        "every estimate with its uncertainty": (
            "95 % intervals; beside indices that noise makes larger, what calibrated predictions reach."
        ),
        "how it does in segments of people that matter": segments,
        "what using it is worth, and how thresholds were chosen": f"“{ANSWERS['decision'].button}” {chosen}",
        "updates of the model, such as recalibration, and how it does then": (
            "Not known: no recalibration could be judged." if situations.cells_after.after is None else updated
        ),
        "what was done about unequal classes, and recalibration after that": "Not to be seen in predictions.",
        "how the samples differ from those of the development": "Not to be seen in predictions.",
    }
    rows = tuple((Cell(what), Cell(known)) for what, known in asked.items())
    title = "What a reporting guideline asks of calibration"
    return table(Table("checklist", title, (Column("asked"), Column("on this page")), rows, title, SOURCE))
