"""The inversion of tests of every possible true error of a problem against the observed one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, ndtri

from ...engine.batch import ScalarBatch
from ...engine.clustered import Clusters
from ...engine.scalar import ScalarProblem
from ...engine.sorted_scores import places
from ...foundation.arrays import Array
from ...foundation.chance import EQUAL
from ...foundation.progress import with_progress
from ..resampling.relabelled import Labelling
from .true_curves import WAYS, true_curve

CURVES, REPLICATES = 10, 200  # true curves, and data sets drawn from all of them together
FIRST_SHARES = (0.0, 0.3, 0.6, 0.8, 1.0)  # of the largest error that is tested at first
GROWTH, ROUNDS = 1.25, 2
NEAR_FITTED = (0.8, 0.9, 1.0)  # of the error of the fitted curve: tested where no error is rejected as too large
RISE = 0.05  # of a share, by which larger errors show less again
STRETCHES = np.concatenate([[0.0], np.geomspace(0.01, 64.0, 48)])
STEEP_RATIO, FINE_STRETCHES = 2.0, 33  # an error that grows more between two stretches is looked at in finer steps
PLACES = 1000  # scores that decide how far a curve is stretched
MOST_HELD = 5_000_000  # scores of all data sets together; more are drawn again each time
MOST_IN_BATCH, AT_ONCE = 1000, 20_000  # scores of a data set that is measured with others, and of all of these


@dataclass(frozen=True)
class Tested:
    """An error that is tested."""

    # Of a problem, shape (), or of a batch of m, shape (m,): it is negative where noise takes the error below 0.
    measure: Callable[[ScalarProblem], Array]
    # Of scores (n,), true curves (m, n) and the samples' shares of all weight (n,): the error of each curve.
    truth: Callable[[Array, Array, Array], Array]
    observed: float  # the value of `measure` on the data


class Inversion:
    """Tests of the true errors of one problem; all errors share its curves and the data sets drawn from them.

    Its labels are 0 or 1. Of samples in clusters, which alone may have weights, targets are drawn for whole clusters.
    """

    def __init__(self, problem: ScalarProblem, seed: int | None, progress: bool) -> None:
        rng = np.random.default_rng(seed)
        self.problem = problem
        self.curve = true_curve(problem, CURVES - 1, rng)
        self.errors: dict[tuple[int, int, float, float], Array] = {}
        fit, clusters = self.curve.fit, Clusters.of(problem)
        if clusters is None:
            self.draws = _Draws(problem, rng, progress)
        else:
            self.draws = _ClusterDraws(problem, clusters, fit, rng, progress)
        self.share = problem.weight / problem.weight.sum()
        self.fitted = float((np.abs(problem.score - fit) * self.share).sum())
        noise = np.sqrt((fit * (1 - fit) * self.share**2).sum())
        if clusters is not None:
            own = clusters.sums(problem.given_target - fit)
            noise = max(noise, np.sqrt(np.square(own).sum()) / clusters.total)
        self.bias = 2.5 * noise + 0.003

    def ends(self, errors: Sequence[Tested], level: float) -> list[tuple[float, float, float]]:
        """The lower end, the estimate and the upper end of each error."""
        searches = [_Search(error, max(error.observed, self.fitted) + self.bias, self.fitted) for error in errors]
        steps = [search.steps(level) for search in searches]
        asked = [next(step) for step in steps]
        while any(asked):
            for wanted in sorted({g for several in asked for g in several}):
                self._test(wanted, [search for search, gs in zip(searches, asked, strict=True) if wanted in gs])
            asked = [next(step, []) for step in steps]
        return [search.ends(level) for search in searches]

    def _test(self, wanted: float, searches: Sequence[_Search]) -> None:
        """Give searches the errors of data sets from curves with E|s - T| = `wanted`."""
        score = self.problem.score
        curves = np.stack([self._stretched(m, wanted) for m in range(CURVES)])
        shown: list[list[Array]] = [[] for _ in searches]
        for drawn in self.draws(curves):
            for search, errors in zip(searches, shown, strict=True):
                errors.append(np.atleast_1d(search.error.measure(drawn)))
        for search, errors in zip(searches, shown, strict=True):
            search.learn(wanted, np.concatenate(errors), float(search.error.truth(score, curves, self.share).mean()))

    def _stretched(self, m: int, wanted: float) -> Array:
        """The m-th curve, stretched until E|s - T| is `wanted`.

        A curve that moves scores near 0 or 1 outwards has hardly any error, however far it is stretched. It is then
        reversed or, if that is not enough either, replaced by the curve that is 1/2 everywhere.
        """
        if wanted == 0:
            return self.problem.score
        way = next((way for way in range(WAYS) if self._errors(m, way, STRETCHES)[-1] >= wanted), 0)
        errors, by = self._errors(m, way, STRETCHES), STRETCHES
        above = min(int(np.searchsorted(errors, wanted)), len(by) - 1)
        if 0 < STEEP_RATIO * errors[above - 1] < errors[above]:  # near scores of 0 and 1, interpolation needs more
            by = np.linspace(by[above - 1], by[above], FINE_STRETCHES)
            errors = self._errors(m, way, by)
        return self.curve.stretched(m, float(np.interp(wanted, errors, by)), way)

    def _errors(self, m: int, way: int, stretches: Array) -> Array:
        """E|s - T'| of the m-th curve, stretched by each of some stretches, ascending."""
        key = m, way, float(stretches[0]), float(stretches[-1])
        if key not in self.errors:
            score = self.problem.score
            places = np.linspace(0, len(score) - 1, min(len(score), PLACES)).astype(int)
            z, away = self.curve.z[places], self.curve.away(m, way)[places]
            apart = np.abs(score[places] - expit(z + stretches[:, None] * away))
            errors: Array = np.average(apart, axis=1, weights=self.share[places])
            self.errors[key] = np.maximum.accumulate(np.where(stretches == 0, 0.0, errors))
        return self.errors[key]


