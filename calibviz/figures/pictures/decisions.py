"""Pictures of decisions: decision curves, changed sides, local calibration, risk and coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr

from ...foundation.written import chosen_percent, counted, interval, number, of_hundred, percent
from ..records import OVERLAY_ROLES, Figure, Label, Role, Run, Series, Shape
from ..shapes import acting, areas, around, bars, known_only, level, nothing, up_to
from ..table_checks import table_of, tables_of

MODELS: tuple[Role, ...] = ("before", *OVERLAY_ROLES)
AFTER: Role = "after"
FEWEST_POINTS = 30  # a line of fewer points gets a dot at each
DEPTH_BELOW_ZERO = 0.1  # lower end of the axis of a decision curve, in units of the prevalence
ROOM = 0.05
LEFT, RIGHT, HALF, GAP = 0.36, 0.64, 0.022, 0.03  # the middles of two bars, half their width, the gap in each
RIBBON = 24  # points along the edge of a ribbon
NAMES = "left rightly", "missed", "rightly", "needlessly"  # the parts of a bar, from below
EVERYBODY, NOBODY = "act on all", "act on nobody"  # what a model is compared with
SAME_FOR_ALL = "one prediction for all"
DIRECTIONS = {"up": "Acted on only after", "down": "Acted on no more"}


def decision_curve_figure(tables: Any, threshold: float | None = None) -> Figure:
    """The net benefit of each model at every threshold, beside acting on all and on nobody.

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
    bands, lines = _curves_of(several, "net_benefit")
    sentences = []
    for name, _, strategy, table in _list_strategies(several):
        benefit = table.net_benefit.sel(strategy=strategy).values
        best = np.maximum(table.sel(strategy="treat all").net_benefit.values, 0.0)
        if np.isnan(benefit).all():
            continue
        better = int((benefit > best).sum())
        sentences.append(f"{name} does better than both at {better} of {counted(len(benefit), 'threshold')}")
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
        f"Net benefit against the threshold, beside acting on all and on nobody: {'; '.join(sentences)}.",
        around(at, margin=0.0 if len(at) > 1 else ROOM),
        y_range,
        x_in_percent=True,
        y_in_percent=True,
    )


def _curves_of(several: dict[str, xr.Dataset], variable: str) -> tuple[list[Series], list[Series]]:
    """The band and the line of each strategy that acts by a score; a band without points where there is none."""
    bands: list[Series] = []
    lines: list[Series] = []
    for name, role, strategy, table in _list_strategies(several):
        row = table.sel(strategy=strategy)
        at = row.threshold.values
        if "lower" in table:
            label = f"{chosen_percent(table.attrs['level'])} interval" if not bands else ""
            bands.append(areas(label, role, [(at, row.lower.values, row.upper.values)]))
        else:
            bands.append(nothing(role, "area"))
        lines.append(known_only(name, role, _choose_shape(at), at, row[variable].values))
    return bands, lines


def murphy_figure(tables: Any) -> Figure:
    """The elementary score of each model at every threshold, beside that of the mean target.

    Parameters
    ----------
    tables : xarray.Dataset, or dict of models' names to such
        What `murphy_curve` returns.
    """
    several = tables_of(tables, "table", "murphy_curve", {"elementary_score": ("strategy", "threshold")})
    bands, lines = _curves_of(several, "elementary_score")
    first = next(iter(several.values()))
    at = first.threshold.values
    # Who predicts the mean target of all acts on all or on nobody, whichever costs less.
    constant = first.elementary_score.sel(strategy=["treat all", "treat none"]).min("strategy").values
    best = [f"{line.name} at most {number(float(line.y.max()))}" for line in lines if len(line.y)]
    return Figure(
        "murphy-curve",
        "Murphy curve",
        "threshold",
        "elementary score",
        (*bands, known_only(SAME_FOR_ALL, "reference", "line", at, constant), *lines),
        f"Elementary score, whose area is the Brier score, against the threshold; {'; '.join(best)}.",
        around(at, margin=0.0 if len(at) > 1 else ROOM),
        up_to(constant, *(series.y for series in (*bands, *lines)), room=ROOM),
        x_in_percent=True,
    )


