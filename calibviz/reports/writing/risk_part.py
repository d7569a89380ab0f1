"""The section of a report about what part of the decisions can be left to the model."""

from __future__ import annotations

from ...figures.markup import Markup, joined, tag
from ..measuring.risk import Accepted, Risk
from .parts import AS_SHARE, datum, notes, paragraph, pictures, section, span, table

TITLE = "Risk and coverage"
NOTE = (
    "Accepted are the samples of which the model is the surest; those tied at the least score are accepted together. "
    "Told is the mean of 1 minus the score. The interval is that of Clopper and Pearson (1934)"
)


def risk_section(shown: Risk | None) -> Markup | None:
    """How many of the surest are wrong; None where the score does not say how sure a prediction is."""
    if shown is None:
        return None
    rows = [
        [
            f"{100 * part.share:g} %",
            f"{part.samples:,}",
            datum(AS_SHARE, part.threshold, f"threshold {part.share:g}"),
            datum(AS_SHARE, part.told, f"told {part.share:g}"),
            joined([datum(AS_SHARE, part.found, f"found {part.share:g}"), tag("small", _ends(part))]),
        ]
        for part in shown.accepted
    ]
    columns = ["accepted", "samples", "from a score of", "wrong, as told", "wrong, as found"]
    return section(
        TITLE,
        paragraph(said_of(shown), class_="lead"),
        table(columns, rows, TITLE, identity="risk-table"),
        pictures((shown.picture,), "risk"),
        notes([NOTE]),
        identity="risk",
    )


def said_of(shown: Risk) -> str:
    """A sentence about all samples and the surest half."""
    whole, half = shown.accepted[0], next(part for part in shown.accepted if part.share <= 0.5)
    return (
        f"Of all {whole.samples:,} samples {_share(whole.found)} are wrong, where {_share(whole.told)} are told; of "
        f"the surest half {_share(half.found)} (95 % interval {_share(half.lower)} to {_share(half.upper)}), where "
        f"{_share(half.told)} are told."
    )


def _ends(part: Accepted) -> Markup:
    return span(*(datum(AS_SHARE, getattr(part, end), f"{end} {part.share:g}", unit="") for end in ("lower", "upper")))


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
