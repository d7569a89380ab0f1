"""Arrays of predictions by role, settled by what the user says of their labels and classes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import row_error
from ...foundation.validation import RowError, listed
from .choices import NO_WEIGHT, Account, Arguments, ReadingOptions
from .classes import Labels, binary_labels, class_labels, class_numbers
from .known_names import LABELS, LOGIT, NAMES, SCORES, WEIGHTS, chosen_column, one_of
from .missing_rows import keep_known, keep_labelled, keep_wanted
from .recognition.content import same_partition
from .recognition.other_columns import field_columns, refuse_models, refuse_times
from .recognition.truth import named_truths, two_truths
from .tables import MISSING, ArrayTable, FirstRows, incomplete

ARGUMENTS = {"probs": "prob", "logits": "logits", "labels": "label", "weights": "weight"}
"""The option of `read_predictions` that names the array of each argument of `Predictions`."""

WORDS = {"probs": "probability", "logits": "logit", "labels": "label", "weights": "weight"}
"""What the array of each argument of `Predictions` holds."""

MARKS = (-100, 255)  # labels of the places that no loss counts, in frameworks of deep learning
BY_SAMPLE = ("probs", "logits", "labels", "weights", "images")


def roles(
    names: Collection[str], choices: ReadingOptions | None = None, account: Account | None = None
) -> dict[str, str]:
    """The name of the array for each argument of `Predictions`, such as `probs` and `labels`."""
    choices, account = choices or ReadingOptions(), account or Account()
    chosen = {"probs": choices.prob, "logits": choices.logits, "labels": choices.label, "weights": choices.weight}
    others = {"probs": (*SCORES[0], *SCORES[1]), "logits": LOGIT, "labels": LABELS[1], "weights": WEIGHTS[1]}
    out = {}
    for role, allowed in NAMES.items():
        name, argument = chosen[role], ARGUMENTS[role]
        if role == "weights" and name == NO_WEIGHT:
            continue
        if isinstance(name, tuple):
            raise ValueError(f"{argument}={list(name)!r}: name the one array that holds all classes")
        if name is not None:
            out[role] = chosen_column(name, names, argument)
        elif role in ("probs", "logits") and (choices.prob or choices.logits):
            continue
        elif (known := one_of(names, allowed, argument)) is not None:
            out[role] = known
        elif (known := one_of(names, others[role], argument)) is not None:
            out[role] = known
            if role != "weights":
                account.recognised.append(f"{role} from {known!r}")
    if choices.weight is None and "weights" in out:
        account.say(f"weights of samples from {out['weights']!r}, {choices.as_field}")
    for role, name in out.items():
        account.take(WORDS[role], name)
    if "labels" not in out or not out.keys() & {"probs", "logits"}:
        lacking = "labels" if "labels" not in out else "probabilities"
        option = "label" if lacking == "labels" else "prob"
        raise ValueError(
            f"found no {lacking} among the arrays {listed(names) or '(none)'}: expected `probs`, `prob` or `logits`, "
            f"and `labels`, `label` or `outcome`; {option}='...' names another"
        )
    return out


def settled(arguments: Arguments, choices: ReadingOptions, account: Account, label: str) -> Arguments:
    """The arguments of `Predictions` with labels as class numbers, where names, options or missing ones need it.

    What `Predictions` itself reads stays as it is.
    """
    values = np.asarray(arguments["labels"])
    role, word = ("probs", "probability") if "probs" in arguments else ("logits", "logit")
    scores = np.asarray(arguments[role])
    if values.ndim not in (1, 2) or scores.ndim not in (1, 2) or len(values) != len(scores):
        return arguments
    if choices.can_drop:
        arguments = _with_fields(arguments, values, scores, choices, account, label)
    names = arguments.get("class_names")
    width = 1 if scores.ndim == 1 else scores.shape[1]
    if choices.can_drop and choices.ignore is None and width > 1:
        _refuse_marks(values, width)
    has_words = names is None and values.dtype.kind in "OUST"
    gaps = _has_nan(values) or (values.dtype.kind == "U" and bool((values == "").any()))
    lacks = _has_nan(scores)
    asked = choices.positive, choices.classes, choices.ignore, choices.missing == "drop"
    if not (has_words or gaps or lacks or any(asked)):
        return arguments
    kept = arguments | {}

    def keep(rows: Any) -> None:
        kept.update({role: np.asarray(arguments[role])[rows] for role in BY_SAMPLE if role in kept})
        kept["fields"] = {name: np.asarray(column)[rows] for name, column in arguments["fields"].items()}

    def keep_complete(role: str, word: str) -> NDArray[np.bool_] | None:
        there = np.asarray(kept[role])
        complete = ~incomplete(there.reshape(len(there), -1))

        def lacking(row: int, said: str) -> RowError:
            place = [row] if there.ndim == 1 else [row, int(np.argmax(np.isnan(there[row])))]
            return row_error(role, place, f" {said}")

        return keep_known(complete, word, lacking, choices, account, keep)

    classes = choices.classes or (None if names is None else tuple(names))
    if width > 1 and choices.positive is not None:
        raise ValueError(f"positive={choices.positive!r} is for probabilities of shape (n,), not (n, {width})")
    if width > 1 and classes is not None and len(classes) != width:
        raise ValueError(f"classes names {len(classes)} classes, but there are probabilities of {width}")
    if values.ndim == 2:  # soft labels
        if _has_nan(values):
            if incomplete(values).all():
                raise ValueError(f"no row of {label!r} has a label of every class")
            keep_complete("labels", "label")
        if lacks:
            keep_complete(role, word)
        return kept | ({} if classes is None else {"class_names": list(classes)})
    labels = ArrayTable({label: values}).labels(label, ("labels[", "]"))
    labels = labels.without([name for name in MISSING if name not in (*(choices.classes or ()), *(names or ()))])
    labels = keep_wanted(labels, choices, account, keep)
    labels = keep_labelled(labels, choices, account, keep)
    if lacks:
        left = keep_complete(role, word)
        labels = labels if left is None else labels.only(left)
    if width == 1:
        named = (
            choices if names is None or choices.classes else ReadingOptions(**vars(choices) | {"classes": tuple(names)})
        )
        return kept | binary_labels(labels, named, account)
    if classes is None:
        return kept | {"labels": class_numbers(labels, account, width)}
    return kept | class_labels(labels, classes, choices, account)


def _with_fields(
    arguments: Arguments,
    values: NDArray[Any],
    scores: NDArray[Any],
    choices: ReadingOptions,
    account: Account,
    label: str,
) -> Arguments:
    """Return arguments with those arrays alone that are fields; another that may hold the truth is asked about."""
    fields, role = arguments["fields"], "" if scores.ndim == 2 else "".join(account.named("probability", "logit"))
    first = FirstRows(ArrayTable(fields | {label: values} | ({role: scores} if role else {})))
    if values.ndim == 2:
        return arguments | {"fields": fields if choices.fields is None else _chosen(fields, choices.fields)}
    labels = first.held(label) or Labels(np.zeros(0, dtype=np.int64), [], label)
    account.rivals = named_truths(list(fields))
    for name in account.rivals if choices.label is None else ():
        held = first.held(name)
        is_like = held is not None and len(held.present) > 1 and set(held.present) <= set(labels.present)
        if held is not None and is_like and not same_partition(held.codes, labels.codes):
            raise two_truths([label, name])
    refuse_models(list(fields), labels, account, first)
    refuse_times(list(fields), labels, choices, account, first)
    kept = field_columns(list(fields), (labels, [role] if role else []), choices, account, first)
    return arguments | {"fields": {name: fields[name] for name in kept}}


def _refuse_marks(values: NDArray[Any], classes: int) -> None:
    """Refuse numbers that mark labels which no loss counts, with the option that leaves them out."""
    for mark in MARKS:
        if values.dtype.kind not in "iuf" or values.ndim != 1 or 0 <= mark < classes:
            return
        there = values == mark
        if n := int(there.sum()):
            rows = "1 row" if n == 1 else f"{n:,} rows"
            said = f"] is {mark}, but the {classes} classes are 0..{classes - 1}; ignore={mark} leaves {rows} out"
            raise RowError("labels[", int(np.argmax(there)), said)


def _chosen(fields: Arguments, names: Collection[str]) -> Arguments:
    return {chosen: fields[chosen] for chosen in (chosen_column(name, fields, "fields") for name in names)}


def _has_nan(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "f" and array.size > 0 and bool(np.isnan(array.min()))  # which takes no memory
