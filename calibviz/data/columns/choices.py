"""Options by which a user explains a file, and the account of what was assumed where there was none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...foundation import validation
from ...foundation.validation import RowError, listed
from ...foundation.written import counted
from ..safeguards import number_of_bytes
from ..survival import horizon_of

Arguments = dict[str, Any]
"""Arguments of `Predictions` by name."""

MISSING_CHOICES = ("raise", "drop")
#: The options of outcomes at a horizon, of which the first two name columns that all others need.
OF_HORIZON = ("time", "event", "horizon", "by", "event_of", "censored")
MAY_BE_CENSORED, WAY_TO_HORIZON = "may be censored", "; at a horizon: "  # what is said of labels beside a time
NOBODY = ""  # as the option `censored`: all rows were followed to the end
NO_WEIGHT = ""  # as the option `weight`: no column holds the weights of the samples


class InMemory:
    """A table in memory as an option; two are the same only if they are one."""

    def __init__(self, table: Any) -> None:
        self.table = table


@dataclass(frozen=True)
class OneModel:
    """One of the models in a source of several: `of` is the option `model` that tells them apart."""

    of: str | tuple[str, ...]
    name: str


@dataclass(frozen=True)
class ReadingOptions:
    """The options of `calibviz.read_predictions`, which describes them."""

    label: str | None = None
    prob: str | tuple[str, ...] | None = None
    positive: str | None = None
    logits: str | tuple[str, ...] | None = None
    weight: str | None = None
    classes: tuple[str, ...] | None = None
    sep: str | None = None
    decimal: str | None = None
    missing: str = "raise"
    normalize: bool = False
    ignore: tuple[str, ...] | None = None
    fields: tuple[str, ...] | None = None
    cluster: str | Literal[False] | None = None
    time: str | None = None
    event: str | None = None
    horizon: float | None = None
    by: str | None = None
    event_of: str | None = None
    censored: str | None = None
    truth: Any = None
    model: str | tuple[str, ...] | OneModel | None = None  # of which no user passes the last
    sheet: str | None = None
    limit: str | int | None = None

    #: Whether the caller has the option `missing` to pass.
    can_drop: ClassVar[bool] = True
    #: How a column that was taken for weights, since it is named so, is read as a field instead.
    as_field: ClassVar[str] = f"which weight={NO_WEIGHT!r} makes a field"
    #: Whether the columns themselves are wanted, since they hold the truth of another source.
    as_table: ClassVar[bool] = False

    @classmethod
    def checked(cls, **given: Any) -> ReadingOptions:
        """The options that a user passes, each checked by itself; others have their defaults."""
        given = {entry.name: entry.default for entry in fields(cls)} | given
        for name in ("label", "weight", "sep", "decimal", "sheet", "time", "event", "by"):
            if given[name] is not None:
                validation.text(given[name], name)
        given["cluster"] = validation.cluster_name(given["cluster"])
        for name in ("prob", "logits", "model"):
            given[name] = _names(given[name], name)
        for name in ("prob", "logits"):
            if given[name] is not None and isinstance(given["model"], tuple):
                raise ValueError(f"model={list(given['model'])!r} names columns of probabilities: leave {name} out")
        if given["prob"] is not None and given["logits"] is not None:
            raise ValueError(f"logits={given['logits']!r} and prob={given['prob']!r} exclude each other: keep one")
        if given["positive"] is not None:
            if isinstance(given["positive"], list | tuple | dict | set | np.ndarray):
                raise TypeError(f"positive must be the name or number of one class, not {given['positive']!r}")
            given["positive"] = as_text(given["positive"])
        if given["classes"] is not None:
            if isinstance(given["classes"], str):
                raise TypeError(f"classes must be a list of class names, not the text {given['classes']!r}")
            names = [as_text(name) for name in validation.listing(given["classes"], "classes", "class names")]
            validation.refuse_repeats("classes", names)
            if len(names) < 2:
                raise ValueError(f"classes must name at least two classes, not {names!r}")
            given["classes"] = validation.class_names(names, len(names))
        for name in ("sep", "decimal"):
            if given[name] is not None and not (len(given[name]) == 1 and given[name].isascii()):
                raise ValueError(f"{name} must be a single sign of ASCII, such as ';' or ',', not {given[name]!r}")
        if given["decimal"] not in (None, ".", ","):
            raise ValueError(f"decimal must be '.' or ',', not {given['decimal']!r}")
        if given["decimal"] is not None and given["decimal"] == given["sep"]:
            raise ValueError(f"sep and decimal are both {given['sep']!r}: one sign cannot be both")
        if given["ignore"] is not None:
            ignored = [as_text(value) for value in validation.several(given["ignore"])]
            if not ignored:
                raise ValueError("ignore must name at least one value of the labels")
            given["ignore"] = tuple(dict.fromkeys(ignored))
        if given["fields"] is not None:
            given["fields"] = tuple(validation.text(name, "fields") for name in validation.several(given["fields"]))
            validation.refuse_repeats("fields", given["fields"])
        _check_follow_up(given)
        if isinstance(given["truth"], str | PathLike):
            given["truth"] = str(validation.path(given["truth"], "truth"))
        elif given["truth"] is not None:
            given["truth"] = InMemory(given["truth"])
        validation.choice(given["missing"], "missing", MISSING_CHOICES)
        validation.truth(given["normalize"], "normalize")
        number_of_bytes(given["limit"])
        return cls(**given)

    @property
    def names_truth(self) -> bool:
        """Whether an option names the column of what was true, or of what happened by a horizon."""
        return self.label is not None or self.event is not None

    @property
    def given(self) -> dict[str, Any]:
        """The options that differ from their defaults, as they stand in a call."""
        values = {entry.name: (getattr(self, entry.name), entry.default) for entry in fields(self)}
        if isinstance(self.model, OneModel):
            values["model"] = self.model.of, None
            if isinstance(self.model.of, tuple):
                values["prob"] = None, None
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, (value, default) in values.items()
            if value != default
        }

    def of_model(self, name: str) -> ReadingOptions:
        """Return the options that read one of the models that the option `model` tells apart."""
        assert isinstance(self.model, str | tuple)
        column = name if isinstance(self.model, tuple) else self.prob
        return replace(self, model=OneModel(self.model, name), prob=column)

    def changed(self, **given: Any) -> ReadingOptions:
        """Return these options with some changed."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        return replace(self, **values)


