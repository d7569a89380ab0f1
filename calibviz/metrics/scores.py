"""Proper scores, their splits, and accuracy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem, scalar_problem
from ..context.lenses import Lens, Problem, WithinTop
from ..data.models import no_predictions, takes_arrays
from ..data.predictions import Predictions
from ..engine.binnings.binning import Binning, Uniform, bins_of
from ..engine.deferred import ReweightedProblem
from ..engine.family import ProblemFamily
from ..engine.scalar import ScalarProblem, once
from ..engine.vector import VectorProblem
from ..foundation import validation
from ..foundation.arrays import Array, dot, row_blocks
from ..foundation.written import Brief
from .asked import lens_of_rows
from .binned import default_binning

LEAST_VARIANCE = 1e-12  # of targets; those of one outcome have less but for rounding


@takes_arrays
def accuracy(predictions: Predictions, *, k: int = 1, selection: str | Condition | None = None) -> float:
    """Weighted share of the selected samples whose label is among the k classes of the largest probabilities.

    Parameters
    ----------
    predictions : Predictions, or probabilities of shape (n, K) or (n,)
        Soft labels count their mass on those classes.
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    k : int, from 1 to K
    selection : condition or its text, optional

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or there are fewer than k classes.

    See Also
    --------
    lens : That named "within-top 3" looks at the same classes.
    risk_coverage : Risks of the surest samples.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.accuracy(p), 3), round(cv.accuracy(p, k=3), 3)
    (0.977, 0.998)
    """
    if not isinstance(predictions, Predictions):
        raise no_predictions(predictions)
    lens = "top-1" if validation.whole_number(k, "k", 1) == 1 else WithinTop(k)  # `output` is its score
    return right_share(scalar_problem(predictions, lens, selection), predictions, k)


def right_share(problem: ScalarProblem, predictions: Predictions, k: int = 1) -> float:
    """Accuracy over the samples of a problem; see `accuracy`."""
    hits = predictions.target_within(k)[problem.order]
    return float(hits.mean() if problem.given_weight is None else dot(hits, problem.given_weight) / problem.total)


@takes_arrays
def brier_score(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> float:
    """Brier score: the weighted mean of sum_k (G_k - T_k)^2 (Brier 1950); of a scalar problem of (s - t)^2.

    Parameters
    ----------
    predictions, selection, outcome
        As in `calibration_error`.
    lens : lens or its name, optional
        By default whole rows, "full", as in scikit-learn: the score lies in [0, 2]. Of two classes it is that of the
        positive class, one term in [0, 1], and of confidences in a predicted class that of "top-1"; of a family the
        mean.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or an argument does not fit the predictions.

    See Also
    --------
    brier_split : What of it is miscalibration.
    corp : The same split without bins.
    log_loss : Another proper score.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.brier_score(p), 3)
    0.057
    """
    return float(_brier(induced_problem(predictions, lens_of_rows(predictions, lens, outcome), selection, outcome)))


def _brier(problem: Problem) -> float:
    if isinstance(problem, ProblemFamily):
        return problem.mean(_brier)
    if isinstance(problem, ScalarProblem):
        return dot(problem.weight, row_squares(problem)) / problem.total
    if problem.target.ndim == 1:  # (1 - G)^2 of what was observed and G^2 of what was not
        observed = problem.observed_score
        squares = _mean_of_rows(problem, lambda rows: np.einsum("ij,ij->i", score := _rows(problem, rows), score))
        return squares + _mean(problem, (1 - observed) ** 2 - observed**2)
    return _mean_of_rows(problem, lambda rows: ((_rows(problem, rows) - problem.target[rows]) ** 2).sum(axis=1))


def row_squares(problem: ScalarProblem) -> Array:
    """Return how much every sample of a problem adds to its Brier score, shape (n,)."""
    return (problem.score - problem.given_target) ** 2


@dataclass(frozen=True)
class BrierSplit(Brief):
    """The parts of a Brier score over bins (Murphy 1973; with the within-bin terms of Stephenson et al. 2008).

    Attributes
    ----------
    reliability : float
        ``sum_b w_b/W |sbar_b - tbar_b|^2``, the squared L2 calibration error.
    resolution : float
        ``sum_b w_b/W |tbar_b - tbar|^2``.
    uncertainty : float
        Population variance of the targets.
    within_variance, within_covariance : float
        Mean variance of the scores inside a bin, and twice their mean covariance with the targets there.

    See Also
    --------
    brier_split : What makes it.
    corp : A split without bins.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> parts = cv.brier_split(p)
    >>> abs(parts.brier - cv.brier_score(p, "top-1")) < 1e-12
    True
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float

    @property
    def brier(self) -> float:
        """reliability - resolution + uncertainty + within_variance - within_covariance.

        See Also
        --------
        brier_score : The same number, straight from the samples.
        """
        return self.reliability - self.resolution + self.uncertainty + self.within_variance - self.within_covariance


