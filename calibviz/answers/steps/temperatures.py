"""Errors over the temperature, looked at more closely where they are least, and which temperatures are as good."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from ...context.induced import induced_problem, scalar_problem
from ...data.predictions import Predictions
from ...engine.clustered import too_few
from ...engine.family import ProblemFamily
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...engine.vector import VectorProblem
from ...foundation.arrays import Array, are_counts
from ...foundation.chance import noise_floor
from ...foundation.fit_warnings import notices
from ...metrics.binned import error_series
from ...metrics.scores import log_loss, row_losses, row_squares
from ...recalibration.registry import AS_IT_IS
from ...recalibration.temperature import Temperature, closer_places, tempered
from ...uncertainty.resampling.bootstrap import clusters_of
from ...uncertainty.resampling.consistency import consistency
from ..asked.spec import IN_BINS
from ..situation.job import Steps
from ..situation.situation import Situation
from .compared import error_in_bins, value_of
from .sensitivity import resamples

GRID = np.linspace(-4.0, 4.0, 33)  # binary logarithms of the temperatures that are tried first
CLOSE = 2.0**-8  # of such logarithms: 0.3 % of a temperature
LEVEL = 0.95  # of the interval of the temperature at which a proper score is least
MOVED = "output", "confidence", "probability"  # what a selection may look at that depends on the temperature
BESIDE = 1 / 16  # how far from its least the curvature of such a score is measured


@dataclass(frozen=True, eq=False)
class Temperatures:
    """The errors by temperature, the least of each and the fitted temperature, as far as known."""

    places: Array  # shape (m,): binary logarithms of temperatures, ascending
    # By metric: (m, settings) of those in bins, (m,) of others and "nll"; nan for those to come.
    errors: dict[str, Array]
    # By metric: ends of the `places` within noise of the least, or nan; see `_Curves`.
    within: dict[str, tuple[float, float]]
    # What temperature scaling divides by, fitted to the samples that calibrators are fitted to.
    fitted: float | None = None

    def of(self, name: str, setting: int) -> Array:
        """The curve of a metric, shape (m,)."""
        values = self.errors[name]
        return values[:, setting] if values.ndim == 2 else values


def temperature_steps(
    situation: Situation,
    closely: Collection[str],
    setting: int,
    known: Temperatures | None = None,
    at_once: bool = False,
) -> Steps:
    """Every metric and the NLL of the samples at every temperature, from 1 outwards; then some more closely.

    Of the metrics `closely` the least is looked for, and its noise, in bins at this `setting`. It goes on from what is
    `known`, instead of the grid. With `at_once`, nothing is given before all least values are known.
    """
    curves = _Curves(situation, setting, known)
    waiting = [] if known else sorted(GRID, key=abs)
    total, done = (0 if known else len(GRID)) + 16 * len(closely), 0
    while waiting:
        for place in waiting:
            curves.look_at(place)
            done += 1
            if not at_once:
                yield 0.6 * min(1.0, done / total), curves.so_far()
        waiting = sorted({place for name in closely for place in closer_places(*curves.curve(name), CLOSE)})
    yield 0.6, curves.so_far()
    if len(situation.trials) > 1:
        return
    curves.fit()
    for i, name in enumerate(closely):
        curves.look_around(name)
        while closer := closer_places(*curves.curve(name), CLOSE):  # on the way a lower valley may have come to light
            for place in closer:
                curves.look_at(place)
        yield 0.6 + 0.4 * (i + 1) / len(closely), curves.so_far()


class _Curves:
    """The errors at every temperature that was looked at.

    Within noise of the least are, for a calibration error, the temperatures at which it is no larger than 95 of 100
    calibrated models show: at the least, labels are drawn from the probabilities. There is none where no temperature
    calibrates. For a proper score it is where 95 of 100 bootstrap replicates have their least, by a parabola.
    """

    def __init__(self, situation: Situation, setting: int, known: Temperatures | None) -> None:
        self.situation, self.setting = situation, setting
        self.kept = situation.spec.chosen_selection
        self.series = situation.spec.settings(situation.kind)
        self.judged = situation.engine.moved_now(situation.spec, situation.spec.model, AS_IT_IS)
        self.names = (*situation.spec.metrics, "nll")
        self.found: dict[float, dict[str, Any]] = {}
        self.within = dict(known.within) if known else {}
        self.fitted = known.fitted if known else None
        if known:
            for i, place in enumerate(known.places):
                self.found[float(place)] = {name: known.errors[name][i] for name in self.names}

    def fit(self) -> None:
        """Find the temperature of the calibrator of that name."""
        data = self.situation.engine.fitted_to(self.situation.spec.model)[0]
        with notices():
            try:
                calibrator = Temperature().fit(data)
            except ValueError:  # a summary has no rows to fit to; of other reasons the panel of recalibration tells
                return
        self.fitted = float(calibrator.temperature_)

    def look_at(self, place: float) -> None:
        """Measure everything at a temperature."""
        values: dict[str, list[Any]] = {name: [] for name in self.names}
        for predictions in self.judged:
            warmer = tempered(predictions, 2.0 ** float(place))
            try:
                problem = scalar_problem(warmer, self.situation.lens, self.kept)
            except EmptyProblemError:  # under so high a temperature nothing is as sure as the selection asks
                continue
            for name in self.names:
                values[name].append(self._value(name, warmer, problem))
        nothing = {name: np.full(len(self.series) if name in IN_BINS else (), np.nan) for name in self.names}
        self.found[float(place)] = {
            name: np.mean(several, axis=0) if several else nothing[name] for name, several in values.items()
        }

    def _value(self, name: str, warmer: Predictions, problem: Any) -> Any:
        if name in IN_BINS:
            return error_series(problem, self.series, *error_in_bins(name, self.situation.spec.error))
        if name != "nll":
            return value_of(name, problem, self.situation.spec)
        return np.nan if self._chosen_by_score else log_loss(warmer, "full", selection=self.kept)

    @property
    def _chosen_by_score(self) -> bool:
        """Whether at each temperature other samples are looked at."""
        return self.kept is not None and any(map(self.kept.uses, MOVED))

    def so_far(self) -> Temperatures:
        places = sorted(self.found)
        errors = {name: np.array([self.found[place][name] for place in places]) for name in self.names}
        return Temperatures(np.array(places), errors, dict(self.within), self.fitted)

    def curve(self, name: str) -> tuple[Array, Array]:
        """The places at which a metric is known, and its values there."""
        now = self.so_far()
        values = now.of(name, self.setting)
        known = np.isfinite(values)
        return now.places[known], values[known]

    def look_around(self, name: str) -> None:
        """Find which temperatures are within noise of the least of a metric."""
        places, values = self.curve(name)
        if not len(places) or self._chosen_by_score:
            return
        least = float(places[values.argmin()])
        try:
            # A proper score has its least where the probabilities are right.
            if name == "nll" or not self.situation.spec.metric(name).calibration:
                self.within[name] = self._of_replicates(name, least)
            else:
                self.within[name] = self._below(name, self._floor(name, least))
        except ValueError:  # soft labels, or a summary: there is nothing to draw
            return

    def _floor(self, name: str, place: float) -> float:
        binnings = self.series[self.setting : self.setting + 1]

        def error(problem: Any) -> float:
            if name in IN_BINS:
                return float(error_series(problem, binnings, *error_in_bins(name, self.situation.spec.error))[0])
            return value_of(name, problem, self.situation.spec)

        (predictions,) = self.judged
        drawn = consistency(
            tempered(predictions, 2.0**place),
            error=error,
            lens=self.situation.lens,
            selection=self.kept,
            replicates=self.situation.spec.effort.floors_of_temperatures,
            progress=False,
        )
        return float(noise_floor(drawn.replicates))

    def _below(self, name: str, floor: float) -> tuple[float, float]:
        """The widest range in which a curve is below its floor; infinite where it goes beyond the grid."""
        while True:
            places, values = self.curve(name)
            (below,) = np.nonzero(values <= floor)
            if not len(below):
                return np.nan, np.nan
            first, last = below[0], below[-1]
            beyond = [(i, j) for i, j in ((first, first - 1), (last, last + 1)) if 0 <= j < len(places)]
            wide = [(places[i] + places[j]) / 2 for i, j in beyond if abs(places[i] - places[j]) > 4 * CLOSE]
            if not wide:
                break
            for place in wide:
                self.look_at(place)
        low = -np.inf if first == 0 else float(places[first])
        return low, np.inf if last == len(places) - 1 else float(places[last])

    def _of_replicates(self, name: str, least: float) -> tuple[float, float]:
        """The range in which 95 % of bootstrap replicates have the least of a proper score."""
        (predictions,) = self.judged
        rows: list[Sequence[float]] = []
        losses: list[tuple[Array, Array] | None] = []
        score: Callable[[Any], float] = log_loss if name == "nll" else lambda q: value_of(name, q, self.situation.spec)
        for place in (least - BESIDE, least, least + BESIDE):
            lens = "full" if name == "nll" else self.situation.lens
            problem = induced_problem(tempered(predictions, 2.0**place), lens, self.kept)
            assert not isinstance(problem, ProblemFamily)
            rows.append([score(other) for other in resamples(problem, self.situation.spec.effort.errors)])
            losses.append(_losses(name, problem))
        low, middle, high = np.array(rows)
        bend = low - 2 * middle + high
        if not (bend > 0).all():
            return np.nan, np.nan
        # The spread of the replicates, since percentiles of so few miss too often. It is itself known from few samples
        # where most are predicted to be sure, so that their loss hardly depends on the temperature.
        freedom = 1 / (1 / (len(bend) - 1) + 1 / _makers(losses[0], losses[-1]))
        if (clusters := clusters_of(problem)) is not None:
            if too_few(clusters.count):
                return np.nan, np.nan
            freedom = min(freedom, clusters.freedom)
        half = float(stdtrit(freedom, (1 + LEVEL) / 2) * np.std(BESIDE * (low - high) / (2 * bend), ddof=1))
        return least - half, least + half


def _losses(name: str, problem: ScalarProblem | VectorProblem) -> tuple[Array, Array] | None:
    """The loss of every row and its weight; None for a metric that is known as a whole only.

    The rows are in their given order: that of their scores may differ from temperature to temperature. Weights are in
    units of their largest, so that no square is too large or too small.
    """
    if name == "brier" and isinstance(problem, ScalarProblem):
        losses = row_squares(problem)
    elif name == ("log_loss" if isinstance(problem, ScalarProblem) else "nll") and problem.target.ndim == 1:
        losses = row_losses(problem)
    else:
        return None
    _, first, place = np.unique(problem.order, return_index=True, return_inverse=True)
    weight, each = problem.weight[first], np.bincount(place, losses).astype(np.float64)
    return (each, weight) if are_counts(weight) else (each * (weight / weight.max()), np.ones(len(weight)))


def _makers(below: tuple[Array, Array] | None, above: tuple[Array, Array] | None) -> float:
    """How many samples make up the slope of a score between two temperatures, as many equal ones would (Kish 1965)."""
    if below is None or above is None:
        return np.inf
    with np.errstate(invalid="ignore"):  # of infinite losses
        slopes = np.abs(above[0] - below[0])
    known = np.isfinite(slopes)
    slopes, times = slopes[known], below[1][known]
    if not slopes.any():
        return np.inf
    squares = np.square(slopes / slopes.max())
    return float((times * squares).sum()) ** 2 / float((times * np.square(squares)).sum())
