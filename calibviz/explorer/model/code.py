"""The Python that reproduces the numbers on screen and opens the view again, and the cube that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import xarray as xr

from ...context.class_lenses import Pooled
from ...context.lenses import Grouping, Outcome
from ...cube.evaluate import evaluate
from ...data.predictions import Predictions
from ...foundation.sources import Source, assigned, source_of, written
from ...metrics.records.registry import METRICS
from ...recalibration import OneVsRest
from ..state.spec import INVERSE_COVARIANCE, SPLINES, Spec, Subject
from ..state.state import ExplorerState, overlay_choices
from .contents.time import windows_of
from .engine import Engine
from .situation import Situation
from .slow_steps import compared_rows, looked_at
from .trials import SPLIT_SEED

#: Choices among which may be something of the user's own, and its kind.
OF_OWN = {
    "lens": "lens",
    "distance": "distance",
    "binning": "binning",
    "calibrator": "calibrator",
    "calibrators": "calibrator",
    "metrics": "metric",
}
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
    calibrator = _calibrator(look)
    shown = {
        **({"selections": repr({"shown": spec.selection})} if spec.selection else {}),
        "calibrators": f"['none', {calibrator}]",
        "calibration": "calibration",
        "distance": _written("distance", spec.error[0]),
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
        arguments = _with_distance("**shown", look)
        lines += [_evaluated(name, _whole(look), [metric], look, arguments), f"print({name}.T)"]
    if len(look.trials) == 1:
        lines += _of_panels(look)
    if "comparison" in spec.panels:
        lines += _of_comparison(look, opened)
    return "\n".join([*lines, ""])


def code_of_kept(look: Situation, opened: str) -> str:
    """The script of each kept state, A first; empty where nothing is kept."""
    kept = look.spec.of_kept().items()
    return "".join(f"# Kept as {name}\n{code_of(Situation(look.engine, spec), opened)}\n" for name, spec in kept)


def code_of_view(look: Situation, opened: str) -> str:
    """A script that opens the view again, after that of `code_of`: what was passed, and each choice that was made."""
    spec = look.spec
    first = ExplorerState(tuple(look.engine.models), lens=look.engine.first_lens).to_dict()
    others, own = _own_variables(spec)
    lines = [
        f"# {variable} is the one named {name!r} that was passed to {opened}"
        for (_, name), variable in others.items()  # `code_of` says already what those are that are chosen
    ]
    own |= others
    passed: list[str] = []
    for name, given in zip(("predictions", "calibration"), look.engine.given, strict=True):
        if given is not None:
            passed.append(_passed(name, given, spec.model, lines, opened))
    chosen = _changed({name: getattr(spec, name) for name in first}, first)
    if spec.kept:
        chosen["kept"] = {name: _changed(dict(kept), first) for name, kept in spec.kept}
    passable = {(kind, name) for choice, kind in OF_OWN.items() for name in _several(getattr(spec, choice))}
    if own.keys() <= passable:
        order = sorted(chosen, key=lambda name: name not in OF_OWN)  # others may name what is the user's own
        passed += [f"{name}={_choice(name, chosen[name], own)}" for name in order]
        after = []
    else:  # something was chosen earlier, and is now a part of another choice
        after = [
            f"explorer.state.{f'metrics = [{variable}]' if kind == 'metric' else f'{kind} = {variable}'}"
            for (kind, _), variable in own.items()
        ]
        after.append(f"explorer.state.from_dict({written(chosen)})")
    shown = [f"    {argument}," for argument in passed]
    return "\n".join(["", "# The view on screen", *lines, f"explorer = {opened}(", *shown, ")", *after, "explorer", ""])


def _several(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _own_variables(spec: Spec) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """What the script calls each thing of the user's own that some choice names, by its kind and name.

    First those that are named in passing, then those that are chosen, by the names that `code_of` gives them.
    """
    things = set[tuple[str, str]]().union(*map(_things_of, (spec, *spec.of_kept().values())))
    made = {"lens": spec.make_lens(), "distance": spec.error[0], "binning": spec.make_binning()}
    names = {(kind, getattr(spec, kind)): _written(kind, made.get(kind)) for kind in (*made, "calibrator")}
    chosen = {thing: names[thing] for thing in things if thing in names}
    others: dict[tuple[str, str], str] = {}
    for kind, name in sorted(things - chosen.keys()):
        others[kind, name] = f"{kind}_{1 + sum(other == kind for other, _ in others)}"
    return others, chosen


def _things_of(spec: Spec) -> set[tuple[str, str]]:
    """The kind and the name of each thing of the user's own that choices name, but for kept ones."""
    drawn = overlay_choices((), spec.known_calibrators)
    named = {
        "lens": {spec.lens, *(lens for _, lens, _ in spec.compared)},
        "distance": {spec.distance},
        "binning": {spec.binning},
        "calibrator": {
            spec.calibrator,
            *spec.calibrators,
            *(drawn[text].name for text in spec.overlays if text in drawn),
        },
        "metric": set(spec.metrics),
    }
    own: dict[str, Mapping[str, Any]] = {
        "lens": dict(spec.own_lenses),
        "distance": dict(spec.own_distances),
        "binning": dict(spec.own_binnings),
        "calibrator": dict(spec.own_calibrators),
        "metric": {record.name: record for record in spec.own_metrics},
    }
    return {(kind, name) for kind, names in named.items() for name in names if name in own[kind]}


