"""What the columns of a table are: labels, weights, probabilities in one of their forms, and fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.arrays import ROW_SUM_TOLERANCE
from ...foundation.validation import RowError, did_you_mean, listed
from ..safeguards import refuse_repeated
from ..top_classes import WRONG_RIGHT
from .choices import NO_WEIGHT, Account, Arguments, ReadingOptions, chosen_column, known_columns
from .classes import Labels, binary_labels, class_labels, class_numbers
from .known_names import LABELS, LOGIT, LOGIT_PREFIXES, PREFIXES, SCORES, WEIGHTS
from .predicted_classes import CONFIDENCE, column_of_predictions, named_predictions, predicted_labels, rightness
from .tables import MISSING, ColumnTable, first_missing, incomplete

#: Columns that hold numbers although their first rows may be whole ones.
NUMERIC_NAMES = frozenset(name for names in (*LABELS, *SCORES, LOGIT, *WEIGHTS) for name in names)
EXPECTED = (
    "expected columns `label` (or `labels`, `outcome`, `y_true`, `target`, ...), and p_0, p_1, ... or p_cat, p_dog, "
    "... or a single `prob` (or `p`, `y_prob`, `score`, ...) or one column named after each class"
)
#: The columns of a log of decisions, whose classes are then "wrong" and "right".
CORRECT = "correct"
CORRECT_IT = "; correct the label, or add a column of its class"
FIRST_LINE = "; the first line must hold the names of the columns"
WAY_OUT = "pass classes=[...], the names of all classes"


@dataclass(frozen=True)
class Scores:
    """The columns that hold the probabilities or logits.

    Attributes
    ----------
    columns : list of str
        In the order of the classes; a single one holds those of the second of two classes, or lists them all.
    names : list of str, or None
        The names of the classes; None where they have numbers, or where the labels of two classes tell them.
    are_logits : bool
    may_hide : bool
        Whether a class that no label names could be mistaken for a field.
    positive : str, or None
        The class of a single column, where its name tells it.
    """

    columns: list[str]
    names: list[str] | None = None
    are_logits: bool = False
    may_hide: bool = False
    positive: str | None = None


def table_arguments(table: ColumnTable, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a table, by the rules of `calibviz.read_predictions`."""
    refuse_repeated(table.columns, "columns")
    label = _label_column(table.columns, choices, account, table.has_names)
    weight = _weight_column(table.columns, choices, account)
    account.take("label", label)
    account.take("weight", weight)
    labels = table.labels(label)
    if not len(labels.codes):
        raise ValueError("the file has columns but no rows")
    others = [name for name in table.columns if name not in (label, weight)]
    unknown = {value for value in labels.values if value in MISSING} - _class_words(others, choices)
    labels = labels.without(sorted(unknown))
    labels = keep_labelled(labels, choices, account, table.keep)
    labels = _as_columns_spell(labels, others, choices, account)
    named = named_predictions(table, others, labels)
    scores = _find_scores([name for name in others if name != named], labels, choices, account)
    word = "logit" if scores.are_logits else "probability"
    account.take(word, *scores.columns)
    account.columns = scores.columns if len(scores.columns) > 1 else []
    values = table.values(scores.columns)

    def lacking(row: int, said: str) -> RowError:
        return RowError("row ", row, f" of column {first_missing(values[row], scores.columns)!r} {said}")

    known = keep_known(~incomplete(values), word, lacking, choices, account, table.keep)
    if known is not None:
        values, labels = values[known], labels.only(known)
    if any(table.has_percent_signs(name) for name in scores.columns):
        account.say("probabilities in per cent")
    free = [name for name in others if name not in scores.columns]
    is_single = scores == Scores(scores.columns) and values.shape[1] == 1 and not (choices.positive or choices.classes)
    predicted = column_of_predictions(table, free, labels, scores.columns[0], values[:, 0]) if is_single else None
    if predicted is not None:
        return _confidences(table, labels, (predicted, scores.columns[0], weight), choices, account)
    if choices.prob is None and scores.columns[0].casefold() in SCORES[-1] and np.isin(values, (0, 1)).all():
        raise ValueError(
            f"the column {scores.columns[0]!r} holds only 0 and 1, which are decisions, not probabilities; "
            f"prob={scores.columns[0]!r} reads it all the same"
        )
    fields = table.fields(free)
    arguments: Arguments = {"fields": fields}
    arguments["logits" if scores.are_logits else "probs"] = values[:, 0] if values.shape[1] == 1 else values
    if scores.may_hide:
        _refuse_hidden_class(values, scores.columns, fields)
    arguments |= _labels_of(labels, scores, values.shape[1], choices, account)
    if (label, scores.columns) == (CORRECT, [CONFIDENCE]):
        arguments.setdefault("class_names", list(WRONG_RIGHT))
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
    taken = (labels.name, confidence, weight)
    arguments: Arguments = {
        "probs": table.values([confidence])[:, 0],
        "labels": rightness(labels, classes),
        "class_names": list(WRONG_RIGHT),
        "fields": table.fields([name for name in table.columns if name not in taken]),
    }
    return arguments if weight is None else arguments | {"weights": _weights(table, weight)}


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


