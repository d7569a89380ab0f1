"""The labelled tables behind the diagrams: reliability, cumulative curves, Likert categories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from ..context.class_lenses import Pooled
from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.induced import induced_problem, lens_of, scalar_problem
from ..context.lens_names import named_lenses
from ..context.lenses import Lens, Outcome, Problem
from ..data.dependence import assumes_independence
from ..data.models import UNNAMED, checked, takes_arrays
from ..data.predictions import Predictions
from ..engine.binnings.binning import Binning, Uniform, bins_of
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from ..foundation.described import OURS, Described, described
from ..foundation.written import chosen_percent
from ..metrics.binned import default_binning, ks_error, observed_km
from ..recalibration.registry import AS_IT_IS, methods_of
from ..scale.summary import Summary
from ..uncertainty.intervals.bin_intervals import INTERVAL_LEVEL, KINDS, interval_of
from .fitting import fitted_on
from .metrics import binning_of
from .provenance import provenance_of

CUMULATIVE: dict[str, Described | str] = {
    "score": "score",
    "cumulative_score": "cumulative score",
    "cumulative_target": "cumulative target",
    "index": Described("place of the sample in the predictions", "1", OURS),
}
SOURCES = {
    "clopper-pearson": "Clopper and Pearson 1934",
    "bootstrap": "Efron and Tibshirani 1993",
    "consistency": "Bröcker and Smith 2007",
}
EMPTY = {"count": 0, "weight": 0.0}  # in bins that one of several tables does not have; all else is nan there


@assumes_independence
@takes_arrays
def reliability(
    predictions: Predictions,
    lens: str | Lens | Iterable[str | Lens] | Mapping[str, str | Lens] | None = None,
    *,
    binning: Binning | str | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    interval: str = "clopper-pearson",
    level: float = INTERVAL_LEVEL,
    replicates: int = 1000,
    rng: int | np.random.Generator | None = 0,
    bins: int | Iterable[int] | None = None,
    calibrators: Iterable[Any] | str | None = None,
    calibration: Predictions | float | None = None,
    folds: int | None = None,
) -> xr.Dataset:
    """The table of a reliability diagram, or of several: one for each lens, calibrator and number of bins.

    As in `Dataset.sel`, one value makes no dimension, and a list or a dict of them does, even of a single one:
    `lens="top-1"` is a table over `bin` alone, `lens=["top-1"]` one over `lens` and `bin`.

    Parameters
    ----------
    predictions, selection, outcome
        As in `calibration_error`.
    lens : lens or its name, a list of them, or a dict of your names to them
        Several must all have one score a sample, or all have several outcomes.
    binning : binning, or {"uniform", "equal-mass"}, optional
        By default as in `calibration_error`.
    interval : {"clopper-pearson", "bootstrap", "consistency"}
        What `lower` and `upper` are for each bin: the Clopper-Pearson interval of its mean target, its percentile
        interval over bootstrap replicates, or the bars between which it would lie if the scores were calibrated
        (Broecker and Smith 2007).
    level : float, in (0, 1)
    replicates, rng : int
        Number of replicates and their seed, for "bootstrap" and "consistency"; the seed is also that of the share and
        the folds.
    bins : int, or a list of them, optional
        Numbers of bins of the binning, in place of its own.
    calibrators : calibrator or its name, or a list of them, optional
        As in `evaluate`, which fits them as well.
    calibration, folds
        What calibrators are fitted to, as in `evaluate`; with a share, "none" too is judged on the rest.

    Returns
    -------
    xarray.Dataset
        Over `bin`, and over `lens`, `calibrator` and `bins` where several were asked for: score, target (nan in an
        empty bin), count, weight, lower, upper, left, right; at a horizon `observed_km` too, the share with the event
        by Aalen and Johansen (without competing events by Kaplan and Meier) of the bin's own rows, those censored
        before among them: a check of the weights, nan where no row is followed to the horizon, and of some of the
        rows, of other probabilities and of lenses that look at no class.

        A vector lens adds the dimension `outcome` to score, target, lower and upper, and has no left and right. Where
        there are several numbers of bins, those beyond the bins of one have count 0 and nan elsewhere.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the binning does not fit the lens, replicates differ in their bins, or
        calibrators have nothing to be fitted to.

    See Also
    --------
    calibration_error : The bins of this table in one number.
    calibration_curve : A smooth curve in place of bins.
    corp : A curve that rises, in place of bins.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.reliability(p, binning=cv.Uniform(5)).target.round(2).values
    array([0.06, 0.5 , 0.  , 0.5 , 0.95])
    >>> tables = cv.reliability(p, ["top-1", "class malignant"], bins=[5, 10])
    >>> dict(tables.target.sizes)
    {'lens': 2, 'bins': 2, 'bin': 10}
    """
    seed = validation.draws(rng, replicates=replicates)
    validation.choice(interval, "interval", KINDS)
    lenses, counts = _lenses_of(predictions, lens), [] if bins is None else _counts_of(bins)
    makers = _makers_of(binning, counts)
    methods = [(AS_IT_IS, None)] if calibrators is None else methods_of(calibrators)
    condition, known = read_selection(selection), {}
    fitted = None
    if calibrators is not None:
        named = {UNNAMED: checked(predictions)}
        fitted = fitted_on(named, calibration, folds, methods, seed)
        known = provenance_of(named, fitted.judged, fitted.fit_on, calibration, folds, methods)
    elif calibration is not None or folds is not None:
        raise ValueError("calibration and folds are for calibrators, of which none is named: pass calibrators=[...]")
    elif isinstance(predictions, Predictions | Summary):
        known = provenance_of({UNNAMED: predictions}, {UNNAMED: predictions}, {}, None, None, methods)

    def table_of(seen: Lens | None, method: tuple[str, Any], make: Callable[[Any], Binning]) -> xr.Dataset:
        if fitted is None:
            problem = induced_problem(predictions, seen, condition, outcome)
        else:
            assert seen is not None  # calibrators are fitted to predictions
            one = seen if outcome is None else Outcome(seen, outcome)
            _, problem = fitted.problem(UNNAMED, *method, one, condition)
        if interval != "clopper-pearson" and isinstance(seen, Pooled):
            raise ValueError(
                f"interval={interval!r} takes scores for independent, and those of one sample are not under the "
                "pooled lens: use 'clopper-pearson', or look at the classes one by one"
            )
        return _table_of(problem, make, (interval, level, replicates, seed))

    several = {
        "lens": None if validation.is_one(lens) else list(lenses),
        "calibrator": None if validation.is_one(calibrators) else [name for name, _ in methods],
        "bins": None if validation.is_one(bins) else counts,
    }
    of_lenses = {}
    for name, seen in lenses.items():
        of_methods = [
            _stacked([table_of(seen, method, make) for make in makers], "bins", several["bins"]) for method in methods
        ]
        of_lenses[name] = _stacked(of_methods, "calibrator", several["calibrator"])
    _refuse_other_outcomes(of_lenses)
    table = _stacked(list(of_lenses.values()), "lens", several["lens"])
    return described(table, OURS, **known)


def _lenses_of(predictions: Any, lens: Any) -> Mapping[str, Lens | None]:
    """The lenses to look through by name; None where a problem or a summary has been looked at already."""
    if lens is not None:
        return named_lenses(lens, "lens")
    seen = lens_of(predictions) if isinstance(predictions, Predictions) else None
    return {"" if seen is None else seen.name: seen}


def _table_of(problem: Problem, make: Callable[[Any], Binning], bars: tuple[str, float, int, int | None]) -> xr.Dataset:
    """The table of one problem; of a family, that of each of its problems along `outcome`."""
    if isinstance(problem, ProblemFamily):
        parts = {}
        for i, name in enumerate(problem.outcomes):
            with suppress(EmptyProblemError):
                parts[name] = _table_of(problem.outcome(i), make, bars)
        table = _stacked(list(parts.values()), "outcome", list(parts))
        return table.reindex(outcome=list(problem.outcomes), fill_value=_filled(table))
    interval, level, replicates, seed = bars
    chosen = make(problem)
    bins = bins_of(problem, chosen)
    lower, upper = interval_of(interval, problem, chosen, bins, level, replicates, seed)
    means = ("bin",) if bins.score.ndim == 1 else ("bin", "outcome")
    what = f"{chosen_percent(level)} {interval} interval"
    ends = {
        name: (means, values, {"long_name": f"{name} end of the {what}", "source": SOURCES[interval]})
        for name, values in (("lower", lower), ("upper", upper))
    }
    columns = {
        "score": (means, bins.score),
        "target": (means, bins.target),
        "count": ("bin", bins.samples(problem)),
        "weight": ("bin", bins.weight),
        **ends,
    }
    table = xr.Dataset(columns, {"bin": np.arange(len(bins))})
    if isinstance(problem, ScalarProblem):
        if problem.horizon is not None:
            known = observed_km(problem, bins)
            table["observed_km"] = "bin", np.full(len(bins), np.nan) if known is None else known
        unknown = np.full(len(bins), np.nan)  # a binning of the user's own need not tell its edges
        left, right = (unknown if edge is None else edge for edge in (bins.left, bins.right))
        edges = {"left": ("lower edge of the bin", left), "right": ("upper edge of the bin", right)}
        return table.assign({name: ("bin", edge, {"long_name": what}) for name, (what, edge) in edges.items()})
    return table.assign_coords(outcome=list(problem.outcomes))


def _stacked(tables: Sequence[xr.Dataset], dim: str, labels: Sequence[Any] | None) -> xr.Dataset:
    """Tables along a new dimension; without labels the only one, as it is."""
    if labels is None:
        return tables[0]
    along = xr.DataArray(list(labels), dims=dim, name=dim)
    return xr.concat(tables, along, join="outer", fill_value=_filled(tables[0]))


def _filled(table: xr.Dataset) -> dict[str, float]:
    """The values of a table where there is no bin."""
    return EMPTY | {str(name): np.nan for name in table.data_vars if name not in EMPTY}


def _counts_of(bins: Any) -> list[int]:
    counts = [validation.whole_number(count, "bins", 1) for count in validation.several(bins)]
    validation.refuse_repeats("bins", counts)
    if not counts:
        raise ValueError("bins is empty: pass at least one number of bins")
    return counts


def _makers_of(binning: Any, counts: Sequence[int]) -> list[Callable[[Any], Binning]]:
    """Return the makers of the binning of a problem, one for each number of bins; for none, the only one."""
    if not counts and not isinstance(binning, str):
        return [partial(default_binning, binning=binning)]
    name, make = binning_of("uniform" if binning is None else binning)
    if make(1) == make(2):
        raise ValueError(f"binning {name!r} has no number of bins to choose: leave bins out")
    return [partial(default_binning, binning=make(count)) for count in counts or [Uniform().bins]]


def _refuse_other_outcomes(tables: Mapping[str, xr.Dataset]) -> None:
    """Raise where some lenses have several outcomes and others have one score a sample."""
    by_kind = {"outcome" in table.dims: name for name, table in tables.items()}
    if len(by_kind) > 1:
        raise ValueError(
            f"lens has {by_kind[True]!r}, of several outcomes, and {by_kind[False]!r}, of one score a sample: ask for "
            f"them apart, or for one outcome, such as {by_kind[True] + ': NAME'!r}"
        )


@takes_arrays
def cumulative(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> xr.Dataset:
    """The curves behind the KS error (ks equation 11, figure 1).

    Returns
    -------
    xarray.Dataset
        Over `sample`, in ascending order of the score: fractile i / n, score, cumulative_score
        h~_i = sum_{j <= i} w_j s_j / W, cumulative_target h_i = sum_{j <= i} w_j t_j / W, and `index`, the sample's
        place in the predictions.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or the lens makes several problems.

    See Also
    --------
    ks_error : The largest distance of the two curves.
    ks_test : Whether it is beyond noise.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.cumulative(p).attrs["ks"], 3)
    0.039
    """
    problem = scalar_problem(predictions, lens, selection, outcome)
    table = xr.Dataset(
        {
            "fractile": ("sample", problem.cumulative_weight[1:] / problem.total),
            "score": ("sample", problem.score.copy()),  # the problem is cached; users may change a table
            "cumulative_score": ("sample", problem.cumulative_score[1:] / problem.total),
            "cumulative_target": ("sample", problem.cumulative_target[1:] / problem.total),
            "index": ("sample", problem.order.copy()),
        },
        attrs={"ks": ks_error(problem)},
    )
    given = {UNNAMED: predictions} if isinstance(predictions, Predictions | Summary) else {}
    known = provenance_of(given, given, {}, None, None, ()) if given else {}
    return described(table, "Gupta et al. 2020, equation 11", CUMULATIVE, **known)
