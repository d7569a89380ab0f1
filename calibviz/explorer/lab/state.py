"""The choices of the simulation laboratory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import traitlets

from ...foundation import validation
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


@dataclass(frozen=True)
class LabSpec:
    """The choices of a simulation: a network, the size of its samples, and the estimator.

    Attributes
    ----------
    network : KnownTruth
    of_predictions : EmpiricalNetwork, optional
        That of the predictions at hand.
    """

    network: KnownTruth
    n: int
    bins: int
    estimator: str
    p: int
    sample: int
    of_predictions: EmpiricalNetwork | None = None


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

    _of_beta = traitlets.Bool(True)

    PARAMETERS = ("a", "b", "transform", "b0", "b1")
    CHOICES = (*PARAMETERS, "n", "bins", "estimator", "p", "sample")
    NAMES = ("network", *CHOICES)

    def __init__(self, network: str | KnownTruth = "resnet110_c10", **choices: Any) -> None:
        chosen = network_of(network, "network")
        self._of_predictions = chosen if isinstance(chosen, EmpiricalNetwork) else None
        self._fitted: Network | None = None
        start = chosen if isinstance(chosen, Network) else NETWORKS["resnet110_c10"]  # which has no effect then
        super().__init__(**{name: getattr(start, name) for name in self.PARAMETERS})
        self._of_beta = isinstance(chosen, Network)
        self._derive(None)
        self.observe(self._derive, (*self.CHOICES, "_of_beta"))
        self.update(**choices)

    @property
    def network(self) -> str:
        if not self._of_beta:
            return PREDICTIONS
        fitted = {} if self._fitted is None else {FITTED: self._fitted}
        known = (NETWORKS | fitted).items()
        return next((name for name, network in known if replace(network, name=OWN) == self._beta), OWN)

    @network.setter
    def network(self, name: str) -> None:
        self.update(network=name)

    def update(self, **choices: Any) -> None:
        """Set several choices at once: either all of them or, where one is refused, none."""
        if "network" in choices:
            chosen = checked(self._named, choices.pop("network"))
            with self.hold_trait_notifications():
                self._of_beta = isinstance(chosen, Network)
                of_network = {name: getattr(chosen, name) for name in self.PARAMETERS} if self._of_beta else {}
                self.update(**of_network | choices)
            return
        super().update(**choices)

    def to_dict(self) -> dict[str, Any]:
        """Every choice by name, in values that JSON can hold."""
        if self._of_beta:
            return super().to_dict()
        return {name: getattr(self, name) for name in self.NAMES if name not in self.PARAMETERS}

    def _named(self, name: Any) -> KnownTruth:
        """The network of a name."""
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
        network = replace(self._beta, name=self.network) if own is None or self._of_beta else own
        self.set_trait("situation", LabSpec(network, self.n, self.bins, self.estimator, self.p, self.sample, own))

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

    @traitlets.validate("bins")
    def _check_bins(self, proposal: Any) -> int:
        return checked(validation.whole_number, proposal.value, "bins", 1, MOST_BINS)

    @traitlets.validate("sample")
    def _check_sample(self, proposal: Any) -> int:
        return checked(validation.whole_number, proposal.value, "sample", 0)
