"""Newton's method for the minimum of a smooth convex function of a few variables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .arrays import Array
from .cancellation import check

MOST_STEPS = 500
SUFFICIENT_DECREASE = 1e-4  # share of the decrease that the slope promises (Armijo 1966)
ROUNDING = 1e-14  # relative error of a loss
LEAST_DAMPING, MOST_DAMPING = 1e-8, 1e16


def minimum(
    loss: Callable[[Array], tuple[float, Array]], hessian: Callable[[Array], Array], start: Array, flat: float
) -> Array:
    """The minimum of a convex loss by Newton's method, damped where its step would not lead down (Levenberg 1944).

    `loss` gives the loss and its gradient. The search stops where the norm of the gradient is at most `flat`, or where
    rounding leaves nothing to gain.
    """
    x, damping = start, 0.0
    value, slope = loss(x)
    for _ in range(MOST_STEPS):
        size = float(np.linalg.norm(slope))
        if size <= flat:
            break
        curvature = hessian(x)
        unit = max(float(np.trace(curvature)) / len(x), size)  # under a damping of 1 no step is longer than 1
        while True:
            check()
            step = _step_downhill(curvature, slope, damping * unit)
            if step is not None:
                new, new_slope = loss(x + step)
                # Close to the minimum, rounding hides that the loss falls, but the gradient still shows it.
                is_flatter = new <= value + ROUNDING * abs(value) and np.linalg.norm(new_slope) < size / 2
                if new <= value + SUFFICIENT_DECREASE * float(slope @ step) or is_flatter:
                    break
            damping = max(10 * damping, LEAST_DAMPING)
            if damping > MOST_DAMPING:
                return x
        x, value, slope = x + step, new, new_slope
        damping = damping / 100 if damping > LEAST_DAMPING else 0.0
    return x


def _step_downhill(curvature: Array, slope: Array, added: float) -> Array | None:
    """Newton's step with `added` on the diagonal of the curvature; None where that matrix is not positive definite."""
    try:
        factor = np.linalg.cholesky(curvature + added * np.eye(len(slope)))
    except np.linalg.LinAlgError:
        return None
    step = -np.linalg.solve(factor.T, np.linalg.solve(factor, slope))
    return step if np.isfinite(step).all() and slope @ step < 0 else None
