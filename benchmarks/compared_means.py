"""How often a page that compares equally good models sets some difference in bold.

Log-odds of all samples are normal; each model knows them up to noise of its own, and says the probability that follows
from what it knows, so that all are calibrated and equally good. Shown is in how many data sets some difference of two
models, in accuracy, mean score, Brier score, log loss or net benefit at 0.3, is told apart: each by itself at 5 %,
and by the one maximum of `cv.compare`.

    python benchmarks/compared_means.py [data sets]
"""

from __future__ import annotations

import sys

import numpy as np

import calibviz as cv
from calibviz.answers.situation.paired_change import losses_of, told_apart

SPREAD, NOISE, THRESHOLD = 1.5, 0.7, 0.3


def drawn(models: int, n: int, rng: np.random.Generator) -> list[cv.Predictions]:
    """Calibrated models of the same samples: what each knows is x plus noise, and the mean log-odds given that."""
    truth = SPREAD * rng.normal(size=n)
    labels = (rng.random(n) < 1 / (1 + np.exp(-truth))).astype(int)
    share = SPREAD**2 / (SPREAD**2 + NOISE**2)
    grid = np.sqrt(share) * NOISE * np.linspace(-4, 4, 81)
    density = np.exp(-(np.linspace(-4, 4, 81) ** 2) / 2)
    out = []
    for _ in range(models):
        known = share * (truth + NOISE * rng.normal(size=n))
        score = (1 / (1 + np.exp(-(known[:, None] + grid)))) @ density / density.sum()
        out.append(cv.Predictions(score, labels))
    return out


def by_themselves(values: list[np.ndarray]) -> bool:
    """Whether some difference lies beyond 1.96 of its standard errors."""
    n = values[0].shape[1]
    for i in range(len(values)):
        for j in range(i):
            apart = values[i] - values[j]
            if (np.abs(apart.mean(axis=1)) > 1.96 * apart.std(axis=1, ddof=1) / n**0.5).any():
                return True
    return False


def main(sets: int) -> None:
    print("| samples | models | each by itself | one maximum |")
    print("|---|---|---|---|")
    for n in (200, 1000):
        for models in (2, 4, 8):
            alone = together = 0
            for i in range(sets):
                made = drawn(models, n, np.random.default_rng((i, n, models)))
                values = [losses_of(cv.lens("class 1")(p), p.top_target, THRESHOLD) for p in made]
                alone += by_themselves(values)
                together += bool(told_apart(values, np.ones(n), n).any())
            print(f"| {n:,} | {models} | {100 * alone / sets:.0f} % | {100 * together / sets:.1f} % |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
