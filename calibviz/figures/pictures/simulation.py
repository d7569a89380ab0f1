"""Pictures of a simulated network: a sample beside its true curve, and the estimates of many samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...engine.bins import Bins
from ...engine.scalar import ScalarProblem
from ...foundation.written import counted, percent, points
from ...metrics.masses import clopper_pearson
from ...simulation.known_truth import KnownTruth
from ...uncertainty.bin_intervals import target_interval
from ..records import Array, Figure, Series
from ..shapes import MOST_POINTS, areas, around, bars, cursor, diagonal, histogram, level, nothing, up_to
from .decisions import MODELS
from .reliability import HISTOGRAM_BINS

ESTIMATE_BINS = 30
MOST_TESTS = 2
ENOUGH = 0.2  # of the tests miss it, by convention the most
LIFT = 0.04  # of the height: a circle on the axis would be cut


def sample_figures(network: KnownTruth, problem: ScalarProblem, bins: Bins) -> tuple[Figure, Figure]:
    """The reliability diagram of a simulated sample (`problem` in `bins`) with the truth, and its histogram."""
    filled = bins.weight > 0
    score, target = bins.score[filled], bins.target[filled]
    lower, upper = (ends[filled] for ends in target_interval(bins, problem))
    grid = np.linspace(*network.score_range, MOST_POINTS // 3)
    truth = network.true_curve(grid)
    at_bins = network.true_curve(score)
    hints = tuple(
        f"{counted(n)}: predicted {percent(s)}, observed {percent(t)}, true probability {percent(u)}"
        for n, s, t, u in zip(bins.count[filled], score, target, at_bins, strict=True)
    )
    inside = int(((lower <= at_bins) & (at_bins <= upper)).sum())
    diagram = Figure(
        "sample",
        "One sample, and the truth",
        "score",
        "target",
        (
            diagonal(),
            Series("truth", "truth", "line", grid, truth),
            bars("95 % interval", "interval", score, lower, upper),
            Series("bins of the sample", "bins", "line and dots", score, target, hints),
        ),
        f"Reliability diagram of {counted(len(problem))} drawn from a network, and its true curve: {inside} of "
        f"{int(filled.sum())} bins have the truth at their mean score inside the 95 % interval.",
        x_in_percent=True,
        y_in_percent=True,
    )
    edges = np.arange(HISTOGRAM_BINS + 1) / HISTOGRAM_BINS
    drawn = problem.between(edges, "left")[0] / problem.total
    expected = network.shares_between(edges)
    scores = Figure(
        "sample-scores",
        "",
        "score",
        "share",
        (
            histogram("scores", "histogram", "area", edges, drawn),
            Series(
                network.score_label,
                "truth",
                "line",
                np.repeat(edges, 2)[1:-1],
                np.repeat(expected, 2),
            ),
        ),
        f"Histogram of the scores, and what is expected of {network.scores_from}: most in the highest "
        f"twentieth {percent(float(drawn[-1]))}, expected {percent(float(expected[-1]))}.",
        y_range=up_to(drawn, expected, room=0.05),
        x_in_percent=True,
        y_in_percent=True,
    )
    return diagram, scores


def estimates_figure(estimates: Array, truth: float, current: float, planned: int) -> Figure:
    """The histogram of the estimates of many data sets, with the truth.

    Parameters
    ----------
    estimates : ndarray, shape (m,)
        The estimates so far, in [0, 1].
    truth : float
        The true error.
    current : float
        The estimate of the sample that is shown.
    planned : int
        The number of estimates in the end.
    """
    percents = 100 * estimates
    x_range = around(percents, 100 * truth, 100 * current, floor=0.0)
    share, edges = np.histogram(percents, ESTIMATE_BINS, x_range)
    share = share / max(1, len(percents))
    y_range = up_to(share, room=0.1)
    mean, std = (float(percents.mean()), float(percents.std())) if len(percents) else (float("nan"),) * 2
    place = np.array([100 * current]) if np.isfinite(current) else np.empty(0)
    summary = f"mean {percent(mean / 100)}, standard deviation {points(std / 100)}; " if len(percents) else ""
    return Figure(
        "estimates",
        f"Estimates of {len(percents):,} data sets" + ("" if len(percents) >= planned else f" (of {planned:,})"),
        "estimate, %",
        "share",
        (
            histogram("estimates", "histogram", "area", edges, share),
            Series("truth", "truth", "line", np.full(2, 100 * truth), np.array(y_range)),
            Series("mean", "resampled", "line", np.array([mean, mean]), np.array(y_range))
            if np.isfinite(mean)
            else nothing("resampled", "line"),
            Series("this sample", "selected", "dots", place, np.full(len(place), LIFT * y_range[1])),
        ),
        f"Histogram of {len(percents):,} estimates: {summary}the truth is {percent(truth)}.",
        x_range=x_range,
        y_range=y_range,
    )


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
        x_ticks=tuple((float(place), str(b)) for place, b in zip(places, bins, strict=True)),
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
        f"Tests that miss the error, at {percent(level_of_alarms)} false alarms",
        "samples",
        "taken for calibrated, %",
        tuple(series),
        f"Share of tests that take this network for a calibrated one, by the number of samples{summary}.",
        x_range=(float(places[0]), float(places[-1])),
        y_range=(0.0, 100.0),
        x_ticks=tuple((float(place), f"{n:,}") for place, n in zip(places, sizes, strict=True)),
    )