@dataclass(eq=False)
class _Search:
    """The search for the true errors at which the share of data sets with less error has the wanted values."""

    error: Tested
    largest: float  # the largest E|s - T| that is tested at first
    fitted: float  # that of the fitted curve
    # By E|s - T| that share, and the error of such curves.
    known: dict[float, tuple[float, float]] = field(default_factory=dict)

    def learn(self, wanted: float, shown: Array, truth: float) -> None:
        """Keep the share of the data sets from such curves with less than the observed error."""
        equal = np.abs(shown - self.error.observed) <= EQUAL
        share = ((shown < self.error.observed) & ~equal).mean() + equal.mean() / 2
        self.known[wanted] = float(share), truth

    def steps(self, level: float) -> Iterator[list[float]]:
        """Yield the values of E|s - T| to test next; the caller tests them before it asks for more."""
        yield [share * self.largest for share in FIRST_SHARES]
        top = self.largest
        while top < 1 and self.known[top][0] > self._sought(level)[-1]:
            top = min(top * GROWTH, 1.0)
            yield [top]
        if min(share for share, _ in self.known.values()) > self._sought(level)[-1]:
            yield [share * self.fitted for share in NEAR_FITTED]
        for _ in range(ROUNDS):
            places = {self._crossing(share, 0) for share in self._sought(level)}
            if not places <= self.known.keys():
                yield list(places - self.known.keys())

    def ends(self, level: float) -> tuple[float, float, float]:
        """The lower end, the estimate and the upper end.

        An end up to which nothing is rejected is no farther from the observed error than that error itself.
        """
        sought, observed = self._sought(level), max(0.0, self.error.observed)
        lower, estimate, upper = (self._crossing(share, 1) for share in sought)
        least = min(share for share, _ in self.known.values())
        if least > sought[0]:
            lower = min(lower, observed)
        if least > sought[1]:
            estimate = observed
        if least > sought[2]:
            upper = max(upper, observed)
        return lower, max(lower, min(estimate, upper)), upper

    def _falling(self) -> list[float]:
        """The tested E|s - T| in ascending order, up to the one at which the fewest data sets show less.

        Farther on curves may be reversed, and a monotone sweep of a falling curve has few bins, which show hardly any
        error: that larger errors show less again is no evidence for them.
        """
        wanted = sorted(self.known)
        shares = [self.known[g][0] for g in wanted]
        place = max(i for i, share in enumerate(shares) if share <= min(shares) + EQUAL)
        return wanted[: place + 1] if max(shares[place:]) > min(shares) + RISE else wanted

    def _sought(self, level: float) -> list[float]:
        return [(1 + level) / 2, 0.5, (1 - level) / 2 * self.known[0.0][0]]

    def _crossing(self, share: float, what: int) -> float:
        """The E|s - T| at which the share of the data sets has fallen to `share`; with `what` = 1, the error there.

        Interpolated linearly in the normal quantile of the share; 0 where the share is that low for calibrated scores.
        """
        wanted = self._falling()
        shares = np.minimum.accumulate([self.known[g][0] for g in wanted])
        if share >= shares[0]:
            return 0.0
        values = np.array(wanted) if what == 0 else np.maximum.accumulate([self.known[g][1] for g in wanted])
        least = 1 / (4 * REPLICATES)
        *quantiles, sought = -ndtri(np.clip([*shares, share], least, 1 - least))
        return float(np.interp(sought, quantiles, values))


