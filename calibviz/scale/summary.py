"""Summaries: sums of any number of samples on a fixed grid of scores, which can be added."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..context.class_lenses import Pooled
from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.induced import Summarized, induced_problem
from ..context.lens_names import lens as read_lens
from ..context.lenses import ClassConditional, Grouping, Lens, Outcome, Top1
from ..context.truth_selections import OF_SUMS, looks_at_truth
from ..data.predictions import KINDS, Predictions
from ..data.readers.arrays.named_arrays import NamedArrays
from ..data.readers.arrays.npy_files import arrays_of
from ..data.readers.checked_zips import opened_zip
from ..data.safeguards import json_value
from ..data.top_classes import WRONG_RIGHT
from ..engine.by_truth import Undrawn
from ..engine.scalar import EmptyProblemError, ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.cache import lazy_property
from ..foundation.clusters import refuse_clusters
from ..foundation.files import path_to_write, write_whole
from ..foundation.written import counted, number
from ..recalibration.cross_fitting import dealt
from .cluster_sums import COARSE_CELLS, MOST_ENTRIES, SUMS, ClusterSums
from .score_grid import ScoreGrid
from .sums import ARRAYS, Sums

FORMAT = "calibviz summary 1"
LONGEST_ABOUT = 2**28  # bytes: the names of millions of classes
SIGNED = ("offset", "lowest", "highest", "cluster_offset")  # of a file: what rounding leaves below 0, or no score
WHOLE = ("count", "cluster_cell", "cluster_cluster")
CLUSTER_ARRAYS = ("cluster", "cell", *SUMS)  # of a file


def _numbers(file: NamedArrays, name: str, length: int, held: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """One array of a file, of numbers that sums may be; those of cells that hold nothing may be infinite."""
    shape, dtype = file.headers[name]
    if shape != (length,) or dtype.kind not in ("iu" if name in WHOLE else "f"):
        raise ValueError(f"its {name} has the shape {shape} and the kind {dtype}, where {length:,} numbers are due")
    values = file[name]
    bad = ~np.isfinite(values) if name in SIGNED else ~((values >= 0) & (values < np.inf))
    if held is not None and name in ("lowest", "highest"):
        bad &= held
    if bad.any():
        raise ValueError(f"its {name}[{bad.argmax()}] is {values[bad.argmax()]}, which is no sum of samples")
    return values


class Summary(Sums, Summarized):
    """Sums of a scalar problem on a fixed grid of scores: a few MB, whatever the number of samples.

    Every estimator takes one in the place of predictions. Numbers in uniform bins whose edges the grid has are exact;
    `error_bounds` and `curve_bounds` tell between which others lie. (The log loss of a score nearer to 0 or 1 than
    2^-52 is not known.)

    Parameters
    ----------
    lens : lens or its name
        A scalar one, or one outcome of a vector lens; not "pooled", whose scores are no independent samples.
    selection : condition or its text, optional
    outcome : int or str, optional
    class_names : list of names, optional
        Those of the samples; by default of the first that come.
    grid : ScoreGrid, optional

    Attributes
    ----------
    of_confidence : bool, or None before samples come
        Whether they are confidences in a predicted class, as in `Predictions`.
    cluster : str or None
        The field of the clusters that samples lie in, as in `Predictions`; None where they are independent.
    cluster_sums : ClusterSums or None
        Sums of each cluster in each cell, from which tests and intervals are computed then.
    rows : int
        Samples seen, also those that the selection does not keep.
    whole_weights : bool
        Whether all weights are whole numbers, which count repetitions.
    unit : float
        The largest weight; 0 without samples.
    count : ndarray of int64, shape (cells,)
        Samples in each cell.
    right, wrong : ndarray, shape (cells,)
        Sums of w t and of w (1 - t).
    right_squares, wrong_squares : ndarray, shape (cells,)
        Sums of (w / unit)^2 t and of (w / unit)^2 (1 - t).
    offset : ndarray, shape (cells,)
        Sums of w (s - where the cell begins).
    lowest, highest : ndarray, shape (cells,)
        The least and the greatest score in the cell; inf and -inf in empty cells.

    See Also
    --------
    summarize, summarize_all, windows : They make summaries.
    error_bounds, curve_bounds : How far its numbers can be off.

    Examples
    --------
    >>> p = cv.load_dataset("tumours")["naive Bayes"]
    >>> whole = cv.summarize(p.select(range(300))) + cv.summarize(p.select(range(300, len(p))))
    >>> abs(cv.calibration_error(whole) - cv.calibration_error(p)) < 1e-12
    True
    """

    def __init__(
        self,
        lens: str | Lens,
        *,
        selection: str | Condition | None = None,
        outcome: int | str | None = None,
        class_names: Iterable[Any] | None = None,
        grid: ScoreGrid | None = None,
    ) -> None:
        if not isinstance(grid, ScoreGrid | None):
            raise TypeError(f"grid must be a cv.ScoreGrid, not {grid!r}")
        super().__init__(ScoreGrid() if grid is None else grid)
        self.lens, self.selection = read_lens(lens), read_selection(selection)
        if looks_at_truth(self.selection):
            self.by_truth = Undrawn(OF_SUMS)
        if isinstance(self.lens, Pooled):
            raise ValueError("a summary cannot be of the lens 'pooled': the scores of a sample are not independent")
        self.outcome = validation.outcome(outcome)
        self.class_names: tuple[str, ...] | None = None
        if class_names is not None:
            names = validation.listing(class_names, "class_names", "names")
            self.class_names = validation.class_names(names, len(names))
        self.of_confidence: bool | None = None
        self.rows = 0
        self.cluster: str | None = None
        self.cluster_sums: ClusterSums | None = None

    def __repr__(self) -> str:
        kept = "" if self.selection is None else f", {self.selection}"
        samples = f"{number(int(self.count.sum()))} of {counted(self.rows)}"
        return f"<Summary {self.name}{kept}: {samples}, {counted(len(self.grid), 'cell')}>"

    @property
    def name(self) -> str:
        """The name of the lens and outcome, such as "top-1"."""
        return self.lens.name if self.outcome is None else f"{self.lens.name}, outcome {self.outcome}"

    @property
    def scalar_lens(self) -> Lens:
        """The lens that has the one score of each sample: of a vector lens, that of the outcome."""
        return self.lens if self.outcome is None else Outcome(self.lens, self.outcome)

    def update(
        self, probs: ArrayLike | Predictions, labels: ArrayLike | None = None, weights: ArrayLike | None = None
    ) -> None:
        """Add samples; where they are refused, nothing is added.

        Parameters
        ----------
        probs, labels, weights
            As in `Predictions`, or Predictions alone.

        Raises
        ------
        TypeError, ValueError
            As `Predictions` does; for soft labels, other classes, and a lens without a single score a sample.

        See Also
        --------
        summarize : The summary of predictions in one call.
        save, load : Keep it between batches.
        """
        if isinstance(probs, Summary):
            raise TypeError("summaries add by +: update takes samples")
        if isinstance(probs, Predictions):
            if labels is not None or weights is not None:
                raise TypeError("labels and weights are those of the predictions: pass the predictions alone")
            predictions = probs
        else:
            predictions = Predictions(
                probs, labels, weights=weights, class_names=self.class_names, of_confidence=bool(self.of_confidence)
            )
        if self.class_names not in (None, predictions.class_names):
            raise ValueError(f"the summary is of the classes {self.class_names}, not {predictions.class_names}")
        if self.of_confidence not in (None, predictions.of_confidence):
            raise ValueError(f"the summary is of {KINDS[bool(self.of_confidence)]}, not of {predictions.kind}")
        if predictions.horizon is not None:
            refuse_clusters(predictions, "a summary")
        self._refuse_other_clusters(predictions.cluster)
        if predictions.soft_labels is not None:
            raise ValueError("a summary counts targets of 0 and 1, but the labels are soft")
        lens = self.lens
        if isinstance(lens, Grouping) and lens.groups is None and predictions.groups is not None:
            lens = Grouping(predictions.groups)  # that of other groups is another
        try:
            problem = induced_problem(predictions, lens, self.selection, self.outcome)
        except EmptyProblemError:
            problem = None
        if problem is not None:
            if not isinstance(problem, ScalarProblem):
                raise ValueError(f"a summary needs one score a sample: choose an outcome=... of the lens {self.name!r}")
            self.add(problem)
            if (names := predictions.cluster_names) is not None:
                made = ClusterSums.of(problem, names[problem.order], self.grid)
                self.cluster_sums = made if self.cluster_sums is None else self.cluster_sums + made
        self.cluster = predictions.cluster
        self.lens, self.class_names, self.of_confidence = lens, predictions.class_names, predictions.of_confidence
        self.rows += len(predictions)

    def _refuse_other_clusters(self, cluster: str | None) -> None:
        """Raise where samples that come do not belong to what those that are there do."""
        if self.rows and self.cluster != cluster:
            mine, its = (
                "independent samples" if c is None else f"samples in clusters of {c!r}" for c in (self.cluster, cluster)
            )
            raise ValueError(f"the summary is of {mine}, and these are {its}: make all with one cluster=...")

    @lazy_property
    def problem(self) -> ScalarProblem:
        """The problem that estimators take; of samples in clusters it has a row for each of these in a cell."""
        if self.cluster_sums is None:
            return super().problem
        return self._marked(self.cluster_sums.problem(self.lowest, self.highest))

    def __add__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        names = {summary.class_names for summary in (self, other)} - {None}
        for name in ("lens", "outcome", "selection", "grid"):
            mine, its = getattr(self, name), getattr(other, name)
            if mine != its:
                raise ValueError(f"summaries add only where the {name} is the same, not {mine} and {its}")
        if len(names) > 1:
            raise ValueError(f"summaries add only where the classes are the same, not {' and '.join(map(str, names))}")
        kinds = {summary.of_confidence for summary in (self, other)} - {None}
        if len(kinds) > 1:
            raise ValueError(f"summaries add only where they are of one kind, not {' and '.join(KINDS.values())}")
        both = self._empty()
        both.class_names, both.of_confidence = next(iter(names), None), next(iter(kinds), None)
        if other.rows:
            self._refuse_other_clusters(other.cluster)
        both.cluster = self.cluster if self.rows else other.cluster
        several = [each.cluster_sums for each in (self, other) if each.cluster_sums is not None]
        both.cluster_sums = sum(several[1:], start=several[0]) if several else None
        both.rows = self.rows + other.rows
        both.join(self)
        both.join(other)
        return both

    def __radd__(self, other: Any) -> Summary:
        return self._empty() + self if other == 0 else NotImplemented  # sum() begins with 0

    def _empty(self) -> Summary:
        empty = Summary(
            self.lens, selection=self.selection, outcome=self.outcome, class_names=self.class_names, grid=self.grid
        )
        empty.of_confidence = self.of_confidence
        return empty

    def split(self, share: float = 0.5, *, rng: int | np.random.Generator | None = 0) -> tuple[Summary, Summary]:
        """A random part of the samples, each in it with probability `share`, and the rest: one to fit, one to judge.

        In each cell targets of 1 and of 0 are drawn at random; their scores keep the mean and the ends of the cell.

        Raises
        ------
        ValueError
            Where the weights are not whole numbers, or larger than 2^53: then the samples cannot be drawn.

        See Also
        --------
        Predictions.split : The same of samples.
        predictions : What calibrators are fitted to.
        """
        share = validation.real_number(share, "share", 0.0, 1.0, open_ends=True)
        self._refuse_weights("split")
        if self.weight.max(initial=0.0) > 2**53:
            raise ValueError("the samples of a cell weigh more than 2^53: too many to split")
        draws = np.random.default_rng(validation.rng(rng))
        drawn = [draws.binomial(sums.astype(np.int64), share).astype(np.float64) for sums in (self.right, self.wrong)]
        return self._part(*drawn), self._part(self.right - drawn[0], self.wrong - drawn[1])

    def _part(self, right: Array, wrong: Array) -> Summary:
        """A summary of so much weight of targets 1 and 0 in each cell."""
        part = self._empty()
        part.thin(self, right, wrong)
        part.rows = int(part.count.sum())
        return part

    def predictions(self, folds: int | None = None) -> Predictions:
        """Binary predictions of what the lens looks at: a weighted row for equal samples, of each of the folds.

        The classes are "wrong" and "right" under top-1, "not cat" and "cat" under "class cat", else "no" and "yes".
        Under top-1, and of the class "right" of confidences, they are confidences in a predicted class.

        Parameters
        ----------
        folds : int, at least 2, optional
            So many folds that samples are dealt to, evenly; then a row stands for equal samples of one fold, and
            `cross_fitted` has these folds.

        Raises
        ------
        EmptyProblemError
            Where no sample was kept.
        ValueError
            Where the weights are not whole numbers: rows would count as samples.

        See Also
        --------
        split : Two random parts first, one of them to judge.
        error_bounds : How far numbers of a summary can be off.
        """
        self._refuse_weights("turned into predictions")
        problem = self.problem
        score, target = np.clip(problem.score, 0.0, 1.0), problem.given_target.astype(np.int64)
        title = {"title": f"Summary of {self.name}"}
        rows = Predictions(score, target, weights=problem.weight, about=title, **self._described())
        rows.summary_of, rows.by_truth = self.scalar_lens, self.by_truth
        return rows if folds is None else dealt(rows, validation.whole_number(folds, "folds", 2))

    def _described(self) -> dict[str, Any]:
        """The classes of the rows, as arguments of `Predictions`."""
        lens = self.lens
        if isinstance(lens, Top1):
            return {"of_confidence": True}
        if not isinstance(lens, ClassConditional):
            return {"class_names": ("no", "yes")}
        is_right = self.of_confidence and validation.class_index(lens.c, self.class_names or WRONG_RIGHT) == 1
        return {"class_names": (f"not {lens.c}", str(lens.c)), "of_confidence": bool(is_right)}

    def _refuse_weights(self, what: str) -> None:
        if self.cluster is not None:
            raise validation.WayOutError(
                f"a summary of samples in clusters cannot be {what}",
                ": use the samples, or cv.evaluate, tests and intervals, which take the summary itself",
            )
        if not self.whole_weights:
            raise ValueError(
                f"a summary whose weights are not whole numbers, up to 2^53, cannot be {what}: use the samples"
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the summary to a file, which is complete or not there.

        Raises
        ------
        ValueError
            For a lens that has no name to be found by again.

        See Also
        --------
        load : Reads the file.
        """
        file = path_to_write(path)
        try:
            named = read_lens(self.lens.name)
        except ValueError:
            named = None
        groups = self.lens.groups if isinstance(self.lens, Grouping) else None
        if groups is None and named != self.lens:
            raise ValueError(f"the lens {self.lens!r} cannot be saved: give a lens by its name, such as 'class cat'")
        about = {
            "format": FORMAT,
            "lens": self.lens.name,
            "groups": groups,
            "outcome": self.outcome,
            "selection": None if self.selection is None else str(self.selection),
            "class_names": self.class_names,
            "of_confidence": self.of_confidence,
            "cluster": self.cluster,
            "cells": self.grid.cells,
            "bins": self.grid.bins,
            **{name: getattr(self, name) for name in ("rows", "whole_weights", "unit")},
        }
        arrays = {name: getattr(self, name) for name in ARRAYS}
        if self.cluster_sums is not None:
            about["coarse"] = self.cluster_sums.grid is None
            arrays |= {f"cluster_{name}": getattr(self.cluster_sums, name) for name in CLUSTER_ARRAYS}
        content = BytesIO()
        np.savez_compressed(content, about=np.array(json.dumps(about)), **arrays)
        write_whole(file, content.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Summary:
        """Read a summary from a file that `save` wrote.

        Raises
        ------
        ValueError
            Where the file holds something else.

        See Also
        --------
        save : Writes the file.
        update : Adds more samples.
        """
        path = validation.path(path)
        try:
            with opened_zip(path, "the file", "arrays") as archive:
                file = arrays_of(archive)
                if file.headers["about"][1].itemsize > LONGEST_ABOUT:
                    raise ValueError(f"what it says of itself is longer than {LONGEST_ABOUT:,} bytes")
                about = json_value(str(file["about"]))
                if about["format"] != FORMAT:
                    raise ValueError(f"its format is {about['format']!r}, not {FORMAT!r}")
                grid = ScoreGrid(about["cells"], about["bins"])
                lens = about["lens"] if about["groups"] is None else Grouping(dict(about["groups"]))
                chosen = {name: about[name] for name in ("selection", "outcome", "class_names")}
                summary = cls(lens, **chosen, grid=grid)
                summary.rows, summary.whole_weights = int(about["rows"]), bool(about["whole_weights"])
                summary.unit = float(about["unit"])
                summary.of_confidence = about.get("of_confidence")  # which older files do not hold
                for name in ARRAYS:  # the count comes first
                    setattr(summary, name, _numbers(file, name, len(grid), summary.count > 0))
                summary.cluster = about.get("cluster")
                if "coarse" in about:
                    entries = min(math.prod(file.headers["cluster_cell"][0]), MOST_ENTRIES)
                    columns: dict[str, Any] = {
                        name: _numbers(file, f"cluster_{name}", entries) for name in CLUSTER_ARRAYS
                    }
                    if columns["cell"].max(initial=0) >= (COARSE_CELLS if about["coarse"] else len(grid)):
                        raise ValueError("its cluster_cell names cells that the grid does not have")
                    summary.cluster_sums = ClusterSums(**columns, grid=None if about["coarse"] else grid)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{path} holds no summary: {error}") from error
        return summary
