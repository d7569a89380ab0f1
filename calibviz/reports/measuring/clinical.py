"""What reports of clinical prediction models contain: their measures of calibration, and what acting is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from ... import figures
from ...context.default_lens import default_lens
from ...context.lenses import Lens, Top1
from ...data.predictions import Predictions
from ...decisions.costs import expected_cost
from ...decisions.thresholds import MODEL, THRESHOLDS, decision_curve, local_calibration
from ...engine.scalar import ScalarProblem
from ...figures import Figure
from ...foundation import validation
from ...metrics.asked import refuse_pooled
from ...metrics.clinical.acting import threshold_of
from ...metrics.clinical.discrimination import auc
from ...metrics.clinical.estimates import Estimate, calibration_intercept, calibration_slope, observed_expected
from ...metrics.clinical.flexible_curve import indices_of
from ...uncertainty.consistency import calibrated
from ...uncertainty.noise_floors import LOOKS_AT_TRUTH, NoiseFloor, looks_at_truth, noise_floors
from .benefit import Benefits, benefits_of
from .choices import Scope
from .numbers import SEED, replicates_for

LEVEL, WIDTH = 0.95, 0.05
MOST_NULLS, FEWEST_NULLS, DRAWN, MOST_FLOORED = 499, 99, 500_000, 10_000
ESTIMATES = {
    "observed_expected": (observed_expected, "O:E", "mean found by mean told; above 1 the scores are too low"),
    "calibration_intercept": (
        calibration_intercept,
        "calibration intercept",
        "slope held at 1; above 0 the scores are too low (Cox 1958)",
    ),
    "calibration_slope": (
        calibration_slope,
        "calibration slope",
        "below 1 the scores are too extreme, above 1 too timid (Cox 1958)",
    ),
    "auc": (auc, "AUC", "how often an event has a higher score than a sample without it; 0.5 by chance"),
}
INDICES = {
    "ici": ("ICI", "mean distance of the scores from the flexible curve (Austin and Steyerberg 2019)"),
    "e50": ("E50", "their median distance"),
    "e90": ("E90", "the distance that 90 of 100 stay below"),
}


@dataclass(frozen=True, eq=False)
class ClinicalRequest:
    """What the clinical part of a report is asked.

    Attributes
    ----------
    lens : lens
        The outcome that the part is about.
    threshold : float, optional
        The score from which on to act.
    costs : ndarray, shape (A, K), optional
        What each of A actions costs under each of K outcomes.
    given : bool
        Whether the threshold was named; False if it follows from the costs.
    """

    lens: Lens
    threshold: float | None
    costs: np.ndarray | None
    given: bool

    @classmethod
    def of(
        cls, predictions: Predictions, choices: Scope, clinical: bool, threshold: Any, costs: ArrayLike | None
    ) -> ClinicalRequest | None:
        """The checked request; None if no clinical part is wanted."""
        if not clinical:
            for name, value in (("threshold", threshold), ("costs", costs)):
                if value is not None:
                    raise ValueError(f"{name} is for the clinical part of a report: pass clinical=True as well")
            return None
        refuse_pooled(choices.lens, "a clinical report")
        lens = default_lens([predictions]) if isinstance(choices.lens, Top1) else choices.lens
        price = None if costs is None else _prices(costs, predictions.n_classes)
        at = None if threshold is None else threshold_of(threshold)
        given = at is not None
        return cls(lens, implied_threshold(price) if at is None and price is not None else at, price, given)


def _prices(costs: ArrayLike, classes: int) -> np.ndarray:
    """The checked costs of actions: two columns, for the absence and presence of the outcome, or one for each class."""
    price = validation.float_values(costs, "costs", 2)
    columns = (2,) if classes == 2 else (2, classes)
    if price.shape[1] not in columns or not len(price) or not np.isfinite(price).all():
        wanted = " or ".join(map(str, columns))
        raise ValueError(
            f"costs must be finite numbers, a row for each action and {wanted} columns, one for each outcome, such as "
            f"[[0, 10], [1, 0]], not of the shape {price.shape}"
        )
    return price


def implied_threshold(price: np.ndarray) -> float | None:
    """The probability from which on the second of two actions is the cheaper one (Elkan 2001, equation 2).

    With c_ij the cost of action i under outcome j, t = (c_10 - c_00) / (c_10 - c_00 + c_01 - c_11). None for other
    numbers of actions and outcomes, or if the second action is never the cheaper one.
    """
    if price.shape != (2, 2):
        return None
    in_vain, missed = price[1, 0] - price[0, 0], price[0, 1] - price[1, 1]
    return float(in_vain / (in_vain + missed)) if in_vain >= 0 and missed > 0 else None


def looked_through(choices: Scope, asked: ClinicalRequest | None) -> Scope:
    """The choices of the clinical part and of the segments: those of the report, with the lens of the request."""
    return choices if asked is None else replace(choices, lens=asked.lens)


@dataclass(frozen=True, eq=False)
class Clinical:
    """The numbers and pictures of the clinical part, and the request that they answer."""

    asked: ClinicalRequest
    problem: ScalarProblem
    estimates: Mapping[str, Estimate]
    indices: Mapping[str, float]
    floors: Mapping[str, NoiseFloor]
    no_floor: str
    replicates: int
    decision: xr.Dataset
    benefits: Benefits | None
    local: xr.Dataset | None
    costs: xr.Dataset | None
    curve: tuple[Figure, ...]
    benefit: Figure


def clinical_of(predictions: Predictions, choices: Scope, asked: ClinicalRequest | None) -> Clinical | None:
    """The answers to the request; None without one."""
    if asked is None:
        return None
    looked = looked_through(choices, asked)
    problem = looked.problem(predictions)
    at = np.unique([*THRESHOLDS, *([] if asked.threshold is None else [asked.threshold])])
    n = replicates_for(len(problem))
    table = decision_curve(problem, thresholds=at, replicates=n, level=LEVEL, rng=SEED)
    floors, no_floor = _floors(problem, looked)
    drawn = figures.decision_curve_figure(table, asked.threshold)
    near = None
    if asked.threshold is not None:
        near = local_calibration(problem, thresholds=asked.threshold, width=WIDTH, level=LEVEL)
    paid = None
    if asked.costs is not None:
        lens = asked.lens if asked.costs.shape[1] == 2 else "full"
        paid = expected_cost(predictions, costs=asked.costs, lens=lens, selection=choices.selection)
    curve, histogram = figures.calibration_curve_figures({"model": problem}, looked.name, LEVEL)
    return Clinical(
        asked, problem, {name: make(problem) for name, (make, *_) in ESTIMATES.items()}, _indices(problem),
        floors, no_floor, n, table, benefits_of({MODEL: problem}, asked.threshold), near, paid,
        (curve, replace(histogram, title=f"Scores of {looked.name}")), drawn,
    )  # fmt: skip  # short entries stand in rows


def _indices(problem: Any) -> dict[str, float]:
    indices = indices_of(problem)
    return {name: getattr(indices, name) for name in INDICES}


def _floors(problem: ScalarProblem, choices: Scope) -> tuple[Mapping[str, NoiseFloor], str]:
    """The noise floors of the indices, or a clause that says why there are none."""
    if looks_at_truth(choices.selection):
        return {}, LOOKS_AT_TRUTH
    if problem.samples > MOST_FLOORED:
        return {}, f"of more than {MOST_FLOORED:,} samples the curve takes too long to be fitted again and again"
    n = max(FEWEST_NULLS, min(MOST_NULLS, DRAWN // len(problem)))
    try:
        return noise_floors(calibrated(problem, n, SEED), _indices, _indices(problem), n), ""
    except ValueError as why:
        return {}, str(why)


def clinical_code(clinical: Clinical | str | None, lens_code: Any) -> list[str]:
    """The Python that gives the numbers of the clinical part again."""
    if not isinstance(clinical, Clinical):
        return []
    about = f"predictions, {lens_code(clinical.asked.lens)}, selection=selection"
    lines = ["", "# For the clinic"]
    lines += [f"print(cv.{name}({about}))" for name in (*ESTIMATES, "calibration_indices")]
    lines.append(f"print(cv.calibration_curve({about}).to_dataframe())")
    at = clinical.asked.threshold
    more = "" if at is None else f", thresholds=[{at!r}]"
    lines.append(f"print(cv.decision_curve({about}{more}, replicates={clinical.replicates}).to_dataframe())")
    if at is not None:
        lines.append(f"print(cv.local_calibration({about}, thresholds={at!r}).to_dataframe())")
    if clinical.asked.costs is not None:
        lens = lens_code(clinical.asked.lens) if clinical.asked.costs.shape[1] == 2 else "'full'"
        costs = f"costs={clinical.asked.costs.tolist()!r}"
        lines.append(f"print(cv.expected_cost(predictions, {lens}, {costs}, selection=selection))")
    return lines
