"""A summary of each window of time, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.lens_names import lens_for
from ..context.lenses import Lens
from ..data.predictions import Predictions
from ..foundation import validation
from ..foundation.dates import MOST_WINDOWS, check_width, window_starts
from .lazy import LazyPredictions, predictions_of
from .passes import Part, PartError, passed
from .score_grid import ScoreGrid
from .summarize import Source, SummaryRequest, refuse_other
from .summary import Summary


def windows(
    predictions: Source,
    lens: str | Lens | None = None,
    *,
    field: str,
    width: float | str | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    grid: ScoreGrid | None = None,
    progress: bool = True,
) -> dict[Any, Summary]:
    """A summary for each window of time, or of any other field, in one pass; `drift` tells how the error changes.

    Parameters
    ----------
    predictions : Predictions or LazyPredictions
    field : str
        The sample field that orders the windows.
    width : float or text, optional
        Of numbers, how wide a window is. Of dates "Y", "M", "W" (from Monday), "D", "h", "m" or "s", or several such as
        "6h", counted from 1970. By default each value is a window.
    lens, selection, outcome, grid, progress
        As in `summarize`.

    Returns
    -------
    dict of where each window begins to Summary
        In ascending order; windows without samples are not there. Each takes 4.5 MB with the default grid.

    Raises
    ------
    TypeError, ValueError
        As `summarize`; for an unknown field, a missing value in it, and more than 1000 windows.

    See Also
    --------
    drift : How the error changes from window to window.
    summarize_all : Summaries of several lenses and selections.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = cv.simulated("resnet110_c10", 4000)
    >>> p = cv.Predictions(drawn.probs, drawn.labels, fields={"hour": np.arange(4000) / 60})
    >>> [(start, s.rows) for start, s in cv.windows(p, field="hour", width=24).items()]
    [(0.0, 1440), (24.0, 1440), (48.0, 1120)]
    """
    validation.truth(progress, "progress")
    refuse_other(predictions)
    validation.text(field, "field")
    look = SummaryRequest(lens_for([predictions], lens), read_selection(selection), outcome, grid)
    if isinstance(predictions, LazyPredictions):
        cutter = _Cutter(look, field, width, predictions.normalize, predictions.cluster)
        [cut] = passed([(predictions.parts, cutter)], _joined, progress)
    else:
        cut = _Cutter(look, field, width).windows(Part(0, len(predictions), "", None), predictions)
    return {start: cut[start] for start in sorted(cut)}


@dataclass(frozen=True)
class _Cutter:
    """Fills a summary for each window that a part has rows in."""

    look: SummaryRequest
    field: str
    width: float | str | None
    normalize: bool = False
    cluster: str | Literal[False] | None = None

    def __call__(self, part: Part, arguments: dict[str, Any]) -> dict[Any, Summary]:
        return self.windows(part, predictions_of(part, arguments, self.normalize, self.cluster))

    def windows(self, part: Part, predictions: Predictions) -> dict[Any, Summary]:
        if self.field not in predictions.fields:
            known = validation.listed(predictions.fields) or "none"
            raise ValueError(f"field {self.field!r} is unknown: the fields of these predictions are {known}")
        starts, window = np.unique(self._starts(part, predictions.fields[self.field]), return_inverse=True)
        _refuse_too_many(len(starts))
        summaries = {}
        for i, start in enumerate(starts if starts.dtype.kind == "M" else starts.tolist()):
            rows = predictions.select(np.flatnonzero(window == i)) if len(starts) > 1 else predictions
            summaries[start] = self.look.empty(predictions.class_names)
            summaries[start].update(rows)
        return summaries

    def _starts(self, part: Part, values: NDArray[Any]) -> NDArray[Any]:
        width = self.width
        missing = values == "" if values.dtype.kind in "US" else values != values
        if missing.any():
            row = int(np.argmax(missing))
            raise PartError.of(part, validation.RowError("row ", row, f" of the field {self.field!r} is missing"))
        if width is None:
            return values
        if isinstance(width, str):
            return self._dates(values, width)
        if values.dtype.kind == "M":
            raise TypeError(f"width of dates is text such as 'D', 'W' or '6h', not {width!r}")
        if values.dtype.kind not in "iuf":
            raise ValueError(f"width is {width!r}, but the field {self.field!r} does not hold numbers")
        size = validation.real_number(width, "width", 0.0)
        if size == 0:
            raise ValueError("width must be above 0")
        # 0.3 begins a window of width 0.1, though 0.3 / 0.1 is a little less than 3.
        number, place = np.unique(np.floor(np.round(values.astype(np.float64) / size, 9)), return_inverse=True)
        return np.array([float(f"{start:.12g}") for start in number * size])[place]

    def _dates(self, values: NDArray[Any], width: str) -> NDArray[Any]:
        check_width(width)
        if values.dtype.kind in "US":  # names of folders are text
            with suppress(ValueError):
                values = values.astype("datetime64[s]")
        if values.dtype.kind != "M":
            raise ValueError(f"width is {width!r}, but the field {self.field!r} does not hold dates")
        return window_starts(values, width)


def _joined(several: Sequence[dict[Any, Summary]]) -> dict[Any, Summary]:
    joined: dict[Any, Summary] = {}
    for windows_of_part in several:
        for start, summary in windows_of_part.items():
            joined[start] = joined[start] + summary if start in joined else summary
        _refuse_too_many(len(joined))
    return joined


def _refuse_too_many(windows: int) -> None:
    if windows > MOST_WINDOWS:
        raise ValueError(f"there are more than {MOST_WINDOWS} windows: choose a larger width")
