"""The view of an answer: it draws what the answer holds, and turns clicks into choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from ....answers.situation.content import Answer, Content, Record
from ....answers.situation.situation import Situation
from ....answers.views.comparison import grid_table
from ....figures import Figure, Grid
from ....figures.tables import Table
from ...state.state import ExplorerState
from ...transport.shared_widgets import HTML, Layout, VBox
from ...transport.transport import Transport, assign
from ..grid import PanelLayout
from ..sentence import Sentence, as_html
from .marks import Plot, legend
from .table import TableView

SENTENCE = "is-sentence"  # of a panel that has nothing to draw and says why
HEIGHT, FLAT, SIDE_HEIGHT = "400px", "110px", "250px"
HEIGHTS = {
    "reliability": "440px",
    "histogram": FLAT,
    "sensitivity": "260px",
    "points-per-bin": "150px",
    "sample-sizes": "210px",
    "likert-counts": "220px",
    "likert-errors": "230px",
    "confidence": "250px",
    "groups": "210px",
    "top-k": "230px",
    "classes": "250px",
    "decision-curve": "270px",
    "risk-coverage": "210px",
    "acted-on": "230px",
    "drift": "300px",
}


class View:
    """The view of an answer, a panel: a heading, its own controls, its pictures and tables, and a sentence below them.

    Subclasses say what clicks, drags and brushes choose: `choose` sets it, or shows why it is refused.
    """

    _situation: Situation  # that it shows, from `draw` on

    def __init__(
        self,
        answer: Answer,
        layout: PanelLayout,
        state: ExplorerState,
        transport: Transport,
        controls: Sequence[ipywidgets.Widget],
        choose: Callable[..., None],
    ) -> None:
        name, self.layout = answer.name, layout
        self._kind, self._name, self._state, self._transport, self._choose = answer, name, state, transport, choose
        with transport.part(name):
            self._heading = HTML(transport=transport)
            sides = ("calibviz-side-by-side",) if layout.is_side_by_side else ()
            self._below = VBox(transport=transport, _dom_classes=("calibviz-below", *sides))
            self._answer = Sentence(transport=transport, _dom_classes=("calibviz-answer",))
            self._words = Sentence(transport=transport, _dom_classes=("calibviz-words-below",))
            self._rest = VBox(transport=transport, _dom_classes=("calibviz-rest",))
            self._note = Sentence(transport=transport, _dom_classes=("calibviz-note",))
        controls = [*controls, *self._buttons()]
        self._shown: dict[str, Plot | TableView] = {}
        self._legends: dict[str, HTML] = {}
        self._boxes: dict[str, Any] = {}
        self.widget = VBox(
            self._parts(_row(controls)),
            transport=transport,
            _dom_classes=("calibviz-panel", f"calibviz-panel-{name}", *layout.classes),
        )
        self._content = Content(())

    def _parts(self, controls: list[ipywidgets.Widget]) -> list[ipywidgets.Widget]:
        """Its parts, from top to bottom."""
        return [self._heading, self._answer, *controls, self._below, self._words, *self._last]

    def draw(self, situation: Situation, content: Content) -> None:
        """Show the content that a situation has in this panel; nothing is sent where it shows that already."""
        is_shown = content is self._content
        self._situation, self._content = situation, content
        if is_shown:
            return
        self._prepare()
        titles = [record.title for record in content.records if isinstance(record, Figure) and record.title]
        first = next((record for record in content.records if isinstance(record, Figure)), None)
        if self.layout.is_side_by_side:  # each picture has a title and a legend of its own
            titles, first = [], None
        keys = legend(first.series) if first is not None else ""
        term = f' <small class="calibviz-term">{self._kind.term}</small>' if self._kind.term else ""
        assign(self._heading, value=f"<h3>{as_html(titles[0] if titles else self._kind.button)}{term}</h3>{keys}")
        assign(self._answer, value=as_html(content.marked) if self.layout.says_answer or not content.records else "")
        assign(self._words, value=as_html(content.below))
        assign(self._note, value=as_html(content.note))
        names = [record.name for record in content.records]
        (self.widget.remove_class if names else self.widget.add_class)(SENTENCE)
        with self._transport.part(self._name):
            for record in content.records:
                self._draw(record)
        for name, box in self._boxes.items():
            assign(box.layout, display=None if name in names else "none")
        for name, keys_below in self._legends.items():  # the legend of the first picture is in the heading
            shown = name in names and (first is None or name != first.name)
            assign(keys_below.layout, display=None if shown else "none")

    def _draw(self, record: Record) -> None:
        if isinstance(record, Grid):
            record = self._as_table(record)
        shown = self._shown.get(record.name)
        if isinstance(record, Table):
            if shown is None:
                shown = TableView(transport=self._transport, layout=self._layout())
                self._add(record.name, shown, shown)
                shown.on("click", self._clicked)
                shown.on("sort", self._sort)
                shown.on("action", self._acted)
            assert isinstance(shown, TableView)
            shown.show(record)
            return
        if shown is None:
            height = SIDE_HEIGHT if self.layout.is_side_by_side else HEIGHTS.get(record.name, HEIGHT)
            plot = Plot(record, self._transport, height)
            if self.layout.is_side_by_side:
                self._legends[record.name] = HTML(_titled(record), transport=self._transport, layout=self._layout())
                box = VBox([self._legends[record.name], plot.widget], transport=self._transport, layout=self._layout())
                self._add(record.name, plot, box)
                return
            if any(isinstance(view, Plot) for view in self._shown.values()):
                self._legends[record.name] = HTML(
                    _titled(record),
                    transport=self._transport,
                    layout=self._layout(),
                    _dom_classes=(f"calibviz-title-{record.name}",),
                )
                place = self._place(record.name)
                place.children = [*place.children, self._legends[record.name]]
            self._add(record.name, plot, plot.widget)
            self._wire(record.name, plot)
            return
        assert isinstance(shown, Plot)
        shown.draw(record)
        self._follow(record.name, shown)
        if record.name in self._legends:
            assign(self._legends[record.name], value=_titled(record))

    def _add(self, name: str, shown: Plot | TableView, box: Any) -> None:
        self._shown[name], self._boxes[name] = shown, box
        place = self._place(name)
        place.children = [*place.children, box]

    def _place(self, name: str) -> Any:
        """The box in which a record stands."""
        return self._rest if name in self.layout.waits else self._below

    @property
    def _last(self) -> list[ipywidgets.Widget]:
        return [self._rest, self._note] if self.layout.waits else [self._note]

    def _layout(self) -> ipywidgets.Layout:
        return Layout(transport=self._transport)

    def _buttons(self) -> Sequence[ipywidgets.Widget]:
        """Return the buttons beside its controls."""
        return ()

    def _prepare(self) -> None:
        """Make ready for another content."""

    def _as_table(self, grid: Grid) -> Table:
        return grid_table(grid)

    def _wire(self, name: str, plot: Plot) -> None:
        """Let clicks, drags and brushes in a picture set choices."""

    def _follow(self, name: str, plot: Plot) -> None:
        """Show in a picture what was chosen in it."""

    def _clicked(self, row: int, column: int) -> None:
        """Take what a click on a row, or a cell, of a table chooses."""

    def _acted(self, row: int, which: int) -> None:
        """Do what a button of an open row of a table says."""

    def _sort(self, column: int) -> None:
        """Take the order that a click on the heading of a column asks for."""


def _titled(record: Figure) -> str:
    """The title and the legend of a picture that is not the first; it may have no title, such as a histogram."""
    title = f"<b>{as_html(record.title)}</b>" if record.title else ""
    return f"{title}{legend(record.series)}"


def _row(controls: Sequence[ipywidgets.Widget]) -> list[ipywidgets.Widget]:
    return [ipywidgets.Box(controls, _dom_classes=("calibviz-own-controls",))] if controls else []
