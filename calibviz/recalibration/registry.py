"""Every calibrator by its name, and how one is read, told and applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..data.predictions import Predictions
from ..foundation import validation
from .base import Calibrator, ScalarCalibrator
from .ensemble import EnsembleTemperature
from .histogram import HistogramBinning
from .isotonic import Isotonic
from .linear import BiasCorrectedTemperature, Dirichlet, MatrixScaling, VectorScaling
from .neural import NeuralScaling
from .one_vs_rest import OneVsRest
from .platt_beta import Beta, Platt
from .spline import Spline
from .temperature import Temperature

OF_ROWS = (
    Temperature, BiasCorrectedTemperature, EnsembleTemperature, VectorScaling, MatrixScaling, Dirichlet, NeuralScaling,
)  # fmt: skip
OF_SCORES = (Spline, Isotonic, Platt, Beta, HistogramBinning)


def _one_vs_rest(kind: type[ScalarCalibrator]) -> OneVsRest:
    return OneVsRest(kind())


CALIBRATORS: dict[str, Callable[[], Calibrator | ScalarCalibrator]] = {
    **{kind.short_name: kind for kind in (*OF_ROWS, *OF_SCORES)},
    **{_one_vs_rest(kind).name: partial(_one_vs_rest, kind) for kind in OF_SCORES},
}


def method_of(value: Any) -> tuple[str, Any]:
    """The name of a calibrator and the calibrator; None for "none"."""
    if value is None or (isinstance(value, str) and value == "none"):
        return "none", None
    if isinstance(value, str):
        validation.choice(value, "calibrators", ("none", *CALIBRATORS))
        return value, CALIBRATORS[value]()
    if isinstance(value, Calibrator | ScalarCalibrator) and not isinstance(value, type):
        return str(getattr(value, "name", type(value).__name__)), value
    raise TypeError(f"calibrators must be names or calibrators with fit and transform, not {value!r}")


def applied(methods: Sequence[tuple[str, Any]]) -> str:
    """What calibrators of scores are applied to, in words; empty where there is none of them."""
    names = [name for name, method in methods if isinstance(method, ScalarCalibrator)]
    how = "the score of a lens; each class against the rest, one-vs-rest, where a lens has several and in gce"
    return f"{', '.join(names)}: {how}" if names else ""


def of_rows(method: Any) -> Any:
    """A calibrator of whole rows; a scalar one is used one class against the rest."""
    return OneVsRest(method) if isinstance(method, ScalarCalibrator) else method


def moved_by(calibrator: Calibrator, predictions: Predictions) -> Predictions:
    """Predictions as a fitted calibrator transforms them."""
    moved = calibrator.transform(predictions)
    if not isinstance(moved, Predictions):
        raise TypeError(
            f"the calibrator {calibrator!r} must transform to cv.Predictions, not to {type(moved).__name__}"
        )
    return moved
