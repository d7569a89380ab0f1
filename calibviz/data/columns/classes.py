"""Which class each label is, and which class a single column of probabilities is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError, did_you_mean, listed
from ...foundation.written import counted
from .choices import Account, ReadingOptions, Unclear
from .known_names import PAIRS, SCORE_WORDS, words

#: What stands for an answer that is not there yet, or that does not count: in words, and in numbers beside 0 and 1.
UNDECIDED = frozenset((
    "void", "voided", "push", "cancel", "canceled", "cancelled", "annulled", "abandoned", "postponed", "pending",
    "open", "unresolved", "unsettled", "unknown", "undecided", "undetermined", "indeterminate", "missing", "tbd",
))  # fmt: skip  # short entries stand in rows
MARKS = frozenset(("-100", "-1", "255"))
OF_TWO = "but one column of probabilities is that of one of two classes"
NO_CLASSES = frozenset(("p", "y", "pred", "predicted", "prediction", "score", "confidence", "model", "test", "max"))
FEW = 3  # numbers, of which all but 0 and 1 may be slips


class Labels:
    """A column of labels: the different values as text, and for each row which of them it has.

    `codes`, of shape (n,), are the numbers of the values, -1 where the label is missing; `place` is what stands before
    and after the number of a row in messages.
    """

    def __init__(
        self, codes: NDArray[np.intp], values: Sequence[str], name: str, place: tuple[str, str] | None = None
    ) -> None:
        self.codes, self.values, self.name = codes, list(values), name
        self.place = ("row ", f" of column {name!r}") if place is None else place

    def error(self, row: int, said: str) -> RowError:
        """Return the error of the label of a row."""
        return RowError(self.place[0], row, f"{self.place[1]} {said}")

    @cached_property
    def present(self) -> list[str]:
        """The values that some row has."""
        there = np.bincount(self.codes[self.codes >= 0], minlength=len(self.values)) > 0
        return [value for value, has_rows in zip(self.values, there, strict=True) if has_rows]

    @cached_property
    def folded(self) -> set[str]:
        """The values that some row has, in small letters."""
        return {value.casefold() for value in self.present}

    def without(self, missing: Sequence[str]) -> Labels:
        """Return labels in which some values stand for a missing label."""
        gone = np.array([value in missing for value in self.values] + [True])
        return Labels(np.where(gone[self.codes], -1, self.codes), self.values, self.name, self.place)

    def renamed(self, names: dict[str, str]) -> Labels:
        """Return labels in which some values have other names; two may become one."""
        values = [names.get(value, value) for value in self.values]
        together = {value: k for k, value in enumerate(dict.fromkeys(values))}
        numbers = np.array([*(together[value] for value in values), -1])
        return Labels(numbers[self.codes], list(together), self.name, self.place)

    def only(self, rows: NDArray[np.bool_] | slice) -> Labels:
        """The labels of some rows."""
        return Labels(self.codes[rows], self.values, self.name, self.place)

    def first(self, value: str) -> int:
        """The first row with a value."""
        return int(np.argmax(self.codes == self.values.index(value)))

    def numbered(self, numbers: dict[str, Any]) -> NDArray[Any]:
        """The number of each row's label, by value; -1 where it is missing or has none."""
        return np.array([*(numbers.get(value, -1) for value in self.values), -1])[self.codes]


def pair_of(values: Sequence[str]) -> tuple[str, str] | None:
    """The two answers that all values belong to, first the one that says no, spelled as the values are."""
    spelled = {value.casefold(): value for value in values}
    fitting = [pair for pair in PAIRS if spelled.keys() <= set(pair)]
    # A label 1 alone could belong to 0 or to -1: the first pair of the list is the usual one.
    return None if not fitting or not values else (
        spelled.get(fitting[0][0], fitting[0][0]), spelled.get(fitting[0][1], fitting[0][1])
    )  # fmt: skip  # the pair in one row


