"""Sentences about a table of windows of time."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..foundation.written import counted

MOST_NAMED = 6  # windows
MOST_LOG_E = np.log(1e9)  # of evidence that is still written as a number
#: What windows are called, by the width that NumPy gives them.
CALLED = {"h": "an hour", "D": "a day", "W": "a week", "M": "a month", "3M": "a quarter", "Y": "a year"}
UNITS = {"Y": "years", "M": "months", "W": "weeks", "D": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def sentence_over_time(table: xr.Dataset) -> str:
    """Return a sentence on the windows of a table of `over_time` whose error is beyond noise."""
    n, is_beyond = table.sizes["window"], table.error.values > table.noise.values
    beyond = list(map(str, _starts(table)[is_beyond]))
    looked = f"Of {n} windows of {_called(table.attrs['width'])}, by “{table.attrs['field']}”,"
    error = table.attrs["statistic"] or "error"
    if not beyond:
        return f"{looked} none shows a larger {error} than noise shows in a calibrated model."
    named = ", ".join(beyond[:MOST_NAMED]) + (f" and {len(beyond) - MOST_NAMED} more" * (len(beyond) > MOST_NAMED))
    shows = f"shows a larger {error}" if len(beyond) == 1 else f"show a larger {error}"
    return f"{looked} {len(beyond)} {shows} than noise shows in a calibrated model: {named}."


def evidence_over_time(table: xr.Dataset) -> str:
    """Return a sentence on all windows as one stream, at which one may look as often as one likes."""
    if "log_e" not in table:
        return f"As one stream: no evidence is gathered, since {table.attrs['no_evidence']}."
    largest, n = float(table.largest.values[-1]), int(table["count"].sum())
    if largest < table.attrs["alarm"]:
        return f"As one stream: no alarm after {counted(n)}; this shows no calibration."
    first = _starts(table)[int(np.argmax(table.largest.values >= table.attrs["alarm"]))]
    odds = f"more than {np.exp(MOST_LOG_E):,.0f}" if largest > MOST_LOG_E else f"{np.exp(largest):,.0f}"
    rarely = f"once in {np.exp(table.attrs['alarm']):.0f} such streams, however often one looks"
    return (
        f"As one stream: an alarm in the window {first}. The evidence against calibration has reached {odds} to 1; so "
        f"strong an alarm comes to a calibrated model at most {rarely}."
    )


def _starts(table: xr.Dataset) -> NDArray[np.str_]:
    """The beginnings of the windows, as they are written."""
    starts = np.datetime_as_string(table.window.values, table.attrs["width"].lstrip("0123456789").replace("W", "D"))
    return np.asarray(starts)


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
