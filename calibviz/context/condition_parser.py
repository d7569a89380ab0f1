"""Reads the text form of selections: a small grammar of its own, never `eval`.

selection  = and-part { "or" and-part }
and-part   = not-part { "and" not-part }
not-part   = "not" not-part | "(" selection ")" | condition
condition  = quantity op value | value op quantity [op value] | quantity ["not"] "in" "[" value {"," value} "]"
quantity   = "label" | "predicted" | "correct" | "confidence" | "output" | "probability(" value ")"
           | "field(" text ")" | a field's name

`correct` is 1 or 0, so `correct == 0` keeps the errors.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, NoReturn

from ..foundation import validation
from ..foundation.arrays import is_array
from .conditions import (
    OPERATORS,
    PLAIN_SUBJECTS,
    And,
    Between,
    Comparison,
    Condition,
    IsIn,
    Not,
    Or,
    Subject,
    Value,
    joined,
)

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
        |(?P<text>"(?:[^"\\]|\\.)*"|'[^'\\]*')
        |(?P<word>[^\W\d]\w*)
        |(?P<sign>==|!=|<=|>=|<|>|[()\[\],]))""",
    re.VERBOSE,
)
_DATE = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b")
MOST_NESTED = 50
LONGEST_KEPT = 1_000  # characters of a text whose selection is kept
LONGEST = 100_000  # characters, about ten thousand numbers of patients; reading takes a tenth of a second
MOST_SHOWN = 1000  # characters of a text in a message
_KEYWORDS = ("and", "or", "not", "in")
_MIRROR = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}


