"""From a `Spec` to what is shown: problems, figures and numbers. Knows nothing of widgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import figures
from ..binning import Sweep
from ..cache import ByIdentity
from ..estimators import binned_error, calibration_error, ks_error
from ..families import ProblemFamily
from ..lenses import Lens, Outcome
from ..looking import induced_problem, scalar_problem
from ..predictions import Predictions
from ..problems import EmptyProblemError, ScalarProblem
from ..recalibration import OneVsRest, Spline
from ..scores import right_share
from ..selections import And, Condition
from ..tables import problem_likert
from .state import Spec

T = TypeVar("T")

SPLIT_SEED = 0
SLOW_SIZE = 1_000_000


@dataclass(frozen=True, repr=False)
class Part(Condition):
    """The samples of one side of `Predictions.split`, as a selection: no row has to be copied."""

    share: float
    first: bool

    def __str__(self) -> str:
        return f"part {self.share:g} {'first' if self.first else 'second'}"

    def mask(self, predictions: Predictions, output: NDArray[np.float64] | None = None) -> NDArray[np.bool_]:
        mask = predictions.cache.get(("part", self.share), lambda: predictions.split_mask(self.share, SPLIT_SEED))
        return mask if self.first else ~mask

    def uses(self, kind: str) -> bool:
        return False


@dataclass(frozen=True)
class Numbers:
    """The headline numbers of one side, before or after recalibration; None where one has no meaning."""

    count: int
    accuracy: float
    mean_score: float
    mean_target: float
    ece: float | None
    ks: float
    sweep: float
    sweep_bins: int


@dataclass(frozen=True)
class Category:
    """One Likert category before and after recalibration: count, mean_target, error, total_variation."""

    name: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True)
class View:
    """Everything on screen for one `Spec`; `lens` is the scalar one of the pictures."""

    spec: Spec
    figures: Mapping[str, figures.Figure]
    before: Numbers
    after: Numbers
    categories: tuple[Category, ...]
    held_out: int
    lens: str
    outcomes: tuple[str, ...]
    note: str


class Engine:
    """Measures models under any `Spec`; what was computed once is kept with the predictions.

    Parameters
    ----------
    models : dict of name to Predictions
    calibration : dict of name to Predictions, optional
        What the spline is fitted to. Without it, `Spec.share` of the samples, and the rest is what is judged.
    """

    def __init__(self, models: Mapping[str, Predictions], calibration: Mapping[str, Predictions] | None) -> None:
        self.models = dict(models)
        self.calibration = None if calibration is None else dict(calibration)
        self._kept: WeakKeyDictionary[ScalarProblem, dict[str, Any]] = WeakKeyDictionary()

    def view(self, spec: Spec) -> View:
        """What to show.

        Raises
        ------
        ValueError
            With a sentence for the user: an empty selection, a lens that does not fit, ...
        """
        judged, selection = self._judged(spec)
        binning, outcomes, lens = spec.make_binning(), self._outcomes(spec), self._pictured(spec)
        spline = self._spline(spec, lens)
        problem = self._shown(judged, lens, selection, spec)
        kept = spec.make_selection()
        if outcomes:
            moved = self._one_vs_rest(spec)
            after = self._shown(moved, lens, kept, spec)
        else:
            moved = judged
            after = judged.cache.get(
                ("mapped", lens, selection, ByIdentity(spline)),
                lambda: self._shown(judged, lens, selection, spec, spline),
            )
        bins, bins_after = binning(problem), binning(after)
        numbers, numbers_after = self._numbers(judged, problem), self._numbers(moved, after)
        note = (
            "After: every class is recalibrated by a spline of its own, and the rows are rescaled." if outcomes else ""
        )
        if not outcomes:
            numbers = replace(numbers, ece=binned_error(bins))
            numbers_after = replace(numbers_after, ece=binned_error(bins_after))
        elif spec.binning != "uniform" and not self._family(spec):
            note = f"{spec.binning} bins need one score a sample: choose uniform bins for the joint ECE. {note}"
        elif kept is not None and kept.uses("output"):
            note = f"No joint ECE: the selection looks at the output, and this lens has several. {note}"
        else:
            whole = spec.make_lens()
            numbers = replace(numbers, ece=calibration_error(judged, whole, binning, selection))
            numbers_after = replace(numbers_after, ece=calibration_error(moved, whole, binning, kept))
        drawn = (
            figures.reliability_figure(problem, bins, lens.name, spec.categories()),
            self._of(problem, "histogram", lambda: figures.histogram_figure(problem, lens.name)),
            self._of(problem, "cumulative", lambda: figures.cumulative_figure(problem, lens.name)),
            figures.recalibration_figure(spline, bins, bins_after, lens.name),
        )
        return View(
            spec,
            {figure.name: figure for figure in drawn},
            numbers,
            numbers_after,
            tuple(
                Category(name, *(problem_likert(side, low, high, binning) for side in (problem, after)))
                for name, (low, high) in spec.categories().items()
            ),
            self._held_out(spec),
            lens.name,
            outcomes,
            note,
        )

    def is_slow(self, spec: Spec) -> bool:
        """Whether the view takes so long that a sign of work is due: many classes have yet to be recalibrated."""
        judged = self.models[spec.model]
        if judged.probs.size < SLOW_SIZE or self._one_vs_rest_key(spec) in judged.cache:
            return False
        try:
            return bool(self._outcomes(spec))
        except ValueError:
            return False

    def _judged(self, spec: Spec) -> tuple[Predictions, Condition | None]:
        """The predictions that are judged, and the selection of those on screen."""
        selection = spec.make_selection()
        if self.calibration is not None:
            return self.models[spec.model], selection
        part = Part(spec.share, first=False)
        return self.models[spec.model], part if selection is None else And((part, selection))

    def _fitted_to(self, spec: Spec) -> tuple[Predictions, Condition | None]:
        if self.calibration is not None:
            return self.calibration[spec.model], None
        return self.models[spec.model], Part(spec.share, first=True)

    def _outcomes(self, spec: Spec) -> tuple[str, ...]:
        whole = induced_problem(self.models[spec.model], spec.make_lens())
        return () if isinstance(whole, ScalarProblem) else whole.outcomes

    def _family(self, spec: Spec) -> bool:
        """Whether each outcome is a problem by itself, whose errors are averaged."""
        return isinstance(induced_problem(self.models[spec.model], spec.make_lens()), ProblemFamily)

    def _pictured(self, spec: Spec) -> Lens:
        """The scalar lens of the pictures: of a vector lens the chosen outcome, else the first."""
        outcomes = self._outcomes(spec)
        if not outcomes:
            return spec.make_lens()
        return Outcome(spec.make_lens(), outcomes[0] if spec.outcome is None else spec.outcome)

    def _held_out(self, spec: Spec) -> int:
        judged = self.models[spec.model]
        return len(judged) - (0 if self.calibration is not None else round(spec.share * len(judged)))

    @staticmethod
    def _shown(
        judged: Predictions, lens: Lens, selection: Condition | None, spec: Spec, spline: Spline | None = None
    ) -> ScalarProblem:
        try:
            return scalar_problem(judged, lens, selection, calibrator=spline)
        except EmptyProblemError:
            raise ValueError(f"The selection keeps none of the held-out samples: {spec.selection}") from None

    def _spline(self, spec: Spec, lens: Lens) -> Spline:
        data, part = self._fitted_to(spec)
        return data.cache.get(
            ("spline", lens, part, spec.knots), lambda: Spline(spec.knots).fit(scalar_problem(data, lens, part))
        )

    def _one_vs_rest(self, spec: Spec) -> Predictions:
        """The held-out predictions, recalibrated class by class."""
        data, part = self._fitted_to(spec)
        judged = self.models[spec.model]

        def make() -> Predictions:
            calibration = data if part is None else data.select(part.mask(data))
            rest = judged if part is None else judged.select(~part.mask(judged))
            return OneVsRest(Spline(spec.knots)).recalibrate(calibration, rest)

        return judged.cache.get(self._one_vs_rest_key(spec), make)

    def _one_vs_rest_key(self, spec: Spec) -> tuple[Any, ...]:
        return "one-vs-rest", self._fitted_to(spec)[1], spec.knots

    def _numbers(self, judged: Predictions, problem: ScalarProblem) -> Numbers:
        """All numbers but the error on the chosen bins: they stay when only the bins change."""

        def make() -> Numbers:
            swept = Sweep()(problem)
            return Numbers(
                len(problem),
                right_share(judged, problem),
                problem.mean_score,
                problem.mean_target,
                None,
                ks_error(problem),
                binned_error(swept),
                len(swept),
            )

        return self._of(problem, "numbers", make)

    def _of(self, problem: ScalarProblem, what: str, make: Callable[[], T]) -> T:
        """What was made of a problem, kept as long as the problem is."""
        kept = self._kept.setdefault(problem, {})
        if what not in kept:
            kept[what] = make()
        found: T = kept[what]
        return found
