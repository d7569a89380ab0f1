"""The GCE family: 32 metrics that differ in five choices (gce_measuring section 4 and appendix C)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..context.class_lenses import Classwise, Pooled, Top1ByClass
from ..context.conditions import Condition
from ..context.induced import induced_problem
from ..context.lenses import Lens, Top1
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.binning import Binning, EqualMass, Uniform, bin_series
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from .binned import errors_of_series

Array = NDArray[np.float64]

BINNINGS: Mapping[str, Callable[[int], Binning]] = {"uniform": Uniform, "equal-mass": EqualMass}
OF_THE_PAPER = {"even": "uniform", "adaptive": "equal-mass"}
NORMS = {"l1": 1.0, "l2": 2.0}
THRESHOLDS = (0.0, 0.01)
BINS = 15


@dataclass(frozen=True)
class GCE:
    """One metric of the family: call it with predictions, or see `general_calibration_error`.

    Parameters
    ----------
    binning : {"uniform", "equal-mass"}
        Or, in the words of the paper, "even" or "adaptive".
    max_prob : bool
        Look at the largest probability of each row only, or at all.
    class_conditional : bool
        Average over the classes: those predicted under `max_prob`, else those of the columns.
    threshold : float, in [0, 1)
        Above 0, scores must exceed it, and a slice counts those that do. At 0 every score counts, exact zeros too.
    norm : {"l1", "l2"}
        With "l2" the root is taken at the very end.

    See Also
    --------
    general_calibration_error : The same metric, called with its choices.
    gce_variants : All 32 of them at once.
    GCE_METRICS : Those that have a name of their own.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.GCE("equal-mass", norm="l2")(p, bins=20), 3)
    0.239
    """

    binning: str = "uniform"
    max_prob: bool = True
    class_conditional: bool = False
    threshold: float = 0.0
    norm: str = "l1"

    def __post_init__(self) -> None:
        if isinstance(self.binning, str):
            object.__setattr__(self, "binning", OF_THE_PAPER.get(self.binning, self.binning))
        validation.choice(self.binning, "binning", tuple(BINNINGS))
        validation.choice(self.norm, "norm", tuple(NORMS))
        for name in ("max_prob", "class_conditional"):
            validation.truth(getattr(self, name), name)
        if validation.real_number(self.threshold, "threshold", 0.0, 1.0) == 1.0:
            raise ValueError("threshold must be below 1: no score exceeds 1")

    @property
    def name(self) -> str:
        """The metric's own name where it has one, such as "ACE", else its five choices."""
        for name, metric in GCE_METRICS.items():
            if metric == self:
                return name
        scores = "max prob" if self.max_prob else "all probs"
        slices = ", by class" if self.class_conditional else ""
        above = f", > {self.threshold:g}" if self.threshold else ""
        return f"GCE {self.binning}, {scores}{slices}{above}, {self.norm}"

    def __call__(self, predictions: Predictions, bins: int = BINS, selection: str | Condition | None = None) -> float:
        return float(
            gce_values(
                predictions,
                [bins],
                {self.binning: BINNINGS[self.binning]},
                [self.max_prob],
                [self.class_conditional],
                [self.threshold],
                [self.norm],
                selection,
            ).item()
        )


GCE_METRICS = {
    "ECE": GCE(),
    "class-conditional ECE": GCE(class_conditional=True),
    "SCE": GCE(max_prob=False, class_conditional=True),
    "ACE": GCE("equal-mass", max_prob=False, class_conditional=True),
    "TACE": GCE("equal-mass", max_prob=False, class_conditional=True, threshold=0.01),
    "RMSCE": GCE("equal-mass", norm="l2"),
}


def gce_variants() -> list[GCE]:
    """The 32 metrics in the order of gce_measuring, appendix C.

    See Also
    --------
    general_calibration_error : One of them.

    Examples
    --------
    >>> cv.gce_variants()[24].name
    'ACE'
    """
    axes = (BINNINGS, (True, False), (True, False), THRESHOLDS, NORMS)
    return [GCE(*choice) for choice in itertools.product(*axes)]


