"""Differences between two models, with a verdict where a test keeps its level."""

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

#: Noise makes every error larger, by an amount that depends on the model. This is the one error that has a test.
TESTED = "debiased"


@dataclass(frozen=True)
class Difference:
    """How much larger a number of one model is than that of another.

    Attributes
    ----------
    interval : tuple of float, optional
        Holds the true difference in 95 % of all data sets; None for errors, which noise makes larger.
    differs : bool
        Whether a test at level 5 % tells the two models apart; False if there is no such test.
    """

    value: float
    interval: tuple[float, float] | None
    differs: bool
    why_not: str = ""


def differences(
    first: Measured, second: Measured, choices: Scope, contenders: tuple[Contender, Contender] | None = None
) -> dict[str, Difference]:
    """Each number of the second model minus that of the first, on the same samples.

    `contenders` are those of the two models if they are known already; see `contender`.
    """
    a, b = contenders or (contender(first, choices), contender(second, choices))
    # Where each model selects by its own scores, the samples differ, and no test applies.
    is_tested = a.samples == b.samples and TESTED in a.of and TESTED in b.of
    differs = is_tested and not is_within(
        min(tested({"first": a.of[TESTED], "second": b.of[TESTED]})[1].values()), LEVEL
    )
    return {
        name: _of_errors(first.numbers[name], second.numbers[name], name == TESTED and differs)
        if name in ERRORS
        else paired(first.numbers[name], second.numbers[name])
        for name in READINGS
    }


def _of_errors(first: Number, second: Number, differs: bool) -> Difference:
    """The difference of two errors, which has no interval, since noise makes each of them larger."""
    return Difference(second.value - first.value, None, differs, first.why_not or second.why_not)


def paired(first: Number, second: Number) -> Difference:
    """The difference of two means, and its interval over the same bootstrap samples."""
    with np.errstate(invalid="ignore"):  # the difference of two infinite numbers is nan
        value = float(np.subtract(second.value, first.value))
        low, high = percentile_interval(second.replicates - first.replicates, LEVEL).tolist()
    # With few replicates, the quantiles may lie beyond the difference that they are about.
    ends = (low, high) if np.isnan(value) else (min(low, value), max(high, value))
    return Difference(value, ends, low > 0 or high < 0, first.why_not or second.why_not)


def contender(model: Measured, choices: Scope) -> Contender:
    """What the tests of differences need to know of a model."""
    return contender_of(
        model.predictions, model.problem, choices.lens, choices.selection, [TESTED], model.replicates, SEED
    )
