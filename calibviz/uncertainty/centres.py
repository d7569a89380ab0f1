"""Measures of several centres, pooled with random effects: what to expect of a centre that is not among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from ..context.conditions import Condition
from ..context.induced import look_named, scalar_problem
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import checked
from ..data.predictions import Predictions
from ..data.sample_fields import named_column
from ..engine.clustered import Clusters, independent_size
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array, missing_in
from ..foundation.described import Described, described
from ..foundation.written import counted
from ..metrics.clinical.estimates import Estimate, calibration_intercept, calibration_slope, observed_expected

LEVEL = 0.95
HALF = 0.5  # an event, added where a centre has none
ENDS = ("estimate", "lower", "upper", "predicted_lower", "predicted_upper")  # on the scale of the average
_HARTUNG = "Hartung and Knapp 2001"
_HIGGINS = "Higgins, Thompson and Spiegelhalter 2009"
SAID = {
    "measure": Described("measure", source="Debray et al. 2017"),
    "centre": Described("centre", source="the fields of the samples"),
    "each": Described("measure of the centre"),
    "each_lower": Described("lower end of its interval"),
    "each_upper": Described("upper end of its interval"),
    "weight": Described("share of the centre in the average"),
    "events": Described("sum of the targets", "samples"),
    "estimate": Described("average over centres", source="Paule and Mandel 1982"),
    "lower": Described("lower end of the interval of the average", source=_HARTUNG),
    "upper": Described("upper end of the interval of the average", source=_HARTUNG),
    "predicted_lower": Described("lower end of the interval of a new centre", source=_HIGGINS),
    "predicted_upper": Described("upper end of the interval of a new centre", source=_HIGGINS),
    "tau": Described("standard deviation between centres", source="Paule and Mandel 1982"),
    "q": Described("Cochran's Q", source="Cochran 1954"),
    "i2": Described("share of the spread that is not noise", source="Higgins and Thompson 2002"),
}


@dataclass(frozen=True)
class Measured:
    """A measure of one centre, on the scale where centres are averaged."""

    value: float
    variance: float
    is_corrected: bool = False  # whether half an event was added


@dataclass(frozen=True)
class Average:
    """An average over centres, with the columns that `by_centre` has over `measure`."""

    estimate: float
    lower: float
    upper: float
    predicted_lower: float
    predicted_upper: float
    tau: float
    q: float
    i2: float


def _log_ratio(problem: ScalarProblem) -> Measured:
    """ln(O/E); where no sample is an event, or all are, half a sample is added to events and to expected.

    Samples in clusters count as many as these are at most, since those of one may have no event for one reason.
    """
    found, share = observed_expected(problem), min(problem.mean_target, 1.0)
    if np.isnan(found.upper):  # of scores that are all 0, and of too few clusters
        return Measured(np.nan, np.nan)
    if 0 < share < 1:
        return Measured(float(np.log(found.estimate)), found.standard_error**2)
    size = independent_size(problem)
    events = size * share + HALF
    variance = 1 / events if not share else HALF / ((size + 1) * events)
    return Measured(float(np.log(events / (size * problem.mean_score + HALF))), variance, True)


def _by_wald(measure: Callable[..., Estimate]) -> Callable[[ScalarProblem], Measured]:
    def of(problem: ScalarProblem) -> Measured:
        found = measure(problem)
        return Measured(found.estimate, found.standard_error**2)

    return of


#: What is pooled, by name: how it is measured in one centre, and whether it is shown as exp of what is averaged.
MEASURES: dict[str, tuple[Callable[[ScalarProblem], Measured], bool]] = {
    "observed_expected": (_log_ratio, True),
    "calibration_intercept": (_by_wald(calibration_intercept), False),
    "calibration_slope": (_by_wald(calibration_slope), False),
}


@assumes_independence
def by_centre(
    predictions: Predictions,
    centre: str | ArrayLike,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    measures: Iterable[str] = tuple(MEASURES),
    minimum: int = 1,
    level: float = LEVEL,
) -> xr.Dataset:
    """Clinical measures of each centre, their average over centres, and what to expect of a new one.

    Centres differ by more than the noise of each. The average is that of random effects, and the interval of a new
    centre holds the measure of one that is not among them.

    Parameters
    ----------
    predictions : Predictions
    centre : str, or array-like of shape (n,)
        The name of a field, such as "hospital", or the name of the centre of each sample.
    lens, selection, outcome
        As in `observed_expected`.
    measures : iterable of "observed_expected", "calibration_intercept", "calibration_slope"
    minimum : int, at least 1
        Centres of fewer samples are left out.
    level : float, in (0, 1)

    Returns
    -------
    xarray.Dataset
        Over `measure` and `centre`, in ascending order: `each`, `each_lower`, `each_upper`, and `weight`, its share in
        the average; over `centre`: `count` and `events`; over `measure`: `estimate`, `lower`, `upper`, the ends
        `predicted_lower` and `predicted_upper` of a new centre (nan of two centres), `tau`, the standard deviation
        between centres, on the scale where they are averaged, Cochran's `q`, and `i2`, the share of the spread that is
        not noise. The attribute `left_out` names centres of which a measure is not finite, or has no spread,
        `corrected` those to which half an event was added; `without_centre` is the number of samples whose centre is
        missing, which are in none.

    Raises
    ------
    TypeError, ValueError
        Where `centre` is no field, or fewer than two centres are left.

    See Also
    --------
    observed_expected, calibration_intercept, calibration_slope : The measures of all samples.
    segments : Looks for the values of any field that are off.
    ByField : A calibrator for each centre.

    Notes
    -----
    O:E is averaged as its logarithm, of variance (1 - tbar) / (m tbar). tau^2 is the root of
    sum (y - mu)^2 / (v + tau^2) = k - 1 over k centres (Paule and Mandel), 0 where there is none. The interval of the
    average is mu +- t_{k-1} se sqrt(max(1, q)), with se^2 = 1 / sum 1 / (v + tau^2) and
    q = sum (y - mu)^2 / (v + tau^2) / (k - 1); that of a new centre is mu +- t_{k-2} sqrt(tau^2 + se^2). Of five to
    thirty centres, the first held the average in 91 to 98 of 100 simulations, the second a new centre in 90 to 98. tau
    = 0 does not say that centres are alike: few centres hardly tell.

    References
    ----------
    Debray et al. 2017; Paule and Mandel 1982; Hartung and Knapp 2001, with the floor of Rover, Knapp and Friede 2015;
    Higgins, Thompson and Spiegelhalter 2009, A re-evaluation of random-effects meta-analysis.

    Examples
    --------
    >>> p = cv.load_dataset("heart")["logistic regression"]
    >>> found = cv.by_centre(p, "site").sel(measure="observed_expected")
    >>> round(float(found.estimate), 2), round(float(found.predicted_lower), 2), round(float(found.predicted_upper), 2)
    (1.06, 0.48, 2.32)
    """
    names = tuple(
        validation.choice(name, "measures", tuple(MEASURES))
        for name in validation.listing(measures, "measures", "names")
    )
    if not names:
        raise ValueError("measures is empty: pass at least one")
    minimum, level = validation.whole_number(minimum, "minimum", 1), validation.level(level)
    _, column = named_column(centre, "centre", checked(predictions).fields, len(predictions))
    problem = scalar_problem(predictions, lens, selection, outcome)
    missing = missing_in(column)[problem.order]
    known = problem.subset(~missing) if missing.any() and not missing.all() else problem
    centres = {name: part for name, part in _parts(known, column).items() if part.samples >= minimum}
    if len(centres) < 2:
        raise ValueError(
            f"centre: {counted(len(centres), 'centre')} with at least {counted(minimum)}, but an average takes two"
        )
    k, normal = len(centres), float(ndtri((1 + level) / 2))
    clusters = [Clusters.of(part) for part in centres.values()]
    wide = np.array([normal if each is None else each.reach(level) for each in clusters])
    over = {name: np.full((len(names), k), np.nan) for name in ("each", "each_lower", "each_upper", "weight")}
    averages, left_out, corrected = [], [], []
    for i, name in enumerate(names):
        measure, is_log = MEASURES[name]
        shown = np.exp if is_log else np.asarray
        found = [measure(part) for part in centres.values()]
        y, v = np.array([each.value for each in found]), np.array([each.variance for each in found])
        kept = np.isfinite(y) & np.isfinite(v) & (v > 0)  # without a spread it would have all the weight
        average, weight = pooled(y[kept], v[kept], level)
        averages.append([shown(value) if end in ENDS else value for end, value in vars(average).items()])
        reach = wide * np.sqrt(v)
        for variable, values in (("each", y), ("each_lower", y - reach), ("each_upper", y + reach)):
            over[variable][i, kept] = shown(values[kept])
        over["weight"][i, kept] = weight
        left_out += [f"{name}: {centre}" for centre, is_kept in zip(centres, kept, strict=True) if not is_kept]
        corrected += [f"{name}: {centre}" for centre, each in zip(centres, found, strict=True) if each.is_corrected]
    columns = [each.name for each in fields(Average)]
    table = xr.Dataset(
        {name: (("measure", "centre"), values) for name, values in over.items()}
        | {
            "count": ("centre", [part.samples for part in centres.values()]),
            "events": ("centre", [part.mean_target * part.effective_size for part in centres.values()]),
        }
        | {name: ("measure", values) for name, values in zip(columns, np.array(averages).T, strict=True)},
        {"measure": list(names), "centre": np.array(list(centres))},
        {
            "left_out": "; ".join(left_out),
            "corrected": "; ".join(corrected),
            "without_centre": problem.samples - known.samples,
            "level": level,
            "of": look_named(predictions, lens, outcome),
        },
    )
    return described(table, "Debray et al. 2017", SAID)


def _parts(problem: ScalarProblem, column: NDArray[Any]) -> dict[Any, ScalarProblem]:
    """The problem of each centre, by its name, in ascending order."""
    values, numbers = np.unique(column[problem.order], return_inverse=True)
    rows = np.argsort(numbers, kind="stable")
    starts = np.searchsorted(numbers[rows], np.arange(len(values) + 1))
    return {value: problem.taken(rows[starts[i] : starts[i + 1]]) for i, value in enumerate(values)}


def pooled(y: Array, v: Array, level: float) -> tuple[Average, Array]:
    """The average of measures `y` of variances `v` with random effects, and the share of each in it."""
    k = len(y)
    if k < 2:
        return Average(*[np.nan] * 8), np.full(k, np.nan)

    def average(square: float) -> tuple[Array, float, float]:
        weight = 1 / (v + square)
        mean = float(weight @ y / weight.sum())
        return weight, mean, float(weight @ (y - mean) ** 2)

    cochran = average(0.0)[2]
    square = _between(lambda square: average(square)[2] - (k - 1), cochran > k - 1)
    weight, mean, spread = average(square)
    tail, error = (1 + level) / 2, 1 / float(weight.sum())
    reach = float(stdtrit(k - 1, tail) * np.sqrt(error * max(1.0, spread / (k - 1))))
    new = float(stdtrit(k - 2, tail) * np.sqrt(square + error)) if k > 2 else np.nan
    i2 = max(0.0, 1 - (k - 1) / cochran) if cochran else 0.0
    ends = mean - reach, mean + reach, mean - new, mean + new
    return Average(mean, *ends, float(np.sqrt(square)), cochran, i2), weight / weight.sum()


def _between(excess: Callable[[float], float], is_positive: bool) -> float:
    """The variance between centres at which the excess of their spread is 0; it falls."""
    from scipy.optimize import brentq

    if not is_positive:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 4
    return float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-13))
