"""A metric of the user's own, which a cube, the Explorer and pictures take as they take the built-in ones."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, get_args

import numpy as np

from ...foundation import validation
from .record import CELL_DIMS, Better, Measurement, MetricRecord, Needs
from .registry import METRICS

JOINED = ("quantile", "noise", "expected", "p_value", "lower", "estimate", "upper", "within_noise")  # joins a metric
DIMS = {*CELL_DIMS, "sample", "class", "trial", *(dim for record in METRICS.values() for dim in record.own_dims)}


@dataclass(frozen=True)
class Metric:
    """A metric of your own, for `evaluate(metrics=[..., metric])` and `Explorer(..., metrics=[..., metric])`.

    Parameters
    ----------
    name : str
        What its variable in a cube is called: letters, digits and _, and no name of a built-in metric.
    function : callable
        It takes a problem, which has `score`, `target` and `weight` of shape (n,), and returns a number. A `ValueError`
        that it raises is the reason why a cell is nan.
    title : str
        What tables and pictures call it; by default its name.
    definition : str
        What it is, for the attribute `description` of a cube, and for `long_name` where there is no title; by default
        its title.
    better : {"smaller", "larger", "neither"}
        Which of two values is the better one. Those whose smaller values are better are ranked.
    calibration : bool
        Whether it is 0 for calibrated predictions but for noise, so that noise floors are of it.
    percent : bool
        Whether it is a share that reads in percent.
    vectors : bool
        Whether the function also takes the problem of a lens of several outcomes, whose `score` and `target` have the
        shape (n, m). Under other such lenses, such as "classwise", a cube holds the mean over the problems.

    Raises
    ------
    TypeError, ValueError
        Where the name is taken, or an argument is none of these. `evaluate` raises a TypeError where the function
        returns no number.

    See Also
    --------
    evaluate : Computes it for every lens and calibrator.
    rank_calibrators : Ranks by it.
    Explorer : Shows it beside the built-in errors.

    Examples
    --------
    >>> import numpy as np
    >>> bias = cv.Metric("bias", lambda problem: np.average(problem.score - problem.target, weights=problem.weight))
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.evaluate(p, metrics=["ece", bias]).bias.item(), 3)
    -0.02
    """

    name: str
    function: Callable[[Any], float]
    title: str = ""
    _: KW_ONLY
    definition: str = ""
    better: Better = "smaller"
    calibration: bool = False
    percent: bool = False
    vectors: bool = False

    def __post_init__(self) -> None:
        for argument in ("calibration", "percent", "vectors"):
            validation.truth(getattr(self, argument), argument)
        for argument in ("name", "title", "definition"):
            validation.text(getattr(self, argument), argument)
        if not self.name.isidentifier():
            raise ValueError(f"name must be made of letters, digits and _, not {validation.shown(self.name)}")
        if self.name in METRICS or self.name in DIMS or self.name.endswith(tuple(f"_{suffix}" for suffix in JOINED)):
            raise ValueError(f"name {self.name!r} is taken by calibviz: choose another one")
        if not callable(self.function) or isinstance(self.function, type):
            raise TypeError(
                f"function must take a problem and return a number, not be {validation.shown(self.function)}"
            )
        for record in METRICS.values():
            if self.title and self.title == record.title:
                raise ValueError(f"title {self.title!r} is that of the metric {record.name!r}: choose another one")
        validation.choice(self.better, "better", get_args(Better))


def built_in(metric: Any) -> MetricRecord:
    """Return the record of the metric of calibviz that bears a name."""
    if callable(metric):
        raise TypeError(f"metrics: a function of your own goes as cv.Metric(name, function), not as {metric!r}")
    return METRICS[validation.choice(metric, "metrics", tuple(METRICS))]


def record_of(metric: Metric) -> MetricRecord:
    """A metric of the user's own as the registry describes the built-in ones."""

    def measure(measurement: Measurement) -> float:
        value = metric.function(measurement.problem)
        number = value.item() if isinstance(value, np.ndarray) and not value.ndim else value
        if isinstance(number, bool) or not isinstance(number, numbers.Real):
            raise TypeError(
                f"the function of the metric {metric.name!r} must return a number, not {validation.shown(value)}"
            )
        return float(number)

    title = metric.title or metric.name
    return MetricRecord(
        name=metric.name, title=title, term=title, definition=metric.definition or title, better=metric.better,
        unit="%" if metric.percent else "", range=(-np.inf, np.inf), calibration=metric.calibration,
        needs=Needs.PROBLEM if metric.vectors else Needs.SCORES, by_default=False, measure=measure, own=metric,
    )  # fmt: skip  # short entries stand in rows
