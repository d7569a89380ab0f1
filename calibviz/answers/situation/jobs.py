"""Slow work beside the controls: jobs in threads, each showing what it has so far.

Whoever looks asks for a job by a key with `Jobs.get`; what was asked for since `begin` and is not complete is worked on
after `start`, once the controls have been still for a moment. Without an event loop, outside of a notebook, nothing
happens until `finish`.

Steps are made one after the other, of the job first that has taken the least time; but a step that takes long holds up
none of the others, which then go on in another thread. What nobody wants any more, or is cancelled, ends where it next
calls `cancellation.check`; what never does so ends with its step, and is in nobody's way until then.

Where no thread can be started, as in a browser, the event loop makes the steps, one in each of its turns.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from ...foundation.spare_memory import give_back
from ...foundation.threads import started
from .job import STEPPED, Job, Steps

STILL = 0.3  # seconds without a change of the controls
REPORT_EVERY, TICK = 0.4, 1.0  # seconds between two reports of what there is, and of how long it has taken
TURN = 1.0  # seconds of work, after which a job lets others go first
QUICK = 0.5  # seconds of a step, after which others no longer wait for it
MOST_AT_ONCE, MOST_STRAY = 3, 8  # fits, and other jobs, that are worked on: wanted ones; with those that do not stop
MOST_KEPT = 100


@dataclass(frozen=True)
class Sight:
    """A job as somebody saw it: which it was, None where there was none, and how far it had come.

    `is_aside` is None where it was looked at without being asked for.
    """

    job: Job | None
    version: int
    is_aside: bool | None


_SIGHTS: ContextVar[dict[Hashable, Sight] | None] = ContextVar("calibviz_sights", default=None)


class Jobs:
    """Keeps jobs by key and works on those that are wanted.

    `tell` is called in the thread of the event loop whenever there is more to see.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self.tick: Callable[[], None] = lambda: None  # called there about once a second while there is work
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._wanted: list[Job] = []
        self._running: list[Job] = []
        self._threads: set[threading.Thread] = set()
        self._idle = 0
        self._takes_turns = False
        self._changed = threading.Condition()  # with the lock of all of these
        self._not_before = self._unseen_until = self._reported = self._ticked = 0.0
        self._has_news = self._is_telling = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def rest(self, seconds: float) -> None:
        """Begin nothing beside for so long, or until a moment after `wake`: a page is being made meanwhile."""
        with self._changed:
            self._not_before = self._unseen_until = time.monotonic() + seconds

    def wake(self) -> None:
        """Rest no longer: somebody sees what there is."""
        with self._changed:
            now = time.monotonic()
            if now < self._unseen_until:
                self._unseen_until, self._not_before = 0.0, now + STILL
                self._changed.notify_all()

    def begin(self) -> None:
        """Forget what was wanted: somebody looks at something else."""
        with self._changed:
            self._wanted = []
            self._has_news = False  # whoever looks now sees it

    def get(
        self,
        key: Hashable,
        label: str,
        make: Callable[[], Steps],
        now: str = "",
        is_fit: bool = False,
        is_aside: bool = False,
    ) -> Job:
        """The job of a key, which is wanted from now on; "all" of it or its "first" step is done right now.

        What is to be there "soon" is begun beside, and waited for only as long as a quick step takes. What was
        cancelled stays so as long as it is wanted, or until `start_over`. No picture shows what stands aside.
        """
        with self._changed:
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = Job(key, label, make, is_fit, is_aside)
                while len(self._jobs) > MOST_KEPT:
                    self._jobs.popitem(last=False)
            if not job.cancelled:
                job.stop_at = math.inf
        if now == "soon":
            now = self._soon(job)
        while not job.done and (now == "all" or (now == "first" and job.value is None)):
            job.step()
        with self._changed:
            self._note({key: Sight(job, job.version, is_aside)})
        return job

    def _note(self, sights: Mapping[Hashable, Sight]) -> None:
        """Ask for the jobs of some sights, and let whoever watches see them too."""
        asker, watcher = STEPPED.get(), _SIGHTS.get()
        wanted = self._wanted if asker is None else asker.needs
        for key, sight in sights.items():
            job = sight.job
            if job is not None and sight.is_aside is not None:
                job.is_aside &= sight.is_aside
                if key in self._jobs:
                    self._jobs.move_to_end(key)
                if not job.cancelled:
                    job.stop_at = math.inf
                if job not in wanted:
                    wanted.append(job)
            if watcher is not None:
                before = watcher.get(key)
                if before is not None:  # the first look counts: what was made of it is old once the job has gone on
                    stays = sight.is_aside is None or before.is_aside is False  # somebody does not let it stand aside
                    sight = before if stays else replace(before, is_aside=sight.is_aside)
                watcher[key] = sight

    @contextmanager
    def watched(self) -> Iterator[dict[Hashable, Sight]]:
        """A context that yields what is seen inside of it: the jobs by key, as they were; contexts may be nested."""
        outer, sights = _SIGHTS.get(), dict[Hashable, Sight]()
        token = _SIGHTS.set(sights)
        try:
            yield sights
        finally:
            _SIGHTS.reset(token)
            if outer is not None and sights:
                with self._changed:
                    self._note(sights)

    def are_as_seen(self, sights: Mapping[Hashable, Sight]) -> bool:
        """Whether nothing is new of these jobs; if so, those that were asked for are asked for again."""
        with self._changed:
            for key, sight in sights.items():
                job = self._jobs.get(key)
                if job is not sight.job or (job is not None and job.version != sight.version):
                    return False
            self._note(sights)
        return True

    def _soon(self, job: Job) -> str:
        """Begin a job and wait for it a moment; without an event loop "all" is to be done here, and else nothing."""
        if STEPPED.get() is not None:  # a job asks, and can wait
            return ""
        with self._changed:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                return "all"
            is_new = job.began is None and job.steps is None and not job.done
            if time.monotonic() < self._unseen_until:
                return ""
            if is_new and len(self._running) < MOST_STRAY and self._work_beside(loop, job):
                self._changed.wait_for(lambda: job.done or job.value is not None, QUICK)
            return ""

    def forget(self, key: Hashable) -> None:
        """Let a job be made anew."""
        with self._changed:
            self._jobs.pop(key, None)

    def start(self, after: float = STILL) -> None:
        """Work on what is wanted, from `after` seconds on.

        Half-made work that is wanted no more is dropped, since it holds large arrays.
        """
        now = time.monotonic()
        with self._changed:
            self._not_before = max(self._not_before, now + after)
            live = self._live()
            for job in {*self._jobs.values(), *self._running}:
                if (job.done and not job.cancelled) or job in live:
                    continue
                if job.began is None:
                    self._drop(job)
                else:  # a thread is in it; who comes back before it ends finds it going on
                    job.cancelled = job.done = False
                    job.version += 1
                    job.stop_at = min(job.stop_at, now + after)
            self._changed.notify_all()
            if [job for job in live if not job.done] and not self._idle:
                try:
                    loop = asyncio.get_running_loop()
                except RuntimeError:
                    return
                self._work_beside(loop)

    def cancel(self, job: Job) -> None:
        """End a job; what there is of it stays."""
        with self._changed:
            if not job.done:
                job.cancelled = job.done = True
                job.version += 1
                job.stop_at, job.waits_for = 0.0, ()
                if job.began is None:
                    job.steps = None
                self._changed.notify_all()

    def start_over(self) -> None:
        """Begin anew what was cancelled and is still wanted."""
        with self._changed:
            for job in self.cancelled:
                job.revive()

    def asked_by(self, look: Callable[[], object]) -> list[Job]:
        """The jobs that somebody asks for who looks."""
        with self.watched() as sights:
            look()
        return [sight.job for sight in sights.values() if sight.job is not None and sight.is_aside is not None]

    def finish(
        self, aside: bool = True, also: Sequence[Job] = (), seen: Callable[[Job], None] = lambda job: None
    ) -> bool:
        """Complete what is wanted, here and now; whether anything new is seen.

        Without `aside`, of what stands aside `also` alone. After each step `seen` is called with what it was of.
        """
        with self._changed:
            is_anything, self._has_news = self._has_news, False  # a thread may have completed it
        while True:
            with self._changed:
                wanted = [job for job in self._wanted if aside or not job.is_aside or job in also]
                left = [job for job in self._live(wanted) if not job.done]
            if not left:
                if is_anything:
                    give_back()
                return is_anything
            is_anything = True
            job = next((job for job in left if not job.is_waiting), left[0])
            job.step()
            seen(job)

    @property
    def current(self) -> Job | None:
        """The job that is worked on, of several the one that has taken longest; else the next one."""
        with self._changed:
            left = [job for job in self._live() if not job.done]
            running = [job for job in left if job.began is not None]
            ready = [job for job in left if not job.is_waiting]
            return max(running, key=lambda job: job.elapsed, default=ready[0] if ready else None)

    @property
    def cancelled(self) -> list[Job]:
        """The wanted jobs that were cancelled."""
        with self._changed:
            return [job for job in self._wanted if job.cancelled]

    def _live(self, wanted: Sequence[Job] | None = None) -> list[Job]:
        """The wanted jobs, by default all of them, and those that they need."""
        wanted = list(self._wanted if wanted is None else wanted)
        for job in wanted:
            for other in () if job.done else job.needs:
                if other not in wanted:
                    wanted.append(other)
        return wanted

    def _drop(self, job: Job) -> None:
        job.stop_at = 0.0
        job.drop()
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]

    def _next(self) -> Job | None:
        """The job to go on with, if another thread may."""
        live, now = self._live(), time.monotonic()
        active = [job for job in self._running if job in live and not job.done]
        if now < self._not_before or any(now - (job.began or now) < QUICK for job in active):
            return None

        def has_room(is_fit: bool) -> bool:
            same = [job for job in self._running if job.is_fit == is_fit]
            return len(same) < MOST_STRAY and sum(job in active for job in same) < MOST_AT_ONCE

        ready = [job for job in live if not (job.done or job.is_waiting or job in self._running)]
        return min((job for job in ready if has_room(job.is_fit)), key=lambda job: job.spent // TURN, default=None)

    def _work_beside(self, loop: asyncio.AbstractEventLoop | None = None, first: Job | None = None) -> bool:
        """Look after what is to be done from now on; whether a thread does so, and not the event loop."""
        if self._loop is None:
            self._loop, self._is_telling = loop, False
        if self._takes_turns:  # it comes to this job as well
            return False
        self._idle += 1  # until it looks around
        thread = started(self._work, first)
        if thread is not None:
            self._threads.add(thread)
        elif self._loop is not None:
            self._takes_turns = True
            self._loop.call_soon_threadsafe(self._turn)
        return thread is not None

    def _turn(self) -> None:
        """Make a step in the thread of the event loop, which then has its turn before the next step."""
        with self._changed:
            loop = self._loop
            if loop is not None and any(not job.done for job in self._live()):
                job = self._next()
                if job is not None:
                    self._take(job)
                loop.call_later(0 if job is not None else min(self._report(), STILL), self._turn)
            else:
                self._report()
                self._takes_turns, self._loop = False, None
                self._idle -= 1

    def _work(self, first: Job | None) -> None:
        with self._changed:
            self._idle -= 1
            if first is not None and first.began is None:
                self._take(first, time.monotonic() + QUICK)
            while self._loop is not None and any(not job.done for job in self._live()):
                job = self._next()
                if job is not None:
                    self._take(job)
                elif self._idle:  # one is enough to look after the others
                    break
                else:
                    self._idle += 1
                    self._changed.wait(self._report())
                    self._idle -= 1
            self._report()
            self._threads.discard(threading.current_thread())
            is_last = not self._threads
            if is_last:
                self._loop = None
        if is_last:
            give_back()

    def _take(self, job: Job, waited_for_until: float = 0.0) -> None:
        """Make a step of a job, while another thread looks after the rest."""

        def rest() -> float:
            return 0.0 if time.monotonic() < waited_for_until else self._not_before - time.monotonic()

        job.stop_at, job.began = math.inf, time.monotonic()
        self._running.append(job)
        if not self._idle:
            self._work_beside()
        self._changed.release()
        try:
            job.step(rest)
        finally:
            self._changed.acquire()
            now = time.monotonic()
            self._running.remove(job)
            job.spent, job.began = job.spent + now - job.began, None
            if now >= job.stop_at and not job.done:
                self._drop(job)
            elif job in self._live():  # who asks for it later sees it then
                self._has_news = True
                if job.done:
                    self._reported = 0.0
            self._report()
            self._changed.notify_all()

    def _report(self) -> float:
        """Report what is due, and return in how many seconds there may be something else to do."""
        now = time.monotonic()
        if self._has_news and not self._is_telling and now - self._reported >= REPORT_EVERY:
            self._is_telling, self._reported, self._ticked = True, now, now
            self._call(self._tell_once)
        elif self._running and now - self._ticked >= TICK:
            self._ticked = now
            self._call(lambda: self.tick())
        due = [self._reported + REPORT_EVERY] if self._has_news else []
        due += [max(self._ticked + TICK, now), *((job.began or now) + QUICK for job in self._running)]
        due.append(self._not_before)
        return min((then - now for then in due if then > now), default=TICK)

    def _tell_once(self) -> None:
        self._is_telling = self._has_news = False
        self._tell()

    def _call(self, what: Callable[[], None]) -> None:
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(what)
        except RuntimeError:  # the loop has been closed: nobody looks any more
            self._loop = None
