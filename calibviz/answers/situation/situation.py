"""The situation under one `Spec`: each part is computed when an answer first asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...context.class_lenses import Classwise, scores_per_sample
from ...context.induced import induced_problem
from ...context.lenses import ClassConditional, Full, Grouping, Lens, Outcome, Rank, Top1, TopK, is_about_predicted
from ...data.nouns import ClusterCount, Nouns, counted_in, nouns, nouns_of_clusters
from ...data.predictions import Predictions
from ...data.top_classes import WRONG_RIGHT
from ...engine.binnings.binning import EqualMass
from ...engine.binnings.binning_kinds import BINNINGS, EQUAL_MASS, BinningKind
from ...engine.binnings.bins import Bins
from ...engine.binnings.kdtree import KDTree
from ...engine.clustered import Clusters
from ...engine.family import ProblemFamily
from ...engine.scalar import ScalarProblem
from ...engine.vector import VectorProblem
from ...figures import has_flexible_curve
from ...foundation import validation
from ...foundation.cache import lazy_property
from ...foundation.validation import clause_of
from ...metrics.binned import binned_error, calibration_error, ks_error
from ...metrics.distances import ClassWeighted, Mahalanobis
from ...metrics.scores import right_share
from ...recalibration.registry import AS_IT_IS, called, noun_of
from ..asked.spec import (
    GAMMAS,
    IDENTITY,
    MAHALANOBIS,
    WEIGHTED,
    Error,
    NarrowSpec,
    OverlayChoice,
    Spec,
    overlay_choices,
)
from .engine import Engine, NothingKept, Side
from .job import Job

INSTANT_SIZE = 400_000  # scores of a vector problem that is binned at once


class Situation:
    """The situation that a `Spec` describes; raises `ValueError`, with a sentence for the user, where there is none."""

    def __init__(self, engine: Engine, spec: Spec) -> None:
        if not isinstance(spec, NarrowSpec) and spec.cluster != engine.cluster:  # a narrow one has its engine already
            engine = engine.in_clusters(spec.cluster)
        self.engine, self.spec = engine, spec
        self.trials = engine.models[spec.model]
        self.predictions = self.trials[0]
        #: The lens that a summary was made through, which is all that it knows; None where the samples are there.
        self.of_summary: Lens | None = self.predictions.summary_of
        self._missing: dict[tuple[str, str], str] = {}  # why there is no such model and calibrator, in a sentence
        #: Why there is no joint error, though there could be one; empty where there is one, or it is to come.
        self.joint_ended_early = ""
        self._narrow: dict[frozenset[str], Situation] = {}

    def narrowed(self, choices: frozenset[str]) -> Situation:
        """A copy of which these choices alone can be read."""
        if choices not in self._narrow:
            self._narrow[choices] = Situation(self.engine, self.spec.narrowed(choices))
        return self._narrow[choices]

    def but(self, **choices: Any) -> Situation:
        """A situation of the same samples under some other choices."""
        return Situation(self.engine, self.spec.but(**choices))

    def exists(self) -> None:
        """Raise a `ValueError` where there is no such class, group, outcome or field, or where nothing is kept."""
        whole = self.spec.make_lens()
        if isinstance(whole, TopK) and whole.k > self.predictions.n_classes:
            whole(self.predictions)  # it says so
        _ = self.groups, self.before

    @lazy_property
    def outcomes(self) -> tuple[str, ...]:
        """The outcomes of a vector lens; none of a scalar one."""
        if not self.engine.is_vector(self.spec):
            return ()
        lens = self.spec.make_lens()
        if isinstance(lens, TopK):
            return (*(f"rank {r}" for r in range(1, lens.k + 1)), "rest")
        if isinstance(lens, Grouping):
            return induced_problem(self.predictions, lens).outcomes  # type: ignore[union-attr]
        return self.predictions.class_names

    @property
    def outcome(self) -> str | None:
        """The outcome that the pictures show."""
        return (self.spec.outcome or self.outcomes[0]) if self.outcomes else None

    def accuracy(self, predictions: Predictions, problem: ScalarProblem) -> float | None:
        """The share of predictions that were right; None where that is not known."""
        return self.engine.of(problem, right_share, predictions) if self.knows_accuracy else None

    @property
    def knows_accuracy(self) -> bool:
        """Whether it is known which predictions were right: of a summary, only where its targets say so."""
        return self.of_summary is None or isinstance(self.of_summary, Top1)

    @property
    def lens_of_summary(self) -> str:
        """The name of the lens through which the predictions of a summary show the problem that it was made of."""
        return f"class {self.predictions.class_names[1]}"

    @lazy_property
    def lens(self) -> Lens:
        """The scalar lens of the pictures: of a vector lens that of the chosen outcome."""
        whole, outcome = self.spec.make_lens(), self.outcome
        if self.of_summary and not isinstance(whole, ClassConditional):
            own = self.of_summary.name
            raise ValueError(f"a summary of {own!r} is looked at through the lens {self.lens_of_summary!r} alone")
        if outcome is None:
            return whole
        if isinstance(whole, Full | Classwise):  # the same problem, without looking at all the others
            return ClassConditional(outcome)
        if isinstance(whole, TopK):
            if outcome not in self.outcomes:
                raise ValueError(f"outcome {outcome!r} is unknown: {self.spec.lens} has {', '.join(self.outcomes)}")
            if (rank := self.outcomes.index(outcome) + 1) <= whole.k:  # the last outcome is the rest
                induced_problem(self.predictions, Rank(min(whole.k, self.predictions.n_classes)))  # refuses too large k
                return Rank(rank)
        return Outcome(whole, outcome)

    @property
    def scores_per_sample(self) -> int:
        """How many scores the lens of the pictures has of each sample."""
        return scores_per_sample(self.lens, self.predictions)

    @property
    def name(self) -> str:
        """The title of the pictures: the lens, and the outcome where there are several."""
        return self.spec.lens if self.outcome is None else f"{self.spec.lens}: {self.outcome}"

    @property
    def says_how_sure(self) -> bool:
        """Whether the score of a sample is how sure the model is to be right."""
        p = self.predictions
        tells_right = p.of_confidence or p.class_names == WRONG_RIGHT
        of_right = [ClassConditional(1), ClassConditional(p.class_names[1])]
        return is_about_predicted(self.lens) or (tells_right and self.lens in of_right)

    @property
    def class_name(self) -> str | None:
        """The class whose probability the score of a sample is; None where it is of none, or of the predicted one."""
        if self.says_how_sure or not isinstance(self.lens, ClassConditional):
            return None
        names = self.predictions.class_names
        return names[validation.class_index(self.lens.c, names)]

    @property
    def data_name(self) -> str:
        """The name of the data: the chosen one, or the title that came with them; empty where they have none."""
        return self.spec.title or str(self.engine.models[self.spec.model][0].about.get("title", ""))

    @lazy_property
    def nouns(self) -> Nouns:
        """The nouns of sentences: for samples, and for those that are events through the lens of the pictures."""
        own = self.predictions.nouns
        chosen = nouns(self.spec.noun or (own.one, own.many), self.spec.event_noun or own.event or None)
        return replace(chosen, event=self._event(chosen.event), kept=self._kept)

    def counted(self, problem: ScalarProblem, of: int | None = None) -> str:
        """How many samples a problem has, maybe `of` so many, with the clusters that they lie in."""
        samples = problem.samples // self.scores_per_sample
        return counted_in(self.nouns, samples, self.clusters_of(problem), of)

    def clusters_of(self, problem: ScalarProblem) -> ClusterCount | None:
        """The number of clusters of a problem, for sentences; None where it has none, or each sample is one."""
        clusters = Clusters.of(problem)
        if clusters is None or self.predictions.cluster is None:
            return None
        return ClusterCount(self.cluster_nouns, clusters.count, clusters.worth)

    @property
    def cluster_nouns(self) -> Nouns:
        """The nouns of sentences for the clusters that samples lie in."""
        return nouns_of_clusters(self.predictions)

    @property
    def bootstraps(self) -> int:
        """How many bootstrap samples the intervals of means draw."""
        return self.spec.effort.means_for(len(self.before.problems[0]))

    @property
    def _kept(self) -> int | None:
        """How many samples the selection keeps; None where there is none, or it keeps none."""
        if not self.spec.selection:
            return None
        try:
            return self.before.problems[0].samples // self.scores_per_sample
        except NothingKept:
            return None

    def _event(self, of_second: str) -> str:
        """The words for events; those of the second of two classes may be given."""
        if self.says_how_sure:
            return "are right"
        if isinstance(self.lens, Outcome):
            return f"are {self.lens.outcome}"
        if self.class_name is None:
            return "are events"
        is_second = self.predictions.class_names[1:] == (self.class_name,) and not self.of_summary
        return (is_second and of_second) or f"are {self.class_name}"

    @property
    def kind(self) -> BinningKind:
        """The kind of bins of a slider's settings; a binning that takes none has those of equal mass."""
        return self.spec.kind if self.spec.kind.takes else EQUAL_MASS

    @lazy_property
    def before(self) -> Side:
        side = self.engine.side(self.spec, self.spec.model, AS_IT_IS, self.lens)
        assert isinstance(side, Side)
        return side

    @lazy_property
    def unselected(self) -> Side:
        """The model before recalibration with all of its samples, whatever the selection."""
        side = self.engine.side(self.spec.but(selection=""), self.spec.model, AS_IT_IS, self.lens)
        assert isinstance(side, Side)
        return side

    @property
    def of_first_trial(self) -> str:
        """A sentence beside what is shown of the first of several trials; empty of one."""
        return "This shows the first trial." if len(self.trials) > 1 else ""

    @lazy_property
    def fitted(self) -> Situation:
        """The situation of the samples that calibrators are fitted to, in the place of those that are judged."""
        return Situation(self.engine.of_fitted, self.spec)

    @lazy_property
    def after(self) -> Side | None:
        """The model after the chosen calibrator; None if there is nothing to show of it, and `no_after` says why."""
        return self._side_of(self.spec.model, self.spec.calibrator) if self.spec.is_recalibrated else None

    @property
    def no_after(self) -> str:
        """Why nothing is shown after the chosen calibrator, in a sentence; empty if something is."""
        if self.after is not None or not self.spec.is_recalibrated:
            return ""
        return self._missing[self.spec.model, self.spec.calibrator]

    @property
    def calibrator_name(self) -> str:
        """The name of the chosen calibrator in sentences, headings and pictures."""
        return called(self.spec.calibrator)

    @property
    def calibrator_noun(self) -> str:
        """The noun of the chosen calibrator in a sentence, such as "spline" in "the spline helps"."""
        return noun_of(self.spec.calibrator)

    @lazy_property
    def overlays(self) -> list[tuple[str, Side]]:
        """The sides that are drawn over the current model, by name."""
        sides = [(overlay.name, self._side_of(*overlay.of(self.spec.model))) for overlay in self._overlay_choices]
        return [(name, side) for name, side in sides if side is not None]

    @property
    def drawn_over(self) -> list[tuple[str, str]]:
        """The models and calibrators that are drawn over the current model."""
        return [overlay.of(self.spec.model) for overlay in self._overlay_choices]

    @property
    def _overlay_choices(self) -> list[OverlayChoice]:
        known = overlay_choices(self.engine.models, self.spec.known_calibrators)
        return [known[text] for text in self.spec.overlays]

    @property
    def recalibrated_overlay(self) -> Side | None:
        """The recalibrated model among what is drawn, which has the colour of one: the chosen one, else the first."""
        before = self.before.key[0]
        after = [side for _, side in self.overlays if side.key[0] != before and side.key[0][0] == self.spec.model]
        chosen = [side for side in after if self.after is not None and side.key == self.after.key]
        return next(iter([*chosen, *after]), None)

    def keeps_others(self, side: Side) -> bool:
        """Whether the selection keeps other samples of a recalibrated side than of the model as it is."""
        if not self.spec.selection or self.scores_per_sample > 1:
            return False
        pairs = zip(self.before.problems, side.problems, strict=True)
        return not all(self.engine.of(before, _is_of_same_rows, moved) for before, moved in pairs)

    @lazy_property
    def drawn(self) -> Side:
        """The side whose bins are drawn: after the calibrator, where a curve shows the same samples before it."""
        side, has_curve = self.after, "flexible" in self.spec.curves and has_flexible_curve(self.before.problems)
        if side is None or not has_curve or self.overlays or self.keeps_others(side):
            return self.before
        return side

    @property
    def maps(self) -> tuple[Any, ...] | None:
        """The calibrators of scores, one a trial, fitted to all that is fitted to; None where rows are recalibrated."""
        maps = None if self.after is None else self.after.maps
        return None if maps is None else tuple(getattr(fitted, "whole", fitted) for fitted in maps)

    def bins(self, side: Side) -> tuple[Bins, ...]:
        """The problems of a side in the chosen bins, of all trials in equally many."""
        binning = self.spec.chosen_binning
        if len(side.problems) > 1 and self.spec.kind.chooses:
            binning = EqualMass(len(self.engine.of(side.problems[0], binning)))
        return tuple([self.engine.of(problem, binning) for problem in side.problems])

    def has_samples_of(self, model: str) -> bool:
        """Whether a model is judged on the same samples as the one that is looked at: as many, of the same classes."""
        mine, other = self.predictions, self.engine.models[model][0]
        return (len(mine), mine.class_names) == (len(other), other.class_names) and all(
            np.array_equal(*pair)  # both None where labels are soft, or hard
            for pair in ((mine.labels, other.labels), (mine.soft_labels, other.soft_labels))
        )

    @property
    def has_lost_bin(self) -> bool:
        """Whether the chosen bin holds no sample, or there is none of its number."""
        if self.spec.bin is None:
            return False
        weight = self.bins(self.drawn)[0].weight
        return self.spec.bin >= len(weight) or not weight[self.spec.bin]

    def error(self, side: Side, trial: int = 0) -> float | None:
        """The error of a trial in the chosen bins; None where it has no meaning, or is to come."""
        if self.outcomes:
            return self.joint(side, trial)
        return binned_error(self.engine.of(side.problems[trial], self.spec.chosen_binning), *self.spec.error)

    def ks(self, side: Side) -> float:
        """The error without bins of a side, on average over the trials."""
        return float(np.mean([self.engine.of(problem, ks_error) for problem in side.problems]))

    @property
    def is_instant(self) -> bool:
        """Whether the vector problem is small, or its tree stands."""
        whole, selection = self.spec.make_lens(), self.before.selection
        return len(self.predictions) * len(self.outcomes) <= INSTANT_SIZE or all(
            ("tree", whole, selection) in predictions.cache for predictions in self.trials
        )

    @lazy_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """The groups of classes, chosen or of the predictions; empty where there are none."""
        if self.spec.groups:
            return validation.partition(dict(self.spec.groups), self.predictions.class_names)
        return dict(self.predictions.groups or {})

    @property
    def is_family(self) -> bool:
        """Whether the vector lens makes a problem of every class, so that the joint error is the mean of theirs."""
        return not isinstance(self.spec.make_lens(), TopK | Grouping | Full)

    @lazy_property
    def no_joint(self) -> str:
        """Why there is no joint error under the vector lens; empty where there is one."""
        kept = self.spec.chosen_selection
        if self.no_whole_error:
            return self.no_whole_error
        if not self.is_family and not self.spec.kind.cuts_rows:
            others = " or ".join(name for name, kind in reversed(BINNINGS.items()) if kind.cuts_rows)
            return f"{self.spec.binning} bins need one score a sample: choose {others} for the joint error."
        if kept is not None and kept.uses("output"):
            return "No joint error: the selection looks at the output, and this lens has several."
        return ""

    @property
    def weighs_outcomes(self) -> bool:
        """Whether the chosen distance has a weight for each outcome of the lens."""
        return self.spec.distance == WEIGHTED and bool(self.outcomes)

    @property
    def weighs_pairs(self) -> bool:
        """Whether it has one for each pair of them, which bins of whole rows alone have."""
        return self.spec.distance == MAHALANOBIS and bool(self.outcomes) and not self.is_family

    @property
    def no_whole_error(self) -> str:
        """Why the chosen distance is none of the outcomes of the lens, in a sentence; empty where it is one."""
        if self.weighs_outcomes and not any(self.spec.weights_of(self.outcomes)):
            return "No joint error: all weights are 0, so no outcome counts."
        rows, outcomes = self.spec.matrix, len(self.outcomes)
        if self.weighs_pairs and not isinstance(rows, str) and len(rows) != outcomes:
            return f"No joint error: the matrix is for {len(rows)} outcomes, and this lens has {outcomes}."
        return ""

    @lazy_property
    def whole_error(self) -> Error:
        """How the error of all outcomes at once is made of its bins: see `no_whole_error`."""
        if self.weighs_outcomes:
            return self.spec.error_by(ClassWeighted(self.spec.weights_of(self.outcomes)))
        return self.spec.error_by(self.matrix) if self.weighs_pairs else self.spec.error

    @property
    def matrix(self) -> Mahalanobis:
        """The chosen matrix in numbers; the inverse covariance is of all scores before recalibration."""
        chosen = self.spec.matrix
        if not isinstance(chosen, str):
            return Mahalanobis(chosen)
        if not self.outcomes or self.is_family:
            raise ValueError(
                f"a matrix is of outcomes that are judged together, and the lens {self.spec.lens!r} has none"
            )
        if chosen == IDENTITY:
            return Mahalanobis(tuple(map(tuple, np.eye(len(self.outcomes)).tolist())))
        side, lens = self.unselected, self.spec.make_lens()
        predictions = side.predictions[0]
        key = ("inverse covariance", lens, side.selection)

        def inverse() -> Mahalanobis:
            problem = induced_problem(predictions, lens, side.selection)
            assert isinstance(problem, VectorProblem)
            return Mahalanobis.inverse_covariance(problem)

        return predictions.cache.get(key, inverse)

    def joint(self, side: Side, trial: int = 0) -> float | None:
        """The error of all outcomes of a vector lens at once; None while it is being computed, or has no meaning."""
        if self.no_joint:
            return None
        spec, predictions = self.spec, side.predictions[trial]
        whole, binning = spec.make_lens(), spec.chosen_binning

        def error() -> float:
            if isinstance(binning, KDTree) and not isinstance(whole, Classwise):
                problem = induced_problem(predictions, whole, side.selection)
                if not isinstance(problem, ProblemFamily):
                    KDTree(GAMMAS[-1])(problem)  # the whole tree at once: any other gamma is a cut through it
                    predictions.cache.get(("tree", whole, side.selection), lambda: True)
            distance, p, aggregate = self.whole_error
            return calibration_error(
                predictions,
                whole,
                binning=binning,
                selection=side.selection,
                distance=distance,
                p=p,
                aggregate=aggregate,
            )

        tree_stands = ("tree", whole, side.selection) in predictions.cache and isinstance(binning, KDTree)
        if tree_stands or len(predictions) * len(self.outcomes) <= INSTANT_SIZE:
            return error()

        def steps() -> Iterator[tuple[float, float]]:
            yield 1.0, error()

        key = ("joint", side.key, trial, whole, binning, self.whole_error)
        job = self.engine.jobs.get(key, "joint error", steps)
        self.joint_ended_early = job.ended_early
        return job.value

    def _side_of(self, model: str, calibrator: str) -> Side | None:
        try:
            side = self.engine.side(self.spec, model, calibrator, self.lens)
        except NothingKept:  # of the scores that a selection by output looks at, none is left
            self._missing[model, calibrator] = f"After {calibrator} the selection keeps no sample."
            return None
        except ValueError as why:  # the model as it is can be looked at all the same
            self._missing[model, calibrator] = clause_of(why)
            return None
        if not isinstance(side, Job):
            return side
        self._missing[model, calibrator] = not_fitted(calibrator, side)
        return None


def not_fitted(calibrator: str, fit: Job) -> str:
    """Why there is nothing of a calibrator that a job fits, in a sentence."""
    if fit.cancelled:
        return f"Fitting {calibrator} was cancelled. Choose it again to start over."
    return fit.failed or f"Fitting {calibrator} …"


def _is_of_same_rows(problem: ScalarProblem, other: ScalarProblem) -> bool:
    return np.array_equal(np.sort(problem.order), np.sort(other.order))
