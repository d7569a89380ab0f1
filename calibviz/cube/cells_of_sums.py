"""The cells of a cube of sums: of predictions that are read in parts, or of summaries that are all that is left."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..context.class_lenses import Top1ByClass
from ..context.conditions import Condition
from ..context.induced import induced_problem
from ..context.lenses import Lens, Problem, Top1, WithinTop
from ..data.predictions import Predictions
from ..engine.deferred import reweighted
from ..engine.family import ProblemFamily
from ..engine.scalar import ScalarProblem
from ..foundation import validation
from ..foundation.arrays import Array
from ..foundation.chance import NULLS
from ..recalibration import ScalarCalibrator
from ..scale.summarize import SummaryRequest
from ..scale.summary import Summary
from ..uncertainty.resampling.consistency import null_problems
from .cells_in_memory import ends_of, noise_of, quantiles_of, unavailable
from .leaf_sums import ROWS, LeafSums, TreeLook, measured_leaves
from .metrics import Measured, Plan, measured

Method = tuple[str, Any]
Place = tuple[str | None, str, str, str | None]  # the calibrator of rows, the lens, the selection and the outcome

MISSING = (
    "calibration is missing: calibrators are fitted to other samples than those judged, for example "
    "evaluate(predictions, calibration=0.5)"
)


UNKNOWN = f"which samples are right is not known under this lens or selection{ROWS}"


def likeliest(plan: Plan) -> list[int]:
    """Return the numbers of likeliest classes for which metrics of rows ask."""
    return sorted({int(k) for metric in plan.of_rows for k in plan.ranks(metric).ravel()})


def of_likeliest(k: int) -> Lens:
    """The lens whose target is 1 where the label is among the k likeliest classes."""
    return Top1() if k == 1 else WithinTop(k)


@dataclass
class PassPlan:
    """The plan of a pass over one model: what it adds up, and what it cannot."""

    judged: dict[Place, SummaryRequest | TreeLook] = field(default_factory=dict)
    fit: dict[str, SummaryRequest] = field(default_factory=dict)  # by lens
    why_not: dict[tuple[str | None, str, str], str] = field(default_factory=dict)  # by a place without the outcome
    outcomes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of the families that lenses make
    #: Lenses of one score a sample: scalar calibrators are fitted to that, under others to rows.
    scalar: set[str] = field(default_factory=set)
    fitted_rows: Predictions | None = None  # those that calibrators of rows are fitted to


def share_of(calibration: Any, methods: Sequence[Method]) -> float:
    """The share of the samples that calibrators are fitted to; 0 where it is no share."""
    if isinstance(calibration, float | np.floating):
        return validation.real_number(calibration, "calibration", 0.0, 1.0, open_ends=True)
    if calibration is None and any(method is not None for _, method in methods):
        raise ValueError(MISSING)
    return 0.0


def is_of_rows(method: Method, scalar: bool) -> bool:
    """Whether a calibrator moves whole rows under a lens, which has one score a sample or not."""
    return method[1] is not None and not (scalar and isinstance(method[1], ScalarCalibrator))


@dataclass(frozen=True, eq=False)
class SumCells:
    """Measures every cell of models of which there are sums."""

    conditions: Mapping[str, Condition | None]
    plan: Plan
    asked: Mapping[str, PassPlan]  # by model, as the two below
    sums: Mapping[str, Mapping[Place, Any]]  # Summary or LeafSums of what is asked for, by the same keys as `judged`
    fitted_to: Mapping[str, Mapping[str, Summary]]  # by lens, what calibrators are fitted to; empty where none is
    score_maps: dict[tuple[str, str, str], Any] = field(default_factory=dict, init=False)

    def cell(self, model: str, method: Method, lens: Lens | None, selection: str) -> Measured:
        """Everything that is measured in one cell; under no lens, the GCE family."""
        if lens is None:
            return {"gce": np.full(self.plan.shape("gce"), np.nan)}, {
                "gce": [("", f"the GCE family looks at whole rows{ROWS}")]
            }
        try:
            return self._cell(model, method, lens, selection)
        except ValueError as error:
            return unavailable(self.plan, error)

    def _cell(self, model: str, method: Method, lens: Lens, selection: str) -> Measured:
        asked, sums, condition = self.asked[model], self.sums[model], self.conditions[selection]
        rows = method[0] if is_of_rows(method, lens.name in asked.scalar) else None
        for made in (None, rows):
            if (made, lens.name, selection) in asked.why_not:
                raise ValueError(asked.why_not[made, lens.name, selection])
        right = {k: sums.get((rows, of_likeliest(k).name, selection, None)) for k in likeliest(self.plan)}
        if lens.name in asked.outcomes:
            parts = [sums[rows, lens.name, selection, outcome] for outcome in asked.outcomes[lens.name]]
            # The samples of a class by its prediction are of that class alone; other problems have all of them.
            joined = sum if isinstance(lens, Top1ByClass) else max
            family = ProblemFamily(
                asked.outcomes[lens.name], lambda k: parts[k].problem, joined(part.samples for part in parts)
            )
            return self._measured(family, lens, None, right)
        if (rows, lens.name, selection, None) not in sums:
            raise ValueError(f"{method[0]} is fitted to whole rows, of which a summary knows nothing")
        summary = sums[rows, lens.name, selection, None]
        if isinstance(summary, LeafSums):
            look = asked.judged[rows, lens.name, selection, None]
            assert isinstance(look, TreeLook)
            return measured_leaves(summary, look.partition, self.plan)
        score_map = None
        if method[1] is not None and rows is None:
            if condition is not None and condition.uses("output"):
                raise ValueError(f"the selection {condition} would look at recalibrated outputs{ROWS}")
            key = model, method[0], lens.name
            if key not in self.score_maps:
                self.score_maps[key] = copy.deepcopy(method[1]).fit(self.fitted_to[model][lens.name].problem)
            score_map = self.score_maps[key]
        problem = induced_problem(summary, calibrator=score_map)
        output = condition is not None and condition.uses("output")
        right = {k: summary if lens == of_likeliest(k) else None if output else known for k, known in right.items()}
        return self._measured(problem, lens, summary, right)

    def _measured(
        self, problem: Problem, lens: Lens, summary: Summary | None, right: Mapping[int, Summary | None]
    ) -> Measured:
        plan = self.plan

        def share(k: int) -> float:
            if (known := right[k]) is None:
                raise ValueError(UNKNOWN)
            return known.problem.mean_target

        values, reasons = measured(problem, plan, share)

        def nulls() -> Iterator[Measured]:
            for null in null_problems(problem if summary is None else summary, problem, lens, None, NULLS, plan.seed):
                yield measured(null, plan.of_nulls)

        noise, why_not = noise_of(values, nulls, plan)
        ends, unknown = ends_of(values, problem, lens, plan)
        joined, reasons = noise | ends, reasons | why_not | unknown
        if plan.replicates and not isinstance(problem, ScalarProblem):
            for metric in [metric for metric in values if plan.metrics[metric].has_quantiles]:
                reasons.setdefault(metric, []).append(("quantile", f"samples cannot be drawn from these sums{ROWS}"))
            return values | joined, reasons

        def again(weights: Array) -> dict[str, Array]:
            assert isinstance(problem, ScalarProblem)
            drawn = reweighted(problem, weights)
            of_draw = measured(drawn, plan)[0]
            for metric in plan.of_rows:  # under other lenses it is not known which of the drawn samples are right
                own = [right[k] is summary for k in plan.ranks(metric).ravel().tolist()]
                of_draw[metric] = np.where(np.reshape(own, plan.shape(metric)), drawn.mean_target, np.nan)
            return of_draw

        return values | quantiles_of(problem, values, again, plan) | joined, reasons
