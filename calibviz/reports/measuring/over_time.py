"""How the KS error of a report changes over time, where the samples have a field of dates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import xarray as xr

from ...context.lenses import Lens
from ...data.predictions import Predictions
from ...data.time_fields import NoDatesError
from ...figures import Figure, drift_figure
from ...uncertainty.over_time import page_steps, time_windows
from .choices import Scope


@dataclass(frozen=True, eq=False)
class OverTime:
    """The table of `cv.over_time`, its picture, and the choices that give it again."""

    table: xr.Dataset
    picture: Figure
    choices: Scope


def over_time_of(predictions: Predictions, choices: Scope) -> OverTime | None:
    """The error over time; None without a field of dates, a `ValueError` where it cannot be told."""
    try:
        windows = time_windows(predictions, choices.lens, choices.selection)
    except NoDatesError:
        return None
    windows.refuse_long()
    *_, (_, table) = page_steps(windows)
    return OverTime(table, drift_figure(table), choices)


def over_time_code(shown: OverTime | str | None, lens_code: Callable[[Lens], str]) -> list[str]:
    """The Python that gives the table of windows again."""
    if not isinstance(shown, OverTime):
        return []
    about = f"predictions, lens={lens_code(shown.choices.lens)}, selection=selection"
    return ["", "# Over time", f"print(cv.over_time({about}).to_dataframe())"]
