"""How far `cv.MetricTemperature` goes from the temperature of least log loss, and what that costs, by metric.

    python benchmarks/metric_temperature.py

Logits of some classes are normal with standard deviation 4, their labels are drawn at temperature 2.5, those of the
last class at 4 in the second kind, so that no temperature is right. Each metric finds its temperature on n samples.
Printed as a Markdown table are the 5, 50 and 95 % quantiles of the temperature, how often an error is still less at a
temperature that is not considered, and the mean ECE, classwise error and log loss on 20,000 other samples, beside those
of `cv.Temperature`.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from scipy.special import softmax

import calibviz as cv

LEVELS = (0.05, 0.5, 0.95)
SCE, ACE = cv.GCE.named("SCE"), cv.GCE.named("ACE")
METRICS: dict[str, Callable[[cv.Predictions], float]] = {
    "ECE": cv.calibration_error,
    "KS": cv.ks_error,
    "debiased": cv.debiased_error,
    "Brier": cv.brier_score,
    "classwise ECE": lambda q: cv.calibration_error(q, "classwise"),
    "SCE": SCE,
    "ACE": ACE,
    "maximum": lambda q: cv.calibration_error(q, aggregate="max"),
    "KS of the last class": lambda q: cv.ks_error(q, f"class {q.n_classes - 1}"),
}
SHOWN = {"ECE": METRICS["ECE"], "classwise": METRICS["classwise ECE"], "log loss": lambda q: cv.log_loss(q, "full")}


def drawn(n: int, classes: int, last: float, seed: int) -> cv.Predictions:
    """Return one data set."""
    rng = np.random.default_rng((n, classes, seed))
    logits = 4.0 * rng.standard_normal((n, classes))
    warm = np.where(np.arange(classes) == classes - 1, last, 2.5)
    steps = softmax(logits / warm, axis=1).cumsum(axis=1)
    labels = (steps <= rng.random((n, 1))).sum(axis=1).clip(max=classes - 1)
    return cv.Predictions(logits=logits, labels=labels)


def main() -> None:
    """Read the command line, simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=20)
    args = parser.parse_args()
    print("| labels | n | metric | T at 5, 50, 95 % | less elsewhere, % | " + " | ".join(SHOWN) + " |")
    print("|---|---:|---|---|---:|" + "---:|" * len(SHOWN))
    for name, classes, last in (("of one temperature", 10, 2.5), ("of two temperatures", 10, 4.0)):
        others = drawn(20_000, classes, last, 10**6)
        for n in (300, 3000):
            fits = {"log loss": cv.Temperature(), **{metric: cv.MetricTemperature(f) for metric, f in METRICS.items()}}
            for metric, calibrator in fits.items():
                found, less, costs = [], 0, []
                for i in range(args.sets):
                    with warnings.catch_warnings(record=True) as said:
                        warnings.simplefilter("always")
                        fit = calibrator.fit(drawn(n, classes, last, i))
                    less += any("less still" in str(one.message) for one in said)
                    found.append(fit.temperature_)
                    moved = fit.transform(others)
                    costs.append([measure(moved) for measure in SHOWN.values()])
                spread = ", ".join(f"{q:.2f}" for q in np.quantile(found, LEVELS))
                errors = " | ".join(f"{100 * x:.1f}" if x < 0.5 else f"{x:.3f}" for x in np.mean(costs, axis=0))
                print(f"| {name} | {n:,} | {metric} | {spread} | {100 * less / args.sets:.0f} | {errors} |", flush=True)


if __name__ == "__main__":
    main()
