"""Consistency resampling: the distribution of an error if the probabilities were calibrated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..context.class_lenses import Pooled
from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem, lens_of
from ..context.lenses import Lens, Problem
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.deferred import ReweightedProblem
from ..engine.family import ProblemFamily
from ..engine.scalar import FOLLOWING, MOST_REPEATED, ScalarProblem, distinct
from ..engine.summed import SummedProblem
from ..engine.vector import VectorProblem
from ..foundation import validation
from ..foundation.arrays import are_counts, row_blocks
from ..foundation.chance import p_values
from ..foundation.progress import with_progress
from ..foundation.written import chosen_percent, number, p_value
from .bootstrap import LEVEL, MOST_DRAWN, REPLICATES, Resampled, check_resampling, number_of
from .relabelled import Labelling

MOST_WRITTEN_OUT = 100_000  # repetitions that become rows; the draws are then the same as for such rows
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
    <Consistency 0.0387, p = 0.01; if calibrated, 95 % lie between 0.0014 and 0.0064>
    """

    def __repr__(self) -> str:
        return (
            f"<Consistency {number(self.estimate)}, {p_value(self.p_value, 'p')}; if calibrated, "
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

    Labels are drawn from the probabilities, the scores stay, and the error is computed again.

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
        For soft labels, whose noise differs from that of one drawn label.

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
    seed = validation.rng(rng)
    validation.truth(progress, "progress")
    check_resampling(error, replicates, level)
    problem = induced_problem(predictions, lens, selection, outcome)
    draws = null_problems(predictions, problem, lens_of(predictions, lens), read_selection(selection), replicates, seed)
    observed = number_of(error(problem))
    values = [number_of(error(other)) for other in with_progress(draws, "consistency", replicates, progress)]
    return Consistency(observed, np.array(values), level)


def null_problems(
    predictions: Judged, problem: Problem, lens: Lens, selection: Condition | None, n: int, seed: int | None
) -> Iterator[Problem]:
    """n problems like the one that a lens made of the selected predictions, but with labels drawn from these."""
    # The entries of one sample share its label, so labels are drawn for samples, not for entries.
    if isinstance(predictions, Predictions) and (isinstance(problem, ProblemFamily) or isinstance(lens, Pooled)):
        return map(lens, relabelled(predictions, selection, n, seed))
    if isinstance(problem, ProblemFamily):
        raise ValueError("a family of problems has no labels to draw: pass cv.Predictions and its lens")
    return calibrated(problem, n, seed)


def relabelled(
    predictions: Predictions, selection: Condition | None, n: int, seed: int | None = 0
) -> Iterator[Predictions]:
    """n sets of the selected samples with labels drawn from their probabilities."""
    if predictions.labels is None:
        raise ValueError(SOFT_LABELS)
    if predictions.squared_weights is not None:
        raise ValueError(FOLLOWING)
    kept = np.arange(len(predictions)) if selection is None else np.flatnonzero(selection.mask(predictions))
    weights = None if predictions.weights is None else predictions.weights[kept]
    if weights is not None and are_counts(weights):
        kept, weights = np.repeat(kept, weights.astype(np.int64)), None
    chosen = predictions.select(kept)
    rng = np.random.default_rng(seed)
    for _ in range(n):
        yield chosen.relabelled(_draw_outcomes(chosen.probs, rng), weights)


def calibrated(
    problem: ScalarProblem | VectorProblem, n: int, seed: int | None = 0
) -> Iterator[ScalarProblem | VectorProblem]:
    """The problem with outcomes drawn from its own scores, n times over."""
    if isinstance(problem, SummedProblem):
        raise ValueError("labels cannot be drawn for a summary whose weights are not whole numbers: pass the samples")
    problem.refuse_to_draw()
    if not problem.is_binary:
        raise ValueError(SOFT_LABELS)
    rng = np.random.default_rng(seed)
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


def _draw_repeated(problem: ScalarProblem, n: int, rng: np.random.Generator) -> Iterator[ScalarProblem]:
    """n such problems of many repetitions: the number of events among equal scores is binomial."""
    score, _, times = distinct(problem)
    both = ScalarProblem(np.repeat(score, 2), np.tile([0.0, 1.0], len(score)), np.ones(2 * len(score)))
    for _ in range(n):
        true = rng.binomial(times.astype(np.int64), np.clip(score, 0.0, 1.0)).astype(np.float64)
        yield ReweightedProblem(both, np.stack([times - true, true], axis=-1).ravel())


def _draw_outcomes(probs: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.int64]:
    """An outcome of each row, drawn with its probabilities, shape (n,)."""
    n, m = probs.shape
    drawn = np.empty(n, dtype=np.int64)
    for block in row_blocks(n, m):
        steps = np.cumsum(probs[block], axis=1, dtype=np.float64)
        place = rng.random((len(steps), 1)) * steps[:, -1:]
        drawn[block] = np.minimum((steps <= place).sum(axis=1), m - 1)
    return drawn
