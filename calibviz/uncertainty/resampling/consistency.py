"""Consistency resampling: the distribution of an error if the probabilities were calibrated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...context.class_lenses import Classwise, Pooled
from ...context.condition_parser import selection as read_selection
from ...context.conditions import Condition
from ...context.induced import Judged, induced_problem, lens_of, output_of, single
from ...context.lenses import Lens, Problem
from ...context.truth_selections import looks_at_truth
from ...data.dependence import assumes_independence
from ...data.models import takes_arrays
from ...data.predictions import Predictions
from ...engine.chances import Chances
from ...engine.cluster_draws import SIGNS, need_whole_clusters, sign_patterns
from ...engine.clustered import Clusters, too_few
from ...engine.deferred import ReweightedProblem, reweighted
from ...engine.family import ProblemFamily
from ...engine.scalar import FOLLOWING, MOST_REPEATED, TESTED, ScalarProblem, distinct
from ...engine.summed import SummedProblem
from ...engine.vector import VectorProblem
from ...foundation.arrays import are_counts, row_blocks
from ...foundation.chance import p_values
from ...foundation.clusters import few_clusters, of_clusters, refuse_clusters
from ...foundation.progress import with_progress
from ...foundation.validation import WayOutError
from ...foundation.written import chosen_percent, number, p_value
from .bootstrap import LEVEL, MOST_DRAWN, REPLICATES, Resampled, checked_seed, number_of
from .relabelled import Labelling

MOST_WRITTEN_OUT = 100_000  # repetitions that become rows; the draws are then the same as for such rows
MOST_SORTED = 2_000_000  # scores of all classes together that are held sorted for all draws
WHOLE = "whole clusters"
NOT_SYMMETRIC = (
    "all samples of a cluster have one outcome, or few clusters hold an event, so signs alone would reject too often",
    ": see cv.consistency, cv.ks_test and cv.calibration_test",
)
SOFT_LABELS = "consistency resampling draws one label a sample, but the labels are soft"


class Consistency(Resampled):
    """An error and its replicates on calibrated predictions; see `consistency` and `Resampled`.

    See Also
    --------
    consistency : Makes it.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.consistency(p, error=cv.ks_error, replicates=99)
    <Consistency 0.0387, p < 0.01; if calibrated, 95 % lie between 0.0014 and 0.0064>
    """

    def __repr__(self) -> str:
        return (
            f"<Consistency {number(self.estimate)}, {p_value(self.p_value, 'p', len(self.replicates))}; if calibrated, "
            f"{chosen_percent(self.level)} lie between {number(self.lower)} and {number(self.upper)}>"
        )

    @property
    def p_value(self) -> float:
        """The probability that calibrated predictions err as much: (1 + #{replicates >= estimate}) / (1 + n).

        See Also
        --------
        consistency : What draws the replicates.
        ks_test : A p-value without resampling.
        """
        return float(p_values(self.replicates, self.estimate))


@assumes_independence
@takes_arrays
def consistency(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    error: Callable[..., float],
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> Consistency:
    """Consistency resampling: a test of whether an error is larger than noise (Broecker and Smith 2007).

    Labels are drawn from the probabilities, the scores stay, and the error is computed again. Of samples in clusters
    the draws are those of `ks_test`: by signs, and where these do not suffice by whole clusters too, of which those of
    the larger p-value are returned.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`.
    error : function of a problem
        For example ``cv.ks_error``, or ``lambda q: cv.calibration_error(q, binning=cv.EqualMass(15))``.
    replicates : int, at least 1
        Number of replicates.
    level : float, in (0, 1)
    rng : int, numpy.random.Generator or None
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    Consistency
        With estimate, p_value, mean, std, lower, upper and replicates.

    Raises
    ------
    ValueError
        For soft labels without clusters, whose noise differs from that of one drawn label; for fewer than six clusters,
        and clusters under a selection that looks at the truth; after `at_prevalence` for clusters, weighted samples,
        and lenses other than one class of two.

    See Also
    --------
    interval : An interval of the true calibration error.
    bootstrap : The spread of any number under resampling.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.consistency(p, error=cv.ks_error, replicates=99).p_value
    0.01
    """
    seed = checked_seed(error, replicates, level, rng, progress)
    problem = induced_problem(predictions, lens, selection, outcome)
    seen, condition = lens_of(predictions, lens), read_selection(selection)
    observed = number_of(error(problem))
    made = []
    for kind in kinds_of_draws(problem):
        draws = null_problems(predictions, problem, seen, condition, replicates, seed, kind)
        values = [number_of(error(other)) for other in with_progress(draws, "consistency", replicates, progress)]
        made.append(Consistency(observed, np.array(values), level, level))
    return max(made, key=lambda one: (one.p_value, one.upper))


def kinds_of_draws(problem: Problem) -> tuple[str | None, ...]:
    """The kinds of draws of which the larger p-value and noise floor count: one, unless signs of clusters do not do."""
    return (SIGNS, WHOLE) if _needs_both(problem) else (None,)


def _needs_both(problem: Problem) -> bool:
    if isinstance(problem, ProblemFamily):
        first = next(iter(problem), None)
        return first is not None and first.clusters is not None and any(map(_needs_both, problem))
    clusters = Clusters.of(problem)
    if clusters is None or isinstance(problem, SummedProblem):
        return False
    if isinstance(problem, VectorProblem):
        return any(_needs_both(problem.outcome(index)) for index in range(len(problem.outcomes)))
    return need_whole_clusters(clusters, problem.score, problem.given_target)


def null_problems(
    predictions: Judged,
    problem: Problem,
    lens: Lens,
    selection: Condition | None,
    n: int,
    seed: int | None,
    kind: str | None = None,
) -> Iterator[Problem]:
    """n problems like the one that a lens made of the selected predictions, but with labels drawn from these.

    Of samples in clusters see `calibrated`.
    """
    if _clusters_of(problem) is not None:
        return calibrated(problem, n, seed, kind)
    # The entries of one sample share its label, so labels are drawn for samples, not for entries.
    of_rows = isinstance(problem, ProblemFamily) or isinstance(lens, Pooled)
    of_rows |= isinstance(problem, VectorProblem) and looks_at_truth(selection)
    if isinstance(predictions, Predictions) and of_rows:
        output = None if selection is None else output_of(predictions, selection, induced_problem(predictions, lens))
        drawn = relabelled(predictions, selection, n, seed, output)
        are_few = len(problem) * predictions.n_classes <= MOST_SORTED
        if are_few and isinstance(lens, Classwise) and not looks_at_truth(selection):
            return _sorted_once(lens, drawn)
        return map(lens, drawn)
    if isinstance(problem, ProblemFamily):
        raise ValueError("a family of problems has no labels to draw: pass cv.Predictions and its lens")
    return calibrated(problem, n, seed)


def _sorted_once(lens: Classwise, several: Iterator[Predictions]) -> Iterator[ProblemFamily]:
    """The families of predictions that differ in their labels alone, each class of which is sorted for all of them."""
    columns: list[Labelling] = []
    for predictions in several:
        family, labels = lens(predictions), predictions.labels
        assert labels is not None
        columns = columns or [Labelling(family.outcome(c)) for c in range(predictions.n_classes)]
        family.outcome = partial(_column, columns, labels)
        yield family


def _column(columns: Sequence[Labelling], labels: NDArray[np.integer], c: int) -> ScalarProblem:
    return columns[c](labels[columns[c].problem.order] == c)


def relabelled(
    predictions: Predictions,
    selection: Condition | None,
    n: int,
    seed: int | None = 0,
    output: NDArray[np.float64] | None = None,
) -> Iterator[Predictions]:
    """n sets of the selected samples with labels drawn from their probabilities.

    A selection that looks at the truth selects anew from all samples each time, with `output` as the scores that it
    may look at; where it keeps none, one sample stands for a set without error.
    """
    refuse_clusters(predictions, "drawing labels of rows")
    if predictions.labels is None:
        raise ValueError(SOFT_LABELS)
    if predictions.squared_weights is not None:
        raise WayOutError(FOLLOWING, TESTED)
    anew = looks_at_truth(selection)
    kept = np.arange(len(predictions))
    if selection is not None and not anew:
        kept = np.flatnonzero(selection.mask(predictions))
    weights = None if predictions.weights is None else predictions.weights[kept]
    if weights is not None and are_counts(weights):
        kept, weights = np.repeat(kept, weights.astype(np.intp)), None
    chosen = predictions.select(kept)
    if anew:
        _ = chosen.predicted  # found once for all draws
    output = None if output is None else output[kept]
    rng = np.random.default_rng(seed)
    for _ in range(n):
        drawn = chosen.relabelled(_draw_outcomes(chosen.probs, rng), weights)
        if anew and selection is not None:
            mask = selection.mask(drawn, output)
            drawn = drawn.select(mask) if mask.any() else _without_error(chosen)
        yield drawn


def _without_error(predictions: Predictions) -> Predictions:
    """One sample that is predicted for certain, and rightly."""
    certain = np.zeros((1, predictions.n_classes))
    certain[0, -1] = 1.0
    first = predictions.select(np.arange(1)).with_probs(certain)
    return first.relabelled(np.array([predictions.n_classes - 1]), None)


def calibrated(problem: Problem, n: int, seed: int | None = 0, kind: str | None = None) -> Iterator[Any]:
    """The problem with outcomes drawn from its own scores, n times over.

    Under a selection that looks at the truth the labels of all rows are drawn, and it selects anew.

    Of samples in clusters targets are drawn by signs, s + xi (t - s), which need not be 0 or 1: of few clusters all
    patterns, which may be fewer than n. Where signs do not suffice, the caller draws both kinds and takes the larger
    p-value, or floor. Where no label can be drawn, the message of the `ValueError` is a clause.
    """
    if _clusters_of(problem) is not None:
        yield from _of_clusters(problem, n, seed, kind)
        return
    assert not isinstance(problem, ProblemFamily)
    if isinstance(problem, SummedProblem):
        raise ValueError("labels cannot be drawn for a summary whose weights are not whole numbers: pass the samples")
    if isinstance(problem, VectorProblem):
        problem.refuse_to_draw()
    if not problem.is_binary:
        raise ValueError(SOFT_LABELS)
    rng = np.random.default_rng(seed)
    if isinstance(problem, ScalarProblem) and problem.squared_weights is not None:
        yield from _weighted_anew(problem, Chances.as_sampled(problem), n, rng)
        return
    if isinstance(problem, ScalarProblem) and problem.by_truth is not None:
        yield from _selected_anew(Chances.of(problem), n, rng)
        return
    if problem.by_truth is not None:
        _ = problem.by_truth.chances  # says why there are none
    if problem.given_weight is not None and problem.whole_weights:
        if isinstance(problem, ScalarProblem) and MOST_WRITTEN_OUT < problem.total <= MOST_DRAWN:
            yield from _draw_repeated(problem, n, rng)
            return
        if problem.total > MOST_REPEATED:
            raise ValueError(
                f"the weights repeat the samples {problem.total:g} times: too many to draw a label for each"
            )
        problem = problem.repeated()
    if isinstance(problem, VectorProblem):
        for _ in range(n):
            yield problem.with_target(_draw_outcomes(problem.score, rng))
        return
    under = Labelling(problem)
    for _ in range(n):
        yield under(rng.random(len(problem)) < problem.score)


def _weighted_anew(
    problem: ScalarProblem, chances: Chances, n: int, rng: np.random.Generator
) -> Iterator[ScalarProblem]:
    """The problem with labels drawn as they were sampled, each with the weight that its class has."""
    known = problem.given_target == 1
    weights = np.where(known, problem.weight, problem.weight * chances.odds)  # of a sample if it is true
    for _ in range(n):
        drawn = rng.random(len(problem)) < chances.hit
        yield reweighted(problem.with_target(drawn), np.where(drawn, weights, weights / chances.odds))


def _clusters_of(problem: Problem) -> NDArray[np.intp] | None:
    """The clusters of the samples of a problem, or of the first one of a family."""
    if isinstance(problem, ProblemFamily):
        problem = next(iter(problem))
    return problem.clusters


def _of_clusters(problem: Problem, n: int, seed: int | None, kind: str | None) -> Iterator[Problem]:
    """n problems whose targets are drawn for whole clusters; see `calibrated`."""
    parts = list(problem) if isinstance(problem, ProblemFamily) else [problem]
    if any(part.by_truth is not None for part in parts):
        instead = "leave selection out, use cv.calibration_test or, "
        raise of_clusters(parts[0], "noise under a selection that looks at the truth", instead)
    for part in parts:
        part.refuse_to_draw()
    codes = [part.cluster_codes for part in parts if part.cluster_codes is not None]
    known = np.unique(np.concatenate(codes))
    are_rows = all(len(known) == len(each) for each in codes)
    if why := too_few(len(known), are_rows):
        raise few_clusters(why, are_rows)
    if kind is None and _needs_both(problem):
        raise WayOutError(*NOT_SYMMETRIC)
    rng, by_code = np.random.default_rng(seed), np.ones(int(known[-1]) + 1)
    signs = sign_patterns(len(known), n, rng)[1:]
    if kind == WHOLE:
        if not isinstance(problem, ScalarProblem) or not problem.is_binary:
            raise ValueError(
                "all samples of a cluster have one outcome, or few clusters hold an event: this needs one score a "
                "sample, and labels that are 0 or 1"
            )
        for _ in range(n):
            by_code[known] = rng.random(len(known))
            yield problem.with_target(by_code[problem.cluster_codes] < problem.score)
        return
    for sign in signs:
        by_code[known] = sign
        yield _under_signs(problem, by_code.copy())


def _under_signs(problem: Problem, by_code: NDArray[np.float64]) -> Problem:
    """The problem with each target on the side of its score that the sign of its cluster says."""
    if isinstance(problem, ProblemFamily):
        outcome = problem.outcome
        return ProblemFamily(
            problem.outcomes, lambda index: single(_under_signs(outcome(index), by_code)), len(problem)
        )
    sign = by_code[problem.cluster_codes]
    if isinstance(problem, VectorProblem):
        return problem.with_target(problem.score + sign[:, None] * (problem.target_rows() - problem.score))
    return problem.with_target(problem.score + sign * (problem.given_target - problem.score))


def _selected_anew(chances: Chances, n: int, rng: np.random.Generator) -> Iterator[ScalarProblem]:
    """n problems of the rows that a selection by truth selects from drawn labels; of none, a sample without error."""
    rows = chances.rows
    counted = rows.given_weight is not None and rows.whole_weights
    both = _both_outcomes(rows.score) if counted else rows
    left = chances.miss / np.where(chances.hit < 1, 1 - chances.hit, 1.0)  # of those that are no hits
    for _ in range(n):
        if counted:
            times = rows.weight.astype(np.intp)
            hits = rng.binomial(times, chances.hit)
            misses = rng.binomial(times - hits, np.minimum(left, 1.0))
            weight: NDArray[Any] = np.stack([misses, hits], axis=-1).ravel().astype(np.float64)
        else:
            u = rng.random(len(rows))
            both, kept = rows.with_target(u < chances.hit), u < chances.share
            weight = kept if rows.given_weight is None else kept * rows.given_weight
        yield ReweightedProblem(both, weight) if weight.any() else ScalarProblem(np.zeros(1), np.zeros(1))


def _both_outcomes(score: NDArray[np.float64]) -> ScalarProblem:
    """Each score with a target of 0 and with one of 1, whose weights are to be drawn."""
    return ScalarProblem(np.repeat(score, 2), np.tile([0.0, 1.0], len(score)), np.ones(2 * len(score)))


def _draw_repeated(problem: ScalarProblem, n: int, rng: np.random.Generator) -> Iterator[ScalarProblem]:
    """n such problems of many repetitions: the number of events among equal scores is binomial."""
    score, _, times = distinct(problem)
    both = _both_outcomes(score)
    for _ in range(n):
        true = rng.binomial(times.astype(np.intp), np.clip(score, 0.0, 1.0)).astype(np.float64)
        yield ReweightedProblem(both, np.stack([times - true, true], axis=-1).ravel())


def _draw_outcomes(probs: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.intp]:
    """An outcome of each row, drawn with its probabilities, shape (n,)."""
    n, m = probs.shape
    drawn = np.empty(n, dtype=np.intp)
    for block in row_blocks(n, m):
        steps = np.cumsum(probs[block], axis=1, dtype=np.float64)
        place = rng.random((len(steps), 1)) * steps[:, -1:]
        drawn[block] = np.minimum((steps <= place).sum(axis=1), m - 1)
    return drawn
