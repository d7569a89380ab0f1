"""The view of a simulated situation; what takes longer fills in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from ...answers.situation.job import Job
from ...answers.situation.jobs import Jobs
from ...engine.batch import ScalarBatch
from ...engine.binnings.binning import Uniform
from ...engine.binnings.bins import Bins
from ...engine.scalar import ScalarProblem
from ...figures import (
    EstimatorRow,
    Figure,
    estimates_by_bins_figure,
    estimates_figure,
    misses_by_size_figure,
    sample_figures,
)
from ...figures.tables import Cell, Column, Table
from ...foundation.arrays import Array
from ...foundation.written import counted, difference, number, percent, points
from ...simulation.cubes import SIMULATIONS, alarm_threshold, share_missed
from ...simulation.drawn import DrawnNetwork
from ...simulation.estimators import ESTIMATORS, FALSE_ALARMS, SWEEPS, estimates
from ...simulation.known_truth import KnownTruth, SimulatedScores, drawn_scores
from ...simulation.networks import Network, true_calibration_error
from .state import FITTED, OWN, REACHES, LabSpec

MAP_BINS = (2, 4, 8, 16, 32, 64)
MAP_SIZES = (200, 400, 800, 1600, 3200, 6400)
ENTRIES, FEW = 200_000, 10  # scores, or data sets, at a time: a moment's work
MOST_SHOWN = SIMULATIONS  # data sets, one after the other
NEARLY_ALL = 0.99  # of the estimates
SEED = 0
ROUNDED = 1e-6  # by how much shares of the same scores differ where a curve is drawn by hand

SWEPT_BY = {sweep.scheme: name for name, sweep in SWEEPS.items()}


@dataclass(frozen=True, eq=False)
class BySize:
    """Estimates of samples of one size; their mean and standard deviation for each number of bins in `MAP_BINS`."""

    mean: Array
    std: Array
    swept: float  # mean of those in the bins that the sweep chooses; nan where there is no such sweep
    chosen: float  # how many bins it chooses, on average; likewise


@dataclass(frozen=True, eq=False)
class EstimatesSoFar:
    """Estimates of the same data sets by every estimator."""

    truths: dict[str, float]  # what each is after
    estimates: dict[str, Array]  # those so far; of none where it cannot measure them
    mean: float  # of the true probabilities
    spread: float  # their standard deviation


Mapped = dict[int, BySize]
Misses = dict[int, Array]  # by the number of samples, of each estimator
NOT_YET = BySize(np.full(len(MAP_BINS), np.nan), np.full(len(MAP_BINS), np.nan), np.nan, np.nan)


def truth_of(network: KnownTruth, estimator: str, p: int) -> float:
    """Return the true value that an estimator estimates."""
    if isinstance(network, Network | DrawnNetwork):
        return _truth_of_named(replace(network, name=""), estimator, p)
    return ESTIMATORS[estimator].truth(network, p)  # which is quick, but would be kept with all scores


@lru_cache(maxsize=256)
def _truth_of_named(network: Network | DrawnNetwork, estimator: str, p: int) -> float:
    return ESTIMATORS[estimator].truth(network, p)


class LabView:
    """Everything about a situation, computed when it is asked for; what takes longer, by jobs."""

    def __init__(self, situation: LabSpec, jobs: Jobs) -> None:
        self.situation = situation
        self._jobs = jobs

    @cached_property
    def _sets(self) -> ScalarBatch:
        now = self.situation
        return _falling(self._nameless, now.n).labelled(now.sample)

    @cached_property
    def sample(self) -> ScalarProblem:
        return next(self._sets.problems)

    @cached_property
    def bins(self) -> Bins:
        """The bins of the sample, as the estimator cuts them; uniform ones where it has none."""
        name, bins = self.situation.estimator, self.situation.bins
        if name in SWEEPS:
            return SWEEPS[name](self.sample)
        return (ESTIMATORS[name].binning or Uniform)(bins)(self.sample)

    @property
    def current(self) -> float:
        """The estimate of the sample; nan where the estimator cannot measure it."""
        return self._current_of(self.situation.estimator)

    def _current_of(self, name: str) -> float:
        now = self.situation
        try:
            return float(estimates(self._sets, {"": ESTIMATORS[name]}, [now.bins], now.p)[0, 0, 0])
        except ValueError:
            return float("nan")

    @cached_property
    def truth(self) -> float:
        return truth_of(self.situation.network, self.situation.estimator, self.situation.p)

    @cached_property
    def tce(self) -> float:
        return true_calibration_error(self.situation.network, self.situation.p)

    @property
    def _nameless(self) -> KnownTruth:
        network = self.situation.network
        return replace(network, name="") if isinstance(network, Network | DrawnNetwork) else network

    @cached_property
    def spread(self) -> Job:
        """The estimates of many samples."""
        now = self.situation
        in_bins = now.bins if ESTIMATORS[now.estimator].in_bins else 0
        key = ("estimates", self._nameless, now.n, in_bins, now.estimator, now.p)
        at_once = "" if ESTIMATORS[now.estimator].one_by_one else "first"
        return self._jobs.get(key, "estimates", lambda: _estimates(now), at_once)

    @cached_property
    def others(self) -> Job:
        """The estimates of the same samples by every estimator."""
        now = self.situation
        key = ("every estimator", self._nameless, now.n, now.bins, now.p)
        return self._jobs.get(key, "every estimator", lambda: _compared(now))

    @cached_property
    def estimator_rows(self) -> tuple[EstimatorRow, ...]:
        """The estimates so far by every estimator, in the order of `ESTIMATORS`."""
        now, compared = self.situation, self.others.value
        known = {} if compared is None else dict(compared.estimates)
        truths = {} if compared is None else compared.truths
        if self.spread.value is not None:
            known[now.estimator] = self.spread.value
        return tuple(
            EstimatorRow(
                name,
                known.get(name, np.empty(0))[: now.sets],
                self.truth if name == now.estimator else truths.get(name, np.nan),
                self._current_of(name),
            )
            for name in ESTIMATORS
        )

    @property
    def fitting_reach(self) -> float:
        """Where an axis ends that shows nearly all estimates that are known, and the truth."""
        most = max(
            float(np.quantile(np.append(row.estimates, row.truth if np.isfinite(row.truth) else 0.0), NEARLY_ALL))
            for row in self.estimator_rows
        )
        return next((reach for reach in REACHES if reach >= max(most, self.truth)), REACHES[-1])

    @cached_property
    def _behind(self) -> LabView | None:
        kept = self.situation.kept
        return None if kept is None else LabView(kept, self._jobs)

    @property
    def cut_by(self) -> str:
        """The estimator in given bins, also where the sweep chooses them."""
        name = self.situation.estimator
        return SWEEPS[name].scheme if name in SWEEPS else name

    @property
    def _in_bins(self) -> bool:
        return ESTIMATORS[self.cut_by].in_bins

    @cached_property
    def mapped(self) -> Job:
        """Estimates for every size and number of bins."""
        now, cut = self.situation, self.cut_by
        sizes = tuple(dict.fromkeys((now.n, *MAP_SIZES)))
        key = ("map", self._nameless, cut, now.p, None if now.n in MAP_SIZES else now.n)
        return self._jobs.get(key, "bias map", lambda: _map(now, cut, sizes))

    @cached_property
    def sized(self) -> Job:
        """Estimates for every size by every estimator."""
        now = self.situation
        return self._jobs.get(
            ("sizes", self._nameless, now.bins, now.p), "bias by estimator", lambda: _compared_by_size(now)
        )

    @cached_property
    def missed(self) -> Job:
        """How often a test misses the error, for every size."""
        now, cut = self.situation, self.cut_by
        key = ("misses", self._nameless, cut, now.p, now.bins if self._in_bins else 0)
        return self._jobs.get(key, "misses", lambda: _misses(now, _with_sweep(cut)))

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The sample, its scores, the estimates, the estimates over bins, and the tests that miss the error."""
        now = self.situation
        behind = self._behind
        by_size = (self.mapped.value or {}).get(now.n, NOT_YET)
        current = now.bins if ESTIMATORS[now.estimator].in_bins else None
        return (
            *sample_figures(now.network, self.sample, self.bins, None if behind is None else behind.situation.network),
            estimates_figure(
                self.estimator_rows,
                now.estimator,
                now.reach,
                now.sets,
                () if behind is None else behind.estimator_rows,
            ),
            estimates_by_bins_figure(MAP_BINS, by_size.mean, by_size.std, self.truth, now.n, by_size.chosen, current),
            misses_by_size_figure(MAP_SIZES, self._shares, now.effort.simulations_of_map, FALSE_ALARMS, now.n),
        )

    @property
    def _shares(self) -> dict[str, Array]:
        """Return the shares of misses that are known by now, by estimator."""
        known: Misses = self.missed.value or {}
        names = _with_sweep(self.cut_by)
        not_yet = np.full(len(names), np.nan)
        columns = np.stack([known.get(n, not_yet) for n in MAP_SIZES], axis=1)
        bins = f" in {self.situation.bins} bins" if self._in_bins else ""
        return dict(zip((f"{names[0]}{bins}", *names[1:]), columns, strict=True))

    @cached_property
    def rows(self) -> tuple[tuple[str, dict[str, object]], ...]:
        """The rows of the bias map: what each is called, and the choices that look there."""
        if self.situation.rows == "estimators":
            return tuple((name, {"estimator": name}) for name in ESTIMATORS)
        if not self._in_bins:
            return (("any", {}),)
        rows: list[tuple[str, dict[str, object]]] = [(f"{b}", {"bins": b, "estimator": self.cut_by}) for b in MAP_BINS]
        if self.cut_by in SWEPT_BY:
            rows.append(("sweep", {"estimator": SWEPT_BY[self.cut_by]}))
        return tuple(rows)

    @property
    def _bias_by_bins(self) -> Array:
        """Bias in every number of bins, and in those of the sweep, shape (rows, sizes); nan where not yet known."""
        by_size = self.mapped.value or {}
        columns = [
            np.append(estimated.mean, estimated.swept) for estimated in (by_size.get(n, NOT_YET) for n in MAP_SIZES)
        ]
        return np.stack(columns, axis=1)[: len(self.rows)] - self.truth

    @property
    def _bias_by_estimator(self) -> Array:
        """Bias of every estimator, shape (estimators, sizes); nan where not yet known."""
        by_size = self.sized.value or {}
        not_yet = np.full(len(ESTIMATORS), np.nan)
        return np.stack([by_size.get(n, not_yet) for n in MAP_SIZES], axis=1)

    @cached_property
    def table(self) -> Table:
        """The bias for every size and number of bins (ece_sweep figure 4)."""
        now = self.situation
        by_estimator = now.rows == "estimators"
        job = self.sized if by_estimator else self.mapped
        bias = self._bias_by_estimator if by_estimator else self._bias_by_bins
        known = np.isfinite(bias)
        largest = float(np.abs(bias[known]).max(initial=0.0)) or 1.0
        failed = job.ended_early
        missing = Cell("–" if failed or job.done else "…")
        lines = tuple(
            (
                Cell(name),
                *(
                    Cell(difference(value, "%"), shade=float(abs(value) / largest)) if np.isfinite(value) else missing
                    for value in line
                ),
            )
            for (name, _), line in zip(self.rows, bias, strict=True)
        )
        kind = "estimators" if by_estimator else "choices of bins"
        choices = f"{len(bias)} {kind} and " if len(bias) > 1 else ""
        alt = f"Bias of the estimates in percentage points for {choices}{len(MAP_SIZES)} sizes"
        if known.any():
            i, j = np.unravel_index(int(np.nanargmin(np.abs(bias))), bias.shape)
            with_row = f"{self.rows[i][0]}{'' if by_estimator else ' bins'} and " if len(bias) > 1 else ""
            alt += f": the least is {difference(bias[i, j], '%')} with {with_row}{counted(MAP_SIZES[j])}"
        chosen = {"bins": now.bins, "estimator": now.estimator}
        means = f"mean of {now.effort.simulations_of_map} estimates less the truth, in percentage points"
        means += "; a click looks there"
        if by_estimator:
            means = f"in {now.bins} bins: {means} (of {now.effort.slow_simulations_of_map} by kde and smooth)"
        row = next((i for i, (_, settings) in enumerate(self.rows) if settings.items() <= chosen.items()), None)
        column = MAP_SIZES.index(now.n) + 1 if now.n in MAP_SIZES else None
        return Table(
            "bias",
            "",
            (Column("estimator" if by_estimator else "bins"), *(Column(number(n), counted(n)) for n in MAP_SIZES)),
            lines,
            f"{alt}.",
            (failed if job.cancelled else f"The map fails: {failed}") if failed else means,
            None if row is None and column is None else (row, column),
            "cells",
        )

    def code(self, own_network: str) -> str:
        """The Python that makes the same numbers; `own_network` are lines that assign that of the predictions."""
        now = self.situation
        drawn = now.network if isinstance(now.network, DrawnNetwork) else None
        base = now.base
        if base is None or isinstance(base, Network):
            before = ""
            network = f"cv.{base!r}" if base is not None and base.name in (OWN, FITTED) else repr(base and base.name)
        else:
            before, network = own_network, "network"
        if drawn is not None:
            given = {"curve": drawn.curve, "density": drawn.density, "rounded": drawn.is_rounded}
            arguments = [f"{name}={value!r}" for name, value in given.items() if value]
            if drawn.curve and drawn.density:
                before = ""
            else:
                arguments.append(f"base={network}")
            network = f"cv.Network.drawn({', '.join(arguments)})"
        return (
            f"import calibviz as cv\n\n{before}"
            f"cube = cv.simulate_errors({network}, {now.estimator!r}, n={now.n}, bins={now.bins}, p={now.p})\n"
            'cube[["mean", "std", "bias", "truth"]].squeeze()\n'
        )

    @property
    def separation(self) -> str:
        """How far true probabilities differ, which no calibration error says; empty where that is not known yet."""
        compared: EstimatesSoFar | None = self.others.value
        if compared is None:
            return ""
        mean, spread = percent(compared.mean), points(compared.spread)
        if spread == points(0.0):
            return f"The true probability is {mean} for everybody: that the error is small sets no two samples apart."
        return f"True probabilities: {mean} on average, spread by {spread}."

    @property
    def comparison(self) -> str:
        """The setting that is kept, in a sentence; empty where none is."""
        return "" if self._behind is None else f"A: {self._behind.words}"

    @property
    def note(self) -> str:
        """How the simulated network relates to the predictions at hand; empty where there are none."""
        now, own = self.situation, self.situation.of_predictions
        if own is None:
            return ""
        if now.network is own:
            return (
                f"Simulated: {own.scores_from}, with the true curve that cv.trust fits to them. The true error is that "
                "of this curve; cv.interval says between which errors that of the predictions lies."
            )
        theirs = truth_of(own, now.estimator, now.p)
        more = self.truth - theirs
        distance = points(abs(more))
        size = "the same" if distance == points(0.0) else f"{distance} {'less' if more > 0 else 'more'}"
        apart = own.share_apart(now.network)
        scores = f"the share of scores below any value differs by at most {points(apart)}"
        fitted = f"Fitted to {own.scores_from}. " if now.network.name == FITTED else ""
        return (
            f"{fitted}With the scores of the predictions and the true curve that cv.trust fits to them, the true error "
            f"is {percent(theirs)}, {size}; {'the scores are the same' if apart < ROUNDED else scores}."
        )

    @property
    def words(self) -> str:
        """The situation in a sentence."""
        now = self.situation
        text = f"True error {percent(self.truth)}"
        if self.truth != self.tce:
            text += f" (as the estimator defines it; TCE {percent(self.tce)})"
        values = None if self.spread.value is None else self.spread.value[: now.sets]
        if self.spread.failed:
            return f"{text}. Estimates fail: {self.spread.failed}"
        early = f" {self.spread.ended_early}" if self.spread.cancelled else ""
        if values is None or len(values) < 2:
            return f"{text}. This sample of {counted(now.n)} gives {percent(self.current)}.{early}"
        bias, std = float(values.mean() - self.truth), float(values.std())
        noise = 2 * std / np.sqrt(len(values))
        off = (
            "about right"
            if abs(bias) <= max(noise, 5e-5)
            else f"{points(abs(bias))} too {'much' if bias > 0 else 'little'}"
        )
        return (
            f"{text}. {len(values):,} estimates ({counted(now.n)} each): {percent(float(values.mean()))} on average, "
            f"{off}, and spread by {points(std)}; this sample gives {percent(self.current)}.{early}"
        )


