"""The section of a report that tells where the scores are the furthest off."""

from __future__ import annotations

import numpy as np

from ...uncertainty.noise_floors import LOOKS_AT_TRUTH
from ..measuring.segments import ALPHA, MOST_IN_PAIRS, Segments
from .markup import Markup, joined, tag
from .parts import AS_SHARE, DASH, datum, missing, notes, paragraph, section, table

TITLE = "Where is it wrong?"
SEEN, LISTED = 8, 40  # segments that are seen at once, and in all
NOTE = (
    "The gap is what was found less what was told, in percentage points, with the 95 % interval of what was found. The "
    "adjusted p says how often the worst of all segments of calibrated predictions is as bad (Westfall and Young "
    "1993); up to 0.05 is in bold, the rest may be noise. Segments are in the order of their Kuiper error in units of "
    "its own noise: where that is large and the gap is not, errors cancel."
)


def segments_section(found: Segments | str | None) -> Markup | None:
    """The worst segments with their gaps and how sure these are; nothing where there are no fields."""
    if found is None:
        return None
    if isinstance(found, str):
        return section(TITLE, missing(found), identity="segments")
    shown = found.table.isel(segment=slice(LISTED))
    rows = []
    for name in shown.segment.values:
        one = {key: float(value) for key, value in shown.sel(segment=name).data_vars.items()}
        gap = datum(AS_SHARE, one["gap"], f"gap {name}", signed=True, unit="")
        gap = tag("strong", gap) if one["p_adjusted"] <= ALPHA else gap
        ends = [
            datum(AS_SHARE, one[end] - one["score"], f"{end} {name}", signed=True, unit="")
            for end in ("lower", "upper")
        ]
        p = one["p_adjusted"]
        rows.append(
            [
                str(name),
                joined([gap, tag("small", tag("span", ends[0], " to ", ends[1], class_="interval"))]),
                DASH if np.isnan(p) else tag("data", f"{p:.2g}", value=repr(p), data_what=f"p {name}"),
                datum(AS_SHARE, one["score"], f"told {name}"),
                datum(AS_SHARE, one["target"], f"found {name}"),
                f"{one['count']:,.0f}",
            ]
        )
    columns = ["segment", "gap", "adjusted p", "told", "found", "samples"]
    return section(
        TITLE,
        paragraph(said_of(found), class_="lead"),
        table(columns, rows, "Segments, the worst first", identity="segments-table", more=SEEN),
        notes([*_left_out(found), NOTE]),
        identity="segments",
    )


def said_of(found: Segments) -> str:
    """How many segments were looked at, and how many of them are beyond noise."""
    n, minimum = found.table.sizes["segment"], found.table.attrs["minimum"]
    looked = f"{n} segment{'s' * (n != 1)} of at least {minimum} samples, by parts of the fields"
    looked += f"{' and of their pairs' if found.depth > 1 else ''}, looked at through {found.choices.name}"
    if not found.draws:
        return f"{looked}: which of them are beyond noise is not known."
    which = "none is" if not found.beyond else f"{found.beyond} {'is' if found.beyond == 1 else 'are'}"
    return f"Of {looked}, {which} beyond noise, with allowance for having looked at all of them."


def _left_out(found: Segments) -> list[str]:
    said = []
    if not found.draws:
        said.append(f"There is no adjusted p: {LOOKS_AT_TRUTH}")
    if found.table.sizes["segment"] > LISTED:
        said.append(f"Listed are the worst {LISTED}")
    if small := len(found.table.attrs["too_small"]):
        said.append(f"Not looked at, as they hold fewer samples: {small:,} more")
    if found.depth == 1:
        said.append(f"Of more than {MOST_IN_PAIRS:,} samples, fields are looked at one by one")
    return said
