"""Summaries as the Explorer takes them: as predictions, one part to fit calibrators to, the other to judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...data.models import of_arrays
from ...foundation.sources import Source
from ...foundation.validation import listed
from ...scale.summary import Summary


def unsummarized(predictions: Any, calibration: Any) -> tuple[Any, Any]:
    """Predictions and calibration, where summaries are given in the place of predictions.

    Without a calibration, a random half of the samples of each summary is that.
    """
    predictions, calibration = of_arrays(predictions), of_arrays(calibration)
    models = predictions if isinstance(predictions, Mapping) else {"model": predictions}
    summaries = {str(name): summary for name, summary in models.items() if isinstance(summary, Summary)}
    if not summaries:
        return predictions, calibration
    if len(summaries) < len(models):
        raise TypeError("predictions holds summaries and others: pass one or the other")
    if calibration is None:
        halves = {name: summary.split() for name, summary in summaries.items()}
        for name, half in halves.items():
            if not all(part.rows for part in half):
                raise ValueError(
                    "predictions holds a summary of too few samples to fit to some and judge others "
                    f"({summaries[name].rows}): pass calibration=..., a summary of samples to fit to"
                )
        fitted, judged = ({name: half[i] for name, half in halves.items()} for i in (0, 1))
    else:
        given = calibration if isinstance(calibration, Mapping) else dict.fromkeys(summaries, calibration)
        if not all(isinstance(summary, Summary) for summary in given.values()):
            raise TypeError("calibration must be a cv.Summary, as predictions are")
        judged, fitted = summaries, {str(name): summary for name, summary in given.items()}
    lenses = dict.fromkeys(summary.name for summary in summaries.values())
    if len(lenses) > 1:
        raise ValueError(f"predictions holds summaries of several lenses: {listed(lenses)}; pass those of one")
    made = []
    for i, some in enumerate((fitted, judged)):
        made.append({name: summary.predictions() for name, summary in some.items()})
        source = Source("summary.split")()[i] if calibration is None else Source("fitted_to" if i == 0 else "summary")
        for summary in made[-1].values():
            summary._made_by(source.method("predictions")())
    return made[1], made[0]
