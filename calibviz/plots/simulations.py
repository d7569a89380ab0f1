"""Pictures of simulations: how estimators err on simulated networks, and how many samples a study needs."""

from __future__ import annotations

import xarray as xr

from .. import figures
from ..figures.table_checks import table_of
from .drawing import Picture, drawn, panels


def simulated_errors(cube: xr.Dataset, x: str = "n") -> Picture:
    """Bias and spread of estimators on simulated networks, over x: "n", "bins" or "tce" (ece_sweep figures 6-14)."""
    return panels(figures.simulated_errors_figures(cube, x))


def miss_rates(table: xr.Dataset) -> Picture:
    """What `calibviz.miss_rates` returns for one number of samples, against the true error (ece_sweep figure 8)."""
    return drawn(figures.miss_rates_figure(table))


def sample_sizes(table: xr.Dataset) -> Picture:
    """What `calibviz.sample_sizes` returns: a number and its spread by the number of samples (gece figure 9)."""
    return drawn(figures.sample_sizes_figure(table))


def sample_size(table: xr.Dataset) -> Picture:
    """What studies of several sizes tell: the width of the interval, and the least error that is noticed.

    `table` is what `calibviz.sample_size` returns.
    """
    return drawn(figures.sample_size_figure(table_of(table, "table", "sample_size", {})))
