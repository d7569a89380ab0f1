"""How much more net benefit one way to act has than another, as a cell of a table."""

from __future__ import annotations

from ...figures.markup import Markup, joined, tag
from ..measuring.benefit import Benefits
from ..measuring.numbers import Reading
from .parts import datum, span, strong

PLAIN = Reading("", "", False)
BENEFIT_NOTE = (
    "Net benefit: the share of samples acted on rightly, minus those acted on in vain, at the price that the threshold "
    "sets (Vickers and Elkin 2006). The intervals are the 2.5 % and 97.5 % quantiles over {} bootstrap samples, "
    "the same in all rows: they may overlap though one row is better in nearly all of them."
)
PAIRED_NOTE = "A difference is that on the same samples. In bold: its 95 % interval does not hold 0."


def more_benefit(benefits: Benefits, name: str, other: str) -> Markup:
    """How much more net benefit one way to act has than another, with its interval below."""
    apart = benefits.over(name, other)
    value, lower, upper = (
        datum(PLAIN, number, f"net benefit {kind} of {name} over {other}", signed=True)
        for kind, number in (("value", apart.value), ("lower", apart.lower), ("upper", apart.upper))
    )
    is_told = not benefits.few and (apart.is_more or apart.is_less)
    below: str = span(lower, upper)
    if apart.is_of_few:
        below = f"{apart.counted} acted on otherwise: too few to say"
    return joined([strong(value, is_told), tag("small", below)])
