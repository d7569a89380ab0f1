"""A parametric network like the one at hand: its scores as a Beta distribution, its true curve as a linear model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import betainc, betaln, expit, xlogy

from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem
from ..context.lenses import Lens
from ..data.models import takes_arrays
from ..engine.binnings.binning import refuse_vector
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.described import described
from ..foundation.progress import with_progress
from ..foundation.written import counted
from .networks import Network

#: Half a step of the scores below 1, and above 0: what is nearer to them has been rounded.
ROUNDED = ((np.float16, 2.0**-12, 2.0**-25), (np.float32, 2.0**-25, 2.0**-150), (np.float64, 2.0**-54, 2.0**-1074))
MOST_DECIMALS = 7
# Whether b0 and b1 are free in each curve; a constant is the same under every link.
CURVES: dict[str, tuple[str, bool, bool]] = {
    "identity": ("identity", False, False),
    "constant": ("logit", True, False),
    **{
        f"{transform}{', b0 = 0' if not offset else ''}": (transform, offset, True)
        for transform in ("logit", "logit-logflip", "log", "logflip")
        for offset in (True, False)
    },
}


SAID = {"b0": "intercept of the curve", "b1": "slope of the curve", "aic": "Akaike criterion of the fit"}


@dataclass(frozen=True, eq=False)
class NetworkFit:
    """A network that was fitted to predictions, and the curves that were tried.

    Attributes
    ----------
    network : Network
        The Beta distribution of the scores and the true curve of the lowest AIC.
    curves : xarray.Dataset
        Over `curve`, best first: b0, b1 and aic.
    n : float
        How many samples, or what their weights are worth.

    See Also
    --------
    fit_network : What makes it.
    simulate_errors : Estimators on samples of the network.
    """

    network: Network
    curves: xr.Dataset
    n: float

    def __repr__(self) -> str:
        net = self.network
        return (
            f"<NetworkFit to {counted(self.n)}: scores from Beta({net.a:.4g}, {net.b:.4g}), {net.transform} curve "
            f"({net.b0:.3g}, {net.b1:.3g}), AIC {float(self.curves.aic[0]):.1f}>"
        )


@takes_arrays
def fit_network(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    name: str = "fitted",
    progress: bool = True,
) -> NetworkFit:
    """Fit a simulated network to predictions, by maximum likelihood (ece_sweep section 5.1 and appendix A).

    Parameters
    ----------
    predictions, lens, selection, outcome
        As in `calibration_error`; a vector lens needs an outcome.
    name : str
        Of the network.
    progress : bool
        Show a progress bar when it takes longer than a second.

    Returns
    -------
    NetworkFit
        With network, for `simulated` and `simulate_errors`; curves, all that were tried; and n.

    Raises
    ------
    ValueError
        Where all scores are equal, so that no Beta distribution is the most likely; where the selection keeps no
        sample, or the lens makes several problems.

    See Also
    --------
    Network.empirical, trust, interval : Keep the scores of the data, in place of a Beta distribution.
    simulated, simulate_errors : Samples of the fitted network, and estimators on them.

    Notes
    -----
    ece_sweep equations 8 and 9. Scores that rounding has made 0 or 1 count with the probability of being rounded so.
    The curves are "logit", "logit-logflip", "log" and "logflip" with b0 and b1 free or b0 = 0, a constant, and the
    diagonal; the one of the lowest Akaike criterion 2 k - 2 ln L is taken. Where many scores are rounded to 1, as
    those of few decimals are, the curve there is little more than a guess. And scores need not follow any Beta
    distribution: the true error of the network may be far from that of the predictions. `Network.empirical`
    keeps the scores of the data instead.

    Examples
    --------
    >>> fit = cv.fit_network(cv.simulated("resnet152_imagenet", 20_000), "class right")
    >>> fit.network.transform
    'logflip'
    """
    validation.truth(progress, "progress")
    problem = induced_problem(predictions, lens, selection, outcome)
    refuse_vector(problem, "a fitted network")
    assert isinstance(problem, ScalarProblem)
    if problem.score[0] == problem.score[-1]:
        raise ValueError(f"all scores are {problem.score[0]:g}: no Beta distribution fits one value")
    step = _half_steps(problem.score)
    a, b = _beta(problem, step)
    fits = {
        curve: _curve(problem, step, *CURVES[curve])
        for curve in with_progress(CURVES, "fit of a network", len(CURVES), progress)
    }
    order = sorted(fits, key=lambda curve: fits[curve][2])
    b0, b1, _ = fits[order[0]]
    table = {key: ("curve", [fits[curve][i] for curve in order]) for i, key in enumerate(("b0", "b1", "aic"))}
    return NetworkFit(
        Network(name, a, b, CURVES[order[0]][0], b0, b1),
        described(xr.Dataset(table, {"curve": order}), "Roelofs et al. 2022, equations 8 and 9", SAID),
        problem.effective_size,
    )


def _half_steps(score: Array) -> tuple[float, float]:
    """Half the distance between 1 and the score below it, and between 0 and that above, on the coarsest grid of all."""
    for digits in range(1, MOST_DECIMALS + 1):
        if (np.round(score, digits) == score).all():
            return 0.5 * 10.0**-digits, 0.5 * 10.0**-digits
    return next((upper, lower) for kind, upper, lower in ROUNDED if (score == score.astype(kind)).all())


def _beta(problem: ScalarProblem, step: tuple[float, float]) -> tuple[float, float]:
    """The Beta distribution under which the scores are most likely."""
    score, weight = problem.score, problem.weight
    inner = (score > 0) & (score < 1)
    inside = weight @ inner
    logs = weight[inner] @ np.log(score[inner]), weight[inner] @ np.log1p(-score[inner])
    ends = weight @ (score <= 0), weight @ (score >= 1)

    def loss(logarithms: Array) -> float:
        a, b = np.exp(logarithms)
        with np.errstate(divide="ignore"):
            rounded = xlogy(ends[0], betainc(a, b, step[1])) + xlogy(ends[1], betainc(b, a, step[0]))
        likelihood = (a - 1) * logs[0] + (b - 1) * logs[1] - inside * betaln(a, b) + rounded
        return float(-likelihood / problem.total)

    mean = min(max(problem.mean_score, 0.01), 0.99)
    from scipy.optimize import minimize  # loads much more of SciPy, which the laboratory seldom needs

    best = minimize(loss, np.log([mean, 1 - mean]), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-13})
    a, b = np.exp(best.x)
    return float(a), float(b)


def _curve(
    problem: ScalarProblem, step: tuple[float, float], transform: str, offset: bool, slope: bool
) -> tuple[float, float, float]:
    """The most likely b0 and b1 of a true curve, and its Akaike criterion."""
    score = np.clip(problem.score, step[1], 1.0)
    rest = np.clip(1.0 - problem.score, step[0], 1.0)
    samples = problem.effective_size  # whatever the unit of the weights
    logs = {"logit": np.log(score) - np.log(rest), "log": np.log(score)}.get(transform, np.log(rest))
    weight, target = problem.weight / problem.total, problem.target
    if transform == "identity":
        return 0.0, 0.0, -2 * samples * float(weight @ (target * np.log(score) + (1 - target) * np.log(rest)))
    free = np.array([offset, slope])
    in_logs = transform in ("log", "logflip")
    hit = 1 - target if transform == "logflip" else target

    # Sums instead of products of matrices here, and a minimiser without any: the threads of BLAS, which even a
    # matrix of L-BFGS-B sets to work, cost ten times what they save on so few columns.
    def loss(coefficients: Array) -> tuple[float, Array]:
        b0, b1 = _both(coefficients, free)
        eta = b0 + b1 * logs
        if in_logs:  # the probability of a hit is exp(eta)
            eta = np.minimum(eta, -1e-15)
            miss = -np.expm1(eta)
            value = hit * eta + (1 - hit) * np.log(miss)
            pull = weight * (hit - (1 - hit) * np.exp(eta) / miss)
        else:
            value = target * eta - np.logaddexp(0.0, eta)
            pull = weight * (target - expit(eta))
        return -float((weight * value).sum()), -np.array([pull.sum(), (pull * logs).sum()])[free]

    mean = min(max(problem.mean_target, 0.01), 0.99)
    if in_logs:
        start, bounds = np.array([np.log(0.99), 1.0]), [(None, 0.0), (0.0, None)]
    else:
        start, bounds = np.array([0.0 if slope else np.log(mean / (1 - mean)), 0.0]), [(None, None)] * 2
    kept = [bound for bound, is_free in zip(bounds, free, strict=True) if is_free]
    close = {"ftol": 1e-14, "gtol": 1e-12, "xtol": 1e-12, "maxfun": 1000}
    from scipy.optimize import minimize  # loads much more of SciPy, which the laboratory seldom needs

    best = minimize(loss, start[free], jac=True, method="TNC", bounds=kept, options=close)
    b0, b1 = _both(best.x, free)
    return b0, b1, float(2 * free.sum() + 2 * samples * best.fun)


def _both(coefficients: Array, free: NDArray[np.bool_]) -> tuple[float, float]:
    """b0 and b1, of which those that are not free are 0."""
    both = np.zeros(2)
    both[free] = coefficients
    return float(both[0]), float(both[1])
