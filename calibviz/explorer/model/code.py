"""The Python that reproduces the numbers on screen, and the cube that holds them."""

from __future__ import annotations

from typing import Any

import xarray as xr

from ...context.class_lenses import Pooled
from ...context.lenses import Grouping, Outcome
from ...cube.evaluate import evaluate
from ...data.predictions import Predictions
from ...foundation.sources import assigned, source_of
from ...metrics.records.registry import METRICS
from ...recalibration import OneVsRest
from .situation import Situation
from .trials import SPLIT_SEED

HEADLINE = ("ks", "sweep", "sweep_bins", "accuracy", "mean_score", "mean_target", "count")  # what the table shows


def code_of(look: Situation) -> str:
    """A script that prints `numbers`, the headline before and after recalibration, and the Likert `categories`.

    Where predictions were not loaded by a call that is known, the script expects them under the names
    `predictions` and `calibration`.
    """
    spec, engine = look.spec, look.engine
    lines = ["import calibviz as cv", "", *_loading(look)]
    if look.of_summary:
        lines.insert(2, "# summary is what was passed to cv.Explorer, and fitted_to its calibration, if there was one")
    if spec.calibrator in dict(spec.own_calibrators):
        lines.insert(2, f"# calibrator is the one named {spec.calibrator!r} that was passed to cv.Explorer")
    if engine.calibration is None:
        lines.append(f"calibration, evaluation = predictions.split({spec.share!r}, seed={SPLIT_SEED})")
    else:
        lines.append("evaluation = predictions")
    calibrator = _calibrator(look)
    shown = {
        **({"selections": repr({"shown": spec.selection})} if spec.selection else {}),
        "calibrators": f"['none', {calibrator}]",
        "calibration": "calibration",
        "distance": f"cv.{spec.error[0]!r}",
        "p": repr(spec.error[1]),
    }
    lines += ["", "shown = {", *(f"    {name!r}: {value}," for name, value in shown.items()), "}"]
    metric = _metric(look)
    headline = [name for name in HEADLINE if name != "accuracy" or not look.of_summary]
    of_picture = [] if look.outcomes or metric in headline else [metric]
    lines.append(_evaluated("numbers", _pictured(look), [*of_picture, *headline], look))
    lines.append("print(numbers.T)")
    if look.outcomes and not look.no_joint:
        name = "mean_over_classes" if look.is_family else "joint"
        lines += [_evaluated(name, _whole(look), [metric], look), f"print({name}.T)"]
    if len(look.trials) == 1:
        lines += _of_panels(look)
    return "\n".join([*lines, ""])


def _of_panels(look: Situation) -> list[str]:
    """What prints the categories, the segments and what acting at the threshold is worth, where they are on screen."""
    spec = look.spec
    of = f"{_pictured(look)}, {spec.selection!r}"
    rows = look.maps is None
    on = "calibration" if rows else f"cv.lens({_pictured(look)})(calibration)"
    fitted = _calibrator(look, by_name=False)
    prints = []
    if spec.likert:
        categories = dict(spec.likert) if isinstance(spec.likert[0], tuple) else list(spec.likert)
        arguments = f"{_pictured(look)}, {categories!r}, cv.{spec.make_binning()!r}, {spec.selection!r}"
        after, mapped = ("fitted.transform(evaluation)", "") if rows else ("evaluation", ", calibrator=fitted")
        prints += [
            f"print(cv.likert_error(evaluation, {arguments}).to_dataframe().T)",
            f"print(cv.likert_error({after}, {arguments}{mapped}).to_dataframe().T)",
        ]
    if "decision" in spec.panels and not isinstance(look.lens, Pooled):
        more = (
            f"{of}, thresholds=[{spec.threshold!r}], prevalence={spec.prevalence!r}, calibrator=fitted, bootstrap=400"
        )
        prints.append(f"print(cv.decision_curve(evaluation, {more}).to_dataframe().T)")
    lines = ["", f"fitted = {fitted}.fit({on})", *prints] if prints else []
    if "segments" in spec.panels and not isinstance(look.lens, Pooled) and not look.of_summary:
        more = f"{of}, depth={spec.depth}, minimum={spec.minimum}"
        lines += ["", f"segments = cv.segments(evaluation, {more})", "print(segments.to_dataframe())"]
    return lines


