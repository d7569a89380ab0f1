"""How a figure record becomes a picture of Matplotlib: its axes, legend, table of values and page of several."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from .. import figures
from ..figures.styles import STYLES, VERMILION
from ..foundation import validation


class Picture(MatplotlibFigure):
    """A figure of Matplotlib that belongs to no window and no global state, and that a notebook shows all the same."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()


MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "triangle-down": "v",
    "cross": "P",
}
PANEL = (4.0, 3.6)  # inches
CHARACTERS = 40  # of a title over each column
NOTE_CHARACTERS = 58  # of a line below the axes
LONG_LABEL = 36  # characters of a legend, beyond which each entry has a line of its own
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


def drawn(figure: figures.Figure, size: tuple[float, float] | None = None) -> Picture:
    """A picture of nothing but a figure record; without a size in inches, the note of the record makes it longer."""
    lines = wrap(figure.note, NOTE_CHARACTERS)
    picture = Picture(figsize=size or (4, 4 + 0.2 * len(lines)), layout="constrained")
    ax = picture.subplots()
    fill(ax, figure)
    legend_below(ax, title="\n".join(lines))
    return picture


def panels(records: Sequence[figures.Figure | figures.Grid], title: str = "", columns: int = 2) -> Picture:
    """Several records on one page, in columns.

    Parameters
    ----------
    records : sequence of figure and grid records
    title : str
        Above them all.
    columns : int, at least 1
    """
    validation.text(title, "title")
    columns = validation.whole_number(columns, "columns", 1)
    records = validation.listing(records, "records", "figure records")
    for i, record in enumerate(records):
        validation.kind(record, f"records[{i}]", (figures.Figure, figures.Grid), "a record of calibviz.figures")
    if not records:
        raise ValueError("records is empty: pass at least one figure record")
    columns = min(columns, len(records))
    rows = -(-len(records) // columns)
    picture = Picture(figsize=(PANEL[0] * columns, PANEL[1] * rows + 0.8 * bool(title)), layout="constrained")
    cells = np.ravel(picture.subfigures(rows, columns, squeeze=False))
    for record, cell in zip(records, cells, strict=False):
        ax = cell.subplots()
        if isinstance(record, figures.Grid):
            draw_grid(record, ax)
        else:
            fill(ax, record)
            legend_below(ax)
    if title:
        wide = CHARACTERS * columns  # a long title would be cut at both ends
        picture.suptitle("\n".join(plain(line) for part in title.split("\n") for line in wrap(part, wide)))
    return picture


def draw_grid(grid: figures.Grid, ax: Axes) -> Axes:
    """Draw a table of values into axes: the lower, the darker, and every value in figures; the current one outlined."""
    validation.kind(grid, "grid", figures.Grid, "a grid record of calibviz.figures")
    validation.kind(ax, "ax", Axes, "axes of Matplotlib")
    image = ax.imshow(grid.values, cmap="cividis", aspect="auto")
    ax.set_xticks(range(len(grid.columns)), map(plain, grid.columns), rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(grid.rows)), map(plain, grid.rows))
    ax.tick_params(length=0, labelsize="small")
    known = grid.values[np.isfinite(grid.values)]
    decimals = _decimals(known) if len(known) else 0
    for place in np.argwhere(np.isfinite(grid.values)):
        value = grid.values[tuple(place)]
        dark = value < (known.min() + known.max()) / 2
        text = f"{value:.{decimals}f}"
        ax.text(place[1], place[0], text, ha="center", va="center", fontsize="small", color="w" if dark else "k")
    if grid.current is not None:
        row, column = grid.current
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=VERMILION, linewidth=3))
    ax.figure.colorbar(image, ax=ax, label=plain(grid.value_label))
    ax.set_title(plain(grid.title), fontsize="medium")
    return ax


def fill(ax: Axes, figure: figures.Figure) -> None:
    """Everything of a figure record but its legend."""
    for series in figure.series:
        style = STYLES[series.role]
        if not len(series.x):
            continue
        if series.shape == "area":
            pieces = ax.fill(*_closed(series), color=style.colour, alpha=style.opacity, linewidth=0)
            pieces[0].set_label(plain(series.name))
            ax.plot(series.x, series.y, color=style.colour, linestyle=style.dash, linewidth=min(style.width, 1.0) / 2)
            continue
        ax.plot(
            series.x,
            series.y,
            color=style.colour,
            linestyle=style.dash if "line" in series.shape else "none",
            linewidth=0.75 * style.width,
            marker=MARKERS[style.marker] if "dots" in series.shape else None,
            markersize=0.75 * style.size**0.5,
            fillstyle="full" if style.filled else "none",
            label=plain(series.name) or None,
        )
    ax.set(title=plain(figure.title), xlabel=plain(figure.x_label), ylabel=plain(figure.y_label))
    ax.set_xlim(*_widened(figure.x_range))
    ax.set_ylim(*_widened(figure.y_range))
    for axis, in_percent in ((ax.xaxis, figure.x_in_percent), (ax.yaxis, figure.y_in_percent)):
        if in_percent:
            axis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    if figure.x_in_percent:
        ax.locator_params(axis="x", nbins=6)
    if figure.y_ticks:
        places, texts = zip(*figure.y_ticks, strict=True)
        ax.set_yticks(places, map(plain, texts))
    if figure.x_ticks:
        places, texts = zip(*figure.x_ticks, strict=True)
        ax.set_xticks(places, map(plain, texts))
        if sum(map(len, texts)) > LONG_TICKS * ax.bbox.width / ax.figure.dpi:
            ax.set_xticks(places, map(plain, texts), rotation=40, ha="right", rotation_mode="anchor")


def plain(text: str) -> str:
    """A text that Matplotlib draws as it is: between dollar signs it would read names of anybody as formulas."""
    return text.replace("$", r"\$")


def legend_below(ax: Axes, title: str = "") -> None:
    """A legend below the axes, which have their figure for themselves."""
    handles, labels = ax.get_legend_handles_labels()
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


def _widened(span: tuple[float, float]) -> tuple[float, float]:
    margin = 0.02 * (span[1] - span[0])
    return span[0] - margin, span[1] + margin
