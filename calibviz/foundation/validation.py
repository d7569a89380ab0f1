"""Checks of names, numbers and choices that a user passes in.

Each function returns the checked value in the form that the package works with, or raises a `TypeError` or `ValueError`
that names the argument, the value and its place. `arrays` does the same for large arrays.
"""

from __future__ import annotations

import math
import numbers
import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

# Unicode: controls, formats, surrogates, line separators, and signs without a meaning, by which sentences are marked
INVISIBLE_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp", "Co")
JOINERS = "\u200c\u200d"  # invisible, but part of the spelling of some languages and of some emoji
FEW = 8  # words to choose from: of more, a message names the closest
MOST_COMPARED = 5_000  # words with one that is unknown: more take seconds
LARGEST_COUNT = 10**9  # of bins, samples, replicates, ...
LONGEST_VALUE = 300  # characters of a value in a message


def listed(names: Iterable[Any], most: int = 8) -> str:
    """Names for a message, the first few of many."""
    names = [repr(name) for name in names]
    return ", ".join(names[:most]) + (f", ... ({len(names)} in all)" if len(names) > most else "")


def class_names(value: Iterable[Any] | None, classes: int) -> tuple[str, ...]:
    """K different class names; by default the class numbers."""
    if value is None:
        return tuple(str(i) for i in range(classes))
    if isinstance(value, str):
        raise TypeError(f"class_names must be a list of {classes} names, not the text {shown(value)}")
    names = tuple(texts(listing(value, "class_names", "names"), "class_names["))
    if len(names) != classes:
        raise ValueError(f"class_names has {len(names)} names, but there are {classes} classes")
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            raise ValueError(f"class_names[{i}] repeats the name {name!r}")
        if not name or name != name.strip():
            raise ValueError(f"class_names[{i}] is {name!r}: a name cannot be empty or begin or end with a blank")
        refuse_invisible(name, f"class_names[{i}] is")
        seen.add(name)
    return names


def refuse_invisible(name: str, where: str) -> None:
    """Refuse a name with invisible signs, such as a line break or a sign that turns the direction of reading."""
    for sign in name:
        if unicodedata.category(sign) in INVISIBLE_CATEGORIES and sign not in JOINERS:
            code = f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".strip()
            raise ValueError(f"{where} {name!r}: a name cannot hold the sign {code}, which is not seen")


class WayOutError(ValueError):
    """An error whose message is a clause without code and, behind it, code that settles it, which no page shows."""

    def __init__(self, clause: str, way_out: str) -> None:
        super().__init__(clause, way_out)
        self.clause = clause
        self.way_out = way_out

    def __str__(self) -> str:
        return f"{self.clause}{self.way_out}"


def clause_of(error: Exception) -> str:
    """The message of an error as a page shows it: without code that settles it."""
    return error.clause if isinstance(error, WayOutError) else str(error)


class RowError(ValueError):
    """An error of one row: the message is `before`, the number of the row, and `after`.

    Of a text, `in_line` follows the number of the line; by default the same as `after`. Of an entry of an array (n, K),
    `entry` is the number of its column, and what is said of it.
    """

    def __init__(
        self, before: str, row: int, after: str, in_line: str | None = None, entry: tuple[int, str] | None = None
    ) -> None:
        super().__init__(before, row, after, in_line, entry)
        self.before, self.row, self.after, self.in_line, self.entry = before, int(row), after, in_line, entry

    def __str__(self) -> str:
        return f"{self.before}{self.row}{self.after}"

    def moved(self, rows: int) -> RowError:
        """Return the error of a row of a larger set, in which so many rows stand before these."""
        return RowError(self.before, self.row + rows, self.after, self.in_line, self.entry)

    def of_columns(self, names: Sequence[str]) -> RowError:
        """Return the error by the name of its column in a table, in place of its number."""
        if self.entry is None:
            return self
        column, said = self.entry
        return RowError("row ", self.row, f" of column {names[column]!r}{said}")

    def at_line(self, line: int) -> ValueError:
        """Return the error of a text, whose lines count from 1."""
        return ValueError(f"line {line:,}{self.after if self.in_line is None else self.in_line}")


