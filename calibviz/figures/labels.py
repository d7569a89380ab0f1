"""Places of words in pictures: beside what they are about, where they cover nothing and stay inside.

Records hold the places, so that a page, a file and a report show the same: those for the smallest plot with details,
for larger ones, and for narrower ones without details. In a larger one marks are farther from one another, and words
take less of it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import Array
from .records import BARS, Figure, Label, Lines, Series
from .styles import STYLES

LETTER, LINE = 12.0, 16.0  # pixels of letters and of a line
#: The widths of letters in sizes, as in DejaVu Sans, the widest of the usual fonts.
WIDTHS = {" .,:;'|!ijlI": 0.32, "ftr()[]-": 0.4, "csvxykz": 0.57, "mwMW%@": 0.93}
USUAL, CAPITAL, BOLD = 0.63, 0.69, 1.11  # of other letters, and how much wider bold ones are
STEPS, STEP = 4, 16.0  # how often words are moved up or down from beside a place, and by how many pixels
GRID = np.linspace(0.0, 1.0, 12)  # places along either side of the plot that words with a line to a dot may begin at
COARSE = np.array([0.25, 0.5, 0.75])  # those of words with a line to something else
ON_WAY, UPRIGHT = 16, 120  # points on a line to a dot, and on that of a threshold
BESIDE_LINE = 3.0  # pixels between a line and its words
AWAY, OTHER_SIDE, TOWARDS, SHORTER = 1.0, 2.0, 3.0, 3.0  # what a place costs
CORNERS, HALF = 10, 0.5  # lines along an edge, and the step
FAR, CROSSED, ON_LINE = 0.04, 4.0, 30.0  # of a pixel of a line to a dot, of a dot on it; of all of a curve
THIN, LEAST_DOT = 2, 2.5  # ends of bars that needed words may cover beside their dot; pixels, wider than such an end
CLEAR, LEAST_LINE = 2.0, 24.0  # pixels around words, and of a line
UNSEEN = ("on the curve", "handle", "selected")  # roles of dots that are not drawn, or drawn on the axis
PILL = 24.0, 10.0  # half of the number of a threshold
#: Towards words from their place.
SIDES: dict[Literal["left", "middle", "right"], float] = {"left": -1.0, "middle": 0.0, "right": 1.0}
TOWARDS_SIDES = {towards: side for side, towards in SIDES.items()}


@dataclass(frozen=True)
class Paper:
    """The smallest plot of a kind."""

    width: float  # in pixels
    height: float  # in pixels, that of y from 0 to 1
    has_details: bool
    # Its width in that of the largest plot of the kind, in which words are so much nearer to their place.
    nearest: float


LARGE, WIDE, NARROW = Paper(500.0, 360.0, True, 0.8), Paper(380.0, 270.0, True, 0.6), Paper(300.0, 255.0, False, 0.7)


def text_width(text: str, is_bold: bool = False) -> float:
    """The width of a text in pixels, roughly."""
    return LETTER * sum(map(_width_of, text)) * (BOLD if is_bold else 1.0)


@cache
def _width_of(letter: str) -> float:
    usual = CAPITAL if letter.isupper() else USUAL
    return next((width for letters, width in WIDTHS.items() if letter in letters), usual)


@lru_cache(maxsize=2000)
def size_of(lines: Lines, has_details: bool) -> tuple[float, float]:
    """The width and the height of lines in pixels."""
    shown = [[run for run in line if has_details or not run.is_detail] for line in lines]
    widths = [sum([text_width(run.text, run.is_strong) for run in line]) for line in shown if line]
    return max(widths, default=0.0), LINE * len(widths)


def placed(figure: Figure) -> Figure:
    """The figure with each label that moves at the first place where it covers no dot, no end of a bar and no label.

    One that has no such place is left out, or shown where it covers the fewest if it is needed.
    """
    if not any(label.moves for label in figure.labels):
        return figure
    plots = Plots.of(figure, (LARGE, WIDE, NARROW))
    fixed = [label for label in figure.labels if not label.moves]
    if fixed:
        plots.boxes.append(plots.reach(_Choices.of(fixed, plots)))
    each = [_find(label, plots) if label.moves else [label] * len(plots.papers) for label in figure.labels]
    large, wide, narrow = [tuple(filter(None, labels)) for labels in zip(*each, strict=True)]
    return replace(figure, labels=wide, large=large, narrow=narrow)


def _shares(some: Sequence[Series], figure: Figure) -> Array:
    """The points of some series in shares of the width and the height of the plot, shape (n, 2)."""
    low, high = figure.x_range
    points = np.concatenate([np.empty((0, 2)), *[np.stack([each.x, each.y], axis=1) for each in some]])
    return (points - (low, 0.0)) / (high - low, 1.0)


def _half(series: Series) -> Array:
    """Half of the sizes of the marks of a series in pixels, shape (n, 2)."""
    n = len(series.x)
    if series.role == "threshold" or series.shape == "line":
        return np.tile(PILL if series.role == "threshold" else (1.0, 1.0), (n, 1))
    areas = series.areas if len(series.areas) == n else np.full(n, STYLES[series.role].size)
    return np.repeat(0.5 * np.sqrt(np.asarray(areas, dtype=float))[:, None], 2, axis=1)


@dataclass(frozen=True, eq=False)
class _Choices:
    """Places of a label on each of p papers."""

    x: Array  # shape (p, n), in pixels
    y: Array  # shape (p, n), in pixels
    towards: Array  # shape (n,), as are the next two, as in `Label`; -1 is towards the left
    apart: Array
    above: Array
    size: Array  # shape (p, n, 2): the width and the height of the words

    @classmethod
    def of(cls, labels: Sequence[Label], plots: Plots) -> _Choices:
        """The places of labels that have one."""
        rows = [(each.x, each.y, SIDES[each.side], each.apart, each.above) for each in labels]
        x, y, towards, apart, above = np.array(rows).T
        return cls(*plots.place(x, y), towards, apart, above, plots.sizes([each.lines for each in labels]))

    @cached_property
    def box(self) -> Array:
        """The left, lower, right and upper ends of the words in pixels, shape (p, n, 4)."""
        width, height = np.moveaxis(self.size, -1, 0)
        left, middle = self.x + self.towards * self.apart - width * (1 - self.towards) / 2, self.y + self.above
        return np.stack([left, middle - height / 2, left + width, middle + height / 2], axis=-1)


Places = tuple[Array, Array]  # x and y in pixels, of shape (p, n) each
Tried = tuple[_Choices, Array, NDArray[np.intp]]  # with the cost of each choice, shape (p, n), and its version


def _find(label: Label, plots: Plots) -> list[Label | None]:
    """The label at its place on each paper, which is taken from then on; None where it has none."""
    found: list[Label | None] = [None] * len(plots.papers)
    taken = np.full((len(found), 1 + ON_WAY, 4), np.inf)  # of a label that is left out: nothing
    versions, dot = label.versions or (label.lines,), plots.place(label.x, label.y)
    few = THIN * label.is_needed  # rather than far away
    ways = {"along": [(_along, few)], "away": [(_elsewhere, 0)]}.get(label.moves, [(_beside, few), (_elsewhere, 0)])
    for tries, most in (*ways, *([(ways[0][0], sys.maxsize)] if label.is_needed else [])):
        choices, cost, version = tries(label, dot, versions, plots)
        reach = plots.reach(choices)
        covered = plots.covered(choices, reach, dot)
        for k, i in enumerate(_cheapest(choices, cost, covered, most, plots)):
            if found[k] is None and i >= 0:
                about = None
                if choices.apart[i] == BESIDE_LINE:
                    about, (x, y) = (label.x, label.y), plots.data(k, choices.x[k, i], choices.y[k, i])
                    taken[k, 1:] = plots.line(k, (x, y), about)
                else:
                    x, y = label.x, plots.data(k, 0.0, choices.y[k, i])[1] if label.moves == "along" else label.y
                found[k] = replace(
                    label, x=x, y=y, about=about, lines=versions[version[i]], side=TOWARDS_SIDES[choices.towards[i]],
                    apart=float(choices.apart[i]), above=float(choices.above[i]),
                )  # fmt: skip  # short entries stand in rows
                taken[k, 0] = reach[k, i]
        if None not in found:
            break
    plots.boxes.append(taken)
    return found


def _cheapest(choices: _Choices, cost: Array, covered: NDArray[np.intp], most: int, plots: Plots) -> list[int]:
    """The cheapest choice on each paper that covers nothing.

    Where there is none, that which covers least if this is not more than `most`, else -1.
    """
    cost = np.where(plots.holds(choices), cost + plots.on_curves(choices), np.inf)
    free, least = np.where(covered == 0, cost, np.inf), np.where(np.isfinite(cost), covered, np.inf)
    otherwise = np.where(least.min(axis=1) <= most, least.argmin(axis=1), -1)
    return np.where(np.isfinite(free).any(axis=1), free.argmin(axis=1), otherwise).tolist()


def _along(label: Label, dot: Places, versions: Sequence[Lines], plots: Plots) -> Tried:
    """The places along the edge from a corner, on the side of the diagonal on which the label is."""
    up, steps = 1.0 if label.y < 0.5 else -1.0, np.arange(0.0, CORNERS, HALF)
    version = np.repeat(np.arange(len(versions)), len(steps))
    n = len(version)
    x, y = np.repeat(dot, n, axis=2)
    y = y + up * LINE * np.tile(steps, len(versions))
    towards, apart = np.repeat([[SIDES[label.side]], [label.apart]], n, axis=1)
    above = up * LINE * (0.1 + np.array([len(lines) / 2 for lines in versions]))[version]
    choices = _Choices(x, y, towards, apart, above, plots.sizes(versions)[:, version])
    return choices, np.where(plots.is_beside_diagonal(choices, up), np.arange(n), np.inf), version


def _beside(label: Label, dot: Places, versions: Sequence[Lines], plots: Plots) -> Tried:
    """The places beside a dot, and above or below these."""
    up, step = _side(label, plots), np.arange(-STEPS, STEPS + 1, dtype=float)
    x, y = np.repeat(dot, len(step), axis=2)
    cost = np.tile(AWAY * np.abs(step) + TOWARDS * (step * up < 0), (len(x), 1))
    return _of_versions(x, y, label.apart, step * STEP, cost, up, versions, plots)


def _elsewhere(label: Label, dot: Places, versions: Sequence[Lines], plots: Plots) -> Tried:
    """Other places, from which a line leads to the dot."""
    up, share = _side(label, plots), GRID if label.moves == "around" else COARSE
    low, high = plots.figure.x_range
    scores = np.tile(plots.figure.scores_of(low + share * (high - low)), len(share))
    across, level = np.tile(share, len(share)) * plots.width, np.repeat(share, len(share)) * plots.height
    far = np.hypot(across - dot[0], level - dot[1])
    is_towards = (np.repeat(share, len(share)) - scores) * up <= 0  # or on the diagonal
    cost = np.where(far < LEAST_LINE, np.inf, FAR * far + TOWARDS * is_towards + plots.crossed(across, level, dot))
    return _of_versions(across, level, BESIDE_LINE, np.zeros(len(share) ** 2), cost, up, versions, plots)


def _side(label: Label, plots: Plots) -> float:
    """On which side of the diagonal the dot of a label is: 1 above it, -1 below it."""
    return 1.0 if label.y > plots.figure.score_of(label.x) else -1.0


def _of_versions(
    x: Array, y: Array, apart: float, above: Array, cost: Array, up: float, versions: Sequence[Lines], plots: Plots
) -> Tried:
    """Each place for each version of the words, at its left and at its right."""
    times, n = 2 * len(versions), len(above)
    version = np.repeat(np.arange(len(versions)), 2 * n)
    towards = np.tile(np.repeat([-1.0, 1.0], n), len(versions))
    costs = np.tile(cost, times) + SHORTER * version + OTHER_SIDE * (towards * up > 0)
    at, level, above = np.tile(x, times), np.tile(y, times), np.tile(above, times)
    sizes = plots.sizes(versions)[:, version]
    return _Choices(at, level, towards, np.full(n * times, apart), above, sizes), costs, version


@dataclass(frozen=True, eq=False)
class Plots:
    """The marks and the words of a figure on p papers, in pixels from the lower left corner of each."""

    figure: Figure
    papers: Sequence[Paper]
    width: Array  # shape (p, 1)
    height: Array  # shape (p, 1)
    nearest: Array  # shape (p, 1, 1)
    dots: Array  # shape (p, n, 4): the left, lower, right and upper ends of dots and of the ends of bars
    curve: Array  # shape (p, n, 2)
    boxes: list[Array]  # each of shape (p, n, 4): those of words, and of the lines that lead from them

    @classmethod
    def of(cls, figure: Figure, papers: Sequence[Paper]) -> Plots:
        """The plots of a figure, still without words."""
        solid, curves = [], []
        for series in figure.series:
            is_bar = series.role in BARS and series.shape == "line"
            if len(series.x) and (is_bar or ("dots" in series.shape and series.role not in UNSEEN)):
                solid.append(series)
            if series.role in ("flexible", "after") and series.shape == "line":
                curves.append(series)
            if series.role == "acting" and len(series.x):  # the two ends of an upright line
                low, high = series.y
                curves.append(replace(series, x=np.full(UPRIGHT, series.x[0]), y=np.linspace(low, high, UPRIGHT)))
        dots, curve = _shares(solid, figure), _shares(curves, figure)
        half = np.concatenate([np.empty((0, 2)), *map(_half, solid)])
        known, seen = np.isfinite(dots).all(axis=1), np.isfinite(curve).all(axis=1)
        dots, half, curve = dots[known], half[known], curve[seen]
        numbers = np.array([(paper.width, paper.height, paper.nearest) for paper in papers])
        size = numbers[:, None, :2]
        middle = dots * size
        boxes = np.concatenate([middle - half, middle + half], axis=-1)
        return cls(figure, papers, size[..., 0], size[..., 1], numbers[:, 2:, None], boxes, curve * size, [])

    def place(self, x: Any, y: Any) -> Places:
        """A place in pixels, or several, shape (p, n)."""
        low, high = self.figure.x_range
        return (x - low) / (high - low) * self.width, y * self.height

    def data(self, paper: int, x: float, y: float) -> tuple[float, float]:
        """A place on one of the papers in the numbers of the axes."""
        (low, high), of = self.figure.x_range, self.papers[paper]
        return float(low + x / of.width * (high - low)), float(y / of.height)

    def sizes(self, versions: Sequence[Lines]) -> Array:
        """The widths and the heights of lines, shape (p, n, 2)."""
        sizes = [size_of(lines, paper.has_details) for paper in self.papers for lines in versions]
        return np.reshape(sizes, (len(self.papers), len(versions), 2))

    def line(self, paper: int, start: tuple[float, float], end: tuple[float, float]) -> Array:
        """Boxes around points on a line on one of the papers, shape (n, 4)."""
        first, last = [np.array(self.place(*at))[:, paper, 0] for at in (start, end)]
        points = np.linspace(first, last, ON_WAY)
        return np.concatenate([points - 1.0, points + 1.0], axis=1)

    def reach(self, choices: _Choices) -> Array:
        """Where words are in plots of these sizes and larger ones, shape (p, n, 4)."""
        box, place = choices.box, np.stack([choices.x, choices.y] * 2, axis=-1)
        near = place + self.nearest * (box - place)
        low, high = np.minimum(box, near)[..., :2] - CLEAR, np.maximum(box, near)[..., 2:] + CLEAR
        return np.concatenate([low, high], axis=-1)

    def holds(self, choices: _Choices) -> NDArray[np.bool_]:
        """Whether there are words, which leave the plot nowhere, shape (p, n)."""
        left, low, right, high = np.moveaxis(choices.box, -1, 0)
        inside: NDArray[np.bool_] = (left >= 0) & (low >= -CLEAR) & (right > left) & (right <= self.width)
        return inside & (high <= self.height + 2 * CLEAR)

    def is_beside_diagonal(self, choices: _Choices, up: float) -> NDArray[np.bool_]:
        """Whether all of the words is below it where `up` is 1, above it where that is -1; shape (p, n)."""
        left, low, right, high = np.moveaxis(choices.box, -1, 0)
        x, level = (left, high) if up > 0 else (right, low)
        first, last = self.figure.x_range
        scores = self.figure.scores_of(first + x / self.width * (last - first))
        return up * (level / self.height - scores) <= 0

    def covered(self, choices: _Choices, reach: Array, dot: Places) -> NDArray[np.intp]:
        """How many ends of bars, dots and other words a label covers, of which each of the last ones counts as several.

        Its own dot counts where it is elsewhere.
        """
        middles = (self.dots[..., :2] + self.dots[..., 2:]) / 2
        is_own = np.abs(middles - np.stack(dot, axis=-1)).max(axis=-1, initial=0.0) <= 1
        taken = np.concatenate([self.dots, *self.boxes], axis=1)[:, None]
        left, low, right, high = np.moveaxis(reach, -1, 0)[..., None]
        apart = (taken[..., 0] >= right) | (taken[..., 2] <= left) | (taken[..., 1] >= high) | (taken[..., 3] <= low)
        apart[..., : is_own.shape[1]] |= is_own[:, None] & (choices.apart != BESIDE_LINE)[:, None]
        weight = np.where(taken[..., 2] > taken[..., 0] + LEAST_DOT, THIN + 1, 1)
        return (weight * ~apart).sum(axis=-1)

    def on_curves(self, choices: _Choices) -> Array:
        """The cost of words that stand on curves, shape (p, n)."""
        left, low, right, high = np.moveaxis(choices.box, -1, 0)[..., None]
        x, y = np.moveaxis(self.curve[:, ::4], -1, 0)[:, :, None]
        on = (x > left) & (x < right) & (y > low) & (y < high)
        return ON_LINE * on.mean(axis=-1) if on.shape[-1] else np.zeros(on.shape[:-1])

    def crossed(self, x: Array, y: Array, dot: Places) -> Array:
        """The cost of marks and words that lie on lines from places to a dot, shape (p, n)."""
        share = np.linspace(0.0, 1.0, ON_WAY)
        across, level = [at[..., None] + share * (end - at)[..., None] for at, end in zip((x, y), dot, strict=True)]
        across, level = across[:, None], level[:, None]
        taken = np.concatenate([self.dots, *self.boxes], axis=1)
        middles = (taken[..., :2] + taken[..., 2:]) / 2
        is_other = np.abs(middles - np.stack(dot, axis=-1)).max(axis=-1, initial=0.0) > 1
        left, low, right, high = np.moveaxis(taken, -1, 0)[..., None, None]
        on = (across > left) & (across < right) & (level > low) & (level < high)
        return CROSSED * (on.any(axis=-1) & is_other[..., None]).sum(axis=1)
