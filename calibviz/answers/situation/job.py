"""Slow work beside the controls, step by step: a generator, and what it has come to."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ...foundation.cancellation import Cancelled, cancellable
from ...foundation.progress import without_bars
from ...foundation.validation import clause_of

log = logging.getLogger(__name__)

GLANCE = 0.05  # seconds between two looks at whether to go on
FAILED = "This could not be computed; the log says why."

Steps = Iterator[Any]  # of (fraction done, what there is so far), or of a tuple of jobs one of which to wait for


#: The job that this is a step of, if any.
STEPPED: ContextVar[Job | None] = ContextVar("calibviz_stepped", default=None)


@dataclass(eq=False)
class Job:
    """A generator that is worked on, and the value that it has come to."""

    key: Hashable
    label: str
    make: Callable[[], Steps] = field(repr=False)
    is_fit: bool = False
    is_aside: bool = False
    value: Any = field(default=None, repr=False)  # what there is so far; None before the first step
    fraction: float = 0.0
    done: bool = False
    failed: str = ""  # why it ended early
    cancelled: bool = False  # whether somebody ended it early; what there is stays
    # Jobs that it has asked for on the way, which are wanted as long as this is.
    needs: list[Job] = field(default_factory=list, repr=False)
    waits_for: tuple[Job, ...] = field(default=(), repr=False)  # until one of them is done, there is nothing to do
    spent: float = 0.0  # seconds of work, without the step that began at `began`
    began: float | None = None
    started: float = 0.0  # when its first step began
    stop_at: float = math.inf  # from when on its work is to end
    version: int = 0  # how often something about it has changed: a step, an end, or what there is of it
    steps: Steps | None = field(default=None, repr=False)
    lock: Any = field(default_factory=threading.Lock, repr=False)  # no two threads can resume a generator

    def step(self, rest: Callable[[], float] = lambda: 0.0) -> None:
        """Go one step further, if there is one, pausing for the seconds that `rest` says."""

        def check(done: float | None) -> None:
            while time.monotonic() < self.stop_at:
                if done is not None and self.value is None:
                    self.fraction = done
                if (seconds := rest()) <= 0:
                    return
                time.sleep(min(seconds, GLANCE))
            raise Cancelled(self)

        with self.lock:
            if not self.done:
                before = STEPPED.set(self)
                try:
                    with without_bars(), cancellable(check):
                        self._step()
                finally:
                    self.version += 1
                    STEPPED.reset(before)

    def _step(self) -> None:
        try:
            if self.steps is None:
                self.steps, self.started = self.make(), time.monotonic()
            step = next(self.steps)
        except StopIteration:
            self.fraction, self.done, self.steps = 1.0, True, None
        except Cancelled as stopped:
            if stopped.args != (self,):  # what it is made of was cancelled
                self.cancelled = self.done = True
            self.drop(self.value if self.cancelled else None)
        except (TypeError, ValueError) as error:
            self.failed, self.done, self.steps = clause_of(error), True, None
        except (Exception, SystemExit):
            log.exception("%s failed", self.label)
            self.failed, self.done, self.steps = FAILED, True, None
        except BaseException:  # somebody waited for it and does so no more: the generator is broken, so begin again
            self.drop()
            raise
        else:
            if self.cancelled:
                self.drop(self.value)
            elif isinstance(step[0], Job):
                self.waits_for = step
            else:
                self.waits_for = ()
                self.fraction, self.value = step

    def drop(self, value: Any = None) -> None:
        """Forget what is half made: the next step is the first again."""
        self.steps, self.needs, self.waits_for, self.value = None, [], (), value
        self.version += 1
        if value is None:
            self.fraction = 0.0

    def revive(self) -> None:
        """Go on with a job that was cancelled, since somebody wants it again."""
        if self.cancelled:
            self.cancelled = self.done = False
            self.fraction = 0.0
            self.version += 1
        self.stop_at = math.inf

    @property
    def is_waiting(self) -> bool:
        """Whether others have to be done first."""
        return bool(self.waits_for) and not any(other.done for other in self.waits_for)

    @property
    def elapsed(self) -> float:
        """Seconds that were worked on it, or since its first step where it has to wait for others."""
        began = self.began
        if self.needs:
            return time.monotonic() - self.started
        return self.spent + (0.0 if began is None else time.monotonic() - began)

    @property
    def ended_early(self) -> str:
        """Why there is not all of it, in a sentence; empty where that is still to come, or there."""
        if not self.cancelled:
            return self.failed
        if self.value is None:
            return f"Cancelled: {self.label}."
        return f"Cancelled at {100 * self.fraction:.0f} %: {self.label}. What is shown is incomplete."
