"""The section of a report about the worst segments."""

from __future__ import annotations

import numpy as np

from ...figures.markup import Markup, joined, tag
from ...uncertainty.noise_floors import LOOKS_AT_TRUTH
from ..measuring.segments import ALPHA, MOST_IN_PAIRS, Segments
from .parts import AS_SHARE, DASH, datum, missing, notes, paragraph, section, span, strong, table

TITLE = "Where is it wrong?"
SEEN, LISTED = 8, 40  # segments that are shown at once, and with those that unfold
NOTE = (
    "The gap is what was found minus what was told, in percentage points, with the 95 % interval of what was found. "
    "The adjusted p says how often the worst of all segments of calibrated predictions is as bad (Westfall and Young "
    "1993); up to 0.05 is in bold, the rest may be noise. Segments are in the order of their Kuiper error in units of "
    "its own noise: where that is large and the gap is not, errors cancel."
)


def segments_section(segments: Segments | str | None) -> Markup | None:
    """The table of the worst segments, with their gaps and p-values; None if the samples have no fields."""
    if segments is None:
        return None
    if isinstance(segments, str):
        return section(TITLE, missing(segments), identity="segments")
    shown = segments.table.isel(segment=slice(LISTED))
    rows = []
    for name in shown.segment.values:
        row = {key: float(value) for key, value in shown.sel(segment=name).data_vars.items()}
        gap = datum(AS_SHARE, row["gap"], f"gap {name}", signed=True, unit="")
        gap = strong(gap, row["p_adjusted"] <= ALPHA)
        ends = [
            datum(AS_SHARE, row[end] - row["score"], f"{end} {name}", signed=True, unit="")
            for end in ("lower", "upper")
        ]
        p = row["p_adjusted"]
        rows.append(
            [
                str(name),
                joined([gap, tag("small", span(*ends))]),
                DASH if np.isnan(p) else tag("data", f"{p:.2g}", value=repr(p), data_what=f"p {name}"),
                datum(AS_SHARE, row["score"], f"told {name}"),
                datum(AS_SHARE, row["target"], f"found {name}"),
                f"{row['count']:,.0f}",
            ]
        )
    columns = ["segment", "gap", "adjusted p", "told", "found", "samples"]
    return section(
        TITLE,
        paragraph(said_of(segments), class_="lead"),
        table(columns, rows, "Segments, the worst first", identity="segments-table", more=SEEN),
        notes([*_left_out(segments), NOTE]),
        identity="segments",
    )


def said_of(segments: Segments) -> str:
    """A sentence that says how many segments were looked at, and how many of them are beyond noise."""
    n, minimum = segments.table.sizes["segment"], segments.table.attrs["minimum"]
    looked = f"{n} segment{'s' * (n != 1)} of at least {minimum} samples, by parts of the fields"
    looked += f"{' and of their pairs' if segments.depth > 1 else ''}, looked at through {segments.choices.name}"
    if not segments.draws:
        return f"{looked}: which of them are beyond noise is not known."
    which = "none is" if not segments.beyond else f"{segments.beyond} {'is' if segments.beyond == 1 else 'are'}"
    return f"Of {looked}, {which} beyond noise, with allowance for having looked at all of them."


def _left_out(segments: Segments) -> list[str]:
    """Sentences that say what the table lacks, and why."""
    said = []
    if not segments.draws:
        said.append(f"There is no adjusted p: {LOOKS_AT_TRUTH}")
    if segments.table.sizes["segment"] > LISTED:
        said.append(f"Listed are the worst {LISTED}")
    if small := len(segments.table.attrs["too_small"]):
        said.append(f"Not looked at, as they hold fewer samples: {small:,} more")
    if segments.depth == 1:
        said.append(f"Of more than {MOST_IN_PAIRS:,} samples, fields are looked at one by one")
    return said
