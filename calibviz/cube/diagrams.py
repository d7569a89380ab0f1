"""The labelled tables behind the diagrams: reliability, cumulative curves, Likert categories."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ..context.class_lenses import Pooled
from ..context.conditions import Condition
from ..context.induced import induced_problem, scalar_problem
from ..context.lens_names import lens as read_lens
from ..context.lenses import Lens
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.binning import Binning, bins_of
from ..engine.family import ProblemFamily
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..metrics.binned import default_binning, ks_error
from ..uncertainty.bin_intervals import INTERVAL_LEVEL, KINDS, interval_of


@takes_arrays
def reliability(
    predictions: Predictions,
    lens: str | Lens = "top-1",
    binning: Binning | None = None,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    interval: str = "clopper-pearson",
    level: float = INTERVAL_LEVEL,
    n: int = 1000,
    seed: int | None = 0,
) -> xr.Dataset:
    """The table of a reliability diagram.

    Parameters
    ----------
    predictions, lens, binning, selection, outcome
        As in `calibration_error`.
    interval : {"clopper-pearson", "bootstrap", "consistency"}
        What `lower` and `upper` are for each bin: the Clopper-Pearson interval of its mean target, its percentile
        interval over bootstrap replicates, or the bars between which it would lie if the scores were calibrated
        (Broecker and Smith 2007).
    level : float, in (0, 1)
    n, seed : int
        Number of replicates and their seed, for "bootstrap" and "consistency".

    Returns
    -------
    xarray.Dataset
        Over `bin`: score, target (nan in an empty bin), count, weight, lower, upper, left, right. A vector lens
        adds the dimension `outcome` to score, target, lower and upper, and has no left and right.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, the binning does not fit the lens, or replicates differ in their bins.

    See Also
    --------
    calibration_error : The bins of this table in one number.
    calibration_curve : A smooth curve in place of bins.
    corp : A curve that rises, in place of bins.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.reliability(p, binning=cv.Uniform(5)).target.round(2).values
    array([ nan,  nan, 1.  , 0.5 , 0.94])
    """
    problem = induced_problem(predictions, lens, selection, outcome)
    if isinstance(problem, ProblemFamily):
        parts = {
            name: reliability(predictions, lens, binning, selection, name, interval, level, n, seed)
            for name in problem.outcomes
        }
        return xr.concat(parts.values(), xr.DataArray(list(parts), dims="outcome", name="outcome"), join="outer")
    validation.choice(interval, "interval", KINDS)
    if interval != "clopper-pearson" and isinstance(read_lens(lens), Pooled):
        raise ValueError(
            f"interval={interval!r} takes scores for independent, and those of one sample are not under the pooled "
            "lens: use 'clopper-pearson', or look at the classes one by one"
        )
    chosen = default_binning(problem, binning)
    bins = bins_of(problem, chosen)
    lower, upper = interval_of(interval, problem, chosen, bins, level, n, seed)
    means = ("bin",) if bins.score.ndim == 1 else ("bin", "outcome")
    table = xr.Dataset(
        {
            "score": (means, bins.score, {"long_name": "mean score"}),
            "target": (means, bins.target, {"long_name": "mean target"}),
            "count": ("bin", bins.samples(problem), {"long_name": "number of samples"}),
            "weight": ("bin", bins.weight, {"long_name": "sum of weights"}),
            "lower": (means, lower, {"long_name": f"lower end of the {100 * level:g} % {interval} interval"}),
            "upper": (means, upper, {"long_name": f"upper end of the {100 * level:g} % {interval} interval"}),
        },
        coords={"bin": np.arange(len(bins))},
    )
    if isinstance(problem, ScalarProblem):
        unknown = np.full(len(bins), np.nan)  # a binning of the user's own need not tell its edges
        left, right = (unknown if ends is None else ends for ends in (bins.left, bins.right))
        return table.assign(left=("bin", left), right=("bin", right))
    return table.assign_coords(outcome=list(problem.outcomes))


@takes_arrays
def cumulative(
    predictions: Predictions,
    lens: str | Lens = "top-1",
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
) -> xr.Dataset:
    """The curves behind the KS error (ks equation 11, figure 1).

    Returns
    -------
    xarray.Dataset
        Over `sample`, in ascending order of the score: fractile i / n, score, cumulative_score
        h~_i = sum_{j <= i} w_j s_j / W, cumulative_target h_i = sum_{j <= i} w_j t_j / W, and `index`, the sample's
        place in the predictions.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or the lens makes several problems.

    See Also
    --------
    ks_error : The largest distance of the two curves.
    ks_test : Whether it is more than chance.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> round(cv.cumulative(p).attrs["ks"], 3)
    0.055
    """
    problem = scalar_problem(predictions, lens, selection, outcome)
    return xr.Dataset(
        {
            "fractile": ("sample", problem.cumulative_weight[1:] / problem.total),
            "score": ("sample", problem.score.copy()),  # the problem is cached; users may change a table
            "cumulative_score": ("sample", problem.cumulative_score[1:] / problem.total),
            "cumulative_target": ("sample", problem.cumulative_target[1:] / problem.total),
            "index": ("sample", problem.order.copy()),
        },
        attrs={"ks": ks_error(problem)},
    )
