"""Drift: the error of each window of time, with its uncertainty."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ...context.induced import Summarized, scalar_problem
from ...data.dependence import assumes_independence
from ...engine.clustered import Clusters, too_few
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...engine.summed import SummedProblem
from ...foundation import validation
from ...foundation.described import OURS, RESAMPLED, Described, described
from ...foundation.progress import with_progress
from ...foundation.written import spaced
from ...metrics.binned import ks_error
from ..resampling.bootstrap import LEVEL, bootstrap, checked_seed
from ..resampling.consistency import consistency

REPLICATES_OF_WINDOWS = 100
ROUNDING = 1e-6  # of a place
DRAWS_BEYOND = 3  # draws that lie beyond what a calibrated window shows, where all are looked at together


SAID = {
    **RESAMPLED,
    "noise": Described("upper end of what calibrated predictions show", source="Bröcker and Smith 2007"),
}


@assumes_independence
def drift(
    windows: Mapping[Any, Summarized | ScalarProblem],
    *,
    error: Callable[..., float] = ks_error,
    replicates: int = REPLICATES_OF_WINDOWS,
    level: float = LEVEL,
    simultaneous: bool = False,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """Return an error over windows of time, with its spread under resampling and what calibrated windows show.

    Parameters
    ----------
    windows : dict of window to Summary or ScalarProblem
        The result of `calibviz.windows`, or summaries to which a service adds batches. Windows are ascending numbers or
        dates, or names; the error of a window without samples is nan.
    error : function of a problem
        For example ``cv.ks_error``, or ``lambda q: cv.calibration_error(q, binning=cv.EqualMass(15))``.
    replicates : int, at least 1
        Number of replicates of either kind; a window of 30,000 different scores takes half a second for 100.
    level : float, in (0, 1)
        Of the spread; calibrated predictions exceed `noise` with a probability of (1 - level) / 2.
    simultaneous : bool
        Let that be the probability that any of the windows exceeds its `noise`, as who looks at all of them needs it,
        and not that of each (Bonferroni). More than `replicates` labels are drawn then where so rare an
        error asks for it.
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        Over `window`: `error`; `lower` and `upper` of `bootstrap`, the spread of a calibration error under resampling
        and no interval of the true one; `noise`, the upper end of `consistency` (nan for summaries of weights that do
        not count repetitions, for fewer than six clusters, and with `simultaneous` where clusters have fewer patterns
        of signs than so many windows need); `mean_score`, `mean_target` and `count`.

    See Also
    --------
    windows : Summaries by window.
    interval : An interval of the true error.
    plots.drift : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = cv.simulated("resnet110_c10", 4000)
    >>> day = np.repeat(np.datetime64("2024-05-01") + np.arange(4), 1000)
    >>> p = cv.Predictions(drawn.probs, drawn.labels, fields={"day": day})
    >>> table = cv.drift(cv.windows(p, field="day", lens="class 1"), replicates=20)
    >>> table.sizes["window"], table["count"].values.tolist()
    (4, [1000, 1000, 1000, 1000])
    """
    seed = checked_seed(error, replicates, level, rng, progress)
    validation.truth(simultaneous, "simultaneous")
    if not isinstance(windows, Mapping):
        raise TypeError(
            f"windows must map windows to summaries or predictions, as a dict does, not be {windows!r}: "
            "cv.windows(predictions, field=...) makes them, and cv.over_time(predictions) does both"
        )
    named = dict(windows)
    _read_windows(list(named))  # which refuses them before the work begins
    steps = drift_steps(named, error, replicates, level, simultaneous, seed)
    *_, (_, table) = with_progress(steps, "drift", len(named), progress)
    return table


def drift_steps(
    windows: Mapping[Any, Summarized | ScalarProblem],
    statistic: Callable[..., float],
    n: int,
    level: float,
    simultaneous: bool,
    seed: int | None = 0,
) -> Iterator[tuple[float, xr.Dataset]]:
    """Yield the part that is done and the table of `drift`, window by window, nan in the windows to come."""
    columns = ("error", "lower", "upper", "noise", "mean_score", "mean_target")
    values = {name: np.full(len(windows), np.nan) for name in columns}
    count = np.zeros(len(windows), dtype=np.intp)
    draws, reached = chance_level(n, level, len(windows)) if simultaneous else (n, level)
    attributes = {"level": level, "n": n, "simultaneous": int(simultaneous), "statistic": _words_of(statistic)}
    attributes["of"] = _name_of(next(iter(windows.values())))
    starts = _read_windows(list(windows))
    for i, (start, window) in enumerate(windows.items()):
        if not isinstance(window, Summarized | ScalarProblem):
            raise TypeError(
                f"windows[{start!r}] must be a summary or a scalar problem, such as cv.summarize(predictions, lens), "
                f"not {type(window).__name__}"
            )
        with suppress(EmptyProblemError):
            problem = scalar_problem(window)
            resampled = bootstrap(problem, error=statistic, replicates=n, level=level, rng=seed, progress=False)
            count[i], values["error"][i] = problem.samples, resampled.estimate
            values["lower"][i], values["upper"][i] = resampled.lower, resampled.upper
            values["mean_score"][i], values["mean_target"][i] = problem.mean_score, problem.mean_target
            clusters = Clusters.of(problem)
            # A summary no longer knows the weight of each sample, and few clusters have no noise floor.
            if not (isinstance(problem, SummedProblem) or (clusters is not None and too_few(clusters.count))):
                if_calibrated = consistency(
                    problem, error=statistic, replicates=draws, level=reached, rng=seed, progress=False
                )
                # All patterns of few clusters may be too few for so many windows: then nothing is beyond noise.
                if len(if_calibrated.replicates) >= draws or not simultaneous:
                    values["noise"][i] = if_calibrated.upper
        measured = {name: ("window", column.copy()) for name, column in (values | {"count": count}).items()}
        table = described(xr.Dataset(measured, {"window": starts}, attributes), OURS, SAID)
        yield (i + 1) / len(windows), table


def chance_level(n: int, level: float, windows: int) -> tuple[int, float]:
    """How many draws a window needs, and at which level, so that all together exceed `noise` rarely enough.

    A calibrated window exceeds the k-th largest of m draws with a probability of at most k / (m + 1). The quantile that
    `consistency` takes of the draws at q lies at the place (m - 1) q of the ascending ones; rounding must not take it
    below the k-th largest.
    """
    rarely = (1 - level) / 2 / windows
    draws = max(n, math.ceil(DRAWS_BEYOND / rarely))
    beyond = math.floor(rarely * (draws + 1))
    return draws, 1 - 2 * (beyond - 1 - ROUNDING) / (draws - 1)


def _name_of(value: Any) -> str:
    """The name of the lens of a summary, or of a function; empty where there is none."""
    name = str(getattr(value, "name", getattr(value, "__name__", "")))
    return "" if name.startswith("<") else name


def _words_of(error: Callable[..., float]) -> str:
    """An error as a sentence or an axis calls it; empty where it has no name."""
    name = _name_of(error)
    return {"ks_error": "KS error", "kuiper_error": "Kuiper error"}.get(name, spaced(name))


def _read_windows(windows: list[Any]) -> NDArray[Any]:
    """The windows as an array of ascending numbers or dates, or of names."""
    if not windows:
        raise ValueError("windows is empty: pass at least one")
    if all(isinstance(window, str) for window in windows):
        return np.array(windows)
    if all(isinstance(window, date | np.datetime64) for window in windows):
        starts = np.array(windows, dtype="datetime64[s]")
    elif all(isinstance(window, numbers.Real) for window in windows):
        starts = np.array(windows)
    else:
        raise TypeError(f"windows must all be numbers, dates or names, not {validation.listed(windows)}")
    if (starts[1:] <= starts[:-1]).any():
        i = int(np.argmax(starts[1:] <= starts[:-1]))
        raise ValueError(f"windows must be in ascending order, but {windows[i + 1]} follows {windows[i]}")
    return starts
