"""Roles of the columns of a table: labels, weights, probabilities in one of their forms, and fields."""

from __future__ import annotations

import ast
import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.validation import RowError
from ...foundation.written import chosen_percent, counted
from ..safeguards import TEXT_SIZE, charge, json_value, refuse_repeated
from ..top_classes import WRONG_RIGHT
from .array_roles import refuse_contradiction
from .choices import NO_WEIGHT, Account, Arguments, OneModel, ReadingOptions, SeveralModels, Unclear
from .classes import Labels, binary_labels, class_labels, class_numbers, no_first, pair_of
from .counts import count_arguments
from .dates import dated
from .follow_up import FollowUp
from .joining import with_truth
from .known_names import (
    LOGIT,
    LOGIT_PREFIXES,
    OPTION_LISTS,
    PREFIXES,
    SCORES,
    chosen_column,
    known_columns,
    plain,
    says_confidence,
    says_right,
    weight_column,
)
from .missing_rows import Rows, keep_known, keep_labelled
from .option_lists import PROBS, are_scores, option_arguments, scores_by_name
from .recognition.class_names import class_of, class_parts
from .recognition.content import MANY, MOST_CLASSES, is_unit
from .recognition.melted import melted
from .recognition.no_scores import OF_CLASSES, refuse_regression
from .recognition.one_hot import one_hot_truth
from .recognition.other_columns import field_columns, refuse_times
from .recognition.pairs import with_partner
from .recognition.predicted_classes import (
    below_chance,
    classes_by_prediction,
    column_of_predictions,
    named_predictions,
    predicted_labels,
    refuse_no_predictions,
    rightness,
)
from .recognition.repeated_rows import refuse_models
from .recognition.score_columns import Scores, find_scores, refuse_hidden_class
from .recognition.scores import WORD, are_logarithms, families_of, score_level
from .recognition.truth import is_graded, label_column
from .recognition.winners import winner_truth
from .rows_of_no_samples import (
    means_below,
    refuse_descriptions,
    refuse_names_once_more,
    refuse_summaries,
    refuse_total,
    without_rows,
)
from .tables import (
    MISSING,
    NUMBERS_IN_BRACKETS,
    SEVERAL,
    ColumnTable,
    FirstRows,
    as_written,
    first_missing,
    incomplete,
    letters,
)

MOST_SPELLED = 3  # fractions in few rows, which may be classes that are called so, or slips
LONGEST_RECORD = 10_000  # letters of a text that may hold a dict of probabilities


def table_arguments(table: ColumnTable, choices: ReadingOptions, account: Account) -> Arguments:
    """The arguments of `Predictions` in a table, as `calibviz.read_predictions` describes; texts of dates as dates."""
    refuse_repeated(table.columns, "columns")
    table.decimal = choices.decimal or table.decimal
    if choices.as_table:
        return {"table": table, "fields": {}}
    table, choices = _with_a_row_each(table, choices, account)
    if choices.truth is not None:
        table, choices = with_truth(table, choices, account)
    if choices.model is not None:
        _keep_model(table, choices, account)
        table, choices = _with_a_row_each(table, choices, account)
    follow_up = FollowUp.asked(table.columns, choices, account)
    arguments = None
    if follow_up is None:
        arguments = count_arguments(table, choices, account) or _of_lists(table, choices, account)
    return dated(arguments or _Roles(table, choices, account, follow_up).arguments(), account)


