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

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

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
    r"""\s*(?:(?P<value>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|"(?:[^"\\]|\\.)*"|'[^'\\]*')
        |(?P<name>[^\W\d]\w*)
        |(?P<sign>==|!=|<=|>=|<|>|[()\[\],]))""",
    re.VERBOSE,
)
_DATE = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b")
MOST_NESTED = 50
LONGEST_KEPT = 1_000  # characters of a text whose selection is kept
LONGEST = 100_000  # characters, about ten thousand numbers of patients; reading takes a tenth of a second
MOST_SHOWN = 1000  # characters of a text in a message
_MIRROR = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_KINDS = {
    **{sign: "less" if sign in ("<", "<=") else "sign" for sign in OPERATORS},
    **{text: text for text in ("not", "in", "(", ")", "[", "]", ",")},
    **{"and": "and", "or": "and", "True": "value", "False": "value", "probability": "of", "field": "of"},
}
_QUANTITY = "label, predicted, correct, confidence, output, probability(class) or a field"
_VALUE = 'a number, or a text in quotes such as "cat"'
_ARGUMENTS = {"probability": "a class number or name", "field": "a field's name in quotes"}
_SIGN = "one of == != < <= > >= in"
#: What is expected in each state, and the state that follows each kind of token that may stand there.
_GRAMMAR = {
    "start": (_QUANTITY, {"not": "start", "(": "start", "name": "left", "of": "left", "value": "low"}),
    "left": (_SIGN, {"less": "value", "sign": "value", "not": "not", "in": "in"}),
    "value": (_VALUE, {"value": "done"}),
    "low": ("a comparison", {"less": "middle", "sign": "right"}),
    "middle": (_QUANTITY, {"name": "chain", "of": "chain"}),
    "chain": ("", {"less": "value"}),  # else "done"
    "right": (_QUANTITY, {"name": "no chain", "of": "no chain"}),
    "no chain": ("'and', 'or' or the end: a chain reads low <= quantity <= high", {}),  # else "done"
    "not": (_SIGN, {"in": "in"}),
    "in": ("'['", {"[": "list"}),
    "list": (_VALUE, {"value": "listed", "]": "done"}),
    "listed": ("']'", {",": "next", "]": "done"}),
    "next": (_VALUE, {"value": "listed"}),
    "of": ("'('", {"(": "argument"}),
    "argument": (_VALUE, {"value": "closed"}),
    "closed": ("')'", {")": "close"}),
    "outside": ("'and', 'or' or the end", {"and": "start", "end": "end"}),  # "done", by itself
    "inside": ("')'", {"and": "start", ")": "close"}),  # "done", between brackets
}


class SelectionError(ValueError):
    """A selection text that does not parse; `position` is the place of the error, from 0."""

    def __init__(self, message: str, text: str, position: int) -> None:
        shown = repr(text) if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]!r} ..."
        super().__init__(f"selection {shown}, at character {position + 1}: {message}")
        self.position = position


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


