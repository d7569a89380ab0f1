"""An interval of a calibration error that covers the truth: a test of every possible error, inverted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from . import validation
from .binning import Binning, EqualMass, Uniform, bins_of, refuse_vector
from .consistency_resampling import FLOOR, NULLS, calibrated
from .estimators import binned_error, calibration_error, debiased_error, debiased_square, ks_error, kuiper_error
from .lenses import Lens
from .looking import Judged, induced_problem
from .problems import MOST_REPEATED, ScalarProblem
from .progress import with_progress
from .selections import Condition
from .true_curves import TrueCurve, true_curve

Array = NDArray[np.float64]

LEVEL = 0.95
CURVES, REPLICATES = 10, 200  # true curves, and the data sets drawn of all of them together
SHARES = (0.0, 0.3, 0.6, 0.8, 1.0)  # of the largest error that is tried at first
GROWTH, MOST_GROWN, ROUNDS = 1.25, 8, 2
STRETCHES = np.concatenate([[0.0], np.geomspace(0.01, 64.0, 48)])
PLACES = 1000  # scores at which it is found how far to stretch a curve
MOST_HELD = 5_000_000  # scores of all data sets together that are kept, not drawn again each time
EQUAL = 1e-12


@dataclass(frozen=True)
class ErrorInterval:
    """A calibration error, the interval that holds the true one, and its noise floor; see `interval`.

    Attributes
    ----------
    estimate : float, in [0, 1]
        The error of the true curve that makes the error on the data neither small nor large: without the bias of `raw`.
    lower, upper : float, in [0, 1]
        The interval; it holds the estimate. The lower end is 0 where a calibrated model would do as badly.
    raw : float
        The error as it is measured, such as the ECE, which noise makes too large.
    noise : float
        The 95 % quantile of the error that calibrated predictions with these scores show.
    p_value : float, in (0, 1]
        How often calibrated predictions with these scores show at least `raw`.
    level : float, in (0, 1)
        How often such intervals hold the truth.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.interval(p, cv.ks_error)
    <ErrorInterval 0.055, 95 % 0.036 to 0.089; measured 0.055, calibrated predictions reach 0.006, p = 0.002>
    """

    estimate: float
    lower: float
    upper: float
    raw: float
    noise: float
    p_value: float
    level: float

    def __repr__(self) -> str:
        return (
            f"<ErrorInterval {self.estimate:.3f}, {100 * self.level:g} % {self.lower:.3f} to {self.upper:.3f}; "
            f"measured {self.raw:.3f}, calibrated predictions reach {self.noise:.3f}, p = {self.p_value:.2g}>"
        )


@dataclass(frozen=True)
class _Error:
    """An error that has an interval.

    Attributes
    ----------
    measure : function of a problem and a binning
        What is tested; it has a sign where noise takes the error below 0.
    truth : function of the scores (n,) and true curves (m, n)
        The error of each curve, shape (m,).
    binning : Binning, or None for an error without bins
        By default.
    """

    measure: Callable[[ScalarProblem, Binning], float]
    truth: Callable[[Array, Array], Array]
    binning: Binning | None = None


def _signed_root(problem: ScalarProblem, binning: Binning) -> float:
    square = debiased_square(problem, binning)
    return float(np.sign(square) * np.sqrt(abs(square)))


def _cumulated(score: Array, curve: Array) -> Array:
    """The gaps between score and curve added up over the ascending scores, a 0 first, as a share of the samples."""
    return np.cumsum(np.pad(score - curve, ((0, 0), (1, 0))), axis=1) / len(score)


ERRORS: dict[Callable[..., float], _Error] = {
    calibration_error: _Error(
        lambda problem, binning: binned_error(bins_of(problem, binning)),
        lambda score, curve: np.abs(score - curve).mean(axis=1),
        Uniform(),
    ),
    debiased_error: _Error(
        _signed_root, lambda score, curve: np.sqrt(((score - curve) ** 2).mean(axis=1)), EqualMass()
    ),
    ks_error: _Error(
        lambda problem, _: ks_error(problem), lambda score, curve: np.abs(_cumulated(score, curve)).max(axis=1)
    ),
    kuiper_error: _Error(
        lambda problem, _: kuiper_error(problem), lambda score, curve: np.ptp(_cumulated(score, curve), axis=1)
    ),
}


def interval(
    predictions: Judged,
    error: Callable[..., float] = calibration_error,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    *,
    binning: Binning | None = None,
    level: float = LEVEL,
    seed: int | None = 0,
    progress: bool = True,
) -> ErrorInterval:
    """An interval that holds the true calibration error of a model as often as it says, whatever the number of samples.

    The percentiles of a bootstrap do not: calibration errors are biased upwards, most of all those of good models. Here
    every possible error is tested: how often would a model with that error show less than the data do?

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome. Whole-number weights count repetitions.
    error : function
        One of `calibration_error`, `ks_error`, `kuiper_error`, `debiased_error`.
    binning : binning, optional
        Of an error in bins: any of one score, such as `Sweep()`; by default Uniform(15), for `debiased_error`
        EqualMass(15).
    level : float, in (0, 1)
    seed : int
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    ErrorInterval
        With estimate, lower, upper, raw, noise and p_value. The truth is E|s - T(s)| for `calibration_error` in any
        bins, the root of E(s - T(s))^2 for `debiased_error`, and the largest gap, or the range, of the cumulated
        s - T(s) for `ks_error` and `kuiper_error`, where T is the true curve.

    Raises
    ------
    ValueError
        For another error, soft labels, weights that are no whole numbers, and lenses that make several problems.

    See Also
    --------
    consistency : The noise floor of any error.
    bootstrap : The spread of any number under resampling.

    Notes
    -----
    The true curve is fitted by `true_curve`: the fit and nine draws of what the data allow as well. Each is stretched
    from the scores themselves, logit T' = z + c (logit T - z) with z = logit s, until E|s - T'| is a wanted g. Of each,
    20 data sets are drawn (scores with replacement, labels from T', with the same random numbers for every g), and p(g)
    is the share of those that show less error than the data do. The interval reaches from where p = (1 + level) / 2 to
    where it is (1 - level) / 2 of what it is at 0, and the estimate is where p = 1/2. How often such
    intervals hold the truth is measured by `benchmarks/interval_coverage.py`. An error finer than the bins is not seen.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> found = cv.interval(p, cv.ks_error, "class malignant")
    >>> found.lower < found.estimate < found.upper
    True
    """
    validation.truth(progress, "progress")
    validation.real_number(level, "level", 0.0, 1.0, open_ends=True)
    kind, binning = _chosen(error, binning)
    problem = _unweighted(induced_problem(predictions, lens, selection, outcome))
    observed = kind.measure(problem, binning)
    raw = max(0.0, observed)
    nulls = with_progress(calibrated(problem, NULLS, seed), "noise floor", NULLS, progress)
    shown = np.array([max(0.0, kind.measure(one, binning)) for one in nulls if isinstance(one, ScalarProblem)])
    lower, estimate, upper = _Inversion(problem, kind, binning, observed, seed, progress).ends(level)
    return ErrorInterval(
        estimate, lower, upper, raw,
        noise=float(np.quantile(shown, FLOOR)),
        p_value=float((1 + (shown >= raw).sum()) / (1 + NULLS)),
        level=level,
    )  # fmt: skip


def _chosen(error: Callable[..., float], binning: Binning | None) -> tuple[_Error, Binning]:
    kind = ERRORS.get(error) if callable(error) else None
    if kind is None:
        named = ", ".join(f"cv.{one.__name__}" for one in ERRORS)
        raise ValueError(f"error must be one of {named}, which have an interval that covers, not {error!r}")
    if binning is not None and kind.binning is None:
        raise ValueError(f"binning must be left out: cv.{error.__name__} has no bins")
    if binning is None:
        return kind, Uniform() if kind.binning is None else kind.binning
    return kind, binning


def _unweighted(problem: object) -> ScalarProblem:
    """The problem with each sample as often as its weight says."""
    refuse_vector(problem, "an interval")
    assert isinstance(problem, ScalarProblem)
    if not problem.is_binary:
        raise ValueError("an interval draws one label a sample, but the labels are soft")
    if problem.given_weight is None:
        return problem
    if not problem.whole_weights:
        raise ValueError("an interval needs weights that are whole numbers, which count repetitions: round them")
    if problem.total > MOST_REPEATED:
        raise ValueError(f"the weights repeat the samples {problem.total:g} times: too many to draw a label for each")
    return problem.repeated()


class _Inversion:
    """Tests of true errors against the one that was observed: the share of data sets that show less."""

    def __init__(
        self, problem: ScalarProblem, kind: _Error, binning: Binning, observed: float, seed: int | None, progress: bool
    ) -> None:
        rng = np.random.default_rng(validation.seed(seed))
        self.problem, self.kind, self.binning, self.observed = problem, kind, binning, observed
        self.curve = true_curve(problem, CURVES - 1, rng)
        self.errors = _stretched_errors(problem.score, self.curve)
        self.draws = _Draws(problem, rng, progress)
        self.known: dict[float, tuple[float, float]] = {}
        fit = self.curve.fit
        bias = 2.5 * np.sqrt((fit * (1 - fit)).mean() / len(problem)) + 0.003
        self.largest = max(observed, float(np.abs(problem.score - fit).mean())) + bias

    def test(self, wanted: float) -> float:
        """The share of the data sets of curves with E|s - T| = `wanted` that show less error than was observed."""
        if wanted not in self.known:
            score = self.problem.score
            curves = np.stack([self._stretched(m, wanted) for m in range(CURVES)])
            shown = np.array([self.kind.measure(one, self.binning) for one in self.draws(curves)])
            equal = np.abs(shown - self.observed) <= EQUAL
            share = ((shown < self.observed) & ~equal).mean() + equal.mean() / 2
            self.known[wanted] = float(share), float(self.kind.truth(score, curves).mean())
        return self.known[wanted][0]

    def _stretched(self, m: int, wanted: float) -> Array:
        if wanted == 0:
            return self.problem.score
        stretch = np.interp(wanted, self.errors[m], STRETCHES)
        return expit(self.curve.told + stretch * (self.curve.found[m] - self.curve.told))

    def ends(self, level: float) -> tuple[float, float, float]:
        """The lower end, the estimate and the upper end."""
        for share in SHARES:
            self.test(share * self.largest)
        sought = [(1 + level) / 2, 0.5, (1 - level) / 2 * self.test(0.0)]
        top = self.largest
        for _ in range(MOST_GROWN):
            if self.test(top) <= sought[-1]:
                break
            top *= GROWTH
            self.test(top)
        for _ in range(ROUNDS):
            for place in [self._crossing(share, 0) for share in sought]:
                self.test(place)
        lower, estimate, upper = (self._crossing(share, 1) for share in sought)
        return lower, estimate, upper

    def _crossing(self, share: float, what: int) -> float:
        """Where the share of the data sets has fallen to `share`: the wanted error, or with `what` = 1 its truth.

        Linear in the normal quantile of the share. 0 where the share of a calibrated model is no larger.
        """
        wanted = sorted(self.known)
        shares = np.minimum.accumulate([self.known[g][0] for g in wanted])
        if share >= shares[0]:
            return 0.0
        values = np.array(wanted) if what == 0 else np.maximum.accumulate([self.known[g][1] for g in wanted])
        least = 1 / (4 * REPLICATES)
        *quantiles, sought = -ndtri(np.clip([*shares, share], least, 1 - least))
        return float(np.interp(sought, quantiles, values))


def _stretched_errors(score: Array, curve: TrueCurve) -> Array:
    """E|s - T'| of each curve, stretched by each of `STRETCHES`, ascending: shape (curves, stretches)."""
    some = np.linspace(0, len(score) - 1, min(len(score), PLACES)).astype(int)
    told, apart = curve.told[some], curve.found[:, some] - curve.told[some]
    errors = [np.abs(score[some] - expit(told + stretch * apart)).mean(axis=1) for stretch in STRETCHES]
    errors[0] = np.zeros(len(apart))  # the scores themselves, though their log-odds are clipped
    return np.maximum.accumulate(np.stack(errors, axis=1), axis=1)


class _Draws:
    """Data sets of the samples of a problem: the same ones, and the same random numbers, for any true curve."""

    def __init__(self, problem: ScalarProblem, rng: np.random.Generator, progress: bool) -> None:
        self.problem, self.progress = problem, progress
        self.seeds = rng.integers(0, 2**63, REPLICATES)
        held = REPLICATES * len(problem) <= MOST_HELD
        self.held = [self._drawn(i) for i in range(REPLICATES)] if held else None

    def _drawn(self, i: int) -> tuple[NDArray[np.intp], Array, ScalarProblem]:
        """The samples, ascending, the chances of their labels, and a problem of their scores."""
        rng = np.random.default_rng(self.seeds[i])
        n = len(self.problem)
        rows = np.sort(rng.integers(0, n, n))
        return rows, rng.random(n), self.problem.taken(rows)

    def __call__(self, curves: Array) -> Iterator[ScalarProblem]:
        for i in with_progress(range(REPLICATES), "interval", REPLICATES, self.progress and self.held is None):
            rows, chance, scores = self._drawn(i) if self.held is None else self.held[i]
            yield scores.with_target(chance < curves[i * len(curves) // REPLICATES][rows])
