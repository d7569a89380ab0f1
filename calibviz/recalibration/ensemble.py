"""Ensemble temperature scaling (Zhang, Kailkhura and Han 2020)."""

from __future__ import annotations

import numpy as np

from ..data.predictions import Predictions
from ..foundation import arrays
from ..foundation.arrays import Array
from ..foundation.cancellation import check
from ..foundation.fit_warnings import notice
from .base import RowCalibrator
from .solvers.logit_blocks import LogitBlocks, logits_of
from .temperature import COLDEST, HOTTEST, best_inverse

LOG_OFFSETS = np.linspace(-3.0, 9.0, 37)  # the temperatures tried first, as offsets of ln(1 / T)
EM_ROUNDS = 40
LEAST_MIXTURE = 1e-100  # a mixed probability whose inverse can be squared
LOSS_TOLERANCE = 1e-10  # change of the mean loss at which the fit has converged


class EnsembleTemperature(RowCalibrator):
    """Ensemble temperature scaling: w1 softmax(z / T) + w2 softmax(z) + w3 / K by maximum likelihood, w >= 0 of sum 1.

    It keeps the ranking of the classes, hence the accuracy, up to ties by rounding to the dtype.

    Attributes
    ----------
    temperature_ : float
        Between 0.001 and 1000.
    weights_ : ndarray, shape (3,)
        Of the tempered, the original and the uniform probabilities.

    See Also
    --------
    Temperature : Without the mixture.

    References
    ----------
    Zhang, Kailkhura and Han 2020, "Mix-n-Match", section 4.2 (ETS).

    Examples
    --------
    >>> p = cv.load_dataset("digits")["naive Bayes"]
    >>> cv.EnsembleTemperature().fit(p).weights_.round(2)
    array([0.69, 0.31, 0.  ])
    """

    short_name = "ensemble"
    keeps_ranking = True
    knows_classes = False

    def _fit(self, predictions: Predictions) -> None:
        from scipy.optimize import minimize

        mixture = _Mixture(predictions)
        centre = np.log(best_inverse(predictions)[0])
        alone = np.array([centre, 1.0, 0.0, 0.0])
        # The loss is convex in the weights, but not in T, so the fit begins at the best of many T.
        tried = np.clip(centre + LOG_OFFSETS, -np.log(HOTTEST), -np.log(COLDEST))
        start = min((mixture.mixed(t) for t in tried), key=lambda x: mixture.loss(x)[0])
        solution = minimize(
            mixture.loss,
            start,
            jac=True,
            method="SLSQP",
            bounds=[(-np.log(HOTTEST), -np.log(COLDEST)), *[(0.0, 1.0)] * 3],
            constraints={"type": "eq", "fun": lambda x: x[1:].sum() - 1, "jac": lambda x: np.array([0.0, 1, 1, 1])},
            options={"ftol": LOSS_TOLERANCE, "maxiter": 500},
        )
        if not solution.success:
            notice(f"the fit has not converged: {solution.message}", stacklevel=3)
        best = min(solution.x, start, alone, key=lambda x: mixture.loss(x)[0])
        self.temperature_ = float(np.exp(-best[0]))
        weights = np.clip(best[1:], 0.0, 1.0)
        self.weights_: Array = weights / weights.sum()

    def _transform(self, predictions: Predictions) -> Predictions:
        probs = np.empty_like(predictions.probs)
        for block in arrays.row_blocks(*probs.shape):
            z = logits_of(predictions, block)
            mixed = self.weights_[0] * arrays.softmax(z / self.temperature_)
            mixed += self.weights_[1] * arrays.softmax(z)
            mixed += self.weights_[2] / predictions.n_classes
            probs[block] = mixed
        return predictions.with_probs(probs)


class _Mixture:
    """The mean negative log-likelihood as a function of ln(1 / T), w1, w2 and w3."""

    def __init__(self, predictions: Predictions) -> None:
        self.logits = LogitBlocks(predictions, logits_of)
        self.uniform = 1 / predictions.n_classes
        plain, target = [], []
        for block, z in self.logits():
            share, soft = self.logits.weights(block), self.logits.soft(block)
            plain.append(self._entries(block, arrays.softmax(z)))
            target.append(share if soft is None else (share[:, None] * soft).ravel())
        self.plain, self.target = np.concatenate(plain), np.concatenate(target) / self.logits.total

    def _entries(self, block: slice, table: Array) -> Array:
        """The entries of a table (m, K) that the likelihood looks at: those of the labels, or all with soft labels."""
        return table.ravel() if self.logits.soft(block) is not None else table[self.logits.entries(block)]

    def _tempered(self, inverse: float) -> tuple[Array, Array]:
        """The tempered probabilities, and their derivatives with respect to ln(1 / T)."""
        values, changes = [], []
        for block, z in self.logits():
            tempered = arrays.softmax(z * inverse)
            values.append(self._entries(block, tempered))
            mean = np.einsum("ij,ij->i", z, tempered)
            changes.append(self._entries(block, inverse * tempered * (z - mean[:, None])))
        return np.concatenate(values), np.concatenate(changes)

    def mixed(self, log_inverse: float) -> Array:
        """ln(1 / T) and nearly the best w at this T, by the EM algorithm."""
        parts = np.stack([self._tempered(np.exp(log_inverse))[0], self.plain, np.full_like(self.plain, self.uniform)])
        w = np.full(3, 1 / 3)
        for _ in range(EM_ROUNDS):
            check()
            w *= parts @ (self.target / np.maximum(w @ parts, LEAST_MIXTURE))
        return np.append(log_inverse, w / w.sum())

    def loss(self, x: Array) -> tuple[float, Array]:
        """The loss and its gradient."""
        w = x[1:]
        tempered, change = self._tempered(np.exp(x[0]))
        mixed = np.maximum(w[0] * tempered + w[1] * self.plain + w[2] * self.uniform, LEAST_MIXTURE)
        ratio = self.target / mixed
        gradient = -np.array([w[0] * ratio @ change, ratio @ tempered, ratio @ self.plain, ratio.sum() * self.uniform])
        return -arrays.dot(self.target, np.log(mixed)), gradient