def no_first(names: Sequence[str]) -> list[str]:
    """The names of classes as they stand, but two known answers with the one that says no first."""
    pair = pair_of(names)
    return list(pair if pair is not None and pair == tuple(names[::-1]) else names)


def is_numbered(pair: tuple[str, str]) -> bool:
    """Whether 0 and 1 mean two answers as they stand, first no: tools number by the alphabet, as died, survived."""
    return pair[0].casefold() < pair[1].casefold()


def binary_labels(labels: Labels, choices: ReadingOptions, account: Account) -> dict[str, Any]:
    """The arguments `labels`, and `class_names` where these are no numbers, for probabilities of one of two classes."""
    present = labels.present
    if choices.positive is not None:
        return _against_others(labels, choices.positive, account)
    if choices.classes is not None:
        if len(choices.classes) != 2:
            raise ValueError(f"classes names {len(choices.classes)} classes, but a single column has the second of two")
        return class_labels(labels, choices.classes, account)
    if (pair := pair_of(present)) is not None:
        numbers, folded = _answers(labels, pair, account), {value.casefold() for value in pair}
        return {"labels": numbers} | ({} if folded in ({"0", "1"}, {"false", "true"}) else {"class_names": list(pair)})
    are_numbers = all(_number(value) is not None for value in present)
    if are_numbers and len(present) > 2:
        _refuse_other_numbers(labels, account)
    if are_numbers and len(present) != 2 and (len(present) < 2 or not all(value.isdecimal() for value in present)):
        return {"labels": class_numbers(labels)}  # whatever is wrong with these numbers, `Predictions` says it
    raise _of_unknown_class(labels, are_numbers, account.named("probability"))


def _against_others(labels: Labels, positive: str, account: Account) -> dict[str, Any]:
    """The arguments where the probabilities are of one class, and all other labels are the other one."""
    present = labels.present
    is_answer = any(positive.casefold() in pair for pair in PAIRS)
    alike = [value for value in present if value.casefold() == positive.casefold()]
    match = [positive] if positive in present and not is_answer else alike
    pair = pair_of([*present, positive])
    if not match and (pair is None or len(present) > 1):
        hint = did_you_mean(positive, present)
        raise ValueError(f"positive={positive!r} is none of the labels, which are {listed(present)}{hint}")
    positive = match[0] if match and positive not in match else positive
    others = [value for value in present if value not in match]
    if len(others) > 1:
        account.say(f"{positive!r} against all other labels")
    rest = others[0] if len(others) == 1 else f"not {positive}"
    if not others and pair is not None:
        rest = next(value for value in pair if value.casefold() != positive.casefold())
    numbers = labels.numbered(dict.fromkeys(match, 1) | dict.fromkeys(others, 0))
    return {"labels": numbers} | ({} if (rest, positive) == ("0", "1") else {"class_names": [rest, positive]})


def _refuse_other_numbers(labels: Labels, account: Account) -> None:
    """Refuse numbers beside 0 and 1 that mark missing labels or may be slips, and any where others may be the truth."""
    present = labels.present
    marks = [value for value in present if is_mark(value, 2)]
    if set(present) - set(marks) == {"0", "1"}:
        raise _no_answers(labels, marks, "neither '0' nor '1': ")
    stranger = next(value for value in present if value not in ("0", "1"))
    said, others = f"is {stranger!r}, {OF_TWO}", [name for name in account.rivals if name != labels.name]
    if others:
        raise Unclear(labels.error(labels.first(stranger), said), *({"label": name} for name in others))
    if {"0", "1"} < set(present) and len(present) <= FEW:
        advice = f"positive='1' sets 1 against all others, and ignore={stranger!r} leaves these rows out"
        raise labels.error(labels.first(stranger), f"{said}: {advice}")


