"""Acting at thresholds on several scores of the same samples, and on bootstrap draws that they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import xarray as xr

from ..data.nouns import CLUSTER, ROWS, SAMPLES, ClusterCount, Nouns
from ..engine.clustered import Clusters
from ..engine.scalar import ScalarProblem
from ..foundation.arrays import Array
from ..metrics.clinical.acting import Acted, Prevalence, acted
from ..metrics.masses import repetitions
from ..uncertainty.resampling.bootstrap import (
    FEWEST as FEWEST,
    LEVEL as LEVEL,
    expanded_level,
    level_of_clusters,
    percentile_interval,
)
from .thresholds import ALL, NONE, replicates_of, strategies, with_extremes

REPLICATES, AT_ONCE = 400, 20
EQUAL = 1e-12  # net benefits that differ by less are equal but for rounding


EVENTS = replace(SAMPLES, event="are events")


@dataclass(frozen=True)
class BenefitDifference:
    """How much more net benefit one way to act has than another on the same samples, with its 95 % interval."""

    value: float
    lower: float
    upper: float
    samples: float  # how many are acted on by one way alone, from which all of the difference comes

    @property
    def is_of_none(self) -> bool:
        """Whether both act on the same samples."""
        return self.samples < 0.5

    @property
    def is_of_few(self) -> bool:
        """Whether replicates say too little, since they are far too narrow."""
        return self.samples < FEWEST

    def counted(self, nouns: Nouns = SAMPLES) -> str:
        """How many samples are acted on by one way alone, as the subject of a sentence with its verb."""
        return f"{nouns.counted(self.samples)} {'is' if round(self.samples) <= 1 else 'are'}"

    @property
    def is_more(self) -> bool:
        return self.lower > EQUAL and not self.is_of_few

    @property
    def is_less(self) -> bool:
        return self.upper < -EQUAL and not self.is_of_few


@dataclass(frozen=True, eq=False)
class DecisionDraws:
    """Shares acted on at every threshold: of the samples, and of the bootstrap replicates drawn so far."""

    thresholds: Array
    # Of a model before and after recalibration, or of models: shape (1 + n, thresholds), first that of the samples.
    shares: Mapping[str, Acted]
    # How many samples, by their effective size, are acted on by one of two ways to act alone.
    apart: Mapping[frozenset[str], Array]
    level: float = LEVEL  # of the percentiles that make the interval of 95 %: larger of clusters, nan of few
    _tables: dict[float | None, xr.Dataset] = field(default_factory=dict, repr=False)

    @property
    def replicates(self) -> int:
        return len(next(iter(self.shares.values())).true_positive) - 1

    def table(self, prevalence: float | None) -> xr.Dataset:
        """Return the table of `decision_curve`, where the positive class has this prevalence."""
        if prevalence not in self._tables:
            self._tables[prevalence] = self._table(prevalence)
        return self._tables[prevalence]

    def _table(self, prevalence: float | None) -> xr.Dataset:
        own = {
            name: Acted(rows.true_positive[0], rows.false_positive[0], float(rows.prevalence[0, 0])).at(prevalence)
            for name, rows in self.shares.items()
        }
        table = strategies(own, self.thresholds)
        if self.replicates:
            drawn = self.benefits(prevalence)
            ends = [percentile_interval(drawn[str(name)][1:], self.level) for name in table.strategy.values]
            for end, place in (("lower", 0), ("upper", 1)):
                table[end] = (("strategy", "threshold"), np.array([both[place] for both in ends]))
            table.attrs["level"] = LEVEL
        return table

    def benefits(self, prevalence: float | None, places: slice = slice(None)) -> dict[str, Array]:
        """The net benefit of each strategy at some thresholds, shape (1 + n, m); treating all and none among them."""
        odds = self.thresholds[places] / (1 - self.thresholds[places])
        rows = {
            name: Acted(each.true_positive[:, places], each.false_positive[:, places], each.prevalence).at(prevalence)
            for name, each in self.shares.items()
        }
        return {name: shares.net_benefit(odds) for name, shares in with_extremes(rows).items()}

    def difference(
        self, strategy: str, other: str, threshold: float, prevalence: float | None
    ) -> BenefitDifference | None:
        """How much more one strategy brings than another at a threshold; None before there are replicates."""
        if not self.replicates:
            return None
        at = int(np.argmin(np.abs(self.thresholds - threshold)))
        drawn = self.benefits(prevalence, slice(at, at + 1))
        gained = (drawn[strategy] - drawn[other])[:, 0]
        known = gained[1:][np.isfinite(gained[1:])]
        if not len(known):
            return None
        samples = float(self.apart[frozenset((strategy, other))][at])
        lower, upper = percentile_interval(known, np.maximum(expanded_level(samples), self.level))
        return BenefitDifference(float(gained[0]), float(lower), float(upper), samples)


def decision_steps(
    problems: Mapping[str, ScalarProblem], thresholds: Array, n: int = REPLICATES, seed: int = 0
) -> Iterator[tuple[float, DecisionDraws]]:
    """The samples first, then more and more replicates of them, n in all; all problems are of the same samples."""
    plain = Prevalence(None, False)

    rows = {name: [acted(problem, thresholds, plain)] for name, problem in problems.items()}
    apart = _apart(problems, thresholds)
    level = level_of_clusters(next(iter(problems.values())), LEVEL)

    def so_far() -> DecisionDraws:
        return DecisionDraws(thresholds, {name: Acted.stacked(each) for name, each in rows.items()}, apart, level)

    yield 0.0, so_far()
    for i, replicate in enumerate(replicates_of(problems, n, seed), 1):
        for name, each in rows.items():
            each.append(acted(replicate[name], thresholds, plain))
        if i % AT_ONCE == 0 or i == n:
            yield i / n, so_far()


def too_few(problem: ScalarProblem, nouns: Nouns = EVENTS, of_clusters: Nouns = CLUSTER) -> str:
    """A sentence that says that a class has too few samples, or that clusters are too few; empty if all are enough."""
    if (clusters := Clusters.of(problem)) is not None and clusters.too_few:
        count = ClusterCount(ROWS if clusters.are_rows else of_clusters, clusters.count, clusters.worth)
        return f"{count.too_few_to('say what acting is worth')}."
    share, size = problem.mean_target, problem.effective_size
    for part, only in ((share * size, "Only"), ((1 - share) * size, "All but")):
        if part < FEWEST:
            few = nouns.happened(part).replace(" ", f" of these {nouns.many} ", 1)
            said = f"{only} {few}" if round(part) else _one_kind(only == "All but", nouns)
            return f"{said}: too few to say what acting is worth."
    return ""


def is_of_one_outcome(problem: ScalarProblem) -> bool:
    """Whether all targets are 0, or all are 1, so that no bootstrap sample has another one."""
    return problem.mean_target in (0.0, 1.0)


def of_one_kind(problem: ScalarProblem, nouns: Nouns = EVENTS) -> str:
    """A clause that says that all samples have one outcome, of which nothing can be learnt; empty where both occur."""
    return _one_kind(problem.mean_target > 0, nouns) if is_of_one_outcome(problem) else ""


def _one_kind(are_events: bool, nouns: Nouns) -> str:
    return f"{'All' if are_events else 'None'} of these {nouns.many} {nouns.event}"


def _apart(problems: Mapping[str, ScalarProblem], thresholds: Array) -> dict[frozenset[str], Array]:
    """How many samples are acted on by one of two ways alone, at every threshold."""
    first = next(iter(problems.values()))
    worth = repetitions(first)[np.argsort(first.order)]
    scores = {name: problem.score[np.argsort(problem.order)] for name, problem in problems.items()}
    scores |= {ALL: np.ones(len(worth)), NONE: np.full(len(worth), -np.inf)}

    def below(of: Array) -> Array:
        places = np.argsort(of)
        upto: Array = np.append(0.0, np.cumsum(worth[places]))
        return upto[np.searchsorted(of[places], thresholds)]

    return {
        frozenset((one, other)): below(np.minimum(scores[one], scores[other]))
        - below(np.maximum(scores[one], scores[other]))
        for one, other in combinations(scores, 2)
    }
