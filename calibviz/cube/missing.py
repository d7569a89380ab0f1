"""Why numbers of a cube are missing, as attributes of its variables: text for people, and data for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable

import xarray as xr


def attributes_of(reasons: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The attributes that hold (cell, reason) pairs; an empty dict where there are no pairs.

    `unavailable` has a line for each. `unavailable_reasons` lists the distinct reasons as JSON, since attributes of
    netCDF and zarr hold text.
    """
    pairs = list(reasons)
    if not pairs:
        return {}
    return {
        "unavailable": "\n".join(f"[{cell}]: {reason}" for cell, reason in pairs),
        "unavailable_reasons": json.dumps(list(dict.fromkeys(reason for _, reason in pairs))),
    }


def reasons_in(variable: xr.DataArray) -> list[str]:
    """The distinct reasons why numbers of a variable are missing."""
    reasons: list[str] = json.loads(variable.attrs.get("unavailable_reasons", "[]"))
    return reasons
