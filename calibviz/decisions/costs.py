"""The cost of the cheapest actions, under probabilities and in truth (Elkan 2001)."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem, refuse_summary, single
from ..context.lenses import Lens
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..engine.vector import VectorProblem
from ..foundation import arrays, validation
from ..foundation.arrays import Array
from ..foundation.described import Described, described
from ..metrics.asked import lens_of_rows
from ..recalibration import Calibrator
from ..recalibration.registry import moved_by

EQUAL = 1e-12  # of the largest cost: expected costs that differ by less are equal


_COST = "units of the costs"
SAID = {
    "expected": Described("mean cost by the probabilities", _COST),
    "realized": Described("mean cost in truth", _COST),
    "perfect": Described("mean cost if the truth were known", _COST),
    "expected_regret": Described("mean cost above the reference's, if it is true", _COST),
    "realized_regret": Described("mean cost above the reference's, in truth", _COST),
    "share": Described("share of the samples for which the action is taken"),
    "constant": Described("mean cost of always taking the action", _COST),
}


@takes_arrays
def expected_cost(
    predictions: Judged,
    lens: str | Lens | None = None,
    *,
    costs: ArrayLike,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    reference: Any = None,
) -> xr.Dataset:
    """Return the cost of taking, for each sample, the action that is the cheapest by its probabilities.

    With p_k the probability of outcome k and c_ak the cost of action a under it, the action is the one with the least
    sum_k p_k c_ak. Costs that differ by rounding are equal, and the first of equal actions is taken.

    Parameters
    ----------
    predictions : Predictions, a problem, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    costs : array-like, shape (A, K)
        What each action costs where each outcome is true. There may be more actions than outcomes: "ask an expert".
    lens : lens or its name, optional
        The columns are its outcomes, by default all classes. A scalar lens has two: its target is 0, and
        it does.
    selection, outcome
        As in `calibration_error`.
    reference : Predictions of the same samples, or a fitted calibrator, optional
        Better probabilities, to ask what acting on `predictions` costs if these are true.

    Returns
    -------
    xarray.Dataset
        `expected`, the mean cost that the probabilities promise, `realized`, the mean cost in truth, and `perfect`, the
        mean cost if the truth were known. `expected_regret` and `realized_regret` are how much more these actions cost
        than those that are the cheapest by the reference: the first, at least 0, if the reference is true, the
        second, of either sign, in truth; both are nan without a reference. Over `action`: `share`, how often it is
        taken, and `constant`, the mean cost of always taking it.

    Raises
    ------
    ValueError
        Where the costs do not have a column for each outcome, one of them is not finite, or as `calibration_error`.

    See Also
    --------
    net_benefit : Two actions, with a threshold in place of costs.

    References
    ----------
    Elkan 2001, The foundations of cost-sensitive learning, equation 1.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["logistic regression"]
    >>> costs = [[0, 10], [1, 0]]  # of sending home and of a biopsy, if benign and if malignant
    >>> cv.expected_cost(p, costs=costs).realized.round(3).item()
    0.134
    """
    refuse_summary(predictions, "costs are paid for rows")
    lens = lens_of_rows(predictions, lens, outcome)
    problem = induced_problem(predictions, lens, selection, outcome)
    if isinstance(problem, ProblemFamily):
        single(problem)
    probs, target, weight, order = _rows_of(problem)
    price = _checked(costs, probs.shape[1])
    weight = weight / weight.sum()
    taken = _cheapest(probs, price)
    expected = weight @ (probs @ price.T)[np.arange(len(probs)), taken]
    paid = _paid(taken, target, price)
    regrets = np.nan, np.nan
    if reference is not None:
        better = _reference(reference, predictions, lens, outcome, order)
        other = _cheapest(better, price)
        rows = np.arange(len(better))
        if_true = better @ price.T
        regrets = (
            weight @ (if_true[rows, taken] - if_true[rows, other]),
            weight @ (paid - _paid(other, target, price)),
        )
    table = xr.Dataset(
        {
            "expected": float(expected),
            "realized": float(weight @ paid),
            "perfect": float(weight @ (target @ price.min(axis=0))),
            "expected_regret": float(regrets[0]),
            "realized_regret": float(regrets[1]),
            "share": ("action", np.bincount(taken, weight, len(price))),
            "constant": ("action", price @ (weight @ target)),
        },
        {"action": np.arange(len(price))},
    )
    return described(table, "Elkan 2001, equation 1", SAID)


def _rows_of(problem: Any) -> tuple[Array, Array, Array, NDArray[Any]]:
    """Probabilities and targets (n, K), weights (n,), and the sample that each row belongs to."""
    if isinstance(problem, ScalarProblem):
        probs, hits = (np.column_stack([1 - each, each]) for each in (problem.score, problem.given_target))
        return probs, hits, problem.weight, problem.order
    assert isinstance(problem, VectorProblem)
    score = np.asarray(problem.score, dtype=np.float64)
    target = problem.target
    if target.ndim == 1:
        target = np.eye(score.shape[1])[target]
    return score, np.asarray(target, dtype=np.float64), problem.weight, problem.order


def _reference(
    reference: Any, predictions: Judged, lens: str | Lens | None, outcome: int | str | None, order: NDArray[Any]
) -> Array:
    """The probabilities of the reference, shape (n, K), in the order of the judged samples."""
    if isinstance(reference, Calibrator):
        if not isinstance(predictions, Predictions):
            raise TypeError(f"{reference!r} maps rows of probabilities: pass cv.Predictions, not a problem")
        reference = moved_by(reference, predictions)
    elif callable(reference) and not isinstance(reference, type):
        problem = induced_problem(predictions, lens, None, outcome, reference)
        return _ordered(problem, order)
    if not isinstance(reference, Predictions) or not isinstance(predictions, Predictions):
        raise TypeError(
            f"reference must be cv.Predictions of the same samples, or a fitted calibrator, not "
            f"{type(reference).__name__}"
        )
    if reference.probs.shape != predictions.probs.shape:
        raise ValueError(
            f"reference has probabilities of shape {reference.probs.shape}, but predictions {predictions.probs.shape}"
        )
    return _ordered(induced_problem(reference, lens, None, outcome), order)


def _ordered(problem: Any, order: NDArray[Any]) -> Array:
    """The probabilities of a problem, its samples in the given order."""
    probs, _, _, own = _rows_of(problem)
    place = np.full(int(max(own.max(), order.max())) + 1, -1)
    place[own] = np.arange(len(own))
    if (place[order] < 0).any():
        raise EmptyProblemError("reference lacks samples of the predictions: their weight there is 0")
    return probs[place[order]]


def _cheapest(probs: Array, price: Array) -> NDArray[np.intp]:
    """The first action whose expected cost is the least, up to rounding."""
    cost = probs @ price.T
    near = cost <= cost.min(axis=1, keepdims=True) + EQUAL * np.abs(price).max()
    return near.argmax(axis=1)


def _paid(taken: NDArray[np.intp], target: Array, price: Array) -> Array:
    """Return the cost of each sample, given the action taken and the truth."""
    return np.einsum("ij,ij->i", price[taken], target)


def _checked(costs: ArrayLike, outcomes: int) -> Array:
    """The costs as an array, with a column for each outcome."""
    price = arrays.float_array(costs, "costs").astype(np.float64, copy=False)
    if price.ndim != 2 or price.shape[1] != outcomes or not len(price):
        raise ValueError(
            f"costs must have a row for each action and {outcomes} columns, one for each outcome, not the shape "
            f"{price.shape}"
        )
    arrays.refuse_where(~np.isfinite(price), price, "costs", 0, "every cost must be finite")
    return price


def prices(costs: ArrayLike, classes: int) -> np.ndarray:
    """The checked costs of actions: two columns, for the absence and presence of the outcome, or one for each class."""
    price = validation.float_values(costs, "costs", 2)
    columns = (2,) if classes == 2 else (2, classes)
    if price.shape[1] not in columns or not len(price) or not np.isfinite(price).all():
        wanted = " or ".join(map(str, columns))
        raise ValueError(
            f"costs must be finite numbers, a row for each action and {wanted} columns, one for each outcome, such as "
            f"[[0, 10], [1, 0]], not of the shape {price.shape}"
        )
    return price


def implied_threshold(price: np.ndarray) -> float | None:
    """The probability from which on the second of two actions is the cheaper one (Elkan 2001, equation 2).

    With c_ij the cost of action i under outcome j, t = (c_10 - c_00) / (c_10 - c_00 + c_01 - c_11). None for other
    numbers of actions and outcomes, or if the second action is never the cheaper one.
    """
    if price.shape != (2, 2):
        return None
    in_vain, missed = price[1, 0] - price[0, 0], price[0, 1] - price[1, 1]
    return float(in_vain / (in_vain + missed)) if in_vain >= 0 and missed > 0 else None
