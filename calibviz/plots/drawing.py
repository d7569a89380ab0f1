"""How a figure record becomes a picture of Matplotlib: its axes, legend, table of values and page of several."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib import rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.offsetbox import AnnotationBbox, VPacker
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from .. import figures
from ..figures.labels import SIDES
from ..figures.shapes import widened
from ..figures.styles import PURPLE, STYLES
from ..figures.svg.picture import DRAGGED
from ..figures.tables import Table
from ..foundation import validation
from ..foundation.files import write_whole
from ..foundation.written import TICK_DIGITS, chosen_percent, with_minus, wrapped
from .looks import SECOND, coloured, has_dark_ground, in_pieces, looked, plain
from .tables import draw_table, room_for


class Picture(MatplotlibFigure):
    """A figure of Matplotlib that belongs to no window and no global state, and that a notebook shows all the same."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()

    #: What a file says of itself, beside what is drawn.
    description = ""
    #: What is drawn, for pages that draw it in their own colours; of nothing but what functions here make whole.
    records: tuple[figures.Figure | figures.Grid | Table, ...] = ()

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        """Write the picture as Matplotlib does, but whole: what a file of that name held stays if that fails.

        Texts of an SVG and of a PDF stay texts, which can be searched, read aloud and edited.
        """
        if not isinstance(fname, str | os.PathLike):
            kind = kwargs.get("format") or rcParams["savefig.format"]
            if self.description and kind in TITLED:
                kwargs.setdefault("metadata", {"Title": self.description})
            with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42}):
                super().savefig(fname, **kwargs)
            return
        name = os.fspath(fname)
        kind = kwargs.pop("format", None) or os.path.splitext(name)[1][1:]
        if not kind:
            kind = self.canvas.get_default_filetype()
            name = f"{name.rstrip('.')}.{kind}"
        content = BytesIO()
        self.savefig(content, format=kind, **kwargs)
        write_whole(name, content.getvalue())


