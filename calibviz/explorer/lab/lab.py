"""The simulation laboratory: networks whose true error is known, and what estimators make of them.

One screen holds what is drawn and what estimators make of it: the true curve and the density of the scores, whose
handles are dragged, beside the histograms of all estimators, which grow as data sets fall. Below it stand the views of
several sizes and numbers of bins, and the formulas of the ten published networks.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets

from ...answers.asked.choices import Control
from ...answers.asked.glossary import ROELOFS
from ...answers.exports.caption import made
from ...answers.situation.jobs import Jobs
from ...data.predictions import Predictions
from ...figures import Figure, Grid
from ...figures.captions import Caption
from ...foundation.marked import runs
from ...foundation.sources import assigned, source_of
from ...foundation.written import counted, whole_percent
from ...simulation.cubes import SIMULATIONS
from ...simulation.drawn import PRESETS, heights_of, knots_of
from ...simulation.empirical import EmpiricalNetwork, empirical_network
from ...simulation.estimators import ESTIMATORS, TRUTH
from ...simulation.known_truth import KnownTruth
from ...simulation.networks import NETWORKS, TRANSFORMS, Network
from ..transport.shared_widgets import HTML, Box, Layout, Play, VBox, boxed, push_button
from ..transport.transport import Following, assign
from ..view.controls.control_kinds import widget_of
from ..view.page.live import Live
from ..view.panels.marks import Plot, legend
from ..view.panels.table import TableView
from ..view.sentence import Sentence, as_html
from .situation import MAP_SIZES, LabView
from .state import (
    FITTED,
    MOST_BINS,
    OWN,
    POWERS,
    PREDICTIONS,
    REACHES,
    ROWS,
    SAMPLES,
    LabSpec,
    SimulationState,
)

STEP = 0.01  # of a logarithm, where the slider is logarithmic
HALF = 0.5 + 1e-6
#: What the menu of networks offers first where there are predictions.
OF_PREDICTIONS = (("your predictions", PREDICTIONS), ("a Beta fitted to them", FITTED))
THEIR_MEANING = "Your predictions' scores and the curve that cv.trust fits, a Beta distribution in their place, or: "

CONTROLS: Mapping[str, Control] = {
    control.name: control
    for control in (
        Control(
            "network", "network", "",
            f"One of ten networks that were fitted to real ones ({ROELOFS}, appendix A); sets all below",
            kind="menu", traits={"options": (*NETWORKS, OWN)},
        ),
        Control(
            "a", "a", "", f"Scores follow Beta(a, b): a large a keeps them away from 0 ({ROELOFS}, 5.1)",
            kind="logarithmic slider", traits={"min": -2, "max": 2, "step": STEP},
        ),
        Control(
            "b", "b", "", f"Scores follow Beta(a, b): a small b drives them to 1 ({ROELOFS}, 5.1)",
            kind="logarithmic slider", traits={"min": -2, "max": 2, "step": STEP},
        ),
        Control(
            "transform", "true curve", "",
            f"The family of the true probability T(c) of a score c ({ROELOFS}, appendix A)",
            kind="menu", traits={"options": tuple(TRANSFORMS)},
        ),
        Control(
            "b0", "b0", "", "Offset of the true curve, in its link: logistic(b0 + b1 logit c), exp(b0) c^b1, ...",
            kind="fine slider", traits={"min": -6.0, "max": 6.0, "step": STEP},
        ),
        Control(
            "b1", "b1", "", "Slope of the true curve, in its link: logistic(b0 + b1 logit c), exp(b0) c^b1, ...",
            kind="fine slider", traits={"min": -10.0, "max": 10.0, "step": STEP},
        ),
        Control("n", "samples", "", "How many samples a data set has", kind="steps", traits={"options": SAMPLES}),
        Control(
            "estimator", "estimator", "",
            f"What estimates the error: in bins, by the sweep, debiased, without bins ({ROELOFS}, 5.2)",
            kind="menu", traits={"options": tuple(ESTIMATORS)},
        ),
        Control(
            "bins", "bins", "", f"Number of bins: few hide errors, many add noise ({ROELOFS}, 3)",
            kind="slider", traits={"min": 1, "max": MOST_BINS},
        ),
        Control(
            "p", "power p", "",
            f"Of the mean of the distances: 1 for the ECE, 2 for its root mean square ({ROELOFS}, 2)",
            kind="menu", traits={"options": POWERS},
        ),
        Control(
            "preset", "begin with", "", "A true curve to begin with, which the handles in the picture bend further",
            kind="switch",
            traits={"options": tuple(PRESETS), "value": None, "tooltips": [each.about for each in PRESETS.values()]},
        ),
        Control(
            "reach", "axis to", "", "Where the axis of the estimates ends: it stays until you move it",
            kind="menu", traits={"options": tuple((whole_percent(reach), reach) for reach in REACHES)},
        ),
        Control(
            "rows", "rows", "", f"Of the map: numbers of bins, or every estimator ({ROELOFS}, figure 6)",
            kind="switch", traits={"options": ROWS},
        ),
    )
}  # fmt: skip  # the words of a control stand in a row
#: Where controls stand, from top to bottom.
MEASURED = ("network", "n", "estimator", "bins", "p")
FORMULA = ("a", "b", "transform", "b0", "b1")
#: How many data sets have fallen, from one look to the next: one by one at first.
FALLS = (*range(1, 11), *(round(10 * 100 ** (k / 25)) for k in range(1, 26)))
FALL_EVERY = 500  # milliseconds, of which slow work has those in which the controls are still
HEIGHTS = {
    "sample": "268px",  # of which its neighbour has the axis
    "sample-scores": "106px",
    "estimates": "310px",
    "estimates-by-bins": "300px",
    "misses": "300px",
}
#: What a panel shows: its name, its heading (that of the first picture where it is empty), its pictures.
PANELS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("sample", "", ("sample", "sample-scores")),
    ("estimates", "", ("estimates",)),
    ("estimates-by-bins", "", ("estimates-by-bins",)),
    ("misses", "", ("misses",)),
    ("bias", "Bias by number of samples", ()),
)
FIRST = ("sample", "estimates")
STYLE_SHEET = f"<style>\n{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"


class SimulationLab(Following, Live):
    """Simulate a network whose true calibration error is known, and see what estimators make of its samples.

    Parameters
    ----------
    network : network, name of one of the ten of ece_sweep, or Predictions
        Predictions stand for ``cv.Network.empirical(predictions)``: their own scores under the default lens, and the
        true curve that `trust` fits. It begins with about as many samples and the power 1 of the ECE, and offers the
        Beta distribution that `fit_network` fits, saying how far off that is. For other lenses pass
        ``cv.Network.empirical(predictions, lens)``.
    **choices
        The state to begin with, such as n=800, bins=10, estimator="sweep", preset="label noise"; see
        `help(lab.state)`.

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
    >>> lab.state.preset = "label noise"
    >>> lab.close()

    References
    ----------
    ece_sweep sections 3 and 5; figures 1, 4, 6, 8 and 15.
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
        if "reach" not in choices:
            self.state.reach = self._made_of(self.state.situation).fitting_reach
        self._on_screen = self._made_of(self.state.situation)
        transport = self._transport
        self._words = HTML(transport=transport, _dom_classes=("calibviz-words",))
        self._controls = {
            name: widget_of(_of_predictions(control) if has_predictions and name == "network" else control, transport)
            for name, control in CONTROLS.items()
        }
        for name, control in self._controls.items():
            control.observe(self._setter(name), "value")
        for name in ("preset", "rows"):
            assign(self._controls[name].layout, width="auto")
        self._play = Play(
            min=0, max=len(FALLS) - 1, value=len(FALLS) - 1, interval=FALL_EVERY, show_repeat=False, transport=transport
        )
        transport.tell_of(self._play, hints="Let data sets fall, one by one at first")
        self._play.observe(self._fall, "value")
        button, state = partial(push_button, transport), self.state
        keep = button("remember as A", "Draw this setting behind all that follow", state.keep)
        about = "Back to A, and draw this setting behind it"
        self._of_kept = (
            button("swap with A", about, state.swap, comes_and_goes=True),
            button("forget A", "Draw nothing behind", state.forget, comes_and_goes=True),
        )
        self._plots: dict[str, Plot] = {}
        self._headings: dict[str, HTML] = {}
        self._map = TableView(transport=transport, layout=Layout(transport=transport))
        self._map.on("click", self._pick)
        self._separation, self._comparison = (
            Sentence(transport=transport, _dom_classes=("calibviz-note",)) for _ in range(2)
        )
        self._first = Box(transport=transport, _dom_classes=("calibviz-lab-first", "calibviz-right"))
        self._panels = VBox(transport=transport, _dom_classes=("calibviz-panels", "calibviz-right"))
        formula = (HTML("<h3>Scores and curve by formula</h3>"), *(self._controls[name] for name in FORMULA))
        classes, layout = "calibviz-panel calibviz-panel-formula", Layout(transport=transport)
        self._formula = boxed(VBox, transport, classes, *formula, layout=layout)
        self._note = Sentence(transport=transport, _dom_classes=("calibviz-note",))
        rows = [
            ipywidgets.Box(children, _dom_classes=("calibviz-lab-bar",))
            for children in (
                [self._controls[name] for name in MEASURED],
                [self._controls["preset"], keep, *self._of_kept],
            )
        ]
        truth = HTML(TRUTH, _dom_classes=("calibviz-note",))
        inside = [HTML(STYLE_SHEET), self._words, self._note, *rows, self._signs, self._first, truth, self._panels]
        self._assemble([ipywidgets.Box(inside, _dom_classes=("calibviz-lab",))])
        self._begin()

    def _drop(self, more: int) -> None:
        """Let more data sets fall; once all have, begin anew."""
        fallen = self.state.sets
        sets = min(more if fallen == SIMULATIONS else fallen + more, SIMULATIONS)
        self._choose(sets=sets, sample=sets - 1)

    def _fall(self, change: Any) -> None:
        if not self._following:
            self._choose(sets=FALLS[change.new], sample=FALLS[change.new] - 1)

    def _drag(self, drawn: str, of_network: Callable[[KnownTruth], Iterable[float]], place: int, to: float) -> None:
        """Move one of the heights of the curve or the density, which begins with those of the network."""
        heights = getattr(self.state, drawn) or of_network(self.state.situation.network)
        moved = [float(height) for height in heights]
        moved[place] = round(min(1.0, max(0.0, to)), 3)
        self._choose(**{drawn: tuple(moved)})

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

    def _pick_estimator(self, place: int) -> None:
        rows = [row.name for row in self.view.estimator_rows if row.has_mean(self.view.situation.reach)]
        if place < len(rows):
            self._choose(estimator=rows[place])

    def _pick(self, row: int, column: int) -> None:
        self._choose(n=MAP_SIZES[column - 1], **self.view.rows[row][1])

    @property
    def view(self) -> LabView:
        """The view on screen."""
        return self._on_screen

    def _made_of(self, choices: LabSpec) -> LabView:
        return LabView(choices, self._jobs)

    def _want_again(self) -> None:
        view = self._made_of(self.view.situation)
        _ = view.spread, view.others, view.table, view.mapped, view.missed

    def _show(self, view: LabView) -> None:
        """Show a view; where something of it cannot be made, nothing is drawn."""
        records = {record.name: record for record in view.figures}
        table, words, note = view.table, view.words, view.note
        if not self._plots:
            self._make_panels(records)
        for name, heading, shown in PANELS:
            keys = legend([series for picture in shown for series in records[picture].series])
            title = heading or records[shown[0]].title
            assign(self._headings[name], value=f"<h3>{as_html(title)}</h3>{keys}")
            for picture in shown:
                self._plots[picture].draw(records[picture])
        self._map.show(table)
        assign(self._words, value=as_html(words))
        assign(self._note, value=as_html(note))
        assign(self._separation, value=as_html(view.separation))
        assign(self._comparison, value=as_html(view.comparison))

    def _make_panels(self, records: dict[str, Figure]) -> None:
        panels = {name: self._panel(name, shown, records) for name, _, shown in PANELS}
        panels["sample"].children = (*panels["sample"].children, self._separation)
        button = partial(push_button, self._transport)
        falls = (
            button("draw one", "Let one more data set fall", lambda: self._drop(1)),
            button("draw 100", "Let a hundred more data sets fall", lambda: self._drop(100)),
            button(f"all {SIMULATIONS:,}", "All data sets at once", lambda: self._drop(SIMULATIONS)),
            self._play,
            self._controls["reach"],
            button("fit", "End the axis where the estimates end", lambda: self._choose(reach=self.view.fitting_reach)),
        )
        panels["estimates"].children = (
            *panels["estimates"].children,
            ipywidgets.Box(falls, _dom_classes=("calibviz-lab-bar",)),
            self._comparison,
        )
        heading, table = panels["bias"].children
        panels["bias"].children = (heading, self._controls["rows"], table)
        self._first.children = [panels.pop(name) for name in FIRST]
        self._panels.children = [*panels.values(), self._formula]
        self._plots["sample"].on_drag("handle", partial(self._drag, "curve", knots_of), is_upward=True)
        self._plots["sample-scores"].on_drag("handle", partial(self._drag, "density", heights_of), is_upward=True)
        self._plots["estimates"].on_click("bins", self._pick_estimator, "click looks at it")
        for picture in self._plots.values():
            picture.draw_again()

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
        with self._follows():
            for name, control in self._controls.items():
                assign(control, value=getattr(self.state, name))
            for name in ("a", "b"):  # a logarithmic slider would read out the nearest of its steps
                assign(self._controls[name], description=f"{name} = {getattr(self.state, name):.4g}")
            has_formula = isinstance(self.state.situation.base, Network)
            assign(self._formula.layout, display=None if has_formula else "none")
            assign(self._play, value=min(bisect_left(FALLS, self.state.sets), len(FALLS) - 1))
            for button in self._of_kept:
                assign(button.layout, display="none" if self.state.kept is None else None)

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


def _of_predictions(control: Control) -> Control:
    """The menu of networks where there are predictions, which it offers first."""
    options = (*OF_PREDICTIONS, *((name, name) for name in (*NETWORKS, OWN)))
    return replace(control, meaning=THEIR_MEANING + control.meaning, traits={"options": options})
