"""The segments that are shown to be off, and which of them are news."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ...context.condition_parser import selection as read_selection
from ...context.conditions import And, Comparison
from ...foundation.arrays import Array

ROUNDING = 1e-12
ALL_OFF = "all_samples_off"  # the attribute of a table that says whether all samples together are shown to be off
FITTED = "includes the error of the fitted calibrator"
ALL_P = "all_samples_p_value"  # that of `calibration_test`, which says so
OF_ALL = ("score", "lower_of_all", "upper_of_all")  # what is predicted, and the interval at a level for all segments
PREDICTED = {"p_adjusted": "score", "p_unlike": "unlike_score"}  # what each p-value judges


@dataclass(frozen=True)
class FlaggedSegment:
    """A segment that is shown to be off, or to be unlike the others.

    Attributes
    ----------
    segment, words, selection : str
        Its name in the table of `segments`, the name to be read, and the text that keeps its samples.
    fields : int
        Of how many fields it is made.
    count, predicted, observed, lower, upper : float
        Of its samples; lower and upper are the interval of the target.
    surely : float, in [0, 1]
        How far what is predicted is from the interval of the target that holds for all segments at once.
    by_curve : float or None
        What the curve of all samples predicts for it, where it is judged by that.
    shared_with : str
        The segment before it that holds at least half of its samples, to be read; empty where none does.
    shared : float
        How many of its samples are in that one.
    rest : Rest or None
        Its other samples, if there are any, where it shares some.
    """

    segment: str
    words: str
    selection: str
    fields: int
    count: float
    predicted: float
    observed: float
    lower: float
    upper: float
    surely: float
    by_curve: float | None
    shared_with: str
    shared: float
    rest: Rest | None

    @property
    def value(self) -> Comparison | None:
        """The value of a field, or the predicted class, that it is made of; None of ranges and of several fields."""
        return value_of(self.selection, self.fields)

    @property
    def is_news(self) -> bool:
        """Whether it says more than a segment before it does: its samples, or those it does not share, are off."""
        return not self.shared_with or (self.rest is not None and self.rest.is_beyond)

    @property
    def is_beyond(self) -> bool:
        """Whether its gap is beyond noise, looking at all segments at once: only then what is observed stands out."""
        return self.surely > 0

    @property
    def cancels(self) -> bool:
        """Whether the interval holds the prediction: the segment is off in parts, and the errors cancel.

        One that is judged by the curve of all samples may also be right where the others are off.
        """
        return self.lower <= self.predicted <= self.upper

    @property
    def may_be_right(self) -> bool:
        """Whether it is unlike the others, perhaps because these are off and it is not."""
        return self.by_curve is not None and self.cancels


@dataclass(frozen=True)
class Rest:
    """The samples of a segment that the segment before it does not hold.

    Attributes
    ----------
    count, predicted, observed, lower, upper : float
    is_beyond : bool
        Whether they are off beyond noise, among as many segments.
    """

    count: float
    predicted: float
    observed: float
    lower: float
    upper: float
    is_beyond: bool


def flagged_segments(table: xr.Dataset) -> tuple[FlaggedSegment, ...]:
    """Return the segments of a table that are shown to be off, by the gap that is sure, without all samples.

    The largest is the first. Where all samples are shown to be off, or scores are those of a fitted calibrator, only
    segments that are unlike the others count: the rest may be off as all samples are.
    """
    words = dict(zip(table.segment.values.tolist(), table.words.values.tolist(), strict=True))
    alpha, kind = 1 - table.attrs["level"] + ROUNDING, _kind(table)
    return tuple(_flagged(table.isel(segment=int(i)), kind, alpha, words) for i in shown_segments(table)[0])


def shown_segments(table: xr.Dataset) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The places of the segments that are shown to be off, and their sure gaps, from the curve if that judges them."""
    kind = _kind(table)
    sure = sure_gap(*(table[name].values for name in (PREDICTED[kind], "lower", "upper")))
    shown = (table[kind].values <= 1 - table.attrs["level"] + ROUNDING) & (table.n_fields.values > 0)
    places = np.flatnonzero(shown)
    return places, sure[places]


def value_of(selection: str, fields: int) -> Comparison | None:
    """The value that a segment of one field is made of, from its selection; None of a range."""
    condition = read_selection(selection)
    own = condition.parts[-1] if isinstance(condition, And) else condition  # before it stands what was asked for
    return own if fields == 1 and isinstance(own, Comparison) and own.op == "==" else None


def sure_gap(score: Array, lower: Array, upper: Array) -> Array:
    """From scores to the nearer ends of intervals of targets, below 0 where less is observed; 0 inside of them."""
    return np.maximum(lower - score, 0.0) - np.maximum(score - upper, 0.0)


def _kind(table: xr.Dataset) -> str:
    """Which p-value tells whether a segment is off."""
    by_curve = table.attrs[ALL_OFF] or table.p_adjusted.attrs.get("note") == FITTED
    return "p_unlike" if by_curve else "p_adjusted"


def _flagged(row: xr.Dataset, kind: str, alpha: float, words: dict[str, str]) -> FlaggedSegment:
    count, shared = float(row["count"]), float(row.shared)
    rest = None
    if 0 < shared < count:
        rest = Rest(count - shared, **_numbers(row, "rest_"), is_beyond=float(row[f"rest_{kind}"]) <= alpha)
    return FlaggedSegment(
        segment=str(row.segment.item()),
        words=str(row.words.item()),
        selection=str(row.selection.item()),
        fields=int(row.n_fields),
        count=count,
        **_numbers(row, ""),
        surely=float(np.abs(sure_gap(*(row[name].values for name in OF_ALL)))),
        by_curve=float(row.unlike_score) if kind == "p_unlike" else None,
        shared_with=words.get(str(row.shared_with.item()), ""),
        shared=shared,
        rest=rest,
    )


def _numbers(row: xr.Dataset, which: str) -> dict[str, float]:
    names = {"predicted": "score", "observed": "target", "lower": "lower", "upper": "upper"}
    return {name: float(row[which + column]) for name, column in names.items()}
