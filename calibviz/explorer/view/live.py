"""What every view has that follows choices: one message a step, signs of work, and a sentence where it cannot."""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets
import traitlets

from ... import plots
from ...figures import Figure, Grid
from ...foundation import validation
from ..model.jobs import Jobs
from ..transport.shared_widgets import HTML
from ..transport.transport import Transport, assign
from .busy import BusySign, Offer, cancelled_note, progress_bar
from .pulse import Pulse
from .still import display_beside
from .theme import STYLE_SHEET

log = logging.getLogger(__name__)

FAILED = "This view could not be made; the log says why. The last good one is shown."


class Live(ipywidgets.VBox):
    """A view that follows choices; the base of `Explorer`, its panels, and `SimulationLab`.

    Parameters
    ----------
    jobs : Jobs
        Slow work of this view.
    """

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._transport = Transport()
        self._pulse = Pulse()
        self._status = HTML(transport=self._transport)
        self._status.add_class("calibviz-status")
        # In a message of its own, which may come while all others are held back.
        self._working = ipywidgets.HTML()
        self._working.add_class("calibviz-working")
        self._impatient = BusySign(self._working)
        self._refused = ""
        self._offer = Offer(jobs, self._refresh, self._place)
        jobs.tick = self._tick
        super().__init__()
        self.add_class("calibviz-explorer")

    def _assemble(self, children: Sequence[ipywidgets.Widget]) -> None:
        """Put the view together, around what is special of it."""
        self._top = ipywidgets.Box([self._status, self._working])
        self._top.add_class("calibviz-top")
        self.children = [ipywidgets.HTML(STYLE_SHEET), self._top, *children, self._pulse]

    def _begin(self, *shown: Callable[[], Any]) -> None:
        """Show it for the first time; where that fails, nothing is left behind."""
        try:
            for show in shown:
                show()
        except BaseException:
            self.close()
            raise
        self._jobs.start()
        self._say_progress()

    def _respond(self, show: Callable[[], str]) -> None:
        """Show what was chosen; `show` returns why it cannot be shown, if so."""
        with self._transport.lock:
            self._jobs.begin()
            with self._impatient, self._transport.collect():
                self._refused = show()
                self._say(self._refused)
            self._jobs.start()
            self._say_progress()

    def _show_again(self) -> None:
        """Show what there is by now of the same choices."""
        raise NotImplementedError

    def _refresh(self) -> None:
        """Show how far jobs have come."""
        with self._transport.lock:  # the loop that calls this need not be the one that answers the controls
            if self.comm is None:
                return
            self._jobs.begin()
            with self._transport.collect():
                if sentence := self._tried(self._show_again):
                    self._say(sentence)
            self._jobs.start(after=0.0)
            self._say_progress()

    def finish(self) -> None:
        """Wait for everything that fills in while one looks, such as bootstrap bars."""
        self._complete()

    def _complete(self, aside: bool = True) -> None:
        while self._jobs.finish(aside):
            self._refresh()

    def _say_progress(self) -> None:
        job, cancelled = self._jobs.current, self._jobs.cancelled
        text = progress_bar(job) if job is not None else cancelled_note(cancelled) if cancelled else ""
        if self._working.value != text:
            self._working.value = text
        self._offer.show(job, bool(cancelled))

    def _tick(self) -> None:
        """Say how long what is worked on has taken by now."""
        with self._transport.lock:
            if self.comm is not None:
                self._say_progress()

    def _place(self, button: ipywidgets.Button) -> None:
        self._top.children = [*self._top.children, button]

    @staticmethod
    def _tried(action: Callable[..., Any], *arguments: Any, **named: Any) -> str:
        """Why an action failed, in a sentence for the user; empty where it did not."""
        try:
            action(*arguments, **named)
        except (TypeError, ValueError, traitlets.TraitError) as error:
            log.debug("%s refused %s", action.__name__, arguments, exc_info=True)
            return str(error)
        except Exception:
            log.exception("%s failed with %s", action.__name__, arguments)
            return FAILED
        return ""

    def _say(self, sentence: str) -> None:
        text = f'<div class="refused" role="status">{escape(sentence)}</div>' if sentence else ""
        assign(self._status, value=text)

    def _seen(self) -> Any:
        """What is on screen, if that is what the choices say; else why not, as a ValueError."""
        raise NotImplementedError

    def _records(self) -> list[Figure | Grid]:
        """The pictures on screen, as far as they have filled in."""
        raise NotImplementedError

    def _sentence(self) -> str:
        """What is on screen, in a sentence."""
        raise NotImplementedError

    def _caption(self) -> str:
        """What the pictures are of, for those who see them without the controls."""
        raise NotImplementedError

    def figure(self) -> plots.Picture:
        """The pictures on screen as one Matplotlib figure; what still fills in is completed first.

        Raises
        ------
        ValueError
            Where the panels on screen hold no picture.
        """
        self._seen()
        self._complete(aside=False)
        records = self._records()
        if not records:
            raise ValueError("there is no picture on screen: open a panel such as Reliability")
        return plots.panels(records, self._caption())

    def save(self, path: Any) -> None:
        """Write `figure()` to a file, in the format of its ending: .png, .svg, .pdf."""
        file = path if hasattr(path, "write") else validation.path_to_write(path)
        self.figure().savefig(file, dpi=200)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The live view, a still one, and a line of text, for those who want one of them."""
        return {**self._live_bundle(), **self._still_bundle()}

    def _ipython_display_(self) -> None:
        """Display the live view, and for the saved notebook a still one."""
        display_beside(self._live_bundle(), self._still_bundle)

    def _live_bundle(self) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_()
        return {**bundle, "text/plain": f"{type(self).__name__}: {self._sentence()}"}

    def _still_bundle(self) -> dict[str, str]:
        records = self._records()
        if not records:
            return {}
        return {"image/png": b64encode(plots.panels(records, self._caption())._repr_png_()).decode()}

    def _leave_behind(self) -> Iterable[ipywidgets.Widget]:
        """Stop following; what was made and is not on screen at the moment."""
        return ()

    def close(self) -> None:
        """Close this widget and every widget that it made."""
        if self.comm is None:  # closed already
            return
        with self._transport.lock:
            self._jobs.begin()
            self._jobs.start(after=0.0)  # what is being worked on ends
            roots = (self, *self._leave_behind(), *self._transport.widgets)
            made = {one.model_id: one for root in roots for one in widgets_below(root)}
            for widget in made.values():
                if widget is not self and widget is not self._transport:
                    widget.close()
            self._transport.close()
            super().close()


def widgets_below(widget: ipywidgets.Widget) -> list[ipywidgets.Widget]:
    """The widget and every widget that its synchronised traits hold, at any depth."""
    found: dict[str, ipywidgets.Widget] = {}

    def visit(value: Any) -> None:
        if isinstance(value, ipywidgets.Widget):
            if value.comm is None or value.model_id in found:
                return
            found[value.model_id] = value
            for name in value.keys:
                visit(getattr(value, name))
        elif isinstance(value, list | tuple):
            for item in value:
                visit(item)
        elif isinstance(value, Mapping):
            for item in value.values():
                visit(item)

    visit(widget)
    return list(found.values())
