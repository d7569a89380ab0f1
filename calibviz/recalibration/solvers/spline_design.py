"""Least squares by natural cubic splines with equally spaced knots on [0, 1] (ks appendix C)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, pinv, solve_banded, solve_triangular

from ...foundation.arrays import Array
from ...foundation.cancellation import check
from .gauss_nodes import run_nodes

if TYPE_CHECKING:
    from scipy.interpolate import PPoly


ROUNDING = 1e-15  # relative error of a product
FEWEST_ROWS = 20  # a knot; with fewer, the pseudoinverse takes the place of the normal equations
TOLERANCE = 1e-9  # a bound that is violated by more is enforced


def basis(knots: int) -> Array:
    """The natural splines that are 1 at one of the equally spaced knots and 0 at the others.

    They are coefficients, shape (4, knots - 1, knots): between two knots, of the powers 3 to 0 of the distance to the
    first of them.
    """
    step = 1 / (knots - 1)
    values = np.eye(knots)
    # Second derivatives m are 0 at the ends: m[i - 1] + 4 m[i] + m[i + 1] = 6 (y[i - 1] - 2 y[i] + y[i + 1]) / step^2.
    bends = np.zeros((knots, knots))
    bands = np.repeat([[1.0], [4.0], [1.0]], knots - 2, axis=1)
    if knots > 2:
        bends[1:-1] = solve_banded((1, 1), bands, 6 / step**2 * np.diff(values, 2, axis=0))
    first, second = bends[:-1], bends[1:]
    slopes = np.diff(values, axis=0) / step - step / 6 * (2 * first + second)
    return np.stack([(second - first) / (6 * step), first / 2, slopes, values[:-1]])


def natural(values: Array) -> PPoly:
    """The natural cubic spline through values at equally spaced knots on [0, 1]; through two of them a line."""
    from scipy.interpolate import PPoly  # loads much more of SciPy, which a fit does not need

    return PPoly(basis(len(values)) @ values, np.linspace(0.0, 1.0, len(values)))


@dataclass(frozen=True, eq=False)
class Design:
    """Splines at given fractiles."""

    values: Array  # shape (n, knots): of the well-conditioned basis of splines that are 1 at one knot, else 0
    slopes: Array  # of these, shape (n, knots)
    weight: Array | None = None

    @cached_property
    def _factor(self) -> tuple[Array, bool]:
        weighted = self.values if self.weight is None else self.values * self.weight[:, None]
        gram = weighted.T @ self.values
        # Fewer samples than knots leave some knots free; a tiny ridge keeps these near 0.
        gram[np.diag_indices_from(gram)] += 1e-12 * np.trace(gram) / len(gram)
        return cho_factor(gram, lower=True)

    @cached_property
    def _inverse(self) -> Array | None:
        """The pseudoinverse, shape (knots, n), for few rows only: the normal equations would square the condition."""
        if len(self.values) > FEWEST_ROWS * self.values.shape[1]:
            return None
        root = 1.0 if self.weight is None else np.sqrt(self.weight)[:, None]
        return pinv(self.values * root)

    def fitted(self, curve: Array) -> Array:
        """The values at the knots of the spline nearest to a curve of shape (n,)."""
        if self._inverse is not None:
            return self._inverse @ (curve if self.weight is None else curve * np.sqrt(self.weight))
        return cho_solve(self._factor, self.values.T @ (curve if self.weight is None else curve * self.weight))

    def influence(self, sums: Array) -> Array:
        """The derivative of sums @ fitted(curve) with respect to the curve, shape (n,), for entries of weight 1."""
        if self._inverse is not None:
            return (sums @ self._inverse) / (1.0 if self.weight is None else np.sqrt(self.weight))
        return self.values @ cho_solve(self._factor, sums)

    def rounding(self, sums: Array, fitted: Array) -> float:
        """The rounding error of sums @ fitted, at most."""
        if self._inverse is not None:
            scale = np.abs(self._inverse).max() * np.abs(sums).sum()
            return float(ROUNDING * scale * np.sqrt(self._inverse.size) * np.abs(fitted).max())
        lower = np.tril(self._factor[0])
        return float(ROUNDING * (lower**2).sum() * np.abs(cho_solve(self._factor, sums)).sum() * np.abs(fitted).max())

    def bounded(self, free: Array, low: Array, rows: Array) -> Array:
        """The values at the knots nearest to the `free` ones, in least squares, with low <= rows @ values <= low + 1.

        A least-distance problem (Lawson and Hanson 1974, chapter 23). Only violated bounds are enforced, and more of
        them in turn, until no bound is violated.
        """
        from scipy.optimize import nnls

        lower = np.tril(self._factor[0])
        constraints = np.concatenate([rows, -rows])
        least = np.concatenate([low, -low - 1])
        held = np.zeros(len(least), dtype=bool)
        values = free
        while True:
            check()
            short = least - constraints @ values
            passed = (short > TOLERANCE) & ~held
            if not passed.any():
                return values
            worst = np.argsort(-np.where(passed, short, 0.0), kind="stable")[: 2 * len(free)]
            held[worst[passed[worst]]] = True
            # y = L' (values - free) is shortest under G y >= h.
            g = solve_triangular(lower, constraints[held].T, lower=True)
            h = least[held] - constraints[held] @ free
            steep, far = np.abs(g).max(), np.abs(h).max()
            system = np.vstack([g / steep, h / far])
            goal = np.zeros(len(system))
            goal[-1] = 1.0
            multipliers, _ = nnls(system, goal)
            rest = system @ multipliers - goal
            values = free + solve_triangular(lower, -rest[:-1] / rest[-1] * (far / steep), lower=True, trans=1)


def designed(knots: int, fractile: Array, weight: Array | None) -> Design:
    """The design at ascending fractiles."""
    places = np.linspace(0.0, 1.0, knots)
    cubic = basis(knots)
    values, slopes = np.empty((2, len(fractile), knots))
    cuts = np.searchsorted(fractile, places[1:-1], "right")
    for j, (start, stop) in enumerate(pairwise([0, *cuts, len(fractile)])):
        x = fractile[start:stop] - places[j]
        powers = np.vander(x, 4)
        values[start:stop] = powers @ cubic[:, j]
        slopes[start:stop] = powers[:, 1:] @ (cubic[:3, j] * [[3], [2], [1]])
    return Design(values, slopes, weight)


@lru_cache(maxsize=4)
def equal_design(n: int, knots: int) -> Design:
    """The design at the fractiles i / n, which all lenses and classes share where there are no weights."""
    return designed(knots, np.arange(1, n + 1) / n, None)


def repeated_design(times: Array, knots: int) -> tuple[Design, Array, NDArray[np.intp]]:
    """The design of samples that are repeated `times` times, with few rows but the sums of all repetitions.

    It comes with the number of repetitions up to each row, and with the first row of each sample.
    """
    upto = np.cumsum(times)
    node, weight, first = run_nodes(upto, np.floor(np.linspace(0.0, 1.0, knots) * upto[-1]))
    return designed(knots, node / upto[-1], weight), node, first
