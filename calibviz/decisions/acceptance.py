"""A threshold with a guarantee: how much can be left to the model so that at most a share of it will be wrong."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, log1p
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from ..context.conditions import Condition
from ..context.induced import Judged, scalar_problem
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..data.sample_fields import named_column
from ..engine.clustered import FEWEST as FEWEST_CLUSTERS, Clusters
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.written import Brief
from ..metrics.asked import measured_each, problem_of, tabled
from ..metrics.risks import EQUAL, TieBlocks
from ..uncertainty.intervals.risk_intervals import risk_interval

Counts = NDArray[np.intp]

CONFIDENCE = 0.95
STEPS = 20


@dataclass(frozen=True)
class Acceptance(Brief):
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
        The one-sided upper bound of that share at the `confidence` (Clopper and Pearson 1934), no more than the risk
        that was allowed.
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
    surest on, each by the one-sided bound of Clopper and Pearson: it is rejected where that is at most `risk`. The last
    end before the first that is not rejected is the threshold.

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

    Of samples in clusters the bound is that of as many trials as these are worth (Korn and Graubard 1998), as in the
    interval of a bin, and the guarantee is approximate. Steps are left out whose accepted clusters are worth fewer than
    six of equal size (Kish 1965), or too few to reject though none is wrong: of a risk of 5 % at a confidence of 95 %
    fewer than 59. In simulations (`benchmarks/dependence.py`, B2) a risk of 5 % was exceeded in 0 to 12 of 100 sets at
    a confidence of 90 %, also where all samples of a cluster are wrong together.

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
    return tabled([accepted_at_risk(one, risk, each, steps) for one in problems.values()], names)


def accepted_at_risk(problem: ScalarProblem, risk: float, confidence: float, steps: int = STEPS) -> Acceptance:
    """The part that can be left to the model in one problem; see `accept_at_risk`."""
    if why := why_no_guarantee(problem):
        raise ValueError(f"accept_at_risk: {why}")
    if problem.clusters is not None and confidence <= 0.5:
        raise ValueError(f"confidence must be above 0.5 for samples in clusters, not {confidence:g}")
    guarantee = "exact" if problem.clusters is None else "approximate"
    of = ends(problem, steps)
    able = np.flatnonzero(can_reject(problem, of.accepted, risk, confidence))
    upper = risk_interval(problem, of.block[able], 2 * confidence - 1)[1]
    rejected = upper <= risk + EQUAL
    last = len(able) if rejected.all() else int(np.argmin(rejected))
    if not last:
        return Acceptance(np.nan, 0.0, np.nan, np.nan, 0, 0, confidence, guarantee)
    n, k, threshold = (each[able[last - 1]].item() for each in (of.accepted, of.errors, of.threshold))
    return Acceptance(threshold, n / len(problem), k / n, upper[last - 1].item(), n, k, confidence, guarantee)


def can_reject(problem: ScalarProblem, accepted: Counts, risk: float, confidence: float) -> NDArray[np.bool_]:
    """Whether so many of the surest are enough to reject "at least `risk` of these are wrong", if none is."""
    clusters, least = Clusters.of(problem), needed(problem, risk, confidence)
    worth = accepted if clusters is None else clusters.reversed().worth_up_to[accepted - 1]
    return np.asarray(worth >= least)


def needed(problem: ScalarProblem, risk: float, confidence: float) -> int:
    """How many samples, or clusters of equal size, that takes."""
    least = fewest(risk, confidence)
    return least if problem.clusters is None else max(least, FEWEST_CLUSTERS)


def fewest(risk: float, confidence: float) -> int:
    """The least number of samples that can reject "at least `risk` of these are wrong", where none is."""
    return ceil(log(1 - confidence) / log1p(-risk))


def why_no_guarantee(problem: ScalarProblem) -> str:
    """Why no threshold of a problem can be guaranteed; empty where one may."""
    if problem.given_weight is not None and not (problem.given_weight == 1).all():
        return (
            "weights, and the cells of a summary, are no counts of errors: a guarantee needs samples of weight 1 each"
        )
    if not problem.is_binary:
        return "soft targets are no counts of errors: a guarantee needs samples that are right or wrong"
    if problem.by_truth is not None:
        return "the selection looks at what is true, which is not known when a sample is to be accepted"
    return ""


class Ends(NamedTuple):
    """How many of the surest are accepted at each step, how many of these are wrong, and the least score of them.

    Last the place of this score in `TieBlocks`.
    """

    accepted: Counts
    errors: Counts
    threshold: Array
    block: Counts


def ends(problem: ScalarProblem, steps: int = STEPS) -> Ends:
    """The ends of the steps; tied samples are accepted together, so some steps may be one."""
    blocks = TieBlocks.of(problem, problem.weight)
    accepted, errors = np.cumsum(blocks.weight), np.cumsum(blocks.loss)
    wanted = np.arange(1, steps + 1) * len(problem) / steps
    at = np.unique(np.searchsorted(accepted, np.ceil(wanted - 1e-9)))
    return Ends(np.rint(accepted[at]).astype(np.intp), np.rint(errors[at]).astype(np.intp), blocks.value[at], at)
