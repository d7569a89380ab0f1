"""Data sets of which the truth is known, and whose rows belong together, are censored, or come from several centres."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri

import calibviz as cv

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Generator = np.random.Generator
Curve = Callable[[Array], Array]

EQUAL, HALF, QUARTER = 0.0, np.sqrt(np.log(2)), np.sqrt(np.log(4))  # spread of log sizes: worth all, half, a quarter
DENSE = 200_000  # scores that stand for all of them


def same(score: Array) -> Array:
    """Calibrated."""
    return score


CURVES: dict[str, Curve] = {
    "calibrated": same,
    "log-odds - .5": lambda s: expit(logit(s) - 0.5),
    "odds^.6": lambda s: expit(0.6 * logit(s)),
    "bump": lambda s: np.clip(s + 0.15 * np.exp(-(((s - 0.6) / 0.08) ** 2) / 2), 0.0, 1.0),
}


def true_errors(curve: Curve) -> tuple[float, float, float]:
    """The true ECE, KS and Kuiper error of uniform scores."""
    score = (np.arange(DENSE) + 0.5) / DENSE
    gap = score - curve(score)
    walk = np.append(0.0, np.cumsum(gap)) / DENSE
    return float(np.abs(gap).mean()), float(np.abs(walk).max()), float(np.ptp(walk))


def uniform(rng: Generator, n: int) -> Array:
    """Scores that are spread evenly."""
    return rng.random(n)


def rare(rng: Generator, n: int) -> Array:
    """Scores of which the mean is 4.8 %."""
    return np.clip(rng.beta(0.5, 10.0, n), 1e-9, 1.0)


@dataclass(frozen=True)
class Kind:
    """How the rows of a cluster belong together.

    Attributes
    ----------
    scores : function of a generator and a number
    latent : float, in [0, 1]
        The correlation of the normal numbers behind two outcomes of a cluster.
    sizes : float
        The standard deviation of the logarithm of the sizes.
    shape : {"rows", "whole", "match"}
        Of "whole" each cluster is one score and one outcome; of "match" the scores sharpen towards the one outcome.
    curve : function of scores
        The true probabilities.
    rows : int
        Of a cluster, on average.
    """

    scores: Callable[[Generator, int], Array] = uniform
    latent: float = 0.3
    sizes: float = EQUAL
    shape: str = "rows"
    curve: Curve = same
    rows: int = 20

    def draw(self, rng: Generator, clusters: int) -> tuple[Array, Codes, Codes]:
        """Scores, labels and the cluster of each row."""
        code = self.codes(rng, clusters)
        if self.shape == "whole":
            score = self.scores(rng, clusters)
            return score[code], (rng.random(clusters) < self.curve(score)).astype(np.int64)[code], code
        if self.shape == "match":  # a random walk, of which each score is the chance to end above 0
            share = np.sort(rng.random(len(code)) * 0.95)
            order = np.lexsort((share, code))
            code, share = code[order], share[order]
            steps = np.diff(share, prepend=0.0)
            first = np.flatnonzero(np.diff(code, prepend=-1))
            steps[first] = share[first]
            walk = np.cumsum(rng.standard_normal(len(code)) * np.sqrt(steps))
            walk -= np.append(0.0, walk[first[1:] - 1])[code]
            last = np.append(first[1:], len(code)) - 1
            end = walk[last] + rng.standard_normal(clusters) * np.sqrt(1 - share[last])
            return ndtr(walk / np.sqrt(1 - share)), (end > 0).astype(np.int64)[code], code
        score = self.scores(rng, len(code))
        return score, self.labels(rng, self.curve(score), code), code

    def codes(self, rng: Generator, clusters: int) -> Codes:
        """The cluster of each row."""
        sizes = np.full(clusters, self.rows)
        if self.sizes:
            drawn = np.exp(self.sizes * rng.standard_normal(clusters))
            sizes = np.maximum(1, np.rint(drawn / drawn.mean() * self.rows)).astype(np.int64)
        return np.repeat(np.arange(clusters), sizes)

    def labels(self, rng: Generator, chance: Array, code: Codes) -> Codes:
        """Labels of rows of these chances."""
        return latent_labels(rng, chance, code, self.latent)

    def predictions(self, rng: Generator, clusters: int, **more: object) -> cv.Predictions:
        """One data set."""
        score, label, code = self.draw(rng, clusters)
        return cv.Predictions(score, label, cluster=code, **more)  # type: ignore[arg-type]


def latent_labels(rng: Generator, chance: Array, code: Codes, latent: float) -> Codes:
    """Labels of rows of these chances, which depend on each other within clusters alone."""
    shared = rng.standard_normal(code.max() + 1)[code]
    drawn = np.sqrt(latent) * shared + np.sqrt(1 - latent) * rng.standard_normal(len(code))
    return (drawn < ndtri(np.clip(chance, 0.0, 1.0))).astype(np.int64)


KINDS = {
    "latent 0": Kind(latent=0.0),
    "latent .3": Kind(),
    "latent .7": Kind(latent=0.7),
    "latent .3, skewed": Kind(sizes=QUARTER),
    "whole": Kind(shape="whole"),
    "whole, skewed": Kind(shape="whole", sizes=QUARTER),
    "match": Kind(shape="match"),
    "rare, latent .3": Kind(scores=rare),
    "rare, whole": Kind(scores=rare, shape="whole"),
}


@dataclass(frozen=True)
class Cohort:
    """People who are followed up: their risks by the horizon 1, and how often the follow-up ends before.

    Attributes
    ----------
    censored : float, or pair of floats
        The share whose follow-up would end before the horizon; a pair of both groups, whose risks differ.
    competing : float
        The share of those without the event who have another one by the horizon.
    curve : function of risks
        The true probabilities of the event by the horizon.
    """

    censored: float | tuple[float, float]
    competing: float = 0.0
    curve: Curve = same

    def draw(self, rng: Generator, n: int) -> dict[str, Array]:
        """The arguments of `cv.Predictions.at_horizon`, and the group of each."""
        group = rng.integers(0, 2, n)
        risk = rng.beta(2.0, 3.0, n)
        if isinstance(self.censored, tuple):
            risk = np.where(group == 1, rng.beta(4.0, 2.0, n), rng.beta(2.0, 4.0, n))
            share = np.array(self.censored)[group]
        else:
            share = np.full(n, self.censored)
        has_event = rng.random(n) < self.curve(risk)
        # Events by the horizon lie evenly before it, all others after it: so the risk is exact, also beside another
        # event, which takes a part of those without.
        time = np.where(has_event, rng.random(n), 1.0 + rng.exponential(1.0, n))
        other = ~has_event & (rng.random(n) < self.competing)
        time = np.where(other, rng.random(n), time)
        ends = rng.exponential(1.0, n) / -np.log1p(-share)
        event = np.where(other, 2, 1) * (time <= ends)
        return {"risk": risk, "time": np.minimum(time, ends), "event": event, "group": group.astype(np.float64)}
