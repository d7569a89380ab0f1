"""How far two models are apart, with a verdict where a test keeps its level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...uncertainty.best_set import LEVEL, is_within, tested
from ...uncertainty.bootstrap import percentile_interval
from ...uncertainty.contenders import Contender, contender_of
from .choices import Scope
from .errors import ERRORS
from .findings import Measured
from .numbers import READINGS, SEED, Number

TESTED = "debiased"  # of the errors that noise makes larger, each model's in its own way, the one with a test


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
    one: Measured, other: Measured, choices: Scope, contenders: tuple[Contender, Contender] | None = None
) -> dict[str, Difference]:
    """How much larger each number of `other` is, on the same samples; see `contender`."""
    first, second = contenders or (contender(one, choices), contender(other, choices))
    found = {}
    for name in READINGS:
        mine, theirs = one.numbers[name], other.numbers[name]
        if name not in ERRORS:
            found[name] = paired(mine, theirs)
            continue
        apart = False
        same = first.samples == second.samples  # not where each selects by its own scores
        if name == TESTED and same and TESTED in first.of and TESTED in second.of:
            numbers = {"first": first.of[TESTED], "second": second.of[TESTED]}
            apart = not is_within(min(tested(numbers)[1].values()), LEVEL)
        found[name] = Difference(theirs.value - mine.value, None, apart, mine.why_not or theirs.why_not)
    return found


def paired(one: Number, other: Number) -> Difference:
    """The difference of two means, and its interval over the same bootstrap samples."""
    with np.errstate(invalid="ignore"):  # of two infinite ones
        value = float(np.subtract(other.value, one.value))
        low, high = percentile_interval(other.replicates - one.replicates, LEVEL).tolist()
    # The quantiles of few replicates may miss the very difference that they are about.
    ends = (low, high) if np.isnan(value) else (min(low, value), max(high, value))
    return Difference(value, ends, low > 0 or high < 0, one.why_not or other.why_not)


def contender(one: Measured, choices: Scope) -> Contender:
    """A model as it takes part in tests of differences."""
    return contender_of(one.predictions, one.problem, choices.lens, choices.selection, [TESTED], one.replicates, SEED)