class SelectionError(ValueError):
    """A selection text that does not parse; `position` is the place of the error, from 0.

    See Also
    --------
    selection : Reads the text of a selection.
    EmptyProblemError : For a selection that keeps no sample.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        shown = repr(text) if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]!r} ..."
        super().__init__(f"selection {shown}, at character {position + 1}: {message}")
        self.position = position


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._split()
        self.next = 0
        self.depth = 0

    def _split(self) -> list[_Token]:
        tokens, position, end = [], 0, len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None:
                position += len(self.text[position:]) - len(self.text[position:].lstrip())
                hint = "a text is not closed" if self.text[position] in "\"'" else "unexpected character"
                hint = "use == to compare" if self.text[position] == "=" else hint
                raise SelectionError(f"{hint}, at {self.text[position:][:12]!r}", self.text, position)
            kind = str(match.lastgroup)
            tokens.append(_Token(kind, match[kind], match.start(kind)))
            position = match.end()
        tokens.append(_Token("end", "", len(self.text)))
        return tokens

    def fail(self, expected: str) -> NoReturn:
        token = self.tokens[self.next]
        seen = "the text ends" if token.kind == "end" else f"found {token.text!r}"
        # A date without quotes reads as a number less others.
        date = next((match[0] for match in _DATE.finditer(self.text) if token.position in range(*match.span())), None)
        hint = "" if date is None else f': a date is a text in quotes, "{date}"'
        raise SelectionError(f"expected {expected}, but {seen}{hint}", self.text, token.position)

    def peek(self, *texts: str) -> bool:
        token = self.tokens[self.next]
        return token.kind in ("word", "sign") and token.text in texts

    def accept(self, *texts: str) -> str | None:
        if not self.peek(*texts):
            return None
        self.next += 1
        return self.tokens[self.next - 1].text

    def require(self, text: str) -> None:
        if self.accept(text) is None:
            self.fail(repr(text))

    def selection(self) -> Condition:
        parts = [self.all_of()]
        while self.accept("or"):
            parts.append(self.all_of())
        return parts[0] if len(parts) == 1 else Or(joined(parts, Or))

    def all_of(self) -> Condition:
        parts = [self.negation()]
        while self.accept("and"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else And(joined(parts, And))

    def negation(self) -> Condition:
        if not self.peek("not", "("):
            return self.condition()
        self.depth += 1
        if self.depth > MOST_NESTED:
            self.fail("less nesting")
        if self.accept("not"):
            inner: Condition = Not(self.negation())
        else:
            self.require("(")
            inner = self.selection()
            self.require(")")
        self.depth -= 1
        return inner

    def condition(self) -> Condition:
        value = self.maybe_value()
        if value is not None:
            return self.from_value(value)
        subject = self.subject()
        if op := self.accept(*OPERATORS):
            return Comparison(subject, op, self.value())
        negative = self.accept("not")
        if self.accept("in"):
            isin = IsIn(subject, self.value_list())
            return Not(isin) if negative else isin
        self.fail("one of == != < <= > >= in")

    def from_value(self, low: Value) -> Condition:
        """`value op quantity`, or the chain `low <= quantity <= high`."""
        op = self.accept(*OPERATORS) or self.fail("a comparison")
        subject = self.subject()
        if not self.peek("<", "<="):
            return Comparison(subject, _MIRROR[op], low)
        if op not in ("<", "<="):
            self.fail("'and', 'or' or the end: a chain reads low <= quantity <= high")
        second = self.accept("<", "<=") or ""
        high = self.value()
        if op == second == "<=":
            return Between(subject, low, high)
        return Comparison(subject, _MIRROR[op], low) & Comparison(subject, second, high)

    def subject(self) -> Subject:
        token = self.tokens[self.next]
        if token.kind != "word" or token.text in _KEYWORDS:
            self.fail("label, predicted, correct, confidence, output, probability(class) or a field")
        self.next += 1
        if token.text in PLAIN_SUBJECTS:
            return Subject(token.text)
        if token.text in ("probability", "field"):
            self.require("(")
            argument = self.value()
            if isinstance(argument, float | bool) or (token.text == "field" and not isinstance(argument, str)):
                self.next -= 1
                self.fail("a class number or name" if token.text == "probability" else "a field's name in quotes")
            self.require(")")
            return Subject(token.text, argument)
        return Subject("field", token.text)

    def value_list(self) -> tuple[Value, ...]:
        self.require("[")
        if self.accept("]"):
            return ()
        values = [self.value()]
        while self.accept(","):
            values.append(self.value())
        self.require("]")
        return tuple(values)

    def value(self) -> Value:
        value = self.maybe_value()
        if value is None:
            self.fail('a number, or a text in quotes such as "cat"')
        return value

    def maybe_value(self) -> Value | None:
        token = self.tokens[self.next]
        value: Value
        if token.kind == "number":
            if math.isinf(float(token.text)):
                self.fail("a finite number")
            value = int(token.text) if re.fullmatch(r"[-+]?\d+", token.text) else float(token.text)
        elif token.kind == "text":
            try:
                value = json.loads(token.text) if token.text[0] == '"' else token.text[1:-1]
            except ValueError:
                self.fail("a text in quotes")
        elif token.kind == "word" and token.text in ("True", "False"):
            value = token.text == "True"
        else:
            return None
        self.next += 1
        return value


def parse(text: str) -> Condition | None:
    """The selection that a text describes; None, which keeps every sample, for an empty text.

    Raises
    ------
    ValueError
        For a text that is too long; else a `SelectionError`, with the place of the error.
    """
    if len(text) > LONGEST:
        raise ValueError(
            f"selection has {len(text):,} characters, more than the {LONGEST:,} that are read: {text[:40]!r} ..."
        )
    if not text.strip():
        return None
    reader = _Reader(text)
    condition = reader.selection()
    if reader.tokens[reader.next].kind != "end":
        reader.fail("'and', 'or' or the end")
    return condition


def selection(value: str | Condition | None) -> Condition | None:
    """A selection from its text; a condition, or None, is returned as it is.

    See Also
    --------
    field, label, predicted, correct, confidence, output, probability : Selections written in Python.

    Examples
    --------
    >>> cv.selection("label in [3, 5] and confidence > 0.5").uses("label")
    True
    """
    if value is None or isinstance(value, Condition):
        return value
    if not isinstance(value, str):
        is_mask = isinstance(value, list) or is_array(value)
        what = type(value).__name__ if is_mask else validation.shown(value)
        hint = ": predictions.select(mask) keeps the samples of a mask" if is_mask else ""
        raise TypeError(f"selection must be a condition or its text, not {what}{hint}")
    return parse(value) if len(value) > LONGEST_KEPT else _parse_once(value)


@lru_cache(maxsize=256)
def _parse_once(text: str) -> Condition | None:
    """`parse`, of texts that are asked for again and again, such as those that a menu offers."""
    return parse(text)


def named_selections(value: Mapping[str, str | Condition | None] | None) -> dict[str, Condition | None]:
    """Selections by name, of conditions or their texts; by default "all", which keeps all samples."""
    given = validation.mapping({"all": None} if value is None else value, "selections", "selections or their texts")
    return {name: selection(kept) for name, kept in given.items()}
