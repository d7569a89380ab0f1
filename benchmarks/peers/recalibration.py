"""What fitting a calibrator costs beside other packages: seconds to fit, and how good the fit is, in one run.

    python benchmarks/peers/recalibration.py  # 25,000 samples of 100 classes, float32

Everything runs in one thread. A package that is not installed is skipped. The quality is the mean negative
log-likelihood of the calibration set after the fit (of the top-1 spline the Brier score), and for calibviz the norm of
the gradient where the fit ended.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from data import Data, simulate

import calibviz as cv

Fitted = Callable[[Data], np.ndarray]  # the recalibrated probabilities (n, K), or scores (n,)

LONG = 3.0  # seconds, after which a fit is made no more
TURNS = 7
PACKAGES = ("scikit-learn", "netcal", "probmetrics", "torch-uncertainty")


@dataclass(frozen=True)
class Row:
    """One method, what its time should be at most in times of the first peer or in seconds, and the peers."""

    name: str
    aim: float | None
    ours: Callable[[Data], Any]  # fits, and returns the calibrator
    peers: dict[str, Callable[[Data], Fitted]]  # fits, and returns how to apply it
    limit: float | None = None  # seconds


def sklearn_temperature(d: Data) -> Fitted:
    from sklearn.calibration import _TemperatureScaling  # behind CalibratedClassifierCV, which would train a model, too

    logits = np.log(np.maximum(d.probs, 1e-12))
    model = _TemperatureScaling().fit(logits, d.labels)
    return lambda d: model.predict(logits)


def probmetrics(name: str) -> Callable[[Data], Fitted]:
    def fit(d: Data) -> Fitted:
        import probmetrics.calibrators as calibrators

        model = getattr(calibrators, name)()
        model.fit(d.probs, d.labels)
        return lambda d: model.predict_proba(d.probs)

    return fit


def probmetrics_spline(d: Data) -> Fitted:
    import probmetrics.calibrators as calibrators

    model = calibrators.CDFSplineCalibrator()
    both = np.column_stack([1 - d.confidence, d.confidence])
    model.fit(both, d.hits.astype(int))
    return lambda d: model.predict_proba(both)[:, 1]


def netcal_isotonic(d: Data) -> Fitted:
    from netcal.binning import IsotonicRegression

    model = IsotonicRegression()
    model.fit(d.probs, d.labels)
    return lambda d: model.transform(d.probs)


def torch_uncertainty_dirichlet(d: Data) -> Fitted:
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    from torch_uncertainty.post_processing import DirichletScaler

    logits = torch.log(torch.clamp(torch.from_numpy(d.probs), 1e-12))
    model = DirichletScaler(d.classes)
    data = TensorDataset(logits, torch.from_numpy(d.labels))
    model.fit(DataLoader(data, batch_size=len(d)), progress=False)
    return lambda d: torch.softmax(model._scale(logits), dim=1).detach().numpy()


def of(calibrator: Any) -> Callable[[Data], Any]:
    return lambda d: calibrator.fit(cv.Predictions(d.probs, d.labels))


ROWS = [
    Row(
        "temperature",
        0.3,
        of(cv.Temperature()),
        {"scikit-learn": sklearn_temperature, "probmetrics": probmetrics("TemperatureScalingCalibrator")},
    ),
    Row("bias-corrected temperature", None, of(cv.BiasCorrectedTemperature()), {}),
    Row("ensemble temperature", None, of(cv.EnsembleTemperature()), {}),
    Row("vector scaling", 2.0, of(cv.VectorScaling()), {"probmetrics": probmetrics("VectorScalingCalibrator")}),
    Row(
        "matrix scaling, no penalty",
        2.0,
        of(cv.MatrixScaling()),
        {"probmetrics": probmetrics("MatrixScalingCalibrator")},
    ),
    Row("Dirichlet, no penalty", 0.6, of(cv.Dirichlet(0.0)), {"torch-uncertainty": torch_uncertainty_dirichlet}),
    Row("Dirichlet, penalty 10", None, of(cv.Dirichlet()), {}),
    Row("isotonic, one-vs-rest", 1.0, of(cv.OneVsRest(cv.Isotonic())), {"netcal": netcal_isotonic}),
    Row("spline, top-1", 0.05, lambda d: cv.Spline().fit(d.confidence, d.hits), {"probmetrics": probmetrics_spline}),
    Row("spline, one-vs-rest", None, of(cv.OneVsRest(cv.Spline())), {}, limit=0.5),
    Row("beta, one-vs-rest", None, of(cv.OneVsRest(cv.Beta())), {}),
    Row("histogram binning, one-vs-rest", None, of(cv.OneVsRest(cv.HistogramBinning())), {}),
]


def loss(outputs: np.ndarray, d: Data) -> float:
    """Mean negative log-likelihood of the labels, or the Brier score of outputs that are scores of the top class."""
    if outputs.ndim == 1:
        return float(((outputs - d.hits) ** 2).mean())
    right = outputs[np.arange(len(d)), d.labels]
    with np.errstate(divide="ignore"):
        return float(-np.log(np.asarray(right, dtype=np.float64)).mean())


def applied(calibrator: Any, d: Data) -> np.ndarray:
    return calibrator(d.confidence) if isinstance(calibrator, cv.Spline) else calibrator.predict_proba(d.probs)


def compare(row: Row, d: Data, found: dict[str, str]) -> str:
    """Measure one method and print it; return a line of the table at the end."""
    calls = {"calibviz": row.ours} | {name: fit for name, fit in row.peers.items() if name in found}
    times: dict[str, list[float]] = {name: [] for name in calls}
    fitted: dict[str, Any] = {}
    for _ in range(TURNS):  # in turns, so that whatever slows the machine slows everybody
        for name, fit in calls.items():
            if sum(times[name]) > LONG:
                continue
            begin = time.perf_counter()
            fitted[name] = fit(d)
            times[name].append(time.perf_counter() - begin)
    least = {name: min(several) for name, several in times.items()}
    losses = {n: loss(applied(f, d) if n == "calibviz" else np.asarray(f(d)), d) for n, f in fitted.items()}
    norm = getattr(fitted["calibviz"], "gradient_norm_", math.nan)
    print(f"\n{row.name}")
    for name, seconds in least.items():
        tail = f"  gradient {norm:.1e}" if name == "calibviz" and norm == norm else ""
        print(f"  {name:20} {1e3 * seconds:10.1f} ms  loss {losses[name]:.7f}{tail}")
    peer = min((name for name in least if name != "calibviz"), key=least.__getitem__, default="")
    ratio = least["calibviz"] / least[peer] if peer else math.nan
    aim, first = "", next((name for name in row.peers if name in found), "")
    if row.aim is not None and first:
        reached = least["calibviz"] / least[first]
        aim = f"{row.aim:g} of {first}: {reached:.2g}" + (", missed" if reached > row.aim else "")
    if row.limit is not None:
        aim = f"{row.limit:g} s" + (", missed" if least["calibviz"] > row.limit else "")
    line = [row.name, f"{1e3 * least['calibviz']:,.0f}", f"{losses['calibviz']:.5f}"]
    line += [f"{norm:.0e}" if norm == norm else ""]
    line += [f"{1e3 * least[peer]:,.0f} ({peer})", f"{losses[peer]:.5f}", f"{ratio:.2g}"] if peer else ["", "", ""]
    return f"| {' | '.join([*line, aim])} |"


def main() -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=25_000)
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--only", default="", help="a part of the names of the methods to measure")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # other packages warn of much
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            print(f"{package} is not installed: skipped")
    try:
        import torch

        torch.set_num_threads(1)
    except ImportError:
        pass
    d = simulate(args.samples, args.classes)
    assert len(d.confidence) == len(d.hits)  # known before anything is timed
    print(f"Python {sys.version.split()[0]}, calibviz {cv.__version__}, " + ", ".join(map(" ".join, found.items())))
    print(
        f"{args.samples:,} samples x {args.classes} classes, {d.probs.dtype}; one thread; loss {loss(d.probs, d):.5f}"
    )
    lines = [compare(row, d, found) for row in ROWS if args.only in row.name]
    print("\n| method | calibviz, ms | loss | gradient | fastest package, ms | its loss | ratio | aim |")
    print("|---|---|---|---|---|---|---|---|", *lines, sep="\n")


if __name__ == "__main__":
    main()
