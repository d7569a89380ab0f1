"""p-values of segments, each alone, and of labels that are drawn for all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import expit, ndtr

from ...engine.chances import Odds
from ...engine.scalar import ScalarProblem
from ...engine.sorted_scores import block_starts
from ...engine.summed import SummedProblem
from ...foundation.arrays import Array
from ...foundation.threads import one_blas_thread
from ...metrics.calibration_tests import largest_beyond, range_beyond
from ...metrics.clinical.penalised_curve import PRIOR, PenalisedCurve, held_by
from ...metrics.masses import unit_weights, variances
from .divisions import Division

FEWEST = 10.0  # labels of the largest weight that have the variance of a segment, below which p-values are exact
LEAST = 1e-15  # of an exact p-value
POINTS = 256  # of the Fourier transform
AT_ONCE = 8  # draws whose walks are followed together
ROWS_AT_ONCE = 4096
ROUNDING = 1e-9
BEYOND: dict[str, Callable[[float], float]] = {"kuiper": range_beyond, "ks": largest_beyond}
MOST_STEPS, FLAT = 60, 1e-8


class SegmentWalks:
    """The cumulated gaps of the segments of a division, at the ends of ties, and the p-values of what they reach.

    The probabilities `chance` are tested: the scores, or what a curve makes of them. Where a selection looks at the
    truth, `odds` are those of each sample.
    """

    def __init__(
        self, problem: ScalarProblem, division: Division, statistic: str, chance: Array, odds: Odds | None = None
    ) -> None:
        self.rows, self.starts, self.statistic = division.rows, division.starts, statistic
        score = problem.score[self.rows]
        begins = np.zeros(len(score), dtype=bool)
        begins[block_starts(score)] = True
        begins[self.starts] = True
        ends = np.append(np.flatnonzero(begins)[1:], len(score)) - 1
        self.ends = None if len(ends) == len(score) else ends
        self.first = self.starts if self.ends is None else np.searchsorted(ends, self.starts)
        self.last = np.append(self.starts[1:], len(self.rows)) - 1
        if problem.clusters is not None:  # whose draws say how far the gaps of a segment go
            self.spread, self.is_small = np.ones(len(self.starts)), np.zeros(len(self.starts), np.bool_)
            return
        unit, chance = variances(problem), np.clip(chance, 0.0, 1.0)
        self.spread = self.added(unit * (chance * (1 - chance) if odds is None else odds.variance))
        squares = np.ones(len(problem)) if problem.whole_weights else unit
        if isinstance(problem, SummedProblem):
            squares = squares / problem.worth
        self.largest = np.maximum.reduceat(squares[self.rows], self.starts)  # the weights of others change no p-value
        self.is_small = self.spread < FEWEST * self.largest
        if odds is not None or not problem.whole_weights:
            self.tails: list[_Tail | None] = [None] * len(self.starts)
        else:
            several = np.split(self.rows, self.starts[1:])
            self.tails = [
                _Tail(chance[rows], problem.weight[rows]) if small else None
                for rows, small in zip(several, self.is_small, strict=True)
            ]

    def added(self, each: Array) -> Array:
        """The sum of each segment, shape (..., segments), of a number of each sample."""
        return np.asarray(np.add.reduceat(each.take(self.rows, axis=-1), self.starts, axis=-1), dtype=np.float64)

    def reached(self, gaps: Array, spread: Array | None = None) -> tuple[Array, Array]:
        """The ratio and the sum of the gaps of each segment, for gaps of shape (draws, n), each (draws, segments)."""
        spread = self.spread if spread is None else spread
        walked = np.cumsum(gaps.take(self.rows, axis=1), axis=1)
        before = np.where(self.starts > 0, walked[:, self.starts - 1], 0)
        total = walked[:, self.last] - before
        if self.ends is not None:
            walked = walked.take(self.ends, axis=1)
        high = np.maximum.reduceat(walked, self.first, axis=1) - before
        low = np.minimum.reduceat(walked, self.first, axis=1) - before
        if self.statistic == "ks":
            reach = np.maximum(np.abs(high), np.abs(low))
        else:
            reach = np.maximum(high, 0) - np.minimum(low, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(spread > 0, reach / np.sqrt(spread), np.where(reach > ROUNDING, np.inf, 0.0))
        return ratio, total

    def p_values(self, ratio: Array, total: Array) -> Array:
        """The p-value of each segment, shape (segments,), of one row of what is `reached`."""
        beyond = BEYOND[self.statistic]
        small = self.small_p_values(ratio[None], total[None])[0]
        return np.array([small[i] if is_small else beyond(ratio[i]) for i, is_small in enumerate(self.is_small)])

    def least(self, ratio: Array, total: Array) -> Array:
        """The least p-value of each draw, shape (draws,)."""
        largest = np.where(self.is_small, -np.inf, ratio).max(axis=1)
        of_large = np.array([BEYOND[self.statistic](one) if np.isfinite(one) else 1.0 for one in largest])
        return np.minimum(of_large, self.small_p_values(ratio, total).min(axis=1))

    def small_p_values(self, ratio: Array, total: Array) -> Array:
        """The p-values of segments of little variance, of the number of events; 1 of the others."""
        p = np.ones_like(ratio)
        for i in np.flatnonzero(self.is_small):
            tail = self.tails[i]
            if self.spread[i] == 0:
                p[:, i] = np.where(ratio[:, i] == 0, 1.0, LEAST)
            elif tail is None:
                p[:, i] = 2 * ndtr(-np.abs(total[:, i]) / np.sqrt(self.spread[i] + self.largest[i]))
            else:
                p[:, i] = tail(total[:, i])
        return np.maximum(p, LEAST)


class _Tail:
    """The two-sided p-value of a sum of independent events, by the Fourier transform of its distribution."""

    def __init__(self, chance: Array, times: Array) -> None:
        turn = np.exp(2j * np.pi * np.arange(POINTS // 2 + 1) / POINTS)  # the other half are their conjugates
        self.expected, self.most = float(chance @ times), float(times.sum())
        self.start = max(0, int(np.floor(self.expected)) - POINTS // 2 + 1)
        transform = turn ** (-self.start % POINTS)
        for weight in np.unique(times):
            own = chance[(times == weight) & (chance > 0)]
            for i in range(0, len(own), ROWS_AT_ONCE):
                transform = transform * np.prod(1 + own[i : i + ROWS_AT_ONCE, None] * (turn - 1), axis=0) ** weight
        mass = np.maximum(np.fft.hfft(transform, POINTS) / POINTS, 0.0)
        both = np.minimum(np.cumsum(mass), np.cumsum(mass[::-1])[::-1])
        self._log = np.log(np.clip(2 * both, LEAST, 1.0))

    def __call__(self, gap: Array) -> Array:
        """The p-value of the number of events less its mean; between whole numbers ln p is interpolated.

        Of a draw whose own curve is subtracted the number may lie below that of no event, or above that of all.
        """
        k = np.clip(gap + self.expected, 0.0, self.most) - self.start
        k = np.where(np.abs(k - np.rint(k)) < 1e-6, np.rint(k), k)
        least = float(np.log(LEAST))
        return np.asarray(np.exp(np.interp(k, np.arange(POINTS), self._log, least, least)), dtype=np.float64)


def drawn_targets(problem: ScalarProblem, chance: Array, draws: int, seed: int | None) -> Iterator[Array]:
    """Targets of all samples that are drawn from a chance, a few draws at a time."""
    rng = np.random.default_rng(seed)
    chance = np.clip(chance, 0.0, 1.0)
    times = problem.weight if problem.whole_weights else None
    if isinstance(problem, SummedProblem) and times is None:  # sums of samples, whose weights are no counts
        times = np.rint(problem.worth)
    for first in range(0, draws, AT_ONCE):
        size = min(AT_ONCE, draws - first), len(problem)
        if times is None or problem.given_weight is None:
            yield (rng.random(size) < chance).astype(np.float64)
        else:
            yield rng.binomial(times.astype(np.intp), chance, size) / times


class Refits:
    """Curves that are fitted anew to drawn targets, with the cells and the roughness of a first fit."""

    def __init__(self, problem: ScalarProblem, curve: PenalisedCurve) -> None:
        self._problem, self._curve = problem, curve
        self._ties = block_starts(problem.score)
        self._size = np.diff(self._ties, append=len(problem))
        self._weight = np.add.reduceat(problem.weight, self._ties)
        features = curve.of_cells
        self._products = (features[:, :, None] * features[:, None, :]).reshape(len(features), -1)

    @one_blas_thread()
    def fitted(self, targets: Array) -> Array:
        """The probability of each row under the curve of each draw, shape (draws, n)."""
        tied = np.add.reduceat(targets * self._problem.weight, self._ties, axis=1) / self._weight
        target = self._curve.cells.means(np.repeat(tied, self._size, axis=1))
        features, size = self._curve.of_cells, self._curve.cells.size
        held, m = held_by(self._curve.roughness), len(PRIOR)
        found = np.repeat(self._curve.coefficients[None], len(targets), axis=0)

        def loss(x: Array) -> Array:
            eta = x @ features.T
            own = ((np.logaddexp(0.0, eta) - target * eta) * size).sum(axis=1)
            return np.asarray(own + ((x - PRIOR) ** 2 @ held) / 2, dtype=np.float64)

        value = loss(found)
        for _ in range(MOST_STEPS):
            chance = expit(found @ features.T)
            slope = ((chance - target) * size) @ features + held * (found - PRIOR)
            curvature = ((chance * (1 - chance) * size) @ self._products).reshape(-1, m, m) + np.diag(held)
            step = -np.linalg.solve(curvature, slope[..., None])[..., 0]
            length = np.ones(len(found))
            for _ in range(30):
                new = loss(found + length[:, None] * step)
                worse = new > value + 1e-12 * np.abs(value)
                if not worse.any():
                    break
                length[worse] /= 2
            found, value = found + length[:, None] * step, new
            if np.abs(step).max() < FLAT:
                break
        return expit(found @ self._curve.features.T)


def gaps_of(problem: ScalarProblem, targets: Array, chance: Array) -> Array:
    """The gaps w (t - chance) of all samples."""
    return (targets - chance) * unit_weights(problem)
