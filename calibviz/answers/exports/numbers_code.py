"""The Python that reproduces the numbers on screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import xarray as xr

from ...context.class_lenses import Pooled
from ...context.lenses import Grouping, Outcome
from ...data.predictions import Predictions
from ...engine.binning_kinds import TREE
from ...foundation.sources import assigned, source_of
from ...metrics.records.registry import METRICS
from ...recalibration import ByField, OneVsRest
from ...recalibration.solvers.cross_validation import FOLDS
from ..asked.spec import IN_BINS, INVERSE_COVARIANCE, LARGEST, SPLINES, Spec, Subject
from ..situation.engine import Engine
from ..situation.situation import Situation
from ..steps.compared import compared_rows, looked_at
from ..time import windows_of

#: What a script calls several models by name.
MAPPINGS = {"predictions": "models", "calibration": "calibrations"}
HEADLINE = ("ks", "sweep", "sweep_bins", "accuracy", "mean_score", "mean_target", "count")  # what the table shows


def code_of(look: Situation, opened: str) -> str:
    """A script that prints `numbers`, the headline before and after recalibration, and the Likert `categories`.

    Where predictions were not loaded by a call that is known, the script expects them under the names
    `predictions` and `calibration`. `opened` is the class of the view, such as "cv.Explorer".
    """
    spec = look.spec
    lines = ["import calibviz as cv", "", *_loading(look, opened)]
    if look.of_summary:
        lines.insert(2, f"# summary is what was passed to {opened}, and fitted_to its calibration, if there was one")
    for name in _not_written(spec):
        lines.insert(2, f"# {name} is the one named {getattr(spec, name)!r} that was passed to {opened}")
    compared = [name for name in spec.calibrators if name in dict(spec.own_calibrators)]
    if "comparison" in spec.panels and compared and "calibrator" not in _not_written(spec):
        lines.insert(2, f"# calibrator is the one named {compared[0]!r} that was passed to {opened}")
    after = (
        {}
        if spec.calibrator == "none"
        else {
            "calibrators": f"['none', {_calibrator(look)}]",
            **_fits(look),
        }
    )
    shown = {
        **({"selections": repr({"shown": spec.selection})} if spec.selection else {}),
        **after,
        "distance": as_code("distance", spec.error[0]),
        "p": repr(spec.error[1]),
    }
    lines += ["", "shown = {", *(f"    {name!r}: {value}," for name, value in shown.items()), "}"]
    metric = _metric(look)
    headline = [name for name in HEADLINE if name != "accuracy" or not look.of_summary]
    of_picture = [] if look.outcomes or metric in headline else [metric]
    lines.append(_evaluated("numbers", pictured(look), [*of_picture, *headline], look))
    lines.append("print(numbers.T)")
    if look.outcomes and not look.no_joint:
        name = "mean_over_classes" if look.is_family else "joint"
        arguments = _with_distance("**shown", look)
        lines += [_evaluated(name, _whole(look), [metric], look, arguments), f"print({name}.T)"]
    if len(look.trials) == 1:
        lines += of_panels(look)
    if "comparison" in spec.panels:
        lines += _of_comparison(look, opened)
    return "\n".join([*lines, ""])


def code_of_kept(look: Situation, opened: str) -> str:
    """The script of each kept state, A first; empty where nothing is kept."""
    kept = look.spec.of_kept().items()
    return "".join(f"# Kept as {name}\n{code_of(Situation(look.engine, spec), opened)}\n" for name, spec in kept)


def comment_on(name: str, opened: str) -> str:
    """A comment on `models` or `calibrations` in the script, which nobody knows how to make."""
    what = {"predictions": "what", "calibration": "the calibration that"}[name]
    return f"# {MAPPINGS[name]} is {what} was passed to {opened}"


def of_panels(look: Situation) -> list[str]:
    """Code that prints the tables of the answers on screen.

    The cumulative pictures are drawn, and what was fitted to is judged if they show it.
    """
    spec, has_after = look.spec, look.spec.calibrator != "none"
    of = f"{pictured(look)}, selection={spec.selection!r}"
    rows = look.maps is None
    prints = []
    if spec.likert:
        categories = dict(spec.likert) if isinstance(spec.likert[0], tuple) else list(spec.likert)
        binning = as_code("binning", spec.make_binning())
        arguments = f"{pictured(look)}, categories={categories!r}, binning={binning}, selection={spec.selection!r}"
        prints.append(f"print(cv.likert_error(predictions, {arguments}).to_dataframe().T)")
        if has_after:
            after, mapped = ("fitted.transform(predictions)", "") if rows else ("predictions", ", calibrator=fitted")
            prints.append(f"print(cv.likert_error({after}, {arguments}{mapped}).to_dataframe().T)")
    fitted = ", calibrator=fitted" if has_after else ""
    if "decision" in spec.panels and not isinstance(look.lens, Pooled):
        more = f"{of}, thresholds=[{spec.threshold!r}], prevalence={spec.prevalence!r}{fitted}, replicates=400"
        prints.append(f"print(cv.decision_curve(predictions, {more}).to_dataframe().T)")
    if "cumulative" in spec.panels and not isinstance(look.lens, Pooled) and not look.of_summary:
        of_fitted = spec.samples == "calibration"
        is_crossed = look.engine.calibration is None
        more = ", calibration=calibration" if of_fitted and not is_crossed else ""
        whole = ".whole" if of_fitted and is_crossed and has_after else ""
        prints.append(f"picture = cv.plots.ks(predictions, {of}{fitted}{whole}{more})")
        if of_fitted:
            data = "predictions" if is_crossed else "calibration"
            fit = f"**{{**shown, 'folds': None, 'calibration': {data}}}" if is_crossed and has_after else "**shown"
            whole = f"cv.evaluate({data}, {pictured(look)}, {fit}, metrics=['ks', 'count'])"
            prints.append(f"print({whole}.squeeze().to_pandas().T)")
    lines = ["", *([_fitted(look)] if has_after else []), *prints] if prints else []
    if "segments" in spec.panels and not isinstance(look.lens, Pooled) and not look.of_summary:
        more = f"{of}, depth={spec.depth}, minimum={spec.minimum}"
        lines += ["", f"segments = cv.segments(predictions, {more})", "print(segments.to_dataframe())"]
    if "time" in spec.panels and not isinstance(windows_of(look), str):
        more = f"lens={pictured(look)}, selection={spec.selection!r}"
        lines += ["", f"windows = cv.over_time(predictions, {more})", "print(windows.to_dataframe())"]
    return lines


def _fitted(look: Situation) -> str:
    made, of_rows = _calibrator(look, by_name=False), look.maps is None
    if look.engine.calibration is None:
        return f"fitted = cv.cross_fitted(predictions, {'' if of_rows else f'{pictured(look)}, '}calibrator={made})"
    on = "calibration" if of_rows else f"cv.lens({pictured(look)})(calibration)"
    return f"fitted = {made}.fit({on})"


def _fits(look: Situation) -> dict[str, str]:
    """The argument of `evaluate` that says what calibrators are fitted to, as code."""
    return {"folds": str(FOLDS)} if look.engine.calibration is None else {"calibration": "calibration"}


def _of_comparison(look: Situation, opened: str) -> list[str]:
    """Code that prints the comparison: errors by calibrator, row by row, or all metrics on screen at once."""
    spec = look.spec
    if spec.rows == "gce":
        names = (_calibrator(_of_row(look, _subject_of(look), name), of_rows=True) for name in spec.calibrators)
        lens, printed = "'top-1'", f"metrics=['gce'], bins={spec.bins}).gce{_of_family(spec)}.to_series().to_string())"
        return ["", f"print(cv.evaluate(predictions, {lens}, {_shown(look, spec.selection, names)}, {printed}"]
    if spec.rows == "metric":
        names = (_calibrator(_of_row(look, _subject_of(look), name)) for name in spec.calibrators)
        known = [name for name in spec.metrics if name in METRICS and name not in IN_BINS]
        whole = _of_row(look, _subject_of(look), spec.calibrator)
        arguments = _shown(look, spec.selection, [*names])
        lines = [
            f"print(cv.evaluate(predictions, {pictured(look)}, {arguments}, metrics={known!r}){_printed(spec)})"
        ] * bool(known)
        norms = [LARGEST if name == "mce" else spec.norm for name in spec.metrics if name in IN_BINS]
        in_bins = [Situation(look.engine, whole.spec.but(norm=norm)) for norm in norms]
        return ["", *lines, *(_error_of(row, look.engine, spec) for row in in_bins)]
    lines, loaded = [""], spec.model
    for model, lens, selection in compared_rows(look):
        row = _of_row(look, (model, lens, selection), spec.calibrator)
        if model != loaded:
            lines, loaded = [*lines, *_loading(row, opened)], model
        lines.append(_error_of(row, look.engine, spec))
    return lines


def _of_family(spec: Spec) -> str:
    """Code that takes the chosen errors of the GCE family out of all 32, along the dimensions of the cube."""
    asked = spec.asked_of_family()
    return f".sel({asked!r})" if asked else ".squeeze()"


def _subject_of(look: Situation) -> Subject:
    return look.spec.model, look.spec.lens, look.spec.selection


def _of_row(look: Situation, subject: Subject, calibrator: str) -> Situation:
    """A row of the comparison as it is measured: its errors in the bins that it has there, after a calibrator."""
    row = looked_at(look.engine, replace(look.spec, calibrator=calibrator), subject)
    is_cut = bool(row.outcomes) and not row.is_family and not row.kind.cuts_rows
    return Situation(look.engine, replace(row.spec, binning=(TREE if is_cut else row.kind).name))


def _error_of(row: Situation, engine: Engine, spec: Spec) -> str:
    """Code that prints the error in bins of a row of the comparison after every calibrator."""
    if row.outcomes and row.no_whole_error:
        return f"# {row.name}: {row.no_whole_error}"
    names = [_calibrator(Situation(engine, replace(row.spec, calibrator=name))) for name in spec.calibrators]
    metric, lens = _metric(row), _whole(row) if row.outcomes else pictured(row)
    shown = _with_distance(_shown(row, row.spec.selection, names), row)
    arguments = f"{shown}, metrics=[{metric!r}]{_bins([metric], row)}"
    return f"print(cv.evaluate(predictions, {lens}, {arguments}){_printed(spec)})"


def _printed(spec: Spec) -> str:
    """Code that turns the cube of `evaluate` into the table of the comparison."""
    return f".squeeze().{'to_dataframe().T' if spec.calibrators else 'to_pandas()'}"


def _shown(look: Situation, selection: str, calibrators: Iterable[str]) -> str:
    """The arguments of `evaluate` for the comparison, where they differ from those of what is shown."""
    names = ", ".join(["'none'", *calibrators])
    selections = f"{{'shown': {selection or None!r}}}"
    fits = "".join(f", {name!r}: {value}" for name, value in _fits(look).items())
    return f"**{{**shown, 'selections': {selections}, 'calibrators': [{names}]{fits}}}"


def _loading(look: Situation, opened: str) -> list[str]:
    """How the predictions and the calibration set come about."""
    given, calibration = look.engine.given
    model = look.spec.model
    lines = [loaded("predictions", given, look.predictions, model, opened)]
    if calibration is None:
        return lines
    fitted_to = look.engine.fitted_to(model)[0]
    return [*lines, loaded("calibration", calibration, fitted_to, model, opened)]


def loaded(name: str, given: Any, predictions: Predictions, model: str, opened: str) -> str:
    """How predictions come about, as code."""
    if isinstance(given, xr.Dataset):
        dims = [str(dim) for dim in given.dims if dim not in ("trial", "sample", "class")]
        source = source_of(given)
        if source is not None and len(dims) == 1:
            source = source.method("sel")({dims[0]: model})
        return assigned(name, source, opened)
    source = source_of(predictions)
    if source is None and isinstance(given, Mapping):
        return f"{comment_on(name, opened)}\n{name} = {MAPPINGS[name]}[{model!r}]"
    return assigned(name, source, opened)


def _calibrator(look: Situation, by_name: bool = True, of_rows: bool = False) -> str:
    """The calibrator as code; of scores under a lens of several outcomes, or `of_rows`, one for every class.

    With `by_name`, one of rows is the name that `evaluate` knows it by.
    """
    is_by_class = bool(of_rows or look.outcomes)
    method = look.spec.make_calibrator(look.spec.calibrator)
    of_scores = look.engine.is_of_scores(look.spec, look.spec.calibrator)
    if look.spec.calibrator in dict(look.spec.own_calibrators):
        return "cv.OneVsRest(calibrator)" if of_scores and is_by_class else "calibrator"
    has_settings = look.spec.calibrator in SPLINES or look.spec.temperature is not None
    if by_name and not of_scores and not has_settings and not isinstance(method, ByField):
        return repr(look.spec.calibrator)
    return _made(OneVsRest(method) if of_scores and is_by_class else method)


def _made(method: Any) -> str:
    """The call that makes a calibrator."""
    if isinstance(method, ByField):
        return f"cv.ByField({method.field!r}, {_made(method.calibrator)})"
    return f"cv.OneVsRest({_made(method.calibrator)})" if isinstance(method, OneVsRest) else f"cv.{method!r}"


def _not_written(spec: Spec) -> list[str]:
    """Which choices are objects of the user's own that a script cannot make."""
    made = {"lens": spec.make_lens(), "distance": spec.error[0], "binning": spec.make_binning()}
    names = [name for name, value in made.items() if as_code(name, value) == name]
    return [*names, *(["calibrator"] if spec.calibrator in dict(spec.own_calibrators) else [])]


