"""The Python that reproduces the numbers on screen."""

from __future__ import annotations

from ..predictions import Predictions
from .engine import SPLIT_SEED, View

METRICS = ["ks", "sweep", "sweep_bins", "accuracy", "mean_score", "mean_target", "count"]  # what the table shows


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
    spline = f"cv.Spline(knots={spec.knots})"
    # Under a lens of several outcomes every class is recalibrated.
    calibrator = f"cv.OneVsRest({spline})" if view.outcomes else spline
    lines += [
        "",
        "shown = {",
        *([f"    'selections': {{'shown': {spec.selection!r}}},"] if spec.selection else []),
        f"    'calibrators': ['none', {calibrator}],",
        "    'calibration': calibration,",
    ]
    # On the bins of the sweep the error is the cube's variable `sweep`.
    swept = spec.binning == "sweep"
    if swept or view.before.ece is None:
        lines.append(f"    'metrics': {METRICS!r},")
    else:
        metrics = ["ece", *METRICS]
        lines += [f"    'metrics': {metrics!r},", f"    'binnings': {spec.binning!r},", f"    'bins': {spec.bins},"]
    lines += ["}", f"numbers = cv.evaluate(evaluation, {view.lens!r}, **shown).squeeze().to_pandas()"]
    if view.outcomes and view.before.ece is not None:
        lines.append(f"numbers['ece'] = cv.evaluate(evaluation, {spec.lens!r}, **shown).ece.squeeze().to_pandas()")
    lines.append("print(numbers.T)")
    if spec.likert:
        lines += ["", f"fitted = {calibrator}.fit({_fit_argument(view)})"]
        arguments = f"{view.lens!r}, {list(spec.likert)!r}, cv.{spec.make_binning()!r}, {spec.selection!r}"
        after = "fitted.transform(evaluation)" if view.outcomes else "evaluation"
        mapped = "" if view.outcomes else ", calibrator=fitted"
        lines += [
            f"print(cv.likert_error(evaluation, {arguments}).to_dataframe().T)",
            f"print(cv.likert_error({after}, {arguments}{mapped}).to_dataframe().T)",
        ]
    return "\n".join([*lines, ""])


def _fit_argument(view: View) -> str:
    return "calibration" if view.outcomes else f"cv.lens({view.lens!r})(calibration)"


def _loading(name: str, predictions: Predictions) -> str:
    source = predictions.about.get("source")
    return f"{name} = {source}" if source else f"# {name} is what was passed to cv.Explorer"
