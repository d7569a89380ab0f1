"""A column of predicted classes beside one of the confidence in them: what it says is how often that is right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, permutations

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import listed
from ..choices import Unclear
from ..classes import Labels, pair_of
from ..known_names import (
    MAY_BE_SAID,
    PREDICTED,
    is_prediction,
    known_columns,
    plain,
    says_confidence,
    says_right,
    words,
)
from ..tables import SEVERAL, ColumnTable, are_all_texts
from .content import EVEN, MANY, tolerance
from .scores import WORD, score_level

SLIP = 1e-9  # of 1 minus a number
MOST_ORDERS = 6  # of classes that a question names
ROWS_OF_A_CLASS = 5
OFTEN = 0.05  # a share of the rows
NUMBERED = "LABEL_"  # before the number of a class without a name, in pipelines of transformers


def named_predictions(table: ColumnTable, columns: Sequence[str], labels: Labels) -> str | None:
    """The only column that is named as predicted classes and holds some, beside one that is named as scores."""
    name = _named(table, columns, labels)
    others = [column for column in columns if column != name]
    return name if any(score_level(column) >= WORD for column in others) else None


def column_of_predictions(
    table: ColumnTable, columns: Sequence[str], labels: Labels, scored: str, scores: NDArray[np.float64]
) -> str | None:
    """The column of the predicted classes, if the scores (n,), the column `scored`, are the confidence in these.

    With more than two classes a single score can be nothing else; the column is known by its name, or as the only text
    whose values are classes. With two, a class is predicted where its probability is above a threshold, whichever that
    is. Scores are the probability of a class if they are larger where it is predicted; they are confidences c if that
    is so with 1 - c in their place where the other class is predicted. Where both or neither is so, the name has to say
    confidence; else many rows are asked about, and few are read as the probability.
    """
    name = _named(table, columns, labels)
    if name is None and len(labels.present) > 2 and not _are_soft(labels):
        name = _of_classes(table, columns, labels, scored)
    if name is None:
        return None
    predicted = predicted_labels(table, name, labels)
    present = list(dict.fromkeys([*labels.present, *predicted.present]))
    if len(present) > 2:
        return name
    answers = pair_of(present)
    no, yes = answers or (*present, "")[:2]
    below, above = (scores[predicted.numbered({value: 1}) == 1] for value in (no, yes))
    full = 100 if scores.max() > 1 else 1
    if not (len(below) and len(above)):
        is_even, is_named = scores.min() >= EVEN * full, answers is None and says_confidence(scored)
        is_sure = len(below) > 0 and answers is not None and is_even
        return name if is_sure or (is_named and (is_even or len(scores) < MANY)) else None
    is_of_other = _is_below(above, below)
    is_of_class = scores.min() < scores.max() and (_is_below(below, above) or (answers is None and is_of_other))
    is_confidence = _is_below(full - below - SLIP, above)
    if is_of_class != is_confidence or says_confidence(scored):
        return name if is_confidence or not is_of_class else None
    is_none = not is_confidence and plain(name) in MAY_BE_SAID  # such as another truth, called `label`
    if len(scores) < MANY or is_none:
        return None
    ways = [{"prob": scored, "positive": value} for value in ([yes] if answers and not is_of_other else (no, yes))]
    raise Unclear(
        f"{scored!r} may be the probability of {' or '.join(way['positive'] for way in ways)}, or the confidence in "
        f"{name!r}: a threshold explains {name!r} {'in both' if is_confidence else 'in neither'}",
        *ways,
        {"prob": scored, "positive": name},
    )


def _of_classes(table: ColumnTable, columns: Sequence[str], labels: Labels, scored: str) -> str | None:
    """The only text whose values are classes, and often right ones; what the score is named after may be wrong."""
    free = [name for name in columns if not says_right(name)]
    texts = [name for name in free if np.asarray(table.column(name)).dtype.kind in "OU"]
    own = [name for name in columns if _is_of(scored, name)]
    held = {name: set(table.labels(name).present) for name in {*texts, *own} if not _holds_lists(table, name)}
    fitting = [name for name, values in held.items() if len(values) > 1 and values <= set(labels.present)]
    fitting = [name for name in fitting if name in own or _are_right(predicted_labels(table, name, labels), labels)]
    fitting = [name for name in fitting if name in own] or fitting
    return fitting[0] if len(fitting) == 1 else None


def below_chance(name: str, scores: NDArray[np.float64], predicted: str, labels: Labels) -> bool:
    """Whether scores are often too small for those of the likeliest of more than two classes, which reach 1 in K.

    Who is asked how sure they are may say less, as may the second of several predictions. Few rows show too few of the
    classes to know K.
    """
    classes = len(labels.present)
    if says_confidence(name) or _is_of(name, predicted) or not 2 < classes <= len(scores) // ROWS_OF_A_CLASS:
        return False
    chance = (100 if scores.max() > 1 else 1) / classes
    return bool((scores < chance - tolerance(scores)).mean() > OFTEN)


def predicted_labels(table: ColumnTable, name: str, labels: Labels) -> Labels:
    """The predicted classes of a column, spelled as the labels are: "True" may stand beside a label 1, "cat" "Cat"."""
    predicted = table.labels(name)
    there, there_too = labels.present, predicted.present
    if set(there_too) <= set(there):
        return predicted
    answers, said = pair_of(there), pair_of(there_too)
    if answers is not None and said is not None:
        return predicted.renamed(dict(zip(said, answers, strict=True)))
    numbered = {value: value.removeprefix(NUMBERED) for value in there_too if value.startswith(NUMBERED)}
    if len(numbered) == len(there_too) and all(value.isdecimal() for value in there):
        return predicted.renamed(numbered)
    folded = {value.casefold(): value for value in there}
    if len(folded) < len(there):
        return predicted
    return predicted.renamed({value: folded.get(value.casefold(), value) for value in there_too})


def rightness(labels: Labels, predicted: Labels) -> NDArray[np.intp]:
    """1 where the label is the predicted class, else 0, shape (n,)."""
    number = {value: k for k, value in enumerate(dict.fromkeys([*labels.values, *predicted.values]))}
    return (labels.numbered(number) == predicted.numbered(number)).astype(np.intp)


def _are_right(predicted: Labels, labels: Labels) -> bool:
    """Whether values are the labels more often than those of an unrelated column would be, beyond noise."""
    right = rightness(labels, predicted)
    shares = [{v: float((of.codes == k).mean()) for k, v in enumerate(of.values)} for of in (labels, predicted)]
    expected = sum(share * shares[1].get(value, 0.0) for value, share in shares[0].items())
    return bool(right.mean() - expected > 3 * np.sqrt(expected * (1 - expected) / len(right)))


def classes_by_prediction(
    predicted: Labels | None, labels: Labels, column: str, probs: NDArray[np.float64]
) -> list[str] | None:
    """The classes in the order of lists of probabilities: those that are predicted where each of them is the largest.

    None where labels number the classes, or are two answers, which have an order of their own; else it is asked for.
    """
    classes = probs.shape[1]
    if all(value.isdecimal() for value in labels.present):
        return None
    largest = np.argmax(probs, axis=1)
    if predicted is not None and len(largest) >= MANY and (predicted.codes >= 0).all():
        named = dict.fromkeys(zip(largest.tolist(), predicted.codes.tolist(), strict=True))
        if len(named) == classes == len({k for k, _ in named}) == len({code for _, code in named}):
            return [predicted.values[code] for _, code in sorted(named)]
    if classes == 2 or len(labels.present) != classes:
        return None
    orders = islice(permutations(sorted(labels.present)), MOST_ORDERS)
    said = f"nothing says which of the probabilities in {column!r} is of which of the classes {listed(labels.present)}"
    raise Unclear(said, *({"prob": column, "classes": list(order)} for order in orders))


def _named(table: ColumnTable, columns: Sequence[str], labels: Labels) -> str | None:
    """The only column that is named as predicted classes; most of its values are labels, or all are "no" and "yes".

    Without such a name, one that is called `label` or `answer` beside the truth is what the model predicts.
    """
    for names in (
        known_columns(columns, PREDICTED),
        [name for name in columns if is_prediction(name)],
        [name for name in columns if plain(name) in MAY_BE_SAID],
    ):
        fitting = [name for name in names if _fits(table, name, labels)]
        if len(fitting) == 1:
            return fitting[0]
    return None


def refuse_no_predictions(table: ColumnTable, name: str, labels: Labels) -> None:
    """Refuse a column that the option `positive` names for predicted classes where it holds others than the labels."""
    if not _fits(table, name, labels):
        raise ValueError(
            f"positive={name!r} names a column, but what it holds is none of the labels, which are "
            f"{listed(labels.present)}: it must hold the predicted class of each row"
        )


def _is_of(scored: str, predicted: str) -> bool:
    """Whether a score has the name of a prediction and more, as `top_1_prob` beside `top_1`."""
    return words(scored)[: len(words(predicted))] == words(predicted)


def _are_soft(labels: Labels) -> bool:
    """Whether labels are 0, 1 and what lies between, such as a tie of 0.5: no classes that a column could predict."""
    return {"0", "1"} <= set(labels.present) and any(re.fullmatch(r"0?\.\d+", value) for value in labels.present)


def _fits(table: ColumnTable, name: str, labels: Labels) -> bool:
    if _holds_lists(table, name):
        return False
    present, there = predicted_labels(table, name, labels).present, labels.present
    is_of_two = pair_of([*there, *present]) is not None
    is_of_fewer = is_prediction(name) and set(there) <= set(present)  # as in a file of one class
    return bool(present) and (2 * len(set(present) & set(there)) > len(present) or is_of_two or is_of_fewer)


def _is_below(some: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    return bool(len(some) and len(others) and some.max() <= others.min())


def _holds_lists(table: ColumnTable, name: str) -> bool:
    column = np.asarray(table.column(name))
    return column.dtype.kind == "O" and not are_all_texts(column) and any(isinstance(v, SEVERAL) for v in column)
