"""Pictures of decisions: decision curves, changed sides, local calibration, risk and coverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from ...foundation.written import chosen_percent, counted, interval, number, percent
from ..records import OVERLAY_ROLES, Array, Figure, Role, Series, Shape
from ..shapes import acting, areas, around, bars, known_only, level, nothing, up_to
from ..table_checks import table_of, tables_of

MODELS: tuple[Role, ...] = ("before", *OVERLAY_ROLES)
AFTER: Role = "after"
FEWEST_POINTS = 30  # a line of fewer points gets a dot at each
DEPTH_BELOW_ZERO = 0.1  # lower end of the axis of a decision curve, in units of the prevalence
ROOM = 0.05
LOWER, UPPER = 0.3, 0.7  # the inner edges of two bars of half that height, whose middles are 0 and 1 apart
EVERYBODY, NOBODY = "act on everybody", "act on nobody"  # what a model is compared with
DIRECTIONS = {"up": "Acted on only after", "down": "Acted on no more"}


def decision_curve_figure(tables: Any, threshold: float | None = None) -> Figure:
    """The net benefit of each model at every threshold, beside acting on everybody and on nobody.

    Parameters
    ----------
    tables : xarray.Dataset, or dict of models' names to such
        What `decision_curve` returns.
    threshold : float, optional
        One to mark, with a handle that a widget can move.
    """
    over = "strategy", "threshold"
    several = tables_of(tables, "table", "decision_curve", {"net_benefit": over, "true_positive": over})
    first_name, first = next(iter(several.items()))
    # From the strategy "treat all": the attribute `prevalence` holds only the first of several outcomes.
    share = {name: float(table.true_positive.sel(strategy="treat all")[0]) for name, table in several.items()}
    prevalence = share[first_name]
    for name, other in share.items():
        if not np.isclose(other, prevalence, rtol=1e-9, equal_nan=True):
            raise ValueError(
                f"table[{name!r}] has the prevalence {other:.4g}, but table[{first_name!r}] {prevalence:.4g}: compare "
                "models on the same samples"
            )
    bands: list[Series] = []
    lines, sentences = [], []
    for name, role, strategy, table in _list_strategies(several):
        row = table.sel(strategy=strategy)
        at, benefit = row.threshold.values, row.net_benefit.values
        if "lower" in table:
            label = f"{chosen_percent(table.attrs['level'])} interval" if not bands else ""
            bands.append(areas(label, role, [(at, row.lower.values, row.upper.values)]))
        else:
            bands.append(nothing(role, "area"))
        lines.append(known_only(name, role, _choose_shape(at), at, benefit))
        best = np.maximum(table.sel(strategy="treat all").net_benefit.values, 0.0)
        if np.isnan(benefit).all():
            continue
        better = int((benefit > best).sum())
        sentences.append(f"{name} does better than both at {better} of {counted_thresholds(len(at))}")
    at = first.threshold.values
    everyone = first.net_benefit.sel(strategy="treat all").values
    most = prevalence if prevalence > 0 else 1.0  # without a case, or where it is not known
    # No net benefit is above the prevalence, but the prevalence of resampled data, and so a band, may be.
    top = float(np.nanmax(np.concatenate([[most], *(band.y for band in bands)])))
    y_range = min(-DEPTH_BELOW_ZERO * most, _least_at(lines, threshold) - ROOM * top), (1 + ROOM) * top
    return Figure(
        "decision-curve",
        "Decision curve",
        "threshold",
        "net benefit, of all samples",
        (
            *bands,
            known_only(EVERYBODY, "reference", "line", at, everyone),
            Series(NOBODY, "level", "line", at[[0, -1]], np.zeros(2)),
            *lines,
            *acting(threshold, y_range),
        ),
        f"Net benefit against the threshold, beside acting on everybody and on nobody: {'; '.join(sentences)}.",
        around(at, margin=0.0 if len(at) > 1 else ROOM),
        y_range,
        x_in_percent=True,
        y_in_percent=True,
    )


def _least_at(lines: Sequence[Series], threshold: float | None) -> float:
    """The least net benefit at the threshold that is marked, which the picture shows however far below zero it is."""
    if threshold is None:
        return 0.0
    return min((float(line.y[np.abs(line.x - threshold).argmin()]) for line in lines if len(line.x)), default=0.0)


def _list_strategies(several: dict[str, xr.Dataset]) -> list[tuple[str, Role, str, xr.Dataset]]:
    """The strategies that act by a score: label, role, name in the table, and table."""
    strategies = [(name, strategy, table) for name, table in several.items() for strategy in _list_scored(table)]
    if len(several) == 1:
        roles: dict[str, Role] = {"model": "before", "recalibrated": "after"}
        only = next(iter(several))
        names = {"model": only, "recalibrated": "recalibrated"}
        return [(names[strategy], roles[strategy], strategy, table) for _, strategy, table in strategies]
    if len(strategies) > len(MODELS):
        raise ValueError(f"table has {len(strategies)} curves, but a picture tells {len(MODELS)} apart")
    return [
        (name if strategy == "model" else f"{name}, {strategy}", role, strategy, table)
        for (name, strategy, table), role in zip(strategies, MODELS, strict=False)
    ]


def _list_scored(table: xr.Dataset) -> list[str]:
    return [name for name in ("model", "recalibrated") if name in table.strategy.values]


def counted_thresholds(n: int) -> str:
    """Return a number of thresholds, in words."""
    return counted(n, "threshold")


def acted_on_figure(table: Any, threshold: float) -> Figure:
    """Draw who is acted on before and after recalibration, of all samples: the bars differ by those who change sides.

    The cases lie to the right of one line in both bars, the others to its left, so recalibration moves the two ends
    of the part in the middle that is acted on.

    Parameters
    ----------
    table : xarray.Dataset
        What `decision_curve` returns with a calibrator.
    threshold : float
        The one of the table that is nearest to it is looked at.
    """
    over = "strategy", "threshold"
    table = table_of(table, "table", "decision_curve", {"true_positive": over, "false_positive": over})
    here = table.sel(threshold=threshold, method="nearest")
    cases = float(here.true_positive.sel(strategy="treat all"))
    bounds, sentences = [], []
    for when, strategy in (("before", "model"), ("after", "recalibrated")):
        side = here.sel(strategy=strategy)
        rightly, vain = float(side.true_positive), float(side.false_positive)
        bounds.append(np.array([0.0, 1 - cases - vain, 1 - cases, 1 - cases + rightly, 1.0]))
        missed = round(abs(cases - rightly), 12)  # a difference of sums
        sentences.append(f"{when}, {percent(rightly)} rightly and {percent(vain)} in vain, {percent(missed)} missed")
    before, after = bounds
    words = "; ".join(sentences) if np.isfinite(bounds).all() else "not known"  # of one class, at another prevalence
    return Figure(
        "acted-on",
        "Who is acted on",
        "of all samples",
        "",
        (
            _ribbon("left rightly", "others", before[:2], after[:2]),
            _area("", "band", [*before[[1, 3]], *after[[3, 1]]], [UPPER, UPPER, LOWER, LOWER]),
            _bar("in vain", "before", before[1:3], UPPER),
            _bar("rightly", "histogram", before[2:4], UPPER),
            _bar("", "after", after[1:3], -LOWER),
            _bar("", "acted on after", after[2:4], -LOWER),
            _ribbon("missed", "missed", before[3:], after[3:]),
        ),
        f"Acted on from {chosen_percent(float(here.threshold))} on, of all samples: {words}.",
        (0.0, 1.0),
        (-LOWER - ROOM, 1 + LOWER + ROOM),
        x_in_percent=True,
        y_ticks=((1.0, "before"), (0.0, "after")),
    )


def _bar(name: str, role: Role, ends: Array, lower: float) -> Series:
    """A part of a horizontal bar."""
    left, right = ends
    upper = lower + 2 * LOWER
    return _area(name, role, [left, right, right, left], [upper, upper, lower, lower])


def _ribbon(name: str, role: Role, before: Array, after: Array) -> Series:
    """A part of both bars, with what joins them."""
    x = [before[0], before[1], before[1], after[1], after[1], after[0], after[0], before[0]]
    return _area(name, role, x, [1 + LOWER, 1 + LOWER, UPPER, LOWER, -LOWER, -LOWER, LOWER, UPPER])


def _area(name: str, role: Role, x: Sequence[float], y: Sequence[float]) -> Series:
    """The closed outline of these corners; nothing where one of them is not known."""
    if not np.isfinite(x).all():
        return nothing(role, "area")
    return Series(name, role, "area", np.array([*x, x[0]]), np.array([*y, y[0]]))


def changed_sides_figures(table: Any) -> tuple[Figure, Figure, Figure, Figure]:
    """The samples that cross a threshold under a calibrator: their scores and targets, up and down; counts; benefit.

    Parameters
    ----------
    table : xarray.Dataset
        What `changed_sides` returns.
    """
    variables = {name: ("direction", "threshold") for name in ("count", "score", "recalibrated", "target")}
    table = table_of(table, "table", "changed_sides", variables | {"net_benefit": ("when", "threshold")})
    at = table.threshold.values
    x_range = around(at, margin=ROOM)
    directions = [_draw_direction(table, direction, x_range) for direction in DIRECTIONS]
    counts, benefit = table["count"], table.net_benefit
    many = {way: counts.sel(direction=way).values for way in DIRECTIONS}
    number = Figure(
        "changed-sides-counts",
        "How many change sides",
        "threshold",
        "samples",
        (
            Series(f"up: {DIRECTIONS['up'].lower()}", "after", "line and dots", at, many["up"]),
            Series(f"down: {DIRECTIONS['down'].lower()}", "before", "line and dots", at, many["down"]),
        ),
        f"Samples that change sides at {counted_thresholds(len(at))}: {int(many['up'].sum())} up and "
        f"{int(many['down'].sum())} down.",
        x_range,
        up_to(counts.values, room=ROOM),
        x_in_percent=True,
    )
    worth = {when: benefit.sel(when=when).values for when in ("before", "after")}
    gained = worth["after"] - worth["before"]
    value = Figure(
        "changed-sides-benefit",
        "What it is worth",
        "threshold",
        "net benefit, of all samples",
        (
            level("reference", x_range, 0.0, NOBODY),
            known_only("before", "before", "line and dots", at, worth["before"]),
            known_only("after", "after", "line and dots", at, worth["after"]),
        ),
        f"Net benefit before and after recalibration: it gains {percent(gained.min())} to "
        f"{percent(gained.max())} of all samples.",
        x_range,
        around(*worth.values(), 0.0),
        x_in_percent=True,
        y_in_percent=True,
    )
    return directions[0], directions[1], number, value


def _draw_direction(table: xr.Dataset, direction: str, x_range: tuple[float, float]) -> Figure:
    row = table.sel(direction=direction)
    at, count = row.threshold.values, row["count"].values
    ends = np.array([max(0.0, x_range[0]), min(1.0, x_range[1])])
    hints = tuple(f"at {chosen_percent(t)}: {counted(n)}" for t, n in zip(at, count, strict=True) if n > 0)
    targets = known_only("observed", "observed", "dots", at, row.target.values)
    return Figure(
        f"changed-sides-{direction}",
        DIRECTIONS[direction] if count.any() else f"{DIRECTIONS[direction]}: nobody",
        "threshold",
        "probability",
        (
            Series("threshold", "acting", "line", ends, ends),
            bars(
                f"{chosen_percent(table.attrs['level'])} interval",
                "observed interval",
                at,
                row.lower.values,
                row.upper.values,
            ),
            known_only("predicted before", "before", "dots", at, row.score.values),
            known_only("predicted after", "after", "dots", at, row.recalibrated.values),
            Series(targets.name, targets.role, targets.shape, targets.x, targets.y, hints),
        ),
        f"{DIRECTIONS[direction]}: {counted(count.sum())} over {counted_thresholds(len(at))}.",
        x_range,
        x_in_percent=True,
        y_in_percent=True,
    )


def local_calibration_figure(table: Any) -> Figure:
    """The mean score and mean target near each threshold, over the flexible curve.

    Parameters
    ----------
    table : xarray.Dataset
        What `local_calibration` returns.
    """
    variables = ("score", "target", "lower", "upper", "curve", "curve_lower", "curve_upper")
    table = table_of(table, "table", "local_calibration", dict.fromkeys(variables, ("threshold",)))
    at, wide = table.threshold.values, chosen_percent(table.attrs["level"])
    order = np.argsort(at)
    x_range = around(at, margin=ROOM)
    ends = np.array([max(0.0, x_range[0]), min(1.0, x_range[1])])
    curve, lower, upper = (table[name].values[order] for name in ("curve", "curve_lower", "curve_upper"))
    gap = np.abs(table.gap.values)
    worst = (
        "not known" if np.isnan(gap).all() else f"{percent(np.nanmax(gap))} at {chosen_percent(at[np.nanargmax(gap)])}"
    )
    return Figure(
        "local-calibration",
        "Predicted and observed near the threshold",
        "threshold",
        "probability",
        (
            areas(f"{wide} band of the curve", "flexible band", [(at[order], lower, upper)]),
            Series("threshold", "acting", "line", ends, ends),
            known_only("flexible curve", "smooth", "line", at[order], curve),
            bars(f"{wide} interval", "observed interval", at, table.lower.values, table.upper.values),
            known_only("predicted", "before", "dots", at, table.score.values),
            known_only("observed", "observed", "dots", at, table.target.values),
        ),
        f"Predicted and observed among the samples within {chosen_percent(table.attrs['width'])} of "
        f"{counted_thresholds(len(at))}: the largest gap is {worst}.",
        x_range,
        around(table.score.values, table.target.values, table.lower.values, table.upper.values, curve),
        x_in_percent=True,
        y_in_percent=True,
    )


def risk_coverage_figure(
    tables: Any, generalized: bool = False, *, after: str | None = None, acted_on: bool = False
) -> Figure:
    """The share of wrong predictions among the most confident ones, over the share that is accepted.

    Parameters
    ----------
    tables : xarray.Dataset, or dict of models' names to such
        What `risk_coverage` returns; with a `level`, the risk has a band, and the AURC its interval in place of E-AURC.
    generalized : bool
        Draw the share of wrong and accepted predictions among all samples, not among the accepted ones.
    after : str, optional
        Which of the models is the first one after a calibrator.
    acted_on : bool
        Whether the scores are of one class: those with the highest are acted on, and the others are not wrong.
    """
    wrong, taken = ("in vain", "acted on") if acted_on else ("wrong", "accepted")
    variable = "generalized_risk" if generalized else "risk"
    needed: dict[str, tuple[str, ...]] = {"coverage": ("point",), variable: ("point",), "aurc": (), "excess_aurc": ()}
    several = tables_of(tables, "table", "risk_coverage", needed)
    bands: list[Series] = []
    lines, sentences = [], []
    others = [name for name in several if name != after]
    for name, role in [*zip(others, MODELS, strict=False), *((name, AFTER) for name in several if name == after)]:
        table = several[name]
        areas_of = _areas_of(table)
        coverage, risk = table.coverage.values, table[variable].values
        if "lower" in table and not generalized:
            label = f"{chosen_percent(table.attrs['level'])} interval" if not bands else ""
            bands.append(areas(label, role, [(coverage, table.lower.values, table.upper.values)]))
        lines.append(known_only(f"{name}: {areas_of}", role, _choose_shape(coverage), coverage, risk))
        sentences.append(f"{name} {percent(float(risk[np.isfinite(risk)][-1]))} ({areas_of})")
    return Figure(
        "risk-coverage",
        "Risk and coverage",
        "acted on, the highest scores first" if acted_on else "coverage, the surest first",
        f"{wrong} and {taken}, of all" if generalized else f"{wrong}, of those {taken}",
        (*bands, *lines),
        f"{'Generalized risk' if generalized else 'Risk'} ({wrong}) against coverage; where all is {taken}: "
        f"{'; '.join(sentences)}.",
        (0.0, 1.0),
        up_to(*(line.y for line in lines), room=ROOM),
        x_in_percent=True,
        y_in_percent=True,
    )


def _areas_of(table: xr.Dataset) -> str:
    """The area under a risk-coverage curve, with its interval where the table has one."""
    area = f"AURC {number(table.aurc.item())}"
    if "aurc_lower" not in table:
        return f"{area}, E-AURC {number(table.excess_aurc.item())}"
    lower, upper = table.aurc_lower.item(), table.aurc_upper.item()
    return f"{area} (no interval)" if np.isnan(lower) else f"{area} ({interval(lower, upper, '')})"


def _choose_shape(x: np.ndarray) -> Shape:
    return "line" if len(x) > FEWEST_POINTS else "line and dots"
