"""The Explorer: state, controls and panels put together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import ipywidgets

from ..datasets import dataset_names, load_dataset
from ..predictions import Predictions, calibration_of, models_of
from .code import code_of
from .controls import Controls
from .engine import Engine, View
from .panels import NumbersPanel, PlotPanel
from .state import ExplorerState, Spec
from .theme import STYLE_SHEET
from .transport import HTML, Transport, assign

log = logging.getLogger(__name__)

WORKING = "Working …"
PLOT_PANELS = (("reliability", "histogram"), ("cumulative",), ("recalibration",))


class Explorer(ipywidgets.VBox):
    """Linked widgets: reliability diagram, cumulative curves, recalibration map and headline numbers.

    Parameters
    ----------
    predictions : Predictions, or dict of model name to Predictions
    calibration : the same, optional
        What the recalibrating spline is fitted to. Without it, a random share of the samples is set aside for
        that, and everything shown is measured on the rest.
    **choices
        The state to begin with, such as lens="rank 2", bins=20; see `ExplorerState`.

    Attributes
    ----------
    state : ExplorerState
        Set its attributes to steer the Explorer from code.
    view : View
        The figures and numbers on screen.

    Raises
    ------
    TypeError, ValueError
        Where the predictions are none, or nothing can be shown of them.
    traitlets.TraitError
        Where a choice cannot be meant.
    """

    def __init__(
        self,
        predictions: Predictions | Mapping[str, Predictions],
        calibration: Predictions | Mapping[str, Predictions] | None = None,
        **choices: Any,
    ) -> None:
        models = models_of(predictions, "predictions")
        calibrations = None if calibration is None else calibration_of(models, calibration)
        self.state = ExplorerState(list(models), **choices)
        self._engine = Engine(models, calibrations)
        self.view: View = self._engine.view(self.state.spec)
        self._transport = Transport()
        self._status = HTML(transport=self._transport)
        self._status.add_class("calibviz-status")
        self._controls = Controls(self.state, models, self._transport, self._say, calibrations is not None)
        self._panels: tuple[PlotPanel | NumbersPanel, ...] = (
            NumbersPanel(self.view, self._transport),
            *(PlotPanel(self.view, names, self._transport) for names in PLOT_PANELS),
        )
        grid = ipywidgets.Box([panel.widget for panel in self._panels])
        grid.add_class("calibviz-panels")
        body = ipywidgets.Box([self._controls.widget, grid])
        body.add_class("calibviz-body")
        super().__init__([ipywidgets.HTML(STYLE_SHEET), self._status, body, self._transport])
        self.add_class("calibviz-explorer")
        self._controls.follow(self.state.spec, self.view.outcomes)
        self.state.observe(self._follow, "spec")

    def code(self) -> str:
        """The Python that reproduces the numbers on screen."""
        spec = self.view.spec
        calibration = None if self._engine.calibration is None else self._engine.calibration[spec.model]
        return code_of(self.view, self._engine.models[spec.model], calibration)

    def close(self) -> None:
        """Close this widget and every widget that it made."""
        if self.comm is None:  # closed already, or never finished
            return
        self.state.unobserve_all()
        for widget in _below(self):
            if widget is not self and widget is not self._transport:
                widget.close()
        self._transport.close()
        super().close()

    def _follow(self, _change: Any) -> None:
        """Show the state's spec, or say why it cannot be shown and keep the last good view."""
        spec = self.state.spec
        if self._engine.is_slow(spec):
            self._say(WORKING)
        with self._transport.collect():
            sentence = self._tried(self._show, spec)
            unfollowed = self._tried(self._controls.follow, spec, self.view.outcomes)
            self._say(sentence or unfollowed)

    def _show(self, spec: Spec) -> None:
        view = self._engine.view(spec)
        for panel in self._panels:
            panel.draw(view)
        self.view = view

    @staticmethod
    def _tried(action: Callable[..., None], *arguments: Any) -> str:
        """Why an action failed, in a sentence for the user; empty where it did not."""
        try:
            action(*arguments)
        except (TypeError, ValueError) as error:
            log.debug("%s refused %s", action.__name__, arguments, exc_info=True)
            return str(error)
        except Exception:
            log.exception("%s failed with %s", action.__name__, arguments)
            return "This view could not be made; the log says why. The last good one is shown."
        return ""

    def _say(self, sentence: str) -> None:
        kind = "working" if sentence == WORKING else "refused"
        text = f'<div class="{kind}" role="status">{escape(sentence)}</div>' if sentence else ""
        assign(self._status, value=text)


def demo() -> ipywidgets.VBox:
    """The Explorer over the embedded data, with a chooser."""
    chooser = ipywidgets.ToggleButtons(options=dataset_names(), description="data")
    shown = ipywidgets.VBox()

    def show(name: str) -> None:
        old = shown.children
        shown.children = (Explorer(load_dataset(name)),)
        for explorer in old:
            explorer.close()

    chooser.observe(lambda change: show(change.new), "value")
    show(chooser.value)
    return ipywidgets.VBox([chooser, shown])


def _below(widget: ipywidgets.Widget) -> list[ipywidgets.Widget]:
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
