"""A threshold with a guarantee: how much can be left to the model so that at most a share of it will be wrong."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, log1p
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, stdtr

from ..context.conditions import Condition
from ..context.induced import Judged, scalar_problem
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..data.sample_fields import named_column
from ..engine.clustered import Clusters
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from ..metrics.asked import measured_each, problem_of, tabled
from ..metrics.masses import clopper_pearson
from ..metrics.risks import EQUAL, TieBlocks
from ..uncertainty.bin_intervals import mean_interval

Array = NDArray[np.float64]
Counts = NDArray[np.intp]

CONFIDENCE = 0.95
STEPS = 20
FEWEST_CLUSTERS = 20  # that have an accepted sample, for a t test of their sums


@dataclass(frozen=True)
class Acceptance:
    """The part that can be left to the model under a guarantee; see `accept_at_risk`.

    Attributes
    ----------
    threshold : float
        The least score that is accepted; nan if no threshold can be guaranteed.
    coverage : float, in [0, 1]
        The share of the samples that is accepted, 0 if none is.
    risk : float, in [0, 1]
        The share of these that is wrong, nan if none is accepted.
    upper : float, in [0, 1]
        The one-sided upper bound of that share at the `confidence` (Clopper and Pearson 1934).
    accepted, errors : int
        How many samples are accepted, and how many of these are wrong.
    confidence : float, in (0, 1)
        How often the guarantee shall hold.
    guarantee : {"exact", "approximate"}
        Approximate of samples in clusters.

    See Also
    --------
    accept_at_risk : Returns it.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> kept = cv.accept_at_risk(p, risk=0.02)
    >>> kept.errors / kept.accepted == kept.risk <= kept.upper
    True
    """

    threshold: float
    coverage: float
    risk: float
    upper: float
    accepted: int
    errors: int
    confidence: float
    guarantee: str = "exact"


@assumes_independence
@takes_arrays
def accept_at_risk(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    risk: float,
    confidence: float = CONFIDENCE,
    steps: int = STEPS,
    by: str | ArrayLike | None = None,
) -> Any:
    """The threshold from which on, with a confidence, no more than a share of all future samples like these is wrong.

    `coverage_at_risk` takes the threshold at which the samples at hand keep the risk, and new samples exceed that in
    about half of the cases. This one is exceeded in at most 1 - `confidence` of the cases: over the samples by
    descending score, the hypothesis "at least `risk` of these are wrong" is tested at up to `steps` ends, from the
    surest on, each by the binomial distribution; the last end before the first that is not rejected is the threshold.

    Parameters
    ----------
    predictions : Predictions, a scalar problem, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name, optional
        As in `risk_coverage`: the score is the confidence, and a sample is wrong where the target is 0.
    selection, outcome
        As in `risk_coverage`. A family such as "classwise" gives a Dataset of the fields, over `outcome`.
    risk : float, in (0, 1)
        The share of wrong ones among the accepted that is allowed.
    confidence : float, in (0, 1)
        How often the guarantee shall hold, over sets of samples on which the threshold is chosen.
    steps : int, at least 1
        At how many shares of the samples the hypothesis is tested.
    by : str, or array-like of shape (n,), optional
        The name of a field, or values: a threshold for each of them. With the `confidence` all of them keep the risk,
        each with 1 - (1 - `confidence`) / k, of k values that have samples (Bonferroni).

    Returns
    -------
    Acceptance, or Dataset of its fields over `by`
        Its threshold is nan and its coverage 0 if no threshold can be guaranteed.

    Raises
    ------
    ValueError
        Where samples have weights or soft targets, which are no counts of errors, or where they were selected by what
        is true of them.

    See Also
    --------
    coverage_at_risk : The largest share at a risk on the samples at hand, without a guarantee.

    Notes
    -----
    The guarantee is for one risk and one confidence, fixed before the samples are looked at, and for samples drawn as
    these are, each independently of the others, or in clusters. It holds for one of several settings that are tried,
    and for all segments of `by` at once.

    Of samples in C clusters each step is also tested by these: with G_c the sum of (error - risk) over the accepted
    samples of a cluster, that the mean of G_c is 0 or more, by Student's t with one less degrees of freedom than
    clusters that have an accepted sample. Steps with fewer than 20 of these are left out. Both tests have to reject,
    and the guarantee is approximate; `upper` is then that of an interval of a bin, see `reliability`.

    References
    ----------
    Angelopoulos et al. 2021, Learn then test: calibrating predictive algorithms to achieve risk control (fixed-sequence
    testing).

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> kept = cv.accept_at_risk(p, risk=0.02)
    >>> kept.accepted, kept.errors, round(kept.threshold, 2)
    (1711, 9, 0.41)
    """
    allowed = validation.real_number(risk, "risk", 0.0, 1.0, open_ends=True)
    sure = validation.real_number(confidence, "confidence", 0.0, 1.0, open_ends=True)
    validation.whole_number(steps, "steps", 1)
    if by is not None:
        return _by_segment(predictions, by, (lens, selection, outcome), (allowed, sure, steps))
    problem = problem_of(predictions, lens, selection, outcome)
    return measured_each(problem, lambda one: accepted_at_risk(one, allowed, sure, steps))


def _by_segment(predictions: Judged, by: Any, look: tuple[Any, ...], asked: tuple[float, float, int]) -> xr.Dataset:
    """The part that can be left to the model in each segment, so that all keep the risk together."""
    if not isinstance(predictions, Predictions):
        raise TypeError("by is for cv.Predictions, whose samples have fields: pass these, or leave it out")
    risk, confidence, steps = asked
    name, column = named_column(by, "by", predictions.fields, len(predictions))
    problems = {}
    for value in np.unique(column).tolist():
        try:
            problems[value] = scalar_problem(predictions.select(column == value), *look)
        except EmptyProblemError:
            continue
    if not problems:
        raise EmptyProblemError
    each = 1 - (1 - confidence) / len(problems)
    names = xr.DataArray(list(problems), dims=name, name=name)
    table: xr.Dataset = tabled([accepted_at_risk(one, risk, each, steps) for one in problems.values()], names)
    return table


def accepted_at_risk(problem: ScalarProblem, risk: float, confidence: float, steps: int = STEPS) -> Acceptance:
    """The part that can be left to the model in one problem; see `accept_at_risk`."""
    if why := why_no_guarantee(problem):
        raise ValueError(f"accept_at_risk: {why}")
    accepted, errors, threshold = ends(problem, steps)
    able, clusters = accepted >= fewest(risk, confidence), Clusters.of(problem)
    if clusters is not None:
        if confidence <= 0.5:
            raise ValueError(f"confidence must be above 0.5 for samples in clusters, not {confidence:g}")
        able &= clusters.reversed().many_up_to[accepted - 1] >= FEWEST_CLUSTERS
    accepted, errors, threshold = accepted[able], errors[able], threshold[able]
    kept = bdtr(errors, accepted, risk) > 1 - confidence + EQUAL
    if clusters is not None:
        kept |= _p_values_of_clusters(problem, clusters, accepted, risk) > 1 - confidence + EQUAL
    guarantee = "exact" if clusters is None else "approximate"
    last = int(np.argmax(kept)) if kept.any() else len(kept)
    if not last:
        return Acceptance(np.nan, 0.0, np.nan, np.nan, 0, 0, confidence, guarantee)
    n, k = int(accepted[last - 1]), int(errors[last - 1])
    if clusters is None:
        upper = float(clopper_pearson(np.array([k / n]), np.array([n]), 2 * confidence - 1)[1][0])
    else:
        upper = 1 - mean_interval(problem.taken(np.arange(len(problem) - n, len(problem))), 2 * confidence - 1)[0]
    return Acceptance(float(threshold[last - 1]), n / len(problem), k / n, upper, n, k, confidence, guarantee)


def _p_values_of_clusters(problem: ScalarProblem, clusters: Clusters, accepted: Counts, risk: float) -> Array:
    """How often clusters show so few errors if at least `risk` of the surest are wrong, at each number of these."""
    code, beyond = clusters.code[::-1], 1 - problem.given_target[::-1] - risk
    chances = np.empty(len(accepted))
    for i, n in enumerate(accepted):
        own = np.bincount(code[:n], beyond[:n], clusters.count)
        spread = own.std(ddof=1) / np.sqrt(clusters.count)
        t = own.mean() / spread if spread else np.sign(own.mean()) * np.inf
        chances[i] = stdtr(len(np.unique(code[:n])) - 1, t)
    return chances


def fewest(risk: float, confidence: float) -> int:
    """The least number of samples that can reject "at least `risk` of these are wrong", where none is."""
    return ceil(log(1 - confidence) / log1p(-risk))


def why_no_guarantee(problem: ScalarProblem) -> str:
    """Why no threshold of a problem can be guaranteed; empty where one may."""
    if problem.given_weight is not None and not (problem.given_weight == 1).all():
        return "samples with weights are no counts of errors: a guarantee needs samples of weight 1 each"
    if not problem.is_binary:
        return "soft targets are no counts of errors: a guarantee needs samples that are right or wrong"
    if problem.by_truth is not None:
        return "the selection looks at what is true, which is not known when a sample is to be accepted"
    return ""


def ends(problem: ScalarProblem, steps: int = STEPS) -> tuple[Counts, Counts, Array]:
    """How many of the surest are accepted at each step, how many of these are wrong, and the least score of them.

    Tied samples are accepted together, so some steps may be one.
    """
    blocks = TieBlocks.of(problem, problem.weight)
    accepted, errors = np.cumsum(blocks.weight), np.cumsum(blocks.loss)
    wanted = np.arange(1, steps + 1) * len(problem) / steps
    at = np.unique(np.searchsorted(accepted, np.ceil(wanted - 1e-9)))
    return np.rint(accepted[at]).astype(np.intp), np.rint(errors[at]).astype(np.intp), blocks.value[at]