def _least_at(lines: Sequence[Series], threshold: float | None) -> float:
    """The least net benefit at the threshold that is marked, which the picture shows however far below zero it is."""
    if threshold is None:
        return 0.0
    return min((float(line.y[np.abs(line.x - threshold).argmin()]) for line in lines if len(line.x)), default=0.0)


def _list_strategies(several: dict[str, xr.Dataset]) -> list[tuple[str, Role, str, xr.Dataset]]:
    """The strategies that act by a score: label, role, name in the table, and table."""
    scored = ("model", "recalibrated", "baseline")
    several_each = [(name, each, table) for name, table in several.items() for each in scored]
    strategies = [(name, each, table) for name, each, table in several_each if each in table.strategy.values]
    if len(several) == 1:
        roles: dict[str, Role] = {"model": "before", "recalibrated": "after", "baseline": MODELS[1]}
        only = next(iter(several))
        return [
            (only if strategy == "model" else strategy, roles[strategy], strategy, table)
            for _, strategy, table in strategies
        ]
    if len(strategies) > len(MODELS):
        raise ValueError(f"table has {len(strategies)} curves, but a picture tells {len(MODELS)} apart")
    return [
        (name if strategy == "model" else f"{name}, {strategy}", role, strategy, table)
        for (name, strategy, table), role in zip(strategies, MODELS, strict=False)
    ]


def acted_on_figure(
    table: Any, threshold: float, changed: tuple[float, float] | None = None, samples: float | None = None
) -> Figure:
    """Draw who is acted on before and after recalibration, in two bars: the ribbons cross where samples change sides.

    In each bar those who are acted on stand above those who are left, and the cases next to the gap between them.

    Parameters
    ----------
    table : xarray.Dataset
        What `decision_curve` returns with a calibrator.
    threshold : float
        The one of the table that is nearest to it is looked at.
    changed : (float, float), optional
        The shares of all samples that are acted on only after recalibration, and only before. By default the one that
        makes the difference.
    samples : float, optional
        Of how many samples they are shares; by default they are written of 100.
    """
    over = "strategy", "threshold"
    table = table_of(table, "table", "decision_curve", {"true_positive": over, "false_positive": over})
    here = table.sel(threshold=threshold, method="nearest")
    cases = float(here.true_positive.sel(strategy="treat all"))
    sides, sentences = [], []
    for when, strategy in (("before", "model"), ("after", "recalibrated")):
        side = _Side.of(here.sel(strategy=strategy), cases)
        sides.append(side)
        done = f"{percent(side.rightly)} rightly and {percent(side.needless)} needlessly"
        sentences.append(f"{when}, {done}, {percent(side.missed)} missed")
    before, after = sides
    is_known = bool(np.isfinite([before.left, after.left]).all())  # of one class, at another prevalence, it is not
    up, down = changed or (max(0.0, before.left - after.left), max(0.0, after.left - before.left))
    bottom, top = 0.0, 1 + GAP
    ends = LEFT + HALF, RIGHT - HALF
    ribbons = (
        _joined("", "band", ends, (before.left + GAP + down, top), (after.left + GAP + up, top)),
        _joined("", "others", ends, (bottom, before.left - up), (bottom, after.left - down)),
        _joined("", "others", ends, (before.left + GAP, before.left + GAP + down), (after.left - down, after.left)),
        _joined("", "missed", ends, (before.left - up, before.left), (after.left + GAP, after.left + GAP + up)),
    )
    bars = (
        *before.bars(LEFT, ("others", "missed", "histogram", "before"), NAMES),
        *after.bars(RIGHT, ("others", "missed", "acted on after", "after"), ("",) * len(NAMES)),
    )
    words = "; ".join(sentences) if is_known else "not known"
    return Figure(
        "acted-on",
        "Who changes sides",
        "",
        "",
        (*ribbons, *bars),
        f"Acted on from {chosen_percent(float(here.threshold))} on, of all samples: {words}.",
        (0.0, 1.0),
        (-0.02, 1 + GAP + 0.02),
        x_ticks=((LEFT, "as it is"), (RIGHT, "recalibrated")),
        y_ticks=((0.0, ""),),
        labels=(*before.labels(LEFT - HALF, "left", samples), *after.labels(RIGHT + HALF, "right", samples))
        if is_known
        else (),
    )