def keep_labelled(
    labels: Labels, choices: ReadingOptions, account: Account, keep: Callable[[NDArray[np.int64]], None]
) -> Labels:
    """The labels that are not missing; where rows may not be left out, the first without one is an error."""
    known = labels.codes >= 0
    if not known.any():
        raise ValueError(f"the column {labels.name!r} has no label in any row")
    kept = keep_known(known, "label", labels.error, choices, account, keep)
    return labels if kept is None else labels.only(kept)


def keep_known(
    known: NDArray[np.bool_],
    word: str,
    error: Callable[[int, str], RowError],
    choices: ReadingOptions,
    account: Account,
    keep: Callable[[NDArray[np.int64]], None],
) -> NDArray[np.bool_] | None:
    """Leave out the rows that are not known, which lack a label, say; None where all are known.

    Where rows may not be left out, the first is an error. `keep` is called with the numbers of the rows of the source
    that are left.
    """
    if known.all():
        return None
    if choices.missing != "drop":
        n = len(known) - int(known.sum())
        rows = "the only row" if n == 1 else f"the {n:,} rows"
        advice = f"; missing='drop' leaves out {rows} without a {word}" if choices.can_drop else ""
        raise error(int(np.argmin(known)), f"is missing{advice}")
    if not known.any():
        raise ValueError(f"no row that has a label has a {word}")
    keep(account.keep(known, word))
    return known


def _label_column(columns: list[str], choices: ReadingOptions, account: Account, has_names: bool) -> str:
    if choices.label is not None:
        return chosen_column(choices.label, columns, "label")
    label = known_column(columns, LABELS, "labels", account, "label")
    if label is None and CORRECT in columns and CONFIDENCE in columns:
        account.say(f"labels from {CORRECT!r}")
        label = CORRECT
    if label is None:
        separated = "; if its values are separated otherwise, say how by sep=';'" if len(columns) == 1 else ""
        hint = next((text for name in LABELS[0] if (text := did_you_mean(name, columns))), "")
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


def known_column(
    columns: Sequence[str],
    tiers: Sequence[Sequence[str]],
    role: str,
    account: Account,
    argument: str | None = None,
    otherwise: str = "",
) -> str | None:
    """The only column with a known name of a role, such as "labels"; of two, an option chooses if there is one.

    It is said which one that is, unless its name is a usual one; with what makes it something else, always.
    """
    for names in tiers:
        known = known_columns(columns, names)
        if len(known) > 1:
            choose = "" if argument is None else f", or choose by {argument}={known[0]!r}"
            raise ValueError(f"found both {known[0]!r} and {known[1]!r}: keep one of them{choose}")
        if known:
            if otherwise or names is not tiers[0] or known[0] not in names:
                account.say(f"{role} from {known[0]!r}{f', {otherwise}' if otherwise else ''}")
            return known[0]
    return None


def numbered_columns(columns: Sequence[str], prefixes: Sequence[str]) -> dict[str, list[str]]:
    """The columns that have a known prefix and a number, such as p_0 and p_1, by the prefix as it is written."""
    families: dict[str, list[str]] = {}
    for name in columns:
        parts = re.fullmatch(r"(.*?)(\d+)", name)
        if parts and parts[1].casefold() in prefixes:
            families.setdefault(parts[1], []).append(name)
    return families


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


