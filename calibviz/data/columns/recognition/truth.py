"""Which column holds the truth: what a column holds says which may, and names choose among these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....foundation.validation import RowError, listed, several
from ..choices import Account, ReadingOptions, Unclear
from ..classes import UNDECIDED, Labels, is_mark, pair_of
from ..known_names import (
    BEFOREHAND,
    LABELS,
    MAY_BE_SAID,
    MAY_BE_TRUTH,
    PAIRS,
    SCORES,
    TRUTH_WORDS,
    TRUTHS,
    alike,
    chosen_column,
    is_key,
    is_prediction,
    known_columns,
    may_number,
    named_outcome,
    plain,
    says_confidence,
    says_log_probability,
    says_right,
    words,
)
from ..rows_of_no_samples import means_below, without_rows
from ..tables import FirstRows
from .class_names import class_parts, likely_orders, varying_parts
from .content import MANY, MOST_CLASSES, adds_up, is_likeliest, is_unit, only, runs_backwards, same_partition, splits
from .no_scores import refuse_regression
from .predicted_classes import rightness
from .scores import WORD, families_of, families_with_margin, score_level, single_scores

STRONG, WEAK, CONSTANT, CONTENT = 3.0, 2.0, 1.5, 1.0  # levels of what speaks for a column
MOST_COLUMNS = 1_000  # of a table in which columns are looked for by their content, and names within others
LEAST_INSIDE = 4  # letters of a name that stands inside another word
TWO_TRUTHS = "two columns may hold the truth"
CURVES = (
    ("fpr", "tpr"), ("precision", "recall"), ("false_positive_rate", "true_positive_rate"), ("prob_pred", "prob_true"),
    ("sensitivity", "specificity"), ("mean_predicted_value", "fraction_of_positives"),
)  # fmt: skip  # short entries stand in rows
METRIC_WORDS = frozenset((
    "accuracy", "acc", "precision", "recall", "f1", "auc", "auroc", "auprc", "mcc", "kappa", "stderr",
))  # fmt: skip  # short entries stand in rows
LOSSES = frozenset(("loss", "log_loss", "logloss", "train_loss", "val_loss", "test_loss", "eval_loss"))  # not of blood
A_ROW = "a row must be a sample, with its probability and its label"
DETAILS = frozenset(("name", "date", "time", "day", "type"))  # of an outcome
GRADES = ({"correct", "incorrect"}, {"right", "wrong"})  # of the answers of a model
NOT_ATTEMPTED = {"not_attempted", "not attempted"}
GRADE_WORDS = frozenset((
    "grade", "grades", "graded", "grader", "grading", "autograder", "judge", "judgement", "judgment", "verdict",
))  # fmt: skip  # short entries stand in rows
EXPECTED = "expected what was true of each row in a column `label` (or `labels`, `outcome`, `y_true`, `target`, ...)"
FIRST_LINE = "; the first line must hold the names of the columns"
OWN_ANSWERS = "these may be the model's own answers, not the truth"


def named_truths(columns: Sequence[str], of_keys: bool = False) -> list[str]:
    """The columns whose names say that they hold the truth, the usual ones first; of keys in others their last part."""
    rank = {name: i for i, name in enumerate(TRUTHS)}
    named: dict[str, tuple[bool, int, bool]] = {}
    for name in columns:
        whole, end = plain(name), plain(name.rpartition(".")[2]) if of_keys else ""
        if (said := whole if whole in rank else end) in rank:
            named[name] = said != whole, rank[said], name != said
    return sorted(named, key=named.__getitem__)


def label_column(
    columns: list[str], choices: ReadingOptions, account: Account, has_names: bool, first: FirstRows
) -> str:
    """The column of the labels: that of an option, of right answers, or of the truth; where none is, an error says why.

    `has_names` says whether the names of the columns look like names.
    """
    named = named_truths(columns)
    if choices.label is not None:
        account.rivals = named
        return chosen_column(choices.label, columns, "label")
    if not named and (right := _rightness(columns, first)) is not None and not _tells_of_truth(right, columns, first):
        return right
    label = truth_column(columns, choices, account, first)
    if label is None or _says_class(label, columns, first):
        if (right := _rightness(columns, first)) is not None:
            account.take("predicted class", *(label,) if label is not None and plain(label) in MAY_BE_SAID else ())
            return right
        _ask_about_letters(columns, first)
    if label is None:
        numbers = (name for name in columns if name in named or first.unit(name) is None)
        refuse_regression(numbers, columns, choices, first)
        _refuse_other_tables(columns, first)
        return _right_without_scores(columns, account, has_names, first)
    return label


def _rightness(columns: list[str], first: FirstRows) -> str | None:
    """The only column that says whether answers are right."""
    named = [name for name in columns if says_right(name)]
    fitting = [name for name in named if (held := first.held(name)) is not None and len(held.folded) == 2]
    fitting = fitting or [name for name in columns if _grades(name, first)]
    scores = single_scores(columns, first) or [name for names in SCORES for name in known_columns(columns, names)]
    if len(fitting) != 1 or not scores:
        return None
    is_named = score_level(scores[0]) >= WORD
    return fitting[0] if is_named or goes_with_scores(fitting[0], columns, first) else None


def _tells_of_truth(right: str, columns: Sequence[str], first: FirstRows) -> bool:
    """Whether what is right is so by a score about another column, or that is named as an outcome, beside a score."""
    scores = [name for name in single_scores(columns, first) if first.unit(name) is not None]
    of_answers = all(map(says_confidence, scores))
    for name in columns:
        values = first.number(name)
        held = first.held(name) if values is None or only(values, 0, 1) else None
        if name == right or is_prediction(name) or says_right(name) or held is None or len(held.present) != 2:
            continue
        if not of_answers and weak_level(name, (), set()):
            return True
        if any(first.holds(is_right_by_score, held=[name, right], numbers=[score]) for score in scores):
            return True
    return False


def is_graded(held: Labels) -> bool:
    """Whether the values of a column say that answers are correct or not, maybe that others were not attempted."""
    return held.folded - NOT_ATTEMPTED in GRADES


def _grades(name: str, first: FirstRows) -> bool:
    """Whether a column grades answers."""
    held = first.held(name) if first.number(name) is None else None  # numbers are many, and take memory as labels
    return held is not None and is_graded(held)


def _ask_about_letters(columns: list[str], first: FirstRows) -> None:
    """Ask whether letters beside a confidence grade answers: correct, incorrect and not attempted, as in SimpleQA.

    Where two columns hold such letters, they are answers themselves.
    """
    texts = [name for name in columns if first.number(name) is None] if any(map(says_confidence, columns)) else []
    held = {name: labels.present for name in texts if (labels := first.held(name)) is not None}
    lettered = [name for name, values in held.items() if {"A", "B"} <= {*values} <= {"A", "B", "C"}]
    if len(lettered) == 1 and GRADE_WORDS & {*words(lettered[0])}:
        right = {"label": lettered[0], "positive": "A"}
        ways = [right | {"ignore": ["C"]}, right] if "C" in held[lettered[0]] else [right]
        raise Unclear(
            f"the letters in {lettered[0]!r} may be grades of answers: A correct, B incorrect, C not attempted", *ways
        )


def _says_class(label: str, columns: list[str], first: FirstRows) -> bool:
    """Whether a column holds more than two classes, and no other one such as predicted ones, beside single scores.

    So does one with the same answer in each row, beside confidences. One score cannot be the probability of each class.
    """
    held = first.held(label)
    if held is None or len(held.present) == 2 or families_of(columns, first, held.present):
        return False
    scores = [name for name in single_scores(columns, first) if score_level(name) >= WORD]
    scores = scores or [name for name in columns if says_confidence(name)]  # which may be points of a scale
    if len(held.present) < 3:
        scores = [name for name in scores if says_confidence(name)]
    said = [first.held(name) for name in columns if name != label and is_prediction(name)]
    return bool(scores) and not any(other is None or other.folded & held.folded for other in said)


def _refuse_curves(columns: Sequence[str]) -> None:
    """Refuse points of a curve."""
    for names in CURVES:
        if len(curve := [name for name in columns if plain(name) in names]) == len(names):
            raise ValueError(
                f"{listed(curve)} are points of a curve, not predictions: {A_ROW}, or a bin, with its mean "
                "probability, its size and its number of events"
            )


def _refuse_other_tables(columns: list[str], first: FirstRows) -> None:
    """Refuse metrics, a column for each class, means below fractions, and logs of confidences."""
    numbers = [name for name in columns if first.number(name) is not None]
    metrics = [name for name in numbers if METRIC_WORDS & {*plain(name).split("_")} or plain(name) in LOSSES]
    if len(metrics) > 1 and {*map(plain, metrics)} != {"precision", "recall"}:
        raise ValueError(f"{listed(metrics)} are metrics, not predictions: {A_ROW}")
    _refuse_curves(columns)
    if groups := one_hot_groups(columns, first):
        raise ValueError(
            f"{listed(groups[0])} say together which class each row has: write its name into one column `label`"
        )
    for name, values in first.units(columns).items():
        if first.of_all() is first and (why := means_below(values)) is not None:
            row = int(np.argmax((values > 0) & (values < 1)))
            way = {"label": name, **without_rows(values[row:])}
            raise Unclear(RowError("row ", row, f" of column {name!r} {why}"), way)
    logs = [name for name in columns if says_log_probability(name) and first.number(name) is not None]
    if logs and any(map(says_right, columns)):
        raise ValueError(
            f"{logs[0]!r} holds log-probabilities: write p = exp({logs[0]}) into a column of its own, and name that by "
            "prob='...'"
        )


def _right_without_scores(columns: list[str], account: Account, has_names: bool, first: FirstRows) -> str:
    """The column of right answers by its name, where what is missing are the probabilities; else labels are missing."""
    scores = list(first.units(columns))[:3]
    right = next(filter(says_right, columns), None)
    if right is not None and not scores:
        return right
    is_text = len(columns) == 1 and not account.unread
    by = "; if its values are separated otherwise, say how by sep=';', and remove lines above the names of the columns"
    separated = by if is_text else ""
    signs = dict.fromkeys(re.findall(r"[^\w .()-]", columns[0])) if is_text else {}
    held = f" ({listed(scores)} hold{'s' * (len(scores) == 1)} what may be probabilities)" if scores else ""
    hint = next((text for name in LABELS[0] if (text := alike(name, columns))), "")
    joins = next((f", joined by an id such as {name!r}" for name in columns if may_number(name)), "")
    found = f"found no labels among the columns {listed(columns) or '(none)'}{held}: {EXPECTED}"
    other = f"label='...' names another column, and truth=FILE another file that holds them{joins}"
    raise Unclear(
        f"{found}; {other}{separated}{'' if has_names else FIRST_LINE}{hint}{account.lacks}",
        *({"sep": sign} for sign in signs),
        *_in_other_words(columns, first),
    )


def _in_other_words(columns: list[str], first: FirstRows) -> list[dict[str, Any]]:
    """The options that read a column of as many values as a family has columns, which name none of these."""
    ways: list[dict[str, Any]] = []
    whole = families_of(columns, first)
    for family in [*whole, *families_with_margin(columns, first)]:
        rescaled = {} if family in whole else {"normalize": True}
        for name in columns:
            held = None if name in family or is_prediction(name) else first.held(name)
            if held is None or len(held.codes) < MANY or len(held.present) != len(family) or is_key(name):
                continue
            orders = likely_orders(family, held.present)
            ways += [{"label": name, "prob": family, **order, **rescaled} for order in orders]
    return ways


def truth_column(columns: Sequence[str], choices: ReadingOptions, account: Account, first: FirstRows) -> str | None:
    """Return the column that may hold the truth, None where none does; two of one level are a question.

    Left out are columns that hold other things than classes, the same outcome once more, and what a model predicts: the
    likeliest class in every one of many rows, whatever its name, and `label` or `answer` beside a single score and
    another column of the truth, as pipelines of transformers and logs of decisions write them. Of the others a usual
    name outranks a word in the name, and that outranks content alone.
    """
    levels = levels_of(columns, choices, first)
    ranked = sorted(levels, key=lambda name: -levels[name])
    account.rivals = [name for name in ranked if levels[name] > CONTENT]
    fitting = _different(ranked, first)
    said = [name for name in fitting if is_said(name, columns, choices, first)]
    left = [name for name in fitting if name not in said]
    account.rivals += [name for name in left if name not in account.rivals]
    if left:
        account.take("predicted class", *said)
    fitting = left or said
    if not fitting or levels[fitting[0]] == CONTENT:
        if fitting:
            _refuse_curves(columns)
        _refuse_without_events(columns, choices, first)
    if not fitting:
        return None
    best = [name for name in fitting if levels[name] == levels[fitting[0]]]
    if len(best) > 1 and left:  # where all are what the model says, the usual name is what is asked about
        raise two_truths(best)
    rights = [name for name in columns if says_right(name) or (name != best[0] and _grades(name, first))]
    if rights and not _explains(best[0], rights, columns, first):
        raise two_truths([*rights, best[0]])  # what a model answered, how sure it was, whether that was right
    others = [name for name in left if levels[name] < levels[best[0]]]
    goes = goes_with_scores(best[0], columns, first) if others else None
    if goes:  # the better name alone would choose, unless the other one is named as no outcome
        others = [name for name in others if levels[name] >= WEAK]
    if goes is not None and (others := [name for name in others if goes_with_scores(name, columns, first)]):
        raise two_truths([best[0], *others] if goes else [*others, best[0]])
    if levels[best[0]] == CONTENT and goes_with_scores(best[0], columns, first) is False:
        ways, held = [{"label": best[0]}, *_of_no(best[0], choices, first)], first.held(best[0])
        values = "two answers" if held is None or len(held.present) == 2 else "classes"
        raise Unclear(f"nothing but its {values} says that {best[0]!r} holds the truth", *ways, by_means=True)
    return best[0]


def _of_no(name: str, choices: ReadingOptions, first: FirstRows) -> list[dict[str, Any]]:
    """The options that read a score which does not go with two answers as the probability of the one that says no."""
    held = first.held(name)
    pair = (
        None if held is None or choices.positive is not None or choices.classes is not None else pair_of(held.present)
    )
    return [] if pair is None else [{"label": name, "positive": pair[0]}]


def _refuse_without_events(columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> None:
    """Refuse to look for the truth elsewhere where a column that is named as an outcome holds one answer throughout."""
    known = {value for pair in PAIRS for value in pair}
    for name in columns if choices.label is None else ():
        held = first.held(name) if weak_level(name, (), set()) else None
        if held is not None and len(held.present) == 1 and held.present[0].casefold() in known:
            said = f"every {name!r} is {held.present[0]!r}, as where nothing was observed: "
            raise Unclear(f"{said}label={name!r} reads it as the truth", {"label": name})


def _explains(truth: str, rights: Sequence[str], columns: Sequence[str], first: FirstRows) -> bool:
    """Whether what is right is whether a prediction is the truth, so that a column may hold that; also where none says.

    The prediction is a column that is named so, or what the truth is where that was right, and its other answer else,
    if a score splits this.
    """
    held = first.held(truth)
    said = [name for name in columns if name != truth and is_prediction(name)]
    alike = [name for name in said if held is not None and _are_alike(held, first.held(name))]
    if alike:
        return any(first.holds(_is_right_where_equal, held=[truth, name, right]) for name in alike for right in rights)
    if held is None or len(held.present) != 2:
        return True
    scores = [name for name in single_scores(columns, first) if first.unit(name) is not None]
    if not scores or families_of(columns, first, held.present):
        return True
    found = ((name, right) for name in scores for right in rights)
    return any(first.holds(is_right_by_score, held=[truth, right], numbers=[name]) for name, right in found)


def _is_right_where_equal(truth: Labels, predicted: Labels, right: Labels) -> bool:
    """Whether a column says in every row whether two others are the same class."""
    is_right = are_equal(truth, predicted)
    if len(right.present) == 1:  # as in a file of errors
        return bool((is_right == is_right[0]).all() and (right.codes >= 0).all())
    return same_partition(is_right.astype(np.intp), right.codes, least=2)  # the names say so, too


def are_equal(truth: Labels, predicted: Labels) -> NDArray[np.bool_]:
    """Whether two columns hold the same class in each row, however its letters are written."""
    in_small = (held.renamed({value: value.casefold() for value in held.values}) for held in (truth, predicted))
    return rightness(*in_small) == 1


def is_right_by_score(truth: Labels, right: Labels, score: NDArray[np.float64]) -> bool:
    """Whether a column says in every row whether a score lies on the side of a threshold where the truth is."""
    return splits((truth.codes == truth.codes[0]) == (right.codes == right.codes[0]), score)


def two_truths(names: Sequence[str]) -> Unclear:
    """The question which of some columns holds the truth; they are named where no line of it opens the file as yet."""
    pick = " or ".join(f"label={name!r}" for name in names)
    lacking = f": {listed(names)}; pass {pick}, and where no usual name tells the probabilities, prob='...' names them"
    return Unclear(TWO_TRUTHS, *({"label": name} for name in names), otherwise=lacking)


def levels_of(columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> dict[str, float]:
    """The level of each column that may hold the truth; others are not there."""
    taken = {name for given in (choices.prob, choices.logits) if given for name in several(given)}
    named = named_truths(columns)
    free = [name for name in columns if name not in taken]
    looked_at = free if len(columns) <= MOST_COLUMNS else named
    scored = {plain(name) for name in _scored(columns, choices, first)}
    predicted = [name for name in looked_at if is_prediction(name)]
    within = [*scored, *map(plain, predicted)]
    families = [
        (family, {part.casefold() for part in varying_parts(family) or ()}) for family in families_of(looked_at, first)
    ]
    units = {column.casefold(): column for column in first.units(looked_at)}
    levels = {}
    one_hot = {name for group in one_hot_groups(looked_at, first) for name in group}
    has_resolution = any(plain(name) == "resolution" for name in named)
    for name in looked_at:
        if (
            says_right(name)
            or says_confidence(name)
            or name in one_hot
            or (has_resolution and plain(name) == "outcome")
        ):
            continue
        level = STRONG if name in named else weak_level(name, within, scored)
        if name in named and len(named) == 1 and _may_be_only(name, first):
            levels[name] = STRONG
            continue
        held = _classes_of(name, named, choices, first)
        if held is None:
            continue
        if len(held.present) < 2 and (held := first.of_all().held(name)) is None:
            continue
        if len(held.present) < 2:  # in all rows: a rare event may not be among the first ones
            if level == STRONG:
                levels[name] = CONSTANT
            continue
        own = [units[value] for value in held.folded if value in units]  # columns that are called as its values
        is_of_own = len(own) == len(held.folded) > 2 and first.holds(adds_up, numbers=own)
        is_predicted = level == WEAK and any(_are_alike(held, first.held(said)) for said in predicted if said != name)
        if level == WEAK and len(held.codes) < MANY and {*words(name)[-1:]} & DETAILS and pair_of(held.present) is None:
            continue
        if level < STRONG and not (is_of_own or is_predicted or _are_answers(held, families, choices, level == WEAK)):
            continue
        if level:
            levels[name] = level
        elif len(held.codes) >= MANY and not (is_prediction(name) and plain(name) not in MAY_BE_TRUTH):
            levels[name] = CONTENT
    return levels


def _scored(columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> list[str]:
    """The columns that may hold probabilities, so that their names may hold that of the truth."""
    given = choices.prob or choices.logits
    if given:
        return several(given)
    return [*first.units(columns[:MOST_COLUMNS]), *single_scores(columns[:MOST_COLUMNS], first)]


def _may_be_only(name: str, first: FirstRows) -> bool:
    """Whether the only column with such a name may be the truth; probabilities are none, soft labels are."""
    values = first.number(name)
    if values is None or not (len(values) >= MANY and is_unit(values)):
        return True
    others = [column for column in first.columns if column != name]
    is_scored = any(score_level(column) >= WORD for column in single_scores(others, first))
    return is_scored or bool(families_of(others, first))


def weak_level(name: str, within: Sequence[str], scored: set[str]) -> float:
    """2 where a word in the name says truth, or where it stands in that of a probability or prediction; else 0."""
    if is_prediction(name) or says_right(name):
        return 0
    said, parts = plain(name), set(words(name))
    is_rate = bool(parts & {"true", "false"}) and bool(parts & {"positive", "positives", "negative", "negatives"})
    is_word = bool(parts & TRUTH_WORDS) and not parts & BEFOREHAND and not is_rate
    is_beside = named_outcome(name) in scored or any(stands_in(said, other) for other in within)
    return WEAK if is_word or is_beside else 0


def stands_in(said: str, other: str) -> bool:
    """Whether a name, written plainly, stands within another one, maybe before a number, as BAD in P_BAD1."""
    if len(said) < 2 or other == said:
        return False
    is_stem = any(part.rstrip("0123456789") == said for part in other.split("_"))
    return f"_{said}_" in f"_{other}_" or (len(said) >= LEAST_INSIDE and said in other) or is_stem


def _classes_of(name: str, named: Sequence[str], choices: ReadingOptions, first: FirstRows) -> Labels | None:
    """The values of a column, if they may be classes; None of ids, of probabilities, and of numbers of another kind."""
    values = first.number(name)
    if values is not None and is_unit(values):
        return None
    held = first.held(name)
    if held is None or not held.present:
        return None
    n, present = len(held.codes), held.present
    if is_key(name) or (may_number(name) and len(present) == n):
        return None
    if n < MANY or len(present) < 2:
        return held
    if name not in named:
        return held if len(present) <= min(MOST_CLASSES, n // 3) else None
    return held if len(present) <= n // 2 and _may_be_classes(held, name, named, choices, first) else None


def _may_be_classes(held: Labels, name: str, named: Sequence[str], choices: ReadingOptions, first: FirstRows) -> bool:
    """Whether the values of a column with such a name are those of classes that other columns know."""
    present, folded = held.present, held.folded
    if len(named) == 1 or len(present) == 2 or choices.positive in present:
        return pair_of(present) is not None or len(named) == 1 or _are_known(held, name, named, choices, first)
    if any(len(folded & set(pair)) == 2 for pair in PAIRS) or all(v.lstrip("-").isdecimal() for v in present):
        return True
    values = first.number(name)
    are_ties = values is not None and only(values, 0, 0.5, 1)
    return are_ties or _are_known(held, name, named, choices, first)


def _are_known(held: Labels, name: str, named: Sequence[str], choices: ReadingOptions, first: FirstRows) -> bool:
    """Whether other columns hold the values of this one, or are named by them."""
    folded = held.folded
    ends = {column.casefold() for column in first.columns}
    in_names = {value for value in folded if any(column.endswith((value, f"{value})")) for column in ends)}
    in_others = any(
        len(folded & other.folded) * 2 > len(folded)
        for column in first.columns
        if column != name and (is_prediction(column) or column in named) and (other := first.held(column)) is not None
    )
    of_families = (class_parts(family, held.present) for family in families_of(first.columns, first))
    are_parts = any(folded <= {part.casefold() for part in parts} for parts in of_families if parts is not None)
    return (
        2 * len(in_names) >= len(folded)
        or in_others
        or are_parts
        or bool(folded & {str(c).casefold() for c in choices.classes or ()})
    )


def _are_answers(
    held: Labels, families: Sequence[tuple[list[str], set[str]]], choices: ReadingOptions, is_named: bool
) -> bool:
    """Whether a column holds two answers, maybe beside others that do not count, or classes that columns name."""
    present, folded = held.present, held.folded
    if (
        len(present) == 2
        or folded <= {"0", "0.5", "1"}
        or folded <= {name.casefold() for name in choices.classes or ()}
    ):
        return True
    if any(folded <= parts or class_parts(family, present) is not None for family, parts in families):
        return True
    strangers = [value for value in folded if value in UNDECIDED or is_mark(value, 2)]
    pairs = PAIRS if is_named else [pair for pair in PAIRS if pair[1] != "1"]  # what counts something holds 0 and 1
    return len(folded) - len(strangers) == 2 or any(len(folded & set(pair)) == 2 for pair in pairs)


def is_said(name: str, columns: Sequence[str], choices: ReadingOptions, first: FirstRows) -> bool:
    """Whether a column holds what a model predicts rather than the truth."""
    held, others = first.held(name), [column for column in columns if column != name]
    if held is None:
        return False
    is_known = len(held.codes) >= MANY and len(columns) <= MOST_COLUMNS
    found = [f for f in families_of(columns, first, held.present) if name not in f] if len(held.codes) >= MANY else []
    if any(first.holds(partial(_is_likeliest_of, family), held=[name], numbers=family) for family in found):
        return True
    scored = single_scores(others, first) if is_known or plain(name) in MAY_BE_SAID else []
    singles = {column: values for column in scored if (values := first.number(column)) is not None}
    given = choices.prob if choices.prob is not None else choices.logits
    if isinstance(given, str):
        values = first.number(given) if given in first.columns else None
        singles = {} if values is None else {given: values}
    if any(first.holds(_splits, held=[name], numbers=[column]) for column in singles):
        return True
    if plain(name) not in MAY_BE_SAID or found or not singles:
        return False
    is_alone = not any(is_prediction(column) and _are_alike(held, first.held(column)) for column in others)
    named = [other for column in named_truths(others) if (other := first.held(column)) is not None]
    is_answer = pair_of(held.present) is not None  # as that of a pipeline is in words, beside numbers
    has_truth = any(_are_alike(held, other) or (is_answer and pair_of(other.present) is not None) for other in named)
    is_named = len(held.codes) < MANY and bool(named) and all(map(says_confidence, singles))
    if is_alone and is_named:  # few rows may hold other classes in each column
        return True
    even = 1 / max(2, len(held.present))
    return is_alone and has_truth and all(float(np.nanmin(values)) >= even for values in singles.values())


def _is_likeliest_of(family: Sequence[str], held: Labels, *columns: NDArray[np.float64]) -> bool:
    """Whether a column is the class of the largest number of a family in every row."""
    parts = class_parts(family, held.present) or varying_parts(family)
    codes = held.numbered({part: k for k, part in enumerate(parts or ())})
    if (codes < 0).all() and all(value.isdecimal() for value in held.present):
        least = min(map(int, held.present))
        codes = held.numbered({value: int(value) - min(least, 1) for value in held.present})
    return is_likeliest(codes, np.column_stack(columns))


def _splits(held: Labels, score: NDArray[np.float64]) -> bool:
    """Whether one of the two values of a column has the larger scores in every row."""
    return len(held.present) == 2 and splits(held.codes == held.values.index(held.present[1]), score)


def goes_with_scores(name: str, columns: Sequence[str], first: FirstRows) -> bool | None:
    """Whether scores are higher, or lower, where a column of two values has one of them; None where that is unknown."""
    every = first.of_all()  # a file may be sorted
    held = every.held(name)
    if held is None or len(held.codes) < MANY:
        return None
    others = [column for column in columns if column != name]
    found = families_of(others, first, held.present)
    if len(held.present) == 2:
        scored = [*single_scores(others, first), *(column for family in found for column in family)]
        there = held.codes >= 0
        known = [values[there] for column in scored if (values := every.number(column)) is not None]
        is_one = (held.codes == held.values.index(held.present[0]))[there]
        return any(runs_backwards(v, codes) for v in known for codes in (is_one, ~is_one)) if known else None
    for family in found:
        parts = class_parts(family, held.present)
        if parts is None:
            continue
        codes = held.numbered({part: k for k, part in enumerate(parts)})
        probs = np.column_stack(list(every.units(family).values()))
        if (codes < 0).any() or probs.shape[1] < len(parts):
            continue
        given = probs[np.arange(len(codes)), codes] - probs @ np.bincount(codes, minlength=len(parts)) / len(codes)
        return bool(given.mean() > 3 * given.std() / np.sqrt(len(codes)))
    return None


def one_hot_groups(columns: Sequence[str], first: FirstRows) -> list[list[str]]:
    """Columns of 0 and 1, three or more, of which one is 1 in each row, and that share a part of their names."""
    decided = [name for name in columns if (values := first.number(name)) is not None and only(values, 0, 1)]
    forms: dict[tuple[str, str], list[str]] = {}
    for name in decided if 2 < len(decided) <= MOST_COLUMNS else ():
        parts = words(name)
        for form in ((parts[0], ""), ("", parts[-1])) if len(parts) > 1 else ():
            forms.setdefault(form, []).append(name)
    groups = [group for group in forms.values() if len(group) > 2]
    return [group for group in groups if first.holds(lambda *columns: bool((sum(columns) == 1).all()), numbers=group)]


def _are_alike(one: Labels, other: Labels | None) -> bool:
    """Whether most values of a column are those of another one, or both are known answers."""
    if other is None or not other.present:
        return False
    return 2 * len(one.folded & other.folded) > len(other.folded) or pair_of([*one.present, *other.present]) is not None


def _different(names: Sequence[str], first: FirstRows) -> list[str]:
    """The columns without those that part the rows as one before them does: an outcome that is there twice."""
    kept: list[str] = []
    for name in names:
        if not any(first.holds(lambda a, b: same_partition(a.codes, b.codes), held=[name, other]) for other in kept):
            kept.append(name)
    return kept
