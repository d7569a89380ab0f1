"""The panel Decision: what acting from a threshold on is worth, who changes sides, what is observed near it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from scipy.special import ndtri

from ... import figures
from ...context.class_lenses import Pooled
from ...context.lenses import is_about_predicted
from ...data.nouns import Nouns
from ...decisions.acting_draws import (
    EQUAL,
    LEVEL,
    BenefitDifference,
    DecisionDraws,
    decision_steps,
    is_of_one_outcome,
    too_few,
)
from ...decisions.selective import risk_curve, with_intervals
from ...decisions.thresholds import ALL, MODEL, NONE, RECALIBRATED, THRESHOLDS, WIDTH, crossings, near_thresholds
from ...engine.scalar import ScalarProblem
from ...figures import Label, Run
from ...figures.segment_names import name_of
from ...figures.shapes import nothing, round_ticks, signed
from ...figures.styles import BLUE, GREEN_TEXT
from ...figures.svg.cards import benefit_lines
from ...figures.tables import Cell, Column, Place, Table
from ...foundation.marked import aside, strong
from ...foundation.written import chosen_percent, interval, of_hundred, percent, with_minus
from ...metrics.clinical.acting import Prevalence
from ...recalibration.registry import AS_IT_IS
from ..asked.spec import OF_AFTER, OF_SAMPLES, OF_SCORES
from ..first_screen.calibrators import recommended
from ..first_screen.segments import OF_SEARCH, problem_of, searched, worst_segment
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

SHOWN_MORE = float((1 + ndtri(0.8) / ndtri((1 + LEVEL) / 2)) ** 2)  # samples to show a difference at 95 %, 80 % power
ROOM_ABOVE = 0.7  # the share of the axis above which the names of the curves have no room over them
AT_NAMES = 0.6  # the threshold above which the names of the curves stand
FEWEST_NEAR = 10  # samples near the threshold, below which the share of true ones is grey


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
        _table(situation, problems, draws, table),
        _risk_figure(situation),
    )
    sides = _sides(situation)
    if sides is not None and why is not None:
        records = *records, replace(sides, title=f"{sides.title}{why}")
    return Content(
        records,
        note,
        below="\n".join(filter(None, (_near_it(situation), acceptance(situation)))),
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


@reads(*OF_SAMPLES, "threshold", "prevalence", *OF_SEARCH)
def _near_it(situation: Situation) -> str:
    """Marked sentences on what is observed of scores near the threshold: of all, and of the segment that is off."""
    at, nouns = situation.spec.threshold, situation.nouns
    low, high = (chosen_percent(min(1.0, max(0.0, at + side * WIDTH))) for side in (-1, 1))
    found = _observed_near(situation.before.problems[0], at, situation.spec.prevalence)
    if not found["count"]:
        return ""
    start = f"Of 100 predicted about {chosen_percent(at)}"
    observed, *ends = of_hundred(found["target"], found["lower"], found["upper"])
    between = f"{nouns.counted(found['count'])} between {low.removesuffix(' %')} and {high}"
    if found["count"] < FEWEST_NEAR or np.isnan(found["lower"]):
        said = [f"Only {between}: too few to say what is observed of {chosen_percent(at)}."]
    else:
        said = [f"{start}, {strong(nouns.happened_short(observed))} {aside(f'({ends[0]} to {ends[1]}; {between})')}."]
    worst = worst_segment(situation)
    if worst is None:
        return said[0]
    inside = problem_of(situation, situation.before, worst.selection)
    name, found = name_of(worst), _observed_near(inside, at, situation.spec.prevalence)
    if not found["count"]:
        return "\n".join([*said, f"{name.begins()} nobody has a score near it."])
    if found["count"] < FEWEST_NEAR or np.isnan(found["lower"]):
        return "\n".join([*said, f"{name.begins()} too few are near it to say ({nouns.counted(found['count'])})."])
    observed, *ends = of_hundred(found["target"], found["lower"], found["upper"])
    of = aside(f"({' to '.join(ends)} of 100; {nouns.counted(found['count'])})")
    return "\n".join([*said, f"{name.begins()} {strong(nouns.happened_short(observed))} {of}."])


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
        {_name(situation, side): risk_of(problem) for side, problem in paired_problems(situation).items()},
        after=_name(situation, RECALIBRATED),
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
    y, (lower, upper) = (min(levels), (-42.0, -26.0)) if is_high else (max(levels), (26.0, 42.0))
    yield Label(x, y, ((Run("as it is", BLUE, True),),), "right", above=lower)
    if after is not None:
        yield Label(x, y, ((Run(f"after {calibrator}", GREEN_TEXT, True),),), "right", above=upper)


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
    at, prevalence, change = situation.spec.threshold, situation.spec.prevalence, found.difference
    table = draws.table(prevalence).net_benefit.sel(threshold=at, method="nearest")
    benefit, of_rule = (_unsigned(float(table.sel(strategy=way))) for way in (MODEL, found.rule))
    difference, low, high = map(_signed, (change.value, change.lower, change.upper))
    numbers = (
        f"net benefit {strong(f'{benefit} per 100')}",
        f"act on {found.others} {of_rule}; difference {difference} ({low} to {high})",
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


def _name(situation: Situation, side: str) -> str:
    return situation.spec.model if side == MODEL else f"after {situation.calibrator_name}"


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
    needed = "" if found.word else _needed(found.difference, situation)
    return " ".join(filter(None, [found.sentence(situation.spec.threshold, situation.nouns), needed]))


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
    return f"{name} {verb}: {_span(change, situation.nouns)}."


@dataclass(frozen=True)
class Decided:
    """Whether acting from the threshold on is worth more than the better of acting on all and on nobody.

    `word` is "yes" or "no", or empty where neither is shown; `rule` is the simple rule, and `difference` that to it.
    """

    word: str
    rule: str
    difference: BenefitDifference

    @property
    def others(self) -> str:
        """Whom the simple rule acts on."""
        return "all" if self.rule == ALL else "nobody"

    def in_short(self, threshold: float) -> str:
        """The answer in a few words, without a full stop."""
        at, rule = f"acting from {chosen_percent(threshold)}", f"acting on {self.others}"
        if self.word == "no":
            return f"{rule} is better than {at}".capitalize()
        return f"{at} {'is' if self.word else 'is not shown to be'} better than {rule}".capitalize()

    def sentence(self, threshold: float, nouns: Nouns) -> str:
        """The answer as a marked sentence."""
        at, rule = chosen_percent(threshold), self.others
        if not self.word:
            few = f": {self.difference.counted(nouns)} acted on otherwise, too few to say" * self.difference.is_of_few
            ends = few or f" ({_gain(self.difference, self.rule, threshold, nouns)[1]})"
            return f"Not shown {strong(f'from {at}')}: the gain over acting on {rule} is within noise{ends}."
        worth, ends = _gain(self.difference, self.rule, threshold, nouns, -1 if self.word == "no" else 1)
        if self.word == "no":
            return f"No, {strong(f'not from {at}')}: acting on {rule} is worth {worth} ({ends})."
        return f"Yes, {strong(f'from {at}')}: worth {worth} than acting on {rule} ({ends})."


def _gain(difference: BenefitDifference, rule: str, threshold: float, nouns: Nouns, sign: int = 1) -> tuple[str, str]:
    """How much acting is worth per 100 samples, in words, and the ends of its interval.

    To acting on all it is in needless acts, to nobody in rightful ones. With a `sign` of -1 the simple rule gains it.
    """
    price = threshold / (1 - threshold)
    times, what = (1 / price, "fewer acted on needlessly") if rule == ALL else (1.0, "more acted on rightly")
    ends = sorted(sign * times * end for end in (difference.lower, difference.upper))
    low, high = map(_unsigned, ends)
    return f"{_unsigned(sign * times * difference.value)} {what} per 100 {nouns.many}", f"{low} to {high}"


def decided(situation: Situation, draws: DecisionDraws) -> Decided | None:
    """Whether acting at the threshold is worth while; None where that is not known."""
    at, prevalence = situation.spec.threshold, situation.spec.prevalence
    known = {
        rule: found for rule in (ALL, NONE) if (found := draws.difference(MODEL, rule, at, prevalence)) is not None
    }
    if len(known) < 2:
        return None
    less = [rule for rule, difference in known.items() if difference.is_less]
    unsure = [rule for rule, difference in known.items() if not difference.is_more]
    rule = min(less or unsure or known, key=lambda each: known[each].value)
    return Decided("no" if less else "" if unsure else "yes", rule, known[rule])


def _is_worth(situation: Situation, draws: DecisionDraws) -> bool:
    """Whether acting at the threshold is shown to be worth it."""
    found = decided(situation, draws)
    return found is not None and found.word == "yes"


def _needed(difference: BenefitDifference, situation: Situation) -> str:
    """A sentence that says about how many samples would show a difference of this size; empty if that is not known.

    The half width h of the 95 % interval narrows with the square root of the number n of samples. With n (h / d)^2
    samples it would show a difference d only every second time: with `SHOWN_MORE` times as many, 4 times out of 5.
    """
    half, size = (difference.upper - difference.lower) / 2, abs(difference.value)
    if size < 1e-9 or not half > 0 or difference.is_of_few or situation.of_summary:
        return ""
    n = situation.before.problems[0].samples
    needed = SHOWN_MORE * n * (half / size) ** 2
    if needed <= n or needed > 1e7:
        return ""
    rounded = round(needed, -int(math.log10(needed)) + 1)
    return (
        f"If it is as large as it looks here, some {rounded:,.0f} {situation.nouns.many} would show it with 80 % "
        f"probability; here are {n:,}."
    )


def _span(difference: BenefitDifference, nouns: Nouns) -> str:
    value, low, high = map(_signed, (difference.value, difference.lower, difference.upper))
    if difference.is_of_none:
        return f"the same {nouns.many} are acted on"
    if difference.is_of_few:
        return f"{value} per 100; {difference.counted(nouns)} acted on otherwise, too few to say"
    return f"{value} per 100, 95 % interval {low} to {high}"


def _table(situation: Situation, problems: dict[str, ScalarProblem], draws: DecisionDraws, table: xr.Dataset) -> Table:
    """The table of what each way to act is worth at the threshold."""
    at, prevalence = situation.spec.threshold, situation.spec.prevalence
    here = table.sel(threshold=at, method="nearest")
    cases = float(here.true_positive.sel(strategy=ALL))
    ways = {
        **{side: (_name(situation, side), _near(problem, at, prevalence)) for side, problem in problems.items()},
        ALL: ("all", Cell("")),
        NONE: ("nobody", Cell("")),
    }
    rows = []
    for way, (name, near) in ways.items():
        # The interval is that above nobody, which brings nothing: so the sentence above the table says the same.
        whole = None if way == NONE else draws.difference(way, NONE, at, prevalence)
        above = draws.difference(way, ALL, at, prevalence) if way in problems else None
        rows.append(_row(name, here.sel(strategy=way), cases, whole, above, near))
    columns = (
        Column("act on", "Those whose score reaches the threshold, before and after recalibration; all; none"),
        Column("net benefit", "Per 100 samples: those rightly acted on, minus those needlessly at the price of the "
               "threshold, t / (1 − t) (Vickers and Elkin 2006). Below it the 95 % bootstrap interval, if it is known"),
        Column("above acting on all", "The difference to acting on all on the same samples; grey where its interval "
               "holds 0, or too few are acted on otherwise"),
        Column("acted on", "Of 100 samples; below it how many of them rightly and needlessly, and how many are missed"),
        Column(f"observed near {chosen_percent(at)}", f"The share that is observed of samples whose score lies within "
               f"{100 * WIDTH:g} points of the threshold, with its 95 % interval, at the prevalence that is chosen"),
    )  # fmt: skip  # short entries stand in rows
    alt = f"Net benefit of acting from {chosen_percent(at)} on."
    unknown = (
        "The samples are all of one kind, so no weights bring them to this prevalence." if math.isnan(cases) else ""
    )
    note = " ".join(filter(None, [unknown, _price(at), _moved(situation, problems)]))
    return Table("decision", "", columns, tuple(rows), alt, note)


def _row(
    name: str,
    here: xr.Dataset,
    cases: float,
    whole: BenefitDifference | None,
    above: BenefitDifference | None,
    near: Cell,
) -> tuple[Cell, ...]:
    benefit = float(here.net_benefit)
    value = Cell("–" if math.isnan(benefit) else _unsigned(benefit), below=_noise(whole, "acted on", _unsigned))
    difference = Cell("")
    if above is not None:
        verb = "differs" if round(above.samples) == 1 else "differ"
        below = _noise(above, verb, _signed)
        difference = Cell(_signed(above.value), below=below, faint=not (above.is_more or above.is_less))
    rightly, vain = 100 * float(here.true_positive), 100 * float(here.false_positive)
    missed = abs(100 * cases - rightly)  # not −0.0
    treated = Cell(f"{rightly + vain:.1f}", below=f"{rightly:.1f} rightly, {vain:.1f} needlessly\n{missed:.1f} missed")
    if math.isnan(missed):
        treated = Cell("–")
    return Cell(name), value, difference, treated, near


def _noise(difference: BenefitDifference | None, verb: str, written: Callable[[float], str]) -> str:
    """The interval of a net benefit, or that too few samples make it; empty of what is the same for all samples."""
    if difference is None:
        return ""
    if difference.is_of_none:
        return f"0 {verb}"
    if difference.is_of_few:
        return f"{difference.samples:,.0f} {verb}: too few to say"
    if difference.upper - difference.lower <= EQUAL:
        return ""
    return f"{written(difference.lower)} to {written(difference.upper)}"


def _signed(benefit: float) -> str:
    """A difference of net benefits per 100 samples."""
    return signed(100 * benefit, 1)


def _unsigned(benefit: float) -> str:
    """A net benefit per 100 samples, with a sign only if it is negative."""
    return _signed(benefit).removeprefix("+")


def _near(problem: ScalarProblem, threshold: float, prevalence: float | None) -> Cell:
    """The share of true ones near the threshold at a prevalence, with its interval, and the mean score."""
    near = _observed_near(problem, threshold, prevalence)
    if not near["count"]:
        return Cell("nobody", below="has a score near it", faint=True)
    of = f"of {near['count']:,.0f}, predicted {percent(near['score'])}"
    ends = interval(near["lower"], near["upper"])
    surely = near["lower"] > near["score"] or near["upper"] < near["score"]
    return Cell(percent(near["target"]), below=f"{ends}\n{of}", faint=not surely or near["count"] < FEWEST_NEAR)


def _observed_near(problem: ScalarProblem, threshold: float, prevalence: float | None) -> dict[str, float]:
    """The means of the samples near the threshold, predicted and observed, at a prevalence."""
    columns = near_thresholds(problem, np.array([threshold]), WIDTH, LEVEL)
    near = {name: float(column[0]) for name, column in columns.items()}
    return near | _at_prevalence(near, prevalence, problem)


def _at_prevalence(found: Mapping[str, float], prevalence: float | None, problem: ScalarProblem) -> dict[str, float]:
    """A share of true ones, and the ends of its interval, with the samples weighted to a prevalence."""
    there = Prevalence(prevalence, False)
    return {name: there.target(found[name], problem.mean_target) for name in ("target", "lower", "upper")}


def _price(threshold: float) -> str:
    """A sentence that says how a threshold weighs the two ways to be wrong."""
    odds, subject = threshold / (1 - threshold), f"Acting from {chosen_percent(threshold)} on"
    if odds <= 1:
        return f"{subject}, one missed weighs as much as {1 / odds:.3g} acted on needlessly."
    return f"{subject}, one acted on needlessly weighs as much as {odds:.3g} missed."


def _moved(situation: Situation, problems: Mapping[str, ScalarProblem]) -> str:
    """A sentence that says who changes sides under the calibrator."""
    if RECALIBRATED not in problems:
        return ""
    at = situation.spec.threshold
    table = crossings(problems[MODEL], problems[RECALIBRATED], np.array([at]), LEVEL)
    if table is None:
        other = f"Under {situation.calibrator_name} another class is the likeliest for some"
        return f"{other}: who changes sides is not known."
    said = []
    for direction, words in (("up", "acted on only after"), ("down", "no longer acted on after")):
        row = table.sel(direction=direction).isel(threshold=0)
        count = int(row["count"])
        if count:
            given = {name: float(row[name]) for name in ("target", "lower", "upper")}
            found = _at_prevalence(given, situation.spec.prevalence, problems[MODEL])
            share, ends = percent(found["target"]), interval(found["lower"], found["upper"])
            said.append(
                f"{count:,} {words} {situation.calibrator_name}, {share} of them observed (95 % interval {ends})"
            )
    return f"Changing sides: {'; '.join(said)}." if said else f"Nobody changes sides under {situation.calibrator_name}."


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
