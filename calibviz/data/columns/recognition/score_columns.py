"""Which columns of a table hold the probabilities or logits, known by options, by classes, or by their own names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....foundation.arrays import ROW_SUM_TOLERANCE
from ....foundation.validation import RowError, did_you_mean, listed
from ..choices import Account, OneModel, ReadingOptions, Unclear
from ..classes import Labels, no_first, pair_of
from ..known_names import (
    LOGIT,
    LOGIT_PREFIXES,
    MARGINS,
    OUTCOME_WORDS,
    PREFIXES,
    SCORES,
    chosen_column,
    is_of_no,
    is_prediction,
    known_columns,
    names_other,
    plain,
    says_confidence,
    words,
)
from ..name_lines import is_word
from ..tables import FirstRows
from .class_names import class_of, class_parts, likely_orders, numbers_in, varying_parts
from .content import MANY, adds_up, equal, falls_short, is_unit, splits
from .no_scores import no_probabilities, refuse_odds, refuse_sums_below
from .scores import (
    CONTENT,
    KNOWN,
    MOST_ASKED,
    WORD,
    are_percents,
    families_of,
    families_with_margin,
    is_hundred,
    is_odds,
    lists_scores,
    may_be_unbounded,
    same_scores,
    score_level,
    single_scores,
    strength,
)
from .truth import LEAST_INSIDE, goes_with_scores, stands_in

MOST_SIDE_BY_SIDE = 12  # columns that may hold the probabilities of a model each
OF_CLASS = ("positive_class", "_level_")  # columns of one value, the class of the probability: DataRobot, SAS
SIGMOID = "sigmoid of the log-odds"
WAY_OUT = "pass classes=[...], the names of all classes"


@dataclass(frozen=True)
class Scores:
    """The columns that hold the probabilities or logits."""

    #: In the order of the classes; a single one holds those of the second of two classes, or lists them all.
    columns: list[str]
    #: The names of the classes; None where they have numbers, or where the labels of two classes tell them.
    names: list[str] | None = None
    are_logits: bool = False
    may_hide: bool = False  # whether a class that no label names could be mistaken for a field
    positive: str | None = None  # the class of a single column, where its name tells it


def find_scores(
    columns: list[str], labels: Labels, choices: ReadingOptions, account: Account, first: FirstRows
) -> Scores:
    """The columns that hold the probabilities or logits; `first` shows what they hold."""
    scores = _ScoreSearch(columns, labels, choices, account, first).scores()
    if scores.are_logits:
        has_several = len(scores.columns) > 1 or lists_scores(scores.columns[0], first)
        account.say(f"probabilities are the {'softmax of the logits' if has_several else SIGMOID}")
    return scores


@dataclass(frozen=True)
class _ScoreSearch:
    """Where the probabilities are looked for: some columns beside labels, what options say, and the first rows."""

    columns: list[str]
    labels: Labels
    choices: ReadingOptions
    account: Account
    first: FirstRows

    def scores(self) -> Scores:
        """The columns that options name, or else those of the classes, or those that may hold the probabilities."""
        choices = self.choices
        given, argument = (choices.prob, "prob") if choices.logits is None else (choices.logits, "logits")
        if isinstance(given, str):
            chosen = chosen_column(given, self.columns, argument)
            return Scores([chosen], are_logits=choices.logits is not None, positive=self._own_class(chosen))
        if given is not None:
            scores = self._in_order([chosen_column(name, self.columns, argument) for name in given], argument)
        else:
            scores = self._of_classes() or self._guessed()
        if choices.classes is None and scores.names is not None and no_first(scores.names) != scores.names:
            scores = replace(scores, columns=scores.columns[::-1], names=scores.names[::-1])
        if choices.positive is not None and len(scores.columns) > 1:
            raise ValueError(
                f"positive={choices.positive!r} is for a single column of probabilities, but {listed(scores.columns)} "
                "hold those of all classes: choose one by prob=..."
            )
        return scores

    @cached_property
    def two_classes(self) -> list[str]:
        """The two classes of which one is that of a single column; none where options say which, or others are."""
        present = self.labels.present
        values = present if len(present) == 2 else list(pair_of(present) or ())
        is_open = self.choices.positive is None and self.choices.classes is None
        return values if is_open and len(values) == 2 else []

    @cached_property
    def constant_class(self) -> str | None:
        """The class of the probability among two, which a column names in every row."""
        folded = {value.casefold(): value for value in self.two_classes}
        for name in self.first.columns if folded else ():
            every = self.first.of_all().held(name) if {plain(name), name.casefold()} & {*OF_CLASS} else None
            if every is not None and len(every.present) == 1 and every.folded <= folded.keys():
                return folded[every.present[0].casefold()]
        return None

    def _own_class(self, chosen: str) -> str | None:
        """The class in the name of a single column that an option names, where that is not said otherwise.

        A column of 0 that stands alone may be that of a model or of a day: it is asked.
        """
        values, label = self.two_classes, self.labels.name
        if not values:
            return None
        named = class_of(chosen, self._complements(chosen), values) or self._split_class(chosen)
        is_of_credit = {"pd", "default", "defaulted", "bad"} & {*words(chosen), *words(label)}
        if named is None and is_of_credit and {value.casefold() for value in values} == {"good", "bad"}:
            named = next(value for value in values if value.casefold() == "bad")
        pair = pair_of(values)
        is_of_other = is_of_no(chosen) and len(words(chosen)) > 1 and not self._is_of_several(chosen)
        if pair is not None and not is_of_other:
            is_of_other = names_other(chosen, label, pair[1])
        if named is None and is_of_other:
            pair = pair or (values[0], values[1])
            ways = [{"prob" if self.choices.logits is None else "logits": chosen, "positive": value} for value in pair]
            raise Unclear(f"the name of {chosen!r} may say that it is of the class {pair[0]!r}", *ways)
        return named

    def _is_of_several(self, name: str) -> bool:
        """Whether the number in a name is that of one of three or more, such as seeds, and so not that of a class."""
        model, form = self.choices.model, re.sub(r"\d+", "0", name)
        there = model.of if isinstance(model, OneModel) and isinstance(model.of, tuple) else self.columns
        return sum(re.sub(r"\d+", "0", other) == form for other in there) > 2

    def _complements(self, name: str) -> list[str]:
        """Other columns that are 1 minus a column in every row."""
        own = self.first.number(name)
        units = {} if own is None else self.first.units(self.columns)
        return [other for other, values in units.items() if own is not None and other != name and adds_up(own, values)]

    def _split_class(self, chosen: str) -> str | None:
        """The class whose predictions lie above a threshold of the score, or that a constant column names."""
        values, first = self.two_classes, self.first
        score, folded = first.number(chosen), {value.casefold(): value for value in values}
        if plain(chosen) == "pre_1" and all(value.isdecimal() for value in values):
            return max(values, key=int)
        if score is None or len(folded) < 2:
            return None
        by_role = sorted(first.columns, key=lambda name: (name == self.labels.name, not is_prediction(name)))
        for name in by_role if self.constant_class is None and pair_of(values) is None else ():
            held = self.labels if name == self.labels.name else None
            if held is None and name != chosen and first.unit(name) is None:
                held = first.held(name)
            for value in held.present if held is not None and held.folded <= folded.keys() else ():
                if first.holds(partial(_lies_above, value), held=[name], numbers=[chosen]):
                    return folded[value.casefold()]
        return self.constant_class

    def _in_order(self, chosen: list[str], argument: str) -> Scores:
        """Several columns that an option names: the classes in their names outrank the places where they stand."""
        are_logits, present = argument == "logits", self.labels.present
        parts = self._parts(chosen, present)
        if self.choices.classes is not None:
            classes = list(self.choices.classes)
            named = parts if parts is not None else self._parts(chosen, classes)
            if named is None or set(named) != set(classes):
                return Scores(chosen, classes, are_logits)
            column_of = dict(zip(named, chosen, strict=True))
            return Scores([column_of[name] for name in classes], classes, are_logits)
        if parts is not None:
            return Scores(chosen, parts, are_logits)
        pair, numbers = pair_of(present), numbers_in(chosen)
        are_words = not all(value.lstrip("-").isdecimal() for value in present)
        if len(chosen) == 2 and pair is not None and (are_words or numbers is not None):
            ways = [{argument: chosen, "classes": order} for order in (list(pair), list(pair[::-1]))]
            raise Unclear(
                f"nothing says which of {listed(chosen)} is of the class {pair[0]!r}, and which of {pair[1]!r}", *ways
            )
        return Scores(chosen, None, are_logits)

    def _of_classes(self) -> Scores | None:
        """The columns of classes that the user names; None where they say nothing about the columns.

        Of two labels one may have a column alone.
        """
        if self.choices.classes is None:
            return None
        classes, known, every = self.choices.classes, set(self.columns), (*PREFIXES, "", *LOGIT_PREFIXES)
        complete = [prefix for prefix in every if all(f"{prefix}{name}" in known for name in classes)]
        probable = [prefix for prefix in complete if prefix not in LOGIT_PREFIXES] or complete
        if len(probable) > 1:
            both = [f"{prefix}{classes[0]}" for prefix in probable]
            said = f"classes: each of the columns {listed(both)} could be that of {classes[0]!r}: use prob=[...]"
            raise Unclear(said, *({"prob": [f"{prefix}{name}" for name in classes]} for prefix in probable))
        if probable:
            prefix = probable[0]
            return Scores([f"{prefix}{name}" for name in classes], list(classes), prefix in LOGIT_PREFIXES)
        own = [(name, prefix) for name in classes for prefix in every if f"{prefix}{name}" in known]
        if len(classes) == 2 and len(own) == 1 and set(classes) <= set(self.labels.present):
            [(name, prefix)] = own
            return Scores([f"{prefix}{name}"], None, prefix in LOGIT_PREFIXES, positive=name)
        lacking = [name for name in classes if name not in dict(own)]
        if own and lacking and not any(f"{prefix}0" in known for prefix in every if prefix):
            hint = did_you_mean(lacking[0], self.columns)
            raise ValueError(f"classes: no column is named after {lacking[0]!r} among {listed(self.columns)}{hint}")
        of_logits = [prefix in LOGIT_PREFIXES for _, prefix in own]
        if len(own) == len(classes) and not lacking and len({*of_logits}) == 1:  # each has another prefix
            return Scores([f"{prefix}{name}" for name, prefix in own], list(classes), of_logits[0])
        return None

    @cached_property
    def named(self) -> list[str]:
        """The columns that are called as the labels, where each of these has one; texts of options are none."""
        present = set(self.labels.present)
        named = [name for name in self.columns if name in present] if present <= set(self.columns) else []
        return named if any(self.first.number(name) is not None for name in named) else []

    @cached_property
    def free(self) -> list[str]:
        """The columns that no label names."""
        named = set(self.named)
        return [name for name in self.columns if name not in named]

    def _guessed(self) -> Scores:
        """The only columns that may hold the probabilities, or else logits, by what they hold and by their names."""
        steps: tuple[Callable[[], list[Scores]], ...] = (
            self._usual,
            lambda: self._families(PREFIXES),
            self._listing,
            self._adding_up,
            self._single,
            *(partial(self._called, names) for names in SCORES),
            lambda: self._families(LOGIT_PREFIXES) + self._called(LOGIT, are_logits=True),
        )
        forms = next(filter(None, (step() for step in steps)), [])
        if not forms:
            raise no_probabilities(self.columns, self.labels, self.first, self.account.lacks)
        scores = self._only(forms)
        if scores.may_hide and len(self.named) == 1:
            found = [family for family in families_of(self.columns, self.first) if self.named[0] in family]
            said = f"every label is {self.named[0]!r}, which does not tell the classes: {WAY_OUT}"
            raise Unclear(said, *({"classes": family} for family in found))
        self._refuse_rivals(scores)
        return scores

    def _usual(self) -> list[Scores]:
        """Columns that are called as the labels, `p_0` and further ones, or `prob` or `p`."""
        forms = [Scores(self.named, self.named, may_hide=True)] if self.named else []
        forms += self._families(PREFIXES[:1], [name for name in self.free if re.fullmatch(r"p_\d+", name)])
        usual = [name for name in SCORES[0] if name in self.free and not self._is_in(name, forms)]
        return forms + [Scores([name], positive=self.constant_class) for name in usual]

    def _listing(self) -> list[Scores]:
        """Columns each of which lists the probabilities, or the logits, of all classes."""
        lists = [name for name in self.free if lists_scores(name, self.first)]
        return [Scores([name], are_logits=bool(known_columns([name], LOGIT))) for name in lists]

    def _adding_up(self) -> list[Scores]:
        """Columns whose rows add up to 1."""
        found = families_of(self.free, self.first, self.labels.present)
        self._refuse_shares(found)
        return [self._of_content(family) for family in found]

    def _called(self, names: Sequence[str], are_logits: bool = False) -> list[Scores]:
        """Single columns with one of some names, whatever they hold, but for the words of predicted classes."""
        positive = None if are_logits else self.constant_class
        named = [
            name
            for name in known_columns(self.free, names)
            if not (is_prediction(name) and all(map(is_word, self.first.column(name))))
        ]
        return [Scores([name], None, are_logits, positive=positive) for name in named]

    def _only(self, forms: list[Scores]) -> Scores:
        """The only form of several columns; of more it is asked which holds the probabilities."""
        if len(forms) == 1:
            return forms[0]
        if all(len(form.columns) > 1 for form in forms):
            raise _two_sets([form.columns for form in forms])
        candidates = [name for form in forms for name in form.columns]
        ways = [{"prob": form.columns[0] if len(form.columns) == 1 else form.columns} for form in forms]
        if len(candidates) == len(forms) and not any(form.are_logits for form in forms):
            ways = self._each_or_all(candidates)
        said = f"each of the columns {listed(candidates)} could hold probabilities"
        raise Unclear(said, *ways, otherwise=f": rename those that do not, or choose by prob={candidates[-1]!r}")

    def _refuse_shares(self, families: list[list[str]]) -> None:
        """Refuse columns that add up to 1, where they may be shares of other things than the classes.

        Their names tell no label, or but a number. They are asked about beside a single column with a name of
        probabilities, and where the labels of many rows are 0 and 1, but there are more columns.
        """
        labels, present = self.labels, self.labels.present
        for family in families if self.choices.classes is None else ():
            hold_truth = (stands_in(plain(labels.name), plain(name)) for name in family)
            are_called = score_level(family[0]) > CONTENT or all(hold_truth)
            are_more = len(family) > 2 and len(labels.codes) >= MANY and set(present) == {"0", "1"}
            are_named = class_parts(family, present) is not None and not are_more
            if are_named and (are_called or numbers_in(family) is None):
                continue
            named = [name for name in single_scores(self.free, self.first) if score_level(name) > CONTENT]
            named = [name for name in named if not is_odds(name) or self.first.unit(name) is not None]
            singles = [name for name in named if not self._is_in(name, [Scores(family)])]
            may_be_classes: list[dict[str, Any]] = [{"prob": family}]
            if len(present) == len(family) and numbers_in(family) is None:
                may_be_classes = [{"prob": family, **order} for order in likely_orders(family, present)]
            if singles:
                raise Unclear(
                    f"{listed(family)} add up to 1, but may be shares of something else than the labels, and "
                    f"{listed(singles)} may hold the probabilities",
                    *({"prob": name} for name in singles[:MOST_ASKED]),
                    *may_be_classes,
                )
            if are_more:
                raise Unclear(
                    f"{listed(family)} add up to 1, but the labels of {labels.name!r} are only 0 and 1: they may be "
                    "shares of something else",
                    *may_be_classes,
                    otherwise=f"; prob={family!r} reads them as the probabilities of {len(family)} classes",
                )

    def _refuse_margins(self) -> None:
        """Ask about columns, as many as classes, whose rows add up to more than 1 as odds do, or to a little less."""
        present = self.labels.present
        for family in families_with_margin(self.free, self.first) if self.choices.positive is None else ():
            if len(family) == len(present):
                orders = [{}] if class_parts(family, present) else likely_orders(family, present)
                is_short = self.first.holds(lambda *held: falls_short(np.column_stack(held)), numbers=family)
                of_odds = "more than 1 by about the same, as with the margin of a bookmaker"
                what = "1 or a little less, as where rare outcomes are left out" if is_short else of_odds
                raise Unclear(
                    f"rows of {listed(family)} add up to {what}: normalize=True rescales them",
                    *({"prob": family, "normalize": True, **order} for order in orders),
                )

    def _is_in(self, name: str, forms: list[Scores]) -> bool:
        """Whether a column is one of those of a family once more, or the largest of them in each row."""
        columns = [column for form in forms for column in form.columns]
        return len(columns) > 1 and self.first.holds(_is_one_or_largest, numbers=[name, *columns])

    def _single(self) -> list[Scores]:
        """The only single column that may hold the probabilities; several different ones are asked about."""
        self._refuse_margins()
        different: list[str] = []
        for name in single_scores(self.free, self.first):
            if not any(self.first.holds(same_scores, numbers=[name, other]) for other in different):
                different.append(name)
        if len(different) > MOST_ASKED:  # of which the first are named
            truth = self.labels.codes == self.labels.values.index(self.labels.present[-1])
            different.sort(key=lambda name: -strength(self.first.number(name), truth))
        refuse_odds(different, self.columns, self.first)
        if len(different) > 1:
            count = len(different) if len(different) > 2 else "two"
            hold = "hold confidences" if all(map(says_confidence, different)) else "may hold the probabilities"
            raise Unclear(
                f"{count} columns {hold}",
                *self._each_or_all(different),
                otherwise=f": {listed(different)}; prob={different[0]!r}, or another one, chooses",
            )
        return [self._alone(name) for name in different]

    def _each_or_all(self, columns: Sequence[str]) -> list[dict[str, Any]]:
        """The options that read one of some columns of probabilities, and those that read each as that of a model.

        Where a column lacks some, its rows have to be left out.
        """
        held = {name: self.first.number(name) for name in columns}
        lacks = {name for name, values in held.items() if values is not None and np.isnan(values).any()}
        drop: dict[str, Any] = {"missing": "drop"} if self.choices.can_drop else {}
        every = [{"model": list(columns)} | (drop if lacks else {})] if len(columns) <= MOST_SIDE_BY_SIDE else []
        return [*({"prob": name} | (drop if name in lacks else {}) for name in columns[: MOST_ASKED - 1]), *every]

    def _alone(self, name: str) -> Scores:
        """A single column as probabilities or log-odds; one that may be something else is refused."""
        values, label = self.first.number(name), self.labels.name
        assert values is not None
        refuse_sums_below(name, values, self.first)
        if plain(name) in LOGIT and not is_unit(values):
            return Scores([name], are_logits=True, positive=self._own_class(name))
        if may_be_unbounded(name) and not is_unit(values):
            said = f"{name!r} may hold log-odds, or a margin: logits={name!r} takes its sigmoid, "
            raise Unclear(f"{said}which is right for log-odds, not for the margin of an SVM", {"logits": name})
        if plain(name) in MARGINS and plain(name) != "fitted" and is_unit(values):
            said = (
                f"{name!r} may hold a margin or log-odds: prob={name!r} reads it as a probability, as it is from 0 to 1"
            )
            raise Unclear(said, {"prob": name}, {"logits": name})
        is_percent = are_percents(name, values) or self.choices.normalize
        if is_hundred(values, name) and len(values) >= MANY and not is_percent:
            raise Unclear(
                f"{name!r} goes from {np.nanmin(values):g} to {np.nanmax(values):g}: where these are per cent, and no "
                "points of a score, normalize=True divides them by 100",
                {"prob": name, "normalize": True},
            )
        goes = goes_with_scores(label, [name], self.first) if score_level(name) == CONTENT else None
        if goes is False or score_level(name) < CONTENT:
            but = f"they do not go with {label!r}" if goes is False else "its name says something else"
            said = f"only its numbers say that {name!r} may hold probabilities, and {but}"
            raise Unclear(said, *({"prob": column} for column in (name, *self._complements(name))))
        return Scores([name], positive=self._own_class(name))

    def _of_content(self, family: list[str]) -> Scores:
        """Columns whose rows add up to 1: their classes are what varies in their names, or the labels number them."""
        present, k = self.labels.present, len(family)
        parts = self._parts(family, present)
        if parts is not None:
            order = sorted(parts, key=int) if all(part.isdecimal() for part in parts) else parts
            column_of = dict(zip(parts, family, strict=True))
            return Scores([column_of[name] for name in order], order)
        varying, numbers = varying_parts(family), numbers_in(family)
        are_numbers = all(value.isdecimal() for value in present)
        in_order = None
        if numbers is not None and sorted(numbers) == list(range(k)):
            in_order = [name for _, name in sorted(zip(numbers, family, strict=True))]
        if self.choices.classes is not None and in_order is not None:
            return Scores(in_order, list(self.choices.classes))
        if are_numbers and in_order is not None and max(map(int, present)) < k:
            return Scores(in_order)
        has_numbers = any(re.search(r"\d", name) for name in varying or ())  # which may be those of other labels
        is_alphabetical = k > 2 and varying is not None and varying == sorted(varying)  # of two, 1 is the event mostly
        if are_numbers and numbers is None and varying is not None and is_alphabetical and not has_numbers:
            least, most = min(map(int, present)), max(map(int, present))
            if most < k:
                return Scores(family, varying)
            if least == 1 and most == k:
                self.account.say(f"the labels number the classes {listed(varying)} from 1")
                return Scores(family, [str(i + 1) for i in range(k)])
        said = f"nothing says which of {listed(family)} is of which class"
        others = [alike for alike in families_of(self.free, self.first) if len(alike) == k and alike != family]
        raise Unclear(
            said,
            *(
                {"prob": f, **order}
                for f in [family, *others]
                if len(present) == k
                for order in likely_orders(f, present)
            ),
            otherwise=f": classes=[...] names the {k} classes in the order of these columns, and prob={family!r} these",
            by_means=True,
        )

    def _parts(self, family: list[str], values: Sequence[str]) -> list[str] | None:
        """The class that the name of each column tells; None where these do not agree with the name of the truth.

        Of two columns one, alone, may say the opposite of that, and the other not: `p_died` beside `survived`. Those
        that are named after the labels need no such comparison.
        """
        parts, pair = class_parts(family, values), pair_of(values)
        own = {part.casefold() for part in varying_parts(family) or ()}
        if len(family) != 2 or pair is None or {value.casefold() for value in values} <= own:
            return parts
        of_other = [names_other(name, self.labels.name, pair[1]) for name in family]
        by_truth = [pair[not is_other] for is_other in of_other] if sum(of_other) == 1 else None
        return parts if by_truth is None or parts == by_truth else by_truth if parts is None else None

    def _is_after_truth(self, name: str) -> bool:
        """Whether a name of a probability or a score has a word of the truth, as `churn_prob` beside `churn`."""
        said = {word for word in words(self.labels.name) if len(word) >= LEAST_INSIDE} - OUTCOME_WORDS
        return bool(said & {*words(name)}) and (score_level(name) >= WORD or "score" in words(name))

    def _refuse_rivals(self, scores: Scores) -> None:
        """Ask about other columns that may as well hold the probabilities: a family, or a single one of such a name."""
        columns, first, ours = self.columns, self.first, set(scores.columns)
        units = first.units(columns)
        if scores.are_logits or not ours <= units.keys() or len(units[scores.columns[0]]) < MANY:
            return
        others = [name for name in units if name not in ours]
        rivals: list[str | list[str]] = [*families_of(others, first, self.labels.present)]
        in_families = {name for family in rivals for name in family}
        for name in others:
            is_named = any(known_columns([name], names) for names in SCORES)
            is_better = len(scores.columns) == 1 and score_level(scores.columns[0]) > KNOWN  # than words in names
            if len(self.labels.present) == 2 and not is_better:  # of more, a single column is none
                is_named = score_level(name) >= WORD
            is_named = is_named or (self._is_after_truth(name) and not any(map(self._is_after_truth, ours)))
            if name in in_families or not is_named:
                continue
            if not first.holds(_is_one_or_largest, numbers=[name, *scores.columns]):
                rivals.append(name)
        rivals += [name for name in columns if name not in ours and lists_scores(name, first)]
        sets = [scores.columns[0] if len(scores.columns) == 1 else scores.columns, *rivals]
        single = [columns for columns in sets if isinstance(columns, str)]
        if len(single) < len(sets) and rivals:
            raise _two_sets(sets)
        if rivals:
            raise Unclear("two columns may hold the probabilities", *self._each_or_all(single))

    def _families(self, prefixes: Sequence[str], columns: list[str] | None = None) -> list[Scores]:
        """Columns, by default free ones, with one prefix and the name or number of a class each."""
        families = []
        among = self.free if columns is None else columns
        for prefix in prefixes:
            family = [name for name in among if name.casefold().startswith(prefix) and len(name) > len(prefix)]
            own = [name for name in family if name[len(prefix) :] in self.labels.present]
            if self.first.holds(adds_up, numbers=own) and not self.first.holds(adds_up, numbers=family):
                family = own  # without others of this form, such as the largest of a row
            scores = self._family(family, prefix)
            families += [] if scores is None else [scores]
        return families

    def _family(self, family: list[str], prefix: str) -> Scores | None:
        present, chosen, are_logits = set(self.labels.present), self.choices.classes, prefix in LOGIT_PREFIXES
        suffixes = [name[len(prefix) :] for name in family]
        numbers = {suffix: name for suffix, name in zip(suffixes, family, strict=True) if suffix.isdecimal()}
        if numbers and (len(numbers) == len(family) or not present <= set(suffixes)):
            from_0, from_1 = ([str(k + least) for k in range(len(numbers))] for least in (0, 1))
            if len(numbers) > 1 and numbers.keys() == {*from_0}:
                return Scores([numbers[k] for k in from_0], list(chosen) if chosen else None, are_logits)
            if len(numbers) > 1 and numbers.keys() == {*from_1} and (chosen or present <= {*from_1}):
                return Scores([numbers[k] for k in from_1], list(chosen or from_1), are_logits)
            if len(numbers) > 1 and present == set(numbers):
                return Scores(list(numbers.values()), list(numbers), are_logits)
            if set(numbers) == {"1"}:
                return Scores([numbers["1"]], None, are_logits)
            raise self._lacks_number(family, numbers, prefix)
        if len(family) > 1 and present <= set(suffixes):
            return Scores(family, suffixes, are_logits)
        if len(family) == 1 and len(present) == 2 and present >= set(suffixes):
            return Scores(family, None, are_logits, positive=suffixes[0])
        return None

    def _lacks_number(self, family: list[str], numbers: dict[str, str], prefix: str) -> Unclear:
        """The question about numbered columns of which one is not there."""
        are_several = len(numbers) > 1
        lacking = next(k for k in range(len(numbers) + 1) if str(k) not in numbers)
        name = f"{family[0][: len(prefix)]}{lacking}"
        way = f"classes={sorted(numbers)}" if are_several else f"prob={family[0]!r} and positive=..."
        said = f"the column {name!r} is missing: found {listed(numbers.values())}; {way} reads what is there"
        from_0 = {str(k) for k in range(len(numbers))}
        ways: list[dict[str, Any]] = [{"classes": sorted(numbers)} if are_several else {"prob": family[0]}]
        in_order = [numbers[k] for k in sorted(numbers, key=int)]
        if are_several and "1" in numbers and self.first.holds(_descend, numbers=in_order):
            said = f"{listed(in_order)} descend in each row, as the probabilities of its likeliest classes do"
            return Unclear(f"{said}: prob={in_order[0]!r} reads the first", {"prob": in_order[0]})
        if set(self.labels.present) <= from_0 and len(numbers) == len(family) > 1:  # from 1, but the labels from 0
            ways.append({"prob": in_order, "classes": sorted(from_0, key=int)})
        return Unclear(said, *ways)


def _lies_above(value: str, held: Labels, score: NDArray[np.float64]) -> bool:
    """Whether the scores of one of two values of a column are larger than those of the other in every row."""
    if value not in held.present or len(held.present) != 2:
        return False
    is_it = held.codes == held.values.index(value)
    return splits(is_it, score) and bool(score[is_it].min() > score[~is_it].max())


def _is_one_or_largest(own: NDArray[np.float64], *others: NDArray[np.float64]) -> bool:
    """Whether a column is one of others once more in every row, or the largest of them; a complement is one of two."""
    every = [*others, 1 - others[0]] if len(others) == 1 else others
    return any(equal(own, other) for other in [*every, np.max(every, axis=0)])


def _descend(*columns: NDArray[np.float64]) -> bool:
    """Whether no row of many has a larger number than in the column before."""
    return len(columns[0]) >= MANY and bool((np.diff(columns, axis=0) <= 0).all())


def _two_sets(sets: Sequence[str | list[str]]) -> Unclear:
    """The question which of some columns, or of families of them, hold the probabilities."""
    named = " or ".join(listed([columns] if isinstance(columns, str) else columns) for columns in sets)
    return Unclear(f"two sets of columns may hold the probabilities, {named}", *({"prob": columns} for columns in sets))


def refuse_hidden_class(probs: NDArray[np.float64], chosen: list[str], fields: dict[str, NDArray[Any]]) -> None:
    """Refuse to guess whether a column of probabilities is a field or a class that no label names."""
    numeric = [
        name
        for name, column in fields.items()
        if column.dtype.kind in "if" and ((column >= 0) & (column <= 1 + ROW_SUM_TOLERANCE)).all()
    ]
    off = np.abs(probs.sum(axis=1) - 1) > ROW_SUM_TOLERANCE
    if numeric and off.any():
        i = int(np.argmax(off))
        said = (
            f" of the columns that the labels name, {listed(chosen)}, sums to {probs[i].sum():.6g}; if classes "
            f"that no label names are among {listed(numeric)}, {WAY_OUT}"
        )
        whole = [
            more
            for more in (numeric, *([name] for name in numeric))
            if adds_up(*probs.T, *(fields[name] for name in more))
        ]
        raise Unclear(RowError("row ", i, said), *({"classes": [*chosen, *more]} for more in whole))
