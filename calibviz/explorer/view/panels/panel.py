"""The panels: each draws the content of a `Situation`, and turns clicks into choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import ipywidgets
import numpy as np

from ....answers.asked import selection_edits
from ....answers.asked.spec import FIRST_THRESHOLD, LAST_THRESHOLD
from ....answers.classes import level_groups, zoomed
from ....answers.comparison import grid_table, with_current
from ....answers.content import Answer, Content, Record
from ....answers.instances import sample_of
from ....answers.situation.situation import Situation
from ....answers.steps.compared import compared_rows
from ....figures import TEMPERATURE_DOTS, Figure, Grid, few_samples
from ....figures.log_odds import FIRST, LAST
from ....figures.tables import Table
from ...state.state import ExplorerState
from ...transport.shared_widgets import HTML, Button, Layout, VBox
from ...transport.transport import Transport, assign
from ..sentence import Sentence, as_html
from .marks import Plot, legend
from .table import TableView
from .zoom import Zoom

SENTENCE = "is-sentence"  # of a panel that has nothing to draw and says why
HEIGHT, FLAT, SIDE_HEIGHT = "400px", "110px", "250px"
HEIGHTS = {
    "reliability": "300px",
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
    "decision-curve": "300px",
    "risk-coverage": "210px",
    "acted-on": "120px",
    "drift": "300px",
}
#: The role of the dots over the number of bins, or over gamma, that can be clicked.
FINENESS = {"sensitivity": "before", "points-per-bin": "bins"}


#: The controls that stand in panels, by the names of their answers.
OWN_CONTROLS: Mapping[str, tuple[str, ...]] = {
    "cumulative": ("cumulative", "samples"),
    "sensitivity": ("binning",),
    "comparison": ("rows", "comparison", "calibrators", "metrics", "switches"),
    "likert": ("likert",),
    "instances": ("bin",),
    "classes": ("by",),
    "temperature": ("metrics", "temperature"),
    "decision": ("threshold", "cost_ratio", "prevalence"),
    "segments": ("depth", "minimum"),
}
#: The answers whose pictures stand side by side where there is room, each below its title and legend.
SIDE_BY_SIDE = ("cumulative",)


class Panel:
    """One panel: a heading, its own controls, its pictures and tables, and a sentence below them.

    Parameters
    ----------
    answer : Answer
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
        answer: Answer,
        state: ExplorerState,
        transport: Transport,
        controls: Sequence[ipywidgets.Widget],
        choose: Callable[..., None],
    ) -> None:
        name = answer.name
        self._kind, self._name, self._state, self._transport, self._choose = answer, name, state, transport, choose
        self._is_side_by_side = name in SIDE_BY_SIDE
        with transport.part(name):
            self._heading = HTML(transport=transport)
            sides = ("calibviz-side-by-side",) if self._is_side_by_side else ()
            self._below = VBox(transport=transport, _dom_classes=("calibviz-below", *sides))
            self._answer = Sentence(transport=transport, _dom_classes=("calibviz-answer",))
            self._note = Sentence(transport=transport, _dom_classes=("calibviz-note",))
        if name == "comparison":
            self._add_row = Button(
                description="add what is on screen",
                tooltip="Add the model, lens and selection that are looked at as a row",
                layout=Layout(width="auto", transport=transport),
                transport=transport,
            )
            self._add_row.on_click(lambda _: self._add_subject())
            controls = [*controls, self._add_row]
        self._shown: dict[str, Plot | TableView] = {}
        self._legends: dict[str, HTML] = {}
        self._boxes: dict[str, Any] = {}
        self.widget = VBox(
            [self._heading, self._answer, *_row(controls), self._below, self._note],
            transport=transport,
            _dom_classes=("calibviz-panel", f"calibviz-panel-{name}"),
        )
        self._look: Situation | None = None
        self._content = Content(())

    def draw(self, look: Situation, content: Content) -> None:
        """Show the content that a look has in this panel; nothing is sent where it shows that already."""
        is_shown = content is self._content
        self._look, self._content = look, content
        if is_shown:
            return
        if self._name == "comparison":
            assign(self._add_row.layout, display=None if self._has_subjects else "none")
        titles = [record.title for record in content.records if isinstance(record, Figure) and record.title]
        first = next((record for record in content.records if isinstance(record, Figure)), None)
        if self._is_side_by_side:  # each picture has a title and a legend of its own
            titles, first = [], None
        keys = legend(first.series) if first is not None else ""
        term = f' <small class="calibviz-term">{self._kind.term}</small>' if self._kind.term else ""
        assign(self._heading, value=f"<h3>{as_html(titles[0] if titles else self._kind.button)}{term}</h3>{keys}")
        assign(self._answer, value=as_html(content.answer))
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
            record = grid_table(record, removable=self._has_subjects)
        shown = self._shown.get(record.name)
        if isinstance(record, Table):
            if shown is None:
                shown = TableView(transport=self._transport, layout=self._layout())
                self._add(record.name, shown, shown)
                shown.on_click(self._clicked)
                shown.on_sort(self._sort)
            assert isinstance(shown, TableView)
            shown.show(record)
            return
        if shown is None:
            height = SIDE_HEIGHT if self._is_side_by_side else HEIGHTS.get(record.name, HEIGHT)
            plot = Plot(record, self._transport, height)
            if self._is_side_by_side:
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
                self._below.children = [*self._below.children, self._legends[record.name]]
            self._add(record.name, plot, plot.widget)
            self._wire(record.name, plot)
            return
        assert isinstance(shown, Plot)
        shown.draw(record)
        self._follow_brush(record.name, shown)
        if record.name == "classes":
            self._show_zoom(shown)
        if record.name in self._legends:
            assign(self._legends[record.name], value=_titled(record))

    def _add(self, name: str, shown: Plot | TableView, box: Any) -> None:
        self._shown[name], self._boxes[name] = shown, box
        self._below.children = [*self._below.children, box]

    def _layout(self) -> Layout:
        return Layout(transport=self._transport)

    def _wire(self, name: str, plot: Plot) -> None:
        """Let clicks, drags and brushes in a picture set choices."""
        if name == "reliability":
            plot.on_click("bins", partial(self._pick_bin, False))
            plot.on_click("few", partial(self._pick_bin, True))
            plot.on_drag("handle", self._drag_edge)
            plot.on_drag("threshold", self._act_from, held_threshold)
        elif name == "decision-curve":
            plot.on_drag("threshold", self._act_from, held_threshold)
        elif name == "histogram":
            plot.on_brush(self._brush)
            self._follow_brush(name, plot)
        elif name == "classes":
            plot.on_click("bins", self._pick_class)
            self._zoom = Zoom(self._transport, lambda places: self._choose(zoom=places))
            plot.on_brush(self._zoom.brush)
            self._below.children = [*self._below.children, self._zoom.widget]
            self._show_zoom(plot)
        elif self._name == "comparison":
            plot.on_cell(self._pick_cell)
        elif name == "temperature":
            for role in TEMPERATURE_DOTS:
                plot.on_click(role, partial(self._pick_temperature, role))
        elif name in FINENESS:
            plot.on_click(FINENESS[name], lambda place: self._pick_fineness(name, place))

    def _act_from(self, _place: int, threshold: float) -> None:
        self._choose(threshold=min(LAST_THRESHOLD, max(FIRST_THRESHOLD, threshold)))

    def _pick_bin(self, few: bool, place: int) -> None:
        """Choose a bin by its place among those of few samples, or among the others."""
        assert self._look is not None
        side = self._look.before
        bins = self._look.bins(side)
        filled = np.flatnonzero((bins[0].weight > 0) & (few_samples(side.problems, bins) == few))
        if place < len(filled):
            chosen = int(filled[place])
            self._choose(bin=None if chosen == self._look.spec.bin else chosen)

    def _pick_fineness(self, name: str, place: int) -> None:
        """Take the number of bins, or the gamma, of a dot of the error or of the samples in a bin."""
        assert self._look is not None
        figure = next(record for record in self._content.records if record.name == name and isinstance(record, Figure))
        places = next(series.x for series in figure.series if series.role == FINENESS[name])
        if place >= len(places):
            return
        if self._look.kind == "k-d tree":
            self._choose(gamma=2.0 ** float(places[place]))
        else:  # a sweep chooses its number itself
            self._choose(binning=self._look.kind, bins=int(places[place]))

    def _pick_temperature(self, role: str, place: int) -> None:
        """Take the temperature of a dot of a curve, or of a least error."""
        (figure,) = (record for record in self._content.records if isinstance(record, Figure))
        places = next(series.x for series in figure.series if series.role == role)
        if place < len(places):
            self._choose(calibrator="temperature", temperature=float(f"{2.0 ** float(places[place]):.3g}"))

    def _drag_edge(self, place: int, x: float) -> None:
        if self._state.likert:  # the categories may have been removed meanwhile
            self._choose(likert=with_edge(self._state.likert, place, round(min(1.0, max(0.0, x)), 3)))

    def _brush(self, low: float, high: float) -> None:
        low, high = (round(min(1.0, max(0.0, end)), 3) for end in (low, high))
        if self._look is not None and self._look.spec.scale == "stretched ends":  # at whose ends all others stand
            low, high = 0.0 if low <= FIRST else low, 1.0 if high >= LAST else high
        text, ends = self._state.selection, (low, high) if low < high else (0.0, 1.0)
        if ends != tuple(round(end, 3) for end in selection_edits.chosen_output(text)):  # a brush says what it shows
            self._choose(selection=selection_edits.with_output(text, *ends))

    def _follow_brush(self, name: str, plot: Plot) -> None:
        if name == "histogram" and self._look is not None:
            plot.show_brushed(*selection_edits.chosen_output(self._look.spec.selection))

    def _show_zoom(self, plot: Plot) -> None:
        """Show which ranks of the classes are in sight; what was brushed fills the picture now."""
        assert self._look is not None
        count = self._content.of_many
        plot.let_brush(self._zoom.show(zoomed(self._look.spec.zoom, count), count))
        plot.show_brushed(0.0, 1.0)

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

    def _sort(self, column: int) -> None:
        """Sort the samples by a column: ascending, descending, and then as they were."""
        name, order = self._content.names[column], self._state.order
        self._choose(order={name: f"-{name}", f"-{name}": ""}.get(order, name))

    def _clicked(self, row: int, column: int) -> None:
        assert self._look is not None
        if self._name == "classes":
            self._pick_class(row)
        elif self._name == "segments":
            self._choose(selection=self._content.names[row])
        elif self._name == "recalibration":
            self._choose(calibrator=self._content.names[row])
        elif self._name == "instances":
            sample = sample_of(self._content, row)
            self._choose(sample=None if sample == self._state.sample else sample)
        elif self._name == "comparison":
            self._pick_cell(row, column - 1)

    def _pick_cell(self, row: int, column: int) -> None:
        """Look at what a cell of the comparison is of; the cross at the end of a row takes it away."""
        assert self._look is not None
        spec = self._look.spec
        names = ("none", *spec.calibrators)
        chosen: dict[str, Any] = {"calibrator": names[column]} if 0 < column < len(names) else {}
        if self._has_subjects:
            subjects = compared_rows(self._look)
            if column == len(names):
                self._choose(compared=(*subjects[:row], *subjects[row + 1 :]))
                return
            chosen |= {"outcome": None, **dict(zip(("model", "lens", "selection"), subjects[row], strict=True))}
        self._choose(**chosen)

    def _add_subject(self) -> None:
        if self._look is not None:
            self._choose(compared=with_current(self._look))

    @property
    def _has_subjects(self) -> bool:
        """Whether the rows of the comparison are lenses with selections, which can be added and taken away."""
        return self._name == "comparison" and self._look is not None and self._look.spec.rows == "lens"


def _titled(record: Figure) -> str:
    """The title and the legend of a picture that is not the first; it may have no title, such as a histogram."""
    title = f"<b>{as_html(record.title)}</b>" if record.title else ""
    return f"{title}{legend(record.series)}"


def _row(controls: Sequence[ipywidgets.Widget]) -> list[ipywidgets.Widget]:
    """A row of controls, if there are any."""
    return [ipywidgets.Box(controls, _dom_classes=("calibviz-own-controls",))] if controls else []


def held_threshold(x: float) -> float:
    """The threshold at which a handle was dropped, in whole per cents as the curves are drawn."""
    return round(min(0.99, max(0.01, x)), 2)


def with_edge(likert: Any, place: int, x: float) -> Any:
    """Likert categories with one edge moved to x: the `place`-th of the different edges, in ascending order."""
    if not isinstance(likert[0], tuple):
        return tuple(x if i == place else cut for i, cut in enumerate(likert))
    old = sorted({end for _, ends in likert for end in ends})[place]
    return tuple((name, tuple(x if end == old else end for end in ends)) for name, ends in likert)
