"""An answer, and the content, the short answer and the sentences that it gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...engine.binnings.binning_kinds import BinningKind
from ...figures import Figure, Grid
from ...figures.markup import Markup
from ...figures.svg.small import NO_PICTURE
from ...figures.tables import Place, Table
from ...foundation import validation
from ...foundation.marked import plain
from ...foundation.progress import counted_steps
from ...foundation.validation import clause_of
from ...uncertainty.intervals.bin_intervals import INTERVAL_LEVEL
from ..asked.spec import OF_AFTER, OF_SAMPLES, Spec
from .job import STEPPED, Job
from .jobs import Jobs
from .reading import Remembered, reads
from .situation import Situation

Record = Figure | Grid | Table
T = TypeVar("T")

#: What the heading of a share adds in its tooltip.
INTERVAL_BELOW = f"; below, its {100 * INTERVAL_LEVEL:g} % interval (Clopper-Pearson)"
SMALL = 2_000_000  # probabilities that are read in a moment


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a panel: pictures, tables and sentences."""

    records: tuple[Record, ...]  # the pictures and tables, from top to bottom
    note: str = ""  # sentences below them
    names: tuple[str, ...] = ()  # behind dots and rows, such as classes, which a click chooses
    marked: str = ""  # sentences above them, with marks (`foundation.marked`)
    of_many: int = 0  # how many such names there are, of which these are some; 0 where that does not matter
    below: str = ""  # sentences right below the pictures, with marks, one a line

    @property
    def answer(self) -> str:
        """The sentences above them without marks."""
        return plain(self.marked)


@dataclass(frozen=True)
class ShortAnswer:
    """The text on the card of a question while its panel is closed, and a picture of the same.

    `marked` is the text with the marks of its key words and of observed numbers that are off (`foundation.marked`).
    `place` is what other pictures mark while somebody points at the card.
    """

    marked: str = ""
    picture: Markup = NO_PICTURE
    place: Place | None = None

    @property
    def text(self) -> str:
        """The text without its marks."""
        return plain(self.marked)


@dataclass(frozen=True)
class Header:
    """Lines of the header while a question is open, and the numbers below them, in marked texts."""

    lines: tuple[str, ...]
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """Lines of Python that print again what an answer shows.

    They may take the calibrator as `fitted`, and several trials, of which most functions take one.
    """

    lines: tuple[str, ...] = ()
    takes_fitted: bool = False
    takes_trials: bool = False


@dataclass(frozen=True, init=False)
class Answer:
    """One of the questions that can be asked, and what answers it: a panel of the Explorer.

    One of your own is passed to `Explorer(..., panels=["reliability", answer])`, to `Panel`, or set in the state.

    Parameters
    ----------
    name : str
        What `panels` and links call it: letters, digits and _, such as "reliability".
    title : str
        What stands above it, and on its button.
    content : callable
        Given the problem on screen and the recalibrated one (None where there is none), each with `score`, `target` and
        `weight` of shape (n,), it returns a sentence, a record of `figures`, or a list of these. It is called again
        whenever the samples, the lens or the calibrator change. A `ValueError` that it raises is shown in its place.
    question : str
        What it answers, in words, where somebody would ask it; its button says so.
    short : callable, optional
        For built-in answers: returns the answer in a sentence and a small picture.
    term : str
        What papers call it, where that is another word than the title.
    about : str
        What it shows, for the tooltip of its button; by default its title.
    header : callable, optional
        For built-in answers: returns what the header says while it is open, or None where that is the verdict.
    why_nothing : callable, optional
        For built-in answers: a sentence that says why it tells nothing of a situation, such as of segments where the
        samples have no fields; empty where it tells something.
    code : callable, optional
        For built-in answers: the code that prints it again, given the situation and the class of the view.
    uses : callable, optional
        For built-in answers: which choices have an effect in it, whatever the lens that is looked at.

    Attributes
    ----------
    reads : frozenset of str
        The choices that it depends on; no other one changes it.

    Raises
    ------
    TypeError, ValueError
        Where an argument is none of these.

    See Also
    --------
    Explorer, Panel : Show it.
    figures : Pictures that it may return.
    Metric : A number of your own.

    Examples
    --------
    >>> def gap(problem, recalibrated):
    ...     return f"The mean score is {problem.mean_score:.3f}, the mean target {problem.mean_target:.3f}."
    >>> answer = cv.Answer("gap", "Mean gap", gap)
    >>> panel = cv.Panel(answer, cv.load_dataset("tumours")["naive Bayes"])
    >>> panel.sentences["gap"]
    'The mean score is 0.352, the mean target 0.373.'
    >>> panel.close()
    """

    name: str
    title: str
    content: Remembered[Situation, [], Content]
    question: str
    short: Remembered[Situation, [], ShortAnswer] | None
    term: str
    about: str
    header: Callable[[Situation], Header | None]
    why_nothing: Callable[[Situation], str]
    code: Callable[[Situation, str], Code]
    uses: Callable[[Spec], Collection[str]]

    def __init__(
        self,
        name: str,
        title: str,
        content: Remembered[Situation, [], Content] | Callable[..., Any],
        question: str = "",
        short: Remembered[Situation, [], ShortAnswer] | None = None,
        term: str = "",
        about: str = "",
        header: Callable[[Situation], Header | None] = lambda situation: None,
        why_nothing: Callable[[Situation], str] = lambda situation: "",
        code: Callable[[Situation, str], Code] = lambda situation, opened: Code(),
        uses: Callable[[Spec], Collection[str]] = lambda spec: (),
    ) -> None:
        texts = {"name": name, "title": title, "question": question, "term": term, "about": about}
        for argument, text in texts.items():
            object.__setattr__(self, argument, validation.text(text, argument))
        if not name.isidentifier():
            raise ValueError(f"name must be made of letters, digits and _, not {validation.shown(name)}")
        if not title.strip():
            raise ValueError("title is empty: it is what stands on the button")
        if not callable(content) or isinstance(content, type):
            raise TypeError(
                f"content must take a problem and the recalibrated one, and return what is shown, not be "
                f"{validation.shown(content)}"
            )
        if short is not None and not isinstance(short, Remembered):
            raise TypeError(f"short must be left out: it is for built-in answers, not {validation.shown(short)}")
        object.__setattr__(self, "content", content if isinstance(content, Remembered) else _own(name, content))
        object.__setattr__(self, "short", short)
        functions = {"header": header, "why_nothing": why_nothing, "code": code, "uses": uses}
        for argument, function in functions.items():
            object.__setattr__(self, argument, function)

    @property
    def reads(self) -> frozenset[str]:
        """The choices that it depends on; no other one changes it."""
        return self.content.reads | (self.short.reads if self.short is not None else frozenset())

    @property
    def button(self) -> str:
        """The text of the button that opens it."""
        return self.question or self.title


