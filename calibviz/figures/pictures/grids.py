"""Pictures of tables with coloured cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from ...cube.ranks import by_metric, rank_calibrators
from ...foundation import validation
from ...foundation.arrays import Array
from ..records import Grid
from ..table_checks import table_of


def grid_figure(
    name: str,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Array,
    value_label: str,
    current: tuple[int, int] | None = None,
) -> Grid:
    """A table of values, shape (rows, columns), nan where a value is not known."""
    table = np.asarray(values, dtype=np.float64)
    summary = f"{title}: {len(rows)} rows by {len(columns)} columns of {value_label}"
    known = np.isfinite(table)
    finite = np.where(known, table, np.nan)
    if known.any():
        ends = (divmod(int(i), len(columns)) for i in (np.nanargmin(finite), np.nanargmax(finite)))
        summary += ", from {} to {}".format(*(f"{table[i, j]:.4g} ({rows[i]}, {columns[j]})" for i, j in ends))
    if not known.all():
        summary += f"; not known: {int((~known).sum())}"
    return Grid(name, title, tuple(rows), tuple(columns), table, value_label, f"{summary}.", current)


def ranks_figure(cube: xr.Dataset, untested: bool = False) -> Grid:
    """The mean rank of every calibrator under each error of a cube, by `rank_calibrators`."""
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


def rank_correlation_figure(table: Any, name: str | None = None) -> Grid:
    """Spearman's rho between the rankings of every two labels of a dimension.

    Parameters
    ----------
    table : xarray.Dataset
        What `rank_correlation` returns, with one label of every other dimension.
    name : str, optional
        Which of its errors; needed where it holds several.
    """
    table = table_of(table, "table", "rank_correlation", {})
    pairs = {
        str(key): [str(dim) for dim in values.dims if f"{dim}_other" in values.dims]
        for key, values in table.data_vars.items()
    }
    names = tuple(key for key, dims in pairs.items() if dims)
    if not names:
        raise ValueError("table must be what cv.rank_correlation(...) returns, but it holds no correlations")
    if name is None and len(names) > 1:
        raise ValueError(f"name must be one of the errors in table to draw: {validation.listed(names)}")
    name = names[0] if name is None else validation.choice(name, "name", names)
    (dim,) = pairs[name]
    other = f"{dim}_other"
    if several := [str(d) for d in table[name].dims if d not in (dim, other) and table.sizes[d] > 1]:
        raise ValueError(f"table has several of {several[0]!r}: choose one with .sel({several[0]}=...)")
    rho = table[name].squeeze([d for d in table[name].dims if d not in (dim, other)]).transpose(dim, other)
    rows, columns = ([str(value) for value in rho[axis].values] for axis in (dim, other))
    title = f"Do rankings agree over the {dim}?" if name == "correlation" else f"Do rankings by {name} agree?"
    return grid_figure("rank-correlation", title, rows, columns, rho.values, "Spearman's rho")