class _Reader:
    """Reads the conditions one after the other by `_GRAMMAR`, and has Python's parser say how they belong together.

    That parser sees nothing of the text but `and`, `or`, `not`, brackets, and an x for each condition: in Python names,
    numbers and texts are written otherwise (`class` may be a field), and a condition may hold anything.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def selection(self) -> Condition:
        words, conditions = self.conditions(self.split())
        return _joined(ast.parse(" ".join(words), mode="eval").body, iter(conditions))

    def split(self) -> list[_Token]:
        tokens, position, end = [], 0, len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None:
                position += len(self.text[position:]) - len(self.text[position:].lstrip())
                hint = "a text is not closed" if self.text[position] in "\"'" else "unexpected character"
                hint = "use == to compare" if self.text[position] == "=" else hint
                raise SelectionError(f"{hint}, at {self.text[position:][:12]!r}", self.text, position)
            kind = str(match.lastgroup)
            tokens.append(_Token(_KINDS.get(match[kind], kind), match[kind], match.start(kind)))
            position = match.end()
        return [*tokens, _Token("end", "", len(self.text))]

    def fail(self, expected: str, token: _Token) -> NoReturn:
        seen = "the text ends" if token.kind == "end" else f"found {token.text!r}"
        # A date without quotes reads as a number less others.
        date = next((match[0] for match in _DATE.finditer(self.text) if token.position in range(*match.span())), None)
        hint = "" if date is None else f': a date is a text in quotes, "{date}"'
        raise SelectionError(f"expected {expected}, but {seen}{hint}", self.text, token.position)

    def conditions(self, tokens: list[_Token]) -> tuple[list[str], list[Condition]]:
        """Return the text between the conditions, with an x for each of them, and the conditions."""
        state, depth = "start", 0
        words: list[str] = []
        conditions: list[Condition] = []
        parts: list[Any] = []  # of the condition that is read
        around: list[tuple[str, int]] = []  # the states that follow the open brackets, and their depths
        for token in tokens:
            if state == "done" or ("chain" in state and token.kind != "less"):
                state = "inside" if around else "outside"
            expected, following = _GRAMMAR[state]
            if token.kind not in following:
                self.fail(expected, token)
            if state in ("inside", "outside") and parts:
                conditions.append(_condition(parts))
                words.append("x")
                parts = []
            state = following[token.kind]
            if state == "start":
                words.append(token.text)
                if token.kind == "(":
                    around.append(("done", depth))
                depth = (around[-1][1] + 1 if around else 0) if token.kind == "and" else depth + 1
                if depth > MOST_NESTED:
                    self.fail("less nesting", token)
            elif state == "close":
                state, depth = around.pop()
                words += [")"] if state == "done" else []
            elif token.kind == "value":
                value = self.value(token)
                if state == "closed":
                    if isinstance(value, float | bool) or (parts[-1] == "field" and not isinstance(value, str)):
                        self.fail(_ARGUMENTS[parts[-1]], token)
                    parts[-1] = Subject(parts[-1], value)
                else:
                    (parts[-1] if state == "listed" else parts).append(value)
            elif token.kind == "name":
                parts.append(Subject(token.text) if token.text in PLAIN_SUBJECTS else Subject("field", token.text))
            elif token.kind == "of":
                parts.append(token.text)
                around.append((state, depth))
                state = "of"
            elif token.kind in ("less", "sign", "not", "in"):
                parts.append(token.text)
            elif token.kind == "[":
                parts.append([])
        return words, conditions

    def value(self, token: _Token) -> Value:
        text = token.text
        if text in ("True", "False"):
            return text == "True"
        if text[0] == "'":
            return text[1:-1]
        try:
            if text[0] == '"':
                return str(json.loads(text))
            value = float(text)
            if math.isfinite(value):
                return int(text) if re.fullmatch(r"[-+]?\d+", text) else value
        except ValueError:
            pass
        self.fail("a text in quotes" if text[0] == '"' else "a finite number", token)


def _condition(parts: list[Any]) -> Condition:
    match parts:
        case [subject, "in", values]:
            return IsIn(subject, tuple(values))
        case [subject, "not", "in", values]:
            return Not(IsIn(subject, tuple(values)))
        case [Subject() as subject, sign, value]:
            return Comparison(subject, sign, value)
        case [low, "<=", subject, "<=", high]:
            return Between(subject, low, high)
    value, sign, subject, *above = parts
    condition = Comparison(subject, _MIRROR[sign], value)
    return condition & Comparison(subject, *above) if above else condition


def _joined(node: ast.expr, conditions: Iterator[Condition]) -> Condition:
    match node:
        case ast.Name():
            return next(conditions)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return Not(_joined(part, conditions))
        case ast.BoolOp(op=op, values=parts):
            kind = And if isinstance(op, ast.And) else Or
            return kind(joined([_joined(part, conditions) for part in parts], kind))
    raise AssertionError(ast.dump(node))


def parse(text: str) -> Condition | None:
    """The selection that a text describes; None, which keeps every sample, for an empty text."""
    if len(text) > LONGEST:
        raise ValueError(
            f"selection has {len(text):,} characters, more than the {LONGEST:,} that are read: {text[:40]!r} ..."
        )
    if not text.strip():
        return None
    return _Reader(text).selection()


_parse_once = lru_cache(maxsize=256)(parse)  # of texts that are asked for again, such as those that a menu offers


def selection(value: str | Condition | None) -> Condition | None:
    """A selection from its text; a condition, or None, is returned as it is.

    See Also
    --------
    quantity, field, probability : Selections written in Python.

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


def named_selections(value: Mapping[str, str | Condition | None] | None) -> dict[str, Condition | None]:
    """Selections by name, of conditions or their texts; by default "all", which keeps all samples."""
    given = validation.mapping({"all": None} if value is None else value, "selections", "selections or their texts")
    return {name: selection(kept) for name, kept in given.items()}