TITLED = ("png", "svg", "pdf")  # kinds of files that hold a title
MARKERS = {"circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "triangle-down": "v", "cross": "P"}
DASHES = {"solid": "solid", "dashed": "dashed", "dotted": "dotted", "dash_dotted": "dashdot"}
POINTS_PER_PIXEL = 0.75
ABOVE_LINES = 2.5  # in the order in which Matplotlib draws
PANEL, WORDED = (4.0, 3.6), (5.2, 3.6)  # inches, of a picture that has words in it as well
COLUMNS = 3  # of pictures that are alike
CHARACTERS = 40  # of a title over each column
NOTE_CHARACTERS = 58  # of a line below the axes
LINE = 0.19  # inches of a row of a grid
COLUMN, TICK, AROUND = 0.6, 0.25, 1.5  # inches of a column of a grid, of a name on an axis, and around both
MOST_NAMES, TITLE_LINE = 1.0, 0.3  # inches of turned names that a picture has room for, and of a line of the title
SMALL = 8.3  # points of the letters of names
CHARACTER = 0.6  # the width of a letter in sizes
TITLE_CHARACTERS = 34  # of the title of one picture
SIDE_CHARACTERS = 32  # of a line beside the axes
LONG_LABEL = 36  # characters of a legend, beyond which each entry has a line of its own
SAID_WIDTH = 60  # characters of what is said below a grid, which then is no wider than that
LEAST_BELOW, LARGEST_BELOW = 4.5, 6.0  # points of an interval below a value; where it would be smaller, it is left out
FAINT, WITHIN_NOISE = "0.4", "0.93"  # greys of a number that is no more than noise, and behind it
WORDS, ABOVE = 8.5, 1.01  # points of words in a picture; where the name of y stands above it, in heights of the axes
ALIGNED: dict[str, Any] = {"left": "right", "middle": "center", "right": "left"}
LONG_TICKS = 8  # characters of all tick labels in an inch, beyond which they are turned


def draw(figure: figures.Figure, ax: Axes | None = None) -> Axes:
    """Draw a figure record into axes, or into those of a new figure of 4 x 4 inches.

    A new figure belongs to no window and no global state: `ax.figure.savefig(...)` writes it, and a notebook shows
    it when it is the value of a cell.
    """
    validation.kind(figure, "figure", figures.Figure, "a figure record of calibviz.figures")
    if ax is None:
        return drawn(figure).axes[0]
    validation.kind(ax, "ax", Axes, "axes of Matplotlib")
    fill(ax, figure)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small")
    return ax


def drawn(record: figures.Figure | figures.Grid, size: tuple[float, float] | None = None) -> Picture:
    """A picture of nothing but a record; without a size in inches, the note of the record makes it longer."""
    lines = wrap(record.note, NOTE_CHARACTERS) if isinstance(record, figures.Figure) else []
    picture = Picture(figsize=size or (4, 4 + 0.2 * len(lines)), layout="constrained")
    picture.records = (record,)
    ax = picture.subplots()
    if isinstance(record, figures.Grid):
        draw_grid(record, ax)
    else:
        fill(ax, record)
        legend_below(ax, title="\n".join(lines))
    return picture


def over_histogram(record: figures.Figure, histogram: figures.Figure) -> Picture:
    """A diagram over the scores, and their histogram below it."""
    picture = Picture(figsize=(4, 5), layout="constrained")
    picture.records = (record, histogram)
    upper, lower = picture.subplots(2, 1, height_ratios=[4, 1], sharex=True)
    draw(record, upper).set_xlabel("")
    draw(histogram, lower)
    return picture


def panels(records: Sequence[figures.Figure | figures.Grid | Table], title: str = "", columns: int = 2) -> Picture:
    """Several records on one page, in columns, and tables below them.

    Parameters
    ----------
    records : sequence of figure, grid and table records
    title : str
        Above them all.
    columns : int, at least 1
    """
    validation.text(title, "title")
    columns = validation.whole_number(columns, "columns", 1)
    records = validation.listing(records, "records", "figure records")
    for i, record in enumerate(records):
        validation.kind(record, f"records[{i}]", (figures.Figure, figures.Grid, Table), "a record of calibviz.figures")
    if not records:
        raise ValueError("records is empty: pass at least one figure record")
    tables = [record for record in records if isinstance(record, Table)]
    rows = _rows_of([record for record in records if not isinstance(record, Table)], columns)
    rooms = [np.max([room_of(record) for record in row], axis=0) for row in rows]
    beside = max((len(row) for row in rows), default=1)
    width = max([PANEL[0] * beside, *(room[0] for room in rooms), *(room_for(table)[0] for table in tables)])
    # A long title would be cut at both ends.
    lines = [line for part in title.split("\n") for line in wrap(part, int(CHARACTERS * width / PANEL[0]))]
    heights = [room[1] for room in rooms] + [room_for(table, width)[1] for table in tables]
    picture = Picture(figsize=(width, sum(heights) + TITLE_LINE * len(lines)), layout="constrained")
    picture.records = tuple(records)
    bands = picture.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    for table, band in zip(tables, bands[len(rows) :], strict=True):
        draw_record(table, band.subplots())
    for row, room, band in zip(rows, rooms, bands, strict=False):
        count = 1 if room[0] > PANEL[0] else beside
        for record, cell in zip(row, np.ravel(band.subfigures(1, count, squeeze=False)), strict=False):
            draw_record(record, cell.subplots())
    if title:
        picture.suptitle("\n".join(map(plain, lines)))
    return picture


def draw_record(record: figures.Figure | figures.Grid | Table, ax: Axes, characters: int = TITLE_CHARACTERS) -> None:
    """Draw a record of any kind into axes that have their figure for themselves, with so many characters a line."""
    if isinstance(record, Table):
        draw_table(record, ax)
    elif isinstance(record, figures.Grid):
        draw_grid(record, ax)
    else:
        fill(ax, record)
        ax.set_title("\n".join(map(plain, wrapped(record.title, characters))))  # a longer one is cut
        legend_below(ax)


def _rows_of(
    pictures: Sequence[figures.Figure | figures.Grid], columns: int
) -> list[list[figures.Figure | figures.Grid]]:
    """The pictures that stand beside one another; one that needs more room than the others stands alone."""
    rows: list[list[figures.Figure | figures.Grid]] = []
    for record in pictures:
        fits = rows and len(rows[-1]) < columns and room_of(rows[-1][0])[0] == PANEL[0] == room_of(record)[0]
        rows = [*rows[:-1], [*rows[-1], record]] if fits else [*rows, [record]]
    return rows


def room_of(record: figures.Figure | figures.Grid) -> tuple[float, float]:
    """The width and the height, in inches, in which the names along the axes of a picture can be read."""
    letter = CHARACTER * SMALL / 72
    if isinstance(record, figures.Grid):
        names = letter * max(map(len, record.rows), default=0)
        tall = LINE * len(record.rows) + letter * max(map(len, record.columns), default=0) + AROUND
        return max(PANEL[0], names + COLUMN * len(record.columns) + AROUND), max(PANEL[1], tall)
    if record.labels and record.has_level_names:
        return WORDED
    names = letter * max((len(text) for _, text in record.x_ticks), default=0)
    if names * len(record.x_ticks) <= PANEL[0]:
        return PANEL
    return max(PANEL[0], TICK * len(record.x_ticks) + AROUND), max(PANEL[1], PANEL[1] + names - MOST_NAMES)


def draw_grid(grid: figures.Grid, ax: Axes) -> Axes:
    """Draw a table of values into axes: the lower, the darker, and every value in figures; the current one outlined.

    What is within noise is grey. An interval stands below its value where it is known and has room.
    """
    validation.kind(grid, "grid", figures.Grid, "a grid record of calibviz.figures")
    validation.kind(ax, "ax", Axes, "axes of Matplotlib")
    room = 0.85 * 72 * PANEL[0] / len(grid.columns)  # points for each column; the colour bar takes the rest
    is_mixed = len(set(grid.units)) > 1  # then no colour means the same in every row
    shades = _row_by_row(grid.values) if is_mixed else grid.values
    quiet = np.zeros(grid.values.shape, bool) if grid.noise is None else grid.noise
    known = shades[np.isfinite(shades)]
    ends = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    image = ax.imshow(np.where(quiet, np.nan, shades), cmap="cividis", aspect="auto", vmin=ends[0], vmax=ends[1])
    if quiet.any():
        ax.set_facecolor(WITHIN_NOISE)
    ax.grid(visible=False)
    ax.set_xticks(range(len(grid.columns)), map(plain, grid.columns), rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(grid.rows)), map(plain, grid.rows))
    ax.tick_params(length=0, labelsize="small")
    for i, j in np.argwhere(np.isinf(grid.values)):  # of which no colour tells
        ax.text(j, i, "∞", ha="center", va="center", fontsize="small")
    for i, j in np.argwhere(np.isfinite(grid.values)):
        row = grid.values[i] if is_mixed else grid.values
        digits = f".{_decimals(row[np.isfinite(row)])}f"
        is_dark = not quiet[i, j] and shades[i, j] < sum(ends) / 2
        colour = "w" if is_dark else FAINT if quiet[i, j] else "k"
        write = partial(ax.text, j, i, ha="center", color=colour)
        interval = _interval_of(grid, i, j, digits)
        size = min(LARGEST_BELOW, room / max(1.0, CHARACTER * len(interval)))
        is_below = bool(interval) and size >= LEAST_BELOW
        write(with_minus(f"{grid.values[i, j]:{digits}}"), va="bottom" if is_below else "center", fontsize="small")
        if is_below:
            write(interval, va="top", fontsize=size)
    if grid.current is not None:
        row, column = grid.current
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=PURPLE, linewidth=3))
    is_coloured = np.isfinite(shades[~quiet]).any()
    said = [
        grid.value_label if is_mixed or not is_coloured else "",
        "each row coloured by itself" if is_mixed and is_coloured else "",
        "grey: within noise" if quiet.any() else "",
    ]
    ax.set_xlabel("\n".join(wrap(plain("; ".join(filter(None, said))), SAID_WIDTH)), fontsize="small")
    if is_coloured and not is_mixed:
        ax.figure.colorbar(image, ax=ax, label=plain(grid.value_label))
    ax.set_title(plain(grid.title), fontsize="medium")
    return ax


