"""Columns of what several rows belong to, such as a patient or a question: which they are, and what is said of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....foundation.arrays import Array, missing_in
from ..choices import WAY_TO_HORIZON, Account, ReadingOptions
from ..known_names import chosen_column, is_of_rows, key_of, may_name_clusters, names_rows, plain, words
from ..line import predicted_and_observed_of_each

#: Words of the names of what several rows may belong to.
BELONGING = frozenset((
    "id", "pid", "uid", "patient", "subject", "person", "user", "customer", "client", "member", "household", "family",
    "mother", "pair", "match", "game", "race", "event", "fixture", "question", "item", "prompt", "problem", "market",
    "document", "doc", "article", "passage", "session", "visit", "encounter", "episode", "cluster", "imputation", "imp",
    "annotator", "rater",
))  # fmt: skip  # short entries stand in rows
FEWEST_NAMED, FEWEST_AGREEING = 10, 20  # different values of a field of such a name, and of any other
ROWS_A_VALUE, REPEATED = 1.05, 0.05  # on average, and the share of rows whose value stands in others, too
AGREES = 4.0  # standard errors by which outcomes agree within values
GROUPS = 20  # of rows of such scores, and rows in each at least
NEARLY_ALL = 0.95  # of the rows
MOST_ROWS, MOST_ENTRIES = 2**16, 2**22  # that are looked at: the first ones
WAYS = " takes them together, and cluster=False says that they are independent"  # behind the argument of a field
#: The plain names of fields of imputations, and what is said of rows that are some.
IMPUTATIONS = frozenset(("imp", "imputation", "m"))
ARE_IMPUTATIONS = "their rows are not independent, and intervals and tests take them to be"
POOLED = "; cv.rubin pools a number over imputations"
MOST_CLUSTERS, ROWS_OF_A_CLUSTER = 50, 20  # more values, or fewer rows of each, of a key such as site_id


def is_cluster(name: str, rows: int, different: int, is_text: bool) -> bool:
    """Whether a column of so many different values, of which some are repeated, tells what its rows belong to."""
    if not 1 < different < rows:
        return False
    are_many = different > max(2, min(MOST_CLUSTERS, rows / ROWS_OF_A_CLUSTER))
    return names_rows(name) or (are_many and (may_name_clusters(name) or (is_text and is_of_rows(name))))


def named_cluster(columns: Collection[str], choices: ReadingOptions, account: Account) -> list[str]:
    """The column that the option `cluster` names, alone in a list; none where it names none. It is a field, too."""
    if not isinstance(choices.cluster, str):
        return []
    if (role := account.roles.get(choices.cluster)) in ("label", "weight", "probability", "logit", "confidence"):
        raise ValueError(f"cluster={choices.cluster!r}: this column is the {role} of each row, not what rows belong to")
    return [chosen_column(choices.cluster, columns, "cluster")]


class Dependence(NamedTuple):
    """Rows that may depend on each other: their numbers, all that is said of them, and the ways out.

    `cluster` is the field that takes them together; empty of imputations whose samples no field names.
    """

    numbers: str
    said: str
    ways_out: str
    cluster: str = ""

    @property
    def question(self) -> str:
        """All that is said of them, with the ways out."""
        return self.said + self.ways_out


def likely_clusters_of(predictions: Any) -> dict[str, Dependence]:
    """The fields and notes by which rows may depend on each other, the likeliest first.

    Empty where clusters are named, or rows are said to be independent. They are looked for once.
    """
    if predictions.cluster is not None or predictions.are_independent or predictions.summary_of is not None:
        return {}
    found: dict[str, Dependence] = predictions.cache.get("likely clusters", lambda: _likely_clusters(predictions))
    return found


def likeliest_cluster_of(predictions: Any) -> Dependence | None:
    """The first of these; None where there is none."""
    return next(iter(likely_clusters_of(predictions).values()), None)


def _likely_clusters(predictions: Any) -> dict[str, Dependence]:
    columns = predictions.fields | predictions.notes
    most = min(MOST_ROWS, MOST_ENTRIES // max(1, len(columns)))
    score, target = (values[:most].astype(np.float64) for values in predicted_and_observed_of_each(predictions))
    expected = _mean_of_alike(score, target)
    found = []
    for name, column in columns.items():
        rows = _Belonging.of(column[:most], score, target, expected)
        is_named = rows is not None and rows.are_repeated and rows.is_named(name)
        if rows is not None and rows.are_repeated and (is_named or rows.agree):
            found.append((not is_named, -rows.agreement, name, _dependence_by(name, column, is_named)))
    return _imputations(predictions, columns) | {name: dependence for *_, name, dependence in sorted(found)}


def _imputations(predictions: Any, columns: Mapping[str, NDArray[Any]]) -> dict[str, Dependence]:
    """The fields of imputations: each value has the same labels in the same order."""
    labels, found = predictions.labels if predictions.labels is not None else predictions.soft_labels, {}
    for name, column in columns.items():
        if plain(name) not in IMPUTATIONS or column.dtype.kind not in "iuU" or missing_in(column).any():
            continue
        values, codes = _numbered(column)
        size = len(codes) // len(values)
        if not (len(values) > 1 and size >= FEWEST_NAMED and (np.bincount(codes) == size).all()):
            continue
        in_each = np.argsort(codes, kind="stable").reshape(len(values), size)
        if (labels[in_each] == labels[in_each[0]]).all():
            of_samples = next((other for other, held in columns.items() if _names_each(held, in_each)), "")
            numbers = f"{len(values):,} imputations of the same {size:,} samples"
            cluster = f"cluster={of_samples!r}" if of_samples else "cluster=, the field that names a sample,"
            ways = f"{POOLED}, and {cluster} takes the rows of a sample together"
            found[name] = Dependence(numbers, f"{numbers} by {name!r}: {ARE_IMPUTATIONS}", ways, of_samples)
    return found


def _names_each(held: NDArray[Any], in_each: NDArray[np.intp]) -> bool:
    """Whether a field names the samples of imputations, whose rows are given: the same ones, in the same order."""
    if held.dtype.kind not in "iuUO" or not (held[in_each] == held[in_each[0]]).all():
        return False
    return len(set(held[in_each[0]].tolist())) == in_each.shape[1]


@dataclass(frozen=True)
class _Belonging:
    """The rows of a column of text, whole numbers or booleans, without those where it is missing."""

    values: NDArray[Any]
    codes: NDArray[np.intp]
    score: Array
    target: Array
    expected: Array  # the mean target of rows of such scores

    @classmethod
    def of(cls, column: NDArray[Any], *of_rows: Array) -> _Belonging | None:
        """The rows of a column; None of one of other values."""
        if column.dtype.kind not in "biuUO":
            return None
        there = ~missing_in(column)
        return cls(*_numbered(column[there]), *(each[there] for each in of_rows))

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many rows have each value."""
        return np.bincount(self.codes)

    @property
    def are_repeated(self) -> bool:
        """Whether there are several values, of which some stand in several rows."""
        n, different = len(self.codes), len(self.values)
        return different > 1 and n >= ROWS_A_VALUE * different and self.counts[self.counts > 1].sum() >= REPEATED * n

    def is_named(self, name: str) -> bool:
        """Whether a name says that rows belong to what the values name."""
        is_so = bool(BELONGING & {*words(name), *words(key_of(name))}) and len(self.values) >= FEWEST_NAMED
        return is_so and not self._are_percents

    @property
    def agree(self) -> bool:
        """Whether outcomes of one value agree beyond noise, and values are neither score nor outcome."""
        is_so = len(self.values) >= FEWEST_AGREEING and self.agreement > AGREES
        return is_so and not (self._are_percents or self._tell)

    @cached_property
    def agreement(self) -> float:
        """By how many standard errors residuals of rows of one value agree: 0 on average where rows are independent."""
        residual, spread = self.target - self.expected, self.expected * (1 - self.expected)
        pairs, variance = (self._sums(each) ** 2 - self._sums(each**2) for each in (residual, spread))
        total = float(variance.sum())
        return float(pairs.sum()) / 2 / np.sqrt(total / 2) if total > 0 else 0.0

    def _sums(self, of_rows: Array) -> Array:
        return np.bincount(self.codes, of_rows).astype(np.float64)

    @property
    def _are_percents(self) -> bool:
        """Whether the values are the scores, or what they leave of 1, in whole per cent."""
        if self.values.dtype.kind not in "iu":
            return False
        given = self.values[self.codes] / 100
        near = (np.abs(given - score) <= 0.005 + 1e-9 for score in (self.score, 1 - self.score))
        return any(np.mean(each) >= NEARLY_ALL for each in near)

    @property
    def _tell(self) -> bool:
        """Whether the values tell what was observed: in nearly all rows, those of one value have one outcome."""
        several = self.counts > 1
        least, most = (np.full(len(self.values), start) for start in (np.inf, -np.inf))
        np.minimum.at(least, self.codes, self.target)
        np.maximum.at(most, self.codes, self.target)
        is_one = bool((least == most)[several].all())
        return is_one and self.counts[several].sum() >= NEARLY_ALL * len(self.codes)


