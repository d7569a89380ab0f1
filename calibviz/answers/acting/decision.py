"""The panel Decision: what acting from a threshold on is worth, who changes sides, what is observed near it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import xarray as xr

from ... import figures
from ...context.class_lenses import Pooled
from ...context.lenses import is_about_predicted
from ...decisions.acting_draws import (
    LEVEL,
    DecisionDraws,
    decision_steps,
    is_of_one_outcome,
    too_few,
)
from ...decisions.selective import risk_curve, with_intervals
from ...decisions.thresholds import ALL, MODEL, NONE, RECALIBRATED, THRESHOLDS, crossings
from ...engine.scalar import ScalarProblem
from ...figures import Label, Run
from ...figures.shapes import nothing, round_ticks
from ...figures.styles import BLUE, GREEN_TEXT
from ...figures.svg.cards import benefit_lines
from ...figures.tables import Place
from ...foundation.marked import aside, strong
from ...foundation.written import chosen_percent, with_minus
from ...recalibration.registry import AS_IT_IS
from ..asked.spec import OF_AFTER, OF_SAMPLES, OF_SCORES
from ..first_screen.calibrators import recommended
from ..first_screen.segments import OF_SEARCH, searched
from ..first_screen.verdict_sentences import worth_less_in_short
from ..first_screen.worst_news import worth_less
from ..situation.as_code import fitted_line, selected
from ..situation.content import Code, Content, Header, Record, ShortAnswer, thinned
from ..situation.engine import Side
from ..situation.job import Job, Steps
from ..situation.noise import TO_COME
from ..situation.reading import reads, slow
from ..situation.situation import Situation
from .acceptance import acceptance, code as acceptance_code
from .decided import decided, needed, span, unsigned_benefit, value_and_ends
from .decision_table import decision_table, way_name
from .observed_near import sentences_near

ROOM_ABOVE = 0.7  # the share of the axis above which the names of the curves have no room over them
AT_NAMES = 0.6  # the threshold above which the names of the curves stand


@reads(*OF_SAMPLES, *OF_AFTER, "threshold", "prevalence", "risk", *OF_SEARCH, "calibrators")
def decision(situation: Situation) -> Content:
    """Decision curves with their bands, the net benefit at the threshold, and risk against coverage."""
    if isinstance(situation.lens, Pooled):
        return Content((), "Nobody acts on all classes of a sample at once: choose a class, or the likeliest one.")
    name, why = _calibrator(situation)
    situation = situation.but(calibrator=name)
    problems = paired_problems(situation)
    if is_of_one_outcome(problems[MODEL]) and situation.spec.prevalence is None:  # no number is a worth then
        return Content((), situation.no_after, marked=_too_few(situation, problems[MODEL]))
    job = _drawn(situation, now="first")
    if job.value is None:
        return Content((), job.ended_early or "Computing the net benefit …")
    draws: DecisionDraws = job.value
    others = situation.after is not None and RECALIBRATED not in problems
    apart = (
        f"After {situation.calibrator_name} the selection keeps other {situation.nouns.many}: "
        "there is nothing to compare." * others
    )
    note = " ".join(
        filter(
            None,
            [
                situation.no_after,
                apart,
                _of_both(situation, problems),
                job.ended_early,
                situation.of_first_trial,
                _change(situation, draws),
            ],
        )
    )
    table = draws.table(situation.spec.prevalence)
    said = answer(situation, problems, draws) if draws.replicates else "Resampling, to say how sure that is …"
    records: tuple[Record, ...] = (
        _curves(situation, draws),
        decision_table(situation, problems, draws, table),
        _risk_figure(situation),
    )
    sides = _sides(situation)
    if sides is not None and why is not None:
        records = *records, replace(sides, title=f"{sides.title}{why}")
    return Content(
        records,
        note,
        below="\n".join(filter(None, (sentences_near(situation), acceptance(situation)))),
        marked="\n".join(filter(None, [said, _in_a_segment(situation, _is_worth(situation, draws))])),
    )


@reads(*OF_SCORES, *OF_AFTER)
def paired_problems(situation: Situation) -> dict[str, ScalarProblem]:
    """The problems of the first trial before and after recalibration, of the samples that both sides hold.

    Equal entries of `order` are the same sample.
    """
    before = situation.before.problems[0]
    if situation.after is None:
        return {MODEL: before}
    after = situation.after.problems[0]
    kept = np.intersect1d(before.order, after.order)
    if not len(kept):  # a selection by output may keep other samples after recalibration
        return {MODEL: before}
    sides = {MODEL: before, RECALIBRATED: after}
    if len(kept) == len(before) == len(after):
        return sides
    is_kept = np.zeros(int(max(before.order.max(), after.order.max())) + 1, dtype=bool)
    is_kept[kept] = True
    return {name: problem.subset(is_kept[problem.order]) for name, problem in sides.items()}


@reads(*OF_SAMPLES, *OF_AFTER, "threshold", "prevalence")
def _sides(situation: Situation) -> figures.Figure | None:
    """The picture of who is acted on before and after the calibrator of the panel; None without one."""
    problems = paired_problems(situation)
    if RECALIBRATED not in problems:
        return None
    at, prevalence = situation.spec.threshold, situation.spec.prevalence
    _, draws = next(decision_steps(problems, np.array([at])))
    drawn = _of_sides(problems, draws.table(prevalence), at, prevalence)
    return replace(drawn, title=f"{drawn.title} after {situation.calibrator_name}")


@reads(*OF_SAMPLES, *OF_AFTER, "threshold", *OF_SEARCH, "calibrators")
def _calibrator(situation: Situation) -> tuple[str, str | None]:
    """The name of the calibrator of the whole panel, and what a title adds on why; None where nothing asks for it.

    That is the chosen one, else the first that is shown to help and moves anybody at the threshold; else none is.
    """
    if situation.spec.is_recalibrated:
        return situation.spec.calibrator, ""
    for name in recommended(situation):
        if _moves_any(situation.but(calibrator=name)):
            return name, ", which is shown to help"
    return AS_IT_IS, None


def _moves_any(situation: Situation) -> bool:
    """Whether anybody is acted on before recalibration alone, or after it alone, at the threshold."""
    problems = paired_problems(situation)
    if RECALIBRATED not in problems:
        return False
    _, draws = next(decision_steps(problems, np.array([situation.spec.threshold])))
    return bool(draws.apart[frozenset((MODEL, RECALIBRATED))][0] > 0)


def _of_sides(
    problems: Mapping[str, ScalarProblem], table: xr.Dataset, at: float, prevalence: float | None
) -> figures.Figure:
    model = problems[MODEL]
    crossed = crossings(model, problems[RECALIBRATED], np.array([at]), LEVEL)
    if crossed is None:
        return figures.acted_on_figure(table, at)
    own = model.mean_target
    there = own if prevalence is None or own in (0.0, 1.0) else prevalence
    of_events, of_others = (part / whole if whole else 1.0 for part, whole in ((there, own), (1 - there, 1 - own)))
    changed = []
    for direction in ("up", "down"):
        row = crossed.sel(direction=direction).isel(threshold=0)
        events = float(np.nan_to_num(row.target * row.weight))
        changed.append((of_events * events + of_others * (float(row.weight) - events)) / model.total)
    return figures.acted_on_figure(table, at, (changed[0], changed[1]), model.samples if prevalence is None else None)


@reads(*OF_SAMPLES, "threshold", "prevalence", *OF_SEARCH)
def _in_a_segment(situation: Situation, is_worth: bool) -> str:
    """The segment in which acting at the threshold is worth less than a simple rule, if one is, in a sentence."""
    job = None if situation.spec.prevalence is not None else searched(situation, situation.before)
    side = situation.before
    if job is None or job.value is None or too_few(side.problems[0]):
        return ""
    found = worth_less(side.predictions[0], side.problems[0], job.value, situation.spec.threshold)
    return "" if found is None else worth_less_in_short(found, situation.nouns, is_worth)


def _of_both(situation: Situation, problems: Mapping[str, ScalarProblem]) -> str:
    """A sentence that says of whom everything is, where the selection keeps others before recalibration than after."""
    if RECALIBRATED not in problems or situation.after is None:
        return ""
    here, before, after = (
        side.samples for side in (problems[MODEL], situation.before.problems[0], situation.after.problems[0])
    )
    if here == before == after:
        return ""
    return (
        f"This is of the {here:,} {situation.nouns.many} that the selection keeps both before "
        f"{situation.calibrator_name} and after it, of {before:,} before and {after:,} after."
    )


@reads(*OF_SAMPLES, *OF_AFTER)
def _risk_figure(situation: Situation) -> figures.Figure:
    """The risk of those on whom the model decides, over the share that it decides on."""
    drawn = figures.risk_coverage_figure(
        {way_name(situation, side): risk_of(problem) for side, problem in paired_problems(situation).items()},
        after=way_name(situation, RECALIBRATED),
        acted_on=not (is_about_predicted(situation.lens) or (situation.of_summary and situation.knows_accuracy)),
    )
    return _padded(drawn)


def risk_of(problem: ScalarProblem) -> xr.Dataset:
    """The risk-coverage curve of a problem with its intervals, thinned out for a picture."""
    curve = risk_curve(problem)
    kept = thinned(curve.sizes["point"], figures.MOST_POINTS)
    return with_intervals(curve.isel(point=kept), problem, LEVEL)


def _curves(situation: Situation, draws: DecisionDraws) -> figures.Figure:
    table = with_both(draws.table(situation.spec.prevalence))
    figure = figures.decision_curve_figure({situation.spec.model: table}, situation.spec.threshold)
    hundreds = tuple((place, with_minus(f"{100 * place:g}")) for place in round_ticks(*figure.y_range).tolist())
    worth = f"What acting is worth, per 100 {situation.nouns.many}: net benefit"
    return replace(
        figure, x_label="act from this probability on", y_label=worth, has_level_names=True,
        y_ticks=hundreds, labels=tuple(_names_of_lines(figure, situation.calibrator_name)),
    )  # fmt: skip  # short entries stand in rows


def _names_of_lines(figure: figures.Figure, calibrator: str) -> Iterator[Label]:
    """The names of the curves, at places where they are apart from each other."""
    by_role = {series.role: series for series in figure.series if series.shape.startswith("line") and len(series.x)}
    top = figure.y_range[1]
    model, after, everybody = (by_role.get(role) for role in ("before", "after", "reference"))
    if everybody is not None:
        place = int(np.abs(everybody.y - 0.3 * top).argmin())
        yield Label(float(everybody.x[place]), 0.3 * top, ((Run("act on all"),),), "left")
    yield Label(float(figure.x_range[0]), 0.0, ((Run("act on nobody"),),), "right", above=20.0)
    if model is None:
        return
    place = int(np.abs(model.x - AT_NAMES).argmin())
    x, levels = float(model.x[place]), [float(series.y[place]) for series in (model, after) if series is not None]
    is_high = max(levels) > ROOM_ABOVE * top  # where names above the curves would lie over that of y
    y, away = (min(levels), -1.0) if is_high else (max(levels), 1.0)
    names = [(Run(f"after {calibrator}", GREEN_TEXT, True),)] if after is not None else []
    names.append((Run("as it is", BLUE, True),))  # in one label, so that neither lies over the other where it is broken
    yield Label(x, y, tuple(names), "right", above=away * (18.0 + 8.0 * len(names)))


def _drawn(situation: Situation, now: str = "", is_aside: bool = False) -> Job:
    own = () if situation.spec.threshold in THRESHOLDS else (situation.spec.threshold,)
    return _draws(situation, situation.after, *own, label="net benefit", now=now, is_aside=is_aside)


@slow(*OF_SCORES, *OF_AFTER)
def _draws(situation: Situation, _after: Side | None, *own: float) -> Steps:
    """Draws at all thresholds and at one of its own; of what is after recalibration, once that is there."""
    n = situation.spec.effort.acting
    return decision_steps(paired_problems(situation), np.unique([*THRESHOLDS, *own]), n)


@reads(*OF_SAMPLES, *OF_AFTER, "threshold", "prevalence", *OF_SEARCH)
def short_answer(situation: Situation) -> ShortAnswer:
    """The short answer to whether to act at the threshold, as far as it is known by now."""
    if isinstance(situation.lens, Pooled):
        return ShortAnswer()
    situation = situation.but(calibrator=AS_IT_IS)  # the answer is on the model alone
    problems = paired_problems(situation)
    job = _drawn(situation, is_aside=True)
    draws: DecisionDraws | None = job.value
    if draws is None or not draws.replicates:
        return ShortAnswer(job.ended_early or TO_COME)
    if few := _too_few(situation, problems[MODEL]):
        return ShortAnswer(few)  # a line of so few would look surer than it is
    said = [answer(situation, problems, draws), _in_a_segment(situation, _is_worth(situation, draws))]
    at = situation.spec.threshold
    return ShortAnswer(" ".join(filter(None, said)), benefit_lines(_curves(situation, draws), at), Place(at))


@reads(*OF_SAMPLES, *OF_AFTER, "threshold", "prevalence", *OF_SEARCH)
def header(situation: Situation) -> Header | None:
    """Lines for the header on acting on the model as it is; None after a calibrator, or where nothing is known yet."""
    if situation.spec.is_recalibrated or isinstance(situation.lens, Pooled):
        return None
    problem, draws = situation.before.problems[0], _drawn(situation).value
    found = None if draws is None or not draws.replicates or too_few(problem) else decided(situation, draws)
    if found is None or found.difference.is_of_few:
        return None
    at, prevalence = situation.spec.threshold, situation.spec.prevalence
    table = draws.table(prevalence).net_benefit.sel(threshold=at, method="nearest")
    benefit, of_rule = (unsigned_benefit(float(table.sel(strategy=way))) for way in (MODEL, found.rule))
    difference, ends = value_and_ends(found.difference)
    numbers = (
        f"net benefit {strong(f'{benefit} per 100')}",
        f"act on {found.others} {of_rule}; difference {difference} ({ends})",
        "" if prevalence is None else f"at a prevalence of {chosen_percent(prevalence)}",
    )
    whole = f"{found.in_short(at)} {aside(f'({situation.counted(problem)})')}."
    less = _in_a_segment(situation, found.word == "yes")
    return Header(tuple(filter(None, (whole, less))), tuple(filter(None, numbers)))


def with_both(table: xr.Dataset) -> xr.Dataset:
    """The table with a row for the recalibrated scores, nan without a calibrator, so that a picture keeps its marks."""
    if RECALIBRATED in table.strategy.values:
        return table
    return table.reindex(strategy=[MODEL, RECALIBRATED, ALL, NONE])


def _padded(figure: figures.Figure) -> figures.Figure:
    """The picture with a second band and line, empty without a calibrator, so that it keeps its marks."""
    if len(figure.series) == 4:
        return figure
    band, line = figure.series
    return replace(figure, series=(band, nothing("after", band.shape), line, nothing("after", line.shape)))


def _too_few(situation: Situation, problem: ScalarProblem) -> str:
    return too_few(problem, situation.nouns, situation.cluster_nouns)


def answer(situation: Situation, problems: Mapping[str, ScalarProblem], draws: DecisionDraws) -> str:
    """A sentence or two that say whether acting on the scores at the threshold is worth while.

    A strategy is called better or worse if the 95 % bootstrap interval of the difference on the same samples does not
    hold 0. If a class has too few samples, or too few make the difference, replicates do not show the noise, and the
    sentence says that instead.
    """
    if few := _too_few(situation, problems[MODEL]):
        return few
    found = decided(situation, draws)
    if found is None:
        return ""
    more = "" if found.word else needed(found.difference, situation)
    return " ".join(filter(None, [found.sentence(situation.spec.threshold, situation.nouns), more]))


def _change(situation: Situation, draws: DecisionDraws) -> str:
    """A sentence on what the calibrator adds to the net benefit; empty where there is none, or nothing is known yet."""
    if not draws.replicates or RECALIBRATED not in paired_problems(situation):
        return ""
    change = draws.difference(RECALIBRATED, MODEL, situation.spec.threshold, situation.spec.prevalence)
    name = situation.calibrator_name.capitalize()
    if change is None or too_few(situation.before.problems[0]):
        return ""
    if change.value == change.lower == change.upper == 0:
        return f"{name} changes nothing at this threshold."
    verb = "adds" if change.is_more else "takes away" if change.is_less else "makes no difference that is shown"
    return f"{name} {verb}: {span(change, situation.nouns)}."


def _is_worth(situation: Situation, draws: DecisionDraws) -> bool:
    """Whether acting at the threshold is shown to be worth it."""
    found = decided(situation, draws)
    return found is not None and found.word == "yes"


def code(situation: Situation, opened: str) -> Code:
    """Code that prints what acting at the chosen threshold is worth, after the calibrator that the panel shows."""
    if isinstance(situation.lens, Pooled):
        return Code()
    chosen, (name, _) = situation.spec.calibrator, _calibrator(situation)
    situation = situation.but(calibrator=name)
    has_after, fitted = situation.spec.is_recalibrated, (fitted_line(situation),) if name != chosen else ()
    of = f"{selected(situation)}, thresholds=[{situation.spec.threshold!r}], prevalence={situation.spec.prevalence!r}"
    of += f"{', calibrator=fitted' if has_after else ''}, replicates={situation.spec.effort.acting}"
    return Code(
        (*fitted, f"print(cv.decision_curve(predictions, {of}).to_dataframe().T)", *acceptance_code(situation)),
        has_after and not fitted,
    )
