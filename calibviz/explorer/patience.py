"""Signs of work: that it takes longer than a moment, and how far it has come."""

from __future__ import annotations

import threading
import time
from html import escape

import ipywidgets

from .jobs import Job

WORKING = "Working …"
PATIENCE, GLANCE = 0.06, 0.02  # seconds without a sign of work, and between two looks at how long it has been
WATCHED_ON = 1.0


class Impatient:
    """Says that there is work going on, once it takes longer than a moment.

    One thread looks after it and ends soon after the last work has: to start one for every step of a slider would cost
    more than most steps do.
    """

    def __init__(self, sign: ipywidgets.HTML) -> None:
        self._sign = sign
        self._lock = threading.Lock()
        self._since: float | None = None
        self._watch_until = 0.0
        self._watcher: threading.Thread | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._since = time.monotonic()
            self._watch_until = self._since + WATCHED_ON
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, daemon=True)
                self._watcher.start()

    def __exit__(self, *_: object) -> None:
        with self._lock:  # so that no sign comes after the end
            self._since = None

    def _watch(self) -> None:
        while True:
            time.sleep(GLANCE)
            with self._lock:
                now = time.monotonic()
                if self._since is not None and now - self._since >= PATIENCE:
                    self._since = None
                    self._sign.value = f'<div role="status">{WORKING}</div>'
                elif self._since is None and now > self._watch_until:
                    self._watcher = None
                    return


def progress_bar(job: Job) -> str:
    """HTML that says how far a job has come."""
    return (
        f'<div><progress max="1" value="{job.fraction:.2f}" aria-label="{escape(job.label)}"></progress> '
        f"{escape(job.label)} …</div>"
    )
