"""What a table of windows of time says, in words."""

from __future__ import annotations

import numpy as np
import xarray as xr

MOST_NAMED = 6  # windows
#: What windows are called, by the width that NumPy gives them.
CALLED = {"h": "an hour", "D": "a day", "W": "a week", "M": "a month", "3M": "a quarter", "Y": "a year"}
UNITS = {"Y": "years", "M": "months", "W": "weeks", "D": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def said_over_time(table: xr.Dataset) -> str:
    """A sentence that says in which windows of a table of `over_time` the error is beyond noise."""
    n, beyond = table.sizes["window"], windows_beyond(table)
    looked = f"Of {n} windows of {_called(table.attrs['width'])}, by “{table.attrs['field']}”,"
    error = table.attrs["statistic"] or "error"
    if not beyond:
        return f"{looked} none shows a larger {error} than chance explains in a calibrated model."
    named = ", ".join(beyond[:MOST_NAMED]) + (f" and {len(beyond) - MOST_NAMED} more" * (len(beyond) > MOST_NAMED))
    shows = f"shows a larger {error}" if len(beyond) == 1 else f"show a larger {error}"
    return f"{looked} {len(beyond)} {shows} than chance explains in a calibrated model: {named}."


def windows_beyond(table: xr.Dataset) -> list[str]:
    """The windows of a table of `over_time` whose error chance does not explain, by their beginning."""
    unit = table.attrs["width"].lstrip("0123456789").replace("W", "D")
    starts = np.datetime_as_string(table.window.values, unit)
    return [str(name) for name in starts[table.error.values > table.chance.values]]


def time_notes(table: xr.Dataset) -> list[str]:
    """Sentences, without full stops, that say how the windows of a table were made and looked at."""
    rarely, undated, others = 50 * (1 - table.attrs["level"]), table.attrs["undated"], table.attrs["others"]
    said = [
        f"Allowance is made for having looked at all windows: in at most {rarely:g} of 100 calibrated models is any of "
        "them said to be beyond chance. A window is named by its beginning",
        table.attrs["assumed"][:1].upper() + table.attrs["assumed"][1:],
        f"{undated:,} {'samples have' if undated > 1 else 'sample has'} no date" * bool(undated),
        f"Further fields of dates are not looked at: {', '.join(others)}" * bool(others),
    ]
    return list(filter(None, said))


def _called(width: str) -> str:
    """A width in words: "W" is "a week", "6h" is "6 hours"."""
    return CALLED.get(width) or f"{width[:-1] or 1} {UNITS[width[-1]]}"
