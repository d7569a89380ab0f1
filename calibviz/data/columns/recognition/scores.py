"""Columns that may hold probabilities: families whose rows add up to 1, and single ones by name and content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..known_names import (
    HARDLY_SCORES,
    LOGIT,
    MARGINS,
    NO_SCORES,
    OF_PERCENTS,
    PAIRS,
    SCORE_WORDS,
    SCORES,
    SINGLES,
    is_prediction,
    last_part,
    plain,
    says_confidence,
    says_log_probability,
    says_percent,
    words,
)
from ..tables import SEVERAL, FirstRows, as_written
from .class_names import class_parts, families
from .content import FIRST, MANY, Floats, adds_up, equal, falls_short, has_margin, is_logit, is_unit, only, rows_add_up

#: Levels of what speaks for a column; the last one is that of a name which speaks against it.
USUAL, KNOWN, WORD, PREDICTION, CONTENT, HARDLY = 5.0, 3.0, 2.0, 1.5, 1.0, 0.5
MOST_ASKED = 6  # columns that a question names
MOST_COLUMNS = 300  # in [0, 1], whose names are searched for the classes
FEWEST_VALUES = 4  # of a column without a name of probabilities
PERCENT_WORDS = frozenset(("pct", "percent", "percents", "percentage", "prozent", "pourcent"))
OF_DIFFERENCES = "from -1 to 1 may be differences of probabilities, as an uplift is, which are no probabilities"
OF_POINTS = (
    "points of a scale are no probabilities. A logistic regression on held-out rows turns them into some; a table of "
    "grades needs three columns: the rows, the events and the mean probability of each grade"
)
MOST_POINTS = 1000  # of a credit score: what is more is a year, an income, ...
LARGEST_LOG_ODDS = 20  # a probability that differs from 1 in the ninth decimal
WHOLE_PERCENTS = 10  # a scale ends here; more different numbers than that are no marks


def score_level(name: str) -> float:
    """How much a name says that its column holds probabilities; 0 where it says that it does not."""
    if (end := last_part(name)) and any(end in names for names in SCORES):
        return score_level(end)
    said = "_".join(part for part in plain(name).split("_") if part not in PERCENT_WORDS)
    own = set(words(name))
    if is_odds(name):
        return KNOWN
    for level, names in enumerate((SCORES[2], SCORES[1], SCORES[0])):
        if said in names:
            return KNOWN + level
    if said in SINGLES and said not in ("x", "value", "fitted"):
        return KNOWN
    if said in LOGIT or said in MARGINS or says_log_probability(name):
        return KNOWN
    if said == "value":  # of OHDSI
        return PREDICTION
    if own & NO_SCORES:
        return 0
    if says_confidence(name):
        return KNOWN
    if own & SCORE_WORDS or ("score" in own and says_percent(name)):
        return WORD
    if is_prediction(name) or re.search("pred|prob|risk", said):
        return PREDICTION
    return HARDLY if own & HARDLY_SCORES else CONTENT


def single_scores(columns: Sequence[str], first: FirstRows) -> list[str]:
    """The single columns that may hold the probability of a class, those of the best level."""
    in_families = {name for family in families_of(columns, first) for name in family}
    alone = [name for name in columns if name not in in_families]
    if len(logs := [name for name in alone if says_log_probability(name)]) > 1:  # of all classes, by softmax
        alone = [name for name in alone if name not in logs]
    levels = {name: score_level(name) for name in alone}
    fitting = [name for name, level in levels.items() if level and holds_scores(name, level, first)]
    unbounded = [name for name in fitting if may_be_unbounded(name)]
    others = [name for name in fitting if name not in unbounded]
    best = max((levels[name] for name in others), default=0)
    if best < WORD and unbounded:  # what may be log-odds by its name, before what has none
        are_bounded = any(first.unit(name) is not None for name in unbounded)
        return unbounded + [name for name in others if are_bounded and "score" in words(name)]
    return [name for name in others if levels[name] == best]


def may_be_unbounded(name: str) -> bool:
    """Whether a name is that of log-odds, margins or odds."""
    return plain(name) in (*LOGIT, *MARGINS) or is_odds(name)


def holds_scores(name: str, level: float, first: FirstRows) -> bool:
    """Whether the numbers of a column may be probabilities, per cents or log-odds, as its name says."""
    values = first.number(name)
    if values is None:
        return False
    if is_unit(values):
        return level > PREDICTION or (
            len(values) >= MANY and len(np.unique(values[~np.isnan(values)])) >= FEWEST_VALUES
        )
    return are_logarithms(name, values) or may_be_unbounded(name) or (level > PREDICTION and is_hundred(values, name))


def is_hundred(values: Floats, name: str) -> bool:
    """Whether numbers may be per cents: from 0 to 100, some above 10, more than ten different, or in steps of 5.

    Who is asked for a confidence says 80, 90 or 95, and little else.
    """
    known = values[~np.isnan(values)]
    if not len(known) or known.min() < 0 or not WHOLE_PERCENTS < known.max() <= 100:
        return False
    fewest = (
        FEWEST_VALUES if (known % 5 == 0).all() and known.max() > WHOLE_PERCENTS * FEWEST_VALUES else WHOLE_PERCENTS
    )
    return len(np.unique(known)) > (1 if says_confidence(name) else fewest)


def are_percents(name: str, values: Floats) -> bool:
    """Whether numbers from 0 to 100 are per cents by the name of their column."""
    if not is_hundred(values, name) or len(values) < MANY:
        return False
    own = set(words(last_part(name) or name)) - {"predicted", "pred", "y", "1"} - PERCENT_WORDS
    is_called = bool(own) and (own <= OF_PERCENTS or says_confidence(name))
    return says_percent(name) or (is_called and float(np.nanmedian(values)) > 1)


def are_logarithms(name: str, values: Floats) -> bool:
    """Whether numbers are logarithms of probabilities: their name says so, and none is above 0."""
    known = values[~np.isnan(values)]
    return says_log_probability(name) and bool(len(known)) and bool(known.max() <= 0 > known.min())


def are_differences(values: Floats) -> bool:
    """Whether numbers lie between -1 and 1, and on both sides of 0."""
    known = values[~np.isnan(values)]
    return len(known) >= MANY and bool(-1 <= known.min() < 0 < known.max() <= 1) and not only(known, -1, 0, 1)


def are_points(values: Floats) -> bool:
    """Whether most numbers are too large for per cents or for log-odds, as those of a credit score are."""
    size = np.abs(values[~np.isnan(values)])
    return bool(len(size)) and float(size.max()) > 100 and float(np.median(size)) > LARGEST_LOG_ODDS


def is_odds(name: str) -> bool:
    """Whether a name says odds, but not their logarithm."""
    own = set(words(name))
    return bool(own & {"odds", "oddsratio"}) and not own & {"log", "ln", "logit"}


def families_of(columns: Sequence[str], first: FirstRows, values: Sequence[str] = ()) -> list[list[str]]:
    """Columns that share a form of name, or differ in the classes alone, and whose rows add up to 1; the widest."""
    units = first.units(columns)
    values = values if len(units) <= MOST_COLUMNS else ()
    key = (tuple(units), tuple(values))
    if key not in first.families:
        found = _families_of(units, values)
        first.families[key] = [f for f in found if len(f) > 2 or first.holds(adds_up, numbers=f)]
    return first.families[key]


def families_with_margin(columns: Sequence[str], first: FirstRows) -> list[list[str]]:
    """Columns that share a form of name, and whose rows add up to more than 1 by a margin, or to a little less."""
    units = first.units(columns)
    if len(units) > MOST_COLUMNS:
        return []
    rows = np.column_stack
    return _families_of(units, (), lambda *held: has_margin(rows(held)) or falls_short(rows(held)))


def _families_of(
    units: dict[str, Floats], values: Sequence[str], are_whole: Callable[..., bool] = adds_up
) -> list[list[str]]:
    groups: dict[tuple[str, ...], None] = {}
    if values:
        for alike in families(list(units), values):
            parts = class_parts(alike, values) or ()
            own = tuple(name for name, part in zip(alike, parts, strict=True) if part in values)
            groups |= {tuple(alike): None, own: None}  # another column may have this form, such as the largest
        for called in ({value.casefold() for value in values}, *PAIRS):
            groups |= {tuple(name for name in units if name.casefold() in called): None}
    forms: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    named = [name for name, column in units.items() if len(column) >= MANY]
    # Most forms of many names are those of one name, which would take more memory than the names.
    times = Counter(hash(form) for name in named for form in _forms_of(name)) if len(named) > MOST_COLUMNS else None
    for name in named:
        for form in _forms_of(name):
            if times is None or times[hash(form)] > 1:
                forms.setdefault(form, []).append(name)
    # Two columns without a common word may be a probability and its complement.
    groups |= dict.fromkeys(tuple(group) for form, group in forms.items() if len(group) > 2 or any(form))
    found: list[tuple[str, ...]] = []
    for group in sorted(groups, key=len, reverse=True):
        if len(group) < 2 or any(set(group) <= set(other) for other in found):
            continue
        if are_whole(*(units[name] for name in group)):
            found.append(group)
    return [list(group) for group in found]


def _forms_of(name: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words that a name begins and ends with, which it may share with others that differ in the class."""
    parts = re.findall(r"[^\W\d_]+|\d+|.", name, re.DOTALL)
    for before in range(min(len(parts), 8)):
        for after in range(min(len(parts) - before, 4)):
            yield tuple(parts[:before]), tuple(parts[len(parts) - after :])