def texts(values: Iterable[Any], before: str, after: str = "]", of_rows: bool = True) -> list[str]:
    """Entries as text, also where they are stored as bytes; messages name one as before + its number + after."""
    if of_rows:
        return [decoded(entry, before, i, after) for i, entry in enumerate(values)]
    return [decoded(entry, f"{before}{i}{after}") for i, entry in enumerate(values)]


def decoded(value: Any, before: str, row: int | None = None, after: str = "") -> str:
    """A name as text, also where it is stored as bytes; messages call it before, or before + its row + after."""
    try:
        return value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError:
        said = f"{after} is {value!r}: bytes that are no UTF-8 text"
        raise (ValueError(before + said) if row is None else RowError(before, row, said)) from None


def class_index(value: Any, names: Sequence[str], argument: str = "class") -> int:
    """The index of a class from its name or, where no class has that name, from its number."""
    if isinstance(value, str):
        if value in names:
            return names.index(value)
        if value.isdecimal() and int(value) < len(names):
            return int(value)
    elif isinstance(value, numbers.Integral) and not isinstance(value, bool) and 0 <= int(value) < len(names):
        return int(value)
    hint = did_you_mean(value, names) if isinstance(value, str) else ""
    raise ValueError(f"{argument} {shown(value)} is unknown: the classes are {listed(names)}{hint}")


def partition(
    groups: Mapping[str, Iterable[Any]], names: Sequence[str], argument: str = "groups"
) -> dict[str, tuple[int, ...]]:
    """Named groups as class indices; every class must be in exactly one group."""
    owner: dict[int, str] = {}
    out: dict[str, tuple[int, ...]] = {}
    for group, members in mapping(groups, argument, "lists of classes").items():
        where = f"{argument}[{group!r}]"
        indices = tuple(class_index(c, names, f"{where}: class") for c in class_list(members, group, argument))
        if not indices:
            raise ValueError(f"{where} is empty: every group needs at least one class")
        _refuse_blank(group, argument)
        for c in indices:
            if c in owner:
                raise ValueError(f"{argument} must not overlap: class {names[c]!r} is in {owner[c]!r} and in {group!r}")
            owner[c] = group
        out[group] = indices
    missing = [names[c] for c in range(len(names)) if c not in owner]
    if missing:
        raise ValueError(f"{argument} must hold every class: no group holds the class {listed(missing)}")
    if len(out) < 2:
        raise ValueError(f"{argument} must be at least two groups: a single one holds every class and says nothing")
    return out


def hierarchy(value: Any, names: Sequence[str]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Levels of a class hierarchy by name, each a partition of the classes."""
    levels = mapping({} if value is None else value, "hierarchy", "groups of classes")
    for level in levels:
        _refuse_blank(level, "hierarchy")
    return {level: partition(groups, names, f"hierarchy[{level!r}]") for level, groups in levels.items()}


def _refuse_blank(name: str, argument: str) -> None:
    if not name or name != name.strip():
        raise ValueError(f"{argument} has the name {name!r}: a name cannot be empty or begin or end with a blank")
    refuse_invisible(name, f"{argument} has the name")


def class_list(members: Any, group: str, argument: str = "groups") -> tuple[Any, ...]:
    """The classes of one group, a list and not a text; scalars of NumPy become those of Python."""
    classes = listing(members, f"{argument}[{group!r}]", "classes")
    return tuple(entry.item() if isinstance(entry, np.generic) else entry for entry in classes)


def listing(value: Any, name: str, of: str) -> list[Any]:
    """The entries of a list or another iterable, but not of a text."""
    if is_one(value):
        what = f"the text {shown(value)}" if isinstance(value, str) else shown(value)
        raise TypeError(f"{name} must be a list of {of}, not {what}: write [{shown(value)}]")
    return list(value)


def shown(value: Any) -> str:
    """A value for a message: in one line, and cut off where it is long."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python does not write whole numbers of thousands of digits
        text = f"{type(value).__name__} with too many digits to be written"
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} ..."


