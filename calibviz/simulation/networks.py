"""Simulated predictions whose true calibration error is known.

Scores are drawn from a Beta distribution and labels from a true calibration curve; both were fitted by Roelofs et
al. (2022, "Mitigating bias in calibration error estimation", sections 3 and 5) to ten networks. What an estimator
says about such data can be held against the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betainccinv, betaincinv, betaln, expit, xlogy

from ..context.conditions import Condition
from ..context.induced import Judged
from ..context.lenses import Lens
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array, float_array
from ..foundation.sources import Source
from .drawn import DrawnNetwork, drawn_network
from .empirical import EmpiricalNetwork, empirical_network
from .known_truth import KnownTruth

MOST_POWER = 1000.0  # of distances whose mean is taken by an integral: of more, nothing counts but the largest
POPULATION = 2**16  # samples that stand for infinitely many
TAIL = (np.log(2.0), 2.0, 5.0, 10.0, 20.0, 50.0, 120.0, 300.0, 700.0)  # of a logarithm of a share, from a half down

# Curves as functions of the score c and of d = 1 - c, which keeps its digits where c is close to 1. xlogy(0, 0) is 0,
# so a slope of 0 gives a constant curve, end points included.
TRANSFORMS: dict[str, Callable[[Array, Array, float, float], Array]] = {
    "identity": lambda c, d, b0, b1: c,
    "logit": lambda c, d, b0, b1: expit(b0 + xlogy(b1, c) - xlogy(b1, d)),
    "log": lambda c, d, b0, b1: np.exp(np.minimum(b0 + xlogy(b1, c), 0.0)),
    "logflip": lambda c, d, b0, b1: -np.expm1(np.minimum(b0 + xlogy(b1, d), 0.0)),
    "logit-logflip": lambda c, d, b0, b1: expit(b0 + xlogy(b1, d)),
    "logistic": lambda c, d, b0, b1: expit(b0 + b1 * c),
}


def _floats(value: Any, name: str) -> Array:
    return float_array(value, name).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Network(KnownTruth):
    """A distribution of scores and the true probability of being right at each of them.

    Parameters
    ----------
    name : str
    a, b : float, above 0
        The top-1 score c follows Beta(a, b), so 1 - c follows Beta(b, a).
    transform : str
        The family of the true curve T(c), clipped to [0, 1]: "logit": logistic(b0 + b1 logit c);
        "log": exp(b0) c^b1 (with b0 = 0 the power c^b1); "logflip": 1 - exp(b0) (1-c)^b1;
        "logit-logflip": logistic(b0 + b1 log(1-c)); "logistic": logistic(b0 + b1 c); "identity": c itself, a
        calibrated network.
    b0, b1 : float

    See Also
    --------
    simulated : Predictions of a network.
    true_calibration_error : Its true error.
    fit_network : A network like the predictions at hand.

    Examples
    --------
    >>> mine = cv.Network("mine", a=2.0, b=1.0, transform="log", b1=2.0)
    >>> mine.true_curve([0.5, 1.0])
    array([0.25, 1.  ])
    """

    name: str
    a: float
    b: float
    transform: str = "identity"
    b0: float = 0.0
    b1: float = 0.0

    def __post_init__(self) -> None:
        validation.text(self.name, "name")
        for argument in ("a", "b"):
            value = validation.real_number(getattr(self, argument), argument, 0.0, np.inf, open_ends=True)
            object.__setattr__(self, argument, float(value))
        for argument in ("b0", "b1"):
            value = validation.real_number(getattr(self, argument), argument, -np.inf, np.inf)
            object.__setattr__(self, argument, float(value))
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

        See Also
        --------
        true_calibration_error : The mean distance of the curve from the diagonal.
        simulated : Labels drawn from it.
        """
        score = _floats(c, "c")
        rest = 1.0 - score if complement is None else _floats(complement, "complement")
        return np.clip(TRANSFORMS[self.transform](score, rest, self.b0, self.b1), 0.0, 1.0)

    def draw_complements(self, n: int | tuple[int, ...], rng: np.random.Generator) -> Array:
        """n draws of 1 - c, which keep the digits that c would lose."""
        return rng.beta(self.b, self.a, n)

    def quantiles(self, levels: ArrayLike) -> tuple[Array, Array]:
        """The scores c below which a share of `levels` lies, ascending with them, and 1 - c of each."""
        rest = betaincinv(self.b, self.a, 1.0 - _floats(levels, "levels"))
        return 1.0 - rest, rest

    def share_below(self, c: ArrayLike) -> Array:
        """The share of the scores below c, of its shape."""
        return betainc(self.a, self.b, _floats(c, "c"))

    @property
    def scores_from(self) -> str:
        return f"Beta({self.a:.5g}, {self.b:.5g})"

    @property
    def score_key(self) -> Hashable:
        return self.a, self.b

    @property
    def score_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator, ascending: bool = False) -> tuple[Array, Array]:
        is_sorted = validation.truth(ascending, "ascending")
        rest = self.draw_complements(shape, rng)
        if is_sorted:
            rest.sort(axis=-1)
            rest = rest[..., ::-1]
        return 1.0 - rest, rest

    def shares_between(self, edges: Array) -> Array:
        return np.diff(self.share_below(edges))

    @property
    def population(self) -> ScalarProblem:
        """So many scores at evenly spaced quantiles that they leave no noise."""
        score, rest = self.quantiles((np.arange(POPULATION) + 0.5) / POPULATION)
        return ScalarProblem(score, self.true_curve(score, rest))

    def true_error(self, p: float) -> float:
        # A subclass may have a curve of its own.
        return _kept_error(replace(self, name=""), p) if type(self) is Network else _true_error(self, p)

    @property
    def calibrated(self) -> Network:
        """The network of the same scores that is calibrated.

        See Also
        --------
        power : Networks that leave the diagonal by degrees.
        miss_rates : Sets its threshold by such networks.
        """
        return Network(f"{self.name}, calibrated", self.a, self.b)

    @classmethod
    def power(cls, exponent: float, a: float = 1.0, b: float = 1.0, name: str | None = None) -> Network:
        """A network whose true curve is T(c) = c^exponent: calibrated at 1, the more over-confident the higher.

        Parameters
        ----------
        exponent : float, above 0
            Below 1 the network is under-confident.
        a, b : float, above 0
            The scores follow Beta(a, b); by default they are uniform.
        name : str, optional
            By default "c^2" or so: networks that differ in their scores alone need names to stand side by side.

        See Also
        --------
        published : The ten of ece_sweep.
        true_calibration_error : Its true error.
        miss_rates : Takes such networks unless others are given.

        Notes
        -----
        Roelofs et al. (2022), sections 5.3 and 5.4, vary the true error in this way.

        Examples
        --------
        >>> round(cv.true_calibration_error(cv.Network.power(2.0)), 4)
        0.1826
        """
        d = validation.real_number(exponent, "exponent", 0.0, np.inf, open_ends=True)
        return cls(f"c^{d:g}" if name is None else name, a, b, "log", 0.0, d)

    @staticmethod
    @takes_arrays
    def empirical(
        predictions: Judged,
        lens: str | Lens | None = None,
        *,
        selection: str | Condition | None = None,
        outcome: int | str | None = None,
        name: str = "predictions",
    ) -> EmpiricalNetwork:
        """A simulated network with the scores of the predictions, and the true curve that `trust` fits to their labels.

        Parameters
        ----------
        predictions, lens, selection, outcome
            As in `calibration_error`; a vector lens needs an outcome.
        name : str
            Of the network.

        Returns
        -------
        EmpiricalNetwork
            For `simulated`, `simulate_errors`, `miss_rates`, `true_calibration_error` and `SimulationLab`.

        Raises
        ------
        ValueError
            Where the selection keeps no sample or looks at the truth, or the lens makes several problems or one whose
            entries share labels ("pooled").

        See Also
        --------
        trust : What estimators make of data sets of these very scores.
        fit_network : A Beta distribution in place of the scores, and a curve of two parameters.
        interval : Between which errors that of the predictions lies.

        Notes
        -----
        Scores are drawn with replacement, in proportion to their weights, and a label is 1 with the probability T(s) of
        the penalised curve of `calibration_curve`. The true error ``(mean |s - T(s)|^p)^(1/p)`` is that of this curve,
        the `curve_error` of `trust`. What the predictions' own is, nobody knows; `interval` says where it lies. Soft
        labels are taken; those that are drawn are 0 or 1.

        Examples
        --------
        >>> p = cv.load_dataset("digits")["neural network"]
        >>> network = cv.Network.empirical(p)
        >>> round(cv.true_calibration_error(network, 1), 4)
        0.0334
        >>> round(cv.trust(p).curve_error, 4)
        0.0334
        """
        return empirical_network(predictions, lens, selection, outcome, name)

    @staticmethod
    def drawn(
        curve: ArrayLike | None = None,
        density: ArrayLike | None = None,
        *,
        base: str | KnownTruth | None = None,
        rounded: bool = False,
        name: str = "drawn",
    ) -> DrawnNetwork:
        """A simulated network whose true curve, or density of scores, or both, are drawn by hand.

        Parameters
        ----------
        curve : array-like, shape (11,), values in [0, 1], optional
            The true probability at the scores 0, 0.1, ..., 1, with straight lines between them. By default that of the
            base, or the diagonal.
        density : array-like, shape (20,), values in [0, 1], optional
            Relative heights over the intervals 0 to 0.05, 0.05 to 0.1, ..., in each of which scores are uniform. By
            default the scores of the base, or uniform ones.
        base : network or name of one of the ten of ece_sweep, optional
            What is not drawn is its.
        rounded : bool
            Whether all scores of an interval are its middle.
        name : str

        Returns
        -------
        DrawnNetwork
            For `simulated`, `simulate_errors`, `miss_rates`, `true_calibration_error` and `SimulationLab`.

        Raises
        ------
        ValueError
            For another number of heights, for one outside of [0, 1], where all of a density are 0, and for rounded
            scores without a density.

        See Also
        --------
        power : Networks that leave the diagonal by degrees.
        empirical : The scores at hand.
        SimulationLab : Draws them with a pointer.

        Notes
        -----
        Of a drawn curve and a drawn density the true error is an integral of powers of straight lines, which is exact.
        Else it is a mean over 65,536 evenly spaced quantiles of the scores.

        Examples
        --------
        >>> noisy = cv.Network.drawn([0.1 + 0.08 * k for k in range(11)])  # a calibrated model, 10 % of labels wrong
        >>> round(cv.true_calibration_error(noisy, 1), 4)
        0.05
        """
        return drawn_network(curve, density, None if base is None else network_of(base, "base"), rounded, name)

    @classmethod
    def published(cls) -> dict[str, Network]:
        """The ten networks that Roelofs et al. (2022) fitted, by their names, which stand for them everywhere.

        See Also
        --------
        power : Networks that leave the diagonal by degrees.
        fit_network : A network like the predictions at hand.

        Examples
        --------
        >>> cv.Network.published()["resnet110_c10"].transform
        'logflip'
        """
        return dict(NETWORKS)


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