def _mean_of_alike(score: Array, target: Array) -> Array:
    """The mean target of as many rows of the next scores, for each row.

    Where scores are wrong everywhere, rows of any value would agree to be unlike their scores.
    """
    n, groups = len(score), max(1, min(GROUPS, len(score) // GROUPS))
    group = np.empty(n, dtype=np.intp)
    group[np.argsort(score, kind="stable")] = np.arange(n) * groups // n
    mean: Array = (np.bincount(group, target) / np.bincount(group))[group]
    return mean


def _dependence_by(name: str, column: NDArray[Any], is_named: bool) -> Dependence:
    values, codes = _numbered(column[~missing_in(column)])
    why = "" if is_named else ", within which outcomes agree beyond noise"
    numbers = f"{len(codes):,} rows of {len(values):,} different {name!r}{why}"
    return Dependence(numbers, f"{numbers}: {may_depend('one')}", ways_out(name), name)


def _numbered(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The different values of a column, of numbers in ascending order, and the number of that of each row."""
    if column.dtype.kind in "biu":
        return np.unique(column, return_inverse=True)
    import pandas as pd  # late, as texts are rare; sorting long ones takes many times as long

    codes, values = pd.factorize(column.astype(object))
    return values, codes


def ways_out(name: str) -> str:
    """Return how to say whether rows that share a value of a field belong together."""
    return f"; cluster={name!r}{WAYS}"


def without_ways_out(said: str) -> str:
    """Leave out how to say whether rows belong together, or are censored, for a page, where none passes an argument."""
    return re.sub(f"; cluster=[^;]*{WAYS}|{POOLED}[^;]*|{WAY_TO_HORIZON}[^;]*", "", said)


def without_question(said: str) -> str:
    """Leave out of what was assumed that rows may depend on each other, where somebody has answered that."""
    asked = f"{may_depend('one')}; cluster=[^;]*{WAYS}|{ARE_IMPUTATIONS}{POOLED}[^;]*"
    return re.sub(rf"(; |^)[^;]*({asked})", "", said).removeprefix("; ")


def may_depend(which: str) -> str:
    """Return what is said of rows that share a value of a cluster."""
    return f"rows that share {which} may not be independent, and intervals and tests take them to be"
