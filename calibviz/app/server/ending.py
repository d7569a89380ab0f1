"""The end of the server: in order if its event loop still answers, by force if not."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

#: Seconds that an orderly end may take, unless a second signal comes.
GRACE_SECONDS = 10.0


class Ending:
    """A context that handles Ctrl-C, SIGTERM and the closing of the terminal.

    Python runs a signal handler between two steps of the main thread, which may take long. So Python's C handler writes
    to a socket, and a thread reads it. No exception is raised in the midst of other work. That thread calls `by_force`
    if the orderly end takes too long or another signal comes; then the process ends.
    """

    def __init__(self, by_force: Callable[[], None]) -> None:
        self.asked: Future[None] = Future()  # done once the server is to end
        self._by_force = by_force
        self._ear, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)
        self._numbers = set(_choose_signals())

    def __enter__(self) -> Ending:
        for number in self._numbers:
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._listen, name="calibviz-ending", daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        signal.set_wakeup_fd(-1)
        self._mouth.close()  # which ends the thread

    def _listen(self) -> None:
        with self._ear:
            if self._next(None) is None:
                return
            self.asked.set_result(None)
            number = self._next(GRACE_SECONDS)
            if number is not None:
                self._by_force()
                os._exit(128 + number)

    def _next(self, seconds: float | None) -> int | None:
        """The number of the next signal; SIGTERM if none comes in time, None once the context has ended."""
        self._ear.settimeout(seconds)
        try:
            while heard := self._ear.recv(1):
                if heard[0] in self._numbers:
                    return heard[0]
        except TimeoutError:
            return signal.SIGTERM
        return None


def _choose_signals() -> list[signal.Signals]:
    signals = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:  # nohup ignores it
        signals.append(hangup)
    return signals
