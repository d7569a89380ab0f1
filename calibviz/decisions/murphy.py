"""Murphy curves: the loss of acting at every threshold, whose area is the Brier score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from ..context.conditions import Condition
from ..context.induced import Judged
from ..context.lenses import Lens
from ..data.dependence import assumes_independence
from ..data.models import checked, same_samples, takes_arrays
from ..data.predictions import Predictions
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import RESAMPLED, Described, described
from ..foundation.progress import with_progress
from ..metrics.asked import measured_each, problem_of
from ..metrics.clinical.acting import Prevalence, acted, thresholds_of
from ..uncertainty.resampling.bootstrap import level_of_clusters, percentile_interval
from .pairs import paired_problem, recalibrated_problem
from .thresholds import LEVEL, MODEL, RECALIBRATED, THRESHOLDS, replicates_of, with_extremes

BASELINE = "baseline"
DIMS = ("strategy", "threshold")
_EHM = "Ehm et al. 2016"
SAID = RESAMPLED | {
    "threshold": Described("score from which on somebody acts", source=_EHM),
    "elementary_score": Described("elementary score"),
    "difference": Described("elementary score less that of the model"),
    "difference_lower": Described("lower end of the spread of the difference", source=RESAMPLED["lower"].source),
    "difference_upper": Described("upper end of the spread of the difference", source=RESAMPLED["upper"].source),
}


@assumes_independence
@takes_arrays
def murphy_curve(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    thresholds: ArrayLike = THRESHOLDS,
    calibrator: Any = None,
    baseline: Predictions | None = None,
    replicates: int = 0,
    level: float = LEVEL,
    rng: int | np.random.Generator | None = 0,
    progress: bool = True,
) -> xr.Dataset:
    """Murphy curves: the elementary score at every threshold, of the model, of acting on all and of acting on none.

    At a threshold t it is the mean loss where acting needlessly costs 2 t, and a missed event 2 (1 - t). A model whose
    curve lies below that of another one at every threshold is better by every proper score.

    Parameters
    ----------
    predictions, lens, selection, outcome, thresholds, calibrator
        As in `decision_curve`.
    baseline : Predictions, optional
        Another model of the same samples in the same order, a strategy of its own. The selection is made by the first.
    replicates : int
        With n > 0 replicates there are intervals by percentiles; 200 are enough.
    level : float, in (0, 1)
        Of the interval at each threshold by itself, not of a band of the curve.
    rng : int, numpy.random.Generator or None
        The draws are the same for all strategies and thresholds.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    xarray.Dataset
        Over `strategy` and `threshold`: `elementary_score`, in [0, 2], and `difference`, how much more it is than that
        of the model. With replicates, `lower` and `upper` of the score, and `difference_lower` and `difference_upper`
        of the difference, which is paired.

    Raises
    ------
    ValueError
        As `decision_curve`, and for a baseline of other samples.

    See Also
    --------
    decision_curve : The same as what acting is worth: NB = prevalence - S_t / (2 (1 - t)).
    brier_score : The area below the curve.

    Notes
    -----
    S_t = 2 (1 - t) FN + 2 t FP, with FN the share of samples that are missed, s < t, and FP that of those acted on
    needlessly, s >= t. The integral of S_t over t is the Brier score, that of S_t / (2 t (1 - t)) the log loss; soft
    targets count as labels drawn from them. A cell of a summary is acted on as a whole, as in `net_benefit`.

    References
    ----------
    Ehm, Gneiting, Jordan and Kruger 2016, Of quantiles and expectiles, equation 12 at level 1/2, times 4 so that the
    area is the Brier score (there s > t acts, which differs where a score is a threshold); Dimitriadis, Gneiting,
    Jordan and Vogel 2024, Evaluating probabilistic classifiers: the triptych.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> cv.murphy_curve(p, thresholds=[0.2]).elementary_score.round(3).squeeze().values
    array([0.027, 0.251, 0.596])
    """
    seed = validation.draws(rng, progress, replicates=replicates, fewest=0)
    at, level = thresholds_of(thresholds), validation.level(level)
    if baseline is not None:
        if not isinstance(predictions, Predictions):
            raise TypeError("baseline needs cv.Predictions beside it: samples of a problem or a summary have no order")
        baseline = same_samples(checked(baseline, "baseline"), predictions)

    def measure(problem: ScalarProblem) -> xr.Dataset:
        acting = {MODEL: problem}
        if calibrator is not None:
            acting[RECALIBRATED] = recalibrated_problem(problem, calibrator, predictions, lens, outcome)
        if baseline is not None:
            acting[BASELINE] = paired_problem(problem, baseline, lens, outcome, "baseline")
        return murphy_table(acting, at, replicates, level, seed, progress)

    return measured_each(problem_of(predictions, lens, selection, outcome), measure)


def murphy_table(
    acting: Mapping[str, ScalarProblem],
    at: Array,
    replicates: int,
    level: float,
    seed: int | None,
    progress: bool = False,
) -> xr.Dataset:
    """Return the curves of scores of the same samples by the name of the strategy, the model first: `murphy_curve`."""
    names, scores = elementary_scores(acting, at)
    table = xr.Dataset(
        {"elementary_score": (DIMS, scores), "difference": (DIMS, scores - scores[0])},
        {"strategy": names, "threshold": at},
    )
    if replicates:
        draws = with_progress(replicates_of(acting, replicates, seed), "bootstrap", replicates, progress)
        drawn = np.array([elementary_scores(other, at)[1] for other in draws])
        share = level_of_clusters(next(iter(acting.values())), level)
        for prefix, values in (("", drawn), ("difference_", drawn - drawn[:, :1])):
            lower, upper = percentile_interval(values, share)
            table = table.assign({f"{prefix}lower": (DIMS, lower), f"{prefix}upper": (DIMS, upper)})
        table = table.assign_attrs(level=level)
    return described(table, _EHM, SAID)


def elementary_scores(acting: Mapping[str, ScalarProblem], thresholds: Array) -> tuple[list[str], Array]:
    """The names of the strategies, acting on all and on none among them, and their scores, shape (strategies, m)."""
    plain = Prevalence(None, False)
    rows = with_extremes({name: acted(problem, thresholds, plain) for name, problem in acting.items()})
    return list(rows), np.array([row.elementary_score(thresholds) for row in rows.values()])