def _of_unknown_class(labels: Labels, are_numbers: bool, scored: Sequence[str]) -> ValueError:
    """The error where nothing says of which class the probabilities are, as beside an answer that is not there yet.

    `scored` are the columns of the probabilities, whose name may tell a class that no label has.
    """
    present, where = labels.present, labels.first(labels.present[0])
    for pair in () if are_numbers else PAIRS:
        fitting = {value.casefold(): value for value in present if value.casefold() in pair}
        if len(fitting) == 2:
            strangers = [value for value in present if value.casefold() not in pair]
            no, yes = (fitting[word] for word in pair)
            return _no_answers(labels, strangers, f"neither {no!r} nor {yes!r}: ")
    undecided = [value for value in present if value.casefold() in UNDECIDED]
    if 0 < len(undecided) < len(present):
        return _no_answers(labels, undecided, "which may be no class: ")
    said = f"is {present[0]!r}, and nothing says of which class the probabilities are"
    if len(present) == 2:
        ways = [{"positive": value} for value in present]
        return Unclear(labels.error(where, said), *ways, otherwise="; positive=... names it", by_means=True)
    if len(present) == 1:
        said = f"{said}, since every label is this one; classes=[...] names both where they are of the other class"
        offered: list[dict[str, Any]] = [{"positive": present[0]}]
        for name in scored:
            named = [word for word in words(name) if word not in SCORE_WORDS | NO_CLASSES]
            if len(named) == 1 and named[0] != present[0].casefold():
                offered.insert(0, {"prob": name, "classes": [present[0], named[0]]})
        return Unclear(labels.error(where, said), *offered)
    pick = " or ".join(f"positive={value!r}" for value in present[:4])
    more = f" (or another of the {len(present)} labels)" if len(present) > 4 else ""
    confidences = "where they are those of predicted classes, positive='...' names the column of these"
    return labels.error(where, f"{said}: pass {pick}{more}, which sets this class against all others; {confidences}")


def _no_answers(labels: Labels, values: list[str], which: str) -> Unclear:
    """Labels that are no classes, and the option that leaves their rows out."""
    n = int(np.isin(labels.codes, [labels.values.index(value) for value in values]).sum())
    out = f"ignore={values!r} leaves {counted(n, 'row')} out"
    others = f" (and others are {listed(values[1:])})" if len(values) > 1 else ""
    empty = "" if labels.place[0].endswith("[") else "leave it empty where it is missing; "  # arrays have no such place
    which = f"{which}correct it, or {empty}{out}"
    return Unclear(labels.error(labels.first(values[0]), f"is {values[0]!r}{others}, {which}"), {"ignore": values})


def is_mark(value: str, classes: int) -> bool:
    """Whether a label beside the numbers of so many classes may stand for one that is missing: -1, 9, -99, 999, 255."""
    is_no_class = not (value.isdecimal() and int(value) < classes)
    return is_no_class and (value in MARKS or re.fullmatch(r"-\d+|9+", value) is not None)


def _count_from_1(values: Sequence[str], classes: int) -> bool:
    """Whether labels number so many classes from 1: the last number occurs, and none that is not among them."""
    return classes > 1 and str(classes) in values and {*values} <= {str(k + 1) for k in range(classes)}


