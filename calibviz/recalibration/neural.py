"""Neural-network scaling: one hidden layer on the logits (gce_measuring table 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..data.predictions import Predictions
from ..foundation import arrays, validation
from ..foundation.arrays import Array
from ..foundation.cancellation import check
from ..foundation.fit_warnings import notice
from ..foundation.progress import counted_steps
from .base import LogitCalibrator
from .solvers.logit_blocks import MOST_HELD, LogitBlocks, logits_of

GRADIENT_TOLERANCE = 1e-8  # norm of the gradient at which the fit has converged
ROUNDED_GRADIENT_TOLERANCE = 1e-6  # the tolerance where rounding keeps the gradient from getting smaller
MOST_STEPS = 500  # of Newton's method
MOST_WORK = 1e9  # logits and hidden units computed in all: about a minute
LEAST_SPREAD = 1e-2  # of the logits along an axis, relative to the longest; less would start with a steep unit


class NeuralScaling(LogitCalibrator):
    """softmax(a z + V tanh(U z' + c) + d), of least mean loss plus penalty times the mean squares of U, c, V and d.

    z' are the logits, standardised by their mean and spread over all classes of the calibration set. The fit starts at
    the identity (a = 1, V = 0, d = 0), so its loss never ends above that of the input. The loss is not convex, so the
    result depends on the start: the rows of U are the principal axes of the logits, and where there are more units than
    axes the same axes twice and four times as steep. It depends neither on random numbers nor on the order of classes
    or samples.

    Parameters
    ----------
    hidden : int, at least 1
        Number of hidden units.
    penalty : float, at least 0

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

    See Also
    --------
    MatrixScaling : A linear map of the logits.

    References
    ----------
    Nixon et al. 2019 (gce_measuring), table 5, compare "neural network scaling" without a formula; this is the
    package's own form.

    Examples
    --------
    >>> calibration, evaluation = cv.load_dataset("digits")["neural network"].split(0.5)
    >>> calibrator = cv.NeuralScaling(hidden=4).fit(calibration)
    >>> cv.log_loss(calibrator.transform(calibration)) < cv.log_loss(calibration)
    True
    """

    short_name = "neural"
    keeps_ranking = False

    def __init__(self, hidden: int = 16, penalty: float = 0.1) -> None:
        validation.whole_number(hidden, "hidden", 1)
        validation.real_number(penalty, "penalty", 0.0)
        self.hidden = hidden
        self.penalty = penalty

    def _fit(self, predictions: Predictions) -> None:
        from scipy.optimize import minimize

        LogitBlocks(predictions, logits_of).refuse_too_large()
        network = _Network(predictions, self.hidden, self.penalty)
        with counted_steps(self.name) as step:

            def stop_at_most(_: Array) -> None:
                step(f"gradient {network.flatness:.1e}, to be {GRADIENT_TOLERANCE:g}")
                if network.work > MOST_WORK:
                    raise StopIteration

            solution = minimize(
                network.loss,
                network.start(),
                jac=True,
                hessp=network.hessian_product,
                method="trust-ncg",
                options={"gtol": GRADIENT_TOLERANCE, "maxiter": MOST_STEPS, "max_trust_radius": 1e3},
                callback=stop_at_most,
            )
        self.gradient_norm_ = float(np.linalg.norm(solution.jac))
        if not solution.success and self.gradient_norm_ > ROUNDED_GRADIENT_TOLERANCE:
            notice(
                f"the fit has not converged: after {solution.nit} steps the norm of the gradient is "
                f"{self.gradient_norm_:.2g}; a larger penalty, or fewer hidden units or samples, would help",
                stacklevel=3,
            )
        scale, self.outer_, self.shift_, inner, offset = network.parts(solution.x)
        self.scale_ = float(scale)
        self.inner_: Array = inner / network.spread
        self.offset_: Array = offset - inner.sum(axis=1) * network.mean / network.spread

    def _logits(self, z: Array) -> Array:
        return self.scale_ * z + np.tanh(z @ self.inner_.T + self.offset_) @ self.outer_.T + self.shift_


class _Network:
    """The penalised mean negative log-likelihood as a function of all parameters, one after the other."""

    def __init__(self, predictions: Predictions, hidden: int, penalty: float) -> None:
        self.logits = LogitBlocks(predictions, logits_of)
        self.penalty = penalty
        classes = predictions.n_classes
        self.shapes = [(), (classes, hidden), (classes,), (hidden, classes), (hidden,)]
        self.work = 0.0
        self.flatness = self._least = np.inf  # norm of the gradient where the loss was least, and that loss
        self._latest: tuple[Array, list[_Pass]] | None = None
        sums, squares = np.zeros(classes), np.zeros((classes, classes))
        for block, z in self.logits():
            share = self.logits.weights(block) / self.logits.total
            sums += share @ z
            squares += (z.T * share) @ z
        self.mean = float(sums.mean())
        second = float(np.trace(squares)) / classes
        variance = second - self.mean**2
        self.spread = float(np.sqrt(variance)) if variance > 1e-12 * second else 1.0  # less is rounding
        self.covariance = (squares - np.outer(sums, sums)) / self.spread**2

    def start(self) -> Array:
        """Parameters of the identity, with hidden units along the principal axes.

        The direction of an axis does not matter, since both directions make the same unit with opposite signs.
        """
        classes, hidden = self.shapes[1]
        size, axes = np.linalg.eigh(self.covariance)
        along = np.arange(hidden) % classes
        size = np.sqrt(np.maximum(size[::-1], max(LEAST_SPREAD**2 * size[-1], 1e-12)))
        steepness = 2.0 ** (np.arange(hidden) // classes % 3) / size[along]
        inner = axes.T[::-1][along] * steepness[:, None]
        return np.concatenate([[1.0], np.zeros(classes * hidden + classes), inner.ravel(), np.zeros(hidden)])

    def parts(self, x: Array) -> list[Array]:
        """a, V, d, U and c."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        return [part.reshape(shape) for part, shape in zip(np.split(x, ends[:-1]), self.shapes, strict=True)]

    def loss(self, x: Array) -> tuple[float, Array]:
        """The loss and its gradient."""
        _, outer, *_ = parts = self.parts(x)
        slopes = [np.zeros(shape) for shape in self.shapes]
        loss, kept = 0.0, []
        for forward in self._passes(x):
            loss += forward.loss
            back = (forward.residual @ outer) * (1 - forward.active**2)
            self._add(slopes, forward, forward.residual, back, forward.residual.T @ forward.active)
            if self.logits.predictions.probs.size <= MOST_HELD:
                kept.append(forward)
        self._latest = (x.copy(), kept) if kept else None
        extra = sum(float((part**2).mean()) for part in parts[1:])
        loss, gradient = loss / self.logits.total + self.penalty * extra, self._gradient(slopes, parts)
        if loss < self._least:
            self._least, self.flatness = loss, float(np.linalg.norm(gradient))
        return loss, gradient

    def hessian_product(self, x: Array, direction: Array) -> Array:
        """The Hessian at x times a direction."""
        _, outer, _, _, _ = self.parts(x)
        scale_, outer_, shift_, inner_, offset_ = moves = self.parts(direction)
        slopes = [np.zeros(shape) for shape in self.shapes]
        is_latest = self._latest is not None and np.array_equal(self._latest[0], x)
        for forward in self._latest[1] if self._latest is not None and is_latest else self._passes(x):
            check()
            bend = 1 - forward.active**2
            active_ = bend * (forward.standard @ inner_.T + offset_)
            moved = scale_ * forward.z + active_ @ outer.T + forward.active @ outer_.T + shift_
            moved -= np.einsum("ij,ij->i", moved, forward.probs)[:, None]
            moved *= forward.probs
            moved *= forward.weights[:, None]
            pulled = forward.residual @ outer
            back = (moved @ outer + forward.residual @ outer_) * bend - 2 * pulled * forward.active * active_
            self._add(slopes, forward, moved, back, moved.T @ forward.active + forward.residual.T @ active_)
        return self._gradient(slopes, moves)

    def _passes(self, x: Array) -> Iterator[_Pass]:
        """Forward passes of all samples, a block at a time."""
        scale, outer, shift, inner, offset = self.parts(x)
        for block, z in self.logits():
            standard = (z - self.mean) / self.spread
            active = np.tanh(standard @ inner.T + offset)
            logits = scale * z + active @ outer.T + shift
            probs = arrays.softmax(logits)
            loss, residual = self.logits.cross_entropy(block, logits)
            yield _Pass(z, standard, active, probs, residual, self.logits.weights(block), loss)

    def _add(self, slopes: list[Array], forward: _Pass, residual: Array, back: Array, outer: Array) -> None:
        """Add the share of some samples to the slopes."""
        self.work += forward.z.size + forward.active.size
        parts = (residual * forward.z).sum(), outer, residual.sum(axis=0), back.T @ forward.standard, back.sum(axis=0)
        for slope, part in zip(slopes, parts, strict=True):
            slope += part

    def _gradient(self, slopes: list[Array], parts: list[Array]) -> Array:
        """The gradient as one vector, with the penalty on all parameters but a."""
        mean = [slope / self.logits.total for slope in slopes]
        extra = (2 * self.penalty * part / part.size for part in parts[1:])
        return np.concatenate([mean[0].ravel(), *(np.ravel(m + e) for m, e in zip(mean[1:], extra, strict=True))])


@dataclass(frozen=True, eq=False)
class _Pass:
    """A forward pass of some samples: logits, standardised logits, hidden units, probabilities and the loss."""

    z: Array
    standard: Array
    active: Array
    probs: Array
    residual: Array
    weights: Array
    loss: float