def same_scores(one: Floats, other: Floats) -> bool:
    """Whether a column is another one once more, its complement or its logit."""
    if equal(one, other) or equal(1 - one, other):
        return True
    return is_logit(one, other) or is_logit(other, one) or is_logit(-one, other) or is_logit(-other, one)


def lists_scores(name: str, first: FirstRows) -> bool:
    """Whether a column of a known name lists probabilities, or holds them as a text; of another, by what it lists."""
    column = first.column(name)
    entry = next(iter(column[:1]), None)
    if score_level(name) >= WORD:
        return isinstance(entry, SEVERAL) or (isinstance(entry, str) and as_written(entry)[:1] in tuple("[{("))
    entries = column[:FIRST].tolist() if len(column) >= MANY and isinstance(entry, list | np.ndarray) else []
    rows = [np.asarray(values) for values in entries]
    return bool(rows) and len({row.shape for row in rows}) == 1 and rows_add_up(np.array(rows))


def strength(scores: Floats | None, is_event: NDArray[np.bool_]) -> float:
    """How far the mean scores of an event and of others are apart, in standard deviations."""
    if scores is None:
        return 0.0
    there = is_event[: len(scores)]
    if not there.any() or there.all():
        return 0.0
    return abs(float(np.nanmean(scores[there]) - np.nanmean(scores[~there]))) / (float(np.nanstd(scores)) + 1e-12)
