"""Doubts that the numbers of predictions raise about their reading: refused, or noted where options ask for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....foundation.validation import listed
from ..choices import Account, ReadingOptions, Unclear
from ..known_names import MAY_BE_SAID, is_prediction, plain, says_confidence
from .content import (
    EVEN,
    FIRST,
    MANY,
    MOST_CLASSES,
    Floats,
    equal,
    is_likeliest,
    is_sorted,
    only,
    runs_backwards,
    splits,
)
from .truth import OWN_ANSWERS

Way = dict[str, Any]  # options that name columns


def refuse_doubts(predictions: Any, is_single: bool, choices: ReadingOptions, account: Account) -> None:
    """Refuse a reading that was guessed and that the numbers speak against; one that was asked for is read, and said.

    Such are a single column of decisions, labels that are all what the model predicts, scores that run backwards, and
    rows that are sorted by their numbers rather than by classes. With `is_single` one column holds the probabilities.
    """
    scores = account.named("probability", "logit", "confidence")
    label = "".join(account.named("label")[:1])
    given = {"prob" if predictions.logits is None else "logits": scores[0] if len(scores) == 1 else scores}
    way = ({"label": label} if label else {}) | given  # outcomes at a horizon have no label
    named = choices.prob is not None or choices.logits is not None
    if predictions.logits is None and len(predictions):
        _refuse_decisions(predictions, is_single, scores, named, account)
    is_one_of_two = is_single and predictions.logits is None  # nobody says how sure he is in log-odds
    if predictions.labels is None or len(predictions) < MANY:
        is_truth = predictions.labels is not None and not predictions.of_confidence
        if is_one_of_two and is_truth and any(map(says_confidence, scores)):
            _refuse_confidences(predictions, way, scores, choices, account)
        return
    if predictions.of_confidence:
        _refuse_backwards(predictions, is_single, way, scores, choices, account)
        return
    labels, probs = predictions.labels, predictions.probs
    are_said = splits(labels == 1, probs[:, 1]) if is_single else is_likeliest(labels, probs)
    if are_said:
        which = "lies on one side of a threshold of the score" if is_single else "is the likeliest class"
        if not choices.names_truth:
            ways = [*_others(predictions, label, account), *([label] if label else [])]
            raise Unclear(f"every label of {label!r} {which}: {OWN_ANSWERS}", *({"label": name} for name in ways))
        account.doubts.append(f"every label {which}: is {label!r} the prediction?")
    if is_one_of_two:
        _refuse_confidences(predictions, way, scores, choices, account)
        if _are_both_sides(probs[:, 1], labels):
            account.doubts.append(
                "every second row is the one above from the other side: half of the rows are independent"
            )
    if predictions.n_classes == 2:
        _refuse_backwards(predictions, is_single, way, scores, choices, account)
    elif predictions.n_classes <= MOST_CLASSES:
        _refuse_other_order(predictions, way, scores, choices, account)


def _refuse_decisions(predictions: Any, is_single: bool, scores: list[str], named: bool, account: Account) -> None:
    """Refuse columns of 0 and 1 as probabilities unless an option names them."""
    is_few = len(predictions) < MANY
    if is_few and not (is_single and len(scores) == 1 and may_hold_decisions(scores[0])):
        return
    if not only(predictions.probs[:FIRST].ravel(), 0, 1) or not only(predictions.probs.ravel(), 0, 1):
        return
    names = scores[0] if len(scores) == 1 else scores
    which = f"the column {names!r} holds" if len(scores) == 1 else f"the columns {listed(scores)} hold"
    if not named:
        raise Unclear(
            f"{which} only 0 and 1, which are decisions, not probabilities",
            otherwise=f"; prob={names!r} reads {'it' if len(scores) == 1 else 'them'} all the same",
        )
    account.say(f"{which.removeprefix('the column ')} only 0 and 1, decisions rather than probabilities")


def may_hold_decisions(name: str) -> bool:
    """Whether a column of this name may hold decisions as well as probabilities, so that a few rows show it."""
    return is_prediction(name) or name.casefold() in ("score", "confidence")


def _others(predictions: Any, label: str, account: Account) -> list[str]:
    """Other columns that may hold the truth: by their names, or as they hold the same classes."""
    classes = {name.casefold() for name in predictions.class_names}
    by_content = []
    for name, column in predictions.fields.items():
        if is_prediction(name) or column.dtype.kind not in "OUbiu":
            continue
        if len(set(column[:1000].tolist())) <= MOST_CLASSES:
            held = {str(value).casefold() for value in np.unique(column)}
            by_content += [name] if len(held) > 1 and held <= classes else []
    return [name for name in dict.fromkeys([*account.rivals, *by_content]) if name != label]


def _refuse_backwards(
    predictions: Any, is_single: bool, way: Way, scores: list[str], choices: ReadingOptions, account: Account
) -> None:
    """Refuse scores of which higher ones go with fewer events, beyond noise, unless options name all."""
    if not runs_backwards(predictions.probs[:, 1], predictions.labels == 1):
        return
    no, yes = predictions.class_names
    which = repr(scores[-1] if scores else "prob")
    said = f"higher {which} goes with fewer {yes}: it may be the probability of the other class"
    if predictions.of_confidence:
        said = f"higher {which} goes with fewer right answers: it may say how unsure they are"
    is_asked = choices.names_truth and (choices.prob is not None or choices.logits is not None)
    is_of_class = is_single and not predictions.of_confidence
    if is_asked and (not is_of_class or choices.positive is not None or choices.classes is not None):
        account.doubts.append(said)
        return
    if predictions.of_confidence:  # that an answer is wrong is a class of its own, unless a prediction tells it
        raise Unclear(said, *(way | {"positive": value} for value in account.answers[:1]), way)
    turned = {"classes": [yes, no]} if len(scores) == 1 else {}
    raise Unclear(said, *([way | {"positive": value} for value in (no, yes)] if is_single else [way | turned, way]))


def _refuse_other_order(
    predictions: Any, way: Way, scores: list[str], choices: ReadingOptions, account: Account
) -> None:
    """Refuse probabilities of several classes that seem to stand in another order than the classes, unless named."""
    labels, probs, names = predictions.labels, predictions.probs, list(predictions.class_names)
    backwards = next((k for k in range(len(names)) if runs_backwards(probs[:, k], labels == k, len(names))), None)
    if backwards is not None:
        name = names[backwards]
        said = f"higher P({name}) goes with fewer {name}: the classes may stand in another order"
    elif is_sorted(probs) and _is_off(probs[:, 0], labels == 0):
        said = "the largest number comes first in each row: these may be of the likeliest classes, which differ by row"
    else:
        return
    if choices.names_truth and (choices.prob is not None or choices.logits is not None):
        account.doubts.append(said)
        return
    best: list[str] = []
    if backwards is not None and len(scores) == 1:  # no names of columns tell the classes
        means = np.array(
            [probs[labels == k].mean(axis=0) if (labels == k).any() else 0 * probs[0] for k in range(len(names))]
        )
        best = [names[k] for k in means.argmax(axis=0)]
    raise Unclear(said, *([way | {"classes": best}] if len(set(best)) == len(names) else []), way)


def _is_off(score: Floats, is_event: Any) -> bool:
    """Whether the mean of probabilities is farther from the share of their event than noise would have it."""
    return abs(float(np.mean(score - is_event))) > 3 * float(np.sqrt(np.mean(score * (1 - score)) / len(score)))


def _refuse_confidences(
    predictions: Any, way: Way, scores: list[str], choices: ReadingOptions, account: Account
) -> None:
    """Refuse scores of two classes that are never below 1/2: they may be the confidence in what a column says."""
    score = predictions.probs[:, 1]
    if score[:FIRST].min() < EVEN or score.min() < EVEN or score.max() == EVEN or not scores:
        return
    if choices.positive is not None or choices.classes is not None or len(np.unique(predictions.labels)) < 2:
        return
    no, yes = predictions.class_names
    may_be = f"it may be the confidence in a predicted class, not the probability of {yes}"
    others: list[Way] = [{"label": name} for name in _others(predictions, way.get("label", ""), account)]
    of = [*account.named("predicted class")[:1], yes, no]  # of no where 1 says that an answer is wrong
    ways = [way | {"positive": value} for value in of]
    if not others and plain(way.get("label", "")) in MAY_BE_SAID:
        may_be += f"; where {way['label']!r} holds that class, truth=FILE names another file with what was true"
    raise Unclear(f"{scores[0]!r} is never below 1/2: {may_be}", *others, *ways, by_means=not others)


def _are_both_sides(score: Floats, labels: Any) -> bool:
    """Whether rows come in pairs of a probability and its complement, as of the two teams of each game."""
    one, other = score[::2], score[1::2]
    is_even = len(one) == len(other) and bool((labels[::2] != labels[1::2]).all())
    return is_even and not only(score, 0.5) and equal(one, 1 - other)


def arrays_of(arguments: dict[str, Any]) -> bool:
    """Whether the arguments of `Predictions` hold a single column of scores."""
    return np.ndim(arguments["probs"] if "probs" in arguments else arguments["logits"]) == 1
