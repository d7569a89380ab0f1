"""The panel Cumulative: cumulative pictures before and after recalibration on the same axes (Gupta et al. 2020)."""

from __future__ import annotations

from dataclasses import replace

from ... import figures
from ...context.class_lenses import Pooled
from ..asked.spec import FOUR, OF_AFTER, OF_SAMPLES, SLOPES
from ..situation.as_code import pictured, selected
from ..situation.content import Code, Content
from ..situation.engine import NothingKept
from ..situation.noise import beside_error, sentence_of
from ..situation.reading import reads
from ..situation.situation import Situation

#: The place of each view among the `cumulative_figures`.
CURVES = {"fractile": 0, "score": 1, "difference": 2}
_PART = "How to read it: the curves part where predicted and observed part; their largest distance is the KS error."
_SLOPES = "How to read it: the scores, and the probabilities that a spline finds; where they differ, scores are off."
HOW = {
    "difference": "How to read it: where the line rises, more is observed than predicted; where it falls, less; "
    "where it is level, the scores are calibrated. Its largest distance from 0 is the KS error. Noise is where 95 % of "
    "calibrated data sets stay: grey at each place by itself, dashed everywhere at once.",
    "fractile": _PART,
    "score": _PART,
    **dict.fromkeys(SLOPES, _SLOPES),
    "all four": f"{_PART} The slopes below are the scores, and the probabilities that a spline finds.",
}


@reads(*OF_SAMPLES, *OF_AFTER, "cumulative", "samples")
def cumulative(situation: Situation) -> Content:
    """The chosen cumulative pictures, before and after recalibration, and what their KS errors say."""
    which = situation.spec.cumulative
    if situation.spec.samples == "calibration":
        situation = situation.fitted
        try:
            _ = situation.before
        except NothingKept:
            return Content((), "The selection keeps none of the samples that calibrators are fitted to.")
    drawn = [figure for view in (FOUR if which == "all four" else (which,)) for figure in curves(situation, view)]
    after, ks = situation.after, situation.ks(situation.before)
    noise = sentence_of(ks, beside_error(situation, situation.before, "ks"))
    notes = [HOW[which], noise if after is None else f"Before: {_lowered(noise)}"]
    if after is not None:
        noise = _lowered(sentence_of(situation.ks(after), beside_error(situation, after, "ks")))
        notes.append(f"After {situation.calibrator_name}: {noise}")
    else:
        notes.append(situation.no_after)
    return Content(tuple(drawn), " ".join(notes))


@reads(*OF_SAMPLES, *OF_AFTER, "samples")
def curves(situation: Situation, view: str) -> tuple[figures.Figure, ...]:
    """A view before recalibration, and after it where there is something to show, on the same axes."""
    sides = [side.problems for side in (situation.before, situation.after) if side is not None]
    when = (", before", f", after {situation.calibrator_name}") if len(sides) > 1 else ("",)
    fitted = ", in the samples of the fit" if situation.spec.samples == "calibration" else ""
    drawn = []
    for problems, time, ending in zip(sides, when, ("", "-after"), strict=False):
        if view in SLOPES:
            figure = figures.slopes_figure(problems, situation.name, against=SLOPES[view], is_after=bool(ending))
            ending = f"-by-{SLOPES[view]}{ending}"
        else:
            figure = figures.cumulative_figures(problems, situation.name, is_after=bool(ending))[CURVES[view]]
        drawn.append(replace(figure, name=figure.name + ending, title=f"{figure.title}{fitted}{time}"))
    x_range, y_range = (
        (min(low for low, _ in ranges), max(high for _, high in ranges))
        for ranges in ([figure.x_range for figure in drawn], [figure.y_range for figure in drawn])
    )
    return tuple(replace(figure, x_range=x_range, y_range=y_range) for figure in drawn)


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def code(situation: Situation, opened: str) -> Code:
    """Code that draws the cumulative pictures, and judges what was fitted to if they show it."""
    spec, has_after = situation.spec, situation.spec.is_recalibrated
    if isinstance(situation.lens, Pooled) or situation.of_summary:
        return Code()
    is_of_fitted, is_crossed = spec.samples == "calibration", situation.engine.calibration is None
    of = f"{selected(situation)}{', calibrator=fitted' if has_after else ''}"
    of += ".whole" if is_of_fitted and is_crossed and has_after else ""
    of += ", calibration=calibration" if is_of_fitted and not is_crossed else ""
    lines = [f"picture = cv.plots.ks(predictions, {of})"]
    if is_of_fitted:
        data = "predictions" if is_crossed else "calibration"
        fit = f"**{{**shown, 'folds': None, 'calibration': {data}}}" if is_crossed and has_after else "**shown"
        whole = f"cv.evaluate({data}, {pictured(situation)}, {fit}, metrics=['ks', 'count'])"
        lines.append(f"print({whole}.squeeze().to_pandas().T)")
    return Code(tuple(lines), has_after)
