"""Between the state's names and what single controls hold: pure functions, no widgets."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import validation
from ..predictions import Predictions
from ..selection_text import selection as read_selection
from ..selections import And, Between, Comparison, Condition, IsIn, Subject, text_of

LENS_KINDS = (
    "top-1", "top-k", "rank", "within-top", "class", "grouping", "full", "classwise", "top-1 by class", "pooled",
)  # fmt: skip
COUNTED = {"top-k": "top-{}", "rank": "rank {}", "within-top": "within-top {}"}
LABEL, CONFIDENCE, OUTPUT = Subject("label"), Subject("confidence"), Subject("output")
MOST_EXAMPLES = 8  # of fields
EXAMPLE_ROWS = 10_000  # that are looked at to make one up

Likert = tuple[float, ...] | tuple[tuple[str, tuple[float, float]], ...]
Groups = tuple[tuple[str, tuple[str, ...]], ...]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"(\[?)\s*({_NUMBER})\s*(?:-|–|to|,)\s*({_NUMBER})\s*(\]?)")
_LIKERT_FORM = "write cut points such as 0, 0.33, 0.66, 1, or categories such as not very: 0-0.8; very: 0.9-1"
_GROUPS_FORM = "write groups such as even: 0, 2, 4; odd: 1, 3, 5, or even: 0, 2, 4; rest"
_QUOTED_OR_ONE = re.compile(r'"(?:[^"\\]|\\.)*"|.', re.DOTALL)


def lens_parts(name: str) -> tuple[str, str]:
    """The kind of a lens and its parameter: "rank 2" is ("rank", "2")."""
    for kind, form in COUNTED.items():
        match = re.fullmatch(form.replace("{}", r"(\d+)"), name)
        if match and name != "top-1":
            return kind, match[1]
    if name.startswith("class "):
        return "class", name.removeprefix("class ")
    return name, ""


def lens_name(kind: str, number: int, class_name: str) -> str:
    """The name of a lens of a kind, with whichever parameter it takes."""
    if kind in COUNTED:
        return COUNTED[kind].format(number)
    return f"class {class_name}" if kind == "class" else kind


def kept_outcome(outcome: str | None, kind: str, number: int) -> str | None:
    """The chosen outcome, where a lens of this kind and number has it too."""
    if kind != "top-k" or outcome is None:
        return None
    rank = re.fullmatch(r"rank (\d+)", outcome)
    return outcome if outcome == "rest" or (rank and int(rank[1]) <= number) else None


def chosen_labels(text: str, class_names: Sequence[str]) -> tuple[str, ...]:
    """The class names that a selection's `label in [...]` lists; empty where it has none."""
    for part in _conjuncts(text):
        if isinstance(part, IsIn) and part.subject == LABEL:
            return tuple(
                class_names[value] if type(value) is int and 0 <= value < len(class_names) else str(value)
                for value in part.values
            )
    return ()


def with_labels(text: str, names: Sequence[str], class_names: Sequence[str]) -> str:
    """The selection with its `label in [...]` set to these classes; none of them, or all, means no such condition."""
    numbered = all(name == str(i) for i, name in enumerate(class_names))
    values = tuple(int(name) if numbered else name for name in names)
    keep_all = not names or len(names) == len(class_names)
    return _replaced(text, LABEL, None if keep_all else IsIn(LABEL, values))


def chosen_confidence(text: str) -> tuple[float, float]:
    """The range of a selection's `low <= confidence <= high`; (0, 1) where it has none."""
    return _chosen_range(text, CONFIDENCE)


def with_confidence(text: str, low: float, high: float) -> str:
    """The selection with its confidence range set; (0, 1) means no such condition."""
    return _with_range(text, CONFIDENCE, low, high)


def chosen_output(text: str) -> tuple[float, float]:
    """The range of a selection's `low <= output <= high`; (0, 1) where it has none."""
    return _chosen_range(text, OUTPUT)


def with_output(text: str, low: float, high: float) -> str:
    """The selection with its range of the lens's output set; (0, 1) means no such condition."""
    return _with_range(text, OUTPUT, low, high)


def conjuncts(text: str) -> tuple[str, ...]:
    """The conditions that a selection joins by `and`, each as text; none of an empty selection."""
    return tuple(map(str, _conjuncts(text)))


def without(text: str, i: int) -> str:
    """The selection without the i-th of its `conjuncts`."""
    parts = _conjuncts(text)
    i = validation.whole_number(i, "i", 0, len(parts) - 1)
    return _joined([*parts[:i], *parts[i + 1 :]])


def with_part(text: str, part_text: str) -> str:
    """The selection and what else `part_text` asks for; what it asks for already is not repeated."""
    return _joined(list(dict.fromkeys((*_conjuncts(text), *_conjuncts(part_text)))))


def field_examples(predictions: Predictions) -> tuple[str, ...]:
    """Conditions to offer for a selection: one for each field, of the first eight, and three that always make sense.

    A numeric field is compared with its median, a date with the one in the middle, all else with its commonest value.
    """
    names = list(predictions.fields)[:MOST_EXAMPLES]
    found = [_example(Subject("field", name), predictions.fields[name]) for name in names]
    classes = predictions.class_names
    if predictions.labels is not None:
        found.append(with_labels("", classes[: min(2, len(classes) - 1)], classes))
    return tuple(example for example in (*found, "confidence > 0.9", "correct == 0") if example)


