"""The table of what each way to act is worth at the threshold, and what is observed near it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from ...decisions.acting_draws import EQUAL, LEVEL, BenefitDifference, DecisionDraws
from ...decisions.thresholds import ALL, MODEL, NONE, RECALIBRATED, WIDTH, crossings
from ...engine.scalar import ScalarProblem
from ...figures.tables import Cell, Column, Table
from ...foundation.written import chosen_percent, interval, percent
from ..situation.situation import Situation
from .decided import signed_benefit, unsigned_benefit
from .observed_near import at_prevalence, cell_near


def decision_table(
    situation: Situation, problems: dict[str, ScalarProblem], draws: DecisionDraws, table: xr.Dataset
) -> Table:
    """The table of what each way to act is worth at the threshold."""
    at, prevalence = situation.spec.threshold, situation.spec.prevalence
    here = table.sel(threshold=at, method="nearest")
    cases = float(here.true_positive.sel(strategy=ALL))
    ways = {
        **{side: (way_name(situation, side), cell_near(problem, at, prevalence)) for side, problem in problems.items()},
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
    value = Cell(
        "–" if math.isnan(benefit) else unsigned_benefit(benefit), below=_noise(whole, "acted on", unsigned_benefit)
    )
    difference = Cell("")
    if above is not None:
        verb = "differs" if round(above.samples) == 1 else "differ"
        below = _noise(above, verb, signed_benefit)
        difference = Cell(signed_benefit(above.value), below=below, faint=not (above.is_more or above.is_less))
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
    if not difference.upper - difference.lower > EQUAL:  # also where few clusters leave both nan
        return ""
    return f"{written(difference.lower)} to {written(difference.upper)}"


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
            found = at_prevalence(given, situation.spec.prevalence, problems[MODEL])
            share, ends = percent(found["target"]), interval(found["lower"], found["upper"])
            said.append(
                f"{count:,} {words} {situation.calibrator_name}, {share} of them observed (95 % interval {ends})"
            )
    return f"Changing sides: {'; '.join(said)}." if said else f"Nobody changes sides under {situation.calibrator_name}."


def way_name(situation: Situation, side: str) -> str:
    """The name of the model as it is, or after its calibrator."""
    return situation.spec.model if side == MODEL else f"after {situation.calibrator_name}"
