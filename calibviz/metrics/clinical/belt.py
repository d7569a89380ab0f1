"""The calibration belt of GiViTI: a polynomial of the log-odds, the region of its likelihood, and the test of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import xarray as xr
from scipy.special import chdtrc, chdtri, expit, ndtr

from ...context.conditions import Condition
from ...context.induced import Judged
from ...context.lenses import Lens
from ...data.models import takes_arrays
from ...engine.scalar import ScalarProblem
from ...foundation import validation
from ...foundation.arrays import Array, dot, row_blocks
from ...foundation.clusters import refuse_clusters
from ...foundation.described import Described, described
from ...foundation.newton import minimum
from ..asked import measured_each, problem_of, refuse_by_truth, refuse_pooled, refuse_soft
from ..masses import repetitions
from .estimates import clip_of, kept_of, slope_limit
from .logistic_fits import FLAT, fitted_logistic, information, log_odds, loss_of

LEVELS = (0.8, 0.95)
PLACES = 101
HIGHEST = 4  # degree
ENTERS = float(chdtri(1, 0.05))  # the statistic above which the next power is taken up
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)
STEPS, NEAR = 100, 1e-9  # of Newton's method, and the relative size of one at which it ends
FARTHEST = 1.0  # log-odds that a step moves a sample by
CELLS = 2_000  # of neighbouring scores, in which the ends of a belt are sought
CERTAIN = 1e3  # log-odds beyond which nothing is told apart
UNKNOWN = 1e-9  # information on a coefficient, for each sample, where no polynomial is the likeliest one
LARGEST = 700.0  # statistic that is looked at: of calibrated scores none is as large
SOURCE = "Nattino, Finazzi and Bertolini 2014"
WHAT = "the calibration belt"
SEPARATED = f"{WHAT} needs outcomes of both kinds that the scores do not separate"
SAID = {
    "score": Described("score"),
    "level": Described("level of the belt"),
    "probability": Described("polynomial of the log-odds: share of events at the score", source=SOURCE),
    "lower": Described("lower end of the belt", source=SOURCE),
    "upper": Described("upper end of the belt", source=SOURCE),
    "degree": Described("degree of the polynomial", source=SOURCE),
    "statistic": Described("twice the gain in log-likelihood over the scores", source=SOURCE),
    "p_value": Described("p-value of the statistic, given the degree", source=SOURCE),
    "dropped": Described("number of samples of score 0 or 1, which are left out", "samples"),
    "impossible": Described("number of those that turned out otherwise", "samples"),
}


@takes_arrays
def calibration_belt(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    development: bool = False,
    levels: Sequence[float] = LEVELS,
    clip: float | None = None,
) -> xr.Dataset:
    """Calibration belt of GiViTI and its test: a polynomial of the log-odds, with the region of its likelihood.

    It is here because papers and reviewers ask for it. The test knows that the degree was chosen by looking. A
    polynomial follows neither steps nor narrow dips, and where a straight one was chosen for a bent truth the belt is
    too narrow: `calibration_curve` has a freer curve, and `calibration_test` sees errors of any shape.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    development : bool
        Whether the model was fitted to these samples, so that intercept 0 and slope 1 are no evidence.
    levels : sequence of float, in (0, 1)
        Of the belts.
    clip : float, in (0, 0.5), optional
        As in `calibration_slope`.

    Returns
    -------
    xarray.Dataset
        With degree (1 to 4), statistic, p_value, dropped and impossible; over 101 `score` from the least to the
        greatest probability, and over `level`, lower and upper.

    Raises
    ------
    ValueError
        For soft labels, samples in clusters, a selection that looks at the truth, the pooled lens, fewer distinct
        scores between 0 and 1 than the first polynomial has coefficients, where these separate the outcomes, and as
        `observed_expected`.

    See Also
    --------
    calibration_curve : A freer curve, and a band of it; `plots.calibration_curve(p, smoother="belt")` draws a belt.
    calibration_test : A test of errors of any shape.
    calibration_slope : The polynomial of degree 1; there both tests are one.

    Notes
    -----
    logit P(t = 1) = sum_j a_j (logit s)^j. From degree 1 (of development data 2) on, the next power up to the fourth is
    taken up while twice the gain in log-likelihood is above the 95 % quantile of chi-squared with 1 degree of freedom
    and one polynomial is the likeliest one.
    With m the degree where that ends, the statistic is twice the gain over the scores as they are. If they are
    calibrated, it is then distributed as a chi-squared variable with 2 degrees of freedom (of development data 1) and
    as many with 1 degree of freedom, each above that quantile, as powers were taken up.

    A belt holds the values of all polynomials of degree m whose likelihood is that close to the largest. The scores
    themselves are among them at level 95 % where p is above 5 %, so they never leave the belt then. The ends are sought
    on means over 2,000 cells of neighbouring scores where there are more distinct ones.

    References
    ----------
    Finazzi et al. 2011, Calibration belt for quality-of-care assessment based on dichotomous outcomes; Nattino, Finazzi
    and Bertolini 2014, A new calibration test and a reappraisal of the calibration belt for the assessment of
    prediction models based on dichotomous outcomes.

    Examples
    --------
    >>> found = cv.calibration_belt(cv.load_dataset("heart")["logistic regression"])
    >>> int(found.degree), round(float(found.p_value), 2)
    (1, 0.15)
    """
    first = 2 if validation.truth(development, "development") else 1
    wanted = [validation.level(level, "levels") for level in validation.listing(levels, "levels", "numbers")]
    validation.refuse_repeats("level", [str(level) for level in wanted])
    clip = clip_of(clip)
    refuse_pooled(lens, "a test")

    def measure(problem: ScalarProblem) -> xr.Dataset:
        belt = CalibrationBelt(problem, first, clip)
        scores = np.linspace(*belt.span, PLACES)
        ends = np.array([belt.band(scores, level) for level in wanted]).reshape(len(wanted), 2, PLACES)
        over = "level", "score"
        table = {"probability": ("score", belt(scores)), "lower": (over, ends[:, 0]), "upper": (over, ends[:, 1])}
        numbers = belt.about | {"dropped": belt.dropped, "impossible": belt.impossible}
        table |= {name: ((), value) for name, value in numbers.items()}
        return described(xr.Dataset(table, {"score": scores, "level": wanted}), SOURCE, SAID)

    return cast(xr.Dataset, measured_each(problem_of(predictions, lens, selection, outcome), measure))


class CalibrationBelt:
    """The polynomial of one problem, and the region of its likelihood; see `calibration_belt`.

    `first` is the degree of the first polynomial: 1, or 2 of development data; `clip` is as in `calibration_slope`. The
    attribute `span` holds the least and the greatest score that is kept.
    """

    def __init__(self, problem: ScalarProblem, first: int = 1, clip: float | None = None) -> None:
        refuse_clusters(problem, WHAT)
        refuse_by_truth(problem, WHAT)
        refuse_soft(problem)
        kept, odds, self.dropped, self.impossible = kept_of(problem, clip)
        if kept is None or len(starts := np.flatnonzero(np.diff(odds, prepend=-np.inf))) <= first:
            raise ValueError(f"{WHAT} needs at least {first + 1} distinct scores between 0 and 1")
        if not np.isfinite(slope_limit(odds, kept.target)):
            raise ValueError(SEPARATED)
        times = np.add.reduceat(repetitions(kept), starts)
        target = np.add.reduceat(repetitions(kept) * kept.target, starts) / times
        odds, self.span, self._first = odds[starts], (float(kept.score[0]), float(kept.score[-1])), first
        self._centre, self._width = float(odds.mean()), float(odds.std())
        # In an orthonormal basis of the same polynomials the fit is well conditioned.
        root = np.sqrt(times / times.sum())[:, None]
        highest = min(HIGHEST, len(starts) - 1)
        self._turn = np.linalg.inv(np.linalg.qr(root * self._powers(odds, highest), mode="r"))
        features = self._powers(odds, highest) @ self._turn
        loss, self.degree = np.inf, first
        for degree in range(first, highest + 1):
            of_degree = features[:, : degree + 1]
            found = fitted_logistic(of_degree, target, times, np.zeros(degree + 1))
            reached = loss_of(of_degree @ found, target, times)
            known = information(of_degree, expit(of_degree @ found), times)
            has_largest = np.linalg.eigvalsh(known)[0] > UNKNOWN * times.sum()
            if degree == first and not has_largest:
                raise ValueError(SEPARATED)
            if degree > first and not (has_largest and 2 * (loss - reached) > ENTERS):
                break
            loss, self.degree, self._found = reached, degree, found
        self._group(features[:, : self.degree + 1], target, times)
        self.statistic = max(0.0, 2 * (loss_of(odds, target, times) - loss))
        self.p_value = float(tail(np.array(self.statistic), self.degree - first, 3 - first))

    def _group(self, features: Array, target: Array, times: Array) -> None:
        """Keep means over at most `CELLS` groups of neighbouring scores, on which the region is that of all, nearly."""
        starts = np.arange(len(times))
        if len(times) > CELLS:
            upto = np.cumsum(times)
            starts = np.flatnonzero(np.diff(np.floor(CELLS * (upto - times / 2) / upto[-1]), prepend=-1))
        self._times = np.add.reduceat(times, starts)
        self._target = np.add.reduceat(times * target, starts) / self._times
        self._features = np.add.reduceat(times[:, None] * features, starts) / self._times[:, None]
        self._middle = self._found
        if len(starts) < len(times):
            self._middle = fitted_logistic(self._features, self._target, self._times, self._found)
        self._loss = loss_of(self._features @ self._middle, self._target, self._times)

    @property
    def about(self) -> dict[str, Any]:
        """The degree, and the test."""
        return {"degree": self.degree, "statistic": self.statistic, "p_value": self.p_value}

    def __call__(self, score: Array) -> Array:
        """The probability that the polynomial gives to scores."""
        return expit(self._features_at(score) @ self._found)

    def band(self, score: Array, level: float) -> tuple[Array, Array]:
        """The least and the largest probability of a polynomial in the region of the likelihood."""
        reach, at = self._reach(level), self._features_at(score)
        lower, upper = (side * self._furthest(side * at, reach) for side in (-1, 1))
        return expit(lower), expit(upper)

    def _powers(self, odds: Array, degree: int) -> Array:
        return ((odds - self._centre) / self._width)[:, None] ** np.arange(degree + 1)

    def _features_at(self, score: Array) -> Array:
        size = self.degree + 1
        return self._powers(log_odds(score), self.degree) @ self._turn[:size, :size]

    def _reach(self, level: float) -> float:
        """The statistic that calibrated scores exceed with probability 1 - `level`, where the degree is this one."""
        from scipy.optimize import brentq

        taken, freedom = self.degree - self._first, 3 - self._first
        return float(brentq(lambda t: tail(np.array(t), taken, freedom) - (1 - level), taken * ENTERS, LARGEST))

    def _furthest(self, at: Array, reach: float) -> Array:
        """The largest values at . x, shape (p,), of coefficients x whose loss is `reach` / 2 above the least.

        There the gradient of the loss is a multiple of `at`: Newton's method solves both for x and the multiple, of all
        places at once, from the ellipsoid that the information gives.
        """
        values = np.empty(len(at))
        for rows in row_blocks(len(at), self._features.size):
            values[rows] = self._stepwise(at[rows], reach)
        for row in np.flatnonzero(np.isnan(values)):
            values[row] = self._searched(at[row], reach)
        return values

    def _stepwise(self, at: Array, reach: float) -> Array:
        """The values at some places by Newton's steps; nan where these do not lead there."""
        m, features = at.shape[1], self._features
        squares = (features[:, :, None] * features[:, None, :]).reshape(len(features), m * m)
        known = information(features, expit(features @ self._middle), self._times)
        towards = np.linalg.solve(known, at.T).T
        size = np.sqrt(np.sum(at * towards, axis=1))
        first = towards / size[:, None] * np.sqrt(reach)
        short = np.minimum(1.0, FARTHEST / np.abs(first @ features.T).max(axis=1))
        x, factor = self._middle + short[:, None] * first, short * np.sqrt(reach) / size
        bordered, wanted = np.zeros((len(at), m + 1, m + 1)), np.zeros((len(at), m + 1, 1))
        with np.errstate(all="ignore"):
            for _ in range(STEPS):
                eta = x @ features.T
                chance = expit(eta)
                slope = (self._times * (chance - self._target)) @ features
                bordered[:, :m, :m] = ((self._times * chance * (1 - chance)) @ squares).reshape(-1, m, m)
                bordered[:, :m, m], bordered[:, m, :m] = -at, slope
                wanted[:, :m, 0] = factor[:, None] * at - slope
                loss = np.sum(self._times * (np.logaddexp(0.0, eta) - self._target * eta), axis=1)
                wanted[:, m, 0] = self._loss + reach / 2 - loss
                try:
                    step = np.linalg.solve(bordered, wanted)[:, :, 0]
                except np.linalg.LinAlgError:
                    return np.full(len(at), np.nan)
                short = np.minimum(1.0, FARTHEST / np.abs(step[:, :m] @ features.T).max(axis=1))
                x, factor = x + short[:, None] * step[:, :m], factor + short * step[:, m]
                arrived = np.abs(step[:, :m]).max(axis=1) <= NEAR * (1 + np.abs(x).max(axis=1))
                if arrived.all():
                    break
            arrived &= (factor > 0) & np.isfinite(x).all(axis=1)
        return np.where(arrived, np.sum(at * x, axis=1), np.nan)

    def _searched(self, at: Array, reach: float) -> float:
        """The value at one place, by a search: its likeliest polynomial lies on the edge of the region."""
        from scipy.optimize import brentq

        unit = at / float(np.linalg.norm(at))
        others = np.linalg.svd(unit[None])[2][1:].T  # which leave the value as it is
        features, target, times, x = self._features @ others, self._target, self._times, self._middle @ others

        def above(value: float) -> float:
            nonlocal x
            fixed = self._features @ (unit * (value / float(np.linalg.norm(at))))

            def loss(x: Array) -> tuple[float, Array]:
                eta = fixed + features @ x
                return loss_of(eta, target, times), features.T @ (times * (expit(eta) - target))

            x = minimum(
                loss, lambda x: information(features, expit(fixed + features @ x), times), x, FLAT * float(times.sum())
            )
            return loss(x)[0] - self._loss - reach / 2

        least = most = dot(at, self._middle)
        while above(most) < 0:
            if most >= CERTAIN:
                return most
            least, most = most, min(most + 2 * max(1.0, most - dot(at, self._middle)), CERTAIN)
        return float(brentq(above, least, most, xtol=1e-9))


def tail(t: Array, taken: int, freedom: int) -> Array:
    """How often the statistic of calibrated scores is above t, of any shape, where so many powers were taken up.

    It is chi-squared with `freedom` degrees of freedom, and for each power the square of a standard normal variable
    that is above `ENTERS`.
    """
    if not taken:
        return np.asarray(chdtrc(freedom, np.maximum(t, 0.0)))
    first, last = np.sqrt(ENTERS), np.sqrt(np.maximum(t - (taken - 1) * ENTERS, ENTERS))
    half = (last - first) / 2
    at = (first + half)[..., None] + half[..., None] * NODES
    density = 2 * np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi)
    inner = half * (density * tail(t[..., None] - at**2, taken - 1, freedom) @ WEIGHTS)
    return np.asarray((inner + 2 * ndtr(-last)) / chdtrc(1, ENTERS))
