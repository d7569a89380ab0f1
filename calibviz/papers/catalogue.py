"""All figures and tables of the papers, and one of them by its name."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from ..answers.asked.glossary import GUPTA, KIRCHENBAUER, NIXON, ROELOFS
from ..foundation import validation
from . import ece_sweep, gce_measuring, gece, ks, workshop
from .item import Item, Kind, Publication

#: The papers by their short names, in the order of the gallery.
PAPERS: Mapping[str, Publication] = {
    ks.PAPER: Publication(GUPTA, "Calibration of Neural Networks using Splines"),
    ece_sweep.PAPER: Publication(ROELOFS, "Mitigating Bias in Calibration Error Estimation"),
    gce_measuring.PAPER: Publication(NIXON, "Measuring Calibration in Deep Learning"),
    workshop.PAPER: Publication(f"{NIXON} (workshop)", "Measuring Calibration in Deep Learning"),
    gece.PAPER: Publication(
        KIRCHENBAUER,
        "What is Your Metric Telling You? Evaluating Classifier Calibration under Context-Specific Definitions of "
        "Reliability",
    ),
}
ITEMS: tuple[Item, ...] = (*ks.ITEMS, *ece_sweep.ITEMS, *gce_measuring.ITEMS, *workshop.ITEMS, *gece.ITEMS)


def item(paper: str, kind: Kind, number: int) -> Item:
    """A figure or a table of a paper; a `ValueError` names those that there are."""
    validation.choice(paper, "paper", tuple(PAPERS))
    of_kind = [one for one in ITEMS if (one.paper, one.kind) == (paper, kind)]
    validation.whole_number(number, "number", 1)
    for one in of_kind:
        if one.number == number:
            return one
    raise ValueError(f"number must be one of the {kind}s of {paper!r}, 1 to {len(of_kind)}, not {number}")


def items() -> pd.DataFrame:
    """All 90 figures and tables of the five papers, a row each.

    Returns
    -------
    pandas.DataFrame
        With columns paper, kind ("figure" or "table"), number, title, and state: "same data", "same data in part" (of
        the paper's networks, those whose data come with calibviz) or "other data" (the same figure of other data,
        since those of the paper cannot be shipped).

    See Also
    --------
    figure, table : One of them.

    Examples
    --------
    >>> len(cv.papers.items())
    90
    """
    rows = [(one.paper, one.kind, one.number, one.title, one.state) for one in ITEMS]
    return pd.DataFrame(rows, columns=["paper", "kind", "number", "title", "state"])
