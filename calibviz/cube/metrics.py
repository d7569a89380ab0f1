"""The metrics of a cube on every problem, their settings, and why numbers are missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..context.lenses import Problem
from ..engine.binnings.binning import Binning
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.chance import FLOOR, NULLS
from ..foundation.described import OURS
from ..foundation.written import chosen_percent
from ..metrics.distances import shares_of
from ..metrics.gce import BINNINGS, NORMS, THRESHOLDS
from ..metrics.records.own import Metric, built_in, record_of
from ..metrics.records.record import CELL_DIMS, Measurement, MetricRecord, Needs, Note, Settings
from ..metrics.records.registry import METRICS

#: Why something is nan, or a `Note` of a number: where in the array, and a sentence.
Reasons = dict[str, list[tuple[str, str]]]
Measured = tuple[dict[str, Array], Reasons]

CUBE_DIMS = {*CELL_DIMS[1:], *(dim for record in METRICS.values() for dim in record.own_dims), "quantile", "among"}


def binning_of(value: Any) -> tuple[str, Callable[[int], Binning]]:
    """The name of a kind of binning, and what makes one of it for a number of bins.

    A binning of the user's own, or one with other settings, stands for itself; where it has `bins`, for all counts.
    """
    if isinstance(value, str):
        return validation.choice(value, "binnings", tuple(BINNINGS)), BINNINGS[value]
    if not callable(value) or isinstance(value, type) or not hasattr(value, "name"):
        raise TypeError(f"binnings must be names or binnings such as cv.Uniform(closed='right'), not {value!r}")
    name = str(value.name)
    if is_dataclass(value) and any(field.name == "bins" for field in fields(value)):
        return name, lambda bins: cast(Binning, replace(cast(Any, value), bins=bins))
    return name, lambda bins: cast(Binning, value)


def metrics_of(
    metrics: Iterable[str | Metric] | str | Metric | None,
    given: Mapping[str, Any],
    noise: bool = False,
    intervals: float | None = None,
) -> dict[str, MetricRecord]:
    """The metrics that are asked for, by default those that the other arguments of a cube, `given`, allow."""
    if metrics is None:
        return {
            name: record
            for name, record in METRICS.items()
            if record.by_default and (not record.argument or given[record.argument])
        }
    records = [
        record_of(metric) if isinstance(metric, Metric) else built_in(metric) for metric in validation.several(metrics)
    ]
    validation.refuse_repeats("metric", [record.name for record in records])
    wanted = {record.name: record for record in records}
    for name, record in wanted.items():
        if record.argument and not given[record.argument]:
            raise ValueError(
                f"{record.argument} is missing, but the metric {name!r} needs it: pass for example "
                f"{record.argument}={record.example}"
            )
    if noise and not any(record.calibration for record in wanted.values()):
        raise ValueError("noise is of errors of calibration, of which metrics has none: add 'ece'")
    known = [name for name, record in METRICS.items() if record.interval_of]
    if intervals is not None and not set(wanted) & set(known):
        raise ValueError(f"intervals are of {', '.join(known)}, of which metrics has none: add one of them")
    return wanted


def attributes_of_own(record: MetricRecord) -> dict[str, Any]:
    """Return the attributes of a metric of the user's own, from which `metrics_in` can read it back."""
    if record.own is None:
        return {}
    return {"title": record.title, "better": record.better, "percent": int(record.unit == "%")}


def metrics_in(cube: xr.Dataset) -> dict[str, MetricRecord]:
    """The metrics that a cube holds; those of the user's own as their attributes describe them."""
    held: dict[str, MetricRecord] = {}
    for name, variable in cube.data_vars.items():
        attrs = variable.attrs
        if name in METRICS:
            held[str(name)] = METRICS[str(name)]
        elif {"title", "better", "percent", "description"} <= attrs.keys():
            held[str(name)] = MetricRecord(
                name=str(name),
                definition=attrs["description"],
                title=attrs["title"],
                better=attrs["better"],
                unit="%" if attrs["percent"] else "",
            )
    return held