def _estimates(now: LabSpec) -> Iterator[tuple[float, Array]]:
    """The estimates of more and more data sets."""
    chosen, values = {now.estimator: ESTIMATORS[now.estimator]}, np.empty(0)
    for sets in _sets(now, now.n, now.effort.simulations):
        values = np.concatenate([values, estimates(sets, chosen, [now.bins], now.p)[0, 0]])
        yield len(values) / now.effort.simulations, values


def _map(now: LabSpec, cut: str, sizes: Sequence[int]) -> Iterator[tuple[float, Mapped]]:
    """The estimates of every size, one after the other, in every number of bins and in those of the sweep."""
    mapped: Mapped = {}
    sweep = SWEPT_BY.get(cut)
    chosen = {name: ESTIMATORS[name] for name in _with_sweep(cut)}
    for i, n in enumerate(sizes):
        columns, numbers = [], []
        for sets in _sets(now, n, now.effort.simulations_of_map):
            columns.append(estimates(sets, chosen, MAP_BINS, now.p))
            numbers.append(SWEEPS[sweep].choose_each(sets) if sweep else np.full(len(sets.score), np.nan))
            yield i / len(sizes), dict(mapped)
        values = np.concatenate(columns, axis=-1)
        swept = float(values[-1, 0].mean()) if sweep else np.nan
        number = float(np.concatenate(numbers).mean())
        mapped[n] = BySize(values[0].mean(axis=-1), values[0].std(axis=-1), swept, number)
        yield (i + 1) / len(sizes), dict(mapped)


