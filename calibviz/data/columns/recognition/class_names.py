"""Classes in the names of columns of probabilities: what varies in them, before, after or between common parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..classes import is_numbered, orders_of, pair_of
from ..known_names import NEGATIONS, words

MOST_CUTS = 5_000  # of the names of a family, which are tried


def class_parts(columns: Sequence[str], values: Sequence[str]) -> list[str] | None:
    """The class that the name of each column tells, spelled as the labels are; None where the names tell none.

    The names are cut where what varies in them becomes the values of the labels, or, of two known answers, 0 and 1, or
    two other known answers: `.pred_no` and `p(No)` are of the class no, `p0` of it too.
    """
    folded = [name.casefold() for name in columns]
    spelled = {value.casefold(): value for value in values}
    are_apart = len(set(folded)) == len(folded) and len(spelled) == len(values)
    if not are_apart or any(len(a) != len(b) for a, b in zip(folded, columns, strict=True)):  # capitals matter
        folded, spelled = list(columns), {value: value for value in values}
    pair = pair_of(values)
    before = _shared(folded)
    after = _shared([name[before:][::-1] for name in folded])
    cuts = [(i, j) for i in range(before, -1, -1) for j in range(after, -1, -1)]
    for i, j in cuts[: max(1, MOST_CUTS // len(columns))]:
        parts = [name[i : len(name) - j].strip() for name in folded]
        are_labels = spelled.keys() <= set(parts)
        if (pair is None and not are_labels) or len(set(parts)) < len(parts) or not all(parts):
            continue
        if not _is_cut(columns, i, j):  # which takes the longest
            continue
        if are_labels:
            given = [name[i : len(name) - j].strip() for name in columns]
            return [spelled.get(part, as_given) for part, as_given in zip(parts, given, strict=True)]
        if set(parts) == {"0", "1"} and pair is not None and not is_numbered(pair):
            continue
        answers = pair_of(parts)
        if pair is not None and answers is not None and len(parts) == 2 and {*answers} == {*parts}:
            return [dict(zip(answers, pair, strict=True))[part] for part in parts]
    return None


def varying_parts(columns: Sequence[str]) -> list[str] | None:
    """The words and numbers that vary in the names of columns; None where that is nothing in one of them."""
    tokens = [re.findall(r"[^\W\d_]+|\d+|.", name, re.DOTALL) for name in columns]
    before = _shared(tokens)
    after = _shared([name[before:][::-1] for name in tokens])
    parts = ["".join(name[before : len(name) - after]).strip(" _.-") for name in tokens]
    return parts if all(parts) and len(set(parts)) == len(parts) else None


def likely_orders(columns: Sequence[str], values: Sequence[str]) -> list[dict[str, list[str]]]:
    """The option `classes` with the values of labels in several orders, for columns that name none of them.

    Where what varies in each name begins with one value, as "home" with "H", that order alone; where it is one in some,
    those that keep it there.
    """
    parts = varying_parts(columns) or columns
    begun = [[value for value in values if part.casefold().startswith(value.casefold())] for part in parts]
    order = [found[0] for found in begun if len(found) == 1]
    if len(set(order)) == len(columns) == len(values):
        return [{"classes": order}]
    known, own, orders = {value.casefold() for value in values}, [part.casefold() for part in parts], orders_of(values)

    def keeps(named: Sequence[str]) -> bool:
        pairs = zip(own, named, strict=False)
        return all(part == value.casefold() for part, value in pairs if part in known)

    return [way for way in orders if keeps(way["classes"])] or orders


def numbers_in(columns: Sequence[str]) -> list[int] | None:
    """The numbers that vary in the names of columns; None where other things do."""
    ends = [words(name)[-1:] for name in columns]
    stems = {words(name)[:-1] for name in columns}
    return [int(end[0]) for end in ends] if len(stems) == 1 and all(e and e[0].isdecimal() for e in ends) else None


def class_of(name: str, others: Iterable[str], values: Sequence[str]) -> str | None:
    """The class that the name of a column tells, beside that of the other class or alone; None where it tells none."""
    for other in others:
        parts = class_parts([name, other], values) if len(values) == 2 else None
        if parts is not None:
            return parts[0]
    parts_of_name = words(name)
    named = []
    for value in values:
        said = words(value)
        is_word = bool(said) and len(said) < len(parts_of_name) and not all(part.isdecimal() for part in said)
        is_end = is_word and said == parts_of_name[-len(said) :] and parts_of_name[-len(said) - 1] not in NEGATIONS
        if is_end or (is_word and said == parts_of_name[: len(said)]):
            named.append(value)
    return named[0] if len(named) == 1 else None


def families(columns: Sequence[str], values: Sequence[str]) -> list[list[str]]:
    """Columns whose names differ in the classes alone, those of each family together, in the order of the columns."""
    found: dict[tuple[str, ...], None] = {}
    tried = [value for value in (values[0], "0", "1", "no", "yes") if value] if values else []
    for value in dict.fromkeys(tried):
        for name in columns:
            places = _places(name.casefold(), value.casefold())
            for start in places:
                before, after = name[:start], name[start + len(value) :]
                family = [
                    other
                    for other in columns
                    if other.startswith(before) and other.endswith(after) and len(other) > len(before) + len(after)
                ]
                if len(family) > 1 and class_parts(family, values) is not None:
                    found[tuple(family)] = None
    widest = [family for family in found if not any(set(family) < set(other) for other in found)]
    return [list(family) for family in widest]


def _shared(names: Sequence[Sequence[str]]) -> int:
    """How many signs, or words, all names begin with."""
    different = (i for i, signs in enumerate(zip(*names, strict=False)) if len(set(signs)) > 1)
    return next(different, min(map(len, names)))


def _places(name: str, value: str) -> list[int]:
    return [i for i in range(len(name) - len(value) + 1) if name.startswith(value, i)][:8]


def _is_cut(names: Sequence[str], before: int, after: int) -> bool:
    """Whether no number is cut in two, nor a letter from a word; the capital of `pH` begins one."""

    def is_inside(name: str, place: int, part: str) -> bool:
        if not 0 < place < len(name):
            return False
        pair = name[place - 1 : place + 1]
        is_word = pair.isalpha() and not (pair[0].islower() and pair[1].isupper())
        return pair.isdecimal() or (is_word and len(part) < 2)

    parts = [name[before : len(name) - after] for name in names]
    return not any(
        is_inside(name, place, part)
        for name, part in zip(names, parts, strict=True)
        for place in (before, len(name) - after)
    )
