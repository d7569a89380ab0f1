"""Records of pictures, which any plotting library can draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..engine.binnings.bins import Bins
from ..engine.scalar import ScalarProblem
from ..foundation.arrays import Array
from ..foundation.written import number, percent, with_minus

Ticks = tuple[tuple[float, str], ...]
Shape = Literal["line", "dots", "line and dots", "area"]
# In the order of `styles.STYLES`, several names a line.
Role = Literal[
    "reference", "level", "rug", "category", "strip", "handle", "gap within", "truth", "observed", "observed never",
    "observed interval", "error bar", "spread", "band", "least", "suggestion", "suggestion so far", "noise", "limit",
    "noise limit",
    "within", "others", "everything", "everyone", "before", "interval", "bins", "few", "followed", "histogram",
    "flexible", "flexible where few", "on the curve", "smooth",
    "corp", "curve knots",
    "predicted before", "variation before", "resampled", "most", "fewest",
    "after histogram", "after", "few after", "after alone", "predicted after", "variation after", "observed after",
    "interval after", "acted on after",
    "map", "cloud", "knots",
    "acting", "threshold", "missed", "stands", "gap", "worst gap", "worst interval", "worst", "worst histogram",
    "worst was", "worst move", "worst interval after", "worst after",
    "cursor", "selected",
    "overlay 1", "overlay 2", "overlay 3", "overlay 4", "extra",
    "bar 1", "bar 2", "bar 3", "bar 4", "bar 5", "bar 6", "bar 7",
    "flexible band", "after band", "after alone band",
    "overlay 1 band", "overlay 2 band", "overlay 3 band", "overlay 4 band",
]  # fmt: skip  # short entries stand in rows

OVERLAY_ROLES: tuple[Role, ...] = ("overlay 1", "overlay 2", "overlay 3", "overlay 4")
OVERLAY_BANDS: tuple[Role, ...] = ("overlay 1 band", "overlay 2 band", "overlay 3 band", "overlay 4 band")
MOST_OVERLAYS = len(OVERLAY_ROLES)
#: Roles of bars around dots, which no reader takes for a curve.
BARS: tuple[Role, ...] = (
    "interval",
    "interval after",
    "observed interval",
    "error bar",
    "spread",
    "worst interval",
    "worst interval after",
)


@dataclass(frozen=True, eq=False)
class Series:
    """One set of points of a figure.

    Attributes
    ----------
    name : str
        The entry in the legend; "" for none.
    role : str
        Its meaning, which decides how it looks.
    shape : {"line", "dots", "line and dots", "area"}
        nan breaks a line; an area is a closed outline, or several with nan between them.
    x, y : ndarray, shape (n,)
    hints : sequence of str
        A text for each dot or bar, shown when a reader points at it; or empty.
    areas : tuple of float
        Of each dot, in square pixels; or empty, where all dots are as large as the role says.
    classes : tuple of tuples of int
        The classes that each dot or bar is of, by their index; or empty.
    cells : tuple of (int, int)
        The row and column of the `Grid` that each dot or bar stands for; or empty.
    """

    name: str
    role: Role
    shape: Shape
    x: Array
    y: Array
    hints: Sequence[str] = ()
    areas: tuple[float, ...] = ()
    classes: tuple[tuple[int, ...], ...] = ()
    cells: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Run:
    """A piece of a text in one colour and weight; without a colour of its own it is quiet or, if strong, like text.

    What is a detail is left out where there is little room.
    """

    text: str
    colour: str = ""
    is_strong: bool = False
    is_detail: bool = False


Lines = tuple[tuple[Run, ...], ...]


@dataclass(frozen=True)
class Label:
    """Words in a picture, which say what stands at a place.

    Attributes
    ----------
    x, y : float
        The place, in the numbers of the axes.
    lines : tuple of tuples of Run
        From top to bottom.
    side : {"left", "middle", "right"}
        On which side of the place they stand; in the middle they are centred on it.
    above : float
        By how many pixels the middle of their height lies above the place.
    apart : float
        How many pixels beside the place they begin.
    until : float, optional
        Where the area ends on which they stand; on it they need no ground of their own.
    moves : {"", "around", "along", "away"}
        Whether `labels.placed` moves them: around their place, along the edge from a corner, or away from their place,
        to which a line leads.
    versions : tuple of lines
        What such a label may say, the longest first.
    about : (float, float), optional
        What they are about, to which a thin line leads, where they stand elsewhere.
    is_needed : bool
        Whether they are shown even where they have no place of their own.
    """

    x: float
    y: float
    lines: Lines
    side: Literal["left", "middle", "right"] = "right"
    above: float = 0.0
    apart: float = 10.0
    until: float | None = None
    moves: Literal["", "around", "along", "away"] = ""
    versions: tuple[Lines, ...] = ()
    about: tuple[float, float] | None = None
    is_needed: bool = False

    @property
    def is_on_area(self) -> bool:
        """Whether they stand on an area."""
        return self.until is not None


@dataclass(frozen=True, eq=False)
class Hints(Sequence[str]):
    """Texts of which each is written when it is asked for: a figure has hundreds, and a reader points at few."""

    length: int
    write: Callable[[int], str]

    def __len__(self) -> int:
        return self.length

    def __reduce__(self) -> tuple[type[tuple[str, ...]], tuple[tuple[str, ...]]]:
        return tuple, (tuple(self),)  # a copy in another process has the texts themselves

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        places = range(self.length)[place]
        return self.write(places) if isinstance(places, int) else tuple(map(self.write, places))


@dataclass(frozen=True, eq=False)
class Figure:
    """A picture of one thing.

    Attributes
    ----------
    name : str
        The same for every picture of this kind.
    title, x_label, y_label : str
    series : tuple of Series
        In the order in which they are drawn. Figures of one kind always have the same series, some of them empty, so
        that a widget can keep its marks.
    alt : str
        A description in words.
    x_in_percent, y_in_percent : bool
        Whether shares of 1 on the axis are shown as percentages, as probabilities and errors are.
    x_range, y_range : (float, float)
    x_ticks, y_ticks : tuple of (float, str)
        Places on the axis and their labels; empty for plain numbers.
    note : str
        A conclusion in a sentence below the picture; or empty.
    score_at : ndarray, shape (m,), optional
        The score at places that are evenly spread over the x axis, ascending, where x has something to do with scores.
    is_stretched : bool
        Whether x stands for the score of which it is the log-odds.
    x_is_turned : bool
        Whether the names on the x axis are turned, since they would not fit side by side.
    y_is_log : bool
        Whether y is the log10 of what the axis names; `y_ticks` then have the numbers themselves.
    labels : tuple of Label
        Words in the picture.
    narrow : tuple of Label
        The words in a plot that is too narrow for these; empty where none moves.
    large : tuple of Label
        The words in a plot with room for more; empty where none moves.
    has_level_names : bool
        Whether the name of the y axis stands above it, level, since it is a sentence.
    shares_x : bool
        Whether the picture below it, where there is one, has its x axis.
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
    score_at: Array | None = field(default=None, kw_only=True)
    is_stretched: bool = field(default=False, kw_only=True)
    x_is_turned: bool = field(default=False, kw_only=True)
    y_is_log: bool = field(default=False, kw_only=True)
    labels: tuple[Label, ...] = field(default=(), kw_only=True)
    narrow: tuple[Label, ...] = field(default=(), kw_only=True)
    large: tuple[Label, ...] = field(default=(), kw_only=True)
    has_level_names: bool = field(default=False, kw_only=True)
    shares_x: bool = field(default=False, kw_only=True)

    def score_of(self, x: float) -> float:
        """The score at a place of x."""
        return float(expit(x)) if self.is_stretched else x

    def scores_of(self, x: Array) -> Array:
        """The scores at places of x, shape (n,)."""
        return expit(x) if self.is_stretched else x

    def x_text(self, x: float) -> str:
        """Return a value of x as text: where x is stretched, that of the score."""
        score = self.score_of(x)
        return percent(score) if self.x_in_percent else _plain(score)

    def y_text(self, y: float) -> str:
        """Return a value of y as text."""
        if self.y_is_log:
            return _plain(10**y)
        return percent(y) if self.y_in_percent else _plain(y)


