"""One consistent set of choices, frozen; everything on screen follows from it."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from ...context.condition_parser import selection as read_selection
from ...context.conditions import Condition
from ...context.lens_names import lens
from ...context.lenses import Grouping, Lens
from ...engine.binning import Binning, EqualMass, Sweep, Uniform
from ...engine.kdtree import KDTree
from ...foundation import validation
from ...foundation.cache import ByIdentity
from ...metrics.distances import Distance, Lp, TotalVariation
from ...metrics.records.record import MetricRecord
from ...metrics.records.registry import METRICS
from ...recalibration import Spline
from ...recalibration.registry import CALIBRATORS
from .category_text import Likert

MOST_BINS = 100
MOST_KNOTS = 20
FIRST_THRESHOLD, LAST_THRESHOLD = 0.001, 0.999
MOST_FIELDS = 2  # that make a segment
FINEST_GAMMA = 12  # as a power of 1/2
BINNINGS = ("uniform", "equal-mass", "sweep", "k-d tree")
DISTANCES: dict[str, Distance] = {"total variation": TotalVariation(), "L1": Lp(1), "L2": Lp(2)}
#: How the distances of the bins make one error: its short name, and what it is.
NORMS = {
    "mean": ("ECE", "averaged by the samples in it (Guo et al. 2017)"),
    "root mean square": ("RMSCE", "squared and averaged by the samples in it, and the root of that"),
    "maximum": ("MCE", "of which this is the largest (Guo et al. 2017)"),
}
INTERVALS = ("clopper-pearson", "bootstrap", "consistency", "none")
CURVES = ("smooth", "corp")
#: The cumulative pictures that are slopes of the curves, and against what.
SLOPES: dict[str, Literal["fractile", "score"]] = {"slopes by fractile": "fractile", "slopes by score": "score"}
CUMULATIVE = ("fractile", "score", "difference", *SLOPES)
ROWS = ("lens", "metric")
#: The metrics in the menu.
MENU = {name: record for name, record in METRICS.items() if record.in_menu}
PANELS = (
    "reliability",
    "cumulative",
    "recalibration",
    "sensitivity",
    "comparison",
    "likert",
    "confidence",
    "instances",
    "classes",
    "temperature",
    "decision",
    "segments",
)


@dataclass(frozen=True)
class Spec:
    """The choices of an `ExplorerState`, which describes them, and the objects of the engine that they stand for.

    The user's own metrics and calibrators are a part of it, because choices refer to them by name.
    """

    model: str
    overlays: tuple[str, ...]
    lens: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    outcome: str | None
    selection: str
    binning: str
    bins: int
    gamma: float
    distance: str
    norm: str
    interval: str
    curves: tuple[str, ...]
    cumulative: str
    likert: Likert
    calibrator: str
    calibrators: tuple[str, ...]
    knots: int
    share: float
    metrics: tuple[str, ...]
    rows: str
    by: str
    bin: int | None
    threshold: float
    prevalence: float | None
    depth: int
    minimum: int
    panels: tuple[str, ...]
    own_metrics: tuple[MetricRecord, ...] = ()
    own_calibrators: tuple[tuple[str, ByIdentity], ...] = ()

    def metric(self, name: str) -> MetricRecord:
        """A metric of the menu, or of the user's own."""
        return MENU[name] if name in MENU else next(record for record in self.own_metrics if record.name == name)

    @property
    def known_metrics(self) -> tuple[str, ...]:
        """The names of all metrics that can be chosen."""
        return (*MENU, *(record.name for record in self.own_metrics))

    @property
    def known_calibrators(self) -> tuple[str, ...]:
        """The names of all calibrators that can be chosen."""
        return (*CALIBRATORS, *(name for name, _ in self.own_calibrators))

    def make_calibrator(self, name: str) -> Any:
        """The calibrator of that name; who fits one of the user's own fits a copy."""
        if name == "spline":
            return Spline(self.knots)
        own = dict(self.own_calibrators)
        return own[name].value if name in own else CALIBRATORS[name]()

    def calibrator_key(self, name: str) -> Hashable:
        """What identifies a calibrator: calibrators of two states may have the same name."""
        return name, dict(self.own_calibrators).get(name)

    def make_lens(self) -> Lens:
        """The chosen lens; "grouping" means the chosen groups, if there are any."""
        return Grouping(self.groups) if self.lens == "grouping" and self.groups else lens(self.lens)

    def make_selection(self) -> Condition | None:
        """The chosen selection; None keeps all samples."""
        return read_selection(self.selection)

    def make_binning(self) -> Binning:
        """The chosen binning with the chosen number of bins."""
        if self.binning == "sweep":
            return Sweep()
        return self.settings()[self.setting()]

    def settings(self, kind: str | None = None) -> tuple[Binning, ...]:
        """Every binning that the slider of a kind can reach, by default of the chosen kind; not for the sweep."""
        return every_setting(kind or self.binning)

    def setting(self, kind: str | None = None) -> int:
        """The place of the chosen binning among the `settings`."""
        if (kind or self.binning) != "k-d tree":
            return self.bins - 1
        return -round(math.log2(self.gamma)) - 1

    @property
    def error(self) -> tuple[Distance, float, str]:
        """Distance, p and aggregate, as `binned_error` takes them."""
        p = 2.0 if self.norm == "root mean square" else 1.0
        return DISTANCES[self.distance], p, "max" if self.norm == "maximum" else "mean"

    def categories(self) -> dict[str, tuple[float, float]]:
        """The Likert categories by name."""
        if not self.likert:
            return {}
        named = isinstance(self.likert[0], tuple)
        return validation.intervals(dict(self.likert) if named else list(self.likert))  # type: ignore[arg-type]


@cache
def every_setting(kind: str) -> tuple[Binning, ...]:
    """Binnings of a kind: "uniform" and "equal-mass" with 1 to 100 bins, "k-d tree" with gamma 1/2 to 1/4096."""
    if kind == "k-d tree":
        return tuple(KDTree(2.0**-power) for power in range(1, FINEST_GAMMA + 1))
    return tuple(Uniform(b) if kind == "uniform" else EqualMass(b) for b in range(1, MOST_BINS + 1))
