"""The kernel calibration error: whole rows compared by pairs, without bins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..context.conditions import Condition
from ..context.induced import Judged, induced_problem
from ..context.lenses import Lens
from ..data.models import takes_arrays
from ..engine.vector import VectorProblem
from ..foundation import validation
from ..foundation.arrays import Array

MOST_WHOLE, BLOCK = 5_000, 2_000  # rows of which all pairs are looked at, and of a block where there are more
OF_BANDWIDTH = 1_000  # rows whose distances make the bandwidth
ROWS_AT_ONCE = 200  # of a block of pairs


class KernelError(float):
    """A kernel calibration error; see `kernel_error`.

    Attributes
    ----------
    squared : float
        The estimate of its square, which has no bias and may be below 0.
    bandwidth : float, above 0
        The distance over which rows count as neighbours.

    See Also
    --------
    kernel_error : Makes it.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"].select(range(200))
    >>> cv.kernel_error(p).squared > 0
    True
    """

    squared: float
    bandwidth: float

    def __new__(cls, squared: float, bandwidth: float) -> KernelError:
        made = super().__new__(cls, np.sqrt(max(0.0, squared)))
        made.squared, made.bandwidth = squared, bandwidth
        return made

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return self.squared, self.bandwidth


@takes_arrays
def kernel_error(
    predictions: Judged,
    lens: str | Lens = "full",
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    bandwidth: float | None = None,
    blocks: int | None = None,
) -> KernelError:
    """The squared kernel calibration error, and its root: do rows with similar probabilities err alike?

    It looks at all classes at once and has no bins. Its value has no unit that anybody knows:
    ``cv.consistency(p, "full", error=cv.kernel_error)`` says whether it is beyond noise. It sees classes that are
    shifted, and hardly sees rows that are too sure; the k-d tree sees these.

    Parameters
    ----------
    predictions : Predictions, a vector problem, or probabilities of shape (n, K)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name
        One with several outcomes of each sample, such as "full" or "top-5".
    selection, outcome
        As in `calibration_error`.
    bandwidth : float, above 0, optional
        By default the median distance of all pairs of rows, of the first 1,000 of more.
    blocks : int, at least 2, optional
        Only pairs within so many rows in a row are compared; by default 2,000 of more than 5,000.

    Returns
    -------
    KernelError
        A float, the root of the square, at least 0; with `squared` and `bandwidth`.

    Raises
    ------
    ValueError
        For a lens with one score a sample, and of a single sample.

    See Also
    --------
    consistency : Tests it.
    calibration_error : With `KDTree` the error of whole rows in bins.

    Notes
    -----
    The square is the weighted mean of exp(-TV(g_i, g_j) / nu) <t_i - g_i, t_j - g_j> over pairs i < j, with TV half the
    sum of absolute differences. Pairs of one cluster are left out.

    References
    ----------
    Widmann, Lindsten and Zachariah 2019, Calibration tests in multi-class classification, equation 3 (SKCE_uq).

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"].select(range(200))
    >>> round(cv.kernel_error(p), 3)
    0.044
    """
    if bandwidth is not None:
        bandwidth = validation.real_number(bandwidth, "bandwidth", 0.0)
        if not bandwidth:
            raise ValueError("bandwidth must be above 0")
    blocks = None if blocks is None else validation.whole_number(blocks, "blocks", 2)
    is_of_lens = not isinstance(predictions, VectorProblem)
    problem = induced_problem(predictions, lens if is_of_lens else None, selection, outcome)
    if not isinstance(problem, VectorProblem):
        raise ValueError("kernel_error compares whole rows: choose a lens with several outcomes, such as 'full'")
    if len(problem) < 2:
        raise ValueError("kernel_error compares pairs of samples, but there is one alone")
    score = problem.score.astype(np.float64)
    nu = _bandwidth(score[:OF_BANDWIDTH]) if bandwidth is None else bandwidth
    size = blocks or (len(problem) if len(problem) <= MOST_WHOLE else BLOCK)
    gap, weight, codes = problem.target_rows() - score, problem.weight / problem.weight.max(), problem.cluster_codes
    total = pairs = 0.0
    for start in range(0, len(score), size):
        block = slice(start, start + size)
        of_cluster = None if codes is None else codes[block]
        added, counted = _sums(score[block], gap[block], weight[block], of_cluster, nu)
        total, pairs = total + added, pairs + counted
    if not pairs:
        raise ValueError(f"kernel_error compares {_why_no_pairs(codes)}")
    return KernelError(total / pairs, nu)


def _why_no_pairs(codes: NDArray[np.intp] | None) -> str:
    if codes is None:
        return "pairs of samples, but no block holds two whose weights can be multiplied: pass larger blocks"
    said = "samples of different clusters, but"
    if len(np.unique(codes)) == 1:
        return f"{said} there is one cluster alone"
    return f"{said} no block holds two samples of different clusters: pass larger blocks"


def _distances(some: Array, others: Array) -> Array:
    """The total variation of each row of some from each of others."""
    apart = np.zeros((len(some), len(others)))
    for one, other in zip(some.T, others.T, strict=True):
        apart += np.abs(one[:, None] - other)
    return apart / 2


def _bandwidth(score: Array) -> float:
    """The median distance of all pairs; 1 where all rows are equal."""
    found = float(np.median(_distances(score, score)[np.triu_indices(len(score), 1)]))
    return found or 1.0


def _sums(
    score: Array, gap: Array, weight: Array, codes: NDArray[np.intp] | None, bandwidth: float
) -> tuple[float, float]:
    """The weighted sum over pairs i < j, and that of their weights."""
    total = pairs = 0.0
    for start in range(0, len(score), ROWS_AT_ONCE):
        rows = np.arange(start, min(start + ROWS_AT_ONCE, len(score)))
        after = slice(start, None)
        counts = weight[rows, None] * weight[after] * (np.arange(start, len(score)) > rows[:, None])
        if codes is not None:
            counts = counts * (codes[rows, None] != codes[after])
        near = np.exp(-_distances(score[rows], score[after]) / bandwidth)
        total += float((counts * near * (gap[rows] @ gap[after].T)).sum())
        pairs += float(counts.sum())
    return total, pairs
