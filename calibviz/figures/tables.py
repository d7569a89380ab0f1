"""Records of tables with shades and explanations, which any library can draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Column:
    """The heading of a column, and its explanation."""

    text: str
    why: str = ""
    sort: Literal["", "none", "ascending", "descending"] = ""  # how the rows are sorted by it; "" where they cannot be
    # Places, from 0 to 1, and labels on the one axis of all strips of the column, if it has one.
    ticks: tuple[tuple[float, str], ...] = ()
    sides: tuple[str, str] = ("", "")  # what lies to the left and to the right of the mark of such an axis


@dataclass(frozen=True)
class Strip:
    """An interval as a small picture: a line with a dot, above a mark of what it is compared with.

    Places are from 0, left, to 1, right; others raise a `ValueError`.
    """

    low: float
    value: float
    high: float
    middle: float = 0.5  # of the mark
    hollow: bool = False  # whether the dot is open, since the value is within noise
    origin: float | None = None  # where the grey area of noise begins, which ends at the mark
    # The colour: the model as it is, what is recalibrated, what is beyond noise, or what judges nothing.
    of: Literal["before", "after", "stands", "unjudged"] = "before"
    outer: tuple[float, float] | None = None  # the ends of a thinner, wider interval
    is_first: bool = False  # whether it is the one that is spoken of: a diamond in place of the dot

    def __post_init__(self) -> None:
        places = {name: getattr(self, name) for name in ("low", "value", "high", "middle")}
        places |= dict(zip(("outer[0]", "outer[1]"), self.outer or (), strict=False))
        for name, place in places.items():
            if not 0 <= place <= 1:
                raise ValueError(f"{name} of a strip must be between 0 and 1, got {place}")


@dataclass(frozen=True)
class Cell:
    """One entry of a table."""

    text: str  # of a picture, its description
    shade: float | None = None  # of its background, from 0, dark, to 1, light
    bar: float | None = None  # length of a thin bar below the text, from 0 to 1
    strip: Strip | None = None  # drawn beside the text; a description of it stands in `text` and `below`
    picture: str = ""  # ``data:`` URL of a small image, shown instead of the text
    below: str = ""  # shown in small print below the text, line by line
    faint: bool = False  # whether the text is grey, since the value is within noise, which `below` then has in words
    bold: bool = False  # whether the text is bold, since a test shows the difference that it says
    aside: str = ""  # shown in small print behind the text
    # Whether the text is an observed number that is off beyond noise, what is recalibrated, or what a click does.
    look: Literal["", "off", "after", "button", "pressed"] = ""
    why: str = ""  # an explanation, shown when a reader points at the cell
    choices: tuple[str, ...] = ()  # what the text can become: on screen it is a menu
    # What the cell says, by name and with all digits, for programs: "value", "lower", ...
    numbers: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        for name in ("shade", "bar"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} of the cell {self.text!r} must be between 0 and 1, got {value}")
        if self.picture and not self.picture.startswith("data:image/"):
            raise ValueError(
                f"picture of the cell {self.text!r} must start with 'data:image/', got {self.picture[:40]!r}"
            )


@dataclass(frozen=True)
class Place:
    """The place of a row of a table in pictures of scores and targets, and the classes that it is of."""

    score: float | None = None
    target: float | None = None  # at this score
    low: float | None = None  # where the interval of the target begins
    high: float | None = None
    classes: tuple[int, ...] = ()  # by their index


@dataclass(frozen=True)
class Opened:
    """A row of a table beyond its cells: sentences, and the buttons of one that is open."""

    detail: str = ""  # sentences below it, with marks (`foundation.marked`)
    actions: tuple[str, ...] = ()  # buttons below it while it is open
    said: str = ""  # beside these


@dataclass(frozen=True)
class Table:
    """A table to draw.

    Attributes
    ----------
    name : str
        The same for every table of this kind.
    title : str
        Shown above the table, if not empty.
    columns : tuple of Column
    rows : tuple of tuples of Cell
        One cell for each column; the first is the heading of its row.
    alt : str
        A description in words.
    note : str
        Shown below it.
    current : (row, column), optional
        The cell that the other pictures show; None for the row or column means a whole column or row.
    clickable : {"", "rows", "cells"}
        The parts that a reader can click; headings of rows do not count as cells.
    places : tuple of Place
        What each row is about; or empty.
    first : int
        The first row that can be clicked, after those that others are compared with.
    hint : str
        What a click does, said before the note where there is something to click.
    at_once : int
        How many rows are shown before somebody asks for more; 0 of all.
    opened : tuple of Opened
        One for each row, or empty. A click then opens a row; one is open, the first of them at the start.
    search : str
        What a field to find rows by says as long as it is empty; "" where there is no such field.

    Raises
    ------
    ValueError
        Where a row does not have one cell for each column, `opened` not one entry for each row, `current` lies outside
        the table, or `clickable` is something else.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    alt: str
    note: str = ""
    current: tuple[int | None, int | None] | None = None
    clickable: Literal["", "rows", "cells"] = ""
    places: tuple[Place, ...] = ()
    first: int = 0
    hint: str = ""
    at_once: int = 0
    opened: tuple[Opened, ...] = ()
    search: str = ""

    @property
    def has_axis(self) -> bool:
        """Whether the strips of a column share an axis, so that the table is a picture as well."""
        return any(column.ticks for column in self.columns)

    def __post_init__(self) -> None:
        if self.clickable not in ("", "rows", "cells"):
            raise ValueError(f"clickable must be '', 'rows' or 'cells', got {self.clickable!r}")
        if self.opened and len(self.opened) != len(self.rows):
            raise ValueError(f"opened has {len(self.opened)} entries for {len(self.rows)} rows")
        for i, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"rows[{i}] has {len(row)} cells in a table of {len(self.columns)} columns")
        if self.current is not None:
            for name, at, size in zip(
                ("row", "column"), self.current, (len(self.rows), len(self.columns)), strict=True
            ):
                if at is not None and not 0 <= at < size:
                    raise ValueError(f"current {name} {at} is outside the table, which has {size}")