def _plain(value: float) -> str:
    """Return a value of an axis: a whole number, such as a count, with all digits, any other with four."""
    return number(int(value)) if float(value).is_integer() else with_minus(f"{value:.4g}")


@dataclass(frozen=True, eq=False)
class Grid:
    """A table whose cells are coloured by their values.

    Attributes
    ----------
    name, title : str
    rows, columns : tuple of str
        R and C labels.
    values : ndarray, shape (R, C)
        nan for a missing value.
    value_label : str
    alt : str
        A description in words.
    current : (row, column), optional
        The cell to outline.
    below : tuple of tuples of str
        A conclusion about each cell, or empty.
    noise : ndarray of bool, shape (R, C), optional
        Whether a value is within noise.
    units : tuple of str
        The unit of each row; or empty where all have that of the `value_label`.
    floors, lower, upper : ndarray, shape (R, C), optional
        What calibrated predictions reach, and the ends of an interval of the value; nan where they are not known.
    classes : tuple of tuples of int
        The classes that each row is of alone, by their index; or empty.
    on_axis : tuple of str
        Shorter names of the rows, for an axis; or empty.
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
    units: tuple[str, ...] = ()
    floors: Array | None = None
    lower: Array | None = None
    upper: Array | None = None
    classes: tuple[tuple[int, ...], ...] = ()
    on_axis: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Overlay:
    """Another model or calibrator, drawn over the current one.

    Attributes
    ----------
    name : str
    problems : sequence of ScalarProblem
        One a trial.
    bins : sequence of Bins
        The bins of each problem; empty where only its curve is drawn.
    is_recalibrated : bool
        Whether these are the scores of the current model after a calibrator.
    """

    name: str
    problems: Sequence[ScalarProblem]
    bins: Sequence[Bins]
    is_recalibrated: bool = False
