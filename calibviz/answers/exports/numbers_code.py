"""The Python that reproduces the numbers on screen."""

from __future__ import annotations

from ..asked.spec import Spec
from ..registry import ANSWERS, OF_REPORTS
from ..situation import as_code
from ..situation.situation import Situation

HEADLINE = ("ks", "sweep", "sweep_bins", "accuracy", "mean_score", "mean_target", "count")  # what the table shows


def code_of(situation: Situation, opened: str) -> str:
    """A script that prints `numbers`, the headline before and after recalibration, and the Likert `categories`.

    Where predictions were not loaded by a call that is known, the script expects them under the names
    `predictions` and `calibration`. `opened` is the class of the view, such as "cv.Explorer".
    """
    spec = situation.spec
    lines = ["import calibviz as cv", "", *as_code.loading(situation, opened)]
    if situation.of_summary:
        lines.insert(2, f"# summary is what was passed to {opened}, and fitted_to its calibration, if there was one")
    for name in _not_written(spec):
        lines.insert(2, f"# {name} is the one named {getattr(spec, name)!r} that was passed to {opened}")
    after = (
        {}
        if not spec.is_recalibrated
        else {
            "calibrators": f"['none', {as_code.calibrator_code(situation)}]",
            **as_code.fits(situation),
        }
    )
    shown = {
        **({"selections": repr({"shown": spec.selection})} if spec.selection else {}),
        **after,
        "distance": as_code.as_code("distance", spec.error[0]),
        "p": repr(spec.error[1]),
    }
    lines += ["", "shown = {", *(f"    {name!r}: {value}," for name, value in shown.items()), "}"]
    metric = as_code.metric_of(situation)
    headline = [name for name in HEADLINE if name != "accuracy" or not situation.of_summary]
    of_picture = [] if situation.outcomes or metric in headline else [metric]
    lines.append(_evaluated("numbers", as_code.pictured(situation), [*of_picture, *headline], situation))
    lines.append("print(numbers.T)")
    if situation.outcomes and not situation.no_joint:
        name = "mean_over_classes" if situation.is_family else "joint"
        arguments = as_code.with_distance("**shown", situation)
        lines += [_evaluated(name, as_code.whole_lens(situation), [metric], situation, arguments), f"print({name}.T)"]
    lines += of_panels(situation, opened)
    return "\n".join([*lines, ""])


def code_of_kept(situation: Situation, opened: str) -> str:
    """The script of each kept state, A first; empty where nothing is kept."""
    kept = situation.spec.of_kept().items()
    return "".join(f"# Kept as {name}\n{code_of(Situation(situation.engine, spec), opened)}\n" for name, spec in kept)


def of_panels(situation: Situation, opened: str) -> list[str]:
    """Code that prints again what the answers on screen show."""
    every = {**ANSWERS, **OF_REPORTS}
    parts = [every[name].code(situation, opened) for name in every if name in situation.spec.panels]
    parts = [part for part in parts if part.takes_trials or len(situation.trials) == 1]
    fitted = [as_code.fitted_line(situation)] if any(part.takes_fitted for part in parts) else []
    lines = [*fitted, *(line for part in parts for line in part.lines)]
    return [""] * (lines[0] != "") + lines if lines else []


def _not_written(spec: Spec) -> list[str]:
    """Which choices are objects of the user's own that a script cannot make."""
    made = {"lens": spec.make_lens(), "distance": spec.error[0], "binning": spec.chosen_binning}
    names = [name for name, value in made.items() if as_code.as_code(name, value) == name]
    return [*names, *(["calibrator"] if spec.calibrator in spec.own_of("calibrator") else [])]


def _evaluated(name: str, lens: str, metrics: list[str], situation: Situation, shown: str = "**shown") -> str:
    table = ".squeeze().to_dataframe()" if len(situation.trials) > 1 else ".squeeze().to_pandas()"
    measured = f"metrics={metrics!r}{as_code.bins_code(metrics, situation)}"
    return f"{name} = cv.evaluate(predictions, {lens}, {shown}, {measured}){table}"
