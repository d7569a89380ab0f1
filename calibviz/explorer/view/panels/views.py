"""Choices that clicks, drags and brushes make in each panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import ipywidgets
import numpy as np

from ....answers.asked import selection_edits
from ....answers.asked.presets import CATEGORIES
from ....answers.asked.selection_edits import OUTPUT
from ....answers.asked.spec import FIRST_THRESHOLD, LAST_THRESHOLD
from ....answers.asked.typed import with_edge
from ....answers.first_screen.segments import LIST, LOOK
from ....answers.situation.content import Answer
from ....answers.steps.compared import compared_rows
from ....answers.views.classes import level_groups, zoomed
from ....answers.views.comparison import grid_table, with_current
from ....answers.views.instances import sample_of
from ....engine.binnings.binning_kinds import TREE
from ....figures import TEMPERATURE_DOTS, Figure, Grid, few_samples
from ....figures.log_odds import FIRST, LAST
from ....figures.tables import Table
from ....recalibration.registry import AS_IT_IS
from ...state.arrangement import on_screen, with_panel
from ...transport.shared_widgets import Box, push_button
from ...transport.transport import assign
from ..grid import WIDE, WIDE_AMONG_MANY, PanelLayout
from .marks import Plot
from .view import View
from .zoom import Zoom


class ThresholdView(View):
    """A panel with a picture in which the threshold can be dragged."""

    def _act_from(self, _place: int, threshold: float) -> None:
        self._choose(threshold=min(LAST_THRESHOLD, max(FIRST_THRESHOLD, threshold)))

    def _jump(self, towards: int) -> None:
        """Act from the nearest edge of a category below (-1) or above (1) the threshold, or from the last one."""
        at, spec = self._state.threshold, self._state.spec
        beyond = [edge for edge in (FIRST_THRESHOLD, *spec.edges, LAST_THRESHOLD) if towards * (edge - at) > 1e-9]
        if beyond:
            self._choose(threshold=min(beyond, key=lambda edge: abs(edge - at)))


class ReliabilityView(ThresholdView):
    """Bins are chosen, edges of categories and the threshold are dragged, and the histogram is brushed."""

    def _parts(self, controls: list[ipywidgets.Widget]) -> list[ipywidgets.Widget]:
        """The scale of the picture stands in the row of its name."""
        row = Box([self._heading, *controls], transport=self._transport, _dom_classes=("calibviz-heading-row",))
        return [row, *super()._parts([])[1:]]

    def _wire(self, name: str, plot: Plot) -> None:
        if name == "reliability":
            for roles, is_after in ((("bins", "few"), False), (("after", "few after"), True)):
                for role, are_few in zip(roles, (False, True), strict=True):
                    plot.on_click(role, partial(self._pick_bin, is_after, are_few), "click lists them")
            for role in ("worst", "worst after"):
                plot.on_click(role, lambda _place: self._open("segments"), "click shows where it is worst")
            plot.on_drag("handle", self._drag_edge)
            plot.on_drag("threshold", self._act_from, held_threshold, self._jump)
        elif name == "histogram":
            plot.on_brush(self._brush)
            self._follow(name, plot)

    def _follow(self, name: str, plot: Plot) -> None:
        if name == "histogram":
            plot.show_brushed(*selection_edits.chosen_range(self._situation.spec.selection, OUTPUT))

    def _pick_bin(self, is_after: bool, are_few: bool, place: int) -> None:
        """Choose a bin by its place among those of few samples, or among the others."""
        side = self._situation.drawn
        bins = self._situation.bins(side)
        filled = np.flatnonzero((bins[0].weight > 0) & (few_samples(side.problems, bins) == are_few))
        if place < len(filled) and is_after == (side is not self._situation.before):
            chosen = int(filled[place])
            is_again = chosen == self._situation.spec.bin
            self._open("instances", bin=None if is_again else chosen)

    def _open(self, name: str, **chosen: Any) -> None:
        """Show a panel with what was chosen, as its button does."""
        spec = self._state.spec
        if spec.panels and name not in on_screen(spec.panels, spec.projector):
            chosen["panels"] = with_panel(spec, name)
        self._choose(**chosen)

    def _drag_edge(self, place: int, x: float) -> None:
        if self._state.likert:  # the categories may have been removed meanwhile
            self._choose(likert=with_edge(self._state.likert, place, x))

    def _brush(self, low: float, high: float) -> None:
        low, high = (round(min(1.0, max(0.0, end)), 3) for end in (low, high))
        if self._situation.spec.scale == "stretched ends":  # at whose ends all others stand
            low, high = 0.0 if low <= FIRST else low, 1.0 if high >= LAST else high
        text, ends = self._state.selection, (low, high) if low < high else (0.0, 1.0)
        shown = selection_edits.chosen_range(text, OUTPUT)
        if ends != tuple(round(end, 3) for end in shown):  # a brush says what it shows
            self._choose(selection=selection_edits.with_range(text, OUTPUT, *ends))


class RecalibrationView(View):
    """A row of the table is a calibrator to try."""

    def _clicked(self, row: int, column: int) -> None:
        self._choose(calibrator=self._content.names[row])


class SensitivityView(View):
    """A dot over the number of bins, or over gamma, chooses that; a button turns to gamma."""

    dots: Mapping[str, str] = {"sensitivity": "before", "points-per-bin": "bins"}

    def _buttons(self) -> Sequence[ipywidgets.Widget]:
        about = "Cut into the leaves of a k-d tree, and show the error by their size, gamma"
        self._which_gamma = push_button(
            self._transport, "Which gamma?", about, lambda: self._choose(binning=TREE.name), comes_and_goes=True
        )
        return (self._which_gamma,)

    def _prepare(self) -> None:
        assign(self._which_gamma.layout, display="none" if self._situation.kind is TREE else None)

    def _wire(self, name: str, plot: Plot) -> None:
        if name in self.dots:
            plot.on_click(self.dots[name], lambda place: self._pick_fineness(name, place))

    def _pick_fineness(self, name: str, place: int) -> None:
        """Take the number of bins, or the gamma, of a dot of the error or of the samples in a bin."""
        figure = next(record for record in self._content.records if record.name == name and isinstance(record, Figure))
        places = next(series.x for series in figure.series if series.role == self.dots[name])
        if place >= len(places):
            return
        if self._situation.kind.chooses:
            self._choose(gamma=2.0 ** float(places[place]))
        else:  # a sweep chooses its number itself
            self._choose(binning=self._situation.kind.name, bins=int(places[place]))


class ComparisonView(View):
    """A cell is what to look at; rows of lenses and selections are added and taken away."""

    def _buttons(self) -> Sequence[ipywidgets.Widget]:
        about = "Add the model, lens and selection that are looked at as a row"
        self._add_row = push_button(
            self._transport, "add what is on screen", about,
            lambda: self._choose(compared=with_current(self._situation)), comes_and_goes=True,
        )  # fmt: skip  # short entries stand in rows
        return (self._add_row,)

    def _prepare(self) -> None:
        assign(self._add_row.layout, display=None if self._has_subjects else "none")

    def _as_table(self, grid: Grid) -> Table:
        return grid_table(grid, removable=self._has_subjects)

    def _wire(self, name: str, plot: Plot) -> None:
        plot.on_cell(self._pick_cell)

    def _clicked(self, row: int, column: int) -> None:
        self._pick_cell(row, column - 1)

    def _pick_cell(self, row: int, column: int) -> None:
        """Look at what a cell of the comparison is of; the cross at the end of a row takes it away."""
        spec = self._situation.spec
        names = (AS_IT_IS, *spec.calibrators)
        chosen: dict[str, Any] = {"calibrator": names[column]} if 0 <= column < len(names) else {}
        if self._has_subjects:
            subjects = compared_rows(self._situation)
            if column == len(names):
                self._choose(compared=(*subjects[:row], *subjects[row + 1 :]))
                return
            chosen |= {"outcome": None, **dict(zip(("model", "lens", "selection"), subjects[row], strict=True))}
        self._choose(**chosen)

    @property
    def _has_subjects(self) -> bool:
        """Whether the rows are lenses with selections, which can be added and taken away."""
        return self._situation.spec.rows == "lens"


class CategoriesView(View):
    """A button begins with three categories."""

    def _buttons(self) -> Sequence[ipywidgets.Widget]:
        names = ", ".join(name for name, _ in CATEGORIES)
        about = "Take these categories; their edges can be dragged and written"
        self._begin = push_button(
            self._transport, f"begin with {names}", about, lambda: self._choose(likert=CATEGORIES), comes_and_goes=True
        )
        return (self._begin,)

    def _prepare(self) -> None:
        assign(self._begin.layout, display="none" if self._situation.spec.likert else None)


class InstancesView(View):
    """A sample is chosen, and its heading sorts a column."""

    def _clicked(self, row: int, column: int) -> None:
        sample = sample_of(self._content, row)
        self._choose(sample=None if sample == self._state.sample else sample)

    def _sort(self, column: int) -> None:
        """Sort the samples by a column: ascending, descending, and then as they were."""
        name, order = self._content.names[column], self._state.order
        self._choose(order={name: f"-{name}", f"-{name}": ""}.get(order, name))


class ClassesView(View):
    """A class, group or level is chosen; some of many classes are brushed."""

    def _wire(self, name: str, plot: Plot) -> None:
        if name == "classes":
            plot.on_click("bins", self._pick_class)
            self._zoom = Zoom(self._transport, lambda places: self._choose(zoom=places))
            plot.on_brush(self._zoom.brush)
            self._below.children = [*self._below.children, self._zoom.widget]
            self._follow(name, plot)

    def _follow(self, name: str, plot: Plot) -> None:
        """Show which ranks of the classes are in sight; what was brushed fills the picture now."""
        if name == "classes":
            count = self._content.of_many
            plot.let_brush(self._zoom.show(zoomed(self._situation.spec.zoom, count), count))
            plot.show_brushed(0.0, 1.0)

    def _clicked(self, row: int, column: int) -> None:
        self._pick_class(row)

    def _pick_class(self, place: int) -> None:
        if place >= len(self._content.names):
            return
        name, by = self._content.names[place], self._situation.spec.by
        if by == "class":
            self._choose(lens=f"class {name}", outcome=None)
        elif by == "group":
            self._choose(lens="grouping", outcome=name)
        else:
            self._choose(groups=level_groups(self._situation, name), lens="grouping", outcome=None, binning=TREE.name)


class TemperatureView(View):
    """A dot of a curve, or of a least error, is a temperature to take."""

    def _wire(self, name: str, plot: Plot) -> None:
        if name == "temperature":
            for role in TEMPERATURE_DOTS:
                plot.on_click(role, partial(self._pick_temperature, role))

    def _pick_temperature(self, role: str, place: int) -> None:
        """Take the temperature of a dot of a curve, or of a least error."""
        (figure,) = (record for record in self._content.records if isinstance(record, Figure))
        places = next(series.x for series in figure.series if series.role == role)
        if place < len(places):
            self._choose(calibrator="temperature", temperature=float(f"{2.0 ** float(places[place]):.3g}"))


class DecisionView(ThresholdView):
    """The threshold is dragged."""

    def _parts(self, controls: list[ipywidgets.Widget]) -> list[ipywidgets.Widget]:
        """The threshold first, then the answer."""
        return [self._heading, *controls, self._answer, self._below, self._words, *self._last]

    def _wire(self, name: str, plot: Plot) -> None:
        if name == "decision-curve":
            plot.on_drag("threshold", self._act_from, held_threshold, self._jump)


class SegmentsView(View):
    """A row of the table is a segment to look at, to set against the others, or to list."""

    def _acted(self, row: int, which: int) -> None:
        text, spec = self._content.names[row], self._state.spec
        if which == LOOK:
            self._choose(selection=text)
        elif which == LIST:
            self._choose(selection=text, panels=with_panel(spec, "instances"))
        else:
            now = {name: value for name, value in self._state.to_dict().items() if name != "kept"}
            rest = selection_edits.rest_of(spec.selection, text)
            self._choose(kept={"A": {**now, "selection": text}, "B": {**now, "selection": rest}})


#: How the panels of answers stand among others, and what stands in them, by the names of the answers.
LAYOUTS: Mapping[str, PanelLayout] = {
    "reliability": PanelLayout(is_first=True, controls=("scale",)),
    "cumulative": PanelLayout(WIDE, controls=("cumulative", "samples"), is_side_by_side=True),
    "recalibration": PanelLayout(controls=("samples",), waits=("recalibration",)),
    "sensitivity": PanelLayout(is_tall=True, controls=("binning",)),
    "comparison": PanelLayout(WIDE, controls=("rows", "comparison", "calibrators", "metrics", "switches")),
    "likert": PanelLayout(WIDE, is_tall=True, controls=("likert",), is_side_by_side=True),
    "confidence": PanelLayout(is_tall=True),
    "instances": PanelLayout(WIDE, has_list=True, controls=("bin",)),
    "classes": PanelLayout(is_tall=True, has_list=True, controls=("by",)),
    "temperature": PanelLayout(is_tall=True, controls=("metrics", "temperature")),
    "decision": PanelLayout(
        WIDE_AMONG_MANY,
        is_tall=True,
        controls=("threshold", "cost_ratio", "cost_steps", "prevalence", "risk"),
        waits=("decision", "risk-coverage"),
    ),
    "segments": PanelLayout(WIDE_AMONG_MANY, has_list=True, controls=("depth", "minimum"), says_answer=False),
    "centres": PanelLayout(WIDE_AMONG_MANY, has_list=True, controls=("centre",)),
    "scores": PanelLayout(WIDE_AMONG_MANY),
}
#: The views of answers in which something chooses, beside their controls; others show what the answer holds.
VIEWS: Mapping[str, type[View]] = {
    "reliability": ReliabilityView,
    "recalibration": RecalibrationView,
    "sensitivity": SensitivityView,
    "comparison": ComparisonView,
    "likert": CategoriesView,
    "instances": InstancesView,
    "classes": ClassesView,
    "temperature": TemperatureView,
    "decision": DecisionView,
    "segments": SegmentsView,
}


def layout_of(answer: Answer) -> PanelLayout:
    """How the panel of an answer stands among others, and what stands in it."""
    return replace(LAYOUTS.get(answer.name, PanelLayout()), is_question=bool(answer.question))


def held_threshold(x: float) -> float:
    """The threshold at which a handle was dropped, in whole per cents as the curves are drawn."""
    return round(min(0.99, max(0.01, x)), 2)
