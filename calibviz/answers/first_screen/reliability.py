"""The panel Reliability: the reliability diagram, and the histogram of the scores below it."""

from __future__ import annotations

from typing import Any

from ... import figures
from ...context.class_lenses import Pooled
from ...engine.binnings.binning_kinds import EQUAL_MASS
from ...figures import Overlay, Wording, WorstSegment, axis_names
from ...figures.segment_names import name_of
from ...figures.tables import Cell, Column, Table
from ...foundation.written import an, difference, in_unit, interval, percent
from ...metrics.binned import ks_error
from ...metrics.clinical.penalised_curve import penalised_curve
from ...metrics.scores import brier_score
from ...uncertainty.intervals.bin_intervals import INTERVAL_LEVEL, interval_of
from ..asked.spec import OF_AFTER, OF_BINS, OF_DRAWN, OF_SAMPLES, OF_SCORES
from ..situation.content import Content
from ..situation.engine import Side
from ..situation.job import Steps
from ..situation.noise import beside_error
from ..situation.paired_change import PairedChange, paired_brier_change
from ..situation.reading import reads, slow
from ..situation.situation import Situation
from .segments import OF_SEARCH, problem_of, worst_segment

AT_ONCE = 20_000  # samples that the flexible curve is fitted to in a moment


@reads(
    *OF_DRAWN, *OF_BINS, *OF_SEARCH,
    "bin", "interval", "likert", "panels", "scale", "threshold",
)  # fmt: skip  # short entries stand in rows
def reliability(situation: Situation) -> Content:
    """The reliability diagram, with bars, overlays, curves and categories, and the histogram of the scores."""
    spec, side = situation.spec, situation.drawn
    is_moved = side is not situation.before
    bins, note = situation.bins(side), ""
    bars: Any = None
    name = f"{100 * INTERVAL_LEVEL:g} % interval"
    if spec.interval == "none" or len(side.problems) > 1:
        bars = "none" if spec.interval == "none" else None
    elif spec.interval != "clopper-pearson" and isinstance(situation.lens, Pooled):
        bars, note = "none", f"No {spec.interval} bars: they take scores for independent, and these are not."
    elif spec.interval != "clopper-pearson":
        job = _bars(situation, side, label=f"{spec.interval} bars")
        bars, note = ("none" if job.value is None else job.value), job.ended_early
        if spec.interval == "consistency":
            name = f"{100 * INTERVAL_LEVEL:g} % consistency bars"
    sides = [situation.before, *([side] if is_moved else []), *(other for _, other in situation.overlays)]
    curves = tuple(
        name for name in spec.curves if name != "flexible" or all(_has_curve(situation, each) for each in sides)
    )
    after = situation.recalibrated_overlay
    overlays = [
        Overlay(label, other.problems, situation.bins(other), other is after) for label, other in situation.overlays
    ]
    if after is None and not is_moved:
        overlays += _calibrator_to_try(situation, "flexible" in curves)
    current = spec.bin if spec.bin is not None and spec.bin < len(bins[0]) else None
    categories = spec.categories()
    wording = _wording(situation)
    everyone = situation.but(selection="").drawn if is_moved else situation.unselected
    behind = situation.bins(everyone) if spec.selection and len(bins) == 1 else None
    what, name_of_dots = situation.name, spec.model if situation.overlays else ""
    if is_moved:
        name_of_dots = f"after {situation.calibrator_name}"
        what += f", {name_of_dots}"
    diagram = figures.reliability_figure(
        side.problems, bins, what, wording=wording, behind=behind, categories=categories, bars=bars,
        bars_name=name, overlays=overlays,
        curves=curves, current=current, draggable=spec.edges,
        threshold=spec.threshold if "decision" in spec.panels else None,
        model=name_of_dots, before=situation.before.problems[0] if is_moved else None,
    )  # fmt: skip  # short entries stand in rows
    if len(situation.trials) > 1 and spec.kind.chooses:
        note = f"All trials in {len(bins[0])} {EQUAL_MASS.name} bins, as many as the {spec.binning} of the first has."
    compared = (_differences(situation),) if situation.overlays and len(situation.trials) == 1 else ()
    if spec.scale == "stretched ends":
        diagram = figures.stretched(diagram)
    return Content((diagram, _histogram(situation), *compared), note, marked=_apart(situation) if compared else "")


@reads(*OF_SAMPLES, *OF_SEARCH, *OF_AFTER)
def _wording(situation: Situation) -> Wording:
    """The words of the diagram, and the segment that it shows."""
    worst, segment, spec, nouns = worst_segment(situation), None, situation.spec, situation.nouns
    predicted = "the model's confidence" if situation.says_how_sure else "the model's probability"
    if spec.event_noun and not situation.says_how_sure:
        predicted += f" that {an(nouns.one)} {nouns.happened(1).removeprefix('1 ')}"
    elif situation.class_name is not None:
        predicted += f" of {situation.class_name}"
    if worst is not None:
        ends = worst.predicted, worst.observed, worst.lower, worst.upper
        side = situation.after
        is_moved = side is not None and not situation.keeps_others(side)
        after = problem_of(situation, side, worst.selection).mean_score if side is not None and is_moved else None
        segment = WorstSegment(name_of(worst).short, round(worst.count), *ends, after)
    return Wording(nouns, predicted, segment)


