"""The Python that gives the numbers of a report again."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...foundation.sources import assigned, source_of
from ...recalibration.solvers.cross_validation import FOLDS
from ...uncertainty.best_set import LEVEL
from ..models import AFTER, RANKED
from ..situation.as_code import pictured, selected
from ..situation.engine import Trials
from ..situation.noise import interval_of_error
from ..situation.situation import Situation
from ..views.numbers import ERRORS, MEANS
from .numbers_code import code_of, of_panels

BY = "cv.report"  # what made it
QUANTILES = [round((1 - LEVEL) / 2, 9), round((1 + LEVEL) / 2, 9)]


def code_of_report(whole: Situation, opened: Situation | None, names: Collection[str]) -> str:
    """A script that prints the numbers of the answers of a report, by their names.

    `whole` is of all samples as the model has them, `opened` before and after recalibration, as somebody would open it,
    or None where nothing could be fitted.
    """
    whole = whole.but(panels=tuple(name for name in names if name != "comparison"))
    shown = whole if opened is None else opened.but(panels=("comparison",))
    head = code_of(shown, BY).rstrip().split("\n")
    of = f"predictions, {selected(whole)}"
    looked = f"{pictured(whole)}, selections={{'shown': {whole.spec.selection or None!r}}}, bins={whole.spec.bins}"
    n = whole.bootstraps
    lines = [
        "",
        "# The model as it is, of all samples",
        f"print(cv.verdict({of}, categories={dict(whole.spec.categories()) or None!r}, margin={whole.spec.margin!r}))",
        *_numbers("predictions", looked, n),
    ]
    for name in ERRORS:
        if (how := interval_of_error(whole, name)) is not None:
            error, binning = how
            bins = "" if binning is None else f", binning=cv.{binning!r}"
            lines.append(f"print({name!r}, cv.interval({of}, error=cv.{error.__name__}{bins}))")
    lines += of_panels(whole, BY)
    if "sensitivity" in names:
        lines += ["", f"print(cv.sensitivity({of}))"]
    if "classes" in names:
        in_bins = f"binning=cv.{whole.spec.chosen_binning!r}, selection={whole.spec.selection or None!r}"
        lines += [
            "for name in predictions.class_names:",
            f"    print(name, cv.calibration_error(predictions, f'class {{name}}', {in_bins}))",
        ]
    return "\n".join([*head, *lines, ""])


def code_of_comparison(situation: Situation, opened: Situation, threshold: float | None) -> str:
    """A script that prints the numbers of a report of several models."""
    engine, spec = situation.engine, situation.spec
    selection, lens = spec.selection or None, pictured(situation)
    n = situation.bootstraps
    calibration = opened.engine.calibration
    lines = ["import calibviz as cv", "", *_models("models", engine.models)]
    lines += _models("calibration", calibration) if calibration is not None else []
    shown = f"{lens}, selections={{'shown': {selection!r}}}, bins={spec.bins}"
    lines += [
        "",
        *_numbers("models", shown, n),
        "",
        f"ranked = cv.evaluate(models, {shown}, metrics={list(RANKED)!r}, ranking='model')",
        "print(cv.rank_calibrators(ranked, of='model'))",
        "",
        f"after = cv.evaluate(models, {shown}, metrics=['ks', 'brier'], calibrators={['none', *AFTER]!r},",
        f"                    {'calibration=calibration' if calibration else f'folds={FOLDS}'}, ranking='model')",
        "print(after.ks.squeeze().to_pandas())",
    ]
    if threshold is not None:
        lines += [
            "",
            "for model in models.values():",
            f"    print(cv.decision_curve(model, {lens}, selection={selection!r}, thresholds=[{threshold!r}], "
            f"replicates={n}).to_dataframe())",
        ]
    if spec.likert:
        of = f"{lens}, categories={dict(spec.categories())!r}, binning=cv.{spec.chosen_binning!r}"
        lines += [
            "",
            "for model in models.values():",
            f"    print(cv.likert_error(model, {of}, selection={selection!r}).to_dataframe())",
        ]
    return "\n".join([*lines, ""])


def _numbers(of: str, shown: str, n: int) -> list[str]:
    """How the means, scores and errors are printed with the quantiles of n replicates, as code."""
    return [
        f"metrics = {[*MEANS, *ERRORS]!r}",
        f"numbers = cv.evaluate({of}, {shown}, metrics=metrics, replicates={n}, quantiles={QUANTILES})",
        "for name in metrics:",
        '    print(name, numbers[name].values.squeeze(), numbers[f"{name}_quantile"].values.squeeze())',
    ]


def _models(name: str, models: Mapping[str, Trials]) -> list[str]:
    sources = {model: source_of(trials[0]) for model, trials in models.items()}
    if None in sources.values():
        return [assigned(name, None, "cv.compare")]
    return [f"{name} = {{", *(f"    {model!r}: {source}," for model, source in sources.items()), "}"]
