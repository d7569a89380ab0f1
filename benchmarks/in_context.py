"""How often `cv.InContext` leaves the plain fit, and what it gains, on simulated data whose truth is known.

Logits of three classes are normal with standard deviation 3. Labels are drawn at temperature 2, but in a group of a
quarter of the samples at another one. What is told is the mean distance of the confidence from its true probability, in
the group, on 20,000 other samples: of the plain temperature, of what `InContext` makes of it, and of the temperature of
the least error in the group, taken without a test.

    python benchmarks/in_context.py [data sets]
"""

from __future__ import annotations

import sys

import numpy as np

import calibviz as cv

GROUP, SELECTION = 0.25, "group == 'inside'"
ERRORS = {"ECE": cv.calibration_error, "KS": cv.ks_error}


def drawn(n: int, temperature: float, rng: np.random.Generator) -> tuple[cv.Predictions, np.ndarray]:
    """Predictions, and the true probabilities of the classes."""
    logits, inside = 3 * rng.normal(size=(n, 3)), rng.random(n) < GROUP
    scaled = logits / np.where(inside, temperature, 2.0)[:, None]
    truth = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    truth /= truth.sum(axis=1, keepdims=True)
    labels = (rng.random(n)[:, None] > truth.cumsum(axis=1)[:, :-1]).sum(axis=1)
    fields = {"group": np.where(inside, "inside", "outside")}
    return cv.Predictions(labels=labels, logits=logits, fields=fields), truth


def true_error(predictions: cv.Predictions, truth: np.ndarray) -> float:
    """Mean |confidence - its true probability| in the group."""
    inside = predictions.fields["group"] == "inside"
    found = np.take_along_axis(truth, predictions.predicted[:, None], axis=1)[:, 0]
    return float(np.abs(predictions.confidence - found)[inside].mean())


def main(sets: int) -> None:
    print("| temperature of the group | samples | error | chosen | plain | InContext | always |")
    print("|---|---|---|---|---|---|---|")
    for temperature in (2.0, 4.0):
        for n in (1000, 4000):
            for name, error in ERRORS.items():
                told, chosen = [], 0
                for i in range(sets):
                    rng = np.random.default_rng((i, n))
                    calibration, _ = drawn(n, temperature, rng)
                    judged, truth = drawn(20_000, temperature, rng)
                    group = calibration.select(calibration.fields["group"] == "inside")
                    fitted = cv.InContext(cv.Temperature(), selection=SELECTION, error=error).fit(calibration)
                    always = cv.MetricTemperature(error).fit(group)
                    chosen += fitted.chosen_ == "context"
                    told.append([true_error(c.transform(judged), truth) for c in (fitted.calibrator_, fitted, always)])
                means = " | ".join(f"{100 * mean:.2f}" for mean in np.mean(told, axis=0))
                print(f"| {temperature:g} | {n:,} | {name} | {100 * chosen / sets:.0f} % | {means} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
