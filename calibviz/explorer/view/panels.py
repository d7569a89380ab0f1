"""The panels: each draws the content of a `Situation`, and turns clicks into choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import ipywidgets
import numpy as np

from ...figures import Figure, Grid
from ...figures.tables import Table
from ..model.contents.classes import classes, level_groups
from ..model.contents.comparison import compared_lenses, comparison, grid_table
from ..model.contents.confidence import confidence
from ..model.contents.content import Content, Record
from ..model.contents.cumulative import cumulative
from ..model.contents.decision import decision
from ..model.contents.instances import instances
from ..model.contents.likert import likert
from ..model.contents.recalibration import recalibration
from ..model.contents.reliability import reliability
from ..model.contents.segments import segments
from ..model.contents.sensitivity import sensitivity
from ..model.contents.temperature import temperature
from ..model.situation import Situation
from ..state import selection_edits
from ..state.state import ExplorerState
from ..transport.shared_widgets import HTML, Layout, VBox
from ..transport.transport import Transport, assign
from .marks import Plot, legend
from .table import TableView

HEIGHT, FLAT = "400px", "110px"
HEIGHTS = {
    "reliability": "300px",
    "cumulative": "370px",
    "histogram": FLAT,
    "sensitivity": "260px",
    "points-per-bin": "150px",
    "likert-counts": "220px",
    "likert-errors": "230px",
    "confidence": "250px",
    "groups": "210px",
    "classes": "250px",
    "decision-curve": "300px",
    "risk-coverage": "210px",
}


@dataclass(frozen=True)
class Kind:
    """A kind of panel: its title, what it shows, which controls stand in it, and which question it answers first."""

    title: str
    content: Callable[[Situation], Content]
    controls: tuple[str, ...] = ()
    question: str = ""

    @property
    def button(self) -> str:
        """What the button says that opens it."""
        return self.question or self.title


#: The panels that answer a question in a sentence, in the order in which they are asked.
QUESTIONS = ("segments", "decision", "recalibration")
KINDS: Mapping[str, Kind] = {
    "reliability": Kind("Reliability", reliability),
    "cumulative": Kind("Cumulative", cumulative, ("cumulative",)),
    "recalibration": Kind("Recalibration", recalibration, question="Would a repair help?"),
    "sensitivity": Kind("Sensitivity", sensitivity),
    "comparison": Kind("Comparison", comparison, ("rows", "calibrators", "metrics")),
    "likert": Kind("Likert", likert),
    "confidence": Kind("Confidence", confidence),
    "instances": Kind("Instances", instances, ("bin",)),
    "classes": Kind("Classes", classes, ("by",)),
    "temperature": Kind("Temperature", temperature, ("metrics",)),
    "decision": Kind("Decision", decision, ("threshold", "cost_ratio", "prevalence"), "Can I act at a threshold?"),
    "segments": Kind("Segments", segments, ("depth", "minimum"), "Where is it worst?"),
}


class Panel:
    """One panel: a heading, its own controls, its pictures and tables, and a sentence below them.

    Parameters
    ----------
    name : str
        One of `KINDS`.
    state : ExplorerState
        Clicks set its choices.
    transport : Transport
    controls : sequence of widgets
        Shown below the heading.
    choose : callable
        Sets choices of the state, or shows why they are refused.
    """

    def __init__(
        self,
        name: str,
        state: ExplorerState,
        transport: Transport,
        controls: Sequence[ipywidgets.Widget],
        choose: Callable[..., None],
    ) -> None:
        self._name, self._state, self._transport, self._choose = name, state, transport, choose
        with transport.part(name):
            self._heading, self._below = HTML(transport=transport), VBox(transport=transport)
            self._answer = HTML(transport=transport).add_class("calibviz-answer")
            self._note = HTML(transport=transport).add_class("calibviz-note")
        self._shown: dict[str, Plot | TableView] = {}
        self._legends: dict[str, HTML] = {}
        self.widget = (
            ipywidgets.VBox([self._heading, self._answer, *_row(controls), self._below, self._note])
            .add_class("calibviz-panel")
            .add_class(f"calibviz-panel-{name}")
        )
        self._look: Situation | None = None
        self._content = Content(())

    def draw(self, look: Situation, content: Content) -> None:
        """Show the content that a look has in this panel."""
        self._look, self._content = look, content
        titles = [record.title for record in content.records if isinstance(record, Figure) and record.title]
        first = next((record for record in content.records if isinstance(record, Figure)), None)
        keys = legend(first.series) if first is not None else ""
        assign(self._heading, value=f"<h3>{escape(titles[0] if titles else KINDS[self._name].button)}</h3>{keys}")
        assign(self._answer, value=escape(content.answer))
        assign(self._note, value=escape(content.note))
        names = [record.name for record in content.records]
        with self._transport.part(self._name):
            for record in content.records:
                self._draw(record)
        for name, view in self._shown.items():
            assign(self._box(view).layout, display=None if name in names else "none")
        for name, keys_below in self._legends.items():  # the legend of the first picture is in the heading
            shown = name in names and (first is None or name != first.name)
            assign(keys_below.layout, display=None if shown else "none")

    def _draw(self, record: Record) -> None:
        if isinstance(record, Grid):
            record = grid_table(record)
        shown = self._shown.get(record.name)
        if isinstance(record, Table):
            if shown is None:
                shown = self._add(record.name, TableView(transport=self._transport, layout=self._layout()))
                shown.on_click(self._clicked)
            assert isinstance(shown, TableView)
            shown.show(record)
            return
        if shown is None:
            plot = Plot(record, self._transport, HEIGHTS.get(record.name, HEIGHT))
            if any(isinstance(view, Plot) for view in self._shown.values()):
                keys = legend(record.series)
                self._legends[record.name] = HTML(keys, transport=self._transport, layout=self._layout())
                self._below.children = [*self._below.children, self._legends[record.name]]
            self._add(record.name, plot)
            self._wire(record.name, plot)
            return
        assert isinstance(shown, Plot)
        shown.draw(record)
        self._follow_brush(record.name, shown)
        if record.name in self._legends:
            assign(self._legends[record.name], value=legend(record.series))

    def _add(self, name: str, shown: Any) -> Any:
        self._shown[name] = shown
        self._below.children = [*self._below.children, self._box(shown)]
        return shown

    def _layout(self) -> Layout:
        return Layout(transport=self._transport)

    @staticmethod
    def _box(shown: Plot | TableView) -> Any:
        return shown.widget if isinstance(shown, Plot) else shown

    def _wire(self, name: str, plot: Plot) -> None:
        """Let clicks, drags and brushes in a picture set choices."""
        if name == "reliability":
            plot.on_click("bins", self._pick_bin)
            plot.on_drag("handle", self._drag_edge)
        elif name == "decision-curve":
            plot.on_drag("handle", lambda _place, x: self._choose(threshold=held_threshold(x)))
        elif name == "histogram":
            plot.on_brush(self._brush)
            self._follow_brush(name, plot)
        elif name == "classes":
            plot.on_click("bins", self._pick_class)

    def _pick_bin(self, place: int) -> None:
        assert self._look is not None
        bins = self._look.bins(self._look.before)[0]
        filled = np.flatnonzero(bins.weight > 0)
        if place < len(filled):
            chosen = int(filled[place])
            self._choose(bin=None if chosen == self._look.spec.bin else chosen)

    def _drag_edge(self, place: int, x: float) -> None:
        if self._state.likert:  # the categories may have been removed meanwhile
            self._choose(likert=with_edge(self._state.likert, place, round(min(1.0, max(0.0, x)), 3)))

    def _brush(self, low: float, high: float) -> None:
        low, high = (round(min(1.0, max(0.0, end)), 3) for end in (low, high))
        text = selection_edits.with_output(self._state.selection, *((low, high) if low < high else (0.0, 1.0)))
        if text != self._state.selection:
            self._choose(selection=text)

    def _follow_brush(self, name: str, plot: Plot) -> None:
        if name == "histogram" and self._look is not None:
            plot.show_brushed(*selection_edits.chosen_output(self._look.spec.selection))

    def _pick_class(self, place: int) -> None:
        assert self._look is not None
        names = self._content.names
        if place < len(names):
            self._pick(names[place])

    def _pick(self, name: str) -> None:
        assert self._look is not None
        by = self._look.spec.by
        if by == "class":
            self._choose(lens=f"class {name}", outcome=None)
        elif by == "group":
            self._choose(lens="grouping", outcome=name)
        else:
            self._choose(groups=level_groups(self._look, name), lens="grouping", outcome=None, binning="k-d tree")

    def _clicked(self, row: int, column: int) -> None:
        assert self._look is not None
        if self._name == "classes":
            self._pick_class(row)
        elif self._name == "segments":
            self._choose(selection=self._content.names[row])
        elif self._name == "comparison":
            names = ("none", *self._look.spec.calibrators)
            chosen: dict[str, Any] = {} if names[column - 1] == "none" else {"calibrator": names[column - 1]}
            if self._look.spec.rows == "lens":
                chosen |= {"lens": compared_lenses(self._look)[row], "outcome": None}
            self._choose(**chosen)


def _row(controls: Sequence[ipywidgets.Widget]) -> list[ipywidgets.Widget]:
    """A row of controls, if there are any."""
    return [ipywidgets.Box(controls).add_class("calibviz-own-controls")] if controls else []


def held_threshold(x: float) -> float:
    """The threshold at which a handle was dropped, in whole per cents as the curves are drawn."""
    return round(min(0.99, max(0.01, x)), 2)


def with_edge(likert: Any, place: int, x: float) -> Any:
    """Likert categories with one edge moved to x: the `place`-th of the different edges, in ascending order."""
    if not isinstance(likert[0], tuple):
        return tuple(x if i == place else cut for i, cut in enumerate(likert))
    old = sorted({end for _, ends in likert for end in ends})[place]
    return tuple((name, tuple(x if end == old else end for end in ends)) for name, ends in likert)
