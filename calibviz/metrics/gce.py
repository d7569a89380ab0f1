"""The GCE family: 32 metrics that differ in five choices (gce_measuring section 4 and appendix C)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..context.class_lenses import Classwise, Pooled, Top1ByClass
from ..context.conditions import Condition
from ..context.induced import induced_problem, single
from ..context.lenses import Lens, Top1
from ..data.models import takes_arrays
from ..data.predictions import Predictions
from ..engine.binnings.binning import Binning, EqualMass, Uniform, bin_series
from ..engine.family import ProblemFamily
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from .binned import errors_of_series

BINNINGS: Mapping[str, Callable[[int], Binning]] = {"uniform": Uniform, "equal-mass": EqualMass}
OF_THE_PAPER = {"even": "uniform", "adaptive": "equal-mass"}
NORMS = {"l1": 1.0, "l2": 2.0}
THRESHOLDS = (0.0, 0.01)
BINS = 15


@dataclass(frozen=True)
class GCE:
    """One metric of the family of general calibration errors (gce_measuring section 4 and appendix C).

    Call it with predictions, with the number of bins and with a selection. `GCE()` is the ECE; `GCE.named` gives the
    others that have a name. SCE and ACE are the errors of the "classwise" lens in uniform and in equal-mass bins.

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

    Notes
    -----
    ``(sum_k sum_b n_kb / n_k |sbar_kb - tbar_kb|^q / K')^(1/q)`` over the slices k and their bins b, where q is 1 for
    "l1" and 2 for "l2", n_k counts the scores of the slice that exceed the threshold, or all of them at threshold 0,
    and K' is K where the classes are averaged, else 1. A slice in which no score exceeds the threshold adds 0.

    See Also
    --------
    named : Those that have a name of their own.
    variants : All 32 of them.
    calibration_error : Errors of a lens.

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
        if self.own_name:
            return self.own_name
        scores = "max prob" if self.max_prob else "all probs"
        slices = ", by class" if self.class_conditional else ""
        above = f", > {self.threshold:g}" if self.threshold else ""
        return f"GCE {self.binning}, {scores}{slices}{above}, {self.norm}"

    @takes_arrays
    def __call__(self, predictions: Predictions, bins: int = BINS, selection: str | Condition | None = None) -> float:
        """The error of predictions, in so many bins, of the samples that a selection keeps."""
        binnings = {self.binning: BINNINGS[self.binning]}
        choices = [self.max_prob], [self.class_conditional], [self.threshold], [self.norm]
        return float(gce_values(predictions, [bins], binnings, *choices, selection).item())

    @property
    def own_name(self) -> str:
        """The metric's own name, such as "ACE"; empty where it has none."""
        return next((name for name, choices in _NAMED.items() if GCE(**choices) == self), "")

    @classmethod
    def named(cls, name: str) -> GCE:
        """The metric of a name: "ECE", "class-conditional ECE", "SCE", "ACE", "TACE" or "RMSCE".

        See Also
        --------
        variants : All 32 metrics.

        Examples
        --------
        >>> p = cv.load_dataset("digits")["random forest"]
        >>> round(cv.GCE.named("ACE")(p), 3)
        0.032
        """
        return cls(**_NAMED[validation.choice(name, "name", tuple(_NAMED))])

    @classmethod
    def variants(cls) -> list[GCE]:
        """The 32 metrics in the order of gce_measuring, appendix C.

        See Also
        --------
        named : Those that have a name of their own.

        Examples
        --------
        >>> cv.GCE.variants()[24].name
        'ACE'
        """
        axes = (BINNINGS, (True, False), (True, False), THRESHOLDS, NORMS)
        return [cls(*choice) for choice in itertools.product(*axes)]


_NAMED: Mapping[str, Mapping[str, Any]] = {
    "ECE": {},
    "class-conditional ECE": {"class_conditional": True},
    "SCE": {"max_prob": False, "class_conditional": True},
    "ACE": {"binning": "equal-mass", "max_prob": False, "class_conditional": True},
    "TACE": {"binning": "equal-mass", "max_prob": False, "class_conditional": True, "threshold": 0.01},
    "RMSCE": {"binning": "equal-mass", "norm": "l2"},
}


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
    """Many metrics of the family at once, over binning, max_prob, class_conditional, threshold, norm and bins.

    Each slice of the predictions is made and sorted only once. Of confidences in a predicted class, those by predicted
    class and those of all classes in one are nan.
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
    return iter([single(problem)]), 1
