"""Numbers from 0 to 100 in place of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import OVERSHOOT_TOLERANCE, row_error
from ...foundation.validation import RowError
from ...foundation.written import counted
from .choices import Account, Arguments, ReadingOptions, Unclear
from .known_names import says_percent
from .recognition.content import MANY, adds_up, has_margin, tolerance
from .recognition.scores import OF_DIFFERENCES, OF_POINTS, are_differences, are_percents, are_points

SCALE = 10  # points of the longest scale that people are asked for
FEWEST_OTHERS, SHARE_OF_OTHERS = 2, 0.02  # rows that show another scale
SLIP = 0.1  # so little outside of 0 and 1, a number is rather a probability that has been made wrongly


def as_probabilities(arguments: Arguments, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions`, per cents of one class as probabilities where asked for; others are refused."""
    values = np.asarray(arguments.get("probs", ()))
    if values.ndim not in (1, 2) or values.dtype.kind not in "iuf" or not values.size:
        return arguments
    if choices.normalize and values.ndim == 2:  # whose rows are rescaled
        return arguments
    low, high, names = values.min(), values.max(), account.named("probability", "confidence")
    below, above = low < -OVERSHOOT_TOLERANCE, high > 1 + OVERSHOOT_TOLERANCE
    if not (below or above):
        return _within(arguments, values, names, choices, account)
    name = names[0] if values.ndim == 1 and len(names) == 1 else None
    _refuse_other_scales(values, name, choices)
    is_called = name is not None and not choices.normalize and are_percents(name, values)
    if name is not None and is_called:
        _refuse_two_scales(values, name)
    is_slip = low >= -SLIP and high <= 1 + SLIP
    are_of_hundred = low >= 0 and high <= 100 and (values.ndim == 1 or bool(np.abs(values.sum(axis=1) - 100).max() < 2))
    if not (is_slip or are_of_hundred):
        _refuse_code(values)
        return arguments  # `Predictions` refuses them
    if is_called or (choices.normalize and not below):
        return _divided(arguments, values.astype(np.float64), account)
    place = np.argwhere((values > 1 + OVERSHOOT_TOLERANCE) | (values < -OVERSHOOT_TOLERANCE))[0].tolist()
    said = f" is {values[tuple(place)]:g}: a probability lies between 0 and 1; {_ways_in_words(values, is_slip)}"
    raise Unclear(row_error("probs", place, said), *ways_to_probabilities(arguments, choices, account))


def _divided(arguments: Arguments, percents: NDArray[Any], account: Account) -> Arguments:
    account.say("probabilities in per cent")
    return arguments | {"probs": percents / 100}


def _within(
    arguments: Arguments, values: NDArray[Any], names: list[str], choices: ReadingOptions, account: Account
) -> Arguments:
    """The arguments of numbers from 0 to 1, which are per cents only where their name and an option say so."""
    name = next(filter(says_percent, names), None)
    if values.ndim == 1 and name is not None and not account.has_percent_signs:
        if choices.normalize:
            return _divided(arguments, values, account)
        raise Unclear(
            f"the name of {name!r} says per cent, but no number of it is above 1: normalize=True divides them by 100; "
            "where they are probabilities, rename the column",
            {"normalize": True},
        )
    if choices.normalize:
        account.say("probabilities from 0 to 1, not per cents, as none is above 1")
    return arguments


def _refuse_other_scales(values: NDArray[Any], name: str | None, choices: ReadingOptions) -> None:
    """Refuse points and differences in the only column of probabilities, and per cents beyond 0 and 100."""
    low, high = values.min(), values.max()
    is_whole = len(values) >= MANY and bool((values == np.floor(values)).all())
    if name is not None and is_whole and low >= 0 and high <= SCALE:
        raise ValueError(f"{name!r} holds whole numbers from {low:g} to {high:g}: {OF_POINTS}")
    if choices.normalize and (low < -SLIP or high > 100):
        place = np.argwhere((values < 0) | (values > 100))[0].tolist()
        raise row_error("probs", place, f" is {values[tuple(place)]:g}: a per cent lies between 0 and 100; correct it")
    if name is not None and are_points(values) and not says_percent(name):
        raise ValueError(f"{name!r} goes from {low:g} to {high:g}: {OF_POINTS}")
    if name is not None and (low < -SLIP or high > 1 + SLIP) and are_differences(values):
        _refuse_code(values)
        raise ValueError(f"{name!r} {OF_DIFFERENCES}; logits={name!r} takes the sigmoid of log-odds")


