"""The quantities in plain NumPy, a few lines each: what one would write without any package."""

from __future__ import annotations

import numpy as np
from data import BINS, Data


def top1(d: Data) -> Data:
    """The same arrays, of which confidences and hits are not known yet."""
    return Data(d.probs, d.labels)


def uniform(d: Data, bins: int = BINS) -> float:
    return uniform_of(top1(d), bins)


def uniform_of(d: Data, bins: int = BINS) -> float:
    digits = np.minimum((d.confidence * bins).astype(np.intp), bins - 1)
    return np.abs(np.bincount(digits, d.confidence - d.hits)).sum() / len(d)


def mass(d: Data, bins: int = BINS) -> float:
    return mass_of(top1(d), bins)


def mass_of(d: Data, bins: int = BINS) -> float:
    gap = (d.confidence - d.hits)[np.argsort(d.confidence)]
    return np.abs(np.add.reduceat(gap, mass_starts(len(d), bins))).sum() / len(d)


def mass_starts(n: int, bins: int) -> np.ndarray:
    return -(-np.arange(bins) * n // bins)


def classwise(d: Data, bins: int = BINS) -> float:
    """Bin only what is not in the first bin, where nearly all probabilities of many classes are."""
    flat, classes = d.probs.ravel(), d.classes
    above = np.flatnonzero(flat >= 1 / bins)
    cell = np.minimum((flat[above] * bins).astype(np.intp), bins - 1) + bins * (above % classes)
    gap = np.bincount(cell, flat[above], bins * classes).reshape(classes, bins)
    gap[:, 0] = d.probs.sum(axis=0, dtype=np.float64) - gap.sum(axis=1)
    of_label = np.minimum((d.probs[np.arange(len(d)), d.labels] * bins).astype(np.intp), bins - 1)
    gap -= np.bincount(of_label + bins * d.labels, minlength=bins * classes).reshape(classes, bins)
    return np.abs(gap).sum() / len(d) / classes


def class_masses(d: Data, bins: int = BINS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sorts values alone, and locates the positives among them: sizes (bins,), scores and targets (K, bins)."""
    order = np.argsort(d.labels, kind="stable")
    of_label = np.split(d.probs[order, d.labels[order]], np.searchsorted(d.labels[order], np.arange(1, d.classes)))
    starts, score, target = mass_starts(len(d), bins), [], []
    for c in range(d.classes):
        column = np.sort(d.probs[:, c])
        score.append(np.add.reduceat(column, starts, dtype=np.float64))
        target.append(np.bincount(np.searchsorted(column[starts[1:]], of_label[c], side="right"), minlength=bins))
    return np.diff(starts, append=len(d)), np.array(score), np.array(target)


def ace(d: Data) -> float:
    _, score, target = class_masses(d)
    return np.abs(score - target).sum() / len(d) / d.classes


def debiased(d: Data) -> float:
    size, score, target = class_masses(d)
    mean = target / size
    squares = ((score / size - mean) ** 2 - mean * (1 - mean) / (size - 1)) @ size / len(d)
    return np.sqrt(np.maximum(squares, 0)).mean()


def sweep(d: Data) -> float:
    order = np.argsort(d.confidence)
    hits = np.concatenate(([0.0], np.cumsum(d.hits[order])))
    for bins in range(2, len(d)):
        cuts = np.append(mass_starts(len(d), bins), len(d))
        means = np.diff(hits[cuts]) / np.diff(cuts)
        if (means[1:] < means[:-1] - 1e-9).any():
            return mass_of(d, bins - 1)
    return mass_of(d, len(d) - 1)


def ks(d: Data) -> float:
    return np.abs(np.cumsum((d.confidence - d.hits)[np.argsort(d.confidence)])).max() / len(d)


def brier(d: Data) -> float:
    squares = np.square(d.probs).sum(dtype=np.float64) / len(d)
    return squares + 1 - 2 * d.probs[np.arange(len(d)), d.labels].mean(dtype=np.float64)


def log_loss(d: Data) -> float:
    return -np.log(d.probs[np.arange(len(d)), d.labels], dtype=np.float64).mean()


def bootstrap(d: Data, replicates: int = 1000) -> float:
    d = top1(d)
    digits, gap = np.minimum((d.confidence * BINS).astype(np.intp), BINS - 1), d.confidence - d.hits
    rng, errors = np.random.default_rng(0), []
    for _ in range(replicates):
        drawn = rng.integers(len(d), size=len(d))
        errors.append(np.abs(np.bincount(digits[drawn], gap[drawn])).sum() / len(d))
    return np.mean(errors)


def bootstrap_sorted(d: Data, replicates: int = 1000) -> float:
    """Sorts once, and only counts how often each sample is drawn."""
    d = top1(d)
    order = np.argsort(d.confidence)
    gap = (d.confidence - d.hits)[order]
    starts = np.unique(np.searchsorted(d.confidence[order], np.arange(BINS) / BINS))
    rng, errors = np.random.default_rng(0), []
    for _ in range(replicates):
        times = np.bincount(rng.integers(len(d), size=len(d), dtype=np.int32), minlength=len(d))
        errors.append(np.abs(np.add.reduceat(times * gap, starts)).sum() / len(d))
    return np.mean(errors)


def tree(d: Data, gamma: float = 2**-4) -> float:
    nodes, gap = [(d.probs.T.astype(np.float64), d.labels)], 0.0  # scores (K, samples), so that a class is in one piece
    while nodes:
        score, labels = nodes.pop()
        if len(labels) >= round(gamma * len(d)):
            mean = score.mean(axis=1)
            c = (np.einsum("ij,ij->i", score, score) / len(labels) - mean**2).argmax()
            left = score[c] < mean[c]
            if left.any() and not left.all():
                nodes += [(score[:, side], labels[side]) for side in (left, ~left)]
                continue
        gap += np.abs(score.sum(axis=1) - np.bincount(labels, minlength=d.classes)).sum() / 2
    return gap / len(d)
