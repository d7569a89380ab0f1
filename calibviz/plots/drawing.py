"""Matplotlib pictures of the figure records: static, for papers and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from .. import figures
from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.induced import Judged, scalar_problem
from ..context.lens_names import lens as read_lens
from ..context.lenses import Lens
from ..data.models import checked, models_of
from ..data.predictions import Predictions
from ..decisions.pairs import one_problem, recalibrated_problem
from ..engine.binning import Binning, Uniform, bins_of
from ..figures.styles import STYLES, VERMILION
from ..figures.words import ks_limit
from ..foundation import validation
from ..metrics.asked import usual_lens
from ..metrics.binned import ks_error
from ..recalibration import Spline
from ..uncertainty.intervals import INTERVAL_LEVEL, interval_of

if TYPE_CHECKING:
    from collections.abc import Sequence


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
WIDEST = 12.0  # inches
KS_AXES: tuple[Literal["fractile", "score"], ...] = ("fractile", "score")


def draw(figure: figures.Figure, ax: Axes | None = None) -> Axes:
    """Draw a figure record into axes, or into those of a new figure of 4 x 4 inches.

    A new figure belongs to no window and no global state: `ax.figure.savefig(...)` writes it, and a notebook shows
    it when it is the value of a cell.
    """
    validation.kind(figure, "figure", figures.Figure, "a figure record of calibviz.figures")
    if ax is not None:
        validation.kind(ax, "ax", Axes, "axes of Matplotlib")
        _fill(ax, figure)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(frameon=False, fontsize="small")
        return ax
    lines = wrap(figure.note, NOTE_CHARACTERS)
    ax = Picture(figsize=(4, 4 + 0.2 * len(lines)), layout="constrained").subplots()
    _fill(ax, figure)
    _legend_below(ax, title="\n".join(lines))
    return ax


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
            _fill(ax, record)
            _legend_below(ax)
    if title:
        wide = CHARACTERS * columns  # a long title would be cut at both ends
        picture.suptitle("\n".join(_plain(line) for part in title.split("\n") for line in wrap(part, wide)))
    return picture


def reliability(
    predictions: Predictions,
    lens: str | Lens = "top-1",
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    categories: Mapping[str, tuple[float, float]] | None = None,
    interval: str = "clopper-pearson",
    level: float = INTERVAL_LEVEL,
) -> MatplotlibFigure:
    """Reliability diagram with a bar for each bin, and the histogram of the scores below it.

    Parameters are those of `calibviz.reliability`; `categories` are Likert categories to mark.
    """
    problem = scalar_problem(predictions, lens, selection, outcome)
    binning = Uniform() if binning is None else binning
    bins = bins_of(problem, binning)
    categories = None if categories is None else validation.intervals(categories, "categories")
    bars = interval_of(interval, problem, binning, bins, level)
    bars_name = f"{100 * level:g} % {'consistency bars' if interval == 'consistency' else 'interval'}"
    what = _named(predictions, lens, outcome)
    record = figures.reliability_figure([problem], [bins], what, categories=categories, bars=bars, bars_name=bars_name)
    return _over_histogram(record, figures.histogram_figure([problem], what))


def cumulative(
    predictions: Predictions,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> MatplotlibFigure:
    """Cumulative score and target against the fractile, the KS maximum marked (ks figure 1a)."""
    problem = scalar_problem(predictions, lens, selection, outcome)
    return _figure_of(draw(figures.cumulative_figures([problem], _named(predictions, lens, outcome))[0]))


def ks(
    predictions: Predictions,
    calibrator: Any = None,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibration: Predictions | None = None,
) -> MatplotlibFigure:
    """Cumulative curves and their slopes, against fractile and score (ks figure 1); a row before, a row after a repair.

    `calibrator` is a fitted calibrator, or a function of scores; with `calibration`, what it was fitted to, there are
    rows for these samples as well. Each row tells the KS error, and what 95 % of calibrated models stay below. The
    other parameters are those of `calibviz.ks_error`.
    """
    sets = {"judged": checked(predictions)} | (
        {} if calibration is None else {"fitted to": checked(calibration, "calibration")}
    )
    records: list[figures.Figure] = []
    for name, one in sets.items():
        before = scalar_problem(one, lens, selection, outcome)
        shown = {"before": before}
        if calibrator is not None:
            shown["after"] = recalibrated_problem(before, calibrator, one, lens, outcome)
        for when, problem in shown.items():
            drawn = [*figures.cumulative_figures([problem], _named(one, lens, outcome))[:2]]
            drawn += [figures.slopes_figure([problem], _named(one, lens, outcome), against=x) for x in KS_AXES]
            records += [replace(record, title=f"{name}, {when}") for record in drawn]
            found, limit = figures.percent(ks_error(problem)), figures.percent(ks_limit(problem))
            records[-4] = replace(records[-4], title=f"{name}, {when}: KS {found}, by chance {limit}")
    return panels(records, f"{_named(predictions, lens, outcome)}: scores and what is found", columns=4)


def recalibration(
    predictions: Predictions,
    calibration: Predictions,
    lens: str | Lens = "top-1",
    knots: int = 6,
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> MatplotlibFigure:
    """The spline fitted to `calibration`, and the bins of `predictions` before and after it."""
    checked(calibration, "calibration")
    binning = Uniform() if binning is None else binning
    condition = read_selection(selection)
    spline = Spline(knots).fit(scalar_problem(calibration, lens, None, outcome))
    before = scalar_problem(predictions, lens, condition, outcome)
    after = scalar_problem(predictions, lens, condition, outcome, spline)
    mapped = spline(spline.score_)
    drawn = figures.map_figure(
        _named(predictions, lens, outcome),
        spline.short_name,
        spline.score_,
        mapped,
        is_curve=True,
        knots=(spline.knot_scores_, spline(spline.knot_scores_)),
        moved=float(np.abs(mapped - spline.score_).max()),
    )
    return _figure_of(draw(figures.with_bins(drawn, bins_of(before, binning), bins_of(after, binning))))


def sensitivity(table: xr.Dataset) -> MatplotlibFigure:
    """The error over gamma or the number of bins, its bootstrap bars, and the flattest window (gece figure 7).

    `table` is what `calibviz.uncertainty.sensitivity` returns.
    """
    if not isinstance(table, xr.Dataset):
        raise TypeError(f"table must be what cv.sensitivity(...) returns, not {type(table).__name__}")
    return _figure_of(draw(figures.sensitivity_figure(table)))


def sample_size(table: xr.Dataset) -> MatplotlibFigure:
    """What studies of several sizes tell: the width of the interval, and the least error that is noticed.

    `table` is what `calibviz.simulation.sample_size` returns.
    """
    if not isinstance(table, xr.Dataset):
        raise TypeError(f"table must be what cv.sample_size(...) returns, not {type(table).__name__}")
    return _figure_of(draw(figures.sample_size_figure(table)))


def drift(table: xr.Dataset) -> MatplotlibFigure:
    """The error over windows of time, its spread under resampling, and what chance alone would make of it.

    `table` is what `calibviz.uncertainty.drift` returns.
    """
    if not isinstance(table, xr.Dataset):
        raise TypeError(f"table must be what cv.drift(...) returns, not {type(table).__name__}")
    return _figure_of(draw(figures.drift_figure(table)))


def decision_curve(table: xr.Dataset | Mapping[str, xr.Dataset]) -> MatplotlibFigure:
    """The net benefit of a model at every threshold, beside treating all and none, with intervals where there are any.

    `table` is what `calibviz.decision_curve` returns, or a dict of models' names to such tables of the same samples.
    """
    return _figure_of(draw(figures.decision_curve_figure(table)))


def changed_sides(table: xr.Dataset) -> MatplotlibFigure:
    """Who crosses a threshold under a calibrator: what they were told and what was found, how many, and what for.

    `table` is what `calibviz.changed_sides` returns.
    """
    return panels(figures.changed_sides_figures(table))


def local_calibration(table: xr.Dataset) -> MatplotlibFigure:
    """Told and found near each threshold, over the flexible curve.

    `table` is what `calibviz.local_calibration` returns.
    """
    return _figure_of(draw(figures.local_calibration_figure(table)))


def risk_coverage(table: xr.Dataset | Mapping[str, xr.Dataset], generalized: bool = False) -> MatplotlibFigure:
    """The share of wrong ones among the surest samples, with AURC and excess AURC; `generalized`, among all samples.

    `table` is what `calibviz.risk_coverage` returns, or a dict of models' names to such tables.
    """
    return _figure_of(draw(figures.risk_coverage_figure(table, validation.truth(generalized, "generalized"))))


def calibration_curve(
    predictions: Judged | Mapping[str, Predictions],
    lens: str | Lens | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    level: float = INTERVAL_LEVEL,
) -> MatplotlibFigure:
    """The flexible calibration curve with its band and knots over the diagonal, and the histogram of the scores.

    Parameters are those of `calibviz.calibration_curve`; a dict of models is overlaid, without knots.
    """
    several: Mapping[str, Judged] = (
        models_of(predictions, "predictions") if isinstance(predictions, Mapping) else {"model": predictions}
    )
    problems = {name: one_problem(one, lens, selection, outcome) for name, one in several.items()}
    first = next(iter(several.values()))
    what = _named(first, usual_lens(first, lens), outcome)
    if lens is None and isinstance(first, Predictions) and first.n_classes == 2:
        what = f"class {first.class_names[1]}"
    curve, histogram = figures.calibration_curve_figures(problems, what, validation.level(level))
    return _over_histogram(curve, histogram)


def segments(table: xr.Dataset, most: int = figures.MOST_SEGMENTS) -> MatplotlibFigure:
    """A forest plot: found less told in the worst segments, with intervals, and how many samples they hold.

    Those that chance does not explain, given that all were looked at, are marked. `table` is what `calibviz.segments`
    returns; `most` is how many segments are drawn.
    """
    record = figures.segments_figure(table, validation.whole_number(most, "most", 1))
    places, names = zip(*record.y_ticks, strict=True)
    lines = [wrap(name, CHARACTERS, break_long_words=False) for name in names]
    picture = Picture(figsize=(8, 1.6 + 0.24 * max(map(len, lines)) * len(lines)), layout="constrained")
    ax = picture.subplots()
    _fill(ax, record)
    ax.set_yticks(places, ["\n".join(map(_plain, name)) for name in lines], fontsize="small")
    right = ax.secondary_yaxis("right")
    right.set_yticks(places, [f"{n:,.0f}" for n in table["count"].values[: len(places)]], fontsize="small")
    right.tick_params(length=0)
    right.set_ylabel("samples")
    _legend_below(ax, "\n".join(wrap(record.note, 2 * NOTE_CHARACTERS)))
    return picture


def bars(
    cube: xr.Dataset, metric: str, x: str = "lens", hue: str | None = "calibrator", over: str = "trial"
) -> MatplotlibFigure:
    """Grouped bars of a cube, with error bars and a mark where chance alone would end (gece figures 1, 3, 5).

    Parameters
    ----------
    cube : what `calibviz.evaluate` returns
        With one label of every dimension but these three: choose it with `.sel`.
    metric : str
        A variable of the cube, such as "ece".
    x, hue : str
        The dimensions of the groups and of the bars of a group; with `hue=None` there is one bar in each.
    over : str
        The dimension of repeated trials: bars are their means, error bars their standard deviations. Without it, error
        bars are the intervals that the cube holds (`intervals=0.95`), else its bootstrap. Marks are those of
        `noise=True`.
    """
    record = figures.bars_figure(cube, metric, x, hue, over)
    of_group = 1 if hue is None else cube.sizes[hue]
    width = min(max(4.0, 1.6 + 0.22 * len(record.x_ticks) * (of_group + 1)), WIDEST)
    ax = Picture(figsize=(width, 4), layout="constrained").subplots()
    _fill(ax, record)
    _legend_below(ax, "\n".join(wrap(record.note, NOTE_CHARACTERS)))
    return _figure_of(ax)


def ranks(cube: xr.Dataset, untested: bool = False) -> MatplotlibFigure:
    """Which calibrator is best by which metric: the ranks of `rank_calibrators`, as a coloured table.

    `cube` is what `calibviz.evaluate` returns for several calibrators, with `ranking="calibrator"` unless `untested`;
    over models, lenses and the like it is the mean rank.
    """
    grid = figures.ranks_figure(cube, untested)
    rows, columns = grid.values.shape
    picture = Picture(figsize=(2.5 + 0.7 * columns, 1.6 + 0.24 * rows), layout="constrained")
    draw_grid(grid, picture.subplots())
    return picture


def simulated_errors(cube: xr.Dataset, x: str = "n") -> MatplotlibFigure:
    """Bias and spread of estimators on simulated networks, over x: "n", "bins" or "tce" (ece_sweep figures 6-14)."""
    return panels(figures.simulated_errors_figures(cube, x))


def miss_rates(table: xr.Dataset) -> MatplotlibFigure:
    """What `calibviz.miss_rates` returns for one number of samples, against the true error (ece_sweep figure 8)."""
    return _figure_of(draw(figures.miss_rates_figure(table)))


def sample_sizes(table: xr.Dataset) -> MatplotlibFigure:
    """What `calibviz.sample_sizes` returns: a number and its spread by the number of samples (gece figure 9)."""
    return _figure_of(draw(figures.sample_sizes_figure(table)))


def rank_correlation(table: xr.Dataset, name: str | None = None) -> MatplotlibFigure:
    """How well rankings agree: Spearman's rho of every two labels, as a coloured table.

    `table` is what `calibviz.rank_correlation` returns; where it holds several errors, `name` is the one to draw.
    """
    grid = figures.rank_correlation_figure(table, name)
    picture = Picture(figsize=(3.2 + 0.6 * len(grid.columns), 2.2 + 0.35 * len(grid.rows)), layout="constrained")
    draw_grid(grid, picture.subplots())
    return picture


def draw_grid(grid: figures.Grid, ax: Axes) -> Axes:
    """Draw a table of values into axes: the lower, the darker, and every value in figures; the current one outlined."""
    validation.kind(grid, "grid", figures.Grid, "a grid record of calibviz.figures")
    validation.kind(ax, "ax", Axes, "axes of Matplotlib")
    image = ax.imshow(grid.values, cmap="cividis", aspect="auto")
    ax.set_xticks(range(len(grid.columns)), map(_plain, grid.columns), rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(grid.rows)), map(_plain, grid.rows))
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
    ax.figure.colorbar(image, ax=ax, label=_plain(grid.value_label))
    ax.set_title(_plain(grid.title), fontsize="medium")
    return ax


def _over_histogram(record: figures.Figure, histogram: figures.Figure) -> Picture:
    """A diagram over the scores, and their histogram below it."""
    picture = Picture(figsize=(4, 5), layout="constrained")
    upper, lower = picture.subplots(2, 1, height_ratios=[4, 1], sharex=True)
    draw(record, upper).set_xlabel("")
    draw(histogram, lower)
    return picture


def _fill(ax: Axes, figure: figures.Figure) -> None:
    """Everything of a figure record but its legend."""
    for series in figure.series:
        style = STYLES[series.role]
        if not len(series.x):
            continue
        if series.shape == "area":
            pieces = ax.fill(*_closed(series), color=style.colour, alpha=style.opacity, linewidth=0)
            pieces[0].set_label(_plain(series.name))
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
            label=_plain(series.name) or None,
        )
    ax.set(title=_plain(figure.title), xlabel=_plain(figure.x_label), ylabel=_plain(figure.y_label))
    ax.set_xlim(*_widened(figure.x_range))
    ax.set_ylim(*_widened(figure.y_range))
    for axis, in_percent in ((ax.xaxis, figure.x_in_percent), (ax.yaxis, figure.y_in_percent)):
        if in_percent:
            axis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    if figure.x_in_percent:
        ax.locator_params(axis="x", nbins=6)
    if figure.y_ticks:
        places, texts = zip(*figure.y_ticks, strict=True)
        ax.set_yticks(places, map(_plain, texts))
    if figure.x_ticks:
        places, texts = zip(*figure.x_ticks, strict=True)
        ax.set_xticks(places, map(_plain, texts))
        if sum(map(len, texts)) > LONG_TICKS * ax.bbox.width / ax.figure.dpi:
            ax.set_xticks(places, map(_plain, texts), rotation=40, ha="right", rotation_mode="anchor")


def _plain(text: str) -> str:
    """A text that Matplotlib draws as it is: between dollar signs it would read names of anybody as formulas."""
    return text.replace("$", r"\$")


def _legend_below(ax: Axes, title: str = "") -> None:
    """A legend below the axes, which have their figure for themselves."""
    handles, labels = ax.get_legend_handles_labels()
    if handles:
        ax.figure.legend(
            handles,
            labels,
            title=_plain(title) or None,
            title_fontsize="small",
            alignment="left",
            loc="outside lower center",
            ncols=2 if max(map(len, labels)) <= LONG_LABEL else 1,
            frameon=False,
            fontsize="small",
        )


def _named(predictions: Judged, lens: str | Lens, outcome: int | str | None) -> str:
    """The name of the lens, with that of the outcome that is drawn."""
    name = read_lens(lens).name
    return name if outcome is None else f"{name}: {outcome}"


def _decimals(values: NDArray[np.float64]) -> int:
    """How many decimals tell the values of a table apart, all of them written alike; ranks need one at most."""
    if (2 * values == np.round(2 * values)).all():
        return int((values != np.round(values)).any())
    largest = np.abs(values).max()
    return 3 if largest < 1 else 2 if largest < 10 else 1


def _figure_of(ax: Axes) -> MatplotlibFigure:
    figure = ax.figure
    assert isinstance(figure, MatplotlibFigure)
    return figure


def _closed(series: figures.Series) -> list[Any]:
    """The outlines between the nans, as x, y, x, y, ..."""
    breaks = np.flatnonzero(np.isnan(series.x))
    pieces = zip(np.split(series.x, breaks), np.split(series.y, breaks), strict=True)
    return [part[~np.isnan(part)] for pair in pieces for part in pair]


def _widened(span: tuple[float, float]) -> tuple[float, float]:
    margin = 0.02 * (span[1] - span[0])
    return span[0] - margin, span[1] + margin