def _choice(name: str, value: Any, own: dict[tuple[str, str], str]) -> str:
    """A choice as code; what is the user's own as the script calls it."""
    kind = OF_OWN.get(name)
    if kind is None:
        return written(value)
    if isinstance(value, str):
        return own.get((kind, value), repr(value))
    return f"[{', '.join(own.get((kind, entry), repr(entry)) for entry in value)}]"


def _changed(choices: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in choices.items() if value != first[name]}


def _passed(name: str, given: Any, model: str, lines: list[str], opened: str) -> str:
    """What was passed to the view, as code; where nobody knows how it is made, `lines` get to say what it is."""
    if isinstance(given, xr.Dataset):
        source = source_of(given)
        return name if source is None else str(source)
    if not isinstance(given, Mapping) or list(given) == ["model"]:
        return name
    sources = {str(key): source_of(value) for key, value in given.items()}
    if len(sources) == 1:
        return written({model: Source(name)})
    bases = {str(source).removesuffix(f"[{key!r}]") for key, source in sources.items()}
    if None in sources.values():
        if sources.get(model) is not None:  # else it has been said already
            lines.append(_comment_on(name, opened))
        return MAPPINGS[name]
    if len(bases) == 1 and all(str(source).endswith(f"[{key!r}]") for key, source in sources.items()):
        return f"{{name: {bases.pop()}[name] for name in {list(sources)!r}}}"
    return written(sources)


def _comment_on(name: str, opened: str) -> str:
    what = {"predictions": "what", "calibration": "the calibration that"}[name]
    return f"# {MAPPINGS[name]} is {what} was passed to {opened}"


def _of_panels(look: Situation) -> list[str]:
    """What prints the categories, the segments and what acting at the threshold is worth, where they are on screen.

    The cumulative pictures are drawn, and what was fitted to is judged if they show it.
    """
    spec = look.spec
    of = f"{_pictured(look)}, {spec.selection!r}"
    rows = look.maps is None
    on = "calibration" if rows else f"cv.lens({_pictured(look)})(calibration)"
    fitted = _calibrator(look, by_name=False)
    prints = []
    if spec.likert:
        categories = dict(spec.likert) if isinstance(spec.likert[0], tuple) else list(spec.likert)
        arguments = f"{_pictured(look)}, {categories!r}, {_written('binning', spec.make_binning())}, {spec.selection!r}"
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
    if "cumulative" in spec.panels and not isinstance(look.lens, Pooled) and not look.of_summary:
        of_fitted = spec.samples == "calibration"
        prints.append(
            f"picture = cv.plots.ks(evaluation, fitted, {of}{', calibration=calibration' if of_fitted else ''})"
        )
        if of_fitted:
            judged = f"cv.evaluate(calibration, {_pictured(look)}, **shown, metrics=['ks', 'count'])"
            prints.append(f"print({judged}.squeeze().to_pandas().T)")
    lines = ["", f"fitted = {fitted}.fit({on})", *prints] if prints else []
    if "segments" in spec.panels and not isinstance(look.lens, Pooled) and not look.of_summary:
        more = f"{of}, depth={spec.depth}, minimum={spec.minimum}"
        lines += ["", f"segments = cv.segments(evaluation, {more})", "print(segments.to_dataframe())"]
    if "time" in spec.panels and not isinstance(windows_of(look), str):
        more = f"lens={_pictured(look)}, selection={spec.selection!r}"
        lines += ["", f"windows = cv.over_time(evaluation, {more})", "print(windows.to_dataframe())"]
    return lines


