"""The choices of the simulation laboratory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import traitlets

from ...foundation import validation
from ...simulation.estimators import ESTIMATORS
from ...simulation.networks import NETWORKS, TRANSFORMS, Network, network_of
from ..state.choices import Choices, NumberField, OneOf, checked

OWN = "own"
SAMPLES = (100, 200, 400, 800, 1600, 3200, 6400, 12800)
MOST_BINS = 100
POWERS = (1, 2)


@dataclass(frozen=True)
class LabSpec:
    """The choices of a simulation: a network, the size of its samples, and the estimator."""

    network: Network
    n: int
    bins: int
    estimator: str
    p: int
    sample: int


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
        The name of one of the ten networks of ece_sweep, which sets all of these; "own" where they are others.
    n : {100, 200, 400, ..., 12800}
        Samples in a data set.
    bins : int, 1 to 100
    estimator : str
        As in `simulate_errors`.
    p : {1, 2}
        Power of the mean of the distances.
    sample : int, at least 0
        Which of the simulated data sets is shown.
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
    n = OneOf(SAMPLES, 200)
    bins = traitlets.Int(15)
    estimator = OneOf(tuple(ESTIMATORS), "uniform")
    p = OneOf(POWERS, 2)
    sample = traitlets.Int(0)
    situation = traitlets.Instance(LabSpec, read_only=True)

    PARAMETERS = ("a", "b", "transform", "b0", "b1")
    CHOICES = (*PARAMETERS, "n", "bins", "estimator", "p", "sample")
    NAMES = ("network", *CHOICES)

    def __init__(self, network: str | Network = "resnet110_c10", **choices: Any) -> None:
        chosen = network_of(network, "network")
        super().__init__(**{name: getattr(chosen, name) for name in self.PARAMETERS})
        self._derive(None)
        self.observe(self._derive, self.CHOICES)
        self.update(**choices)

    @property
    def network(self) -> str:
        named = (
            name for name, network in NETWORKS.items() if replace(network, name="") == replace(self._network, name="")
        )
        return next(named, OWN)

    @network.setter
    def network(self, name: str) -> None:
        self.update(network=name)

    def update(self, **choices: Any) -> None:
        """Set several choices at once: either all of them or, where one is refused, none."""
        if "network" in choices:
            chosen = checked(network_of, choices.pop("network"), "network")
            choices = {**{name: getattr(chosen, name) for name in self.PARAMETERS}, **choices}
        super().update(**choices)

    @property
    def _network(self) -> Network:
        return Network(OWN, self.a, self.b, self.transform, self.b0, self.b1)

    def _derive(self, _change: Any) -> None:
        made = replace(self._network, name=self.network)
        self.set_trait("situation", LabSpec(made, self.n, self.bins, self.estimator, self.p, self.sample))

    @traitlets.validate("a", "b")
    def _check_shape(self, proposal: Any) -> float:
        return checked(validation.real_number, proposal.value, proposal.trait.name, 0.0, np.inf, True)

    @traitlets.validate("b0", "b1")
    def _check_coefficient(self, proposal: Any) -> float:
        return checked(validation.real_number, proposal.value, proposal.trait.name, -np.inf, np.inf)

    @traitlets.validate("bins")
    def _check_bins(self, proposal: Any) -> int:
        return checked(validation.whole_number, proposal.value, "bins", 1, MOST_BINS)

    @traitlets.validate("sample")
    def _check_sample(self, proposal: Any) -> int:
        return checked(validation.whole_number, proposal.value, "sample", 0)