class _Roles:
    """The roles of the columns of a table with one row for each sample, settled one after the other."""

    labels: Labels
    scores: Scores
    values: NDArray[np.float64]

    def __init__(self, table: ColumnTable, choices: ReadingOptions, account: Account, follow_up: FollowUp | None):
        self.table, self.choices, self.account, self.follow_up = table, choices, account, follow_up
        self.first = FirstRows(table)
        refuse_descriptions(table.columns, self.first)
        self._settle_labels()
        self._settle_scores()
        self._refuse_other_rows()
        self._settle_predicted()

    def arguments(self) -> Arguments:
        """The arguments of `Predictions`, fields as they are stored."""
        scores = self.scores
        fields = field_columns(self.free, (self.labels, scores.columns), self.choices, self.account, self.first)
        arguments: Arguments = {
            "fields": self.table.fields(fields),
            "notes": self.table.notes(self.account.notes if self.choices.can_drop else ()),
            "logits" if scores.are_logits else "probs": self.values[:, 0] if self.is_one else self.values,
        }
        if scores.may_hide:
            refuse_hidden_class(self.values, scores.columns, self.table.fields(self.free))
        arguments |= self._truth()
        if self.follow_up is not None:
            arguments["follow_up"] = self.follow_up.arguments(self.table, self.choices)
        if self.weight is not None:
            arguments["weights"] = _weights(self.table, self.weight)
        return arguments

    @property
    def is_one(self) -> bool:
        """Whether a single column holds the scores."""
        return self.values.shape[1] == 1

    @property
    def is_of_no_class(self) -> bool:
        """Whether a single column holds the scores, and no option says which class they are of."""
        return self.is_one and self.follow_up is None and not (self.choices.positive or self.choices.classes)

    @property
    def tells_right(self) -> bool:
        """Whether the labels say if an answer was right."""
        return says_right(self.labels.name) or (says_confidence(self.scores.columns[0]) and is_graded(self.labels))

    def _keep(self, known: Rows) -> None:
        """Keep the rows that the table has kept."""
        self.values, self.labels, self.first = self.values[known], self.labels.only(known), self.first.of_kept()

    def _settle_labels(self) -> None:
        """Take the columns of labels and of weights, and leave out the rows that have no label."""
        if self.table.columns and not len(self.table.column(self.table.columns[0])):
            raise ValueError("the file has columns but no rows")
        label = self._truth_column([name for name in self.table.columns if name != self.choices.weight])
        table, account = self.table, self.account
        self.weight = weight_column(table.columns, self.choices, account)
        account.take("weight", self.weight)
        labels = table.labels(label) if self.follow_up is None else self.follow_up.labels(table, self.choices, account)
        self.others = [name for name in table.columns if name not in (label, self.weight, *account.named("time"))]
        labels = _without_missing(labels, self.others, self.choices, self.first)
        refuse_names_once_more(labels, self.others, self.first)
        if self.choices.ignore is None:
            refuse_total(labels)
        refuse_regression([label], self.others, self.choices, self.first)
        _refuse_numbers(labels)
        labels = keep_labelled(labels, self.choices, account, table.keep)
        self.first = self.first.of_kept()
        self.labels = _as_columns_spell(labels, self.others, self.choices, account)

    def _truth_column(self, columns: list[str]) -> str:
        """The column of labels, which a table may get from those that say 1 for the class of each row."""
        if self.follow_up is not None:
            return self.follow_up.event
        self.choices = with_partner(columns, self.choices, self.first)
        of_classes = one_hot_truth(columns, self.choices, self.first) or winner_truth(columns, self.choices, self.first)
        if of_classes is None:
            label = label_column(columns, self.choices, self.account, self.table.has_names, self.first)
            self.account.take("label", label)
            listed_numbers = NUMBERS_IN_BRACKETS.fullmatch(str(next(iter(self.table.beginning(label, 1)), "")))
            if listed_numbers is not None and listed_numbers[1] is not None:
                self.account.say(f"the class of a row is the place of the 1 in {label!r}")
            return label
        self.table, label = of_classes.joined(self.table)
        self.first = FirstRows(self.table)
        self.account.take("label", *of_classes.columns)
        self.account.say(of_classes.said)
        return label

    def _settle_scores(self) -> None:
        """Take the columns of probabilities or logits, and leave out the rows that lack one."""
        table, labels, account = self.table, self.labels, self.account
        named = self.choices.positive if self.follow_up is None and self.choices.positive in self.others else None
        #: The column of predicted classes that the option `positive` names, unless a class is called like it.
        self.chosen = None if named in labels.present else named
        if self.chosen is not None:
            refuse_no_predictions(table, self.chosen, labels)
        self.named = self.chosen or named_predictions(table, self.others, labels)
        free = [name for name in self.others if name != self.named]
        self.scores = scores = find_scores(free, labels, self.choices, account, self.first)
        word = "logit" if scores.are_logits else "probability"
        account.take(word, *scores.columns)
        values = table.values(scores.columns) if scores.are_logits else _probabilities(table, scores.columns, account)

        def lacking(row: int, said: str) -> RowError:
            return RowError("row ", row, f" of column {first_missing(values[row], scores.columns)!r} {said}")

        self.values = values
        self._keep(keep_known(~incomplete(values), word, lacking, self.choices, account, table.keep))
        if not self.is_one:
            self.choices = self._with_stored_order()
        if len(scores.columns) < self.values.shape[1] and scores.names is None and self.choices.classes is None:
            self._name_classes()
        account.has_percent_signs = any(table.has_percent_signs(name) for name in scores.columns)
        if account.has_percent_signs:
            account.say("probabilities in per cent")
        self.free = [name for name in self.others if name not in scores.columns]

    def _with_stored_order(self) -> ReadingOptions:
        """The options with the classes in the order that the source keeps, where nothing else tells it."""
        choices, scores, stored = self.choices, self.scores, self.table.class_names.get(self.labels.name, ())
        is_known = scores.names is not None or scores.positive or choices.classes or choices.positive
        if is_known or len(stored) != max(2, self.values.shape[1]):
            return choices
        self.account.say(f"classes of {self.labels.name!r} in the order of the file's metadata")
        return choices.changed(classes=stored)

    def _name_classes(self) -> None:
        """Name the classes of lists of probabilities as predicted classes name the largest of them."""
        [column] = self.scores.columns
        said = None if self.named is None else predicted_labels(self.table, self.named, self.labels)
        names = classes_by_prediction(said, self.labels, column, self.values)
        if names is not None:
            self.account.say(f"classes of {column!r} as {self.named!r} names the largest")
            if no_first(names) != names:
                names, self.values = names[::-1], self.values[:, ::-1]
            self.scores = replace(self.scores, names=names)

    def _refuse_other_rows(self) -> None:
        """Refuse rows that are sums of others, of several models, or that end before what they tell of."""
        refuse_summaries(self.free, self.labels, self.first)
        refuse_models(self.free, self.labels, self.choices, self.first, self.scores.columns)
        if self.follow_up is None:
            refuse_times(self.free, self.labels, self.choices, self.account, self.first)

    def _settle_predicted(self) -> None:
        """Take the column of predicted classes, and whether each is right where the scores are confidences in them."""
        if self.named is not None and self.choices.label is None:
            self._refuse_errors_alone(self.named)
        column, score, self.right = self.scores.columns[0], self.values[:, 0], None
        tells_right, predicted = self.tells_right, self.chosen
        if self.is_of_no_class and self.scores == Scores(self.scores.columns) and not tells_right:
            predicted = column_of_predictions(self.table, self.free, self.labels, column, score)
        if self.chosen is not None and (self.scores.are_logits or not self.is_one):
            raise ValueError(
                f"positive={self.chosen!r} names a column of predicted classes, beside one of confidences in these"
            )
        if predicted is not None and self.chosen is None and below_chance(column, score, predicted, self.labels):
            self.choices, predicted = replace(self.choices, positive=_class_of_one(column, self.labels)), None
        if predicted is not None:
            known, self.right = _right_answers(self.table, self.labels, (predicted, column), self.choices, self.account)
            self._keep(known)
            return
        is_named = self.choices.prob is not None or self.choices.logits is not None
        if not (is_named or tells_right) and self.is_one and is_unit(score):
            for name in known_columns(self.free, LOGIT):  # logits are of a class
                if self.first.number(name) is not None:
                    refuse_contradiction(score, self.table.values([name])[:, 0], column, name)
        if self.named in self.free:
            self.account.take("predicted class", self.named)

    def _refuse_errors_alone(self, said: str) -> None:
        """Ask about many rows in none of which the predicted class is the truth."""
        for rows in self.first.and_all():
            classes = predicted_labels(rows, said, self.labels)
            n = len(classes.codes)
            if n < MANY or rightness(self.labels.only(slice(n)), classes).any():
                return
        way = {"label": self.labels.name}
        raise Unclear(f"no class in {said!r} is that in {self.labels.name!r}: the rows may be errors alone", way)

    def _truth(self) -> Arguments:
        """The labels and the names of their classes, or whether each prediction is right."""
        of_confidence = {"class_names": list(WRONG_RIGHT), "of_confidence": True}
        if self.right is not None:
            return {"labels": self.right} | of_confidence
        choices = self._with_stored_order()
        arguments = _labels_of(self.labels, self.scores, self.values.shape[1], choices, self.account)
        pair, present = pair_of(self.labels.present), set(self.labels.present)
        if self.is_of_no_class and self.tells_right and (pair is not None or present <= {"0", "0.5", "1"}):
            arguments |= of_confidence
            self.account.answers = list(pair or ())
        return arguments


