"""How an error depends on the number of bins or on gamma, and on the number of samples (gece B.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ..context.conditions import Condition
from ..context.induced import Judged, Summarized, induced_problem, look_named, resampled_of
from ..context.lenses import Lens, Problem
from ..data.dependence import assumes_independence
from ..data.models import no_predictions, takes_arrays
from ..data.predictions import Predictions
from ..engine.binnings.binning import Binning, bins_of
from ..engine.binnings.binning_kinds import BINNINGS as ALL, TREE, UNIFORM
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError
from ..engine.vector import VectorProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import RESAMPLED, Described, described
from ..foundation.progress import with_progress
from ..foundation.written import points
from ..metrics.binned import error_series
from ..metrics.distances import Distance
from .resampling.bootstrap import LEVEL, bootstrap, drawn_size, level_of_clusters, percentile_interval, resampled

#: The kinds of bins that can be finer or coarser.
BINNINGS = {kind.name: kind for kind in (TREE, *ALL.values()) if kind.takes}
BIN_COUNTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100)
FINEST_GAMMA = 12  # as a power of 1/2
WINDOW = 5
FEWEST_BINS = 5  # in a window that is suggested: an error of one sign is flat from 1 bin on
ROUNDING = 1e-12  # spans that differ by less are equal: rounding is not to choose among windows
FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

SAID = {
    **RESAMPLED,
    "filled": Described("number of bins that hold samples", "bins"),
    "fewest_in_bin": Described("fewest samples in such a bin", "samples"),
    "median_in_bin": Described("median of the samples in such a bin", "samples"),
    "most_in_bin": Described("most samples in such a bin", "samples"),
}


@assumes_independence
@takes_arrays
def sensitivity(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    binning: str | None = None,
    settings: Iterable[float] | float | None = None,
    selection: str | Condition | None = None,
    distance: Distance | None = None,
    p: float = 1.0,
    aggregate: str = "mean",
    outcome: int | str | None = None,
    replicates: int = 100,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """The calibration error over gamma or the number of bins, with bootstrap bars (gece figures 7 and 8).

    Parameters
    ----------
    predictions, lens, selection, distance, p, aggregate, outcome
        As in `calibration_error`.
    binning : {"k-d tree", "uniform", "equal-mass"}, optional
        By default the k-d tree for a vector lens, uniform bins for others.
    settings : list of float, optional
        Values of gamma, or numbers of bins. By default 1/2, 1/4, ..., 1/4096 as far as gamma * n is 2 or more,
        or 1 to 100 bins.
    replicates : int, at least 1
        Number of bootstrap replicates, in each of which the tree or the bins are made anew.
    level : float, in (0, 1)
        Of the bars, from percentile to percentile: the spread under resampling. They do not hold the true error as
        often as that, as errors are biased upwards, most of all in fine bins; see `interval`.
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        Over `gamma` or `bins`: error; mean, std, lower, upper of the replicates; filled, the number of bins that hold
        samples, and fewest_in_bin, median_in_bin, most_in_bin, how many they hold (not for a family, each problem of
        which has bins of its own). The attribute `suggestion` is the middle of the flattest window, from
        `window_start` to `window_stop`, of those that hold neither the coarsest setting nor fewer than 5 bins: an
        error of one sign is flat from 1 bin on, which says nothing of how many are needed. Where none is flat,
        `suggestion` is None (leave it out before you write netCDF, which cannot hold it), and there are no ends.
        `note` says in words where the error is flat, or why it is not. `lens` is its name.

    Raises
    ------
    ValueError
        Where a setting is no gamma or number of bins, the selection keeps no sample, or the bins do not fit the lens.

    See Also
    --------
    interval : Where the true error lies.
    spread_by_size : The same over the number of samples.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> table = cv.sensitivity(p, settings=[5, 10, 20], replicates=20)
    >>> table.error.round(3).values
    array([0.056, 0.056, 0.058])
    """
    seed = validation.draws(rng, progress, replicates, level)
    if not isinstance(predictions, Predictions | Summarized):
        raise no_predictions(predictions)
    problem = induced_problem(predictions, lens, selection, outcome)
    judged = resampled_of(predictions)
    vector = isinstance(problem, VectorProblem)
    default = (TREE if vector else UNIFORM).name
    kind = BINNINGS[validation.choice(default if binning is None else binning, "binning", tuple(BINNINGS))]
    dim = kind.takes
    chosen = list(_default_settings(dim, problem) if settings is None else validation.several(settings))
    if not chosen:
        raise ValueError("settings is empty: pass values of gamma or numbers of bins")
    curve = ErrorCurve(dim, tuple(chosen), tuple(map(kind.make, chosen)), (distance, p, aggregate))
    measured, drawn = curve.errors(problem), []
    for other in with_progress(resampled(judged, replicates, seed=seed), "sensitivity", replicates, progress):
        try:
            drawn.append(curve.errors(induced_problem(other, lens, selection, outcome)))
        except EmptyProblemError:  # the selection keeps nothing of this one
            continue
    values = np.reshape(drawn, (-1, len(chosen)))
    values = values[~np.isnan(values).all(axis=1)]
    if not len(values):
        raise EmptyProblemError(
            "the selection keeps no sample of any bootstrap replicate: raise replicates, or select more"
        )
    spread = spread_of(values, level_of_clusters(judged, level))
    about = {"lens": look_named(predictions, lens, outcome), **curve.flatness(measured, spread["std"])}
    return curve.table(problem, measured, spread, about)


@dataclass(frozen=True)
class ErrorCurve:
    """An error over the number of bins or over gamma."""

    dim: str  # "gamma" or "bins"
    settings: tuple[float, ...]
    binnings: tuple[Binning, ...]  # one for each setting
    measure: tuple[Any, ...]  # the distance, the power and the aggregate of the error; see `binned_error`

    def errors(self, problem: Problem) -> Array:
        """The error of a problem at each setting."""
        return error_series(problem, self.binnings, *self.measure)

    def flatness(self, error: Array, std: Array, noise: str = "bootstrap deviation") -> dict[str, Any]:
        """The attributes that say where the error is flat, or why it is not; `noise` is what `std` is called."""
        dim, settings = self.dim, self.settings
        if len(settings) < WINDOW:
            said = f"no window to be flat in: it takes {WINDOW} settings, not {len(settings)}"
            return {"note": said, "suggestion": None}
        fine, where = _fine_enough(dim, settings)
        windows = np.lib.stride_tricks.sliding_window_view(fine, WINDOW).all(axis=1)
        flattest = flattest_window(error, std, first=np.flatnonzero(windows))
        if flattest is None:
            said = f"no window to be flat in: it takes {WINDOW} neighbouring settings {where}"
            return {"note": said, "suggestion": None}
        window, span, spread = flattest.places, flattest.span, flattest.spread
        places = window.start, (window.start + window.stop - 1) // 2, window.stop - 1
        first, middle, last = (settings[i] for i in places)
        ends = _from_to(dim, first, last)
        spans = f"the error spans {points(span)}"
        if not flattest.is_flat:
            note = f"nowhere flat {where}: even {ends}, where it changes least, {spans}"
            return {"note": f"{note}, more than its {noise} of {points(spread)}", "suggestion": None}
        between = f"γ = {_setting(middle)} is" if dim == "gamma" else f"{middle:g} bins are"
        note = f"flat {ends}: {spans} there, no more than its {noise} of {points(spread)}; {between} in the middle"
        return {"note": note, "suggestion": middle, "window_start": first, "window_stop": last}

    def table(
        self, problem: Problem, error: Array, spread: Mapping[str, Array], attrs: Mapping[str, Any]
    ) -> xr.Dataset:
        """The table of `sensitivity`: the error, how its replicates spread, and how many samples the bins hold."""
        columns = {"error": error, **spread, **_occupancy(problem, self.binnings)}
        table = xr.Dataset(
            {name: (self.dim, column) for name, column in columns.items()}, {self.dim: list(self.settings)}, attrs
        )
        return described(table, "Kirchenbauer, Oaks and Heim 2022, appendix B.4", SAID)


def spread_of(replicates: Array, level: float) -> dict[str, Array]:
    """The mean, deviation and percentile interval of replicates, shape (n, settings), at each setting."""
    lower, upper = percentile_interval(replicates, level)
    return {"mean": replicates.mean(axis=0), "std": replicates.std(axis=0), "lower": lower, "upper": upper}


def _occupancy(problem: Problem, series: Sequence[Binning]) -> dict[str, Array]:
    """How many bins hold samples under each binning, and how many samples these hold; nothing of a family."""
    if isinstance(problem, ProblemFamily):
        return {}
    made = [bins_of(problem, binning) for binning in series]
    counts = [bins.samples(problem)[bins.weight > 0] for bins in made]
    columns = {"filled": np.array([len(column) for column in counts])}
    for name, summary in (("fewest", np.min), ("median", np.median), ("most", np.max)):
        columns[f"{name}_in_bin"] = np.array([summary(column) for column in counts])
    return columns


@dataclass(frozen=True)
class Window:
    """Neighbouring settings at which a curve is flattest."""

    places: slice  # of the settings
    span: float  # the largest error there less the smallest
    spread: float  # the mean deviation of the bootstrap there

    @property
    def is_flat(self) -> bool:
        """Whether the errors span no more than they spread under resampling."""
        return self.span <= self.spread


def flattest_window(
    error: Sequence[float] | Array,
    std: Sequence[float] | Array,
    width: int = WINDOW,
    first: Sequence[int] | NDArray[np.integer] | None = None,
) -> Window | None:
    """Where a curve is flattest: of all windows of `width` settings the first of the least max - min (gece B.4).

    Its errors are those of the samples as they are. Bootstrap means will not do: they are biased upwards, and the more
    so the fewer samples a bin holds, so they rise where the error itself is flat. `std` are the standard deviations of
    the bootstrap; windows begin at `first`, by default anywhere. None where there is none to look at.
    """
    validation.whole_number(width, "width", 2)
    errors, deviations = validation.float_values(error, "error", 1), validation.float_values(std, "std", 1)
    if len(errors) != len(deviations):
        raise ValueError(f"error has {len(errors)} entries, but std has {len(deviations)}")
    if len(errors) < width:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(errors, width)
    span = windows.max(axis=1) - windows.min(axis=1)
    span[span < ROUNDING] = 0.0
    if first is not None:
        span[np.setdiff1d(np.arange(len(span)), first)] = np.inf
    start = int(np.argmax(span <= span.min() + ROUNDING))
    if np.isinf(span[start]):
        return None
    window = slice(start, start + width)
    return Window(window, float(span[start]), float(deviations[window].mean()))


def _fine_enough(dim: str, settings: Sequence[float]) -> tuple[NDArray[np.bool_], str]:
    """Which settings a window may hold that is suggested, and that in words: none is the coarsest that was tried."""
    tried = np.asarray(settings, dtype=np.float64)
    if dim == "gamma":
        return tried < tried.max(), f"below γ = {_setting(float(tried.max()))}"
    if tried.min() < FEWEST_BINS:
        return tried >= FEWEST_BINS, f"from {FEWEST_BINS} bins on"
    return tried > tried.min(), f"above {tried.min():g} bins"


def _from_to(dim: str, first: float, last: float) -> str:
    if dim == "gamma":
        return f"from γ = {_setting(first)} to {_setting(last)}"
    return f"from {first:g} to {last:g} bins"


def _setting(gamma: float) -> str:
    """A gamma as it is usually written: 1/8, but 0.3."""
    parts = round(1 / gamma)
    return f"1/{parts}" if parts > 1 and 1 / parts == gamma else f"{gamma:.3g}"


@assumes_independence
@takes_arrays
def spread_by_size(
    predictions: Judged,
    *,
    error: Callable[..., float],
    fractions: Iterable[float] | float = FRACTIONS,
    replicates: int = 100,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """How a number spreads on bootstrap samples of a fraction of the data (gece figure 9).

    Parameters
    ----------
    predictions, error, replicates, level, rng, progress
        As in `bootstrap`.
    fractions : list of float, in (0, 1]

    Returns
    -------
    xarray.Dataset
        Over `fraction`: mean, std, lower, upper, and size, the number of samples, or clusters, drawn.

    Raises
    ------
    ValueError
        Where a fraction lies outside (0, 1], or the statistic returns no number.

    See Also
    --------
    bootstrap : One of these, of all samples.
    sample_size : How many samples a study needs.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> table = cv.spread_by_size(p, error=cv.ks_error, fractions=[0.1, 1.0], replicates=20)
    >>> table["size"].values.tolist()
    [57, 569]
    """
    seed = validation.draws(rng, progress)
    shares = [validation.real_number(f, "fractions", 0.0, 1.0) for f in validation.several(fractions)]
    if not shares or min(shares) == 0:
        raise ValueError(f"fractions must be numbers above 0, up to 1, not {shares}")
    predictions = resampled_of(predictions)
    if not isinstance(predictions, Predictions | Problem):
        raise no_predictions(predictions)
    sizes = [max(1, round(share * drawn_size(predictions))) for share in shares]
    columns: dict[str, list[float]] = {name: [] for name in ("mean", "std", "lower", "upper")}
    for size in with_progress(sizes, "sample sizes", len(sizes), progress):
        drawn = bootstrap(
            predictions, error=error, replicates=replicates, size=size, level=level, rng=seed, progress=False
        )
        for name, column in columns.items():
            column.append(getattr(drawn, name))
    table = xr.Dataset(
        {name: ("fraction", column) for name, column in {**columns, "size": sizes}.items()}, {"fraction": shares}
    )
    return described(table, "Kirchenbauer, Oaks and Heim 2022, figure 9", RESAMPLED)


def _default_settings(dim: str, problem: Problem) -> Sequence[float]:
    if dim == "bins":
        return BIN_COUNTS
    gammas = [2.0**-power for power in range(1, FINEST_GAMMA + 1)]
    return [gamma for gamma in gammas if gamma * problem.samples >= 2] or gammas[:1]
