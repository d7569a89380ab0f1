"""How many samples a study needs: the width of an interval, and the error that is noticed, at other sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import ceil
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtri

from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem, lens_of, look_named
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import takes_arrays
from ..engine.binnings.binning import Binning
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.chance import EQUAL, noise_floor
from ..foundation.clusters import refuse_clusters
from ..foundation.described import OURS, described
from ..foundation.progress import with_progress
from ..foundation.written import chosen_percent, counted
from ..metrics.binned import calibration_error
from ..metrics.clinical.acting import threshold_of
from ..uncertainty.intervals.error_intervals import LEVEL, NO_INTERVAL, chosen_error, drawable, several_ends
from ..uncertainty.intervals.true_curves import TrueCurve, true_curve
from ..uncertainty.resampling.relabelled import Labelling
from .trust import FALSE_ALARMS, LARGEST, POWER

SIZES = (100, 200, 500, 1000, 2000, 5000)
REPLICATES = 200
INTERVALS = 4  # data sets to one whose interval is taken, which lasts as long as all its tests do
NULLS = 59  # data sets of calibrated predictions that a test at 5 % asks
STRETCHES = np.geomspace(2.0**-8, 2.0**6, 113)  # of the true curve
LEAST_ERROR, TRIED = 0.001, 24  # errors of such curves, of which the least that is noticed is sought
FEWEST = 2  # intervals of each size
ASSURANCE = 0.8
#: What can be asked for: where it stands in the table, and its words.
ASKED = {
    "precision": ("width_assured", "An interval {:g} points wide in {} of such studies"),
    "detectable": ("detectable", "Noticing an error of {:g} %"),
}
LONG_NAMES = {
    "width": "mean width of the interval",
    "width_assured": "width that the interval has at most, with the assurance",
    "width_error": "standard error of that mean",
    "detectable": "least error noticed 4 times out of 5",
    "net_benefit_width": "width of the interval of the net benefit",
    "net_benefit_width_assured": "width that it has at most, with the assurance",
}


@assumes_independence
@takes_arrays
def sample_size(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    error: Callable[..., float] = calibration_error,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    n: Iterable[int] | int = SIZES,
    precision: float | None = None,
    detectable: float | None = None,
    threshold: float | None = None,
    binning: Binning | None = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    replicates: int = REPLICATES,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """How many samples it takes to know a calibration error well enough: what a study of each size would tell.

    Data sets of each size are drawn as the predictions suggest them: their scores with replacement, and labels from the
    fitted true curve.

    Parameters
    ----------
    predictions, error, lens, selection, outcome, binning, level
        As in `interval`. A pilot study of some hundred samples will do.
    n : int, or several, at least 2
        Sizes of data sets.
    precision : float, in (0, 1), optional
        The width that the interval is to have at most.
    detectable : float, in (0, 1), optional
        The error that is to be noticed.
    threshold : float, in [0, 1), optional
        Of a score, at which somebody acts: then there is `net_benefit_width`.
    assurance : float, in (0, 1)
        The share of such studies whose interval is to be so narrow. By their mean width, fewer than half of them are.
    replicates : int, at least 2
        Data sets of each size. Of every fourth, but of 2 at least, the interval is taken. The default assurance needs
        at least 100.
    rng : int, numpy.random.Generator or None
        The results at one size do not depend on the other sizes.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        Over `n`: `width`, the mean width of `interval`, `width_error`, its standard error, and `width_assured`, which
        the width exceeds only in a share 1 - assurance of the studies; `detectable`, the least true error that is
        noticed 4 times out of 5 by a test at 5 %, nan where none is; with a threshold `net_benefit_width`, the width
        of an interval of the net benefit, and `net_benefit_width_assured`. The attribute `true_error` is the error of
        the fitted curve. Where a precision or a detectable error was asked for, `suggested` is the least number of
        samples whose `width_assured` or `detectable` reaches it, or both, and nan where no size does; `note` says so
        in words.

    Raises
    ------
    ValueError
        As `interval`, and where an argument is out of range.

    See Also
    --------
    interval : The interval itself, of the samples that there are.
    trust : What would go unnoticed among them.
    spread_by_size : The spread of any number on parts of the samples.

    Notes
    -----
    The curve T is that of `interval`. Each size draws its own labels: of T for `width`; for `detectable` of the scores
    s, which makes the test (59 data sets of the same scores, as `consistency` draws them), and of curves that differ
    from s as T does, but by less or by more, logistic(z + r (logit T - z)) with z = logit s and r from 1/256 to 64.
    Between two of these 24 errors the power is taken to be linear. An error of another shape may be noticed sooner or
    later. `net_benefit_width` is 2 z_level sd / sqrt(n), as the net benefit is a mean: its deviation is that of
    t - o (1 - t) among the scores that reach the threshold of odds o, and of 0 among the others. In a study sd is that
    of its own samples. Assured widths are quantiles (R's type 7) of those of the studies.

    `suggested` lies between two sizes where the logarithm of what is sought, a straight line in that of n, meets what
    was asked for, so that all larger sizes reach it as well.

    Examples
    --------
    >>> pilot = cv.load_dataset("tumours")["naive Bayes"]
    >>> study = cv.sample_size(pilot, error=cv.ks_error, n=[200, 800], precision=0.05, replicates=100)
    >>> study.width.round(2).values
    array([0.06, 0.03])
    >>> study.note
    'An interval 5 points wide in 80 % of such studies takes about 360 samples.'
    """
    seed = validation.draws(rng, progress, replicates, level, fewest=2)
    assurance = validation.real_number(assurance, "assurance", 0.0, 1.0, open_ends=True)
    sizes = sorted(validation.whole_number(size, "n", 2, LARGEST) for size in validation.several(n))
    validation.refuse_repeats("n", sizes)
    if not sizes:
        raise ValueError("n is empty: pass numbers of samples")
    wanted = {
        name: None if value is None else validation.real_number(value, name, 0.0, 1.0, open_ends=True)
        for name, value in (("precision", precision), ("detectable", detectable))
    }
    acting = None if threshold is None else threshold_of(threshold)
    kind, cells = chosen_error(error, binning)
    judged = induced_problem(predictions, lens, selection, outcome)
    if getattr(judged, "by_truth", None) is not None:  # which no choice of clusters mends
        raise validation.WayOutError(NO_INTERVAL, ", or leave selection out")
    refuse_clusters(judged, "a study of so many samples")
    problem = drawable(judged, lens_of(predictions, lens))
    curve = true_curve(problem, 0, np.random.default_rng(seed))
    share = problem.weight / problem.total
    tried = _tried(lambda curves: kind.truth(problem.score, curves, share), curve)
    errors = kind.truth(problem.score, tried, share)
    root = np.random.SeedSequence(seed).entropy
    widths: dict[int, list[float]] = {size: [] for size in sizes}
    spreads: dict[int, list[float]] = {size: [] for size in sizes}
    noticed = {size: np.zeros(len(tried)) for size in sizes}
    work = [(size, i) for size in sizes for i in range(replicates)]
    for size, i in with_progress(work, "sample size", len(work), progress):
        rng = np.random.default_rng(np.random.SeedSequence(root, spawn_key=(size, i)))
        rows, chance = np.sort(rng.integers(0, len(problem), size)).astype(np.intp), rng.random(size)
        drawn, observed = problem.taken(rows), chance < curve.fit[rows]
        if acting is not None:
            spreads[size].append(_spread_of_benefit(drawn.score, observed, acting))
        if i % INTERVALS == 0 or i < FEWEST:
            study, own = drawn.with_target(observed), int(rng.integers(2**32))
            [(lower, _, upper)] = several_ends(study, lens_of(predictions, lens), [(error, binning)], level, own)
            widths[size].append(upper - lower)
        labels = (chance < truth[rows] for truth in tried)
        noticed[size] += _noticed(lambda labelled: kind.measure(labelled, cells), drawn, labels, rng)
    columns = {
        "width": [np.mean(widths[size]) for size in sizes],
        "width_assured": [np.quantile(widths[size], assurance) for size in sizes],
        "width_error": [np.std(widths[size], ddof=1) / np.sqrt(len(widths[size])) for size in sizes],
        "detectable": [_least_noticed(noticed[size] / replicates, errors) for size in sizes],
    }
    if acting is not None:
        reach = -2 * ndtri((1 - level) / 2) / np.sqrt(sizes)
        columns["net_benefit_width"] = list(reach * _spread_of_benefit(problem.score, curve.fit, acting))
        columns["net_benefit_width_assured"] = list(reach * [np.quantile(spreads[size], assurance) for size in sizes])
    table = xr.Dataset({name: ("n", np.asarray(values, np.float64)) for name, values in columns.items()}, {"n": sizes})
    about = {
        "true_error": float(kind.truth(problem.score, curve.fit[None], share)[0]),
        "error": error.__name__,
        "lens": look_named(predictions, lens, outcome),
        "level": level,
        "assurance": assurance,
        "power": POWER,
        "false_alarms": FALSE_ALARMS,
        "samples": len(problem),
    }
    table = table.assign_attrs(about)
    return described(table.assign_attrs(suggested(table, wanted)), OURS, LONG_NAMES)


def _tried(error_of: Callable[[Array], Array], curve: TrueCurve) -> Array:
    """Curves that differ from the scores as the fitted one does, but by less or by more, errors rising: (m, n)."""
    errors = np.array([error_of(curve.stretched(0, stretch)[None])[0] for stretch in STRETCHES])
    errors = np.maximum.accumulate(errors)
    wanted = np.geomspace(min(LEAST_ERROR, errors[-1] / 2), errors[-1], TRIED) if errors[-1] else errors[-1:]
    return np.stack([curve.stretched(0, float(np.interp(error, errors, STRETCHES))) for error in wanted])


def _noticed(
    error_of: Callable[[ScalarProblem], Array],
    drawn: ScalarProblem,
    labels: Iterable[NDArray[np.bool_]],
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Return which of several sets of labels a test at 5 % tells from those of calibrated predictions."""
    under = Labelling(drawn)
    nulls = [float(error_of(under(rng.random(len(drawn)) < drawn.score))) for _ in range(NULLS)]
    floor = max(0.0, float(noise_floor(nulls, 1 - FALSE_ALARMS)))
    return np.array([error_of(under(one)) for one in labels]) > floor + EQUAL


def _least_noticed(power: Array, errors: Array) -> float:
    """The least error whose power, and that of all larger ones, is enough: between two that were tried, linearly."""
    short = np.flatnonzero(power < POWER)
    last = int(short[-1]) if len(short) else -1
    if last + 1 == len(power):
        return float("nan")
    if last < 0:
        return float(errors[0])
    return float(np.interp(POWER, power[last : last + 2], errors[last : last + 2]))


def _spread_of_benefit(score: Array, curve: NDArray[Any], threshold: float) -> float:
    """The standard deviation of what one sample adds to the net benefit, where labels follow the curve."""
    odds, acted = threshold / (1 - threshold), score >= threshold
    mean = (acted * (curve - odds * (1 - curve))).mean()
    square = (acted * (curve + odds**2 * (1 - curve))).mean()
    return float(np.sqrt(max(0.0, square - mean**2)))


def _two_digits_up(number: float) -> int:
    """A number of samples rounded up to two digits: a simulation knows no more."""
    step = 10 ** max(0, int(np.log10(number)) - 1)
    return int(np.ceil(number / step)) * step


def suggested(table: xr.Dataset, wanted: Mapping[str, float | None]) -> dict[str, Any]:
    """The attributes that say how many samples reach what was asked for."""
    sizes, needed, notes = table["n"].values, [0.0], []
    asked = {name: value for name, value in wanted.items() if value is not None}
    for name, value in asked.items():
        column, what = ASKED[name]
        least = _least_size(sizes, table[column].values, value)
        needed.append(least)
        said = what.format(100 * value, chosen_percent(table.attrs["assurance"]))
        if np.isnan(least):
            notes.append(f"{said} takes more than {counted(sizes[-1])}, the most that were tried: raise n.")
        elif least == sizes[0]:
            notes.append(f"{said} takes at most {counted(sizes[0])}, the fewest that were tried.")
        else:
            notes.append(f"{said} takes about {counted(_two_digits_up(least))}.")
    if not notes:
        return {}
    most = float("nan") if np.isnan(needed).any() else int(max(needed))
    return {**asked, "suggested": most, "note": " ".join(notes)}


def _least_size(sizes: NDArray[np.intp], values: Array, wanted: float) -> float:
    """The least size from which on all values reach what is wanted, by straight lines in logarithms; nan if none."""
    short = np.flatnonzero(~(values <= wanted))
    last = int(short[-1]) if len(short) else -1
    if last + 1 == len(sizes):
        return float("nan")
    if last < 0 or np.isnan(values[last]):
        return float(sizes[last + 1])
    ends = np.log(values[[last + 1, last]])
    return float(ceil(np.exp(np.interp(np.log(wanted), ends, np.log(sizes[[last + 1, last]])))))
