"""The means, scores and errors of a model, each with its noise, and how recalibration changes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...context.induced import replicate
from ...decisions.acting_draws import is_of_one_outcome
from ...engine.binnings.binning import Sweep
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...figures.tables import Cell, Column, Table
from ...foundation.arrays import Array
from ...foundation.validation import clause_of
from ...foundation.written import UNKNOWN, difference, in_unit, inferred, interval, percent
from ...metrics.binned import binned_error, debiased_error
from ...metrics.records.registry import METRICS
from ...metrics.scores import brier_score, log_loss, right_share
from ...uncertainty.best_set import LEVEL, is_within, tested
from ...uncertainty.noise_floors import LIKELY, TOO_FEW, Beside
from ...uncertainty.resampling.bootstrap import draws_of
from ...uncertainty.resampling.contenders import contender_of
from ..asked.spec import OF_AFTER, OF_BINS, OF_ERROR, OF_SAMPLES, OF_SCORES
from ..first_screen.calibrators import change_of_brier, written_change
from ..situation.content import Content
from ..situation.engine import Side
from ..situation.job import Steps
from ..situation.noise import TO_COME, beside_error, mean_ends, missing, share_ends
from ..situation.reading import reads, slow
from ..situation.situation import Situation

SEED = 0
STEP = 25  # replicates between two looks at whether to go on
#: The numbers in their order: shares of samples, means and scores, and errors, which noise makes larger.
MEANS = ("accuracy", "mean_score", "mean_target", "brier", "log_loss")
ERRORS = ("ece", "sweep", "debiased", "ks")
SCORES = ("brier", "log_loss")  # whose interval needs samples of both outcomes: no draw shows what was not observed
SHARES = ("accuracy", "mean_target")  # whose interval is that of a share (Clopper and Pearson 1934)
OF_DRAWS = "intervals of the means"
TESTED = "debiased"  # the one error whose difference has a test: noise makes the others larger, each by another amount
ERRORS_NOTE = (
    "Noise makes measured errors too large. Calibrated predictions with the same scores reach the second number in 95 "
    "of 100 cases, and show at least what was measured in a share p of them; what is no more than that is grey. The "
    "interval is where the true error, without the noise, lies, at 95 %. KS, Kuiper and debiased intervals kept their "
    "level on every shape tried. That of the ECE did where the error is smooth or one-sided; for errors that alternate "
    "on a scale finer than the fit can see its upper end is too low in up to a third of cases."
)
CHANGES_NOTE = (
    "Both columns are of the same samples, and the same bootstrap samples are drawn of both. Grey is a change whose "
    "interval holds 0, and an error that is no more than what calibrated predictions reach by noise in 95 of 100 "
    "cases, which stands below it. Changes of ECE, sweep and KS have no test, since noise makes these errors larger, "
    "and more so on one side than on the other; the debiased error has one."
)


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR)
def numbers(situation: Situation) -> Content:
    """Two tables of the model as it is: its means and scores, and its errors beside their noise."""
    side, exact = situation.before, Situation(situation.engine.of_samples, situation.spec)
    values, why_not = values_of(exact, exact.before)
    draws = draws_of_means(situation, side, situation.bootstraps, label=OF_DRAWS).value
    means = tuple(
        (number_name(situation, name), _value(name, values[name]), _interval(situation, name, values[name], draws))
        for name in MEANS
    )
    besides = {name: beside_error(situation, side, name) for name in ERRORS if name in values}
    errors = tuple(
        (number_name(situation, name), *_error(name, values[name], beside)) for name, beside in besides.items()
    )
    said = [f"{METRICS[name].term}: {why}." for name, why in why_not.items()]
    said += _infinite(values)
    if is_of_one_outcome(side.problems[0]):
        said.append("The Brier score and the log loss have no interval: all samples have one outcome.")
    said += [missing([(METRICS[name].term, beside) for name, beside in besides.items()])]
    heads = ("", "measured", "calibrated predictions reach", LIKELY, "95 % interval")
    tables = (
        Table("numbers", "", (Column(""), Column("value"), Column("95 % interval")), means, "Means and scores."),
        Table("errors", "Calibration errors", tuple(map(Column, heads)), errors, "Errors and noise.", ERRORS_NOTE),
    )
    return Content(tables, " ".join(filter(None, said)))


def _infinite(values: Mapping[str, float], when: str = "") -> list[str]:
    """A sentence for each score that is infinite."""
    names = (METRICS[name].term for name in MEANS if np.isinf(values.get(name, 0.0)))
    return [f"The {name} is infinite{when}, since something of probability 0 was observed." for name in names]


@reads(*OF_SAMPLES, *OF_BINS, *OF_ERROR, *OF_AFTER)
def changes(situation: Situation) -> Content:
    """Every number before and after recalibration, on the same samples."""
    if situation.after is None:
        return Content((), situation.no_after)
    sides = situation.before, situation.after
    values, why_not = zip(*(values_of(situation, side) for side in sides), strict=True)
    # As many of both: a selection by output may keep other samples after.
    n = situation.bootstraps
    draws = tuple(draws_of_means(situation, side, n, label=OF_DRAWS).value for side in sides)
    apart = is_told_apart(situation, *sides, label="test of the debiased error").value
    rows, besides = [], list[tuple[str, Beside]]()
    for name in (*MEANS, *ERRORS):
        if not all(name in of_side for of_side in values):
            continue
        cells = []
        for side, of_side in zip(sides, values, strict=True):
            beside = beside_error(situation, side, name, has_interval=False) if name in ERRORS else None
            besides += [] if beside is None else [(METRICS[name].term, beside)]
            cells.append(number_above_floor(situation, name, of_side[name], beside))
        # That of the Brier score is the one of the other tables.
        known = change_of_brier(situation, situation.after) if name == "brier" else None
        change = Change.of(situation, name, (values[0][name], values[1][name]), draws, apart, known)
        change = replace(change, is_by_each_end=known is not None)
        rows.append((number_name(situation, name), *cells, *change.cells(name)))
    said = [f"{METRICS[name].term}: {why}." for of_side in why_not for name, why in of_side.items()]
    said += _infinite(values[1], f" after {situation.calibrator_name}")
    heads = tuple(map(Column, ("", "before", "after", "change", "95 % interval")))
    title, alt = f"After {situation.calibrator_name}", "Before and after recalibration."
    table = Table("changes", title, heads, tuple(rows), alt, CHANGES_NOTE)
    return Content((table,), " ".join(filter(None, [*dict.fromkeys(said), missing(besides)])))


@dataclass(frozen=True)
class Change:
    """How much larger a number is than another one, with its interval where it has one."""

    value: float
    # Of the true change; None of errors, which noise makes larger, or where it is to come.
    ends: tuple[float, float] | None
    is_shown: bool | None  # whether a test tells the two numbers apart; None where there is none, or it is not done yet
    is_of_family: bool = False  # whether that test is one for all differences on the page together
    is_by_each_end: bool = False  # whether each end is a test by itself, so that the level is another one

    @classmethod
    def of(
        cls,
        situation: Situation,
        name: str,
        values: tuple[float, float],
        draws: Sequence[Array | None],
        apart: bool | None,
        known: tuple[float, float] | None = None,
    ) -> Change:
        """The change from the first value to the second; `known` are the ends of its interval, else those of draws.

        `apart` says whether a test tells the debiased errors apart.
        """
        first, second = values
        with np.errstate(invalid="ignore"):  # the difference of two infinite numbers is nan
            value = float(np.subtract(second, first))
        if name in ERRORS:
            return cls(value, None, apart if name == TESTED else None)
        if known is None:
            one, two = draws
            if one is None or two is None:
                return cls(value, None, None)
            place = MEANS.index(name)
            with np.errstate(invalid="ignore"):
                moved = two[:, place] - one[:, place]
            low, high = mean_ends(moved, situation.before.problems[0])
            if np.isnan([low, high, value]).any():
                return cls(value, None, None)
            known = min(low, value), max(high, value)  # with few replicates, the quantiles may lie beyond it
        return cls(value, known, known[1] < 0 or known[0] > 0)

    def cells(self, name: str) -> tuple[Cell, Cell]:
        """The change and its interval, as they stand in a table."""
        shown = Cell(self._text(name), faint=self.is_shown is False, numbers=_known(("change", self.value)))
        return shown, Cell(self._ends(name), numbers=self._numbers)

    def cell(self, name: str) -> Cell:
        """The change, and its interval below."""
        numbers = (*_known(("change", self.value)), *self._numbers)
        below = "" if self.ends is None else self._ends(name)
        is_bold = self.is_of_family and self.is_shown is True
        return Cell(self._text(name), below=below, faint=self.is_shown is False, bold=is_bold, numbers=numbers)

    def _text(self, name: str) -> str:
        return difference(self.value, METRICS[name].unit)

    def _ends(self, name: str) -> str:
        if self.ends is None:
            return UNKNOWN if name in ERRORS or np.isnan(self.value) else TO_COME
        if self.is_by_each_end:
            return written_change(self.ends)
        return interval(*self.ends, "%" if METRICS[name].unit == "%" else "", signed=True)

    @property
    def _numbers(self) -> tuple[tuple[str, float], ...]:
        return () if self.ends is None else (("lower", self.ends[0]), ("upper", self.ends[1]))


def values_of(situation: Situation, side: Side) -> tuple[dict[str, float], dict[str, str]]:
    """The numbers of a side by name, nan of an unknown mean, and why errors cannot be computed."""
    predictions, problem, spec = side.predictions[0], side.problems[0], situation.spec
    make: Mapping[str, Callable[[], float | None]] = {
        "accuracy": lambda: situation.accuracy(predictions, problem),
        "mean_score": lambda: problem.mean_score,
        "mean_target": lambda: problem.mean_target,
        "brier": lambda: situation.engine.of(problem, brier_score),
        "log_loss": lambda: situation.engine.of(problem, log_loss),
        "ece": lambda: binned_error(situation.bins(side)[0], *spec.error),
        "sweep": lambda: binned_error(situation.engine.of(problem, Sweep()), *spec.error[:2]),
        "debiased": lambda: situation.engine.of(problem, debiased_error),
        "ks": lambda: situation.ks(side),
    }
    values, why_not = dict.fromkeys(MEANS, np.nan), dict[str, str]()
    for name, of in make.items():
        try:
            value = of()
        except ValueError as why:
            why_not[name] = clause_of(why)
        else:
            values[name] = np.nan if value is None else value
    return values, why_not


@slow(*OF_SCORES)
def draws_of_means(situation: Situation, side: Side, n: int) -> Steps:
    """The means and scores of n bootstrap samples, shape (n, numbers); nan where the selection keeps nothing.

    The draws depend on the number of samples and their weights alone, so that differences are paired.
    """
    predictions, problem = side.predictions[0], side.problems[0]
    drawn = np.full((n, len(MEANS)), np.nan)
    for i, weights in enumerate(draws_of(predictions, n, None, SEED)):
        if i % STEP == 0:
            yield i / n, None
        try:
            other = replicate(problem, weights)
        except EmptyProblemError:
            continue
        assert isinstance(other, ScalarProblem)
        right = right_share(other, predictions) if situation.knows_accuracy else None
        means = other.mean_score, other.mean_target, brier_score(other), log_loss(other)
        drawn[i] = np.nan if right is None else right, *means
    yield 1.0, drawn


@slow(*OF_SCORES)
def is_told_apart(situation: Situation, first: Side, second: Side) -> Steps:
    """Whether a test tells the debiased errors of two sides apart, at level 5 %."""
    effort = situation.spec.effort
    n = effort.means_for(len(first.problems[0]))
    drawn = n, SEED, effort.floors_of_contests
    one, two = (
        contender_of(side.predictions[0], side.problems[0], situation.lens, side.selection, [TESTED], *drawn)
        for side in (first, second)
    )
    # Where each side selects by its own scores, the samples differ, and no test applies.
    is_tested = one.samples == two.samples and TESTED in one.of and TESTED in two.of
    p_values = tested({"first": one.of[TESTED], "second": two.of[TESTED]})[1].values() if is_tested else [1.0]
    yield 1.0, not is_within(min(p_values), LEVEL)


def number_name(situation: Situation, name: str) -> Cell:
    """The name of a number, and below it what the number says."""
    bins = ""
    if name == "ece":
        binning = situation.spec.chosen_binning
        bins = f", {situation.spec.bins} {binning.name} bins" if hasattr(binning, "bins") else f", {binning.name}"
    return Cell(METRICS[name].term + bins, below=METRICS[name].says)


def number_above_floor(
    situation: Situation, name: str, value: float, beside: Beside | None, draws: Array | None = None
) -> Cell:
    """A number, and below it what calibrated predictions reach of an error, or the interval of a mean, where given."""
    cell = _value(name, value)
    if np.isnan(value):
        return cell
    if beside is not None and beside.floor is not None:
        is_noise, reaches = beside.is_noise(value), beside.floor.reaches
        below = f"{'within noise' if is_noise else 'noise'}: {percent(reaches)}"
        return replace(cell, below=below, faint=is_noise, numbers=(*cell.numbers, ("noise", reaches)))
    if draws is not None and name in MEANS:
        ends = _interval(situation, name, value, draws)
        return replace(cell, below=ends.text, numbers=(*cell.numbers, *ends.numbers))
    return cell


def _value(name: str, value: float) -> Cell:
    return Cell(in_unit(value, METRICS[name].unit), numbers=_known((name, value)))


def _known(*numbers: tuple[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple((name, value) for name, value in numbers if not np.isnan(value))


def _interval(situation: Situation, name: str, value: float, draws: Array | None) -> Cell:
    """The interval of a mean: of a share as beside the headline, of the others by the bootstrap."""
    if np.isnan(value):
        return Cell(UNKNOWN)
    of_rows = situation.before.problems[0].clusters is None
    if name in SHARES and situation.predictions.soft_labels is None and of_rows:
        low, high = share_ends(situation, situation.before.problems[0], value)
    elif draws is None:
        return Cell(TO_COME)
    else:
        if name in SCORES and is_of_one_outcome(situation.before.problems[0]):
            return Cell(UNKNOWN)
        low, high = mean_ends(draws[:, MEANS.index(name)], situation.before.problems[0])
    if np.isnan([low, high]).any():
        return Cell(UNKNOWN)
    unit = "%" if METRICS[name].unit == "%" else ""
    return Cell(interval(low, high, unit), numbers=(("lower", low), ("upper", high)))


def _error(name: str, value: float, beside: Beside) -> tuple[Cell, ...]:
    """An error as measured, what calibrated predictions reach, and where the true error lies."""
    floor, found = beside.floor, beside.interval
    measured = replace(_value(name, value), faint=beside.is_noise(value))
    reaches = Cell(UNKNOWN if beside.no_floor else TO_COME)
    if floor is not None:
        within = "within noise" if beside.is_noise(value) else ""
        numbers = ("noise", floor.reaches), ("p_value", np.nan if floor.p_value is None else floor.p_value)
        shows = "" if floor.shows is None else f"on average {percent(floor.shows)}"
        below = ", ".join(filter(None, [within, floor.p, shows]))
        reaches = Cell(percent(floor.reaches), below=below, numbers=_known(*numbers))
    if found is None:
        unknown = Cell(UNKNOWN if beside.no_floor or beside.no_interval else TO_COME)
        return measured, reaches, unknown, unknown
    likely, ends = inferred(found.estimate, found.lower, found.upper)
    if beside.is_vague:
        likely, ends = TOO_FEW, interval(found.lower, found.upper)
    known = ("lower", found.lower), ("upper", found.upper)
    return measured, reaches, Cell(likely, numbers=(("estimate", found.estimate),)), Cell(ends, numbers=known)
