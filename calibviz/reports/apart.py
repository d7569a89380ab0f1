"""How far two models are apart, with a verdict where a test keeps its level, and what calibrated predictions show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..best_set import LEVEL, tested
from ..consistency_resampling import consistency
from ..contenders import FLOOR, Contender, contender_of
from ..lenses import Problem
from ..measures import measured
from ..problems import ScalarProblem
from ..resampling import quantiles
from .choices import Choices
from .findings import Measured
from .numbers import METRICS, PLAN, SEED, Number

#: Errors that noise makes larger, each model's in its own way: percentiles of a bootstrap say nothing of them.
OF_CALIBRATION = ("ece", "sweep", "debiased", "ks")
TESTED = "debiased"  # the one of them of which differences can be tested


@dataclass(frozen=True)
class Difference:
    """How much larger a number of one model is than that of another.

    Attributes
    ----------
    interval : tuple of float, optional
        Holds the true difference in 95 % of all data sets; None for errors that noise makes larger.
    differs : bool
        Whether a test at level 5 % tells the two apart; False where there is no such test.
    """

    value: float
    interval: tuple[float, float] | None
    differs: bool
    why_not: str = ""


def differences(
    one: Measured, other: Measured, choices: Choices, contenders: tuple[Contender, Contender] | None = None
) -> dict[str, Difference]:
    """How much larger each number of `other` is, on the same samples; see `contender`."""
    first, second = contenders or (contender(one, choices), contender(other, choices))
    found = {}
    for name in METRICS:
        mine, theirs = one.numbers[name], other.numbers[name]
        if name not in OF_CALIBRATION:
            found[name] = paired(mine, theirs)
            continue
        apart = False
        same = first.samples == second.samples  # not where each selects by its own scores
        if name == TESTED and same and TESTED in first.of and TESTED in second.of:
            numbers = {"first": first.of[TESTED], "second": second.of[TESTED]}
            apart = min(tested(numbers)[1].values()) <= 1 - LEVEL
        found[name] = Difference(theirs.value - mine.value, None, apart, mine.why_not or theirs.why_not)
    return found


def paired(one: Number, other: Number) -> Difference:
    """The difference of two means, and its interval over the same bootstrap samples."""
    with np.errstate(invalid="ignore"):  # of two infinite ones
        value = float(np.subtract(other.value, one.value))
        low, high = quantiles(other.replicates - one.replicates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    # The quantiles of few replicates may miss the very difference that they are about.
    ends = (low, high) if np.isnan(value) else (min(low, value), max(high, value))
    return Difference(value, ends, low > 0 or high < 0, one.why_not or other.why_not)


def contender(one: Measured, choices: Choices) -> Contender:
    """A model as it takes part in tests of differences."""
    return contender_of(one.predictions, one.problem, choices.lens, choices.selection, [TESTED], one.replicates, SEED)


def floors(one: Measured, choices: Choices) -> Mapping[str, float]:
    """What calibrated predictions with the scores of a model reach of each error: the 95 % quantile.

    Empty where no other labels can be drawn: soft ones, and those by which samples were selected.
    """
    kept = choices.selection
    if kept is not None and (kept.uses("label") or kept.uses("correct")):
        return {}
    names = tuple(name for name in OF_CALIBRATION if not np.isnan(one.numbers[name].value))
    found = {}
    for name in names:
        plan = replace(PLAN, metrics=(name,))

        def error(problem: Problem, name: str = name, plan: object = plan) -> float:
            assert isinstance(problem, ScalarProblem)
            return float(measured(problem, plan)[0][name].item())  # type: ignore[arg-type]

        try:
            nulls = consistency(
                one.predictions, error, choices.lens, kept, n=min(200, one.replicates), seed=SEED, progress=False
            )
        except ValueError:
            return {}
        found[name] = float(np.quantile(nulls.replicates, FLOOR))
    return found
