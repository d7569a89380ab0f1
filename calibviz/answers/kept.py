"""The two kept states side by side: what each looks at, its means, its errors, and how B differs from A."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..figures.tables import Cell, Column, Table
from ..foundation.marked import aside, strong
from ..foundation.written import difference, in_unit, interval, of_hundred, percent
from ..metrics.records.registry import METRICS
from .asked.spec import OF_SCORES
from .first_screen.calibrators import brier_of
from .situation.content import Content
from .situation.engine import Side
from .situation.noise import TO_COME, beside_error, error_cell, interval_of
from .situation.paired_change import LEVEL, PairedChange, paired_brier_change
from .situation.situation import Situation
from .subject import subject

SUBJECT_PARTS = ("model", "lens", "selection")
COLUMNS = (
    Column(""),
    Column("subject"),
    Column("samples"),
    Column("predicted", "The mean score"),
    Column("observed", "The share that is observed"),
    Column(
        METRICS["ks"].title,
        "Largest distance of the cumulative curves, with what noise alone shows, and interval. Of B − A one that "
        "holds the true difference in at least 95 of 100 cases, from an interval of each at 97.5 %",
    ),
    Column("Brier", "Mean squared distance of score and truth: lower is better. Of B − A with its 95 % interval"),
)


@dataclass(frozen=True)
class KeptSide:
    """A kept state before or after its recalibration, in numbers; means over the trials."""

    situation: Situation
    side: Side
    predicted: float
    observed: float
    ks: float
    brier: float


def kept(situations: Mapping[str, Situation]) -> Content:
    """The table of the kept states, by their names; no record where nothing is kept."""
    if not situations:
        return Content(())
    rows: list[tuple[Cell, ...]] = []
    before: dict[str, KeptSide] = {}
    after: dict[str, KeptSide] = {}
    notes = []
    for name, situation in situations.items():
        words = subject_words(situation)
        try:
            before[name] = _side(situation, situation.before)
            rows.append(_row(name, words, before[name]))
            if situation.after is not None:
                after[name] = _side(situation, situation.after)
                rows.append(_row(f"{name}, recalibrated", f"recalibrated by {situation.calibrator_name}", after[name]))
        except ValueError as why:  # such as a selection that keeps no sample
            notes.append(f"{name} ({words}) cannot be shown: {why}")
    for label, sides in (("B − A", before), ("B − A, recalibrated", after)):
        if len(sides) == 2 and sides["A"].side.key != sides["B"].side.key:
            rows.append(_difference(label, sides["A"], sides["B"]))
    columns = tuple(replace(each, text=_many(before)) if each.text == "samples" else each for each in COLUMNS)
    table = Table("kept", "", columns, tuple(rows), "The kept states, and how B differs from A.")
    return Content((table,), " ".join(notes), marked="\n".join(_said(before)))


def _many(sides: Mapping[str, KeptSide]) -> str:
    """The noun of the samples of all."""
    names = {side.situation.nouns.many for side in sides.values()}
    return names.pop() if len(names) == 1 else "samples"


def _said(sides: Mapping[str, KeptSide]) -> list[str]:
    """A line for each kept state, of what tells it from the other, and whether B is better."""
    parts = {name: {part.name: part.text for part in subject(side.situation)} for name, side in sides.items()}
    lines = []
    for name, side in sides.items():
        others = [parts[other] for other in sides if other != name]
        differing = [part for part in SUBJECT_PARTS if any(o[part] != parts[name][part] for o in others)]
        own = ", ".join(parts[name][part] for part in differing)
        predicted, observed = of_hundred(side.predicted, side.observed)
        count = aside(f"({side.situation.counted(side.side.problems[0])})")
        which = f"{strong(name)}, {own}" if own else strong(name)
        lines.append(f"{which}: predicted {predicted} of 100, observed {observed} {count}.")
    change = _paired_change(sides["A"], sides["B"]) if len(sides) == 2 else None
    if change is not None and sides["A"].side.key != sides["B"].side.key:
        lines.append(f"{strong('B')} against {strong('A')}, sample by sample: {change}.")
    return lines


def overlays_of(situations: Mapping[str, Situation]) -> tuple[str, ...]:
    """The overlays that show B beside A; empty where they differ by more than the model or the calibrator."""
    if len(situations) < 2:
        return ()
    first, second = situations["A"].spec, situations["B"].spec
    if _differ_by("model", situations):
        return (f"model: {second.model}",)
    if _differ_by("calibrator", situations):
        return tuple(f"calibrator: {spec.calibrator}" for spec in (first, second) if spec.is_recalibrated)
    return ()


def _differ_by(choice: str, situations: Mapping[str, Situation]) -> bool:
    """Whether A and B look at the same but for one choice."""
    parts = (*OF_SCORES, "calibrator")
    first, second = situations["A"].spec, situations["B"].spec
    return [part for part in parts if getattr(first, part) != getattr(second, part)] == [choice]


def subject_words(situation: Situation) -> str:
    """The subject of a situation in words: its model, lens and selection."""
    try:
        return " · ".join(part.words for part in subject(situation) if part.name in SUBJECT_PARTS)
    except ValueError:  # what does not exist has no number of samples
        return " · ".join(filter(None, (situation.spec.model, situation.spec.lens, situation.spec.selection)))


def _side(situation: Situation, side: Side) -> KeptSide:
    problems = side.problems
    return KeptSide(
        situation,
        side,
        float(np.mean([problem.mean_score for problem in problems])),
        float(np.mean([problem.mean_target for problem in problems])),
        situation.ks(side),
        brier_of(side),
    )


def _row(name: str, words: str, side: KeptSide) -> tuple[Cell, ...]:
    return (
        Cell(name),
        Cell(words),
        Cell(f"{side.side.problems[0].samples:,}"),
        Cell(percent(side.predicted)),
        Cell(percent(side.observed)),
        error_cell(percent(side.ks), side.ks, beside_error(side.situation, side.side, "ks")),
        Cell(in_unit(side.brier, "")),
    )


def _difference(label: str, first: KeptSide, second: KeptSide) -> tuple[Cell, ...]:
    change = _paired_change(first, second)
    below = "" if change is None else interval(change.low, change.high, "", signed=True)
    return (
        Cell(label),
        Cell("not the same samples" if change is None else "same samples, paired"),
        Cell(" and ".join(f"{kept_side.side.problems[0].samples:,}" for kept_side in (first, second))),
        *(_points(getattr(second, name) - getattr(first, name)) for name in ("predicted", "observed")),
        replace(_points(second.ks - first.ks), below=_ends_of_ks(first, second)),
        Cell(difference(second.brier - first.brier), below=below, faint=change is not None and change.is_noise),
    )


def _points(change: float) -> Cell:
    return Cell(f"{difference(change, '%')} points")


def _ends_of_ks(first: KeptSide, second: KeptSide) -> str:
    """The interval of the difference of the true KS errors (Bonferroni); empty where one of them has none."""
    if len(first.side.problems) > 1 or len(second.side.problems) > 1:
        return ""
    jobs = [interval_of(each.situation, each.side, "ks", level=1 - LEVEL / 2) for each in (first, second)]
    if any(job.value is None and not job.ended_early for job in jobs):
        return TO_COME
    (one, _), (other, _) = (job.value or (None, "") for job in jobs)
    if one is None or other is None:
        return ""
    return interval(other.lower - one.upper, other.upper - one.lower, signed=True)


def _paired_change(first: KeptSide, second: KeptSide) -> PairedChange | None:
    """The change of the Brier score; None where several trials, or other samples, are looked at."""
    is_of_one = len(first.side.problems) == len(second.side.problems) == 1
    if not (is_of_one and first.situation.has_samples_of(second.situation.spec.model)):
        return None
    return paired_brier_change(first.side.problems[0], second.side.problems[0])