@dataclass(frozen=True)
class _Side:
    """The shares of all samples that are acted on rightly and needlessly, missed, and left."""

    rightly: float
    needless: float
    missed: float
    left: float

    @classmethod
    def of(cls, row: xr.Dataset, cases: float) -> _Side:
        rightly, needless = float(row.true_positive), float(row.false_positive)
        return cls(rightly, needless, round(abs(cases - rightly), 12), 1 - rightly - needless)  # a difference of sums

    def bars(self, x: float, roles: Sequence[Any], names: Sequence[str]) -> list[Series]:
        """The parts of the bar, from below: left rightly, missed, rightly acted on, needlessly."""
        ends = np.cumsum([0.0, self.left - self.missed, self.missed, GAP, self.rightly, self.needless])
        spans = [(ends[k], ends[k + 1]) for k in (0, 1, 3, 4)]
        return [
            _area(name, role, [x - HALF, x + HALF, x + HALF, x - HALF], [low, low, high, high])
            for name, role, (low, high) in zip(names, roles, spans, strict=True)
        ]

    def labels(self, x: float, side: Literal["left", "right"], samples: float | None) -> tuple[Label, Label]:
        """How many are acted on and left, beside their parts of the bar."""

        def many(share: float) -> str:
            return f"{of_hundred(share)[0]} of 100" if samples is None else f"{round(samples * share):,}"

        acted = (Run(f"act on {many(1 - self.left)}", is_strong=True),), (Run(f"{many(self.needless)} needlessly"),)
        left = ((Run(f"leave {many(self.left)}", is_strong=True),), (Run(f"{many(self.missed)} missed"),))
        middle = self.left + GAP + (1 - self.left) / 2
        return Label(x, middle, acted, side, apart=6.0), Label(x, max(0.07, self.left / 2), left, side, apart=6.0)


def _joined(
    name: str, role: Role, ends: tuple[float, float], before: tuple[float, float], after: tuple[float, float]
) -> Series:
    """A ribbon from a part of one bar to a part of the other; nothing where it has no width."""
    if before[1] - before[0] <= 0 and after[1] - after[0] <= 0:
        return nothing(role, "area")
    way = np.linspace(0.0, 1.0, RIBBON)
    x, bend = ends[0] + way * (ends[1] - ends[0]), way * way * (3 - 2 * way)
    low, high = (before[k] + bend * (after[k] - before[k]) for k in (0, 1))
    return _area(name, role, [*x, *x[::-1]], [*low, *high[::-1]])


def _area(name: str, role: Role, x: Sequence[float], y: Sequence[float]) -> Series:
    """The closed outline of these corners; nothing where one of them is not known."""
    if not np.isfinite([*x, *y]).all():
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
        f"Samples that change sides at {counted(len(at), 'threshold')}: {int(many['up'].sum())} up and "
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
    ends = np.clip(x_range, 0.0, 1.0)
    hints = tuple(f"at {chosen_percent(t)}: {counted(n)}" for t, n in zip(at, count, strict=True) if n > 0)
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
            known_only("observed", "observed", "dots", at, row.target.values, hints),
        ),
        f"{DIRECTIONS[direction]}: {counted(count.sum())} over {counted(len(at), 'threshold')}.",
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
    ends = np.clip(x_range, 0.0, 1.0)
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
        f"{counted(len(at), 'threshold')}: the largest gap is {worst}.",
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
    wrong, taken = ("needless", "acted on") if acted_on else ("wrong", "accepted")
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
