"""Tables with one row for each sample and class, as a melted table has them, beside the probability of that class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import listed
from ..choices import Account, ReadingOptions, Unclear
from ..classes import Labels, no_first, pair_of
from ..known_names import is_prediction, says_right
from ..tables import ArrayTable, ColumnTable, FirstRows, free_name
from .content import MANY, MOST_CLASSES, SINGLE, tolerance
from .truth import named_truths

MOST_SCORES = 5  # columns in [0, 1] of which one may hold all probabilities
FEWEST_SAMPLES = 10
ROUNDED = 4  # standard errors and more by which the mean of rounded numbers may be off, by halves of the last decimal


@dataclass(frozen=True)
class Melted:
    """The column that names the class of each row, that of its probability, and that of the samples, if there is one.

    The rows (n, K) of each sample stand in the order of the classes.
    """

    class_column: str
    probability: str
    sample: str | None
    classes: list[str]
    rows: NDArray[np.intp]

    def widened(
        self, table: ColumnTable, choices: ReadingOptions, account: Account
    ) -> tuple[ColumnTable, ReadingOptions]:
        """The table with one row for each sample and one column for each class, and the options that read it.

        A column that is 1 in one row of each sample holds the class of that row then. Others that differ between the
        rows of a sample are left out.
        """
        every = FirstRows(table).of_all()
        columns: dict[str, Any] = {}
        flags, left_out = [], []
        for name in (name for name in table.columns if name not in (self.class_column, self.probability)):
            values = table.column(name)
            held = every.labels(name)
            codes = held.codes[self.rows]
            if _are_one(codes):
                columns[name] = values[self.rows[:, 0]]
            elif (place := _flagged(held, codes)) is not None:
                columns[name] = np.array(self.classes, dtype=object)[place]
                flags.append(name)
            elif named_truths([name]) or name == choices.label:
                raise self._unclear(held, codes)
            elif name in (choices.weight, choices.cluster, *(choices.fields or ())):
                raise ValueError(
                    f"{name!r} differs between the rows of a sample, whose classes {self.class_column!r} names"
                )
            else:
                left_out.append(name)
        if left_out:
            account.say(f"{listed(left_out)} left out, as the rows of a sample differ in it")
        own = [free_name(name, columns) for name in self.classes]
        probs = every.values([self.probability])[:, 0][self.rows]
        wide = ArrayTable(columns | {name: probs[:, k] for k, name in enumerate(own)}, table)
        of = "rows in turn" if self.sample is None else f"rows of each {self.sample!r}"
        account.say(f"{len(self.classes)} {of} are one sample, whose classes {self.class_column!r} names")
        account.take("class of each row", self.class_column)
        account.take("probability of each class", self.probability)
        places = self.rows[:, 0]  # errors name the first row of a sample in the source
        for known in (account.kept, account.places):
            places = places if known is None else known[places]
        account.kept, account.places = None, places
        flags = [name for name in flags if not is_prediction(name)]
        if choices.label is None and len(flags) == 1 and not named_truths([n for n in columns if n not in flags]):
            choices = choices.changed(label=flags[0])
        if choices.prob is None:
            order = self.classes if choices.classes is None else list(choices.classes)
            if sorted(order) != sorted(self.classes):
                raise ValueError(f"classes={order!r}, but {self.class_column!r} names {listed(self.classes)}")
            choices = choices.changed(prob=[own[self.classes.index(name)] for name in order], classes=order)
        return wide, choices

    @property
    def is_in_order(self) -> bool:
        """Whether the classes of all samples stand in one order, as those of what happened do not."""
        order = self.rows.argsort(axis=1)
        return bool((order == order[0]).all())

    def has_truth(self, columns: Sequence[str], every: FirstRows) -> bool:
        """Whether another column says which class each sample has."""
        others = (every.held(name) for name in columns if name not in (self.class_column, self.probability))
        for held in others:
            codes = np.empty((1, 0), dtype=np.intp) if held is None else held.codes[self.rows]
            is_of_sample = held is not None and set(held.present) <= {*self.classes} and _are_one(codes)
            if held is not None and (is_of_sample or _flagged(held, codes) is not None):
                return True
        return False

    def _unclear(self, held: Labels, codes: NDArray[np.intp]) -> Unclear:
        first_row = int(self.rows[np.argmax((codes != codes[:, :1]).any(axis=1)), 0])
        said = (
            f"is of a sample whose {len(self.classes)} classes {self.class_column!r} names, but {held.name!r} neither "
            "holds its class in all of their rows nor is 1 in one of them: correct it, or take each row for a sample"
        )
        return Unclear(held.error(first_row, said), {"label": held.name, "prob": self.probability})


def melted(table: ColumnTable, choices: ReadingOptions, first: FirstRows) -> Melted | None:
    """Return which columns name the sample and the class where each of both has a row; None of any other table.

    Every sample has a row for each of the same classes, and its probabilities add up to 1. The samples are named by a
    column, or stand one after the other. A column that `label` or `prob` names is none of those that are looked for.
    """
    if choices.logits is not None or choices.event is not None or isinstance(choices.model, tuple):
        return None
    units = [name for name in first.units(table.columns) if name != choices.prob]
    if not 0 < len(units) <= MOST_SCORES:
        return None
    found, every = [], first.of_all()
    columns = [name for name in table.columns if name not in units]
    for probability in units:
        probs = every.number(probability)
        k = None if probs is None else _number_of_classes(probs)
        if probs is None or k is None:
            continue
        for held in _classes(k, columns, choices, first):
            wide = _melted((probability, probs), held, columns, every)
            found += [] if wide is None else [wide]
    found = [
        each for each in found if (each.sample is not None and each.is_in_order) or each.has_truth(table.columns, every)
    ]
    if len(found) > 1:  # of two classes, what was true has each answer once in a sample, too
        found = [each for each in found if each.is_in_order and not says_right(each.class_column)] or found
    if len(found) > 1:
        names = list(dict.fromkeys(each.class_column for each in found))
        raise Unclear(
            f"each of {' and '.join(map(repr, names))} may name the class of the probability in each row",
            *({"label": name} for name in names),
        )
    return found[0] if found else None


def _number_of_classes(probs: NDArray[np.float64]) -> int | None:
    """The number K of classes by the mean 1 / K of what adds up to 1; None of nearly all other columns."""
    lacking = np.isnan(probs)
    mean = 0.0 if lacking.all() else float(np.nanmean(probs))
    k = round(1 / mean) if mean > 1 / (MOST_CLASSES + 1) else 0
    off = max(ROUNDED * tolerance(probs) / len(probs) ** 0.5, SINGLE) + lacking.mean()
    is_whole = 2 <= k <= MOST_CLASSES and len(probs) % k == 0 and len(probs) >= k * FEWEST_SAMPLES
    return k if is_whole and abs(mean - 1 / k) <= off else None


def _classes(k: int, columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> Iterator[Labels]:
    """The columns that may name one of k classes in each row."""
    for name in columns:
        if name == choices.label or (held := first.held(name)) is None or len(held.codes) < MANY:
            continue
        every = first.of_all().held(name) if 2 <= len(held.present) <= k else None
        if every is not None and len(every.present) == k and (every.codes >= 0).all():
            yield every


def _melted(
    score: tuple[str, NDArray[np.float64]], held: Labels, columns: Sequence[str], every: FirstRows
) -> Melted | None:
    (probability, probs), present, n = score, held.present, len(held.codes)
    classes = sorted(present, key=int) if all(value.isdecimal() for value in present) else no_first(present)
    k, within = len(classes), tolerance(probs)
    place = held.numbered({name: i for i, name in enumerate(classes)})
    others = (name for name in columns if name != held.name)
    for sample in (*others, None):  # which stand one after the other if nothing names them
        samples = None if sample is None else every.held(sample)
        codes = np.arange(n) // k if samples is None else samples.codes
        if len(np.unique(codes)) != n // k:
            continue
        rows = np.lexsort((place, codes)).reshape(-1, k)
        is_whole = bool((codes[rows] == codes[rows[:, :1]]).all() and (place[rows] == np.arange(k)).all())
        if is_whole and not bool((np.abs(probs[rows].sum(axis=1) - 1) > k * within).any()):
            in_order = rows[np.argsort(rows.min(axis=1), kind="stable")]
            return Melted(held.name, probability, sample, classes, in_order)
    return None


def _are_one(codes: NDArray[np.intp]) -> bool:
    """Whether a column holds one value in all rows of each sample."""
    return bool((codes == codes[:, :1]).all())


def _flagged(held: Labels, codes: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """The place of the only row of each sample in which a column says yes; None of any other column."""
    if (pair := pair_of(held.present)) is None or (codes < 0).any():
        return None
    is_yes = np.array([value.casefold() == pair[1].casefold() for value in held.values])[codes]
    return is_yes.argmax(axis=1) if (is_yes.sum(axis=1) == 1).all() else None
