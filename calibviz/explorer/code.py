"""The Python that reproduces the numbers on screen."""

from __future__ import annotations

from ..cube import LONG_NAMES
from ..predictions import Predictions
from .engine import SPLIT_SEED, View

METRICS = [metric for metric in LONG_NAMES if metric != "ece"]


def code_of(view: View, predictions: Predictions, calibration: Predictions | None) -> str:
    """A script that prints `numbers`, the headline before and after recalibration, and the Likert `categories`.

    Where predictions were not loaded by a call that is known, the script expects them under the names
    `predictions` and `calibration`.
    """
    spec = view.spec
    lines = ["import calibviz as cv", "", _loading("predictions", predictions)]
    if calibration is None:
        lines.append(f"calibration, evaluation = predictions.split({spec.share!r}, seed={SPLIT_SEED})")
    else:
        lines += [_loading("calibration", calibration), "evaluation = predictions"]
    # On the bins of the sweep the error is the cube's variable `sweep`.
    swept = spec.binning == "sweep"
    binning = f"metrics={METRICS!r}, " if swept else f"binnings={spec.binning!r}, bins={spec.bins}, "
    common = f"selections={{'shown': {spec.selection!r}}}, calibrators=['none', spline], calibration=calibration"
    lines += [
        f"spline = cv.Spline(knots={spec.knots})",
        f"cube = cv.evaluate(evaluation, {view.lens!r}, {binning}{common})",
        "numbers = cube.squeeze().to_pandas()",
    ]
    if view.outcomes:
        lines += [
            f"cube = cv.evaluate(evaluation, {spec.lens!r}, {binning}{common})",
            f"numbers.update(cube[{['accuracy'] if swept else ['accuracy', 'ece']!r}].squeeze().to_pandas())",
        ]
    lines.append("print(numbers.T)")
    if spec.likert:
        lines += [
            f"fitted = spline.fit(cv.lens({view.lens!r})(calibration))",
            "for calibrator in (None, fitted):",
            f"    print(cv.likert_error(evaluation, {view.lens!r}, {list(spec.likert)!r}, cv.{spec.make_binning()!r},",
            f"                          {spec.selection!r}, calibrator=calibrator).to_dataframe())",
        ]
    return "\n".join([*lines, ""])


def _loading(name: str, predictions: Predictions) -> str:
    source = predictions.about.get("source")
    return f"{name} = {source}" if source else f"# {name} is what was passed to cv.Explorer"
