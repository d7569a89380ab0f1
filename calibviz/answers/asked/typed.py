"""Categories, groups of classes and numbers, read from the text of a control and written into it.

The `ValueError` of a text that cannot be read says what to write; the page shows it beside the control.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...context.conditions import text_of
from ...foundation import validation

Likert = tuple[float, ...] | tuple[tuple[str, tuple[float, float]], ...]
Groups = tuple[tuple[str, tuple[str, ...]], ...]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"(\[?)\s*({_NUMBER})\s*(?:-|–|to|,)\s*({_NUMBER})\s*(\]?)")
_LIKERT_FORM = "write cut points such as 0, 0.33, 0.66, 1, or categories such as not very: 0-0.8; very: 0.9-1"
_GROUPS_FORM = "write groups such as even: 0, 2, 4; odd: 1, 3, 5, or even: 0, 2, 4; rest"
FINEST = 0.001  # how far a moved edge stays from 0 and 1
HEAVIEST = 1e6  # weight of an outcome
_WEIGHTS_FORM = f"write weights from 0 to {HEAVIEST:,.0f}, such as cat: 2; dog: 0.5"
NEEDLESS = "needless"  # the word behind a cost ratio, which need not be typed
_QUOTED_OR_ONE = re.compile(r'"(?:[^"\\]|\\.)*"|.', re.DOTALL)


def likert_cuts(text: str) -> tuple[float, ...]:
    """Cut points separated by commas or blanks."""
    cuts = []
    for entry in text.replace(",", " ").split():
        try:
            cuts.append(float(entry))
        except ValueError:
            raise ValueError(f"Cut points are numbers, and {entry!r} is not one: {_LIKERT_FORM}") from None
    return tuple(cuts)


def likert_choice(text: str) -> Likert:
    """Categories: cut points "0, 0.33, 0.66, 1", or named ones "not very: 0-0.8; very: [0.9, 1]".

    A name with a colon or the like stands in double quotes. An empty text means no categories.
    """
    if len(_split(text, ":")) == 1:
        cuts = likert_cuts(text)
        if cuts:
            validation.intervals(cuts, "likert")
        return cuts
    categories: dict[str, tuple[float, float]] = {}
    for name, ends in _named(text, _LIKERT_FORM):
        match = _RANGE.fullmatch(ends)
        if match is None or bool(match[1]) != bool(match[4]):
            raise ValueError(f"the category {name!r} has the range {ends!r}: {_LIKERT_FORM}")
        if name in categories:
            raise ValueError(f"the category {name!r} is named twice")
        categories[name] = float(match[2]), float(match[3])
    return tuple(validation.intervals(categories, "likert").items())


def likert_text(value: Likert) -> str:
    """The text that `likert_choice` reads as this value."""
    cuts = [_digits(cut) for cut in value if not isinstance(cut, tuple)]
    named = [f"{_name_text(part[0])}: {'-'.join(map(_digits, part[1]))}" for part in value if isinstance(part, tuple)]
    return ", ".join(cuts) + "; ".join(named)


def groups_choice(text: str, class_names: Sequence[str]) -> Groups:
    """Groups of classes: "even: 0, 2, 4; odd: 1, 3, 5"; "rest", or "name: *", holds all classes of no other group.

    A name with a colon, a comma or the like stands in double quotes. An empty text means no groups.
    """
    groups: dict[str, list[str]] = {}
    owner: dict[str, str] = {}
    for name, members in _named(text, _GROUPS_FORM):
        if name in groups:
            raise ValueError(f"the group {name!r} is named twice")
        groups[name] = []
        if members == "*":
            continue
        for member in _split(members, ","):
            if not member:
                raise ValueError(f"the group {name!r} lists no class, or has a comma too many: {_GROUPS_FORM}")
            class_name = class_names[validation.class_index(_unquoted(member), class_names, f"group {name!r}: class")]
            if class_name in owner:
                raise ValueError(f"class {class_name!r} is in the group {owner[class_name]!r} and again in {name!r}")
            owner[class_name] = name
            groups[name].append(class_name)
    left = [name for name in class_names if name not in owner]
    rest = [name for name, members in groups.items() if not members]
    if groups and left and not rest:
        raise ValueError(f"class {validation.listed(left)} is in no group: add it, or a group 'rest: *'")
    if len(rest) > 1 or (rest and not left):
        raise ValueError(f"no class is left for the group {rest[-1]!r}: take it out")
    if len(groups) == 1:
        raise ValueError(f"a single group holds every class and says nothing: {_GROUPS_FORM}")
    return tuple((name, tuple(members or left)) for name, members in groups.items())


def groups_text(value: Groups) -> str:
    """The text that `groups_choice` reads as this value."""
    return "; ".join(f"{_name_text(name)}: {', '.join(map(_name_text, members))}" for name, members in value)


def weights_choice(text: str, outcomes: Sequence[str]) -> dict[str, float]:
    """Weights of outcomes: "cat: 2; dog: 0.5"; all others count 1, and so do all of them where the text is empty.

    A name with a colon or the like stands in double quotes.
    """
    weights: dict[str, float] = {}
    for name, number in _named(text, _WEIGHTS_FORM):
        outcome = outcomes[validation.class_index(name, outcomes, "weights: outcome")]
        if outcome in weights:
            raise ValueError(f"the outcome {outcome!r} has two weights")
        try:
            weights[outcome] = checked_weight(float(number), outcome)
        except ValueError:
            raise ValueError(f"the weight of {outcome!r} is {number!r}: {_WEIGHTS_FORM}") from None
    return weights


def checked_weight(number: float, outcome: str) -> float:
    """The weight of an outcome, as a number from 0 to a million; a `ValueError` names the outcome of another number."""
    if not 0 <= number <= HEAVIEST:
        raise ValueError(f"the weight of {outcome!r} must be a number from 0 to {HEAVIEST:,.0f}, not {number:g}")
    return number


def weights_text(value: Iterable[tuple[str, float]]) -> str:
    """The text that `weights_choice` reads as this value."""
    return "; ".join(f"{_name_text(name)}: {_digits(weight)}" for name, weight in value)


def number_of(text: str, what: str, example: str) -> float:
    """The positive number that a text means; "1/4" and "0.25" are the same."""
    above, _, below = text.partition("/")
    try:
        number = float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        number = math.nan
    if not 0 < number < math.inf:
        raise ValueError(f"{what} is a positive number or fraction such as {example}, not {text!r}")
    return number


def ratio_threshold(text: str) -> float:
    """The threshold t = 1 / (1 + k) at which one missed weighs as much as k needless: 0.2 of "4 needless" and "4"."""
    return 1 / (1 + number_of(text.strip().removesuffix(NEEDLESS), "a cost ratio", "4 or 1/3"))


def ratio_text(threshold: float) -> str:
    """The cost ratio of a threshold as people say it: "4 needless" of 0.2, and "1/3 needless" of 0.75."""
    return f"{_weight_of(threshold)} {NEEDLESS}"


def ratio_options(threshold: float) -> tuple[tuple[str, float], ...]:
    """The thresholds in whole per cents and one more, each with its cost ratio as a number, the lowest first."""
    by_text = {_weight_of(percent / 100): percent / 100 for percent in range(1, 100)}
    by_text[_weight_of(threshold)] = threshold
    return tuple(sorted(by_text.items(), key=lambda option: option[1]))


def _weight_of(threshold: float) -> str:
    missed, needless = 1 - threshold, threshold
    return f"1/{needless / missed:.3g}" if missed < needless else f"{missed / needless:.3g}"


def _split(text: str, sign: str) -> list[str]:
    """The parts of a text between the signs that stand outside of double quotes, without blanks around them."""
    parts = [""]
    for token in _QUOTED_OR_ONE.findall(text):
        parts += [""] if token == sign else [parts.pop() + token]
    return [part.strip() for part in parts]


def _named(text: str, form: str) -> list[tuple[str, str]]:
    """Name and content of each "name: content" between semicolons; "rest" alone is "rest: *"."""
    out = []
    for entry in filter(None, _split(text, ";")):
        parts = _split("rest: *" if entry == "rest" else entry, ":")
        if len(parts) != 2 or not all(parts) or not (name := _unquoted(parts[0])):
            raise ValueError(f"{entry!r} is not a name, one colon and what it stands for: {form}")
        out.append((name, parts[1]))
    return out


def _unquoted(name: str) -> str:
    if not name.startswith('"'):
        return name
    try:
        return str(json.loads(name))
    except ValueError:
        raise ValueError(f"{name} is not closed by a second quote, or something follows it") from None


def _name_text(name: str) -> str:
    """A name as it can stand in a list: in quotes if it holds a sign with a meaning there."""
    plain = name == name.strip() and name.isprintable() and name != "*" and not re.search('[":;,]', name)
    return name if plain and name else text_of(name)


def _digits(number: float) -> str:
    short = f"{number:.15g}"
    return short if float(short) == number else repr(number)


def named_categories(categories: Mapping[str, tuple[float, float]] | Iterable[float] | None) -> Any:
    """Categories as the choices of the Explorer have them, which name those between cut points."""
    if categories is None:
        return ()
    checked = validation.intervals(categories, "categories")
    if isinstance(categories, Mapping):
        return checked
    return sorted({end for ends in checked.values() for end in ends})  # the cut points, named as in the Explorer


def movable_edges(ends: Iterable[float]) -> list[float]:
    """The edges between categories, ascending; those at 0 and 1 stay where they are."""
    return sorted({end for end in ends if 0 < end < 1})


def with_edge(likert: Likert, place: int, x: float) -> Likert:
    """Categories with one of their `movable_edges` moved to x, as far as it stays between the edges beside it."""
    named = [entry for entry in likert if isinstance(entry, tuple)]
    cuts = [entry for entry in likert if not isinstance(entry, tuple)]
    edges = [0.0, *movable_edges([*cuts, *(end for _, ends in named for end in ends)]), 1.0]
    below, old, above = edges[place : place + 3]
    x = round(min(above - FINEST, max(below + FINEST, x)), 3)

    def moved(end: float) -> float:
        return x if end == old else end

    return tuple((name, (moved(low), moved(high))) for name, (low, high) in named) or tuple(map(moved, cuts))
