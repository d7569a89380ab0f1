"""Parts of the Python that gives again what is on screen: a lens, a binning, a calibrator, where data come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import xarray as xr

from ...context.lenses import Grouping, Outcome
from ...data.predictions import Predictions
from ...foundation.sources import assigned, source_of
from ...recalibration import ByField, OneVsRest
from ...recalibration.solvers.cross_validation import FOLDS
from ..asked.spec import INVERSE_COVARIANCE, LARGEST, SPLINES
from .situation import Situation

#: What a script calls several models by name.
MAPPINGS = {"predictions": "models", "calibration": "calibrations"}


def loading(situation: Situation, opened: str) -> list[str]:
    """How the predictions and the calibration set come about."""
    given, calibration = situation.engine.given
    model = situation.spec.model
    lines = _loaded_together("predictions", given, situation.predictions, situation, opened)
    if calibration is None:
        return lines
    fitted_to = situation.engine.fitted_to(model)[0]
    return [*lines, *_loaded_together("calibration", calibration, fitted_to, situation, opened)]


def _loaded_together(name: str, given: Any, predictions: Predictions, situation: Situation, opened: str) -> list[str]:
    """How predictions come about, and what their samples are chosen to belong to; a Dataset has none of it."""
    line = loaded(name, given, predictions, situation.spec.model, opened)
    is_said = situation.spec.cluster == "" or isinstance(given, xr.Dataset) or source_of(predictions) is not None
    return [line] if is_said else [line, f"{name} = {name}.with_cluster({situation.spec.cluster!r})"]


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


def comment_on(name: str, opened: str) -> str:
    """A comment on `models` or `calibrations` in the script, which nobody knows how to make."""
    what = {"predictions": "what", "calibration": "the calibration that"}[name]
    return f"# {MAPPINGS[name]} is {what} was passed to {opened}"


def pictured(situation: Situation) -> str:
    """The lens of the pictures as code."""
    lens = situation.lens
    if isinstance(lens, Outcome):
        whole = lens.lens
        has_groups = isinstance(whole, Grouping) and whole.groups is not None
        return f"cv.Outcome(cv.{whole!r}, {lens.outcome!r})" if has_groups else repr(lens.name)
    return as_code("lens", lens) if situation.spec.lens in situation.spec.own_of("lens") else repr(lens.name)


def selected(situation: Situation) -> str:
    """The lens of the pictures and the selection, as code of arguments."""
    return f"{pictured(situation)}, selection={situation.spec.selection or None!r}"


def as_code(name: str, value: Any) -> str:
    """The call that makes a lens, a distance or a binning of this package, or what a script calls another one."""
    return f"cv.{value!r}" if type(value).__module__.partition(".")[0] == "calibviz" else name


def calibrator_code(situation: Situation, by_name: bool = True, of_rows: bool = False) -> str:
    """The calibrator as code; of scores under a lens of several outcomes, or `of_rows`, one for every class.

    With `by_name`, one of rows is the name that `evaluate` knows it by.
    """
    is_by_class = bool(of_rows or situation.outcomes)
    method = situation.spec.make_calibrator(situation.spec.calibrator)
    of_scores = situation.engine.is_of_scores(situation.spec, situation.spec.calibrator)
    if situation.spec.calibrator in situation.spec.own_of("calibrator"):
        return "cv.OneVsRest(calibrator)" if of_scores and is_by_class else "calibrator"
    has_settings = situation.spec.calibrator in SPLINES or situation.spec.temperature is not None
    if by_name and not of_scores and not has_settings and not isinstance(method, ByField):
        return repr(situation.spec.calibrator)
    return _made(OneVsRest(method) if of_scores and is_by_class else method)


def _made(method: Any) -> str:
    if isinstance(method, ByField):
        return f"cv.ByField({method.field!r}, {_made(method.calibrator)})"
    return f"cv.OneVsRest({_made(method.calibrator)})" if isinstance(method, OneVsRest) else f"cv.{method!r}"


def fitted_line(situation: Situation) -> str:
    """The line that makes `fitted`, the calibrator."""
    made, of_rows = calibrator_code(situation, by_name=False), situation.maps is None
    if situation.engine.calibration is None:
        return (
            f"fitted = cv.cross_fitted(predictions, {'' if of_rows else f'{pictured(situation)}, '}calibrator={made})"
        )
    on = "calibration" if of_rows else f"cv.lens({pictured(situation)})(calibration)"
    return f"fitted = {made}.fit({on})"


def fits(situation: Situation) -> dict[str, str]:
    """The argument of `evaluate` that says what calibrators are fitted to, as code."""
    return {"folds": str(FOLDS)} if situation.engine.calibration is None else {"calibration": "calibration"}


def metric_of(situation: Situation) -> str:
    """The variable of the cube that holds the error on the chosen bins."""
    return "mce" if situation.spec.norm == LARGEST else situation.spec.kind.metric


def with_distance(shown: str, situation: Situation) -> str:
    """The arguments of `evaluate` for all outcomes at once, whose distance may be another one than that of each."""
    distance = situation.whole_error[0]
    if distance == situation.spec.error[0]:
        return shown
    if situation.spec.matrix == INVERSE_COVARIANCE and situation.weighs_pairs and len(situation.trials) == 1:
        lens = (
            whole_lens(situation)
            if situation.spec.lens == "grouping" and situation.spec.groups
            else f"cv.lens({situation.spec.lens!r})"
        )
        written = f"cv.Mahalanobis.inverse_covariance({lens}(predictions))"
    else:
        written = f"cv.{distance!r}"
    return f"**{{{shown}, 'distance': {written}}}"


def bins_code(metrics: list[str], situation: Situation) -> str:
    """The arguments of `evaluate` about bins."""
    spec = situation.spec
    if "kdtree_ece" in metrics:
        return f", gammas={spec.gamma!r}"
    if not {"ece", "mce"} & set(metrics):
        return ""
    if spec.kind.chooses:
        return f", binnings={as_code('binning', spec.chosen_binning)}"
    return f", binnings={spec.binning!r}, bins={spec.bins}"


def whole_lens(situation: Situation) -> str:
    """The lens of all outcomes as code."""
    lens = situation.spec.make_lens()
    return f"cv.{lens!r}" if isinstance(lens, Grouping) and situation.spec.groups else repr(situation.spec.lens)