def _interval_of(grid: figures.Grid, i: int, j: int, digits: str) -> str:
    """The interval of a value; empty where it is not known."""
    if grid.lower is None or grid.upper is None or not np.isfinite([grid.lower[i, j], grid.upper[i, j]]).all():
        return ""
    return with_minus(f"{grid.lower[i, j]:{digits}} to {grid.upper[i, j]:{digits}}")


def _row_by_row(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each row from 0, its lowest value, to 1, its highest; 0.5 where all are equal."""
    finite = np.where(np.isfinite(values), values, np.nan)
    low, high = (reduce(finite, axis=1, keepdims=True) for reduce in (np.fmin.reduce, np.fmax.reduce))
    room = np.where(high > low, high - low, 1.0)
    return np.where(high > low, (finite - low) / room, finite - low + 0.5)


def fill(ax: Axes, figure: figures.Figure) -> None:
    """Everything of a figure record but its legend."""
    ground = ax.get_facecolor() if to_rgba(ax.get_facecolor())[3] else ax.figure.get_facecolor()
    is_dark = has_dark_ground(ground)
    for series in figure.series:
        if series.role == DRAGGED:
            continue
        style = STYLES[series.role]
        if is_dark:
            style = replace(style, colour=coloured(style.colour, is_dark))
        if not len(series.x):
            continue
        if series.shape == "area":
            pieces = ax.fill(*_closed(series), color=style.colour, alpha=style.opacity, linewidth=0)
            pieces[0].set_label(plain(series.name))
            edge = min(style.width, 1.0) / 2
            ax.plot(series.x, series.y, color=style.colour, linestyle=DASHES[style.dash], linewidth=edge)
            continue
        if series.areas:
            ax.scatter(
                series.x,
                series.y,
                s=POINTS_PER_PIXEL**2 * np.array(series.areas),
                marker=MARKERS[style.marker],
                facecolors=style.colour if style.filled else "none",
                edgecolors=style.colour,
                linewidths=POINTS_PER_PIXEL * style.width,
                label=plain(series.name) or None,
                zorder=ABOVE_LINES,
            )
            continue
        ax.plot(
            series.x,
            series.y,
            color=style.colour,
            linestyle=DASHES[style.dash] if "line" in series.shape else "none",
            linewidth=POINTS_PER_PIXEL * style.width,
            marker=MARKERS[style.marker] if "dots" in series.shape else None,
            markersize=POINTS_PER_PIXEL * style.size**0.5,
            fillstyle="full" if style.filled else "none",
            label=plain(series.name) or None,
        )
    # Beside the axes a longer line is cut; above them it has all of the width.
    beside = [figure.y_label] if figure.has_level_names else wrapped(figure.y_label, SIDE_CHARACTERS)
    ax.set(title=plain(figure.title), xlabel=plain(figure.x_label), ylabel="\n".join(map(plain, beside)))
    ax.set_xlim(*widened(figure.x_range))
    ax.set_ylim(*widened(figure.y_range))
    for axis, in_percent in ((ax.xaxis, figure.x_in_percent), (ax.yaxis, figure.y_in_percent)):
        if in_percent:
            axis.set_major_formatter(FuncFormatter(lambda share, _: chosen_percent(share, TICK_DIGITS)))
    if figure.x_in_percent and not figure.x_ticks:
        ax.locator_params(axis="x", nbins=6)
    if figure.y_ticks:
        places, texts = zip(*figure.y_ticks, strict=True)
        ax.set_yticks(places, map(plain, texts))
    if figure.has_level_names:
        level_name(ax)
    _write_words(figure, ax, is_dark)
    if figure.x_ticks:
        places, texts = zip(*figure.x_ticks, strict=True)
        ax.set_xticks(places, map(plain, texts))
        if sum(map(len, texts)) > LONG_TICKS * ax.bbox.width / ax.figure.dpi:
            ax.set_xticks(places, map(plain, texts), rotation=40, ha="right", rotation_mode="anchor")


def level_name(ax: Axes) -> None:
    """Let the name of the y axis stand above it, level, as a sentence."""
    ax.yaxis.label.set(rotation=0, ha="left", va="bottom")
    ax.yaxis.set_label_coords(0.0, ABOVE)


def _write_words(figure: figures.Figure, ax: Axes, is_dark: bool) -> None:
    """Write the words in a picture at their places, and the scores of the edges between categories on these."""
    for label in figure.labels:
        if label.about is not None:
            ends = zip((label.x, label.y), label.about, strict=True)
            ax.plot(*map(list, ends), color=SECOND[is_dark], linewidth=0.6, marker="")
        lines: list[Any] = [in_pieces([looked(run, is_dark) for run in line], WORDS) for line in label.lines]
        towards = SIDES[label.side]
        words = VPacker(children=lines, pad=0, sep=1, align=ALIGNED[label.side])
        place = POINTS_PER_PIXEL * towards * label.apart, POINTS_PER_PIXEL * label.above
        ground = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.0 if label.is_on_area else 0.75}
        style: Any = {"boxcoords": "offset points", "box_alignment": ((1 - towards) / 2, 0.5), "annotation_clip": False}
        ax.add_artist(AnnotationBbox(words, (label.x, label.y), place, pad=0.1, bboxprops=ground, **style))
    for series in figure.series if figure.has_level_names else ():
        if series.role == DRAGGED:
            for x, y in zip(series.x.tolist(), series.y.tolist(), strict=True):
                if 0 < (score := figure.score_of(x)) < 1:
                    pill = {"boxstyle": "round,pad=0.3,rounding_size=0.8", "facecolor": ax.get_facecolor()}
                    ax.text(x, y, chosen_percent(score), size=WORDS, weight="bold", ha="center", va="center", bbox=pill)


def legend_below(ax: Axes, title: str = "") -> None:
    """A legend below the axes, which have their figure for themselves, or share it and the legend with those above."""
    named = [each.get_legend_handles_labels() for each in ax.figure.axes]
    handles = [handle for each, _ in named for handle in each]
    labels = [label for _, each in named for label in each]
    for legend in tuple(ax.figure.legends):
        legend.remove()
    if handles:
        ax.figure.legend(
            handles,
            labels,
            title=plain(title) or None,
            title_fontsize="small",
            alignment="left",
            loc="outside lower center",
            ncols=2 if max(map(len, labels)) <= LONG_LABEL else 1,
            frameon=False,
            fontsize="small",
        )


def _decimals(values: NDArray[np.float64]) -> int:
    """How many decimals tell the values of a table apart, all of them written alike; ranks need one at most."""
    if (2 * values == np.round(2 * values)).all():
        return int((values != np.round(values)).any())
    largest = np.abs(values).max()
    return 3 if largest < 1 else 2 if largest < 10 else 1


def _closed(series: figures.Series) -> list[Any]:
    """The outlines between the nans, as x, y, x, y, ..."""
    breaks = np.flatnonzero(np.isnan(series.x))
    pieces = zip(np.split(series.x, breaks), np.split(series.y, breaks), strict=True)
    return [part[~np.isnan(part)] for pair in pieces for part in pair]
