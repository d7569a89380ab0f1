"""The measures of calibration that reports of clinical prediction models contain, and the flexible curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ... import figures
from ...context.class_lenses import Pooled
from ...figures.tables import Cell, Column, Table
from ...foundation.validation import clause_of
from ...foundation.written import percent
from ...metrics.clinical.discrimination import auc
from ...metrics.clinical.estimates import Estimate, calibration_intercept, calibration_slope, observed_expected
from ...metrics.clinical.flexible_curve import indices_of
from ...recalibration.updating import choose_update
from ...uncertainty.noise_floors import NoiseFloor, floors_under
from ..asked.spec import OF_SAMPLES, OF_SCORES
from ..situation.as_code import selected
from ..situation.content import Code, Content
from ..situation.job import Steps
from ..situation.noise import TO_COME
from ..situation.reading import reads, slow
from ..situation.situation import Situation

LEVEL, SEED = 0.95, 0
MOST_FLOORED = 10_000  # samples; of more, no floors
#: The measures that are estimated with an interval: the function, the name, and what it says.
ESTIMATES = {
    "observed_expected": (observed_expected, "O:E", "mean observed by mean predicted; above 1 the scores are too low"),
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
    "auc": (auc, "AUC", "how often an event has a higher score than a sample without it; 0.5 if drawn at random"),
}
#: The distances from the flexible curve: the name, and what it says.
INDICES = {
    "ici": ("ICI", "mean distance of the scores from the flexible curve (Austin and Steyerberg 2019)"),
    "e50": ("E50", "their median distance"),
    "e90": ("E90", "the distance that 90 of 100 stay below"),
}
CURVE_NOTE = (
    "The curve is a penalised logistic regression; its band is pointwise, and a dip narrower than about a tenth of the "
    "samples is smoothed away. ICI, E50 and E90 are distances from a logistic regression on a restricted cubic spline "
    "of the log-odds (Harrell 2015); packages that take a loess give other numbers. Noise makes them too large: "
    "calibrated predictions with the same scores reach the last column in 95 of 100 cases; what is no more than that "
    "is grey."
)
COLUMNS = tuple(map(Column, ("", "value", "95 % interval", "calibrated predictions reach")))


@reads(*OF_SAMPLES)
def clinical(situation: Situation) -> Content:
    """O:E, calibration intercept and slope, AUC, ICI, E50 and E90, and the flexible curve with its band."""
    if isinstance(situation.lens, Pooled):
        return Content((), "All classes of a sample at once are no one outcome: choose a class.")
    problem = situation.before.problems[0]
    try:
        estimates = {name: situation.engine.of(problem, make) for name, (make, *_) in ESTIMATES.items()}
        indices = situation.engine.of(problem, _indices)
        curve, histogram = figures.calibration_curve_figures({situation.spec.model: problem}, situation.name, LEVEL)
    except ValueError as why:
        said = clause_of(why)
        return Content((), f"{said[:1].upper()}{said[1:]}.")
    job = _floors(situation, label="noise of ICI, E50 and E90")
    floors, no_floor = job.value or ({}, job.ended_early.rstrip("."))
    rows = [_estimate(name, estimate) for name, estimate in estimates.items()]
    rows += [_index(name, value, floors, no_floor) for name, value in indices.items()]
    note = " ".join(filter(None, [CURVE_NOTE, no_floor and f"No noise floor: {no_floor}."]))
    table = Table("clinical", "", COLUMNS, tuple(rows), "Measures of clinical calibration.", note)
    answer = (
        f"Of {situation.nouns.counted(len(problem))}, {100 * problem.mean_target:.1f} % were observed to be "
        f"{_outcome(situation)}, where {100 * problem.mean_score:.1f} % are predicted on average."
    )
    curves = table, curve, replace(histogram, title=f"Scores of {situation.name}")
    return Content(curves, _written_update(situation), marked=answer)


def _outcome(situation: Situation) -> str:
    return situation.name.removeprefix("class ")


def _written_update(situation: Situation) -> str:
    """The update that the closed test chooses, in a sentence; empty where there can be no test."""
    try:
        return str(situation.engine.of(situation.before.problems[0], choose_update))
    except ValueError:  # of soft labels, or under a selection that looks at the truth
        return ""


def _indices(problem: Any) -> dict[str, float]:
    indices = indices_of(problem)
    return {name: getattr(indices, name) for name in INDICES}


@slow(*OF_SCORES)
def _floors(situation: Situation) -> Steps:
    """The noise floors of the indices, and a clause that says why there are none."""
    side = situation.before
    problem = side.problems[0]
    if problem.samples > MOST_FLOORED:
        yield 1.0, ({}, f"of more than {MOST_FLOORED:,} samples the curve takes too long to be fitted again and again")
        return
    n = situation.spec.effort.floors_of_indices_for(len(problem))
    try:
        floors = floors_under(side.predictions[0], problem, situation.lens, side.selection, _indices, n, seed=SEED)
        yield 1.0, (floors, "")
    except ValueError as why:
        yield 1.0, ({}, clause_of(why))


def _estimate(name: str, estimate: Estimate) -> tuple[Cell, ...]:
    _, title, why = ESTIMATES[name]
    below = "; ".join(filter(None, [why, getattr(estimate, "without", ""), estimate.note or ""]))
    value = Cell("–")
    if np.isfinite(estimate.estimate):
        value = Cell(f"{estimate.estimate:.4f}".replace("-", "−"), numbers=((name, estimate.estimate),))
    ends = Cell("–")
    if np.isfinite([estimate.lower, estimate.upper]).all():
        text = f"{estimate.lower:.4f} to {estimate.upper:.4f}".replace("-", "−")
        ends = Cell(text, numbers=(("lower", estimate.lower), ("upper", estimate.upper)))
    return Cell(title, below=below), value, ends, Cell("–")


def _index(name: str, value: float, floors: Mapping[str, NoiseFloor], no_floor: str) -> tuple[Cell, ...]:
    title, why = INDICES[name]
    floor = floors.get(name)
    if floor is None:
        shown, reaches = False, Cell("–" if no_floor else TO_COME)
    else:
        shown = value <= floor.reaches
        below = f"{'within noise, ' * shown}p = {floor.p_value:.2g}"
        reaches = Cell(percent(floor.reaches), below=below, numbers=(("noise", floor.reaches),))
    return Cell(title, below=why), Cell(percent(value), faint=shown, numbers=((name, value),)), Cell("–"), reaches


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the clinical measures and the smooth curve."""
    of = f"predictions, {selected(situation)}"
    names = *ESTIMATES, "calibration_indices", *(["choose_update"] if _written_update(situation) else [])
    measures = (f"print(cv.{name}({of}))" for name in names)
    return Code(("", *measures, f"print(cv.calibration_curve({of}).to_dataframe())"))