def _of_comparison(look: Situation, opened: str) -> list[str]:
    """What prints the comparison: errors by calibrator, row by row, or all metrics of what is on screen at once."""
    spec = look.spec
    if spec.rows == "gce":
        names = (_calibrator(_of_row(look, _subject_of(look), name), of_rows=True) for name in spec.calibrators)
        lens, printed = "'top-1'", f"metrics=['gce'], bins={spec.bins}).gce{_of_family(spec)}.to_series().to_string())"
        return ["", f"print(cv.evaluate(evaluation, {lens}, {_shown(spec.selection, names)}, {printed}"]
    if spec.rows == "metric":
        names = (_calibrator(_of_row(look, _subject_of(look), name)) for name in spec.calibrators)
        known = [name for name in spec.metrics if name in METRICS and name != "ece"]
        whole = _of_row(look, _subject_of(look), spec.calibrator)
        arguments = _shown(spec.selection, [*names])
        lines = [
            f"print(cv.evaluate(evaluation, {_pictured(look)}, {arguments}, metrics={known!r}){_printed(spec)})"
        ] * bool(known)
        return ["", *lines, *([_error_of(whole, look.engine, spec)] if "ece" in spec.metrics else [])]
    lines, loaded = [""], spec.model
    for model, lens, selection in compared_rows(look):
        row = _of_row(look, (model, lens, selection), spec.calibrator)
        if model != loaded:
            lines, loaded = [*lines, *_loading(row, opened)], model
        lines.append(_error_of(row, look.engine, spec))
    return lines


def _of_family(spec: Spec) -> str:
    """What takes the chosen errors of the GCE family out of all 32, along the dimensions of the cube."""
    asked = spec.asked_of_family()
    dims = {{"binning": "gce_binning"}.get(field, field): value for field, value in asked.items()}
    return f".sel({dims!r})" if dims else ".squeeze()"


def _subject_of(look: Situation) -> Subject:
    return look.spec.model, look.spec.lens, look.spec.selection


def _of_row(look: Situation, subject: Subject, calibrator: str) -> Situation:
    """A row of the comparison as it is measured: its errors in the bins that it has there, after a calibrator."""
    row = looked_at(look.engine, replace(look.spec, calibrator=calibrator), subject)
    is_cut = bool(row.outcomes) and not row.is_family and row.kind == "equal-mass"
    return Situation(look.engine, replace(row.spec, binning="k-d tree" if is_cut else row.kind))


def _error_of(row: Situation, engine: Engine, spec: Spec) -> str:
    """What prints the error in bins of a row of the comparison after every calibrator."""
    if row.outcomes and row.no_whole_error:
        return f"# {row.name}: {row.no_whole_error}"
    names = [_calibrator(Situation(engine, replace(row.spec, calibrator=name))) for name in spec.calibrators]
    metric, lens = _metric(row), _whole(row) if row.outcomes else _pictured(row)
    shown = _with_distance(_shown(row.spec.selection, names), row)
    arguments = f"{shown}, metrics=[{metric!r}]{_bins([metric], row)}"
    return f"print(cv.evaluate(evaluation, {lens}, {arguments}){_printed(spec)})"


def _printed(spec: Spec) -> str:
    """What makes a table of what `evaluate` returns for the comparison."""
    return f".squeeze().{'to_dataframe().T' if spec.calibrators else 'to_pandas()'}"


def _shown(selection: str, calibrators: Iterable[str]) -> str:
    """The arguments of `evaluate` for the comparison, where they differ from those of what is shown."""
    names = ", ".join(["'none'", *calibrators])
    selections = f"{{'shown': {selection or None!r}}}"
    return f"**{{**shown, 'selections': {selections}, 'calibrators': [{names}], 'calibration': calibration}}"


def cube_of(look: Situation) -> xr.Dataset:
    """The errors of all models, before and after all compared calibrators, under the current choices."""
    spec, engine = look.spec, look.engine
    predictions, calibration = engine.given
    names = dict.fromkeys(("none", spec.calibrator, *spec.calibrators))
    distance, p, _ = look.whole_error if look.outcomes and not look.no_whole_error else spec.error
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
        binnings=_binning_of_cube(look),
        bins=spec.bins,
        gammas=[spec.gamma] if fine else [],
        selections={"shown": spec.make_selection()},
        calibrators=[name if name == "none" else spec.make_calibrator(name) for name in names],
        calibration=spec.share if calibration is None else calibration,
        likert=spec.categories() or None,
        distance=distance,
        p=p,
        seed=SPLIT_SEED,
    )


def _binning_of_cube(look: Situation) -> Any:
    """What the errors of the cube are measured in; the k-d tree and the sweep have their own variables."""
    spec = look.spec
    if spec.chooses_bins and spec.binning != "sweep":
        return spec.make_binning()
    return "uniform" if spec.binning == "k-d tree" else look.kind