@dataclass(frozen=True)
class Joined:
    """The description of a variable that joins a metric."""

    long_name: str
    description: str
    source: str
    is_like_it: bool = False  # in its unit

    def attrs(self, record: MetricRecord) -> dict[str, Any]:
        """Return the attributes of the variable in a cube."""
        of = record.attrs
        return {
            "long_name": f"{record.long_name}, {self.long_name}",
            "units": of["units"] if self.is_like_it else "1",
            "source": self.source,
            "description": f"{record.definition}, {self.description}",
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan(Settings):
    """The plan of a cube: what is measured on every problem, and with which settings."""

    metrics: Mapping[str, MetricRecord]
    replicates: int = 0
    quantiles: tuple[float, ...] = ()
    seed: int = 0
    noise: bool = False
    intervals: float | None = None
    k: tuple[int, ...] = ()

    def joined(self, metric: str) -> dict[str, Joined]:
        """The variables that join a metric by their suffixes."""
        record, joined = self.metrics[metric], {}
        if self.replicates and record.has_quantiles:
            draws = f"over {self.replicates} bootstrap replicates"
            joined["quantile"] = Joined(draws, f"quantiles of it {draws}", "Efron and Tibshirani 1993", is_like_it=True)
        if self.noise and record.calibration:
            nulls, source = f"{NULLS} data sets drawn as if the predictions were calibrated", "Bröcker and Smith 2007"
            floor = f"{chosen_percent(FLOOR)} quantile over {nulls}"
            joined["noise"] = Joined("noise floor", floor, source, is_like_it=True)
            mean = f"mean over {nulls}: not near 0 where a selection looks at the truth"
            joined["expected"] = Joined("error of a calibrated model", mean, source, is_like_it=True)
            joined["p_value"] = Joined("p-value", f"how often {nulls} and the data show at least as much", source)
        if self.intervals is not None and record.interval_of is not None:
            end, of = f"end of a {chosen_percent(self.intervals)} interval of the true error", OURS
            middle = "the true error that makes this one neither small nor large"
            joined["lower"] = Joined("lower end", f"lower {end}", of, is_like_it=True)
            joined["estimate"] = Joined("estimate of the true error", middle, of, is_like_it=True)
            joined["upper"] = Joined("upper end", f"upper {end}", of, is_like_it=True)
        return joined

    @property
    def of_nulls(self) -> Plan:
        """Return the plan for data sets drawn as if the predictions were calibrated."""
        return replace(self, metrics=self._those(lambda record: record.calibration))

    @property
    def of_lenses(self) -> dict[str, MetricRecord]:
        """The metrics that a lens has."""
        return self._those(lambda record: record.needs is not Needs.PREDICTIONS)

    @property
    def of_problems(self) -> dict[str, MetricRecord]:
        """The metrics that a problem has."""
        return self._those(lambda record: record.has_problem)

    @property
    def of_rows(self) -> dict[str, MetricRecord]:
        """The metrics that look at the predicted classes, whatever the lens."""
        return self._those(lambda record: record.needs is Needs.ROWS)

    def _those(self, are_meant: Callable[[MetricRecord], bool]) -> dict[str, MetricRecord]:
        return {name: record for name, record in self.metrics.items() if are_meant(record)}

    def ranks(self, metric: str) -> NDArray[np.intp]:
        """How many of the likeliest classes each value of a metric of rows looks at."""
        return np.array(1 if metric == "accuracy" else self.k)

    def shape(self, metric: str) -> tuple[int, ...]:
        """The shape of a metric's values on one problem."""
        sizes = {
            "binning": len(self.binnings), "bins": len(self.bins), "gamma": len(self.gammas), "k": len(self.k),
            "decision_threshold": len(self.thresholds), "category": len(self.categories),
            "max_prob": 2, "class_conditional": 2, "threshold": len(THRESHOLDS),
            "norm": len(NORMS),
        }  # fmt: skip  # short entries stand in rows
        return tuple(sizes[dim] for dim in self.metrics[metric].own_dims)


def measured(problem: Problem, plan: Plan, right: Callable[[int], float] | None = None) -> Measured:
    """Everything but the GCE family, which looks at more than a problem; of a family the means.

    Accuracies are measured by `right`, the share of samples whose label is among so many of the likeliest classes.
    """
    values, reasons = _family(problem, plan) if isinstance(problem, ProblemFamily) else _of_one(problem, plan)
    if right is None:
        return values, reasons
    for metric in plan.of_rows:
        values[metric] = np.full(plan.shape(metric), np.nan)
        for place, k in np.ndenumerate(plan.ranks(metric)):
            try:
                values[metric][place] = right(int(k))
            except ValueError as error:
                reasons.setdefault(metric, []).append((f"k={k}" if place else "", str(error)))
    return values, reasons


def _of_one(problem: Problem, plan: Plan) -> Measured:
    values: dict[str, Array] = {}
    reasons: Reasons = {}
    measurement = Measurement(problem, plan)
    for metric, record in plan.of_problems.items():
        values[metric] = np.full(plan.shape(metric), np.nan)
        measurement.remarks = []
        try:
            values[metric][...] = record.value(measurement)
        except ValueError as error:
            measurement.remarks = [("", str(error))]
        if measurement.remarks:
            reasons[metric] = measurement.remarks
    return values, reasons


def _family(family: ProblemFamily, plan: Plan) -> Measured:
    """Each problem is made once, measured in every way, and dropped."""
    values = {metric: np.zeros(plan.shape(metric)) for metric in plan.of_problems}
    reasons: Reasons = {}
    notes: Reasons = {}
    parts = 0
    of_categories = [metric for metric in values if plan.metrics[metric].argument == "categories"]
    kept = {metric: record for metric, record in plan.metrics.items() if metric not in of_categories}
    distance, shares = shares_of(plan.distance, len(family.outcomes))
    plan = replace(plan, metrics=kept, distance=distance)
    for index, part in family.numbered():
        parts += 1
        of_part, why = measured(part, plan)
        for metric, value in of_part.items():
            if shares is None or not kept[metric].by_distance:
                values[metric] += value / len(family.outcomes)
            else:
                values[metric] += value * shares[index]
        for metric, remarks in why.items():
            name = f"outcome={family.outcomes[index]}"
            notes[metric] = notes.get(metric, []) + [(name, note) for _, note in remarks if isinstance(note, Note)]
            if missing := [remark for remark in remarks if not isinstance(remark[1], Note)]:
                reasons.setdefault(metric, missing)  # the first problem that has one tells
    if not parts:  # all weights are 0
        raise EmptyProblemError
    for metric in of_categories:
        values[metric][...] = np.nan
        reasons[metric] = [("", "Likert categories need a lens that makes one problem")]
    if "count" in values:
        values["count"] = np.array(float(len(family)))
    return values, reasons | {metric: reasons.get(metric, []) + several for metric, several in notes.items()}


def attributes_of(reasons: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The attributes that hold (cell, reason) pairs; an empty dict where there are no pairs.

    `unavailable` has a line for each, `notes` one for each `Note`. `unavailable_reasons` lists the distinct reasons as
    JSON, since attributes of netCDF and zarr hold text.
    """
    remarks = list(reasons)
    pairs = [(cell, reason) for cell, reason in remarks if not isinstance(reason, Note)]
    notes = [(cell, note) for cell, note in remarks if isinstance(note, Note)]
    attributes = {} if not notes else {"notes": _lines(notes)}
    if pairs:
        attributes["unavailable"] = _lines(pairs)
        attributes["unavailable_reasons"] = json.dumps(list(dict.fromkeys(reason for _, reason in pairs)))
    return attributes


def _lines(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"[{cell}]: {sentence}" for cell, sentence in pairs)


def reasons_in(variable: xr.DataArray) -> list[str]:
    """The distinct reasons why numbers of a variable are missing."""
    return json.loads(variable.attrs.get("unavailable_reasons", "[]"))


def notes_in(variable: xr.DataArray) -> list[str]:
    """The distinct notes on numbers of a variable."""
    return list(dict.fromkeys(line.partition("]: ")[2] for line in variable.attrs.get("notes", "").splitlines()))