def _with_a_row_each(
    table: ColumnTable, choices: ReadingOptions, account: Account
) -> tuple[ColumnTable, ReadingOptions]:
    """A table in which each sample has one row, and the options that read it; most tables are that already."""
    long = melted(table, choices, FirstRows(table))
    return (table, choices) if long is None else long.widened(table, choices, account)


def _probabilities(table: ColumnTable, columns: list[str], account: Account) -> NDArray[np.float64]:
    """The numbers of columns of probabilities, of which a single one may hold their logarithms."""
    values = table.values(columns)
    if values.shape[1] == 1 and are_logarithms(columns[0], values[:, 0]):
        account.say(f"probabilities are exp of the log-probabilities in {columns[0]!r}")
        return np.exp(values)
    return values


def _class_of_one(name: str, labels: Labels) -> str:
    """The class of several in the name of a single column of probabilities."""
    if (named := class_of(name, (), labels.present)) is not None:
        return named
    several = len(labels.present)
    raise Unclear(
        f"{name!r} is often below {chosen_percent(1 / several, 2)}, as the confidence in the likeliest of {several} "
        "classes never is",
        *({"positive": value} for value in labels.present),
        otherwise="; if it says how sure somebody is, call it 'confidence'",
        by_means=True,
    )


def _right_answers(
    table: ColumnTable, labels: Labels, columns: tuple[str, str], choices: ReadingOptions, account: Account
) -> tuple[Rows, NDArray[np.intp]]:
    """The rows in which a class is predicted, and whether it is right; `columns` are its own and that of confidence."""
    predicted, confidence = columns
    classes = predicted_labels(table, predicted, labels)
    known = keep_known(classes.codes >= 0, "predicted class", classes.error, choices, account, table.keep)
    labels, classes = labels.only(known), classes.only(known)
    account.roles = {name: role for name, role in account.roles.items() if role != "predicted class"}
    account.take("predicted class", predicted)
    account.take("confidence", confidence)
    strangers = [value for value in classes.present if value not in labels.present]
    if 0 < 2 * len(strangers) < len(classes.present):  # else these are classes that are never the truth
        many = int(np.isin(classes.codes, [classes.values.index(value) for value in strangers]).sum())
        said = counted(many, "prediction names no class and counts", "predictions name no class and count")
        account.say(f"{said} as wrong")
    return known, rightness(labels, classes)


