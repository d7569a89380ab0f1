"""The models, and the user's own lenses, calibrators and so on, that choices may name beside those built in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...foundation import validation
from ...foundation.cache import ByIdentity
from ...metrics.records.own import Metric, record_of
from ...metrics.records.record import MetricRecord
from ...recalibration.registry import AS_IT_IS, CALIBRATORS, method_of, of_field, record_named


class Known:
    """Models, and things of the user's own, by name.

    A name means one thing for ever: another thing of that name is refused.

    Parameters
    ----------
    models : sequence of str
    panels : sequence of str
        The names of the built-in panels.

    Attributes
    ----------
    models : tuple of str
    defaults : dict of choice to value
        What a choice is where nothing is said.
    named : dict of choice to dict of name to object
        Lenses, distances and binnings.
    metrics : dict of name to MetricRecord
    own_calibrators : dict of name to ByIdentity
    own_panels : dict of name to Answer
    by_field : dict of name to None
        The calibrators by a field of the predictions, such as "platt by site".
    """

    def __init__(self, models: Sequence[str], panels: Sequence[str] = ()) -> None:
        self.models = tuple(validation.text(name, "models") for name in validation.listing(models, "models", "names"))
        if not self.models:
            raise ValueError("models is empty: name at least one")
        self.defaults: Mapping[str, Any] = {}
        self.named: dict[str, dict[str, Any]] = {"lens": {}, "distance": {}, "binning": {}}
        self.metrics: dict[str, MetricRecord] = {}
        self.own_calibrators: dict[str, ByIdentity] = {}
        self.built_in_panels = tuple(panels)
        self.own_panels: dict[str, Any] = {}
        self.by_field: dict[str, None] = {}

    def in_spec(self) -> dict[str, Any]:
        """The fields of a `Spec` that hold what is the user's own."""
        return {
            "own_metrics": tuple(self.metrics.values()),
            "own_calibrators": tuple(self.own_calibrators.items()),
            "own_lenses": tuple(self.named["lens"].items()),
            "own_distances": tuple(self.named["distance"].items()),
            "own_binnings": tuple(self.named["binning"].items()),
            "own_panels": tuple(self.own_panels.items()),
            "by_field": tuple(self.by_field),
        }

    @property
    def calibrators(self) -> tuple[str, ...]:
        """The names of all calibrators that can be chosen."""
        return (*CALIBRATORS, *self.by_field, *self.own_calibrators)

    @property
    def panels(self) -> tuple[str, ...]:
        """The names of all panels that can be chosen."""
        return (*self.built_in_panels, *self.own_panels)

    def name_of(self, choice: str, value: Any, is_built_in: bool) -> str:
        """The name of a lens, a distance or a binning of the user's own, which is remembered under it."""
        if not is_named(value):
            raise TypeError(f"{choice} must be a name, or a {choice} with a name, not {validation.shown(value)}")
        name: str = value.name
        if is_built_in:
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
        if value is None:
            return value
        name, calibrator = (value, None) if isinstance(value, str) else method_of(value)
        record = record_named(name)
        if of_field(name) and record and (calibrator is None or repr(calibrator) == repr(record())):
            self.by_field.setdefault(name)
            return name
        if calibrator is None:
            return name
        if name == AS_IT_IS or record:
            raise ValueError(f"calibrator {name!r} is built in: one of your own needs a name of its own")
        if self.own_calibrators.setdefault(name, ByIdentity(calibrator)).value is not calibrator:
            raise ValueError(f"calibrators has another calibrator named {name!r} already: choose another name")
        return name

    def name_of_panel(self, value: Any) -> Any:
        """The name of a panel; an answer of the user's own is remembered under it."""
        if isinstance(value, str):
            return value
        if not hasattr(value, "content") or not hasattr(value, "button"):
            raise TypeError(f"panels must be names of panels, or cv.Answer(...), not {validation.shown(value)}")
        if value.name in self.built_in_panels:
            raise ValueError(f"the panel {value.name!r} is built in: one of your own needs a name of its own")
        if self.own_panels.setdefault(value.name, value) != value:
            raise ValueError(f"panels has another panel named {value.name!r} already: choose another name")
        return value.name


def is_named(value: Any) -> bool:
    """Whether it can be called and has a name, which a class has not."""
    return callable(value) and not isinstance(value, type) and isinstance(getattr(value, "name", None), str)
