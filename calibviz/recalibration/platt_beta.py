"""Logistic regression of the log-odds of a score: Platt scaling and beta calibration."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ..engine.scalar import ScalarProblem
from ..foundation.arrays import Array, dot
from ..metrics.clinical.logistic_fits import fitted_logistic, loss_of
from .base import ProblemCalibrator
from .solvers.logit_blocks import SMALLEST_PROBABILITY

LARGEST_SIZE = 1e12  # samples; targets of more could not be told from 0 and 1
GRADIENT_TOLERANCE = 1e-10  # norm of the gradient of the mean loss at which the fit has converged


class Platt(ProblemCalibrator):
    """Platt scaling: logistic(slope * logit(s) + intercept), by maximum likelihood.

    The log-odds of the score take the place of the output of a support vector machine, so slope 1 and intercept 0 leave
    scores as they are. Scores are clipped at 1e-12 and 1 - 1e-12. As in Platt's paper the targets are
    (N1 + 1) / (N1 + 2) and 1 / (N0 + 2) instead of 1 and 0, where N1 and N0 are their numbers. So the maximum exists
    even where the scores separate the targets.

    Attributes
    ----------
    slope_, intercept_ : float

    See Also
    --------
    Beta : With one more parameter.

    References
    ----------
    Platt 1999, "Probabilistic outputs for support vector machines", section 2.2.

    Examples
    --------
    >>> cv.Platt().fit([0.2, 0.3, 0.4, 0.8, 0.9], [0, 1, 0, 1, 1])([0.2, 0.5, 0.9]).round(2)
    array([0.37, 0.57, 0.82])
    """

    short_name = "platt"

    @property
    def keeps_ranking(self) -> bool:
        """Whether the slope is not negative."""
        return getattr(self, "slope_", 1.0) >= 0

    def _fit(self, problem: ScalarProblem) -> None:
        low, high = _take_logs(problem.score)
        (slope,), self.intercept_, _ = _fit_logistic((low - high)[None], *_smooth_targets(problem))
        self.slope_ = float(slope)

    def _map(self, score: Array) -> Array:
        low, high = _take_logs(score)
        return expit(self.slope_ * (low - high) + self.intercept_)


class Beta(ProblemCalibrator):
    """Beta calibration: logistic(a ln s - b ln(1 - s) + c) with a, b >= 0, by maximum likelihood.

    The form follows from a quotient of two Beta densities. Clipping and targets are those of `Platt`; a = b = 1 and
    c = 0 leave scores as they are.

    Attributes
    ----------
    a_, b_, c_ : float

    See Also
    --------
    Platt : The case a = b.

    References
    ----------
    Kull, Silva Filho and Flach 2017, "Beta calibration", equation 4.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> cv.Beta().fit(cv.lens("class malignant")(p))([0.0, 0.5, 1.0]).round(2)
    array([0.01, 0.62, 0.97])
    """

    short_name = "beta"
    keeps_ranking = True

    def _fit(self, problem: ScalarProblem) -> None:
        low, high = _take_logs(problem.score)
        features, observed = np.stack([low, -high]), _smooth_targets(problem)
        # The loss is convex: where its minimum breaks a bound, the constrained minimum has a or b at 0.
        for choices in ([(0, 1)], [(0,), (1,)], [()]):
            candidates = []
            for chosen in choices:
                slopes, intercept, loss = _fit_logistic(features[list(chosen)], *observed)
                if (slopes >= 0).all():
                    full = np.zeros(2)
                    full[list(chosen)] = slopes
                    candidates.append((loss, *full.tolist(), intercept))
            if candidates:
                _, self.a_, self.b_, self.c_ = min(candidates)
                return

    def _map(self, score: Array) -> Array:
        low, high = _take_logs(score)
        return expit(self.a_ * low - self.b_ * high + self.c_)


def _take_logs(score: Array) -> tuple[Array, Array]:
    """ln s and ln(1 - s)."""
    low = np.log(np.clip(score, SMALLEST_PROBABILITY, 1.0))
    return low, np.log(np.clip(1.0 - score, SMALLEST_PROBABILITY, 1.0))


def _smooth_targets(problem: ScalarProblem) -> tuple[Array, Array | None]:
    """Platt's targets, and the weights."""
    n = min(problem.effective_size, LARGEST_SIZE)
    ones = n * min(max(problem.mean_target, 0.0), 1.0)
    least, most = 1 / (n - ones + 2), (ones + 1) / (ones + 2)
    return least + (most - least) * np.clip(problem.target, 0.0, 1.0), problem.given_weight


def _fit_logistic(features: Array, target: Array, weight: Array | None) -> tuple[Array, float, float]:
    """Slopes of the features, shape (m, n), intercept and mean loss of a logistic regression."""
    share = np.full(len(target), 1 / len(target)) if weight is None else weight / weight.sum()
    centre = features @ share
    width = np.sqrt(((features - centre[:, None]) ** 2) @ share)
    useful = width > 1e-12 * (1 + np.abs(centre))  # a constant feature repeats the intercept
    centred = (features[useful] - centre[useful, None]) / width[useful, None]
    design = np.concatenate([centred, np.ones((1, len(target)))]).T
    mean = dot(share, target)
    start = np.zeros(design.shape[1])
    start[-1] = np.log(mean / (1 - mean))
    coefficients = fitted_logistic(design, target, share, start, GRADIENT_TOLERANCE)
    slopes = np.zeros(len(features))
    slopes[useful] = coefficients[:-1] / width[useful]
    return slopes, float(coefficients[-1] - slopes @ centre), loss_of(design @ coefficients, target, share)