def cube_of(look: Situation) -> xr.Dataset:
    """The errors of all models, before and after all compared calibrators, under the current choices."""
    spec, engine = look.spec, look.engine
    predictions, calibration = engine.given
    names = dict.fromkeys(("none", spec.calibrator, *spec.calibrators))
    distance, p, _ = spec.error
    fine = spec.binning == "k-d tree"
    asked = {"", *(["gammas"] if fine else []), *(["likert"] if spec.likert else [])}
    shown = {name for name, record in METRICS.items() if record.by_default and record.argument in asked}
    if spec.norm == "maximum":
        shown.add("mce")
    if look.of_summary:
        shown.remove("accuracy")
    own = [record.own for record in map(spec.metric, spec.metrics) if record.own is not None]
    return evaluate(
        predictions,
        [spec.make_lens()],
        metrics=[*(metric for metric in METRICS if metric in shown), *own],
        binnings="uniform" if spec.binning == "k-d tree" else look.kind,
        bins=spec.bins,
        gammas=[2.0 ** -(spec.setting() + 1)] if fine else [],
        selections={"shown": spec.make_selection()},
        calibrators=[name if name == "none" else spec.make_calibrator(name) for name in names],
        calibration=spec.share if calibration is None else calibration,
        likert=spec.categories() or None,
        distance=distance,
        p=p,
        seed=SPLIT_SEED,
    )


def _loading(look: Situation) -> list[str]:
    """How the predictions, and the calibration set where there is one, come about."""
    given, calibration = look.engine.given
    model = look.spec.model
    lines = [_loaded("predictions", given, look.predictions, model)]
    if calibration is not None:
        assert look.engine.calibration is not None
        lines.append(_loaded("calibration", calibration, look.engine.calibration[model][0], model))
    return lines


def _loaded(name: str, given: Any, predictions: Predictions, model: str) -> str:
    if isinstance(given, xr.Dataset):
        dims = [str(dim) for dim in given.dims if dim not in ("trial", "sample", "class")]
        source = source_of(given)
        if source is not None and len(dims) == 1:
            source = source.method("sel")({dims[0]: model})
        return assigned(name, source, "cv.Explorer")
    return assigned(name, source_of(predictions), "cv.Explorer")


def _calibrator(look: Situation, by_name: bool = True) -> str:
    """The calibrator as code; of scores under a lens of several outcomes, one for every class.

    With `by_name`, one of rows is the name that `evaluate` knows it by.
    """
    method = look.spec.make_calibrator(look.spec.calibrator)
    of_scores = look.engine.is_of_scores(look.spec, look.spec.calibrator)
    if look.spec.calibrator in dict(look.spec.own_calibrators):
        return "cv.OneVsRest(calibrator)" if of_scores and look.outcomes else "calibrator"
    if by_name and not of_scores:
        return repr(look.spec.calibrator)
    return _made(OneVsRest(method) if of_scores and look.outcomes else method)


def _made(method: Any) -> str:
    """The call that makes a calibrator."""
    return f"cv.OneVsRest(cv.{method.calibrator!r})" if isinstance(method, OneVsRest) else f"cv.{method!r}"


def _metric(look: Situation) -> str:
    """The variable of the cube that holds the error on the chosen bins."""
    if look.spec.norm == "maximum":
        return "mce"
    return {"k-d tree": "kdtree_ece", "sweep": "sweep"}.get(look.spec.binning, "ece")


def _evaluated(name: str, lens: str, metrics: list[str], look: Situation) -> str:
    spec = look.spec
    bins = ""
    if "kdtree_ece" in metrics:
        bins = f", gammas={2.0 ** -(spec.setting() + 1)!r}"
    elif "mce" in metrics and spec.binning in ("k-d tree", "sweep"):
        bins = f", binnings=cv.{spec.make_binning()!r}"
    elif "ece" in metrics or "mce" in metrics:
        bins = f", binnings={spec.binning!r}, bins={spec.bins}"
    table = ".squeeze().to_dataframe()" if len(look.trials) > 1 else ".squeeze().to_pandas()"
    return f"{name} = cv.evaluate(evaluation, {lens}, **shown, metrics={metrics!r}{bins}){table}"


def _whole(look: Situation) -> str:
    lens = look.spec.make_lens()
    return f"cv.{lens!r}" if isinstance(lens, Grouping) and look.spec.groups else repr(look.spec.lens)


def _pictured(look: Situation) -> str:
    lens = look.lens
    if isinstance(lens, Outcome) and look.spec.groups:
        return f"cv.Outcome(cv.{lens.lens!r}, {lens.outcome!r})"
    return repr(lens.name)