def _of_lists(table: ColumnTable, choices: ReadingOptions, account: Account) -> Arguments | None:
    """The arguments where each row lists its own options beside their probabilities; None where none does."""
    if not any(_lists_options(name, table.beginning(name, 100)) for name in table.columns):
        return None
    columns = {}
    for name in table.columns:
        column = np.asarray(table.column(name))
        charge(len(column) * TEXT_SIZE + sum(letters(value) for value in column if isinstance(value, SEVERAL)))
        columns[name] = [_written(value) for value in column.tolist()]
    records = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return option_arguments(records, list(columns), choices, account)


def _lists_options(name: str, column: Any) -> bool:
    """Whether a column holds lists of texts, or gives a number to each of some names."""
    if getattr(getattr(column, "dtype", None), "kind", "") != "O":
        return False
    held = next((value for value in column if value is not None), None)
    first = _written(held) if isinstance(held, str) else held
    is_known = first is held or score_level(name) >= WORD or plain(name) in OPTION_LISTS
    if isinstance(first, dict):
        of_numbers = bool(first) and all(isinstance(value, int | float) for value in first.values())
        differ = is_known or len(set(map(str, column))) > 1  # what is constant may be the settings of a model
        return of_numbers and differ and (is_known or are_scores([first], name))
    return is_known and isinstance(first, list | tuple | np.ndarray) and len(first) > 0 and isinstance(first[0], str)


