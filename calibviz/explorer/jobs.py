"""Slow work beside the controls: one job after the other in a thread, each showing what it has so far.

A job is a generator of (fraction done, what there is so far). Whoever looks asks for it by a key with `Jobs.get`; what
was asked for since `begin` and is not complete is worked on after `start`, once the controls have been still for a
moment. Without an event loop, outside of a notebook, nothing happens until `finish`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..progress import without_bars

log = logging.getLogger(__name__)

STILL = 0.3  # seconds without a change of the controls
TOLD_EVERY = 0.4  # seconds
MOST_KEPT = 100
FAILED = "This could not be computed; the log says why."

Steps = Iterator[tuple[float, Any]]


@dataclass(eq=False)
class Job:
    """What a generator has come to: `value` is None before its first step, `failed` says why it ended early."""

    label: str
    steps: Steps = field(repr=False)
    value: Any = field(default=None, repr=False)
    fraction: float = 0.0
    done: bool = False
    failed: str = ""
    lock: Any = field(default_factory=threading.Lock, repr=False)  # no two threads can resume a generator

    def step(self) -> None:
        """Go one step further, if there is one."""
        with self.lock:
            if self.done:
                return
            try:
                with without_bars():
                    self.fraction, self.value = next(self.steps)
            except StopIteration:
                self.fraction, self.done = 1.0, True
            except (TypeError, ValueError) as error:
                self.failed, self.done = str(error), True
            except Exception:
                log.exception("%s failed", self.label)
                self.failed, self.done = FAILED, True


class Jobs:
    """Keeps jobs by key and works on those that are wanted.

    Parameters
    ----------
    tell : callable
        Called in the thread of the event loop whenever there is more to see.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._wanted: list[Job] = []
        self._lock = threading.Lock()  # of the list above
        self._thread: threading.Thread | None = None
        self._not_before = 0.0

    def begin(self) -> None:
        """Forget what was wanted: somebody looks at something else."""
        with self._lock:
            self._wanted = []

    def get(self, key: Hashable, label: str, make: Callable[[], Steps], now: str = "") -> Job:
        """The job of a key, which is wanted from now on; "all" of it or its "first" step is done right now."""
        job = self._jobs.get(key)
        if job is None:
            job = self._jobs[key] = Job(label, make())
            while len(self._jobs) > MOST_KEPT:
                self._jobs.popitem(last=False)
        self._jobs.move_to_end(key)
        while not job.done and (now == "all" or (now == "first" and job.value is None)):
            job.step()
        with self._lock:
            if not job.done and job not in self._wanted:
                self._wanted.append(job)
        return job

    def forget(self, key: Hashable) -> None:
        """Let a job be made anew."""
        self._jobs.pop(key, None)

    def start(self, after: float = STILL) -> None:
        """Work on what is wanted, from `after` seconds on.

        Half-made work that is wanted no more is dropped, since it holds large arrays.
        """
        with self._lock:
            wanted = list(self._wanted)
        for key in [key for key, job in list(self._jobs.items()) if not job.done and job not in wanted]:
            self.forget(key)
        self._not_before = max(self._not_before, time.monotonic() + after)
        if wanted and self._thread is None:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                return
            self._thread = threading.Thread(target=self._work, args=(loop,), daemon=True)
            self._thread.start()

    def finish(self) -> bool:
        """Complete what is wanted, here and now; whether there was anything."""
        with self._lock:
            wanted = [job for job in self._wanted if not job.done]
        for job in wanted:
            while not job.done:
                job.step()
        return bool(wanted)

    @property
    def current(self) -> Job | None:
        """What is being worked on."""
        with self._lock:
            return next((job for job in self._wanted if not job.done), None)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        told = time.monotonic()
        while True:
            waiting = self._not_before - time.monotonic()
            if waiting > 0:
                time.sleep(waiting)
                continue
            with self._lock:
                job = next((one for one in self._wanted if not one.done), None)
                if job is None:
                    self._thread = None
                    break
            job.step()
            if job.done or time.monotonic() - told > TOLD_EVERY:
                told = time.monotonic()
                try:
                    loop.call_soon_threadsafe(self._tell)
                except RuntimeError:  # the loop has been closed: nobody looks any more
                    with self._lock:
                        self._thread = None
                    break
