"""Signs of work: a note once a step takes longer than a moment, and the progress of jobs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from html import escape

import ipywidgets

from ....answers.situation.job import Job
from ....answers.situation.jobs import Jobs
from ....foundation.threads import started
from ...transport.shared_widgets import Layout, UrgentButton
from ...transport.transport import Transport, assign

WORKING = "Working …"
PATIENCE, GLANCE = 0.06, 0.02  # seconds before a sign of work appears, and between two checks of the clock
WATCHED_ON = 1.0  # seconds that the watching thread waits for more work
A_WHILE = 1.0  # seconds after which a job shows how long it has taken, and can be cancelled
REACTION = 0.4  # seconds: a click so soon after a change of the button is meant for what it said before


class BusySign:
    """A context manager that shows a note while the work inside it takes longer than a moment.

    One thread watches the clock, and ends soon after the last work. To start a thread for every step of a slider would
    cost more than most steps do.
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
                self._watcher = started(self._watch)

    def __exit__(self, *_: object) -> None:
        with self._lock:  # so that no sign appears after the end of the work
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


class Offer:
    """A button beside the signs of work: it cancels the current job, or retries what was cancelled.

    Then it calls `changed`. It stays the same widget, so that it keeps the focus while one job follows another.
    """

    def __init__(self, jobs: Jobs, transport: Transport, changed: Callable[[], None]) -> None:
        self._jobs, self._changed = jobs, changed
        self.button = UrgentButton(
            transport=transport,
            layout=Layout(transport=transport, display="none"),  # of its own, since it comes and goes
            _dom_classes=("calibviz-cancel",),
        )
        self.button.on_click(lambda _: self._clicked())
        self._is_shown = self._again = self._again_before = False
        self._job: Job | None = None
        self._job_before: Job | None = None
        self._since = 0.0

    def show(self, job: Job | None, again: bool) -> None:
        """Offer to cancel a job that has taken a while; without a job, offer to retry if `again` is true."""
        again = again and job is None
        if job is not self._job or again != self._again:
            self._job_before, self._again_before, self._since = self._job, self._again, time.monotonic()
            self._job, self._again = job, again
        self._is_shown = again or (job is not None and (self._is_shown or job.elapsed >= A_WHILE))
        text = ("Cancel", f"Cancel {job.label}") if job is not None else ("Retry", "Begin anew what was cancelled")
        if self._is_shown:
            assign(self.button, description=text[0], tooltip=text[1])
        assign(self.button.layout, display=None if self._is_shown else "none")

    def _clicked(self) -> None:
        """Do what the button said when the user decided to click, which may have been a moment ago."""
        has_just_changed = time.monotonic() - self._since < REACTION
        job, again = (self._job_before, self._again_before) if has_just_changed else (self._job, self._again)
        if job is not None:
            self._jobs.cancel(job)
        elif again:
            self._jobs.start_over()
        self._changed()


def progress_bar(job: Job) -> str:
    """HTML that names a job, with the time that it has taken and, if it is known, its progress."""
    far = f' value="{job.fraction:.2f}"' if 0 < job.fraction < 1 else ""
    label, time_taken = escape(job.label), f"<span>{taken(job.elapsed)}</span>" if job.elapsed >= A_WHILE else ""
    return (
        f'<div class="calibviz-job" title="{label}"><span>{label} …</span>'
        f'<progress max="1"{far} aria-label="{label}"></progress>{time_taken}</div>'
    )


def cancelled_note(jobs: Sequence[Job]) -> str:
    """HTML that names the cancelled jobs."""
    what = escape(", ".join(job.label for job in jobs))
    return f'<div role="status" title="{what}">Cancelled: {what}</div>'


def taken(seconds: float) -> str:
    """A time in words, such as "12 s" or "3:05 min"."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes else f"{rest} s"
