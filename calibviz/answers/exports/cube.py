"""The cube that holds the numbers on screen."""

from __future__ import annotations

from typing import Any

import xarray as xr

from ...cube.evaluate import evaluate
from ...engine.binnings.binning_kinds import UNIFORM
from ...metrics.records.registry import METRICS
from ...recalibration.registry import AS_IT_IS
from ...recalibration.solvers.cross_validation import FOLDS
from ..asked.spec import LARGEST
from ..situation.situation import Situation


def cube_of(situation: Situation) -> xr.Dataset:
    """The errors of all models, before and after all compared calibrators, under the current choices."""
    spec, engine = situation.spec, situation.engine
    predictions: Any
    calibration: Any
    predictions, calibration = engine.stacks
    names = dict.fromkeys((AS_IT_IS, spec.calibrator, *spec.calibrators))
    distance, p, _ = situation.whole_error if situation.outcomes and not situation.no_whole_error else spec.error
    fine = spec.kind.takes == "gamma"
    asked = {"", *(["gammas"] if fine else []), *(["categories"] if spec.likert else [])}
    shown = {name for name, record in METRICS.items() if record.by_default and record.argument in asked}
    shown |= METRICS.keys() & spec.metrics
    if spec.norm == LARGEST:
        shown.add("mce")
    if situation.of_summary:
        shown.remove("accuracy")
    own = [record.own for record in map(spec.metric, spec.metrics) if record.own is not None]
    return evaluate(
        predictions,
        [spec.make_lens()],
        metrics=[*(metric for metric in METRICS if metric in shown), *own],
        binnings=_binning_of_cube(situation),
        bins=spec.bins,
        gammas=[spec.gamma] if fine else [],
        selections={"shown": spec.chosen_selection},
        calibrators=[name if name == AS_IT_IS else spec.make_calibrator(name) for name in names],
        calibration=calibration,
        folds=FOLDS if calibration is None else None,
        categories=spec.categories() or None,
        distance=distance,
        p=p,
    )


def _binning_of_cube(situation: Situation) -> Any:
    """The binning of the cube's errors; uniform bins for a kind that has a variable of its own."""
    kind = situation.spec.kind
    if kind.metric == UNIFORM.metric and kind.chooses:
        return situation.spec.chosen_binning
    return (UNIFORM if situation.kind.chooses else situation.kind).name
