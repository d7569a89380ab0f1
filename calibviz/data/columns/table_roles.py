"""Roles of the columns of a table: labels, weights, probabilities in one of their forms, and fields."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError, listed
from ..safeguards import TEXT_SIZE, charge, refuse_repeated
from ..top_classes import WRONG_RIGHT
from .choices import NO_WEIGHT, Account, Arguments, ReadingOptions
from .classes import Labels, binary_labels, class_labels, class_numbers
from .known_names import (
    LABELS,
    LOGIT,
    LOGIT_PREFIXES,
    PREFIXES,
    SCORES,
    WEIGHTS,
    alike,
    chosen_column,
    known_column,
    known_columns,
)
from .missing_rows import keep_known, keep_labelled, keep_wanted
from .option_lists import option_arguments
from .recognition.other_columns import field_columns, refuse_models, refuse_times
from .recognition.predicted_classes import (
    CONFIDENCE,
    column_of_predictions,
    named_predictions,
    predicted_labels,
    rightness,
)
from .recognition.score_columns import EXPECTED, Scores, find_scores, refuse_hidden_class
from .recognition.truth import named_truths, truth_column
from .tables import MISSING, SEVERAL, ColumnTable, FirstRows, first_missing, incomplete, letters

#: The columns of a log of decisions, whose classes are then "wrong" and "right".
CORRECT = "correct"
FIRST_LINE = "; the first line must hold the names of the columns"


def table_arguments(table: ColumnTable, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a table, by the rules of `calibviz.read_predictions`."""
    refuse_repeated(table.columns, "columns")
    of_options = _of_lists(table, choices, account)
    if of_options is not None:
        return of_options
    first = FirstRows(table)
    unweighted = [name for name in table.columns if name != choices.weight]
    label = _label_column(unweighted, choices, account, table.has_names, first)
    weight = _weight_column(table.columns, choices, account)
    account.take("label", label)
    account.take("weight", weight)
    labels = table.labels(label)
    if not len(labels.codes):
        raise ValueError("the file has columns but no rows")
    others = [name for name in table.columns if name not in (label, weight)]
    unknown = {value for value in labels.values if value in MISSING} - _class_words(others, choices)
    labels = labels.without(sorted(unknown))
    labels = keep_wanted(labels, choices, account, table.keep)
    labels = keep_labelled(labels, choices, account, table.keep)
    first = FirstRows(table)  # of the rows that are kept
    labels = _as_columns_spell(labels, others, choices, account)
    named = named_predictions(table, others, labels)
    scores = find_scores([name for name in others if name != named], labels, choices, account, first)
    word = "logit" if scores.are_logits else "probability"
    account.take(word, *scores.columns)
    account.columns = scores.columns if len(scores.columns) > 1 else []
    values = table.values(scores.columns)

    def lacking(row: int, said: str) -> RowError:
        return RowError("row ", row, f" of column {first_missing(values[row], scores.columns)!r} {said}")

    known = keep_known(~incomplete(values), word, lacking, choices, account, table.keep)
    if known is not None:
        values, labels, first = values[known], labels.only(known), FirstRows(table)
    account.has_percent_signs = any(table.has_percent_signs(name) for name in scores.columns)
    if account.has_percent_signs:
        account.say("probabilities in per cent")
    free = [name for name in others if name not in scores.columns]
    is_single = scores == Scores(scores.columns) and values.shape[1] == 1 and not (choices.positive or choices.classes)
    predicted = column_of_predictions(table, free, labels, scores.columns[0], values[:, 0]) if is_single else None
    if predicted is not None:
        return _confidences(table, labels, (predicted, scores.columns[0], weight), choices, account)
    refuse_models(free, labels, account, first)
    refuse_times(free, labels, choices, account, first)
    fields = table.fields(field_columns(free, (labels, scores.columns), choices, account, first))
    arguments: Arguments = {"fields": fields}
    arguments["logits" if scores.are_logits else "probs"] = values[:, 0] if values.shape[1] == 1 else values
    if scores.may_hide:
        refuse_hidden_class(values, scores.columns, table.fields(free))
    arguments |= _labels_of(labels, scores, values.shape[1], choices, account)
    if (label, scores.columns) == (CORRECT, [CONFIDENCE]) and not (choices.positive or choices.classes):
        arguments |= {"class_names": list(WRONG_RIGHT), "of_confidence": True}
    if weight is not None:
        arguments["weights"] = _weights(table, weight)
    return arguments


def _confidences(
    table: ColumnTable, labels: Labels, columns: tuple[str, str, str | None], choices: ReadingOptions, account: Account
) -> Arguments:
    """The arguments of `Predictions` for the confidence in predicted classes: how sure, and whether it is right.

    `columns` are those of the predicted class, of the confidence and of the weights.
    """
    predicted, confidence, weight = columns
    classes = predicted_labels(table, predicted, labels)
    known = keep_known(classes.codes >= 0, "predicted class", classes.error, choices, account, table.keep)
    if known is not None:
        labels, classes = labels.only(known), classes.only(known)
    account.take("predicted class", predicted)
    account.take("confidence", confidence)
    account.say(
        f"{confidence!r} is the confidence in the class of {predicted!r}, and whether that is right is judged "
        "(positive=... makes it the probability of one class)"
    )
    free = [name for name in table.columns if name not in (labels.name, confidence, weight)]
    arguments: Arguments = {
        "probs": table.values([confidence])[:, 0],
        "labels": rightness(labels, classes),
        "class_names": list(WRONG_RIGHT),
        "of_confidence": True,
        "fields": table.fields(field_columns(free, (labels, [confidence]), choices, account, FirstRows(table))),
    }
    return arguments if weight is None else arguments | {"weights": _weights(table, weight)}


