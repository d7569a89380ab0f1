"""Models, calibrated or not, as a `Spec` looks at them: what was computed once is kept. Knows nothing of widgets."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from ...context.class_lenses import scores_per_sample
from ...context.conditions import Condition
from ...context.induced import scalar_problem
from ...context.lens_names import default_lens, kind_of
from ...context.lenses import Lens
from ...cube.metrics import CUBE_DIMS
from ...data.models import calibration_of
from ...data.predictions import Predictions
from ...data.stack import Stack, stack_of
from ...engine.deferred import ReweightedProblem
from ...engine.scalar import EmptyProblemError, ScalarProblem
from ...foundation.arrays import are_counts
from ...foundation.cache import ByIdentity, lazy_property
from ...foundation.cancellation import check, portion
from ...foundation.fit_warnings import notices
from ...foundation.progress import without_bars
from ...recalibration import Platt, ScalarCalibrator, cross_fitted
from ...recalibration.by_field import fields_of
from ...recalibration.cross_fitting import crossed, folds_of
from ...recalibration.registry import AS_IT_IS, BY, recalibrated, score_map
from ...recalibration.solvers.cross_validation import FOLDS
from ..asked.spec import Spec
from .job import Job
from .jobs import Jobs
from .reading import Readings

T = TypeVar("T")
Trials = tuple[Predictions, ...]  # the samples of a model

TRIAL = "trial"

SLOW_SIZE = 400_000  # probabilities of a model: a calibrator of fewer is soon fitted, but for those that take long
MANY_SCORES = 500_000  # that calibrators of scores are fitted to, all folds counted: of fewer they are fitted at once
MOST_MOVED = 6


@dataclass(frozen=True)
class Side:
    """A model, calibrated or not, under a lens and a selection: one entry of each tuple for each trial.

    `selection` goes with `predictions`; the `problems` are of the samples that it keeps, `maps` what a calibrator of
    scores was fitted to be, and `notices` what the fit had to say. Sides of equal keys are equal, and so are their
    problems.
    """

    key: tuple[Any, ...]
    predictions: Trials = field(compare=False)
    selection: Condition | None = field(compare=False)
    problems: tuple[ScalarProblem, ...] = field(compare=False)
    maps: tuple[Any, ...] | None = field(default=None, compare=False)
    notices: tuple[str, ...] = field(default=(), compare=False)


class NothingKept(ValueError):
    """A selection keeps none of the samples."""


class Engine:
    """Measures models under any `Spec`.

    A Dataset's dimension "trial" becomes trials of one model. Calibrators are fitted to `calibration`; without it, each
    sample is judged by a fit to the other folds. `tell` is called when a job has come further.
    """

    def __init__(self, predictions: Any, calibration: Any = None, tell: Callable[[], None] = lambda: None) -> None:
        stack = stack_of(predictions, "predictions", CUBE_DIMS)
        fit_on = None
        if calibration is not None:
            given = stack_of(calibration, "calibration", CUBE_DIMS)
            several = calibration_of(stack.models, given.models)
            fit_on = Stack({name: several[name] for name in stack.models}, stack.coords)
        self._take(stack, fit_on)
        self.given = predictions, calibration
        self.jobs = Jobs(tell)
        self.readings = Readings(self.jobs)
        self.of_samples = self  # that of the very samples that its rows stand for
        self._judge(False, "")
        self.refusal = ""  # why nothing can be looked at, in a sentence
        self._as_given, self._in_clusters = self, dict[str | Literal[False], Engine]()
        self._tried: dict[str, set[Hashable]] = {}
        self._forget()

    def _judge(self, judges_fitted: bool, cluster: str | Literal[False]) -> None:
        """Say whether the very samples of the fit are judged, and the choice of what they belong to."""
        self.judges_fitted, self.cluster = judges_fitted, cluster
        self.which: Hashable = judges_fitted, cluster  # a part of the keys of jobs

    def _take(self, stack: Stack, fit_on: Stack | None) -> None:
        self.stacks = stack, fit_on
        self.models = trials_of(stack)
        for predictions in stack.models.values():
            predictions.dependence_is_said = True  # the page asks
        self.calibration = None if fit_on is None else trials_of(fit_on)

    def _forget(self) -> None:
        # What is on screen stays while it is looked at, however little the caches of the predictions hold.
        self._sides: WeakValueDictionary[tuple[Any, ...], Side] = WeakValueDictionary()
        self._kept: WeakKeyDictionary[ScalarProblem, dict[Hashable, Any]] = WeakKeyDictionary()
        self._moved: OrderedDict[Hashable, Trials] = OrderedDict()
        self._notices: dict[Hashable, tuple[str, ...]] = {}
        self._lock = threading.Lock()  # of the two dicts above

    def tried(self, what: str, setting: Hashable) -> int:
        """How many different settings of something were looked at, with this one."""
        settings = self._tried.setdefault(what, set())
        if setting not in settings:
            settings.add(setting)
            self.readings.forget()  # which hold how many there were before
        return len(settings)

    @lazy_property
    def of_fitted(self) -> Engine:
        """An engine that judges the very samples that calibrators are fitted to."""
        other = copy(self)
        other._judge(True, self.cluster)
        other.models = self.calibration or self.models
        other.calibration = other.models
        other._forget()
        return other

    def in_clusters(self, cluster: str | Literal[False]) -> Engine:
        """An engine of the same samples, which belong together by a field; as they were given where it is empty.

        Where that is impossible, it refuses whatever is looked at.
        """
        if not (cluster == "" or cluster in self._in_clusters):
            self._in_clusters[cluster] = self._as_given._with_cluster(cluster)
        return self._as_given if cluster == "" else self._in_clusters[cluster]

    def _with_cluster(self, cluster: str | Literal[False]) -> Engine:
        other = copy(self)
        other.__dict__.pop("of_fitted", None)
        other._judge(self.judges_fitted, cluster)
        other.of_samples = other
        judged, fit_on = self.stacks
        try:
            judged = replace(judged, models={name: each.with_cluster(cluster) for name, each in judged.models.items()})
            if fit_on is not None:  # it may lack the field
                fit_on = replace(fit_on, models={name: _if_named(cluster, p) for name, p in fit_on.models.items()})
        except ValueError as why:
            said = str(why).removeprefix("cluster: ")
            other.refusal = f"Samples cannot belong together by {cluster!r}: {said}."
        other._take(judged, fit_on)
        other._forget()
        return other

    @property
    def first_lens(self) -> str:
        """The name of the lens that the Explorer opens on."""
        return default_lens(trials[0] for trials in self.models.values()).name

    @property
    def by_field(self) -> list[str]:
        """The calibrators by a field of few values, such as "platt by site", that the Explorer offers."""
        fitted_to = self.fitted_to(next(iter(self.models)))[0]
        return [f"{Platt.short_name}{BY}{name}" for name in fields_of(fitted_to)]

    def side(self, spec: Spec, model: str, calibrator: str, lens: Lens) -> Side | Job:
        """A model under a scalar lens, before or after a calibrator; where that takes a while to fit, the job."""
        if self.refusal:
            raise ValueError(self.refusal)
        selection = spec.chosen_selection
        # One outcome of a vector lens is recalibrated with its row, though the lens of its picture is the same.
        by_score = self.is_of_scores(spec, calibrator) and not self.is_vector(spec)
        key = (self.key(spec, model, calibrator), lens, selection, by_score)
        side: Side | Job | None = self._sides.get(key)
        if side is None:
            side = self._side(key, spec, model, calibrator)
            if isinstance(side, Side):
                self._sides[key] = side
        return side

    def unlooked(self, spec: Spec) -> Side:
        """The model before recalibration and its selected samples, through no lens yet."""
        selection = spec.chosen_selection
        return Side((self.key(spec, spec.model, AS_IT_IS), selection), self.models[spec.model], selection, ())

    def _side(self, key: tuple[Any, ...], spec: Spec, model: str, calibrator: str) -> Side | Job:
        judged, (_, lens, selection, by_score) = self.models[model], key
        if calibrator == AS_IT_IS:
            return Side(key, judged, selection, self._problems(judged, lens, selection, spec))
        if by_score:
            maps = self.maps(spec, model, calibrator, lens)
            if isinstance(maps, Job):
                return maps
            problems = tuple(
                predictions.cache.get(
                    ("mapped", lens, selection, ByIdentity(fitted)),
                    partial(self._shown, predictions, lens, selection, spec, fitted),
                )
                for predictions, fitted in zip(judged, maps, strict=True)
            )
            return Side(key, judged, selection, problems, maps)
        moved = self.moved(spec, model, calibrator)
        if isinstance(moved, Job):
            return moved
        problems = self._problems(moved, lens, selection, spec)
        return Side(key, moved, selection, problems, notices=self._notices.get(key[0], ()))

    def moved(self, spec: Spec, model: str, calibrator: str) -> Trials | Job:
        """The judged samples of a model with recalibrated rows; of a scalar calibrator class by class."""
        key = self.key(spec, model, calibrator)
        moved = self._find(key)
        if moved is not None:
            return moved

        def steps() -> Iterator[tuple[float, Any]]:
            self.moved_now(spec, model, calibrator)
            yield from ()

        what = self._fitting(model, calibrator)
        now = "soon" if sum(predictions.probs.size for predictions in self.models[model]) <= SLOW_SIZE else ""
        job = self.jobs.get(key, what, steps, now, is_fit=True)
        if job.done and not job.ended_early and self._find(key) is None:  # its result has been dropped since
            self.jobs.forget(key)
            job = self.jobs.get(key, what, steps, now, is_fit=True)
        return self._find(key) or job

    def _fitting(self, model: str, calibrator: str) -> str:
        """The name of the job that fits a calibrator."""
        return f"fitting {calibrator}" + (f" to {model}" if len(self.models) > 1 else "")

    def kept_of_moved(self, spec: Spec, model: str, calibrator: str, moved: Trials) -> tuple[Trials, Condition | None]:
        """Recalibrated rows and what selects the samples of `side` among them."""
        kept = spec.chosen_selection
        if kept is None or self.is_vector(spec) or not self.is_of_scores(spec, calibrator):
            return moved, kept
        # A map of scores leaves the rows that the selection looks at as they are; class by class it would move them.
        given = self.moved_now(spec, model, AS_IT_IS)
        pairs = zip(moved, given, strict=True)
        return tuple(after.select(kept.mask(before)) for after, before in pairs), None

    def moved_now(self, spec: Spec, model: str, calibrator: str) -> Trials:
        """Return recalibrated predictions, one a trial, fitting the calibrator now (blocks)."""
        key = self.key(spec, model, calibrator)
        moved = self._find(key)
        if moved is None:
            with notices() as heard:
                several, n = [], len(self.models[model])
                for i in range(n):
                    with portion(i / n, (i + 1) / n):
                        several.append(self._recalibrated(spec, model, i, calibrator))
            check()  # a calibrator of the user's own may never have asked
            moved = tuple(several)
            with self._lock:
                self._notices[key] = tuple(dict.fromkeys(heard))
                self._moved[key] = moved
                while len(self._moved) > MOST_MOVED:
                    dropped, _ = self._moved.popitem(last=False)
                    del self._notices[dropped]
        return moved

    def _find(self, key: Hashable) -> Trials | None:
        """Return kept recalibrated predictions, and mark them as the latest used; None where there are none."""
        with self._lock:
            if key not in self._moved:
                return None
            self._moved.move_to_end(key)
            return self._moved[key]

    def maps(self, spec: Spec, model: str, calibrator: str, lens: Lens) -> tuple[Any, ...] | Job:
        """A scalar calibrator fitted to what the lens looks at, one for each trial; of many scores, the job.

        Without a calibration set it is a fit to the other folds of every sample.
        """
        fit_on = self.fitted_to(model)

        def fitted(data: Predictions) -> Any:
            made = spec.make_calibrator(calibrator)
            try:
                if self.calibration is None:
                    return cross_fitted(data, lens, calibrator=made)
                return score_map(made, scalar_problem(data, lens))
            except EmptyProblemError:
                raise ValueError(f"All samples that {calibrator} is fitted to have weight 0: {self._way_out}") from None

        def all_fitted() -> tuple[Any, ...]:
            which = spec.calibrator_key(calibrator), self.calibration is None
            return tuple(data.cache.get(("fitted", which, lens), partial(fitted, data)) for data in fit_on)

        fits = FOLDS if self.calibration is None else 1
        if fits * sum(len(data) * scores_per_sample(lens, data) for data in fit_on) <= MANY_SCORES:
            return all_fitted()

        def steps() -> Iterator[tuple[float, Any]]:
            maps = all_fitted()
            check()
            yield 1.0, maps

        key = ("maps", self.key(spec, model, calibrator), lens)
        job = self.jobs.get(key, self._fitting(model, calibrator), steps, "soon", is_fit=True)
        return job if job.value is None else job.value

    def fitted_to(self, model: str) -> Trials:
        """The predictions that calibrators are fitted to, one a trial."""
        return self.models[model] if self.calibration is None else self.calibration[model]

    def judged(self, model: str) -> int:
        """How many samples are judged, whatever the selection; whole-number weights count repetitions."""
        judged = self.models[model][0]
        if judged.weights is not None and are_counts(judged.weights):
            return int(judged.weights.sum())
        return len(judged)

    def of(self, problem: ScalarProblem, measure: Callable[..., T], *arguments: Hashable) -> T:
        """The value of a function of a problem and other arguments, which is kept as long as the problem is."""
        kept = self._kept.setdefault(problem, {})
        what = (measure, *arguments)
        if what not in kept:
            kept[what] = measure(problem, *arguments)
        return kept[what]

    @staticmethod
    def is_of_scores(spec: Spec, calibrator: str) -> bool:
        """Whether it maps single scores, not rows."""
        return calibrator != AS_IT_IS and isinstance(spec.make_calibrator(calibrator), ScalarCalibrator)

    @staticmethod
    def is_vector(spec: Spec) -> bool:
        """Whether the chosen lens has several outcomes."""
        known = kind_of(spec.lens)
        return known is not None and known[0].has_outcomes

    def _recalibrated(self, spec: Spec, model: str, trial: int, calibrator: str) -> Predictions:
        judged = self.models[model][trial]
        if calibrator == AS_IT_IS:
            return judged
        made = spec.make_calibrator(calibrator)
        with without_bars():
            if self.calibration is None:
                return crossed(made, judged, folds_of(judged))
            return recalibrated(made, self.calibration[model][trial], judged)

    def _problems(
        self, judged: Trials, lens: Lens, selection: Condition | None, spec: Spec
    ) -> tuple[ScalarProblem, ...]:
        several = len(judged) > 1
        return tuple(
            self._shown(predictions, lens, selection, spec, of_which=f" of trial {i} of {len(judged)}" * several)
            for i, predictions in enumerate(judged, 1)
        )

    @property
    def _way_out(self) -> str:
        """The way out where all samples that are fitted to, or judged, have weight 0, in words."""
        given = "predictions" if self.calibration is None else "predictions and calibration=..."
        return f"pass {given} of which some samples have a weight above 0"

    def _shown(
        self,
        judged: Predictions,
        lens: Lens,
        selection: Condition | None,
        spec: Spec,
        fitted: Any = None,
        of_which: str = "",
    ) -> ScalarProblem:
        try:
            problem = scalar_problem(judged, lens, selection, calibrator=fitted)
        except EmptyProblemError:
            if not spec.selection:
                raise NothingKept(f"All samples have weight 0: {self._way_out}.") from None
            raise NothingKept(
                f"The selection keeps none of the samples{of_which}: {spec.selection}. Write one that keeps "
                "more, or clear it."
            ) from None
        if isinstance(problem, ReweightedProblem):
            problem.complete()  # it is looked at again with every step of a slider
        return problem

    def key(self, spec: Spec, model: str, calibrator: str) -> Hashable:
        """The key of a calibrated model."""
        return model, spec.calibrator_key(calibrator), self.which


def _if_named(cluster: str | Literal[False], predictions: Predictions) -> Predictions:
    """Predictions in other clusters, where they have such a field."""
    has_it = cluster is False or cluster in predictions.fields | predictions.notes
    return predictions.with_cluster(cluster) if has_it else predictions


def trials_of(stack: Stack) -> dict[str, Trials]:
    """The models of a stack, each with its trials: the dimension "trial" is taken out of their names."""
    dims = [dim for dim, labels in stack.coords.items() if dim != TRIAL and (dim != "model" or len(labels) > 1)]
    labels = {dim: [str(label) for label in np.asarray(stack.coords[dim])] for dim in stack.coords}
    places = np.stack(np.unravel_index(np.arange(len(stack.models)), stack.shape), axis=1)
    models: dict[str, list[Predictions]] = {}
    for place, (given, predictions) in zip(places, stack.models.items(), strict=True):
        label = {dim: labels[dim][i] for dim, i in zip(stack.coords, place, strict=True)}
        if not dims:
            name = label.get("model", "model")
        elif len(dims) == 1:
            name = label[dims[0]]
        else:
            name = ", ".join(f"{dim}={label[dim]}" for dim in dims)
        models.setdefault(name or given, []).append(predictions)
    return {name: tuple(trials) for name, trials in models.items()}
