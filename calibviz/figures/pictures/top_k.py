"""The picture of top-k accuracy beside the sum of the k largest probabilities (gece figure 10)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...foundation.arrays import Array
from ...foundation.written import percent
from ..records import Figure, Role, Series, Ticks
from ..shapes import around, bars, over_trials, slots

#: The roles of the model and of its recalibration in the other pictures of the panel.
PREDICTED: tuple[Role, ...] = ("flexible", "after")
Interval = tuple[Array, Array]
NOTHING = (np.empty(0), np.empty(0), np.empty(0))
BESIDE = 0.15  # of the distance of two k, so that dots and bars of the same k do not hide each other


def top_k_figure(
    predicted: Mapping[str, ArrayLike],
    observed: ArrayLike,
    interval: Interval | None = None,
    observed_after: ArrayLike | None = None,
    interval_after: Interval | None = None,
) -> Figure:
    """How often the truth is among the k likeliest classes, predicted and observed, for every k.

    Parameters
    ----------
    predicted : dict of name to array-like of shape (trials, k), at most 2
        The mean sum of the k largest probabilities, k = 1, 2, ...: of the model, and after recalibration.
    observed : array-like, shape (trials, k)
        The top-k accuracy of the model; of several trials the mean is drawn, with bars of one standard deviation.
    interval : (ndarray, ndarray), optional
        The 95 % interval of the accuracy for each k, of one trial.
    observed_after, interval_after : the same, optional
        After recalibration, where it changes the order of the classes. It is drawn beside the other.
    """
    accuracy, *ends = _with_ends(observed, interval)
    k = np.arange(1.0, len(accuracy) + 1)
    after, *ends_after = NOTHING if observed_after is None else _with_ends(observed_after, interval_after)
    beside = k[: len(after)] + BESIDE
    bars_name = "± std of trials" if interval is None else "95 % interval"
    means = {name: over_trials(values)[0] for name, values in predicted.items()}
    first = next(iter(means))
    gap = accuracy - means[first]
    at = int(np.abs(gap).argmax())
    ticks: Ticks = tuple((place, f"{place:g}") for place in k.tolist())
    return Figure(
        "top-k",
        "Is the truth among the k likeliest classes?",
        "k",
        "predicted, observed",
        (
            bars(bars_name, "interval", k, *ends),
            bars("", "interval after", beside, *ends_after),
            *slots(PREDICTED, "line", [(f"predicted by {name}", k, mean) for name, mean in means.items()], "predicted"),
            Series("observed: top-k accuracy", "bins", "dots", k, accuracy),
            Series("observed after recalibration" if len(after) else "", "observed after", "dots", beside, after),
        ),
        f"Top-k accuracy of {first}: {percent(float(accuracy[0]))} for k = 1, {percent(float(accuracy[-1]))} for "
        f"k = {len(k)}; farthest from what is predicted at k = {at + 1}, {percent(abs(float(gap[at])))} "
        f"{'above' if gap[at] > 0 else 'below'} it."
        + (f" After recalibration the accuracy is {percent(float(after[0]))} for k = 1." if len(after) else ""),
        (0.5, len(k) + 0.5),
        around(accuracy, *means.values(), *ends, *ends_after),
        ticks,
        y_in_percent=True,
    )


def _with_ends(observed: ArrayLike, interval: Interval | None) -> tuple[Array, Array, Array]:
    """The mean accuracy over the trials, and the ends of its bars."""
    accuracy, deviation = over_trials(observed)
    lower, upper = (accuracy - deviation, accuracy + deviation) if interval is None else interval
    return accuracy, lower, upper