def simulated(
    name: str | KnownTruth,
    n: int,
    *,
    rng: int | np.random.Generator | None = 0,
) -> Predictions:
    """Draw the predictions of a simulated network.

    Parameters
    ----------
    name : str, Network, or what `Network.empirical` or `Network.drawn` returns
        One of the ten in `Network.published`, or a network of your own.
    n : int, at least 1
    rng : int, numpy.random.Generator or None
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

    See Also
    --------
    Network : Networks of your own, and the ten by name.
    fit_network : A network like the predictions at hand.
    true_calibration_error : What estimators should find.

    Examples
    --------
    >>> p = cv.simulated("resnet110_c10", 1000)
    >>> round(cv.calibration_error(p, "class right"), 3)
    0.055
    """
    seed = validation.rng(rng)
    network = network_of(name, "name")
    validation.whole_number(n, "n", 1)
    rng = np.random.default_rng(seed)
    score, complement = network.draw((n,), rng)
    truth = network.true_curve(score, complement)
    made = Predictions(
        np.column_stack([complement, score]),
        (rng.random(n) < truth).astype(np.intp),
        of_confidence=True,
        fields={"truth": truth},
        about={
            "title": f"simulated {network.name}",
            "made": f"{n} scores from {network.scores_from}, labels from their true curve; seed {seed}",
            "licence": "none needed: simulated",
        },
    )
    known = isinstance(name, str) or type(network) is Network  # a subclass may draw in ways of its own
    return made._made_by(Source("cv.simulated")(name, n, rng=seed)) if known else made


