"""The controls: each sets the state, and follows it; none knows a panel or another control."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import ipywidgets
import traitlets

from .. import validation
from ..predictions import Predictions
from . import choices
from .state import BINNINGS, MOST_BINS, MOST_KNOTS, ExplorerState, Spec
from .transport import (
    HTML,
    Dropdown,
    FloatRangeSlider,
    FloatSlider,
    IntSlider,
    Layout,
    SelectMultiple,
    Text,
    Transport,
    assign,
)

LABEL_WIDTH = "84px"
MOST_RANKS = 20
MOST_ROWS = 8


class Controls:
    """All controls, linked to a state.

    Parameters
    ----------
    state : ExplorerState
    models : dict of name to Predictions
    transport : Transport
    say : callable
        Shows a sentence where a control's value is refused; an empty one takes it away.
    fixed_split : bool
        Whether the calibration set was given, so that there is no share to choose.
    """

    def __init__(
        self,
        state: ExplorerState,
        models: Mapping[str, Predictions],
        transport: Transport,
        say: Callable[[str], None],
        fixed_split: bool,
    ) -> None:
        self._state, self._models, self._say = state, models, say
        self._transport = transport
        self._following = False
        make = self._make
        self.model = make(Dropdown, "model", "Which model's predictions", options=list(models))
        self.kind = make(
            Dropdown, "lens", "What is looked at: the top class, the k likeliest, one class, groups, all",
            options=list(choices.LENS_KINDS),
        )  # fmt: skip
        self.number = make(
            IntSlider, "k or r", "How many of the likeliest classes, or which rank", min=1, max=2, value=2
        )
        self.class_ = make(Dropdown, "class", "The class that is looked at")
        self.outcome = make(Dropdown, "outcome", "Which outcome of the lens the pictures show")
        self.labels = make(SelectMultiple, "labels", "Keep samples of these classes; none chosen keeps all")
        self.confidence = make(
            FloatRangeSlider, "confidence", "Keep samples whose largest probability lies in this range",
            min=0.0, max=1.0, step=0.01, readout_format=".2f",
        )  # fmt: skip
        self.selection = make(
            Text, "selection", "Which samples are kept, as text; Enter applies it",
            continuous_update=False, placeholder="label in [3, 5] and confidence > 0.5",
        )  # fmt: skip
        self.binning = make(Dropdown, "binning", "How scores are put into bins", options=list(BINNINGS))
        self.bins = make(IntSlider, "bins", "Number of bins", min=1, max=MOST_BINS)
        self.likert = make(
            Text, "Likert cuts", "Cut points of the categories that people read, ascending; Enter applies them",
            continuous_update=False, placeholder="0, 0.33, 0.66, 1",
        )  # fmt: skip
        self.knots = make(IntSlider, "knots", "Knots of the recalibrating spline", min=2, max=MOST_KNOTS)
        self.share = make(
            FloatSlider, "calibration", "Part of the samples that the spline is fitted to; the rest is judged",
            min=0.05, max=0.95, step=0.05, readout_format=".0%",
        )  # fmt: skip
        self._show(self.model, len(models) > 1)
        self._show(self.share, not fixed_split)
        self._link()
        sections: tuple[tuple[str, Sequence[ipywidgets.Widget]], ...] = (
            ("Look through", (self.model, self.kind, self.number, self.class_, self.outcome)),
            ("Keep", (self.labels, self.confidence, self.selection)),
            ("Bins and categories", (self.binning, self.bins, self.likert)),
            ("Recalibrate", (self.knots, self.share)),
        )
        children = [w for title, controls in sections for w in (HTML(f"<h3>{title}</h3>"), *controls)]
        self.widget = ipywidgets.VBox(children)
        self.widget.add_class("calibviz-controls")
        self.follow(state.spec, ())

    def _make(self, kind: type[Any], label: str, tooltip: str, **traits: Any) -> Any:
        control = kind(
            description=label,
            tooltip=tooltip,
            style={"description_width": LABEL_WIDTH},
            layout=Layout(width="310px", transport=self._transport),
            transport=self._transport,
            **traits,
        )
        control.add_class("calibviz-" + label.replace(" ", "-").lower())
        return control

    def _link(self) -> None:
        state = self._state
        for choice in ("model", "outcome", "binning", "bins", "knots", "share"):
            self._on_change(getattr(self, choice), partial(_named, choice))
        for control in (self.kind, self.number, self.class_):
            self._on_change(control, lambda _: self._lens())
        self._on_change(self.selection, lambda text: {"selection": text})
        self._on_change(self.likert, lambda text: {"likert": choices.likert_cuts(text)})
        self._on_change(
            self.labels, lambda names: {"selection": choices.with_labels(state.selection, names, self._class_names())}
        )
        self._on_change(
            self.confidence, lambda ends: {"selection": choices.with_confidence(state.selection, *_rounded(ends))}
        )

    def _on_change(self, control: Any, choice_of: Callable[[Any], dict[str, Any]]) -> None:
        def changed(change: Any) -> None:
            if self._following:
                return
            before = self._state.spec
            try:
                self._state.update(**choice_of(change.new))
            except (TypeError, ValueError, traitlets.TraitError) as error:
                self._say(str(error))
            else:
                if self._state.spec == before:  # nothing follows, so take away what a refused value left
                    self._say("")

        control.observe(changed, "value")

    def _lens(self) -> dict[str, Any]:
        kind = self.kind.value
        number = max(self.number.value, 2 if kind == "top-k" else 1)
        return {
            "lens": choices.lens_name(kind, number, self.class_.value),
            "outcome": choices.kept_outcome(self._state.outcome, kind, number),
        }

    def _class_names(self) -> tuple[str, ...]:
        return self._models[self._state.model].class_names

    def follow(self, spec: Spec, outcomes: Sequence[str]) -> None:
        """Show a spec. `outcomes` are those of its lens, none for a scalar one."""
        self._following = True
        try:
            self._follow(spec, outcomes)
        finally:
            self._following = False

    def _follow(self, spec: Spec, outcomes: Sequence[str]) -> None:
        names = self._models[spec.model].class_names
        kind, parameter = choices.lens_parts(spec.lens)
        assign(self.model, value=spec.model)
        assign(self.kind, value=kind)
        counted = kind in choices.COUNTED
        if counted:
            least = 2 if kind == "top-k" else 1
            most = max(min(len(names), MOST_RANKS), int(parameter))
            self._bound(self.number, least, most, int(parameter))
        self._show(self.number, counted)
        self._options(self.class_, names, self._class_name(names, parameter) if kind == "class" else None)
        self._show(self.class_, kind == "class")
        self._options(self.outcome, outcomes, spec.outcome)
        self._show(self.outcome, bool(outcomes))
        kept = tuple(name for name in choices.chosen_labels(spec.selection, names) if name in names)
        if tuple(self.labels.options) != names:
            assign(self.labels, options=names, rows=min(len(names), MOST_ROWS))
        assign(self.labels, value=kept)
        assign(self.confidence, value=choices.chosen_confidence(spec.selection))
        assign(self.selection, value=spec.selection)
        assign(self.binning, value=spec.binning)
        assign(self.bins, value=spec.bins, disabled=spec.binning == "sweep")
        assign(self.likert, value=", ".join(f"{cut:.15g}" for cut in spec.likert))
        assign(self.knots, value=spec.knots)
        assign(self.share, value=spec.share)

    @staticmethod
    def _class_name(names: Sequence[str], parameter: str) -> str | None:
        try:
            return names[validation.class_index(parameter, names)]
        except ValueError:  # another model's class; the status says so
            return None

    @staticmethod
    def _bound(slider: Any, least: int, most: int, value: int) -> None:
        # In this order no bound ever crosses the other or the value.
        assign(slider, min=min(least, slider.min), max=max(most, slider.max))
        assign(slider, value=value)
        assign(slider, min=least, max=most)

    @staticmethod
    def _options(control: Any, options: Sequence[str], value: str | None) -> None:
        if tuple(control.options) != tuple(options):
            assign(control, options=tuple(options))
        if value in options:
            assign(control, value=value)
        elif options:
            assign(control, value=options[0])

    @staticmethod
    def _show(control: Any, shown: bool) -> None:
        assign(control.layout, display=None if shown else "none")


def _named(choice: str, value: Any) -> dict[str, Any]:
    return {choice: value}


def _rounded(ends: tuple[float, float]) -> tuple[float, float]:
    return round(ends[0], 4), round(ends[1], 4)
