"""A picture of a cube with nothing else at hand."""

from __future__ import annotations

import xarray as xr

from ..figures.pictures.cubes import cube_figures
from .drawing import Picture, drawn, panels

COLUMNS = 3
SIZE = (5.5, 4.2)  # inches


def cube_picture(cube: xr.Dataset, metric: str | None = None, x: str | None = None, hue: str | None = None) -> Picture:
    """A metric of a cube over two of its dimensions; several pictures on a page where others have several labels."""
    records = cube_figures(cube, metric, x, hue)
    return drawn(records[0], SIZE) if len(records) == 1 else panels(records, columns=min(COLUMNS, len(records)))