def likert_cuts(text: str) -> tuple[float, ...]:
    """Cut points separated by commas or blanks.

    Raises
    ------
    ValueError
        Where an entry is no number.
    """
    cuts = []
    for entry in text.replace(",", " ").split():
        try:
            cuts.append(float(entry))
        except ValueError:
            raise ValueError(f"Likert cut points are numbers, and {entry!r} is none: {_LIKERT_FORM}") from None
    return tuple(cuts)


def likert_choice(text: str) -> Likert:
    """Likert categories: cut points "0, 0.33, 0.66, 1", or named ones "not very: 0-0.8; very: [0.9, 1]".

    A name that holds a colon or the like stands in double quotes. An empty text means no categories.

    Raises
    ------
    ValueError
        Where the text is neither, or an end lies outside [0, 1].
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
            raise ValueError(f"the Likert category {name!r} has the range {ends!r}: {_LIKERT_FORM}")
        if name in categories:
            raise ValueError(f"the Likert category {name!r} is there twice")
        categories[name] = float(match[2]), float(match[3])
    return tuple(validation.intervals(categories, "likert").items())


def likert_text(value: Likert) -> str:
    """The text that `likert_choice` reads as this value."""
    cuts = [_digits(cut) for cut in value if not isinstance(cut, tuple)]
    named = [f"{_name_text(part[0])}: {'-'.join(map(_digits, part[1]))}" for part in value if isinstance(part, tuple)]
    return ", ".join(cuts) + "; ".join(named)


def groups_choice(text: str, class_names: Sequence[str]) -> Groups:
    """Groups of classes: "even: 0, 2, 4; odd: 1, 3, 5"; "rest", or "name: *", is all that are in no other group.

    A name that holds a colon, a comma or the like stands in double quotes. An empty text means no groups.

    Raises
    ------
    ValueError
        Where a class is unknown, in two groups or in none.
    """
    groups: dict[str, list[str]] = {}
    owner: dict[str, str] = {}
    for name, members in _named(text, _GROUPS_FORM):
        if name in groups:
            raise ValueError(f"the group {name!r} is there twice")
        groups[name] = []
        if members == "*":
            continue
        for member in _split(members, ","):
            if not member:
                raise ValueError(f"the group {name!r} lists no class, or has a comma too many: {_GROUPS_FORM}")
            found = class_names[validation.class_index(_unquoted(member), class_names, f"group {name!r}: class")]
            if found in owner:
                raise ValueError(f"class {found!r} is in the group {owner[found]!r} and again in {name!r}")
            owner[found] = name
            groups[name].append(found)
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


def _split(text: str, sign: str) -> list[str]:
    """The text between signs outside of double quotes, without blanks around it."""
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
    """A name as it can stand in a list: in quotes where a sign in it would mean something else."""
    plain = name == name.strip() and name.isprintable() and name != "*" and not re.search('[":;,]', name)
    return name if plain and name else text_of(name)


def _digits(number: float) -> str:
    short = f"{number:.15g}"
    return short if float(short) == number else repr(number)


def _example(subject: Subject, column: NDArray[Any]) -> str:
    """A condition that keeps some of the samples; empty where there is nothing to say of the column."""
    column = column[:: max(1, len(column) // EXAMPLE_ROWS)]
    kind = column.dtype.kind
    known = column[column != ""] if kind == "U" else column[np.isfinite(column)]
    if not len(known) or kind not in "biufUM":
        return ""
    if kind == "M":
        return str(Comparison(subject, ">=", str(np.sort(known)[len(known) // 2].astype("datetime64[D]"))))
    if kind in "iuf":
        known = known.astype(np.float64) if kind == "f" else known
        for digits in range(2, 17):
            rounded = float(f"{np.median(known):.{digits}g}")
            if 0.25 <= (known > rounded).mean() <= 0.75:
                return str(Comparison(subject, ">", rounded if kind == "f" else int(rounded)))
    values, counts = np.unique(known, return_counts=True)
    return str(Comparison(subject, "==", values[counts.argmax()].item()))


def _conjuncts(text: str) -> tuple[Condition, ...]:
    condition = read_selection(text)
    if condition is None:
        return ()
    return condition.parts if isinstance(condition, And) else (condition,)


def _joined(parts: Sequence[Condition]) -> str:
    return "" if not parts else str(parts[0] if len(parts) == 1 else And(tuple(parts)))


def _chosen_range(text: str, subject: Subject) -> tuple[float, float]:
    for part in _conjuncts(text):
        if isinstance(part, Between) and part.subject == subject:
            ends = part.low, part.high
            if all(isinstance(end, int | float) for end in ends) and 0 <= ends[0] <= ends[1] <= 1:  # type: ignore[operator]
                return float(ends[0]), float(ends[1])
    return 0.0, 1.0


def _with_range(text: str, subject: Subject, low: float, high: float) -> str:
    return _replaced(text, subject, None if (low, high) == (0.0, 1.0) else Between(subject, low, high))


def _replaced(text: str, subject: Subject, new: Condition | None) -> str:
    kind = IsIn if subject == LABEL else Between
    old = _conjuncts(text)
    at = [i for i, part in enumerate(old) if isinstance(part, kind) and part.subject == subject]
    parts = [part for i, part in enumerate(old) if i not in at[:1]]
    if new is not None:
        parts.insert(at[0] if at else len(parts), new)
    return _joined(parts)