def _find_scores(columns: list[str], labels: Labels, choices: ReadingOptions, account: Account) -> Scores:
    """The columns that hold the probabilities or logits."""
    given, argument = (choices.prob, "prob") if choices.logits is None else (choices.logits, "logits")
    if isinstance(given, str):
        return Scores([chosen_column(given, columns, argument)], are_logits=choices.logits is not None)
    if given is not None:
        chosen = [chosen_column(name, columns, argument) for name in given]
        names = list(choices.classes) if choices.classes else _suffixes(chosen, labels)
        return Scores(chosen, names, choices.logits is not None)
    scores = None if choices.classes is None else _of_classes(columns, choices.classes)
    if scores is None:
        scores = _guess_scores(columns, labels, choices, account)
    if choices.positive is not None and len(scores.columns) > 1:
        raise ValueError(
            f"positive={choices.positive!r} is for a single column of probabilities, but {listed(scores.columns)} hold "
            "those of all classes: choose one by prob=..."
        )
    return scores


def _suffixes(columns: Sequence[str], labels: Labels) -> list[str] | None:
    """The names of the classes in the names of columns; None where the labels do not confirm them."""
    for prefix in ("", *PREFIXES, *LOGIT_PREFIXES):
        names = [name.removeprefix(prefix) for name in columns if name.startswith(prefix)]
        if len(names) == len(columns) and set(labels.present) <= set(names):
            return names
    return None


def _of_classes(columns: list[str], classes: Sequence[str]) -> Scores | None:
    """The columns of classes that the user names; None where they say nothing about the columns."""
    known = set(columns)
    complete = [
        prefix for prefix in (*PREFIXES, "", *LOGIT_PREFIXES) if all(f"{prefix}{name}" in known for name in classes)
    ]
    probable = [prefix for prefix in complete if prefix not in LOGIT_PREFIXES] or complete
    if len(probable) > 1:
        both = [f"{prefix}{classes[0]}" for prefix in probable]
        raise ValueError(f"classes: each of the columns {listed(both)} could be that of {classes[0]!r}: use prob=[...]")
    if probable:
        prefix = probable[0]
        return Scores([f"{prefix}{name}" for name in classes], list(classes), prefix in LOGIT_PREFIXES)
    every = (*PREFIXES, "", *LOGIT_PREFIXES)
    some = [name for name in classes if any(f"{prefix}{name}" in known for prefix in every)]
    if some and not any(f"{prefix}0" in known for prefix in every if prefix):
        lacking = next(name for name in classes if name not in some)
        raise ValueError(
            f"classes: no column is named after {lacking!r} among {listed(columns)}{did_you_mean(lacking, columns)}"
        )
    return None


def _guess_scores(columns: list[str], labels: Labels, choices: ReadingOptions, account: Account) -> Scores:
    """The only columns whose names tell that they hold the probabilities, or else logits."""
    classes, known = set(labels.present), set(columns)
    named = [name for name in columns if name in classes] if classes <= known else []
    free = [name for name in columns if name not in classes] if named else columns
    forms = [Scores(named, named, may_hide=True)] if named else []
    numbered = [name for name in free if re.fullmatch(r"p_\d+", name)]
    forms += _families(numbered, PREFIXES[:1], labels, choices, account)
    forms += [Scores([name]) for name in SCORES[0] if name in free]
    if not forms:
        forms = _families(free, PREFIXES, labels, choices, account)
    for names in SCORES:
        if not forms:
            forms = [Scores([name]) for name in known_columns(free, names)]
            if forms:
                account.say(f"probabilities from {forms[0].columns[0]!r}")
    if not forms:
        forms = _families(free, LOGIT_PREFIXES, labels, choices, account)
        forms += [Scores([name], are_logits=True) for name in known_columns(free, LOGIT)]
        if forms:
            account.say("probabilities are the softmax of the logits")
    if not forms:
        raise _nothing_found(columns, labels, classes, known)
    if len(forms) > 1:
        candidates = [name for form in forms for name in form.columns]
        raise ValueError(
            f"each of the columns {listed(candidates)} could hold probabilities: rename those that do not, or choose "
            f"by prob={candidates[-1]!r}"
        )
    [scores] = forms
    if scores.may_hide and len(named) == 1:
        raise ValueError(f"every label is {named[0]!r}, which does not tell the classes: {WAY_OUT}")
    return scores


