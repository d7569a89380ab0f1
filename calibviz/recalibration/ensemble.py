"""Ensemble temperature scaling (Zhang, Kailkhura and Han 2020)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from .. import arrays
from ..predictions import Predictions
from .base import RowCalibrator
from .logit_blocks import LogitBlocks, logits_of
from .temperature import COLDEST, HOTTEST, best_inverse

Array = NDArray[np.float64]

START = (0.9, 0.05, 0.05)
LEAST = 1e-100  # of a mixed probability; the square of its inverse can be computed
CLOSE = 1e-10  # change of the mean loss at which the fit has converged


class EnsembleTemperature(RowCalibrator):
    """w1 softmax(z / T) + w2 softmax(z) + w3 / K of maximum likelihood, the w at least 0 and of sum 1.

    It keeps the ranking of the classes, hence the accuracy, up to ties that rounding to the dtype makes.

    Attributes
    ----------
    temperature_ : float
        Between 0.001 and 1000.
    weights_ : ndarray, shape (3,)
        Of the tempered probabilities, the given ones, and the uniform ones.

    References
    ----------
    Zhang, Kailkhura and Han 2020, "Mix-n-Match", section 4.2 (ETS).
    """

    short_name = "ensemble"
    keeps_ranking = True

    def _fit(self, predictions: Predictions) -> None:
        mixture = _Mixture(predictions)
        inverse, _ = best_inverse(predictions)
        alone = np.array([np.log(inverse), 1.0, 0.0, 0.0])
        found = minimize(
            mixture.loss,
            np.array([np.log(inverse), *START]),
            jac=True,
            method="SLSQP",
            bounds=[(-np.log(HOTTEST), -np.log(COLDEST)), *[(0.0, 1.0)] * 3],
            constraints={"type": "eq", "fun": lambda x: x[1:].sum() - 1, "jac": lambda x: np.array([0.0, 1, 1, 1])},
            options={"ftol": CLOSE, "maxiter": 500},
        )
        if not found.success:
            warnings.warn(f"the fit has not converged: {found.message}", RuntimeWarning, stacklevel=3)
        # The loss is not convex in all four: temperature scaling alone is the least that must come out.
        best = min(found.x, alone, key=lambda x: mixture.loss(x)[0])
        self.temperature_ = float(np.exp(-best[0]))
        self.weights_: Array = np.clip(best[1:], 0.0, 1.0) / np.clip(best[1:], 0.0, 1.0).sum()

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

    def loss(self, x: Array) -> tuple[float, Array]:
        """The loss and its gradient."""
        inverse, w = np.exp(x[0]), x[1:]
        loss, gradient = 0.0, np.zeros(4)
        for block, z in self.logits():
            tempered, plain = arrays.softmax(z * inverse), arrays.softmax(z)
            share = self.logits.weights(block)
            # The derivative of the tempered probabilities with respect to ln(1 / T).
            change = inverse * tempered * (z - np.einsum("ij,ij->i", z, tempered)[:, None])
            soft, target, parts = self.logits.soft(block), share[:, None], [change, tempered, plain]
            if soft is None:  # only the entry of the label counts
                parts = [part[self.logits.entries(block)][:, None] for part in parts]
            else:
                target = target * soft
            uniform = 1 / z.shape[1]
            mixed = np.maximum(w[0] * parts[1] + w[1] * parts[2] + w[2] * uniform, LEAST)
            loss -= float((target * np.log(mixed)).sum())
            ratio = target / mixed
            gradient[0] -= w[0] * (ratio * parts[0]).sum()
            gradient[1:] -= [(ratio * parts[1]).sum(), (ratio * parts[2]).sum(), ratio.sum() * uniform]
        return loss / self.logits.total, gradient / self.logits.total
