"""What a calibrator of one value of a field costs and gains, by how few samples of its rarer outcome it is fitted to.

A value has 100 samples among 900; the log-odds of all scores are normal. Those of the value are right, or off by a
shift. Shown is the mean change of the Brier score and of the log loss, in points, on 4,000 other samples of the value,
by a `cv.Platt` that was fitted to the 100 in place of one that was fitted to all 900. Below 0 it gains.

    python benchmarks/by_field.py [data sets]
"""

from __future__ import annotations

import sys

import numpy as np

import calibviz as cv

N, OTHERS, JUDGED = 100, 800, 4_000
KINDS = {
    "right, 15 % rare": (2.2, 0.0),
    "right, 8 % rare": (3.0, 0.0),
    "shift of 1": (2.2, 1.0),
    "shift of 2": (0.5, 2.0),
}
EDGES = (0, 2, 5, 10, 20, N)


def drawn(n: int, centre: float, shift: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Scores and targets whose log-odds are off by a shift."""
    z = rng.normal(centre, 1.2, n)
    return 1 / (1 + np.exp(-z)), (rng.random(n) < 1 / (1 + np.exp(-z - shift))).astype(float)


def losses(fitted: cv.Platt, score: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Brier score and log loss."""
    p = np.clip(fitted(score), 1e-12, 1 - 1e-12)
    return np.array([((p - target) ** 2).mean(), -np.log(np.where(target == 1, p, 1 - p)).mean()])


def main(sets: int) -> None:
    print("| the value | samples of the rarer outcome | sets | Brier score | log loss |")
    print("|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    for name, (centre, shift) in KINDS.items():
        told: dict[int, list[np.ndarray]] = {}
        for _ in range(sets):
            score, target = drawn(N, centre, shift, rng)
            others = drawn(OTHERS, 0.0, 0.0, rng)
            own = cv.Platt().fit(score, target)
            common = cv.Platt().fit(np.append(score, others[0]), np.append(target, others[1]))
            judged = drawn(JUDGED, centre, shift, rng)
            rare = int(min(target.sum(), N - target.sum()))
            place = int(np.searchsorted(EDGES, rare, "right")) - 1
            told.setdefault(place, []).append(losses(own, *judged) - losses(common, *judged))
        for place in sorted(told):
            if len(told[place]) >= sets / 50:
                brier, log = 100 * np.mean(told[place], axis=0)
                rows = f"{EDGES[place]} to {EDGES[place + 1] - 1} | {len(told[place])}"
                print(f"| {name} | {rows} | {brier:+.2f} | {log:+.2f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
