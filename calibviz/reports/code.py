"""The Python that gives the numbers of a report again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from ..context.lens_names import lens as read_lens
from ..context.lenses import Lens
from ..data.predictions import Predictions
from ..foundation.sources import assigned, source_of, written
from .measuring.choices import METHODS, Scope
from .measuring.clinical import clinical_code
from .measuring.comparison import REPAIRS, Compared
from .measuring.errors import ERRORS
from .measuring.findings import KNOTS, SHARE, Findings
from .measuring.numbers import BINS, QUANTILES, READINGS, SEED
from .measuring.over_time import over_time_code
from .measuring.ranks import RANKED
from .measuring.risk import risk_code
from .measuring.segments import segments_code

OWN_LENS = "lens"
ENDS = f"quantiles={list(QUANTILES)}"
PRINTED = """
def show(cube):
    for name in metrics:
        print(name, cube[name].values.squeeze(), cube[f"{name}_quantile"].values.squeeze())
"""


def code_of(findings: Findings) -> str:
    """A script that prints the numbers of a report of one model."""
    choices = findings.choices
    lines = [*_head(choices, "cv.report"), assigned("predictions", source_of(findings.judged.predictions), "cv.report")]
    if findings.calibration is None:
        lines.append(f"calibration, evaluation = predictions.split({SHARE}, rng={SEED})")
    else:
        lines += [assigned("calibration", source_of(findings.calibration), "cv.report"), "evaluation = predictions"]
    lines += [
        PRINTED,
        "# The numbers of all samples, and their 2.5 % and 97.5 % quantiles over bootstrap samples",
        _evaluated("numbers", "predictions", f"metrics=metrics, replicates={findings.judged.replicates}, {ENDS}"),
        "show(numbers)",
    ]
    intervals = [name for name, beside in findings.beside.items() if beside.interval is not None]
    if intervals:
        lines += ["", "# Where the true errors lie, and what calibrated predictions with these scores reach"]
        lines += [_interval(name, choices) for name in intervals]
    if not isinstance(findings.recalibration, str):
        n = findings.recalibration.before.replicates
        fitted = f"calibrators=['none', cv.Spline({KNOTS})], calibration=calibration"
        fitted = f"metrics=metrics, replicates={n}, {ENDS}, {fitted}"
        lines += ["", "# Before and after recalibration", _evaluated("both", "evaluation", fitted), "show(both)"]
    if not isinstance(findings.ranks, str):
        methods = f"{list(METHODS)!r}{' + own_calibrators' * bool(choices.calibrators)}"
        fitted = f"metrics={_ranked(choices)}, calibrators={methods}, calibration=calibration, ranking='calibrator'"
        lines += ["", "# Repairs", _evaluated("ranked", "evaluation", fitted), "print(cv.rank_calibrators(ranked))"]
    lines += ["", f"print(cv.sensitivity(predictions, {_lens(choices.lens)}, selection=selection))"]
    lines += _categories("predictions", choices)
    shown = f"binning=cv.Uniform({BINS}), selection=selection"
    lines += [
        "for name in predictions.class_names:",
        f"    print(name, cv.calibration_error(predictions, cv.ClassConditional(name), {shown}))",
    ]
    lines += segments_code(findings.segments, _lens) + over_time_code(findings.over_time, _lens)
    lines += risk_code(findings.risk, _lens)
    lines += clinical_code(findings.clinical, _lens)
    return "\n".join([*lines, ""])


def code_of_comparison(comparison: Compared) -> str:
    """A script that prints the numbers of a report of several models."""
    choices = comparison.choices
    models = {name: judged.predictions for name, judged in comparison.judged.items()}
    lines = [*_head(choices, "cv.compare"), *_loaded_all("models", models)]
    if comparison.calibration is not None:
        lines += _loaded_all("calibration", comparison.calibration)
    n = next(iter(comparison.judged.values())).replicates
    shape = f"metrics=metrics, replicates={n}, {ENDS}"
    lines += [PRINTED, _evaluated("numbers", "models", shape), "show(numbers)"]
    lines += [
        "",
        "# A difference, and its 95 % interval: the same rng draws the same samples of each model",
        "def brier(model):",
        f"    error = lambda q: cv.brier_score(q, {_lens(choices.lens)}, selection=selection)",
        f"    return cv.bootstrap(models[model], error=error, replicates={n}, rng={SEED})",
        "",
        "first, *others = models",
        "for other in others:",
        "    one, two = brier(first), brier(other)",
        "    difference = two.replicates - one.replicates",
        "    print(other, two.estimate - one.estimate, np.nanquantile(difference, [0.025, 0.975]))",
        "",
        _evaluated("ranked", "models", f"metrics={_ranked(choices)}, ranking='model'"),
        "print(cv.rank_calibrators(ranked, of='model'))",
    ]
    if not isinstance(comparison.repaired, str):
        share = SHARE if comparison.calibration is None else "calibration"
        fitted = f"metrics=['ks', 'brier'], calibrators={list(REPAIRS)!r}, calibration={share}"
        lines += [_evaluated("repaired", "models", fitted), "print(repaired.ks.squeeze().to_pandas())"]
    if comparison.benefits is not None:
        at, count = comparison.benefits.threshold, comparison.benefits.replicates
        lines += [
            "",
            "for model in models.values():",
            f"    print(cv.decision_curve(model, {_lens(choices.lens)}, selection=selection, thresholds=[{at!r}], "
            f"replicates={count}, rng={SEED}).to_dataframe())",
        ]
    if choices.categories:
        lines += [
            "for predictions in models.values():",
            *(f"    {line}" for line in _categories("predictions", choices)),
        ]
    return "\n".join([lines[0], "import numpy as np", *lines[1:], ""])


def _head(choices: Scope, by: str) -> list[str]:
    """The imports, and the choices of the report `by` that function."""
    selection = None if choices.selection is None else str(choices.selection)
    return [
        "import calibviz as cv",
        "",
        *([assigned(OWN_LENS, None, by)] if _lens(choices.lens) == OWN_LENS else []),
        *([assigned("own_metrics", None, by)] if choices.metrics else []),
        *([assigned("own_calibrators", None, by)] if choices.calibrators else []),
        f"selection = {selection!r}",
        f"metrics = {list(READINGS)!r}",
        f"shown = dict(lenses={_lens(choices.lens)}, bins={BINS}, selections={{'shown': selection}}, rng={SEED})",
    ]


def _ranked(choices: Scope) -> str:
    return f"{list(RANKED)!r}{' + own_metrics' * bool(choices.metrics)}"


def _interval(name: str, choices: Scope) -> str:
    error, binning = ERRORS[name]
    bins = "" if binning is None else f", binning=cv.{binning!r}"
    shown = f"error=cv.{error.__name__}, selection=selection{bins}"
    return f"print({name!r}, cv.interval(predictions, {_lens(choices.lens)}, {shown}))"


def _evaluated(name: str, of: str, more: str) -> str:
    return f"{name} = cv.evaluate({of}, **shown, {more})"


def _categories(name: str, choices: Scope) -> list[str]:
    if not choices.categories:
        return []
    lens, categories = _lens(choices.lens), dict(choices.categories)
    shown = f"categories={categories!r}, binning=cv.Uniform({BINS}), selection=selection"
    return [f"print(cv.likert_error({name}, {lens}, {shown}).to_dataframe())"]


def _lens(lens: Lens) -> str:
    """The name of a lens if that defines it; else the call that makes it, or a placeholder for a lens of the user's."""
    with suppress(ValueError):
        if read_lens(lens.name) == lens:
            return written(str(lens.name))
    try:
        return written(lens)
    except TypeError:
        return OWN_LENS


def _loaded_all(name: str, models: Mapping[str, Predictions]) -> list[str]:
    sources = {model: source_of(predictions) for model, predictions in models.items()}
    if None in sources.values():
        return [assigned(name, None, "cv.compare")]
    return [f"{name} = {{", *(f"    {model!r}: {source}," for model, source in sources.items()), "}"]