def _ways_in_words(values: NDArray[Any], is_slip: bool) -> str:
    """The ways to probabilities in words, for numbers of which some are none."""
    below, is_one = values.min() < -OVERSHOOT_TOLERANCE, values.ndim == 1
    ways = ["correct it"] if is_slip else []
    if not below:
        of_slips = "if all are per cents" if is_one else "to rescale the rows"
        ways.append(f"pass normalize=True {of_slips if is_slip else 'if these are per cents'}")
    their = "they" if is_one and not below else "these"
    return ", or ".join([*ways, f"{'pass ' if below else ''}logits=... if {their} are logits"])


def _refuse_two_scales(values: NDArray[Any], name: str) -> None:
    """Refuse per cents of which some may be probabilities, since they would be read a hundred times too small.

    Where most per cents are above 10, there are more from 1 to 10 than from 0.1 to 1. Where it is the other way round,
    these are refused if they are written with more decimals than the others, or are far more.
    """
    low, between, high = ((values > least) & (values <= 10 * least) for least in (0.1, 1, 10))
    n_low, n_between = int(low.sum()), int(between.sum())
    if n_low < FEWEST_OTHERS or n_low < SHARE_OF_OTHERS * len(values) or n_low <= n_between or not high.sum() > n_low:
        return
    is_finer = tolerance(values[low]) < tolerance(values[high | between]) / 2
    if not is_finer and n_low - n_between < 3 * np.sqrt(n_low + n_between):
        return
    row = int(np.argmax(low))
    said = (
        f" of column {name!r} is {values[row]:g}, but most rows are above 10: {counted(n_low, 'row', 'rows')} from 0.1 "
        "to 1 may be probabilities among per cents; write all in one scale, or normalize=True reads all as per cents"
    )
    raise Unclear(RowError("row ", row, said), {"normalize": True})


def _refuse_code(values: NDArray[Any]) -> None:
    """Refuse one number outside of [0, 1] that stands in few entries, as that which marks what is missing."""
    outside = (values < -SLIP) | (values > 1 + SLIP)
    times = int(outside.sum())
    code = values[outside][0]
    if not np.isfinite(code) or times > values.size // 2 or code != np.floor(code) or (values[outside] != code).any():
        return
    said = f" is {code:g}, no probability, which stands in {counted(times, 'entry', 'entries')}; where it marks that "
    way = "the number is missing, leave it empty there and pass missing='drop'"
    raise row_error("probs", np.argwhere(outside)[0].tolist(), said + way)


def ways_to_probabilities(arguments: Arguments, choices: ReadingOptions, account: Account) -> list[dict[str, Any]]:
    """The options that may make probabilities of numbers that are none, by what they are; slips are corrected by hand.

    Numbers on both sides of [0, 1] are taken for logits. Numbers up to 100 may be per cents, and rows that add up to 1
    but for the last decimal of their numbers, or but for the margin of a bookmaker, or to 100, are rescaled. Rows that
    add up to anything else, as those of labels that do not exclude each other do, are not.
    """
    values = np.asarray(arguments.get("probs", ()))
    names = account.named("probability", "confidence")
    if values.ndim not in (1, 2) or not values.size or not np.isfinite(values).all():
        return []
    low, high = values.min(), values.max()
    if low < -SLIP and high > 1 + SLIP and choices.prob is None and names and not arguments.get("of_confidence"):
        return [{"logits": names[0] if len(names) == 1 else names}]
    if low < -OVERSHOOT_TOLERANCE:
        return []
    if values.ndim == 1:
        may_be = SCALE < high <= 100
    else:
        may_be = has_margin(values) or adds_up(*values.T) or (high > 1 + SLIP and adds_up(*values.T / 100))
    return [{"normalize": True}] if may_be else []
