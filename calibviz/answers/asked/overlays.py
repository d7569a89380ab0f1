"""The choice of what is drawn over a model, and the meaning of its texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

OF_CALIBRATOR = "calibrator: "  # before its name


@dataclass(frozen=True)
class OverlayChoice:
    """One thing to draw over the current model: another model as it is, or the current one after a calibrator."""

    name: str
    is_model: bool

    def of(self, current: str) -> tuple[str, str]:
        """The model and the calibrator that it means beside the current model."""
        return (self.name, "none") if self.is_model else (current, self.name)


def overlay_choices(models: Iterable[str], calibrators: Iterable[str]) -> dict[str, OverlayChoice]:
    """Everything that can be drawn over a model, by its text among the choices: first models, then calibrators."""
    return {
        **{f"model: {name}": OverlayChoice(name, True) for name in models},
        **{f"{OF_CALIBRATOR}{name}": OverlayChoice(name, False) for name in calibrators},
    }
