"""What users add to the choices of the Explorer: each thing of their own is remembered under its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...foundation.cache import ByIdentity
from ...metrics.records.own import Metric, record_of
from ...metrics.records.record import MetricRecord
from ...recalibration.registry import CALIBRATORS, method_of


class OwnChoices:
    """Things of the user's own by name. A name means one thing for ever: another thing of that name is refused.

    Attributes
    ----------
    named : dict of choice to dict of name to object
        Lenses, distances and binnings.
    metrics : dict of name to MetricRecord
    calibrators : dict of name to ByIdentity
    """

    def __init__(self) -> None:
        self.named: dict[str, dict[str, Any]] = {"lens": {}, "distance": {}, "binning": {}}
        self.metrics: dict[str, MetricRecord] = {}
        self.calibrators: dict[str, ByIdentity] = {}

    def in_spec(self) -> dict[str, Any]:
        """The fields of a `Spec` that hold them."""
        return {
            "own_metrics": tuple(self.metrics.values()),
            "own_calibrators": tuple(self.calibrators.items()),
            "own_lenses": tuple(self.named["lens"].items()),
            "own_distances": tuple(self.named["distance"].items()),
            "own_binnings": tuple(self.named["binning"].items()),
        }

    def known_calibrators(self) -> tuple[str, ...]:
        """The names of all calibrators that can be chosen."""
        return (*CALIBRATORS, *self.calibrators)

    def name_of(self, choice: str, value: Any, is_built_in: Callable[[str], bool]) -> Any:
        """The name of a lens, a distance or a binning; one of the user's own is remembered under it."""
        if isinstance(value, str):
            return value
        name = value.name
        if is_built_in(name):
            raise ValueError(f"{choice} {name!r} is built in: one of your own needs a name of its own")
        try:
            hash(value)
        except TypeError:
            raise TypeError(f"{choice} {name!r} must be hashable, such as a frozen dataclass") from None
        if self.named[choice].setdefault(name, value) != value:
            raise ValueError(f"there is another {choice} named {name!r} already: choose another name")
        return name

    def name_of_metric(self, value: Any) -> Any:
        """The name of a metric; a metric of the user's own is remembered under it."""
        if not isinstance(value, Metric):
            return value
        known = self.metrics.setdefault(value.name, record_of(value))
        if known.own != value:
            raise ValueError(f"metrics has another metric named {value.name!r} already: choose another name")
        return value.name

    def name_of_calibrator(self, value: Any) -> Any:
        """The name of a calibrator; a calibrator of the user's own is remembered under it."""
        if value is None or isinstance(value, str):
            return value
        name, calibrator = method_of(value)
        if name in ("none", *CALIBRATORS):
            raise ValueError(f"calibrator {name!r} is built in: one of your own needs a name of its own")
        if self.calibrators.setdefault(name, ByIdentity(calibrator)).value is not calibrator:
            raise ValueError(f"calibrators has another calibrator named {name!r} already: choose another name")
        return name
