"""Tables to draw: frozen records of text, shades and explanations, for any library that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Column:
    """A heading, and what it means."""

    text: str
    why: str = ""


@dataclass(frozen=True)
class Cell:
    """One entry of a table.

    Attributes
    ----------
    text : str
        What it says, whatever else it shows; of a picture, what it shows.
    shade : float, optional
        Colour of its background, from 0, dark, to 1, light.
    bar : float, optional
        Length of a thin bar below the text, from 0 to 1.
    picture : str
        ``data:`` URL of a small image, shown instead of the text.
    below : str
        Shown in small print below the text, line by line.
    faint : bool
        Whether the text is grey: no more than noise. What stands below says so in words.
    why : str
        What it means, for a reader who points at it.

    Raises
    ------
    ValueError
        Where `shade` or `bar` is not in [0, 1], or `picture` is not an image's ``data:`` URL.
    """

    text: str
    shade: float | None = None
    bar: float | None = None
    picture: str = ""
    below: str = ""
    faint: bool = False
    why: str = ""

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
class Table:
    """A table of one thing.

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
        What the table shows, in words.
    note : str
        Shown below it.
    current : (row, column), optional
        The cell that the other pictures are about; with None for one of them a whole row or column.
    clickable : {"", "rows", "cells"}
        What a reader can choose in it. Headings of rows are no cells in this sense.

    Raises
    ------
    ValueError
        Where a row does not have one cell for each column, `current` lies outside the table, or `clickable` is
        something else.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    alt: str
    note: str = ""
    current: tuple[int | None, int | None] | None = None
    clickable: Literal["", "rows", "cells"] = ""

    def __post_init__(self) -> None:
        if self.clickable not in ("", "rows", "cells"):
            raise ValueError(f"clickable must be '', 'rows' or 'cells', got {self.clickable!r}")
        for i, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"rows[{i}] has {len(row)} cells in a table of {len(self.columns)} columns")
        if self.current is not None:
            for name, at, size in zip(
                ("row", "column"), self.current, (len(self.rows), len(self.columns)), strict=True
            ):
                if at is not None and not 0 <= at < size:
                    raise ValueError(f"current {name} {at} is outside the table, which has {size}")