def _check_follow_up(given: dict[str, Any]) -> None:
    """Check the options of outcomes at a horizon, of which columns must name times and events, in place of labels."""
    named = [name for name in OF_HORIZON if given[name] is not None]
    for name in ("event_of", "censored"):
        if name in named:
            if not isinstance(given[name], str | bool | int | float | np.generic):
                raise TypeError(f"{name} must be one of the values of event, not {validation.shown(given[name])}")
            given[name] = as_text(given[name])
    if "horizon" in named:
        horizon = horizon_of(given["horizon"])
        given["horizon"] = int(horizon) if horizon.is_integer() else horizon
    lacking = [name for name in ("time", "event") if name not in named]
    if named and lacking:
        means = {"time": "the column of when follow-up ended", "event": "the column of what ended it"}
        raise ValueError(
            f"{named[0]}={given[named[0]]!r} is for outcomes at a horizon, which need {lacking[0]}='...', "
            f"{means[lacking[0]]}, as well"
        )
    for name in ("label", "ignore"):
        if named and given[name] is not None:
            raise ValueError(f"{name}={given[name]!r} and event={given['event']!r} exclude each other: keep one")


def _names(value: Any, argument: str) -> str | tuple[str, ...] | None:
    if value is None or isinstance(value, str):
        return value
    names = tuple(validation.text(name, argument) for name in validation.listing(value, argument, "names of columns"))
    if len(names) < 2:
        raise ValueError(f"{argument} must be one name, or the names of at least two columns, not {list(names)!r}")
    validation.refuse_repeats(argument, names)
    return names


