"""The flexible calibration curve of clinical prediction models, and the indices that are read off it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri

from ...context.conditions import Condition
from ...context.induced import Judged
from ...context.lenses import Lens
from ...data.dependence import assumes_independence
from ...data.models import takes_arrays
from ...engine.clustered import Clusters
from ...engine.scalar import ScalarProblem, once
from ...foundation import validation
from ...foundation.arrays import Array, dot
from ...foundation.described import Described, described
from ...foundation.written import Brief
from ..asked import measured_each, of_lens, problem_of
from ..masses import quantiles_of, repetitions
from .belt import PLACES, SOURCE as SOURCE_OF_BELT, CalibrationBelt
from .estimates import LEVEL, slope_limit
from .honest_band import HonestCurve
from .logistic_fits import fitted_logistic, information, log_odds
from .penalised_curve import penalised_curve

#: Quantiles at which knots are placed (Harrell 2015), tried in this order.
KNOTS = ((0.05, 0.275, 0.5, 0.725, 0.95), (0.05, 0.35, 0.65, 0.95), (0.1, 0.5, 0.9))
KNOT_TOLERANCE = 1e-9  # closer knots are made one


@dataclass(frozen=True)
class CalibrationIndices(Brief):
    """How far the scores are from the flexible curve c; see `calibration_indices`.

    Attributes
    ----------
    ici : float, in [0, 1]
        The mean of ``|s - c(s)|`` (Austin and Steyerberg 2019).
    e50, e90, emax : float, in [0, 1]
        Its median, its 90 % quantile and its largest value.
    eci : float, in [0, 100]
        100 times the mean of (s - c(s))^2 (Van Hoorde et al. 2015).

    See Also
    --------
    calibration_indices : What makes them.
    calibration_curve : The curve that they measure.

    Examples
    --------
    >>> found = cv.calibration_indices(cv.load_dataset("tumours")["naive Bayes"])
    >>> found.e50 <= found.e90 <= found.emax
    True
    """

    ici: float
    e50: float
    e90: float
    emax: float
    eci: float


class Curve(Protocol):
    """A calibration curve with a band, and what it is attributed to."""

    @property
    def about(self) -> dict[str, Any]: ...
    def __call__(self, score: Array, /) -> Array: ...
    def band(self, score: Array, level: float) -> tuple[Array, Array]: ...


class FlexibleCurve:
    """The logistic regression of the targets on a natural cubic spline of the log-odds of the scores."""

    def __init__(self, problem: ScalarProblem) -> None:
        odds, target, times = log_odds(problem.score), problem.target, repetitions(problem)
        self.knots = _knots(odds, times)  # as log-odds, ascending; empty where the curve is straight
        # Rounding gives equal log-odds a spread, too.
        self._centre, self._width = odds.mean(), odds.std() if np.ptp(odds) else 1.0
        # In an orthonormal basis of the same curves the fit is well conditioned.
        basis = self._basis(odds)
        _, size, right = np.linalg.svd(basis, full_matrices=False)
        kept = size > size[0] * 1e-12
        self._turn = right[kept].T / size[kept]
        features = basis @ self._turn
        self._found = fitted_logistic(features, target, times, np.zeros(features.shape[1]))
        chance = expit(features @ self._found)
        self._clusters = Clusters.of(problem)
        self._variance = None
        if np.isfinite(slope_limit(odds, target)):
            known = np.linalg.pinv(information(features, chance, times), hermitian=True)
            self._variance = known
            if self._clusters is not None:
                moves = features * ((problem.given_target - chance) * (times.sum() / self._clusters.total))[:, None]
                with np.errstate(over="ignore", invalid="ignore"):  # where the curve's pieces separate the targets
                    self._variance = self._clusters.correction * known @ self._clusters.outer(moves) @ known

    @property
    def about(self) -> dict[str, Any]:
        """The knots as probabilities."""
        return {"knots": expit(self.knots).tolist()}

    def __call__(self, score: Array) -> Array:
        """The probability that the curve gives to scores."""
        return expit(self._features(score) @ self._found)

    def band(self, score: Array, level: float) -> tuple[Array, Array]:
        """The pointwise interval of the curve; nan where the targets are of one class, or separated."""
        features = self._features(score)
        if self._variance is None:
            return np.full(len(score), np.nan), np.full(len(score), np.nan)
        eta = features @ self._found
        reach = ndtri((1 + level) / 2) if self._clusters is None else self._clusters.reach(level)
        with np.errstate(over="ignore", invalid="ignore"):
            half = reach * np.sqrt(np.einsum("ij,jk,ik->i", features, self._variance, features))
        return expit(eta - half), expit(eta + half)

    def _features(self, score: Array) -> Array:
        return self._basis(log_odds(score)) @ self._turn

    def _basis(self, odds: Array) -> Array:
        """Constant, line and cubic pieces that are straight beyond the outer knots (Harrell 2015, section 2.4.5)."""
        columns = [np.ones_like(odds), (odds - self._centre) / self._width]
        if len(self.knots):
            first, *_, before, last = self.knots
            scale = (last - first) ** 2
            for knot in self.knots[:-2]:
                pieces = (
                    _cube(odds - knot)
                    - _cube(odds - before) * (last - knot) / (last - before)
                    + _cube(odds - last) * (before - knot) / (last - before)
                )
                columns.append(pieces / (scale * self._width))
        return np.column_stack(columns)


def _cube(x: Array) -> Array:
    return np.maximum(x, 0.0) ** 3


def _knots(odds: Array, times: Array) -> Array:
    distinct = len(np.unique(odds))
    for places in KNOTS:
        if distinct < len(places):
            continue
        kept: list[float] = []
        for knot in quantiles_of(odds, times, places):
            if not kept or knot - kept[-1] >= KNOT_TOLERANCE:
                kept.append(float(knot))
        if len(kept) >= 3:
            return np.array(kept)
    return np.empty(0)


def flexible_curve(problem: ScalarProblem) -> FlexibleCurve:
    """The curve of a problem, which keeps it."""
    return once(problem, "flexible curve", lambda: FlexibleCurve(problem))


SMOOTHERS: dict[str, Callable[[ScalarProblem], Curve]] = {
    "penalised": penalised_curve,
    "spline": flexible_curve,
    "honest": HonestCurve,
    "belt": CalibrationBelt,
}
SMOOTHER = "penalised"
SOURCES = {
    "penalised": "a penalised logistic regression on the log-odds and waves of the rank of the score",
    "spline": "Harrell 2015, section 2.4.5; Van Calster et al. 2016",
    "honest": "Dimitriadis, Duembgen, Henzi, Puke and Ziegel 2023",
    "belt": SOURCE_OF_BELT,
}
SAID = {
    "score": Described("score"),
    "probability": Described("flexible curve: share of events at the score"),
    "lower": Described("lower end of the band"),
    "upper": Described("upper end of the band"),
}


@assumes_independence
@takes_arrays
def calibration_curve(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    at: ArrayLike | None = None,
    level: float = LEVEL,
    smoother: str = SMOOTHER,
) -> xr.Dataset:
    """The flexible calibration curve: the share observed at each score, as a smooth curve with a confidence band.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    at : array-like, shape (m,), in [0, 1], optional
        The scores at which the curve is wanted; by default 101 even steps from the least to the largest score.
    level : float, in (0, 1)
        Of the band.
    smoother : {"penalised", "spline", "honest", "belt"}
        "penalised": logistic regression on the log-odds of the score and 20 waves of its rank, whose penalty pulls
        towards a calibrated curve. Its band is pointwise; a dip narrower than about a tenth of the samples is smoothed
        away. "spline": unpenalised logistic regression on a natural cubic spline of the log-odds, whose five knots are
        the 5, 27.5, 50, 72.5 and 95 % quantiles, fewer where there are few distinct scores; it is what R draws, and
        what `calibration_indices` measure. "honest": the penalised curve, with a band that holds the whole true curve
        at once, if only that rises; it is much wider. Scores outside of it are refuted. "belt": the polynomial and the
        belt of `calibration_belt`, beyond the scores that it keeps too.

    Returns
    -------
    xarray.Dataset
        Over `score`: probability, lower and upper; those of the spline are nan where the targets are of one class or
        separated by the scores. Attributes: `smoother`, `level`, the penalty `roughness` of the penalised curve,
        `knots` of the spline, as probabilities, and `degree`, `statistic`, `p_value` of the belt.

    Raises
    ------
    ValueError
        As `observed_expected`; where an entry of `at` is no probability; and with `smoother="honest"` for weights that
        do not count repetitions; with `smoother="belt"` as `calibration_belt`.

    See Also
    --------
    calibration_belt : A polynomial with its test.
    calibration_indices : How far the scores are from it.
    reliability : Bins in place of a curve.

    Notes
    -----
    The penalised curve is c(s) = logistic(b . X(s)), X(s) = 1, z, sqrt(2) cos(pi j x) for j = 1 to 20, z = logit s kept
    in [-25, 25] and x the share of samples below the score and of half its ties. Tied targets are averaged, more than
    250 samples are grouped to 250 cells of neighbours. Prior means of b are 0, 1, 0, ..., precisions 0.1, 1 and
    r j^4 / 10; of r = 10, 1, 0.1, 0.01 the AIC chooses. The band holds the quantiles of the normal approximation. At an
    end where all samples are right, or all wrong, it may reach from 0 to 1. Pictures draw it no wider there than the
    interval of Clopper and Pearson 1934 for the share of these samples.

    References
    ----------
    Harrell 2015, Regression Modeling Strategies, section 2.4.5; Van Calster et al. 2016, A calibration hierarchy for
    risk models was defined (the spline). Dimitriadis, Duembgen, Henzi, Puke and Ziegel 2023, Honest calibration
    assessment for binary outcome predictions, Biometrika 110(3) (the honest band, thinned to 60 cuts).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> cv.calibration_curve(p, at=[0.2, 0.8]).probability.round(2).values
    array([0.12, 0.95])
    """
    level, smoother = validation.level(level), validation.choice(smoother, "smoother", tuple(SMOOTHERS))
    places = None if at is None else _places(at)

    def measure(problem: ScalarProblem) -> xr.Dataset:
        curve = SMOOTHERS[smoother](problem)
        scores = np.linspace(problem.score[0], problem.score[-1], PLACES) if places is None else places
        lower, upper = curve.band(scores, level)
        table = xr.Dataset(
            {"probability": ("score", curve(scores)), "lower": ("score", lower), "upper": ("score", upper)},
            {"score": scores},
            {"smoother": smoother, "level": level} | curve.about,
        )
        return described(table, SOURCES[smoother], SAID)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def _places(at: Any) -> Array:
    places = validation.float_values(at, "at", 1)
    outside = np.flatnonzero(~((places >= 0) & (places <= 1)))
    if len(outside):
        raise ValueError(f"at must hold scores from 0 to 1, but at[{outside[0]}] is {places[outside[0]]:g}")
    return places


@of_lens()
def calibration_indices(problem: ScalarProblem) -> CalibrationIndices:
    """ICI, E50, E90, Emax and ECI: how far the scores are from the flexible calibration curve.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.

    Returns
    -------
    CalibrationIndices
        With ici, e50, e90, emax and eci. They depend on the smoother: packages that take a loess give other numbers.

    Raises
    ------
    ValueError
        As `observed_expected`.

    See Also
    --------
    calibration_curve : The curve.
    calibration_error : The same idea in bins.

    References
    ----------
    Austin and Steyerberg 2019, The Integrated Calibration Index (ICI) and related metrics; Van Hoorde et al. 2015, A
    spline-based tool to assess and visualize the calibration of multiclass risk predictions (ECI).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.calibration_indices(p).ici == cv.ici(p)
    True
    """
    return indices_of(problem)


def indices_of(problem: ScalarProblem) -> CalibrationIndices:
    """The indices of one problem."""
    gap = np.abs(problem.score - flexible_curve(problem)(problem.score))
    weight = problem.weight / problem.total
    e50, e90 = quantiles_of(gap, repetitions(problem), (0.5, 0.9))
    return CalibrationIndices(dot(weight, gap), float(e50), float(e90), float(gap.max()), 100 * dot(weight, gap**2))


@takes_arrays
def ici(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> float:
    """Integrated calibration index: the mean distance ``|s - c(s)|`` of the scores from the flexible curve c.

    See Also
    --------
    calibration_indices : All five indices at once.

    Examples
    --------
    >>> round(cv.ici(cv.load_dataset("tumours")["naive Bayes"]), 3)
    0.054
    """
    return calibration_indices(predictions, lens, selection=selection, outcome=outcome).ici