def _own(name: str, function: Callable[..., Any]) -> Remembered[Situation, [], Content]:
    """Make an answer of a function of the user's own."""

    @reads(*OF_SAMPLES, *OF_AFTER)
    def content(situation: Situation) -> Content:
        after = situation.after
        try:
            shown = function(situation.before.problems[0], None if after is None else after.problems[0])
        except ValueError as error:
            return Content((), clause_of(error))
        parts = list(shown) if isinstance(shown, list | tuple) else [shown]
        for part in parts:
            if not isinstance(part, str | Record):
                raise TypeError(
                    f"the answer {name!r} must return a text, a record of cv.figures or a list of these, not "
                    f"{validation.shown(part)}"
                )
        texts = [part for part in parts if isinstance(part, str)]
        return Content(tuple(part for part in parts if not isinstance(part, str)), " ".join(texts))

    return content


def completed(situation: Situation, answer: Callable[[Situation], T], what: str = "report", progress: bool = True) -> T:
    """Return what an answer says once all work that it asks for is done; it begins here and now, with a bar.

    In a step of a job, which is `awaited`, it is what there is by now.
    """
    if STEPPED.get() is not None:
        return answer(situation)
    return made_here(situation.engine.jobs, awaited(situation, answer), what, progress)


def awaited(situation: Situation, answer: Callable[[Situation], T]) -> Generator[tuple[Job, ...], None, T]:
    """Steps of a job, which waits for all work that an answer asks for; what the answer then says is their result."""
    while True:
        with situation.engine.jobs.watched() as sights:
            value = answer(situation)
        asked = [(sight.job, sight.version) for sight in sights.values() if sight.is_aside is not None]
        left = tuple(job for job, seen in asked if job is not None and not (job.done and job.version == seen))
        if not left:
            return value
        yield left


def made_here(jobs: Jobs, steps: Generator[tuple[Any, ...], None, T], what: str, progress: bool = True) -> T:
    """Return the result of steps of a job that are made here and now, with all work that they wait for, and a bar."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            return end.value
        if isinstance(step[0], Job):
            with counted_steps(what, progress) as say:
                jobs.finish(seen=lambda job: say(f"{job.label} {100 * job.fraction:.0f} %"))


def at_once(probabilities: int, kind: BinningKind | None = None) -> str:
    """The `now` of a job that reads so many probabilities: "all" if it takes only a moment, else ""."""
    takes_longer = kind is not None and kind.takes == "gamma"
    return "all" if probabilities <= SMALL and not takes_longer else ""


def thinned(n: int, most: int) -> NDArray[np.intp]:
    """At most `most` of the places 0..n - 1, evenly spread, with the first and the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
