"""Several pairs of a probability and its outcome in each row, as `rain` and `rain_outcome`, or `p_cat` and `y_cat`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..choices import ReadingOptions, Unclear
from ..known_names import OUTCOME_WORDS, PREDICTED_WORDS, SCORE_WORDS, is_prediction, words
from ..tables import FirstRows
from .content import MANY, adds_up, only

PROBABLE = SCORE_WORDS | {"p", *PREDICTED_WORDS, "score", "scores", "forecast", "yhat", "logits", "softmax", "outputs"}
MOST_COLUMNS = 400
SEVERAL = "multi-label, as labels that do not exclude each other are called: each is a file of its own"


def with_partner(columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> ReadingOptions:
    """The options with the partner of the one column that they name; several pairs, none of them named, are asked."""
    if len(columns) > MOST_COLUMNS or choices.logits is not None or isinstance(choices.prob, tuple):
        return choices
    pairs = pairs_of(columns, first)
    if len(pairs) < 2 or (choices.label is not None and choices.prob is not None):
        return choices
    if choices.label is None and choices.prob is None:
        several = bool((np.nansum(np.array([first.number(outcome) for _, outcome in pairs]), axis=0) > 1).any())
        said = f"{len(pairs)} pairs of a probability and its outcome stand in each row"
        ways = [{"prob": prob, "label": outcome} for prob, outcome in pairs]
        raise Unclear(f"{said} ({SEVERAL})" if several else said, *ways)
    own = [(prob, outcome) for prob, outcome in pairs if prob == choices.prob or outcome == choices.label]
    return choices.changed(prob=own[0][0], label=own[0][1]) if own else choices


def pairs_of(columns: Sequence[str], first: FirstRows) -> list[tuple[str, str]]:
    """The columns of probabilities, each with that of its own outcome, by what is left of their names."""
    if not columns or len(columns) > MOST_COLUMNS or len(first.column(columns[0])) < MANY:
        return []
    units, numbers = first.units(columns), {name: first.number(name) for name in columns}
    outcomes = [name for name, values in numbers.items() if values is not None and only(values, 0, 0.5, 1)]
    if len(units) < 2 or len(outcomes) < 2:
        return []
    pairs = own_outcomes(units, outcomes)
    if len(pairs) == len({prob for prob, _ in pairs}) and not adds_up(*(units[prob] for prob, _ in pairs)):
        return pairs
    return []


def own_outcomes(scores: Iterable[str], outcomes: Iterable[str]) -> list[tuple[str, str]]:
    """The names of scores, each with that of its own outcome, by what is left of both; a score may have several."""
    stems: dict[tuple[str, ...], list[str]] = {}
    for name in scores:
        for stem in {_stem(name, PROBABLE), words(name)}:
            stems.setdefault(stem, []).append(name)
    pairs = []
    for outcome in outcomes:
        stem = _stem(outcome, OUTCOME_WORDS)
        own = [name for name in stems.get(stem, []) if words(name) != words(outcome)]
        if stem and len(own) == 1 and not is_prediction(outcome):
            pairs.append((own[0], outcome))
    return pairs


def _stem(name: str, left: frozenset[str] | set[str]) -> tuple[str, ...]:
    """The words of a name without those at its beginning and end that say what it holds."""
    said = words(name)
    while len(said) > 1 and said[-1] in left:
        said = said[:-1]
    while len(said) > 1 and said[0] in left:
        said = said[1:]
    return said