def true_calibration_error(network: str | KnownTruth, p: float = 2) -> float:
    """The true calibration error ``TCE_p = (E|c - T(c)|^p)^(1/p)`` of a simulated network.

    Parameters
    ----------
    network : str, Network, or what `Network.empirical` or `Network.drawn` returns
    p : float, 1 to 1000

    Returns
    -------
    float, in [0, 1]

    See Also
    --------
    calibration_error : Its estimate from predictions.
    simulate_errors : Bias and spread of estimates.

    Notes
    -----
    Roelofs et al. (2022), eq. 1. For p = 2 and curves that are powers of c or of 1 - c it is a sum of moments of the
    Beta distribution. Else the density of the scores, which is unbounded at c = 1, is integrated over its quantiles
    instead of over c, so nothing has to be cut off. For an empirical network it is a mean over its scores.

    Examples
    --------
    >>> round(cv.true_calibration_error("resnet110_c10"), 4)
    0.1071
    """
    net = network_of(network, "network")
    return net.true_error(validation.real_number(p, "p", 1.0, MOST_POWER))


def _true_error(net: Network, power: float) -> float:
    """TCE_p of scores from a Beta distribution."""
    if net.transform == "identity":
        return 0.0
    if power == 2 and net.transform in ("log", "logflip") and net.b0 <= 0 <= net.b1:  # nothing is clipped
        return _closed_form(net)

    # Both tails over the logarithm of their mass: a high power of the distance looks at a tiny share of the scores.
    steps = np.geomspace(TAIL[0], TAIL[-1], 1000)
    shares = np.exp(-steps)
    tops = betaincinv(net.b, net.a, shares), betainccinv(net.a, net.b, shares)
    ends = [betaincinv(net.a, net.b, shares), tops[1]], [betainccinv(net.b, net.a, shares), tops[0]]
    gaps = np.abs(ends[0] - net.true_curve(*ends))
    # Scaled so that the largest of what is added up is 1: no power of a distance vanishes, or is too large.
    scale = float(np.nanmax(gaps * np.exp(-steps / power)))
    if scale == 0:
        return 0.0

    def gap(c: float, d: float, x: float) -> float:
        distance = float(abs(c - net.true_curve(c, d))) / scale
        return float(np.exp(power * np.log(distance) - x)) if distance > 0 else 0.0

    def upper(x: float) -> float:
        rest, score = _tail(net.b, net.a, x)
        return gap(score, rest, x)

    def lower(x: float) -> float:
        score, rest = _tail(net.a, net.b, x)
        return gap(score, rest, x)

    # full_output: a kink where curve and diagonal cross can keep the last digits away, which is no cause to warn.
    def integral(tail: Callable[[float], float]) -> float:
        from scipy.integrate import quad  # loads much more of SciPy, which few need

        parts = [quad(tail, *ends, epsabs=0.0, epsrel=1e-9, limit=500, full_output=True)[0] for ends in pairwise(TAIL)]
        return float(sum(parts))

    return scale * (integral(upper) + integral(lower)) ** (1.0 / power)


