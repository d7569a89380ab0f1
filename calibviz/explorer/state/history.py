"""The steps of a state: each can be taken back and made again, and says in words what it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...answers.asked.choices import CHOICES, word_of
from ...answers.asked.selection_edits import conditions_of
from ...context.conditions import Comparison, Condition
from ...foundation.written import shortened

Choices = Mapping[str, Any]

MOST_STEPS = 50
PAUSE = 1.0  # seconds: changes of the same choices that follow one another faster are one step, such as a drag
PRESSED = {name for name, choice in CHOICES.items() if choice.is_pressed}
MOST_NAMED = 2  # choices of a step that are told one by one
LONGEST_VALUE = 40  # characters
ARROW = "→"


@dataclass(frozen=True)
class Visit:
    """Choices that a state had, and the step to them in words."""

    choices: Choices
    step: str = ""


class History:
    """The values of a state before, now, and before an undo: at most 50 steps, by a clock in seconds."""

    def __init__(self, start: Choices, clock: Callable[[], float] = time.monotonic) -> None:
        self.start = start
        self.place = 0  # how many of the steps are done; the others are undone
        self._visits = [Visit(start)]
        self._clock = clock
        self._last_changed: set[str] = set()
        self._last_time = 0.0

    def record(self, choices: Choices) -> None:
        """Note that the state has other choices now; what was undone is forgotten then."""
        before = self.now
        changed = changed_names(before, choices)
        if not changed:
            return
        now = self._clock()
        is_soon = now - self._last_time < PAUSE
        is_same_step = is_soon and changed == self._last_changed and not changed & PRESSED
        self._last_changed, self._last_time = changed, now
        del self._visits[self.place + 1 :]
        if is_same_step:
            self._visits.pop()
            before = self._visits[-1].choices
        if changed_names(before, choices):
            self._visits.append(Visit(choices, step_text(before, choices)))
            del self._visits[: -MOST_STEPS - 1]
        else:  # a drag that ends where it began is no step
            self._last_changed = set()
        self.place = len(self._visits) - 1

    def amend(self, choices: Choices) -> None:
        """Let the last step that is done lead to these choices instead."""
        at = self.place
        if not at and self.now == self.start:
            self.start = choices
        self._visits[at] = Visit(choices, step_text(self._visits[at - 1].choices, choices) if at else "")
        if at + 1 < len(self._visits):
            after = self._visits[at + 1].choices
            self._visits[at + 1] = Visit(after, step_text(choices, after))
        elif at and not changed_names(self._visits[at - 1].choices, choices):  # nothing is left of the step
            self._visits.pop()
            self.place -= 1
            self._last_changed = set()

    @property
    def now(self) -> Choices:
        """The choices after the last step that is done."""
        return self._visits[self.place].choices

    def go(self, place: int) -> Choices:
        """Stand after the first `place` steps, at the nearest there is; returns the choices there."""
        self._last_changed = set()  # what follows is a step of its own
        self.place = max(0, min(place, len(self._visits) - 1))
        return self.now

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps in words, the oldest first, and those that are undone at the end."""
        return tuple(visit.step for visit in self._visits[1:])

    @property
    def differing(self) -> set[str]:
        """The names of the choices that are no longer those of the start, whatever is kept."""
        return changed_names(self.start, self.now) - {"kept"}


def changed_names(before: Choices, after: Choices) -> set[str]:
    """The names of the choices that differ."""
    return {name for name in after if before[name] != after[name]}


def step_text(before: Choices, after: Choices) -> str:
    """Return the change of a step in words, such as "bins: 15 → 20"."""
    changed = changed_names(before, after)
    changes = [_change_text(name, before[name], after[name]) for name in after if name in changed]
    if len(changes) <= MOST_NAMED:
        return "; ".join(changes)
    return f"{changes[0]}; and {len(changes) - 1} more choices"


def _change_text(name: str, before: Any, after: Any) -> str:
    if name == "panels":
        changes = [f"open {panel}" for panel in after if panel not in before]
        changes += [f"close {panel}" for panel in before if panel not in after]
        return ", ".join(changes) or "order of the panels"
    if name == "kept":
        kept = [f"Remember as {key}" for key, choices in after if dict(before).get(key) != choices]
        return ", ".join([*kept, *(f"forget {key}" for key, _ in before if key not in dict(after))])
    if name == "selection":
        return _selection_text(before, after)
    return f"{word_of(name)}: {_value_text(name, before)} {ARROW} {_value_text(name, after)}"


def _value_text(name: str, value: Any) -> str:
    return shortened(CHOICES[name].value_text(value), LONGEST_VALUE)


def _selection_text(before: str, after: str) -> str:
    """A changed selection: of a single subject what it keeps, else the whole text."""
    old, new = conditions_of(before), conditions_of(after)
    gone, added = [part for part in old if part not in new], [part for part in new if part not in old]
    subjects = {getattr(part, "subject", None) for part in (*gone, *added)}
    subject = subjects.pop() if len(subjects) == 1 else None
    if subject is None:
        was, is_now = (shortened(text or "all", LONGEST_VALUE) for text in (before, after))
        return f"selection: {was} {ARROW} {is_now}"
    name = subject.argument if subject.kind == "field" else subject
    return f"{name}: {_kept(gone)} {ARROW} {_kept(added)}"


def _kept(parts: Sequence[Condition]) -> str:
    """Return what conditions on one subject keep: a value by itself, else the condition."""
    texts = [str(part.value) if isinstance(part, Comparison) and part.op == "==" else str(part) for part in parts]
    return shortened(" and ".join(texts) or "all", LONGEST_VALUE)
