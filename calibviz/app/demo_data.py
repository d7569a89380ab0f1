"""What the demonstration offers to look at, each made only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import xarray as xr

from ..data.datasets import load_dataset, load_interventions
from ..data.predictions import Predictions
from ..foundation import validation
from ..simulation.networks import NETWORKS, simulated

Shown = dict[str, Predictions] | xr.Dataset


def _interventions() -> tuple[Shown, Shown | None]:
    calibration, evaluation = load_interventions()
    return evaluation, calibration


def _networks() -> tuple[Shown, Shown | None]:
    return {name: simulated(name, n=5000, seed=0) for name in NETWORKS}, None


_MAKERS: dict[str, Callable[[], tuple[Shown, Shown | None]]] = {
    "digits": lambda: (load_dataset("digits"), None),
    "heart": lambda: (load_dataset("heart"), None),
    "tumours": lambda: (load_dataset("tumours"), None),
    "interventions": _interventions,
    "simulated networks": _networks,
}
DEMO_NAMES: tuple[str, ...] = tuple(_MAKERS)


def demo_data(name: str) -> tuple[Shown, Shown | None]:
    """The predictions of several models, and their calibration set or None, both as the Explorer takes them.

    Parameters
    ----------
    name : str
        One of `DEMO_NAMES`.

    Raises
    ------
    ValueError
        For an unknown name; the message lists the known ones.
    """
    return _MAKERS[validation.choice(name, "name", DEMO_NAMES)]()
