"""Pictures of a simulated network: a sample beside its true curve, and the estimates of many samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from ...engine.binnings.bins import Bins
from ...engine.scalar import ScalarProblem
from ...foundation.arrays import Array
from ...foundation.written import chosen_percent, counted, difference, percent, points
from ...metrics.masses import clopper_pearson
from ...simulation.drawn import EDGES, KNOTS, MIDDLES, heights_of, knots_of
from ...simulation.known_truth import KnownTruth
from ...uncertainty.intervals.bin_intervals import target_interval
from ..records import Figure, Label, Run, Series
from ..shapes import MOST_POINTS, areas, around, bars, cursor, diagonal, histogram, level, nothing, round_ticks, ticks
from ..styles import BLUE
from .decisions import MODELS

ESTIMATE_BINS = 50
FEWEST_FULL = 10  # estimates in a bin from which on the highest bar fills its row: the first ones are seen to grow
NAMES = 0.75  # of the axis: left of 0 stand the names
ROW = 0.86  # of the height of a row: its highest bar
MOST_TESTS = 2
ENOUGH = 0.2  # of the tests miss it, by convention the most


def sample_figures(
    network: KnownTruth, problem: ScalarProblem, bins: Bins, kept: KnownTruth | None = None
) -> tuple[Figure, Figure]:
    """The reliability diagram of a simulated sample (`problem` in `bins`) with the truth, and the density of scores.

    Handles stand where the curve and the density are drawn; the curve of what is kept stands behind.
    """
    filled = bins.weight > 0
    score, target = bins.score[filled], bins.target[filled]
    lower, upper = (ends[filled] for ends in target_interval(bins, problem))
    at_bins = network.true_curve(score)
    hints = tuple(
        f"{counted(n)}: predicted {percent(s)}, observed {percent(t)}, true probability {percent(u)}"
        for n, s, t, u in zip(bins.count[filled], score, target, at_bins, strict=True)
    )
    inside = int(((lower <= at_bins) & (at_bins <= upper)).sum())
    diagram = Figure(
        "sample",
        "The true curve, and one sample",
        "score",
        "probability",
        (
            diagonal(),
            nothing("limit", "line") if kept is None else _curve("A", "limit", kept),
            _curve("truth", "truth", network),
            bars("95 % interval", "interval", score, lower, upper),
            Series("bins of the sample", "bins", "line and dots", score, target, hints),
            Series(
                "",
                "handle",
                "dots",
                KNOTS,
                knots_of(network),
                tuple(f"true probability at the score {percent(knot)}" for knot in KNOTS),
            ),
        ),
        f"Reliability diagram of {counted(len(problem))} drawn from a network, and its true curve: {inside} of "
        f"{int(filled.sum())} bins have the truth at their mean score inside the 95 % interval.",
        x_in_percent=True,
        y_in_percent=True,
        shares_x=True,
    )
    expected, heights = network.shares_between(EDGES), heights_of(network)
    drawn = problem.between(EDGES, "left")[0] / problem.total
    ends = [f"{percent(low)} to {percent(high)}" for low, high in pairwise(EDGES)]
    scores = Figure(
        "sample-scores",
        "",
        "score",
        "density",
        (
            histogram("scores", "histogram", "area", EDGES, np.minimum(drawn / expected.max(), 1.0)),
            Series(network.score_label, "truth", "line", np.repeat(EDGES, 2)[1:-1], np.repeat(heights, 2)),
            Series("", "handle", "dots", MIDDLES, heights, tuple(f"density of the scores from {end}" for end in ends)),
        ),
        f"Histogram of the scores, and what is expected of {network.scores_from}: most in the highest "
        f"twentieth {percent(float(drawn[-1]))}, expected {percent(float(expected[-1]))}.",
        x_in_percent=True,
        y_ticks=((0.0, "0"), (1.0, "most")),
        y_range=(-0.1, 1.1),
    )
    return diagram, scores


def _curve(name: str, role: Literal["truth", "limit"], network: KnownTruth) -> Series:
    grid = np.linspace(*network.score_range, MOST_POINTS // 3)
    return Series(name, role, "line", grid, network.true_curve(grid))


@dataclass(frozen=True, eq=False)
class EstimatorRow:
    """The estimates of many data sets by one estimator.

    Attributes
    ----------
    name : str
    estimates : ndarray, shape (m,)
        Those so far, in [0, 1]; of none where it cannot measure them, or has not yet.
    truth : float
        What it is after; nan where that is not known yet.
    current : float
        Its estimate of the sample that is shown; nan where it cannot measure that.
    """

    name: str
    estimates: Array
    truth: float
    current: float

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation of the estimates; nan of none."""
        known = self.estimates
        return (float(known.mean()), float(known.std())) if len(known) else (float("nan"),) * 2

    def has_mean(self, reach: float) -> bool:
        """Whether the mean of its estimates lies on an axis that ends there."""
        return self.moments[0] <= reach  # no nan does


