"""Maximum likelihood of softmax(W z + b), a multinomial logistic regression, with W a number, a diagonal or a matrix.

The fit is Newton's method in a trust region, with steps by conjugate gradients (Nocedal and Wright 2006, section 7.1).
Gradients are exact and in float64. Products with the Hessian only steer the steps, so float32 is enough for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.predictions import Predictions
from ...data.reweighting import label_mass
from ...foundation.arrays import Array
from ...foundation.cancellation import check
from ...foundation.fit_warnings import notice
from ...foundation.progress import counted_steps
from .conditioning import Affine, Coordinates, Kind, conditioned
from .logit_blocks import Inputs, LogitBlocks

GRADIENT_TOLERANCE = 1e-5  # in conditioned coordinates, where half its square is about the loss left to gain
STEPS_PER_ROUND = 8  # of Newton's method, before the coordinates are conditioned again
IDLE_GRADIENT_TOLERANCE = 1e-2  # the tolerance where steps do not lower the loss any more
MOST_STEPS = 400
LEAST_GAIN = 1e-6  # of the mean loss in one round; a fit that gains less has converged, too
MOST_WORK = 1e12  # multiplications in all: about a minute
SEPARATING_LOSS = 1e-4  # mean loss below which there is nothing more to learn from a calibration set
CONDITIONING_SAMPLES = 6000  # that the curvature of the loss is estimated from


@dataclass(frozen=True)
class Penalty:
    """lambda / (K (K - 1)) times the squared off-diagonals of W, plus mu / K times the squared b (ODIR)."""

    off_diagonal: float = 0.0
    bias: float = 0.0

    def __call__(self, affine: Affine) -> tuple[float, Affine]:
        """The penalty and its gradient, which is linear in W and b."""
        classes = len(affine.bias)
        off = np.zeros_like(affine.weight)
        if affine.weight.ndim == 2:
            off = affine.weight * (self.off_diagonal / (classes * (classes - 1)))
            np.fill_diagonal(off, 0.0)
        gradient = Affine(2 * off, affine.bias * (2 * self.bias / classes))
        return float((off * affine.weight).sum() + (gradient.bias @ affine.bias) / 2), gradient


class _EnoughError(Exception):
    """A fit has used up the work that it may take."""


class SoftmaxLikelihood:
    """The mean negative log-likelihood of predictions under softmax(W z + b), and its minimum.

    `inputs` gives the z of some rows, shape (m, K), and `kind` is the form of W. The factors and the shift of a class
    without samples stay as they are, since the likelihood would lower its shift without end.
    """

    def __init__(self, predictions: Predictions, inputs: Inputs, kind: Kind, penalty: Penalty = Penalty()) -> None:
        self.predictions = predictions
        self.logits = LogitBlocks(predictions, inputs)
        self.kind = kind
        self.penalty = penalty
        self.logits.refuse_too_large()
        self.present = label_mass(predictions, predictions.weights) > 0
        self.work = 0.0
        self._least: tuple[float, Affine] = (np.inf, self.identity())

    @cached_property
    def probs(self) -> NDArray[np.float32]:
        """The probabilities at the latest point, for products with the Hessian."""
        return np.empty(self.predictions.probs.shape, dtype=np.float32)

    def fit(self, start: Affine | None = None) -> tuple[Affine, float]:
        """The W and b of least penalised loss, and the norm of its gradient; a warning says if it has not converged."""
        from scipy.optimize import minimize

        start = self.identity() if start is None else start
        (best, loss), steps, self.work, self._least = self._begun(start), 0, 0.0, (np.inf, start)
        with counted_steps("fit") as step:

            def report(_: Array) -> None:
                self.steps += 1
                step(f"gradient {self._flatness:.1e}, to be {GRADIENT_TOLERANCE:g}")

            self.steps = 0
            while True:
                self.coordinates = self._conditioned()
                try:
                    solution = minimize(
                        self._loss,
                        self.coordinates.packed(best),
                        jac=True,
                        hessp=self._hessian_product,
                        method="trust-ncg",
                        options={"gtol": GRADIENT_TOLERANCE, "maxiter": STEPS_PER_ROUND, "max_trust_radius": 1e3},
                        callback=report,
                    )
                except _EnoughError:
                    return self._ended()
                best, steps, gained = self.coordinates.unpacked(solution.x), steps + solution.nit, loss - solution.fun
                loss = solution.fun
                # For a class with few samples, the loss can fall in some direction for ever, by less and less.
                idle = gained < LEAST_GAIN
                if solution.success or idle or steps >= MOST_STEPS or loss < SEPARATING_LOSS:
                    break
        converged = solution.success or (idle and np.linalg.norm(solution.jac) < IDLE_GRADIENT_TOLERANCE)
        best = self._levelled(best)
        norm = self._norm(best)
        if not converged:
            what = (
                "the fit separates the classes of the calibration set, and could go on without end"
                if loss < SEPARATING_LOSS
                else f"the fit has not converged: after {steps} steps the norm of the gradient is {norm:.2g}"
            )
            notice(f"{what}; a penalty, or more samples, would help", stacklevel=4)
        return best, norm

    def _ended(self) -> tuple[Affine, float]:
        """The best W and b so far, with a warning, when the fit takes too long."""
        best = self._levelled(self._least[1])
        norm = self._norm(best)
        samples, classes = self.predictions.probs.shape
        notice(
            f"the fit was ended after {self.steps} steps, as {samples:,} samples of {classes:,} classes take long: the "
            f"norm of the gradient is {norm:.2g}; cv.VectorScaling() or cv.Temperature(), or fewer samples, are quick",
            stacklevel=5,
        )
        return best, norm

    def _levelled(self, affine: Affine) -> Affine:
        """The W and b of least penalty that give the same probabilities.

        A constant added to all rows of W, or to all of b, changes no probability. In that direction only the penalty
        curves the loss, and a tiny penalty does so too little for the steps to reach the minimum.
        """
        if self.kind != "matrix" or not self.present.all():  # the rows of classes without samples stay as they are
            return affine
        classes, weight, bias = len(affine.bias), affine.weight, affine.bias
        if self.penalty.off_diagonal > 0:
            weight = weight - (weight.sum(axis=0) - np.diag(weight)) / (classes - 1)
        return Affine(weight, bias - bias.mean() if self.penalty.bias > 0 else bias)

    def _norm(self, affine: Affine) -> float:
        gradient = self._kept_still(self._penalised(affine)[1])
        return float(np.sqrt((gradient.weight**2).sum() + (gradient.bias**2).sum()))

    def _begun(self, start: Affine) -> tuple[Affine, float]:
        """The start, or a fraction of it with less loss, and its loss.

        Where all probabilities are 0 or 1 and some labels disagree, the loss has no curvature at the start.
        """
        loss, first = self._penalised(start)[0], start
        while True:
            less = self._where_present(Affine(start.weight / 4, start.bias / 4), start)
            of_less = self._likelihood(less)[0] + self.penalty(less)[0]  # `probs` stays that of the first point
            if not of_less < loss:
                break
            start, loss = less, of_less
        if start is not first:
            self._penalised(start)
        return start, loss

    def identity(self) -> Affine:
        """The W and b that leave the logits as they are."""
        classes = self.predictions.n_classes
        if self.kind == "matrix":
            return Affine(np.eye(classes), np.zeros(classes))
        return Affine(np.ones(() if self.kind == "number" else classes), np.zeros(classes))

    def loss(self, affine: Affine) -> float:
        """The mean negative log-likelihood, without the penalty."""
        return self._likelihood(affine)[0]

    def _likelihood(self, affine: Affine, probs: NDArray[np.float32] | None = None) -> tuple[float, Affine]:
        """The mean loss and its gradient."""
        loss = 0.0
        weight, bias = np.zeros_like(affine.weight), np.zeros_like(affine.bias)
        check()
        for block, z in self.logits():
            added, residual = self.logits.cross_entropy(block, affine(z), probs)
            loss += added
            weight += self._pulled(residual, z)
            bias += residual.sum(axis=0)
        total = self.logits.total
        return loss / total, Affine(weight / total, bias / total)

    def _pulled(self, residual: NDArray[Any], z: NDArray[Any]) -> NDArray[Any]:
        """The derivative with respect to W of the sum of residual * (W z)."""
        if self.kind == "matrix":
            return residual.T @ z
        sums = np.einsum("ij,ij->j", residual, z)
        return sums if self.kind == "diagonal" else sums.sum()

    def _hessian(self, direction: Affine) -> Affine:
        """The Hessian of the mean loss at the latest point times a direction."""
        along = Affine(direction.weight.astype(np.float32), direction.bias.astype(np.float32))
        weight, bias = np.zeros_like(direction.weight), np.zeros_like(direction.bias)
        unit = self.logits.total / len(self.predictions)  # weights in this unit are not too large for float32
        for block, z in self.logits(np.float32):
            moved, probs = along(z), self.probs[block]
            moved -= np.einsum("ij,ij->i", moved, probs)[:, None]
            moved *= probs
            if self.predictions.weights is not None:
                moved *= (self.predictions.weights[block, None] / unit).astype(np.float32)
            weight += self._pulled(moved, z)
            bias += moved.sum(axis=0)
        return Affine(weight / len(self.predictions), bias / len(self.predictions))

    def _conditioned(self) -> Coordinates:
        """Coordinates for the latest point."""
        predictions, rows = self.predictions, slice(None, None, -(-len(self.predictions) // CONDITIONING_SAMPLES))
        share = np.ones(len(predictions))[rows] if predictions.weights is None else predictions.weights[rows]
        share = share / share.sum() if share.any() else np.full(len(share), 1 / len(share))
        classes = predictions.n_classes
        added = 2 * self.penalty.off_diagonal / (classes * (classes - 1)), 2 * self.penalty.bias / classes
        z = self.logits.inputs(predictions, rows, np.float64)
        check()
        probs = self.probs[rows].astype(np.float64)
        check()
        return conditioned(z, probs, share, self.kind, added)

    def _penalised(self, affine: Affine) -> tuple[float, Affine]:
        loss, gradient = self._likelihood(affine, self.probs)
        extra, slope = self.penalty(affine)
        return loss + extra, gradient + slope

    def _kept_still(self, gradient: Affine) -> Affine:
        """The gradient with 0 for the parameters of classes without samples."""
        return self._where_present(gradient, Affine(np.zeros(()), np.zeros(())))

    def _where_present(self, affine: Affine, other: Affine) -> Affine:
        """W and b, but those of another one for classes without samples."""
        bias = np.where(self.present, affine.bias, other.bias)
        if self.kind == "number":
            return Affine(affine.weight, bias)
        present = self.present[:, None] if self.kind == "matrix" else self.present
        return Affine(np.where(present, affine.weight, other.weight), bias)

    def _loss(self, x: Array) -> tuple[float, Array]:
        affine = self.coordinates.unpacked(x)
        loss, gradient = self._penalised(affine)
        self._latest, slope = x.copy(), self.coordinates.gradient(self._kept_still(gradient))
        self._add_work()
        if loss < self._least[0]:
            self._least, self._flatness = (loss, affine), float(np.linalg.norm(slope))
        return loss, slope

    def _add_work(self) -> None:
        samples, classes = self.predictions.probs.shape
        each = samples * classes * 20.0
        if self.kind == "matrix":
            each += 2.0 * classes**2 * (samples + classes)
        self.work += each

    def _hessian_product(self, x: Array, direction: Array) -> Array:
        if self.work > MOST_WORK:
            raise _EnoughError
        self._add_work()
        if not np.array_equal(x, self._latest):  # SciPy went back to the point before, as the latest was no better
            self._loss(x)
        along = self.coordinates.unpacked(direction)
        return self.coordinates.gradient(self._kept_still(self._hessian(along) + self.penalty(along)[1]))