#: The true error of a network whose name is left out; each step of a slider asks for it.
_kept_error = lru_cache(maxsize=256)(_true_error)


def _tail(a: float, b: float, x: float) -> tuple[float, float]:
    """The quantile of Beta(a, b) below which a share exp(-x) lies, and 1 less it."""
    share = np.exp(-x)
    low, rest = float(betaincinv(a, b, share)), float(betainccinv(b, a, share))
    if np.isnan(low) or np.isnan(rest):  # SciPy gives up on some tiny shares, where one term of the series is enough
        low = float(np.exp((np.log(a) + betaln(a, b) - x) / a))
        rest = 1.0 - low
    return low, rest


def _closed_form(net: Network) -> float:
    """TCE_2 of T(c) = e^b0 c^b1 or of 1 - T(c) = e^b0 (1-c)^b1, the expected square of the difference of two powers."""
    a, b = (net.a, net.b) if net.transform == "log" else (net.b, net.a)
    factor = np.exp(net.b0)

    def moment(power: float) -> float:
        return float(np.exp(betaln(a + power, b) - betaln(a, b)))  # the function itself underflows

    mean = moment(2) - 2 * factor * moment(1 + net.b1) + factor**2 * moment(2 * net.b1)
    return float(np.sqrt(max(0.0, mean)))


def network_of(value: str | KnownTruth, argument: str) -> KnownTruth:
    """A network, or the one of the ten that bears a name."""
    if not isinstance(value, str | KnownTruth):
        hint = ": cv.Network.empirical makes one of predictions" if isinstance(value, Predictions) else ""
        raise TypeError(f"{argument} must be the name of a network or cv.Network(...), not {value!r}{hint}")
    return value if isinstance(value, KnownTruth) else NETWORKS[validation.choice(value, argument, tuple(NETWORKS))]
