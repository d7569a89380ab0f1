"""The record of a metric, which all read that show it, and the measurement that it is taken from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, TypeVar

from ...context.lenses import Problem
from ...engine.binnings.binning import Binning, bin_series
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...foundation.described import OURS
from ..binned import errors_of_series
from ..distances import Distance

T = TypeVar("T")
Better = Literal["smaller", "larger", "neither"]
Unit = Literal["%", "nat", "samples", "bins", ""]

CELL_DIMS = ("model", "selection", "calibrator", "lens")


class Needs(Enum):
    """The part of the data that a metric is measured on."""

    PROBLEM = "the scores of a lens, of one outcome or of several"
    SCORES = "one score for each sample"
    ROWS = "which of the likeliest classes are right, whatever the lens"
    PREDICTIONS = "all probabilities, without a lens"


@dataclass(frozen=True, kw_only=True, eq=False)
class Settings:
    """The arguments that some metrics depend on."""

    binnings: Mapping[str, Callable[[int], Binning]] = field(default_factory=dict)
    bins: tuple[int, ...] = ()
    gammas: tuple[float, ...] = ()
    categories: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    thresholds: tuple[float, ...] = ()
    distance: Distance | None = None
    p: float = 1.0


class Note(str):
    """A remark on a number that is there; other remarks are reasons why there is none."""


class Measurement:
    """A problem that several metrics are computed from; what two of them need is made once.

    Its remarks are on places in the array of the latest metric: why there is no value, or a `Note` of one.
    """

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem, self.settings = problem, settings
        self.remarks: list[tuple[str, str]] = []
        self._kept: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what was made under a name; it is made now if it was not yet."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def series(self, name: str, binnings: Sequence[Binning], aggregate: str = "mean") -> Array:
        """The error in each of the binnings, whose bins are made once under a name."""
        bins, starts = self.once(f"bins {name}", lambda: bin_series(self.problem, binnings))
        return errors_of_series(bins, starts, self.settings.distance, self.settings.p, aggregate)


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricRecord:
    """All that is said of a metric."""

    name: str  # of its variable in a cube
    definition: str  # in words and as a formula
    title: str = ""  # its name in a table or a picture
    term: str = ""  # its name in a text
    says: str = ""  # its meaning, for a reader who does not know it
    source: str = ""  # where it was defined, with the equation
    unit: Unit = ""  # "%" is a share that is read in percent
    range: tuple[float, float] = (0.0, 1.0)  # between which ends it lies
    better: Better = "smaller"  # the better one of two values; metrics whose smaller values are better are ranked
    # Whether it is 0 for calibrated predictions but for noise, so that what they reach is its noise floor. Of proper
    # scores that is the miscalibration part alone: most of a Brier score or a log loss says how sharp the scores are,
    # and underconfident predictions show less of either than calibrated ones with the same scores would.
    calibration: bool = False
    needs: Needs = Needs.SCORES
    own_dims: tuple[str, ...] = ()  # that it has beside those of every metric
    argument: str = ""  # of `evaluate`, without which it is not measured
    example: str = ""  # a value of it
    by_default: bool = True  # whether it is measured where no metrics are named
    in_menu: bool = False  # whether the Explorer's menu has it
    by_distance: bool = False  # whether `distance` and `p` matter to it
    has_quantiles: bool = True  # whether the bootstrap says how sure it is
    # The function that finds its error, if an interval of the true error is known for it (see `cv.interval`).
    interval_of: Callable[..., float] | None = None
    in_leaves: bool = False  # whether it follows from sums in the leaves of a k-d tree
    measure: Callable[[Measurement], float | Array] | None = None  # None where it needs rows or predictions
    own: Any = None  # the `Metric` of the user's own that this is of

    @property
    def dims(self) -> tuple[str, ...]:
        """The dimensions of its variable in a cube."""
        cell = CELL_DIMS[:-1] if self.needs is Needs.PREDICTIONS else CELL_DIMS
        return (*cell, *self.own_dims)

    @property
    def long_name(self) -> str:
        """A short name for an axis or a heading; what the user's own has no title for, it defines."""
        if self.own is not None and not self.own.title:
            return self.definition
        return self.title or self.term or self.name.replace("_", " ")

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of its variable in a cube: numbers read in percent are stored as shares, whose unit is 1."""
        units = self.unit if self.unit not in ("%", "") else "1"
        source = self.source or ("the user's own" if self.own else OURS)
        return {"long_name": self.long_name, "units": units, "source": source, "description": self.definition}

    @property
    def has_problem(self) -> bool:
        """Whether it is measured on the problem that a lens makes."""
        return self.needs in (Needs.PROBLEM, Needs.SCORES)

    def value(self, measurement: Measurement) -> float | Array:
        """Measure it; a `ValueError` says why that is impossible."""
        assert self.measure is not None
        if self.needs is Needs.SCORES and not isinstance(measurement.problem, ScalarProblem):
            raise ValueError(f"{self.name} needs a scalar lens, or one outcome of a vector lens")
        return self.measure(measurement)
