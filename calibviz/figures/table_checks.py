"""Checks of the tables that a user passes to a picture: one table, or several by the name of their model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import xarray as xr

MOST_MODELS = 5  # models that a picture tells apart


def table_of(value: Any, argument: str, maker: str, variables: Mapping[str, Sequence[str]]) -> xr.Dataset:
    """Return a table that has the variables over their dimensions, as the function `maker` makes it; refuse others."""
    if not isinstance(value, xr.Dataset):
        raise TypeError(f"{argument} must be what cv.{maker}(...) returns, not {type(value).__name__}")
    for name, dims in variables.items():
        if name not in value.variables:
            raise ValueError(f"{argument} must be what cv.{maker}(...) returns, but it holds no {name!r}")
        if more := [str(dim) for dim in value[name].dims if dim not in dims]:
            raise ValueError(f"{argument} has several of {more[0]!r}: choose one with .sel({more[0]}=...)")
        if less := [dim for dim in dims if dim not in value[name].dims]:
            raise ValueError(f"{argument} must keep the dimension {less[0]!r} of what cv.{maker}(...) returns")
    return value


def tables_of(value: Any, argument: str, maker: str, variables: Mapping[str, Sequence[str]]) -> dict[str, xr.Dataset]:
    """Checked tables by the name of their model; a single table gets the name "model"."""
    if not isinstance(value, Mapping) or isinstance(value, xr.Dataset):
        return {"model": table_of(value, argument, maker, variables)}
    if not value:
        raise ValueError(f"{argument} is empty: pass what cv.{maker}(...) returns, or a dict of models' names to it")
    if len(value) > MOST_MODELS:
        raise ValueError(f"{argument} has {len(value)} models, but a picture tells {MOST_MODELS} apart")
    return {str(name): table_of(table, f"{argument}[{name!r}]", maker, variables) for name, table in value.items()}
