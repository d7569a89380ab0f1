"""The situations of a report, which its answers read: the model as it is, or before and after recalibration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..context.condition_parser import selection as read_selection
from ..context.conditions import Condition
from ..context.lens_names import lens as read_lens, lens_for
from ..context.lenses import Grouping, Lens, Outcome
from ..data.predictions import Predictions
from ..decisions.costs import implied_threshold, prices
from ..foundation import validation
from ..metrics.asked import refuse_pooled
from ..metrics.clinical.acting import threshold_of
from ..metrics.records.own import Metric
from ..recalibration.cross_fitting import dealt
from ..recalibration.registry import AS_IT_IS, CALIBRATORS, method_of
from ..scale.cell_rows import COARSE, SAID, are_drawn_in_cells, in_cells
from .asked.choices import CHOICES
from .asked.first import first_spec
from .asked.typed import named_categories
from .first_screen.calibrators import one_for_all
from .registry import ANSWERS, OF_REPORTS
from .situation.content import Answer, completed
from .situation.engine import Engine
from .situation.situation import Situation

#: What the arguments of a report take.
LensLike: TypeAlias = str | Lens
SelectionLike: TypeAlias = str | Condition
MetricLike: TypeAlias = Metric
#: Which answers look at very many samples by their cells, and which are about recalibration.
IN_CELLS = ("numbers", "sensitivity")
AFTER = ("recalibration", "changes", "comparison", "temperature")


@dataclass(frozen=True)
class Acting:
    """The wishes of those who act on the scores: a threshold, costs, or the measures of clinical models."""

    is_clinical: bool = False
    threshold: float | None = None  # from which on to act, where it was named or follows from the costs
    costs: tuple[tuple[float, ...], ...] = ()  # of each action under each outcome; or empty

    @classmethod
    def of(
        cls, predictions: Predictions, lens: Lens, clinical: bool, threshold: float | None, costs: ArrayLike | None
    ) -> Acting:
        """The checked request; two actions and two outcomes set the threshold, unless it is given."""
        price = None if costs is None else prices(costs, predictions.n_classes)
        at = None if threshold is None else threshold_of(threshold)
        if at is None and price is not None:
            at = implied_threshold(price)
        made = cls(clinical, at, () if price is None else tuple(map(tuple, price.tolist())))
        if made.asked:
            refuse_pooled(lens, "acting at a threshold")
        return made

    @property
    def asked(self) -> tuple[str, ...]:
        """The answers that are asked for."""
        clinical = ("clinical",) if self.is_clinical else ()
        acts = self.is_clinical or self.threshold is not None or self.costs  # costs of three actions set no threshold
        return (*clinical, "decision", "scores") if acts else clinical


@dataclass(frozen=True)
class Situations:
    """The situations that a report is made of, all of the same samples."""

    OF_CELLS: ClassVar[str] = SAID

    whole: Situation  # the model as it is
    parts: Situation  # before and after the calibrator that the short answer about recalibration speaks of
    cells: Situation  # `whole`, of very many samples drawn by their cells: see `cell_rows`
    cells_after: Situation  # `parts`, likewise

    @classmethod
    def of_model(
        cls, predictions: Predictions, calibration: Predictions | None, choices: Mapping[str, Any], progress: bool
    ) -> Situations:
        """The situations of a report of one model; the choices are those of the Explorer."""
        whole = opened(predictions, calibration, **choices)
        if whole.outcomes:
            named = validation.listed((f"{whole.spec.lens}: {outcome}" for outcome in whole.outcomes), most=3)
            raise ValueError(f"lens {whole.spec.lens!r} has several outcomes, a report shows one: choose {named}")
        whole.exists()
        if not _in_cells(predictions, whole):
            parts = _recalibrated(whole, progress)
            return cls(whole, parts, whole, parts)
        rows = in_cells(predictions)
        cells = opened(rows, None, **choices)
        cells.engine.of_samples = whole.engine
        if calibration is None:
            fresh = opened(dealt(in_cells(predictions, COARSE)), None, **choices)
        else:
            fitted = in_cells(calibration) if _in_cells(calibration, whole) else calibration
            fresh = opened(rows, fitted, **choices)
        after = _recalibrated(fresh, progress)
        return cls(whole, whole.but(calibrator=after.spec.calibrator), cells, after)

    @property
    def fresh(self) -> Situation:
        """The situation of the answers about recalibration as the Explorer opens it: no calibrator is chosen."""
        return self.cells_after.but(calibrator=AS_IT_IS)

    def of(self, name: str) -> Situation:
        """The situation that an answer reads, by the name of the answer."""
        is_own = name not in ANSWERS and name not in OF_REPORTS  # and may look at both sides
        if name in AFTER or is_own:
            return self.cells_after
        return self.cells if name in IN_CELLS else self.whole

    @property
    def is_in_cells(self) -> bool:
        """Whether some of the answers look at samples by their cells."""
        return self.cells is not self.whole


def _recalibrated(situation: Situation, progress: bool) -> Situation:
    """A situation after the calibrator that its short answer speaks of; the first one where none can be judged."""
    found = completed(situation, one_for_all, "report", progress)
    return situation.but(calibrator=found.name if found else situation.spec.calibrators[0])


def facts_of(situation: Situation) -> dict[str, str | None]:
    """The facts in the head of a report: samples, classes, lens, selection."""
    p, problem, spec = situation.predictions, situation.before.problems[0], situation.spec
    of = len(p) if spec.selection else None
    times = situation.scores_per_sample
    of_scores = f"{problem.samples:,}{'' if of is None else f' of {of * times:,}'} scores"
    judged = situation.counted(problem, of) if times == 1 else of_scores
    drawn = f", {p.about['drawn']}" if "drawn" in p.about else ""
    weighted = f", weighted to {p.about['prevalence']}" if "prevalence" in p.about else ""
    return {
        "judged": f"{judged}{drawn}{weighted}",
        "classes": f"{p.n_classes:,}",
        "lens": situation.name,
        "selection": spec.selection or None,
    }


def _in_cells(predictions: Predictions, situation: Situation) -> bool:
    return not (situation.spec.own or situation.spec.selection) and are_drawn_in_cells(predictions, situation.lens)


def opened(judged: Any, calibration: Any, lens: Lens, **choices: Any) -> Situation:
    """The situation of a fresh view of predictions, or of several models, with these choices."""
    engine = Engine(judged, calibration)
    if isinstance(lens, Outcome) or not _is_named(lens):  # looked at itself, whatever its name means elsewhere
        own: dict[str, Any] = {"lens": lens.name, "own": (("lens", ((lens.name, lens),)),)}
        spec = first_spec(tuple(engine.models), **choices).but(**own)
    else:
        spec = first_spec(tuple(engine.models), lens=lens, **choices)
    return Situation(engine, spec)


def report_lens(several: Iterable[Predictions], lens: LensLike | None) -> Lens:
    """The lens of a report; the default one of all of its models where none is given."""
    return read_lens(lens_for(several, lens))


def _is_named(lens: Lens) -> bool:
    """Whether the name of a lens stands for it: groups of the user's own, and lenses of their own, are no names."""
    try:
        return isinstance(lens, Grouping) or read_lens(lens.name) == lens
    except ValueError:
        return False


