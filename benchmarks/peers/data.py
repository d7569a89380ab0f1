"""The predictions that everybody is measured on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

BINS = 15


@dataclass(frozen=True)
class Data:
    """Raw arrays, as everybody is given them."""

    probs: np.ndarray  # (n, K)
    labels: np.ndarray  # (n,)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def classes(self) -> int:
        return self.probs.shape[1]

    @cached_property
    def confidence(self) -> np.ndarray:
        return self.probs.max(axis=1).astype(np.float64)

    @cached_property
    def hits(self) -> np.ndarray:
        return (self.probs.argmax(axis=1) == self.labels).astype(np.float64)

    def where(self, kept: np.ndarray) -> Data:
        return Data(self.probs[kept], self.labels[kept])


def simulate(samples: int, classes: int, seed: int = 0) -> Data:
    """Softmax of noise with a margin on the label: of 100 classes 75 % are right, and confidences reach 1."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=samples)
    z = rng.standard_normal((samples, classes), dtype=np.float32)
    z[np.arange(samples), labels] += rng.normal(3.9, 1.75, samples).astype(np.float32)
    z -= z.max(axis=1, keepdims=True)
    z *= 3
    np.exp(z, out=z)
    z /= z.sum(axis=1, keepdims=True)
    return Data(z, labels)