@dataclass
class Account:
    """The account of a reader: what it assumed about a source, and where the rows that it kept stand there."""

    #: What speaks against a reading that options ask for: the line begins with it.
    doubts: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)  # what stands for what, and the means; empty before it is known
    recognised: list[str] = field(default_factory=list)  # what was known by its name, where `taken` does not say it
    assumed: list[str] = field(default_factory=list)  # what else was assumed or done
    #: What each column or array was taken for, such as "label"; those that are not there are fields, or `left`.
    roles: dict[str, str] = field(default_factory=dict)
    kept: NDArray[np.intp] | None = None  # the numbers of the rows that were kept; None where all are
    #: Columns that are not read, since each of their entries holds several things.
    unread: list[str] = field(default_factory=list)
    #: The numbers of the rows in the source, where some of its records are none; None where all are.
    places: NDArray[np.intp] | None = None
    line: Callable[[int], int | None] | None = None  # the line of a text at which a row ends
    #: Columns of a table that may hold the truth where another was taken for it, the likeliest first.
    rivals: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)  # columns that are not even fields, such as ids
    #: Those of them that say something of single rows: ids, and texts that differ in each.
    notes: list[str] = field(default_factory=list)
    #: Whether the probabilities are written with per cent signs, so that they were divided by 100.
    has_percent_signs: bool = False
    are_turned: bool = False  # whether the probability of the second class is 1 minus that in the source
    is_of_one_class: bool = False  # whether a single column holds the probabilities of one class
    #: What a column says of wrong and of right answers, in this order; empty where none says so.
    answers: list[str] = field(default_factory=list)
    #: How to judge outcomes at a horizon that may be censored and were read as labels; empty where none may be.
    censoring: str = ""
    #: Opens another source as a table, which may hold the truth; None where that is not possible.
    table_of: Callable[[Any], Any] | None = None

    def named(self, *roles: str) -> list[str]:
        """The columns or arrays that were taken for some roles."""
        return [name for name, role in self.roles.items() if role in roles]

    def say(self, text: str) -> None:
        """Add an assumption; the same one is said once."""
        if text not in self.assumed:
            self.assumed.append(text)

    @property
    def lacks(self) -> str:
        """Words of columns that are not read, for an error where none of the others holds what is looked for."""
        return (
            f"; {listed(self.unread)}, not read, may: write each part into a column of its own" if self.unread else ""
        )

    @property
    def about(self) -> dict[str, str]:
        """The account of what was taken and assumed as an entry of `Predictions.about`; empty where nothing was."""
        parts = [*self.doubts, *(self.taken or self.recognised), *self.assumed]
        censoring = {"censoring": self.censoring} if self.censoring else {}
        return ({"assumed": "; ".join(parts)} if parts else {}) | censoring

    def take(self, role: str, *names: str | None) -> None:
        """Note what columns or arrays were taken for."""
        self.roles |= dict.fromkeys((name for name in names if name is not None), role)

    def leave_out(self, left: NDArray[np.bool_], which: str) -> NDArray[np.intp]:
        """Note that some of the rows kept so far are left out; the numbers of the others."""
        rows = np.flatnonzero(~left)
        self.say(f"{counted(len(left) - len(rows), 'row')} {which} left out")
        self.kept = rows if self.kept is None else self.kept[rows]
        return self.kept

    def placed(self, error: Exception) -> Exception:
        """Return the error with the row, or the line of a text, as it is counted in the source."""
        if isinstance(error, Unclear) and isinstance(error.said, RowError):
            return Unclear(str(self.placed(error.said)), *error.ways, otherwise=error.otherwise)
        if not isinstance(error, RowError):
            return error
        if len(columns := self.named("probability") or self.named("logit")) > 1:  # in a table, one for each class
            error = error.of_columns(columns)
        row = error.row if self.kept is None else int(self.kept[error.row])
        row = row if self.places is None else int(self.places[row])
        line = None if self.line is None else self.line(row)
        return error.moved(row - error.row) if line is None else error.at_line(line)


