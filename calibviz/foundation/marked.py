"""Sentences in which some words are marked: one text, from which the plain words and the runs of each kind are read.

A mark is a sign that is never seen, from a range that Unicode gives no meaning, so sentences are put together as any
other text is. Whatever shows a sentence reads it by `plain` or `runs`.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["", "strong", "beyond noise", "count", "recalibrated"]
Run = tuple[str, Kind]

STRONG, OFF, COUNT, AFTER, END = "\ue000", "\ue001", "\ue002", "\ue003", "\ue00f"
KINDS: dict[str, Kind] = {STRONG: "strong", OFF: "beyond noise", COUNT: "count", AFTER: "recalibrated"}
_BEGINS = "".join(KINDS)
_RUN = re.compile(f"([{_BEGINS}])([^{END}]*){END}")
_SIGNS = re.compile(f"[{_BEGINS}{END}]")


def strong(text: str) -> str:
    """Return key words, marked."""
    return f"{STRONG}{text}{END}"


def off(number: str) -> str:
    """Return an observed number that is off beyond noise, marked: the only thing that has its colour."""
    return f"{OFF}{number}{END}"


def aside(text: str) -> str:
    """Return how many samples are meant, in brackets, marked: it is drawn lighter."""
    return f"{COUNT}{text}{END}"


def recalibrated(number: str) -> str:
    """Return a number that a calibrator gives, marked: it has the colour of what is recalibrated."""
    return f"{AFTER}{number}{END}"


def plain(text: str) -> str:
    """Return a sentence without its marks, in one line.

    >>> plain(f"In {strong('Zurich')}: observed {off('93')} {aside('(123 people)')}.")
    'In Zurich: observed 93 (123 people).'
    """
    return _SIGNS.sub("", text).replace("\n", " ")


def runs(text: str) -> tuple[Run, ...]:
    """Return the parts of a sentence, each with its kind; the parts one after the other are the plain sentence.

    >>> runs(f"observed {off('93')} {aside('(123 people)')}.")
    (('observed ', ''), ('93', 'beyond noise'), (' ', ''), ('(123 people)', 'count'), ('.', ''))
    """
    parts: list[Run] = []
    at = 0
    for found in _RUN.finditer(text):
        parts += [(plain(text[at : found.start()]), ""), (plain(found[2]), KINDS[found[1]])]
        at = found.end()
    parts.append((plain(text[at:]), ""))
    return tuple((words, kind) for words, kind in parts if words)
