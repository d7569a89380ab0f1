"""Between the state's names and what single controls hold: pure functions, no widgets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..selection_text import selection as read_selection
from ..selections import And, Between, Condition, IsIn, Subject

LENS_KINDS = (
    "top-1", "top-k", "rank", "within-top", "class", "grouping", "full", "classwise", "top-1 by class", "pooled",
)  # fmt: skip
COUNTED = {"top-k": "top-{}", "rank": "rank {}", "within-top": "within-top {}"}
LABEL, CONFIDENCE = Subject("label"), Subject("confidence")


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
    for part in _conjuncts(text):
        if isinstance(part, Between) and part.subject == CONFIDENCE:
            ends = part.low, part.high
            if all(isinstance(end, int | float) for end in ends) and 0 <= ends[0] <= ends[1] <= 1:  # type: ignore[operator]
                return float(ends[0]), float(ends[1])
    return 0.0, 1.0


def with_confidence(text: str, low: float, high: float) -> str:
    """The selection with its confidence range set; (0, 1) means no such condition."""
    return _replaced(text, CONFIDENCE, None if (low, high) == (0.0, 1.0) else Between(CONFIDENCE, low, high))


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
            raise ValueError(f"Likert cut points are numbers such as 0, 0.33, 0.66, 1: {entry!r} is none") from None
    return tuple(cuts)


def _conjuncts(text: str) -> tuple[Condition, ...]:
    condition = read_selection(text)
    if condition is None:
        return ()
    return condition.parts if isinstance(condition, And) else (condition,)


def _replaced(text: str, subject: Subject, new: Condition | None) -> str:
    kind = IsIn if subject == LABEL else Between
    old = _conjuncts(text)
    at = [i for i, part in enumerate(old) if isinstance(part, kind) and part.subject == subject]
    parts = [part for i, part in enumerate(old) if i not in at[:1]]
    if new is not None:
        parts.insert(at[0] if at else len(parts), new)
    return "" if not parts else str(parts[0] if len(parts) == 1 else And(tuple(parts)))