def _nothing_found(columns: list[str], labels: Labels, classes: set[str], known: set[str]) -> ValueError:
    stranger = min((value for value in classes if value not in known), key=labels.first)
    row, said = labels.first(stranger), f" of the labels is {stranger!r}, but no column is named so"
    hint = did_you_mean(stranger, columns)
    if classes & known:
        return RowError("row ", row, f"{said}{CORRECT_IT}{hint}")
    families = [(prefix, name) for prefix in PREFIXES for name in columns if name.startswith(prefix)]
    suffixes = [name.removeprefix(prefix) for prefix, name in families]
    if len(suffixes) > 1:
        strangers = [value for value in classes if value not in suffixes]
        stranger = min(strangers or classes, key=labels.first)
        return RowError(
            "row ",
            labels.first(stranger),
            f" of the labels is {stranger!r}, but the columns {listed([name for _, name in families])} name the "
            f"classes {listed(suffixes)}{CORRECT_IT}, or, where labels number the classes from 0, name these in order "
            f"by classes=[...]{did_you_mean(stranger, suffixes)}",
        )
    unnamed = "" if labels.values[0].isdecimal() else f", none of which is named after the label {stranger!r}"
    numbers = [name for name in columns if name.isdecimal()]
    if unnamed and len(numbers) == len(labels.present) > 1:
        hint = (
            f"; if {listed(numbers)} hold those of {listed(sorted(labels.present))}, prob={numbers!r} and "
            f"classes={sorted(labels.present)!r} say so"
        )
    return ValueError(
        f"found no probabilities among the columns {listed(columns) or '(none)'}{unnamed}: {EXPECTED}; "
        f"prob='...' names another column{hint}"
    )


def _families(
    columns: list[str], prefixes: Sequence[str], labels: Labels, choices: ReadingOptions, account: Account
) -> list[Scores]:
    """Columns with one prefix and the name or number of a class each."""
    families = []
    for prefix in prefixes:
        family = [name for name in columns if name.casefold().startswith(prefix) and len(name) > len(prefix)]
        suffixes = [name[len(prefix) :] for name in family]
        scores = _family(family, suffixes, labels, choices, prefix in LOGIT_PREFIXES, account)
        families += [] if scores is None else [scores]
    return families


def _family(
    family: list[str], suffixes: list[str], labels: Labels, choices: ReadingOptions, are_logits: bool, account: Account
) -> Scores | None:
    present = set(labels.present)
    numbers = {suffix: name for suffix, name in zip(suffixes, family, strict=True) if suffix.isdecimal()}
    numbered = [numbers[str(k)] for k in range(len(numbers)) if str(k) in numbers]
    if numbers and (len(numbers) == len(family) or not present <= set(suffixes)):
        if len(numbered) == len(numbers) > 1:
            return Scores(numbered, list(choices.classes) if choices.classes else None, are_logits)
        if len(numbers) > 1 and "1" in numbers and "0" not in numbers:
            from_one = [str(k) for k in range(1, len(numbers) + 1)]
            if set(from_one) == set(numbers) and (choices.classes or present <= set(from_one)):
                return Scores([numbers[k] for k in from_one], list(choices.classes or from_one), are_logits)
        if len(numbers) > 1 and present == set(numbers):
            return Scores(list(numbers.values()), list(numbers), are_logits)
        if set(numbers) == {"1"}:
            account.say(f"probabilities of class 1 from {numbers['1']!r}")
            return Scores([numbers["1"]], None, are_logits)
        lacking = next(k for k in range(len(numbers) + 1) if str(k) not in numbers)
        name = family[0][: len(family[0]) - len(suffixes[0])]
        way = f"classes={sorted(numbers)}" if len(numbers) > 1 else f"prob={family[0]!r} and positive=..."
        listed_numbers = listed(numbers.values())
        raise ValueError(
            f"the column {f'{name}{lacking}'!r} is missing: found {listed_numbers}; {way} reads what is there"
        )
    if len(family) > 1 and present <= set(suffixes):
        return Scores(family, suffixes, are_logits)
    if len(family) == 1 and len(present) == 2 and present >= set(suffixes):
        account.say(f"probabilities of {suffixes[0]!r} from {family[0]!r}")
        return Scores(family, None, are_logits, positive=suffixes[0])
    return None


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


def _refuse_hidden_class(probs: NDArray[np.float64], chosen: list[str], fields: dict[str, NDArray[Any]]) -> None:
    """Refuse to guess whether a column of probabilities is a field or a class that no label names."""
    numeric = [
        name
        for name, column in fields.items()
        if column.dtype.kind in "if" and ((column >= 0) & (column <= 1 + ROW_SUM_TOLERANCE)).all()
    ]
    off = np.abs(probs.sum(axis=1) - 1) > ROW_SUM_TOLERANCE
    if numeric and off.any():
        i = int(np.argmax(off))
        raise RowError(
            "row ",
            i,
            f" of the columns that the labels name, {listed(chosen)}, sums to {probs[i].sum():.6g}; if classes "
            f"that no label names are among {listed(numeric)}, {WAY_OUT}",
        )