def _with_sweep(cut: str) -> tuple[str, ...]:
    """An estimator, and the sweep that chooses its bins, where there is one."""
    return (cut, SWEPT_BY[cut]) if cut in SWEPT_BY else (cut,)


def _misses(now: LabSpec, names: Sequence[str]) -> Iterator[tuple[float, Misses]]:
    """The shares of tests that miss the error, of one size after the other, as `miss_rates` finds them."""
    chosen = {name: ESTIMATORS[name] for name in names}
    missed: Misses = {}
    for i, n in enumerate(MAP_SIZES):
        values = []
        for network, key in ((now.network.calibrated, (SEED, 1)), (now.network, (SEED,))):
            parts = []
            for sets in _sets(replace(now, network=network), n, now.effort.simulations_of_map, key):
                parts.append(estimates(sets, chosen, [now.bins], now.p)[:, 0])
                yield i / len(MAP_SIZES), dict(missed)
            values.append(np.concatenate(parts, axis=-1))
        of_calibrated, of_network = values
        missed[n] = share_missed(of_network, alarm_threshold(of_calibrated, 1 - FALSE_ALARMS))
        yield (i + 1) / len(MAP_SIZES), dict(missed)


def _compared(now: LabSpec) -> Iterator[tuple[float, EstimatesSoFar]]:
    """The estimates of more and more data sets by every estimator."""
    target = now.network.population.target
    weight = now.network.population.weight
    mean = float(np.average(target, weights=weight))
    spread = float(np.sqrt(np.average((target - mean) ** 2, weights=weight)))
    truths = {name: truth_of(now.network, name, now.p) for name in ESTIMATORS}
    for share, known in _all_estimates(now, now.n, now.effort.simulations, now.effort.slow_simulations):
        yield share, EstimatesSoFar(truths, known, mean, spread)


