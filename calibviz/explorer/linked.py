"""What the Explorer and every panel by itself have in common: they follow a state, and say what went wrong."""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets
import numpy as np
import traitlets

from .. import plots
from ..figures import Figure, Grid
from ..table_records import Table
from .code import code_of, cube_of
from .contents.content import Content
from .contents.headline import words
from .contents.instances import chosen_rows
from .engine import Engine
from .look import Look
from .panels import KINDS, Panel
from .patience import Impatient, progress_bar
from .spec import Spec
from .state import ExplorerState
from .theme import STYLE_SHEET
from .transport import HTML, Transport, assign

log = logging.getLogger(__name__)

FAILED = "This view could not be made; the log says why. The last good one is shown."


class Linked(ipywidgets.VBox):
    """Pictures that follow an `ExplorerState`; the base of `Explorer` and of the panels.

    Attributes
    ----------
    state : ExplorerState
    look : Look
        What is on screen.
    """

    def __init__(
        self,
        predictions: Any,
        calibration: Any = None,
        state: ExplorerState | None = None,
        **choices: Any,
    ) -> None:
        self._engine = Engine(predictions, calibration, self._advance)
        models = tuple(self._engine.models)
        if state is not None and state.models != models:
            raise ValueError(f"state is of the models {', '.join(state.models)}, not of {', '.join(models)}")
        self.state = ExplorerState(models) if state is None else state
        self.state.update(**choices)
        self.look = Look(self._engine, self.state.spec)
        self._transport = Transport()
        self._status = HTML(transport=self._transport)
        self._status.add_class("calibviz-status")
        # In a message of its own, which may come while all others are held back.
        self._working = ipywidgets.HTML()
        self._working.add_class("calibviz-working")
        self._impatient = Impatient(self._working)
        self._panels: dict[str, Panel] = {}
        self._contents: dict[str, Content] = {}
        self._refused = ""
        children = self._build()
        top = ipywidgets.Box([self._status, self._working])
        top.add_class("calibviz-top")
        super().__init__([ipywidgets.HTML(STYLE_SHEET), top, *children, self._transport])
        self.add_class("calibviz-explorer")
        self.state.observe(self._follow, "spec")
        try:
            self._show(self.look)
            self._show_choices(self.look)
        except BaseException:
            self.close()
            raise
        self._engine.jobs.start()
        self._say_progress()

    def _build(self) -> Sequence[ipywidgets.Widget]:
        """The widgets between the status and the transport."""
        raise NotImplementedError

    def _visible(self, look: Look) -> tuple[str, ...]:
        """The names of the panels on screen."""
        return look.spec.panels

    def _draw(self, look: Look, contents: Mapping[str, Content]) -> None:
        """Draw the contents of all panels on screen."""
        raise NotImplementedError

    def _contents_of(self, look: Look) -> dict[str, Content]:
        return {name: KINDS[name].content(look) for name in self._visible(look)}

    def _show(self, look: Look) -> None:
        """Show a look; where something of it cannot be made, nothing is drawn."""
        contents = self._contents_of(look)
        self._draw(look, contents)
        self._contents = contents

    def _show_choices(self, look: Look) -> None:
        """Show the choices of a look, which may be one that cannot be shown."""

    @property
    def selected(self) -> Any:
        """The indices of the samples of the chosen bin (all that are shown where there is none), ascending."""
        look = self._seen()
        chosen = look.before.problems[0].order[chosen_rows(look)]
        return np.unique(chosen).tolist()  # under the pooled lens a sample has many scores

    def code(self) -> str:
        """The Python that reproduces the numbers on screen."""
        return code_of(self._seen())

    def cube(self) -> Any:
        """The numbers on screen, and those of all compared calibrators and models, as `evaluate` labels them."""
        return cube_of(self._seen())

    def _seen(self) -> Look:
        """What is on screen, if that is what the state says."""
        if self.look.spec != self.state.spec:
            raise ValueError(f"the choices cannot be shown: {self._refused}")
        return self.look

    def finish(self) -> None:
        """Wait for everything that fills in while one looks, such as bootstrap bars."""
        while self._engine.jobs.finish():
            self._advance()

    def figure(self) -> plots.Picture:
        """The pictures on screen as one Matplotlib figure; what still fills in is completed first.

        Raises
        ------
        ValueError
            Where the panels on screen hold no picture.
        """
        self._seen()
        self.finish()
        records = self._records()
        if not records:
            raise ValueError("there is no picture on screen: open a panel such as Reliability")
        return plots.panels(records, self._caption())

    def _caption(self) -> str:
        """What the pictures are of, for those who see them without the controls."""
        look, spec = self.look, self.look.spec
        kept = f", {spec.selection}" if spec.selection else ""
        return f"{words(look)}\n{spec.model}: {look.name}, {look.numbers(look.before)[0].count:,} samples{kept}"

    def _records(self) -> list[Figure | Grid]:
        """The pictures on screen, as far as they have filled in."""
        shown = [record for content in self._contents.values() for record in content.records]
        return [record for record in shown if not isinstance(record, Table)]

    def save(self, path: Any) -> None:
        """Write `figure()` to a file, in the format of its ending: .png, .svg, .pdf."""
        self.figure().savefig(path, dpi=200)

    def close(self) -> None:
        """Close this widget and every widget that it made."""
        if self.comm is None:  # closed already, or never finished
            return
        with self._transport.lock:
            self._engine.jobs.begin()
            self.state.unobserve(self._follow, "spec")
            # Also what is not on screen at the moment.
            roots = (self, *(panel.widget for panel in self._panels.values()), *self._transport.widgets)
            made = {one.model_id: one for root in roots for one in widgets_below(root)}
            for widget in made.values():
                if widget is not self and widget is not self._transport:
                    widget.close()
            self._transport.close()
            super().close()

    def _panel(self, name: str, controls: Sequence[ipywidgets.Widget]) -> Panel:
        if name not in self._panels:
            self._panels[name] = Panel(name, self.state, self._transport, controls, self._choose)
        return self._panels[name]

    def _follow(self, _change: Any) -> None:
        """Show the state's spec, or say why it cannot be shown and keep the last good view."""
        with self._transport.lock:
            self._engine.jobs.begin()
            with self._impatient, self._transport.collect():
                self._refused = self._follow_spec(self.state.spec)
                self._say(self._refused)
            self._engine.jobs.start()
            self._say_progress()

    def _follow_spec(self, spec: Spec) -> str:
        """Show a spec; why it cannot be shown, if so."""
        look = Look(self._engine, spec)
        sentence = self._tried(self._show, look)
        if not sentence:
            self.look = look
        else:  # what is still on screen goes on filling in
            self._engine.jobs.begin()
            self._tried(self._contents_of, self.look)
        unfollowed = self._tried(self._show_choices, look)
        return sentence or unfollowed

    def _advance(self) -> None:
        """Show how far jobs have come."""
        with self._transport.lock:  # the loop that calls this need not be the one that answers the controls
            if self.comm is None:
                return
            self._engine.jobs.begin()
            with self._transport.collect():
                sentence = self._tried(self._show, look := Look(self._engine, self.look.spec))
                if sentence:
                    self._say(sentence)
                else:
                    self.look = look
            self._engine.jobs.start(after=0.0)
            self._say_progress()

    def _say_progress(self) -> None:
        job = self._engine.jobs.current
        text = "" if job is None else progress_bar(job)
        if self._working.value != text:
            self._working.value = text

    def _choose(self, **chosen: Any) -> None:
        """Set choices, or say why they are refused."""
        before = self.state.spec
        sentence = self._tried(self.state.update, **chosen)
        if sentence or self.state.spec == before:  # nothing follows that would take away what a refused value left
            self._say(sentence or self._refused)

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

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Beside the live view a still one, for a notebook that is exported, and a line of text."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        records = self._records()
        if records:
            bundle["image/png"] = b64encode(plots.panels(records, self._caption())._repr_png_()).decode()
        bundle["text/plain"] = f"{type(self).__name__}: {words(self.look)}"
        return bundle


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
