"""Sentences about a table of windows of time."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ..foundation.written import counted

MOST_NAMED = 6  # windows
#: What windows are called, by the width that NumPy gives them.
CALLED = {"h": "an hour", "D": "a day", "W": "a week", "M": "a month", "3M": "a quarter", "Y": "a year"}
UNITS = {"Y": "years", "M": "months", "W": "weeks", "D": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def sentence_over_time(table: xr.Dataset) -> str:
    """Return a sentence on the windows of a table of `over_time` whose error is beyond noise."""
    n, beyond = table.sizes["window"], windows_beyond(table)
    looked = f"Of {n} windows of {_called(table.attrs['width'])}, by “{table.attrs['field']}”,"
    error = table.attrs["statistic"] or "error"
    if not beyond:
        return f"{looked} none shows a larger {error} than noise shows in a calibrated model."
    named = ", ".join(beyond[:MOST_NAMED]) + (f" and {len(beyond) - MOST_NAMED} more" * (len(beyond) > MOST_NAMED))
    shows = f"shows a larger {error}" if len(beyond) == 1 else f"show a larger {error}"
    return f"{looked} {len(beyond)} {shows} than noise shows in a calibrated model: {named}."


def windows_beyond(table: xr.Dataset) -> list[str]:
    """Return the windows of a table of `over_time` whose error is beyond noise, by their beginning."""
    unit = table.attrs["width"].lstrip("0123456789").replace("W", "D")
    starts = np.datetime_as_string(table.window.values, unit)
    return [str(name) for name in starts[table.error.values > table.noise.values]]


def time_notes(table: xr.Dataset) -> list[str]:
    """Return sentences, without full stops, on how the windows of a table were made and judged."""
    rarely, undated, others = 50 * (1 - table.attrs["level"]), table.attrs["undated"], table.attrs["others"]
    notes = [
        f"Allowance is made for having looked at all windows: in at most {rarely:g} of 100 calibrated models is any of "
        "them called beyond noise. A window is named by its beginning",
        table.attrs["assumed"][:1].upper() + table.attrs["assumed"][1:],
        f"{counted(undated)} {'have' if undated > 1 else 'has'} no date" * bool(undated),
        f"Further fields of dates are not looked at: {', '.join(others)}" * bool(others),
    ]
    return list(filter(None, notes))


def _called(width: str) -> str:
    """A width in words: "W" is "a week", "6h" is "6 hours"."""
    return CALLED.get(width) or f"{width[:-1] or 1} {UNITS[width[-1]]}"