def _compared_by_size(now: LabSpec) -> Iterator[tuple[float, dict[int, Array]]]:
    """The bias of every estimator, of one size after the other, shape (estimators,)."""
    truths = {name: truth_of(now.network, name, now.p) for name in ESTIMATORS}
    by_size: dict[int, Array] = {}
    for i, n in enumerate(MAP_SIZES):
        for share, known in _all_estimates(now, n, now.effort.simulations_of_map, now.effort.slow_simulations_of_map):
            by_size[n] = np.array(
                [known[name].mean() - truths[name] if len(known[name]) else np.nan for name in ESTIMATORS]
            )
            yield (i + share) / len(MAP_SIZES), dict(by_size)


def _all_estimates(now: LabSpec, n: int, simulations: int, slow: int) -> Iterator[tuple[float, dict[str, Array]]]:
    """The estimates of every estimator, the quick ones first; of none where one cannot measure the data sets."""
    known = {name: np.empty(0) for name in ESTIMATORS}
    is_slow = {name: estimator.one_by_one for name, estimator in ESTIMATORS.items()}
    for share, names, count in (
        (0.0, [name for name in ESTIMATORS if not is_slow[name]], simulations),
        (0.5, [name for name in ESTIMATORS if is_slow[name]], slow),
    ):
        done = 0
        for sets in _sets(now, n, count, names=names):
            for name in tuple(names):
                try:
                    measured = estimates(sets, {name: ESTIMATORS[name]}, [now.bins], now.p)[0, 0]
                except ValueError:
                    known[name] = np.empty(0)
                    names.remove(name)
                    continue
                known[name] = np.concatenate([known[name], measured])
            done += len(sets.score)
            yield share + 0.5 * done / count, dict(known)


