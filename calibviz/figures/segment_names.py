"""The name of a segment as a person says it, alone in a table and within a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from ..context.condition_parser import selection as read_selection
from ..context.conditions import And, Comparison, Condition, Subject
from ..decisions.by_segment.flagged_segments import value_of
from ..decisions.by_segment.segment_request import PREDICTED
from ..foundation.marked import strong
from ..foundation.written import shortened, spaced

#: A word in the name of a field whose values are places, in which something happens.
PLACES = frozenset({
    "area", "branch", "center", "centre", "city", "clinic", "country", "county", "department", "district", "hospital",
    "location", "market", "office", "place", "plant", "province", "region", "school", "site", "state", "store", "town",
    "unit", "village", "ward", "zone",
})  # fmt: skip  # short entries stand in rows
CLASS = "likeliest class"
MISSING = " is missing"
LONGEST = 60  # characters of a value; the code of the segment, in the tooltip, has all of them


def is_of_places(field: str) -> bool:
    """Whether a field is named after places."""
    return not PLACES.isdisjoint(re.findall("[a-z]+", field.lower()))


@dataclass(frozen=True)
class SegmentName:
    """The name of a segment."""

    words: str  # the name with its field, such as "site = Zurich and Basel"
    name: str  # its value or range alone, or that a field is missing
    field: str  # the field that the name is of, with blanks; empty where the name says it
    is_place: bool  # whether it is the value of a field of places
    is_text: bool = False  # whether it is a value in words, which needs no field to be understood

    @classmethod
    def of(cls, words: str, selection: str, fields: int) -> SegmentName:
        """The name from the words and the selection in a table of segments, and of how many fields it is made."""
        if fields == 1 and words.endswith(MISSING):
            return cls(words, spaced(words), "", False)
        value = value_of(selection, fields)
        if value is not None:
            return cls._of_value(words, value)
        subject = _subject(read_selection(selection)) if fields == 1 else None
        start = f"{'' if subject is None else subject.argument or subject.kind} "
        if subject is not None and words.startswith(start):
            return cls(words, words.removeprefix(start), spaced(start.strip()), False)
        parts = words.split(", ")
        if len(parts) == fields > 1:  # no value holds a comma
            named = [part.partition(" = ") for part in parts]
            of = [spaced(field) for field, _, value_of_field in named if value_of_field]
            return cls(words, ", ".join(value or spaced(field) for field, _, value in named), ", ".join(of), False)
        return cls(words, spaced(words), "", False)

    @classmethod
    def _of_value(cls, words: str, value: Comparison) -> SegmentName:
        is_class = value.subject == PREDICTED
        field = CLASS if is_class else str(value.subject.argument or value.subject.kind)
        is_text = isinstance(value.value, str)
        is_place = is_text and is_of_places(field)
        start, sign, whole = words.partition(" = ")
        name = shortened(whole, LONGEST)
        words = f"{CLASS} {name}" if is_class else f"{start}{sign}{name}"
        return cls(words, name, spaced(field), is_place, is_text) if name else cls(words, spaced(words), "", False)

    @property
    def sentence(self) -> str:
        """The name in a sentence, "Zurich and Basel" of a place, "age 55 to 60" of anything else."""
        return self.name if self.is_place else spaced(self.words)

    @property
    def heading(self) -> str:
        """The name at the beginning of a sentence."""
        return self.sentence[:1].upper() + self.sentence[1:]

    @property
    def short(self) -> str:
        """The name in as few words as can be: a value in words alone, anything else with its field."""
        return self.name if self.is_text else self.heading

    @property
    def where(self) -> str:
        """The words by which a sentence speaks of it: "in Zurich" for a place, "for age 55 to 60" for others."""
        return f"{'in' if self.is_place else 'for'} {self.sentence}"

    def begins(self, is_marked: bool = False, is_inside: bool = False) -> str:
        """The words that a sentence about it begins with: "In Zurich" for a place, "Age 55 to 60:" for others.

        They are in small letters inside a sentence, of which something stands before them.
        """
        marked, name = strong if is_marked else str, self.sentence if is_inside or self.is_place else self.heading
        return f"{'in' if is_inside else 'In'} {marked(name)}" if self.is_place else f"{marked(name)}:"


class Named(Protocol):
    """A segment, by its words and the selection that keeps it."""

    @property
    def words(self) -> str: ...
    @property
    def selection(self) -> str: ...
    @property
    def fields(self) -> int: ...


def name_of(one: Named) -> SegmentName:
    """The name of a segment that is off, or in which acting is worth less."""
    return SegmentName.of(one.words, one.selection, one.fields)


def _subject(condition: Condition | None) -> Subject | None:
    """The subject of a range; before it stands what was asked for."""
    last = condition.parts[-1] if isinstance(condition, And) else condition
    subject = getattr(last, "subject", None)
    return subject if isinstance(subject, Subject) else None
