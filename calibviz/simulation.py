"""Simulated predictions whose true calibration error is known.

Scores are drawn from a Beta distribution and labels from a true calibration curve; both were fitted by Roelofs et
al. (2022, "Mitigating bias in calibration error estimation", sections 3 and 5) to ten networks. What an estimator
says about such data can be held against the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.special import betainccinv, betaincinv, expit, xlogy

from . import validation
from .predictions import Predictions

Floats = NDArray[np.float64]

# Curves as functions of the score c and of d = 1 - c, which keeps its digits where c is close to 1. xlogy(0, 0) is 0,
# so a slope of 0 gives a constant curve, end points included.
TRANSFORMS: dict[str, Callable[[Floats, Floats, float, float], Floats]] = {
    "identity": lambda c, d, b0, b1: c,
    "logit": lambda c, d, b0, b1: expit(b0 + xlogy(b1, c) - xlogy(b1, d)),
    "log": lambda c, d, b0, b1: np.exp(np.minimum(b0 + xlogy(b1, c), 0.0)),
    "logflip": lambda c, d, b0, b1: -np.expm1(np.minimum(b0 + xlogy(b1, d), 0.0)),
    "logit-logflip": lambda c, d, b0, b1: expit(b0 + xlogy(b1, d)),
}


@dataclass(frozen=True)
class Network:
    """A distribution of scores and the true probability of being right at each of them.

    Parameters
    ----------
    name : str
    a, b : float, above 0
        The top-1 score c follows Beta(a, b), so 1 - c follows Beta(b, a).
    transform : str
        The family of the true curve T(c), clipped to [0, 1]: "logit": logistic(b0 + b1 logit c);
        "log": exp(b0) c^b1 (with b0 = 0 the power c^b1); "logflip": 1 - exp(b0) (1-c)^b1;
        "logit-logflip": logistic(b0 + b1 log(1-c)); "identity": c itself, a calibrated network.
    b0, b1 : float
    """

    name: str
    a: float
    b: float
    transform: str = "identity"
    b0: float = 0.0
    b1: float = 0.0

    def __post_init__(self) -> None:
        for argument in ("a", "b"):
            validation.real_number(getattr(self, argument), argument, 0.0, np.inf, open_ends=True)
        for argument in ("b0", "b1"):
            validation.real_number(getattr(self, argument), argument, -np.inf, np.inf)
        validation.choice(self.transform, "transform", tuple(TRANSFORMS))

    def true_curve(self, c: ArrayLike, complement: ArrayLike | None = None) -> Any:
        """The true probability T(c) that a prediction of score c is right.

        Parameters
        ----------
        c : array-like, values in [0, 1]
        complement : array-like of the same shape, optional
            1 - c where it is known better than c can tell: a quarter of the scores of some networks round to 1.

        Returns
        -------
        ndarray or float, values in [0, 1]
        """
        score = np.asarray(c, dtype=np.float64)
        rest = 1.0 - score if complement is None else np.asarray(complement, dtype=np.float64)
        return np.clip(TRANSFORMS[self.transform](score, rest, self.b0, self.b1), 0.0, 1.0)

    def draw_complements(self, n: int, rng: np.random.Generator) -> Floats:
        """n draws of 1 - c, which keep the digits that c would lose."""
        return rng.beta(self.b, self.a, n)


NETWORKS = {
    network.name: network
    for network in (
        Network("resnet110_c10", 2.7752, 0.0478, "logflip", -0.24, 0.30),
        Network("resnet110_sd_c10", 2.1714, 0.0394, "logit-logflip", -0.27, -0.35),
        Network("resnet_wide32_c10", 2.3806, 0.0379, "logit", 0.0, 0.26),
        Network("densenet40_c10", 1.9824, 0.0397, "logit-logflip", 0.0, -0.26),
        Network("resnet110_c100", 1.1823, 0.1081, "logflip", -0.11, 0.28),
        Network("resnet110_sd_c100", 1.1233, 0.1147, "logit", -0.88, 0.49),
        Network("resnet_wide32_c100", 1.0611, 0.0650, "logflip", -0.13, 0.21),
        Network("densenet40_c100", 1.0805, 0.0808, "logit", -0.97, 0.34),
        Network("resnet152_imagenet", 1.1359, 0.2069, "logflip", -0.12, 0.58),
        Network("densenet161_imagenet", 1.1928, 0.2206, "log", -0.03, 1.27),
    )
}


def simulated(name: str | Network, n: int, seed: int | None = 0) -> Predictions:
    """Draw the predictions of a simulated network.

    Parameters
    ----------
    name : str or Network
        One of the ten in `NETWORKS`, or a network of your own.
    n : int, at least 1
    seed : int
        The same seed gives the same predictions.

    Returns
    -------
    Predictions
        Binary: the classes are "wrong" and "right", the score c is the probability of "right", and the label is
        drawn with its true probability T(c), which stands in the field `truth`.

    Raises
    ------
    ValueError
        For an unknown name; the message lists the known ones.
    """
    network = _network(name, "name")
    validation.whole_number(n, "n", 1)
    rng = np.random.default_rng(validation.seed(seed))
    complement = network.draw_complements(n, rng)
    score = 1.0 - complement
    truth = network.true_curve(score, complement)
    return Predictions(
        np.column_stack([complement, score]),
        (rng.random(n) < truth).astype(np.int64),
        class_names=("wrong", "right"),
        fields={"truth": truth},
        about={
            "title": f"simulated {network.name}",
            "made": f"{n} scores from Beta({network.a:g}, {network.b:g}), labels from their true curve; seed {seed}",
            "licence": "none needed: simulated",
            "source": f"cv.simulated({'cv.simulation.' if name is network else ''}{name!r}, {n}, seed={seed})",
        },
    )


def true_calibration_error(network: str | Network, p: float = 2) -> float:
    """The true calibration error TCE_p = (E|c - T(c)|^p)^(1/p) of a simulated network.

    Parameters
    ----------
    network : str or Network
    p : float, at least 1

    Returns
    -------
    float, in [0, 1]

    Notes
    -----
    Roelofs et al. (2022), eq. 2. The density of the scores is unbounded at c = 1. Integrating over its quantiles
    instead of over c makes the mass uniform, so nothing has to be cut off.
    """
    net = _network(network, "network")
    power = validation.real_number(p, "p", 1.0, np.inf)

    def gap(u: float) -> float:
        score = betainccinv(net.a, net.b, u)
        return float(abs(score - net.true_curve(score, betaincinv(net.b, net.a, u))) ** power)

    # full_output: a kink where curve and diagonal cross can keep the last digits away, which is no cause to warn.
    mean, *_ = quad(gap, 0.0, 1.0, epsabs=1e-10, epsrel=1e-8, limit=1000, full_output=True)
    return float(mean ** (1.0 / power))


def _network(value: str | Network, argument: str) -> Network:
    return value if isinstance(value, Network) else NETWORKS[validation.choice(value, argument, tuple(NETWORKS))]