@slow(*OF_SCORES, *OF_BINS, "interval")
def _bars(situation: Situation, side: Side) -> Steps:
    problem, bins = side.problems[0], situation.bins(side)[0]
    n = situation.spec.effort.bars
    yield 1.0, interval_of(situation.spec.interval, problem, situation.spec.chosen_binning, bins, n=n)


@reads(*OF_SAMPLES, *OF_SEARCH, *OF_AFTER, "scale")
def _histogram(situation: Situation) -> figures.Figure:
    among = situation.unselected.problems if situation.spec.selection else None
    worst, part, noun, side = worst_segment(situation), None, situation.nouns.many, situation.after
    if worst is not None and among is None:
        name, count = name_of(worst), situation.nouns.counted(worst.count)
        words = f"{count} in {name.short}" if name.is_place else f"{name.short}: {count}"
        part = words, problem_of(situation, situation.before, worst.selection)
    x_label = axis_names(_wording(situation))[0]
    is_other = side is not None and situation.keeps_others(side)
    drawn = figures.histogram_figure(
        situation.before.problems, situation.name, among=among, x_label=x_label, noun=noun, worst=part,
        after=None if is_other or side is None else (situation.calibrator_name, side.problems),
    )  # fmt: skip  # short entries stand in rows
    return figures.stretched(drawn) if situation.spec.scale == "stretched ends" else drawn


def _calibrator_to_try(situation: Situation, with_curves: bool) -> list[Overlay]:
    side = situation.after
    if side is None or (with_curves and not _has_curve(situation, side)):
        return []
    return [Overlay(f"after {situation.calibrator_name}", side.problems, situation.bins(side), True)]


def _has_curve(situation: Situation, side: Side) -> bool:
    """Whether the flexible curve of a side is there; of many samples it is fitted beside the page."""
    return len(side.problems[0]) <= AT_ONCE or bool(_flexible_curve(situation, side, label="smooth curve").value)


@slow(*OF_SCORES)
def _flexible_curve(_situation: Situation, side: Side) -> Steps:
    penalised_curve(side.problems[0])
    yield 1.0, True


def _changes(situation: Situation) -> dict[str, PairedChange | None]:
    """How far the Brier score of each overlay lies above that of the model, where they are of the same samples."""
    current = situation.before.problems[0]
    return {
        name: paired_brier_change(current, other.problems[0]) if situation.has_samples_of(other.key[0][0]) else None
        for name, other in situation.overlays
    }


def _apart(situation: Situation) -> str:
    """Marked lines that say whether each overlay is better or worse than the model, and by how much."""
    return "\n".join(f"{name}: {change}" for name, change in _changes(situation).items() if change is not None)


def _differences(situation: Situation) -> Table:
    """A table of the model and of each overlay: its errors, and the change of the Brier score on the same samples."""
    changes = _changes(situation)
    rows = [_compared(situation, situation.spec.model, situation.before, None)]
    rows += [_compared(situation, name, other, changes[name]) for name, other in situation.overlays]
    columns = (
        Column("drawn"),
        Column("samples"),
        Column("KS", "Largest distance of the cumulative curves; below it what noise alone shows in 95 of 100 cases"),
        Column("Brier", "Mean squared distance of predicted and observed in each sample: lower is better"),
        Column(
            "Brier less the first",
            "The change of the Brier score on the same samples, with its 95 % interval; grey where that holds 0",
        ),
    )
    return Table(
        "drawn over", "", columns, tuple(rows), f"Errors of {situation.spec.model} and of what is drawn over it."
    )


def _compared(situation: Situation, name: str, side: Side, change: PairedChange | None) -> tuple[Cell, ...]:
    problem = side.problems[0]
    error = ks_error(problem)
    beside = beside_error(situation, side, "ks")
    chance = "" if beside.floor is None else f"noise: {percent(beside.floor.reaches)}"
    cell = Cell("")
    if change is not None:
        below = interval(change.low, change.high, "", signed=True)
        cell = Cell(difference(change.mean), below=below, faint=change.is_noise)
    elif side is not situation.before:
        cell = Cell("–", why="Not the same samples, or weighted ones")
    return (
        Cell(name),
        Cell(f"{problem.samples:,}"),
        Cell(percent(error), below=chance, faint=beside.is_noise(error)),
        Cell(in_unit(brier_score(problem), "")),
        cell,
    )
