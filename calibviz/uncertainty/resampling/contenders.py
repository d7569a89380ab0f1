"""Contenders in a test of differences: the numbers of a model on the data and on draws that all models share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...context.conditions import Condition
from ...context.induced import induced_problem
from ...context.lenses import Lens, Problem
from ...data.predictions import Predictions
from ...engine.binnings.binning import EqualMass
from ...engine.clustered import Clusters
from ...engine.deferred import reweighted
from ...engine.family import ProblemFamily
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...engine.summed import SummedProblem
from ...foundation.arrays import Array
from ...foundation.chance import noise_floor
from ...metrics.binned import debiased_error, debiased_squares
from ...metrics.scores import brier_score, log_loss
from .bootstrap import drawn_weights
from .consistency import null_problems

REPLICATES, NULLS = 300, 199


@dataclass(frozen=True)
class Criterion:
    """An error whose differences between models can be tested."""

    error: Callable[..., float]  # as users pass it
    measure: Callable[[Problem], float]  # the number that is resampled; noise does not bias it
    # Whether calibrated predictions show some of it as noise, so that models below the noise floor are equal.
    has_floor: bool = False


def _debiased_square(problem: Problem) -> float:
    if isinstance(problem, ProblemFamily):
        return float(problem.mean(_debiased_square))
    if not isinstance(problem, ScalarProblem):
        raise ValueError("the debiased error needs a scalar lens, or one outcome of a vector lens")
    return float(debiased_squares(problem, EqualMass()))


CRITERIA: Mapping[str, Criterion] = {
    "brier": Criterion(brier_score, brier_score),
    "log_loss": Criterion(log_loss, log_loss),
    "debiased": Criterion(debiased_error, _debiased_square, has_floor=True),
}


@dataclass(frozen=True)
class Sampled:
    """A number of a contender: on the data, on bootstrap replicates, and its noise floor."""

    value: float
    replicates: Array
    floor: float = -np.inf


@dataclass(frozen=True)
class Contender:
    """Numbers of a model by the names of `CRITERIA`, and a digest of the samples that it was judged on."""

    of: Mapping[str, Sampled]
    why_not: Mapping[str, str]
    samples: bytes


def contender_of(
    source: Predictions | None,
    problem: Problem,
    lens: Lens,
    condition: Condition | None,
    names: Sequence[str],
    n: int = REPLICATES,
    seed: int | None = 0,
    floors: int = NULLS,
) -> Contender:
    """The contender of a problem, of n bootstrap replicates and as many calibrated data sets as `floors` says.

    A family of problems needs the predictions, too.
    """
    rows, weight, codes = _find_samples(source, problem, condition)
    of: dict[str, Sampled] = {}
    why_not: dict[str, str] = {}
    if codes is not None and (why := Clusters.of_rows(codes, weight).too_few):
        names, why_not = (), dict.fromkeys(names, why)
    for name in names:
        try:
            nulls = null_problems(problem if source is None else source, problem, lens, condition, floors, 0)
            of[name] = _compute_number(CRITERIA[name], problem, nulls)
        except EmptyProblemError:
            raise
        except ValueError as error:
            why_not[name] = str(error)
    if of:
        draws = drawn_weights(len(rows), weight, n, None, seed, codes)
        again = _draw_replicates(source, problem, lens, condition, rows, draws)
        replicates = np.array([[_measure(CRITERIA[name], other) for name in of] for other in again])
        of = {name: Sampled(of[name].value, replicates[:, i], of[name].floor) for i, name in enumerate(of)}
    parts = [rows, *([] if weight is None else [weight])]
    if source is not None:
        parts.append(np.asarray(source.labels if source.labels is not None else source.soft_labels)[rows])
    digest = hashlib.blake2b(b"|".join(np.ascontiguousarray(part).tobytes() for part in parts), digest_size=16)
    return Contender(of, why_not, digest.digest())


def _find_samples(
    source: Predictions | None, problem: Problem, condition: Condition | None
) -> tuple[NDArray[np.integer], Array | None, NDArray[np.intp] | None]:
    """The rows of the samples of a problem, ascending, their weights and their clusters."""
    if isinstance(problem, ProblemFamily):
        if source is None:
            raise ValueError("a family of problems cannot be resampled by itself: pass cv.Predictions and its lens")
        kept = np.ones(len(source), dtype=bool) if condition is None else condition.mask(source)
        weights = source.weights
        rows = np.flatnonzero(kept if weights is None else kept & (weights > 0))
        codes = source.cluster_codes
        return rows, None if weights is None else weights[rows], None if codes is None else codes[rows]
    if isinstance(problem, SummedProblem):
        raise ValueError("what a summary holds cannot be compared sample by sample: pass cv.Predictions")
    rows, first = np.unique(problem.order, return_index=True)
    codes = None if problem.clusters is None else problem.clusters[rows]
    return rows, None if problem.given_weight is None else problem.given_weight[first], codes


def _draw_replicates(
    source: Predictions | None,
    problem: Problem,
    lens: Lens,
    condition: Condition | None,
    rows: NDArray[np.integer],
    draws: Iterator[Array],
) -> Iterator[Problem]:
    """The problem on drawn samples; all scores of a sample, as of the pooled lens, are drawn together."""
    if isinstance(problem, ProblemFamily):
        assert source is not None
        for drawn in draws:
            weights = np.zeros(len(source))
            weights[rows] = drawn
            yield induced_problem(source.with_weights(weights), lens, condition)
        return
    place = np.searchsorted(rows, problem.order)
    for drawn in draws:
        yield reweighted(problem, drawn[place])


def _compute_number(criterion: Criterion, problem: Problem, nulls: Iterator[Problem]) -> Sampled:
    value = criterion.measure(problem)
    if not criterion.has_floor or not isinstance(problem, ScalarProblem):
        return Sampled(value, np.empty(0))
    shown = [criterion.measure(null) for null in nulls]
    return Sampled(value, np.empty(0), float(noise_floor(shown)))


def _measure(criterion: Criterion, problem: Problem) -> float:
    try:
        return criterion.measure(problem)
    except EmptyProblemError:  # the selection of a family kept none of the drawn samples
        return np.nan
