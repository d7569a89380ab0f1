"""Words in the reliability diagram: of its dots, its sides and a segment that is off; and the strip of categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ....data.nouns import Nouns
from ....engine.binnings.bins import Bins
from ....engine.scalar import ScalarProblem
from ....foundation.arrays import Array
from ....foundation.cache import lazy_property
from ....foundation.written import of_hundred, shortened
from ....metrics.likert import in_category
from ....uncertainty.intervals.bin_intervals import INTERVAL_LEVEL, mean_interval, target_interval
from ...labels import text_width
from ...records import Hints, Label, Lines, Run, Series
from ...shapes import bars, joined, nothing
from ...styles import GREEN_TEXT, VERMILION_TEXT

Ends = tuple[Array, Array]

#: The name of the diagonal, where there is room.
DIAGONAL = Label(0.38, 0.38, ((Run("predicted = observed", is_detail=True),),), moves="away")

#: Shares on the axes as numbers of 100, for readers who count people.
HUNDREDS = tuple((share / 100, str(share)) for share in range(0, 101, 20))
HUNDREDS_WITH_SIGN = (*HUNDREDS[:-1], (1.0, "100 %"))
SPAN = (0.0, 1.0)
STRIP = (-0.125, -0.02)  # the ends of the strip of categories, below the plot
STRIP_RANGE = (-0.125, 1.0)
FEW = 10  # samples, of fewer of which nothing is judged
MOST_LABELLED = 2  # dots
MAY_BE_NOISE = "may be noise"  # what is beyond it by itself, but not as one of all dots
SHORT_NAME = 24  # characters of the name of a segment where there is little room
ACROSS = 52  # characters of a bold name across the diagram, at least
ROOM = 0.3  # a category of less has room for few words
BESIDE_HANDLE, BESIDE_EDGE = 28.0, 4.0  # pixels
DETAILED = 460.0  # pixels of the narrowest plot whose categories have details
NARROW = 0.13  # a category below this has no room for words


@dataclass(frozen=True)
class Wording:
    """The words of the diagram, and the segment that it shows.

    Attributes
    ----------
    nouns : Nouns
    predicted : str
        What is predicted, such as "the model's probability of disease".
    segment : WorstSegment or None
    """

    nouns: Nouns
    predicted: str = "the model's probability"
    segment: WorstSegment | None = None

    @lazy_property
    def of_segment(self) -> tuple[Label, ...]:
        """The words beside the segment."""
        worst = self.segment
        if worst is None:
            return ()
        if worst.after is not None:
            return (self._of_moved(worst, worst.after),)
        predicted, observed = of_hundred(worst.predicted, worst.observed, are_apart=True)
        name = (Run(worst.name, VERMILION_TEXT, True),)
        count, said = Run(f"{self.nouns.counted(worst.count)} ", is_detail=True), Run(f"predicted {predicted}: ")
        happened = Run(self.nouns.happened_short(f"{observed} of 100"), VERMILION_TEXT, True)
        versions = (
            (name, (count, said, happened)),
            (name, (said, happened)),
            (name, (count, said), (happened,)),
            (
                (replace(name[0], text=shortened(worst.name, SHORT_NAME)),),
                (replace(happened, text=f"{observed} of 100"),),
            ),
        )
        return (Label(worst.predicted, worst.observed, versions[0], moves="around", versions=versions, is_needed=True),)

    def _of_moved(self, worst: WorstSegment, after: float) -> Label:
        """The words beside a segment that a calibrator has moved."""
        before, then, observed = of_hundred(worst.predicted, after, worst.observed)
        name, said = Run(worst.name, GREEN_TEXT, True), Run(f"predicted {before} → ")
        moved = said, Run(then, GREEN_TEXT, True)
        versions = (
            ((name,), (*moved, Run(f", observed {observed}"))),
            ((name,), moved, (Run(f"observed {observed}"),)),
            ((replace(name, text=shortened(worst.name, SHORT_NAME)),), (Run(f"{before} → {then}"),)),
        )
        return Label(worst.predicted, worst.observed, versions[0], moves="around", versions=versions, is_needed=True)


@dataclass(frozen=True)
class WorstSegment:
    """The segment that is shown to be off the furthest.

    Attributes
    ----------
    name : str
    count : int
    predicted, observed, lower, upper : float, in [0, 1]
    after : float, in [0, 1], or None
        What is predicted of it after the calibrator that is shown, if one is.
    """

    name: str
    count: int
    predicted: float
    observed: float
    lower: float
    upper: float
    after: float | None = None

    @lazy_property
    def series(self) -> tuple[Series, ...]:
        """The line from the diagonal to it, its interval and its diamond.

        After a calibrator the diamond is green, and a line leads there from the hollow one where it was.
        """
        at, observed = np.array([self.predicted]), np.array([self.observed])
        lower, upper = np.array([self.lower]), np.array([self.upper])
        before, *shares = of_hundred(self.predicted, self.observed, self.lower, self.upper)
        said = "observed {} ({} to {})".format(*shares)
        if self.after is None:
            return (
                Series("", "worst gap", "line", at.repeat(2), np.array([self.predicted, self.observed])),
                bars("", "worst interval", at, lower, upper),
                Series("", "worst", "dots", at, observed, (f"{self.name}: predicted {before} of 100, {said}",)),
                *NOT_MOVED,
            )
        to, hint = np.array([self.after]), f"{before} → {of_hundred(self.after)[0]} of 100, {said}"
        return (
            *NOT_OFF,
            Series("", "worst was", "dots", at, observed),
            Series("", "worst move", "line", np.array([self.predicted, self.after]), observed.repeat(2)),
            bars("", "worst interval after", to, lower, upper),
            Series("", "worst after", "dots", to, observed, (f"{self.name}: predicted {hint}",)),
        )


NOT_OFF = nothing("worst gap", "line"), nothing("worst interval", "line"), nothing("worst", "dots")
NOT_MOVED = (
    nothing("worst was", "dots"),
    nothing("worst move", "line"),
    nothing("worst interval after", "line"),
    nothing("worst after", "dots"),
)
NO_SEGMENT = *NOT_OFF, *NOT_MOVED


def axis_names(wording: Wording) -> tuple[str, str]:
    """The names of the axes as sentences."""
    return (
        f"Predicted: {wording.predicted} →",
        f"↑ Observed: of 100 {wording.nouns.many}, this many {wording.nouns.event}",
    )


def strip_series(categories: Mapping[str, tuple[float, float]]) -> Series:
    """A box for each category in the strip below the plot."""
    if not categories:
        return nothing("strip", "area")
    ends, (low, high) = np.array(list(categories.values())), STRIP
    return Series("", "strip", "area", joined(ends[:, [0, 1, 1, 0, 0]]), joined(_rows(ends, low, high)))


def _rows(ends: Array, low: float, high: float) -> Array:
    return np.tile([low, low, high, high, low], (len(ends), 1))


def labels_of(
    wording: Wording,
    problem: ScalarProblem,
    bins: Bins,
    few: NDArray[np.bool_],
    own: Ends,
    categories: Mapping[str, tuple[float, float]],
    has_sides: bool = True,
    moved: tuple[ScalarProblem, ScalarProblem | None] | None = None,
) -> tuple[Label, ...]:
    """All words of the diagram of one trial, which `labels.placed` moves; `own` are the ends of each bin's interval.

    Those of the categories say what is observed in them by the scores before a calibrator, and by those after it.
    """
    return (
        *wording.of_segment,
        *_of_categories(wording, *(moved or (problem, None)), categories),
        *_of_dots(wording, problem, bins, few, own),
        *(_of_sides(wording) if has_sides else ()),
        DIAGONAL,
    )


def _of_categories(
    wording: Wording, problem: ScalarProblem, after: ScalarProblem | None, categories: Mapping[str, tuple[float, float]]
) -> Iterator[Label]:
    for name, (low, high) in categories.items():
        part = in_category(problem, low, high)
        if high - low < NARROW or part is None:
            continue
        observed = observed_in(part)
        moved = None if after is None else in_category(after, low, high)
        then = "" if moved is None else f" → {observed_in(moved)}"
        shared = [Run(observed, is_strong=True), *([Run(then, GREEN_TEXT, True)] if then else [])]
        if not then or high - low >= ROOM:
            shared.append(Run(" of 100", is_detail=high - low < ROOM))
        if high - low >= ROOM:
            event = wording.nouns.happened_short("")
            used = text_width(f"{observed}{then} of 100{event}") + BESIDE_HANDLE
            if used < (high - low) * DETAILED - (BESIDE_HANDLE if high < 1 else 0.0):
                shared.append(Run(event, is_detail=True))
        yield Label(
            low,
            sum(STRIP) / 2,
            ((Run(shortened(name, round(ACROSS * (high - low)) - 2), is_strong=True),), tuple(shared)),
            "right",
            apart=BESIDE_HANDLE if low > 0 else BESIDE_EDGE,
            until=high,
        )


def observed_in(part: ScalarProblem) -> str:
    """The share that is observed in a category, as a number of 100."""
    return of_hundred(part.mean_target, *mean_interval(part))[0]


def _of_dots(
    wording: Wording, problem: ScalarProblem, bins: Bins, few: NDArray[np.bool_], own: Ends
) -> Iterator[Label]:
    """The dots whose own intervals miss the diagonal by most; a second one only where it is beyond noise."""
    count, score, target = bins.samples(problem), bins.score, bins.target
    judged = np.isfinite(score) & ~few
    miss = np.where(judged, _missed(score, *own), -1.0)
    order = [i for i in np.argsort(-miss).tolist() if miss[i] > 0]
    if not order:
        return
    beyond = _beyond_noise(problem, bins, judged)
    shown = [i for k, i in enumerate(order) if k == 0 or beyond[i]]
    for i in shown[:MOST_LABELLED]:
        predicted, observed = of_hundred(float(score[i]), float(target[i]))
        number = _number_of_events(problem, float(count[i] * target[i]))
        events = wording.nouns.happened_short(f"{observed} of 100" if number is None else number)
        first = (Run(f"{wording.nouns.counted(count[i])} predicted {predicted}:"),)
        happened = Run(events, VERMILION_TEXT if beyond[i] else "", True)
        of_many = Run(_one_of(score), is_detail=True)
        doubt = Run(MAY_BE_NOISE)  # no detail: where it has no room, neither have the words
        last, shorter = ((), ()) if beyond[i] else (((of_many, doubt),), ((doubt,),))
        share = () if number is None else (Run(f" ({observed} of 100)"),)
        versions = (
            (first, (happened, *share), *last),
            (first, (happened, *share), *shorter),
            (first, (happened,), *([(Run(f"{observed} of 100"),)] if share else []), *shorter),
        )
        yield Label(float(score[i]), float(target[i]), versions[0], moves="around", versions=versions)


def _one_of(score: Array) -> str:
    return f"one of {int(np.isfinite(score).sum())} dots: "


def _beyond_noise(problem: ScalarProblem, bins: Bins, judged: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which dots miss the diagonal by more than noise shows in any of those that are judged (Bonferroni)."""
    level = 1 - (1 - INTERVAL_LEVEL) / int(judged.sum())
    return _missed(bins.score, *target_interval(bins, problem, level)) > 0


