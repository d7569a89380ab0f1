"""Functions of a situation, called again only where a choice that they read, or a job of theirs, has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, update_wrapper
from operator import attrgetter
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

from ..asked.spec import ALWAYS, Spec
from .job import Job, Steps
from .jobs import Jobs, Sight


class Narrowable(Protocol):
    """The part of a situation that its readings use: see `Situation`."""

    engine: Any
    spec: Spec

    def narrowed(self, choices: frozenset[str]) -> Self: ...


S = TypeVar("S", bound=Narrowable)
T = TypeVar("T")
P = ParamSpec("P")

KEPT_STEPS = 4  # of the choices: what was not looked at in the last steps is dropped, with the samples that it holds


@dataclass(eq=False)
class _Made:
    """A kept value, its choices, and its jobs as they were seen; `step` is the last one that looked at it."""

    chosen: tuple[Any, ...]
    value: Any
    jobs: Mapping[Hashable, Sight]
    step: int


class _InThread(threading.local):
    """The readings that a thread is making, each for the one before."""

    def __init__(self) -> None:
        self.making: list[Hashable] = []


class Readings:
    """Keeps what readings have made of one engine."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.made: dict[tuple[Any, ...], list[_Made]] = {}
        self.steps = 0
        self.now = _InThread()

    def forget(self) -> None:
        """Drop what was kept of the readings that are being made, as what they say of all choices has changed."""
        for (reading, *_), several in list(self.made.items()):
            if reading in self.now.making:
                several.clear()

    def step(self) -> None:
        """Begin a step: somebody looks at other choices."""
        self.steps += 1
        lately = self.steps - KEPT_STEPS
        for key, several in list(self.made.items()):
            for made in list(several):
                if made.step < lately:
                    several.remove(made)
            if not several:
                del self.made[key]


class Remembered(Generic[S, P, T]):
    """A function of a situation, and of what else it is given, which can be hashed; made by `reads`."""

    def __init__(self, make: Callable[Concatenate[S, P], T], reads: frozenset[str]) -> None:
        self.make: Callable[..., T] = make
        self.reads = reads
        self.chosen = attrgetter(*sorted(reads), *ALWAYS)
        update_wrapper(self, make)

    def __call__(self, situation: S, *of: P.args, **named: P.kwargs) -> T:
        assert not named
        kept, chosen = situation.engine.readings, self.chosen(situation.spec)
        several = kept.made.setdefault((self, situation.engine, *of), [])
        for made in several:
            if made.chosen == chosen:
                if made.jobs and not kept.jobs.are_as_seen(made.jobs):
                    with suppress(ValueError):  # another thread may have done so
                        several.remove(made)
                    break
                made.step = kept.steps
                return made.value
        making = kept.now.making
        making.append(self)
        try:
            with kept.jobs.watched() as jobs:
                value = self.make(situation.narrowed(self.reads), *of)
        finally:
            making.pop()
        several.append(_Made(chosen, value, jobs, kept.steps))
        return value


def reads(*choices: str) -> Callable[[Callable[Concatenate[S, P], T]], Remembered[S, P, T]]:
    """A decorator of functions of a situation: names the choices that they read, and keeps what they return.

    The function is given a situation that holds these choices and no other: to read another one is an error.
    """
    return lambda make: Remembered(make, frozenset(choices))


class Slow:
    """Slow work on a situation, and on what else it is given, which can be hashed; made by `slow`."""

    def __init__(self, steps: Callable[..., Steps], reads: frozenset[str]) -> None:
        self.steps, self.reads = steps, reads
        self.chosen = attrgetter(*sorted(reads), *ALWAYS)
        update_wrapper(self, steps)

    def __call__(self, situation: Narrowable, *of: Any, label: str, now: str = "", is_aside: bool = False) -> Job:
        """The job that does it, which shows what it has come to; see `Jobs.get`."""
        steps = partial(self.steps, situation.narrowed(self.reads), *of)
        return situation.engine.jobs.get(self.key(situation, *of), label, steps, now, is_aside=is_aside)

    def key(self, situation: Narrowable, *of: Any) -> Hashable:
        """The key of its work: the choices that it reads, and its other arguments."""
        return self, situation.engine.which, self.chosen(situation.spec), *of


def slow(*choices: str) -> Callable[[Callable[..., Steps]], Slow]:
    """A decorator of steps of slow work on a situation: names the choices that they read, as `reads` does.

    What a spec makes of choices may stand for these, such as the `kind` of a binning whose bins do not matter.
    """
    return lambda steps: Slow(steps, frozenset(choices))
