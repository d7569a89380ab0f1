"""How the error of predictions changes over time: the windows of a field of dates, looked at all together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ...context.class_lenses import Pooled
from ...context.condition_parser import selection as read_selection
from ...context.conditions import Condition
from ...context.induced import lens_of, look_named, scalar_problem
from ...context.lenses import Lens
from ...context.truth_selections import looks_at_truth
from ...data.dependence import assumes_independence
from ...data.models import checked
from ...data.nouns import nouns_of_clusters
from ...data.predictions import Predictions
from ...data.time_fields import Moments, time_field, time_fields
from ...engine.by_truth import LOOKS_AT_TRUTH
from ...engine.scalar import ScalarProblem
from ...foundation import validation
from ...foundation.dates import MOST_WINDOWS, check_width, window_starts
from ...foundation.described import described
from ...foundation.progress import with_progress
from ...metrics.binned import ks_error
from ..resampling.bootstrap import LEVEL, checked_seed
from .drift import REPLICATES_OF_WINDOWS, chance_level, drift_steps
from .monitor import ALARM, Monitor, add

WIDTHS = ("h", "6h", "D", "W", "M", "3M", "Y")  # of windows where nobody chooses, the narrowest first
FEWEST, MOST = 3, 30  # windows
NAMED = 3  # clusters in a message
FEWEST_SAMPLES = 100  # of a window, on average
MOST_DRAWN = 100_000_000  # scores in all draws together while a page waits


EVIDENCE = {
    "log_e": "logarithm of the e-value after the window",
    "count": "samples in the window",
    "largest": "largest logarithm of the e-value so far",
}


class NoWidthError(ValueError):
    """No width of the windows suits the samples."""


@assumes_independence
def over_time(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    error: Callable[..., float] = ks_error,
    field: str | None = None,
    width: str | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    replicates: int = REPLICATES_OF_WINDOWS,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """Return an error over windows of time, with what calibrated windows show, so that it tells which are beyond noise.

    Parameters
    ----------
    predictions : Predictions
        With a field of dates.
    error : function of a problem
        For example ``cv.ks_error``, or ``lambda q: cv.calibration_error(q, binning=cv.EqualMass(15))``.
    field : str, optional
        The field of dates: as such, as texts of ISO 8601, which are in UTC where they have a zone, or as numbers of
        seconds or milliseconds since 1970. By default the first one that holds dates, where texts and numbers count
        only under a name such as "time", "timestamp", "date", "day" or "created_at".
    width : str, optional
        Of a window: "Y", "M", "W" (from Monday), "D", "h", "m" or "s", or several such as "6h", counted from 1970. By
        default the narrowest of hour, 6 hours, day, week, month, quarter and year that makes 3 to 30 windows of 100
        samples on average.
    lens, selection, outcome
        As in `calibration_error`.
    replicates, level, rng, progress
        As in `drift`.

    Returns
    -------
    xarray.Dataset
        As `drift` returns it with `simultaneous`, and with `log_e` and `largest` of `monitor_windows`, unless labels
        are soft, a weight is above 1 or a cluster lies in several windows; the attribute `no_evidence` then gives the
        reason. The probability that any window of calibrated predictions exceeds its `noise` is at most
        (1 - level) / 2. Other attributes tell the `field`, the `width`, the `others` that hold dates too, how many
        samples are `undated` and thus in no window, and what was `assumed` of numbers.

    Raises
    ------
    ValueError
        Where no field holds dates, no width suits the samples, or no label can be drawn for them.

    See Also
    --------
    drift : Takes windows of any kind, also of data that do not fit into memory.
    segments : Looks for segments by any fields.
    plots.drift : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = cv.simulated("resnet110_c10", 4000)
    >>> day = np.repeat(np.datetime64("2024-05-01") + np.arange(4), 1000)
    >>> p = cv.Predictions(drawn.probs, drawn.labels, fields={"day": day})
    >>> table = cv.over_time(p, lens="class 1", width="D")
    >>> table.attrs["field"], (table.error > table.noise).values.tolist()
    ('day', [True, True, True, True])
    """
    seed = checked_seed(error, replicates, level, rng, progress)
    try:
        windows = time_windows(checked(predictions), lens, selection, outcome, field, width)
    except NoWidthError as why:
        raise ValueError(f"{why}: pass a width, such as width='D'") from None
    *_, (_, table) = with_progress(
        windows.steps(error, replicates, level, seed), "over time", len(windows.problems), progress
    )
    return table


@assumes_independence
def monitor_windows(
    predictions: Predictions,
    lens: str | Lens | None = None,
    *,
    field: str | None = None,
    width: str | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    alarm: float = ALARM,
    restarts: bool = True,
) -> xr.Dataset:
    """The evidence against calibration after each window of a field of dates, as a `Monitor` gathers it.

    Parameters
    ----------
    predictions : Predictions
        With a field of dates.
    lens, selection, outcome, field, width
        As in `over_time`.
    alarm, restarts
        As in `Monitor`.

    Returns
    -------
    xarray.Dataset
        Over `window`, the beginnings: `log_e`, the `largest` so far, and `count`, the samples. The attribute `alarm` is
        the logarithm of the e-value that raises it.

    Raises
    ------
    ValueError
        As `over_time` and `Monitor` do, and where a cluster lies in several windows.

    See Also
    --------
    Monitor : Takes samples as they come.
    over_time : The error of each window.

    References
    ----------
    Arnold, Henzi and Ziegel 2023, Sequentially valid tests for forecast calibration.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = cv.simulated("resnet110_c10", 4000)
    >>> day = np.repeat(np.datetime64("2024-05-01") + np.arange(4), 1000)
    >>> p = cv.Predictions(drawn.probs, drawn.labels, fields={"day": day})
    >>> table = cv.monitor_windows(p, "class 1", width="D")
    >>> (table.log_e > table.attrs["alarm"]).values.tolist()
    [True, True, True, True]
    """
    stream = Monitor(lens, alarm=alarm, restarts=restarts)
    windows = time_windows(checked(predictions), lens, selection, outcome, field, width)
    table = windows.evidence(stream)
    table["count"] = "window", [problem.samples for problem in windows.problems.values()]
    table.attrs["of"] = look_named(predictions, lens, outcome)
    return described(table, "Arnold, Henzi and Ziegel 2023", EVIDENCE)


@dataclass(frozen=True, eq=False)
class TimeWindows:
    """The samples of a problem by time."""

    problems: dict[Any, ScalarProblem]  # by the beginning of the window, ascending
    about: dict[str, Any]  # what the table says: `field`, `width`, `others`, `undated` and `assumed`; see `over_time`
    parted: str = ""  # the message that says which clusters lie in several windows; empty where none does

    def refuse_long(self) -> None:
        """Raise a `ValueError` where the draws take longer than somebody waits for a page."""
        draws, _ = chance_level(REPLICATES_OF_WINDOWS, LEVEL, len(self.problems))
        drawn = draws * sum(map(len, self.problems.values()))
        if drawn > MOST_DRAWN:
            raise ValueError(f"{drawn:,} scores would be drawn, which takes minutes: keep fewer samples")

    def evidence(self, stream: Monitor) -> xr.Dataset:
        """The evidence of a monitor after each window."""
        if self.parted:
            raise ValueError(self.parted)
        columns: dict[str, list[float]] = {"log_e": [], "largest": []}
        for problem in self.problems.values():
            add(stream, problem)
            for name, column in columns.items():
                column.append(getattr(stream, name))
        starts = np.array(list(self.problems), dtype="datetime64[ns]")
        about = {"alarm": float(np.log(stream.threshold))}
        return xr.Dataset({name: ("window", values) for name, values in columns.items()}, {"window": starts}, about)

    def steps(
        self,
        statistic: Callable[..., float] = ks_error,
        n: int = REPLICATES_OF_WINDOWS,
        level: float = LEVEL,
        seed: int | None = 0,
    ) -> Iterator[tuple[float, xr.Dataset]]:
        """The part that is done, and the table of `over_time`, window by window; nan in those to come."""
        try:
            evidence = described(self.evidence(Monitor()), "Arnold, Henzi and Ziegel 2023", EVIDENCE)
        except ValueError as why:  # of soft labels, weights that are no powers, and clusters that return
            evidence = xr.Dataset(attrs={"no_evidence": str(why).partition(": ")[0]})
        for done, table in drift_steps(self.problems, statistic, n, level, True, seed):
            yield (
                done,
                table.assign(evidence.drop_vars("window", errors="ignore")).assign_attrs(self.about | evidence.attrs),
            )


def time_windows(
    predictions: Predictions,
    lens: str | Lens | None,
    selection: str | Condition | None,
    outcome: int | str | None = None,
    field: str | None = None,
    width: str | None = None,
) -> TimeWindows:
    """The windows of the samples that a selection keeps; see `over_time`."""
    for name, text in (("field", field), ("width", width)):
        if text is not None:
            validation.text(text, name)
    chosen, *others = time_fields(predictions) if field is None else [time_field(predictions, field)]
    condition = read_selection(selection)
    if isinstance(lens_of(predictions, lens), Pooled):
        raise ValueError("all classes of a sample at once are no one score: choose a class, or the likeliest one")
    if looks_at_truth(condition):
        raise ValueError(f"there is no noise floor over time: {LOOKS_AT_TRUTH}")
    problem = scalar_problem(predictions, lens, condition, outcome)
    moments = chosen.moments[problem.order]
    dated = ~np.isnat(moments)
    if width is None:
        width = _suitable_width(moments[dated], chosen.name)
    check_width(width)
    starts = window_starts(moments, width)
    known = np.unique(starts[dated])
    if not 0 < len(known) <= MOST_WINDOWS:
        raise ValueError(
            f"width={width!r} makes {len(known):,} windows of the field {chosen.name!r}: choose one that makes 1 to "
            f"{MOST_WINDOWS:,}"
        )
    about = {
        "field": chosen.name,
        "width": width,
        "others": [other.name for other in others],
        "undated": int((~dated).sum()),
        "assumed": chosen.assumed,
        "of": lens_of(predictions, lens).name,
    }
    problems = {start: problem.subset(starts == start) for start in known}
    return TimeWindows(problems, about, _parted(predictions, problem.order[dated], starts[dated], width))


def _parted(predictions: Predictions, rows: NDArray[np.intp], starts: Moments, width: str) -> str:
    """The message that says which clusters have rows in several windows; empty where none has."""
    if predictions.cluster_codes is None:
        return ""
    codes = predictions.cluster_codes[rows]
    of_each = np.unique(np.stack([codes, np.unique(starts, return_inverse=True)[1]]), axis=1)[0]
    several = np.flatnonzero(np.bincount(of_each) > 1)
    if not len(several):
        return ""
    nouns, n = nouns_of_clusters(predictions), len(several)
    names = validation.listed(sorted(predictions.select(rows[np.isin(codes, several)]).cluster_values)[:NAMED])
    return (
        f"{nouns.counted(n)} {'lies' if n == 1 else 'lie'} in several windows ({names}{', ...' * (n > NAMED)}): "
        f"the evidence takes all samples of a cluster at once, so pass a larger width than {width!r}"
    )


def _suitable_width(moments: Moments, name: str) -> str:
    """The narrowest width whose windows are neither too many nor too small."""
    for width in WIDTHS:
        windows = len(np.unique(window_starts(moments, width)))
        if FEWEST <= windows <= MOST and len(moments) >= FEWEST_SAMPLES * windows:
            return width
    raise NoWidthError(
        f"the field {name!r} does not split these samples into {FEWEST} to {MOST} windows of "
        f"{FEWEST_SAMPLES} samples on average"
    )
