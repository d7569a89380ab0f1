"""The panel Categories: the categories before and after recalibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import figures
from ...engine.binnings.binning import Uniform
from ...engine.scalar import ScalarProblem
from ...figures.pictures.reliability.words import observed_in
from ...figures.segment_names import name_of
from ...figures.tables import Cell, Column, Strip, Table
from ...foundation.written import interval, of_hundred, spread
from ...metrics.likert import in_category, problem_likert
from ...uncertainty.noise_floors import Beside, NoiseFloor
from ..asked.spec import OF_AFTER, OF_BINS, OF_SAMPLES, OF_SCORES
from ..first_screen.segments import OF_SEARCH, problem_of, worst_segment
from ..first_screen.worst_news import surely_outside
from ..situation.as_code import as_code, pictured
from ..situation.content import INTERVAL_BELOW, Code, Content
from ..situation.engine import Side
from ..situation.job import Steps
from ..situation.noise import NOT_HERE, OF_NOISE, Floors, error_cell, floors_of, several_beside, share_ends
from ..situation.reading import reads, slow
from ..situation.situation import Situation

COLUMNS = {
    "count": "how many scores lie in the category; one on a cut point counts in both",
    "mean_score": "what is predicted of them on average",
    "mean_target": f"what is observed of them on average{INTERVAL_BELOW}",
    "error": "inter-interval: how far what is observed in each bin lies outside the category, averaged by the samples "
    "in it (Kirchenbauer et al. 2022)",
    "one_bin_error": "how far what is observed in the whole category lies outside of it; never more than bin by bin",
    "total_variation": "how far what is observed in the same bins lies from what is predicted (total variation)",
}
HEADINGS = {
    "mean_score": "predicted",
    "mean_target": "observed",
    "error": "error bin by bin",
    "one_bin_error": "error as one bin",
    "total_variation": "error from predicted",
}
ERRORS = ("error", "one_bin_error", "total_variation")
OFF_NOTE = "Orange: outside of the category by the interval that holds for all categories at once."


@reads(*OF_SAMPLES, *OF_BINS, *OF_AFTER, *OF_SEARCH, "likert", "overlays")
def likert(situation: Situation) -> Content:
    """Promises and errors of every category, before and after recalibration, and of what is drawn over the model."""
    categories = situation.spec.categories()
    if not categories:
        made = 'Cut points such as "0, 0.33, 0.66, 1" make them; the reliability diagram lets their edges be dragged.'
        return Content((), f"No categories yet. {made}")
    before = _measured(situation, situation.before)
    after = None if situation.after is None else _measured(situation, situation.after)
    sides = [("before", situation.before, before, _noise(situation, situation.before))]
    if situation.after is not None and after is not None:
        sides.append(("after", situation.after, after, _noise(situation, situation.after)))
    shown = {side.key for _, side, *_ in sides}
    others = {name: (side, _measured(situation, side)) for name, side in situation.overlays if side.key not in shown}
    sides += [(name, side, trials, _noise(situation, side)) for name, (side, trials) in others.items()]
    promised = promises(situation)
    shown_in = COLUMNS if promised is None or others else ERRORS  # the rest stands among the promises
    headings = {"count": situation.nouns.many, **HEADINGS}
    columns = [Column(headings[what], COLUMNS[what]) for what in shown_in]
    rows = tuple(
        (
            Cell(name, below="" if len(sides) == 1 else when),
            *(
                _found_cell(situation, side, ends)
                if what == "mean_target"
                else _cell(what, [trial[i][what] for trial in trials], floors.get(f"{what} {name}"), why)
                for what in shown_in
            ),
        )
        for i, (name, ends) in enumerate(categories.items())
        for when, side, trials, (floors, why) in sides
    )
    missing = " ".join(dict.fromkeys(f"No noise floor: {why}." for *_, (_, why) in sides if why))
    table = Table(
        "categories",
        "",
        (Column("category"), *columns),
        rows,
        "Categories before and after recalibration.",
        f"A score on a cut point counts in both categories. {missing or OF_NOISE}",
    )
    drawn = figures.likert_figures(
        list(categories), before, after, {name: trials for name, (_, trials) in others.items()}, situation.nouns.many
    )
    return Content((*([] if promised is None else [promised]), *drawn, table))


@reads(*OF_SAMPLES, *OF_SEARCH, *OF_AFTER, "likert")
def promises(situation: Situation) -> Table | None:
    """A table of the promises of categories and what was observed, before and after a calibrator.

    None without categories, and where a sample or a score has several numbers.
    """
    categories, nouns = situation.spec.categories(), situation.nouns
    if not categories or len(situation.trials) > 1 or situation.scores_per_sample > 1:
        return None
    sides = [side for side in (situation.before, situation.after) if side is not None]
    worst = worst_segment(situation)
    if any(situation.keeps_others(side) for side in sides):
        worst = None
    inside = [] if worst is None else [problem_of(situation, side, worst.selection) for side in sides]
    headings = [
        Column("category"),
        Column(nouns.many, COLUMNS["count"]),
        Column("predicted", f"of 100 {nouns.many}: what is predicted on average"),
        Column("observed", f"of 100 {nouns.many}: how many {nouns.event}"),
        Column("promise and observed", "grey: the category; line: the 95 % interval of what was observed"),
        *([] if worst is None else [Column(f"in {name_of(worst).short}", f"how many {nouns.event}")]),
    ]
    rows = []
    for name, (low, high) in categories.items():
        parts = [in_category(side.problems[0], low, high) for side in sides]
        look: Any = "off" if _is_off(parts, low, high, len(categories)) else ""
        cells = [
            Cell(name, below=ends if (ends := interval(low, high)) != name else ""),
            Cell(_moved(parts, lambda part: f"{part.samples:,}")),
            Cell(
                _moved(parts, lambda part: of_hundred(part.mean_score)[0]),
                numbers=_numbers("predicted", parts, lambda part: part.mean_score),
            ),
            Cell(
                _moved(parts, observed_in),
                look=look,
                numbers=_numbers("observed", parts, lambda part: part.mean_target),
            ),
            _kept_promise(situation, parts, low, high, bool(look)),
        ]
        if worst is not None:
            of_worst = [in_category(problem, low, high) for problem in inside]
            look = "off" if _is_off(of_worst, low, high, len(categories)) else ""
            cells.append(Cell(_moved(of_worst, _counted), look=look))
        rows.append(tuple(cells))
    title = "What each category promises"
    arrows = f"Before → after {situation.calibrator_name}." if len(sides) > 1 else ""
    note = OFF_NOTE if any(cell.look == "off" for row in rows for cell in row) else ""
    said = " ".join(filter(None, (arrows, note)))
    return Table("promises", title, tuple(headings), tuple(rows), f"{title}.", said)


def _moved(parts: Sequence[ScalarProblem | None], written: Callable[[ScalarProblem], str]) -> str:
    """A number of a category before a calibrator, and after it where there is one."""
    return " → ".join(["–" if part is None else written(part) for part in parts])


def _numbers(
    name: str, parts: Sequence[ScalarProblem | None], measured: Callable[[ScalarProblem], float]
) -> tuple[tuple[str, float], ...]:
    """Numbers before and after a calibrator with all digits, for programs that read the page."""
    named = zip((name, "after"), parts, strict=False)
    return tuple((called, measured(part)) for called, part in named if part is not None)


def _is_off(parts: Sequence[ScalarProblem | None], low: float, high: float, of_many: int) -> bool:
    """Whether the share that is observed in a category, by the scores that are judged, surely lies outside of it."""
    last = parts[-1]
    return last is not None and surely_outside(last, low, high, of_many) > 0


def _kept_promise(
    situation: Situation, parts: Sequence[ScalarProblem | None], low: float, high: float, is_off: bool
) -> Cell:
    """The interval of what is observed, beside the category, by the scores that are judged."""
    last = parts[-1]
    if last is None:
        return Cell("–")
    lower, upper = share_ends(situation, last, last.mean_target)
    if np.isnan(lower):
        return Cell("–", why="too few clusters for an interval")
    of: Any = "stands" if is_off else "after" if len(parts) > 1 else "before"
    strip = Strip(lower, last.mean_target, upper, high, not is_off, low, of)
    return Cell(f"observed {interval(lower, upper)}", strip=strip)


def _counted(part: ScalarProblem) -> str:
    """How many samples are events, of how many."""
    return f"{part.mean_target * part.samples:,.0f} of {part.samples:,}"


def _measured(situation: Situation, side: Side) -> list[list[dict[str, Any]]]:
    """The numbers of every category, trial by trial."""
    binning = situation.spec.chosen_binning
    return [
        [problem_likert(problem, low, high, binning) for low, high in situation.spec.categories().values()]
        for problem in side.problems
    ]


def _noise(situation: Situation, side: Side) -> tuple[Floors, str]:
    """The noise floors of the errors of categories with samples, by "error category", and why there are none."""
    return several_beside(situation, _floors, side, label="categories")


@slow(*OF_SCORES, *OF_BINS, "likert")
def _floors(situation: Situation, side: Side) -> Steps:
    binning, categories = situation.spec.chosen_binning, situation.spec.categories()

    def errors(problem: Any) -> dict[str, float]:
        rows = {name: problem_likert(problem, *ends, binning) for name, ends in categories.items()}
        return {f"{what} {name}": row[what] for name, row in rows.items() if row["count"] for what in ERRORS}

    yield 1.0, floors_of(situation, side, situation.lens, side.problems, errors, of_many=len(categories))


@reads(*OF_SAMPLES)
def _found_cell(situation: Situation, side: Side, ends: tuple[float, float]) -> Cell:
    """A cell of the share that is observed in a category, in any bins: of one trial with its interval."""
    rows = [problem_likert(problem, *ends, Uniform(1)) for problem in side.problems]
    found = [row["mean_target"] for row in rows]
    if np.isnan(found).any():
        return Cell("–")
    if len(found) > 1:
        return Cell(spread(found))
    (problem,) = side.problems
    part = in_category(problem, *ends)
    assert part is not None
    low, high = share_ends(situation, part, found[0])
    numbers = ("observed", found[0]), ("lower", low), ("upper", high)
    return Cell(spread(found), below=interval(low, high), numbers=numbers)


def _cell(what: str, values: Sequence[Any], floor: NoiseFloor | None, why_not: str) -> Cell:
    if what == "count":
        return Cell(f"{round(np.mean(values)):,}")
    if np.isnan(values).any():
        return Cell("–")
    if what not in ERRORS:
        return Cell(spread(values), numbers=((what, float(np.mean(values))),))
    return error_cell(spread(values), float(np.mean(values)), Beside(floor, no_floor=why_not, no_interval=NOT_HERE))


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the errors of the categories before and after recalibration."""
    spec, has_after = situation.spec, situation.spec.is_recalibrated
    categories = dict(spec.likert) if spec.likert and isinstance(spec.likert[0], tuple) else list(spec.likert)
    if not categories:
        return Code()
    of = f"{pictured(situation)}, categories={categories!r}, binning={as_code('binning', spec.chosen_binning)}"
    of += f", selection={spec.selection!r}"
    prints = [f"print(cv.likert_error(predictions, {of}).to_dataframe().T)"]
    if has_after:
        mapped = (
            "predictions, {}, calibrator=fitted" if situation.maps is not None else "fitted.transform(predictions), {}"
        )
        prints.append(f"print(cv.likert_error({mapped.format(of)}).to_dataframe().T)")
    return Code(tuple(prints), has_after)
