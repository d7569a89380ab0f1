"""The Python that prints the comparison."""

from __future__ import annotations

from collections.abc import Iterable

from ...engine.binnings.binning_kinds import TREE
from ...metrics.records.registry import METRICS
from ..asked.spec import IN_BINS, LARGEST, Spec, Subject
from ..situation import as_code
from ..situation.content import Code
from ..situation.situation import Situation
from ..steps.compared import compared_rows, looked_at


def code(situation: Situation, opened: str) -> Code:
    """Code that prints the comparison: errors by calibrator, row by row, or all metrics on screen at once."""
    own = [name for name in situation.spec.calibrators if name in situation.spec.own_of("calibrator")]
    is_said = situation.spec.calibrator in situation.spec.own_of("calibrator")
    said = [f"# calibrator is the one named {own[0]!r} that was passed to {opened}"] if own and not is_said else []
    return Code((*said, *_lines(situation, opened)), takes_trials=True)


def _lines(situation: Situation, opened: str) -> list[str]:
    spec = situation.spec
    if spec.rows == "gce":
        names = (
            as_code.calibrator_code(_of_row(situation, _subject_of(situation), name), of_rows=True)
            for name in spec.calibrators
        )
        lens, printed = "'top-1'", f"metrics=['gce'], bins={spec.bins}).gce{_of_family(spec)}.to_series().to_string())"
        return ["", f"print(cv.evaluate(predictions, {lens}, {_shown(situation, spec.selection, names)}, {printed}"]
    if spec.rows == "metric":
        names = (as_code.calibrator_code(_of_row(situation, _subject_of(situation), name)) for name in spec.calibrators)
        known = [name for name in spec.metrics if name in METRICS and name not in IN_BINS]
        whole = _of_row(situation, _subject_of(situation), spec.calibrator)
        arguments = _shown(situation, spec.selection, [*names])
        lens, measured = as_code.pictured(situation), f"metrics={known!r}"
        lines = [f"print(cv.evaluate(predictions, {lens}, {arguments}, {measured}){_printed(spec)})"] * bool(known)
        norms = [LARGEST if name == "mce" else spec.norm for name in spec.metrics if name in IN_BINS]
        in_bins = [whole.but(norm=norm) for norm in norms]
        return ["", *lines, *(_error_of(row, spec) for row in in_bins)]
    lines, loaded = [""], spec.model
    for model, lens, selection in compared_rows(situation):
        row = _of_row(situation, (model, lens, selection), spec.calibrator)
        if model != loaded:
            lines, loaded = [*lines, *as_code.loading(row, opened)], model
        lines.append(_error_of(row, spec))
    return lines


def _of_family(spec: Spec) -> str:
    """Code that takes the chosen errors of the GCE family out of all 32, along the dimensions of the cube."""
    asked = spec.asked_of_family()
    return f".sel({asked!r})" if asked else ".squeeze()"


def _subject_of(situation: Situation) -> Subject:
    return situation.spec.model, situation.spec.lens, situation.spec.selection


def _of_row(situation: Situation, subject: Subject, calibrator: str) -> Situation:
    """A row of the comparison as it is measured: its errors in the bins that it has there, after a calibrator."""
    row = looked_at(situation.engine, situation.spec.but(calibrator=calibrator), subject)
    is_cut = bool(row.outcomes) and not row.is_family and not row.kind.cuts_rows
    return row.but(binning=(TREE if is_cut else row.kind).name)


def _error_of(row: Situation, spec: Spec) -> str:
    """Code that prints the error in bins of a row of the comparison after every calibrator."""
    if row.outcomes and row.no_whole_error:
        return f"# {row.name}: {row.no_whole_error}"
    names = [as_code.calibrator_code(row.but(calibrator=name)) for name in spec.calibrators]
    metric, lens = as_code.metric_of(row), as_code.whole_lens(row) if row.outcomes else as_code.pictured(row)
    shown = as_code.with_distance(_shown(row, row.spec.selection, names), row)
    arguments = f"{shown}, metrics=[{metric!r}]{as_code.bins_code([metric], row)}"
    return f"print(cv.evaluate(predictions, {lens}, {arguments}){_printed(spec)})"


def _printed(spec: Spec) -> str:
    """Code that turns the cube of `evaluate` into the table of the comparison."""
    return f".squeeze().{'to_dataframe().T' if spec.calibrators else 'to_pandas()'}"


def _shown(situation: Situation, selection: str, calibrators: Iterable[str]) -> str:
    """The arguments of `evaluate` for the comparison, where they differ from those of what is shown."""
    names = ", ".join(["'none'", *calibrators])
    selections = f"{{'shown': {selection or None!r}}}"
    fitted_to = "".join(f", {name!r}: {value}" for name, value in as_code.fits(situation).items())
    return f"**{{**shown, 'selections': {selections}, 'calibrators': [{names}]{fitted_to}}}"