@takes_arrays
def general_calibration_error(
    predictions: Predictions,
    *,
    binning: str = "uniform",
    max_prob: bool = True,
    class_conditional: bool = False,
    threshold: float = 0.0,
    norm: str = "l1",
    bins: int = BINS,
    selection: str | Condition | None = None,
) -> float:
    """General calibration error (gce_measuring section 4 and appendix C).

    `GCE_METRICS` holds the named ones: ECE, class-conditional ECE, SCE, ACE, TACE and RMSCE. SCE and ACE are the
    errors of the "classwise" lens in uniform and in equal-mass bins.

    Parameters
    ----------
    predictions : Predictions, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    binning, max_prob, class_conditional, threshold, norm
        The five choices, see `GCE`. By default the ECE.
    bins : int, at least 1
    selection : condition or its text, optional

    Returns
    -------
    float, in [0, 1]
        A slice in which no score exceeds the threshold adds 0.

    Raises
    ------
    ValueError
        Where the selection keeps no sample, or an argument does not fit the predictions.

    See Also
    --------
    GCE : The same as an object, which takes predictions and bins.
    gce_variants : All 32 metrics.
    calibration_error : Errors of a lens.

    Notes
    -----
    (sum_k sum_b n_kb / n_k |sbar_kb - tbar_kb|^q / K')^(1/q) over the slices k and their bins b, where q is 1 for "l1"
    and 2 for "l2", n_k counts the scores of the slice that exceed the threshold, or all of them at threshold 0, and K'
    is K where the classes are averaged, else 1.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> round(cv.general_calibration_error(p, binning="equal-mass", max_prob=False), 3)
    0.031
    """
    return GCE(binning, max_prob, class_conditional, threshold, norm)(predictions, bins, selection)


def gce_values(
    predictions: Predictions,
    bins: Iterable[int] = (BINS,),
    binnings: Mapping[str, Callable[[int], Binning]] = BINNINGS,
    max_probs: Sequence[bool] = (True, False),
    class_conditionals: Sequence[bool] = (True, False),
    thresholds: Sequence[float] = THRESHOLDS,
    norms: Sequence[str] = tuple(NORMS),
    selection: str | Condition | None = None,
) -> Array:
    """Many metrics of the family at once, each slice of the predictions made and sorted only once.

    Returns
    -------
    ndarray, over binning, max_prob, class_conditional, threshold, norm and bins
        Of confidences in a predicted class, nan for those by predicted class and for those of all classes in one.
    """
    counts = [validation.whole_number(b, "bins", 1) for b in bins]
    shape = (len(binnings), len(max_probs), len(class_conditionals), len(thresholds), len(norms), len(counts))
    values = np.zeros(shape)
    series: list[list[Binning]] = [[make(b) for b in counts] for make in binnings.values()]
    powers = np.array([NORMS[norm] for norm in norms])
    for (i, max_prob), (j, conditional) in itertools.product(enumerate(max_probs), enumerate(class_conditionals)):
        if max_prob == conditional and values.size > values[:, i, j].size and predictions.of_confidence:
            values[:, i, j] = np.nan  # the lenses refuse them; asked for alone, they say why
            continue
        slices, divisor = _slices(predictions, max_prob, conditional, selection)
        for part in slices:
            for t, threshold in enumerate(thresholds):
                try:
                    above = part.above(threshold) if threshold > 0 else part
                except EmptyProblemError:
                    continue
                for b, binning in enumerate(series):
                    made, starts = bin_series(above, binning)
                    for m, power in enumerate(powers):
                        values[b, i, j, t, m] += errors_of_series(made, starts, p=power) ** power / divisor
    return values ** (1.0 / powers[:, None])


def _slices(
    predictions: Predictions, max_prob: bool, class_conditional: bool, selection: str | Condition | None
) -> tuple[Iterator[ScalarProblem], int]:
    lenses: dict[tuple[bool, bool], Lens] = {
        (True, True): Top1ByClass(),
        (True, False): Top1(),
        (False, True): Classwise(),
        (False, False): Pooled(),
    }
    problem = induced_problem(predictions, lenses[bool(max_prob), bool(class_conditional)], selection)
    if isinstance(problem, ProblemFamily):
        return iter(problem), len(problem.outcomes)
    assert isinstance(problem, ScalarProblem)
    return iter([problem]), 1
