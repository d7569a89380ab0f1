"""The test of Hosmer and Lemeshow, which papers report: observed and expected events in groups of like scores."""

from __future__ import annotations

from typing import cast

import numpy as np
import xarray as xr
from scipy.special import chdtrc

from ...context.conditions import Condition
from ...context.induced import Judged
from ...context.lenses import Lens
from ...data.dependence import assumes_independence
from ...data.models import takes_arrays
from ...engine.scalar import ScalarProblem
from ...foundation import validation
from ...foundation.clusters import refuse_clusters
from ...foundation.described import Described, described
from ..asked import measured_each, problem_of, refuse_by_truth, refuse_pooled, refuse_soft
from ..masses import counts_of, quantiles_of, repetitions, unit_weights, variances

GROUPS = 10
SOURCE = "Hosmer and Lemeshow 1980"
SAID = {
    "group": Described("group, from the lowest scores on", "1", SOURCE),
    "low": Described("least score of the group"),
    "high": Described("greatest score of the group"),
    "statistic": Described("sum over the groups of (observed - expected)^2 / variance"),
    "degrees_of_freedom": Described("degrees of freedom"),
    "p_value": Described("how often calibrated scores have as large a statistic"),
}


@assumes_independence
@takes_arrays
def hosmer_lemeshow(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    groups: int = GROUPS,
    development: bool = False,
) -> xr.Dataset:
    """Test of Hosmer and Lemeshow: do as many events occur as expected, in groups of like scores?

    It is here because papers and reviewers ask for it; `calibration_test` is the better test. Its p-value depends on
    the number of groups and on where they are cut. It sees neither how far scores are off nor in which direction,
    hardly sees a small group that is off, of few samples misses large errors, and of many rejects harmless ones.

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `observed_expected`.
    groups : int, at least 2
        Cut at the quantiles of the scores. Equal scores stay in one group, so where many are tied there are fewer.
    development : bool
        Whether the model was fitted to these samples: the degrees of freedom are then two fewer than the groups.

    Returns
    -------
    xarray.Dataset
        With statistic, degrees_of_freedom and p_value, and over `group` (from 1) low, high, count, score and target.
        The statistic is infinite where an event was observed in a group of scores 0, or none in one of scores 1.

    Raises
    ------
    ValueError
        For soft labels, samples in clusters, a selection that looks at the truth, the pooled lens, fewer than three
        groups of development data, and as `observed_expected`.

    See Also
    --------
    calibration_test : Without groups, and it names the direction.
    calibration_slope : How far scores are off, with its interval.
    reliability : The groups as a picture, with the interval of each.

    Notes
    -----
    With g the groups, W_g, s_g, t_g the weight, mean score and mean target of one, the statistic is
    sum_g W_g (t_g - s_g)^2 / (s_g (1 - s_g)), compared with chi-squared of as many degrees of freedom as groups, two
    fewer with `development`. Weights that are no whole numbers enter the variance by their squares. The cuts are R's
    quantiles of type 7; a score at a cut lies below it.

    References
    ----------
    Hosmer and Lemeshow 1980, Goodness of fit tests for the multiple logistic regression model; Hosmer et al. 1997, A
    comparison of goodness-of-fit tests for the logistic regression model (its dependence on the groups); Van Calster
    et al. 2019, Calibration: the Achilles heel of predictive analytics (why not to use it).

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> [round(float(cv.hosmer_lemeshow(p, groups=g).p_value), 2) for g in (5, 8, 10)]
    [0.6, 0.3, 0.83]
    """
    validation.whole_number(groups, "groups", 2)
    fitted = 2 * validation.truth(development, "development")
    refuse_pooled(lens, "a test")

    def measure(problem: ScalarProblem) -> xr.Dataset:
        refuse_clusters(problem, "the test of Hosmer and Lemeshow")
        refuse_by_truth(problem, "the test of Hosmer and Lemeshow")
        refuse_soft(problem)
        score, weight = problem.score, unit_weights(problem)
        cuts = np.unique(quantiles_of(score, repetitions(problem), [k / groups for k in range(1, groups)]))
        place = np.unique(np.searchsorted(cuts, score, "left"), return_inverse=True)[1]
        each = weight, weight * problem.given_target, weight * score, variances(problem), counts_of(problem)
        total, events, expected, noise, count = (np.bincount(place, values) for values in each)
        if len(total) <= fitted:
            raise ValueError(
                f"development: {len(total)} groups leave no degree of freedom where the model was fitted to these "
                "samples: ask for more groups, or leave it out for samples that the model has not seen"
            )
        mean = expected / total
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.nan_to_num((events - expected) ** 2 / (noise * mean * (1 - mean)), posinf=np.inf)
        starts = np.flatnonzero(np.diff(place, prepend=-1))
        over = "group"
        table = {
            "low": (over, score[starts]),
            "high": (over, score[np.append(starts[1:], len(score)) - 1]),
            "count": (over, count),
            "score": (over, mean),
            "target": (over, events / total),
            "statistic": ((), parts.sum()),
            "degrees_of_freedom": ((), len(total) - fitted),
            "p_value": ((), chdtrc(len(total) - fitted, parts.sum())),
        }
        return described(xr.Dataset(table, {over: np.arange(1, len(total) + 1)}), SOURCE, SAID)

    return cast(xr.Dataset, measured_each(problem_of(predictions, lens, selection, outcome), measure))
