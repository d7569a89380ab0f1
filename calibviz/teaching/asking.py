"""Questions on a page: a guess, its answer, and whether an answer is right."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import EllipsisType
from typing import Any

from ..figures.markup import Markup, joined, tag
from ..foundation.validation import listed, shown
from .exercises import Exercise
from .lessons import EXERCISES

STYLE, SCRIPT = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("guess.css", "guess.js"))

#: Wrong answers of this session, by the name of the question.
_wrong: dict[str, list[Any]] = {}


@dataclass(frozen=True)
class Guess:
    """A question that is to be answered before one looks; `guess` returns it."""

    exercise: Exercise

    def __str__(self) -> str:
        return f"Guess {self.exercise.name}: {self.exercise.asks}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        control = json.dumps(self.exercise.kind.control, ensure_ascii=False)
        return _on_a_page(
            tag("p", tag("b", f"Guess {self.exercise.name}."), " ", self.exercise.asks),
            class_="calibviz-guess",
            data_question=self.exercise.name,
            data_control=control,
        )


@dataclass(frozen=True)
class FoldedAnswer:
    """The answer to a guess, folded until one is made; `answer` returns it."""

    exercise: Exercise

    def __str__(self) -> str:
        return f"{self.exercise.name}: {self.exercise.explained}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _on_a_page(
            tag(
                "details",
                tag("summary", f"Answer {self.exercise.name}: {self.exercise.asks}"),
                tag("p", self.exercise.explained),
            ),
            class_="calibviz-answer-of-guess",
            data_question=self.exercise.name,
        )


@dataclass(frozen=True)
class Feedback:
    """Whether an answer is right, and what helps if it is not; `check` returns it.

    Attributes
    ----------
    is_right : bool
        False also where nothing was answered yet.
    sentences : tuple of str
    way : str
        The code that computes the answer, after all hints.
    """

    name: str
    is_right: bool
    sentences: tuple[str, ...]
    way: str = ""

    def __str__(self) -> str:
        return "\n".join([f"{self.name}: {self.sentences[0]}", *self.sentences[1:], *([self.way] if self.way else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        first, *others = self.sentences
        way = tag("details", tag("summary", "The way"), tag("pre", self.way)) if self.way else None
        paragraphs = [tag("p", tag("b", f"{self.name}: "), first), *(tag("p", other) for other in others)]
        state = "is-right" if self.is_right else "is-open"
        return tag("div", _styled(), *paragraphs, way, class_=f"calibviz-check {state}", role="status")


def guess(exercise: str) -> Guess:
    """Return a question that asks for a guess, on a slider or among a few texts, before one looks.

    Parameters
    ----------
    exercise : str
        Its name, such as "01.1".

    Returns
    -------
    Guess
        In a notebook, shown with its control, which needs no kernel.

    Raises
    ------
    ValueError
        For an unknown exercise; the message names those of its lesson.

    See Also
    --------
    answer : Its answer, folded until the guess is made.

    Examples
    --------
    >>> cv.teaching.guess("01.1")  # doctest: +ELLIPSIS
    Guess 01.1: A model never looks at the image: ...
    """
    return Guess(_named(exercise))


def answer(exercise: str) -> FoldedAnswer:
    """Return the answer to a guess, folded on a page until the guess is made.

    Parameters
    ----------
    exercise : str
        Its name, such as "01.1".

    Returns
    -------
    FoldedAnswer
        On a page that runs no scripts it is folded, and can be opened at once.

    Raises
    ------
    ValueError
        For an unknown exercise; the message names those of its lesson.

    See Also
    --------
    guess : The question.

    Examples
    --------
    >>> str(cv.teaching.answer("01.1")).split(": ")[0]
    '01.1'
    """
    return FoldedAnswer(_named(exercise))


def check(exercise: str, answer: Any) -> Feedback:
    """Return whether an answer is right; each wrong one is given a further hint, and after all hints the way.

    Parameters
    ----------
    exercise : str
        Its name, such as "01.2".
    answer : number or str
        A share is a number from 0 to 1. With ``...``, nothing was answered yet.

    Returns
    -------
    Feedback
        Its `is_right` and `sentences`; in a notebook, shown as text.

    Raises
    ------
    ValueError
        For an unknown exercise; the message names those of its lesson. For an answer out of its range.
    TypeError
        For an answer of another kind, such as a text in place of a number.

    See Also
    --------
    guess : A question before one looks.

    Examples
    --------
    >>> cv.teaching.check("01.1", ...)  # doctest: +ELLIPSIS
    01.1: not answered yet. A model never looks at the image: ...
    Put your answer in place of the three dots: a share from 0 to 1, right to within 1 %.
    >>> cv.teaching.check("01.1", 0).is_right
    True
    """
    asked = _named(exercise)
    if answer is None or isinstance(answer, EllipsisType):
        wanted = f"Put your answer in place of the three dots: {asked.kind.wanted}."
        return Feedback(asked.name, False, (f"not answered yet. {asked.asks}", wanted))
    given = asked.kind.read(asked.name, answer)
    if asked.kind.agrees(given, asked.truth):
        return Feedback(asked.name, True, (f"right. {asked.explained}",))
    wrong = _wrong.setdefault(asked.name, [])
    if given not in wrong:  # to run a cell again is no further try
        wrong.append(given)
    hints = asked.hints[: len(wrong)]
    way = asked.way if len(wrong) > len(asked.hints) else ""
    return Feedback(asked.name, False, (f"not yet: {shown(answer)} is not right.", *hints), way)


def _named(name: str) -> Exercise:
    if not isinstance(name, str):
        raise TypeError(f"exercise must be a name, such as {next(iter(EXERCISES))!r}, not {shown(name)}")
    if name not in EXERCISES:
        raise ValueError(f"exercise {name!r} is unknown; there are {listed(_near(name), len(EXERCISES))}")
    return EXERCISES[name]


def _near(name: str) -> list[str]:
    """The questions of the same lesson, or all."""
    same = [one for one in EXERCISES if one.partition(".")[0] == name.partition(".")[0]]
    return same or list(EXERCISES)


def _styled() -> Markup:
    return Markup(f"<style>{STYLE}</style>")


def _on_a_page(*content: str, **attributes: str) -> Markup:
    """An element with the script that makes a guess; where none runs, the content stands alone."""
    return tag("div", _styled(), joined(content), Markup(f"<script>{SCRIPT}</script>"), **attributes)