def as_code(name: str, value: Any) -> str:
    """The call that makes a lens, a distance or a binning of this package, or what a script calls another one."""
    return f"cv.{value!r}" if type(value).__module__.partition(".")[0] == "calibviz" else name


def _metric(look: Situation) -> str:
    """The variable of the cube that holds the error on the chosen bins."""
    return "mce" if look.spec.norm == LARGEST else look.spec.kind.metric


def _with_distance(shown: str, look: Situation) -> str:
    """The arguments of `evaluate` for all outcomes at once, whose distance may be another one than that of each."""
    distance = look.whole_error[0]
    if distance == look.spec.error[0]:
        return shown
    if look.spec.matrix == INVERSE_COVARIANCE and look.weighs_pairs and len(look.trials) == 1:
        lens = _whole(look) if look.spec.lens == "grouping" and look.spec.groups else f"cv.lens({look.spec.lens!r})"
        written = f"cv.Mahalanobis.inverse_covariance({lens}(predictions))"
    else:
        written = f"cv.{distance!r}"
    return f"**{{{shown}, 'distance': {written}}}"


def _evaluated(name: str, lens: str, metrics: list[str], look: Situation, shown: str = "**shown") -> str:
    table = ".squeeze().to_dataframe()" if len(look.trials) > 1 else ".squeeze().to_pandas()"
    return f"{name} = cv.evaluate(predictions, {lens}, {shown}, metrics={metrics!r}{_bins(metrics, look)}){table}"


def _bins(metrics: list[str], look: Situation) -> str:
    """The arguments of `evaluate` about bins."""
    spec = look.spec
    if "kdtree_ece" in metrics:
        return f", gammas={spec.gamma!r}"
    if not {"ece", "mce"} & set(metrics):
        return ""
    if spec.kind.chooses:
        return f", binnings={as_code('binning', spec.make_binning())}"
    return f", binnings={spec.binning!r}, bins={spec.bins}"


def _whole(look: Situation) -> str:
    lens = look.spec.make_lens()
    return f"cv.{lens!r}" if isinstance(lens, Grouping) and look.spec.groups else repr(look.spec.lens)


def pictured(look: Situation) -> str:
    """The lens of the pictures as code."""
    lens = look.lens
    if isinstance(lens, Outcome):
        whole = lens.lens
        has_groups = isinstance(whole, Grouping) and whole.groups is not None
        return f"cv.Outcome(cv.{whole!r}, {lens.outcome!r})" if has_groups else repr(lens.name)
    return as_code("lens", lens) if look.spec.lens in dict(look.spec.own_lenses) else repr(lens.name)
