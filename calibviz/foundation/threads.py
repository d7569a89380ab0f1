"""Blocks of rows and groups of classes that several processors work on: NumPy lets other threads run meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from threading import Event, Lock, Thread

from threadpoolctl import ThreadpoolController

from .cancellation import Cancelled, cancellable, check

#: What limits the number of threads, the first that is set.
SETTINGS = ("CALIBVIZ_NUM_THREADS", "OMP_NUM_THREADS")

_is_alone = ContextVar("is_alone", default=False)


@contextmanager
def alone() -> Iterator[None]:
    """A context in which all is done in the calling thread, as one of several that share the processors already."""
    before = _is_alone.set(True)
    try:
        yield
    finally:
        _is_alone.reset(before)


class _OfBlas:
    """The threads of BLAS, which all threads of a process share: one while anybody asks for that."""

    def __init__(self) -> None:
        self._lock, self._asking = Lock(), 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """A context in which each product of matrices is made in its calling thread.

        For small ones, and where several threads make some: those of BLAS would wait for each other, and where others
        want the processors, for a hundred times as long as the product takes.
        """
        with self._lock:
            self._asking += 1
            if self._asking == 1:
                self._limits = _controller().limit(limits=1, user_api="blas")
        try:
            yield
        finally:
            with self._lock:
                self._asking -= 1
                if not self._asking:
                    self._limits.restore_original_limits()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


one_blas_thread = _OfBlas().one


def workers() -> int:
    """How many threads work at once: as many as this process may use processors, or as a setting allows."""
    if _is_alone.get():
        return 1
    for setting in SETTINGS:
        if os.environ.get(setting, "").isdecimal():
            return max(1, int(os.environ[setting]))
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    return len(os.sched_getaffinity(0))


def started(work: Callable[..., None], *given: object) -> Thread | None:
    """A thread that works until it is done or the process ends; None where none can be started, as in a browser."""
    thread = Thread(target=work, args=given, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # can't start new thread
        return None
    return thread


@one_blas_thread()
def together(work: Callable[[int], None], parts: int) -> None:
    """Call `work` with 0, 1, ..., each in a thread of its own; of several errors, that of the first part is raised.

    The calling thread does the first part. Where it ends with an error, or because it was cancelled, the others end as
    soon as they ask. Where no thread can be started, as in a browser, it does all of them.
    """
    context, pool, ended = copy_context(), _pool(os.getpid(), parts - 1), Event()

    def asked(_done: float | None) -> None:
        if ended.is_set():
            raise Cancelled

    def beside(part: int) -> None:
        with alone(), cancellable(asked):  # all threads of the pool may be taken
            work(part)

    try:
        others = [pool.submit(context.copy().run, beside, i) for i in range(1, parts)]
    except RuntimeError:  # can't start new thread
        pool.shutdown()  # those that were started end first, and none of the rest begins later
        _pool.cache_clear()
        for i in range(parts):
            work(i)
        return
    try:
        with alone():
            work(0)
    except BaseException:
        ended.set()
        raise
    finally:
        for other in others:
            other.exception()  # all have ended before an error is raised, so nothing is written behind the caller
    for other in others:
        other.result()


def in_turn(work: Callable[[int], None], items: int, threads: int) -> None:
    """Call `work` with 0, 1, ..., items - 1, every so many of them in one of as many threads as `workers` allows.

    At most `threads` work at once, of which the calling one is the first.
    """
    threads = max(1, min(workers(), items, threads))

    def share(thread: int) -> None:
        for i in range(thread, items, threads):
            check()
            work(i)

    if threads == 1:
        share(0)
    else:
        together(share, threads)


@cache
def _pool(process: int, size: int) -> ThreadPoolExecutor:
    """The threads of a process; one that was forked has none of its parent's."""
    return ThreadPoolExecutor(size, thread_name_prefix="calibviz")
