"""Pictures of simulations: how estimators err on simulated networks, and how many samples a study needs."""

from __future__ import annotations

import xarray as xr

from .. import figures
from ..figures.table_checks import table_of
from .drawing import COLUMNS, Picture, drawn, panels


def simulated_errors(cube: xr.Dataset, x: str = "n") -> Picture:
    """Bias and spread of estimators on simulated networks, over x: "n", "bins" or "tce" (ece_sweep figures 4, 6-15).

    `cube` is what `calibviz.simulate_errors` returns. Of several networks each has a picture, with a line for each
    estimator; of several numbers of samples or bins each estimator has a picture, with a line for each number.
    """
    records = figures.simulated_errors_figures(cube, x)
    return panels(records, columns=2 if len(records) == 2 else min(COLUMNS, len(records) // 2))


def miss_rates(table: xr.Dataset) -> Picture:
    """Draw the table of `calibviz.miss_rates` against the true error: a picture for each size (ece_sweep figure 8)."""
    records = figures.miss_rates_figures(table)
    return drawn(records[0]) if len(records) == 1 else panels(records, columns=COLUMNS)


def confidences(table: xr.Dataset) -> Picture:
    """Draw confidences by rank beside the baseline's, and entropies, of `calibviz.confidences` (gece 2 and 11).

    Several labels of one dimension are told apart: calibrators, models, ...; choose others with `.sel`.
    """
    return panels(figures.confidences_figures(table))


def spread_by_size(table: xr.Dataset) -> Picture:
    """Draw a number of `calibviz.spread_by_size` and its spread by the number of samples (gece figure 9)."""
    return drawn(figures.spread_by_size_figure(table))


def sample_size(table: xr.Dataset) -> Picture:
    """Draw the width of the interval and the least error that is noticed, by the size of a study.

    `table` is what `calibviz.sample_size` returns.
    """
    return drawn(figures.sample_size_figure(table_of(table, "table", "sample_size", {})))
