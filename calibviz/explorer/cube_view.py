"""A live view of a cube with nothing else at hand: `cube.calibviz.explore()`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets
import traitlets
import xarray as xr

from ..answers.asked.choices import Control
from ..answers.exports.caption import made
from ..answers.situation.jobs import Jobs
from ..figures import Figure
from ..figures.captions import Caption
from ..figures.pictures.cubes import axes_of, cube_figures, dims_of, held_by, metric_of
from ..foundation.marked import runs
from .transport.shared_widgets import HTML, Box
from .transport.transport import Following, assign
from .view.controls.control_kinds import widget_of
from .view.page.live import Live, close_all
from .view.panels.marks import Plot, legend
from .view.sentence import as_html

HEIGHT = "380px"
AVERAGED = "trial"  # whose labels are not chosen one by one
NO_HUE = ""


@dataclass(frozen=True)
class CubeChoices:
    """The choices of a view of a cube: a metric, the dimensions of a picture, and the place of each other label."""

    metric: str
    x: str
    hue: str
    places: tuple[tuple[str, int], ...]


class CubeState(traitlets.HasTraits):
    """The choices of a view of a cube."""

    choices = traitlets.Instance(CubeChoices)

    def __init__(self, cube: xr.Dataset) -> None:
        metric = metric_of(cube)
        x, hue = axes_of(cube, metric, None, None)
        places = tuple((dim, 0) for name in held_by(cube) for dim in dims_of(cube, name) if dim != AVERAGED)
        self._cube = cube
        super().__init__(choices=CubeChoices(metric, x, hue or NO_HUE, tuple(dict(places).items())))

    def update(self, places: Any = (), **chosen: Any) -> None:
        """Set several choices at once; dimensions that a new metric does not have give way to others."""
        now = replace(self.choices, **chosen)
        dims = tuple(map(str, self._cube[now.metric].dims))
        if "metric" in chosen or now.x == now.hue:
            kept = now.x if now.x in dims else None
            x, hue = axes_of(self._cube, now.metric, kept, now.hue if now.hue in dims and now.hue != kept else None)
            now = replace(now, x=x, hue=hue or NO_HUE)
        self.choices = replace(now, places=tuple((dict(now.places) | dict(places)).items()))


@dataclass(frozen=True, eq=False)
class Seen:
    """The picture and table of a cube under some choices."""

    choices: CubeChoices
    figure: Figure


class CubeView(Following, Live):
    """A cube, live: a metric over one dimension, a colour for each label of another, and a label of all others.

    Its `state` holds what is chosen.
    """

    _followed = "choices"

    def __init__(self, cube: xr.Dataset) -> None:
        self._cube = cube
        self.state = CubeState(cube)
        super().__init__(Jobs(self._refresh))
        self._on_screen = self._made_of(self.state.choices)
        self._plot: Plot | None = None
        self._kinds: list[tuple[str, str]] = []
        held = held_by(cube)
        dims = list(dict(self.state.choices.places)) or [self.state.choices.x]
        menus: dict[str, tuple[str, Sequence[Any]]] = {
            "metric": ("What is measured", [(record.long_name, name) for name, record in held.items()]),
            "x": ("The dimension on the x axis", dims),
            "hue": ("The dimension whose labels have colours", [("none", NO_HUE), *zip(dims, dims, strict=True)]),
            **{dim: (f"Which {dim} is shown", self._labels(dim)) for dim in dict(self.state.choices.places)},
        }
        self._controls = {
            name: widget_of(Control(name, name, "", about, kind="menu", traits={"options": tuple(of)}), self._transport)
            for name, (about, of) in menus.items()
        }
        for name, control in self._controls.items():
            control.observe(self._setter(name), "value")
        self._heading, self._words = (HTML(transport=self._transport) for _ in range(2))
        self._shown = Box(transport=self._transport, _dom_classes=("calibviz-panel",))
        left = ipywidgets.VBox(list(self._controls.values()), _dom_classes=("calibviz-controls",))
        right = ipywidgets.VBox([self._heading, self._shown, self._words], _dom_classes=("calibviz-right",))
        self._assemble([ipywidgets.Box([left, right], _dom_classes=("calibviz-body",))])
        self._begin()

    def _labels(self, dim: str) -> list[tuple[str, int]]:
        labels = self._cube[dim].values if dim in self._cube.coords else range(self._cube.sizes[dim])
        return [(str(label), place) for place, label in enumerate(labels)]

    def _setter(self, name: str) -> Any:
        def changed(change: Any) -> None:
            if self._following:
                return
            if name in ("metric", "x", "hue"):
                self._choose(**{name: change.new})
            else:
                self._choose(places={name: change.new})

        return changed

    def _made_of(self, choices: CubeChoices) -> Seen:
        chosen = {dim: [place] for dim, place in choices.places if dim not in (choices.x, choices.hue)}
        part = self._cube.isel(chosen)
        return Seen(choices, cube_figures(part, choices.metric, choices.x, choices.hue or None)[0])

    def _want_again(self) -> None:
        """There is no slow work."""

    def _show(self, view: Seen) -> None:
        record = view.figure
        kinds = [(str(series.role), str(series.shape)) for series in record.series]
        if self._plot is None or self._kinds != kinds:
            old, self._kinds = self._plot, kinds
            self._plot = Plot(record, self._transport, HEIGHT)
            self._shown.children = [self._plot.widget]
            if old is not None:
                close_all([old.widget])
        else:
            self._plot.draw(record)
        assign(self._heading, value=f"<h3>{as_html(record.title)}</h3>{legend(record.series)}")
        assign(self._words, value=as_html(self._sentence_of(view)))

    def _show_choices(self, view: Seen) -> None:
        now = view.choices
        held = {"metric": now.metric, "x": now.x, "hue": now.hue} | dict(now.places)
        dims = self._cube[now.metric].dims
        with self._follows():
            for name, control in self._controls.items():
                is_free = name in ("metric", "x", "hue") or (name in dims and name not in (now.x, now.hue))
                assign(control, value=held[name], disabled=not is_free)

    def _sentence_of(self, view: Seen) -> str:
        return " ".join(filter(None, [view.figure.alt, view.figure.note]))

    def _records(self) -> list[Figure]:
        return [self._on_screen.figure]

    def _sentence(self) -> str:
        return self._sentence_of(self._on_screen)

    def _caption(self) -> Caption:
        now, dims = self._on_screen.choices, self._cube[self._on_screen.choices.metric].dims
        rest = {dim: place for dim, place in now.places if dim in dims and dim not in (now.x, now.hue)}
        chosen = {dim: f"{dim} {self._labels(dim)[place][0]}" for dim, place in rest.items()}
        return Caption((runs(self._on_screen.figure.title),), {**chosen, **made()})
