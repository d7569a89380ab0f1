"""The error over the number of bins, and on fewer samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import xarray as xr

from ... import figures
from ...context.lenses import Problem
from ...engine.binnings.binning import Binning
from ...engine.binnings.binning_kinds import BinningKind
from ...engine.deferred import reweighted
from ...engine.family import ProblemFamily
from ...engine.scalar import ScalarProblem
from ...engine.vector import VectorProblem
from ...foundation.arrays import Array
from ...metrics.binned import error_series
from ...uncertainty.resampling.bootstrap import LEVEL, drawn_weights, level_of_clusters
from ...uncertainty.sensitivity import BIN_COUNTS, ErrorCurve, spread_of
from ..asked.spec import GAMMAS, Error, every_setting
from ..situation.job import Steps

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)  # of the samples, to see how the error spreads on fewer
FEWEST = 10  # replicates whose deviation says anything


def sensitivity_steps(problems: Sequence[Problem], error: Error, kind: BinningKind, name: str, n: int) -> Steps:
    """Functions that return the table of `sensitivity` and its pictures, which are drawn only when they are called.

    The bootstrap columns are nan at first and rest on more replicates with every step, n in the end. With several
    trials there is no bootstrap: the columns are over the trials.
    """
    fine = kind.takes == "gamma"
    gammas = [gamma for gamma in GAMMAS if gamma * len(problems[0]) >= 2] or [GAMMAS[0]]
    every, settings = every_setting(kind), gammas if fine else BIN_COUNTS
    binnings = every[: len(gammas)] if fine else [every[bins - 1] for bins in BIN_COUNTS]
    curve = ErrorCurve("gamma" if fine else "bins", tuple(settings), tuple(binnings), error)
    errors = np.array([curve.errors(problem) for problem in problems])
    means, trials = errors.mean(axis=0), len(problems) > 1

    def drawn(replicates: Array) -> tuple[xr.Dataset, tuple[figures.Figure, ...]]:
        spread = dict.fromkeys(("mean", "std", "lower", "upper"), np.full(len(settings), np.nan))
        attrs: dict[str, Any] = {"lens": name}
        if len(replicates) > 1:
            spread = spread_of(replicates, level_of_clusters(problems[0], LEVEL))
            if trials:
                spread |= {"lower": spread["mean"] - spread["std"], "upper": spread["mean"] + spread["std"]}
                attrs |= curve.flatness(means, spread["std"], "deviation over the trials")
            elif len(replicates) >= FEWEST:
                attrs |= curve.flatness(means, spread["std"])
            if not trials and len(replicates) < n:
                attrs |= {"replicates": len(replicates), "of_replicates": n}
        elif isinstance(problems[0], ProblemFamily):
            attrs["note"] = "where it is flat is not looked for: the mean over the classes is not resampled here"
        table = curve.table(problems[0], means, spread, attrs)
        pictures = (figures.sensitivity_figure(table),)
        return table, (*pictures, figures.points_per_bin_figure(table)) if "filled" in table else pictures

    if trials:
        yield 1.0, cache(partial(drawn, errors))
        return
    yield 0.0, cache(partial(drawn, errors[:0]))
    if isinstance(problems[0], ProblemFamily):
        return
    replicates: list[Array] = []
    for i, other in enumerate(resamples(problems[0], n)):
        replicates.append(curve.errors(other))
        yield (i + 1) / n, cache(partial(drawn, np.array(replicates)))


def size_steps(problem: ScalarProblem | VectorProblem, binning: Binning, error: Error, n: int) -> Steps:
    """The error on fewer samples, drawn n times from those there are: a table like that of `spread_by_size`.

    Its columns are nan for the sizes to come.
    """
    table = xr.Dataset(
        {name: ("fraction", np.full(len(SHARES), np.nan)) for name in ("mean", "std", "lower", "upper")},
        {"fraction": list(SHARES)},
    )
    table["size"] = "fraction", [max(1, round(share * problem.samples)) for share in SHARES]
    yield 0.0, table
    for i, size in enumerate(table["size"].values.tolist()):
        errors = []
        for k, other in enumerate(resamples(problem, n, size)):
            errors.append(error_series(other, [binning], *error))
            yield (i + k / n) / len(SHARES), table
        table = table.copy(deep=True)
        for name, column in spread_of(np.array(errors), level_of_clusters(problem, LEVEL)).items():
            table[name][i] = column[0]
        yield (i + 1) / len(SHARES), table


def resamples(
    problem: ScalarProblem | VectorProblem, n: int, size: int | None = None
) -> Iterator[ScalarProblem | VectorProblem]:
    """Bootstrap replicates, n in all: of samples, of which the pooled lens has a score for every class."""
    rows, first, place = np.unique(problem.order, return_index=True, return_inverse=True)
    given = None if problem.given_weight is None else problem.given_weight[first]
    codes = None if problem.clusters is None else problem.clusters[rows]
    for weights in drawn_weights(len(rows), given, n, size, clusters=codes):
        yield reweighted(problem, weights[place])
