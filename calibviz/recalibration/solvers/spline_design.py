"""Least squares by natural cubic splines with equally spaced knots on [0, 1] (ks appendix C)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.linalg import cho_factor, cho_solve, pinv, solve_triangular
from scipy.optimize import nnls

from ...foundation.cancellation import check
from .gauss_nodes import run_nodes

Array = NDArray[np.float64]

ROUNDING = 1e-15  # of a product, relative
FEWEST_ROWS = 20  # rows a knot
TOLERANCE = 1e-9  # by which a bound may be passed before it is held


def natural(places: Array, values: Array) -> CubicSpline:
    """The natural cubic spline through values at the knots; a straight line through two of them."""
    return CubicSpline(places, values, bc_type="natural" if len(places) > 2 else "not-a-knot")


@dataclass(frozen=True, eq=False)
class Design:
    """Splines at given fractiles.

    Attributes
    ----------
    values, slopes : ndarray, shape (n, knots)
        Of the splines that are 1 at one knot and 0 at the others, a well-conditioned basis.
    weight : ndarray, shape (n,), or None
    """

    values: Array
    slopes: Array
    weight: Array | None = None

    @cached_property
    def _factor(self) -> tuple[Array, bool]:
        weighted = self.values if self.weight is None else self.values * self.weight[:, None]
        gram = weighted.T @ self.values
        # Fewer samples than knots leave some knots free; a whisper of a ridge then keeps them near 0.
        gram[np.diag_indices_from(gram)] += 1e-12 * np.trace(gram) / len(gram)
        return cho_factor(gram, lower=True)

    @cached_property
    def _inverse(self) -> Array | None:
        """Of few rows the pseudoinverse, shape (knots, n): squares in the normal equations would cost digits."""
        if len(self.values) > FEWEST_ROWS * self.values.shape[1]:
            return None
        root = 1.0 if self.weight is None else np.sqrt(self.weight)[:, None]
        inverse: Array = pinv(self.values * root)
        return inverse

    def fitted(self, curve: Array) -> Array:
        """The values at the knots of the spline nearest to a curve of shape (n,)."""
        if self._inverse is not None:
            return self._inverse @ (curve if self.weight is None else curve * np.sqrt(self.weight))
        return cho_solve(self._factor, self.values.T @ (curve if self.weight is None else curve * self.weight))

    def influence(self, sums: Array) -> Array:
        """How much each entry of the curve adds to the sum of the fitted values with these factors, shape (n,).

        For each entry of weight 1, where there are weights.
        """
        if self._inverse is not None:
            return (sums @ self._inverse) / (1.0 if self.weight is None else np.sqrt(self.weight))
        return self.values @ cho_solve(self._factor, sums)

    def rounding(self, sums: Array, fitted: Array) -> float:
        """How far rounded products may move the sum of the fitted values with these factors."""
        if self._inverse is not None:
            scale = np.abs(self._inverse).max() * np.abs(sums).sum()
            return float(ROUNDING * scale * np.sqrt(self._inverse.size) * np.abs(fitted).max())
        lower = np.tril(self._factor[0])
        return float(ROUNDING * (lower**2).sum() * np.abs(cho_solve(self._factor, sums)).sum() * np.abs(fitted).max())

    def bounded(self, free: Array, low: Array, rows: Array) -> Array:
        """The values at the knots nearest to the `free` ones, in least squares, with low <= rows @ values <= low + 1.

        A least-distance problem (Lawson and Hanson 1974, chapter 23). Of the many bounds only those that are passed
        are held, more of them until none is.
        """
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
    cubic = natural(places, np.eye(knots)).c  # of each piece of each spline: powers 3 to 0 from the knot before
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
    """The design at i / n: without weights it is the same for every lens and class."""
    return designed(knots, np.arange(1, n + 1) / n, None)


def repeated_design(times: Array, knots: int) -> tuple[Design, Array, NDArray[np.intp]]:
    """The design of samples that are each repeated some times.

    Returns
    -------
    design : Design
        Of rows that stand for them, with sums as if every repetition were a row.
    node : ndarray, shape (n,)
        How many repetitions lie up to each row.
    first : ndarray of int
        The first row of each sample.
    """
    upto = np.cumsum(times)
    node, weight, first = run_nodes(upto, np.floor(np.linspace(0.0, 1.0, knots) * upto[-1]))
    return designed(knots, node / upto[-1], weight), node, first