@takes_arrays
def brier_split(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> BrierSplit:
    """Split of the Brier score of what a lens looks at, over any binning.

    By default that of the top-1 lens. The parts of `brier_score(p)` are those under ``lens="full"``.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; of a family the means over its problems.
    binning : binning, optional
        As in `calibration_error`. The within-bin terms vanish for `Distinct()`.

    Returns
    -------
    BrierSplit
        With reliability, resolution, uncertainty, within_variance, within_covariance, and brier, the whole score.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or the binning does not fit the lens.

    See Also
    --------
    corp : A split without bins.
    brier_score : The whole.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.brier_split(p).reliability, 4)
    0.0065
    """

    def parts(problem: Problem) -> Array:
        if isinstance(problem, ProblemFamily):
            return problem.mean(parts)
        bins = bins_of(problem, default_binning(problem, binning))
        kept = bins.weight > 0
        share = bins.weight[kept] / problem.total
        score, target = (means[kept].reshape(len(share), -1) for means in (bins.score, bins.target))
        overall = share @ target
        if isinstance(problem, ScalarProblem):
            weight = problem.weight / problem.total
            squares, hits = dot(weight, problem.score**2), dot(weight, problem.given_target**2)
            products = dot(weight, problem.score * problem.target)
        else:
            squares = _mean_of_rows(problem, lambda rows: (_rows(problem, rows) ** 2).sum(axis=1))
            hits = _mean_of_rows(problem, lambda rows: (problem.target_rows(rows) ** 2).sum(axis=1))
            products = _mean_of_rows(
                problem, lambda rows: (_rows(problem, rows) * problem.target_rows(rows)).sum(axis=1)
            )
        return np.array(
            [
                share @ ((score - target) ** 2).sum(axis=1),
                share @ ((target - overall) ** 2).sum(axis=1),
                hits - overall @ overall,
                squares - share @ (score**2).sum(axis=1),
                2 * (products - share @ (score * target).sum(axis=1)),
            ]
        )

    return BrierSplit(*map(float, parts(induced_problem(predictions, lens, selection, outcome))))


def brier_skill(problem: Problem) -> float:
    """The Brier skill score: by which share the Brier score is below that of constant predictions of the prevalences.

    It is refused where one outcome alone was observed, of which the constant prediction is perfect.
    """
    constant = brier_split(problem, binning=Uniform(1)).uncertainty
    if constant < LEAST_VARIANCE:
        raise ValueError("one outcome alone was observed, and no skill is better than to predict it always")
    return 1.0 - brier_score(problem) / constant


@takes_arrays
def ranked_probability_score(
    predictions: Judged, lens: str | Lens | None = None, *, selection: str | Condition | None = None
) -> float:
    """Ranked probability score of ordered classes: the mean Brier score of "at most class k" over all k but the last.

    A probability that is put two classes away from what was observed costs more than one that is put beside it. The
    order is that of the classes of the predictions, of numbers that of their size, of text the alphabet's:
    `Predictions(class_names=...)` names another one.

    Parameters
    ----------
    predictions, selection
        As in `calibration_error`.
    lens : lens or its name, optional
        By default whole rows, "full". A `Grouping` in order has its groups as classes; of a lens with one score a
        sample it is the Brier score, of a family the mean.

    Returns
    -------
    float, in [0, 1]
        Divided by the number of classes less 1; some packages leave that out. Of two classes it is the Brier score.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or an argument does not fit the predictions.

    See Also
    --------
    brier_score : Of classes in no order.

    Notes
    -----
    Of K classes the weighted mean of sum_(k < K) (sum_(j <= k) (G_j - T_j))^2 / (K - 1).

    References
    ----------
    Epstein 1969, A scoring system for probability forecasts of ranked categories; Murphy 1971, A note on the ranked
    probability score.

    Examples
    --------
    >>> beside, away = [[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]]
    >>> cv.ranked_probability_score(beside, [0]), cv.ranked_probability_score(away, [0])
    (0.5, 1.0)
    """
    return float(_ranked(induced_problem(predictions, lens_of_rows(predictions, lens), selection)))


def _ranked(problem: Problem) -> float:
    if isinstance(problem, ProblemFamily):
        return problem.mean(_ranked)
    if isinstance(problem, ScalarProblem):
        return _brier(problem)
    return _mean_of_rows(
        problem,
        lambda rows: np.square(np.cumsum(_rows(problem, rows) - problem.target_rows(rows), axis=1)[:, :-1]).mean(
            axis=1
        ),
    )


@takes_arrays
def log_loss(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> float:
    """Log loss: the weighted mean of -sum_k T_k log G_k; of a scalar problem of -t log s - (1 - t) log(1 - s).

    Parameters
    ----------
    predictions, selection, outcome
        As in `calibration_error`.
    lens : lens or its name, optional
        By default whole rows, "full", as in scikit-learn: the multiclass negative log likelihood. Of confidences in a
        predicted class "top-1"; of a family the mean.

    Returns
    -------
    float, at least 0
        Infinite where a probability of 0 meets what was observed: nothing is clipped.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or an argument does not fit the predictions.

    See Also
    --------
    brier_score : Another proper score, finite where a score is 0 or 1.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.log_loss(p), 3)
    0.599
    """

    def loss(problem: Problem) -> float:
        if isinstance(problem, ProblemFamily):
            return problem.mean(loss)
        if isinstance(problem, VectorProblem):
            return _mean(problem, row_losses(problem))
        return dot(problem.weight, row_losses(problem)) / problem.total

    problem = induced_problem(predictions, lens_of_rows(predictions, lens, outcome), selection, outcome)
    return float(abs(loss(problem)))  # 0, not -0


def row_losses(problem: ScalarProblem | VectorProblem) -> Array:
    """Return how much every sample of a problem adds to its log loss, shape (n,)."""
    if isinstance(problem, ReweightedProblem):  # of many replicates logarithms are taken once
        return row_losses(problem.base)[problem.rows_of_base]
    if isinstance(problem, ScalarProblem):
        return once(problem, row_losses, lambda: _losses(problem))
    if problem.target.ndim == 1:
        return -_times_log(np.ones(len(problem)), problem.observed_score)
    return -_of_rows(problem, lambda rows: _times_log(problem.target[rows], _rows(problem, rows)).sum(axis=1))


def _losses(problem: ScalarProblem) -> Array:
    score, target = np.clip(problem.score, 0.0, 1.0), problem.given_target
    return -(_times_log(target, score) + _times_log(1 - target, 1 - score))


def _times_log(factor: Array, value: Array) -> Array:
    """factor * log(value), 0 where the factor is 0."""
    out = np.zeros_like(value)
    used = factor > 0
    with np.errstate(divide="ignore"):
        out[used] = factor[used] * np.log(np.clip(value[used], 0.0, 1.0))
    return out


def _rows(problem: VectorProblem, rows: slice) -> Array:
    return problem.score[rows].astype(np.float64)


def _of_rows(problem: VectorProblem, of_rows: Callable[[slice], Array]) -> Array:
    """Return the values of a function of some of the samples for all of them."""
    values = np.empty(len(problem))
    for block in row_blocks(*problem.score.shape):
        values[block] = of_rows(block)
    return values


def _mean_of_rows(problem: VectorProblem, of_rows: Callable[[slice], Array]) -> float:
    """Weighted mean over the samples of what a function makes of some of them."""
    return _mean(problem, _of_rows(problem, of_rows))


def _mean(problem: VectorProblem, values: Array) -> float:
    return float(values.sum() if problem.given_weight is None else dot(values, problem.given_weight)) / problem.total
