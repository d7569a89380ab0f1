"""Remarks on numbers of a cube, above all why they are missing: text for people, and data for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable

import xarray as xr

from ..metrics.records.record import Note


def attributes_of(reasons: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The attributes that hold (cell, reason) pairs; an empty dict where there are no pairs.

    `unavailable` has a line for each, `notes` one for each `Note`. `unavailable_reasons` lists the distinct reasons as
    JSON, since attributes of netCDF and zarr hold text.
    """
    remarks = list(reasons)
    pairs = [(cell, reason) for cell, reason in remarks if not isinstance(reason, Note)]
    notes = [(cell, note) for cell, note in remarks if isinstance(note, Note)]
    attributes = {} if not notes else {"notes": _lines(notes)}
    if pairs:
        attributes["unavailable"] = _lines(pairs)
        attributes["unavailable_reasons"] = json.dumps(list(dict.fromkeys(reason for _, reason in pairs)))
    return attributes


def _lines(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"[{cell}]: {sentence}" for cell, sentence in pairs)


def reasons_in(variable: xr.DataArray) -> list[str]:
    """The distinct reasons why numbers of a variable are missing."""
    return json.loads(variable.attrs.get("unavailable_reasons", "[]"))


def notes_in(variable: xr.DataArray) -> list[str]:
    """The distinct notes on numbers of a variable."""
    return list(dict.fromkeys(line.partition("]: ")[2] for line in variable.attrs.get("notes", "").splitlines()))