class _Draws:
    """Data sets drawn from a problem: the same samples and the same random numbers for every true curve.

    Small ones come several at once, as a batch, of which each measure takes little longer than of one.
    """

    comes_in_batches = True

    def __init__(self, problem: ScalarProblem, rng: np.random.Generator, progress: bool) -> None:
        self.problem, self.progress = problem, progress
        self.seeds = rng.integers(0, 2**63, REPLICATES)
        n = len(problem)
        self.firsts = range(0, REPLICATES, AT_ONCE // n if self.comes_in_batches and n <= MOST_IN_BATCH else 1)
        held = REPLICATES * n <= MOST_HELD
        self.held = [self._drawn(first) for first in self.firsts] if held else None

    def _drawn(self, first: int) -> Callable[[Array], ScalarProblem]:
        """The data sets from the first on that are measured at once, as a function of the true curves."""
        seeds, n = self.seeds[first : first + self.firsts.step], len(self.problem)
        rows, chance = np.empty((len(seeds), n), np.intp), np.empty((len(seeds), n))
        for i, seed in enumerate(seeds):
            rng = np.random.default_rng(seed)
            times = np.bincount(rng.integers(0, n, n).astype(np.intp), minlength=n)
            rows[i], chance[i] = np.repeat(np.arange(n), times), rng.random(n)
        curve = (first + np.arange(len(seeds))) * CURVES // REPLICATES
        places = rows + n * curve[:, None]
        if self.firsts.step > 1:
            batch = ScalarBatch(self.problem.score[rows], chance < 0)
            return lambda curves: batch.with_target(chance < curves.take(places))
        under = Labelling(self.problem.taken(rows[0]))
        return lambda curves: under((chance < curves.take(places))[0])

    def __call__(self, curves: Array) -> Iterator[ScalarProblem]:
        steps = with_progress(self.firsts, "interval", len(self.firsts), self.progress and self.held is None)
        for step, first in enumerate(steps):
            yield (self._drawn(first) if self.held is None else self.held[step])(curves)


class _ClusterDraws(_Draws):
    """Data sets of whole clusters, whose residuals about the fit lie on either side of every true curve.

    A target is T(s) + xi (t - T_fit(s)), with one sign xi for each drawn cluster: the same for every true curve T.
    """

    comes_in_batches = False

    def __init__(
        self, problem: ScalarProblem, clusters: Clusters, fit: Array, rng: np.random.Generator, progress: bool
    ) -> None:
        self.clusters, self.residuals = clusters, problem.given_target - fit
        self.by_cluster = np.argsort(clusters.code, kind="stable")
        self.ends = np.cumsum(np.bincount(clusters.code, minlength=clusters.count))
        super().__init__(problem, rng, progress)

    def _drawn(self, first: int) -> Callable[[Array], ScalarProblem]:
        rng = np.random.default_rng(self.seeds[first])
        drawn = rng.integers(0, self.clusters.count, self.clusters.count).astype(np.intp)
        sign = 1.0 - 2.0 * rng.integers(0, 2, len(drawn))
        size = np.diff(self.ends, prepend=0)[drawn]
        rows = self.by_cluster[places(self.ends[drawn] - size, size)]
        code = np.repeat(np.arange(len(drawn)), size)
        order = np.argsort(rows, kind="stable")
        rows, code = rows[order], code[order]
        problem = self.problem.taken(rows)
        problem.order, problem.clusters = np.arange(len(rows)), code  # a cluster that is drawn twice is two
        residuals, curve = sign[code] * self.residuals[rows], first * CURVES // REPLICATES
        return lambda curves: problem.with_target(curves[curve, rows] + residuals)