def path(value: Any, name: str = "path") -> Path:
    """The path of a file or a folder."""
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a path, as text or pathlib.Path, not {shown(value)}")
    if not text or "\0" in text:
        raise ValueError(f"{name} {text!r} is no path of a file")
    return Path(text)


def mapping(value: Any, name: str, to: str) -> dict[str, Any]:
    """A mapping as a dict with its keys as text; in the message `to` describes its values."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must map names to {to}, as a dict does, not be {shown(value)}")
    out: dict[str, Any] = {}
    for key, entry in value.items():
        text = decoded(key, f"a name in {name}")
        if text in out:
            raise ValueError(f"{name} has the name {text!r} twice")
        out[text] = entry
    return out


def whole_number(value: Any, name: str, least: int, most: int | None = LARGEST_COUNT) -> int:
    """A whole number in [least, most]; by default at most as many as a computer can count through."""
    plain = type(value) is int  # nearly always, and seen much sooner than that a number is integral
    if not plain and (isinstance(value, bool) or not isinstance(value, numbers.Integral)):
        raise TypeError(f"{name} must be a whole number, not {shown(value)}")
    number = int(value)
    if number < least or (most is not None and number > most):
        bounded = most is not None and (most < LARGEST_COUNT or number > most)
        span = f"between {least} and {most}" if bounded else f"at least {least}"
        raise ValueError(f"{name} must be {span}, not {shown(value)}")
    return number


def real_number(value: Any, name: str, low: float, high: float | None = None, open_ends: bool = False) -> float:
    """A finite number in [low, high], or in (low, high) with `open_ends`; without `high`, at least `low`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, not {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf  # type: ignore[operator]  # only whole numbers are so large
    most = np.inf if high is None else high
    inside = low < number < most if open_ends else low <= number <= most
    if not (inside and np.isfinite(number)):
        if high is None:
            raise ValueError(f"{name} must be finite and at least {low:g}, not {shown(value)}")
        ends = "strictly between" if open_ends else "between"
        raise ValueError(f"{name} must lie {ends} {low:g} and {high:g}, not be {shown(value)}")
    return number


def level(value: Any, name: str = "level") -> float:
    """The level of an interval or a test, between 0 and 1."""
    return real_number(value, name, 0.0, 1.0, open_ends=True)


def float_values(value: Any, name: str, ndim: int) -> NDArray[np.float64]:
    """A small array of finite numbers with `ndim` dimensions, none of them empty or masked."""
    if np.ma.is_masked(value):
        raise ValueError(f"{name} holds masked entries: fill them, or leave them out, first")
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be an array of numbers, not {shown(value)}") from None
    if not array.size:
        raise ValueError(f"{name} must not be empty")
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, but its shape is {array.shape}")
    if not np.isfinite(array).all():
        place = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        raise ValueError(f"{name}{place} is {array[tuple(place)]}: every entry must be finite")
    return array


def rng(value: Any) -> int:
    """The seed of random numbers: a whole number, at least 0, or one that a generator, or chance for None, draws.

    A seed serves where several things draw the same numbers, which one generator cannot give twice.
    """
    if value is None:
        value = np.random.default_rng()
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**63))
    try:
        return whole_number(value, "rng", 0, most=None)
    except TypeError as error:
        raise TypeError(f"{error}: pass a whole number, a numpy.random.Generator or None") from None


def draws(seed: Any, progress: Any = False, replicates: Any = 1, share: Any = 0.5, fewest: int = 1) -> int:
    """The seed of draws, of `rng`; what their `progress`, `replicates` or `level`, a share, cannot be is refused."""
    truth(progress, "progress")
    whole_number(replicates, "replicates", fewest)
    level(share)
    return rng(seed)


