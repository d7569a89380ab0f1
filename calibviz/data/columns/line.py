"""The line that says what was taken from a source, with the numbers by which a wrong reading is seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundation.written import of_hundred, whole_percent
from .choices import Account
from .classes import pair_of
from .known_names import says_right

NOT_USED = "not used"  # the role of a column that is not even a field
MOST_CLASSES = 5  # that are named


def what_was_taken(predictions: Any, account: Account) -> list[str]:
    """Return what stands for what in a source, in parts of a line; `predictions` are those that were read."""
    scores, labels = account.named("probability", "logit", "confidence"), account.named("label")
    predicted = account.named("predicted class")
    parts = [f"{_of_scores(predictions, scores, predicted, account)}: {in_short(predictions)}"]
    are_answers = pair_of(predictions.class_names) is not None
    if len(scores) == 2 and not predictions.of_confidence and not are_answers:
        parts.append(f"P({predictions.class_names[0]}) from {scores[0]!r}: {in_short(predictions, 0)}")
    if labels:
        is_right = predictions.of_confidence and (says_right(labels[0]) or bool(account.answers))
        parts.append(f"{'right' if is_right else 'truth'}{_in(labels)}")
    parts += [f"{role} from {name!r}" for role in ("time", "event") for name in account.named(role)]
    if not predictions.of_confidence and len(scores) == 2 and are_answers:
        parts.append(f"P({predictions.class_names[0]}) is {scores[0]!r}")
    parts += [f"predicted class from {name!r}" for name in predicted if not predictions.of_confidence]
    parts += [f"classes from {name!r}" for name in account.named("names of the options")]
    if predictions.cluster is not None and predictions.cluster_codes is None:
        parts.append(f"each row has a {predictions.cluster!r} of its own")
    elif predictions.cluster is not None:
        parts.append(f"rows that share {predictions.cluster!r} are taken together ({predictions.n_clusters:,} of them)")
    return parts


def roles_in_words(predictions: Any, account: Account) -> dict[str, str]:
    """Return what each column was taken for; one of probabilities names its class, if it is that of one alone."""
    scores, names = account.named("probability", "logit"), predictions.class_names
    roles = dict.fromkeys(account.left, NOT_USED) | account.roles
    if account.is_of_one_class:
        names = names[1:]
    if predictions.of_confidence or len(scores) != len(names):
        return roles
    word = "logit of {}" if account.named("logit") else "P({})"
    return roles | {column: word.format(name) for column, name in zip(scores, names, strict=True)}


def _of_scores(predictions: Any, scores: list[str], predicted: list[str], account: Account) -> str:
    """The part of the line that says which probabilities stand where."""
    names = predictions.class_names
    if predictions.of_confidence:
        return f"confidence{_in(scores)}{f' in the class of {predicted[0]!r}' if predicted else ''}"
    if predictions.n_classes == 2:
        return f"P({names[1]}){_in(scores[-1:])}{' turned to 1 - P' if account.are_turned else ''}"
    if len(names) > MOST_CLASSES:
        which = f"probabilities of {len(names):,} classes"
        return which + _in(scores if len(scores) < 2 else [scores[0], scores[1], "...", scores[-1]])
    return ", ".join(f"P({name})" for name in names) + _in(scores)


def _in(columns: list[str]) -> str:
    return f" from {', '.join(name if name == '...' else repr(name) for name in columns)}" if columns else ""


def in_short(predictions: Any, of: int = 1) -> str:
    """Return in some words what is predicted and observed: of one class of two, or of the likeliest of more."""
    words = ("mean", "observed") if _is_of_one_class(predictions) else ("mean confidence", "right")
    mean, share = predicted_and_observed(predictions, of)
    return f"{words[0]} {whole_percent(mean)}, {words[1]} {whole_percent(share)}"


def _is_of_one_class(predictions: Any) -> bool:
    return predictions.n_classes == 2 and not predictions.of_confidence


def predicted_and_observed_of_each(predictions: Any, of: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what is predicted and observed of each row: of one class of two, or of the likeliest of more."""
    if predictions.n_classes > 2:
        return predictions.confidence, predictions.top_target
    soft = predictions.soft_labels
    return predictions.probs[:, of], predictions.labels == of if soft is None else soft[:, of]


def order_in_words(predictions: Any) -> str:
    """Return what the higher numbers go with, in how many of 100 pairs of an event and a sample without it.

    That is the area under the ROC curve, where equal numbers count half; empty where all are events, or none is.
    """
    score, target = predicted_and_observed_of_each(predictions)
    weight = np.ones(len(score)) if predictions.weights is None else predictions.weights
    _, place = np.unique(score, return_inverse=True)
    events, others = (np.bincount(place, weight * share) for share in (target, 1 - np.asarray(target, np.float64)))
    if not (pairs := events.sum() * others.sum()) > 0:
        return ""
    below = np.cumsum(others) - others / 2
    event = predictions.class_names[1] if _is_of_one_class(predictions) else "right"
    return f"higher numbers go with {event} in {of_hundred(float(events @ below / pairs))[0]} of 100 pairs"


def predicted_and_observed(predictions: Any, of: int = 1) -> tuple[float, float]:
    """Return the means of what is predicted and observed: of one class of two, or of the likeliest of more."""
    columns = predicted_and_observed_of_each(predictions, of)
    mean, share = (float(np.average(values, weights=predictions.weights)) for values in columns)
    return mean, share
