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
    lines += [
        "",
        "shown = {",
        *([f"    'selections': {{'shown': {spec.selection!r}}},"] if spec.selection else []),
        f"    'calibrators': ['none', cv.Spline(knots={spec.knots})],",
        "    'calibration': calibration,",
    ]
    # On the bins of the sweep the error is the cube's variable `sweep`.
    swept = spec.binning == "sweep"
    if swept:
        lines.append(f"    'metrics': {METRICS!r},")
    else:
        lines += [f"    'binnings': {spec.binning!r},", f"    'bins': {spec.bins},"]
    lines += ["}", f"numbers = cv.evaluate(evaluation, {view.lens!r}, **shown).squeeze().to_pandas()"]
    if view.outcomes:
        whole = ["accuracy"] if swept else ["accuracy", "ece"]
        lines += [
            f"whole = cv.evaluate(evaluation, {spec.lens!r}, **shown)[{whole!r}]",
            "numbers.update(whole.squeeze().to_pandas())",
        ]
    lines.append("print(numbers.T)")
    if spec.likert:
        lines += [
            "",
            f"spline = cv.Spline(knots={spec.knots}).fit(cv.lens({view.lens!r})(calibration))",
            "for calibrator in (None, spline):",
            "    categories = cv.likert_error(",
            f"        evaluation, {view.lens!r}, {list(spec.likert)!r}, cv.{spec.make_binning()!r},",
            f"        selection={spec.selection!r}, calibrator=calibrator,",
            "    )",
            "    print(categories.to_dataframe().T)",
        ]
    return "\n".join([*lines, ""])


def _loading(name: str, predictions: Predictions) -> str:
    source = predictions.about.get("source")
    return f"{name} = {source}" if source else f"# {name} is what was passed to cv.Explorer"
