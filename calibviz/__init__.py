"""calibviz: can these probabilities be acted on?

A NumPy engine for the calibration of classifiers under any lens and selection, labelled results, and linked
Jupyter widgets. Widgets and plots are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .binning import Bins, EqualMass, Sweep, Uniform
from .cube import evaluate
from .distances import InterInterval, Lp, TotalVariation
from .estimators import (
    accuracy,
    calibration_error,
    cumulative,
    ks_error,
    likert_error,
    reliability,
    sweep_bins,
)
from .lenses import ClassConditional, Full, Grouping, Outcome, Rank, Top1, TopK, WithinTop, lens
from .predictions import Predictions
from .problems import EmptyProblemError, ScalarProblem, VectorProblem
from .recalibration import NotFittedError, OneVsRest, Spline, Temperature
from .selection_text import SelectionError, selection
from .selections import confidence, field, label, output, predicted, probability

if TYPE_CHECKING:
    from . import figures, plots
    from .explorer import Explorer

__version__ = "0.1.0"

_LAZY = {"Explorer": ("calibviz.explorer", "Explorer"), "plots": ("calibviz.plots", None)}
_LAZY["figures"] = ("calibviz.figures", None)
for _n in ("dataset_names", "load_dataset"):
    _LAZY[_n] = ("calibviz.datasets", _n)
_LAZY["read_predictions"] = ("calibviz.io", "read_predictions")
_LAZY["simulated"] = ("calibviz.simulation", "simulated")

__all__ = [
    "Bins",
    "ClassConditional",
    "EmptyProblemError",
    "EqualMass",
    "Explorer",
    "Full",
    "Grouping",
    "InterInterval",
    "Lp",
    "NotFittedError",
    "OneVsRest",
    "Outcome",
    "Predictions",
    "Rank",
    "ScalarProblem",
    "SelectionError",
    "Spline",
    "Sweep",
    "Temperature",
    "Top1",
    "TopK",
    "TotalVariation",
    "Uniform",
    "VectorProblem",
    "WithinTop",
    "accuracy",
    "calibration_error",
    "confidence",
    "cumulative",
    "dataset_names",
    "evaluate",
    "field",
    "figures",
    "ks_error",
    "label",
    "lens",
    "likert_error",
    "load_dataset",
    "output",
    "plots",
    "predicted",
    "probability",
    "read_predictions",
    "reliability",
    "selection",
    "simulated",
    "sweep_bins",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'calibviz' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    found = import_module(module)
    return found if attribute is None else getattr(found, attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
