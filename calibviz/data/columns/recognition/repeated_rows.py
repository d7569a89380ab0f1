"""Rows of the same samples, which several models, seeds, prompts or imputations predict, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import listed
from ..choices import ReadingOptions, Unclear
from ..classes import Labels
from ..known_names import MODELS, is_moment, is_of_rows, may_number, names_rows, plain, words
from ..tables import SEVERAL, FirstRows
from .content import FIRST, MANY

MOST_VALUES = 100  # of a column that tells repetitions apart
FEWEST_CHANGES = 10  # of one label to another, which show that equal labels in equal order are no chance
CLEARLY = 5.0  # standard errors by which scores of the same rows go together
MOST_FIELDS = 8  # that a question names


def refuse_models(
    free: Sequence[str], labels: Labels, choices: ReadingOptions, first: FirstRows, scores: Sequence[str] = ()
) -> None:
    """Refuse the same rows as several models predict them, unless an option names their column as a field.

    A column that is named after models is asked about where the ids or the labels of each are the same. Any other
    column is, where the same ids have the same labels, or where labels in the same order, which change too often for
    chance, have scores that go together. None is asked about where the option `cluster` takes such rows together.
    """
    for name in free:
        is_named = plain(name) in MODELS
        if name in (choices.fields or ()) or not (is_named or _may_tell_apart(name, len(labels.codes), first)):
            continue
        every = first.of_all()  # models often stand one below the other, and the first rows hold but one
        held = every.held(name)
        if held is None or len(held.codes) < MANY:
            continue
        rows = _parts(held.codes)
        if rows is None and not is_named:
            continue
        others = [column for column in free if column != name]
        if is_named and (
            _share_ids(held, others, every) if rows is None else _are_same(rows, labels.codes, others, every)
        ):
            raise Unclear(
                f"{name!r} names {len(held.present)} models, {listed(held.present)}, that predict the same rows",
                {"model": name},
                otherwise=f": cv.read_models(..., model={name!r}) reads each",
            )
        found = None if is_named or rows is None else _repeated(rows, labels.codes, others, scores, every)
        if found is None or _belong_together(found.samples, choices, every):
            continue
        fields = list(free) if len(free) <= MOST_FIELDS else [name]
        ways: list[dict[str, Any]] = [{"model": name}, {"fields": fields}]
        ways += [] if found.id is None else [{"cluster": found.id}]
        raise Unclear(
            f"the same rows stand {len(found.samples)} times, once for each {name!r}, {listed(held.present)}: they are "
            "no samples of their own",
            *ways,
            otherwise=f": cv.read_models(..., model={name!r}) reads each, fields={fields!r} all together",
        )


def _may_tell_apart(name: str, n: int, first: FirstRows) -> bool:
    """Whether a column of n rows may hold few values as often each, as far as the first rows show."""
    if (is_moment(name) and words(name) != ("epoch",)) or n < MANY:
        return False
    beginning = first.column(name)[:FIRST]
    if any(isinstance(value, SEVERAL) for value in beginning[:1]):
        return False
    if len(set(beginning.tolist())) > MOST_VALUES or (held := first.held(name)) is None or not held.present:
        return False
    blocks = int((np.diff(held.codes) != 0).sum()) + 1
    are_blocks = blocks == len(held.present)  # one below the other, so that others may follow
    return are_blocks or n % len(held.present) == 0


def _parts(codes: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """The rows (V, m) of each of V values, in their order; None where one has more than another, or stands alone."""
    counts = np.bincount(codes[codes >= 0]) if len(codes) else np.zeros(0, dtype=np.intp)
    counts = counts[counts > 0]
    if not 2 <= len(counts) <= MOST_VALUES or counts.min() < counts.max() or counts.min() < MANY // 2:
        return None
    order = np.argsort(codes, kind="stable")
    return order[int((codes < 0).sum()) :].reshape(len(counts), -1)


def _are_same(rows: NDArray[np.intp], labels: NDArray[np.intp], others: Sequence[str], every: FirstRows) -> bool:
    """Whether the rows of each model are the same: their ids, or, in the same order, their labels.

    Whatever stands once in the rows of each model is an id, such as the text of a question.
    """
    if _are_equal(labels[rows]) or any(_are_equal(np.sort(ids)) for _, ids in _ids(rows, others, every, may_number)):
        return True
    each = (np.sort(ids) for _, ids in _ids(rows, others, every, lambda _: True))
    return any(bool((np.diff(ids[0]) > 0).all()) and _are_equal(ids) for ids in each)


def _share_ids(models: Labels, others: Sequence[str], every: FirstRows) -> bool:
    """Whether most ids stand once for each of several models, of which one lacks some."""
    if len(models.present) < 2:
        return False
    for _, ids in _ids(np.arange(len(models.codes)), others, every, lambda _: True):
        pairs = ids * len(models.values) + models.codes
        counts = np.bincount(ids[ids >= 0])
        if len(np.unique(pairs)) == len(pairs) and 2 * int((counts > 1).sum()) > int((counts > 0).sum()):
            return True
    return False


class _Repeated(NamedTuple):
    """The rows (V, m) of the same samples in each part, and the column that names them; None where none does."""

    samples: NDArray[np.intp]
    id: str | None


def _repeated(
    rows: NDArray[np.intp], labels: NDArray[np.intp], others: Sequence[str], scores: Sequence[str], every: FirstRows
) -> _Repeated | None:
    """Samples that stand in each part, by their ids and labels, or by labels and scores in order; None of others."""
    if len(np.unique(labels)) < 2:
        return None
    columns = [values for name in scores if (values := every.number(name)) is not None]
    for name, ids in _ids(rows, others, every, _may_name):
        place = np.argsort(ids, axis=1, kind="stable")
        found = np.take_along_axis(ids, place, axis=1)
        if not _are_equal(found) or (np.diff(found[0]) == 0).any():
            continue
        samples = np.take_along_axis(rows, place, axis=1)
        if _are_equal(labels[samples]):
            return _Repeated(samples, name)
    there = labels[rows]
    if not columns or not _are_equal(there) or int((np.diff(there[0]) != 0).sum()) < FEWEST_CHANGES:
        return None
    parts = [column[rows] for column in columns]
    # Few different scores that are repeated may be a pattern of somebody's example.
    parts = [part for part in parts if not _are_equal(part) or len(np.unique(part[0])) >= MANY]
    return _Repeated(rows, None) if any(_go_together(part, there[0]) for part in parts) else None


def _belong_together(samples: NDArray[np.intp], choices: ReadingOptions, every: FirstRows) -> bool:
    """Whether the rows (V, m) of each of the same samples lie in one cluster."""
    cluster = choices.cluster.casefold() if isinstance(choices.cluster, str) else None
    named = [name for name in every.columns if name.casefold() == cluster]
    held = every.held(named[0]) if len(named) == 1 else None
    return held is not None and _are_equal(held.codes[samples])


def _may_name(name: str) -> bool:
    return may_number(name) or names_rows(name) or is_of_rows(name)


def _ids(
    rows: NDArray[np.intp], columns: Sequence[str], every: FirstRows, is_named: Callable[[str], bool]
) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """The columns that may name the samples, with the numbers (V, m) of their values in each part."""
    for name in columns:
        if is_named(name) and (held := every.held(name)) is not None:
            yield name, held.codes[rows]


def _are_equal(parts: NDArray[np.generic]) -> bool:
    """Whether the parts (V, m) of a column are the same."""
    return bool((parts == parts[0]).all())


def _go_together(scores: NDArray[np.float64], labels: NDArray[np.intp]) -> bool:
    """Whether the scores (V, m) of each part go with those of the first, beyond what the labels (m,) explain."""
    rest = scores.astype(np.float64, copy=True)
    for label in np.unique(labels):
        rest[:, labels == label] -= rest[:, labels == label].mean(axis=1, keepdims=True)
    size = np.sqrt((rest**2).sum(axis=1))
    if not np.isfinite(size).all() or (size == 0).any():
        return False
    return bool(((rest @ rest[0] / (size * size[0]))[1:] * np.sqrt(rest.shape[1]) > CLEARLY).all())
