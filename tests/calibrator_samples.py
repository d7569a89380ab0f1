"""All calibrators, and simulated predictions to fit them to."""

from __future__ import annotations

import warnings

import numpy as np

import calibviz as cv

ROWS = {
    "temperature": cv.Temperature(),
    "metric": cv.MetricTemperature(cv.ks_error),
    "in context": cv.InContext(cv.Temperature()),
    "ensemble": cv.EnsembleTemperature(),
    "bias-corrected": cv.BiasCorrectedTemperature(),
    "vector": cv.VectorScaling(),
    "matrix": cv.MatrixScaling(),
    "matrix, penalty": cv.MatrixScaling(0.1, bias_penalty=0.01),
    "dirichlet": cv.Dirichlet(),
    "dirichlet, free": cv.Dirichlet(penalty=0),
    "neural": cv.NeuralScaling(hidden=2, penalty=1.0),
}
SCALARS = {
    "spline": cv.Spline(),
    "spline, cumulative": cv.Spline(5, target="cumulative"),
    "spline, monotone": cv.Spline(monotone=True),
    "spline, bounded": cv.Spline(8, bounded=True),
    "isotonic": cv.Isotonic(),
    "platt": cv.Platt(),
    "beta": cv.Beta(),
    "histogram": cv.HistogramBinning(),
    "histogram, equal mass": cv.HistogramBinning(10, "equal-mass"),
    "histogram, bootstrap": cv.HistogramBinning(5, replicates=8),
}
COLUMNS = {f"one-vs-rest {name}": cv.OneVsRest(scalar) for name, scalar in SCALARS.items()} | {
    "shared histogram": cv.OneVsRest(cv.HistogramBinning(), shared=True),
    "shared beta": cv.OneVsRest(cv.Beta(), shared=True),
    "by rank spline": cv.ByRank(cv.Spline()),
    "by rank isotonic": cv.ByRank(cv.Isotonic()),
}
WHOLE = ROWS | COLUMNS
EVERY = WHOLE | SCALARS


def fresh(name):
    """An unfitted calibrator of its own."""
    return type(EVERY[name])(**EVERY[name].get_params(deep=False))


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def drawn(probs, rng):
    """Labels from the rows of probabilities."""
    return np.minimum((rng.random((len(probs), 1)) > probs.cumsum(axis=1)).sum(axis=1), probs.shape[1] - 1)


def arrays(n=400, classes=4, seed=0):
    """Logits that are too confident and shifted, and labels; every class has some."""
    rng = np.random.default_rng(seed)
    z = 2.5 * rng.normal(size=(n, classes))
    labels = drawn(softmax(z / 2 + 0.5 * rng.normal(size=classes)), rng)
    some = np.arange(min(3 * classes, n // 2))
    labels[some] = some % classes
    return z, labels


def predictions(n=400, classes=4, seed=0, logits=True, **options):
    z, labels = arrays(n, classes, seed)
    return cv.Predictions(None if logits else softmax(z), labels, logits=z if logits else None, **options)


def scores(n=400, seed=0, levels=None):
    """Scores and targets that come true less often than the scores say."""
    rng = np.random.default_rng(seed)
    score = rng.beta(2, 1, n)
    if levels:
        score = np.round(score * levels) / levels
    return score, (rng.random(n) < score**1.7).astype(float)


def fitted(calibrator, *args, **kwargs):
    """The calibrator, fitted; that a fit has not converged, or that there are few samples, may be said."""
    with warnings.catch_warnings():
        hard = ("the fit has not converged", "the fit separates the classes", "no temperature between")
        for text in (*hard, "the context holds"):
            warnings.filterwarnings("ignore", text, RuntimeWarning)
        return calibrator.fit(*args, **kwargs)
