"""Families of scalar problems, whose errors are averaged: one problem a class."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..foundation.arrays import ENTRIES_OF_A_THREAD
from ..foundation.threads import in_turn
from ..foundation.validation import listed
from ..foundation.written import counted
from .scalar import EmptyProblemError, ScalarProblem, Weighted

T = TypeVar("T", float, NDArray[np.float64])
#: Problems that one thread looks at: as many columns of float32 as a line of the processor's cache holds.
COLUMNS_TOGETHER = 16


class ProblemFamily:
    """Scalar problems, made one after the other so that few are held at once; their error is the mean error.

    Parameters
    ----------
    outcomes : tuple of K names
    part : function of the number of an outcome
        Its `ScalarProblem`; raises `EmptyProblemError` where no sample belongs to it.
    samples : int
        Number of samples n of the whole; whole-number weights count repetitions.
    nbytes : int
        Of what it holds beside the predictions that it was made of.

    See Also
    --------
    lens : Those named "classwise" and "top-1 by class" make one.
    ScalarProblem : What each of its parts is.

    Examples
    --------
    >>> p = cv.load_dataset("digits")["random forest"]
    >>> cv.lens("classwise")(p)
    <ProblemFamily 1,797 samples, 10 problems: '0', '1', '2', '3', '4', '5', ... (10 in all)>
    """

    is_scalar = False

    def __init__(
        self, outcomes: tuple[str, ...], part: Callable[[int], ScalarProblem], samples: int, nbytes: int = 0
    ) -> None:
        if not samples:
            raise EmptyProblemError
        self.outcomes = outcomes
        self.outcome = part
        self.nbytes = nbytes
        self.samples = samples

    def __len__(self) -> int:
        return min(self.samples, sys.maxsize)  # which whole-number weights may exceed

    def __repr__(self) -> str:
        problems = counted(len(self.outcomes), "problem")
        return f"<ProblemFamily {counted(self.samples)}, {problems}: {listed(self.outcomes, 6)}>"

    def __iter__(self) -> Iterator[ScalarProblem]:
        """The problems that hold samples."""
        return (part for _, part in self.numbered())

    def numbered(self, among: range | None = None) -> Iterator[tuple[int, ScalarProblem]]:
        """Yield each problem with the number of its outcome; only those `among` some numbers, if they are given."""
        for index in range(len(self.outcomes))[slice(None) if among is None else slice(among.start, among.stop)]:
            try:
                part = self.outcome(index)
            except EmptyProblemError:
                continue
            yield index, part

    def mean(self, estimate: Callable[[ScalarProblem], T], shares: NDArray[np.float64] | None = None) -> T:
        """The mean of an estimate, a number or an array, over all K problems; one without samples adds 0.

        With `shares`, shape (K,), of sum 1, some problems count more than others. Of many samples several problems are
        looked at at once, each in a thread.

        See Also
        --------
        numbered : Its problems, to look at each of them.
        ClassWeighted : A mean in which some classes weigh more.
        """
        times = np.ones(len(self.outcomes)) if shares is None else shares * len(self.outcomes)
        estimates: dict[int, Any] = {}

        def work(group: int) -> None:
            for index, part in self.numbered(range(group * COLUMNS_TOGETHER, (group + 1) * COLUMNS_TOGETHER)):
                estimates[index] = times[index] * estimate(part)

        groups = -(-len(self.outcomes) // COLUMNS_TOGETHER)
        in_turn(work, groups, len(self) * len(self.outcomes) // ENTRIES_OF_A_THREAD)
        if not estimates:  # all weights are 0
            raise EmptyProblemError
        return np.sum([estimates[index] for index in sorted(estimates)], axis=0) / len(self.outcomes)


def refuse_family(problem: Any) -> None:
    """Raise where bins are asked of a family of problems, each of which has bins of its own, or of no problem."""
    if isinstance(problem, ProblemFamily):
        raise ValueError(
            f"this lens makes {len(problem.outcomes)} problems, each with bins of its own: choose one with outcome=..."
        )
    if not isinstance(problem, Weighted):
        raise TypeError(
            "problem must be what a lens makes of predictions, such as cv.lens('top-1')(predictions), "
            f"not {type(problem).__name__}"
        )
