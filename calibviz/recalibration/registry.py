"""Every calibrator by its name, and how one is read, described and applied."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..context.induced import ScoreMap
from ..data.predictions import Predictions
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.written import spaced
from .base import Calibrator, RowCalibrator, ScalarCalibrator
from .by_field import ByField
from .ensemble import EnsembleTemperature
from .histogram import HistogramBinning
from .isotonic import Isotonic
from .linear import BiasCorrectedTemperature, Dirichlet, MatrixScaling, VectorScaling
from .neural import NeuralScaling
from .one_vs_rest import OneVsRest
from .platt_beta import Beta, Platt
from .spline import Spline
from .temperature import Temperature

AS_IT_IS = "none"  # the name of leaving scores as they are, among those of calibrators
MANY = 1000  # numbers that a calibrator fits of which nobody says how many
BY = " by "  # between the name of a calibrator and that of the field by which it is fitted


@dataclass(frozen=True)
class CalibratorRecord:
    """The record of a calibrator; called, it makes one that is not yet fitted."""

    make: Callable[[], Calibrator | ScalarCalibrator]
    noun: str  # what a sentence calls it
    source: str  # where it was defined
    # About how many numbers it fits, by which calibrators are ordered; and what it fits in words.
    fits: tuple[int, str] = (MANY, "")

    def __call__(self) -> Calibrator | ScalarCalibrator:
        return self.make()

    def one_vs_rest(self) -> CalibratorRecord:
        """Return the record of every class against the rest, for a calibrator of scores."""
        noun, fits = f"{self.noun} of every class", self.fits_each("class")
        return CalibratorRecord(lambda: OneVsRest(cast(ScalarCalibrator, self())), noun, self.source, fits)

    def fits_each(self, what: str) -> tuple[int, str]:
        """How many numbers a fit for each class, or for each value of a field, fits, and what in words."""
        number, words = self.fits
        return 10 * number, f"{words} for each {what}" if words else ""


def _by_kind(*records: CalibratorRecord) -> dict[Any, CalibratorRecord]:
    return {record.make: record for record in records}


_OF_ROWS = _by_kind(
    CalibratorRecord(Temperature, "temperature scaling", "Guo et al. 2017", (1, "1 number")),
    CalibratorRecord(
        BiasCorrectedTemperature,
        "bias-corrected temperature scaling",
        "Alexandari et al. 2020",
        (11, "1 number, and 1 for each class"),
    ),
    CalibratorRecord(EnsembleTemperature, "ensemble of temperatures", "Zhang et al. 2020", (4, "4 numbers")),
    CalibratorRecord(VectorScaling, "vector scaling", "Guo et al. 2017", (20, "2 numbers for each class")),
    CalibratorRecord(
        MatrixScaling, "matrix scaling", "Guo et al. 2017; Kull et al. 2019", (110, "a number for each pair of classes")
    ),
    CalibratorRecord(Dirichlet, "Dirichlet map", "Kull et al. 2019", (110, "a number for each pair of classes")),
    CalibratorRecord(NeuralScaling, "neural network", "Nixon et al. 2019", (MANY, "the weights of a network")),
)
_OF_SCORES = _by_kind(
    CalibratorRecord(Spline, "spline", "Gupta et al. 2020", (6, "1 number for each knot")),
    CalibratorRecord(Isotonic, "isotonic regression", "Zadrozny and Elkan 2002", (100, "steps that only rise")),
    CalibratorRecord(Platt, "Platt scaling", "Platt 1999", (2, "2 numbers")),
    CalibratorRecord(Beta, "beta map", "Kull et al. 2017", (3, "3 numbers")),
    CalibratorRecord(HistogramBinning, "histogram binning", "Zadrozny and Elkan 2001", (15, "1 number for each bin")),
)
CALIBRATORS: dict[str, CalibratorRecord] = {
    **{kind.short_name: record for kind, record in (_OF_ROWS | _OF_SCORES).items()},
    **{f"{kind.short_name}, {OneVsRest.short_name}": record.one_vs_rest() for kind, record in _OF_SCORES.items()},
}


def of_field(name: str) -> tuple[str, str] | None:
    """The built-in calibrator and the field that a name such as "platt by site" says; None for other names."""
    inner, _, field = name.partition(BY)
    return (inner, field) if field and inner in CALIBRATORS else None


def record_named(name: str) -> CalibratorRecord | None:
    """The record of a built-in calibrator, or of one by a field; None for other names."""
    if (parts := of_field(name)) is None:
        return CALIBRATORS.get(name)
    inner, field = CALIBRATORS[parts[0]], parts[1]
    fits = inner.fits_each(spaced(field))
    return CalibratorRecord(lambda: ByField(field, inner()), f"{inner.noun}{BY}{spaced(field)}", inner.source, fits)


def called(name: str) -> str:
    """The name of a calibrator as a person reads it: that of one by a field without underscores."""
    return name if of_field(name) is None else spaced(name)


def numbers_of(name: str) -> int:
    """How many numbers the calibrator of that name fits, about, by which calibrators are ordered."""
    record = record_named(name)
    return MANY if record is None else record.fits[0]


def fitted_by(name: str) -> str:
    """The numbers that the calibrator of that name fits, in words; empty of one that nobody described."""
    record = record_named(name)
    return "" if record is None else record.fits[1]


def noun_of(name: str) -> str:
    """The noun by which a sentence calls the calibrator of that name."""
    record = record_named(name)
    return name if record is None else record.noun


def method_of(value: Any) -> tuple[str, Any]:
    """The name of a calibrator and the calibrator; None for "none"."""
    if value is None or (isinstance(value, str) and value == AS_IT_IS):
        return AS_IT_IS, None
    if isinstance(value, str):
        record = record_named(value)
        if record is None:
            validation.choice(value, "calibrators", (AS_IT_IS, *CALIBRATORS))
            raise AssertionError("all names that are a choice have a record")
        return value, record()
    if isinstance(value, Calibrator | ScalarCalibrator) and not isinstance(value, type):
        return str(getattr(value, "name", type(value).__name__)), value
    raise TypeError(f"calibrators must be names or calibrators with fit and transform, not {value!r}")


def methods_of(value: Any) -> list[tuple[str, Any]]:
    """The names of one or several calibrators, which must differ, and the calibrators."""
    methods = [method_of(calibrator) for calibrator in validation.several(value)]
    validation.refuse_repeats("calibrator", [name for name, _ in methods])
    if not methods:
        raise ValueError("calibrator is empty: pass at least one")
    return methods


def record_of(method: Any) -> Any:
    """Return the record of a calibrator, or itself where it is the user's own."""
    inner = method
    while isinstance(inner, OneVsRest | ByField):
        inner = inner.calibrator
    return (_OF_ROWS | _OF_SCORES).get(type(inner), inner)


def applied(methods: Sequence[tuple[str, Any]]) -> str:
    """Return in words what calibrators of scores are applied to; empty where there is none of them."""
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


def score_map(method: ScalarCalibrator, problem: ScalarProblem) -> ScoreMap:
    """A fitted copy of a scalar calibrator, which maps scores."""
    return copy.deepcopy(method).fit(problem)


def recalibrated(method: Any, calibration: Predictions, judged: Predictions) -> Predictions:
    """Predictions as a copy of a calibrator transforms them after its fit; a scalar one takes each class by itself."""
    fresh = copy.deepcopy(of_rows(method))
    if isinstance(fresh, RowCalibrator):
        return fresh.recalibrate(calibration, judged)
    return moved_by(fresh.fit(calibration), judged)
