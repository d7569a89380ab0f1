"""Tables whose cells are coloured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from ..cube.ranks import by_metric, rank_calibrators
from .records import Array, Grid


def grid_figure(
    name: str,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Array,
    value_label: str,
    current: tuple[int, int] | None = None,
) -> Grid:
    """A table of values, shape (rows, columns), nan where one is not known."""
    table = np.asarray(values, dtype=np.float64)
    said = f"{title}: {len(rows)} rows by {len(columns)} columns of {value_label}"
    known = np.isfinite(table)
    if known.any():
        ends = (divmod(int(i), len(columns)) for i in (np.nanargmin(table), np.nanargmax(table)))
        said += ", from {} to {}".format(*(f"{table[i, j]:.4g} ({rows[i]}, {columns[j]})" for i, j in ends))
    if not known.all():
        said += f"; not known: {int((~known).sum())}"
    return Grid(name, title, tuple(rows), tuple(columns), table, value_label, f"{said}.", current)


def ranks_figure(cube: xr.Dataset, untested: bool = False) -> Grid:
    """The mean rank of every calibrator under the errors of a cube, as `rank_calibrators` gives them."""
    ranks = by_metric(rank_calibrators(cube, untested=untested))
    values = ranks.mean([dim for dim in ranks.dims if dim not in ("metric", "calibrator")])
    values = values.transpose("metric", "calibrator")
    metrics, calibrators = (tuple(map(str, values[dim].values)) for dim in ("metric", "calibrator"))
    firsts = [np.flatnonzero(row == np.nanmin(row, initial=np.inf)) for row in values.values]
    best = [calibrators[row[0]] if len(row) == 1 else "no one alone" for row in firsts]
    won = ", ".join(f"{name} by {best.count(name)}" for name in (*calibrators, "no one alone") if name in best)
    return Grid(
        "ranks",
        "Rank of each calibrator by each metric",
        metrics,
        calibrators,
        values.values,
        "mean rank, 1 is the best",
        f"Ranks of {len(calibrators)} calibrators by {len(metrics)} metrics. Ranked first: {won}.",
    )
