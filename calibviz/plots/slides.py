"""A page of pictures as wide as a slide: the verdict above them, and below it what they are of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from matplotlib import rc_context, rcParams
from matplotlib.figure import FigureBase, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.offsetbox import AnnotationBbox

from .. import figures
from ..figures.captions import Caption
from ..figures.styles import GREEN_TEXT, VERMILION_TEXT
from ..figures.tables import Table
from ..foundation.marked import Run
from .drawing import CHARACTER, PANEL, Picture, draw_record, level_name, room_of
from .looks import SECOND, broken, coloured, has_dark_ground, in_pieces, plain
from .tables import room_for

Record = figures.Figure | figures.Grid | Table

WIDTH, SHAPE = 40 / 3, 16 / 9  # inches of a slide, and its width in heights
MOST_COLUMNS = 4
MARGIN = 0.25  # inches at the left and right of texts
TITLE, ANSWER, FACTS, QUESTION, TEXT = 17.0, 12.5, 10.0, 14.0, 11.5  # points of letters
HEADING, AXIS = 12.0, 0.6  # points of the letters of titles of pictures, and inches of the names on their axes
TITLE_PAD = 22.0  # points of a title above the axes, for the name of y below it
FLAT = 1.3  # inches of a picture without a title, which stands below another one, such as a histogram
#: As the screen draws axes.
STYLE: Any = {
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.alpha": 0.35, "axes.titlelocation": "left", "axes.titleweight": "bold",
}  # fmt: skip  # short entries stand in rows


def slide(
    records: Sequence[Record],
    caption: Caption,
    beside: Mapping[str, Sequence[Run]] | None = None,
    below: Table | None = None,
) -> Picture:
    """Draw records in columns below a caption, in the shape of a slide.

    A figure without a title stands below the one before it. A column of its own, at the right, has the texts `beside`,
    in parts (`foundation.marked`), by their titles, and the table `below` under these.
    """
    texts = dict(beside or {})
    parts = _parts(records)
    sizes = [_size(part) for part in parts]
    columns = _columns(sizes, bool(texts))
    wide = [max(sizes[i][0] for i in column) for column in columns] + [PANEL[0]] * bool(texts)
    tall = _tallest(sizes, columns)
    width = max(WIDTH, sum(wide))
    head = _head(caption, width)
    height = max(width / SHAPE, tall + head)
    width = height * SHAPE
    with rc_context(STYLE):
        picture = Picture(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=MARGIN / 2, h_pad=MARGIN / 4))
        above, body = _below_one_another(picture, [head, height - head])
        cells = np.ravel(body.subfigures(1, len(wide), width_ratios=wide, squeeze=False))
        widths = [width * each / sum(wide) for each in wide]
        for column, cell, inches in zip(columns, cells, widths, strict=False):
            heights = _heights([parts[i] for i in column], height - head)
            for i, band in zip(column, _below_one_another(cell, heights), strict=False):
                _draw(parts[i], band, inches)
        if texts:
            _write(texts, below, cells[-1], widths[-1], height - head)
        _caption(caption, above, width, head)
    picture.description = "\n".join(caption.texts)
    return picture


def _below_one_another(figure: FigureBase, heights: Sequence[float]) -> list[SubFigure]:
    bands = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)
    return list(np.ravel(bands))


def _parts(records: Sequence[Record]) -> list[list[Record]]:
    """The records that stand below one another whatever becomes of the others."""
    parts: list[list[Record]] = []
    for record in records:
        is_below = isinstance(record, figures.Figure) and not record.title and parts
        parts = [*parts[:-1], [*parts[-1], record]] if is_below else [*parts, [record]]
    return parts


def _size(part: Sequence[Record]) -> tuple[float, float]:
    """The width and the height, in inches, that records below one another need."""
    sizes = [_room(record, is_first=not i) for i, record in enumerate(part)]
    return max(width for width, _ in sizes), sum(height for _, height in sizes)


def _room(record: Record, is_first: bool) -> tuple[float, float]:
    if isinstance(record, Table):
        return room_for(record)
    width, height = room_of(record)
    return width, height if is_first else height - PANEL[1] + FLAT


def _columns(sizes: Sequence[tuple[float, float]], has_texts: bool) -> list[list[int]]:
    """The parts of each column, in their order, for as many columns as come nearest to the shape of a slide."""

    def off(columns: Sequence[Sequence[int]]) -> float:
        width = sum(max(sizes[i][0] for i in column) for column in columns) + PANEL[0] * has_texts
        return abs(math.log(width / _tallest(sizes, columns) / SHAPE))

    return min((_divided(sizes, n) for n in range(1, min(len(sizes), MOST_COLUMNS) + 1)), key=off)


def _divided(sizes: Sequence[tuple[float, float]], n: int) -> list[list[int]]:
    """The parts of each of n columns, of which the tallest is as low as can be."""
    every = range(len(sizes))
    cuts = combinations(every[1:], n - 1)
    divided = ([list(every[i:k]) for i, k in pairwise((0, *cut, len(sizes)))] for cut in cuts)
    return min(divided, key=lambda columns: _tallest(sizes, columns))


def _tallest(sizes: Sequence[tuple[float, float]], columns: Sequence[Sequence[int]]) -> float:
    return max(sum(sizes[i][1] for i in column) for column in columns)


def _heights(parts: Sequence[Sequence[Record]], height: float) -> list[float]:
    """The heights of parts in a column, and of what is left: tables keep theirs, pictures fill what there is."""
    sizes = [_size(part)[1] for part in parts]
    of_tables = [size * isinstance(part[0], Table) for part, size in zip(parts, sizes, strict=True)]
    of_pictures = sum(sizes) - sum(of_tables)
    if not of_pictures:
        return [*sizes, max(height - sum(sizes), 0.0)]
    scale = (height - sum(of_tables)) / of_pictures
    return [table or scale * size for table, size in zip(of_tables, sizes, strict=True)]


def _draw(part: Sequence[Record], band: SubFigure, width: float) -> None:
    """Draw records below one another, on the same axis, in a column so wide."""
    heights = [_room(record, is_first=not i)[1] for i, record in enumerate(part)]
    axes = np.ravel(band.subplots(len(part), 1, height_ratios=heights, sharex=True, squeeze=False))
    for i, (record, ax) in enumerate(zip(part, axes, strict=True)):
        draw_record(record, ax, _characters(width - AXIS, HEADING))
        if isinstance(record, figures.Figure):
            ax.set_ylabel(plain(record.y_label))  # in one line, unlike beside the axes
            level_name(ax)
            ax.set_title(ax.get_title(loc="left"), pad=TITLE_PAD)
            if i < len(part) - 1:
                ax.set_xlabel("")


def _characters(inches: float, points: float) -> int:
    """How many letters of a size have room."""
    return max(10, int(72 * inches / (CHARACTER * points)))


def _head(caption: Caption, width: float) -> float:
    """The height of the caption in inches."""
    return sum(1.5 * points for _, points in _lines(caption, width)) / 72 + MARGIN


def _lines(caption: Caption, width: float) -> list[tuple[Sequence[Run], float]]:
    """The lines of the caption in parts, each with the size of its letters in points."""
    texts: list[tuple[Sequence[Run], float]] = [
        *((line, TITLE) for line in caption.marked),
        *((line, ANSWER) for line in caption.said),
        ([(caption.below, "")], FACTS),
    ]
    return [(line, points) for text, points in texts for line in broken(text, _characters(width - 2 * MARGIN, points))]


def _caption(caption: Caption, above: SubFigure, width: float, head: float) -> None:
    y = head - MARGIN / 2
    for line, points in _lines(caption, width):
        _put(line, above, (MARGIN / width, y / head), points, is_title=points == TITLE)
        y -= 1.5 * points / 72


def _put(
    line: Sequence[Run], part: SubFigure, place: tuple[float, float], points: float, is_title: bool = False
) -> None:
    """Write a line in parts, each in the colour and weight of its kind; a title is bold."""
    second, text = _second(part), rcParams["text.color"]
    off, after = (coloured(text, second == SECOND[True]) for text in (VERMILION_TEXT, GREEN_TEXT))
    looks = {"": (text, True) if is_title else (second, False), "strong": (text, True), "beyond noise": (off, True)}
    looks["recalibrated"] = after, True
    pieces = in_pieces([(words, *looks.get(kind, (second, False))) for words, kind in line], points)
    style: Any = {"xycoords": part.transSubfigure, "box_alignment": (0.0, 1.0), "frameon": False, "pad": 0.0}
    part.add_artist(AnnotationBbox(pieces, place, **style))


def _write(
    texts: Mapping[str, Sequence[Run]], table: Table | None, cell: SubFigure, width: float, height: float
) -> None:
    """Write texts below one another, each below its title and a rule, and draw a table below them where it has room."""
    y = height - MARGIN
    for i, (title, text) in enumerate(texts.items()):
        level = y / height
        thick = 1.0 if i else 2.5
        cell.add_artist(
            Line2D([0.0, 1 - MARGIN / width], [level, level], color=_second(cell), linewidth=thick, alpha=0.6)
        )
        y -= 0.9 * QUESTION / 72
        _put([(title, "")], cell, (0.0, y / height), QUESTION, is_title=True)
        y -= 1.7 * QUESTION / 72
        for line in broken(text, _characters(width - MARGIN, TEXT)):
            _put(line, cell, (0.0, y / height), TEXT)
            y -= 1.45 * TEXT / 72
        y -= TEXT / 72
    if table is not None and y > (room := room_for(table, width)[1] + MARGIN):
        _, lower = _below_one_another(cell, [height - room, room])
        draw_record(table, lower.subplots())


def _second(part: SubFigure) -> str:
    """The second colour of texts on the ground of a picture."""
    return SECOND[has_dark_ground(part.figure.figure.get_facecolor())]