def _of_lists(table: ColumnTable, choices: ReadingOptions, account: Account) -> Arguments | None:
    """The arguments where each row lists its own options beside their probabilities; None where none does."""
    if not any(_lists_texts(table.beginning(name, 100)) for name in table.columns):
        return None
    columns = {}
    for name in table.columns:
        column = np.asarray(table.column(name))
        charge(len(column) * TEXT_SIZE + sum(letters(value) for value in column if isinstance(value, SEVERAL)))
        columns[name] = [_plain_list(value) for value in column.tolist()]
    records = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return option_arguments(records, list(columns), choices, account)


def _lists_texts(column: Any) -> bool:
    if getattr(getattr(column, "dtype", None), "kind", "") != "O":
        return False
    first = next((value for value in column if value is not None), None)
    return isinstance(first, list | tuple | np.ndarray) and len(first) > 0 and isinstance(first[0], str)


def _plain_list(value: Any) -> Any:
    """A list of plain objects of Python in place of an array, or of a list of numbers of NumPy."""
    if isinstance(value, list | tuple):
        return [entry.item() if isinstance(entry, np.generic) else entry for entry in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def _weights(table: ColumnTable, name: str) -> NDArray[np.float64]:
    """The weights of the samples in a column; a column of this name may have been meant as a field."""
    other = "where it holds something else, weight='' makes it a field, and weight='...' names another column"
    try:
        weights = table.values([name])[:, 0]
    except RowError as error:
        raise RowError(error.before, error.row, f"{error.after}: {other}") from None
    lacking, infinite = np.isnan(weights), np.isinf(weights)
    for refused, wrong in ((infinite, "infinite"), (weights < 0, "negative")):
        if refused.any():
            row = int(np.argmax(refused))
            said = f" of column {name!r}, the weights, is {weights[row]:g}, and a weight cannot be {wrong}: {other}"
            raise RowError("row ", row, said)
    if lacking.any():
        raise RowError("row ", int(np.argmax(lacking)), f" of column {name!r}, the weights, is missing: {other}")
    if not weights.any():
        raise ValueError(f"the column {name!r} holds weights that are all 0: {other}")
    return weights


def _label_column(
    columns: list[str], choices: ReadingOptions, account: Account, has_names: bool, first: FirstRows
) -> str:
    if choices.label is not None:
        account.rivals = named_truths(columns)
        return chosen_column(choices.label, columns, "label")
    label = truth_column(columns, choices, account, first)
    if label is None and CORRECT in columns and CONFIDENCE in columns:
        account.say(f"labels from {CORRECT!r}")
        label = CORRECT
    if label is None:
        separated = "; if its values are separated otherwise, say how by sep=';'" if len(columns) == 1 else ""
        hint = next((text for name in LABELS[0] if (text := alike(name, columns))), "")
        raise ValueError(
            f"found no labels among the columns {listed(columns) or '(none)'}: {EXPECTED}; label='...' names another "
            f"column{separated}{'' if has_names else FIRST_LINE}{hint}"
        )
    return label


def _weight_column(columns: list[str], choices: ReadingOptions, account: Account) -> str | None:
    """The column of the weights of the samples, None where there is none."""
    if choices.weight == NO_WEIGHT:
        return None
    if choices.weight is not None:
        return chosen_column(choices.weight, columns, "weight")
    return known_column(columns, WEIGHTS, "weights of samples", account, "weight", choices.as_field)


def _class_words(columns: list[str], choices: ReadingOptions) -> set[str]:
    """Words that may name a class, so that a label such as NA is no missing one."""
    words = set(choices.classes or ()) | set(columns)
    return words | {name.removeprefix(prefix) for name in columns for prefix in (*PREFIXES, *LOGIT_PREFIXES)}


def _as_columns_spell(labels: Labels, columns: list[str], choices: ReadingOptions, account: Account) -> Labels:
    """The labels with the capitals of the columns or classes that they name, where no label names one as it is."""
    chosen = choices.prob, choices.logits, choices.positive
    if any(chosen) or any(known_columns(columns, names) for names in (*SCORES, LOGIT)):
        return labels
    present, found = set(labels.present), None
    for prefix in ("", *PREFIXES, *LOGIT_PREFIXES):
        words = {name[len(prefix) :] for name in columns if name.casefold().startswith(prefix)} | set(
            choices.classes or ()
        )
        if present <= words:
            return labels
        folded = {word.casefold(): word for word in words}
        spelled = {value: folded[value.casefold()] for value in present - words if value.casefold() in folded}
        is_one_of_two = bool(prefix) and len(words) == 1 and len(present) == 2
        if spelled and len(folded) == len(words) and (present - words <= spelled.keys() or is_one_of_two):
            found = found or spelled
    if found is None:
        return labels
    account.say("capitals of labels do not matter")
    return labels.renamed(found)


def _labels_of(labels: Labels, scores: Scores, width: int, choices: ReadingOptions, account: Account) -> dict[str, Any]:
    """The arguments `labels` and `class_names`."""
    if width == 1 and (len(scores.columns) == 1 and scores.names is None):
        if scores.positive is not None and choices.positive is None:
            others = [value for value in labels.present if value != scores.positive]
            return class_labels(labels, [*others, scores.positive], choices, account)
        return binary_labels(labels, choices, account)
    names = scores.names or choices.classes
    if names is not None:
        if len(names) != width:
            raise ValueError(f"classes names {len(names)} classes, but there are probabilities of {width}")
        return class_labels(labels, names, choices, account)
    return {"labels": class_numbers(labels, account, width)}
