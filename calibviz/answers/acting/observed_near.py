"""Observed of scores near the threshold, in sentences and as a cell of a table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...decisions.acting_draws import LEVEL
from ...decisions.thresholds import WIDTH, near_thresholds
from ...engine.scalar import ScalarProblem
from ...figures.segment_names import name_of
from ...figures.tables import Cell
from ...foundation.marked import aside, strong
from ...foundation.written import chosen_percent, interval, of_hundred, percent
from ...metrics.clinical.acting import Prevalence
from ..asked.spec import OF_SAMPLES
from ..first_screen.segments import OF_SEARCH, problem_of, worst_segment
from ..situation.reading import reads
from ..situation.situation import Situation

FEWEST_NEAR = 10  # samples near the threshold, below which the share of true ones is grey


@reads(*OF_SAMPLES, "threshold", "prevalence", *OF_SEARCH)
def sentences_near(situation: Situation) -> str:
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


def cell_near(problem: ScalarProblem, threshold: float, prevalence: float | None) -> Cell:
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
    return near | at_prevalence(near, prevalence, problem)


def at_prevalence(found: Mapping[str, float], prevalence: float | None, problem: ScalarProblem) -> dict[str, float]:
    """A share of true ones, and the ends of its interval, with the samples weighted to a prevalence."""
    there = Prevalence(prevalence, False)
    return {name: there.target(found[name], problem.mean_target) for name in ("target", "lower", "upper")}
