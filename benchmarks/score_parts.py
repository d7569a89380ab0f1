"""How often the intervals of `cv.corp` hold the miscalibration, discrimination and uncertainty of a known curve.

Scores are Beta distributed; the log-odds of the true curve are a straight line in theirs. Clusters of five samples
share a latent normal variable of correlation 0.3. Beside each interval stands that of the percentiles of the same
replicates.

    python benchmarks/score_parts.py [data sets]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from scipy.special import entr, expit, logit, ndtr, xlogy

import calibviz as cv

SHAPES = ((1.0, 4.0), (8.0, 12.0))
CURVES = {"calibrated": (1.0, 0.0), "mild": (0.7, 0.2), "strong": (0.4, -0.8)}  # slope and shift of the log-odds
SIZES = ((200, 0), (1000, 5))  # samples, and how many of each cluster
ERRORS = (cv.brier_score, cv.log_loss)
PARTS = ("miscalibration", "discrimination", "uncertainty")
REPLICATES, MANY, CORRELATION = 100, 400_000, 0.3


def scores(shape: tuple[float, float], n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.beta(*shape, n).clip(1e-6, 1 - 1e-6)


def curve(score: np.ndarray, slope: float, shift: float) -> np.ndarray:
    return expit(slope * logit(score) + shift)


def truth(error: object, score: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The parts by the true curve."""
    mean = target.mean()
    if error is cv.brier_score:
        return np.array([((score - target) ** 2).mean(), target.var(), mean * (1 - mean)])
    entropy, of_mean = (entr(target) + entr(1 - target)).mean(), entr(mean) + entr(1 - mean)
    loss = -(xlogy(target, score) + xlogy(1 - target, 1 - score)).mean()
    return np.array([loss - entropy, of_mean - entropy, of_mean])


def drawn(shape, line, n: int, size: int, rng: np.random.Generator) -> cv.ScalarProblem:
    score = scores(shape, n, rng)
    if not size:
        return cv.ScalarProblem(score, rng.random(n) < curve(score, *line))
    code = np.arange(n) // size
    shared = np.sqrt(CORRELATION) * rng.normal(size=n)[code] + np.sqrt(1 - CORRELATION) * rng.normal(size=n)
    return cv.ScalarProblem(score, ndtr(shared) < curve(score, *line), cluster=code)


def held(problem: cv.ScalarProblem, error, true: np.ndarray, seed: int) -> Iterator[bool]:
    """Whether the interval of each part holds the truth, and then whether the percentiles do."""
    found = cv.corp(problem, error=error, replicates=REPLICATES, rng=seed, progress=False).intervals
    for name, value in zip(PARTS, true, strict=True):
        yield found[name].lower <= value <= found[name].upper
    for name, value in zip(PARTS[:2], true, strict=False):
        plain = cv.bootstrap(
            problem, error=lambda q, name=name: getattr(cv.corp(q, error=error), name), replicates=REPLICATES, rng=seed
        )
        yield plain.lower <= value <= plain.upper


def main(sets: int) -> None:
    heads = [*PARTS, *(f"{part}, percentiles" for part in PARTS[:2])]
    print("| score | Beta | curve | samples | of a cluster |", " | ".join(heads), "|")
    print("|---" * (5 + len(heads)), "|", sep="")
    for shape in SHAPES:
        for name, line in CURVES.items():
            many = scores(shape, MANY, np.random.default_rng(0))
            for n, size in SIZES:
                for error in ERRORS:
                    true = truth(error, many, curve(many, *line))
                    rows = []
                    for i in range(sets):
                        problem = drawn(shape, line, n, size, np.random.default_rng((i, n, size)))
                        rows.append(list(held(problem, error, true, i)))
                    rates = [f"{100 * rate:.0f}" for rate in np.mean(rows, axis=0)]
                    cells = [error.__name__, f"{shape}", name, f"{n:,}", f"{size or 1}", *rates]
                    print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
