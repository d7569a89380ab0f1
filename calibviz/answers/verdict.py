"""`verdict`: the sentence of the first screen, with its numbers, for those who open no view."""

from __future__ import annotations

from typing import Any

from ..context.conditions import Condition
from ..context.lens_names import lens as read_lens
from ..context.lenses import Lens, Outcome
from ..data.models import no_predictions, takes_arrays
from ..data.predictions import Predictions
from ..foundation import validation
from ..scale.summary import Summary
from .asked.first import first_spec
from .asked.spec import Spec
from .content import completed
from .headline import Verdict, full_verdict_of
from .situation.engine import Engine
from .situation.situation import Situation
from .situation.summarized import unsummarized


@takes_arrays
def verdict(
    predictions: Predictions | Summary,
    lens: str | Lens | None = None,
    *,
    selection: str | Condition | None = None,
    outcome: int | str | None = None,
    calibrator: Any = "spline",
    calibration: Predictions | Summary | None = None,
) -> Verdict:
    """Return the sentence that the Explorer opens with and a report begins with, and the numbers that it rests on.

    Parameters
    ----------
    predictions : Predictions, Summary, or probabilities of shape (n, K) or (n,)
    labels : array-like, shape (n,) or (n, K), optional
        Those of probabilities, as the second argument or by keyword; `Predictions` hold theirs.
    lens : lens or its name, optional
        By default the positive class of two, and top-1 of more.
    selection : condition or its text, optional
    outcome : int or str, optional
        Of a vector lens, the outcome that the sentence is about; by default the first, which it names.
    calibrator : name of a calibrator, a calibrator, or None
        The sentence says what it changes. With None it says nothing of recalibration, as the first line of a report.
    calibration : Predictions or Summary, optional
        What the calibrator is fitted to. Without it, each sample is recalibrated by a fit to the others, in five folds.

    Returns
    -------
    Verdict
        With sentence, and the numbers that it rests on: samples, mean_score, mean_target, interval, ks, ks_limit,
        p_values and largest; `after` holds those after recalibration.

    Raises
    ------
    TypeError, ValueError
        Where an argument cannot be used, or the selection keeps no sample.

    See Also
    --------
    Explorer, report : Show it above all else.
    interval, ks_test : The error that it rests on, with an interval and a test.

    Examples
    --------
    >>> found = cv.verdict(cv.load_dataset("tumours")["naive Bayes"], calibrator=None)
    >>> found.samples, round(found.ks, 3)
    (569, 0.039)
    """
    if not isinstance(predictions, Predictions | Summary):
        raise no_predictions(predictions)
    judged, fit_on = unsummarized(predictions, calibration)
    engine = Engine(judged, fit_on)
    look = Situation(engine, _spec(engine, lens, selection, outcome, calibrator))
    look.exists()
    return completed(look, full_verdict_of)


def _spec(engine: Engine, lens: Any, selection: Any, outcome: Any, calibrator: Any) -> Spec:
    """The choices of the first screen, with these in the place of some."""
    seen: Any = read_lens(engine.first_lens if lens is None else lens)
    if isinstance(seen, Outcome):
        if outcome is not None:
            raise ValueError(f"outcome={outcome!r} cannot be used: the lens {seen.name!r} names one already")
        seen, outcome = seen.lens, seen.outcome
    chosen = {} if calibrator is None else {"calibrator": calibrator}
    spec = first_spec(tuple(engine.models), lens=seen, selection=selection, **chosen)
    spec = spec.but(calibrator="none") if calibrator is None else spec
    if outcome is None:
        return spec
    names = Situation(engine, spec).outcomes
    if not names:
        raise ValueError(f"outcome={outcome!r} cannot be used: the lens {seen.name!r} has one score a sample")
    return spec.but(outcome=names[validation.class_index(outcome, names)])