def _written(value: Any) -> Any:
    """The dict in a text such as "{'cat': 0.7}" or "[{'label': 'cat', 'score': 0.7}]", or the list in "['cat', 'dog']".

    Of anything else what `_plain_list` makes of it.
    """
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")) and len(value) <= LONGEST_RECORD:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            text = as_written(value)
            try:
                found = json_value(text)
            except json.JSONDecodeError:
                found = ast.literal_eval(text)
            if isinstance(found, dict):  # {"class": "cat", "probability": {"cat": 0.7, "dog": 0.3}}
                inner = [held for key, held in found.items() if isinstance(held, dict) and plain(key) in PROBS]
                return inner[0] if len(inner) == 1 else found
            return scores_by_name(found) or found if isinstance(found, list) else value
    return _plain_list(value)


def _plain_list(value: Any) -> Any:
    """A list of plain objects of Python in place of an array, or of a list of numbers of NumPy."""
    if isinstance(value, list | tuple):
        return [entry.item() if isinstance(entry, np.generic) else entry for entry in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def _soft(labels: Labels, account: Account) -> NDArray[np.float64] | None:
    """Shares of two classes, where labels are fractions in [0, 1]; a tie is half an event."""
    try:
        values = np.array([float(value) for value in labels.values])
    except ValueError:
        return None
    shares = values[labels.codes]
    fractions = int(((shares > 0) & (shares < 1)).sum())
    if not fractions or shares.min() < 0 or shares.max() > 1:
        return None
    ties = int((shares == 0.5).sum())
    if ties < fractions and (why := means_below(shares)) is not None:
        raise Unclear(labels.error(len(shares) - fractions, why), without_rows(shares[-fractions:]))
    which = "tie of 0.5" if ties == fractions else f"fraction of {labels.name!r}"
    many = "ties of 0.5" if ties == fractions else f"fractions of {labels.name!r}"
    account.say(f"{counted(fractions, which, many)} {'is a soft label' if fractions == 1 else 'are soft labels'}")
    return np.column_stack([1 - shares, shares])


def _keep_model(table: ColumnTable, choices: ReadingOptions, account: Account) -> None:
    """Leave only the rows of one model in a table of several."""
    one = choices.model if isinstance(choices.model, OneModel) else None
    of = one.of if one is not None else choices.model
    if isinstance(of, tuple):
        _keep_column(table, [chosen_column(name, table.columns, "model") for name in of], choices, account)
        return
    name = chosen_column(str(of), table.columns, "model")
    held = table.labels(name)
    if one is None:
        raise SeveralModels(name, held.present)
    rows = np.flatnonzero(held.codes == held.values.index(one.name))
    account.kept = rows if account.kept is None else account.kept[rows]
    table.keep(account.kept)
    table.columns = [column for column in table.columns if column != name]


def _keep_column(table: ColumnTable, columns: list[str], choices: ReadingOptions, account: Account) -> None:
    """Leave only the probabilities of one model where each has a column; rows that lack one are left out of all."""
    if choices.missing == "drop" and (lacking := incomplete(table.values(columns))).any():
        table.keep(account.leave_out(lacking, "without the probability of every model"))
    own = chosen_column(str(choices.prob), columns, "prob")
    table.columns = [name for name in table.columns if name == own or name not in columns]


def _weights(table: ColumnTable, name: str) -> NDArray[np.float64]:
    """The weights of the samples in a column; a column of this name may have been meant as a field."""
    other = "where it holds something else, weight='' makes it a field, and weight='...' names another column"
    as_field = {"weight": NO_WEIGHT}
    try:
        weights = table.values([name])[:, 0]
    except RowError as error:
        raise Unclear(RowError(error.before, error.row, f"{error.after}: {other}"), as_field) from None
    for refused, wrong in ((np.isinf(weights), "infinite"), (weights < 0, "negative"), (np.isnan(weights), "")):
        if refused.any():
            row = int(np.argmax(refused))
            held = f"{weights[row]:g}, and a weight cannot be {wrong}" if wrong else "missing"
            raise Unclear(RowError("row ", row, f" of column {name!r}, the weights, is {held}: {other}"), as_field)
    if not weights.any():
        raise Unclear(f"the column {name!r} holds weights that are all 0: {other}", as_field)
    return weights


def _refuse_numbers(labels: Labels) -> None:
    """Refuse labels that are measurements rather than classes."""
    few = min(MOST_CLASSES, max(MOST_SPELLED, len(labels.codes) // 2))
    if len(labels.present) <= few or len(labels.present) < len(labels.codes) // 3:
        return
    try:
        values = np.array([float(value) for value in labels.present])
    except ValueError:
        return
    if (values != np.floor(values)).any() and (values.min() < 0 or values.max() > 1):
        raise ValueError(
            f"{labels.name!r} has {len(values):,} different numbers: no classes, as in a regression; {OF_CLASSES}"
        )


def _without_missing(labels: Labels, columns: list[str], choices: ReadingOptions, first: FirstRows) -> Labels:
    """The labels without those that say that one is missing, where no class is called so."""
    unknown = {value for value in labels.values if value in MISSING} - set(choices.classes or ()) - set(columns)
    unknown -= {name.removeprefix(prefix) for name in columns for prefix in (*PREFIXES, *LOGIT_PREFIXES)}
    for family in families_of(columns, first, labels.present) if unknown else ():
        unknown -= set(class_parts(family, labels.present) or ())
    left = [value for value in labels.present if value not in unknown]
    named = [value for value in labels.present if value in unknown and value]
    if len(named) == len(left) == 1 and choices.can_drop and choices.missing != "drop":
        said = f"is {named[0]!r}: it says that the label is missing, or is the other class beside {left[0]!r}"
        raise Unclear(labels.error(labels.first(named[0]), said), {"classes": [*named, *left]}, {"missing": "drop"})
    return labels.without(sorted(unknown))


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
    if width == 1:
        if (soft := _soft(labels, account)) is not None:
            flip = "0" in (choices.positive, scores.positive)
            return {"labels": soft[:, ::-1] if flip else soft} | ({"class_names": ["1", "0"]} if flip else {})
        if scores.positive is not None and choices.positive is None:
            others = [value for value in labels.present if value != scores.positive]
            return class_labels(labels, [*others, scores.positive], account)
        return binary_labels(labels, choices, account)
    names = scores.names or choices.classes
    if width == 2 and names is None and (soft := _soft(labels, account)) is not None:
        return {"labels": soft}
    if names is not None:
        if len(names) != width:
            raise ValueError(f"classes names {len(names)} classes, but there are probabilities of {width}")
        return class_labels(labels, names, account)
    return {"labels": class_numbers(labels, account, width)}