def is_one(value: Any) -> bool:
    """Whether a value is a text, a number or the like, and no list of several."""
    return isinstance(value, str | bytes) or not isinstance(value, Iterable) or not getattr(value, "ndim", 1)


def several(value: Any) -> list[Any]:
    """One value, or several in a list or another iterable, as a list."""
    return [value] if is_one(value) else list(value)


def choice(value: Any, name: str, allowed: Sequence[str]) -> str:
    """One of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        hint = did_you_mean(value, allowed) if isinstance(value, str) and len(allowed) > FEW else ""
        raise ValueError(f"{name} must be one of {listed(allowed, 60)}, not {shown(value)}{hint}")
    return str(value)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question that names the closest of some names, empty where none is close, or where they are very many."""
    folded = {other.casefold(): other for other in islice(known, MOST_COMPARED + 1)}
    if len(folded) > MOST_COMPARED:
        return ""
    close = get_close_matches(name.casefold(), list(folded), 1)
    return f"; did you mean {folded[close[0]]!r}?" if close else ""


def outcome(value: Any) -> int | str | None:
    """The number or name of an outcome, or None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"outcome must be the number or the name of one, not {shown(value)}")
    return int(value)


def text(value: Any, name: str) -> str:
    """A text."""
    return kind(value, name, str, "text")


def cluster_name(value: Any) -> str | Literal[False] | None:
    """The name of what holds the clusters; False, or no name, says that rows are independent."""
    if value is None:
        return None
    return False if value is False or (isinstance(value, str) and not value) else text(value, "cluster")


def kind(value: Any, name: str, wanted: type | tuple[type, ...], what: str) -> Any:
    """A value that is an instance of `wanted`; in the message `what` describes it."""
    if not isinstance(value, wanted):
        raise TypeError(f"{name} must be {what}, not {shown(value)}")
    return value


def refuse_repeats(name: str, values: Sequence[Any]) -> None:
    """Raise where two labels of a dimension are equal."""
    repeated = [v for v in values if list(values).count(v) > 1]
    if repeated:
        raise ValueError(f"{name} {repeated[0]!r} is given twice: the labels of a dimension must differ")


def truth(value: Any, name: str) -> bool:
    """True or False."""
    return bool(kind(value, name, (bool, np.bool_), "True or False"))


def intervals(value: Any, name: str = "categories") -> dict[str, tuple[float, float]]:
    """Likert categories: ascending cut points [0, 0.33, 1], or names mapped to (low, high)."""
    if isinstance(value, Mapping):
        named = mapping(value, name, "(low, high)")
    elif is_one(value):
        wanted = "cut points such as [0, 0.5, 1], or a dict of names to (low, high)"
        raise TypeError(f"{name} must be {wanted}, not {shown(value)}")
    else:
        cuts = [real_number(cut, f"{name}[{i}]", 0.0, 1.0) for i, cut in enumerate(value)]
        for i, (low, high) in enumerate(pairwise(cuts)):
            if not low < high:
                raise ValueError(f"{name}[{i + 1}] is {high:g}, not above the cut point {low:g} before it")
        named = {f"[{low:.15g}, {high:.15g}]": (low, high) for low, high in pairwise(cuts)}
    if not named:
        raise ValueError(f"{name} needs two cut points or one named category at least")
    return {category: interval(ends, f"{name}[{category!r}]") for category, ends in named.items()}


def interval(ends: Any, name: str) -> tuple[float, float]:
    """A closed interval (low, high) in [0, 1]."""
    pair = tuple(several(ends))
    if len(pair) != 2:
        raise ValueError(f"{name} must be (low, high), not {shown(ends)}")
    low, high = (real_number(end, name, 0.0, 1.0) for end in pair)
    if low > high:
        raise ValueError(f"{name} has its low end {low:g} above its high end {high:g}")
    return low, high
