"""The section of a report that describes the predictions."""

from __future__ import annotations

import numpy as np

from ...data.likely_clusters import assumed_when_read, unsaid_clusters
from ...data.nouns import count_of_clusters, counted_in
from ...data.predictions import Predictions
from ...data.reweighting import label_mass
from ...figures.markup import Markup, tag
from ...figures.tables import Cell, Column, Table
from ...foundation.arrays import missing_in
from ...foundation.written import percent, with_minus
from .parts import section, table

MOST_LISTED, MOST_SHOWN = 1_000, 20  # classes; 10,000 would be ten times as large as all else on the page
MOST_VALUES = 5
LONGEST_FACT = 60  # characters: a longer fact gets a line of its own
SUM_TOLERANCE = 1e-6


def title_of(predictions: Predictions) -> str:
    """The title of the predictions, such as the name of their file."""
    return predictions.about.get("title", "Predictions")


def data_section(predictions: Predictions, of_several: bool = False) -> Markup:
    """The number of samples and classes, the kind of labels, the fields, and the shares of the classes.

    With `of_several`, the section leaves out what differs between models of the same samples.
    """
    p = predictions
    facts = {
        "samples": _samples(p) + _left_out(p),
        "drawn": p.about.get("drawn"),
        "assumed when read": assumed_when_read(p),
        "clusters": unsaid_clusters(p),
        "classes": f"{p.n_classes:,}",
        "labels": "one class a sample" if p.soft_labels is None else "soft: shares of the classes",
        "probabilities": None if of_several else f"{p.probs.dtype}; {_sums(p)}",
        "logits": None if of_several else "given" if p.logits is not None else "none",
        "weights": "none" if p.weights is None else f"from {p.weights.min():g} to {p.weights.max():g}",
        "weighted to": p.about.get("prevalence"),
        "groups of classes": ", ".join(p.groups) if p.groups else None,
        "images": "of each sample" if p.images is not None else None,
        "made": None if of_several else p.about.get("made"),
        "licence": None if of_several else p.about.get("licence"),
    }
    listed = tag(
        "dl",
        *(
            tag("div", tag("dt", name), tag("dd", fact), class_="wide" if len(fact) > LONGEST_FACT else None)
            for name, fact in facts.items()
            if fact is not None
        ),
        class_="data",
    )
    refused = tag(
        "p",
        "Nothing was left out or changed in silence: a file with a sample that cannot be used is refused as a whole.",
        class_="note",
    )
    return section("The data", listed, refused, _fields(p), _shares(p), identity="data")


def _samples(p: Predictions) -> str:
    count = count_of_clusters(p)
    return f"{len(p):,}" if count is None else counted_in(p.nouns, len(p), count)


def _left_out(p: Predictions) -> str:
    none = 0 if p.weights is None else int((p.weights == 0).sum())
    return f", {none:,} of them of weight 0, which count for nothing" if none else ""


def _sums(p: Predictions) -> str:
    if p.row_sums is not None:
        return rescaled(p.row_sums)
    off = float(np.abs(p.probs.sum(axis=1, dtype=np.float64) - 1).max())
    return "rows sum to 1" if off <= SUM_TOLERANCE else f"rows sum to 1 within {off:.1g}"


def rescaled(sums: np.ndarray) -> str:
    """How many rows were rescaled to sum to 1 at the user's request, and how far off they were."""
    off = np.abs(sums - 1)
    n = int((off > SUM_TOLERANCE).sum())
    if n == 0:
        return "rows sum to 1: none had to be rescaled"
    return f"{n:,} of {len(off):,} rows rescaled to sum to 1, as was asked for; off by {off.max():.3g} at most"


def _fields(p: Predictions) -> Markup | None:
    if not p.fields:
        return None
    rows = tuple((Cell(name), Cell(_values(column))) for name, column in p.fields.items())
    return table(Table("fields", "Fields", (Column("field"), Column("values")), rows, "Fields and their values."))


def _values(column: np.ndarray) -> str:
    """The values of a field: a range of numbers or dates, else the most frequent values; and how many are missing."""
    known = column[~missing_in(column)]
    missing = f", {len(column) - len(known):,} missing" if len(known) < len(column) else ""
    if not len(known):
        return f"none known{missing}"
    if column.dtype.kind in "iufM":
        return f"from {_said(known.min())} to {_said(known.max())}{missing}"
    values, counts = np.unique(known.astype(str), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    said = [f"{values[i]} ({counts[i]:,})" for i in order[:MOST_VALUES]]
    more = f", and {len(values) - MOST_VALUES:,} more" if len(values) > MOST_VALUES else ""
    return f"{', '.join(said)}{more}{missing}"


def _said(value: object) -> str:
    if not isinstance(value, np.number):
        return str(value)
    return with_minus(f"{value:.4g}" if isinstance(value, np.floating) else str(value))


def _shares(p: Predictions) -> Markup:
    """How often each class is the right one, the most frequent first."""
    weights = np.ones(len(p)) if p.weights is None else p.weights
    share = label_mass(p, weights) / (weights.sum() or 1.0)
    order = np.argsort(-share, kind="stable")
    top = float(share.max()) or 1.0
    rows = tuple(
        (
            Cell(p.class_names[c]),
            Cell(percent(share[c]), bar=min(1.0, float(share[c] / top)), numbers=(("share", float(share[c])),)),
        )
        for c in order[:MOST_LISTED]
    )
    title = "Label shares" if p.weights is None else "Label shares, weighted"
    columns = Column("class"), Column("share")
    listed = Table("shares", title, columns, rows, "How often each class is the right one.", at_once=MOST_SHOWN)
    return table(listed, len(order) - len(rows))