def estimates_figure(
    rows: Sequence[EstimatorRow], chosen: str, reach: float, planned: int, kept: Sequence[EstimatorRow] = ()
) -> Figure:
    """The histograms of what each estimator makes of many data sets, one below the other, each with its truth.

    Parameters
    ----------
    rows : sequence of EstimatorRow
        From top to bottom.
    chosen : str
        The name of the one that stands out.
    reach : float
        Where the axis ends, so that it does not move with what is on it.
    planned : int
        The number of estimates in the end.
    kept : sequence of EstimatorRow
        Of the same estimators under the setting that is drawn behind; or empty.
    """
    base = {row.name: float(len(rows) - 1 - i) for i, row in enumerate(rows)}
    (main,) = (row for row in rows if row.name == chosen)
    most = max(len(row.estimates) for row in rows)
    moments = {row.name: row.moments for row in rows}
    drawn = [(row, *_bars(row, reach, base[row.name])) for row in rows]
    others = [(x, np.full(len(x), base[row.name]), y) for row, x, y in drawn if row is not main and len(x)]
    behind = _joined_lines([_bars(row, reach, base[row.name]) for row in kept])
    known = [row for row in rows if np.isfinite(row.truth) and row.truth <= reach]
    truths, floors = np.array([100 * row.truth for row in known]), np.array([base[row.name] for row in known])
    means = [row for row in rows if row.has_mean(reach)]
    now = [row for row in rows if row.current <= reach]  # no nan is
    mean, std = moments[chosen]
    summary = f"mean {percent(mean)}, standard deviation {points(std)}; " if len(main.estimates) else ""
    return Figure(
        "estimates",
        f"Estimates of {most:,} data sets" + ("" if most >= planned else f" (of {planned:,})"),
        "estimate, %",
        "",
        (
            areas("other estimators", "others", others),
            areas(
                chosen,
                "histogram",
                [(x, np.full(len(x), base[chosen]), y) for row, x, y in drawn if row is main and len(x)],
            ),
            Series("A" if kept else "", "limit", "line", *behind),
            bars("truth", "truth", truths, floors, floors + 1),
            Series(
                "mean",
                "bins",
                "dots",
                np.array([100 * moments[row.name][0] for row in means]),
                np.array([base[row.name] for row in means]),
                tuple(f"{row.name}: {_said(row)}" for row in means),
            ),
            Series(
                "this sample",
                "selected",
                "dots",
                np.array([100 * row.current for row in now]),
                np.array([base[row.name] for row in now]),
                tuple(f"{row.name}: {percent(row.current)} of this sample" for row in now),
            ),
        ),
        f"Histogram of {len(main.estimates):,} estimates: {summary}the truth is {percent(main.truth)}.",
        x_range=(-100 * NAMES * reach, 100 * reach),
        x_ticks=tuple((place, f"{place:g}") for place in round_ticks(0.0, 100 * reach).tolist()),
        y_range=(0.0, float(len(rows))),
        y_ticks=tuple((place, "") for place in base.values()),
        has_level_names=True,
        labels=tuple(label for row in rows for label in _labels_of(row, row is main, reach, base[row.name], most)),
    )


def _bars(row: EstimatorRow, reach: float, base: float) -> tuple[Array, Array]:
    """The outline of a histogram above its row, shape (100,); what is beyond the axis is not drawn."""
    counts, edges = np.histogram(row.estimates, ESTIMATE_BINS, (0.0, reach))
    heights = base + ROW * counts / max(FEWEST_FULL, int(counts.max()))
    filled = np.flatnonzero(counts)
    first, last = (filled[0], filled[-1] + 1) if len(filled) else (0, 0)
    return np.repeat(100 * edges[first : last + 1], 2)[1:-1], np.repeat(heights[first:last], 2)


