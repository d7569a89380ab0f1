"""The base of every view: one message for each step, signs of slow work, and a sentence where a step fails."""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from ....answers.situation.job import Job
from ....answers.situation.jobs import Jobs
from ....figures import Figure, Grid
from ....figures.captions import Caption
from ....figures.markup import tag
from ....figures.tables import Table
from ....foundation.files import path_to_write
from ....foundation.marked import Run
from ...transport.shared_widgets import HTML, Box, UrgentHTML
from ...transport.transport import Transport, assign
from ..elements import STYLE_SHEET
from ..sentence import as_html
from .busy import BusySign, Offer, cancelled_note, progress_bar
from .pulse import Pulse
from .still import display_beside, labelled
from .stopped import IN_MARIMO, PICTURE

if TYPE_CHECKING:
    from .... import plots

log = logging.getLogger(__name__)

#: Seconds in which a page builds a view, undisturbed by slow work; one that is never shown does that work then.
UNSEEN = 5.0

#: Pixels per inch of a saved picture, which is 13.3 inches wide: more than 1920, as screens for slides have.
DPI = 150

FAILED = "This view could not be made; the log says why. The last good one is shown."


class Live(ipywidgets.VBox):
    """A view that follows choices: the base of `Explorer`, of its panels, and of `SimulationLab`.

    Its jobs do the slow work beside it, and its transport carries what changed in one message.
    """

    state: Any
    #: The trait of the state that holds all choices; what is on screen has them under the same name.
    _followed = ""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._on_screen: Any = None
        self._transport = Transport()
        jobs.rest(UNSEEN)
        self._transport.on_ready(jobs.wake)
        self._pulse = Pulse()
        self._status = HTML(transport=self._transport, _dom_classes=("calibviz-status",))
        self._refusal = Box([self._status], transport=self._transport, _dom_classes=("calibviz-complaint",))
        self._top = Box(transport=self._transport, _dom_classes=("calibviz-top",))
        self._working = UrgentHTML(transport=self._transport, _dom_classes=("calibviz-working",))
        self._offer = Offer(jobs, self._transport, self._refresh)
        signs = (self._working, self._offer.button)
        self._signs = Box(signs, transport=self._transport, _dom_classes=("calibviz-signs",))
        self._impatient = BusySign(self._working)
        self._refused = ""
        jobs.tick = self._tick
        super().__init__(_dom_classes=("calibviz-explorer",))

    def _assemble(self, children: Sequence[ipywidgets.Widget]) -> None:
        """Put the view together: the status line, the widgets of this kind of view, and the pulse.

        The signs of work stand beside the status, unless a kind of view has a place for them.
        """
        has_place = self._signs in widgets_below(*children)
        self._top.children = [self._refusal] if has_place else [self._refusal, self._signs]
        self.children = [ipywidgets.HTML(STYLE_SHEET), self._top, *children, self._pulse]

    def _begin(self) -> None:
        """Show the view for the first time, and follow the state; if that fails, close every widget that was made."""
        self.state.observe(self._follow, self._followed)
        try:
            with self._transport.collect():
                self._show(self._on_screen)
                self._show_choices(self._on_screen)
        except BaseException:
            self.close()
            raise
        self._transport.begin()
        self._jobs.start()
        self._say_progress()

    def _made_of(self, choices: Any) -> Any:
        """Return the view under some choices."""
        raise NotImplementedError

    def _show(self, view: Any) -> None:
        """Show what there is to see; where something of it cannot be made, nothing is drawn."""
        raise NotImplementedError

    def _show_choices(self, view: Any) -> None:
        """Show the choices, also those of a view that cannot be shown."""

    def _want_again(self) -> None:
        """Ask anew for the slow work of what is on screen."""
        raise NotImplementedError

    def _choose(self, **chosen: Any) -> None:
        """Set choices, or say why they are refused."""
        before = getattr(self.state, self._followed)
        sentence = self._tried(self.state.update, **chosen)
        if sentence or getattr(self.state, self._followed) == before:  # no step follows that would clear the status
            self._say(sentence or self._refused)

    def _follow(self, _change: Any) -> None:
        """Show what the state says, or say why that cannot be shown and keep the last good view."""
        with self._transport.lock:
            self._jobs.wake()
            self._jobs.begin()
            with self._impatient, self._transport.collect():
                self._refused = self._follow_state()
                self._say(self._refused)
            self._jobs.start()
            self._say_progress()

    def _follow_state(self) -> str:
        view = self._made_of(getattr(self.state, self._followed))
        sentence = self._tried(self._show, view)
        if not sentence:
            self._on_screen = view
        else:  # what is still on screen goes on filling in
            self._jobs.begin()
            self._tried(self._want_again)
        unfollowed = self._tried(self._show_choices, view)
        return sentence or unfollowed

    def _show_again(self) -> None:
        """Show the same choices again, with what jobs have computed since."""
        view = self._made_of(getattr(self._on_screen, self._followed))
        self._show(view)
        self._on_screen = view

    def _refresh(self) -> None:
        """Show what jobs have computed by now."""
        with self._transport.lock:  # this may run in another thread than the one that answers the controls
            if self.comm is None:
                return
            self._jobs.begin()
            with self._transport.collect():
                if sentence := self._tried(self._show_again):
                    self._say(sentence)
            self._jobs.start(after=0.0)
            self._say_progress()

    def finish(self) -> None:
        """Wait until all slow work is done, such as bootstrap bars."""
        self._complete()

    def _complete(self, aside: bool = True, look: Callable[[], object] = lambda: None) -> None:
        """Wait for slow work: for all of it, or for what pictures show and what who looks asks for."""
        while self._jobs.finish(aside, self._jobs.asked_by(look)):
            self._refresh()

    def _say_progress(self) -> None:
        job, cancelled = self._current(), self._jobs.cancelled
        text = progress_bar(job) if job is not None else cancelled_note(cancelled) if cancelled else ""
        if self._working.value != text:
            self._working.value = text
        self._offer.show(job, bool(cancelled))

    def _current(self) -> Job | None:
        """The job whose progress is shown."""
        return self._jobs.current

    def _tick(self) -> None:
        """Update how long the current job has taken."""
        with self._transport.lock:
            if self.comm is not None:
                self._say_progress()

    @staticmethod
    def _tried(action: Callable[..., Any], *arguments: Any, **named: Any) -> str:
        """Do an action; the sentence that tells the user why it failed, or an empty one."""
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
        text = f'<div class="refused" role="status">{as_html(sentence)}</div>' if sentence else ""
        with self._transport.collect():
            assign(self._status, value=text)
            (self._top.add_class if sentence else self._top.remove_class)("is-refused")

    def _seen(self) -> Any:
        """The view on screen; a `ValueError` if it does not show the current choices."""
        if getattr(self._on_screen, self._followed) != getattr(self.state, self._followed):
            raise ValueError(f"the choices cannot be shown: {self._refused}")
        return self._on_screen

    def _records(self) -> Sequence[Figure | Grid | Table]:
        """The pictures on screen, with what has been computed so far."""
        raise NotImplementedError

    def _sentence(self) -> str:
        """A sentence that says what is on screen."""
        raise NotImplementedError

    def _caption(self) -> Caption:
        """A caption that says what the pictures show, for readers who do not see the controls."""
        raise NotImplementedError

    def _beside(self) -> Mapping[str, Sequence[Run]]:
        """Texts beside the pictures by their titles, as the page shows them."""
        return {}

    def _asked(self) -> object:
        """The answers on screen, which the picture holds."""
        return None

    def _below(self) -> Table | None:
        """A table below these texts."""
        return None

    def figure(self) -> plots.Picture:
        """The pictures on screen as one Matplotlib figure, after slow work is done.

        Raises
        ------
        ValueError
            If the panels on screen hold no picture.
        """
        self._seen()
        self._complete(aside=False, look=lambda: (self._beside(), self._below(), self._asked()))
        records = self._records()
        if not records:
            raise ValueError("there is no picture on screen: open a panel such as Reliability")
        return self._drawn(records)

    def _drawn(self, records: Sequence[Figure | Grid | Table]) -> plots.Picture:
        from ....plots.slides import slide  # the first view does not wait for Matplotlib

        return slide(records, self._caption(), self._beside(), self._below())

    def save(self, path: Any) -> None:
        """Write `figure()` to a file; its ending, such as .png, .svg or .pdf, sets the format."""
        self._write(path if hasattr(path, "write") else path_to_write(path))

    def _write(self, file: Any, kind: str | None = None) -> None:
        """Write `figure()` to a file of a kind, such as "png"; by default that of the ending of its name."""
        self.figure().savefig(file, format=kind, dpi=DPI)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The live view, a still picture and a line of text, as MIME types to choose from."""
        return {**self._live_bundle(), **self._still_bundle()}

    def _ipython_display_(self) -> None:
        """Display the live view, and a still picture for the saved notebook."""
        display_beside(self._live_bundle(), self._still_bundle, self._instead)

    def _mime_(self) -> tuple[str, str]:
        """Return what marimo shows, whose only widgets are those of anywidget, and the type of that."""
        return "text/html", self._instead(IN_MARIMO)

    def _instead(self, how: str) -> str:
        """The HTML that a host without widgets shows, with `how` to have the live view."""
        source = f"data:image/png;base64,{_encoded(self.figure())}"
        return labelled(PICTURE.format(how=how), tag("img", src=source, alt=self._sentence(), width="100%"))

    def _live_bundle(self) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_()
        return {**bundle, "text/plain": f"{type(self).__name__}: {self._sentence()}"}

    def _still_bundle(self) -> dict[str, str]:
        records = self._records()
        if not records:
            return {}
        return {"image/png": _encoded(self._drawn(records))}

    def _leave_behind(self) -> Iterable[ipywidgets.Widget]:
        """The widgets that were made but are not on screen now."""
        return ()

    def close(self) -> None:
        """Close this widget and every widget that it made."""
        if self.comm is None:  # closed already
            return
        with self._transport.lock:
            self.state.unobserve(self._follow, self._followed)
            self._jobs.begin()
            self._jobs.start(after=0.0)  # this ends the current job
            for widget in widgets_below(self, *self._leave_behind(), *self._transport.widgets):
                if widget is not self and widget is not self._transport:
                    widget.close()
            self._transport.close()
            super().close()


def _encoded(picture: plots.Picture) -> str:
    return b64encode(picture._repr_png_()).decode()


def close_all(widgets: Iterable[ipywidgets.Widget]) -> None:
    """Close widgets with everything in them."""
    for widget in widgets:
        parts = widgets_below(widget)
        widget.close()
        for part in parts:
            if part.comm is not None:  # not closed with the widget
                part.close()


def widgets_below(*widgets: ipywidgets.Widget) -> list[ipywidgets.Widget]:
    """These widgets and every widget that their synchronised traits hold, at any depth; each once."""
    visited: dict[str, ipywidgets.Widget] = {}

    def visit(value: Any) -> None:
        if isinstance(value, ipywidgets.Widget):
            if value.comm is None or value.model_id in visited:
                return
            visited[value.model_id] = value
            for name in value.keys:
                visit(getattr(value, name))
        elif isinstance(value, list | tuple):
            for item in value:
                visit(item)
        elif isinstance(value, Mapping):
            for item in value.values():
                visit(item)

    visit(widgets)
    return list(visited.values())