def class_labels(labels: Labels, names: Sequence[str], account: Account) -> dict[str, Any]:
    """The arguments `labels` and `class_names` where each class has a name; other labels are refused."""
    place = {name: k for k, name in enumerate(names)}
    strangers = [value for value in labels.present if value not in place]
    if strangers and len(strangers) == len(labels.present):
        numbers = {value: number for value in strangers if (number := _number(value)) is not None}
        if len(numbers) == len(strangers) and all(n in range(len(names)) for n in numbers.values()):
            account.say(f"the labels number the classes {listed(names)} from 0")
            return {"labels": labels.numbered(numbers), "class_names": list(names)}
        pair = pair_of(labels.present)
        if pair is not None and len(names) == 2 and pair != ("0", "1"):
            account.say(f"the label {pair[1]!r} is the class {names[1]!r}")
            return {"labels": _answers(labels, pair, account), "class_names": list(names)}
        # Where all are numbers, an error names one that is too large, not the number of a class.
        strangers = [value for value in strangers if numbers.get(value) not in range(len(names))]
    marks = [value for value in strangers if is_mark(value, len(names))]
    others = [value for value in labels.present if value not in marks]
    are_numbered = all(value in place or _number(value) in range(len(names)) for value in others)
    if marks and others and are_numbered and not _count_from_1(labels.present, len(names)):
        raise _no_answers(labels, marks, f"but the classes are {listed(names)}: ")
    if strangers:
        stranger = min(strangers, key=labels.first)
        raise labels.error(
            labels.first(stranger),
            f"is {stranger!r}, but the classes are {listed(names)}{did_you_mean(stranger, names)}",
        )
    return {"labels": labels.numbered(place), "class_names": list(names)}


def class_numbers(labels: Labels, account: Account | None = None, classes: int | None = None) -> NDArray[Any]:
    """Labels that are class numbers, or true and false, or two answers such as yes and no; others are refused."""
    values = labels.present
    if {value.casefold() for value in values} <= {"true", "false"}:
        return labels.numbered({value: int(value.casefold() == "true") for value in values})
    numbers = {value: _number(value) for value in values}
    strangers = [value for value in values if numbers[value] is None]
    pair = pair_of(values) if classes == 2 and account is not None else None
    if not strangers and not (pair == ("-1", "1") and len(values) == 2):
        their = f"but the {classes} classes are 0..{(classes or 0) - 1}"
        if classes is not None and _count_from_1(values, classes):
            said = f"is {classes}, {their}; classes=[...] may number them from 1"
            from_1 = {"classes": [str(k + 1) for k in range(classes)]}
            raise Unclear(labels.error(labels.first(str(classes)), said), from_1)
        marks = [value for value in values if classes is not None and is_mark(value, classes)]
        if 0 < len(marks) < len(values):
            raise _no_answers(labels, marks, f"{their}: ")
        return labels.numbered(numbers)
    if pair is not None and account is not None:
        if not is_numbered(pair):
            ways = orders_of(pair)[::-1]
            raise Unclear(
                f"nothing says whether the probabilities of class 0 are of {pair[1]!r} or of {pair[0]!r}", *ways
            )
        account.say(f"class 1 is {pair[1]!r}")
        return _answers(labels, pair, account)
    stranger = min(strangers, key=labels.first)
    said = (
        f"is {stranger!r}, neither a class number nor the name of a column: "
        "number the classes from 0, or name one probability column after each class, or pass classes=[...], "
        "the classes in the order of the columns"
    )
    ways = orders_of(values) if len(values) == classes else []
    raise Unclear(labels.error(labels.first(stranger), said), *ways, by_means=True)


def orders_of(names: Sequence[str]) -> list[dict[str, list[str]]]:
    """The option `classes` with names in several orders, first that of the alphabet, as most tools number classes.

    Of three classes or fewer these are all orders. Of more it is that of the alphabet and the one in which they occur.
    """
    alphabetical = sorted(names)
    orders = permutations(alphabetical) if len(alphabetical) < 4 else (alphabetical, names)
    return [{"classes": list(order)} for order in dict.fromkeys(map(tuple, orders))]


def _answers(labels: Labels, pair: tuple[str, str], account: Account) -> NDArray[Any]:
    """0 or 1 for each row whose labels are two answers, which may be spelled in several ways."""
    if len(labels.present) > 2:
        account.say("capitals of labels do not matter")
    return labels.numbered({value: int(value.casefold() == pair[1].casefold()) for value in labels.present})


def _number(value: str) -> float | int | None:
    """A number in a text; None where there is none."""
    if "_" in value:  # Python reads 0_1 as 1
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if number.is_integer() and abs(number) < 2**62 else number
