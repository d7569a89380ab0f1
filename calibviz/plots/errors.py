"""Pictures of errors: of a cube and its ranks, over a setting of the metric, and over time."""

from __future__ import annotations

import xarray as xr

from .. import figures
from ..figures.table_checks import table_of
from .drawing import COLUMNS, Picture, drawn, panels

WIDEST, LARGE = 12.0, (5.5, 4.2)  # inches


def bars(
    cube: xr.Dataset, metric: str, x: str = "lens", hue: str | None = "calibrator", over: str = "trial"
) -> Picture:
    """Draw grouped bars of a cube, with error bars and a mark where noise ends (gece figures 1, 3, 5).

    Parameters
    ----------
    cube : what `calibviz.evaluate` returns
        With one label of every dimension but these three: choose it with `.sel`.
    metric : str
        A variable of the cube, such as "ece".
    x, hue : str
        The dimensions of the groups and of the bars of a group; with `hue=None` there is one bar in each.
    over : str
        The dimension of repeated trials: bars are their means, error bars their standard deviations. Without it, error
        bars are the intervals that the cube holds (`intervals=0.95`), else its bootstrap. Marks are those of
        `noise=True`.
    """
    record = figures.bars_figure(cube, metric, x, hue, over)
    of_group = 1 if hue is None else cube.sizes[hue]
    width = min(max(4.0, 1.6 + 0.22 * len(record.x_ticks) * (of_group + 1)), WIDEST)
    return drawn(record, (width, 4))


def cube_picture(cube: xr.Dataset, metric: str | None = None, x: str | None = None, hue: str | None = None) -> Picture:
    """A metric of a cube over two of its dimensions; several pictures on a page where others have several labels."""
    records = figures.cube_figures(cube, metric, x, hue)
    return drawn(records[0], LARGE) if len(records) == 1 else panels(records, columns=COLUMNS)


def ranks(cube: xr.Dataset, untested: bool = False) -> Picture:
    """Which calibrator is best by which metric: the ranks of `rank_calibrators`, as a coloured table.

    `cube` is what `calibviz.evaluate` returns for several calibrators, with `ranking="calibrator"` unless `untested`;
    over models, lenses and the like it is the mean rank.
    """
    grid = figures.ranks_figure(cube, untested)
    rows, columns = grid.values.shape
    return drawn(grid, (2.5 + 0.7 * columns, 1.6 + 0.24 * rows))


def rank_correlation(table: xr.Dataset, name: str | None = None) -> Picture:
    """How well rankings agree: Spearman's rho of every two labels, as a coloured table.

    `table` is what `calibviz.rank_correlation` returns; where it holds several errors, `name` is the one to draw.
    """
    grid = figures.rank_correlation_figure(table, name)
    return drawn(grid, (3.2 + 0.6 * len(grid.columns), 2.2 + 0.35 * len(grid.rows)))


def sensitivity(table: xr.Dataset) -> Picture:
    """The error over gamma or the number of bins, its bootstrap bars, and the flattest window (gece figure 7).

    `table` is what `calibviz.sensitivity` returns.
    """
    return drawn(figures.sensitivity_figure(table_of(table, "table", "sensitivity", {})))


def drift(table: xr.Dataset) -> Picture:
    """Draw the error over windows of time, its spread under resampling, and what calibrated windows show.

    `table` is what `calibviz.drift` returns.
    """
    return drawn(figures.drift_figure(table_of(table, "table", "drift", {})))
