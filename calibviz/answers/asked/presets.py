"""Questions to begin with: each makes choices and says in two sentences what to look for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...context.lens_names import default_lens
from ...data.predictions import Predictions
from ...data.reweighting import label_mass
from ...data.top_classes import WRONG_RIGHT

#: Categories to begin with.
CATEGORIES = (("unlikely", (0.0, 0.2)), ("possible", (0.2, 0.7)), ("likely", (0.7, 1.0)))


@dataclass(frozen=True)
class Preset:
    """A question, the choices that answer it for some predictions, and what to look for."""

    question: str
    choices: Callable[[Predictions], dict[str, Any]]
    look_for: str


def _tail(predictions: Predictions) -> dict[str, Any]:
    place = worst_class(predictions) if predictions.n_classes > 2 else 1
    lens = f"class {predictions.class_names[place]}"
    return {"lens": lens, "by": "class", "binning": "equal-mass", "panels": ("classes", "reliability", "instances")}


def worst_class(predictions: Predictions) -> int:
    """The class whose mean probability is the furthest from its share, in units of what noise makes of that.

    The sum of the targets of calibrated scores p has the mean sum(p) and the variance sum(p (1 - p)).
    """
    probs = predictions.probs
    truth = label_mass(predictions, None)
    predicted = probs.sum(axis=0, dtype=np.float64)
    spread = np.sqrt(np.maximum(predicted - np.einsum("ij,ij->j", probs, probs, dtype=np.float64), 0.0))
    distance = np.abs(truth - predicted)
    return int(np.argmax(np.divide(distance, spread, out=np.zeros_like(distance), where=spread > 0)))


def _clinical(predictions: Predictions) -> dict[str, Any]:
    return {
        "lens": default_lens([predictions]).name,
        "likert": CATEGORIES,
        "panels": ("likert", "reliability", "recalibration", "instances"),
    }


def _figure_7(predictions: Predictions) -> dict[str, Any]:
    lens = "full" if predictions.n_classes <= 100 else "top-5"
    return {"lens": lens, "binning": "k-d tree", "gamma": 0.125, "panels": ("sensitivity", "comparison", "reliability")}


def _log(predictions: Predictions) -> dict[str, Any]:
    is_class = predictions.class_names == WRONG_RIGHT and not predictions.of_confidence
    lens = f"class {WRONG_RIGHT[1]}" if is_class else "top-1"
    return {"lens": lens, "depth": 1, "panels": ("reliability", "time", "decision", "segments")}


PRESETS: dict[str, Preset] = {
    preset.question: preset
    for preset in (
        Preset(
            "Is my top-1 honest?",
            lambda _: {"lens": "top-1", "panels": ("reliability", "cumulative", "recalibration", "instances")},
            "Bins below the diagonal mean that the model promises more than it keeps. If the gap in the cumulative "
            "plot is real, the spline should close most of it on samples that it has not seen.",
        ),
        Preset(
            "Tail classes",
            _tail,
            "One average hides classes that are far off: this one is the furthest off in units of its noise, and the "
            "list is sorted by error, worst first. Click a class to look at it; mind how few samples its bins hold.",
        ),
        Preset(
            "Clinical Likert",
            _clinical,
            "Someone who reads only “likely” needs the truth to lie in that category, not on the diagonal. The "
            "inter-interval error counts only what falls outside; drag the edges and see which promise breaks.",
        ),
        Preset(
            "A log of decisions",
            _log,
            "An error beyond its noise floor in one window of time, or in one source among the segments that are off, "
            "is where the log is off. Risk against coverage says how many of the surest decisions are wrong.",
        ),
        Preset(
            "The paper's figure 7",
            _figure_7,
            "With coarse cells (right) errors cancel, with fine ones (left) noise passes for error. Where the curve "
            "is flattest the estimate depends least on gamma: if any part is flat within its noise, it is shaded.",
        ),
    )
}
