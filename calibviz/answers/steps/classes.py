"""The errors of classes, of groups and of the levels of a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...context.induced import induced_problem
from ...context.lenses import Grouping, Outcome
from ...engine.binning_kinds import TREE, BinningKind
from ...engine.family import ProblemFamily
from ...engine.scalar import EmptyProblemError
from ...metrics.binned import error_series
from ..asked.spec import Spec
from ..situation.job import Steps
from ..situation.situation import Situation


def class_steps(trials: Sequence[ProblemFamily], spec: Spec, kind: BinningKind) -> Steps:
    """The error of every class at every setting: mean and spread over the trials, shape (2, K, settings).

    nan for those to come, and for classes without samples.
    """
    binnings = spec.settings(kind)
    spread = np.full((2, len(trials[0].outcomes), len(binnings)), np.nan)
    for c in range(spread.shape[1]):
        try:
            errors = [error_series(trial.outcome(c), binnings, *spec.error) for trial in trials]
        except EmptyProblemError:
            continue
        spread[:, c] = np.mean(errors, axis=0), np.std(errors, axis=0)
        yield (c + 1) / spread.shape[1], spread.copy()
    yield 1.0, spread


def group_steps(situation: Situation, names: Sequence[str]) -> Steps:
    """The errors of every group against the rest: mean and spread over the trials."""
    spec = situation.spec
    whole, binnings = spec.but(lens="grouping").make_lens(), spec.settings(situation.kind)
    spread = np.full((2, len(names), len(binnings)), np.nan)
    for i, name in enumerate(names):
        problems = [
            induced_problem(trial, Outcome(whole, name), situation.before.selection) for trial in situation.trials
        ]
        errors = [error_series(problem, binnings, *spec.error) for problem in problems]
        spread[:, i] = np.mean(errors, axis=0), np.std(errors, axis=0)
        yield (i + 1) / len(names), spread.copy()


def level_steps(situation: Situation, levels: Mapping[str, Any]) -> Steps:
    """The joint errors of every level of a hierarchy on k-d trees of every gamma, as in gece figure 12."""
    binnings = situation.spec.settings(TREE)
    spread = np.full((2, len(levels), len(binnings)), np.nan)
    for i, groups in enumerate(levels.values()):
        named = tuple((name, tuple(members)) for name, members in groups.items())
        problems = [induced_problem(trial, Grouping(named), situation.before.selection) for trial in situation.trials]
        errors = [error_series(problem, binnings, *situation.spec.error) for problem in problems]
        spread[:, i] = np.mean(errors, axis=0), np.std(errors, axis=0)
        yield (i + 1) / len(levels), spread.copy()
