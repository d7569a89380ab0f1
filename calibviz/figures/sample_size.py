"""The picture of the precision of studies of several sizes."""

from __future__ import annotations

import numpy as np
import xarray as xr

from .records import Figure, Role, Series, Shape
from .shapes import around, bars, known_only, level, percent

Z = 1.96  # standard errors to each side of a mean, for an interval of 95 %
CURVES: dict[str, tuple[str, Role, Shape]] = {
    "width": ("width of the interval", "before", "line and dots"),
    "detectable": ("least error noticed 4 times out of 5", "after", "line and dots"),
    "net_benefit_width": ("width for the net benefit", "extra", "line"),
}


def sample_size_figure(table: xr.Dataset) -> Figure:
    """The width of the interval and the least error that is noticed over the number of samples, on a log10 axis.

    Parameters
    ----------
    table : xarray.Dataset
        What `calibviz.simulation.sample_size` returns.
    """
    sizes = table["n"].values
    place = np.log10(sizes)
    x_range = around(place, margin=0.05 if len(place) > 1 else 0.5)
    values = {name: table[name].values if name in table else np.full(len(place), np.nan) for name in CURVES}
    noise = Z * table["width_error"].values
    asked = [
        level("reference", x_range, table.attrs[name], f"asked for: {percent(table.attrs[name])}")
        if name in table.attrs
        else Series("", "reference", "line", np.empty(0), np.empty(0))
        for name in ("precision", "detectable")
    ]
    wide = values["width"]
    drawn = (known_only(CURVES[name][0], *CURVES[name][1:], place, each) for name, each in values.items())
    return Figure(
        "sample-size",
        "Samples needed",
        "samples (logarithmic)",
        f"{table.attrs['error']}, {table.attrs['lens']}",
        (bars("", "interval", place, wide - noise, wide + noise), *drawn, *asked),
        f"The interval is {percent(wide[0])} wide with {sizes[0]:,} samples, {percent(wide[-1])} with {sizes[-1]:,}.",
        x_range,
        around(*values.values(), *(line.y for line in asked), floor=0.0),
        tuple((float(x), f"{size:,}") for x, size in zip(place, sizes, strict=True)),
        table.attrs.get("note", ""),
        y_in_percent=True,
    )
