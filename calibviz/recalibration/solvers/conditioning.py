"""Coordinates that condition the Hessian of the likelihood of softmax(W z + b), so that conjugate gradients are fast.

They make the block of each class, a sum of p (1 - p) z z', the identity. The blocks between classes stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import Array, row_blocks
from ...foundation.cancellation import check

Kind = Literal["number", "diagonal", "matrix"]

MOST_BLOCK_CLASSES = 200  # the blocks of more classes would fill the memory; they share their directions instead
LEAST_CURVATURE = 1e-3  # of a class, relative to the mean over all; less would make the steps too long
LEAST_MEAN_CURVATURE = 1e-12  # less is rounding
RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class Affine:
    """W, of shape (), (K,) or (K, K), and b, shape (K,): new logits are W z + b."""

    weight: Array
    bias: Array

    def __call__(self, z: NDArray[Any]) -> NDArray[Any]:
        out = z @ self.weight.T if self.weight.ndim == 2 else z * self.weight
        out += self.bias
        return out

    def __add__(self, other: Affine) -> Affine:
        return Affine(self.weight + other.weight, self.bias + other.bias)


class Coordinates(Protocol):
    """A linear map between W and b and a vector x."""

    def packed(self, affine: Affine) -> Array: ...

    def unpacked(self, x: Array) -> Affine: ...

    def gradient(self, affine: Affine) -> Array:
        """The gradient with respect to x, from the gradient with respect to W and b."""


@dataclass(frozen=True, eq=False)
class Scales:
    """Coordinates for a number W: each parameter has a unit of its own, shape (1 + K,)."""

    scale: Array

    def packed(self, affine: Affine) -> Array:
        return np.append(affine.weight, affine.bias) * self.scale

    def unpacked(self, x: Array) -> Affine:
        values = x / self.scale
        return Affine(values[0], values[1:])

    def gradient(self, affine: Affine) -> Array:
        return np.append(affine.weight, affine.bias) / self.scale


@dataclass(frozen=True, eq=False)
class Blocks:
    """Coordinates for a diagonal or a matrix W: a triangular matrix (K, m, m) maps the m parameters of each class."""

    factor: Array
    inverse: Array
    diagonal: bool

    def packed(self, affine: Affine) -> Array:
        return np.einsum("kji,kj->ki", self.factor, self._rows(affine)).ravel()

    def unpacked(self, x: Array) -> Affine:
        rows = np.einsum("kji,kj->ki", self.inverse, x.reshape(self.factor.shape[:2]))
        return Affine(rows[:, 0] if self.diagonal else rows[:, :-1], rows[:, -1])

    def gradient(self, affine: Affine) -> Array:
        return np.einsum("kij,kj->ki", self.inverse, self._rows(affine)).ravel()

    @staticmethod
    def _rows(affine: Affine) -> Array:
        return np.column_stack([affine.weight, affine.bias])


@dataclass(frozen=True, eq=False)
class SharedAxes:
    """Coordinates for a matrix W of many classes: principal axes A of the logits, with scales by class and axis.

    W z + b = V (A' (z - m)) + c, where m is the mean of the logits.
    """

    mean: Array
    axes: Array
    scale: Array  # (K, K + 1), for V and c

    def packed(self, affine: Affine) -> Array:
        shifted = affine.bias + affine.weight @ self.mean
        return (np.column_stack([affine.weight @ self.axes, shifted]) * self.scale).ravel()

    def unpacked(self, x: Array) -> Affine:
        rows = x.reshape(self.scale.shape) / self.scale
        weight = rows[:, :-1] @ self.axes.T
        return Affine(weight, rows[:, -1] - weight @ self.mean)

    def gradient(self, affine: Affine) -> Array:
        centred = affine.weight - np.outer(affine.bias, self.mean)
        return (np.column_stack([centred @ self.axes, affine.bias]) / self.scale).ravel()


def conditioned(
    z: Array, probs: NDArray[np.floating], share: Array, kind: Kind, penalty: tuple[float, float]
) -> Coordinates:
    """Coordinates that condition the likelihood of samples with these logits z and weights `share`, whose sum is 1.

    `probs` are what softmax(W z + b) gives now; `penalty` is the curvature that one adds to the off-diagonals of W and
    to b.
    """
    curvature = probs * (1 - probs)
    mean = max(float((share @ curvature).mean()), LEAST_MEAN_CURVATURE)
    check()
    curvature = (curvature + LEAST_CURVATURE * mean) * share[:, None]
    check()
    of_bias = curvature.sum(axis=0) + penalty[1]
    if kind == "number":
        spread = 0.0
        for block in row_blocks(*z.shape):
            off = z[block] - (probs[block] * z[block]).sum(axis=1, keepdims=True)
            spread += float((curvature[block] * off**2).sum())
        return Scales(np.sqrt(np.append(max(spread, mean * RIDGE), of_bias)))
    if kind == "matrix" and z.shape[1] > MOST_BLOCK_CLASSES:
        return _build_shared_axes(z, curvature, share, penalty)
    return _build_blocks(z, curvature, kind == "diagonal", penalty)


def _build_blocks(z: Array, curvature: Array, diagonal: bool, penalty: tuple[float, float]) -> Blocks:
    classes = z.shape[1]
    size = 2 if diagonal else classes + 1
    hessian: Array = np.empty((classes, size, size))
    places = np.arange(size)
    with_one = np.column_stack([z, np.ones(len(z))]).astype(np.float32)
    for k in range(classes):
        check()
        features = with_one[:, [k, -1]] if diagonal else with_one
        most = curvature[:, k].max()  # a unit in which float32 does not underflow
        hessian[k] = most * ((features.T * (curvature[:, k] / most).astype(np.float32)) @ features).astype(np.float64)
        added = np.full(size, 0.0 if diagonal else penalty[0])
        added[-1] = penalty[1]
        if not diagonal:
            added[k] = 0.0
        hessian[k, places, places] += added + RIDGE * np.trace(hessian[k])
    factor, inverse = np.empty_like(hessian), np.empty_like(hessian)
    for k in range(classes):
        check()
        factor[k] = np.linalg.cholesky(hessian[k])
        inverse[k] = np.linalg.inv(factor[k])
    return Blocks(factor, inverse, diagonal)


def _build_shared_axes(z: Array, curvature: Array, share: Array, penalty: tuple[float, float]) -> SharedAxes:
    mean = share @ z
    covariance = np.zeros((z.shape[1], z.shape[1]))
    for block in row_blocks(*z.shape):
        centred = z[block] - mean
        covariance += (centred.T * share[block]) @ centred
    size, axes = np.linalg.eigh(covariance)
    check()
    of_class = curvature.sum(axis=0)
    size = np.maximum(size, max(RIDGE * size.max(), 1e-12))
    scale = np.sqrt(np.outer(of_class, size) + penalty[0])
    return SharedAxes(mean, axes, np.column_stack([scale, np.sqrt(of_class + penalty[1])]))
