"""Places of words in pictures: beside what they are about, where they cover nothing and stay inside.

Records hold the places, so that a page, a file and a report show the same: those for the smallest plot with details,
for larger ones, and for narrower ones without details. In a larger one marks are farther from one another, and words
take less of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .records import BARS, Array, Figure, Label, Lines, Series
from .styles import STYLES

LETTER, LINE = 12.0, 16.0  # pixels of letters and of a line
#: The widths of letters in sizes, as in DejaVu Sans, the widest of the usual fonts.
WIDTHS = {" .,:;'|!ijlI": 0.32, "ftr()[]-": 0.4, "csvxykz": 0.57, "mwMW%@": 0.93}
USUAL, CAPITAL, BOLD = 0.63, 0.69, 1.11  # of other letters, and how much wider bold ones are
STEPS, STEP = 4, 16.0  # how often words are moved up or down from beside a place, and by how many pixels
GRID = 12  # places on either side of the plot that words with a line to their dot may begin at
ON_WAY = 16  # points on a line
BESIDE_LINE = 3.0  # pixels between a line and its words
AWAY, OTHER_SIDE, TOWARDS, SHORTER = 1.0, 2.0, 3.0, 3.0  # what a place costs
CORNERS, HALF = 10, 0.5  # lines along an edge, and the step
FAR, CROSSED, ON_LINE = 0.04, 4.0, 30.0  # of a pixel of a line to a dot, of a dot on it; of all of a curve
CLEAR, LEAST_LINE = 2.0, 24.0  # pixels around words, and of a line
UNSEEN = ("on the curve", "handle", "selected")  # roles of dots that are not drawn, or drawn on the axis
PILL = 24.0, 10.0  # half of the number of a threshold
SIDES = {"left": -1.0, "middle": 0.0, "right": 1.0}  # towards words from their place


@dataclass(frozen=True)
class Paper:
    """The smallest plot of a kind.

    Attributes
    ----------
    width, height : float
        In pixels; the height is that of y from 0 to 1.
    has_details : bool
    nearest : float
        Its width in that of the largest plot of the kind, in which words are so much nearer to their place.
    """

    width: float
    height: float
    has_details: bool
    nearest: float


LARGE, WIDE, NARROW = Paper(500.0, 360.0, True, 0.8), Paper(380.0, 270.0, True, 0.6), Paper(300.0, 255.0, False, 0.7)


def text_width(text: str, is_bold: bool = False) -> float:
    """The width of a text in pixels, roughly."""
    return LETTER * sum(map(_width_of, text)) * (BOLD if is_bold else 1.0)


def _width_of(letter: str) -> float:
    usual = CAPITAL if letter.isupper() else USUAL
    return next((width for letters, width in WIDTHS.items() if letter in letters), usual)


@lru_cache(maxsize=2000)
def size_of(lines: Lines, has_details: bool) -> tuple[float, float]:
    """The width and the height of lines in pixels."""
    shown = [[run for run in line if has_details or not run.is_detail] for line in lines]
    widths = [sum(text_width(run.text, run.is_strong) for run in line) for line in shown if line]
    return max(widths, default=0.0), LINE * len(widths)


def placed(figure: Figure) -> Figure:
    """The figure with each label that moves at the first place where it covers no dot, no end of a bar and no label.

    One that has no such place is left out, or shown where it covers the fewest if it is needed.
    """
    if not any(label.moves for label in figure.labels):
        return figure
    large, wide, narrow = map(_all_placed, PlotSpace.of(figure, (LARGE, WIDE, NARROW)))
    return replace(figure, labels=wide, large=large, narrow=narrow)


def _half(series: Series) -> Array:
    """Half of the sizes of the marks of a series in pixels, shape (n, 2)."""
    n = len(series.x)
    if series.role == "threshold" or series.shape == "line":
        return np.tile(PILL if series.role == "threshold" else (1.0, 1.0), (n, 1))
    areas = series.areas if len(series.areas) == n else np.full(n, STYLES[series.role].size)
    return np.repeat(0.5 * np.sqrt(np.asarray(areas, dtype=float))[:, None], 2, axis=1)


def _all_placed(plot: PlotSpace) -> tuple[Label, ...]:
    figure = plot.figure
    fixed = [label for label in figure.labels if not label.moves]
    if fixed:
        plot.boxes.append(plot.reach(_Choices.of(fixed, plot)))
    labels: list[Label] = []
    for label in figure.labels:
        found = _find(label, plot) if label.moves else label
        if found is not None:
            labels.append(found)
            if label.moves:
                plot.boxes.extend((plot.reach(_Choices.of([found], plot)), plot.line(found)))
    return tuple(labels)


@dataclass(frozen=True, eq=False)
class _Choices:
    """Places of a label, as arrays of shape (n,).

    Attributes
    ----------
    x, y, towards, apart, above : ndarray
        As in `Label`, x and y in pixels; -1 is towards the left.
    size : ndarray, shape (n, 2)
        The width and the height of the words.
    """

    x: Array
    y: Array
    towards: Array
    apart: Array
    above: Array
    size: Array

    @classmethod
    def of(cls, labels: Sequence[Label], plot: PlotSpace) -> _Choices:
        """The places of labels that have one."""
        has_details = plot.paper.has_details
        rows = [
            (each.x, each.y, SIDES[each.side], each.apart, each.above, *size_of(each.lines, has_details))
            for each in labels
        ]
        x, y, towards, apart, above, *size = np.array(rows).T
        return cls(*plot.place(x, y), towards, apart, above, np.stack(size, axis=1))

    @cached_property
    def box(self) -> Array:
        """The left, lower, right and upper ends of the words in pixels, shape (n, 4)."""
        width, height = self.size.T
        left, middle = self.x + self.towards * self.apart - width * (1 - self.towards) / 2, self.y + self.above
        return np.stack([left, middle - height / 2, left + width, middle + height / 2], axis=1)


def _find(label: Label, plot: PlotSpace) -> Label | None:
    versions = label.versions or (label.lines,)
    if label.moves == "along":
        up = 1.0 if label.y < 0.5 else -1.0
        steps = (LINE / plot.paper.height * np.arange(0.0, CORNERS, HALF)).tolist()
        tries = [
            replace(label, lines=lines, y=label.y + up * step, above=up * (0.1 + len(lines) / 2) * LINE)
            for lines in versions
            for step in steps
        ]
        choices = _Choices.of(tries, plot)
        cost = np.where(plot.is_beside_diagonal(choices, up), np.arange(len(tries)), np.inf)
        found = _cheapest(choices, cost, label, plot)
        return None if found is None else tries[found]
    choices, cost, version = _beside(label, versions, plot)
    found = _cheapest(choices, cost, label, plot)
    if found is None:
        choices, cost, version = _elsewhere(label, versions, plot)
        found = _cheapest(choices, cost, label, plot)
    if found is None:
        return None
    side = "left" if choices.towards[found] < 0 else "right"
    apart, above = float(choices.apart[found]), float(choices.above[found])
    lines = versions[version[found]]
    moved = replace(label, lines=lines, side=side, apart=apart, above=above)  # type: ignore[arg-type]
    x, y = plot.data(float(choices.x[found]), float(choices.y[found]))
    is_led = apart == BESIDE_LINE
    return replace(moved, x=x, y=y, about=(label.x, label.y)) if is_led else moved


def _cheapest(choices: _Choices, cost: Array, label: Label, plot: PlotSpace) -> int | None:
    """The cheapest choice that covers nothing; where there is none, that which covers least if the label is needed."""
    covered = plot.covered(choices, label)
    cost = np.where(plot.holds(choices), cost + plot.on_curves(choices), np.inf)
    free = np.where(covered == 0, cost, np.inf)
    if np.isfinite(free).any():
        return int(free.argmin())
    if not label.is_needed or not np.isfinite(cost).any():
        return None
    return int(np.where(np.isfinite(cost), covered, np.inf).argmin())


Tried = tuple[_Choices, Array, NDArray[np.intp]]  # with the cost and the version of each choice


def _beside(label: Label, versions: Sequence[Lines], plot: PlotSpace) -> Tried:
    """The places beside a dot, and above or below these."""
    up, step = _side(label, plot), np.arange(-STEPS, STEPS + 1, dtype=float)
    x, y = (np.full(len(step), at) for at in plot.place(label.x, label.y))
    cost = AWAY * np.abs(step) + TOWARDS * (step * up < 0)
    return _of_versions(x, y, label.apart, step * STEP, cost, up, versions, plot)


def _elsewhere(label: Label, versions: Sequence[Lines], plot: PlotSpace) -> Tried:
    """Other places, from which a line leads to the dot."""
    (x, y), up = plot.place(label.x, label.y), _side(label, plot)
    grid = np.meshgrid(*(np.linspace(0.0, size, GRID) for size in (plot.paper.width, plot.paper.height)))
    across, level = (each.ravel() for each in grid)
    far = np.hypot(across - x, level - y)
    across, level, far = (each[far >= LEAST_LINE] for each in (across, level, far))
    scores = np.array([plot.figure.score_of(plot.data(at, 0.0)[0]) for at in across.tolist()])
    is_towards = (level / plot.paper.height - scores) * up < 0
    cost = FAR * far + TOWARDS * is_towards + plot.crossed(across, level, (x, y))
    return _of_versions(across, level, BESIDE_LINE, 0.0 * far, cost, up, versions, plot)


def _side(label: Label, plot: PlotSpace) -> float:
    """On which side of the diagonal the dot of a label is: 1 above it, -1 below it."""
    return 1.0 if label.y > plot.figure.score_of(label.x) else -1.0


def _of_versions(
    x: Array, y: Array, apart: float, above: Array, cost: Array, up: float, versions: Sequence[Lines], plot: PlotSpace
) -> Tried:
    """Each place for each version of the words, at its left and at its right."""
    times, n = 2 * len(versions), len(x)
    version = np.repeat(np.arange(len(versions)), 2 * n)
    towards = np.tile(np.repeat([-1.0, 1.0], n), len(versions))
    costs = np.tile(cost, times) + SHORTER * version + OTHER_SIDE * (towards * up > 0)
    sizes = np.array([size_of(lines, plot.paper.has_details) for lines in versions])
    tiled = (np.tile(each, times) for each in (x, y, np.full(n, apart), above))
    at, level, apart_of, above_of = tiled
    return _Choices(at, level, towards, apart_of, above_of, sizes[version]), costs, version


@dataclass(frozen=True, eq=False)
class PlotSpace:
    """The marks and the words of a plot of one size, in pixels from its lower left corner."""

    figure: Figure
    paper: Paper
    dots: Array  # left, lower, right and upper ends, shape (n, 4)
    curve: Array  # shape (n, 2)
    boxes: list[Array]

    @classmethod
    def of(cls, figure: Figure, papers: Sequence[Paper]) -> list[PlotSpace]:
        """The plots of a figure on several papers, still without words."""
        low, high = figure.x_range
        solid = [
            series
            for series in figure.series
            if (series.role in BARS if series.shape == "line" else "dots" in series.shape and series.role not in UNSEEN)
        ]
        curves = [series for series in figure.series if series.role in ("flexible", "after")]
        dots, curve = (
            np.concatenate([np.empty((0, 2)), *[np.stack([each.x, each.y], axis=1) for each in some]])
            for some in (solid, curves)
        )
        half = np.concatenate([np.empty((0, 2)), *map(_half, solid)])
        for places in (dots, curve):
            places[:, 0] = (places[:, 0] - low) / (high - low)
        known, seen = (np.isfinite(places).all(axis=1) for places in (dots, curve))
        dots, half, curve = dots[known], half[known], curve[seen]
        plots = []
        for paper in papers:
            middle = dots * (paper.width, paper.height)
            boxes = np.concatenate([middle - half, middle + half], axis=1)
            plots.append(cls(figure, paper, boxes, curve * (paper.width, paper.height), []))
        return plots

    def place(self, x: Any, y: Any) -> tuple[Any, Any]:
        """A place in pixels, or several."""
        low, high = self.figure.x_range
        return (x - low) / (high - low) * self.paper.width, y * self.paper.height

    def data(self, x: float, y: float) -> tuple[float, float]:
        """A place in the numbers of the axes."""
        low, high = self.figure.x_range
        return low + x / self.paper.width * (high - low), y / self.paper.height

    def line(self, label: Label) -> Array:
        """Boxes around points on the line of a label, shape (n, 4)."""
        if label.about is None:
            return np.empty((0, 4))
        points = np.linspace(self.place(label.x, label.y), self.place(*label.about), ON_WAY)
        return np.concatenate([points - 1.0, points + 1.0], axis=1)

    def reach(self, choices: _Choices) -> Array:
        """Where words are in plots of this size and larger ones, shape (n, 4)."""
        box, place = choices.box, np.stack([choices.x, choices.y] * 2, axis=1)
        near = place + self.paper.nearest * (box - place)
        low, high = np.minimum(box, near)[:, :2] - CLEAR, np.maximum(box, near)[:, 2:] + CLEAR
        return np.concatenate([low, high], axis=1)

    def holds(self, choices: _Choices) -> NDArray[np.bool_]:
        """Whether the words leave the plot nowhere."""
        left, low, right, high = choices.box.T
        inside: NDArray[np.bool_] = (left >= 0) & (low >= -CLEAR) & (right <= self.paper.width)
        return inside & (high <= self.paper.height + 2 * CLEAR)

    def is_beside_diagonal(self, choices: _Choices, up: float) -> NDArray[np.bool_]:
        """Whether all of the words is on one side of it: below it where `up` is 1, above it where that is -1."""
        left, low, right, high = choices.box.T
        x, level = (left, high) if up > 0 else (right, low)
        scores = np.array([self.figure.score_of(self.data(at, 0.0)[0]) for at in x.tolist()])
        beside: NDArray[np.bool_] = up * (level / self.paper.height - scores) <= 0
        return beside

    def covered(self, choices: _Choices, label: Label) -> NDArray[np.intp]:
        """How many dots, ends of bars and other words a label covers; its own dot counts where it is elsewhere."""
        middles = (self.dots[:, :2] + self.dots[:, 2:]) / 2
        is_own = np.abs(middles - self.place(label.x, label.y)).max(axis=1, initial=0.0) <= 1
        taken = np.concatenate([self.dots, *self.boxes])
        left, low, right, high = self.reach(choices).T[:, :, None]
        apart = (taken[:, 0] >= right) | (taken[:, 2] <= left) | (taken[:, 1] >= high) | (taken[:, 3] <= low)
        apart[:, : len(is_own)] |= is_own & (choices.apart != BESIDE_LINE)[:, None]
        number: NDArray[np.intp] = (~apart).sum(axis=1)
        return number

    def on_curves(self, choices: _Choices) -> Array:
        """The cost of words that stand on curves."""
        left, low, right, high = choices.box.T[:, :, None]
        x, y = self.curve[::4].T
        on = (x > left) & (x < right) & (y > low) & (y < high)
        cost: Array = ON_LINE * on.mean(axis=1) if len(x) else np.zeros(len(on))
        return cost

    def crossed(self, x: Array, y: Array, dot: tuple[float, float]) -> Array:
        """The cost of marks and words that lie on lines from places to a dot."""
        share = np.linspace(0.0, 1.0, ON_WAY)
        across, level = (at[:, None] + share * (end - at[:, None]) for at, end in zip((x, y), dot, strict=True))
        taken = np.concatenate([self.dots, *self.boxes])
        others = taken[np.abs((taken[:, :2] + taken[:, 2:]) / 2 - dot).max(axis=1, initial=0.0) > 1]
        left, low, right, high = others.T[:, :, None, None]
        on = (across > left) & (across < right) & (level > low) & (level < high)
        cost: Array = CROSSED * on.any(axis=2).sum(axis=0)
        return cost
