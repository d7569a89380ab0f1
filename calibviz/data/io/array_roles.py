"""Arrays of predictions by role, settled by what the user says of their labels and classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.arrays import row_error
from .choices import Account, ReadingOptions
from .classes import binary_labels, class_labels, class_numbers
from .common import Arguments
from .table_roles import keep_known, keep_labelled
from .tables import MISSING, ArrayTable, incomplete

BY_SAMPLE = ("probs", "logits", "labels", "weights", "images")


def settled(arguments: Arguments, choices: ReadingOptions, account: Account, label: str) -> Arguments:
    """The arguments of `Predictions` with labels as class numbers, where names, options or missing ones need it.

    What `Predictions` itself reads stays as it is.
    """
    values = np.asarray(arguments["labels"])
    scores = np.asarray(arguments["probs"] if "probs" in arguments else arguments["logits"])
    if values.ndim != 1 or scores.ndim not in (1, 2) or len(values) != len(scores):
        return arguments
    names = arguments.get("class_names")
    width = 1 if scores.ndim == 1 else scores.shape[1]
    has_words = names is None and values.dtype.kind in "OUST"
    gaps = values.dtype.kind == "f" and bool(np.isnan(values).any())
    lacks = scores.dtype.kind == "f" and scores.size > 0 and bool(np.isnan(scores.min()))  # which takes no memory
    if not (has_words or gaps or lacks or choices.positive or choices.classes or choices.missing == "drop"):
        return arguments
    labels = ArrayTable({label: values}).labels(label, ("labels[", "]"))
    known = set(names if names is not None else ()) | set(choices.classes or ())
    labels = labels.without([word for word in MISSING if word not in known])
    kept = arguments | {}

    def keep(rows: Any) -> None:
        kept.update({role: np.asarray(arguments[role])[rows] for role in BY_SAMPLE if role in kept})
        kept["fields"] = {name: np.asarray(column)[rows] for name, column in arguments["fields"].items()}

    labels = keep_labelled(labels, choices, account, keep)
    if lacks:
        role, word = ("probs", "probability") if "probs" in kept else ("logits", "logit")
        there = np.asarray(kept[role])
        complete = ~incomplete(there.reshape(len(there), -1))
        left = keep_known(complete, word, lambda row, said: row_error(role, [row], f" {said}"), choices, account, keep)
        labels = labels if left is None else labels.only(left)
    if width == 1:
        named = (
            choices if names is None or choices.classes else ReadingOptions(**vars(choices) | {"classes": tuple(names)})
        )
        return kept | binary_labels(labels, named, account)
    if choices.positive is not None:
        raise ValueError(f"positive={choices.positive!r} is for probabilities of shape (n,), not (n, {width})")
    classes = choices.classes or (None if names is None else tuple(names))
    if classes is None:
        return kept | {"labels": class_numbers(labels, account, width)}
    if len(classes) != width:
        raise ValueError(f"classes names {len(classes)} classes, but there are probabilities of {width}")
    return kept | class_labels(labels, classes, choices, account)