def _number_of_events(problem: ScalarProblem, number: float) -> float | None:
    """How many are events, from the weighted share; None where weights count no samples, so that only the share is."""
    return number if problem.whole_weights else None


def _missed(score: Array, lower: Array, upper: Array) -> Array:
    return np.nan_to_num(np.maximum(lower - score, score - upper), nan=-1.0)


def _of_sides(wording: Wording) -> Iterator[Label]:
    """The meaning of the sides of the diagonal, in the corners, where only dots that are far off lie."""

    def versions(how_many: str) -> tuple[Lines, ...]:
        happened, than = wording.nouns.happened_short(how_many), "than predicted"
        return ((Run(f"{happened} {than}"),),), ((Run(happened),), (Run(than),))

    more, fewer = map(versions, ("more", "fewer"))
    yield Label(0.0, 1.0, more[0], moves="along", versions=more)
    yield Label(1.0, 0.0, fewer[0], "left", moves="along", versions=fewer)


def hint_of(wording: Wording, problem: ScalarProblem, bins: Bins, own: Ends) -> Callable[[int], str]:
    """Return what writes the hint of a bin: how many are in it, how many of these are events, whether it is noise."""
    count, lower, upper = bins.samples(problem), *own
    judged = np.isfinite(bins.score) & (count >= FEW)
    beyond = cache(lambda: _beyond_noise(problem, bins, judged))  # of all dots, once one of them is pointed at

    def hint(i: int) -> str:
        n, score, target = float(count[i]), float(bins.score[i]), float(bins.target[i])
        where, observed = of_hundred(score)[0], of_hundred(target, float(lower[i]), float(upper[i]))
        if bins.left is not None and bins.right is not None:
            where = " to ".join(of_hundred(float(bins.left[i]), float(bins.right[i])))
        held = wording.nouns.counted(n) if n else f"part of one {wording.nouns.one}"  # whose weight is large
        said, number = f"{held} predicted {where}", _number_of_events(problem, n * target)
        if number is not None and n:
            said += f"\n{wording.nouns.happened_short(number)}"
        if n < FEW:
            return f"{said}\ntoo few to say"
        noise = "within noise"
        if score < lower[i] or score > upper[i]:
            noise = "beyond noise" if beyond()[i] else _one_of(bins.score) + MAY_BE_NOISE
        share = f"{observed[0]} of 100"
        shown = f": {share}" if number is not None else f"\n{wording.nouns.happened_short(share)} by weight"
        return f"{said}{shown} ({observed[1]} to {observed[2]})\n{noise}"

    return hint


def curve_series(wording: Wording, x: Array, y: Array, lower: Array, upper: Array) -> Series:
    """Points on the smooth curve that say in words what it shows there."""

    def hint(i: int) -> str:
        predicted, *observed = of_hundred(*(float(each[i]) for each in (x, y, lower, upper)))
        happened = wording.nouns.happened_short(observed[0])
        return f"of 100 predicted about {predicted}, {happened} ({observed[1]} to {observed[2]}) by the curve"

    return Series("", "on the curve", "dots", x, y, Hints(len(x), hint))
