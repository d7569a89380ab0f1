"""How the server ends: in order where its loop still answers, by force where it does not."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

#: How long an orderly end may take, in seconds. A second signal does not wait.
GRACE = 10.0


class Ending:
    """Hears Ctrl-C, a request to terminate and the closing of the terminal, as a context.

    Python runs handlers of signals between two steps of the main thread, which may be long in coming. What is written
    here is written by the operating system's own handler, and a thread reads it. An exception, raised wherever the
    signal finds the process, would leave half-made things behind.

    Parameters
    ----------
    by_force
        Called, in that thread, where the orderly end takes too long or another signal comes; then the process ends.

    Attributes
    ----------
    asked : Future
        Done once the server is to end.
    """

    def __init__(self, by_force: Callable[[], None]) -> None:
        self.asked: Future[None] = Future()
        self._by_force = by_force
        self._ear, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)
        self._numbers = set(_heard())

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
            number = self._next(GRACE)
            if number is not None:
                self._by_force()
                os._exit(128 + number)

    def _next(self, seconds: float | None) -> int | None:
        """Wait for a signal; return its number, SIGTERM's if none comes in time, None if there are to be no more."""
        self._ear.settimeout(seconds)
        try:
            while heard := self._ear.recv(1):
                if heard[0] in self._numbers:
                    return heard[0]
        except TimeoutError:
            return signal.SIGTERM
        return None


def _heard() -> list[signal.Signals]:
    signals = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:  # which is nohup's wish
        signals.append(hangup)
    return signals