def _loading(look: Situation, opened: str) -> list[str]:
    """How the evaluation and the calibration set come about."""
    given, calibration = look.engine.given
    model = look.spec.model
    lines = [_loaded("predictions", given, look.predictions, model, opened)]
    if calibration is None:
        split = f"predictions.split({look.spec.share!r}, seed={SPLIT_SEED})"
        return [*lines, f"calibration, evaluation = {split}"]
    assert look.engine.calibration is not None
    fitted_to = look.engine.calibration[model][0]
    return [*lines, _loaded("calibration", calibration, fitted_to, model, opened), "evaluation = predictions"]


def _loaded(name: str, given: Any, predictions: Predictions, model: str, opened: str) -> str:
    if isinstance(given, xr.Dataset):
        dims = [str(dim) for dim in given.dims if dim not in ("trial", "sample", "class")]
        source = source_of(given)
        if source is not None and len(dims) == 1:
            source = source.method("sel")({dims[0]: model})
        return assigned(name, source, opened)
    source = source_of(predictions)
    if source is None and isinstance(given, Mapping):
        return f"{_comment_on(name, opened)}\n{name} = {MAPPINGS[name]}[{model!r}]"
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
    if by_name and not of_scores and not has_settings:
        return repr(look.spec.calibrator)
    return _made(OneVsRest(method) if of_scores and is_by_class else method)


def _made(method: Any) -> str:
    """The call that makes a calibrator."""
    return f"cv.OneVsRest(cv.{method.calibrator!r})" if isinstance(method, OneVsRest) else f"cv.{method!r}"


def _not_written(spec: Spec) -> list[str]:
    """Which choices are objects of the user's own that a script cannot make."""
    made = {"lens": spec.make_lens(), "distance": spec.error[0], "binning": spec.make_binning()}
    names = [name for name, value in made.items() if _written(name, value) == name]
    return [*names, *(["calibrator"] if spec.calibrator in dict(spec.own_calibrators) else [])]


def _written(name: str, value: Any) -> str:
    """The call that makes a lens, a distance or a binning of this package, or what a script calls another one."""
    return f"cv.{value!r}" if type(value).__module__.partition(".")[0] == "calibviz" else name


def _metric(look: Situation) -> str:
    """The variable of the cube that holds the error on the chosen bins."""
    if look.spec.norm == "maximum":
        return "mce"
    return {"k-d tree": "kdtree_ece", "sweep": "sweep"}.get(look.spec.binning, "ece")


def _with_distance(shown: str, look: Situation) -> str:
    """The arguments of `evaluate` for all outcomes at once, whose distance may be another one than that of each."""
    distance = look.whole_error[0]
    if distance == look.spec.error[0]:
        return shown
    if look.spec.matrix == INVERSE_COVARIANCE and look.weighs_pairs and len(look.trials) == 1:
        lens = _whole(look) if look.spec.lens == "grouping" and look.spec.groups else f"cv.lens({look.spec.lens!r})"
        written = f"cv.Mahalanobis.inverse_covariance({lens}(evaluation))"
    else:
        written = f"cv.{distance!r}"
    return f"**{{{shown}, 'distance': {written}}}"


def _evaluated(name: str, lens: str, metrics: list[str], look: Situation, shown: str = "**shown") -> str:
    table = ".squeeze().to_dataframe()" if len(look.trials) > 1 else ".squeeze().to_pandas()"
    return f"{name} = cv.evaluate(evaluation, {lens}, {shown}, metrics={metrics!r}{_bins(metrics, look)}){table}"


def _bins(metrics: list[str], look: Situation) -> str:
    """The arguments of `evaluate` about bins."""
    spec = look.spec
    if "kdtree_ece" in metrics:
        return f", gammas={spec.gamma!r}"
    if not {"ece", "mce"} & set(metrics):
        return ""
    if spec.chooses_bins or spec.binning == "k-d tree":
        return f", binnings={_written('binning', spec.make_binning())}"
    return f", binnings={spec.binning!r}, bins={spec.bins}"


def _whole(look: Situation) -> str:
    lens = look.spec.make_lens()
    return f"cv.{lens!r}" if isinstance(lens, Grouping) and look.spec.groups else repr(look.spec.lens)


def _pictured(look: Situation) -> str:
    lens = look.lens
    if look.spec.lens in dict(look.spec.own_lenses):
        return _written("lens", lens)
    if isinstance(lens, Outcome) and look.spec.groups:
        return f"cv.Outcome(cv.{lens.lens!r}, {lens.outcome!r})"
    return repr(lens.name)
