"""Neural-network scaling: one hidden layer on the logits (gce_measuring table 5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from .. import arrays, validation
from ..notices import notice
from ..predictions import Predictions
from ..progress import counted_steps
from .base import LogitCalibrator
from .logit_blocks import LogitBlocks, logits_of

Array = NDArray[np.float64]

MOST_STEPS = 500
CLOSE = 1e-6  # relative change of the loss, in one step, at which the fit has converged


class NeuralScaling(LogitCalibrator):
    """softmax(a z + V tanh(U z' + c) + d), of least mean loss plus penalty times the mean squares of U and of V.

    z' are the logits with the mean and spread that they have, all classes together, in the calibration set. The fit
    starts where nothing changes (a = 1, V = 0, d = 0), so it never ends worse than it began. It is not convex: the
    seed is part of the result.

    Parameters
    ----------
    hidden : int, at least 1
        Number of hidden units.
    penalty : float, at least 0
    seed : int
        Of the first U and c.

    Attributes
    ----------
    scale_ : float
        a.
    outer_, shift_ : ndarray, shape (K, hidden) and (K,)
        V and d.
    inner_, offset_ : ndarray, shape (hidden, K) and (hidden,)
        U and c, of the logits as they are.
    gradient_norm_ : float
        Of the penalised mean loss where the fit ended.

    References
    ----------
    Nixon et al. 2019 (gce_measuring), table 5, compare "neural network scaling" without a formula; this is the
    package's own form.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> repair = cv.NeuralScaling(hidden=4).fit(calibration)
    >>> cv.log_loss(repair.transform(calibration)) < cv.log_loss(calibration)
    True
    """

    short_name = "neural"
    keeps_ranking = False

    def __init__(self, hidden: int = 16, penalty: float = 0.1, seed: int | None = 0) -> None:
        validation.whole_number(hidden, "hidden", 1)
        validation.real_number(penalty, "penalty", 0.0)
        validation.seed(seed)
        self.hidden = hidden
        self.penalty = penalty
        self.seed = seed

    def _fit(self, predictions: Predictions) -> None:
        LogitBlocks(predictions, logits_of).refuse_too_large()
        network = _Network(_in_an_order_of_their_own(predictions), self.hidden, self.penalty)
        with counted_steps(self.name) as step:
            found = minimize(
                network.loss,
                network.start(self.seed),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": MOST_STEPS, "maxfun": 2 * MOST_STEPS, "ftol": CLOSE, "gtol": 1e-7},
                callback=step,
            )
        if not found.success:
            notice(
                f"the fit has not converged in {found.nit} steps: a larger penalty, or fewer hidden units, would help",
                stacklevel=3,
            )
        self.gradient_norm_ = float(np.linalg.norm(found.jac))
        scale, self.outer_, self.shift_, inner, offset = network.parts(found.x)
        self.scale_ = float(scale)
        self.inner_: Array = inner / network.spread
        self.offset_: Array = offset - inner.sum(axis=1) * network.mean / network.spread

    def _logits(self, z: Array) -> Array:
        return self.scale_ * z + np.tanh(z @ self.inner_.T + self.offset_) @ self.outer_.T + self.shift_


def _in_an_order_of_their_own(predictions: Predictions) -> Predictions:
    """The samples sorted by what they hold: this fit amplifies rounding, which depends on their order."""
    tags = np.random.default_rng(0).normal(size=(2, predictions.n_classes))
    blocks = arrays.row_blocks(*predictions.probs.shape)
    tagged = [np.einsum("ij,j->i", logits_of(predictions, block), tags[0]) for block in blocks]
    keys: list[NDArray[Any]] = [np.concatenate(tagged)]
    if predictions.soft_labels is None:
        assert predictions.labels is not None
        keys.append(predictions.labels)
    else:
        keys.append(np.einsum("ij,j->i", predictions.soft_labels, tags[1]))
    if predictions.weights is not None:
        keys.append(predictions.weights)
    return predictions.select(np.lexsort(keys))


class _Network:
    """The penalised mean negative log-likelihood as a function of all parameters, one after the other."""

    def __init__(self, predictions: Predictions, hidden: int, penalty: float) -> None:
        self.logits = LogitBlocks(predictions, logits_of)
        self.penalty = penalty
        classes = predictions.n_classes
        self.shapes = [(), (classes, hidden), (classes,), (hidden, classes), (hidden,)]
        first = second = 0.0
        for block, z in self.logits():
            share = self.logits.weights(block) / self.logits.total / classes
            first += float(share @ z.sum(axis=1))
            second += float(share @ np.einsum("ij,ij->i", z, z))
        self.mean = first
        variance = second - first**2
        self.spread = float(np.sqrt(variance)) if variance > 1e-12 * second else 1.0  # less is rounding

    def start(self, seed: int | None) -> Array:
        """Parameters that change nothing, with hidden units that differ."""
        rng = np.random.default_rng(seed)
        classes, hidden = self.shapes[1]
        inner = rng.normal(size=(hidden, classes)) / np.sqrt(classes)
        return np.concatenate([[1.0], np.zeros(classes * hidden + classes), inner.ravel(), rng.normal(size=hidden)])

    def parts(self, x: Array) -> list[Array]:
        """a, V, d, U and c."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        return [part.reshape(shape) for part, shape in zip(np.split(x, ends[:-1]), self.shapes, strict=True)]

    def loss(self, x: Array) -> tuple[float, Array]:
        """The loss and its gradient."""
        scale, outer, shift, inner, offset = self.parts(x)
        slopes = [np.zeros(shape) for shape in self.shapes]
        loss = 0.0
        for block, z in self.logits():
            standard = (z - self.mean) / self.spread
            active = np.tanh(standard @ inner.T + offset)
            added, rest = self.logits.cross_entropy(block, scale * z + active @ outer.T + shift)
            loss += added
            back = (rest @ outer) * (1 - active**2)
            for slope, part in zip(
                slopes,
                ((rest * z).sum(), rest.T @ active, rest.sum(axis=0), back.T @ standard, back.sum(axis=0)),
                strict=True,
            ):
                slope += part
        whole = self.logits.total
        loss, gradient = loss / whole, [slope / whole for slope in slopes]
        for i, part in ((1, outer), (3, inner)):
            loss += self.penalty * float((part**2).mean())
            gradient[i] = gradient[i] + 2 * self.penalty * part / part.size
        return loss, np.concatenate([np.ravel(part) for part in gradient])
