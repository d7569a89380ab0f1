"""The choices of the simulation laboratory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import traitlets

from ...answers.asked.effort import Effort, usual
from ...foundation import validation
from ...simulation.cubes import SIMULATIONS
from ...simulation.drawn import KNOTS, PRESETS, DrawnNetwork, drawn_network, heights
from ...simulation.empirical import EmpiricalNetwork
from ...simulation.estimators import ESTIMATORS
from ...simulation.known_truth import KnownTruth
from ...simulation.network_fit import fit_network
from ...simulation.networks import NETWORKS, TRANSFORMS, Network, network_of
from ..state.choices import Choices, NumberField, OneOf, checked

OWN, PREDICTIONS, FITTED = "own", "predictions", "fitted"
SAMPLES = (100, 200, 400, 800, 1600, 3200, 6400, 12800)
MOST_BINS = 100
POWERS = (1, 2)
REACHES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)  # ends of the axis of estimates
ROWS = ("bins", "estimators")
COUNTS = {"sets": (1, SIMULATIONS), "bins": (1, MOST_BINS), "sample": (0, SIMULATIONS - 1)}  # from least to most
NOTHING_DRAWN: dict[str, Any] = {"curve": (), "density": (), "rounded": False}


@dataclass(frozen=True)
class LabSpec:
    """The choices of a simulation: a network, the size of its samples, and the estimator."""

    network: KnownTruth
    n: int
    bins: int
    estimator: str
    p: int
    sample: int
    sets: int = SIMULATIONS  # how many data sets the estimates are of
    reach: float = 0.2  # where the axis of estimates ends
    rows: str = "bins"  # what the rows of the map stand for
    of_predictions: EmpiricalNetwork | None = None  # that of the predictions at hand
    kept: LabSpec | None = None  # what is drawn behind
    effort: Effort = field(default_factory=usual)  # how many data sets are drawn

    @property
    def base(self) -> KnownTruth | None:
        """The network from which comes what is not drawn."""
        return self.network.base if isinstance(self.network, DrawnNetwork) else self.network


class SimulationState(Choices):
    """The state of the simulation laboratory; set an attribute and every picture follows.

    Attributes
    ----------
    a, b : float, above 0
        The scores follow Beta(a, b).
    transform : str
        The family of the true curve; see `Network`.
    b0, b1 : float
        Its parameters.
    network : str
        The name of one of the ten networks of ece_sweep, which sets all of these; "own" where they are others. Where
        there are predictions, "predictions" takes their own scores, and the curve of `trust` in place of all of these;
        "fitted" sets them as `fit_network` fits them.
    curve : tuple of 11 floats in [0, 1], or empty
        The true probability at the scores 0, 0.1, ..., 1, as in `Network.drawn`; empty where the network's own holds.
        Setting `transform`, `b0` or `b1` empties it.
    density : tuple of 20 floats in [0, 1], or empty
        Relative heights of the density of the scores, likewise; setting `a` or `b` empties it.
    rounded : bool
        Whether all scores of an interval of the density are its middle.
    preset : str or None
        "calibrated", "over-confident", "under-confident", "label noise", "zigzag" or "base rate": a curve to begin
        with, and for the last one the density, too. None where the curve is another one.
    n : {100, 200, 400, ..., 12800}
        Samples in a data set.
    bins : int, 1 to 100
    estimator : str
        As in `simulate_errors`.
    p : {1, 2}
        Power of the mean of the distances.
    sample : int, 0 to 999
        Which of the simulated data sets is shown.
    sets : int, 1 to 1000
        How many data sets the estimates are of.
    reach : {0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0}
        Where the axis of the estimates ends.
    rows : {"bins", "estimators"}
        What the rows of the map stand for.
    kept : LabSpec or None
        The setting A, which is drawn behind; see `keep`. Read-only.
    situation : LabSpec
        All of this, frozen. Read-only.

    A value that cannot be meant raises `traitlets.TraitError` and changes nothing. Set several at once with `update`.

    See Also
    --------
    SimulationLab : Shows the state.
    """

    a = NumberField()
    b = NumberField()
    transform = OneOf(tuple(TRANSFORMS))
    b0 = NumberField()
    b1 = NumberField()
    curve = traitlets.Any(())
    density = traitlets.Any(())
    rounded = traitlets.Bool(False)
    n = OneOf(SAMPLES, 200)
    bins = traitlets.Int(15)
    estimator = OneOf(tuple(ESTIMATORS), "uniform")
    p = OneOf(POWERS, 2)
    sample = traitlets.Int(0)
    sets = traitlets.Int(SIMULATIONS)
    reach = OneOf(REACHES, 0.2)
    rows = OneOf(ROWS, "bins")
    kept = traitlets.Instance(LabSpec, allow_none=True, read_only=True)
    situation = traitlets.Instance(LabSpec, read_only=True)

    _of_beta = traitlets.Bool(True)

    PARAMETERS = ("a", "b", "transform", "b0", "b1")
    OF_SAMPLES = ("n", "bins", "estimator", "p", "sample", "sets", "reach", "rows")
    CHOICES = (*PARAMETERS, *NOTHING_DRAWN, *OF_SAMPLES)
    NAMES = ("network", "preset", *CHOICES)

    def __init__(self, network: str | KnownTruth = "resnet110_c10", **choices: Any) -> None:
        chosen = network_of(network, "network")
        self._of_predictions = chosen if isinstance(chosen, EmpiricalNetwork) else None
        self._fitted: Network | None = None
        self._is_updating = False
        self._choices_kept: tuple[bool, dict[str, Any]] = True, {}
        drawn = chosen if isinstance(chosen, DrawnNetwork) else None
        if drawn is not None:
            chosen = NETWORKS["resnet110_c10"] if drawn.base is None else drawn.base
            self._of_predictions = chosen if isinstance(chosen, EmpiricalNetwork) else None
        start = chosen if isinstance(chosen, Network) else NETWORKS["resnet110_c10"]  # which has no effect then
        super().__init__(**{name: getattr(start, name) for name in self.PARAMETERS})
        self._of_beta = isinstance(chosen, Network)
        self._derive(None)
        self.observe(self._derive, (*self.CHOICES, "_of_beta", "kept"))
        self.observe(self._undraw, self.PARAMETERS)
        if drawn is not None:
            self.update(curve=drawn.curve, density=drawn.density, rounded=drawn.is_rounded)
        self.update(**choices)

    @property
    def network(self) -> str:
        if self.curve or self.density:
            return OWN
        if not self._of_beta:
            return PREDICTIONS
        return self._base_name

    @network.setter
    def network(self, name: str) -> None:
        self.update(network=name)

    @property
    def _base_name(self) -> str:
        """The name of the network from which comes what is not drawn."""
        fitted = {} if self._fitted is None else {FITTED: self._fitted}
        known = (NETWORKS | fitted).items()
        return next((name for name, network in known if replace(network, name=OWN) == self._beta), OWN)

    @property
    def preset(self) -> str | None:
        drawn = self.curve, self.density if self.rounded else (), self.rounded and bool(self.density)
        known = ((name, (of.curve, of.density, of.is_rounded)) for name, of in PRESETS.items())
        return next((name for name, preset in known if preset == drawn), None)

    @preset.setter
    def preset(self, name: str) -> None:
        self.update(preset=name)

    def update(self, **choices: Any) -> None:
        """Set several choices at once: either all of them or, where one is refused, none."""
        if "preset" in choices:
            chosen = PRESETS[checked(validation.choice, choices.pop("preset"), "preset", tuple(PRESETS))]
            # A curve leaves the scores as they are, unless all of them are one.
            if chosen.density or self.rounded:
                choices = {"density": chosen.density, "rounded": chosen.is_rounded, **choices}
            self.update(**{"curve": chosen.curve, **choices})
            return
        if "network" in choices:
            network = checked(self._named, choices.pop("network"))
            of_beta = isinstance(network, Network)
            of_network = {name: getattr(network, name) for name in self.PARAMETERS} if of_beta else {}
            self._set(of_beta, {**of_network, **NOTHING_DRAWN, **choices})
            return
        self._set(self._of_beta, {**_undrawn_by(choices), **choices})

    def _set(self, of_beta: bool, choices: dict[str, Any]) -> None:
        with self._at_once():
            self._of_beta = of_beta
            super().update(**choices)

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Take all choices that are set inside as they are: parameters leave alone what is drawn."""
        was_updating, self._is_updating = self._is_updating, True
        try:
            with self.hold_trait_notifications():
                yield
        finally:
            self._is_updating = was_updating

    def _undraw(self, change: Any) -> None:
        if not self._is_updating:
            self.update(**_undrawn_by({change.name}))

    def keep(self) -> None:
        """Keep the setting as A, which is drawn behind.

        See Also
        --------
        swap : Back to it.
        forget : Draw nothing behind.
        """
        self._choices_kept = self._of_beta, self._choices_now()
        self.set_trait("kept", replace(self.situation, kept=None))

    def swap(self) -> None:
        """Go back to the setting A, and keep the present one in its place.

        See Also
        --------
        keep : What there has to be first.

        Raises
        ------
        ValueError
            If nothing is kept.
        """
        if self.kept is None:
            raise ValueError("nothing is kept: call keep() first")
        of_beta, choices = self._choices_kept
        with self._at_once():
            self.keep()
            self._set(of_beta, choices)

    def forget(self) -> None:
        """Draw nothing behind.

        See Also
        --------
        keep : Keeps a setting.
        """
        self.set_trait("kept", None)

    def _choices_now(self) -> dict[str, Any]:
        parameters = () if self._of_beta else self.PARAMETERS
        return {name: getattr(self, name) for name in self.CHOICES if name not in parameters}

    def to_dict(self) -> dict[str, Any]:
        """Every choice by name, in values that JSON can hold."""
        return self._choices_now() if self._of_beta else {"network": PREDICTIONS, **self._choices_now()}

    def _named(self, name: Any) -> KnownTruth:
        if not (isinstance(name, str) and name in (PREDICTIONS, FITTED)):
            return network_of(name, "network")
        if self._of_predictions is None:
            raise ValueError(f"network must not be {name!r} without predictions: pass them to cv.SimulationLab")
        if name == PREDICTIONS:
            return self._of_predictions
        if self._fitted is None:
            self._fitted = fit_network(self._of_predictions.problem, name=FITTED).network
        return self._fitted

    @property
    def _beta(self) -> Network:
        return Network(OWN, self.a, self.b, self.transform, self.b0, self.b1)

    def _derive(self, _change: Any) -> None:
        own = self._of_predictions
        network: KnownTruth = replace(self._beta, name=self._base_name) if own is None or self._of_beta else own
        if self.curve or self.density:
            network = DrawnNetwork(OWN, self.curve, self.density, network, self.rounded and bool(self.density))
        choices = {name: getattr(self, name) for name in self.OF_SAMPLES}
        self.set_trait("situation", LabSpec(network, **choices, of_predictions=own, kept=self.kept))

    @traitlets.validate(*PARAMETERS)
    def _check_parameter(self, proposal: Any) -> Any:
        name, value = proposal.trait.name, proposal.value
        if not self._of_beta:
            raise traitlets.TraitError(
                f"{name} has no effect on the scores of predictions: set network to {FITTED!r}, or to another, first"
            )
        if name in ("a", "b"):
            return checked(validation.real_number, value, name, 0.0, np.inf, True)
        return value if name == "transform" else checked(validation.real_number, value, name, -np.inf, np.inf)

    @traitlets.validate("curve")
    def _check_curve(self, proposal: Any) -> tuple[float, ...]:
        return checked(heights, proposal.value, "curve", KNOTS)

    @traitlets.validate("density")
    def _check_density(self, proposal: Any) -> tuple[float, ...]:
        if isinstance(proposal.value, tuple) and not proposal.value:
            return ()
        drawn: DrawnNetwork = checked(drawn_network, None, proposal.value, None, False, OWN)
        return drawn.density

    @traitlets.validate(*COUNTS)
    def _check_count(self, proposal: Any) -> int:
        name = proposal.trait.name
        return checked(validation.whole_number, proposal.value, name, *COUNTS[name])


def _undrawn_by(names: Iterable[str]) -> dict[str, Any]:
    """The choices that parameters of a network take the place of."""
    chosen = set(names)
    undrawn = {"density": (), "rounded": False} if chosen & {"a", "b"} else {}
    return undrawn | ({"curve": ()} if chosen & {"transform", "b0", "b1"} else {})