def _joined_lines(outlines: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Several lines as one, with nan between them."""
    drawn = [np.column_stack([*line]) for line in outlines if len(line[0])]
    if not drawn:
        return np.empty(0), np.empty(0)
    gap = np.full((1, 2), np.nan)
    x, y = np.concatenate([piece for line in drawn for piece in (line, gap)][:-1]).T
    return x, y


def _said(row: EstimatorRow) -> str:
    mean, std = row.moments
    return (
        f"{percent(mean)} on average of {len(row.estimates):,} data sets, off by "
        f"{difference(mean - row.truth, '%')} points, spread {points(std)}"
    )


def _labels_of(row: EstimatorRow, is_main: bool, reach: float, base: float, most: int) -> Iterator[Label]:
    """The name of an estimator, how far it is off and how much it varies, and how many estimates are not in sight.

    One that has measured fewer data sets than others says how many.
    """
    words = [Run(f"{row.name} ", BLUE if is_main else "", is_main)]
    if len(row.estimates) and np.isfinite(row.truth):
        mean, std = row.moments
        fewer = f" ({len(row.estimates):,} sets)" if len(row.estimates) < most else ""
        words.append(Run(f"{difference(mean - row.truth, '%')} ± {points(std).split()[0]}{fewer}", is_detail=True))
    yield Label(-100 * NAMES * reach, base, (tuple(words),), above=9.0, apart=0.0)
    if beyond := int((row.estimates > reach).sum()):
        yield Label(100 * reach, base, ((Run(f"{beyond} beyond"),),), "left", 9.0, 0.0)


def estimates_by_bins_figure(
    bins: Sequence[int], mean: Array, std: Array, truth: float, n: int, chosen: float, current: int | None
) -> Figure:
    """The mean estimate over the number of bins, and the number that the sweep chooses (ece_sweep figure 15).

    Parameters
    ----------
    bins : sequence of int, of length B
    mean, std : ndarray, shape (B,)
        Over simulated data sets, in [0, 1].
    truth : float
    n : int
        Samples in each of them.
    chosen : float
        Bins that the sweep chooses, on average; nan where that is not known.
    current : int, optional
        Number of bins of the sample that is shown, if bins matter.
    """
    counts = np.asarray(bins, dtype=np.float64)
    places, ends = np.log2(counts), (float(np.log2(counts[0])), float(np.log2(counts[-1])))
    known = np.isfinite(mean)
    y_range = around(100 * (mean - std), 100 * (mean + std), 100 * truth, floor=0.0)
    at, middle, reach = places[known], 100 * mean[known], 100 * std[known]
    swept = np.isfinite(chosen) and counts[0] <= chosen <= counts[-1]
    shown = known.any() and current is not None and counts[0] <= current <= counts[-1]
    here = np.log2([float(current)]) if shown and current is not None else np.empty(0)
    hints = tuple(
        f"{b} bins: mean {percent(m / 100)}, standard deviation {points(s / 100)}"
        for b, m, s in zip(np.asarray(bins)[known], middle, reach, strict=True)
    )
    summary = ""
    if known.any():
        best = int(np.nanargmin(np.abs(mean - truth)))
        summary = f", closest to it with {bins[best]} bins ({percent(mean[best])})"
    if np.isfinite(chosen):
        summary += f"; the sweep chooses {chosen:.1f} on average"
    return Figure(
        "estimates-by-bins",
        f"Estimates by number of bins, n = {n:,}",
        "bins",
        "estimate, %",
        (
            level("truth", ends, 100 * truth, "truth"),
            bars("± std", "interval", at, middle - reach, middle + reach),
            Series("mean estimate", "bins", "line and dots", at, middle, hints),
            cursor(float(np.log2(chosen)) if swept else None, y_range, "chosen by the sweep" if swept else ""),
            Series("shown" if shown else "", "selected", "dots", here, np.interp(here, at, middle) if shown else here),
        ),
        f"Mean estimate of {counted(n)} over the number of bins: the truth is {percent(truth)}{summary}.",
        x_range=ends,
        y_range=y_range,
        x_ticks=ticks(map(str, bins), places),
    )


def misses_by_size_figure(
    sizes: Sequence[int], missed: Mapping[str, Array], simulations: int, level_of_alarms: float, current: int
) -> Figure:
    """How often a test takes a network for a calibrated one, by the number of samples (ece_sweep figure 8).

    Parameters
    ----------
    sizes : sequence of int, of length S
    missed : mapping of an estimator's name to ndarray, shape (S,)
        Of at most two estimators: the share of misses; nan where that is not known yet.
    simulations : int
        Of which each is a share.
    level_of_alarms : float
        The share of calibrated networks that the test takes for miscalibrated ones.
    current : int
        The number of samples that is looked at.
    """
    places = np.log2(np.asarray(sizes, dtype=np.float64))
    series: list[Series] = [level("reference", (places[0], places[-1]), 100 * ENOUGH, "noticed 4 times out of 5")]
    for (name, share), role in zip(missed.items(), MODELS, strict=False):
        known = np.isfinite(share)
        low, high = clopper_pearson(share[known], np.full(int(known.sum()), float(simulations)), 0.95)
        hints = tuple(
            f"{counted(n)}: {percent(rate)} of the tests miss it, by {name}"
            for n, rate in zip(np.asarray(sizes)[known].tolist(), share[known].tolist(), strict=True)
        )
        series.append(areas("", role, [(places[known], 100 * low, 100 * high)] if known.any() else []))
        series.append(Series(name, role, "line and dots", places[known], 100 * share[known], hints))
    for role in MODELS[len(missed) : MOST_TESTS]:  # each picture has as many series
        series += [nothing(role, "area"), nothing(role, "line and dots")]
    is_inside = sizes[0] <= current <= sizes[-1]
    series.append(cursor(float(np.log2(current)) if is_inside else None, (0.0, 100.0), "these samples"))
    summary = ""
    for name, share in missed.items():
        enough = next((n for n, rate in zip(sizes, share, strict=True) if rate <= ENOUGH), None)
        if np.isfinite(share).all():
            summary += f"; {name} notices it 4 times out of 5 " + (
                f"from {counted(enough)} on" if enough else f"with none of up to {counted(sizes[-1])}"
            )
    return Figure(
        "misses",
        f"Tests that miss the error, at {chosen_percent(level_of_alarms)} false alarms",
        "samples",
        "taken for calibrated, %",
        tuple(series),
        f"Share of tests that take this network for a calibrated one, by the number of samples{summary}.",
        x_range=(float(places[0]), float(places[-1])),
        y_range=(0.0, 100.0),
        x_ticks=ticks((f"{n:,}" for n in sizes), places),
    )
