"""The models, and the user's own lenses, calibrators and so on, that choices may name beside those built in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...foundation import validation
from ...foundation.cache import ByIdentity
from ...metrics.records.own import Metric, record_of
from ...recalibration.registry import AS_IT_IS, method_of, of_field, record_named
from .spec import WithOwn


class Known(WithOwn):
    """Models, and things of the user's own, by name.

    A name means one thing for ever: another thing of that name is refused.
    """

    def __init__(self, models: Sequence[str], panels: Sequence[str] = ()) -> None:
        self.models = tuple(validation.text(name, "models") for name in validation.listing(models, "models", "names"))
        if not self.models:
            raise ValueError("models is empty: name at least one")
        self.defaults: Mapping[str, Any] = {}  # by choice
        self.built_in_panels = tuple(panels)

    @property
    def panels(self) -> tuple[str, ...]:
        """The names of all panels that can be chosen."""
        return (*self.built_in_panels, *self.own_of("panel"))

    def _remember(self, kind: str, name: str, thing: Any, has: str = "there is") -> str:
        """The name of a thing, under which it is remembered."""
        known = self.own_of(kind)
        if known.get(name, thing) != thing:
            raise ValueError(f"{has} another {kind} named {name!r} already: choose another name")
        if name not in known:
            self.own = tuple({**dict(self.own), kind: (*known.items(), (name, thing))}.items())
        return name

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
        return self._remember(choice, name, value)

    def name_of_metric(self, value: Any) -> Any:
        """The name of a metric; a metric of the user's own is remembered under it."""
        if not isinstance(value, Metric):
            return value
        known = self.own_of("metric").get(value.name)
        record = known if known is not None and known.own == value else record_of(value)
        return self._remember("metric", value.name, record, "metrics has")

    def name_of_calibrator(self, value: Any) -> Any:
        """The name of a calibrator; a calibrator of the user's own is remembered under it."""
        if value is None:
            return value
        name, calibrator = (value, None) if isinstance(value, str) else method_of(value)
        record = record_named(name)
        if of_field(name) and record and (calibrator is None or repr(calibrator) == repr(record())):
            return self._remember("field", name, None)
        if calibrator is None:
            return name
        if name == AS_IT_IS or record:
            raise ValueError(f"calibrator {name!r} is built in: one of your own needs a name of its own")
        return self._remember("calibrator", name, ByIdentity(calibrator), "calibrators has")

    def name_of_panel(self, value: Any) -> Any:
        """The name of a panel; an answer of the user's own is remembered under it."""
        if isinstance(value, str):
            return value
        if not hasattr(value, "content") or not hasattr(value, "button"):
            raise TypeError(f"panels must be names of panels, or cv.Answer(...), not {validation.shown(value)}")
        if value.name in self.built_in_panels:
            raise ValueError(f"the panel {value.name!r} is built in: one of your own needs a name of its own")
        return self._remember("panel", value.name, value, "panels has")


def is_named(value: Any) -> bool:
    """Whether it can be called and has a name, which a class has not."""
    return callable(value) and not isinstance(value, type) and isinstance(getattr(value, "name", None), str)