def as_text(value: Any) -> str:
    """A name of a class as text; a whole number has no fraction."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return value.decode() if isinstance(value, bytes) else str(value)


class Unclear(ValueError):
    """The error of a source that is unclear, with options each of which may settle it, the likeliest first.

    The message is the first line of a question; `questions` adds a line for each reading that is consistent. It may be
    that of a row, whose place the source knows. With `by_means` the ways have no order of their own: those come first
    whose means of what is predicted and of what is observed are the closest.
    """

    def __init__(
        self, said: str | RowError, *ways: dict[str, Any], otherwise: str = "", by_means: bool = False
    ) -> None:
        super().__init__(str(said))
        self.said, self.ways, self.otherwise, self.by_means = said, ways, otherwise, by_means

    def refused(self) -> ValueError:
        """The error to raise where there is no source that each of the ways could be tried on."""
        ways = [", ".join(f"{name}={value!r}" for name, value in way.items()) for way in self.ways]
        return ValueError(f"{self}: pass {' or '.join(ways)}" if ways else f"{self}{self.otherwise}")


@dataclass(frozen=True)
class Reading:
    """One of the readings of a source that are consistent."""

    options: dict[str, Any]  # those of `calibviz.read_predictions` that open the source in this way, all of them
    gives: str  # what is predicted and observed then, on average
    #: What is taken for what, with these means, as `Predictions.about` says it once the source is read; empty where
    #: these options leave something open, which is asked next.
    line: str
    #: What each column is taken for, such as "label" or "P(cat)"; those that are not there are fields.
    roles: dict[str, str]
    class_names: tuple[str, ...]  # empty where the probabilities are confidences
    #: The shares of 1 in `gives`; None where these options leave something open.
    means: tuple[float, float] | None = None
    order: str = ""  # what the higher numbers go with, and how surely; empty where that is not known


class Question(ValueError):
    """A question about a source that is unclear, with each consistent reading, the likeliest first."""

    def __init__(self, said: str, readings: Sequence[Reading]) -> None:
        super().__init__(said, readings)
        self.said, self.readings = said, list(readings)

    @property
    def lines(self) -> list[tuple[dict[str, Any], str]]:
        """The options of each reading, and what they give."""
        return [(reading.options, reading.gives) for reading in self.readings]

    def __str__(self) -> str:
        options = [", ".join(f"{name}={value!r}" for name, value in given.items()) for given, _ in self.lines]
        width = max(map(len, options), default=0)
        shown = [
            f"  {way:<{width}}    {gives}{', by cv.read_models' * ('model' in given)}"
            for way, (given, gives) in zip(options, self.lines, strict=True)
        ]
        return "\n".join([self.said, *shown])

    def of(self, place: str) -> Question:
        """Return the question of a named source, such as a file."""
        return Question(f"{place}: {self.said}", self.readings)


class SeveralModels(ValueError):
    """The error of a source of several models that is read as that of one; `of` is the option that tells them apart."""

    def __init__(self, of: str | tuple[str, ...], models: Sequence[str]) -> None:
        self.models = list(models)
        if isinstance(of, str):
            said, given = f"{of!r} names {len(self.models)} models, {listed(self.models)}", repr(of)
        else:
            said, given = f"each of {listed(of)} holds the probabilities of a model", repr(list(of))
        super().__init__(f"{said}: cv.read_models(..., model={given}) reads each of them")


class OfTruth(ReadingOptions):
    """The options of a table that holds the truth of another one."""

    as_table = True


class NoOptions(ReadingOptions):
    """The options of a caller who has none to pass."""

    can_drop = False
    as_field = "which under another name is a field"