def own_answers(answers: Iterable[Answer] | Answer) -> tuple[Answer, ...]:
    """The checked answers of the user's own."""
    own = tuple(validation.several(answers))
    for answer in own:
        if not isinstance(answer, Answer):
            raise TypeError(f"panels must be cv.Answer objects, which a report adds to its own, not {answer!r}")
        if answer.name in ANSWERS or answer.name in OF_REPORTS:
            raise ValueError(f"the panel {answer.name!r} is built in: one of your own needs a name of its own")
    validation.refuse_repeats("panel", [answer.name for answer in own])
    return own


def report_choices(
    lens: Lens,
    selection: str | Condition | None,
    categories: Mapping[str, tuple[float, float]] | Iterable[float] | None,
    metrics: Iterable[Metric] | Metric,
    calibrators: Iterable[Any] = (),
) -> dict[str, Any]:
    """The checked choices of the answers."""
    own = tuple(validation.several(metrics))
    for metric in own:
        if not isinstance(metric, Metric):
            raise TypeError(f"metrics must be cv.Metric objects, which a report adds to its own, not {metric!r}")
    validation.refuse_repeats("metric", [metric.name for metric in own])
    more = tuple(validation.several(calibrators))
    validation.refuse_repeats(
        "calibrator", [AS_IT_IS, *CALIBRATORS, *(method_of(calibrator)[0] for calibrator in more)]
    )
    return {
        "lens": read_lens(lens),
        "selection": read_selection(selection),
        "likert": named_categories(categories),
        "metrics": (*CHOICES["metrics"].default, *own),
        "calibrators": (*CHOICES["calibrators"].default, *more),
    }


def refuse_other_samples(models: Mapping[str, Predictions], selection: Condition | None) -> None:
    """Raise unless all models were judged on the same samples, and the selection keeps the same of each."""
    if len(models) < 2:
        raise ValueError("a comparison needs two models at least: a report is about one")
    (name, first), *others = models.items()
    if selection is not None and selection.uses("output"):
        raise ValueError("the selection looks at the output, which differs between models: select by label or field")
    for other, predictions in others:
        if len(predictions) != len(first):
            raise ValueError(
                f"{other!r} has {len(predictions):,} samples, but {name!r} has {len(first):,}: compare models on the "
                "same ones"
            )
        if predictions.class_names != first.class_names:
            raise ValueError(f"the classes of {other!r} are not those of {name!r}, in the same order")
        if predictions.of_confidence != first.of_confidence:
            raise ValueError(f"{other!r} holds {predictions.kind}, but {name!r} {first.kind}")
        for what in ("labels", "soft_labels", "weights"):
            mine, theirs = getattr(predictions, what), getattr(first, what)
            if (mine is None) != (theirs is None):
                raise ValueError(f"one of {name!r} and {other!r} has {what.replace('_', ' ')}, and the other has none")
            if mine is not None and not np.array_equal(mine, theirs):
                row = int(np.flatnonzero((mine != theirs).reshape(len(mine), -1).any(axis=1))[0])
                raise ValueError(
                    f"{what.replace('_', ' ')} of {other!r} differ from those of {name!r}, first in row {row}: "
                    "compare models on the same samples, in the same order"
                )
        if selection is not None and not np.array_equal(selection.mask(predictions), selection.mask(first)):
            raise ValueError(
                f"the selection {str(selection)!r} keeps other samples of {other!r} than of {name!r}: "
                "select by label or field"
            )
