"""Which column holds the truth: names say which may, and what a column holds says which may not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import listed
from ..choices import Account, ReadingOptions, Unclear
from ..classes import PAIRS, Labels, pair_of
from ..known_names import LABELS, MAY_BE_SAID, SCORES, TRUTHS, is_prediction, known_columns, plain
from ..tables import FirstRows
from .class_names import class_parts, families
from .content import MANY, MOST_CLASSES, adds_up, is_likeliest, is_unit, same_partition, splits

MOST_COLUMNS = 1_000  # of a table in which names are looked for within others
TWO_TRUTHS = "two columns may hold the truth"
OWN_ANSWERS = "these may be the model's own answers, not the truth"


def named_truths(columns: Sequence[str]) -> list[str]:
    """The columns whose names say that they hold the truth, the usual names first."""
    rank = {name: i for i, name in enumerate(TRUTHS)}
    named = [name for name in columns if plain(name) in rank]
    return sorted(named, key=lambda name: (rank[plain(name)], name != plain(name)))


def truth_column(columns: Sequence[str], choices: ReadingOptions, account: Account, first: FirstRows) -> str | None:
    """Return the column that may hold the truth, None where no name says so; two are a question.

    Notes
    -----
    Left out are columns that hold other things than classes, the same outcome once more, and what a model predicts: the
    likeliest class in every one of many rows, whatever its name, and `label` or `answer` beside a single score and
    another column of the truth, as pipelines of transformers and logs of decisions write them.
    """
    named = [*named_truths(columns), *_in_names(columns, first)]
    account.rivals = named
    fitting = [name for name in named if _may_be_truth(name, named, columns, choices, first)] or named
    fitting = _different(fitting, first)
    if len(fitting) > 1:
        said = [name for name in fitting if is_said(name, columns, choices, first)]
        left = [name for name in fitting if name not in said]
        fitting = left if left else fitting
    if len(fitting) > 1:
        raise two_truths(fitting)
    if not fitting:
        return None
    [truth] = fitting
    if truth not in LABELS[0]:
        account.say(f"labels from {truth!r}")
    return truth


def two_truths(names: Sequence[str]) -> Unclear:
    """The question which of some columns holds the truth; they are named where no line of it opens the file as yet."""
    pick = " or ".join(f"label={name!r}" for name in names)
    lacking = f": {listed(names)}; pass {pick}, and where no usual name tells the probabilities, prob='...' names them"
    return Unclear(TWO_TRUTHS, *({"label": name} for name in names), otherwise=lacking)


def is_said(name: str, columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> bool:
    """Whether a column holds what a model predicts rather than the truth."""
    held, others = first.held(name), [column for column in columns if column != name]
    if held is None:
        return False
    units = first.units(others)
    found = [family for family in families(list(units), held.present) if adds_up(*(units[c] for c in family))]
    for family in found:
        parts = class_parts(family, held.present)
        place = {part: k for k, part in enumerate(parts or ())}
        if is_likeliest(held.numbered(place), np.column_stack([units[column] for column in family])):
            return True
    singles = [column for tier in SCORES for column in known_columns(list(units), tier)]
    if choices.prob is not None or choices.logits is not None:
        singles = [column for column in units if column in (choices.prob, choices.logits)]
    if len(held.present) == 2 and any(splits(held.codes == 1, units[column]) for column in singles):
        return True
    if plain(name) not in MAY_BE_SAID or found or not singles:
        return False
    is_alone = not any(is_prediction(column) and _are_alike(held, first.held(column)) for column in others)
    has_truth = any(_are_alike(held, first.held(column)) for column in named_truths(others))
    least = 1 / max(2, len(held.present))
    return is_alone and has_truth and all(float(np.nanmin(units[column])) >= least for column in singles)


def _are_alike(one: Labels, other: Labels | None) -> bool:
    """Whether most values of a column are those of another one, or both are known answers."""
    if other is None or not other.present:
        return False
    here, there = ({value.casefold() for value in labels.present} for labels in (one, other))
    return 2 * len(here & there) > len(there) or pair_of([*one.present, *other.present]) is not None


def _in_names(columns: Sequence[str], first: FirstRows) -> list[str]:
    """Columns of classes whose names stand in those of probabilities, as `Churn` in `P (Churn=yes)`."""
    if len(columns) > MOST_COLUMNS:
        return []
    units = first.units(columns)
    inner = {column: f"_{plain(column)}_" for column in units}
    found = []
    for name in columns:
        said = f"_{plain(name)}_"
        if name in units or plain(name) in TRUTHS or is_prediction(name) or len(said) < 5:
            continue
        if not any(said in inside and inside.strip("_") != plain(name) for inside in inner.values()):
            continue
        held = first.held(name)
        if held is not None and len(held.codes) >= MANY and 1 < len(held.present) <= MOST_CLASSES:
            is_family = any(adds_up(*(units[c] for c in family)) for family in families(list(units), held.present))
            found += [name] if is_family or pair_of(held.present) is not None else []
    return found


def _may_be_truth(
    name: str, named: Sequence[str], columns: Sequence[str], choices: ReadingOptions, first: FirstRows
) -> bool:
    """Whether the values of a column may be classes, where its name says so."""
    if len(named) == 1:
        return True
    held, values = first.held(name), first.number(name)
    if held is None or not held.present:
        return False
    if values is not None and is_unit(values):
        return False
    present = held.present
    if len(held.codes) >= MANY and (len(present) > max(MOST_CLASSES, len(held.codes) // 3) or len(present) < 2):
        return False
    folded = {value.casefold() for value in present}
    if (
        pair_of(present) is not None
        or any(len(folded & set(pair)) == 2 for pair in PAIRS)
        or choices.positive in present
    ):
        return True
    if all(value.lstrip("-").isdecimal() for value in present):
        return True
    ends = {column.casefold() for column in columns}
    in_names = {value for value in folded if any(column.endswith(value) for column in ends)}
    in_others = any(
        len(folded & {value.casefold() for value in other.present}) * 2 > len(folded)
        for column in columns
        if column != name and (is_prediction(column) or column in named) and (other := first.held(column)) is not None
    )
    return (
        2 * len(in_names) >= len(folded)
        or in_others
        or bool(folded & {str(c).casefold() for c in choices.classes or ()})
    )


def _different(names: Sequence[str], first: FirstRows) -> list[str]:
    """The columns without those that part the rows as one before them does: an outcome that is there twice."""
    kept: list[tuple[str, NDArray[np.int64]]] = []
    for name in names:
        held = first.held(name)
        codes = np.zeros(0, dtype=np.int64) if held is None else held.codes
        if not any(same_partition(codes, other) for _, other in kept):
            kept.append((name, codes))
    return [name for name, _ in kept]