def _sets(
    now: LabSpec, n: int, simulations: int, key: tuple[int, ...] = (SEED,), names: Collection[str] = ()
) -> Iterator[ScalarBatch]:
    """Data sets, few enough at a time that controls are answered in between; by default for the chosen estimator."""
    net = now.network
    entries = FEW * n if any(ESTIMATORS[name].one_by_one for name in names or (now.estimator,)) else ENTRIES
    for scores in drawn_scores(net, n, simulations, (*key, n), entries):
        yield scores.labelled(net)


@lru_cache(maxsize=2)
def _falling(network: KnownTruth, n: int) -> Falling:
    return Falling(network, n)


class Falling:
    """The data sets of a network one after the other, the same that the estimates are of; those before are not kept."""

    def __init__(self, network: KnownTruth, n: int) -> None:
        self._network = network
        self._n = n
        self._begin()

    def _begin(self) -> None:
        self._coming = drawn_scores(self._network, self._n, MOST_SHOWN, (SEED, self._n), self._n)
        self._next = 0
        self._last: SimulatedScores | None = None

    def labelled(self, place: int) -> ScalarBatch:
        """The data set at a place, a batch of one."""
        if place < self._next - 1:
            self._begin()
        while self._next <= place:
            self._last = next(self._coming)
            self._next += 1
        assert self._last is not None
        return self._last.labelled(self._network)
