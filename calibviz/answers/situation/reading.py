"""What is made of a situation, again only where a choice that it reads, or a job that it asked for, has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import update_wrapper
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from ..asked.spec import OWN
from .jobs import Jobs, Sight

if TYPE_CHECKING:
    from .situation import Situation

T = TypeVar("T")
P = ParamSpec("P")

KEPT_STEPS = 4  # of the choices: what was not looked at in the last steps is dropped, with the samples that it holds


@dataclass(eq=False)
class _Made:
    """What was made, of which choices, and what its jobs had come to; `step` is the last one that looked at it."""

    chosen: tuple[Any, ...]
    value: Any
    jobs: Mapping[Hashable, Sight]
    step: int


class Readings:
    """Keeps what readings have made of one engine.

    Parameters
    ----------
    jobs : Jobs
        Those that readings ask for.
    """

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._made: dict[tuple[Any, ...], list[_Made]] = {}
        self._step = 0

    def step(self) -> None:
        """Begin a step: somebody looks at other choices."""
        self._step += 1
        lately = self._step - KEPT_STEPS
        for key, several in list(self._made.items()):
            for made in list(several):
                if made.step < lately:
                    several.remove(made)
            if not several:
                del self._made[key]

    def get(self, reading: Reading[P, T], look: Situation, *of: Any) -> T:
        """What a reading says of a situation, and of what else it is given."""
        chosen = reading.chosen(look.spec)
        several = self._made.setdefault((reading, look.engine, *of), [])
        for made in several:
            if made.chosen == chosen:
                if not self._jobs.are_as_seen(made.jobs):
                    several.remove(made)
                    break
                made.step = self._step
                return made.value
        with self._jobs.watched() as jobs:
            value = reading.make(look.narrowed(reading.reads), *of)
        several.append(_Made(chosen, value, jobs, self._step))
        return value


class Reading(Generic[P, T]):
    """A function of a situation, and of what else it is given, which can be hashed; made by `reads`."""

    def __init__(self, make: Callable[Concatenate[Situation, P], T], reads: frozenset[str]) -> None:
        self.make: Callable[..., T] = make
        self.reads = reads
        self.chosen = attrgetter(*sorted(reads), *OWN)
        update_wrapper(self, make)

    def __call__(self, look: Situation, *of: P.args, **named: P.kwargs) -> T:
        assert not named
        return look.engine.readings.get(self, look, *of)


def reads(*choices: str) -> Callable[[Callable[Concatenate[Situation, P], T]], Reading[P, T]]:
    """A decorator of functions of a situation: names the choices that they read, and keeps what they return.

    The function is given a situation that holds these choices and no other: to read another one is an error.
    """
    return lambda make: Reading(make, frozenset(choices))
