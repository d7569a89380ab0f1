"""The records: what a picture shows, whatever library draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..engine.bins import Bins
from ..engine.scalar import ScalarProblem

Array = NDArray[np.float64]
Ticks = tuple[tuple[float, str], ...]
Shape = Literal["line", "dots", "line and dots", "area"]
Role = Literal[
    "reference",
    "bins",
    "interval",
    "category",
    "histogram",
    "score",
    "target",
    "gap",
    "map",
    "cloud",
    "knots",
    "rug",
    "before",
    "after",
    "variation before",
    "variation after",
    "smooth",
    "corp",
    "band",
    "chance",
    "cursor",
    "provisional",
    "minimum",
    "handle",
    "selected",
    "overlay 1",
    "overlay 2",
    "overlay 3",
    "overlay 4",
    "extra",
    "bar 1",
    "bar 2",
    "bar 3",
    "bar 4",
    "bar 5",
    "bar 6",
    "error bar",
]

OVERLAYS: tuple[Role, ...] = ("overlay 1", "overlay 2", "overlay 3", "overlay 4")
MOST_OVERLAYS = len(OVERLAYS)


@dataclass(frozen=True, eq=False)
class Series:
    """One set of points of a figure.

    Attributes
    ----------
    name : str
        For the legend; empty where it needs none.
    role : str
        What it stands for.
    shape : {"line", "dots", "line and dots", "area"}
        nan breaks a line; an area is a closed outline, or several with nan between them.
    x, y : ndarray, shape (n,)
    hints : tuple of str
        What each point is, for a reader who points at it; empty where that is not told.
    """

    name: str
    role: Role
    shape: Shape
    x: Array
    y: Array
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Figure:
    """A picture of one thing.

    Attributes
    ----------
    name : str
        The same for every picture of this kind.
    title, x_label, y_label : str
    series : tuple of Series
        In the order in which they are drawn. A figure of one kind always has the same series, empty where there
        is nothing to show, so that a widget can keep its marks.
    alt : str
        What the picture shows, in words.
    x_in_percent, y_in_percent : bool
        Whether `x` and `y` hold shares of 1 that are read as percentages, as errors are.
    x_range, y_range : (float, float)
    x_ticks, y_ticks : tuple of (float, str)
        Places on the axis and what they are called; empty for plain numbers.
    note : str
        What follows from it, in a sentence that stands below it; empty where there is nothing to say.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    alt: str
    x_in_percent: bool = field(default=False, kw_only=True)
    y_in_percent: bool = field(default=False, kw_only=True)
    x_range: tuple[float, float] = (0.0, 1.0)
    y_range: tuple[float, float] = (0.0, 1.0)
    x_ticks: Ticks = ()
    note: str = ""
    y_ticks: Ticks = field(default=(), kw_only=True)

    def y_text(self, y: float) -> str:
        """A value of y in words."""
        return f"{100 * y:.4g} %" if self.y_in_percent else f"{y:.4g}"


@dataclass(frozen=True, eq=False)
class Grid:
    """A table whose cells are coloured by their values.

    Attributes
    ----------
    name, title : str
    rows, columns : tuple of str
        R and C labels.
    values : ndarray, shape (R, C)
        nan where there is none.
    value_label : str
    alt : str
        What the picture shows, in words.
    current : (row, column), optional
        The cell to outline.
    below : tuple of tuples of str
        What is concluded of each cell, if anything.
    noise : ndarray of bool, shape (R, C), optional
        Which values are no more than noise.
    """

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Array
    value_label: str
    alt: str
    current: tuple[int, int] | None = None
    below: tuple[tuple[str, ...], ...] = ()
    noise: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Overlay:
    """Another model or calibrator, drawn over the current one.

    Attributes
    ----------
    name : str
    problems : sequence of ScalarProblem
        One a trial.
    bins : sequence of Bins
        Of each of them.
    """

    name: str
    problems: Sequence[ScalarProblem]
    bins: Sequence[Bins]
