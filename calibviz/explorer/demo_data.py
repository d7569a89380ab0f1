"""The data sets of the demonstration, each loaded only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable

import xarray as xr

from ..data.datasets import load_dataset, load_interventions
from ..data.predictions import Predictions
from ..foundation import validation
from ..simulation.networks import NETWORKS, simulated

Shown = dict[str, Predictions] | xr.Dataset


_MAKERS: dict[str, Callable[[], tuple[Shown, Shown | None]]] = {
    "heart": lambda: (load_dataset("heart"), None),
    "resnet110": lambda: (load_dataset("resnet110"), load_dataset("resnet110", part="calibration")),
    "digits": lambda: (load_dataset("digits"), None),
    "tumours": lambda: (load_dataset("tumours"), None),
    "interventions": lambda: load_interventions()[::-1],
    "simulated networks": lambda: ({name: simulated(name, n=5000, rng=0) for name in NETWORKS}, None),
}
DEMO_NAMES: tuple[str, ...] = tuple(_MAKERS)


def demo_data(name: str) -> tuple[Shown, Shown | None]:
    """The predictions of several models, and their calibration set or None; `name` is one of `DEMO_NAMES`."""
    return _MAKERS[validation.choice(name, "name", DEMO_NAMES)]()
