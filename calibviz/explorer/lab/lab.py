"""The simulation laboratory: networks whose true error is known, and what estimators make of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import ipywidgets

from ...answers.asked.glossary import ROELOFS
from ...answers.exports.caption import made
from ...answers.situation.jobs import Jobs
from ...data.predictions import Predictions
from ...figures import Figure, Grid
from ...figures.captions import Caption
from ...foundation.marked import runs
from ...foundation.sources import assigned, source_of
from ...foundation.written import counted
from ...simulation.empirical import EmpiricalNetwork, empirical_network
from ...simulation.estimators import ESTIMATORS
from ...simulation.known_truth import KnownTruth
from ...simulation.networks import NETWORKS, TRANSFORMS, Network
from ..transport.shared_widgets import (
    HTML,
    Button,
    Dropdown,
    FloatLogSlider,
    FloatSlider,
    IntSlider,
    Layout,
    SelectionSlider,
    VBox,
)
from ..transport.transport import assign
from ..view.controls.control_kinds import make_control
from ..view.page.live import Live
from ..view.panels.marks import Plot, legend
from ..view.panels.table import TableView
from ..view.sentence import Sentence, as_html
from .situation import MAP_SIZES, LabView
from .state import FITTED, MOST_BINS, OWN, POWERS, PREDICTIONS, SAMPLES, LabSpec, SimulationState

STEP = 0.01  # of a logarithm, where the slider is logarithmic
HALF = 0.5 + 1e-6
#: What the menu of networks offers first where there are predictions.
OF_PREDICTIONS = (("your predictions", PREDICTIONS), ("a Beta fitted to them", FITTED))
THEIR_MEANING = "Your predictions' scores and the curve that cv.trust fits, a Beta distribution in their place, or: "

CONTROLS: dict[str, tuple[type[Any], tuple[str, str], dict[str, Any]]] = {
    "network": (
        Dropdown,
        ("network", f"One of ten networks that were fitted to real ones ({ROELOFS}, appendix A); sets all below"),
        {"options": (*NETWORKS, OWN)},
    ),
    "a": (
        FloatLogSlider,
        ("a", f"Scores follow Beta(a, b): a large a keeps them away from 0 ({ROELOFS}, 5.1)"),
        {"min": -2, "max": 2, "step": STEP, "readout": False},
    ),
    "b": (
        FloatLogSlider,
        ("b", f"Scores follow Beta(a, b): a small b drives them to 1 ({ROELOFS}, 5.1)"),
        {"min": -2, "max": 2, "step": STEP, "readout": False},
    ),
    "transform": (
        Dropdown,
        ("true curve", f"The family of the true probability T(c) of a score c ({ROELOFS}, appendix A)"),
        {"options": tuple(TRANSFORMS)},
    ),
    "b0": (
        FloatSlider,
        ("b0", "Offset of the true curve, in its link: logistic(b0 + b1 logit c), exp(b0) c^b1, ..."),
        {"min": -6.0, "max": 6.0, "step": STEP},
    ),
    "b1": (
        FloatSlider,
        ("b1", "Slope of the true curve, in its link: logistic(b0 + b1 logit c), exp(b0) c^b1, ..."),
        {"min": -10.0, "max": 10.0, "step": STEP},
    ),
    "n": (SelectionSlider, ("samples", "How many samples a data set has"), {"options": SAMPLES}),
    "estimator": (
        Dropdown,
        ("estimator", f"What estimates the error: in bins, by the sweep, debiased, without bins ({ROELOFS}, 5.2)"),
        {"options": tuple(ESTIMATORS)},
    ),
    "bins": (
        IntSlider,
        ("bins", f"Number of bins: few hide errors, many add noise ({ROELOFS}, 3)"),
        {"min": 1, "max": MOST_BINS},
    ),
    "p": (
        Dropdown,
        ("power p", f"Of the mean of the distances: 1 for the ECE, 2 for its root mean square ({ROELOFS}, 2)"),
        {"options": POWERS},
    ),
}
SECTIONS = (
    ("A network", ("network", "a", "b", "transform", "b0", "b1")),
    ("What is measured", ("n", "estimator", "bins", "p")),
)
HEIGHTS = {
    "sample": "300px",
    "sample-scores": "110px",
    "estimates": "420px",
    "estimates-by-bins": "300px",
    "misses": "300px",
}
#: What a panel shows: its name, its heading (that of the first picture where it is empty), its pictures.
PANELS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("sample", "", ("sample", "sample-scores")),
    ("estimates", "", ("estimates",)),
    ("estimates-by-bins", "", ("estimates-by-bins",)),
    ("misses", "", ("misses",)),
    ("bias", "Bias by number of samples (columns) and of bins (rows)", ()),
)


class SimulationLab(Live):
    """Simulate a network whose true calibration error is known, and see what estimators make of its samples.

    Parameters
    ----------
    network : network, name of one of the ten of ece_sweep, or Predictions
        Predictions stand for ``cv.Network.empirical(predictions)``: their own scores under the default lens, and the
        true curve that `trust` fits. It begins with about as many samples and the power 1 of the ECE, and offers the
        Beta distribution that `fit_network` fits, saying how far off that is. For other lenses pass
        ``cv.Network.empirical(predictions, lens)``.
    **choices
        The state to begin with, such as n=800, bins=10, estimator="sweep"; see `help(lab.state)`.

    Attributes
    ----------
    state : SimulationState
        Set its attributes to steer the laboratory from code.

    Raises
    ------
    ValueError, traitlets.TraitError
        For an unknown network, or a choice that cannot be meant.

    See Also
    --------
    simulate_errors, miss_rates : The same numbers as cubes.
    Network.empirical : The scores at hand, and their true curve.
    fit_network : A Beta distribution like the scores at hand.

    Examples
    --------
    >>> lab = cv.SimulationLab(cv.load_dataset("digits")["neural network"], n=800, estimator="sweep")
    >>> lab.state.network = "fitted"
    >>> lab.close()

    References
    ----------
    ece_sweep sections 3 and 5; figures 1, 4, 8 and 15.
    """

    state: SimulationState
    _followed = "situation"

    def __init__(self, network: str | KnownTruth | Predictions = "resnet110_c10", **choices: Any) -> None:
        self._own_network = assigned("network", None, "cv.SimulationLab") + "\n"
        if isinstance(network, Predictions):
            made = assigned("predictions", source_of(network), "cv.SimulationLab")
            self._own_network = f"{made}\nnetwork = cv.Network.empirical(predictions)\n"
            network = empirical_network(network)
        has_predictions = isinstance(network, EmpiricalNetwork)
        if isinstance(network, EmpiricalNetwork):
            # As they are judged by default: by the ECE, of so many samples.
            size = network.problem.samples
            choices = {"n": min(SAMPLES, key=lambda n: abs(math.log(n / size))), "p": 1, **choices}
        self.state = SimulationState(network, **choices)
        super().__init__(Jobs(self._refresh))
        self._on_screen = self._made_of(self.state.situation)
        transport = self._transport
        self._words = HTML(transport=transport, _dom_classes=("calibviz-words",))
        self._controls = {
            name: make_control(kind, name, term, transport, traits) for name, (kind, term, traits) in CONTROLS.items()
        }
        if has_predictions:
            self._controls["network"].options = (*OF_PREDICTIONS, *((name, name) for name in (*NETWORKS, OWN)))
            self._controls["network"].tooltip = THEIR_MEANING + CONTROLS["network"][1][1]
        self._following = False
        for name, control in self._controls.items():
            transport.explain(control, control.tooltip)
            control.observe(self._setter(name), "value")
        self._again = Button(
            description="draw another sample",
            tooltip="Show another of the simulated data sets",
            transport=transport,
            layout=transport.common(Layout, width="auto"),
        )
        self._again.on_click(lambda _: self._choose(sample=self.state.sample + 1))
        self._plots: dict[str, Plot] = {}
        self._headings: dict[str, HTML] = {}
        self._map = TableView(transport=transport, layout=Layout(transport=transport))
        self._map.on_click(self._pick)
        self._panels = VBox(transport=transport, _dom_classes=("calibviz-panels",))
        controls = [child for title, names in SECTIONS for child in self._section(title, names)]
        left = ipywidgets.VBox([*controls, self._again], _dom_classes=("calibviz-controls",))
        self._note = Sentence(transport=transport, _dom_classes=("calibviz-note",))
        right = ipywidgets.VBox([self._words, self._note, self._panels], _dom_classes=("calibviz-right",))
        body = ipywidgets.Box([left, right], _dom_classes=("calibviz-body",))
        self._assemble([body])
        self._begin()

    def _section(self, title: str, names: Iterable[str]) -> list[ipywidgets.Widget]:
        return [HTML(f"<h3>{title}</h3>"), *(self._controls[name] for name in names)]

    def _setter(self, name: str) -> Callable[[Any], None]:
        def changed(change: Any) -> None:
            if self._following:
                return
            if not self._is_shown(name, change.new):
                self._choose(**{name: change.new})
            if name == "network":  # "own" is what parameters make a network, not a choice; a fit may be refused
                self._show_choices(self.view)

        return changed

    def _is_shown(self, name: str, value: Any) -> bool:
        """Whether a control only tells what it made of the state: sliders know whole steps, and there is no "own"."""
        if name in ("a", "b"):
            return abs(math.log10(value / getattr(self.state, name))) <= HALF * STEP
        if name in ("b0", "b1"):
            return bool(abs(value - getattr(self.state, name)) <= HALF * STEP)
        return name == "network" and value == OWN

    def _pick(self, row: int, column: int) -> None:
        self._choose(n=MAP_SIZES[column - 1], **self.view.rows[row][1])

    @property
    def view(self) -> LabView:
        """The view on screen."""
        shown: LabView = self._on_screen
        return shown

    def _made_of(self, choices: LabSpec) -> LabView:
        return LabView(choices, self._jobs)

    def _want_again(self) -> None:
        view = self._made_of(self.view.situation)
        _ = view.spread, view.mapped, view.missed

    def _show(self, view: LabView) -> None:
        """Show a view; where something of it cannot be made, nothing is drawn."""
        records = {record.name: record for record in view.figures}
        table, words, note = view.table, view.words, view.note
        if not self._plots:
            self._panels.children = [self._panel(name, shown, records) for name, _, shown in PANELS]
        for name, heading, shown in PANELS:
            keys = "".join(legend(records[picture].series) for picture in shown)
            title = heading or records[shown[0]].title
            assign(self._headings[name], value=f"<h3>{as_html(title)}</h3>{keys}")
            for picture in shown:
                self._plots[picture].draw(records[picture])
        self._map.show(table)
        assign(self._words, value=as_html(words))
        assign(self._note, value=as_html(note))

    def _panel(self, name: str, shown: Iterable[str], records: dict[str, Figure]) -> ipywidgets.Widget:
        with self._transport.part(name):
            self._headings[name] = HTML(transport=self._transport)
            for picture in shown:
                self._plots[picture] = Plot(records[picture], self._transport, HEIGHTS[picture])
        inside = [self._plots[picture].widget for picture in shown] or [self._map]
        return ipywidgets.VBox(
            [self._headings[name], *inside], _dom_classes=("calibviz-panel", f"calibviz-panel-{name}")
        )

    def _show_choices(self, view: LabView) -> None:
        self._following = True
        try:
            for name, control in self._controls.items():
                assign(control, value=getattr(self.state, name))
            for name in ("a", "b"):  # a logarithmic slider would read out the nearest of its steps
                assign(self._controls[name], description=f"{name} = {getattr(self.state, name):.4g}")
            has_parameters = self.state.network != PREDICTIONS
            for name in SimulationState.PARAMETERS:
                assign(self._controls[name].layout, display=None if has_parameters else "none")
            assign(self._controls["bins"], disabled=not ESTIMATORS[self.state.estimator].in_bins)
        finally:
            self._following = False

    def _records(self) -> list[Figure | Grid]:
        return list(self.view.figures)

    def _sentence(self) -> str:
        return self.view.words

    def _caption(self) -> Caption:
        now = self.view.situation
        own = "" if isinstance(now.network, Network) else f": {now.network.scores_from}"
        facts = {"data": f"{now.network.name}{own}", "estimator": now.estimator, "samples": counted(now.n)}
        return Caption((runs(self.view.words),), {**facts, **made()})

    def code(self) -> str:
        """The Python that reproduces the numbers on screen."""
        return str(self._seen().code(self._own_network))
