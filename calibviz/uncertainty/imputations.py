"""Numbers of several imputations of the same samples, pooled by Rubin's rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from ..context.conditions import Condition
from ..context.lenses import Lens
from ..data.models import checked
from ..data.predictions import Predictions
from ..data.sample_fields import named_column
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.clusters import of_several
from ..foundation.written import chosen_percent, counted, number as written
from ..metrics.clinical.estimates import calibration_intercept, calibration_slope, observed_expected

LEVEL = 0.95
#: What may be pooled by name, and whether its logarithm is.
NUMBERS: dict[str, tuple[Callable[..., Any], bool]] = {
    "observed_expected": (observed_expected, True),
    "calibration_intercept": (calibration_intercept, False),
    "calibration_slope": (calibration_slope, False),
}


@dataclass(frozen=True)
class PooledEstimate:
    """A number over several imputations; see `rubin`.

    Attributes
    ----------
    estimate, lower, upper : float
    df : float
        Degrees of freedom of the interval.
    within, between : float
        The mean variance of each imputation, and the variance between these; of O:E those of its logarithm.
    imputations : int
    level : float

    See Also
    --------
    rubin : Makes it.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> score = rng.uniform(0.2, 0.8, 200)
    >>> stacked = np.clip(np.concatenate([score + rng.normal(0, 0.02, 200) for _ in range(5)]), 0, 1)
    >>> imp = np.repeat(np.arange(5), 200)
    >>> p = cv.Predictions(stacked, np.tile(rng.random(200) < score, 5), fields={"imp": imp})
    >>> cv.rubin(p, "observed_expected", "imp").imputations
    5
    """

    estimate: float
    lower: float
    upper: float
    df: float
    within: float
    between: float
    imputations: int
    level: float

    def __repr__(self) -> str:
        return (
            f"<PooledEstimate {written(self.estimate)}, {chosen_percent(self.level)} {written(self.lower)} to "
            f"{written(self.upper)}, of {counted(self.imputations, 'imputation')}>"
        )


def rubin(
    predictions: Predictions,
    number: str | Callable[[Predictions], Any],
    imputation: str | ArrayLike,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    level: float = LEVEL,
) -> PooledEstimate:
    """A number over several imputations of missing inputs, by Rubin's rules: they add noise, and no samples.

    Parameters
    ----------
    predictions : Predictions
        The rows of all imputations, one below the other.
    number : {"observed_expected", "calibration_intercept", "calibration_slope"}, or function of predictions
        A function returns an object with `estimate` and `standard_error`.
    imputation : str, or array-like of shape (n,)
        The field that tells the imputation of each row, or its values.
    lens, selection, outcome
        As in `observed_expected`.
    level : float, in (0, 1)

    Returns
    -------
    PooledEstimate
        With estimate, lower, upper, df, within and between.

    Raises
    ------
    TypeError, ValueError
        For one imputation alone, imputations of unequal size, and a number without a standard error.

    See Also
    --------
    observed_expected, calibration_intercept, calibration_slope : What is pooled.
    Predictions : With `cluster=` the patient, tests look at the rows of all imputations at once; these numbers stay.

    Notes
    -----
    With v the variance of each of M estimates, W their mean and B the variance of the estimates: T = W + (1 + 1/M) B,
    l = (1 + 1/M) B / T, and the degrees of freedom 1 / (l^2 / (M - 1) + 1 / d), d = n (n - 1) (1 - l) / (n + 2), n rows
    of one imputation. The interval is the mean +- t sqrt(T); O:E is pooled as its logarithm.

    References
    ----------
    Rubin 1987; Barnard and Rubin 1999, Small-sample degrees of freedom with multiple imputation.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> score = rng.uniform(0.2, 0.8, 200)
    >>> stacked = np.clip(np.concatenate([score + rng.normal(0, 0.02, 200) for _ in range(5)]), 0, 1)
    >>> imp = np.repeat(np.arange(5), 200)
    >>> p = cv.Predictions(stacked, np.tile(rng.random(200) < score, 5), fields={"imp": imp})
    >>> alone = cv.observed_expected(p.with_cluster(False))  # as if there were 1,000 people
    >>> pooled = cv.rubin(p, "observed_expected", "imp")
    >>> (pooled.upper - pooled.lower) > 2 * (alone.upper - alone.lower)
    True
    """
    level = validation.level(level)
    of, is_log = _number(number, {"lens": lens, "selection": selection, "outcome": outcome})
    name, column = named_column(imputation, "imputation", checked(predictions).fields, len(predictions))
    values, codes = np.unique(column, return_inverse=True)
    sizes = np.bincount(codes)
    if len(values) < 2:
        raise ValueError(f"imputation: {name!r} names one imputation alone: it takes two or more")
    if np.ptp(sizes):
        least, most = int(np.argmin(sizes)), int(np.argmax(sizes))
        raise ValueError(
            f"imputation: {name!r} has {counted(int(sizes[least]), 'row')} of {values[least].item()!r} and "
            f"{sizes[most]:,} of {values[most].item()!r}: each imputation holds the same samples"
        )
    parts = [predictions.select(np.flatnonzero(codes == k)) for k in range(len(values))]
    # Patients whom the imputations share are clusters of all rows, and one row each of an imputation.
    are_rows = [part.cluster_codes is not None and of_several(part.cluster_codes) is None for part in parts]
    found = [of(part.with_cluster(False) if own else part) for part, own in zip(parts, are_rows, strict=True)]
    y, v = (np.array([_float(one, name) for one in found]) for name in ("estimate", "standard_error"))
    y, v = np.log(y) if is_log else y, v**2
    return _pooled(y, v, int(sizes[0]), is_log, level)


def _number(
    number: str | Callable[[Predictions], Any], looked_at: dict[str, Any]
) -> tuple[Callable[[Predictions], Any], bool]:
    """The number of one imputation, and whether its logarithm is pooled."""
    if not isinstance(number, str):
        if not callable(number) or isinstance(number, type):
            raise TypeError(f"number must be a name or a function of predictions, not {validation.shown(number)}")
        if given := [name for name, value in looked_at.items() if value is not None]:
            raise ValueError(f"{given[0]}: a function of predictions looks through its own, so leave it out")
        return number, False
    measure, is_log = NUMBERS[validation.choice(number, "number", tuple(NUMBERS))]
    return (lambda predictions: measure(predictions, **looked_at)), is_log


def _float(found: Any, name: str) -> float:
    try:
        value = float(getattr(found, name))
    except (AttributeError, TypeError, ValueError):
        raise TypeError(
            f"number must return an object with {name}, a number; it returned {type(found).__name__}"
        ) from None
    if not np.isfinite(value):
        raise ValueError(f"number: its {name} is {value} in an imputation: nothing can be pooled")
    return value


def _pooled(y: Array, v: Array, n: int, is_log: bool, level: float) -> PooledEstimate:
    m, within, between = len(y), float(v.mean()), float(y.var(ddof=1))
    added = (1 + 1 / m) * between
    total = within + added
    share = added / total
    observed = n * (n - 1) * (1 - share) / (n + 2)
    df = 1 / (share**2 / (m - 1) + 1 / observed)
    reach = float(stdtrit(df, (1 + level) / 2) * np.sqrt(total))
    shown = np.exp if is_log else float
    mean = float(y.mean())
    estimate, lower, upper = (float(shown(value)) for value in (mean, mean - reach, mean + reach))
    return PooledEstimate(estimate, lower, upper, float(df), within, between, m, level)
