"""Selections that look at the truth: which rows could be selected, and by which chance, if the rows are calibrated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.predictions import Predictions
from ..engine.by_truth import ByTruth, Undrawn
from ..engine.chances import Chances
from ..engine.deferred import reweighted
from ..engine.scalar import AS_THEY_WERE, FOLLOWING, ScalarProblem
from ..foundation.arrays import Array
from ..foundation.cache import lazy_property
from ..foundation.validation import WayOutError
from .class_lenses import Pooled
from .conditions import Condition
from .lenses import Lens

Mask = NDArray[np.bool_]

OF_MAPPED_ENTRIES = "a calibrator of scores moves the entries of a row one by one, so no label can be drawn from it"
OF_ENTRIES = "the scores of a sample share its label"
OF_SUMS = "sums have lost the samples that it leaves out"
OF_SOFT_LABELS = "the labels are soft, so no label is true"
OF_OTHER_TARGETS = "the lens {!r} makes targets of a label that are neither 0 nor 1"


def looks_at_truth(selection: Condition | None) -> bool:
    """Whether a selection depends on the labels."""
    return selection is not None and (selection.uses("correct") or selection.uses("label"))


@dataclass(eq=False)
class TruthSelection(ByTruth):
    """A selection by truth of predictions that are seen through a lens."""

    predictions: Predictions
    lens: Lens
    condition: Condition
    mapped: bool  # whether a calibrator has changed the scores
    #: Returns the problem of all samples, and the score of each that the condition looks at, if it looks at one.
    whole: Callable[[], tuple[ScalarProblem, Array | None]]

    @lazy_property
    def chances(self) -> Chances:
        """The chances of each row, selected or not, by its probabilities: every label is tried."""
        p, n = self.predictions, len(self.predictions)
        if p.squared_weights is not None:
            raise WayOutError(FOLLOWING, AS_THEY_WERE)
        whole, output = self.whole()
        source = p if p.base is None else p.base
        _ = source.predicted  # found once for all labels
        score, seen = np.zeros(n), np.zeros(n, np.bool_)
        score[whole.order], seen[whole.order] = np.clip(whole.score, 0.0, 1.0), True
        hit, miss, rest = np.zeros((3, n))
        for k in range(p.n_classes):
            labelled = source.relabelled(np.full(n, k), p.weights)
            chosen = self.condition.mask(labelled, output)
            if self.mapped:  # of two classes, whose chances the one score says
                true = self._true(labelled, np.flatnonzero(seen))
                chance = np.where(true, score, 1 - score)
            else:
                true = self._true(labelled, np.flatnonzero(chosen & seen))
                chance = p.probs[:, k].astype(np.float64)
            hit += np.where(chosen & true, chance, 0.0)
            miss += np.where(chosen & ~true, chance, 0.0)
            rest += np.where(chosen, 0.0, chance)
        together = hit + miss + rest
        certain = rest == 0  # which rounding in the probabilities of a row does not change
        hit, miss = np.where(certain, score, hit / together), np.where(certain, 1 - score, miss / together)
        rest = rest / together
        kept = self.condition.mask(p, output) & seen
        taken = (kept | (hit + miss > 0)).take(whole.order)
        rows = reweighted(whole, taken if whole.given_weight is None else taken * whole.given_weight)
        score, hit, miss, rest, kept = (each[rows.order] for each in (score, hit, miss, rest, kept))
        return Chances(score, hit, miss, rest, rows, kept, whole.total)

    def _true(self, labelled: Predictions, rows: NDArray[np.intp]) -> Mask:
        """Which rows are true under the labels they are given, shape (n,); only some rows are looked at."""
        true = np.zeros(len(labelled), np.bool_)
        if not len(rows):
            return true
        if 2 * len(rows) < len(labelled):
            labelled, places = labelled.select(rows), rows
        else:
            places = np.arange(len(labelled))
        problem = self.lens(labelled)
        assert isinstance(problem, ScalarProblem)
        if not problem.is_binary:
            raise ValueError(OF_OTHER_TARGETS.format(self.lens.name))
        true[places[problem.order]] = problem.given_target
        return true


def truth_selection(
    predictions: Predictions,
    lens: Lens,
    condition: Condition,
    mapped: bool,
    whole: Callable[[], tuple[ScalarProblem, Array | None]],
) -> ByTruth:
    """How a selection by truth came about, or why no label can be drawn after it; see `TruthSelection`."""
    if isinstance(lens, Pooled):
        return Undrawn(OF_ENTRIES)
    if predictions.labels is None:
        return Undrawn(OF_SOFT_LABELS)
    if mapped and predictions.n_classes > 2:
        return Undrawn(OF_MAPPED_ENTRIES)
    return TruthSelection(predictions, lens, condition, mapped, whole)
